/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Whatever the reader takes, the writer writes in one line, and the reader reads it as the same. */

#include <string.h>

#include "json/postbag-json-writer.h"
#include "json/postbag-json.h"

#include "fuzz.h"

#define MAX_BYTES (1024 * 1024)

static void
walk_raw (PostbagJsonDocument *document, JsonNode *root)
{
  const char *raw = postbag_json_document_get_raw (document, root);

  g_assert_true (raw != NULL || !postbag_json_document_is_flagged (document, root)
                 || JSON_NODE_HOLDS_OBJECT (root));
  if (raw != NULL)
    {
      g_autoptr (PostbagJsonDocument) again =
          postbag_json_parse (raw, strlen (raw), MAX_BYTES, POSTBAG_JSON_DEFAULT, NULL);

      g_assert_nonnull (again);
    }
}

static void
check_round_trip (PostbagJsonDocument *document)
{
  JsonNode *root = postbag_json_document_get_root (document);
  g_autoptr (PostbagJsonWriter) writer = postbag_json_writer_new ();
  g_autoptr (PostbagJsonDocument) again = NULL;
  g_autoptr (GBytes) bytes = NULL;
  const char *text;
  gsize chars, length;

  postbag_json_writer_node (writer, root);
  chars = postbag_json_writer_get_chars (writer);
  bytes = postbag_json_writer_finish (writer);
  text = g_bytes_get_data (bytes, &length);
  g_assert_null (memchr (text, '\n', length));
  g_assert_cmpuint (chars, ==, (gsize)g_utf8_strlen (text, (gssize)length));
  again = postbag_json_parse (text, length, 6 * MAX_BYTES, POSTBAG_JSON_DEFAULT, NULL);
  g_assert_nonnull (again);
  g_assert_true (json_node_equal (root, postbag_json_document_get_root (again)));
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static const PostbagJsonFlags flags[] = { POSTBAG_JSON_DEFAULT, POSTBAG_JSON_ALLOW_DUPLICATES };

  for (guint i = 0; i < G_N_ELEMENTS (flags); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (PostbagJsonDocument) document =
          postbag_json_parse ((const char *)data, size, MAX_BYTES, flags[i], &error);

      g_assert_true ((document == NULL) == (error != NULL));
      if (document == NULL)
        {
          g_assert_true (g_utf8_validate (error->message, -1, NULL));
          continue;
        }
      walk_raw (document, postbag_json_document_get_root (document));
      postbag_json_document_has_flagged (document, postbag_json_document_get_root (document));
      check_round_trip (document);
    }
  return 0;
}
