/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "postbag-imap-connection.h"

G_BEGIN_DECLS

/* One command on the wire. */
typedef struct
{
  PostbagImapRequest *request;
  int index; /* into the request's commands, or one of the two below */
  char *tag;
  GPtrArray *segments; /* PostbagImapSegment */
  guint segment;       /* the next to write */
  guint generation;    /* of the selection it makes, SELECTS only */
} PostbagImapPending;

#define POSTBAG_IMAP_PENDING_SELECTS (-1)
#define POSTBAG_IMAP_PENDING_REFRESHES (-2)

struct _PostbagImapConnection
{
  gatomicrefcount references;
  GIOStream *stream;
  PostbagImapFramer *framer;
  GBytes *rest;
  PostbagImapFeatures *features;
  PostbagImapTimes times;
  char *place;
  PostbagImapClosedFunc closed;
  gpointer user_data;
  gint load; /* atomic */

  /* --- the I/O thread's own --- */
  GQueue waiting;              /* PostbagImapRequest, not yet written */
  GQueue pending;              /* PostbagImapPending, written and not yet answered */
  PostbagImapPending *blocked; /* (nullable): waits for `+` before it can be written on */
  gboolean is_exclusive;       /* the last request written wants to be alone */
  guint next_tag;
  GByteArray *output;
  gsize written;
  GSource *read_source;
  GSource *write_source;
  GSource *timer;
  gint64 last_heard;
  gboolean is_closed;
  char *farewell; /* (nullable): the text of BYE */
  guint unasked;

  /* What will be selected when all that was written is answered. */
  char *selecting; /* (nullable) */
  guint generation;
  /* What the server says of the mailbox that is selected now. */
  guint selected_generation;
  guint32 uid_validity;
  guint32 uid_next;
  gint64 messages;
  char **permanent_flags;
  /* The last selection that failed. */
  guint failed_generation;
  PostbagImapStatus *failure;
};

/* --- postbag-imap-dispatch.c: what comes in --- */

/* Takes bytes from the server; %FALSE when the connection was closed over them. */
gboolean postbag_imap_connection_take (PostbagImapConnection *self, const guint8 *data,
                                       gsize length);

/* --- postbag-imap-connection.c: the rest --- */

/* Ends everything under way with @error (transfer full); @is_broken: whether what was under way may
 * be asked again. */
void postbag_imap_connection_fail (PostbagImapConnection *self, gboolean is_broken, GError *error);
/* Writes on where a `+` was waited for, and whatever else may be written now. */
void postbag_imap_connection_write (PostbagImapConnection *self);
/* @pending was answered: takes it out, and finishes its request with its last. */
void postbag_imap_connection_end_pending (PostbagImapConnection *self, PostbagImapPending *pending);

G_END_DECLS
