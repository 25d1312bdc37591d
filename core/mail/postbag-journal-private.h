/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "mail/postbag-effect.h"

G_BEGIN_DECLS

/* Changes under way, one small file each in the state folder, in a folder for each account's mail
 * (not for its name: two servers may both be called "default"), on the disk before the change
 * begins and gone when its outcome was told. A file is locked by the process that holds its
 * receipt, so one that nobody holds is of a change that was interrupted, or that nobody was told
 * of. Who tells of those holds the folder's lock until it is done: one descriptor, however many
 * there are. No subject, sender or body is ever in it. */

/* Changes, and marks of ours on what an answer shows, which are kept apart: nobody is told of them,
 * they are taken back. */
#define POSTBAG_JOURNAL_CHANGES "journal"
#define POSTBAG_JOURNAL_MARKS "marks"

/* (transfer full) (nullable): the change may begin; %NULL with @error, and it must not. @area: one
 * of the above */
PostbagReceipt *postbag_journal_begin (const char *state_dir, const char *area,
                                       const PostbagAccount *account, const PostbagEffect *effect,
                                       GError **error);

/* What an interrupted change was. */
typedef struct
{
  PostbagEffectKind kind;
  char *mailbox;
  char *destination; /* (nullable) */
  char *message_id;  /* (nullable): of an append, without angle brackets */
  char *keyword;     /* (nullable): of a mark */
  guint32 uid_validity;
  GArray *uids;
  gint64 time;
  PostbagReceipt *receipt; /* (nullable): closed as not told with the record, unless stolen */
} PostbagJournalRecord;

void postbag_journal_record_free (PostbagJournalRecord *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagJournalRecord, postbag_journal_record_free)

/* (transfer full) (element-type PostbagJournalRecord): those of @account that were interrupted,
 * oldest first; nobody else gets any until the receipts of all of them are closed. */
GPtrArray *postbag_journal_take (const char *state_dir, const char *area,
                                 const PostbagAccount *account);

/* (transfer full) (nullable) (element-type PostbagJournalRecord): all that were interrupted, those
 * too that somebody is just telling of; without receipts, since they stay where they are. %NULL
 * with @error: some may be there that cannot be seen. */
GPtrArray *postbag_journal_look (const char *state_dir, const char *area,
                                 const PostbagAccount *account, GError **error);

G_END_DECLS
