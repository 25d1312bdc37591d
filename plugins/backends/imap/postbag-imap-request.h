/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

#include "postbag-imap-command.h"
#include "postbag-imap-reply.h"

G_BEGIN_DECLS

/**
 * PostbagImapRequest:
 *
 * Commands that belong together and go out in one piece, and what the server answered. Made by a
 * handler, worked off on the I/O thread, and read by the handler again once it is done; between
 * submitting and that nobody but the I/O thread touches what is not marked otherwise.
 */
typedef struct
{
  gatomicrefcount references;

  /* --- set by the handler before submitting --- */
  char *mailbox;     /* (nullable): selected read-only before the commands */
  char *raw_mailbox; /* (nullable): its name as the server wrote it, when that can't be derived */
  gboolean refresh;  /* NOOP first where it is selected already, so that news are seen */
  gboolean reselect; /* EXAMINE even where it is selected: UIDNEXT is wanted afresh */
  gboolean in_background; /* nobody waits for it: a connection may be given away meanwhile */
  gboolean deselects;  /* its own commands select, and what then is selected is nobody's any more */
  gboolean exclusive;  /* alone on the wire: its answers can't be told from another's */
  GPtrArray *commands; /* PostbagImapCommand */
  guint wanted;        /* 1 << PostbagImapReplyKind of what is kept */
  GArray *uids;        /* (nullable): PostbagImapRange: FETCH replies of these only */

  /* --- results --- */
  GPtrArray *replies;         /* PostbagImapReply */
  gsize dropped;              /* replies that were too many to keep */
  GPtrArray *statuses;        /* PostbagImapStatus or NULL, one for each command */
  PostbagImapStatus *refused; /* (nullable): why the mailbox could not be selected */
  gboolean was_selected;      /* it was selected already */
  guint32 uid_validity;       /* of the mailbox */
  guint32 uid_next;
  gint64 messages;
  char **permanent_flags; /* (nullable) */
  GError *error;          /* (nullable): nothing came of it */
  gboolean is_broken;     /* the connection broke: may be asked again elsewhere */

  /* --- the I/O thread's own --- */
  guint pending;
  gsize kept;
  guint generation;
  gint64 deadline;
  gsize drained;

  /* --- any thread, under the lock --- */
  GMutex lock;
  GCond changed;
  gboolean done;
  gint cancelled; /* atomic */
} PostbagImapRequest;

/* @mailbox: (nullable) */
PostbagImapRequest *postbag_imap_request_new (const char *mailbox, guint wanted);
PostbagImapRequest *postbag_imap_request_ref (PostbagImapRequest *self);
void postbag_imap_request_unref (PostbagImapRequest *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagImapRequest, postbag_imap_request_unref)

/* (transfer none): a command at the end, to be completed by the caller */
PostbagImapCommand *postbag_imap_request_add (PostbagImapRequest *self, const char *name);

/* Forgets what came, so that it can be asked again. */
void postbag_imap_request_reset (PostbagImapRequest *self);

/* Whether @reply is of a wanted kind, and of a wanted message. */
gboolean postbag_imap_request_wants (const PostbagImapRequest *self, const PostbagImapReply *reply);

/* The I/O thread is done with it. @error: (transfer full) (nullable) */
void postbag_imap_request_finish (PostbagImapRequest *self, GError *error);

/* Nobody waits for it any more: what comes for it is thrown away. */
void postbag_imap_request_abandon (PostbagImapRequest *self);

/* Blocks until it is done, or cancelled: then it is abandoned, and must not be read.
 * %FALSE with the error. A refusal of the server is not an error here. */
gboolean postbag_imap_request_wait (PostbagImapRequest *self, GCancellable *cancellable,
                                    GError **error);

G_END_DECLS
