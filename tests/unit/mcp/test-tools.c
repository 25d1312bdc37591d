/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <string.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "mcp-fixture.h"

#define LIST "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{%s}}"
#define CALL "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{%s}}"

static McpFixture *
make_legacy (void)
{
  McpFixture *fixture = mcp_fixture_new (NULL);

  mcp_fixture_initialize (fixture, "{}");
  return fixture;
}

static JsonObject *
call (McpFixture *fixture, const char *params)
{
  mcp_fixture_sendf (fixture, CALL, params);
  return mcp_fixture_take (fixture);
}

/* --- tools/list --- */

static JsonObject *
find_tool (JsonObject *result, const char *name)
{
  JsonArray *tools = json_object_get_array_member (result, "tools");

  for (guint i = 0; i < json_array_get_length (tools); i++)
    {
      JsonObject *tool = json_array_get_object_element (tools, i);

      if (g_str_equal (mcp_get_string (tool, "name"), name))
        return tool;
    }
  g_assert_not_reached ();
}

static void
test_list (void)
{
  g_autoptr (McpFixture) fixture = make_legacy ();
  g_autofree char *first = NULL;
  g_autofree char *second = NULL;
  g_autoptr (JsonObject) message = NULL;
  JsonObject *result, *echo, *text;

  mcp_fixture_sendf (fixture, LIST, "");
  first = mcp_fixture_take_text (fixture);
  mcp_fixture_sendf (fixture, LIST, "");
  second = mcp_fixture_take_text (fixture);
  g_assert_cmpstr (first, ==, second);
  g_assert_null (strstr (first, "x-postbag"));

  mcp_fixture_sendf (fixture, LIST, "");
  message = mcp_fixture_take (fixture);
  result = mcp_get_result (message);
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (result, "tools")), ==, 9);
  g_assert_false (json_object_has_member (result, "nextCursor"));
  g_assert_false (json_object_has_member (result, "ttlMs"));
  echo = find_tool (result, "echo");
  g_assert_cmpstr (mcp_get_string (echo, "title"), ==, "Quiet echo");
  g_assert_true (json_object_has_member (echo, "execution"));
  text =
      mcp_get_object (mcp_get_object (mcp_get_object (echo, "inputSchema"), "properties"), "text");
  g_assert_false (json_object_has_member (text, "$ref"));
  g_assert_cmpint (mcp_get_int (text, "maxLength"), ==, 100);
  g_assert_cmpstr (mcp_get_string (text, "description"), ==, "What to give back.");
}

static void
test_list_modern (void)
{
  g_autoptr (McpFixture) fixture = mcp_fixture_new (NULL);
  g_autoptr (JsonObject) message = NULL;
  JsonObject *result;

  mcp_fixture_sendf (fixture, LIST, ENVELOPE);
  message = mcp_fixture_take (fixture);
  result = mcp_get_result (message);
  g_assert_cmpstr (mcp_get_string (result, "resultType"), ==, "complete");
  g_assert_cmpstr (mcp_get_string (result, "cacheScope"), ==, "private");
  g_assert_cmpint (mcp_get_int (result, "ttlMs"), >=, 0);
  g_assert_false (json_object_has_member (find_tool (result, "echo"), "execution"));
}

static void
assert_echo (const char *loud, const char *title, const char *description, gboolean read_only)
{
  McpFixtureOptions options = { .loud = loud };
  g_autoptr (McpFixture) fixture = mcp_fixture_new (&options);
  g_autoptr (JsonObject) message = NULL;
  JsonObject *echo, *annotations;

  mcp_fixture_initialize (fixture, "{}");
  mcp_fixture_sendf (fixture, LIST, "");
  message = mcp_fixture_take (fixture);
  echo = find_tool (mcp_get_result (message), "echo");
  annotations = mcp_get_object (echo, "annotations");
  g_assert_cmpstr (mcp_get_string (echo, "title"), ==, title);
  g_assert_cmpstr (mcp_get_string (echo, "description"), ==, description);
  g_assert_cmpint (json_object_get_boolean_member (annotations, "readOnlyHint"), ==, read_only);
  g_assert_true (json_object_get_boolean_member (annotations, "idempotentHint"));
}

static void
test_conditions (void)
{
  assert_echo (NULL, "Quiet echo", "Gives back what it gets.", TRUE);
  assert_echo ("a bit", "Echo", "Gives back what it gets, loudly.", FALSE);
  assert_echo ("very", "Very loud echo", "Gives back what it gets, loudly.", FALSE);
}

/* Names of one page, and its cursor. */
static char *
take_page (McpFixture *fixture, const char *cursor, GPtrArray *names)
{
  g_autoptr (JsonObject) message = NULL;
  JsonObject *result;
  JsonArray *tools;

  if (cursor == NULL)
    mcp_fixture_sendf (fixture, LIST, "");
  else
    {
      g_autofree char *params = g_strdup_printf ("\"cursor\":\"%s\"", cursor);

      mcp_fixture_sendf (fixture, LIST, params);
    }
  message = mcp_fixture_take (fixture);
  result = mcp_get_result (message);
  tools = json_object_get_array_member (result, "tools");
  g_assert_cmpuint (json_array_get_length (tools), >, 0);
  g_assert_cmpuint (json_array_get_length (tools), <=, 2);
  for (guint i = 0; i < json_array_get_length (tools); i++)
    g_ptr_array_add (names,
                     g_strdup (mcp_get_string (json_array_get_object_element (tools, i), "name")));
  if (!json_object_has_member (result, "nextCursor"))
    return NULL;
  return g_strdup (mcp_get_string (result, "nextCursor"));
}

static void
test_pages (void)
{
  static const char *const expected[] = { "echo", "slow",    "fail",  "change", "big",
                                          "liar", "picture", "media", "refuse" };
  g_autoptr (McpFixture) fixture = make_legacy ();
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *cursor = NULL;
  guint pages = 0;

  postbag_server_get_engine (fixture->server)->page_size = 2;
  do
    {
      g_autofree char *next = take_page (fixture, cursor, names);

      g_free (cursor);
      cursor = g_steal_pointer (&next);
      pages++;
    }
  while (cursor != NULL);
  g_assert_cmpuint (pages, ==, 5);
  g_assert_cmpuint (names->len, ==, G_N_ELEMENTS (expected));
  for (guint i = 0; i < names->len; i++)
    g_assert_cmpstr (names->pdata[i], ==, expected[i]);
}

static void
assert_cursor_refused (McpFixture *fixture, const char *cursor)
{
  g_autofree char *params = g_strdup_printf ("\"cursor\":%s", cursor);
  g_autoptr (JsonObject) message = NULL;

  mcp_fixture_sendf (fixture, LIST, params);
  message = mcp_fixture_take (fixture);
  mcp_assert_error (message, -32602);
}

static void
test_bad_cursors (void)
{
  g_autoptr (McpFixture) fixture = make_legacy ();
  g_autoptr (McpFixture) other = make_legacy ();
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *foreign = NULL;
  g_autofree char *own = NULL;
  g_autofree char *quoted_foreign = NULL;
  g_autofree char *quoted_own = NULL;

  postbag_server_get_engine (fixture->server)->page_size = 2;
  postbag_server_get_engine (other->server)->page_size = 2;
  foreign = take_page (other, NULL, names);
  own = take_page (fixture, NULL, names);
  quoted_foreign = g_strdup_printf ("\"%s\"", foreign);
  quoted_own = g_strdup_printf ("\"%s\"", own);
  assert_cursor_refused (fixture, "\"\"");
  assert_cursor_refused (fixture, "\"zzz\"");
  assert_cursor_refused (fixture, "7");
  assert_cursor_refused (fixture, "null");
  assert_cursor_refused (fixture, quoted_foreign);
  postbag_clock_advance (fixture->clock, 2 * G_TIME_SPAN_HOUR);
  assert_cursor_refused (fixture, quoted_own);
}

/* --- tools/call --- */

static void
test_call (void)
{
  g_autoptr (McpFixture) fixture = make_legacy ();
  g_autofree char *text = NULL;

  mcp_fixture_sendf (fixture, CALL, "\"name\":\"echo\",\"arguments\":{\"text\":\"ä\\n\"}");
  text = mcp_fixture_take_text (fixture);
  g_assert_cmpstr (text, ==,
                   "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":\"text\","
                   "\"text\":\"{\\\"text\\\":\\\"ä\\\\n\\\",\\\"times\\\":1}\"}],"
                   "\"structuredContent\":{\"text\":\"ä\\n\",\"times\":1}}}");
}

static void
test_call_modern (void)
{
  g_autoptr (McpFixture) fixture = mcp_fixture_new (NULL);
  g_autoptr (JsonObject) message = call (fixture, "\"name\":\"picture\"," ENVELOPE);
  JsonObject *result = mcp_get_result (message);
  JsonObject *meta = mcp_get_object (result, "_meta");
  JsonArray *content = json_object_get_array_member (result, "content");
  JsonObject *image = json_array_get_object_element (content, 1);

  g_assert_cmpstr (mcp_get_string (result, "resultType"), ==, "complete");
  g_assert_cmpstr (mcp_get_text (message, FALSE), ==, "A picture.\nLook.");
  g_assert_cmpstr (mcp_get_string (image, "type"), ==, "image");
  g_assert_cmpstr (mcp_get_string (image, "data"), ==, "iVBORw==");
  g_assert_cmpstr (mcp_get_string (image, "mimeType"), ==, "image/png");
  g_assert_cmpstr (mcp_get_string (mcp_get_object (result, "structuredContent"), "kind"), ==,
                   "picture");
  g_assert_cmpstr (mcp_get_string (meta, "postbag/note"), ==, "drawn");
  mcp_get_object (meta, "io.modelcontextprotocol/serverInfo");
}

static void
test_mended (void)
{
  g_autoptr (McpFixture) fixture = make_legacy ();
  g_autoptr (JsonObject) message =
      call (fixture, "\"name\":\"echo\",\"arguments\":{\"text\":\"a\",\"times\":\"3\"}");

  g_assert_cmpint (
      mcp_get_int (mcp_get_object (mcp_get_result (message), "structuredContent"), "times"), ==, 3);
}

static void
test_bad_arguments (void)
{
  static const struct
  {
    const char *params;
    const char *mentions;
  } cases[] = {
    { "\"name\":\"echo\"", "text" },
    { "\"name\":\"echo\",\"arguments\":null", "text" },
    { "\"name\":\"echo\",\"arguments\":{\"text\":\"a\",\"times\":9}", "times" },
    { "\"name\":\"echo\",\"arguments\":{\"text\":\"a\",\"tines\":2}", "times" },
    { "\"name\":\"echo\",\"arguments\":{\"text\":\"a\\u0000b\"}", "U+0000" },
    { "\"name\":\"echo\",\"arguments\":{\"text\":\"\\ud800\"}", "surrogate" },
    { "\"name\":\"change\",\"arguments\":{\"uids\":[12345678901234567890]}", "64" },
    { "\"name\":\"echo\",\"arguments\":{\"text\":\"a\",\"x\\u0000\":1}", "U+0000" },
  };
  g_autoptr (McpFixture) fixture = make_legacy ();

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (JsonObject) message = call (fixture, cases[i].params);

      g_test_message ("%s", cases[i].params);
      g_assert_nonnull (strstr (mcp_get_text (message, TRUE), cases[i].mentions));
    }
}

static void
test_protocol_errors (void)
{
  static const struct
  {
    const char *params;
    const char *mentions;
  } cases[] = {
    { "\"name\":\"ecko\"", "Did you mean “echo”" },
    { "\"name\":\"something else\"", "something else" },
    { "\"name\":\"echo\\u0000\"", "name" },
    { "\"name\":7", "name" },
    { "", "name" },
    { "\"name\":\"echo\",\"arguments\":[]", "object" },
    { "\"name\":\"echo\",\"arguments\":\"{}\"", "object" },
  };
  g_autoptr (McpFixture) fixture = make_legacy ();

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (JsonObject) message = call (fixture, cases[i].params);

      mcp_assert_error (message, -32602);
      g_assert_nonnull (strstr (mcp_get_string (mcp_get_object (message, "error"), "message"),
                                cases[i].mentions));
    }
}

static void
test_handler_errors (void)
{
  static const struct
  {
    int code;
    const char *message;
    const char *text;
  } cases[] = {
    { POSTBAG_ERROR_NOT_FOUND, "There is no mailbox “x”",
      "There is no mailbox “x”. List again to see what there is now." },
    { POSTBAG_ERROR_NOT_FOUND, "There is no mailbox “x”. Call list_mailboxes.",
      "There is no mailbox “x”. Call list_mailboxes." },
    { POSTBAG_ERROR_BUSY, "Busy.", "Busy. Call again in a moment." },
    { -1, "segments", "Postbag made a mistake: segments. Please report this." },
  };
  g_autoptr (McpFixture) fixture = make_legacy ();

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *params =
          g_strdup_printf ("\"name\":\"fail\",\"arguments\":{\"code\":%d,\"message\":\"%s\"}",
                           cases[i].code, cases[i].message);
      g_autoptr (JsonObject) message = call (fixture, params);

      g_assert_cmpstr (mcp_get_text (message, TRUE), ==, cases[i].text);
    }
}

/* An error stays short, wherever it comes from. */
static void
test_long_handler_errors (void)
{
  static const int codes[] = { POSTBAG_ERROR_OFFLINE, -1 };
  g_autofree char *words = g_strnfill (POSTBAG_LIMIT_ERROR_CHARS * 2, 'x');
  g_autoptr (McpFixture) fixture = make_legacy ();

  for (gsize i = 0; i < G_N_ELEMENTS (codes); i++)
    {
      g_autofree char *params = g_strdup_printf (
          "\"name\":\"fail\",\"arguments\":{\"code\":%d,\"message\":\"%s\"}", codes[i], words);
      g_autoptr (JsonObject) message = call (fixture, params);

      g_assert_cmpuint (strlen (mcp_get_text (message, TRUE)), <, POSTBAG_LIMIT_ERROR_CHARS + 200);
    }
}

static void
test_too_large (void)
{
  McpFixtureOptions options = { .trust_results = TRUE };
  g_autoptr (McpFixture) fixture = mcp_fixture_new (&options);
  g_autoptr (JsonObject) large = NULL;
  g_autoptr (JsonObject) small = NULL;

  mcp_fixture_initialize (fixture, "{}");
  /* The text is there twice: as structured content and as its copy. */
  large = call (fixture, "\"name\":\"big\",\"arguments\":{\"bytes\":4300000}");
  g_assert_nonnull (strstr (mcp_get_text (large, TRUE), "8 MiB"));
  small = call (fixture, "\"name\":\"big\",\"arguments\":{\"bytes\":4000000}");
  g_assert_cmpuint (strlen (mcp_get_text (small, FALSE)), ==, 4000000 + strlen ("{\"text\":\"\"}"));
}

static void
test_result_validated (void)
{
  g_autoptr (McpFixture) fixture = make_legacy ();
  g_autoptr (JsonObject) message = NULL;

  g_test_expect_message ("postbag-mcp", G_LOG_LEVEL_MESSAGE, "*liar*");
  mcp_fixture_sendf (fixture, CALL, "\"name\":\"liar\"");
  message = mcp_fixture_take (fixture);
  g_test_assert_expected_messages ();
  g_assert_nonnull (strstr (mcp_get_text (message, TRUE), "mistake"));
}

/* --- without a client --- */

static void
test_call_tool (void)
{
  g_autoptr (McpFixture) fixture = mcp_fixture_new (NULL);
  g_autoptr (GBytes) arguments = g_bytes_new_static ("{\"text\":\"a\"}", 12);
  g_autoptr (GBytes) no_object = g_bytes_new_static ("[]", 2);
  g_autoptr (GBytes) result = NULL;
  g_autoptr (GBytes) failed = NULL;
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;
  gboolean is_error = TRUE;
  static const char expected[] =
      "{\"content\":[{\"type\":\"text\",\"text\":\"{\\\"text\\\":\\\"a\\\",\\\"times\\\":1}\"}],"
      "\"structuredContent\":{\"text\":\"a\",\"times\":1}}";

  result = postbag_server_call_tool (fixture->server, "echo", arguments, &is_error, &error);
  g_assert_no_error (error);
  g_assert_false (is_error);
  text = g_strndup (g_bytes_get_data (result, NULL), g_bytes_get_size (result));
  g_assert_cmpstr (text, ==, expected);
  failed = postbag_server_call_tool (fixture->server, "echo", NULL, &is_error, &error);
  g_assert_no_error (error);
  g_assert_true (is_error);
  g_assert_null (postbag_server_call_tool (fixture->server, "ecko", NULL, &is_error, &error));
  g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_FOUND);
  g_clear_error (&error);
  g_assert_null (postbag_server_call_tool (fixture->server, "echo", no_object, &is_error, &error));
  g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_INVALID_ARGUMENT);
}

static void
test_list_tools (void)
{
  g_autoptr (McpFixture) fixture = mcp_fixture_new (NULL);
  g_autoptr (GBytes) list = postbag_server_list_tools (fixture->server);
  g_autofree char *text = g_strndup (g_bytes_get_data (list, NULL), g_bytes_get_size (list));

  g_assert_true (g_str_has_prefix (text, "{\"tools\":[{\"name\":\"echo\""));
}

static void
test_name_clash (void)
{
  static const char *const tools[] = { "new", "echo", NULL };
  g_autoptr (McpFixture) fixture = mcp_fixture_new (NULL);
  g_autoptr (GError) error = NULL;

  g_assert_false (postbag_surface_add_toolset (fixture->surface, "second", tools, "/nowhere",
                                               fixture->settings, NULL, NULL, &error));
  g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_CONFLICT);
  g_assert_nonnull (strstr (error->message, "fixture"));
  g_assert_nonnull (strstr (error->message, "second"));
  g_assert_nonnull (strstr (error->message, "echo"));
  g_assert_null (postbag_surface_find_tool (fixture->surface, "new"));
}

static void
test_digest (void)
{
  g_autofree char *shared =
      g_test_build_filename (G_TEST_DIST, "unit", "mcp", "schemas", "shared", NULL);
  const char *dirs[] = { shared, NULL };
  const char *missing[] = { "/nowhere", NULL };
  g_autoptr (GError) error = NULL;
  g_autofree char *digest = postbag_surface_compute_digest (dirs, &error);

  g_assert_no_error (error);
  /* (printf 'shared/text.json\0%s\0' "$(stat -c %s text.json)"; cat text.json) | sha256sum */
  g_assert_cmpstr (digest, ==, "b20d1c26c3e97271ee88dcfe1d34c9ba57bd026b38bbc6987049d8a5c5bffda4");
  g_assert_null (postbag_surface_compute_digest (missing, &error));
  g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_FOUND);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tools/list", test_list);
  g_test_add_func ("/tools/list/modern", test_list_modern);
  g_test_add_func ("/tools/list/conditions", test_conditions);
  g_test_add_func ("/tools/list/pages", test_pages);
  g_test_add_func ("/tools/list/bad-cursors", test_bad_cursors);
  g_test_add_func ("/tools/call", test_call);
  g_test_add_func ("/tools/call/modern", test_call_modern);
  g_test_add_func ("/tools/call/mended", test_mended);
  g_test_add_func ("/tools/call/bad-arguments", test_bad_arguments);
  g_test_add_func ("/tools/call/protocol-errors", test_protocol_errors);
  g_test_add_func ("/tools/call/handler-errors", test_handler_errors);
  g_test_add_func ("/tools/call/handler-errors/long", test_long_handler_errors);
  g_test_add_func ("/tools/call/too-large", test_too_large);
  g_test_add_func ("/tools/call/result-validated", test_result_validated);
  g_test_add_func ("/tools/command-line/call", test_call_tool);
  g_test_add_func ("/tools/command-line/list", test_list_tools);
  g_test_add_func ("/tools/name-clash", test_name_clash);
  g_test_add_func ("/tools/digest", test_digest);
  return g_test_run ();
}
