/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#include "base/postbag-api.h"

G_BEGIN_DECLS

/**
 * postbag_write_all:
 * @fd: blocking
 * @data: (nullable): where @length is 0
 *
 * Writes all of it, however often the system takes only a part or is interrupted by a signal.
 *
 * Returns: %FALSE with errno where that fails; how much was written is not known then
 */
POSTBAG_API gboolean postbag_write_all (int fd, gconstpointer data, gsize length);

G_END_DECLS
