/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The zygote: it has the readers and their libraries loaded, forks a child for each request, and
 * holds every child on a leash: when the server lets go of its end, the child is killed; when the
 * child ends, its status goes over the leash. It never sees a document. One thread, so that fork()
 * is safe. */

#include "extract/postbag-worker-private.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/postbag-limits.h"
#include "extract/postbag-wire-private.h"

typedef struct
{
  pid_t process;
  int leash;
  gboolean is_killed;
} Leashed;

typedef struct
{
  int control;
  int signals;
  GPtrArray *readers;
  Leashed children[POSTBAG_LIMIT_EXTRACT_CHILDREN];
  guint n_children;
} Zygote;

static void
make_pair (int *pair)
{
  if (socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
    pair[0] = pair[1] = -1;
}

static void
close_pair (const int *pair)
{
  for (int i = 0; i < 2; i++)
    if (pair[i] >= 0)
      close (pair[i]);
}

static gboolean
start_child (Zygote *self, int *job, int *leash)
{
  pid_t zygote = getpid ();
  pid_t process = fork ();

  if (process == 0)
    postbag_worker_run (job[1], zygote, self->readers);
  if (process < 0)
    return FALSE;
  self->children[self->n_children++] = (Leashed){ process, leash[1], FALSE };
  leash[1] = -1;
  return TRUE;
}

static void
give_child (Zygote *self)
{
  int job[2], leash[2];
  int saved;

  errno = EAGAIN;
  make_pair (job);
  make_pair (leash);
  if (self->n_children < POSTBAG_LIMIT_EXTRACT_CHILDREN && job[0] >= 0 && leash[0] >= 0
      && start_child (self, job, leash))
    {
      const int fds[] = { job[0], leash[0] };

      /* When it does not arrive, the leash is let go below, and the child with it. */
      postbag_wire_say (self->control, POSTBAG_WIRE_CHILD, 0, NULL, 0, fds, G_N_ELEMENTS (fds));
      close_pair (job);
      close_pair (leash);
      return;
    }
  saved = errno;
  close_pair (job);
  close_pair (leash);
  postbag_wire_say (self->control, POSTBAG_WIRE_NO_CHILD, saved, NULL, 0, NULL, 0);
}

static void
forget_child (Zygote *self, guint index)
{
  close (self->children[index].leash);
  self->children[index] = self->children[--self->n_children];
}

static void
reap (Zygote *self)
{
  struct signalfd_siginfo ignored;
  pid_t process;
  int status;

  while (read (self->signals, &ignored, sizeof ignored) > 0)
    ;
  while ((process = waitpid (-1, &status, WNOHANG)) > 0)
    {
      for (guint i = 0; i < self->n_children; i++)
        {
          if (self->children[i].process != process)
            continue;
          if (send (self->children[i].leash, &status, sizeof status, MSG_NOSIGNAL) < 0)
            errno = 0; /* nobody wants to know any more */
          forget_child (self, i);
          break;
        }
    }
}

/* It stays in the list until it has been reaped, so that its number is still its own; its leash
 * would be heard of at once again and again meanwhile. */
static void
kill_released (Zygote *self, const struct pollfd *polled)
{
  for (guint i = 0; i < self->n_children; i++)
    {
      if (polled[i].revents == 0 || self->children[i].is_killed)
        continue;
      kill (self->children[i].process, SIGKILL);
      self->children[i].is_killed = TRUE;
    }
}

static void
watch_children (const Zygote *self, struct pollfd *polled)
{
  for (guint i = 0; i < self->n_children; i++)
    polled[i] = (struct pollfd){ .fd = self->children[i].is_killed ? -1 : self->children[i].leash,
                                 .events = POLLIN };
}

G_NORETURN static void
end (Zygote *self)
{
  for (guint i = 0; i < self->n_children; i++)
    kill (self->children[i].process, SIGKILL);
  _exit (0);
}

static void
serve_request (Zygote *self)
{
  char request;
  gsize length;

  if (!postbag_wire_receive (self->control, &request, sizeof request, &length, NULL))
    end (self);
  give_child (self);
}

static int
open_signals (void)
{
  sigset_t children;

  sigemptyset (&children);
  sigaddset (&children, SIGCHLD);
  sigprocmask (SIG_BLOCK, &children, NULL);
  signal (SIGPIPE, SIG_IGN);
  return signalfd (-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
}

void
postbag_zygote_run (int control, GPtrArray *readers)
{
  Zygote self = { .control = control, .readers = readers };

  self.signals = open_signals ();
  if (self.signals < 0 || !postbag_wire_say (control, POSTBAG_WIRE_STARTED, 0, NULL, 0, NULL, 0))
    _exit (1);
  for (;;)
    {
      struct pollfd polled[POSTBAG_LIMIT_EXTRACT_CHILDREN + 2];
      int ready;

      watch_children (&self, polled);
      polled[self.n_children] = (struct pollfd){ .fd = control, .events = POLLIN };
      polled[self.n_children + 1] = (struct pollfd){ .fd = self.signals, .events = POLLIN };
      ready = poll (polled, self.n_children + 2,
                    self.n_children == 0 ? POSTBAG_LIMIT_EXTRACT_IDLE_SECONDS * 1000 : -1);
      if (ready == 0)
        end (&self);
      if (ready < 0)
        continue;
      kill_released (&self, polled);
      if (polled[self.n_children].revents != 0)
        {
          serve_request (&self);
          continue; /* the list has grown: ask anew */
        }
      if (polled[self.n_children + 1].revents != 0)
        reap (&self);
    }
}
