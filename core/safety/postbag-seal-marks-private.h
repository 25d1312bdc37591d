/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#include "base/postbag-api.h"

G_BEGIN_DECLS

/* What was used once: an empty file for each in the folder `used` of the state folder, its name the
 * expiry and a hash. Creating it with O_EXCL is the test and the mark in one step, for all
 * processes. */

/* A mark outlives what it marks, in case the clock is set back a little. */
#define POSTBAG_SEAL_MARK_SLACK_S (60 * 60)

/* Sets @error to what is said of a confirmation that was used already. */
void postbag_seal_refuse_used (GError **error);
/* %FALSE with POSTBAG_ERROR_CONFLICT when the mark was there, or with why it cannot be set.
 * @hash: hex; @expiry_s, @now_s: seconds since 1970 */
POSTBAG_API gboolean postbag_seal_mark_used (const char *state_dir, const char *hash,
                                             gint64 expiry_s, gint64 now_s, GError **error);
gboolean postbag_seal_is_marked (const char *state_dir, const char *hash, gint64 expiry_s);

G_END_DECLS
