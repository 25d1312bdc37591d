/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#include "base/postbag-api.h"

G_BEGIN_DECLS

/* An extractor turns the bytes of a document into Markdown. It runs only inside the sandboxed
 * worker: no file, no network, no second process, bounded memory and time. */

/**
 * POSTBAG_EXTRACT_ERROR:
 *
 * Why a document gave no text. The code is all that leaves the worker: a message may quote the
 * document. The client translates it into %POSTBAG_ERROR.
 */
#define POSTBAG_EXTRACT_ERROR (postbag_extract_error_quark ())

/* Values are part of the plugin ABI: append only. */
typedef enum
{
  POSTBAG_EXTRACT_NO_TEXT_LAYER,  /* pages are pictures: a scan */
  POSTBAG_EXTRACT_ENCRYPTED,      /* needs a password */
  POSTBAG_EXTRACT_NOT_A_DOCUMENT, /* of another format than its type says */
  POSTBAG_EXTRACT_CORRUPT,        /* damaged beyond reading */
  POSTBAG_EXTRACT_TOO_MANY_PARTS,
  POSTBAG_EXTRACT_TOO_LARGE,
  POSTBAG_EXTRACT_TIMEOUT,
  POSTBAG_EXTRACT_OUT_OF_MEMORY,
  POSTBAG_EXTRACT_BUSY,
  POSTBAG_EXTRACT_INTERNAL, /* the reader failed: it crashed, or tried what the cage forbids */
  POSTBAG_EXTRACT_NO_SUCH_MEMBER,    /* there is no file of that name inside */
  POSTBAG_EXTRACT_UNREADABLE_MEMBER, /* no reader for the file inside, or it is nested too deep */
  POSTBAG_EXTRACT_N_REASONS
} PostbagExtractReason;

POSTBAG_API GQuark postbag_extract_error_quark (void);
/* The word of contracts for a reason: "no-text-layer", "encrypted", ... */
POSTBAG_API const char *postbag_extract_reason_get_word (PostbagExtractReason reason);

typedef struct _PostbagExtractOutput PostbagExtractOutput;

/**
 * PostbagExtractOutput:
 * @append: Markdown in order, well-formed UTF-8 without NUL. Returns %FALSE when the output limit
 *   is reached: stop, and return %TRUE.
 * @count: "page_count", "sheet_count", "slide_count", "hidden_runs", ...: what there is, not
 *   negative; the last value of a name counts
 * @note: a remark in our own words: what was cut, hidden or not understood. Never a text of the
 *   document.
 * @descend: hands a document inside this one to the extractor of its type, whose output goes on
 *   here. Fails with its error, or %POSTBAG_EXTRACT_UNREADABLE_MEMBER where no extractor reads that
 *   type or the nesting is too deep.
 */
struct _PostbagExtractOutput
{
  guint32 size;
  gpointer user_data;
  gboolean (*append) (PostbagExtractOutput *self, const char *text, gsize length);
  void (*count) (PostbagExtractOutput *self, const char *name, gint64 value);
  void (*note) (PostbagExtractOutput *self, const char *text);
  gboolean (*descend) (PostbagExtractOutput *self, const guint8 *data, gsize length,
                       const char *content_type, GError **error);
};

typedef struct
{
  guint32 size;
  const guint8 *data;
  gsize length;
  const char *content_type; /* as settled by the caller, lower case, no parameters */
  const char *member;       /* (nullable): of an archive, which file inside */
  const char *charset;      /* (nullable): as the sender declared it; it may lie */
} PostbagExtractInput;

typedef struct
{
  guint32 size;
  /* (nullable): once, in the worker before it locks down: load tables, fonts, maps */
  gboolean (*prepare) (GError **error);
  /* Fails with a %POSTBAG_EXTRACT_ERROR; another domain counts as %POSTBAG_EXTRACT_INTERNAL. */
  gboolean (*extract) (const PostbagExtractInput *input, PostbagExtractOutput *output,
                       GError **error);
  /* (nullable) (array zero-terminated=1): absolute; what its library opens lazily and has to stay
   * readable, where the kernel can keep everything else shut */
  const char *const *folders;
} PostbagExtractorImplementation;

G_END_DECLS
