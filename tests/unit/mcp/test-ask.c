/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <string.h>

#include "base/postbag-limits.h"
#include "mcp-fixture.h"

#define CHANGE(id, arguments, more)                                                                \
  "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/call\",\"params\":{\"name\":\"change\","  \
  "\"arguments\":{" arguments "}" more "}}"
#define RESPONSE(body) "{\"jsonrpc\":\"2.0\",\"id\":\"%s\"," body "}"
#define ACCEPT "\"result\":{\"action\":\"accept\",\"content\":{\"confirm\":true}}"

static McpFixture *
make_legacy (const McpFixtureOptions *options, const char *capabilities)
{
  McpFixture *fixture = mcp_fixture_new (options);

  mcp_fixture_initialize (fixture, capabilities);
  return fixture;
}

static void
assert_changed (McpFixture *fixture, guint n)
{
  g_autoptr (JsonObject) message = mcp_fixture_take (fixture);

  mcp_get_text (message, FALSE);
  g_assert_true (json_object_get_boolean_member (
      mcp_get_object (mcp_get_result (message), "structuredContent"), "changed"));
  g_assert_cmpuint (mcp_fixture_count_changes (), ==, n);
}

static void
assert_refused (McpFixture *fixture, const char *mentions)
{
  g_autoptr (JsonObject) message = mcp_fixture_take (fixture);
  const char *text = mcp_get_text (message, TRUE);

  g_test_message ("%s", text);
  g_assert_nonnull (strstr (text, mentions));
}

/* --- a legacy client that asks: elicitation --- */

/* (transfer full): the id of our question */
static char *
take_question (McpFixture *fixture)
{
  g_autoptr (JsonObject) message = mcp_fixture_take (fixture);
  JsonObject *params = mcp_get_object (message, "params");
  JsonObject *schema = mcp_get_object (params, "requestedSchema");
  JsonObject *field = mcp_get_object (mcp_get_object (schema, "properties"), "confirm");

  g_assert_cmpstr (mcp_get_string (message, "method"), ==, "elicitation/create");
  g_assert_cmpstr (mcp_get_string (params, "mode"), ==, "form");
  g_assert_nonnull (strstr (mcp_get_string (params, "message"), "?"));
  g_assert_cmpstr (mcp_get_string (field, "type"), ==, "boolean");
  g_assert_cmpstr (
      json_array_get_string_element (json_object_get_array_member (schema, "required"), 0), ==,
      "confirm");
  return g_strdup (mcp_get_string (message, "id"));
}

static void
test_elicit_accept (void)
{
  g_autoptr (McpFixture) fixture = make_legacy (NULL, "{\"elicitation\":{}}");
  g_autofree char *id = NULL;

  mcp_fixture_send (fixture, CHANGE ("1", "\"uids\":[1]", ""));
  id = take_question (fixture);
  mcp_fixture_assert_silent (fixture);
  g_assert_cmpuint (mcp_fixture_count_changes (), ==, 0);
  g_assert_cmpuint (postbag_session_get_running (fixture->session), ==, 1);
  mcp_fixture_sendf (fixture, RESPONSE (ACCEPT), id);
  assert_changed (fixture, 1);
  /* The same answer again answers nothing. */
  mcp_fixture_sendf (fixture, RESPONSE (ACCEPT), id);
  mcp_fixture_assert_silent (fixture);
  g_assert_cmpuint (mcp_fixture_count_changes (), ==, 1);
}

static void
test_elicit_no (void)
{
  static const struct
  {
    const char *body;
    const char *mentions;
  } cases[] = {
    { "\"result\":{\"action\":\"decline\"}", "said no" },
    { "\"result\":{\"action\":\"cancel\"}", "said no" },
    { "\"result\":{\"action\":\"accept\",\"content\":{\"confirm\":false}}", "said no" },
    { "\"result\":{\"action\":\"accept\",\"content\":{\"confirm\":\"true\"}}", "could not" },
    { "\"result\":{\"action\":\"accept\",\"content\":{}}", "could not" },
    { "\"result\":{\"action\":\"accept\"}", "could not" },
    { "\"result\":{\"action\":\"ACCEPT\",\"content\":{\"confirm\":true}}", "could not" },
    { "\"result\":{}", "could not" },
    { "\"result\":7", "could not" },
    { "\"error\":{\"code\":-32601,\"message\":\"no\"}", "could not" },
    { "\"error\":{},\"result\":{\"action\":\"accept\",\"content\":{\"confirm\":true}}",
      "could not" },
  };
  g_autoptr (McpFixture) fixture = make_legacy (NULL, "{\"elicitation\":{\"form\":{}}}");

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *id = NULL;
      g_autofree char *response = NULL;

      mcp_fixture_send (fixture, CHANGE ("1", "\"uids\":[1]", ""));
      id = take_question (fixture);
      response = g_strdup_printf ("{\"jsonrpc\":\"2.0\",\"id\":\"%s\",%s}", id, cases[i].body);
      mcp_fixture_send (fixture, response);
      assert_refused (fixture, cases[i].mentions);
    }
  mcp_fixture_assert_silent (fixture);
  g_assert_cmpuint (mcp_fixture_count_changes (), ==, 0);
}

static void
assert_cancels (McpFixture *fixture, const char *id)
{
  g_autoptr (JsonObject) message = mcp_fixture_take (fixture);

  g_assert_cmpstr (mcp_get_string (message, "method"), ==, "notifications/cancelled");
  g_assert_cmpstr (mcp_get_string (mcp_get_object (message, "params"), "requestId"), ==, id);
}

static void
test_elicit_timeout (void)
{
  g_autoptr (McpFixture) fixture = make_legacy (NULL, "{\"elicitation\":{}}");
  g_autofree char *id = NULL;

  mcp_fixture_send (fixture, CHANGE ("1", "\"uids\":[1]", ""));
  id = take_question (fixture);
  postbag_clock_advance (fixture->clock, 299 * G_USEC_PER_SEC);
  postbag_session_check_deadlines (fixture->session);
  mcp_fixture_assert_silent (fixture);
  postbag_clock_advance (fixture->clock, G_USEC_PER_SEC);
  postbag_session_check_deadlines (fixture->session);
  assert_cancels (fixture, id);
  assert_refused (fixture, "in time");
  mcp_fixture_sendf (fixture, RESPONSE (ACCEPT), id);
  mcp_fixture_assert_silent (fixture);
  g_assert_cmpuint (mcp_fixture_count_changes (), ==, 0);
}

static void
test_elicit_cancelled (void)
{
  g_autoptr (McpFixture) fixture = make_legacy (NULL, "{\"elicitation\":{}}");
  g_autofree char *id = NULL;

  mcp_fixture_send (fixture, CHANGE ("1", "\"uids\":[1]", ""));
  id = take_question (fixture);
  mcp_fixture_send (fixture, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
                             "\"params\":{\"requestId\":1}}");
  assert_cancels (fixture, id);
  mcp_fixture_sendf (fixture, RESPONSE (ACCEPT), id);
  mcp_fixture_assert_silent (fixture);
  g_assert_cmpuint (mcp_fixture_count_changes (), ==, 0);
  g_assert_cmpuint (postbag_session_get_running (fixture->session), ==, 0);
  g_assert_cmpuint (fixture->session->in_flight, ==, 0);
}

static void
test_elicit_end_of_input (void)
{
  g_autoptr (McpFixture) fixture = make_legacy (NULL, "{\"elicitation\":{}}");
  g_autofree char *id = NULL;

  mcp_fixture_send (fixture, CHANGE ("1", "\"uids\":[1]", ""));
  id = take_question (fixture);
  postbag_session_end_input (fixture->session);
  assert_refused (fixture, "could not ask");
  /* One that is still on its way to ask finds the input ended. */
  mcp_fixture_send (fixture, CHANGE ("1", "\"uids\":[1]", ""));
  assert_refused (fixture, "could not ask");
  mcp_fixture_assert_silent (fixture);
  g_assert_cmpuint (mcp_fixture_count_changes (), ==, 0);
  g_assert_cmpuint (postbag_session_get_running (fixture->session), ==, 0);
  g_assert_cmpuint (fixture->session->in_flight, ==, 0);
}

static void
test_elicit_twice (void)
{
  g_autoptr (McpFixture) fixture = make_legacy (NULL, "{\"elicitation\":{}}");
  g_autofree char *first = NULL;
  g_autofree char *second = NULL;

  mcp_fixture_send (fixture, CHANGE ("1", "\"uids\":[1],\"again\":true", ""));
  first = take_question (fixture);
  mcp_fixture_sendf (fixture, RESPONSE (ACCEPT), first);
  second = take_question (fixture);
  g_assert_cmpstr (first, !=, second);
  mcp_fixture_sendf (fixture, RESPONSE (ACCEPT), second);
  assert_changed (fixture, 1);
}

/* --- 2026-07-28: a result that asks for a retry --- */

typedef struct
{
  char *key;
  char *state;
} Round;

static Round
take_round (McpFixture *fixture)
{
  g_autoptr (JsonObject) message = mcp_fixture_take (fixture);
  JsonObject *result = mcp_get_result (message);
  JsonObject *requests = mcp_get_object (result, "inputRequests");
  g_autoptr (GList) keys = json_object_get_members (requests);
  JsonObject *request = mcp_get_object (requests, keys->data);
  Round round = { g_strdup (keys->data), g_strdup (mcp_get_string (result, "requestState")) };

  g_assert_cmpstr (mcp_get_string (result, "resultType"), ==, "input_required");
  g_assert_cmpuint (json_object_get_size (requests), ==, 1);
  g_assert_cmpstr (mcp_get_string (request, "method"), ==, "elicitation/create");
  g_assert_false (json_object_has_member (request, "id"));
  mcp_get_object (mcp_get_object (request, "params"), "requestedSchema");
  return round;
}

static void
clear_round (Round *round)
{
  g_free (round->key);
  g_free (round->state);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Round, clear_round)

static void
retry (McpFixture *fixture, const char *arguments, const char *state, const char *responses)
{
  mcp_fixture_sendf (
      fixture,
      CHANGE ("\"retry\"", "%s", ",\"requestState\":\"%s\",\"inputResponses\":{%s}," ENVELOPE_ASKS),
      arguments, state, responses);
}

#define YES "{\"action\":\"accept\",\"content\":{\"confirm\":true}}"
#define NO "{\"action\":\"decline\"}"

static void
test_retry_accept (void)
{
  g_autoptr (McpFixture) fixture = mcp_fixture_new (NULL);
  g_auto (Round) round = { 0 };
  g_auto (Round) replayed = { 0 };

  mcp_fixture_send (fixture, CHANGE ("1", "\"uids\":[1,2],\"again\":false", "," ENVELOPE_ASKS));
  round = take_round (fixture);
  g_assert_cmpstr (round.key, ==, "confirm");
  g_assert_cmpuint (postbag_session_get_running (fixture->session), ==, 0);
  /* On another connection, the members in another order, with an answer nobody asked for. */
  mcp_fixture_reconnect (fixture);
  retry (fixture, "\"again\":false,\"uids\":[1,2]", round.state,
         "\"extra\":" NO ",\"confirm\":" YES);
  assert_changed (fixture, 1);
  /* The accepted state counts once. */
  retry (fixture, "\"again\":false,\"uids\":[1,2]", round.state, "\"confirm\":" YES);
  replayed = take_round (fixture);
  g_assert_cmpuint (mcp_fixture_count_changes (), ==, 1);
}

static void
test_retry_decline (void)
{
  g_autoptr (McpFixture) fixture = mcp_fixture_new (NULL);
  g_auto (Round) round = { 0 };
  g_auto (Round) again = { 0 };

  mcp_fixture_send (fixture, CHANGE ("1", "\"uids\":[1]", "," ENVELOPE_ASKS));
  round = take_round (fixture);
  retry (fixture, "\"uids\":[1]", round.state, "\"confirm\":" NO);
  assert_refused (fixture, "said no");
  retry (fixture, "\"uids\":[1]", round.state, "\"confirm\":" NO);
  assert_refused (fixture, "said no");
  /* A question that got a no gets no yes. */
  retry (fixture, "\"uids\":[1]", round.state, "\"confirm\":" YES);
  again = take_round (fixture);
  g_assert_cmpuint (mcp_fixture_count_changes (), ==, 0);
}

/* What is no answer is asked again. */
static void
test_retry_no_answer (void)
{
  static const char *const responses[] = {
    "",
    "\"other\":" YES,
    "\"confirm\":7",
    "\"confirm\":{}",
    "\"confirm\":{\"action\":\"accept\"}",
    "\"confirm\":{\"action\":\"accept\",\"content\":{\"confirm\":\"true\"}}",
    "\"confirm\":{\"action\":\"accept\\u0000\",\"content\":{\"confirm\":true}}"
  };
  g_autoptr (McpFixture) fixture = mcp_fixture_new (NULL);
  g_auto (Round) round = { 0 };
  g_auto (Round) stateless = { 0 };

  mcp_fixture_send (fixture, CHANGE ("1", "\"uids\":[1]", "," ENVELOPE_ASKS));
  round = take_round (fixture);
  for (gsize i = 0; i < G_N_ELEMENTS (responses); i++)
    {
      g_auto (Round) again = { 0 };

      retry (fixture, "\"uids\":[1]", round.state, responses[i]);
      again = take_round (fixture);
    }
  /* Answers without any state are nobody's. */
  mcp_fixture_send (fixture, CHANGE ("1", "\"uids\":[1]",
                                     ",\"inputResponses\":{\"confirm\":" YES "}," ENVELOPE_ASKS));
  stateless = take_round (fixture);
  g_assert_cmpuint (mcp_fixture_count_changes (), ==, 0);
}

static void
test_retry_other_target (void)
{
  g_autoptr (McpFixture) fixture = mcp_fixture_new (NULL);
  g_auto (Round) round = { 0 };
  g_auto (Round) again = { 0 };
  g_auto (Round) expired = { 0 };

  mcp_fixture_send (fixture, CHANGE ("1", "\"uids\":[1]", "," ENVELOPE_ASKS));
  round = take_round (fixture);
  retry (fixture, "\"uids\":[1,2]", round.state, "\"confirm\":" YES);
  again = take_round (fixture);
  postbag_clock_advance (fixture->clock, POSTBAG_LIMIT_REQUEST_STATE_SECONDS * G_USEC_PER_SEC);
  retry (fixture, "\"uids\":[1]", round.state, "\"confirm\":" YES);
  expired = take_round (fixture);
  g_assert_cmpuint (mcp_fixture_count_changes (), ==, 0);
}

/* Counts as no answer, whoever made it: the question is asked afresh, and its state is a good one.
 */
static void
test_retry_foreign (void)
{
  g_autoptr (McpFixture) fixture = mcp_fixture_new (NULL);
  g_autoptr (McpFixture) other = mcp_fixture_new (NULL);
  g_auto (Round) round = { 0 };
  g_auto (Round) foreign = { 0 };
  g_auto (Round) last = { 0 };
  g_autofree char *altered = NULL;
  const char *states[] = { "garbage", "",
                           "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", NULL, NULL };

  mcp_fixture_send (fixture, CHANGE ("1", "\"uids\":[1]", "," ENVELOPE_ASKS));
  round = take_round (fixture);
  /* Of another server, with a key of its own. */
  mcp_fixture_send (other, CHANGE ("1", "\"uids\":[1]", "," ENVELOPE_ASKS));
  foreign = take_round (other);
  altered = g_strdup (round.state);
  altered[40] = altered[40] == 'A' ? 'B' : 'A';
  states[3] = altered;
  states[4] = foreign.state;
  for (gsize i = 0; i < G_N_ELEMENTS (states); i++)
    {
      clear_round (&last);
      retry (fixture, "\"uids\":[1]", states[i], "\"confirm\":" YES);
      last = take_round (fixture);
    }
  g_assert_cmpuint (mcp_fixture_count_changes (), ==, 0);
  retry (fixture, "\"uids\":[1]", last.state, "\"confirm\":" YES);
  assert_changed (fixture, 1);
}

/* A tool that asks nothing answers as it would without a state. */
static void
test_retry_asked_nothing (void)
{
  g_autoptr (McpFixture) fixture = mcp_fixture_new (NULL);
  g_auto (Round) round = { 0 };
  g_autoptr (JsonObject) message = NULL;

  mcp_fixture_send (fixture, CHANGE ("1", "\"uids\":[1]", "," ENVELOPE_ASKS));
  round = take_round (fixture);
  mcp_fixture_sendf (fixture,
                     "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{"
                     "\"name\":\"echo\",\"arguments\":{\"text\":\"a\"},\"requestState\":\"%s\","
                     "\"inputResponses\":{\"confirm\":" YES "}," ENVELOPE_ASKS "}}",
                     round.state);
  message = mcp_fixture_take (fixture);
  mcp_get_text (message, FALSE);
  g_assert_cmpuint (mcp_fixture_count_changes (), ==, 0);
}

static void
test_retry_malformed (void)
{
  static const char *const members[] = { ",\"inputResponses\":[]", ",\"requestState\":7",
                                         ",\"requestState\":\"a\\u0000\"" };
  g_autoptr (McpFixture) fixture = mcp_fixture_new (NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (members); i++)
    {
      g_autoptr (JsonObject) answer = NULL;

      mcp_fixture_sendf (fixture, CHANGE ("1", "\"uids\":[1]", "%s," ENVELOPE_ASKS), members[i]);
      answer = mcp_fixture_take (fixture);
      mcp_assert_error (answer, -32602);
    }
  g_assert_cmpuint (mcp_fixture_count_changes (), ==, 0);
}

static void
test_retry_two_rounds (void)
{
  g_autoptr (McpFixture) fixture = mcp_fixture_new (NULL);
  g_auto (Round) first = { 0 };
  g_auto (Round) second = { 0 };

  mcp_fixture_send (fixture, CHANGE ("1", "\"uids\":[1],\"again\":true", "," ENVELOPE_ASKS));
  first = take_round (fixture);
  retry (fixture, "\"uids\":[1],\"again\":true", first.state, "\"confirm\":" YES);
  second = take_round (fixture);
  g_assert_cmpstr (second.key, ==, "really");
  retry (fixture, "\"uids\":[1],\"again\":true", second.state, "\"really\":" YES);
  assert_changed (fixture, 1);
}

/* What a question was about changes after the yes: the person is asked anew, and whatever they say
 * to that, the yes counts for nothing, even where all is again as it was. */
static void
test_retry_yes_before_no (void)
{
  g_autoptr (McpFixture) fixture = mcp_fixture_new (NULL);
  g_auto (Round) first = { 0 };
  g_auto (Round) second = { 0 };
  g_auto (Round) third = { 0 };

  mcp_fixture_send (fixture, CHANGE ("1", "\"uids\":[1]", "," ENVELOPE_ASKS));
  first = take_round (fixture);
  mcp_fixture_set_target (1);
  retry (fixture, "\"uids\":[1]", first.state, "\"confirm\":" YES);
  second = take_round (fixture);
  mcp_fixture_set_target (0);
  retry (fixture, "\"uids\":[1]", second.state, "");
  third = take_round (fixture);
  g_assert_cmpuint (mcp_fixture_count_changes (), ==, 0);
  retry (fixture, "\"uids\":[1]", third.state, "\"confirm\":" YES);
  assert_changed (fixture, 1);
}

static void
test_elicit_yes_before_no (void)
{
  g_autoptr (McpFixture) fixture = make_legacy (NULL, "{\"elicitation\":{}}");
  g_autofree char *first = NULL;
  g_autofree char *second = NULL;
  g_autofree char *third = NULL;

  mcp_fixture_send (fixture, CHANGE ("1", "\"uids\":[1]", ""));
  first = take_question (fixture);
  mcp_fixture_set_target (1);
  mcp_fixture_sendf (fixture, RESPONSE (ACCEPT), first);
  second = take_question (fixture);
  mcp_fixture_set_target (0);
  mcp_fixture_sendf (fixture, RESPONSE ("\"result\":{\"action\":\"decline\"}"), second);
  third = take_question (fixture);
  g_assert_cmpuint (mcp_fixture_count_changes (), ==, 0);
  mcp_fixture_sendf (fixture, RESPONSE (ACCEPT), third);
  assert_changed (fixture, 1);
}

/* Where a yes cannot be noted as used, it does not count, and the reason is told. */
static void
test_retry_not_noted (void)
{
  g_autoptr (McpFixture) fixture = mcp_fixture_new (NULL);
  g_autofree char *marks = g_build_filename (fixture->state_dir, "used", NULL);
  g_auto (Round) round = { 0 };

  g_assert_true (g_file_set_contents (marks, "in the way", -1, NULL));
  mcp_fixture_send (fixture, CHANGE ("1", "\"uids\":[1]", "," ENVELOPE_ASKS));
  round = take_round (fixture);
  retry (fixture, "\"uids\":[1]", round.state, "\"confirm\":" YES);
  assert_refused (fixture, "Cannot note that a confirmation was used");
  g_assert_cmpuint (mcp_fixture_count_changes (), ==, 0);
}

/* --- a client that cannot ask: the same call twice --- */

/* (transfer full): the token of the error text that is the next answer */
static char *
take_token (McpFixture *fixture)
{
  g_autoptr (JsonObject) message = mcp_fixture_take (fixture);
  const char *text = mcp_get_text (message, TRUE);
  const char *token = strstr (text, "confirm_token “");

  g_test_message ("%s", text);
  g_assert_nonnull (token);
  g_assert_nonnull (strstr (text, "Change the messages?"));
  g_assert_nonnull (strstr (text, "“change”"));
  g_assert_nonnull (strstr (text, "only proves that the call was made twice"));
  token += strlen ("confirm_token “");
  g_assert_cmpuint (strspn (token, "0123456789abcdef"), ==, 32);
  return g_strndup (token, 32);
}

static void
call_with_token (McpFixture *fixture, const char *arguments, const char *token)
{
  mcp_fixture_sendf (fixture, CHANGE ("2", "%s,\"confirm_token\":\"%s\"", ""), arguments, token);
}

static void
test_token (void)
{
  g_autoptr (McpFixture) fixture = make_legacy (NULL, "{}");
  g_autofree char *token = NULL;

  mcp_fixture_send (fixture, CHANGE ("1", "\"uids\":[1]", ""));
  token = take_token (fixture);
  g_assert_cmpuint (mcp_fixture_count_changes (), ==, 0);
  call_with_token (fixture, "\"uids\":[2]", token);
  assert_refused (fixture, "something else");
  call_with_token (fixture, "\"uids\":[1]", "0123456789abcdef0123456789abcdef");
  assert_refused (fixture, "something else");
  call_with_token (fixture, "\"uids\":[1]", "yes");
  assert_refused (fixture, "not one of ours");
  call_with_token (fixture, "\"uids\":[1]", token);
  assert_changed (fixture, 1);
  call_with_token (fixture, "\"uids\":[1]", token);
  assert_refused (fixture, "used already");
  g_assert_cmpuint (mcp_fixture_count_changes (), ==, 1);
}

static void
test_token_expires (void)
{
  g_autoptr (McpFixture) fixture = make_legacy (NULL, "{}");
  g_autofree char *token = NULL;

  mcp_fixture_send (fixture, CHANGE ("1", "\"uids\":[1]", ""));
  token = take_token (fixture);
  postbag_clock_advance (fixture->clock, 300 * G_USEC_PER_SEC);
  call_with_token (fixture, "\"uids\":[1]", token);
  assert_refused (fixture, "expired");
  g_assert_cmpuint (mcp_fixture_count_changes (), ==, 0);
}

/* What can be taken back asks nobody, and a token that does not fit is replaced at once. */
static void
test_token_only (void)
{
  g_autoptr (McpFixture) fixture = make_legacy (NULL, "{\"elicitation\":{}}");
  g_autofree char *first = NULL;
  g_autofree char *second = NULL;

  mcp_fixture_send (fixture, CHANGE ("1", "\"uids\":[1],\"light\":true", ""));
  first = take_token (fixture);
  postbag_clock_advance (fixture->clock, 2 * G_USEC_PER_SEC);
  call_with_token (fixture, "\"uids\":[1],\"light\":true", "0123456789abcdef0123456789abcdef");
  second = take_token (fixture);
  g_assert_cmpstr (first, !=, second);
  call_with_token (fixture, "\"uids\":[1],\"light\":true", second);
  assert_changed (fixture, 1);
}

static void
test_token_clients (void)
{
  static const char *const capabilities[] = { "{}", "{\"elicitation\":{\"url\":{}}}",
                                              "{\"elicitation\":true}" };

  for (gsize i = 0; i < G_N_ELEMENTS (capabilities); i++)
    {
      g_autoptr (McpFixture) fixture = make_legacy (NULL, capabilities[i]);
      g_autofree char *token = NULL;

      mcp_fixture_send (fixture, CHANGE ("1", "\"uids\":[1]", ""));
      token = take_token (fixture);
    }
}

/* What another era's handshake said counts for nothing. */
static void
test_token_modern (void)
{
  g_autoptr (McpFixture) fixture = make_legacy (NULL, "{\"elicitation\":{}}");
  g_autofree char *token = NULL;

  mcp_fixture_send (fixture, CHANGE ("1", "\"uids\":[1]", "," ENVELOPE));
  token = take_token (fixture);
}

static void
test_asking_off (void)
{
  McpFixtureOptions options = { .elicitation = "false" };
  g_autoptr (McpFixture) fixture = make_legacy (&options, "{\"elicitation\":{}}");

  mcp_fixture_send (fixture, CHANGE ("1", "\"uids\":[1]", ""));
  assert_refused (fixture, "This server is configured not to ask");
}

static void
test_require_person (void)
{
  McpFixtureOptions options = { .require_person = TRUE };
  g_autoptr (McpFixture) fixture = make_legacy (&options, "{}");
  g_autofree char *question = NULL;

  mcp_fixture_send (fixture, CHANGE ("1", "\"uids\":[1]", ""));
  assert_refused (fixture, "without a person's answer");
  mcp_fixture_send (fixture, CHANGE ("1", "\"uids\":[1],\"light\":true", ""));
  assert_refused (fixture, "without a person's answer");
  mcp_fixture_send (fixture, CHANGE ("1", "\"uids\":[1]", "," ENVELOPE));
  assert_refused (fixture, "without a person's answer");
  mcp_fixture_initialize (fixture, "{\"elicitation\":{}}");
  mcp_fixture_send (fixture, CHANGE ("1", "\"uids\":[1],\"light\":true", ""));
  question = take_question (fixture);
  mcp_fixture_sendf (fixture, RESPONSE (ACCEPT), question);
  assert_changed (fixture, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ask/elicit/accept", test_elicit_accept);
  g_test_add_func ("/ask/elicit/no", test_elicit_no);
  g_test_add_func ("/ask/elicit/timeout", test_elicit_timeout);
  g_test_add_func ("/ask/elicit/cancelled", test_elicit_cancelled);
  g_test_add_func ("/ask/elicit/end-of-input", test_elicit_end_of_input);
  g_test_add_func ("/ask/elicit/twice", test_elicit_twice);
  g_test_add_func ("/ask/retry/accept", test_retry_accept);
  g_test_add_func ("/ask/retry/decline", test_retry_decline);
  g_test_add_func ("/ask/retry/no-answer", test_retry_no_answer);
  g_test_add_func ("/ask/retry/other-target", test_retry_other_target);
  g_test_add_func ("/ask/retry/foreign", test_retry_foreign);
  g_test_add_func ("/ask/retry/asked-nothing", test_retry_asked_nothing);
  g_test_add_func ("/ask/retry/malformed", test_retry_malformed);
  g_test_add_func ("/ask/retry/two-rounds", test_retry_two_rounds);
  g_test_add_func ("/ask/retry/yes-before-no", test_retry_yes_before_no);
  g_test_add_func ("/ask/elicit/yes-before-no", test_elicit_yes_before_no);
  g_test_add_func ("/ask/retry/not-noted", test_retry_not_noted);
  g_test_add_func ("/ask/token", test_token);
  g_test_add_func ("/ask/token/expires", test_token_expires);
  g_test_add_func ("/ask/token/only", test_token_only);
  g_test_add_func ("/ask/token/clients", test_token_clients);
  g_test_add_func ("/ask/token/modern", test_token_modern);
  g_test_add_func ("/ask/asking-off", test_asking_off);
  g_test_add_func ("/ask/require-person", test_require_person);
  return g_test_run ();
}
