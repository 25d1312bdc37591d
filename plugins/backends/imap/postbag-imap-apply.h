/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "postbag-imap-store-private.h"
#include "postbag-imap-writer.h"

G_BEGIN_DECLS

/* Changes on a server, one file for messages, one for mailboxes and new messages. */

typedef struct
{
  PostbagImapStore *store;
  PostbagImapWriter *writer;
  const PostbagEffect *effect;
  PostbagEffectReport *report;

  /* of the mailbox, once it was looked at */
  GArray *there;          /* guint32: which of the effect's messages it holds, sorted */
  GPtrArray *flags_there; /* char **: their flags, beside them */
  GArray *left_out;       /* guint32: which of them the server did not copy or move */
  char **permanent_flags; /* (nullable) */

  guint32 arrived_in; /* UIDVALIDITY of where messages were copied or moved to; 0: it is not said */
  gboolean is_contradicted; /* COPYUID is not about the messages that were asked for */
} PostbagImapApply;

PostbagEffectReport *postbag_imap_store_apply (gpointer self, const PostbagEffect *effect,
                                               GCancellable *cancellable, GError **error);

/* --- shared --- */

PostbagImapCommand *postbag_imap_apply_command (PostbagImapApply *self, const char *name,
                                                const char *mailbox);
/* (nullable): what a STATUS says */
const PostbagImapMailboxStatus *postbag_imap_apply_find_status (const PostbagImapOutcome *outcome);
/* A command about the messages in @there. */
PostbagImapCommand *postbag_imap_apply_create (PostbagImapApply *self, const char *name);
void postbag_imap_apply_add_uids (PostbagImapCommand *command, const GArray *uids);
void postbag_imap_apply_step (PostbagImapApply *self, const char *format, ...) G_GNUC_PRINTF (2, 3);

/**
 * postbag_imap_apply_run:
 *
 * One command that changes something.
 *
 * Returns: (transfer full) (nullable): what came, where that is `OK`; else %NULL with @error; then
 *   @is_unknown (optional) tells whether it may have been done all the same
 */
PostbagImapOutcome *postbag_imap_apply_run (PostbagImapApply *self, PostbagImapCommand *command,
                                            gboolean *is_unknown, GError **error);
/* The same for a command that is not about the destination, though the effect has one. */
PostbagImapOutcome *postbag_imap_apply_run_in_source (PostbagImapApply *self,
                                                      PostbagImapCommand *command,
                                                      gboolean *is_unknown, GError **error);

/* The error for a refusal: always %FALSE. @is_look: of a look at the mailbox, whose refusal without
 * a reason means that it is not there. */
gboolean postbag_imap_apply_fail (PostbagImapApply *self, const char *mailbox,
                                  const PostbagImapStatus *status, gboolean is_look,
                                  GError **error);

/* Adds what COPYUID says (RFC 4315 section 3), as far as it is about these messages. Those that it
 * leaves out go from @there to @left_out: they are never removed. Where it cannot be about them,
 * it sets @is_contradicted. */
void postbag_imap_apply_map (PostbagImapApply *self, const PostbagImapOutcome *outcome);

void postbag_imap_apply_append_uids (GArray *to, const GArray *from);
/* Whether @uids, sorted, hold @uid. */
gboolean postbag_imap_apply_holds (const GArray *uids, guint32 uid);

/* Whether @list holds @flag, in any case. */
gboolean postbag_imap_apply_is_listed (char *const *list, const char *flag);

/* (transfer full) (nullable): what the server says of @items of these messages now, after a change
 * that leaves a doubt; %NULL: nobody can say */
PostbagImapOutcome *postbag_imap_apply_look_at (PostbagImapApply *self, const GArray *uids,
                                                const char *items);
/* (transfer full) (nullable): which of these messages are still there: a set of uids */
GHashTable *postbag_imap_apply_find_there (PostbagImapApply *self, const GArray *uids);

/* --- the kinds of effect --- */

/* --- postbag-imap-apply-flags.c --- */
gboolean postbag_imap_apply_flags (PostbagImapApply *self, GError **error);
/* STORE of @flags of the messages in @there; nobody looks what came of it. */
PostbagImapCommand *postbag_imap_apply_create_store (PostbagImapApply *self, const char *item,
                                                     char *const *flags);

gboolean postbag_imap_apply_copy (PostbagImapApply *self, GError **error);
gboolean postbag_imap_apply_move (PostbagImapApply *self, GError **error);
gboolean postbag_imap_apply_purge (PostbagImapApply *self, GError **error);
gboolean postbag_imap_apply_append (PostbagImapApply *self, GError **error);
gboolean postbag_imap_apply_mailbox (PostbagImapApply *self, GError **error);

G_END_DECLS
