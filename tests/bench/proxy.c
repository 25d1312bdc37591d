/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* proxy [OPTION...] PORT: a bad network between a client and the server on 127.0.0.1:PORT.
 *
 * Prints the port it listens on. Delays what goes through, slows it down, loses it, cuts or resets
 * the connection at a byte, and counts: a line `count` on standard input is answered with one line
 * of JSON, and the counters begin at nothing again. It ends with its standard input.
 *
 * A trip is a write of the client that follows something from the server, or begins the
 * conversation: what a client waits for, whether it sends one command or ten at once. */

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <gio/gio.h>

#define CHUNK_BYTES (64 * 1024)
/* More than a second of a fast disk: a delay never becomes a limit on speed. */
#define QUEUE_BYTES (64 * 1024 * 1024)
#define CONNECTIONS 64

static double delay_ms;
static gint64 rate;
static gint64 fault_after = -1;
static char *fault_kind;
static char *fault_direction;

static GOptionEntry options[] = {
  { "delay", 0, 0, G_OPTION_ARG_DOUBLE, &delay_ms, "each way", "MILLISECONDS" },
  { "rate", 0, 0, G_OPTION_ARG_INT64, &rate, "each way and connection", "BYTES" },
  { "fault", 0, 0, G_OPTION_ARG_STRING, &fault_kind, "cut, reset or drop (lose the rest)", "KIND" },
  { "after", 0, 0, G_OPTION_ARG_INT64, &fault_after, "where the fault happens", "BYTES" },
  { "direction", 0, 0, G_OPTION_ARG_STRING, &fault_direction, "up, to the server, or down", "WAY" },
  { NULL, 0, 0, 0, NULL, NULL, NULL },
};

typedef struct
{
  gint64 due; /* microseconds */
  gsize length;
  gsize offset;
  char bytes[];
} Chunk;

/* One direction of a connection. */
typedef struct
{
  int from;
  int to;
  GQueue chunks;
  gsize queued;
  gint64 passed;  /* bytes read so far */
  gint64 free_at; /* when the rate lets the next byte go */
  gboolean has_ended;
  gboolean is_shut; /* the end was passed on */
  gboolean is_up;
} Way;

typedef struct
{
  Way ways[2];
  gboolean heard_server; /* since the client wrote */
  gboolean is_broken;
} Link;

static struct
{
  gint64 connections, trips, up, down;
} counts;

static GPtrArray *links;
static char buffer[CHUNK_BYTES];

static int
connect_to (guint16 port)
{
  struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons (port) };
  int fd = socket (AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

  address.sin_addr.s_addr = htonl (INADDR_LOOPBACK);
  if (connect (fd, (struct sockaddr *)&address, sizeof address) == 0)
    return fd;
  close (fd);
  return -1;
}

static int
listen_somewhere (void)
{
  struct sockaddr_in address = { .sin_family = AF_INET };
  socklen_t size = sizeof address;
  int fd = socket (AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

  address.sin_addr.s_addr = htonl (INADDR_LOOPBACK);
  if (bind (fd, (struct sockaddr *)&address, size) != 0 || listen (fd, CONNECTIONS) != 0
      || getsockname (fd, (struct sockaddr *)&address, &size) != 0)
    g_error ("cannot listen: %s", g_strerror (errno));
  printf ("%u\n", ntohs (address.sin_port));
  fflush (stdout);
  return fd;
}

static void
prepare_socket (int fd)
{
  const int on = 1;

  setsockopt (fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

static void
accept_link (int listener, guint16 port)
{
  int client = accept4 (listener, NULL, NULL, SOCK_CLOEXEC);
  int server = connect_to (port);
  Link *link;

  if (client < 0 || server < 0 || links->len >= CONNECTIONS)
    {
      if (client >= 0)
        close (client);
      if (server >= 0)
        close (server);
      return;
    }
  prepare_socket (client);
  prepare_socket (server);
  link = g_new0 (Link, 1);
  link->ways[0] = (Way){ .from = client, .to = server, .is_up = TRUE };
  link->ways[1] = (Way){ .from = server, .to = client };
  link->heard_server = TRUE;
  g_ptr_array_add (links, link);
  counts.connections++;
}

static void
free_link (gpointer data)
{
  Link *link = data;

  for (int i = 0; i < 2; i++)
    {
      g_queue_clear_full (&link->ways[i].chunks, g_free);
      close (link->ways[i].from);
    }
  g_free (link);
}

/* --- faults --- */

static gboolean
has_fault (const Way *way)
{
  gboolean up = fault_direction != NULL && strcmp (fault_direction, "up") == 0;

  return fault_kind != NULL && way->is_up == up && way->passed >= fault_after;
}

/* Both sides get a reset, as from a box on the way that has forgotten them. */
static void
reset_link (Link *link)
{
  const struct linger now = { .l_onoff = 1, .l_linger = 0 };

  for (int i = 0; i < 2; i++)
    setsockopt (link->ways[i].from, SOL_SOCKET, SO_LINGER, &now, sizeof now);
}

/* How many of @length bytes go on before the fault. */
static gsize
measure_intact (const Way *way, gsize length)
{
  gboolean up = fault_direction != NULL && strcmp (fault_direction, "up") == 0;

  if (fault_kind == NULL || way->is_up != up)
    return length;
  return (gsize)CLAMP (fault_after - way->passed, 0, (gint64)length);
}

/* The fault takes place when everything in front of it has arrived. */
static void
break_link (Link *link, const Way *way)
{
  if (!has_fault (way) || way->queued > 0 || strcmp (fault_kind, "drop") == 0)
    return;
  if (strcmp (fault_kind, "reset") == 0)
    reset_link (link);
  link->is_broken = TRUE;
}

/* --- bytes --- */

static void
count_bytes (Link *link, const Way *way, gsize length)
{
  *(way->is_up ? &counts.up : &counts.down) += (gint64)length;
  if (way->is_up && link->heard_server)
    counts.trips++;
  link->heard_server = !way->is_up;
}

static void
push_chunk (Way *way, gsize length)
{
  gint64 now = g_get_monotonic_time ();
  Chunk *chunk = g_malloc (sizeof (Chunk) + length);

  chunk->due = now + (gint64)(delay_ms * 1000);
  if (rate > 0)
    {
      way->free_at = MAX (way->free_at, now) + (gint64)length * G_USEC_PER_SEC / rate;
      chunk->due = MAX (chunk->due, way->free_at);
    }
  chunk->length = length;
  chunk->offset = 0;
  memcpy (chunk->bytes, buffer, length);
  g_queue_push_tail (&way->chunks, chunk);
  way->queued += length;
}

static void
read_way (Link *link, Way *way)
{
  /* With a rate, small pieces: a slow line does not deliver in gulps. */
  gsize room = rate > 0 ? 1460 : sizeof buffer;
  ssize_t got = recv (way->from, buffer, room, MSG_DONTWAIT);
  gsize length;

  if (got < 0 && (errno == EAGAIN || errno == EINTR))
    return;
  if (got <= 0)
    {
      way->has_ended = TRUE;
      return;
    }
  length = measure_intact (way, (gsize)got);
  way->passed += got;
  if (length == 0)
    return;
  count_bytes (link, way, length);
  push_chunk (way, length);
}

/* What is due; the end of the stream behind the last byte. */
static void
write_way (Link *link, Way *way)
{
  Chunk *chunk;

  while ((chunk = g_queue_peek_head (&way->chunks)) != NULL
         && chunk->due <= g_get_monotonic_time ())
    {
      ssize_t sent = send (way->to, chunk->bytes + chunk->offset, chunk->length - chunk->offset,
                           MSG_DONTWAIT | MSG_NOSIGNAL);

      if (sent < 0 && (errno == EAGAIN || errno == EINTR))
        return;
      if (sent < 0)
        {
          link->is_broken = TRUE;
          return;
        }
      chunk->offset += (gsize)sent;
      way->queued -= (gsize)sent;
      if (chunk->offset == chunk->length)
        g_free (g_queue_pop_head (&way->chunks));
    }
  if (way->has_ended && !way->is_shut && chunk == NULL)
    {
      shutdown (way->to, SHUT_WR);
      way->is_shut = TRUE;
    }
}

/* --- the loop --- */

static void
answer_count (void)
{
  printf ("{\"connections\": %" G_GINT64_FORMAT ", \"trips\": %" G_GINT64_FORMAT
          ", \"up\": %" G_GINT64_FORMAT ", \"down\": %" G_GINT64_FORMAT "}\n",
          counts.connections, counts.trips, counts.up, counts.down);
  fflush (stdout);
  memset (&counts, 0, sizeof counts);
}

/* %FALSE at the end of the input. */
static gboolean
read_commands (void)
{
  char line[256];
  ssize_t got = read (STDIN_FILENO, line, sizeof line);

  for (ssize_t i = 0; i < got; i++)
    if (line[i] == '\n')
      answer_count ();
  return got > 0;
}

/* What to wait for at each end of a link; *@next: when something becomes due. */
static void
watch_link (const Link *link, struct pollfd *ends, gint64 *next)
{
  for (int i = 0; i < 2; i++)
    ends[i] = (struct pollfd){ .fd = link->ways[i].from };
  for (int i = 0; i < 2; i++)
    {
      const Way *way = &link->ways[i];
      const Chunk *chunk = g_queue_peek_head ((GQueue *)&way->chunks);

      if (!way->has_ended && way->queued < QUEUE_BYTES)
        ends[i].events |= POLLIN;
      if (chunk != NULL && chunk->due <= g_get_monotonic_time ())
        ends[1 - i].events |= POLLOUT;
      else if (chunk != NULL)
        *next = MIN (*next, chunk->due);
    }
  /* A descriptor that nothing is wanted of would wake us with its hangup for ever. */
  for (int i = 0; i < 2; i++)
    if (ends[i].events == 0)
      ends[i].fd = -1;
}

static void
serve_link (Link *link, const struct pollfd *ends)
{
  for (int i = 0; i < 2; i++)
    if ((ends[i].revents & (POLLIN | POLLHUP | POLLERR)) != 0 && (ends[i].events & POLLIN) != 0)
      read_way (link, &link->ways[i]);
  for (int i = 0; i < 2; i++)
    {
      write_way (link, &link->ways[i]);
      break_link (link, &link->ways[i]);
    }
  if (link->ways[0].is_shut && link->ways[1].is_shut)
    link->is_broken = TRUE;
}

static void
wait_for_something (struct pollfd *ends, gint64 next)
{
  gint64 left = MAX (next - g_get_monotonic_time (), 0);
  struct timespec until = { left / G_USEC_PER_SEC, left % G_USEC_PER_SEC * 1000 };

  if (ppoll (ends, 2 + 2 * links->len, next != G_MAXINT64 ? &until : NULL, NULL) < 0
      && errno != EINTR)
    g_error ("poll: %s", g_strerror (errno));
}

static void
run (int listener, guint16 port)
{
  static struct pollfd ends[2 + 2 * CONNECTIONS];

  ends[0] = (struct pollfd){ .fd = STDIN_FILENO, .events = POLLIN };
  ends[1] = (struct pollfd){ .fd = listener, .events = POLLIN };
  for (;;)
    {
      gint64 next = G_MAXINT64;

      for (guint i = 0; i < links->len; i++)
        watch_link (g_ptr_array_index (links, i), ends + 2 + 2 * (gsize)i, &next);
      wait_for_something (ends, next);
      for (guint i = links->len; i > 0; i--)
        {
          Link *link = g_ptr_array_index (links, i - 1);

          serve_link (link, ends + 2 * (gsize)i);
          if (link->is_broken)
            g_ptr_array_remove_index_fast (links, i - 1);
        }
      if (ends[0].revents != 0 && !read_commands ())
        return;
      if (ends[1].revents != 0)
        accept_link (listener, port);
    }
}

static gboolean
knows_fault (void)
{
  static const char *const kinds[] = { "cut", "reset", "drop", NULL };
  static const char *const directions[] = { "up", "down", NULL };

  return fault_kind == NULL
         || (g_strv_contains (kinds, fault_kind) && fault_after >= 0 && fault_direction != NULL
             && g_strv_contains (directions, fault_direction));
}

int
main (int argc, char **argv)
{
  g_autoptr (GOptionContext) context = g_option_context_new ("PORT");
  g_autoptr (GError) error = NULL;
  guint64 port = 0;

  g_option_context_add_main_entries (context, options, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error) || argc != 2
      || !g_ascii_string_to_unsigned (argv[1], 10, 1, G_MAXUINT16, &port, &error)
      || !knows_fault ())
    {
      fprintf (stderr, "proxy: %s\n", error != NULL ? error->message : "see the options");
      return 2;
    }
  links = g_ptr_array_new_with_free_func (free_link);
  run (listen_somewhere (), (guint16)port);
  g_ptr_array_unref (links);
  return 0;
}
