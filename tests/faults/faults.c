/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A library to be preloaded. It counts the calls of a process that change a file or send to a
 * socket, with one counter for all threads, and at one of them ends the process or lets the call
 * fail. It is told by its environment, which it takes away so that children run without it:
 *
 *   POSTBAG_FAULTS_AT       at which call, from 1; unset: only count
 *   POSTBAG_FAULTS_DO       kill-before, kill-half, kill-after; short (a write of half the bytes);
 *                           or the name of an error: the call is not made and fails with it; or
 *                           after-NAME: it is made, and said to have failed
 *   POSTBAG_FAULTS_STAY     so do all calls behind it (errors only)
 *   POSTBAG_FAULTS_LOG      a file: gets one line a call, "number name what"
 *   POSTBAG_FAULTS_RECEIVE  what is received from sockets counts too
 *   POSTBAG_FAULTS_DISKS    links and renames between two mailboxes fail with EXDEV
 *   POSTBAG_FAULTS_OLD      renameat2 with flags fails with EINVAL, as on file systems without
 *   POSTBAG_FAULTS_WAIT     nothing counts before postbag_faults_arm() is called
 */

/* Both names of each function are defined here; the headers must not make one of them the other. */
#undef _FILE_OFFSET_BITS
#undef _FORTIFY_SOURCE
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define EXPORT __attribute__ ((visibility ("default")))

typedef enum
{
  PASS,
  KILL_BEFORE,
  KILL_HALF,
  KILL_AFTER,
  SHORT,
  FAIL,
  FAIL_AFTER,
} Verdict;

static struct
{
  unsigned at;
  Verdict verdict;
  int error;
  bool stays;
  bool receive;
  bool disks;
  bool old;
  int log;
  pid_t process;
  bool armed;
  unsigned n;
} faults = { .log = -1 };

/* --- what comes next --- */

static void *
find_next (const char *name, void **kept)
{
  void *next = __atomic_load_n (kept, __ATOMIC_ACQUIRE);

  if (next == NULL)
    {
      next = dlsym (RTLD_NEXT, name);
      if (next == NULL)
        abort ();
      __atomic_store_n (kept, next, __ATOMIC_RELEASE);
    }
  return next;
}

/* The function behind ours of that name. */
#define NEXT(name)                                                                                 \
  (__extension__({                                                                                 \
    static void *kept_##name;                                                                      \
    (__typeof__ (&name))find_next (#name, &kept_##name);                                           \
  }))

/* --- how it is told --- */

static char *
take_variable (const char *name)
{
  char full[64];
  char *value;

  snprintf (full, sizeof full, "POSTBAG_FAULTS_%s", name);
  value = getenv (full);
  value = value != NULL ? strdup (value) : NULL;
  unsetenv (full);
  return value;
}

static bool
take_switch (const char *name)
{
  char *value = take_variable (name);
  bool is_set = value != NULL;

  free (value);
  return is_set;
}

static void
take_verdict (const char *text)
{
  static const struct
  {
    const char *name;
    Verdict verdict;
    int error;
  } known[] = { { "kill-before", KILL_BEFORE, 0 },
                { "kill-half", KILL_HALF, 0 },
                { "kill-after", KILL_AFTER, 0 },
                { "short", SHORT, 0 },
                { "EIO", FAIL, EIO },
                { "ENOSPC", FAIL, ENOSPC },
                { "EMFILE", FAIL, EMFILE },
                { "ECONNRESET", FAIL, ECONNRESET },
                { "EINTR", FAIL, EINTR },
                { "EDQUOT", FAIL, EDQUOT },
                { "EACCES", FAIL, EACCES },
                { "EROFS", FAIL, EROFS },
                { "after-EIO", FAIL_AFTER, EIO },
                { "after-ECONNRESET", FAIL_AFTER, ECONNRESET },
                { "after-EINTR", FAIL_AFTER, EINTR } };

  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strcmp (known[i].name, text) == 0)
      {
        faults.verdict = known[i].verdict;
        faults.error = known[i].error;
        return;
      }
  fprintf (stderr, "POSTBAG_FAULTS_DO: what is “%s”?\n", text);
  _exit (2);
}

EXPORT void postbag_faults_arm (void);

void
postbag_faults_arm (void)
{
  faults.armed = true;
}

__attribute__ ((constructor)) static void
start (void)
{
  char *at = take_variable ("AT");
  char *verdict = take_variable ("DO");
  char *log = take_variable ("LOG");

  faults.process = getpid ();
  faults.stays = take_switch ("STAY");
  faults.receive = take_switch ("RECEIVE");
  faults.disks = take_switch ("DISKS");
  faults.old = take_switch ("OLD");
  if (at != NULL && verdict != NULL)
    {
      for (const char *digit = at; *digit >= '0' && *digit <= '9'; digit++)
        faults.at = faults.at * 10 + (unsigned)(*digit - '0');
      take_verdict (verdict);
    }
  if (log != NULL)
    faults.log = NEXT (open) (log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  faults.armed = !take_switch ("WAIT");
  unsetenv ("LD_PRELOAD");
  free (at);
  free (verdict);
  free (log);
}

/* --- a call that counts --- */

static void
die (void)
{
  kill (getpid (), SIGKILL);
  for (;;)
    pause ();
}

static void
write_line (unsigned n, const char *name, int fd, const char *path)
{
  char link[32], place[PATH_MAX] = "", line[PATH_MAX * 2 + 64];
  ssize_t length = -1;
  int written;

  snprintf (link, sizeof link, "/proc/self/fd/%d", fd);
  if (fd >= 0)
    length = readlink (link, place, sizeof place - 1);
  if (length >= 0)
    place[length] = '\0';
  written = snprintf (line, sizeof line, "%u %s %s%s%s\n", n, name, place,
                      *place != '\0' && path != NULL ? "/" : "", path != NULL ? path : "");
  if (written > 0 && NEXT (write) (faults.log, line, (size_t)written) < 0)
    abort ();
}

/* @fd, @path: what it is about, for the log; either may be missing (-1, NULL) */
static Verdict
meet (const char *name, int fd, const char *path)
{
  int saved_errno = errno;
  unsigned n;

  if (!faults.armed || getpid () != faults.process)
    return PASS;
  n = __atomic_add_fetch (&faults.n, 1, __ATOMIC_SEQ_CST);
  if (faults.log >= 0)
    write_line (n, name, fd, path);
  errno = saved_errno;
  if (faults.at == 0 || n < faults.at || (n > faults.at && !faults.stays))
    return PASS;
  if (faults.verdict == KILL_BEFORE)
    die ();
  return faults.verdict;
}

/* Files and sockets; what goes to a terminal, a pipe or an eventfd changes nothing. */
static Verdict
meet_fd (const char *name, int fd)
{
  struct stat facts;
  int saved_errno = errno;
  bool is_wanted =
      faults.armed && fd != faults.log && fstat (fd, &facts) == 0
      && (S_ISREG (facts.st_mode) || S_ISSOCK (facts.st_mode) || S_ISDIR (facts.st_mode));

  errno = saved_errno;
  return is_wanted ? meet (name, fd, NULL) : PASS;
}

static Verdict
meet_receive (const char *name, int fd)
{
  struct stat facts;
  int saved_errno = errno;
  bool is_wanted =
      faults.receive && faults.armed && fstat (fd, &facts) == 0 && S_ISSOCK (facts.st_mode);

  errno = saved_errno;
  return is_wanted ? meet (name, fd, NULL) : PASS;
}

static long
fail (void)
{
  errno = faults.error;
  return -1;
}

static long
end (Verdict verdict, long result)
{
  if (verdict == KILL_AFTER || verdict == KILL_HALF)
    die ();
  return verdict == FAIL_AFTER ? fail () : result;
}

/* The call is made only where it is to be. */
#define FINISH(type, verdict, call)                                                                \
  ((type)((verdict) == FAIL ? fail () : end (verdict, (long)(call))))

/* Half of something can be had only of data; of the rest nothing. */
static Verdict
whole (Verdict verdict)
{
  if (verdict == KILL_HALF)
    die ();
  return verdict == SHORT ? PASS : verdict;
}

#define WHOLE(type, verdict, call) FINISH (type, whole (verdict), call)

static size_t
cut (Verdict verdict, size_t length)
{
  return verdict == KILL_HALF || (verdict == SHORT && length > 1) ? length / 2 : length;
}

/* --- writing --- */

EXPORT ssize_t
write (int fd, const void *data, size_t length)
{
  Verdict verdict = meet_fd ("write", fd);

  return FINISH (ssize_t, verdict, NEXT (write) (fd, data, cut (verdict, length)));
}

#define DEFINE_PWRITE(name)                                                                        \
  EXPORT ssize_t name (int fd, const void *data, size_t length, off_t offset)                      \
  {                                                                                                \
    Verdict verdict = meet_fd (#name, fd);                                                         \
                                                                                                   \
    return FINISH (ssize_t, verdict, NEXT (name) (fd, data, cut (verdict, length), offset));       \
  }
DEFINE_PWRITE (pwrite)
DEFINE_PWRITE (pwrite64)

/* Half of a list is half of its first piece. */
static const struct iovec *
cut_pieces (Verdict verdict, const struct iovec *pieces, int *n, struct iovec *half)
{
  if ((verdict != KILL_HALF && verdict != SHORT) || *n < 1 || pieces[0].iov_len < 2)
    return pieces;
  *half = pieces[0];
  half->iov_len /= 2;
  *n = 1;
  return half;
}

EXPORT ssize_t
writev (int fd, const struct iovec *pieces, int n)
{
  Verdict verdict = meet_fd ("writev", fd);
  struct iovec half;
  const struct iovec *cut = cut_pieces (verdict, pieces, &n, &half);

  return FINISH (ssize_t, verdict, NEXT (writev) (fd, cut, n));
}

#define DEFINE_PWRITEV(name, parameters, arguments)                                                \
  EXPORT ssize_t name parameters                                                                   \
  {                                                                                                \
    Verdict verdict = meet_fd (#name, fd);                                                         \
    struct iovec half;                                                                             \
                                                                                                   \
    pieces = cut_pieces (verdict, pieces, &n, &half);                                              \
    return FINISH (ssize_t, verdict, NEXT (name) arguments);                                       \
  }
DEFINE_PWRITEV (pwritev, (int fd, const struct iovec *pieces, int n, off_t offset),
                (fd, pieces, n, offset))
DEFINE_PWRITEV (pwritev64, (int fd, const struct iovec *pieces, int n, off_t offset),
                (fd, pieces, n, offset))
DEFINE_PWRITEV (pwritev2, (int fd, const struct iovec *pieces, int n, off_t offset, int flags),
                (fd, pieces, n, offset, flags))
DEFINE_PWRITEV (pwritev64v2, (int fd, const struct iovec *pieces, int n, off_t offset, int flags),
                (fd, pieces, n, offset, flags))

EXPORT ssize_t
copy_file_range (int in, off_t *in_offset, int out, off_t *out_offset, size_t length,
                 unsigned flags)
{
  Verdict verdict = meet_fd ("copy_file_range", out);

  return FINISH (
      ssize_t, verdict,
      NEXT (copy_file_range) (in, in_offset, out, out_offset, cut (verdict, length), flags));
}

#define DEFINE_SENDFILE(name)                                                                      \
  EXPORT ssize_t name (int out, int in, off_t *offset, size_t length)                              \
  {                                                                                                \
    Verdict verdict = meet_fd (#name, out);                                                        \
                                                                                                   \
    return FINISH (ssize_t, verdict, NEXT (name) (out, in, offset, cut (verdict, length)));        \
  }
DEFINE_SENDFILE (sendfile)
DEFINE_SENDFILE (sendfile64)

EXPORT ssize_t
splice (int in, off_t *in_offset, int out, off_t *out_offset, size_t length, unsigned flags)
{
  Verdict verdict = meet_fd ("splice", out);

  return FINISH (ssize_t, verdict,
                 NEXT (splice) (in, in_offset, out, out_offset, cut (verdict, length), flags));
}

/* --- sockets --- */

EXPORT ssize_t
send (int fd, const void *data, size_t length, int flags)
{
  Verdict verdict = meet_fd ("send", fd);

  return FINISH (ssize_t, verdict, NEXT (send) (fd, data, cut (verdict, length), flags));
}

EXPORT ssize_t
sendto (int fd, const void *data, size_t length, int flags, __CONST_SOCKADDR_ARG address,
        socklen_t address_length)
{
  Verdict verdict = meet_fd ("sendto", fd);

  return FINISH (ssize_t, verdict,
                 NEXT (sendto) (fd, data, cut (verdict, length), flags, address, address_length));
}

EXPORT ssize_t
sendmsg (int fd, const struct msghdr *message, int flags)
{
  Verdict verdict = meet_fd ("sendmsg", fd);
  struct msghdr copy = *message;
  struct iovec half;
  int n = (int)copy.msg_iovlen;

  copy.msg_iov = (struct iovec *)cut_pieces (verdict, copy.msg_iov, &n, &half);
  copy.msg_iovlen = (size_t)n;
  return FINISH (ssize_t, verdict, NEXT (sendmsg) (fd, &copy, flags));
}

EXPORT int
sendmmsg (int fd, struct mmsghdr *messages, unsigned n, int flags)
{
  Verdict verdict = meet_fd ("sendmmsg", fd);

  return WHOLE (int, verdict, NEXT (sendmmsg) (fd, messages, n, flags));
}

EXPORT ssize_t
read (int fd, void *data, size_t length)
{
  Verdict verdict = meet_receive ("read", fd);

  return WHOLE (ssize_t, verdict, NEXT (read) (fd, data, length));
}

EXPORT ssize_t
recv (int fd, void *data, size_t length, int flags)
{
  Verdict verdict = meet_receive ("recv", fd);

  return WHOLE (ssize_t, verdict, NEXT (recv) (fd, data, length, flags));
}

EXPORT ssize_t
recvfrom (int fd, void *restrict data, size_t length, int flags, __SOCKADDR_ARG address,
          socklen_t *restrict address_length)
{
  Verdict verdict = meet_receive ("recvfrom", fd);

  return WHOLE (ssize_t, verdict,
                NEXT (recvfrom) (fd, data, length, flags, address, address_length));
}

EXPORT ssize_t
recvmsg (int fd, struct msghdr *message, int flags)
{
  Verdict verdict = meet_receive ("recvmsg", fd);

  return WHOLE (ssize_t, verdict, NEXT (recvmsg) (fd, message, flags));
}

/* --- to the disk, size and time --- */

#define DEFINE_ON_FD(name, parameters, arguments)                                                  \
  EXPORT int name parameters                                                                       \
  {                                                                                                \
    Verdict verdict = meet_fd (#name, fd);                                                         \
                                                                                                   \
    return WHOLE (int, verdict, NEXT (name) arguments);                                            \
  }
DEFINE_ON_FD (fsync, (int fd), (fd))
DEFINE_ON_FD (fdatasync, (int fd), (fd))
DEFINE_ON_FD (syncfs, (int fd), (fd))
DEFINE_ON_FD (sync_file_range, (int fd, off_t offset, off_t length, unsigned flags),
              (fd, offset, length, flags))
DEFINE_ON_FD (ftruncate, (int fd, off_t length), (fd, length))
DEFINE_ON_FD (ftruncate64, (int fd, off_t length), (fd, length))
DEFINE_ON_FD (fallocate, (int fd, int mode, off_t offset, off_t length), (fd, mode, offset, length))
DEFINE_ON_FD (fallocate64, (int fd, int mode, off_t offset, off_t length),
              (fd, mode, offset, length))
DEFINE_ON_FD (futimens, (int fd, const struct timespec times[2]), (fd, times))
DEFINE_ON_FD (fchmod, (int fd, mode_t mode), (fd, mode))

#define DEFINE_ON_PATH(name, parameters, arguments)                                                \
  EXPORT int name parameters                                                                       \
  {                                                                                                \
    Verdict verdict = meet (#name, -1, path);                                                      \
                                                                                                   \
    return WHOLE (int, verdict, NEXT (name) arguments);                                            \
  }
DEFINE_ON_PATH (truncate, (const char *path, off_t length), (path, length))
DEFINE_ON_PATH (truncate64, (const char *path, off_t length), (path, length))
DEFINE_ON_PATH (unlink, (const char *path), (path))
DEFINE_ON_PATH (rmdir, (const char *path), (path))
DEFINE_ON_PATH (remove, (const char *path), (path))
DEFINE_ON_PATH (mkdir, (const char *path, mode_t mode), (path, mode))
DEFINE_ON_PATH (chmod, (const char *path, mode_t mode), (path, mode))

#define DEFINE_ON_PLACE(name, parameters, arguments)                                               \
  EXPORT int name parameters                                                                       \
  {                                                                                                \
    Verdict verdict = meet (#name, fd, path);                                                      \
                                                                                                   \
    return WHOLE (int, verdict, NEXT (name) arguments);                                            \
  }
DEFINE_ON_PLACE (unlinkat, (int fd, const char *path, int flags), (fd, path, flags))
DEFINE_ON_PLACE (mkdirat, (int fd, const char *path, mode_t mode), (fd, path, mode))
DEFINE_ON_PLACE (utimensat, (int fd, const char *path, const struct timespec times[2], int flags),
                 (fd, path, times, flags))
DEFINE_ON_PLACE (symlinkat, (const char *target, int fd, const char *path), (target, fd, path))

/* --- names --- */

/* The mailbox that a cur, new or tmp belongs to. */
static bool
find_mailbox (int fd, char *place)
{
  char link[32];
  ssize_t length;
  char *slash;

  snprintf (link, sizeof link, "/proc/self/fd/%d", fd);
  length = readlink (link, place, PATH_MAX - 1);
  if (length < 0)
    return false;
  place[length] = '\0';
  slash = strrchr (place, '/');
  if (slash == NULL
      || (strcmp (slash, "/cur") != 0 && strcmp (slash, "/new") != 0
          && strcmp (slash, "/tmp") != 0))
    return false;
  *slash = '\0';
  return true;
}

static bool
is_between_disks (int from, int to)
{
  char first[PATH_MAX], second[PATH_MAX];
  int saved_errno = errno;
  bool differ = faults.disks && find_mailbox (from, first) && find_mailbox (to, second)
                && strcmp (first, second) != 0;

  errno = saved_errno;
  return differ;
}

static long
refuse (int error)
{
  errno = error;
  return -1;
}

EXPORT int
rename (const char *path, const char *new_path)
{
  Verdict verdict = meet ("rename", -1, path);

  return WHOLE (int, verdict, NEXT (rename) (path, new_path));
}

EXPORT int
renameat (int fd, const char *path, int new_fd, const char *new_path)
{
  Verdict verdict = meet ("renameat", fd, path);

  return WHOLE (int, verdict,
                is_between_disks (fd, new_fd) ? refuse (EXDEV)
                                              : NEXT (renameat) (fd, path, new_fd, new_path));
}

EXPORT int
renameat2 (int fd, const char *path, int new_fd, const char *new_path, unsigned flags)
{
  Verdict verdict = meet ("renameat2", fd, path);

  if (faults.old && flags != 0)
    return WHOLE (int, verdict, refuse (EINVAL));
  return WHOLE (int, verdict,
                is_between_disks (fd, new_fd)
                    ? refuse (EXDEV)
                    : NEXT (renameat2) (fd, path, new_fd, new_path, flags));
}

EXPORT int
link (const char *path, const char *new_path)
{
  Verdict verdict = meet ("link", -1, path);

  return WHOLE (int, verdict, NEXT (link) (path, new_path));
}

EXPORT int
linkat (int fd, const char *path, int new_fd, const char *new_path, int flags)
{
  Verdict verdict = meet ("linkat", fd, path);

  return WHOLE (int, verdict,
                is_between_disks (fd, new_fd) ? refuse (EXDEV)
                                              : NEXT (linkat) (fd, path, new_fd, new_path, flags));
}

EXPORT int
symlink (const char *target, const char *path)
{
  Verdict verdict = meet ("symlink", -1, path);

  return WHOLE (int, verdict, NEXT (symlink) (target, path));
}

/* --- files made --- */

static bool
creates (int flags)
{
  return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE || (flags & O_TRUNC) != 0;
}

#define TAKE_MODE(flags)                                                                           \
  mode_t mode = 0;                                                                                 \
  if (creates (flags))                                                                             \
    {                                                                                              \
      va_list rest;                                                                                \
                                                                                                   \
      va_start (rest, flags);                                                                      \
      mode = va_arg (rest, mode_t);                                                                \
      va_end (rest);                                                                               \
    }

#define DEFINE_OPEN(name)                                                                          \
  EXPORT int name (const char *path, int flags, ...)                                               \
  {                                                                                                \
    TAKE_MODE (flags)                                                                              \
    Verdict verdict = creates (flags) ? meet (#name, -1, path) : PASS;                             \
                                                                                                   \
    return WHOLE (int, verdict, NEXT (name) (path, flags, mode));                                  \
  }
DEFINE_OPEN (open)
DEFINE_OPEN (open64)

#define DEFINE_OPENAT(name)                                                                        \
  EXPORT int name (int fd, const char *path, int flags, ...)                                       \
  {                                                                                                \
    TAKE_MODE (flags)                                                                              \
    Verdict verdict = creates (flags) ? meet (#name, fd, path) : PASS;                             \
                                                                                                   \
    return WHOLE (int, verdict, NEXT (name) (fd, path, flags, mode));                              \
  }
DEFINE_OPENAT (openat)
DEFINE_OPENAT (openat64)

DEFINE_ON_PATH (creat, (const char *path, mode_t mode), (path, mode))
DEFINE_ON_PATH (creat64, (const char *path, mode_t mode), (path, mode))

#define DEFINE_FOPEN(name)                                                                         \
  EXPORT FILE *name (const char *path, const char *mode)                                           \
  {                                                                                                \
    Verdict verdict = mode[0] != 'r' ? whole (meet (#name, -1, path)) : PASS;                      \
    FILE *file = verdict == FAIL ? NULL : NEXT (name) (path, mode);                                \
                                                                                                   \
    if (verdict == FAIL)                                                                           \
      errno = faults.error;                                                                        \
    else                                                                                           \
      end (verdict == FAIL_AFTER ? PASS : verdict, 0);                                             \
    return file;                                                                                   \
  }
DEFINE_FOPEN (fopen)
DEFINE_FOPEN (fopen64)

#define DEFINE_MAKE(name, parameters, arguments)                                                   \
  EXPORT int name parameters                                                                       \
  {                                                                                                \
    Verdict verdict = meet (#name, -1, path);                                                      \
                                                                                                   \
    return WHOLE (int, verdict, NEXT (name) arguments);                                            \
  }
DEFINE_MAKE (mkstemp, (char *path), (path))
DEFINE_MAKE (mkstemp64, (char *path), (path))
DEFINE_MAKE (mkostemp, (char *path, int flags), (path, flags))
DEFINE_MAKE (mkostemp64, (char *path, int flags), (path, flags))

/* --- without a wrapper --- */

typedef struct
{
  const char *name; /* NULL: does not count */
  bool is_on_fd;    /* its first argument is one */
} Number;

static Number
describe_number (long number, const long arguments[6])
{
  switch (number)
    {
    case SYS_write:
    case SYS_pwrite64:
    case SYS_writev:
    case SYS_sendto:
    case SYS_sendmsg:
    case SYS_fsync:
    case SYS_fdatasync:
    case SYS_ftruncate:
      return (Number){ "syscall write", true };
    case SYS_renameat:
    case SYS_renameat2:
    case SYS_linkat:
    case SYS_unlinkat:
    case SYS_mkdirat:
#ifdef SYS_rename
    case SYS_rename:
    case SYS_link:
    case SYS_unlink:
    case SYS_mkdir:
    case SYS_rmdir:
#endif
      return (Number){ "syscall rename", false };
    case SYS_openat:
      return (Number){ creates ((int)arguments[2]) ? "syscall openat" : NULL, false };
#ifdef SYS_openat2
    case SYS_openat2:
      return (Number){ creates (*(const int *)arguments[2]) ? "syscall openat2" : NULL, false };
#endif
    default:
      return (Number){ NULL, false };
    }
}

EXPORT long
syscall (long number, ...)
{
  long arguments[6];
  Number what;
  Verdict verdict = PASS;
  va_list rest;

  va_start (rest, number);
  for (int i = 0; i < 6; i++)
    arguments[i] = va_arg (rest, long);
  va_end (rest);
  what = describe_number (number, arguments);
  if (what.name != NULL)
    verdict = what.is_on_fd ? meet_fd (what.name, (int)arguments[0]) : meet (what.name, -1, NULL);
  return WHOLE (long, verdict,
                NEXT (syscall) (number, arguments[0], arguments[1], arguments[2], arguments[3],
                                arguments[4], arguments[5]));
}
