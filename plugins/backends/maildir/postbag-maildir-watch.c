/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-maildir-watch.h"

#include "base/postbag-error.h"

#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

/* A delivery is several events; told once they pause, or after a while in any case. */
#define PAUSE_MS 50
#define LONGEST_US (500 * 1000)
#define EVENTS                                                                                     \
  (IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)

typedef struct
{
  guint id;
  char *path;
  int current_wd;
  int fresh_wd; /* -1: none */
  PostbagChangeFunc changed;
  gpointer user_data;
  gboolean pending;
} Watch;

struct _PostbagMaildirWatcher
{
  /* Recursive, and held while telling, so that removing means: not told any more. */
  GRecMutex lock;
  GPtrArray *watches; /* with lock */
  guint last_id;      /* with lock */
  GThread *thread;    /* with lock; (nullable) */
  int inotify;
  int wake; /* eventfd: the thread has to end */
};

static void
free_watch (gpointer data)
{
  Watch *watch = data;

  g_free (watch->path);
  g_free (watch);
}

PostbagMaildirWatcher *
postbag_maildir_watcher_new (void)
{
  PostbagMaildirWatcher *self = g_new0 (PostbagMaildirWatcher, 1);

  g_rec_mutex_init (&self->lock);
  self->watches = g_ptr_array_new_with_free_func (free_watch);
  self->inotify = self->wake = -1;
  return self;
}

void
postbag_maildir_watcher_free (PostbagMaildirWatcher *self)
{
  if (self == NULL)
    return;
  if (self->thread != NULL)
    {
      eventfd_write (self->wake, 1);
      g_thread_join (self->thread);
    }
  if (self->inotify >= 0)
    close (self->inotify);
  if (self->wake >= 0)
    close (self->wake);
  g_ptr_array_unref (self->watches);
  g_rec_mutex_clear (&self->lock);
  g_free (self);
}

/* --- the thread --- */

static void
mark_pending (PostbagMaildirWatcher *self, const struct inotify_event *event)
{
  for (guint i = 0; i < self->watches->len; i++)
    {
      Watch *watch = g_ptr_array_index (self->watches, i);

      if ((event->mask & IN_Q_OVERFLOW) || event->wd == watch->current_wd
          || event->wd == watch->fresh_wd)
        watch->pending = TRUE;
    }
}

static void
read_events (PostbagMaildirWatcher *self)
{
  char buffer[4096] __attribute__ ((aligned (__alignof__(struct inotify_event))));
  gssize length;

  g_rec_mutex_lock (&self->lock);
  while ((length = read (self->inotify, buffer, sizeof buffer)) > 0)
    for (gssize at = 0; at < length;)
      {
        const struct inotify_event *event = (const struct inotify_event *)(buffer + at);

        mark_pending (self, event);
        at += (gssize)(sizeof *event + event->len);
      }
  g_rec_mutex_unlock (&self->lock);
}

static void
tell (PostbagMaildirWatcher *self)
{
  g_rec_mutex_lock (&self->lock);
  /* Backwards: the callee may remove its own watch. */
  for (guint i = self->watches->len; i > 0; i--)
    if (i <= self->watches->len)
      {
        Watch *watch = g_ptr_array_index (self->watches, i - 1);

        if (!watch->pending)
          continue;
        watch->pending = FALSE;
        watch->changed (watch->path, watch->user_data);
      }
  g_rec_mutex_unlock (&self->lock);
}

static gpointer
run (gpointer data)
{
  PostbagMaildirWatcher *self = data;
  struct pollfd fds[] = { { self->inotify, POLLIN, 0 }, { self->wake, POLLIN, 0 } };
  gint64 since = 0;

  for (;;)
    {
      int n = poll (fds, G_N_ELEMENTS (fds), since != 0 ? PAUSE_MS : -1);

      if (n < 0 && errno != EINTR)
        return NULL;
      if (n > 0 && fds[1].revents != 0)
        return NULL;
      if (n > 0)
        {
          read_events (self);
          if (since == 0)
            since = g_get_monotonic_time ();
        }
      if (since != 0 && (n == 0 || g_get_monotonic_time () - since > LONGEST_US))
        {
          since = 0;
          tell (self);
        }
    }
}

/* --- watches --- */

static gboolean
start (PostbagMaildirWatcher *self, GError **error)
{
  if (self->thread != NULL)
    return TRUE;
  if (self->inotify < 0)
    self->inotify = inotify_init1 (IN_CLOEXEC | IN_NONBLOCK);
  if (self->inotify >= 0 && self->wake < 0)
    self->wake = eventfd (0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (self->wake < 0)
    {
      postbag_set_error_from_errno (error, errno, "Cannot watch mailboxes for changes");
      return FALSE;
    }
  self->thread = g_thread_new ("maildir-watch", run, self);
  return TRUE;
}

static int
add_folder (PostbagMaildirWatcher *self, int folder)
{
  g_autofree char *path = g_strdup_printf ("/proc/self/fd/%d", folder);

  return folder >= 0 ? inotify_add_watch (self->inotify, path, EVENTS) : -1;
}

static gboolean
is_watched (PostbagMaildirWatcher *self, int wd)
{
  for (guint i = 0; i < self->watches->len; i++)
    {
      const Watch *watch = g_ptr_array_index (self->watches, i);

      if (watch->current_wd == wd || watch->fresh_wd == wd)
        return TRUE;
    }
  return FALSE;
}

static guint
add_watch (PostbagMaildirWatcher *self, const char *path, int current, int fresh,
           PostbagChangeFunc changed, gpointer user_data, GError **error)
{
  int current_wd = add_folder (self, current);
  Watch *watch;

  if (current_wd < 0)
    {
      postbag_set_error_from_errno (error, errno, "Cannot watch the mailbox “%s” for changes",
                                    path);
      return 0;
    }
  watch = g_new0 (Watch, 1);
  watch->id = ++self->last_id;
  watch->path = g_strdup (path);
  watch->current_wd = current_wd;
  watch->fresh_wd = add_folder (self, fresh);
  watch->changed = changed;
  watch->user_data = user_data;
  g_ptr_array_add (self->watches, watch);
  return watch->id;
}

guint
postbag_maildir_watcher_add (PostbagMaildirWatcher *self, const char *path, int current, int fresh,
                             PostbagChangeFunc changed, gpointer user_data, GError **error)
{
  guint id = 0;

  g_rec_mutex_lock (&self->lock);
  if (start (self, error))
    id = add_watch (self, path, current, fresh, changed, user_data, error);
  g_rec_mutex_unlock (&self->lock);
  return id;
}

void
postbag_maildir_watcher_remove (PostbagMaildirWatcher *self, guint id)
{
  g_rec_mutex_lock (&self->lock);
  for (guint i = 0; i < self->watches->len; i++)
    {
      Watch *watch = g_ptr_array_index (self->watches, i);
      int wds[] = { watch->current_wd, watch->fresh_wd };

      if (watch->id != id)
        continue;
      g_ptr_array_remove_index (self->watches, i);
      /* Two watches of one folder share its descriptor. */
      for (gsize j = 0; j < G_N_ELEMENTS (wds); j++)
        if (wds[j] >= 0 && !is_watched (self, wds[j]))
          inotify_rm_watch (self->inotify, wds[j]);
      break;
    }
  g_rec_mutex_unlock (&self->lock);
}
