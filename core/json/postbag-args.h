/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <json-glib/json-glib.h>

#include "base/postbag-api.h"

G_BEGIN_DECLS

/**
 * PostbagArgs:
 *
 * The arguments of one call: already validated against the tool's input schema, immutable, living
 * as long as the call. A getter for a member that is absent answers its default; asking for the
 * wrong type is a programming error (a critical and the default).
 */
typedef struct _PostbagArgs PostbagArgs;

POSTBAG_API PostbagArgs *
postbag_args_new (JsonObject *object); /* (transfer full): keeps a reference */
POSTBAG_API void postbag_args_free (PostbagArgs *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagArgs, postbag_args_free)

POSTBAG_API gboolean postbag_args_has (const PostbagArgs *self, const char *name);
/* (transfer none) (nullable): %NULL when absent */
POSTBAG_API const char *postbag_args_get_string (const PostbagArgs *self, const char *name);
POSTBAG_API gint64 postbag_args_get_int (const PostbagArgs *self, const char *name,
                                         gint64 fallback);
POSTBAG_API gboolean postbag_args_get_boolean (const PostbagArgs *self, const char *name,
                                               gboolean fallback);
/* (transfer container) (nullable): the strings of an array, NULL-terminated; %NULL when absent */
POSTBAG_API const char **postbag_args_dup_strings (const PostbagArgs *self, const char *name);
/* (transfer full) (nullable) (element-type gint64): %NULL when absent */
POSTBAG_API GArray *postbag_args_dup_ints (const PostbagArgs *self, const char *name);
/* (transfer none): the whole object, for what the getters do not cover */
POSTBAG_API JsonObject *postbag_args_get_object (const PostbagArgs *self);

G_END_DECLS
