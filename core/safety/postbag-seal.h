/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#include "base/postbag-api.h"
#include "base/postbag-clock.h"

G_BEGIN_DECLS

/* One seal for all that leaves and must come back unchanged: request state, cursors, confirmation
 * tokens. AEAD with purpose, principal and expiry bound in; one key in the state folder (in memory
 * only, with a warning, where there is none). */

typedef struct _PostbagSeal PostbagSeal;

/* @state_dir: (nullable). @clock: (transfer none): outlives the seal. */
POSTBAG_API PostbagSeal *postbag_seal_new (const char *state_dir, PostbagClock *clock);
POSTBAG_API void postbag_seal_free (PostbagSeal *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagSeal, postbag_seal_free)

/* (transfer full): base64url text; @lifetime_s: seconds until it expires */
POSTBAG_API char *postbag_seal_close (PostbagSeal *self, const char *purpose, const char *principal,
                                      gint64 lifetime_s, GBytes *plain, GError **error);
/* (transfer full) (nullable): POSTBAG_ERROR_INVALID_ARGUMENT when it was not sealed by us for this
 * purpose and principal, or was altered; POSTBAG_ERROR_TIMED_OUT when it has expired */
POSTBAG_API GBytes *postbag_seal_open (PostbagSeal *self, const char *purpose,
                                       const char *principal, const char *sealed, GError **error);
/* Marks @sealed as used; %FALSE with POSTBAG_ERROR_CONFLICT when it already was (an O_EXCL mark in
 * the state folder, in memory where there is none). Marks vanish after their expiry. */
POSTBAG_API gboolean postbag_seal_use_once (PostbagSeal *self, const char *sealed, GError **error);

/* The two-call token: 32 lower-case hex digits, 4 bytes of expiry and 12 of MAC over it, operation,
 * principal and sorted target. One that was used is not made again. (transfer full) */
POSTBAG_API char *postbag_seal_make_token (PostbagSeal *self, const char *operation,
                                           const char *principal, const char *target,
                                           gint64 lifetime_s);
POSTBAG_API gboolean postbag_seal_check_token (PostbagSeal *self, const char *operation,
                                               const char *principal, const char *target,
                                               const char *token, GError **error);

G_END_DECLS
