/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "mail/postbag-mail-types.h"

G_BEGIN_DECLS

/* What a listing and a header search need of one message: it never changes, so that it is cached.
 */

typedef enum
{
  POSTBAG_MAILDIR_SUBJECT,
  POSTBAG_MAILDIR_MESSAGE_ID,
  POSTBAG_MAILDIR_FROM, /* address lists: see postbag_maildir_pack_addresses() */
  POSTBAG_MAILDIR_TO,
  POSTBAG_MAILDIR_CC,
  POSTBAG_MAILDIR_REFERENCES,
  POSTBAG_MAILDIR_IN_REPLY_TO,
  POSTBAG_MAILDIR_N_FIELDS
} PostbagMaildirField;

typedef struct
{
  gint64 size;
  gint64 internal_date;
  gint64 date;
  int has_attachments;                          /* -1: not known yet */
  const char *fields[POSTBAG_MAILDIR_N_FIELDS]; /* (nullable): in the same block of memory */
} PostbagMaildirHeaders;

/* (transfer full): g_free() it. @fields: copied */
PostbagMaildirHeaders *postbag_maildir_headers_new (const char *const *fields);

/**
 * postbag_maildir_headers_parse:
 * @source: the message or its first bytes
 * @complete: @source is all of it
 *
 * Returns: (transfer full): without size and internal date. Whether there are attachments is known
 *   where @source is complete, or shows one.
 */
PostbagMaildirHeaders *postbag_maildir_headers_parse (GBytes *source, gboolean complete);

/* Whether it is small enough for the cache. */
gboolean postbag_maildir_headers_can_be_cached (const PostbagMaildirHeaders *self);

PostbagSummary *postbag_maildir_headers_to_summary (const PostbagMaildirHeaders *self);

/* An address list as one string, name and address apart by US (0x1f), entries by RS (0x1e). */
char *postbag_maildir_pack_addresses (GPtrArray *addresses);
void postbag_maildir_unpack_addresses (const char *packed, GPtrArray *addresses);
/* (transfer full): "Name <address>, ..." */
char *postbag_maildir_show_addresses (const char *packed);

G_END_DECLS
