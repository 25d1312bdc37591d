/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* race PORT USER PASSWORD PROGRAM [ARGUMENT...]: the same work done by a bare IMAP client on
 * 127.0.0.1:PORT and by PROGRAM, an MCP server on stdio, by turns.
 *
 * The bare client is what somebody would write by hand for exactly this: one socket, the needed
 * commands in one write, and reading until the last of them is answered. It parses nothing but
 * lines and literals. Prints the process id of PROGRAM, then answers each line of its input
 *
 *     list TIMES LIMIT      the LIMIT newest messages
 *     read TIMES UID...     one message after the other
 *     burst TIMES UID...    all of them at once
 *
 * with a line for each sample, microseconds of the bare client and of PROGRAM, and `done`. TIMES 0
 * runs the bare client alone, once; TIMES -1 PROGRAM alone. */

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <gio/gio.h>

extern char **environ;

#define ITEMS "UID FLAGS INTERNALDATE RFC822.SIZE BODYSTRUCTURE "
#define HEADER "BODY.PEEK[HEADER.FIELDS (FROM TO SUBJECT DATE MESSAGE-ID)]"
#define PREFIX "BODY.PEEK[]<0.131072>"

/* --- the bare client --- */

static struct
{
  int fd;
  char buffer[1 << 18];
  gsize start, end;
  guint tag;
  gint64 messages;
} bare;

static void
fill_bare (void)
{
  ssize_t got;

  if (bare.start == bare.end)
    bare.start = bare.end = 0;
  if (bare.end == sizeof bare.buffer)
    {
      memmove (bare.buffer, bare.buffer + bare.start, bare.end - bare.start);
      bare.end -= bare.start;
      bare.start = 0;
    }
  got = read (bare.fd, bare.buffer + bare.end, sizeof bare.buffer - bare.end);
  if (got <= 0)
    g_error ("the server closed the connection");
  bare.end += (gsize)got;
}

/* One line, without its end; what it points at lives until the next call. */
static char *
read_bare_line (gsize *length)
{
  gsize seen = 0;

  for (;;)
    {
      char *line = bare.buffer + bare.start;
      char *end = memchr (line + seen, '\n', bare.end - bare.start - seen);

      if (end != NULL)
        {
          *length = (gsize)(end - line) - 1;
          bare.start += *length + 2;
          line[*length] = '\0';
          return line;
        }
      seen = bare.end - bare.start;
      fill_bare ();
    }
}

static void
skip_literal (gsize length)
{
  while (length > 0)
    {
      gsize there = MIN (length, bare.end - bare.start);

      bare.start += there;
      length -= there;
      if (length > 0)
        fill_bare ();
    }
}

/* Reads until the command with the last tag is answered. */
static void
wait_bare (void)
{
  char tag[16];
  gsize length, tag_length;

  tag_length = (gsize)g_snprintf (tag, sizeof tag, "a%u ", bare.tag);
  for (;;)
    {
      char *line = read_bare_line (&length);
      char *brace = length > 0 && line[length - 1] == '}' ? strrchr (line, '{') : NULL;

      if (brace != NULL)
        skip_literal (g_ascii_strtoull (brace + 1, NULL, 10));
      else if (g_str_has_suffix (line, " EXISTS"))
        bare.messages = g_ascii_strtoll (line + 2, NULL, 10);
      else if (strncmp (line, tag, tag_length) == 0)
        {
          if (strncmp (line + tag_length, "OK", 2) != 0)
            g_error ("the server said %s", line);
          return;
        }
    }
}

static void
send_bare (const GString *text)
{
  if (write (bare.fd, text->str, text->len) != (ssize_t)text->len)
    g_error ("cannot write to the server");
}

static void
add_bare (GString *text, const char *format, ...)
{
  va_list list;

  g_string_append_printf (text, "a%u ", ++bare.tag);
  va_start (list, format);
  g_string_append_vprintf (text, format, list);
  va_end (list);
  g_string_append (text, "\r\n");
}

static void
start_bare (guint16 port, const char *user, const char *password)
{
  struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons (port) };
  const int on = 1;
  g_autoptr (GString) text = g_string_new (NULL);
  gsize length;

  address.sin_addr.s_addr = htonl (INADDR_LOOPBACK);
  bare.fd = socket (AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect (bare.fd, (struct sockaddr *)&address, sizeof address) != 0)
    g_error ("cannot connect");
  setsockopt (bare.fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  read_bare_line (&length);
  add_bare (text, "LOGIN {%zu+}\r\n%s {%zu+}\r\n%s", strlen (user), user, strlen (password),
            password);
  send_bare (text);
  wait_bare ();
  g_string_truncate (text, 0);
  add_bare (text, "EXAMINE INBOX");
  send_bare (text);
  wait_bare ();
}

/* --- the MCP client --- */

static struct
{
  int in, out;
  GString *line;
  guint id;
} ours;

/* Whole lines until @count of them came; each has to be a result. */
static void
wait_ours (guint count)
{
  static char buffer[1 << 16];

  while (count > 0)
    {
      char *end;
      ssize_t got = read (ours.in, buffer, sizeof buffer);

      if (got <= 0)
        g_error ("the program ended");
      g_string_append_len (ours.line, buffer, got);
      while ((end = memchr (ours.line->str, '\n', ours.line->len)) != NULL)
        {
          *end = '\0';
          if (strstr (ours.line->str, "\"result\"") == NULL
              || strstr (ours.line->str, "\"isError\":true") != NULL)
            g_error ("the program said %.2000s", ours.line->str);
          g_string_erase (ours.line, 0, end - ours.line->str + 1);
          count--;
        }
    }
}

static void
send_ours (const GString *text)
{
  if (write (ours.out, text->str, text->len) != (ssize_t)text->len)
    g_error ("cannot write to the program");
}

static void
add_call (GString *text, const char *tool, const char *argument, gint64 value)
{
  g_string_append_printf (text,
                          "{\"jsonrpc\":\"2.0\",\"id\":%u,\"method\":\"tools/call\",\"params\":"
                          "{\"name\":\"%s\",\"arguments\":{\"%s\":%" G_GINT64_FORMAT "}}}\n",
                          ++ours.id, tool, argument, value);
}

static void
start_ours (char **arguments)
{
  posix_spawn_file_actions_t actions;
  g_autoptr (GString) text = g_string_new (
      "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
      "\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"bench\",\"version\":\"1\"}}}"
      "\n");
  int to[2], from[2];
  pid_t child;

  if (pipe2 (to, O_CLOEXEC) != 0 || pipe2 (from, O_CLOEXEC) != 0)
    g_error ("no pipe");
  posix_spawn_file_actions_init (&actions);
  posix_spawn_file_actions_adddup2 (&actions, to[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2 (&actions, from[1], STDOUT_FILENO);
  if (posix_spawn (&child, arguments[0], &actions, NULL, arguments, environ) != 0)
    g_error ("cannot start %s", arguments[0]);
  posix_spawn_file_actions_destroy (&actions);
  close (to[0]);
  close (from[1]);
  ours.out = to[1];
  ours.in = from[0];
  ours.line = g_string_new (NULL);
  send_ours (text);
  wait_ours (1);
  g_string_assign (text, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n");
  send_ours (text);
  printf ("%d\n", (int)child);
  fflush (stdout);
}

/* --- the work --- */

typedef struct
{
  gint64 (*bare) (char **uids);
  gint64 (*ours) (char **uids);
  gboolean at_once;
} Work;

static gint64
finish_bare (const GString *text)
{
  gint64 start = g_get_monotonic_time ();

  send_bare (text);
  wait_bare ();
  return g_get_monotonic_time () - start;
}

static gint64
finish_ours (const GString *text, guint count)
{
  gint64 start = g_get_monotonic_time ();

  send_ours (text);
  wait_ours (count);
  return g_get_monotonic_time () - start;
}

static gint64
list_bare (char **limit)
{
  g_autoptr (GString) text = g_string_new (NULL);
  gint64 first = MAX (bare.messages - g_ascii_strtoll (*limit, NULL, 10) + 1, 1);

  add_bare (text, "NOOP");
  add_bare (text, "UID SEARCH RETURN (SAVE ALL) %" G_GINT64_FORMAT ":*", first);
  add_bare (text, "UID FETCH $ (" ITEMS HEADER ")");
  return finish_bare (text);
}

static gint64
list_ours (char **limit)
{
  g_autoptr (GString) text = g_string_new (NULL);

  add_call (text, "list_messages", "limit", g_ascii_strtoll (*limit, NULL, 10));
  return finish_ours (text, 1);
}

static gint64
read_bare (char **uids)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (; *uids != NULL; uids++)
    add_bare (text, "UID FETCH %s (" ITEMS PREFIX ")", *uids);
  return finish_bare (text);
}

static gint64
read_ours (char **uids)
{
  g_autoptr (GString) text = g_string_new (NULL);
  guint count = g_strv_length (uids);

  for (; *uids != NULL; uids++)
    add_call (text, "get_message", "uid", g_ascii_strtoll (*uids, NULL, 10));
  return finish_ours (text, count);
}

/* The two by turns, so that both see the same weather; who begins changes too. */
static void
take_sample (const Work *work, char **arguments, gint64 times, gint64 number)
{
  gint64 bare_time = 0, ours_time = 0;

  if (times >= 0 && number % 2 == 0)
    bare_time = work->bare (arguments);
  if (times != 0)
    ours_time = work->ours (arguments);
  if (times >= 0 && number % 2 != 0)
    bare_time = work->bare (arguments);
  printf ("%" G_GINT64_FORMAT " %" G_GINT64_FORMAT "\n", bare_time, ours_time);
}

static void
do_work (char **words)
{
  static const Work list = { list_bare, list_ours, TRUE };
  static const Work message = { read_bare, read_ours, FALSE };
  static const Work burst = { read_bare, read_ours, TRUE };
  const Work *work = strcmp (words[0], "list") == 0   ? &list
                     : strcmp (words[0], "read") == 0 ? &message
                                                      : &burst;
  gint64 times = g_ascii_strtoll (words[1], NULL, 10);
  gint64 number = 0;

  for (gint64 i = 0; i < MAX (ABS (times), 1); i++)
    for (char **next = words + 2; *next != NULL; next++)
      {
        char *alone[] = { *next, NULL };

        take_sample (work, work->at_once ? next : alone, times, number++);
        if (work->at_once)
          break;
      }
  printf ("done\n");
  fflush (stdout);
}

int
main (int argc, char **argv)
{
  char line[8192];

  if (argc < 5)
    g_error ("usage: %s PORT USER PASSWORD PROGRAM [ARGUMENT...]", argv[0]);
  start_bare ((guint16)g_ascii_strtoull (argv[1], NULL, 10), argv[2], argv[3]);
  start_ours (argv + 4);
  while (fgets (line, sizeof line, stdin) != NULL)
    {
      g_auto (GStrv) words = g_strsplit (g_strchomp (line), " ", -1);

      if (g_strv_length (words) < 3)
        g_error ("three words at least: %s", line);
      do_work (words);
    }
  return 0;
}
