/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "mcp/postbag-pool-private.h"

static GMutex lock;
static GCond changed;
static guint n_stalled;
static guint n_quick;
static gboolean is_open; /* what the stalled jobs wait for */

enum
{
  STALLED = 1,
  QUICK
};

static void
run (gpointer job)
{
  g_mutex_lock (&lock);
  if (GPOINTER_TO_INT (job) == QUICK)
    n_quick++;
  else
    {
      n_stalled++;
      g_cond_broadcast (&changed);
      while (!is_open)
        g_cond_wait (&changed, &lock);
    }
  g_cond_broadcast (&changed);
  g_mutex_unlock (&lock);
}

static void
wait_for (const guint *count, guint expected)
{
  gint64 deadline = g_get_monotonic_time () + 10 * G_TIME_SPAN_SECOND;

  g_mutex_lock (&lock);
  while (*count < expected)
    g_assert_true (g_cond_wait_until (&changed, &lock, deadline));
  g_mutex_unlock (&lock);
}

/* Forty jobs wait for one account: those of the others are run all the same. */
static void
test_one_group_stalls (void)
{
  PostbagPool *pool = postbag_pool_new (10, run);

  n_stalled = n_quick = 0;
  is_open = FALSE;
  for (guint i = 0; i < 40; i++)
    postbag_pool_push (pool, GINT_TO_POINTER (STALLED), "stalled");
  wait_for (&n_stalled, 8);
  for (guint i = 0; i < 20; i++)
    postbag_pool_push (pool, GINT_TO_POINTER (QUICK), i % 2 == 0 ? "one" : "other");
  wait_for (&n_quick, 20);
  g_mutex_lock (&lock);
  g_assert_cmpuint (n_stalled, ==, 8); /* ten threads, a fifth of them for others */
  is_open = TRUE;
  g_cond_broadcast (&changed);
  g_mutex_unlock (&lock);
  wait_for (&n_stalled, 40);
  g_assert_true (postbag_pool_shut_down (pool, 10 * G_TIME_SPAN_SECOND));
}

/* A pool too small for a reserve runs everything. */
static void
test_one_thread (void)
{
  PostbagPool *pool = postbag_pool_new (1, run);

  n_quick = 0;
  for (guint i = 0; i < 10; i++)
    postbag_pool_push (pool, GINT_TO_POINTER (QUICK), i % 2 == 0 ? "one" : "other");
  wait_for (&n_quick, 10);
  g_assert_true (postbag_pool_shut_down (pool, 10 * G_TIME_SPAN_SECOND));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pool/one-group-stalls", test_one_group_stalls);
  g_test_add_func ("/pool/one-thread", test_one_thread);
  return g_test_run ();
}
