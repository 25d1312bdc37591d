/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#include "base/postbag-api.h"

G_BEGIN_DECLS

/* Lets something happen at once the first time, and then at most once an interval however often it
 * is asked for; the last request is never lost. Main thread, real time. */

typedef struct
{
  void (*fire) (gpointer user_data);
  gpointer user_data;
  guint interval_ms;
  guint timer;
  gboolean is_due; /* asked for during the interval */
} PostbagThrottle;

POSTBAG_API void postbag_throttle_request (PostbagThrottle *self);
POSTBAG_API void postbag_throttle_clear (PostbagThrottle *self);

G_END_DECLS
