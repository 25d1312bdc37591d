/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Threads of our own that are joined at the end. Those of a GThreadPool belong to all pools of the
 * process, and still unwind while the libraries they used are being torn down at exit. */

#include "mcp/postbag-pool-private.h"

struct _PostbagPool
{
  PostbagPoolFunc run;
  guint max_threads;

  GMutex lock;
  GCond work;         /* a job came, or the end */
  GCond idle;         /* the last job is done */
  GQueue jobs;        /* with lock: not begun */
  GPtrArray *threads; /* with lock: GThread */
  guint active;       /* with lock: jobs waiting or running */
  guint resting;      /* with lock: threads without a job */
  gboolean is_ending; /* with lock */
};

/* With the lock. (nullable): at the end */
static gpointer
wait_for_job (PostbagPool *self)
{
  self->resting++;
  while (g_queue_is_empty (&self->jobs) && !self->is_ending)
    g_cond_wait (&self->work, &self->lock);
  self->resting--;
  return g_queue_pop_head (&self->jobs);
}

static gpointer
run_jobs (gpointer pool)
{
  PostbagPool *self = pool;
  gpointer job;

  g_mutex_lock (&self->lock);
  while ((job = wait_for_job (self)) != NULL)
    {
      g_mutex_unlock (&self->lock);
      self->run (job);
      g_mutex_lock (&self->lock);
      if (--self->active == 0)
        g_cond_broadcast (&self->idle);
    }
  g_mutex_unlock (&self->lock);
  return NULL;
}

PostbagPool *
postbag_pool_new (guint max_threads, PostbagPoolFunc run)
{
  PostbagPool *self = g_new0 (PostbagPool, 1);

  self->run = run;
  self->max_threads = max_threads;
  g_mutex_init (&self->lock);
  g_cond_init (&self->work);
  g_cond_init (&self->idle);
  g_queue_init (&self->jobs);
  self->threads = g_ptr_array_new ();
  return self;
}

/* With the lock. A thread that cannot be made now leaves the job to those that there are. */
static void
add_thread (PostbagPool *self)
{
  g_autoptr (GError) error = NULL;
  GThread *thread = g_thread_try_new ("postbag-call", run_jobs, self, &error);

  if (thread != NULL)
    g_ptr_array_add (self->threads, thread);
  else
    g_warning ("cannot start a thread: %s", error->message);
}

void
postbag_pool_push (PostbagPool *self, gpointer job)
{
  g_mutex_lock (&self->lock);
  self->active++;
  g_queue_push_tail (&self->jobs, job);
  if (self->resting < g_queue_get_length (&self->jobs) && self->threads->len < self->max_threads)
    add_thread (self);
  g_cond_signal (&self->work);
  g_mutex_unlock (&self->lock);
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

/* Whether no job was left at the deadline; then every thread is on its way out. */
static gboolean
wait_until_idle (PostbagPool *self, gint64 deadline)
{
  gboolean is_idle;

  g_mutex_lock (&self->lock);
  while (self->active > 0)
    {
      if (!g_cond_wait_until (&self->idle, &self->lock, deadline))
        break;
    }
  is_idle = self->active == 0;
  self->is_ending = is_idle;
  g_cond_broadcast (&self->work);
  g_mutex_unlock (&self->lock);
  return is_idle;
}

gboolean
postbag_pool_shut_down (PostbagPool *self, gint64 wait_us)
{
  if (!wait_until_idle (self, g_get_monotonic_time () + wait_us))
    return FALSE;
  for (guint i = 0; i < self->threads->len; i++)
    g_thread_join (self->threads->pdata[i]);
  g_ptr_array_unref (self->threads);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->work);
  g_cond_clear (&self->idle);
  g_free (self);
  return TRUE;
}
