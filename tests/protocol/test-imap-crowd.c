/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Many calls at once: on one connection, and in line for one. */

#include <string.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "peer-store.h"

static gpointer
fetch_hopelessly (gpointer data)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (fetch (data, 9, &error));
  return NULL;
}

static gpointer
cancel_soon (gpointer cancellable)
{
  g_usleep (100000);
  g_cancellable_cancel (cancellable);
  return NULL;
}

/* As many accounts as may connect at once are stuck; the call of one more is given up at once. */
static void
test_cancelled_in_line (void)
{
  static const char *const stuck[] = { "STALL", NULL };
  static const char *const *const scripts[] = { stuck, NULL };
  Fixture *fixtures[POSTBAG_LIMIT_IMAP_CONNECTING];
  GThread *threads[POSTBAG_LIMIT_IMAP_CONNECTING];
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  Fixture *last = begin (scripts);
  GThread *canceller;
  gint64 start;

  for (guint i = 0; i < POSTBAG_LIMIT_IMAP_CONNECTING; i++)
    {
      fixtures[i] = begin (scripts);
      threads[i] = g_thread_new ("stuck", fetch_hopelessly, fixtures[i]);
      while (peer_count (fixtures[i]->peer) == 0)
        g_usleep (1000);
    }
  start = g_get_monotonic_time ();
  canceller = g_thread_new ("cancel", cancel_soon, cancellable);
  g_assert_null (
      postbag_imap_store.fetch_message (last->store, "INBOX", 9, 1024, cancellable, &error));
  g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_CANCELLED);
  g_assert_cmpint (g_get_monotonic_time () - start, <, DEADLINE * 1000 / 2);
  g_assert_cmpuint (peer_count (last->peer), ==, 0);
  g_thread_join (canceller);
  end_quietly (last);
  for (guint i = 0; i < POSTBAG_LIMIT_IMAP_CONNECTING; i++)
    {
      g_thread_join (threads[i]);
      end_quietly (fixtures[i]);
    }
}

typedef struct
{
  Fixture *fixture;
  guint32 uid;
} Job;

static gpointer
fetch_one (gpointer data)
{
  const Job *job = data;

  assert_fetch_works (job->fixture, job->uid, "text!");
  return NULL;
}

/* The server gives one connection and answers nothing before all 32 calls are on it. */
static void
test_pipelined (void)
{
  static const char *const full[] = { GREETING, "C:LOGIN", "S:%t NO [LIMIT] one is enough", NULL };
  static const char *const begun[] = { READY, "C:EXAMINE" };
  static const char *const examined[] = { "S:* 3 EXISTS", "S:* OK [UIDVALIDITY 7] x",
                                          "S:p1 OK [READ-ONLY]" };
  g_autoptr (GPtrArray) script = g_ptr_array_new ();
  g_autoptr (GPtrArray) owned = g_ptr_array_new_with_free_func (g_free);
  const char *const *scripts[] = { NULL, full, NULL };
  GThread *threads[32];
  Job jobs[32];
  Fixture *fixture;

  for (guint i = 0; i < G_N_ELEMENTS (begun); i++)
    g_ptr_array_add (script, (gpointer)begun[i]);
  for (guint i = 0; i < 32; i++)
    g_ptr_array_add (script, (gpointer) "C:UID FETCH");
  for (guint i = 0; i < G_N_ELEMENTS (examined); i++)
    g_ptr_array_add (script, (gpointer)examined[i]);
  /* In another order than asked for; all before anything is done. */
  for (guint i = 0; i < 32; i++)
    {
      g_ptr_array_add (owned, g_strdup_printf ("S:* %u FETCH (UID %u RFC822.SIZE 5 BODY[]<0> "
                                               "\"text!\")",
                                               32 - i, 132 - i));
      g_ptr_array_add (script, g_ptr_array_index (owned, i));
    }
  for (guint i = 0; i < 32; i++)
    {
      g_ptr_array_add (owned, g_strdup_printf ("S:p%u OK done", 2 + i));
      g_ptr_array_add (script, g_ptr_array_index (owned, 32 + i));
    }
  g_ptr_array_add (script, (gpointer) "STALL");
  g_ptr_array_add (script, NULL);
  scripts[0] = (const char *const *)script->pdata;
  fixture = begin (scripts);
  for (guint i = 0; i < 32; i++)
    {
      jobs[i] = (Job){ fixture, 101 + i };
      threads[i] = g_thread_new ("call", fetch_one, &jobs[i]);
    }
  for (guint i = 0; i < 32; i++)
    g_thread_join (threads[i]);
  g_assert_cmpuint (peer_count (fixture->peer), <=, 2);
  end_quietly (fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/imap/crowd/cancelled-in-line", test_cancelled_in_line);
  g_test_add_func ("/imap/crowd/pipelined", test_pipelined);
  return g_test_run ();
}
