/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The worker is a program of its own, started with an empty environment: it inherits neither the
 * server's memory nor its passwords nor its descriptors. It ends when the socket to it closes, when
 * nothing was asked for minutes, or when a reader's code ends it; then the next request starts it
 * again, without the reader that did it. */

#include "extract/postbag-extraction-process-private.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"

struct _PostbagWorker
{
  char *program;
  gboolean user_plugins;

  GMutex lock; /* the rest */
  GPid process;
  int control;        /* -1: there is no worker */
  GPtrArray *skipped; /* readers whose code ended the worker, or that did not open */
  guint n_asked;      /* children that were asked for and have not been taken: the stock */
};

/* --- children --- */

void
postbag_child_release (PostbagChild *self)
{
  if (self->job >= 0)
    close (self->job);
  if (self->leash >= 0)
    close (self->leash);
  g_free (self);
}

static PostbagExtractFate
judge_exit (int code)
{
  switch (code)
    {
    case POSTBAG_CHILD_FINISHED:
      return POSTBAG_FATE_GONE;
    case POSTBAG_CHILD_MEMORY:
      return POSTBAG_FATE_MEMORY;
    case POSTBAG_CHILD_EXEC:
      return POSTBAG_FATE_EXEC;
    case POSTBAG_CHILD_FORK:
      return POSTBAG_FATE_FORK;
    case POSTBAG_CHILD_FORBIDDEN:
      return POSTBAG_FATE_FORBIDDEN;
    default:
      return POSTBAG_FATE_CRASHED;
    }
}

/* Nobody of ours kills it before this is asked: then it was the system, for its memory. */
static PostbagExtractFate
judge_status (int status)
{
  if (!WIFSIGNALED (status))
    return judge_exit (WEXITSTATUS (status));
  switch (WTERMSIG (status))
    {
    case SIGXCPU:
      return POSTBAG_FATE_STALLED;
    case SIGKILL:
      return POSTBAG_FATE_MEMORY;
    case SIGSYS:
      return POSTBAG_FATE_FORBIDDEN;
    default:
      return POSTBAG_FATE_CRASHED;
    }
}

static gboolean
wait_for (int fd, int milliseconds)
{
  struct pollfd wait = { .fd = fd, .events = POLLIN };

  return TEMP_FAILURE_RETRY (poll (&wait, 1, milliseconds)) > 0;
}

PostbagExtractFate
postbag_child_get_fate (PostbagChild *self)
{
  int status;
  gsize length = 0;

  if (!wait_for (self->leash, POSTBAG_LIMIT_EXTRACT_CHILD_MS))
    return POSTBAG_FATE_LIED; /* it lives, and has closed its socket */
  if (!postbag_wire_receive (self->leash, &status, sizeof status, &length, NULL)
      || length != sizeof status)
    return POSTBAG_FATE_LOST; /* the worker went, and all children with it */
  return judge_status (status);
}

/* --- the worker's start and end --- */

PostbagWorker *
postbag_worker_new (const char *program, gboolean user_plugins)
{
  PostbagWorker *self = g_new0 (PostbagWorker, 1);

  self->program = g_strdup (program);
  self->user_plugins = user_plugins;
  self->control = -1;
  self->skipped = g_ptr_array_new_with_free_func (g_free);
  g_mutex_init (&self->lock);
  return self;
}

/* It ends by itself when its socket does; one that does not is helped. */
static void
end_worker (PostbagWorker *self)
{
  self->n_asked = 0;
  if (self->control < 0)
    return;
  close (self->control);
  self->control = -1;
  kill (self->process, SIGKILL);
  TEMP_FAILURE_RETRY (waitpid (self->process, NULL, 0));
  g_spawn_close_pid (self->process);
  self->process = 0;
}

void
postbag_worker_free (PostbagWorker *self)
{
  end_worker (self);
  g_mutex_clear (&self->lock);
  g_ptr_array_unref (self->skipped);
  g_free (self->program);
  g_free (self);
}

/* (transfer full): nothing of ours but where plugins are and what a tester set */
static char **
make_environment (void)
{
  static const char *const kept[] = { "POSTBAG_PLUGIN_PATH", "POSTBAG_DEBUG", "HOME",
                                      "XDG_DATA_HOME",       "ASAN_OPTIONS",  "UBSAN_OPTIONS",
                                      "LD_LIBRARY_PATH" };
  char **environment = g_environ_setenv (NULL, "LC_ALL", "C.UTF-8", TRUE);

  environment = g_environ_setenv (environment, "TZ", "UTC0", TRUE);
  for (gsize i = 0; i < G_N_ELEMENTS (kept); i++)
    {
      const char *value = g_getenv (kept[i]);

      if (value != NULL)
        environment = g_environ_setenv (environment, kept[i], value, TRUE);
    }
  return environment;
}

static GPtrArray *
make_arguments (PostbagWorker *self)
{
  GPtrArray *arguments = g_ptr_array_new_with_free_func (g_free);

  g_ptr_array_add (arguments, g_strdup (self->program));
  if (self->user_plugins)
    g_ptr_array_add (arguments, g_strdup ("--user-plugins"));
  for (guint i = 0; i < self->skipped->len; i++)
    g_ptr_array_add (arguments,
                     g_strconcat ("--skip=", g_ptr_array_index (self->skipped, i), NULL));
  g_ptr_array_add (arguments, NULL);
  return arguments;
}

/* Returns: %FALSE always */
static gboolean
set_short (GError **error, const char *why)
{
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_BUSY,
               "The document gave no text (busy). No process can be started to read it at the "
               "moment%s%s. Call again in a moment.",
               why != NULL ? ": " : "", why != NULL ? why : "");
  return FALSE;
}

/* Whether another try is as useless as this one; else it is the server that has no means left. */
static gboolean
is_fault_of_program (const GError *failure)
{
  static const GSpawnError faults[] = {
    G_SPAWN_ERROR_ACCES,   G_SPAWN_ERROR_PERM,   G_SPAWN_ERROR_NOEXEC, G_SPAWN_ERROR_NAMETOOLONG,
    G_SPAWN_ERROR_NOENT,   G_SPAWN_ERROR_NOTDIR, G_SPAWN_ERROR_LOOP,   G_SPAWN_ERROR_IO,
    G_SPAWN_ERROR_TXTBUSY, G_SPAWN_ERROR_ISDIR,  G_SPAWN_ERROR_LIBBAD, G_SPAWN_ERROR_INVAL,
    G_SPAWN_ERROR_CHDIR,
  };

  for (gsize i = 0; i < G_N_ELEMENTS (faults); i++)
    if (g_error_matches (failure, G_SPAWN_ERROR, (int)faults[i]))
      return TRUE;
  return FALSE;
}

static gboolean
spawn (PostbagWorker *self, GError **error)
{
  g_auto (GStrv) environment = make_environment ();
  g_autoptr (GPtrArray) arguments = make_arguments (self);
  g_autoptr (GError) failure = NULL;
  const int target = 3;
  int pair[2];
  gboolean started;

  if (socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
    return set_short (error, g_strerror (errno));
  started = g_spawn_async_with_pipes_and_fds (
      "/", (const char *const *)arguments->pdata, (const char *const *)environment,
      G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL, -1, -1, -1, &pair[1],
      &target, 1, &self->process, NULL, NULL, NULL, &failure);
  close (pair[1]);
  if (started)
    {
      self->control = pair[0];
      return TRUE;
    }
  close (pair[0]);
  if (!is_fault_of_program (failure))
    return set_short (error, failure->message);
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_SANDBOX,
               "The document reader cannot be started: %s. Reinstall Postbag.", failure->message);
  return FALSE;
}

static char *
dup_text (const PostbagWireMessage *message)
{
  return g_strndup (message->text, MIN (message->length, POSTBAG_LIMIT_PLUGIN_NAME_BYTES));
}

static gboolean
is_known_broken (PostbagWorker *self, const char *name)
{
  return g_ptr_array_find_with_equal_func (self->skipped, name, g_str_equal, NULL);
}

/* @loading: (out): the reader whose code runs now */
static void
take_report (PostbagWorker *self, const PostbagWireMessage *message, char **loading)
{
  g_autofree char *name = dup_text (message);

  if (message->kind == POSTBAG_WIRE_BROKEN && !is_known_broken (self, name))
    g_ptr_array_add (self->skipped, g_steal_pointer (&name));
  if (message->kind != POSTBAG_WIRE_LOADING)
    return;
  g_free (*loading);
  *loading = g_steal_pointer (&name);
}

/* Until all readers are open. @loading: (out): the one whose code ran when the worker ended. */
static gboolean
await_start (PostbagWorker *self, char **loading)
{
  g_autofree PostbagWireMessage *message = g_new (PostbagWireMessage, 1);
  gint64 deadline = g_get_monotonic_time () + POSTBAG_LIMIT_EXTRACT_START_MS * 1000;

  for (;;)
    {
      gint64 left = (deadline - g_get_monotonic_time ()) / 1000;

      if (left <= 0 || !wait_for (self->control, (int)left)
          || !postbag_wire_hear (self->control, message, NULL))
        return FALSE;
      if (message->kind == POSTBAG_WIRE_STARTED)
        return TRUE;
      take_report (self, message, loading);
    }
}

static gboolean
start_worker (PostbagWorker *self, GError **error)
{
  for (guint try = 0; try <= POSTBAG_LIMIT_PLUGINS; try++)
    {
      g_autofree char *loading = NULL;

      if (!spawn (self, error))
        return FALSE;
      if (await_start (self, &loading))
        return TRUE;
      end_worker (self);
      if (loading == NULL || is_known_broken (self, loading))
        break;
      g_warning ("Documents: the reader “%s” ended the process that opened it; it is left out.",
                 loading);
      g_ptr_array_add (self->skipped, g_steal_pointer (&loading));
    }
  g_set_error_literal (error, POSTBAG_ERROR, POSTBAG_ERROR_SANDBOX,
                       "The process that reads documents ends at its start. “postbag doctor” shows "
                       "more.");
  return FALSE;
}

/* --- giving children --- */

static gboolean
ask_for_child (PostbagWorker *self)
{
  const char request = 'c';

  if (send (self->control, &request, 1, MSG_NOSIGNAL) != 1)
    return FALSE;
  self->n_asked++;
  return TRUE;
}

/* (nullable): the next one that was asked for. @is_over: (out): the worker is of no use */
static PostbagChild *
receive_child (PostbagWorker *self, gboolean *is_over)
{
  g_autofree PostbagWireMessage *message = g_new (PostbagWireMessage, 1);
  g_autoptr (PostbagChild) child = g_new0 (PostbagChild, 1);
  int fds[2] = { -1, -1 };

  self->n_asked--;
  *is_over = !wait_for (self->control, POSTBAG_LIMIT_EXTRACT_CHILD_MS)
             || !postbag_wire_hear (self->control, message, fds);
  child->job = fds[0];
  child->leash = fds[1];
  if (!*is_over && message->kind == POSTBAG_WIRE_CHILD && fds[0] >= 0 && fds[1] >= 0)
    return g_steal_pointer (&child);
  return NULL;
}

/* Who has ended has ended its socket: a child that expired in the stock, or the worker. */
static gboolean
is_open (int fd)
{
  struct pollfd look = { .fd = fd, .events = 0 };

  return poll (&look, 1, 0) == 0;
}

/* The first of the stock that still lives, else a new one; %NULL where none can be had. @is_over:
 * (out): the worker is of no use; else it lives, and there is no descriptor here, or no process
 * there, for one more child */
static PostbagChild *
take_asked (PostbagWorker *self, gboolean *is_over)
{
  *is_over = FALSE;
  for (guint try = 0; try <= POSTBAG_LIMIT_EXTRACT_WARM; try++)
    {
      g_autoptr (PostbagChild) child = NULL;

      *is_over = self->n_asked == 0 && !ask_for_child (self);
      if (!*is_over)
        child = receive_child (self, is_over);
      if (*is_over)
        return NULL;
      if (child != NULL && is_open (child->job))
        return g_steal_pointer (&child);
    }
  return NULL;
}

static void
set_no_cage (const PostbagWireMessage *message, GError **error)
{
  g_autofree char *layer = g_strndup (message->text, MIN (message->length, 20));
  gboolean is_filter = strcmp (layer, "seccomp") == 0;

  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_SANDBOX,
               "Documents are not read here, because the process that reads them cannot be locked "
               "in: the step “%s” failed. %s",
               layer,
               is_filter
                   ? "The Linux kernel has to offer seccomp filters (CONFIG_SECCOMP_FILTER), and a "
                     "container or service that Postbag runs in has to allow the calls seccomp and "
                     "prctl, as the profiles of Docker and Podman do."
                   : "A container or service that Postbag runs in has to allow the calls prctl, "
                     "capset and prlimit64.");
}

/* Proof, before it gets a document, that the child is caged. @gone: (out): it ended first */
static gboolean
await_cage (PostbagChild *child, gboolean *gone, GError **error)
{
  g_autofree PostbagWireMessage *message = g_new (PostbagWireMessage, 1);

  *gone = !wait_for (child->job, POSTBAG_LIMIT_EXTRACT_CHILD_MS)
          || !postbag_wire_hear (child->job, message, NULL);
  if (*gone)
    return FALSE;
  child->layers = (PostbagCageLayers)message->value;
  if (message->kind == POSTBAG_WIRE_READY && (child->layers & POSTBAG_CAGE_CALLS) != 0)
    return TRUE;
  set_no_cage (message, error);
  return FALSE;
}

/* (nullable): with the lock */
static PostbagChild *
get_child (PostbagWorker *self, GError **error)
{
  PostbagChild *child = NULL;
  gboolean is_over = TRUE;

  if (self->control >= 0 && !is_open (self->control))
    end_worker (self); /* and its children with it, though they may still be dying */
  if (self->control >= 0)
    child = take_asked (self, &is_over);
  if (is_over)
    {
      end_worker (self);
      if (!start_worker (self, error))
        return NULL;
      child = take_asked (self, &is_over);
    }
  if (child == NULL && !is_over)
    set_short (error, NULL); /* the worker stays: others have children of it */
  return child;
}

PostbagChild *
postbag_worker_take_child (PostbagWorker *self, GError **error)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  g_autoptr (GError) failure = NULL;
  gboolean gone = TRUE;

  /* All of the stock may have died with their worker, and one more while it is asked. */
  for (guint try = 0; gone && failure == NULL && try < POSTBAG_LIMIT_EXTRACT_WARM + 2; try++)
    {
      g_autoptr (PostbagChild) child = get_child (self, &failure);

      if (child != NULL && await_cage (child, &gone, &failure))
        return g_steal_pointer (&child);
    }
  if (failure != NULL)
    g_propagate_error (error, g_steal_pointer (&failure));
  else
    set_short (error, NULL);
  return NULL;
}

/* Asks, and does not wait for what is asked for. */
void
postbag_worker_refill (PostbagWorker *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  while (self->control >= 0 && self->n_asked < POSTBAG_LIMIT_EXTRACT_WARM)
    if (!ask_for_child (self))
      return;
}

gint64
postbag_worker_get_process (PostbagWorker *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  return self->control >= 0 ? (gint64)self->process : 0;
}

char **
postbag_worker_dup_broken (PostbagWorker *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  char **names = g_new0 (char *, self->skipped->len + 1);

  for (guint i = 0; i < self->skipped->len; i++)
    names[i] = g_strdup (g_ptr_array_index (self->skipped, i));
  return names;
}
