/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Non-blocking writes without O_NONBLOCK on a description that is shared with others: a pipe or
 * terminal is opened anew through /proc, a socket is written with MSG_DONTWAIT, a file never blocks
 * for long. Where none of that works, a pipe that is ready takes PIPE_BUF bytes without blocking
 * (pipe(7)). */

#include "postbag-stdio-output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <glib-unix.h>

typedef enum
{
  WRITE_PLAIN,  /* write() does not block */
  WRITE_SOCKET, /* with MSG_DONTWAIT */
  WRITE_PIECES, /* PIPE_BUF at a time, after poll() */
} WriteWay;

struct _PostbagStdioOutput
{
  int fd;
  WriteWay way;
  PostbagStdioOutputEvents events;
  gpointer user_data;
  GQueue messages; /* GBytes */
  gsize offset;    /* written of the first one and its line end */
  gsize queued;    /* bytes still to be written */
  gboolean is_closed;
  guint writable_source;
  guint hangup_source;
  guint closed_source;
};

/* --- taking the descriptor --- */

/* Without standard error its number would go to the next thing opened, and log lines with it. */
static void
ensure_standard_error (void)
{
  int nowhere;

  if (fcntl (STDERR_FILENO, F_GETFD) >= 0)
    return;
  nowhere = open ("/dev/null", O_WRONLY);
  if (nowhere < 0 || nowhere == STDERR_FILENO)
    return;
  dup2 (nowhere, STDERR_FILENO);
  close (nowhere);
}

static int
open_anew (int fd)
{
  char path[32];

  g_snprintf (path, sizeof path, "/proc/self/fd/%d", fd);
  return open (path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

/* Sets `fd` and `way` from the private duplicate @duplicate. */
static void
choose_way (PostbagStdioOutput *self, int duplicate)
{
  struct stat facts;
  int own;

  self->fd = duplicate;
  self->way = WRITE_PLAIN;
  if (fstat (duplicate, &facts) != 0 || S_ISREG (facts.st_mode))
    return;
  if (S_ISSOCK (facts.st_mode))
    {
      self->way = WRITE_SOCKET;
      return;
    }
  own = open_anew (duplicate);
  if (own < 0)
    {
      self->way = WRITE_PIECES;
      return;
    }
  close (duplicate);
  self->fd = own;
}

static gboolean
on_closed (gpointer user_data)
{
  PostbagStdioOutput *self = user_data;

  self->closed_source = 0;
  self->events.closed (self->user_data);
  return G_SOURCE_REMOVE;
}

static void
note_closed (PostbagStdioOutput *self)
{
  if (self->is_closed)
    return;
  self->is_closed = TRUE;
  g_clear_handle_id (&self->writable_source, g_source_remove);
  g_clear_handle_id (&self->hangup_source, g_source_remove);
  self->closed_source = g_idle_add_full (G_PRIORITY_DEFAULT, on_closed, self, NULL);
}

static gboolean
on_hangup (int fd, GIOCondition condition, gpointer user_data)
{
  note_closed (user_data);
  return G_SOURCE_CONTINUE; /* note_closed() has removed it */
}

PostbagStdioOutput *
postbag_stdio_output_take (int fd, const PostbagStdioOutputEvents *events, gpointer user_data)
{
  PostbagStdioOutput *self;
  int duplicate;

  ensure_standard_error ();
  duplicate = fcntl (fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (duplicate < 0)
    return NULL;
  if (dup2 (STDERR_FILENO, fd) < 0)
    {
      int saved_errno = errno;

      close (duplicate);
      errno = saved_errno;
      return NULL;
    }
  self = g_new0 (PostbagStdioOutput, 1);
  self->events = *events;
  self->user_data = user_data;
  g_queue_init (&self->messages);
  choose_way (self, duplicate);
  self->hangup_source = g_unix_fd_add (self->fd, G_IO_ERR | G_IO_HUP, on_hangup, self);
  return self;
}

void
postbag_stdio_output_free (PostbagStdioOutput *self)
{
  g_clear_handle_id (&self->writable_source, g_source_remove);
  g_clear_handle_id (&self->hangup_source, g_source_remove);
  g_clear_handle_id (&self->closed_source, g_source_remove);
  g_queue_clear_full (&self->messages, (GDestroyNotify)g_bytes_unref);
  close (self->fd);
  g_free (self);
}

/* --- writing --- */

static ssize_t
write_vector (PostbagStdioOutput *self, struct iovec *vector, gsize count)
{
  struct msghdr header = { .msg_iov = vector, .msg_iovlen = count };
  struct pollfd ready = { .fd = self->fd, .events = POLLOUT };

  if (self->way == WRITE_SOCKET)
    return sendmsg (self->fd, &header, MSG_DONTWAIT | MSG_NOSIGNAL);
  if (self->way == WRITE_PLAIN)
    return writev (self->fd, vector, (int)count);
  if (poll (&ready, 1, 0) == 0)
    {
      errno = EAGAIN;
      return -1;
    }
  return write (self->fd, vector[0].iov_base, MIN (vector[0].iov_len, PIPE_BUF));
}

/* What is left of the first message, and its line end. */
static gsize
fill_vector (PostbagStdioOutput *self, struct iovec *vector)
{
  static const char line_end[] = "\n";
  gsize length, count = 0;
  const char *bytes = g_bytes_get_data (g_queue_peek_head (&self->messages), &length);

  if (self->offset < length)
    {
      vector[count].iov_base = (char *)bytes + self->offset;
      vector[count++].iov_len = length - self->offset;
    }
  vector[count].iov_base = (char *)line_end;
  vector[count++].iov_len = 1;
  return count;
}

static void
advance (PostbagStdioOutput *self, gsize written)
{
  GBytes *first = g_queue_peek_head (&self->messages);

  self->offset += written;
  self->queued -= written;
  if (self->offset <= g_bytes_get_size (first))
    return;
  g_bytes_unref (g_queue_pop_head (&self->messages));
  self->offset = 0;
}

/* %FALSE when the rest has to wait. */
static gboolean
write_some (PostbagStdioOutput *self)
{
  while (!g_queue_is_empty (&self->messages))
    {
      struct iovec vector[2];
      ssize_t written = write_vector (self, vector, fill_vector (self, vector));

      if (written >= 0)
        advance (self, (gsize)written);
      else if (errno == EAGAIN)
        return FALSE;
      else if (errno != EINTR)
        {
          note_closed (self);
          return TRUE;
        }
    }
  return TRUE;
}

static gboolean
on_writable (int fd, GIOCondition condition, gpointer user_data)
{
  PostbagStdioOutput *self = user_data;
  gboolean is_done = write_some (self);

  if (is_done)
    self->writable_source = 0;
  self->events.queue_changed (self->queued, self->user_data);
  return is_done ? G_SOURCE_REMOVE : G_SOURCE_CONTINUE;
}

void
postbag_stdio_output_push (PostbagStdioOutput *self, GBytes *message)
{
  self->queued += g_bytes_get_size (message) + 1;
  if (!self->is_closed)
    g_queue_push_tail (&self->messages, g_bytes_ref (message));
  if (!self->is_closed && self->writable_source == 0 && !write_some (self))
    self->writable_source = g_unix_fd_add (self->fd, G_IO_OUT, on_writable, self);
  self->events.queue_changed (self->queued, self->user_data);
}

gsize
postbag_stdio_output_get_queued (PostbagStdioOutput *self)
{
  return self->is_closed ? 0 : self->queued;
}
