/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Runs the worker on a machine that seems to lack a layer of the cage: the calls that would close
 * it answer "no such call". Or on one that has no process left: fork() answers "try again". */

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CALL BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, nr))
#define FIRST_ARGUMENT BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, args[0]))
#define ALLOW BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#ifdef WITHOUT_FORK
#define ANSWER EAGAIN
#else
#define ANSWER ENOSYS
#endif
#define REFUSE BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ANSWER)

static struct sock_filter code[] = {
  CALL,
#ifdef WITHOUT_SECCOMP
  BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, SYS_seccomp, 4, 0),
  BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 0, 2),
  FIRST_ARGUMENT,
  BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, PR_SET_SECCOMP, 1, 0),
#elif defined WITHOUT_FORK
  BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 1, 0),
#else /* Landlock, 444 to 446 */
  BPF_JUMP (BPF_JMP | BPF_JGE | BPF_K, 444, 0, 1),
  BPF_JUMP (BPF_JMP | BPF_JGT | BPF_K, 446, 0, 1),
#endif
  ALLOW,
  REFUSE,
};

int
main (int argc, char **argv)
{
  struct sock_fprog program = { sizeof code / sizeof *code, code };
  const char *program_path = getenv ("WITHOUT_PROGRAM");

  if (prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0
      || prctl (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) != 0)
    return 77;
  execv (program_path != NULL ? program_path : POSTBAG_EXTRACT, argv);
  return 77;
}
