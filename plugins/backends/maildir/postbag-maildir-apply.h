/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "postbag-maildir-store.h"

G_BEGIN_DECLS

/* --- shared by the files that change a mailbox --- */

/**
 * PostbagMaildirStepFunc:
 * @folder, @name: where the message's file is now
 *
 * Does to one message what is asked. ENOENT: somebody renamed or removed the file just now, and it
 * is looked for again.
 *
 * Returns: 0, or an errno
 */
typedef int (*PostbagMaildirStepFunc) (const PostbagMaildirEntry *entry, int folder,
                                       const char *name, gpointer user_data);

/* Runs @step on the message's file, wherever another program has put it meanwhile; ENOENT: it is
 * gone. -1: @error is set. */
int postbag_maildir_apply_to (PostbagMaildirAccess *access, guint32 uid,
                              PostbagMaildirStepFunc step, gpointer user_data, GError **error);

/* Removes the files of these messages for good, and adds those that were there to @removed. What
 * keeps one from being removed stops it. @uids: (nullable) */
gboolean postbag_maildir_apply_remove (PostbagMaildirAccess *access, const GArray *uids,
                                       GArray *removed, GError **error);

/* The mailbox, checked to be the one that the effect's UIDs belong to. */
PostbagMaildirAccess *postbag_maildir_apply_enter (PostbagMaildirStore *store,
                                                   const PostbagEffect *effect,
                                                   GCancellable *cancellable, GError **error);

/* The keywords of @names as letters of this mailbox; what has no letter is added to @own. */
guint32 postbag_maildir_apply_find_letters (PostbagMaildirAccess *access, char **names,
                                            GPtrArray *own);
/* Sees to it that all of @names and @marks ((nullable): own keywords and a toolset's own marks) can
 * be kept in this mailbox, before anything is done. @only_look: whether they could be */
gboolean postbag_maildir_apply_reserve (PostbagMaildirAccess *access, char **names, char **marks,
                                        gboolean only_look, GError **error);
/* What a flag word means where it is written as a keyword: $Forwarded is Maildir's P. */
PostbagFlags postbag_maildir_apply_find_flags (char **names);

/* --- the kinds of effect --- */

gboolean postbag_maildir_apply_transfer (PostbagMaildirStore *store, const PostbagEffect *effect,
                                         PostbagEffectReport *report, GCancellable *cancellable,
                                         GError **error);
/* See PostbagStoreImplementation. */
gboolean postbag_maildir_check (gpointer self, const PostbagEffect *effect,
                                GCancellable *cancellable, GError **error);
gboolean postbag_maildir_apply_append (PostbagMaildirStore *store, const PostbagEffect *effect,
                                       PostbagEffectReport *report, GCancellable *cancellable,
                                       GError **error);
gboolean postbag_maildir_apply_create (PostbagMaildirStore *store, const PostbagEffect *effect,
                                       PostbagEffectReport *report, GCancellable *cancellable,
                                       GError **error);
gboolean postbag_maildir_apply_rename (PostbagMaildirStore *store, const PostbagEffect *effect,
                                       PostbagEffectReport *report, GCancellable *cancellable,
                                       GError **error);
gboolean postbag_maildir_apply_delete (PostbagMaildirStore *store, const PostbagEffect *effect,
                                       PostbagEffectReport *report, GCancellable *cancellable,
                                       GError **error);

/* Of an append or a change of a mailbox: something was done, but not all that was asked, or nobody
 * can say. */
void postbag_maildir_report_unknown (PostbagEffectReport *report);

void postbag_maildir_report_step (PostbagEffectReport *report, const char *format, ...)
    G_GNUC_PRINTF (2, 3);

G_END_DECLS
