/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <string.h>

#include "base/postbag-limits.h"
#include "mcp-fixture.h"

#define REQUEST_WITH(id, method, params)                                                           \
  "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"" method "\",\"params\":{" params "}}"

static JsonObject *
ask (McpFixture *fixture, gboolean modern, const char *method, const char *params)
{
  mcp_fixture_sendf (fixture,
                     "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"%s\",\"params\":{%s%s%s}}", method,
                     params, modern && *params != '\0' ? "," : "", modern ? ENVELOPE : "");
  return mcp_fixture_take (fixture);
}

static JsonObject *
get_content (JsonObject *message, guint index)
{
  JsonArray *messages = json_object_get_array_member (mcp_get_result (message), "messages");

  return mcp_get_object (json_array_get_object_element (messages, index), "content");
}

/* --- prompts --- */

static void
test_list (void)
{
  static const char *const revisions[] = { "2024-11-05", "2025-06-18", "2025-11-25" };

  for (gsize i = 0; i < G_N_ELEMENTS (revisions); i++)
    {
      g_autoptr (McpFixture) fixture = mcp_fixture_new (NULL);
      g_autoptr (JsonObject) message = NULL;
      JsonArray *prompts;
      JsonObject *greet, *who;

      mcp_fixture_initialize_as (fixture, revisions[i], "{}");
      message = ask (fixture, FALSE, "prompts/list", "");
      prompts = json_object_get_array_member (mcp_get_result (message), "prompts");
      /* `hidden` names a tool that is not there. */
      g_assert_cmpuint (json_array_get_length (prompts), ==, 2);
      greet = json_array_get_object_element (prompts, 0);
      who = json_array_get_object_element (json_object_get_array_member (greet, "arguments"), 0);
      g_assert_cmpstr (mcp_get_string (greet, "name"), ==, "greet");
      g_assert_false (json_object_has_member (greet, "x-postbag"));
      g_assert_cmpint (json_object_has_member (greet, "title"), ==, i > 0);
      g_assert_cmpint (json_object_has_member (who, "title"), ==, i > 0);
      g_assert_cmpint (json_object_has_member (greet, "icons"), ==, i > 1);
      g_assert_true (json_object_get_boolean_member (who, "required"));
    }
}

static void
test_pages (void)
{
  g_autoptr (McpFixture) fixture = mcp_fixture_new (NULL);
  g_autoptr (JsonObject) first = NULL, second = NULL, bad = NULL;
  g_autofree char *params = NULL;

  postbag_server_get_engine (fixture->server)->page_size = 1;
  mcp_fixture_initialize (fixture, "{}");
  first = ask (fixture, FALSE, "prompts/list", "");
  params =
      g_strdup_printf ("\"cursor\":\"%s\"", mcp_get_string (mcp_get_result (first), "nextCursor"));
  second = ask (fixture, FALSE, "prompts/list", params);
  g_assert_cmpstr (
      mcp_get_string (json_array_get_object_element (
                          json_object_get_array_member (mcp_get_result (second), "prompts"), 0),
                      "name"),
      ==, "made");
  g_assert_false (json_object_has_member (mcp_get_result (second), "nextCursor"));
  /* A cursor of one list is none of another. */
  bad = ask (fixture, FALSE, "tools/list", params);
  mcp_assert_error (bad, -32602);
}

static void
test_get (void)
{
  g_autoptr (McpFixture) fixture = mcp_fixture_new (NULL);

  mcp_fixture_initialize (fixture, "{}");
  for (int modern = 0; modern < 2; modern++)
    {
      g_autoptr (JsonObject) plain = ask (fixture, modern, "prompts/get",
                                          "\"name\":\"greet\",\"arguments\":{\"who\":\"Ada\"}");
      g_autoptr (JsonObject) styled =
          ask (fixture, modern, "prompts/get",
               "\"name\":\"greet\",\"arguments\":{\"who\":\"{style}\\u202e\",\"style\":\"a\\nb\"}");

      g_assert_cmpstr (mcp_get_string (mcp_get_result (plain), "description"), ==,
                       "Greets somebody.");
      g_assert_cmpstr (mcp_get_string (get_content (plain, 0), "text"), ==,
                       "Greet Ada, {}, , {a b}.\nIn any style.");
      g_assert_cmpstr (mcp_get_string (get_content (plain, 1), "uri"), ==, "test://Ada");
      g_assert_cmpstr (mcp_get_string (mcp_get_object (get_content (plain, 2), "resource"), "text"),
                       ==, "For Ada.");
      g_assert_cmpstr (mcp_get_string (get_content (plain, 3), "type"), ==, "audio");
      /* A value is put in as it is, once, and cleaned. */
      g_assert_cmpstr (mcp_get_string (get_content (styled, 0), "text"), ==,
                       "Greet {style}, {}, , {a b}.\nIn this style: a\nb");
    }
}

static void
test_old_content (void)
{
  g_autoptr (McpFixture) fixture = mcp_fixture_new (NULL);
  g_autoptr (JsonObject) message = NULL;

  mcp_fixture_initialize_as (fixture, "2024-11-05", "{}");
  message =
      ask (fixture, FALSE, "prompts/get", "\"name\":\"greet\",\"arguments\":{\"who\":\"Ada\"}");
  g_assert_cmpstr (mcp_get_string (get_content (message, 1), "text"), ==,
                   "Card of Ada: test://Ada");
  g_assert_cmpstr (mcp_get_string (get_content (message, 2), "type"), ==, "resource");
  g_assert_cmpstr (mcp_get_string (get_content (message, 3), "type"), ==, "text");
}

static void
test_refused (void)
{
  static const char *const params[] = {
    "",
    "\"name\":7",
    "\"name\":\"unheard\"",
    "\"name\":\"hidden\"",
    "\"name\":\"greet\"",
    "\"name\":\"greet\",\"arguments\":[]",
    "\"name\":\"greet\",\"arguments\":{}",
    "\"name\":\"greet\",\"arguments\":{\"who\":7}",
    "\"name\":\"greet\",\"arguments\":{\"who\":null}",
    "\"name\":\"greet\",\"arguments\":{\"who\":\"a\\u0000\"}",
    "\"name\":\"greet\",\"arguments\":{\"who\":\"a\",\"whom\":\"b\"}",
    "\"name\":\"greet\",\"arguments\":{\"who\":\"a\",\"day\":\"2026-02-30\"}",
  };
  g_autoptr (McpFixture) fixture = mcp_fixture_new (NULL);
  g_autofree char *fill = g_strnfill (POSTBAG_LIMIT_PROMPT_ARGUMENT_CHARS + 1, 'a');
  g_autofree char *longer =
      g_strdup_printf ("\"name\":\"greet\",\"arguments\":{\"who\":\"%s\"}", fill);
  g_autoptr (JsonObject) refused = NULL;

  mcp_fixture_initialize (fixture, "{}");
  for (gsize i = 0; i < G_N_ELEMENTS (params); i++)
    {
      g_autoptr (JsonObject) message = ask (fixture, FALSE, "prompts/get", params[i]);

      g_test_message ("%s", params[i]);
      mcp_assert_error (message, -32602);
    }
  refused = ask (fixture, FALSE, "prompts/get", longer);
  mcp_assert_error (refused, -32602);
}

/* A prompt made by code may ask like a tool. */
static void
test_made (void)
{
  g_autoptr (McpFixture) fixture = mcp_fixture_new (NULL);
  g_autoptr (JsonObject) refused = NULL, asking = NULL, made = NULL, moved = NULL;
  const char *state;

  mcp_fixture_send (fixture, REQUEST_WITH ("1", "prompts/get", "\"name\":\"made\"," ENVELOPE_ASKS));
  asking = mcp_fixture_take (fixture);
  g_assert_cmpstr (mcp_get_string (mcp_get_result (asking), "resultType"), ==, "input_required");
  state = mcp_get_string (mcp_get_result (asking), "requestState");
  /* The state is of this prompt alone. */
  mcp_fixture_sendf (
      fixture,
      REQUEST_WITH ("2", "resources/read",
                    "\"uri\":\"test://note\",\"requestState\":\"%s\"," ENVELOPE_ASKS),
      state);
  moved = mcp_fixture_take (fixture);
  mcp_assert_error (moved, -32602);
  mcp_fixture_sendf (
      fixture,
      REQUEST_WITH ("3", "prompts/get",
                    "\"name\":\"made\",\"requestState\":\"%s\",\"inputResponses\":{\"confirm\":{"
                    "\"action\":\"accept\",\"content\":{\"confirm\":true}}}," ENVELOPE_ASKS),
      state);
  made = mcp_fixture_take (fixture);
  g_assert_cmpstr (mcp_get_string (get_content (made, 0), "text"), ==, "Made.");
  mcp_fixture_initialize (fixture, "{}");
  refused = ask (fixture, FALSE, "prompts/get", "\"name\":\"made\"");
  g_assert_true (json_object_has_member (refused, "error"));
}

/* --- completion --- */

#define BOX "\"ref\":{\"type\":\"ref/resource\",\"uri\":\"test://{owner}/box/{name}\"}"

static void
test_complete (void)
{
  static const char *const revisions[] = { "2025-03-26", "2025-06-18" };

  for (gsize i = 0; i < G_N_ELEMENTS (revisions); i++)
    {
      g_autoptr (McpFixture) fixture = mcp_fixture_new (NULL);
      g_autoptr (JsonObject) message = NULL;
      JsonObject *completion;
      JsonArray *values;

      mcp_fixture_initialize_as (fixture, revisions[i], "{}");
      message = ask (fixture, FALSE, "completion/complete",
                     BOX ",\"argument\":{\"name\":\"name\",\"value\":\"b\"},"
                         "\"context\":{\"arguments\":{\"owner\":\"me\",\"n\":7}}");
      completion = mcp_get_object (mcp_get_result (message), "completion");
      values = json_object_get_array_member (completion, "values");
      g_assert_cmpuint (json_array_get_length (values), ==, 100);
      g_assert_cmpint (mcp_get_int (completion, "total"), ==, 150);
      g_assert_true (json_object_get_boolean_member (completion, "hasMore"));
      /* `context` came with 2025-06-18. */
      g_assert_cmpstr (json_array_get_string_element (values, 99), ==,
                       i == 0 ? "box name b099 nobody" : "box name b099 me");
    }
}

static void
test_complete_prompt (void)
{
  g_autoptr (McpFixture) fixture = mcp_fixture_new (NULL);
  g_autoptr (JsonObject) who = NULL, style = NULL, failed = NULL;
  JsonObject *completion;

  mcp_fixture_initialize (fixture, "{}");
  who = ask (fixture, FALSE, "completion/complete",
             "\"ref\":{\"type\":\"ref/prompt\",\"name\":\"greet\"},"
             "\"argument\":{\"name\":\"who\",\"value\":\"\"}");
  completion = mcp_get_object (mcp_get_result (who), "completion");
  g_assert_cmpstr (
      json_array_get_string_element (json_object_get_array_member (completion, "values"), 0), ==,
      "greet who 000 nobody");
  style = ask (fixture, FALSE, "completion/complete",
               "\"ref\":{\"type\":\"ref/prompt\",\"name\":\"greet\"},"
               "\"argument\":{\"name\":\"style\",\"value\":\"x\"}");
  completion = mcp_get_object (mcp_get_result (style), "completion");
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (completion, "values")), ==,
                    0);
  failed = ask (fixture, FALSE, "completion/complete",
                "\"ref\":{\"type\":\"ref/prompt\",\"name\":\"greet\"},"
                "\"argument\":{\"name\":\"who\",\"value\":\"fail\"}");
  mcp_assert_error (failed, -32603);
}

static void
test_complete_refused (void)
{
  static const char *const params[] = {
    "",
    "\"ref\":7,\"argument\":{\"name\":\"name\",\"value\":\"\"}",
    "\"ref\":{\"type\":\"ref/tool\",\"name\":\"echo\"},"
    "\"argument\":{\"name\":\"text\",\"value\":\"\"}",
    "\"ref\":{\"type\":\"ref/prompt\",\"name\":\"hidden\"},"
    "\"argument\":{\"name\":\"who\",\"value\":\"\"}",
    BOX,
    BOX ",\"argument\":{\"name\":\"name\"}",
    BOX ",\"argument\":{\"name\":\"name\",\"value\":7}",
    BOX ",\"argument\":{\"name\":\"name\",\"value\":\"\\u0000\"}",
  };
  g_autoptr (McpFixture) fixture = mcp_fixture_new (NULL);

  mcp_fixture_initialize (fixture, "{}");
  for (gsize i = 0; i < G_N_ELEMENTS (params); i++)
    {
      g_autoptr (JsonObject) message = ask (fixture, FALSE, "completion/complete", params[i]);

      g_test_message ("%s", params[i]);
      mcp_assert_error (message, -32602);
    }
}

/* --- content of results --- */

static void
test_media (void)
{
  static const char *const revisions[] = { "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25" };
  static const char *const types[][5] = {
    { "text", "text", "resource", "resource" },
    { "audio", "text", "resource", "resource" },
    { "audio", "resource_link", "resource", "resource" },
    { "audio", "resource_link", "resource", "resource" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (revisions); i++)
    {
      g_autoptr (McpFixture) fixture = mcp_fixture_new (NULL);
      g_autoptr (JsonObject) message = NULL;
      JsonArray *content;

      mcp_fixture_initialize_as (fixture, revisions[i], "{}");
      message = ask (fixture, FALSE, "tools/call", "\"name\":\"media\"");
      g_assert_false (json_object_has_member (mcp_get_result (message), "structuredContent"));
      content = json_object_get_array_member (mcp_get_result (message), "content");
      g_assert_cmpuint (json_array_get_length (content), ==, 4);
      for (guint j = 0; j < 4; j++)
        g_assert_cmpstr (mcp_get_string (json_array_get_object_element (content, j), "type"), ==,
                         types[i][j]);
      if (i < 2)
        g_assert_cmpstr (mcp_get_string (json_array_get_object_element (content, 1), "text"), ==,
                         "Note: test://note");
    }
}

/* A contract's own error object is the text of an error result, and nothing else. */
static void
test_failed_result (void)
{
  g_autoptr (McpFixture) fixture = mcp_fixture_new (NULL);
  g_autoptr (JsonObject) message = NULL;

  mcp_fixture_initialize (fixture, "{}");
  message = ask (fixture, FALSE, "tools/call", "\"name\":\"refuse\"");
  g_assert_cmpstr (mcp_get_text (message, TRUE), ==, "{\"code\":\"no\"}");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/prompts/list", test_list);
  g_test_add_func ("/prompts/pages", test_pages);
  g_test_add_func ("/prompts/get", test_get);
  g_test_add_func ("/prompts/old-content", test_old_content);
  g_test_add_func ("/prompts/refused", test_refused);
  g_test_add_func ("/prompts/made", test_made);
  g_test_add_func ("/completion/template", test_complete);
  g_test_add_func ("/completion/prompt", test_complete_prompt);
  g_test_add_func ("/completion/refused", test_complete_refused);
  g_test_add_func ("/content/media", test_media);
  g_test_add_func ("/content/failed", test_failed_result);
  return g_test_run ();
}
