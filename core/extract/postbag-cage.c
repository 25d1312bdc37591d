/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Chromium's rule of two: hostile bytes in an unsafe language need a sandbox. The order matters:
 * what needs a privilege or a forbidden call comes first, seccomp last. */

#include "extract/postbag-cage-private.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/postbag-limits.h"
#include "extract/postbag-extraction-private.h"

/* AddressSanitizer's shadow takes terabytes of addresses: there the tests do without that limit. */
#if defined(__SANITIZE_ADDRESS__)
#define LIMITS_MEMORY FALSE
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LIMITS_MEMORY FALSE
#endif
#endif
#ifndef LIMITS_MEMORY
#define LIMITS_MEMORY TRUE
#endif

/* --- privileges --- */

static gboolean
drop_capabilities (void)
{
  struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
  struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { { 0, 0, 0 } };

  return syscall (SYS_capset, &header, none) == 0;
}

static gboolean
drop_privileges (void)
{
  return prctl (PR_SET_DUMPABLE, 0, 0, 0, 0) == 0 && prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
         && drop_capabilities ();
}

/* --- limits --- */

static gboolean
set_limit (int resource, rlim_t value)
{
  struct rlimit limit = { value, value };
  struct rlimit old;

  /* It can only become narrower: a caller's own limit stands. */
  if (getrlimit (resource, &old) == 0 && old.rlim_max < value)
    limit.rlim_cur = limit.rlim_max = old.rlim_max;
  return setrlimit (resource, &limit) == 0;
}

/* At the end of the time SIGXCPU, which is told apart; a second later the end by force. A caller's
 * own limit stands: its last second is kept for that. */
static gboolean
limit_time (rlim_t seconds)
{
  struct rlimit limit = { seconds, seconds + 1 };
  struct rlimit old;

  if (getrlimit (RLIMIT_CPU, &old) == 0 && old.rlim_max < limit.rlim_max)
    limit = (struct rlimit){ MIN (seconds, MAX (old.rlim_max, 2) - 1), old.rlim_max };
  return setrlimit (RLIMIT_CPU, &limit) == 0;
}

static gboolean
limit_work (PostbagExtractLimits limits)
{
  const PostbagExtractLimitSet *set = postbag_extract_limits_get (limits);

  return limit_time (set->cpu_seconds)
         && (!LIMITS_MEMORY
             || (set_limit (RLIMIT_AS, set->address_bytes)
                 && set_limit (RLIMIT_DATA, set->heap_bytes)));
}

static gboolean
limit_resources (void)
{
  return set_limit (RLIMIT_CORE, 0) && set_limit (RLIMIT_FSIZE, 0)
         && set_limit (RLIMIT_NOFILE, POSTBAG_LIMIT_EXTRACT_FILES) && set_limit (RLIMIT_NPROC, 0)
         && limit_work (POSTBAG_EXTRACT_ARCHIVE);
}

/* --- calls --- */

static const int allowed_calls[] = {
  SCMP_SYS (read),
  SCMP_SYS (readv),
  SCMP_SYS (pread64),
  SCMP_SYS (write),
  SCMP_SYS (writev),
  SCMP_SYS (recvmsg), /* the job, and its document */
  SCMP_SYS (poll),
  SCMP_SYS (ppoll),
  SCMP_SYS (close),
  SCMP_SYS (lseek),
  SCMP_SYS (_llseek),
  SCMP_SYS (fstat),
  SCMP_SYS (fstat64),
  SCMP_SYS (munmap),
  SCMP_SYS (mremap),
  SCMP_SYS (madvise),
  SCMP_SYS (brk),
  SCMP_SYS (futex),
  SCMP_SYS (set_robust_list),
  SCMP_SYS (sched_yield),
  SCMP_SYS (restart_syscall),
  SCMP_SYS (clock_gettime),
  SCMP_SYS (clock_getres),
  SCMP_SYS (clock_nanosleep),
  SCMP_SYS (nanosleep),
  SCMP_SYS (gettimeofday),
  SCMP_SYS (time),
  SCMP_SYS (times),
  SCMP_SYS (getrandom),
  SCMP_SYS (getrusage),
  SCMP_SYS (sysinfo), /* qsort() asks how much memory there is */
  SCMP_SYS (uname),
  SCMP_SYS (getpid),
  SCMP_SYS (gettid),
  SCMP_SYS (getuid),
  SCMP_SYS (geteuid),
  SCMP_SYS (getgid),
  SCMP_SYS (getegid),
  SCMP_SYS (rt_sigreturn),
  SCMP_SYS (sigaltstack),
  SCMP_SYS (exit),
  SCMP_SYS (exit_group),
};

static const int deadly_calls[] = {
  SCMP_SYS (execve),
  SCMP_SYS (execveat),
  SCMP_SYS (fork),
  SCMP_SYS (vfork),
};

/* A call that this architecture does not have needs no rule. */
static gboolean
add_rule (scmp_filter_ctx filter, guint32 action, int call, unsigned count,
          const struct scmp_arg_cmp *arguments)
{
  int result = seccomp_rule_add_array (filter, action, call, count, arguments);

  if (result == 0 || result == -EDOM)
    return TRUE;
  errno = -result;
  return FALSE;
}

static gboolean
allow_when (scmp_filter_ctx filter, int call, struct scmp_arg_cmp condition)
{
  return add_rule (filter, SCMP_ACT_ALLOW, call, 1, &condition);
}

/* Memory that can be executed would let a document bring its own code. */
static gboolean
allow_memory (scmp_filter_ctx filter)
{
  return allow_when (filter, SCMP_SYS (mmap), SCMP_A2 (SCMP_CMP_MASKED_EQ, PROT_EXEC, 0))
         && allow_when (filter, SCMP_SYS (mmap2), SCMP_A2 (SCMP_CMP_MASKED_EQ, PROT_EXEC, 0))
         && allow_when (filter, SCMP_SYS (mprotect), SCMP_A2 (SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
}

/* abort() signals itself, and no other process; with another signal it could pass for something
 * that the system ended. */
static gboolean
allow_abort (scmp_filter_ctx filter)
{
  const struct scmp_arg_cmp conditions[] = { SCMP_A0 (SCMP_CMP_EQ, (scmp_datum_t)getpid ()),
                                             SCMP_A2 (SCMP_CMP_EQ, SIGABRT) };

  return add_rule (filter, SCMP_ACT_ALLOW, SCMP_SYS (tgkill), G_N_ELEMENTS (conditions),
                   conditions);
}

/* Further filters and limits only narrow. */
static gboolean
allow_own (scmp_filter_ctx filter)
{
  return allow_when (filter, SCMP_SYS (prlimit64), SCMP_A0 (SCMP_CMP_EQ, 0))
         && allow_when (filter, SCMP_SYS (prctl), SCMP_A0 (SCMP_CMP_EQ, PR_SET_SECCOMP))
         && allow_when (filter, SCMP_SYS (fcntl), SCMP_A1 (SCMP_CMP_EQ, F_GETFL))
         && allow_when (filter, SCMP_SYS (fcntl), SCMP_A1 (SCMP_CMP_EQ, F_GETFD));
}

/* Two signals have to arrive as they are: the one that tells an attempt to start a process apart,
 * and the one at the end of the processor time. */
static gboolean
allow_handlers (scmp_filter_ctx filter)
{
  const scmp_datum_t first = MIN (SIGSYS, SIGXCPU);
  const scmp_datum_t second = MAX (SIGSYS, SIGXCPU);

  for (scmp_datum_t i = first + 1; i < second; i++)
    if (!allow_when (filter, SCMP_SYS (rt_sigaction), SCMP_A0 (SCMP_CMP_EQ, i)))
      return FALSE;
  return allow_when (filter, SCMP_SYS (rt_sigaction), SCMP_A0 (SCMP_CMP_LT, first))
         && allow_when (filter, SCMP_SYS (rt_sigaction), SCMP_A0 (SCMP_CMP_GT, second));
}

/* Nothing may be blocked, only looked at and let through; posix_spawn() blocks all. */
static gboolean
allow_signals (scmp_filter_ctx filter)
{
  return allow_when (filter, SCMP_SYS (rt_sigprocmask), SCMP_A0 (SCMP_CMP_EQ, SIG_UNBLOCK))
         && allow_when (filter, SCMP_SYS (rt_sigprocmask), SCMP_A1 (SCMP_CMP_EQ, 0))
         && allow_handlers (filter);
}

/* Landlock says which files. */
static gboolean
allow_reading (scmp_filter_ctx filter)
{
  const scmp_datum_t writing = O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND;

  return allow_when (filter, SCMP_SYS (open), SCMP_A1 (SCMP_CMP_MASKED_EQ, writing, O_RDONLY))
         && allow_when (filter, SCMP_SYS (openat), SCMP_A2 (SCMP_CMP_MASKED_EQ, writing, O_RDONLY));
}

/* A thread is refused like any call; a process is the end. clone3() hides its flags in memory:
 * libraries fall back to clone(). */
static gboolean
forbid_processes (scmp_filter_ctx filter)
{
  const struct scmp_arg_cmp process = SCMP_A0 (SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0);
  const struct scmp_arg_cmp thread = SCMP_A0 (SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD);

  for (gsize i = 0; i < G_N_ELEMENTS (deadly_calls); i++)
    if (!add_rule (filter, SCMP_ACT_TRAP, deadly_calls[i], 0, NULL))
      return FALSE;
  return add_rule (filter, SCMP_ACT_TRAP, SCMP_SYS (clone), 1, &process)
         && add_rule (filter, SCMP_ACT_ERRNO (EAGAIN), SCMP_SYS (clone), 1, &thread)
         && add_rule (filter, SCMP_ACT_ERRNO (ENOSYS), SCMP_SYS (clone3), 0, NULL)
         && add_rule (filter, SCMP_ACT_ERRNO (ENOTTY), SCMP_SYS (ioctl), 0, NULL);
}

static gboolean
add_rules (scmp_filter_ctx filter, gboolean may_read)
{
  for (gsize i = 0; i < G_N_ELEMENTS (allowed_calls); i++)
    if (!add_rule (filter, SCMP_ACT_ALLOW, allowed_calls[i], 0, NULL))
      return FALSE;
  return allow_memory (filter) && allow_abort (filter) && allow_own (filter)
         && allow_signals (filter) && forbid_processes (filter)
         && (!may_read || allow_reading (filter));
}

/* Runs in the child that tried a deadly call. */
static void
end_at_forbidden_call (int signal_number, siginfo_t *info, void *context)
{
  int call = info->si_syscall;

  if (call == SCMP_SYS (execve) || call == SCMP_SYS (execveat))
    _exit (POSTBAG_CHILD_EXEC);
  if (call == SCMP_SYS (fork) || call == SCMP_SYS (vfork) || call == SCMP_SYS (clone))
    _exit (POSTBAG_CHILD_FORK);
  _exit (POSTBAG_CHILD_FORBIDDEN);
}

static gboolean
filter_calls (gboolean may_read)
{
  struct sigaction action = { .sa_sigaction = end_at_forbidden_call, .sa_flags = SA_SIGINFO };
  scmp_filter_ctx filter = seccomp_init (SCMP_ACT_ERRNO (EPERM));
  int result = -1;

  if (filter == NULL)
    {
      errno = ENOMEM;
      return FALSE;
    }
  if (sigaction (SIGSYS, &action, NULL) == 0 && add_rules (filter, may_read))
    {
      result = seccomp_load (filter);
      errno = -result;
    }
  seccomp_release (filter);
  return result == 0;
}

/* By hand, since the library would have to be built anew for four instructions. */
static gboolean
forbid_opening (void)
{
  struct sock_filter code[] = {
    BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, nr)),
#ifdef SYS_open
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, SYS_open, 1, 0),
#endif
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 1),
    BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
    BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = { G_N_ELEMENTS (code), code };

  return prctl (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

/* --- the whole --- */

gboolean
postbag_cage_can_keep_folders (void)
{
  return postbag_landlock_get_version () > 0;
}

PostbagCageLayers
postbag_cage_close (const char *const *folders, const char **failed)
{
  PostbagCageLayers layers = POSTBAG_CAGE_PRIVILEGES | POSTBAG_CAGE_LIMITS | POSTBAG_CAGE_CALLS;
  PostbagCageLayers landlock;

  *failed = "limits";
  if (!limit_resources ())
    return 0;
  *failed = "privileges";
  if (!drop_privileges ())
    return 0;
  landlock = postbag_landlock_close (folders);
  *failed = "seccomp";
  if (!filter_calls (folders[0] != NULL && (landlock & POSTBAG_CAGE_FILES) != 0))
    return 0;
  *failed = NULL;
  return layers | landlock | (LIMITS_MEMORY ? POSTBAG_CAGE_MEMORY : 0);
}

gboolean
postbag_cage_narrow (PostbagExtractLimits limits, gboolean keep_folders)
{
  return limit_work (limits) && (keep_folders || forbid_opening ());
}
