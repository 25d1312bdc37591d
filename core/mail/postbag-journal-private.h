/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "mail/postbag-effect.h"

G_BEGIN_DECLS

/* Changes under way, one small file each in the state folder, on the disk before the change begins
 * and gone when its outcome is known. A file is locked by the process that writes it, so one that
 * nobody holds is of a change that was interrupted. No subject, sender or body is ever in it. */

typedef struct _PostbagJournal PostbagJournal;

/* (transfer full) (nullable): the change may begin; %NULL with @error, and it must not */
PostbagJournal *postbag_journal_begin (const char *state_dir, const PostbagAccount *account,
                                       const PostbagEffect *effect, GError **error);
/* Frees it. @is_known: what happened was told whole; else it stays, for the next call to look. */
void postbag_journal_end (PostbagJournal *self, gboolean is_known);

/* What an interrupted change was. */
typedef struct
{
  PostbagEffectKind kind;
  char *mailbox;
  char *destination; /* (nullable) */
  char *message_id;  /* (nullable): of an append, without angle brackets */
  guint32 uid_validity;
  GArray *uids;
  gint64 time;
} PostbagJournalRecord;

void postbag_journal_record_free (PostbagJournalRecord *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagJournalRecord, postbag_journal_record_free)

/* (transfer full) (element-type PostbagJournalRecord): those of @account that were interrupted,
 * oldest first; they are taken out. */
GPtrArray *postbag_journal_take (const char *state_dir, const PostbagAccount *account);

G_END_DECLS
