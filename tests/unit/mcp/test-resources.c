/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <string.h>

#include "base/postbag-limits.h"
#include "mcp-fixture.h"

#define REQUEST(id, method) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"" method "\"}"
#define REQUEST_WITH(id, method, params)                                                           \
  "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"" method "\",\"params\":{" params "}}"
#define SUBSCRIPTION_ID "io.modelcontextprotocol/subscriptionId"

/* The answer to a request with these params, in the era of the session or, with @modern, alone. */
static JsonObject *
ask (McpFixture *fixture, gboolean modern, const char *method, const char *params)
{
  const char *comma = modern && *params != '\0' ? "," : "";

  mcp_fixture_sendf (fixture,
                     "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"%s\",\"params\":{%s%s%s}}", method,
                     params, comma, modern ? ENVELOPE : "");
  return mcp_fixture_take (fixture);
}

static void
test_list (void)
{
  g_autoptr (McpFixture) fixture = mcp_fixture_new (NULL);

  mcp_fixture_initialize (fixture, "{}");
  for (int modern = 0; modern < 2; modern++)
    {
      g_autoptr (JsonObject) message = ask (fixture, modern, "resources/list", "");
      g_autoptr (JsonObject) templates = ask (fixture, modern, "resources/templates/list", "");
      JsonArray *resources = json_object_get_array_member (mcp_get_result (message), "resources");
      JsonObject *note = json_array_get_object_element (resources, 0);
      JsonObject *box = json_array_get_object_element (resources, 5);

      /* `hidden` names a tool that is not there. */
      g_assert_cmpuint (json_array_get_length (resources), ==, 6);
      g_assert_cmpstr (mcp_get_string (note, "uri"), ==, "test://note");
      g_assert_cmpint (mcp_get_int (note, "size"), ==, 7);
      g_assert_true (json_object_has_member (note, "icons"));
      g_assert_false (json_object_has_member (note, "x-postbag"));
      g_assert_cmpstr (mcp_get_string (box, "uri"), ==, "test://me/box/b%2F5");
      g_assert_cmpstr (mcp_get_string (box, "name"), ==, "b/5");
      g_assert_false (json_object_has_member (box, "size"));
      resources = json_object_get_array_member (mcp_get_result (templates), "resourceTemplates");
      g_assert_cmpuint (json_array_get_length (resources), ==, 1);
      g_assert_cmpstr (mcp_get_string (json_array_get_object_element (resources, 0), "uriTemplate"),
                       ==, "test://{owner}/box/{name}");
      if (modern)
        g_assert_cmpstr (mcp_get_string (mcp_get_result (message), "cacheScope"), ==, "private");
    }
}

static void
test_pages (void)
{
  g_autoptr (McpFixture) fixture = mcp_fixture_new (NULL);
  g_autoptr (GString) seen = g_string_new (NULL);
  g_autofree char *cursor = NULL;
  int pages = 0;

  postbag_server_get_engine (fixture->server)->page_size = 4;
  mcp_fixture_initialize (fixture, "{}");
  do
    {
      g_autofree char *params =
          cursor != NULL ? g_strdup_printf ("\"cursor\":\"%s\"", cursor) : g_strdup ("");
      g_autoptr (JsonObject) message = ask (fixture, FALSE, "resources/list", params);
      JsonObject *result = mcp_get_result (message);
      JsonArray *resources = json_object_get_array_member (result, "resources");

      for (guint i = 0; i < json_array_get_length (resources); i++)
        g_string_append_printf (
            seen, "%s ", mcp_get_string (json_array_get_object_element (resources, i), "name"));
      g_clear_pointer (&cursor, g_free);
      if (json_object_has_member (result, "nextCursor"))
        cursor = g_strdup (mcp_get_string (result, "nextCursor"));
      pages++;
    }
  while (cursor != NULL);
  g_assert_cmpint (pages, ==, 2);
  g_assert_cmpstr (seen->str, ==, "note b/1 b/2 b/3 b/4 b/5 ");
  for (int modern = 0; modern < 2; modern++)
    {
      g_autoptr (JsonObject) list = ask (fixture, modern, "resources/list", "\"cursor\":\"x\"");
      g_autoptr (JsonObject) templates =
          ask (fixture, modern, "resources/templates/list", "\"cursor\":7");

      mcp_assert_error (list, -32602);
      mcp_assert_error (templates, -32602);
    }
}

static void
test_read (void)
{
  g_autoptr (McpFixture) fixture = mcp_fixture_new (NULL);

  mcp_fixture_initialize (fixture, "{}");
  for (int modern = 0; modern < 2; modern++)
    {
      g_autoptr (JsonObject) note =
          ask (fixture, modern, "resources/read", "\"uri\":\"test://note\"");
      g_autoptr (JsonObject) box =
          ask (fixture, modern, "resources/read", "\"uri\":\"test://me/box/a%2Fb\"");
      JsonArray *contents = json_object_get_array_member (mcp_get_result (note), "contents");
      JsonObject *text = json_array_get_object_element (contents, 0);
      JsonObject *blob = json_array_get_object_element (contents, 1);

      g_assert_cmpstr (mcp_get_string (text, "uri"), ==, "test://note");
      g_assert_cmpstr (mcp_get_string (text, "mimeType"), ==, "text/plain");
      g_assert_cmpstr (mcp_get_string (text, "text"), ==, "A note.");
      g_assert_cmpstr (mcp_get_string (blob, "uri"), ==, "test://note/attachment");
      g_assert_cmpstr (mcp_get_string (blob, "blob"), ==, "AAE=");
      g_assert_cmpstr (
          mcp_get_string (mcp_get_object (mcp_get_result (note), "_meta"), "postbag/untrusted"), ==,
          "true");
      contents = json_object_get_array_member (mcp_get_result (box), "contents");
      g_assert_cmpstr (mcp_get_string (json_array_get_object_element (contents, 0), "text"), ==,
                       "me/a/b");
    }
}

static void
assert_refused (McpFixture *fixture, gboolean modern, const char *uri, int code)
{
  g_autofree char *params = g_strdup_printf ("\"uri\":\"%s\"", uri);
  g_autoptr (JsonObject) message = ask (fixture, modern, "resources/read", params);
  JsonObject *error;

  g_test_message ("%s", uri);
  mcp_assert_error (message, code);
  error = mcp_get_object (message, "error");
  g_assert_cmpstr (mcp_get_string (mcp_get_object (error, "data"), "uri"), !=, "");
  if (strstr (uri, "\\u") == NULL)
    g_assert_cmpstr (mcp_get_string (mcp_get_object (error, "data"), "uri"), ==, uri);
}

static void
test_refused (void)
{
  static const char *const nowhere[] = { "test://me/box/missing",
                                         "test://me/box/empty",
                                         "test://nothing",
                                         "test://hidden",
                                         "test://me/box/",
                                         "test://me/box/../note",
                                         "test://me/box/%2e%2e",
                                         "test://me/box/a%2F..%2Fb",
                                         "test://me/box/%00",
                                         "file:///etc/passwd",
                                         "",
                                         "note" };
  static const char *const params[] = { "", "\"uri\":7", "\"uri\":\"test://note\\u0000\"" };
  g_autoptr (McpFixture) fixture = mcp_fixture_new (NULL);

  mcp_fixture_initialize (fixture, "{}");
  for (int modern = 0; modern < 2; modern++)
    {
      for (gsize i = 0; i < G_N_ELEMENTS (nowhere) - 2; i++)
        assert_refused (fixture, modern, nowhere[i], modern ? -32602 : -32002);
      assert_refused (fixture, modern, "test://me/box/secret", -32602);
      assert_refused (fixture, modern, "test://me/box/offline", -32603);
      for (gsize i = 0; i < G_N_ELEMENTS (params); i++)
        {
          g_autoptr (JsonObject) message = ask (fixture, modern, "resources/read", params[i]);

          mcp_assert_error (message, -32602);
        }
    }
}

/* What a client that is not to be trusted wrote is not repeated as it came. */
static void
test_strange_uri (void)
{
  g_autoptr (McpFixture) fixture = mcp_fixture_new (NULL);
  g_autoptr (JsonObject) message = NULL;
  JsonObject *error;

  mcp_fixture_initialize (fixture, "{}");
  message = ask (fixture, FALSE, "resources/read", "\"uri\":\"x\\u202e\\n\"");
  mcp_assert_error (message, -32002);
  error = mcp_get_object (message, "error");
  g_assert_cmpstr (mcp_get_string (mcp_get_object (error, "data"), "uri"), ==, "x\\u202E\\u000A");
  g_assert_null (strstr (mcp_get_string (error, "message"), "\342\200\256"));
}

/* --- subscriptions up to 2025-11-25 --- */

static void
assert_updated (McpFixture *fixture, const char *uri)
{
  g_autoptr (JsonObject) message = mcp_fixture_take (fixture);

  g_assert_cmpstr (mcp_get_string (message, "method"), ==, "notifications/resources/updated");
  g_assert_cmpstr (mcp_get_string (mcp_get_object (message, "params"), "uri"), ==, uri);
  g_assert_false (json_object_has_member (mcp_get_object (message, "params"), "_meta"));
}

static void
test_subscribe (void)
{
  g_autoptr (McpFixture) fixture = mcp_fixture_new (NULL);

  mcp_fixture_initialize (fixture, "{}");
  for (int i = 0; i < 2; i++)
    {
      g_autoptr (JsonObject) message =
          ask (fixture, FALSE, "resources/subscribe", "\"uri\":\"test://me/box/a\"");

      g_assert_cmpuint (json_object_get_size (mcp_get_result (message)), ==, 0);
      g_assert_cmpuint (mcp_fixture_count_watches (), ==, 1);
    }
  mcp_fixture_change_box ();
  assert_updated (fixture, "test://me/box/a");
  /* Told again only after a while, and then once. */
  for (int i = 0; i < 100; i++)
    mcp_fixture_change_box ();
  mcp_fixture_assert_silent (fixture);
  assert_updated (fixture, "test://me/box/a");
  mcp_fixture_change_box ();
  json_object_unref (ask (fixture, FALSE, "resources/unsubscribe", "\"uri\":\"test://me/box/a\""));
  g_assert_cmpuint (mcp_fixture_count_watches (), ==, 0);
  mcp_fixture_change_box ();
  mcp_fixture_assert_silent (fixture);
  json_object_unref (ask (fixture, FALSE, "resources/unsubscribe", "\"uri\":\"test://me/box/a\""));
}

static void
test_subscribe_ends (void)
{
  g_autoptr (McpFixture) fixture = mcp_fixture_new (NULL);

  mcp_fixture_initialize (fixture, "{}");
  json_object_unref (ask (fixture, FALSE, "resources/subscribe", "\"uri\":\"test://me/box/a\""));
  g_assert_cmpuint (mcp_fixture_count_watches (), ==, 1);
  mcp_fixture_initialize (fixture, "{}");
  g_assert_cmpuint (mcp_fixture_count_watches (), ==, 0);
  json_object_unref (ask (fixture, FALSE, "resources/subscribe", "\"uri\":\"test://me/box/a\""));
  mcp_fixture_reconnect (fixture);
  g_assert_cmpuint (mcp_fixture_count_watches (), ==, 0);
  /* Gone before it had begun. */
  mcp_fixture_initialize (fixture, "{}");
  mcp_fixture_send (fixture,
                    REQUEST_WITH ("1", "resources/subscribe", "\"uri\":\"test://me/box/a\""));
  mcp_fixture_reconnect (fixture);
  mcp_fixture_assert_silent (fixture);
  g_assert_cmpuint (mcp_fixture_count_watches (), ==, 0);
}

static void
test_subscribe_refused (void)
{
  g_autoptr (McpFixture) fixture = mcp_fixture_new (NULL);
  g_autoptr (JsonObject) missing = NULL, nothing = NULL, fixed = NULL, many = NULL;

  mcp_fixture_initialize (fixture, "{}");
  missing = ask (fixture, FALSE, "resources/subscribe", "\"uri\":\"test://me/box/missing\"");
  mcp_assert_error (missing, -32002);
  nothing = ask (fixture, FALSE, "resources/subscribe", "\"uri\":\"test://nothing\"");
  mcp_assert_error (nothing, -32002);
  fixed = ask (fixture, FALSE, "resources/subscribe", "\"uri\":\"test://note\"");
  mcp_assert_error (fixed, -32602);
  for (int i = 0; i < POSTBAG_LIMIT_WATCHES; i++)
    {
      g_autofree char *params = g_strdup_printf ("\"uri\":\"test://me/box/%d\"", i);
      g_autoptr (JsonObject) message = ask (fixture, FALSE, "resources/subscribe", params);

      mcp_get_result (message);
    }
  many = ask (fixture, FALSE, "resources/subscribe", "\"uri\":\"test://me/box/one-more\"");
  mcp_assert_error (many, -32603);
}

/* --- subscriptions/listen --- */

#define LISTEN(id, filter)                                                                         \
  REQUEST_WITH (id, "subscriptions/listen", "\"notifications\":{" filter "}," ENVELOPE)

static void
assert_acknowledged (McpFixture *fixture, const char *expected)
{
  g_autofree char *text = mcp_fixture_take_text (fixture);

  g_assert_cmpstr (text, ==, expected);
}

static void
test_listen (void)
{
  g_autoptr (McpFixture) fixture = mcp_fixture_new (NULL);
  g_autoptr (JsonObject) first = NULL, second = NULL, removed = NULL;

  mcp_fixture_send (
      fixture, LISTEN ("\"a\"", "\"toolsListChanged\":true,\"resourceSubscriptions\":["
                                "\"test://me/box/x\",\"test://me/box/x\",\"test://me/box/missing\","
                                "\"test://note\",\"test://nothing\",\"..\"]"));
  assert_acknowledged (fixture,
                       "{\"jsonrpc\":\"2.0\",\"method\":"
                       "\"notifications/subscriptions/acknowledged\",\"params\":{"
                       "\"notifications\":{\"resourceSubscriptions\":[\"test://me/box/x\"]},"
                       "\"_meta\":{\"" SUBSCRIPTION_ID "\":\"a\"}}}");
  mcp_fixture_send (fixture,
                    LISTEN ("1", "\"resourceSubscriptions\":[\"test://me/box/x\"],"
                                 "\"resourcesListChanged\":true,\"promptsListChanged\":false"));
  assert_acknowledged (fixture, "{\"jsonrpc\":\"2.0\",\"method\":"
                                "\"notifications/subscriptions/acknowledged\",\"params\":{"
                                "\"notifications\":{\"resourcesListChanged\":true,"
                                "\"resourceSubscriptions\":[\"test://me/box/x\"]},"
                                "\"_meta\":{\"" SUBSCRIPTION_ID "\":1}}}");
  g_assert_cmpuint (mcp_fixture_count_watches (), ==, 1);
  mcp_fixture_change_box ();
  first = mcp_fixture_take (fixture);
  second = mcp_fixture_take (fixture);
  g_assert_cmpstr (
      mcp_get_string (mcp_get_object (mcp_get_object (first, "params"), "_meta"), SUBSCRIPTION_ID),
      ==, "a");
  g_assert_cmpint (
      mcp_get_int (mcp_get_object (mcp_get_object (second, "params"), "_meta"), SUBSCRIPTION_ID),
      ==, 1);
  mcp_fixture_send (fixture, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
                             "\"params\":{\"requestId\":\"a\"}}");
  mcp_fixture_assert_silent (fixture);
  g_assert_cmpuint (mcp_fixture_count_watches (), ==, 1);
  mcp_fixture_send (fixture, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
                             "\"params\":{\"requestId\":1}}");
  mcp_fixture_assert_silent (fixture);
  g_assert_cmpuint (mcp_fixture_count_watches (), ==, 0);
  g_assert_cmpuint (fixture->session->in_flight, ==, 0);
  removed = ask (fixture, TRUE, "resources/subscribe", "\"uri\":\"test://me/box/a\"");
  mcp_assert_error (removed, -32601);
}

static void
test_listen_refused (void)
{
  static const char *const filters[] = { "\"notifications\":7,", "",
                                         "\"notifications\":{\"toolsListChanged\":\"yes\"},",
                                         "\"notifications\":{\"resourceSubscriptions\":{}},",
                                         "\"notifications\":{\"resourceSubscriptions\":[7]}," };
  g_autoptr (McpFixture) fixture = mcp_fixture_new (NULL);
  g_autoptr (JsonObject) many = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (filters); i++)
    {
      g_autoptr (JsonObject) message = NULL;

      mcp_fixture_sendf (fixture, REQUEST_WITH ("1", "subscriptions/listen", "%s" ENVELOPE),
                         filters[i]);
      message = mcp_fixture_take (fixture);
      mcp_assert_error (message, -32602);
    }
  for (int i = 0; i < POSTBAG_LIMIT_LISTENS; i++)
    {
      mcp_fixture_sendf (fixture, LISTEN ("%d", ""), i);
      json_object_unref (mcp_fixture_take (fixture));
    }
  mcp_fixture_send (fixture, LISTEN ("\"x\"", ""));
  many = mcp_fixture_take (fixture);
  mcp_assert_error (many, -32603);
}

/* The end of the input, and of the program, ends what is open, with a word of it. */
static void
test_listen_ends (void)
{
  g_autoptr (McpFixture) fixture = mcp_fixture_new (NULL);
  g_autoptr (JsonObject) cancelled = NULL, result = NULL;

  mcp_fixture_send (fixture, LISTEN ("5", "\"resourceSubscriptions\":[\"test://me/box/x\"]"));
  json_object_unref (mcp_fixture_take (fixture));
  postbag_session_end_input (fixture->session);
  cancelled = mcp_fixture_take (fixture);
  g_assert_cmpstr (mcp_get_string (cancelled, "method"), ==, "notifications/cancelled");
  g_assert_cmpint (mcp_get_int (mcp_get_object (cancelled, "params"), "requestId"), ==, 5);
  result = mcp_fixture_take (fixture);
  g_assert_cmpint (mcp_get_int (result, "id"), ==, 5);
  g_assert_cmpstr (mcp_get_string (mcp_get_result (result), "resultType"), ==, "complete");
  g_assert_cmpint (mcp_get_int (mcp_get_object (mcp_get_result (result), "_meta"), SUBSCRIPTION_ID),
                   ==, 5);
  g_assert_cmpuint (postbag_session_get_running (fixture->session), ==, 0);
  g_assert_cmpuint (mcp_fixture_count_watches (), ==, 0);
}

/* --- lists that change --- */

static void
test_list_changed (void)
{
  g_autoptr (McpFixture) fixture = mcp_fixture_new (NULL);
  PostbagEngine *engine = postbag_server_get_engine (fixture->server);
  g_autoptr (JsonObject) legacy = NULL, modern = NULL, again = NULL;

  /* Nobody listens, and before the handshake nobody is told. */
  postbag_engine_tell_list_changed (engine, POSTBAG_LIST_RESOURCES);
  mcp_fixture_assert_silent (fixture);
  mcp_fixture_reconnect (fixture);
  mcp_fixture_initialize (fixture, "{}");
  mcp_fixture_send (fixture, LISTEN ("5", "\"resourcesListChanged\":true"));
  json_object_unref (mcp_fixture_take (fixture));
  /* features.json does not name the tools. */
  postbag_engine_tell_list_changed (engine, POSTBAG_LIST_TOOLS);
  mcp_fixture_assert_silent (fixture);
  postbag_engine_tell_list_changed (engine, POSTBAG_LIST_RESOURCES);
  legacy = mcp_fixture_take (fixture);
  g_assert_cmpstr (mcp_get_string (legacy, "method"), ==, "notifications/resources/list_changed");
  modern = mcp_fixture_take (fixture);
  g_assert_cmpint (
      mcp_get_int (mcp_get_object (mcp_get_object (modern, "params"), "_meta"), SUBSCRIPTION_ID),
      ==, 5);
  for (int i = 0; i < 100; i++)
    postbag_engine_tell_list_changed (engine, POSTBAG_LIST_RESOURCES);
  mcp_fixture_assert_silent (fixture);
  again = mcp_fixture_take (fixture);
  g_assert_cmpstr (mcp_get_string (again, "method"), ==, "notifications/resources/list_changed");
  json_object_unref (mcp_fixture_take (fixture));
  mcp_fixture_assert_silent (fixture);
}

static void
test_capability (void)
{
  g_autoptr (McpFixture) fixture = mcp_fixture_new (NULL);
  g_autoptr (JsonObject) message = ask (fixture, TRUE, "server/discover", "");
  JsonObject *resources =
      mcp_get_object (mcp_get_object (mcp_get_result (message), "capabilities"), "resources");

  g_assert_true (json_object_get_boolean_member (resources, "subscribe"));
  g_assert_true (json_object_get_boolean_member (resources, "listChanged"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/resources/list", test_list);
  g_test_add_func ("/resources/pages", test_pages);
  g_test_add_func ("/resources/read", test_read);
  g_test_add_func ("/resources/refused", test_refused);
  g_test_add_func ("/resources/strange-uri", test_strange_uri);
  g_test_add_func ("/resources/subscribe", test_subscribe);
  g_test_add_func ("/resources/subscribe-ends", test_subscribe_ends);
  g_test_add_func ("/resources/subscribe-refused", test_subscribe_refused);
  g_test_add_func ("/resources/listen", test_listen);
  g_test_add_func ("/resources/listen-refused", test_listen_refused);
  g_test_add_func ("/resources/listen-ends", test_listen_ends);
  g_test_add_func ("/resources/list-changed", test_list_changed);
  g_test_add_func ("/resources/capability", test_capability);
  return g_test_run ();
}
