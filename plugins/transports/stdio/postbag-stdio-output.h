/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Messages on their way out: written at once as far as that does not block, queued otherwise. */

typedef struct _PostbagStdioOutput PostbagStdioOutput;

typedef struct
{
  void (*queue_changed) (gsize queued, gpointer user_data);
  /* The reader is gone; nothing more will be written. From the main loop, once. */
  void (*closed) (gpointer user_data);
} PostbagStdioOutputEvents;

/**
 * postbag_stdio_output_take:
 * @fd: standard output
 *
 * Takes @fd for the protocol alone: afterwards the descriptor of that number is standard error.
 * The other side's end is never switched to non-blocking: a terminal or a pipe may be shared.
 *
 * Returns: (transfer full) (nullable): or %NULL with errno set
 */
PostbagStdioOutput *postbag_stdio_output_take (int fd, const PostbagStdioOutputEvents *events,
                                               gpointer user_data);
void postbag_stdio_output_free (PostbagStdioOutput *self);
void postbag_stdio_output_push (PostbagStdioOutput *self, GBytes *message);
gsize postbag_stdio_output_get_queued (PostbagStdioOutput *self);

G_END_DECLS
