/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Threads of our own that are joined at the end. Those of a GThreadPool belong to all pools of the
 * process, and still unwind while the libraries they used are being torn down at exit.
 *
 * Jobs of one group wait for the same thing, a mail server that may have stalled. A fifth of the
 * threads is out of reach for a group that has jobs running: it is there for the first job of each
 * other group, so that one account never holds up another. */

#include "mcp/postbag-pool-private.h"

typedef struct
{
  gpointer data;
  char *group;
} Job;

struct _PostbagPool
{
  PostbagPoolFunc run;
  guint max_threads;
  guint reserve; /* threads for groups of which nothing runs */

  GMutex lock;
  GCond work;         /* a job came, or the end */
  GCond idle;         /* the last job is done */
  GQueue jobs;        /* with lock: Job, not begun */
  GHashTable *groups; /* with lock: group to how many of its jobs run */
  guint running;      /* with lock */
  GPtrArray *threads; /* with lock: GThread */
  guint active;       /* with lock: jobs waiting or running */
  guint resting;      /* with lock: threads without a job */
  gboolean is_ending; /* with lock */
};

static void
free_job (Job *job)
{
  g_free (job->group);
  g_free (job);
}

/* With the lock. */
static guint
count_running (PostbagPool *self, const char *group)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (self->groups, group));
}

/* With the lock. */
static void
set_running (PostbagPool *self, const char *group, guint count)
{
  if (count > 0)
    g_hash_table_insert (self->groups, g_strdup (group), GUINT_TO_POINTER (count));
  else
    g_hash_table_remove (self->groups, group);
}

/* With the lock. (nullable): the first that may begin; jobs in flight are few. */
static Job *
take_job (PostbagPool *self)
{
  for (GList *link = self->jobs.head; link != NULL; link = link->next)
    {
      Job *job = link->data;
      guint count = count_running (self, job->group);

      if (count > 0 && self->running + 1 + self->reserve > self->max_threads)
        continue;
      g_queue_delete_link (&self->jobs, link);
      set_running (self, job->group, count + 1);
      self->running++;
      return job;
    }
  return NULL;
}

/* With the lock. (nullable): at the end */
static Job *
wait_for_job (PostbagPool *self)
{
  Job *job;

  self->resting++;
  while ((job = take_job (self)) == NULL && !self->is_ending)
    g_cond_wait (&self->work, &self->lock);
  self->resting--;
  return job;
}

/* With the lock. */
static void
finish_job (PostbagPool *self, Job *job)
{
  set_running (self, job->group, count_running (self, job->group) - 1);
  self->running--;
  free_job (job);
  if (--self->active == 0)
    g_cond_broadcast (&self->idle);
  else if (!g_queue_is_empty (&self->jobs))
    g_cond_signal (&self->work); /* one that had to wait for this one's group */
}

static gpointer
run_jobs (gpointer pool)
{
  PostbagPool *self = pool;
  Job *job;

  g_mutex_lock (&self->lock);
  while ((job = wait_for_job (self)) != NULL)
    {
      g_mutex_unlock (&self->lock);
      self->run (job->data);
      g_mutex_lock (&self->lock);
      finish_job (self, job);
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
  self->reserve = max_threads / 5;
  g_mutex_init (&self->lock);
  g_cond_init (&self->work);
  g_cond_init (&self->idle);
  g_queue_init (&self->jobs);
  self->groups = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
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
postbag_pool_push (PostbagPool *self, gpointer data, const char *group)
{
  Job *job = g_new0 (Job, 1);

  job->data = data;
  job->group = g_strdup (group);
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
  g_hash_table_unref (self->groups);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->work);
  g_cond_clear (&self->idle);
  g_free (self);
  return TRUE;
}
