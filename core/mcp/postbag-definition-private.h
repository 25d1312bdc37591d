/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#include "base/postbag-settings.h"
#include "json/postbag-schema.h"
#include "mcp/postbag-revision-private.h"

G_BEGIN_DECLS

/* What schemas/<toolset>/<tool>.json says of one tool, as this configuration shows it: references
 * to shared files flattened, conditions of `x-postbag` applied, our own keywords taken out of what
 * clients see. */

typedef struct _PostbagDefinition PostbagDefinition;

/* (transfer full) (nullable): POSTBAG_ERROR_BAD_DATA naming the file when it is not usable.
 * @settings: (nullable) */
POSTBAG_API PostbagDefinition *postbag_definition_load (const char *schema_dir, const char *tool,
                                                        PostbagSettings *settings, GError **error);
POSTBAG_API void postbag_definition_free (PostbagDefinition *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagDefinition, postbag_definition_free)

/* (transfer none): the Tool object as that revision knows it, made once. Not thread-safe. */
POSTBAG_API GBytes *postbag_definition_get_json (PostbagDefinition *self, PostbagRevision revision);
/* Compiles the schemas at first need. Not thread-safe; the schemas are.
 * @output: (out) (optional) (nullable): where the tool declares none */
POSTBAG_API gboolean postbag_definition_get_schemas (PostbagDefinition *self, PostbagSchema **input,
                                                     PostbagSchema **output, GError **error);

/* (transfer full) (nullable): the file with every `$ref` to another file replaced by what stands
 * there (the members beside a `$ref` win); references inside the document stay. */
POSTBAG_API JsonObject *postbag_definition_read_file (const char *path, GError **error);

/* Whether `{"setting": NAME, "is": VALUE}` holds: the setting has that value, or is `set` or
 * `unset`.
 * @settings: (nullable): then nothing is set */
POSTBAG_API gboolean postbag_definition_holds (JsonObject *condition, PostbagSettings *settings);

/* The members of a definition's object that the revision knows, without our own keywords. */
POSTBAG_API void postbag_definition_write_object (PostbagJsonWriter *writer, JsonObject *object,
                                                  PostbagRevisionObject kind,
                                                  PostbagRevision revision);

G_END_DECLS
