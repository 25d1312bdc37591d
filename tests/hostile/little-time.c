/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Runs the worker under a caller's own limit on processor time: enough to start, little for a
 * document. */

#include <sys/resource.h>
#include <unistd.h>

int
main (int argc, char **argv)
{
  const struct rlimit limit = { 3, 3 };

  if (setrlimit (RLIMIT_CPU, &limit) != 0)
    return 77;
  execv (POSTBAG_EXTRACT, argv);
  return 77;
}
