/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* spawn ROUNDS PROGRAM [ARGUMENT...]: how long from the start of a process until its answer to
 * `initialize` is read, and until it has ended after its input was closed. Prints one line a round:
 * microseconds to the answer, microseconds to the end. */

#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static const char request[] =
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
    "\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"bench\",\"version\":\"1\"}}}\n";

static double
measure_now (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static int
read_answer (int fd)
{
  char buffer[65536];
  ssize_t n;

  while ((n = read (fd, buffer, sizeof buffer)) > 0)
    if (memchr (buffer, '\n', (size_t)n) != NULL)
      return 0;
  return -1;
}

static int
run_once (char **command)
{
  posix_spawn_file_actions_t actions;
  int in[2], out[2], status = -1;
  pid_t pid;
  double start, answered, ended;

  if (pipe2 (in, O_CLOEXEC) != 0 || pipe2 (out, O_CLOEXEC) != 0)
    return -1;
  posix_spawn_file_actions_init (&actions);
  posix_spawn_file_actions_adddup2 (&actions, in[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2 (&actions, out[1], STDOUT_FILENO);
  start = measure_now ();
  if (posix_spawn (&pid, command[0], &actions, NULL, command, environ) != 0)
    return -1;
  close (in[0]);
  close (out[1]);
  if (write (in[1], request, sizeof request - 1) < 0 || read_answer (out[0]) != 0)
    return -1;
  answered = measure_now ();
  close (in[1]);
  waitpid (pid, &status, 0);
  ended = measure_now ();
  close (out[0]);
  posix_spawn_file_actions_destroy (&actions);
  printf ("%.0f %.0f\n", answered - start, ended - answered);
  return status == 0 ? 0 : -1;
}

int
main (int argc, char **argv)
{
  long rounds = argc > 2 ? strtoll (argv[1], NULL, 10) : 0;

  for (long i = 0; i < rounds; i++)
    if (run_once (argv + 2) != 0)
      {
        fprintf (stderr, "spawn: %s gave no answer or ended badly\n", argv[2]);
        return 1;
      }
  return rounds > 0 ? 0 : 2;
}
