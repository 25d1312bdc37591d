/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#include "base/postbag-api.h"

G_BEGIN_DECLS

#define POSTBAG_SEAL_KEY_BYTES 32

/* Fills @bytes with random bytes of the kernel; never fails on a system that runs. */
POSTBAG_API void postbag_seal_random (guint8 *bytes, gsize length);

/**
 * postbag_seal_key_load:
 * @state_dir: where `seal.key` is, or is made
 *
 * Two processes that start at once end up with the same key.
 *
 * Returns: whether @key is filled; else %FALSE with why the folder or the file cannot be used
 */
POSTBAG_API gboolean postbag_seal_key_load (const char *state_dir, guint8 *key, GError **error);

G_END_DECLS
