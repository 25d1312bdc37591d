/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "mcp/postbag-pool-private.h"

struct _PostbagPool
{
  GThreadPool *threads;
  PostbagPoolFunc run;

  GMutex lock;
  GCond idle;
  guint active; /* with lock */
};

static void
run_job (gpointer job, gpointer user_data)
{
  PostbagPool *self = user_data;

  self->run (job);
  g_mutex_lock (&self->lock);
  if (--self->active == 0)
    g_cond_broadcast (&self->idle);
  g_mutex_unlock (&self->lock);
}

PostbagPool *
postbag_pool_new (guint max_threads, PostbagPoolFunc run)
{
  PostbagPool *self = g_new0 (PostbagPool, 1);

  self->run = run;
  g_mutex_init (&self->lock);
  g_cond_init (&self->idle);
  self->threads = g_thread_pool_new (run_job, self, (int)max_threads, FALSE, NULL);
  return self;
}

void
postbag_pool_push (PostbagPool *self, gpointer job)
{
  g_autoptr (GError) error = NULL;

  g_mutex_lock (&self->lock);
  self->active++;
  g_mutex_unlock (&self->lock);
  /* A thread that cannot be made now leaves the job queued for those that there are. */
  if (!g_thread_pool_push (self->threads, job, &error))
    g_warning ("cannot start a thread: %s", error->message);
}

guint
postbag_pool_get_active (PostbagPool *self)
{
  guint active;

  g_mutex_lock (&self->lock);
  active = self->active;
  g_mutex_unlock (&self->lock);
  return active;
}

gboolean
postbag_pool_shut_down (PostbagPool *self, gint64 wait_us)
{
  gint64 deadline = g_get_monotonic_time () + wait_us;
  gboolean is_idle;

  g_mutex_lock (&self->lock);
  while (self->active > 0)
    {
      if (!g_cond_wait_until (&self->idle, &self->lock, deadline))
        break;
    }
  is_idle = self->active == 0;
  g_mutex_unlock (&self->lock);
  if (!is_idle)
    return FALSE;
  g_thread_pool_free (self->threads, FALSE, TRUE);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->idle);
  g_free (self);
  return TRUE;
}
