/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "postbag-maildir-scan.h"

G_BEGIN_DECLS

/* Keywords that Dovecot's file gives no letter to, kept in `keywords.sqlite` in the state folder:
 * nothing is written into the mail folder for them. They hang on UIDVALIDITY and UID, and several
 * processes share the file. */

/* Own keywords of one mailbox: one bit each in an entry. The last one is kept for a toolset's own
 * mark, so that keywords which people set never stop it from remembering. */
#define POSTBAG_MAILDIR_N_OWN_KEYWORDS 16

typedef struct _PostbagMaildirKeywords PostbagMaildirKeywords;

/* @state_dir: (nullable): %NULL: nothing can be kept */
PostbagMaildirKeywords *postbag_maildir_keywords_open (const char *state_dir);
void postbag_maildir_keywords_free (PostbagMaildirKeywords *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagMaildirKeywords, postbag_maildir_keywords_free)

gboolean postbag_maildir_keywords_can_keep (PostbagMaildirKeywords *self);

/* Grows with each change in that mailbox, by whomever. Cheap. */
gint64 postbag_maildir_keywords_get_version (PostbagMaildirKeywords *self, guint32 uid_validity);

/* Sets `own` of the entries, which are sorted by UID, and @names[N_OWN_KEYWORDS] (nullable
 * strings, transfer full) of the bits. Returns the version that this is. */
gint64 postbag_maildir_keywords_load (PostbagMaildirKeywords *self, guint32 uid_validity,
                                      PostbagMaildirScan *scan, char **names);

/**
 * postbag_maildir_keywords_reserve:
 * @names: (nullable) (array zero-terminated=1)
 * @marks: (nullable) (array zero-terminated=1): a toolset's own
 * @only_look: whether it could be; nothing is changed
 *
 * Sees to it that all of @names and @marks have a place together, before anything is changed; a
 * keyword that no message carries any more gives up its own. All of it or nothing.
 *
 * Errors: POSTBAG_ERROR_TOO_LARGE (no place is left; it names those without), those of the state
 * folder
 */
gboolean postbag_maildir_keywords_reserve (PostbagMaildirKeywords *self, guint32 uid_validity,
                                           char **names, char **marks, gboolean only_look,
                                           GError **error);

/**
 * postbag_maildir_keywords_change:
 * @uids: guint32
 * @add, @remove: (nullable) (array zero-terminated=1)
 *
 * All of it or nothing.
 */
gboolean postbag_maildir_keywords_change (PostbagMaildirKeywords *self, guint32 uid_validity,
                                          GArray *uids, char **add, char **remove, GError **error);

/* Forgets what is known of messages that are gone. */
void postbag_maildir_keywords_forget (PostbagMaildirKeywords *self, guint32 uid_validity,
                                      GArray *uids);

G_END_DECLS
