/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <string.h>

#include "base/postbag-limits.h"
#include "mcp-fixture.h"

#define SLOW(id, params)                                                                           \
  "{\"jsonrpc\":\"2.0\",\"id\":" id                                                                \
  ",\"method\":\"tools/call\",\"params\":{\"name\":\"slow\"" params "}}"
#define CANCEL(id)                                                                                 \
  "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":" id "}}"
#define PING "{\"jsonrpc\":\"2.0\",\"id\":\"p\",\"method\":\"ping\"}"

static McpFixture *
make_legacy (const McpFixtureOptions *options)
{
  McpFixture *fixture = mcp_fixture_new (options);

  mcp_fixture_initialize (fixture, "{}");
  return fixture;
}

static void
assert_answered (McpFixture *fixture, const char *id)
{
  g_autofree char *text = mcp_fixture_take_text (fixture);
  g_autofree char *start = g_strdup_printf ("{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":", id);

  g_assert_true (g_str_has_prefix (text, start));
}

static void
test_ping_overtakes (void)
{
  g_autoptr (McpFixture) fixture = make_legacy (NULL);

  mcp_fixture_send (fixture, SLOW ("1", ""));
  mcp_fixture_wait_slow (1);
  mcp_fixture_send (fixture, PING);
  assert_answered (fixture, "\"p\"");
  mcp_fixture_send (fixture, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{"
                             "\"name\":\"echo\",\"arguments\":{\"text\":\"a\"}}}");
  assert_answered (fixture, "2");
  g_assert_cmpuint (postbag_session_get_running (fixture->session), ==, 1);
  mcp_fixture_release_slow ();
  assert_answered (fixture, "1");
  g_assert_cmpuint (postbag_session_get_running (fixture->session), ==, 0);
}

/* --- progress --- */

static void
assert_progress (McpFixture *fixture, const char *token)
{
  for (guint i = 0; i < 3; i++)
    {
      g_autofree char *text = mcp_fixture_take_text (fixture);
      g_autofree char *start =
          g_strdup_printf ("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\","
                           "\"params\":{\"progressToken\":%s,\"progress\":%u,\"total\":3,"
                           "\"message\":\"working\"}}",
                           token, i + 1);

      g_assert_cmpstr (text, ==, start);
    }
}

static void
test_progress (void)
{
  static const char *const tokens[] = { "7", "\"7\"", "9007199254740993", "\"a\\u0000b\"" };

  for (gsize i = 0; i < G_N_ELEMENTS (tokens); i++)
    {
      g_autoptr (McpFixture) fixture = make_legacy (NULL);

      mcp_fixture_release_slow ();
      mcp_fixture_sendf (
          fixture, SLOW ("1", ",\"arguments\":{\"reports\":3},\"_meta\":{\"progressToken\":%s}"),
          tokens[i]);
      assert_progress (fixture, tokens[i]);
      assert_answered (fixture, "1");
      mcp_fixture_assert_silent (fixture);
    }
}

static void
test_no_token_no_progress (void)
{
  g_autoptr (McpFixture) fixture = make_legacy (NULL);

  mcp_fixture_release_slow ();
  mcp_fixture_send (fixture, SLOW ("1", ",\"arguments\":{\"reports\":3}"));
  assert_answered (fixture, "1");
  mcp_fixture_assert_silent (fixture);
}

/* --- cancellation --- */

static void
test_cancel (void)
{
  g_autoptr (McpFixture) fixture = make_legacy (NULL);

  mcp_fixture_send (fixture, SLOW ("\"c\"", ""));
  mcp_fixture_wait_slow (1);
  mcp_fixture_send (fixture, CANCEL ("1"));
  g_assert_cmpuint (postbag_session_get_running (fixture->session), ==, 1);
  mcp_fixture_send (fixture, CANCEL ("\"c\""));
  mcp_fixture_wait_slow (0);
  mcp_fixture_assert_silent (fixture);
  g_assert_cmpuint (postbag_session_get_running (fixture->session), ==, 0);
  /* Too late is harmless, and the id is free again. */
  mcp_fixture_send (fixture, CANCEL ("\"c\""));
  mcp_fixture_release_slow ();
  mcp_fixture_send (fixture, SLOW ("\"c\"", ""));
  assert_answered (fixture, "\"c\"");
}

/* A call that waits for a thread is cancelled without ever running. */
static void
test_cancel_queued (void)
{
  McpFixtureOptions options = { .max_threads = 1 };
  g_autoptr (McpFixture) fixture = make_legacy (&options);

  mcp_fixture_send (fixture, SLOW ("1", ""));
  mcp_fixture_wait_slow (1);
  mcp_fixture_send (fixture, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{"
                             "\"name\":\"change\",\"arguments\":{\"uids\":[1]}}}");
  mcp_fixture_send (fixture, CANCEL ("2"));
  mcp_fixture_release_slow ();
  assert_answered (fixture, "1");
  mcp_fixture_assert_silent (fixture);
}

static void
test_cancel_modern (void)
{
  g_autoptr (McpFixture) fixture = mcp_fixture_new (NULL);

  mcp_fixture_send (fixture, SLOW ("1", "," ENVELOPE));
  mcp_fixture_wait_slow (1);
  mcp_fixture_send (fixture, CANCEL ("1"));
  mcp_fixture_wait_slow (0);
  mcp_fixture_assert_silent (fixture);
}

/* A second initialize ends what the first client left behind, and nothing of a modern one's. */
static void
test_initialize_again (void)
{
  g_autoptr (McpFixture) fixture = make_legacy (NULL);

  mcp_fixture_send (fixture, SLOW ("1", ""));
  mcp_fixture_send (fixture, SLOW ("2", "," ENVELOPE));
  mcp_fixture_wait_slow (2);
  mcp_fixture_initialize (fixture, "{}");
  mcp_fixture_wait_slow (1);
  mcp_fixture_release_slow ();
  assert_answered (fixture, "2");
  mcp_fixture_assert_silent (fixture);
}

static void
test_id_in_use (void)
{
  g_autoptr (McpFixture) fixture = make_legacy (NULL);
  g_autoptr (JsonObject) message = NULL;

  mcp_fixture_send (fixture, SLOW ("1", ""));
  mcp_fixture_send (fixture, SLOW ("1", ""));
  message = mcp_fixture_take (fixture);
  mcp_assert_error (message, -32600);
  mcp_fixture_send (fixture, SLOW ("\"1\"", ""));
  mcp_fixture_wait_slow (2);
  mcp_fixture_release_slow ();
  json_object_unref (mcp_fixture_take (fixture));
  json_object_unref (mcp_fixture_take (fixture));
  mcp_fixture_assert_silent (fixture);
}

/* --- bounds --- */

static void
test_too_many (void)
{
  McpFixtureOptions options = { .max_threads = 2 };
  g_autoptr (McpFixture) fixture = make_legacy (&options);
  g_autoptr (JsonObject) message = NULL;
  g_autoptr (JsonObject) refused = NULL;

  for (guint i = 0; i < POSTBAG_LIMIT_CALLS_IN_FLIGHT; i++)
    mcp_fixture_sendf (fixture, SLOW ("%u", ""), i);
  mcp_fixture_wait_slow (2);
  mcp_fixture_send (fixture, SLOW ("\"more\"", ""));
  message = mcp_fixture_take (fixture);
  g_assert_nonnull (strstr (mcp_get_text (message, TRUE), "Too many"));
  /* Cancelling frees no place before a worker has let go: a flood of both stays bounded. */
  mcp_fixture_send (fixture, CANCEL ("200"));
  mcp_fixture_send (fixture, SLOW ("\"instead\"", ""));
  refused = mcp_fixture_take (fixture);
  g_assert_nonnull (strstr (mcp_get_text (refused, TRUE), "Too many"));
  mcp_fixture_send (fixture, PING);
  assert_answered (fixture, "\"p\"");
  mcp_fixture_release_slow ();
  for (guint i = 0; i < POSTBAG_LIMIT_CALLS_IN_FLIGHT - 1; i++)
    json_object_unref (mcp_fixture_take (fixture));
  mcp_fixture_assert_silent (fixture);
  mcp_fixture_send (fixture, SLOW ("\"more\"", ""));
  assert_answered (fixture, "\"more\"");
}

/* A few large requests are as much as many small ones. One of these has 190,000 values, which take
 * about 24 MiB. */
static void
test_too_large (void)
{
  g_autoptr (McpFixture) fixture = make_legacy (NULL);
  g_autoptr (GString) zeros = g_string_new (",\"x\":[0");
  g_autoptr (JsonObject) refused = NULL;

  for (guint i = 0; i < 190000; i++)
    g_string_append (zeros, ",0");
  g_string_append_c (zeros, ']');
  mcp_fixture_sendf (fixture, SLOW ("1", "%s"), zeros->str);
  mcp_fixture_sendf (fixture, SLOW ("2", "%s"), zeros->str);
  mcp_fixture_wait_slow (2);
  mcp_fixture_sendf (fixture, SLOW ("3", "%s"), zeros->str);
  refused = mcp_fixture_take (fixture);
  g_assert_cmpint (mcp_get_int (refused, "id"), ==, 3);
  g_assert_nonnull (strstr (mcp_get_text (refused, TRUE), "Too many"));
  mcp_fixture_send (fixture, SLOW ("4", ""));
  mcp_fixture_assert_silent (fixture);
  mcp_fixture_release_slow ();
  for (guint i = 0; i < 3; i++)
    json_object_unref (mcp_fixture_take (fixture));
  mcp_fixture_assert_silent (fixture);
  g_assert_cmpuint (fixture->session->weight, ==, 0);
}

static void
test_back_pressure (void)
{
  g_autoptr (McpFixture) fixture = make_legacy (NULL);

  mcp_fixture_release_slow ();
  g_assert_true (postbag_session_wants_input (fixture->session));
  postbag_session_set_queued (fixture->session, POSTBAG_LIMIT_OUTPUT_QUEUE_BYTES + 1);
  g_assert_false (postbag_session_wants_input (fixture->session));
  mcp_fixture_send (fixture, SLOW ("1", ""));
  mcp_fixture_send (fixture, SLOW ("2", ""));
  mcp_fixture_send (fixture, CANCEL ("2"));
  mcp_fixture_assert_silent (fixture);
  g_assert_cmpuint (postbag_session_get_running (fixture->session), ==, 1);
  postbag_session_set_queued (fixture->session, 0);
  assert_answered (fixture, "1");
  mcp_fixture_assert_silent (fixture);
}

static void
test_close (void)
{
  g_autoptr (McpFixture) fixture = make_legacy (NULL);

  mcp_fixture_send (fixture, SLOW ("1", ""));
  mcp_fixture_send (fixture, SLOW ("2", "," ENVELOPE));
  mcp_fixture_wait_slow (2);
  mcp_fixture_reconnect (fixture);
  mcp_fixture_wait_slow (0);
  mcp_fixture_assert_silent (fixture);
}

static guint
count_threads (void)
{
  g_autoptr (GDir) tasks = g_dir_open ("/proc/self/task", 0, NULL);
  guint count = 0;

  while (g_dir_read_name (tasks) != NULL)
    count++;
  return count;
}

/* No thread of a call is still on its way out when the program goes on to its end. */
static void
test_threads_end (void)
{
  guint before = count_threads ();
  gint64 deadline = g_get_monotonic_time () + 10 * G_USEC_PER_SEC;
  g_autoptr (McpFixture) fixture = make_legacy (NULL);

  for (guint i = 0; i < 10; i++)
    mcp_fixture_sendf (fixture, SLOW ("%u", ""), i);
  mcp_fixture_wait_slow (10);
  g_assert_cmpuint (count_threads (), ==, before + 10);
  mcp_fixture_release_slow ();
  g_assert_true (postbag_server_shut_down (fixture->server));
  /* The kernel's entry of a thread that was joined may live a moment longer. */
  while (count_threads () != before)
    g_assert_cmpint (g_get_monotonic_time (), <, deadline);
}

/* The server goes down under a running call. */
static void
test_shut_down (void)
{
  g_autoptr (McpFixture) fixture = make_legacy (NULL);

  mcp_fixture_send (fixture, SLOW ("1", ""));
  mcp_fixture_wait_slow (1);
  postbag_server_shut_down (fixture->server);
  g_assert_cmpuint (mcp_fixture_count_slow (), ==, 0);
  g_assert_cmpuint (fixture->lines->len, ==, 0);
  mcp_fixture_send (fixture, PING);
  g_assert_cmpuint (fixture->lines->len, ==, 0);
}

/* A client that asks for much and reads nothing: what waits for it stays bounded, calls that were
 * accepted and not begun wait with it. */
static void
test_unread_answers (void)
{
  McpFixtureOptions options = { .max_threads = 4 };
  g_autoptr (McpFixture) fixture = mcp_fixture_new (&options);
  gsize most = POSTBAG_LIMIT_OUTPUT_QUEUE_BYTES + 4 * 2 * (1024 * 1024 + 1000);
  guint answers = 0;

  mcp_fixture_initialize (fixture, "{}");
  fixture->unread = 0;
  fixture->is_lazy = TRUE;
  for (int i = 0; i < 100; i++)
    mcp_fixture_sendf (fixture,
                       "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\",\"params\":{"
                       "\"name\":\"big\",\"arguments\":{\"bytes\":1048576}}}",
                       i);
  mcp_fixture_settle (fixture);
  g_assert_cmpuint (fixture->unread, >, POSTBAG_LIMIT_OUTPUT_QUEUE_BYTES);
  g_assert_cmpuint (fixture->unread, <=, most);
  /* It reads on, and misses nothing. */
  while (answers < 100)
    {
      g_free (mcp_fixture_take_text (fixture));
      answers++;
      if (fixture->lines->len > 0)
        continue;
      fixture->unread = 0;
      postbag_session_set_queued (fixture->session, 0);
    }
  mcp_fixture_assert_silent (fixture);
}

static void
send_echo (McpFixture *fixture, const char *id)
{
  mcp_fixture_sendf (fixture,
                     "{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"tools/call\",\"params\":{"
                     "\"name\":\"echo\",\"arguments\":{\"text\":\"a\"}}}",
                     id);
  assert_answered (fixture, id);
}

static void
assert_told (guint written, guint not_written)
{
  g_assert_cmpuint (mcp_fixture_count_told (TRUE), ==, written);
  g_assert_cmpuint (mcp_fixture_count_told (FALSE), ==, not_written);
}

/* Who waits for an answer to leave hears of it when the transport has written all it had, or when
 * the session ends without that. */
static void
test_told (void)
{
  g_autoptr (McpFixture) fixture = make_legacy (NULL);

  send_echo (fixture, "1");
  assert_told (1, 0);
  postbag_session_set_queued (fixture->session, 1000000); /* the two that come */
  send_echo (fixture, "2");
  send_echo (fixture, "3");
  assert_told (1, 0);
  postbag_session_set_queued (fixture->session, 1); /* of the third answer */
  assert_told (1, 0);
  postbag_session_set_queued (fixture->session, 0);
  assert_told (3, 0);
  postbag_session_set_queued (fixture->session, 1);
  send_echo (fixture, "4");
  mcp_fixture_reconnect (fixture);
  assert_told (3, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/concurrency/ping-overtakes", test_ping_overtakes);
  g_test_add_func ("/concurrency/unread-answers", test_unread_answers);
  g_test_add_func ("/concurrency/progress", test_progress);
  g_test_add_func ("/concurrency/no-token-no-progress", test_no_token_no_progress);
  g_test_add_func ("/concurrency/cancel", test_cancel);
  g_test_add_func ("/concurrency/cancel/queued", test_cancel_queued);
  g_test_add_func ("/concurrency/cancel/modern", test_cancel_modern);
  g_test_add_func ("/concurrency/initialize-again", test_initialize_again);
  g_test_add_func ("/concurrency/id-in-use", test_id_in_use);
  g_test_add_func ("/concurrency/too-many", test_too_many);
  g_test_add_func ("/concurrency/too-large", test_too_large);
  g_test_add_func ("/concurrency/back-pressure", test_back_pressure);
  g_test_add_func ("/concurrency/told", test_told);
  g_test_add_func ("/concurrency/close", test_close);
  g_test_add_func ("/concurrency/threads-end", test_threads_end);
  g_test_add_func ("/concurrency/shut-down", test_shut_down);
  return g_test_run ();
}
