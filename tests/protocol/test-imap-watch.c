/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Watching a mailbox: by IDLE on a connection of its own, by STATUS where that cannot be, and what
 * happens when connections break, flood or stall. The first connection is the pool's. */

#include <string.h>

#include "base/postbag-error.h"
#include "peer-store.h"

#define IDLE_READY GREETING, LOGIN_WITH ("IDLE")
#define COUNT(messages)                                                                            \
  "C:EXAMINE \"INBOX\"", "S:* " messages " EXISTS", "S:* OK [UIDVALIDITY 7] x",                    \
      "S:* OK [UIDNEXT 44] x", "S:%t OK [READ-ONLY]"
#define ASKED(messages, next)                                                                      \
  "C:NOOP", "S:%t OK", "C:STATUS \"INBOX\" (MESSAGES UNSEEN UIDNEXT UIDVALIDITY)",                 \
      "S:* STATUS INBOX (MESSAGES " messages " UNSEEN 1 UIDNEXT " next " UIDVALIDITY 7)",          \
      "S:%t OK"

static const char *const pool[] = { IDLE_READY, "STALL", NULL };

typedef struct
{
  GMutex lock;
  GCond cond;
  guint calls;
} Changes;

static void
count_change (const char *mailbox, gpointer user_data)
{
  Changes *changes = user_data;

  g_assert_cmpstr (mailbox, ==, "INBOX");
  g_mutex_lock (&changes->lock);
  changes->calls++;
  g_cond_signal (&changes->cond);
  g_mutex_unlock (&changes->lock);
}

static gboolean
wait_for_calls (Changes *changes, guint calls, guint milliseconds)
{
  gint64 deadline = g_get_monotonic_time () + (gint64)milliseconds * 1000;
  gboolean came;

  g_mutex_lock (&changes->lock);
  while (changes->calls < calls && g_cond_wait_until (&changes->cond, &changes->lock, deadline))
    ;
  came = changes->calls >= calls;
  g_mutex_unlock (&changes->lock);
  return came;
}

static void
wait_for_connections (Fixture *fixture, guint count)
{
  gint64 deadline = g_get_monotonic_time () + 10 * G_USEC_PER_SEC;

  while (peer_count (fixture->peer) < count && g_get_monotonic_time () < deadline)
    g_usleep (5000);
  g_assert_cmpuint (peer_count (fixture->peer), >=, count);
}

static Fixture *
begin_watching (const char *const *const *scripts, Changes *changes, guint *id)
{
  Fixture *fixture = begin (scripts);
  g_autoptr (GError) error = NULL;

  g_mutex_init (&changes->lock);
  g_cond_init (&changes->cond);
  fixture->store->watch_times = (PostbagImapWatchTimes){ .pause = 30,
                                                         .gap = 60,
                                                         .round = 60000,
                                                         .silence = DEADLINE * 4,
                                                         .poll = 40,
                                                         .steady = 60000,
                                                         .retry = 10,
                                                         .longest = 60000,
                                                         .rest = 60000 };
  *id = postbag_imap_store.watch (fixture->store, "INBOX", count_change, changes, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (*id, >, 0);
  return fixture;
}

/* Until the peer was told @words. */
static void
wait_for_line (Fixture *fixture, const char *words)
{
  gint64 deadline = g_get_monotonic_time () + 10 * G_USEC_PER_SEC;

  while (!peer_was_told (fixture->peer, words) && g_get_monotonic_time () < deadline)
    g_usleep (5000);
  g_assert_true (peer_was_told (fixture->peer, words));
}

/* The lines of @log that hold @words. */
static guint
count_lines (const char *log, const char *words)
{
  guint count = 0;

  for (const char *at = strstr (log, words); at != NULL; at = strstr (at + 1, words))
    count++;
  return count;
}

/* --- IDLE --- */

/* Several replies are one change; what is no change is not told. */
static void
test_idle (void)
{
  static const char *const waiting[] = { IDLE_READY,
                                         COUNT ("3"),
                                         "C:IDLE",
                                         "S:+ idling",
                                         "S:* 3 EXISTS",
                                         "S:* OK Still here",
                                         "S:* 4 EXISTS",
                                         "S:* 4 RECENT",
                                         "S:* 4 FETCH (FLAGS (\\Recent))",
                                         "STALL",
                                         NULL };
  static const char *const *const scripts[] = { pool, waiting, NULL };
  Changes changes = { 0 };
  guint id;
  Fixture *fixture = begin_watching (scripts, &changes, &id);
  g_autofree char *log = NULL;

  g_assert_true (wait_for_calls (&changes, 1, 10000));
  g_assert_false (wait_for_calls (&changes, 2, 200));
  postbag_imap_store.unwatch (fixture->store, id);
  postbag_imap_store.unwatch (fixture->store, id + 1);
  log = end (fixture);
  g_assert_nonnull (strstr (log, "w1 EXAMINE \"INBOX\"\nw2 IDLE\n"));
  /* The log is that of both connections, which end at the same time. */
  g_assert_cmpuint (count_lines (log, "DONE\n"), ==, 1);
  g_assert_cmpuint (count_lines (log, "z LOGOUT\n"), ==, 2);
}

/* IDLE is ended and issued anew, in the same connection; news after that are told, too. */
static void
test_idle_again (void)
{
  static const char *const waiting[] = { IDLE_READY,
                                         COUNT ("3"),
                                         "C:IDLE",
                                         "S:+ idling",
                                         "L",
                                         "S:* 1 EXPUNGE",
                                         "S:%t OK done",
                                         "C:IDLE",
                                         "S:+",
                                         "S:* 2 EXISTS",
                                         "L",
                                         "S:%t OK done",
                                         "C:IDLE",
                                         "S:+ once again",
                                         "S:* 2 FETCH (FLAGS (\\Seen))",
                                         "STALL",
                                         NULL };
  static const char *const *const scripts[] = { pool, waiting, NULL };
  Changes changes = { 0 };
  Fixture *fixture = begin (scripts);
  g_autofree char *log = NULL;
  guint id;

  g_mutex_init (&changes.lock);
  g_cond_init (&changes.cond);
  fixture->store->watch_times.round = 150;
  fixture->store->watch_times.pause = 30;
  fixture->store->watch_times.gap = 60;
  id = postbag_imap_store.watch (fixture->store, "INBOX", count_change, &changes, NULL);
  g_assert_true (wait_for_calls (&changes, 2, 10000));
  postbag_imap_store.unwatch (fixture->store, id);
  g_assert_cmpuint (peer_count (fixture->peer), ==, 2);
  log = end (fixture);
  g_assert_nonnull (strstr (log, "w2 IDLE\nDONE\nw3 IDLE\nDONE\nw4 IDLE\n"));
}

/* A mailbox that was looked at before: what came in between is told. */
static void
test_change_before_idle (void)
{
  static const char *const listing[] = { GREETING, LOGIN_WITH ("IDLE"), EXAMINE, "STALL", NULL };
  static const char *const waiting[] = { IDLE_READY, COUNT ("4"), "C:IDLE", "S:+", "STALL", NULL };
  static const char *const *const scripts[] = { listing, waiting, NULL };
  Changes changes = { 0 };
  Fixture *fixture = begin (scripts);
  g_autoptr (PostbagSearch) all = postbag_search_new ();
  PostbagPage page = { .limit = 0 };
  g_autoptr (PostbagSearchPage) result =
      postbag_imap_store.search (fixture->store, "INBOX", all, &page, NULL, NULL);

  g_assert_cmpint (result->total, ==, 3);
  g_mutex_init (&changes.lock);
  g_cond_init (&changes.cond);
  g_assert_cmpuint (
      postbag_imap_store.watch (fixture->store, "INBOX", count_change, &changes, NULL), >, 0);
  g_assert_true (wait_for_calls (&changes, 1, 10000));
  end_quietly (fixture);
}

/* Connections that break are replaced; what changed in between is told, and nothing else. */
static void
test_dropped (void)
{
  static const char *const first[] = { IDLE_READY, COUNT ("3"), "C:IDLE", "S:+ idling", NULL };
  static const char *const same[] = { IDLE_READY,   COUNT ("3"),           "C:IDLE",
                                      "S:+ idling", "S:* BYE for a while", NULL };
  static const char *const more[] = {
    IDLE_READY, COUNT ("5"), "C:IDLE", "S:+ idling", "STALL", NULL
  };
  static const char *const *const scripts[] = { pool, first, same, more, NULL };
  Changes changes = { 0 };
  guint id;
  Fixture *fixture = begin_watching (scripts, &changes, &id);

  wait_for_connections (fixture, 4);
  g_assert_true (wait_for_calls (&changes, 1, 10000));
  g_assert_false (wait_for_calls (&changes, 2, 200));
  end_quietly (fixture);
}

/* Server after server that breaks at once: no storm of connections, STATUS instead. */
static void
test_dropped_always (void)
{
  static const char *const asked[] = { IDLE_READY,        ASKED ("3", "44"), ASKED ("4", "45"),
                                       ASKED ("4", "45"), "STALL",           NULL };
  static const char *const breaking[] = { IDLE_READY, COUNT ("3"), "C:IDLE", NULL };
  static const char *const *const scripts[] = { asked, breaking, NULL };
  Changes changes = { 0 };
  guint id;
  Fixture *fixture = begin_watching (scripts, &changes, &id);

  g_assert_true (wait_for_calls (&changes, 1, 10000));
  g_assert_cmpuint (peer_count (fixture->peer), ==, 4);
  end_quietly (fixture);
}

/* --- STATUS --- */

/* One write each time: the peer reads both commands before it answers. */
static void
test_poll (void)
{
  static const char *const asked[] = {
    READY, ASKED ("3", "44"), ASKED ("3", "44"), ASKED ("4", "45"), "STALL", NULL
  };
  static const char *const *const scripts[] = { asked, NULL };
  Changes changes = { 0 };
  guint id;
  Fixture *fixture = begin_watching (scripts, &changes, &id);
  g_autofree char *log = NULL;

  g_assert_true (wait_for_calls (&changes, 1, 10000));
  postbag_imap_store.unwatch (fixture->store, id);
  g_assert_cmpuint (peer_count (fixture->peer), ==, 1);
  log = end (fixture);
  g_assert_cmpuint (count_lines (log, "IDLE"), ==, 0);
  g_assert_cmpuint (count_lines (log, " STATUS "), >=, 3);
}

/* IDLE is announced and not taken, or there may be no further connection. */
static void
test_idle_impossible (void)
{
  static const char *const asked[] = { IDLE_READY, ASKED ("3", "44"), ASKED ("4", "45"), "STALL",
                                       NULL };
  static const char *const refusing[] = { IDLE_READY,         COUNT ("3"), "C:IDLE",
                                          "S:%t BAD unknown", "STALL",     NULL };
  static const char *const limited[] = { GREETING, "C:LOGIN", "S:%t NO [LIMIT] too many", NULL };
  static const char *const *const scripts[][3] = { { asked, refusing, NULL },
                                                   { asked, limited, NULL } };

  for (gsize i = 0; i < G_N_ELEMENTS (scripts); i++)
    {
      Changes changes = { 0 };
      guint id;
      Fixture *fixture = begin_watching (scripts[i], &changes, &id);

      g_assert_true (wait_for_calls (&changes, 1, 10000));
      g_assert_cmpuint (peer_count (fixture->peer), ==, 2);
      end_quietly (fixture);
    }
}

/* --- ends --- */

/* Told now and then, then the connection is left. */
static void
test_flood (void)
{
  static const char *const flooding[] = {
    IDLE_READY, COUNT ("3"), "C:IDLE", "S:+ idling", "FLOOD:* 2 FETCH (FLAGS (\\Seen))", NULL
  };
  static const char *const quiet[] = { IDLE_READY, COUNT ("3"), "C:IDLE", "S:+", "STALL", NULL };
  static const char *const *const scripts[] = { pool, flooding, quiet, NULL };
  Changes changes = { 0 };
  guint id;
  Fixture *fixture = begin_watching (scripts, &changes, &id);
  gint64 start = g_get_monotonic_time ();

  wait_for_connections (fixture, 3);
  g_assert_true (wait_for_calls (&changes, 1, 10000));
  g_mutex_lock (&changes.lock);
  g_assert_cmpuint (changes.calls, <=, (g_get_monotonic_time () - start) / 60000 + 3);
  g_mutex_unlock (&changes.lock);
  end_quietly (fixture);
}

/* Wherever the server stalls, unwatch and close come back at once, and nobody is told after. */
static void
test_ends_promptly (void)
{
  static const char *const greeting[] = { "STALL", NULL };
  static const char *const selecting[] = { IDLE_READY, "C:EXAMINE", "STALL", NULL };
  static const char *const idling[] = { IDLE_READY, COUNT ("3"), "C:IDLE", "STALL", NULL };
  static const char *const *const scripts[][3] = {
    { greeting, NULL }, { pool, greeting, NULL }, { pool, selecting, NULL }, { pool, idling, NULL }
  };

  for (gsize i = 0; i < G_N_ELEMENTS (scripts) * 2; i++)
    {
      Changes changes = { 0 };
      guint id;
      Fixture *fixture = begin_watching (scripts[i / 2], &changes, &id);
      gint64 start;

      wait_for_connections (fixture, scripts[i / 2][1] != NULL ? 2 : 1);
      g_usleep (20000);
      start = g_get_monotonic_time ();
      if (i % 2 == 0)
        postbag_imap_store.unwatch (fixture->store, id);
      g_assert_cmpint (g_get_monotonic_time () - start, <, DEADLINE * 1000 / 2);
      end_quietly (fixture);
      g_assert_cmpint (g_get_monotonic_time () - start, <, DEADLINE * 1000);
      g_assert_cmpuint (changes.calls, ==, 0);
    }
}

typedef struct
{
  Changes changes;
  Fixture *fixture;
  guint id;
} Leaver;

static void
leave (const char *mailbox, gpointer user_data)
{
  Leaver *leaver = user_data;

  g_mutex_lock (&leaver->changes.lock);
  postbag_imap_store.unwatch (leaver->fixture->store, leaver->id);
  g_mutex_unlock (&leaver->changes.lock);
  count_change (mailbox, &leaver->changes);
}

/* Two listeners of one mailbox share a connection; one of them leaves while it is told. */
static void
test_two_listeners (void)
{
  static const char *const waiting[] = { IDLE_READY, COUNT ("3"),    "C:IDLE", "S:+",
                                         "B",        "S:* 4 EXISTS", "STALL",  NULL };
  static const char *const *const scripts[] = { pool, waiting, NULL };
  Leaver leaver = { 0 };
  Changes changes = { 0 };
  guint id;

  g_mutex_init (&leaver.changes.lock);
  g_cond_init (&leaver.changes.cond);
  leaver.fixture = begin (scripts);
  leaver.fixture->store->watch_times.round = 200;
  leaver.fixture->store->watch_times.pause = 20;
  g_mutex_lock (&leaver.changes.lock);
  leaver.id = postbag_imap_store.watch (leaver.fixture->store, "INBOX", leave, &leaver, NULL);
  g_mutex_unlock (&leaver.changes.lock);
  g_mutex_init (&changes.lock);
  g_cond_init (&changes.cond);
  id = postbag_imap_store.watch (leaver.fixture->store, "INBOX", count_change, &changes, NULL);
  g_assert_cmpuint (id, !=, leaver.id);
  g_assert_true (wait_for_calls (&leaver.changes, 1, 10000));
  g_assert_true (wait_for_calls (&changes, 1, 10000));
  g_assert_cmpuint (peer_count (leaver.fixture->peer), ==, 2);
  end_quietly (leaver.fixture);
  g_assert_cmpuint (leaver.changes.calls, ==, 1);
}

/* --- a server that gives one connection --- */

/* It waits for news while nobody calls, goes to a call, and comes back. */
static void
test_one_connection (void)
{
  static const char *const full[] = { GREETING, "C:LOGIN", "S:%t NO [LIMIT] one is enough", NULL };
  static const char *const polled[] = { IDLE_READY, "MARK", ASKED ("3", "44"), "LOOP", NULL };
  static const char *const waiting[] = { IDLE_READY, COUNT ("3"), "C:IDLE", "S:+ idling",
                                         "L",        "C:LOGOUT",  NULL };
  static const char *const calling[] = { IDLE_READY, EXAMINE,           FETCHED ("9", "text!"),
                                         "MARK",     ASKED ("3", "44"), "LOOP",
                                         NULL };
  static const char *const again[] = { IDLE_READY,     COUNT ("3"), "C:IDLE", "S:+ idling",
                                       "S:* 4 EXISTS", "STALL",     NULL };
  static const char *const *const scripts[] = { polled, full, waiting, full, calling, again, NULL };
  Changes changes = { 0 };
  guint id;
  Fixture *fixture = begin_watching (scripts, &changes, &id);
  g_autofree char *log = NULL;

  fixture->store->watch_times.retry = 300;
  fixture->store->watch_times.rest = 50;
  wait_for_connections (fixture, 3);
  wait_for_line (fixture, " IDLE");
  assert_fetch_works (fixture, 9, "text!");
  g_assert_true (wait_for_calls (&changes, 1, 10000));
  g_assert_cmpuint (peer_count (fixture->peer), ==, 6);
  postbag_imap_store.unwatch (fixture->store, id);
  log = end (fixture);
  g_assert_cmpuint (count_lines (log, " IDLE\n"), ==, 2);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/imap/watch/idle", test_idle);
  g_test_add_func ("/imap/watch/idle-again", test_idle_again);
  g_test_add_func ("/imap/watch/change-before-idle", test_change_before_idle);
  g_test_add_func ("/imap/watch/dropped", test_dropped);
  g_test_add_func ("/imap/watch/dropped-always", test_dropped_always);
  g_test_add_func ("/imap/watch/poll", test_poll);
  g_test_add_func ("/imap/watch/idle-impossible", test_idle_impossible);
  g_test_add_func ("/imap/watch/flood", test_flood);
  g_test_add_func ("/imap/watch/ends-promptly", test_ends_promptly);
  g_test_add_func ("/imap/watch/two-listeners", test_two_listeners);
  g_test_add_func ("/imap/watch/one-connection", test_one_connection);
  return g_test_run ();
}
