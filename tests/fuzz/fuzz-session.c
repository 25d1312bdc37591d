/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Lines from a client, one a message. Whatever comes, each answer is one strict JSON object, or an
 * array of them, without a null id, and nothing is left running. */

#include <string.h>

#include "json/postbag-json.h"
#include "mcp-fixture.h"

#include "fuzz.h"

static McpFixture *
get_fixture (void)
{
  static McpFixture *fixture;
  McpFixtureOptions options = { .schema_dir = FIXTURE_SCHEMAS };

  if (fixture == NULL)
    fixture = mcp_fixture_new (&options);
  mcp_fixture_release_slow ();
  mcp_fixture_reconnect (fixture);
  return fixture;
}

static void
check_message (JsonNode *node)
{
  JsonObject *object = json_node_get_object (node);

  g_assert_false (json_object_has_member (object, "id")
                  && json_object_get_null_member (object, "id"));
}

static void
check_line (GBytes *line)
{
  gsize length;
  const char *text = g_bytes_get_data (line, &length);
  g_autoptr (PostbagJsonDocument) document = NULL;
  JsonNode *root;

  g_assert_null (memchr (text, '\n', length));
  document = postbag_json_parse (text, length, length, POSTBAG_JSON_DEFAULT, NULL);
  g_assert_nonnull (document);
  root = postbag_json_document_get_root (document);
  if (!JSON_NODE_HOLDS_ARRAY (root))
    {
      check_message (root);
      return;
    }
  for (guint i = 0; i < json_array_get_length (json_node_get_array (root)); i++)
    check_message (json_array_get_element (json_node_get_array (root), i));
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  McpFixture *fixture = get_fixture ();
  const char *text = (const char *)data;

  while (size > 0)
    {
      const char *end = memchr (text, '\n', size);
      gsize length = end != NULL ? (gsize)(end - text) : size;

      mcp_fixture_send_bytes (fixture, text, length);
      length += end != NULL;
      text += length;
      size -= length;
    }
  postbag_session_end_input (fixture->session);
  mcp_fixture_settle (fixture);
  g_assert_cmpuint (postbag_session_get_running (fixture->session), ==, 0);
  g_assert_cmpuint (fixture->session->in_flight, ==, 0);
  for (guint i = 0; i < fixture->lines->len; i++)
    check_line (fixture->lines->pdata[i]);
  g_ptr_array_set_size (fixture->lines, 0);
  return 0;
}
