/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What each revision's clients see of one and the same server. */

#include <string.h>

#include "base/postbag-limits.h"
#include "mcp-fixture.h"

#define REQUEST_WITH(id, method, params)                                                           \
  "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"" method "\",\"params\":{" params "}}"
#define PING(id) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"ping\"}"
#define PONG(id) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{}}"
#define NOTE "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/unheard\"}"

static JsonObject *
ask (McpFixture *fixture, const char *method, const char *params)
{
  mcp_fixture_sendf (fixture, REQUEST_WITH ("7", "%s", "%s"), method, params);
  return mcp_fixture_take (fixture);
}

/* --- members --- */

static void
assert_members (const char *revision, JsonObject *object, const char *const *members,
                const char *const *absent)
{
  g_test_message ("%s", revision);
  for (; *members != NULL; members++)
    g_assert_true (json_object_has_member (object, *members));
  for (; *absent != NULL; absent++)
    g_assert_false (json_object_has_member (object, *absent));
}

static JsonObject *
get_first (JsonObject *message, const char *list)
{
  return json_array_get_object_element (
      json_object_get_array_member (mcp_get_result (message), list), 0);
}

static void
check_members (const char *revision, const char *const *tool, const char *const *no_tool,
               const char *const *resource, const char *const *no_resource)
{
  g_autoptr (McpFixture) fixture = mcp_fixture_new (NULL);
  g_autoptr (JsonObject) tools = NULL, resources = NULL;

  mcp_fixture_initialize_as (fixture, revision, "{}");
  tools = ask (fixture, "tools/list", "");
  assert_members (revision, get_first (tools, "tools"), tool, no_tool);
  resources = ask (fixture, "resources/list", "");
  assert_members (revision, get_first (resources, "resources"), resource, no_resource);
}

#define LIST(...) ((const char *const[]){ __VA_ARGS__, NULL })

static void
test_members (void)
{
  check_members ("2024-11-05", LIST ("name", "inputSchema", "description"),
                 LIST ("title", "annotations", "outputSchema", "icons", "_meta", "execution"),
                 LIST ("uri", "name", "mimeType", "size", "annotations"),
                 LIST ("title", "icons", "_meta"));
  check_members ("2025-03-26", LIST ("name", "annotations"),
                 LIST ("title", "outputSchema", "icons", "_meta", "execution"), LIST ("uri"),
                 LIST ("title", "icons", "_meta"));
  check_members ("2025-06-18", LIST ("name", "title", "annotations", "outputSchema"),
                 LIST ("icons", "execution"), LIST ("uri", "title"), LIST ("icons"));
  check_members ("2025-11-25", LIST ("name", "title", "annotations", "outputSchema", "icons"),
                 LIST ("x-postbag"), LIST ("uri", "title", "icons"), LIST ("x-postbag"));
}

static void
check_identity (const char *revision, gsize n_members)
{
  g_autoptr (McpFixture) fixture = mcp_fixture_new (NULL);
  g_autoptr (JsonObject) message = NULL;

  mcp_fixture_sendf (
      fixture, REQUEST_WITH ("1", "initialize", "\"protocolVersion\":\"%s\",\"capabilities\":{}"),
      revision);
  message = mcp_fixture_take (fixture);
  g_assert_cmpstr (mcp_get_string (mcp_get_result (message), "protocolVersion"), ==, revision);
  g_assert_cmpuint (json_object_get_size (mcp_get_object (mcp_get_result (message), "serverInfo")),
                    ==, n_members);
}

/* name, version; title since 2025-06-18; description and icons since 2025-11-25 */
static void
test_identity (void)
{
  check_identity ("2024-11-05", 2);
  check_identity ("2025-03-26", 2);
  check_identity ("2025-06-18", 3);
  check_identity ("2025-11-25", 5);
}

static void
test_structured_content (void)
{
  static const struct
  {
    const char *revision;
    gboolean structured;
  } rows[] = {
    { "2024-11-05", FALSE }, { "2025-03-26", FALSE }, { "2025-06-18", TRUE }, { "2025-11-25", TRUE }
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (McpFixture) fixture = mcp_fixture_new (NULL);
      g_autoptr (JsonObject) message = NULL;

      mcp_fixture_initialize_as (fixture, rows[i].revision, "{}");
      message = ask (fixture, "tools/call", "\"name\":\"echo\",\"arguments\":{\"text\":\"x\"}");
      g_assert_cmpint (json_object_has_member (mcp_get_result (message), "structuredContent"), ==,
                       rows[i].structured);
      /* The text has it all in every revision. */
      g_assert_cmpstr (mcp_get_text (message, FALSE), ==, "{\"text\":\"x\",\"times\":1}");
    }
}

/* The field `message` of progress came with 2025-03-26. */
static void
test_progress_message (void)
{
  static const char *const revisions[] = { "2024-11-05", "2025-03-26" };

  for (gsize i = 0; i < G_N_ELEMENTS (revisions); i++)
    {
      g_autoptr (McpFixture) fixture = mcp_fixture_new (NULL);
      g_autoptr (JsonObject) progress = NULL;

      mcp_fixture_initialize_as (fixture, revisions[i], "{}");
      mcp_fixture_send (fixture, REQUEST_WITH ("1", "tools/call",
                                               "\"name\":\"slow\",\"arguments\":{\"reports\":1},"
                                               "\"_meta\":{\"progressToken\":3}"));
      progress = mcp_fixture_take (fixture);
      g_assert_cmpint (json_object_has_member (mcp_get_object (progress, "params"), "message"), ==,
                       i == 1);
      mcp_fixture_release_slow ();
      json_object_unref (mcp_fixture_take (fixture));
    }
}

/* --- batches --- */

static void
assert_line (McpFixture *fixture, const char *expected)
{
  g_autofree char *line = mcp_fixture_take_text (fixture);

  g_assert_cmpstr (line, ==, expected);
}

static JsonArray *
take_array (McpFixture *fixture)
{
  g_autofree char *line = mcp_fixture_take_text (fixture);
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) node = json_from_string (line, &error);

  g_assert_no_error (error);
  g_assert_true (JSON_NODE_HOLDS_ARRAY (node));
  return json_node_dup_array (node);
}

static void
test_batch (void)
{
  g_autoptr (McpFixture) fixture = mcp_fixture_new (NULL);
  g_autoptr (JsonArray) answers = NULL;
  JsonObject *called;

  mcp_fixture_initialize_as (fixture, "2025-03-26", "{}");
  mcp_fixture_send (fixture, "[" PING ("1") "," NOTE "," PING ("\"b\"") "]");
  assert_line (fixture, "[" PONG ("1") "," PONG ("\"b\"") "]");
  /* Only what asks is answered; nothing at all where nothing does. */
  mcp_fixture_send (fixture, "[" NOTE "," NOTE "]");
  mcp_fixture_send (fixture, "[{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}]");
  mcp_fixture_send (fixture, "[]");
  mcp_fixture_assert_silent (fixture);
  /* A call takes its time; the others wait for it. */
  mcp_fixture_send (fixture, "[" REQUEST_WITH ("1", "tools/call", "\"name\":\"slow\"") "," PING (
                                 "2") ",17," REQUEST_WITH ("3", "no/method", "") "]");
  mcp_fixture_wait_slow (1);
  mcp_fixture_assert_silent (fixture);
  mcp_fixture_send (fixture, PING ("4"));
  assert_line (fixture, PONG ("4"));
  mcp_fixture_release_slow ();
  answers = take_array (fixture);
  g_assert_cmpuint (json_array_get_length (answers), ==, 3);
  g_assert_cmpint (mcp_get_int (json_array_get_object_element (answers, 0), "id"), ==, 2);
  mcp_assert_error (json_array_get_object_element (answers, 1), -32601);
  called = json_array_get_object_element (answers, 2);
  g_assert_cmpint (mcp_get_int (called, "id"), ==, 1);
  mcp_get_text (called, FALSE);
}

static void
test_batch_cancelled (void)
{
  g_autoptr (McpFixture) fixture = mcp_fixture_new (NULL);

  mcp_fixture_initialize_as (fixture, "2025-03-26", "{}");
  mcp_fixture_send (fixture,
                    "[" REQUEST_WITH ("1", "tools/call", "\"name\":\"slow\"") "," PING ("2") "]");
  mcp_fixture_wait_slow (1);
  mcp_fixture_send (fixture, "[{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
                             "\"params\":{\"requestId\":1}}]");
  assert_line (fixture, "[" PONG ("2") "]");
  mcp_fixture_send (fixture, "[" REQUEST_WITH ("1", "tools/call", "\"name\":\"slow\"") "]");
  mcp_fixture_wait_slow (1);
  mcp_fixture_reconnect (fixture);
  mcp_fixture_assert_silent (fixture);
}

static void
test_batch_refused_elements (void)
{
  g_autoptr (McpFixture) fixture = mcp_fixture_new (NULL);
  g_autoptr (JsonArray) answers = NULL;

  mcp_fixture_initialize_as (fixture, "2025-03-26", "{}");
  mcp_fixture_send (
      fixture,
      "[" REQUEST_WITH (
          "1", "initialize",
          "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{}") "," REQUEST_WITH ("2",
                                                                                      "tools/list",
                                                                                      ENVELOPE) "]");
  answers = take_array (fixture);
  g_assert_cmpuint (json_array_get_length (answers), ==, 2);
  mcp_assert_error (json_array_get_object_element (answers, 0), -32600);
  mcp_assert_error (json_array_get_object_element (answers, 1), -32600);
}

/* An array of answers never grows beyond what clients take in one line. */
static void
test_batch_size (void)
{
  g_autoptr (McpFixture) fixture = mcp_fixture_new (NULL);
  g_autoptr (GString) batch = g_string_new ("[");
  guint seen = 0;

  mcp_fixture_initialize_as (fixture, "2025-03-26", "{}");
  for (int i = 0; i < 5; i++)
    g_string_append_printf (
        batch,
        "%s" REQUEST_WITH ("%d", "tools/call",
                           "\"name\":\"big\",\"arguments\":{\"bytes\":3000000}"),
        i > 0 ? "," : "", i);
  g_string_append_c (batch, ']');
  mcp_fixture_send (fixture, batch->str);
  while (seen < 5)
    {
      g_autofree char *line = mcp_fixture_take_text (fixture);
      g_autoptr (JsonNode) node = json_from_string (line, NULL);

      g_assert_cmpuint (strlen (line), <=, POSTBAG_LIMIT_ANSWER_BYTES + 2);
      seen += json_array_get_length (json_node_get_array (node));
    }
  mcp_fixture_assert_silent (fixture);
}

/* What is held back for slow calls stays bounded, however many batches wait for one. */
static void
test_batches_waiting (void)
{
  g_autoptr (McpFixture) fixture = mcp_fixture_new (NULL);
  guint early;

  mcp_fixture_initialize_as (fixture, "2025-03-26", "{}");
  for (guint i = 0; i < 10; i++)
    mcp_fixture_sendf (
        fixture,
        "[" REQUEST_WITH ("\"s%u\"", "tools/call", "\"name\":\"slow\"") "," REQUEST_WITH (
            "\"b%u\"", "tools/call", "\"name\":\"big\",\"arguments\":{\"bytes\":1500000}") "]",
        i, i);
  mcp_fixture_wait_slow (10);
  mcp_fixture_settle (fixture);
  g_assert_cmpuint (fixture->session->batched, <=, POSTBAG_LIMIT_ANSWER_BYTES);
  early = fixture->lines->len;
  g_assert_cmpuint (early, >=, 5);
  mcp_fixture_release_slow ();
  mcp_fixture_wait_slow (0);
  mcp_fixture_settle (fixture);
  /* Each batch is answered whole: in one line, or in two where one left early. */
  g_assert_cmpuint (fixture->lines->len, ==, 10 + early);
  g_assert_cmpuint (fixture->session->batched, ==, 0);
  g_ptr_array_set_size (fixture->lines, 0);
}

static void
test_batch_too_long (void)
{
  g_autoptr (McpFixture) fixture = mcp_fixture_new (NULL);
  g_autoptr (GString) batch = g_string_new ("[" PING ("0"));

  mcp_fixture_initialize_as (fixture, "2025-03-26", "{}");
  for (int i = 1; i < POSTBAG_LIMIT_BATCH; i++)
    g_string_append (batch, "," NOTE);
  g_string_append_c (batch, ']');
  mcp_fixture_send (fixture, batch->str);
  assert_line (fixture, "[" PONG ("0") "]");
  g_string_insert (batch, 1, NOTE ",");
  mcp_fixture_send (fixture, batch->str);
  {
    g_autoptr (JsonObject) message = mcp_fixture_take (fixture);

    mcp_assert_error (message, -32600);
    g_assert_cmpint (mcp_get_int (message, "id"), ==, 0);
  }
  mcp_fixture_assert_silent (fixture);
}

/* Where no error without an id may leave, each request gets one of its own. */
static void
test_batch_elsewhere (void)
{
  static const char *const revisions[] = { "2024-11-05", "2025-06-18" };

  for (gsize i = 0; i < G_N_ELEMENTS (revisions); i++)
    {
      g_autoptr (McpFixture) fixture = mcp_fixture_new (NULL);
      g_autoptr (JsonObject) first = NULL, second = NULL;

      mcp_fixture_initialize_as (fixture, revisions[i], "{}");
      mcp_fixture_send (fixture, "[" PING ("1") "," NOTE "," PING ("\"b\"") ",17]");
      first = mcp_fixture_take (fixture);
      mcp_assert_error (first, -32600);
      g_assert_cmpint (mcp_get_int (first, "id"), ==, 1);
      second = mcp_fixture_take (fixture);
      mcp_assert_error (second, -32600);
      g_assert_cmpstr (mcp_get_string (second, "id"), ==, "b");
      mcp_fixture_send (fixture, "[]");
      mcp_fixture_assert_silent (fixture);
    }
}

/* --- questions --- */

/* Elicitation came with 2025-06-18, its `mode` with 2025-11-25. */
static void
test_elicitation (void)
{
  static const char *const revisions[] = { "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25" };

  for (gsize i = 0; i < G_N_ELEMENTS (revisions); i++)
    {
      g_autoptr (McpFixture) fixture = mcp_fixture_new (NULL);
      g_autoptr (JsonObject) message = NULL;

      mcp_fixture_initialize_as (fixture, revisions[i], "{\"elicitation\":{}}");
      message = ask (fixture, "tools/call", "\"name\":\"change\",\"arguments\":{\"uids\":[1]}");
      if (i < 2)
        {
          /* Such a client declares what its revision has not: it is not asked. */
          g_assert_nonnull (strstr (mcp_get_text (message, TRUE), "confirm_token"));
          continue;
        }
      g_assert_cmpstr (mcp_get_string (message, "method"), ==, "elicitation/create");
      g_assert_cmpint (json_object_has_member (mcp_get_object (message, "params"), "mode"), ==,
                       i == 3);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/revisions/members", test_members);
  g_test_add_func ("/revisions/identity", test_identity);
  g_test_add_func ("/revisions/structured-content", test_structured_content);
  g_test_add_func ("/revisions/progress-message", test_progress_message);
  g_test_add_func ("/revisions/batch", test_batch);
  g_test_add_func ("/revisions/batch-cancelled", test_batch_cancelled);
  g_test_add_func ("/revisions/batch-refused-elements", test_batch_refused_elements);
  g_test_add_func ("/revisions/batch-size", test_batch_size);
  g_test_add_func ("/revisions/batches-waiting", test_batches_waiting);
  g_test_add_func ("/revisions/batch-too-long", test_batch_too_long);
  g_test_add_func ("/revisions/batch-elsewhere", test_batch_elsewhere);
  g_test_add_func ("/revisions/elicitation", test_elicitation);
  return g_test_run ();
}
