/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#include "base/postbag-api.h"

G_BEGIN_DECLS

/**
 * PostbagSettings:
 *
 * The settings of one toolset, frozen at start: names as in the configuration file
 * (`max-messages`), values already checked by the table in core/config. A name the table does not
 * know is a programming error (a critical).
 */
typedef struct _PostbagSettings PostbagSettings;

POSTBAG_API PostbagSettings *postbag_settings_new (void);
POSTBAG_API PostbagSettings *postbag_settings_ref (PostbagSettings *self);
POSTBAG_API void postbag_settings_unref (PostbagSettings *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagSettings, postbag_settings_unref)

/* Before the first get only. @value %NULL: known, but unset. */
POSTBAG_API void postbag_settings_set (PostbagSettings *self, const char *name, const char *value);
POSTBAG_API gboolean postbag_settings_is_known (PostbagSettings *self, const char *name);
/* (nullable) (transfer none): %NULL when unset */
POSTBAG_API const char *postbag_settings_get_string (PostbagSettings *self, const char *name);
POSTBAG_API gint64 postbag_settings_get_int (PostbagSettings *self, const char *name);
POSTBAG_API gboolean postbag_settings_get_boolean (PostbagSettings *self, const char *name);
/* (transfer none) (array zero-terminated=1): the entries of a comma list, trimmed, empties gone */
POSTBAG_API const char *const *postbag_settings_get_list (PostbagSettings *self, const char *name);

G_END_DECLS
