/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

#include "base/postbag-api.h"
#include "extract/postbag-extractor.h"
#include "mail/postbag-mail-types.h"

G_BEGIN_DECLS

/* How much one document may cost; the caller says whose turn it is. */
typedef enum
{
  POSTBAG_EXTRACT_INTERACTIVE, /* somebody waits for the answer */
  POSTBAG_EXTRACT_ARCHIVE,     /* a whole mailbox is indexed */
  POSTBAG_EXTRACT_N_LIMITS
} PostbagExtractLimits;

/**
 * PostbagExtractOrigin:
 * @principal: whose call it is
 * @account: whose mail it is: postbag_account_dup_identity()
 * @uid_validity: of the mailbox now; never 0
 * @version: (nullable): of the message, where its store can tell (#PostbagPart.version)
 * @part: as the structure has it that was just fetched
 *
 * Where a document stands in the mail. What is there should never change (RFC 9051 section
 * 2.3.1.1), but a program may replace a file of a Maildir under its name, and a server may give a
 * mailbox made anew the UIDVALIDITY of the old one: what the structure says of the part is of the
 * place.
 */
typedef struct
{
  const char *principal;
  const char *account;
  const char *mailbox;
  guint32 uid_validity;
  guint32 uid;
  const char *version;
  const PostbagPart *part;
} PostbagExtractOrigin;

/**
 * PostbagExtractRequest:
 * @bytes: the document
 * @content_type: what it is; parameters and letter case do not matter
 * @charset: (nullable): what the sender declared for a text
 * @member: (nullable): which file of a document that holds files (postbag_document_holds_files())
 * @origin: (nullable): under which the result can be recalled
 */
typedef struct
{
  GBytes *bytes;
  const char *content_type;
  const char *charset;
  const char *member;
  PostbagExtractLimits limits;
  const PostbagExtractOrigin *origin;
} PostbagExtractRequest;

typedef struct
{
  char *name;
  gint64 value;
} PostbagExtractCount;

/**
 * PostbagExtractedText:
 * @text: Markdown, well-formed UTF-8, not cleaned: it is a stranger's
 * @chars: of @text
 * @was_cut: the document has more than the limit set lets through
 * @counts: (element-type PostbagExtractCount)
 * @notes: (element-type utf8): remarks of the reader, cleaned and bounded
 *
 * What came out of the cage, checked. Immutable.
 */
typedef struct
{
  char *text;
  gsize chars;
  gboolean was_cut;
  GArray *counts;
  GPtrArray *notes;
} PostbagExtractedText;

POSTBAG_API PostbagExtractedText *postbag_extracted_text_ref (PostbagExtractedText *self);
POSTBAG_API void postbag_extracted_text_unref (PostbagExtractedText *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagExtractedText, postbag_extracted_text_unref)
/* -1: not told */
POSTBAG_API gint64 postbag_extracted_text_get_count (const PostbagExtractedText *self,
                                                     const char *name);
/* (transfer full) (element-type utf8): what its reader has to be told: the notes, what the document
 * hides and what was cut. */
POSTBAG_API GPtrArray *postbag_extracted_text_dup_remarks (const PostbagExtractedText *self);

/**
 * PostbagExtraction:
 *
 * The server's side of the cage: starts the worker at first need, hands it one document a child,
 * watches it, and keeps the last results. Any thread.
 */
#define POSTBAG_TYPE_EXTRACTION (postbag_extraction_get_type ())
POSTBAG_API G_DECLARE_FINAL_TYPE (PostbagExtraction, postbag_extraction, POSTBAG, EXTRACTION,
                                  GObject)

/* (transfer none) (array zero-terminated=1): the content types that can be read, sorted */
POSTBAG_API const char *const *postbag_extraction_get_types (PostbagExtraction *self);
/* Whether a document of that type can be read; parameters and letter case do not matter. */
POSTBAG_API gboolean postbag_extraction_can_read (PostbagExtraction *self,
                                                  const char *content_type);

/**
 * postbag_extraction_run:
 * @reason: (out) (optional): why there is no text
 *
 * Blocks until the text is there, a limit ended it, or it was cancelled.
 *
 * Returns: (transfer full) (nullable): or %NULL with what the caller can do next:
 *   %POSTBAG_ERROR_INVALID_ARGUMENT (a member of what has none, or one that is not there),
 *   %POSTBAG_ERROR_NOT_SUPPORTED (no text layer, encrypted, a type nobody reads),
 *   %POSTBAG_ERROR_BAD_DATA (corrupt, not a document), %POSTBAG_ERROR_TOO_LARGE,
 *   %POSTBAG_ERROR_TIMED_OUT, %POSTBAG_ERROR_BUSY, %POSTBAG_ERROR_CANCELLED,
 *   %POSTBAG_ERROR_SANDBOX (the reader crashed, tried what the cage forbids, or the cage cannot be
 *   closed here)
 */
POSTBAG_API PostbagExtractedText *
postbag_extraction_run (PostbagExtraction *self, const PostbagExtractRequest *request,
                        GCancellable *cancellable, PostbagExtractReason *reason, GError **error);

/**
 * postbag_extraction_recall:
 * @request: with an origin; its bytes do not matter
 * @length: (out): of the document, in bytes
 * @detected: (out) (transfer none) (nullable): postbag_magic_detect() of its bytes
 *
 * What the same document gave that was read from the very same place, by the same principal:
 * whoever reads on needs neither its bytes nor another run.
 *
 * Returns: (transfer full) (nullable): %NULL where that is not, or no longer, remembered
 */
POSTBAG_API PostbagExtractedText *postbag_extraction_recall (PostbagExtraction *self,
                                                             const PostbagExtractRequest *request,
                                                             gsize *length, const char **detected);

G_END_DECLS
