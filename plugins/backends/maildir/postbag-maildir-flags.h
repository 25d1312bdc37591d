/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "mail/postbag-mail-types.h"

G_BEGIN_DECLS

/* What the name of a message file says: `BASE:2,FLAGS`, with `!` or `;` instead of `:` where the
 * file system has none. The base name is the message's identity, whatever its flags. */

#define POSTBAG_MAILDIR_N_KEYWORDS 26

typedef struct
{
  gsize base_length;
  PostbagFlags flags;
  guint32 keywords; /* bit 0 is the letter a */
} PostbagMaildirName;

PostbagMaildirName postbag_maildir_parse_name (const char *name);

/* When it was delivered, as the base name tells (`SECONDS.M<microseconds>P...`), in microseconds
 * since 1970, or -1. */
gint64 postbag_maildir_get_delivery_time (const char *base, gsize length);

/* Length of the base name without mbsync's `,U=<number>`, which it adds to a message it has met. */
gsize postbag_maildir_get_stem_length (const char *base, gsize length);

/* (transfer full): the names of the letters a to z in a folder's dovecot-keywords file; letters
 * without a name are %NULL. @folder: a directory; a missing or broken file names none. */
char **postbag_maildir_read_keywords (int folder);
void postbag_maildir_free_keywords (char **names);

/* (transfer full) (array zero-terminated=1) */
char **postbag_maildir_name_keywords (guint32 keywords, char **names);

G_END_DECLS
