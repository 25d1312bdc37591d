/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "postbag-imap-wire.h"

G_BEGIN_DECLS

/* Milliseconds; tests make them short. */
typedef struct
{
  guint pause;   /* changes are told this long after the first of them */
  guint gap;     /* and not sooner than this after the last ones */
  guint round;   /* IDLE is issued anew */
  guint silence; /* the server owes an answer */
  guint poll;    /* where there is no IDLE */
  guint steady;  /* a connection that lasted so long was no failure */
  guint retry;   /* after a failure; doubled with each further one */
  guint longest; /* up to this */
  guint rest;    /* calls that pause so long need no connection for now, where there is one only */
} PostbagImapWatchTimes;

/* What tells whether a mailbox is still what it was. */
typedef struct
{
  gint64 messages; /* -1: not known */
  gint64 unseen;   /* -1: not known */
  gint64 uid_next; /* the rest: 0: not known */
  gint64 uid_validity;
  guint64 modseq;
} PostbagImapMarks;

#define POSTBAG_IMAP_MARKS_UNKNOWN                                                                 \
  {                                                                                                \
    -1, -1, 0, 0, 0                                                                                \
  }

/* Whether something that both know is different. */
gboolean postbag_imap_marks_differ (const PostbagImapMarks *left, const PostbagImapMarks *right);

/**
 * PostbagImapIdle:
 *
 * One connection that waits for news of one mailbox (RFC 2177), on a thread of its own. Set the
 * first group and leave the rest zero.
 */
typedef struct
{
  PostbagImapWire *wire;
  GMainContext *context; /* nobody else's */
  GCancellable *cancellable;
  const PostbagImapWatchTimes *times;
  void (*tell) (gpointer user_data);
  gpointer user_data;

  PostbagImapMarks marks; /* of the mailbox, when it was selected; messages are kept up to date */
  gboolean has_changed;   /* since then */
  gboolean is_refused;    /* the server does not take IDLE */

  /* --- its own --- */
  guint next_tag;
  guint replies; /* of this round */
  gsize bytes;   /* of this round */
  gint64 due;    /* when to tell, 0: nothing to tell */
  gint64 last_told;
  gboolean is_selected;
  gboolean is_inside; /* IDLE runs */
} PostbagImapIdle;

/* Sends @command, an EXAMINE, and takes its marks. */
gboolean postbag_imap_idle_select (PostbagImapIdle *self, PostbagImapCommand *command,
                                   GError **error);
/* Waits and tells until the connection breaks or @cancellable is cancelled; always an error. */
void postbag_imap_idle_run (PostbagImapIdle *self, GError **error);
/* Says goodbye as far as that does not block, and closes the socket. */
void postbag_imap_idle_leave (PostbagImapIdle *self);

/* Blocks until @stream (nullable) can be read, @until (monotonic), or @cancellable. */
void postbag_imap_idle_wait (GMainContext *context, GPollableInputStream *stream,
                             GCancellable *cancellable, gint64 until);

G_END_DECLS
