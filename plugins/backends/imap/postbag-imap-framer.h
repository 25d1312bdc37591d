/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Cuts what an IMAP server sends into whole replies (RFC 9051 section 2.2): a line, with the
 * literals it announces and the lines that go on after them. A pure function of the bytes: however
 * they arrive, the frames are the same. Nothing is ever allocated from an announced size.
 *
 * Three things keep it bounded without giving up on honest servers:
 * - a number list may be longer than any line: it is handed over in pieces, each a reply of its own
 *   with the head repeated (`* SEARCH 1 2 3` may come in several lines anyway);
 * - another line is kept up to a limit, and skipped from there with a remark in the frame;
 * - large literals go to a spool as they come. */

/**
 * PostbagImapLiteral:
 * @offset: where its announcement `{n}` or `~{n}` stands in the text of the frame
 * @bytes: (nullable): its bytes; %NULL when they went to the spool
 * @spool: (nullable): what the spool's @begin returned; owned by the frame until taken
 */
typedef struct
{
  gsize offset;
  GBytes *bytes;
  gpointer spool;
} PostbagImapLiteral;

/**
 * PostbagImapFrame:
 * @text: the lines of the reply without their line ends, announcements of literals included; may
 *   hold any byte but LF
 * @literals: (element-type PostbagImapLiteral): in their order
 * @truncated: the reply was too long, its rest is gone
 */
typedef struct
{
  GString *text;
  GArray *literals;
  gboolean truncated;
  GDestroyNotify free_spool;
} PostbagImapFrame;

void postbag_imap_frame_free (PostbagImapFrame *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagImapFrame, postbag_imap_frame_free)

/**
 * PostbagImapSpool:
 * @begin: (nullable): returns the spool for a literal of @length bytes that follows @text, or %NULL
 *   to keep it in memory
 * @write: takes bytes as they come; an error ends the framer
 * @free: frees a spool
 */
typedef struct
{
  gpointer (*begin) (const GString *text, guint64 length, gpointer user_data);
  gboolean (*write) (gpointer spool, const guint8 *data, gsize length, GError **error);
  GDestroyNotify free;
} PostbagImapSpool;

typedef struct _PostbagImapFramer PostbagImapFramer;

/* @max_literal: the largest literal that is accepted, 0 = POSTBAG_LIMIT_IMAP_LITERAL_BYTES */
PostbagImapFramer *postbag_imap_framer_new (guint64 max_literal);
void postbag_imap_framer_free (PostbagImapFramer *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagImapFramer, postbag_imap_framer_free)

void postbag_imap_framer_set_spool (PostbagImapFramer *self, const PostbagImapSpool *spool,
                                    gpointer user_data);

/**
 * postbag_imap_framer_read:
 * @data: (inout): bytes from the server; moved past what was taken
 * @length: (inout): how many are left
 *
 * Takes bytes up to the end of one reply and not one further, so that whoever starts TLS knows what
 * came too early.
 *
 * Returns: (transfer full) (nullable): the reply, or %NULL when the bytes are used up, or %NULL
 * with an error (POSTBAG_ERROR_TOO_LARGE) after which the connection is of no use
 */
PostbagImapFrame *postbag_imap_framer_read (PostbagImapFramer *self, const guint8 **data,
                                            gsize *length, GError **error);

/* Whether a reply has begun and not ended. */
gboolean postbag_imap_framer_is_inside (PostbagImapFramer *self);

G_END_DECLS
