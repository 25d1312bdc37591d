/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "extract/postbag-wire-private.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#define MOST_FDS 2
#define HEAD offsetof (PostbagWireMessage, text)

typedef union
{
  struct cmsghdr header; /* for its alignment */
  char bytes[CMSG_SPACE (sizeof (int) * MOST_FDS)];
} Control;

static void
attach (struct msghdr *message, Control *control, const int *fds, gsize n_fds)
{
  struct cmsghdr *header;

  memset (control, 0, sizeof *control);
  message->msg_control = control->bytes;
  message->msg_controllen = CMSG_SPACE (sizeof (int) * n_fds);
  header = CMSG_FIRSTHDR (message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN (sizeof (int) * n_fds);
  memcpy (CMSG_DATA (header), fds, sizeof (int) * n_fds);
}

gboolean
postbag_wire_send (int fd, const void *packet, gsize length, const int *fds, gsize n_fds)
{
  struct iovec piece = { (void *)packet, length };
  struct msghdr message = { .msg_iov = &piece, .msg_iovlen = 1 };
  Control control;
  gssize sent;

  g_assert (n_fds <= MOST_FDS);
  /* A caged child may write, but not send: nothing that could carry descriptors. */
  if (n_fds == 0)
    return TEMP_FAILURE_RETRY (write (fd, packet, length)) == (gssize)length;
  attach (&message, &control, fds, n_fds);
  sent = TEMP_FAILURE_RETRY (sendmsg (fd, &message, MSG_NOSIGNAL));
  return sent == (gssize)length;
}

static void
detach (struct msghdr *message, int *fds)
{
  for (struct cmsghdr *header = CMSG_FIRSTHDR (message); header != NULL;
       header = CMSG_NXTHDR (message, header))
    {
      gsize count;

      if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
        continue;
      count = (header->cmsg_len - CMSG_LEN (0)) / sizeof (int);
      memcpy (fds, CMSG_DATA (header), MIN (count, MOST_FDS) * sizeof (int));
    }
}

gboolean
postbag_wire_receive (int fd, void *packet, gsize size, gsize *length, int *fds)
{
  struct iovec piece = { packet, size };
  struct msghdr message = { .msg_iov = &piece, .msg_iovlen = 1 };
  Control control;
  gssize received;

  if (fds != NULL)
    {
      fds[0] = fds[1] = -1;
      message.msg_control = control.bytes;
      message.msg_controllen = sizeof control.bytes;
    }
  received = TEMP_FAILURE_RETRY (recvmsg (fd, &message, MSG_CMSG_CLOEXEC));
  if (received >= 0 && fds != NULL)
    detach (&message, fds);
  if (received <= 0)
    {
      if (received == 0)
        errno = 0;
      return FALSE;
    }
  *length = (gsize)received;
  if ((message.msg_flags & MSG_TRUNC) == 0)
    return TRUE;
  errno = EMSGSIZE;
  return FALSE;
}

gboolean
postbag_wire_say (int fd, PostbagWireKind kind, gint64 value, const char *text, gsize length,
                  const int *fds, gsize n_fds)
{
  PostbagWireMessage message;

  g_assert (length <= sizeof message.text);
  message.kind = kind;
  message.length = (guint32)length;
  message.value = value;
  if (length > 0)
    memcpy (message.text, text, length);
  return postbag_wire_send (fd, &message, HEAD + length, fds, n_fds);
}

gboolean
postbag_wire_hear (int fd, PostbagWireMessage *message, int *fds)
{
  gsize length = 0;

  if (!postbag_wire_receive (fd, message, sizeof *message, &length, fds))
    return FALSE;
  if (length >= HEAD && message->length == length - HEAD)
    return TRUE;
  errno = EBADMSG;
  return FALSE;
}
