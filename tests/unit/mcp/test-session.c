/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <string.h>

#include "mcp-fixture.h"

#define REQUEST(id, method) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"" method "\"}"
#define REQUEST_WITH(id, method, params)                                                           \
  "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"" method "\",\"params\":{" params "}}"

static void
assert_date (McpFixture *fixture, const char *asked, const char *answered)
{
  g_autoptr (JsonObject) message = NULL;

  mcp_fixture_sendf (
      fixture, REQUEST_WITH ("1", "initialize", "\"protocolVersion\":\"%s\",\"capabilities\":{}"),
      asked);
  message = mcp_fixture_take (fixture);
  g_assert_cmpstr (mcp_get_string (mcp_get_result (message), "protocolVersion"), ==, answered);
}

static void
test_versions (void)
{
  g_autoptr (McpFixture) fixture = mcp_fixture_new (NULL);
  static const char *const known[] = { "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25" };
  static const char *const others[] = { "1999-01-01", "2026-07-28", "2027-01-01", "" };

  for (gsize i = 0; i < G_N_ELEMENTS (known); i++)
    assert_date (fixture, known[i], known[i]);
  for (gsize i = 0; i < G_N_ELEMENTS (others); i++)
    assert_date (fixture, others[i], "2025-11-25");
}

static void
test_initialize (void)
{
  g_autoptr (McpFixture) fixture = mcp_fixture_new (NULL);
  g_autoptr (JsonObject) message = NULL;
  JsonObject *result, *info;

  mcp_fixture_send (fixture,
                    REQUEST_WITH ("\"x\"", "initialize",
                                  "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{}"));
  message = mcp_fixture_take (fixture);
  g_assert_cmpstr (mcp_get_string (message, "id"), ==, "x");
  result = mcp_get_result (message);
  info = mcp_get_object (result, "serverInfo");
  g_assert_cmpstr (mcp_get_string (info, "name"), ==, "postbag");
  g_assert_cmpstr (mcp_get_string (info, "title"), ==, "Postbag");
  g_assert_cmpstr (mcp_get_string (info, "version"), ==, POSTBAG_VERSION);
  g_assert_cmpstr (mcp_get_string (result, "instructions"), ==, "Only for tests.");
  mcp_get_object (mcp_get_object (result, "capabilities"), "tools");
  g_assert_false (json_object_has_member (result, "resultType"));
  mcp_fixture_send (fixture, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
  mcp_fixture_assert_silent (fixture);
}

static void
test_bad_initialize (void)
{
  static const char *const params[] = { "", "\"protocolVersion\":7,\"capabilities\":{}",
                                        "\"protocolVersion\":\"2025-11-25\",\"capabilities\":[]" };
  g_autoptr (McpFixture) fixture = mcp_fixture_new (NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (params); i++)
    {
      g_autoptr (JsonObject) message = NULL;

      mcp_fixture_sendf (fixture, REQUEST_WITH ("1", "initialize", "%s"), params[i]);
      message = mcp_fixture_take (fixture);
      mcp_assert_error (message, -32602);
    }
}

static void
test_before_initialize (void)
{
  g_autoptr (McpFixture) fixture = mcp_fixture_new (NULL);
  g_autofree char *pong = NULL;
  g_autoptr (JsonObject) refused = NULL;
  const char *text;

  mcp_fixture_send (fixture, REQUEST ("9007199254740993", "ping"));
  pong = mcp_fixture_take_text (fixture);
  g_assert_cmpstr (pong, ==, "{\"jsonrpc\":\"2.0\",\"id\":9007199254740993,\"result\":{}}");
  mcp_fixture_send (fixture, REQUEST ("2", "tools/list"));
  refused = mcp_fixture_take (fixture);
  mcp_assert_error (refused, -32602);
  text = mcp_get_string (mcp_get_object (refused, "error"), "message");
  g_assert_nonnull (strstr (text, "initialize"));
  g_assert_nonnull (strstr (text, "io.modelcontextprotocol/protocolVersion"));
}

/* An unreadable line is answered once the client is known to take an error without id. */
static void
test_unreadable (void)
{
  static const char *const lines[] = { "{", "[]",
                                       "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]",
                                       "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}",
                                       "17" };
  static const int codes[] = { -32700, -32600, -32600, -32600, -32600 };
  g_autoptr (McpFixture) fixture = mcp_fixture_new (NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (lines); i++)
    mcp_fixture_send (fixture, lines[i]);
  mcp_fixture_assert_silent (fixture);
  mcp_fixture_initialize (fixture, "{}");
  for (gsize i = 0; i < G_N_ELEMENTS (lines); i++)
    {
      g_autoptr (JsonObject) message = NULL;

      mcp_fixture_send (fixture, lines[i]);
      message = mcp_fixture_take (fixture);
      mcp_assert_error (message, codes[i]);
      g_assert_false (json_object_has_member (message, "id"));
    }
  postbag_session_receive_oversized (fixture->session);
  json_object_unref (mcp_fixture_take (fixture));
  mcp_fixture_assert_silent (fixture);
}

static void
test_notifications (void)
{
  static const char *const lines[] = {
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/unknown\"}",
    "{\"jsonrpc\":\"2.0\",\"method\":\"tools/list\"}",
    "{\"jsonrpc\":\"2.0\",\"method\":\"tools/call\",\"params\":{\"name\":\"nothing\"}}",
    "{\"jsonrpc\":\"2.0\",\"method\":\"initialize\"}",
    "{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"params\":7}",
    "{\"jsonrpc\":\"2.0\",\"method\":7}",
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\"}",
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":{}}}",
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":5}}",
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\",\"params\":{" ENVELOPE "}}",
    "{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{}}",
    "{\"jsonrpc\":\"2.0\",\"id\":\"ask-1\",\"error\":{\"code\":1,\"message\":\"x\"}}",
  };
  g_autoptr (McpFixture) fixture = mcp_fixture_new (NULL);

  mcp_fixture_initialize (fixture, "{}");
  for (gsize i = 0; i < G_N_ELEMENTS (lines); i++)
    mcp_fixture_send (fixture, lines[i]);
  mcp_fixture_assert_silent (fixture);
}

static void
test_unknown_methods (void)
{
  static const char *const legacy[] = { "nothing",      "server/discover",  "resources/unheard",
                                        "prompts/List", "logging/setLevel", "completion/unheard",
                                        "tasks/list" };
  static const char *const modern[] = {
    "nothing",          "initialize",          "ping",
    "logging/setLevel", "resources/subscribe", "resources/unsubscribe",
    "tasks/get",        "resources/unheard"
  };
  g_autoptr (McpFixture) fixture = mcp_fixture_new (NULL);

  mcp_fixture_initialize (fixture, "{}");
  for (gsize i = 0; i < G_N_ELEMENTS (legacy); i++)
    {
      g_autoptr (JsonObject) message = NULL;

      mcp_fixture_sendf (fixture, REQUEST ("1", "%s"), legacy[i]);
      message = mcp_fixture_take (fixture);
      mcp_assert_error (message, -32601);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (modern); i++)
    {
      g_autoptr (JsonObject) message = NULL;

      mcp_fixture_sendf (fixture, REQUEST_WITH ("\"m\"", "%s", ENVELOPE), modern[i]);
      message = mcp_fixture_take (fixture);
      mcp_assert_error (message, -32601);
      g_assert_cmpstr (mcp_get_string (message, "id"), ==, "m");
    }
}

static void
test_discover (void)
{
  g_autoptr (McpFixture) fixture = mcp_fixture_new (NULL);
  g_autoptr (JsonObject) message = NULL;
  g_autoptr (JsonObject) list = NULL;
  g_autofree char *pong = NULL;
  JsonObject *result, *info;
  JsonArray *versions;

  mcp_fixture_send (fixture, REQUEST_WITH ("1", "server/discover", ENVELOPE));
  message = mcp_fixture_take (fixture);
  result = mcp_get_result (message);
  versions = json_object_get_array_member (result, "supportedVersions");
  g_assert_cmpuint (json_array_get_length (versions), ==, 1);
  g_assert_cmpstr (json_array_get_string_element (versions, 0), ==, "2026-07-28");
  g_assert_cmpstr (mcp_get_string (result, "resultType"), ==, "complete");
  g_assert_cmpint (mcp_get_int (result, "ttlMs"), >=, 0);
  g_assert_cmpstr (mcp_get_string (result, "cacheScope"), ==, "private");
  g_assert_cmpstr (mcp_get_string (result, "instructions"), ==, "Only for tests.");
  info = mcp_get_object (mcp_get_object (result, "_meta"), "io.modelcontextprotocol/serverInfo");
  g_assert_cmpstr (mcp_get_string (info, "name"), ==, "postbag");
  /* A probe, then the handshake, then a modern request again: each by its own message. */
  mcp_fixture_initialize (fixture, "{}");
  mcp_fixture_send (fixture, REQUEST ("2", "ping"));
  pong = mcp_fixture_take_text (fixture);
  g_assert_cmpstr (pong, ==, "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}");
  mcp_fixture_send (fixture, REQUEST_WITH ("3", "tools/list", ENVELOPE));
  list = mcp_fixture_take (fixture);
  g_assert_cmpstr (mcp_get_string (mcp_get_result (list), "resultType"), ==, "complete");
}

static void
test_envelope (void)
{
  static const char *const metas[] = {
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}",
    "\"_meta\":{\"io.modelcontextprotocol/clientCapabilities\":{}}",
    "\"_meta\":{\"io.modelcontextprotocol/clientInfo\":{\"name\":\"a\",\"version\":\"1\"}}",
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":20260728,"
    "\"io.modelcontextprotocol/clientCapabilities\":{}}",
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
    "\"io.modelcontextprotocol/clientCapabilities\":true}",
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
    "\"io.modelcontextprotocol/clientCapabilities\":{},"
    "\"io.modelcontextprotocol/clientInfo\":\"me\"}",
    "\"_meta\":7",
    "\"_meta\":{\"progressToken\":1.5,\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
    "\"io.modelcontextprotocol/clientCapabilities\":{}}",
  };
  g_autoptr (McpFixture) fixture = mcp_fixture_new (NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (metas); i++)
    {
      g_autoptr (JsonObject) message = NULL;

      mcp_fixture_sendf (fixture, REQUEST_WITH ("1", "tools/list", "%s"), metas[i]);
      message = mcp_fixture_take (fixture);
      g_test_message ("%s", metas[i]);
      mcp_assert_error (message, -32602);
    }
}

static void
test_unsupported_version (void)
{
  static const char *const versions[] = { "2025-11-25", "2027-01-01", "", "a\\u0000b" };
  g_autoptr (McpFixture) fixture = mcp_fixture_new (NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (versions); i++)
    {
      g_autoptr (JsonObject) message = NULL;
      g_autofree char *text = NULL;
      g_autofree char *requested = g_strdup_printf ("\"requested\":\"%s\"", versions[i]);

      mcp_fixture_sendf (fixture,
                         REQUEST_WITH ("1", "server/discover",
                                       "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":"
                                       "\"%s\",\"io.modelcontextprotocol/clientCapabilities\":{}}"),
                         versions[i]);
      text = mcp_fixture_take_text (fixture);
      g_assert_nonnull (strstr (text, "\"code\":-32022"));
      g_assert_nonnull (strstr (text, "\"supported\":[\"2026-07-28\"]"));
      g_assert_nonnull (strstr (text, requested));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/session/versions", test_versions);
  g_test_add_func ("/session/initialize", test_initialize);
  g_test_add_func ("/session/bad-initialize", test_bad_initialize);
  g_test_add_func ("/session/before-initialize", test_before_initialize);
  g_test_add_func ("/session/unreadable", test_unreadable);
  g_test_add_func ("/session/notifications", test_notifications);
  g_test_add_func ("/session/unknown-methods", test_unknown_methods);
  g_test_add_func ("/session/discover", test_discover);
  g_test_add_func ("/session/envelope", test_envelope);
  g_test_add_func ("/session/unsupported-version", test_unsupported_version);
  return g_test_run ();
}
