/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "postbag-imap-pool.h"
#include "postbag-imap-wire.h"

G_BEGIN_DECLS

/**
 * PostbagImapWriter:
 *
 * The one connection of an account on which something is changed: reading knows nothing of it, and
 * never has a mailbox open for writing. Straight blocking code on the caller's thread, one change
 * at a time. A command that may have reached the server is never sent again: what became of it is
 * then unknown, and said to be.
 */
typedef struct _PostbagImapWriter PostbagImapWriter;

/* @pool and @times must outlive the writer. */
PostbagImapWriter *postbag_imap_writer_new (PostbagImapPool *pool, const PostbagImapTimes *times);
/* Nothing may be running. */
void postbag_imap_writer_free (PostbagImapWriter *self);

/* What came of one command. */
typedef struct
{
  PostbagImapStatus *status; /* (nullable): tagged; %NULL: the connection is lost */
  GPtrArray *replies;        /* PostbagImapReply: FETCH, EXPUNGE, MAILBOX_STATUS, LIST, STATUS */
  gboolean was_sent;         /* the server may have all of the command */
} PostbagImapOutcome;

void postbag_imap_outcome_free (PostbagImapOutcome *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagImapOutcome, postbag_imap_outcome_free)

static inline gboolean
postbag_imap_outcome_is_ok (const PostbagImapOutcome *self)
{
  return self->status != NULL && self->status->condition == POSTBAG_IMAP_OK;
}

/* The last status, tagged or not, with that code: (transfer none) (nullable) */
const PostbagImapStatus *postbag_imap_outcome_find_code (const PostbagImapOutcome *self,
                                                         const char *code);

/**
 * postbag_imap_writer_begin:
 *
 * Takes the connection for one change, until postbag_imap_writer_end(); opens it where there is
 * none.
 */
gboolean postbag_imap_writer_begin (PostbagImapWriter *self, GCancellable *cancellable,
                                    GError **error);
void postbag_imap_writer_end (PostbagImapWriter *self);

/* --- between the two --- */

/* Whether the server announced @word; IMAP4rev2 brings MOVE and UIDPLUS along. */
gboolean postbag_imap_writer_has (PostbagImapWriter *self, const char *word);
/* (nullable): what follows `WORD=` */
const char *postbag_imap_writer_get_value (PostbagImapWriter *self, const char *word);
gboolean postbag_imap_writer_is_utf8 (PostbagImapWriter *self);

/**
 * postbag_imap_writer_look:
 * @commands: (element-type PostbagImapCommand): that change nothing
 *
 * Runs them in one write. A connection that turns out to be dead is replaced, once: they are safe
 * to repeat.
 *
 * Returns: (transfer full) (nullable) (element-type PostbagImapOutcome): one for each command
 */
GPtrArray *postbag_imap_writer_look (PostbagImapWriter *self, GPtrArray *commands, GError **error);

/* The same without another try: (nullable) */
GPtrArray *postbag_imap_writer_look_here (PostbagImapWriter *self, GPtrArray *commands);

/* Runs one command that changes something, once, and waits for its end also when the call is
 * cancelled. @error: (out) set where status is %NULL */
PostbagImapOutcome *postbag_imap_writer_change (PostbagImapWriter *self,
                                                PostbagImapCommand *command, GError **error);

/* Whether the connection is still there: a change that lost it must be the last. */
gboolean postbag_imap_writer_is_open (PostbagImapWriter *self);
/* A connection on which no mailbox is open. */
gboolean postbag_imap_writer_renew (PostbagImapWriter *self, GError **error);

G_END_DECLS
