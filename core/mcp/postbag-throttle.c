/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "mcp/postbag-throttle-private.h"

static gboolean
on_interval (gpointer user_data)
{
  PostbagThrottle *self = user_data;

  if (!self->is_due)
    {
      self->timer = 0;
      return G_SOURCE_REMOVE;
    }
  self->is_due = FALSE;
  self->fire (self->user_data);
  return G_SOURCE_CONTINUE;
}

void
postbag_throttle_request (PostbagThrottle *self)
{
  if (self->timer != 0)
    {
      self->is_due = TRUE;
      return;
    }
  self->timer = g_timeout_add (self->interval_ms, on_interval, self);
  self->fire (self->user_data);
}

void
postbag_throttle_clear (PostbagThrottle *self)
{
  g_clear_handle_id (&self->timer, g_source_remove);
  self->is_due = FALSE;
}
