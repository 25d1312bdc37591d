/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A schema in the first line, a value behind it. A value that is valid stays valid when mended;
 * what is not comes with a message that is safe to show. */

#include <string.h>

#include "json/postbag-json.h"
#include "json/postbag-schema.h"

#include "fuzz.h"

#define MAX_BYTES (64 * 1024)

static void
check_value (PostbagSchema *schema, JsonNode *value)
{
  g_autoptr (GError) error = NULL;
  gboolean valid = postbag_schema_validate (schema, value, &error);
  g_autoptr (JsonNode) mended = postbag_schema_mend (schema, value);

  g_assert_true (valid == (error == NULL));
  g_assert_nonnull (mended);
  if (error != NULL)
    {
      g_assert_true (g_utf8_validate (error->message, -1, NULL));
      g_assert_cmpstr (error->message, !=, "");
    }
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  const char *text = (const char *)data;
  const char *line = size > 0 ? memchr (text, '\n', size) : NULL;
  g_autoptr (PostbagJsonDocument) source = NULL;
  g_autoptr (PostbagJsonDocument) value = NULL;
  g_autoptr (PostbagSchema) schema = NULL;

  if (line == NULL)
    return 0;
  source = postbag_json_parse (text, (gsize)(line - text), MAX_BYTES, POSTBAG_JSON_DEFAULT, NULL);
  value =
      postbag_json_parse (line, size - (gsize)(line - text), MAX_BYTES, POSTBAG_JSON_DEFAULT, NULL);
  if (source == NULL || value == NULL)
    return 0;
  schema = postbag_schema_compile (postbag_json_document_get_root (source),
                                   POSTBAG_SCHEMA_ASSERT_FORMAT, NULL);
  if (schema != NULL)
    check_value (schema, postbag_json_document_get_root (value));
  return 0;
}
