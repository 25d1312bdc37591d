/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib-object.h>

#include "base/postbag-api.h"

G_BEGIN_DECLS

#define POSTBAG_TYPE_CLOCK (postbag_clock_get_type ())
POSTBAG_API G_DECLARE_FINAL_TYPE (PostbagClock, postbag_clock, POSTBAG, CLOCK, GObject)

/**
 * postbag_clock_get_system:
 *
 * Returns: (transfer none): the clock of the machine. Whoever needs the time is handed a clock;
 *   only main and tests choose which.
 */
POSTBAG_API PostbagClock *postbag_clock_get_system (void);

/**
 * postbag_clock_new_manual:
 * @real_us: wall clock to start from, microseconds since 1970-01-01 UTC
 *
 * Returns: (transfer full): a clock that stands still until postbag_clock_advance()
 */
POSTBAG_API PostbagClock *postbag_clock_new_manual (gint64 real_us);

/* Wall clock, microseconds since 1970-01-01 UTC. Thread-safe. */
POSTBAG_API gint64 postbag_clock_get_real_us (PostbagClock *self);

/* Monotonic, microseconds since an arbitrary point. For deadlines. Thread-safe. */
POSTBAG_API gint64 postbag_clock_get_monotonic_us (PostbagClock *self);

/* Moves a manual clock forward by @us (>= 0) on both scales; a critical on the system clock. */
POSTBAG_API void postbag_clock_advance (PostbagClock *self, gint64 us);

G_END_DECLS
