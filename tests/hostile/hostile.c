/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A reader that does what a document has taken over. The document is the name of the attack; what
 * the cage refuses comes back as the attack's own report: "CALL: ERRNO". */

#include "plugin/postbag-plugin.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SERVER_FD 3 /* the child's socket */

typedef struct
{
  guint32 kind;
  guint32 length;
  gint64 value;
  char text[40000];
} Message;

static void
report (PostbagExtractOutput *output, const char *call, long result)
{
  g_autofree char *line =
      g_strdup_printf ("%s: %s\n", call, result >= 0 ? "done" : strerrorname_np (errno));

  output->append (output, line, strlen (line));
}

/* --- files --- */

static void
attack_files (PostbagExtractOutput *output)
{
  struct stat facts;
  struct
  {
    guint64 flags, mode, resolve;
  } how = { O_RDONLY, 0, 0 };

  report (output, "read", open ("/etc/passwd", O_RDONLY));
  report (output, "write", open ("/tmp/postbag-hostile", O_CREAT | O_WRONLY, 0600));
  report (output, "openat2", syscall (SYS_openat2, AT_FDCWD, "/etc/passwd", &how, sizeof how));
  report (output, "unlink", unlink ("/tmp/postbag-hostile"));
  report (output, "mkdir", mkdir ("/tmp/postbag-hostile", 0700));
  report (output, "stat", stat ("/etc/passwd", &facts));
  report (output, "memfd", memfd_create ("x", 0));
  report (output, "chdir", chdir ("/"));
}

#ifdef HOSTILE_FOLDER
/* What a reader that may read in a folder can do there, and elsewhere. */
static void
attack_folder (PostbagExtractOutput *output)
{
  static const char inside[] = HOSTILE_FOLDER "/hostile-folders.plugin";

  report (output, "read-inside", open (inside, O_RDONLY));
  report (output, "write-inside", open (inside, O_RDWR));
  report (output, "empty-inside", open (inside, O_RDONLY | O_TRUNC));
  report (output, "create-inside", open (HOSTILE_FOLDER "/new", O_CREAT | O_WRONLY, 0600));
  report (output, "unlink-inside", unlink (inside));
  report (output, "above", open (HOSTILE_FOLDER "/../../../build.ninja", O_RDONLY));
  report (output, "outside", open ("/etc/passwd", O_RDONLY));
  report (output, "itself", open ("/proc/self/environ", O_RDONLY));
}

static const char *const folders[] = { HOSTILE_FOLDER, NULL };
#endif

/* --- the network and other processes --- */

static void
attack_network (PostbagExtractOutput *output)
{
  report (output, "inet", socket (AF_INET, SOCK_STREAM, 0));
  report (output, "inet6", socket (AF_INET6, SOCK_DGRAM, 0));
  report (output, "unix", socket (AF_UNIX, SOCK_STREAM, 0));
  report (output, "netlink", socket (AF_NETLINK, SOCK_RAW, 0));
  report (output, "uring", syscall (425 /* io_uring_setup */, 1, NULL));
}

static void
attack_others (PostbagExtractOutput *output)
{
  report (output, "kill", kill (getppid (), SIGTERM));
  report (output, "tgkill", syscall (SYS_tgkill, getppid (), getppid (), SIGTERM));
  report (output, "ptrace", ptrace (PTRACE_ATTACH, getppid (), NULL, NULL));
  report (output, "read-memory", syscall (SYS_process_vm_readv, getppid (), NULL, 0, NULL, 0, 0));
  report (output, "unshare", syscall (SYS_unshare, 0x10000000));
  report (output, "prlimit", syscall (SYS_prlimit64, getppid (), 0, NULL, NULL));
}

/* Descriptors would travel on the only socket there is. */
static void
attack_socket (PostbagExtractOutput *output)
{
  struct iovec piece = { "x", 1 };
  struct msghdr message = { .msg_iov = &piece, .msg_iovlen = 1 };

  report (output, "sendmsg", sendmsg (SERVER_FD, &message, 0));
  report (output, "sendto", sendto (SERVER_FD, "x", 1, 0, NULL, 0));
}

static void
attack_code (PostbagExtractOutput *output)
{
  void *page = mmap (NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  void *code = mmap (NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  report (output, "mmap", code == MAP_FAILED ? -1 : 0);
  report (output, "mprotect", mprotect (page, 4096, PROT_READ | PROT_EXEC));
}

static void *
run_thread (void *data)
{
  return data;
}

static void
attack_thread (PostbagExtractOutput *output)
{
  pthread_t thread;

  errno = pthread_create (&thread, NULL, run_thread, NULL);
  report (output, "thread", errno == 0 ? 0 : -1);
}

/* What it finds: the server's secrets, descriptors that are not its own. */
static void
attack_inheritance (PostbagExtractOutput *output)
{
  int open_ones = 0;
  g_autofree char *line = NULL;

  for (int fd = 4; fd < 256; fd++)
    open_ones += fcntl (fd, F_GETFD) >= 0;
  line = g_strdup_printf ("descriptors: %d\nsecret: %s\n", open_ones,
                          g_getenv ("POSTBAG_TEST_SECRET") != NULL ? "seen" : "none");
  output->append (output, line, strlen (line));
}

/* Its own process, too: an end that it chose could pass for one that was chosen for it. */
static void
attack_signals (PostbagExtractOutput *output)
{
  struct sigaction deaf = { .sa_handler = SIG_IGN };
  sigset_t all;

  sigfillset (&all);
  report (output, "group", kill (0, SIGTERM));
  report (output, "everybody", kill (-1, SIGTERM));
  report (output, "itself", syscall (SYS_tgkill, getpid (), gettid (), SIGKILL));
  report (output, "tkill", syscall (SYS_tkill, gettid (), SIGKILL));
  report (output, "queue", syscall (SYS_rt_sigqueueinfo, getpid (), SIGTERM, NULL));
  report (output, "deaf-time", sigaction (SIGXCPU, &deaf, NULL));
  report (output, "deaf-calls", sigaction (SIGSYS, &deaf, NULL));
  report (output, "block", sigprocmask (SIG_BLOCK, &all, NULL));
  report (output, "mask", sigprocmask (SIG_SETMASK, &all, NULL));
  report (output, "timer", syscall (SYS_setitimer, 0, NULL, NULL));
}

static void
attack_names (PostbagExtractOutput *output)
{
  report (output, "name", prctl (PR_SET_NAME, "init", 0, 0, 0));
  report (output, "dumpable", prctl (PR_SET_DUMPABLE, 1, 0, 0, 0));
  report (output, "orphan", prctl (PR_SET_PDEATHSIG, 0, 0, 0, 0));
  report (output, "tracer", prctl (PR_SET_PTRACER, -1, 0, 0, 0));
  report (output, "map", prctl (PR_SET_MM, PR_SET_MM_ARG_START, 4096, 0, 0));
  report (output, "subreaper", prctl (PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0));
  report (output, "user", setuid (0));
  report (output, "session", setsid ());
}

static void
attack_mappings (PostbagExtractOutput *output)
{
  report (output, "own-memory", open ("/proc/self/mem", O_RDWR));
  report (output, "others-memory", syscall (SYS_process_vm_writev, 1, NULL, 0, NULL, 0, 0));
  report (output, "shared", shmget (IPC_PRIVATE, 4096, IPC_CREAT | 0600));
  report (output, "queue", syscall (SYS_msgget, IPC_PRIVATE, IPC_CREAT | 0600));
  report (output, "mqueue", syscall (SYS_mq_open, "x", O_CREAT | O_RDWR, 0600, NULL));
  report (output, "faults", syscall (SYS_userfaultfd, 0));
  report (output, "key", syscall (SYS_pkey_mprotect, NULL, 4096, PROT_EXEC, -1));
  report (output, "lock", syscall (SYS_mlockall, MCL_FUTURE));
}

static void
attack_kernel (PostbagExtractOutput *output)
{
  report (output, "uring", syscall (425 /* io_uring_setup */, 1, NULL));
  report (output, "uring-enter", syscall (426 /* io_uring_enter */, 3, 1, 0, 0, NULL, 0));
  report (output, "bpf", syscall (SYS_bpf, 0, NULL, 0));
  report (output, "perf", syscall (SYS_perf_event_open, NULL, 0, -1, -1, 0));
  report (output, "keys", syscall (SYS_add_key, "user", "x", "y", 1, -3));
  report (output, "mount", mount ("none", "/tmp", "tmpfs", 0, NULL));
  report (output, "namespace", syscall (SYS_setns, 3, 0));
  report (output, "root", chroot ("/tmp"));
  report (output, "personality", syscall (SYS_personality, 0x0400000 /* READ_IMPLIES_EXEC */));
  report (output, "listener", syscall (SYS_seccomp, 1, 8 /* a listener */, NULL));
}

/* The server's socket under another number, or one that signals for it. */
static void
attack_descriptors (PostbagExtractOutput *output)
{
  report (output, "dup", dup (SERVER_FD));
  report (output, "dup2", dup2 (SERVER_FD, STDOUT_FILENO));
  report (output, "fcntl", fcntl (SERVER_FD, F_DUPFD, 100));
  report (output, "flags", fcntl (SERVER_FD, F_SETFL, O_ASYNC));
  report (output, "owner", fcntl (SERVER_FD, F_SETOWN, 1));
  report (output, "ioctl", syscall (SYS_ioctl, STDIN_FILENO, 0x5412 /* TIOCSTI */, "x"));
  report (output, "pidfd", syscall (SYS_pidfd_open, 1, 0));
  report (output, "getfd", syscall (438 /* pidfd_getfd */, SERVER_FD, 0, 0));
}

/* A limit that was set cannot be lifted. */
static void
attack_limits (PostbagExtractOutput *output)
{
  struct rlimit more = { RLIM_INFINITY, RLIM_INFINITY };

  report (output, "time", setrlimit (RLIMIT_CPU, &more));
  report (output, "files", setrlimit (RLIMIT_NOFILE, &more));
  report (output, "processes", setrlimit (RLIMIT_NPROC, &more));
  report (output, "size", setrlimit (RLIMIT_FSIZE, &more));
}

static void
attack_stdout (PostbagExtractOutput *output)
{
  report (output, "stdout", write (STDOUT_FILENO, "{\"jsonrpc\"}\n", 12));
  report (output, "stderr", write (STDERR_FILENO, "ATTACK ON STDERR\n", 17));
}

/* --- the end --- */

static void
attack_exec (PostbagExtractOutput *output)
{
  char *const arguments[] = { "/bin/true", NULL };

  execv (arguments[0], arguments);
}

static void
attack_fork (PostbagExtractOutput *output)
{
  if (fork () == 0)
    _exit (0);
}

static void
attack_spawn (PostbagExtractOutput *output)
{
  char *const arguments[] = { "/bin/true", NULL };
  pid_t process;

  posix_spawn (&process, arguments[0], NULL, NULL, arguments, NULL);
}

static void
attack_vfork (PostbagExtractOutput *output)
{
#ifdef SYS_vfork
  report (output, "vfork", syscall (SYS_vfork));
#else
  attack_fork (output);
#endif
}

/* A filter of system calls that is taken for the one of another ABI lets through what it should
 * not. */
static void
attack_other_abi (PostbagExtractOutput *output)
{
#ifdef __x86_64__
  report (output, "x32", syscall (0x40000000 + SYS_getpid));
#else
  raise (SIGSYS);
#endif
}

static int
go_down (volatile char *before)
{
  volatile char here[4096];

  here[0] = before[0];
  return before[0] == 1 ? 0 : go_down (here) + here[0];
}

static void
attack_deep (PostbagExtractOutput *output)
{
  volatile char first[1] = { 0 };

  go_down (first);
}

static void
attack_memory (PostbagExtractOutput *output)
{
  for (;;)
    {
      volatile char *block = malloc (16 * 1024 * 1024);

      for (gsize i = 0; block != NULL && i < 16 * 1024 * 1024; i += 4096)
        block[i] = 1;
    }
}

/* GLib asks for its small pieces in another way. */
static void
attack_slices (PostbagExtractOutput *output)
{
  for (;;)
    g_slice_alloc0 (512);
}

/* 320 MiB, which one limit set allows. */
static void
attack_much (PostbagExtractOutput *output)
{
  for (int block = 0; block < 20; block++)
    {
      volatile char *bytes = malloc (16 * 1024 * 1024);

      for (gsize i = 0; bytes != NULL && i < 16 * 1024 * 1024; i += 4096)
        bytes[i] = 1;
    }
  output->append (output, "fits", 4);
}

static void
attack_huge (PostbagExtractOutput *output)
{
  volatile char *block = malloc ((gsize)1 << 40);

  if (block != NULL)
    block[0] = 1;
}

static void
attack_spin (PostbagExtractOutput *output)
{
  for (volatile int busy = 1; busy;)
    ;
}

static void
attack_sleep (PostbagExtractOutput *output)
{
  for (;;)
    poll (NULL, 0, -1);
}

/* It ignores what can be ignored. */
static void
attack_stubborn (PostbagExtractOutput *output)
{
  for (int number = 1; number < 32; number++)
    signal (number, SIG_IGN);
  attack_spin (output);
}

static void
attack_abort (PostbagExtractOutput *output)
{
  abort ();
}

static void
attack_null (PostbagExtractOutput *output)
{
  *(volatile int *)NULL = 1;
}

static void
attack_exit (PostbagExtractOutput *output)
{
  _exit (0);
}

static void
attack_exit_handler (PostbagExtractOutput *output)
{
  exit (3);
}

/* --- lies --- */

static Message message;

static void
send_raw (guint32 kind, gint64 value, guint32 told, gsize length)
{
  message.kind = kind;
  message.length = told;
  message.value = value;
  while (write (SERVER_FD, &message, 16 + length) < 0 && errno == EINTR)
    ;
}

static void
attack_lie_length (PostbagExtractOutput *output)
{
  send_raw (8, 0, 1000000, 10);
}

static void
attack_lie_long (PostbagExtractOutput *output)
{
  send_raw (8, 0, sizeof message.text, sizeof message.text);
}

static void
attack_lie_short (PostbagExtractOutput *output)
{
  ssize_t written = write (SERVER_FD, "x", 1);

  (void)written;
}

static void
attack_lie_kind (PostbagExtractOutput *output)
{
  send_raw (77, 0, 0, 0);
}

static void
attack_lie_encoding (PostbagExtractOutput *output)
{
  memset (message.text, 0xff, 10);
  send_raw (8, 0, 10, 10);
  send_raw (11, 0, 0, 0);
}

static void
attack_lie_count (PostbagExtractOutput *output)
{
  memcpy (message.text, "page_count", 10);
  send_raw (9, -5, 10, 10);
}

static void
attack_lie_reason (PostbagExtractOutput *output)
{
  send_raw (12, 4711, 0, 0);
}

/* A length that runs past what is there: it hurts itself. */
static void
attack_lie_append (PostbagExtractOutput *output)
{
  output->append (output, "short", (gsize)1 << 40);
}

static void
attack_flood (PostbagExtractOutput *output)
{
  memset (message.text, 'x', 32768);
  for (;;)
    send_raw (8, 0, 32768, 32768);
}

static void
attack_flood_notes (PostbagExtractOutput *output)
{
  memset (message.text, 'x', 10);
  for (;;)
    send_raw (10, 0, 10, 10);
}

/* In pieces of one byte, and in counts: nothing is too much by itself. */
static void
attack_flood_bytes (PostbagExtractOutput *output)
{
  message.text[0] = 'x';
  for (;;)
    send_raw (8, 0, 1, 1);
}

static void
attack_flood_counts (PostbagExtractOutput *output)
{
  memset (message.text, 'a', 10);
  for (guint i = 0;; i++)
    {
      message.text[9] = (char)('a' + i % 26);
      send_raw (9, i, 10, 10);
    }
}

static void
attack_lie_twice (PostbagExtractOutput *output)
{
  memcpy (message.text, "page_count", 10);
  send_raw (9, 5, 10, 10);
  send_raw (9, 6, 10, 10);
}

static void
attack_lie_nul (PostbagExtractOutput *output)
{
  memcpy (message.text, "a\0b", 3);
  send_raw (8, 0, 3, 3);
  send_raw (11, 0, 0, 0);
}

/* An empty packet looks like the end of the socket. */
static void
attack_lie_end (PostbagExtractOutput *output)
{
  while (write (SERVER_FD, "", 0) < 0 && errno == EINTR)
    ;
  attack_sleep (output);
}

static void
attack_hang_up (PostbagExtractOutput *output)
{
  close (SERVER_FD);
  attack_sleep (output);
}

/* Once it has said that it is done, nobody listens, and nobody waits for its end. */
static void
attack_talk_on (PostbagExtractOutput *output)
{
  memcpy (message.text, "all", 3);
  send_raw (8, 0, 3, 3);
  send_raw (11, 0, 0, 0);
  attack_flood (output);
}

static void
attack_stay (PostbagExtractOutput *output)
{
  memcpy (message.text, "all", 3);
  send_raw (8, 0, 3, 3);
  send_raw (11, 0, 0, 0);
  attack_sleep (output);
}

static void
attack_flood_stderr (PostbagExtractOutput *output)
{
  memset (message.text, 'x', sizeof message.text);
  for (;;)
    {
      ssize_t written = write (STDERR_FILENO, message.text, sizeof message.text);

      (void)written;
    }
}

/* A document that holds itself. */
static void
attack_nest (PostbagExtractOutput *output)
{
  g_autoptr (GError) error = NULL;

  output->append (output, "in ", 3);
  if (!output->descend (output, (const guint8 *)"nest", 4, "text/x-hostile", &error))
    output->append (output, "end ", 4);
}

static void
attack_deaf (PostbagExtractOutput *output)
{
  for (;;)
    output->append (output, "0123456789", 10);
}

static void
attack_note (PostbagExtractOutput *output)
{
  output->note (output, "![x](http://evil.example/)\n\x1b[31mIgnore\xe2\x80\xae this");
}

static void
stay_fine (PostbagExtractOutput *output)
{
  output->append (output, "fine", 4);
  output->count (output, "page_count", 1);
  output->count (output, "page_count", 2);
  output->note (output, "One remark.");
}

static const struct
{
  const char *name;
  void (*run) (PostbagExtractOutput *);
} attacks[] = {
  { "fine", stay_fine },
  { "files", attack_files },
#ifdef HOSTILE_FOLDER
  { "folder", attack_folder },
#endif
  { "network", attack_network },
  { "others", attack_others },
  { "socket", attack_socket },
  { "code", attack_code },
  { "thread", attack_thread },
  { "inheritance", attack_inheritance },
  { "signals", attack_signals },
  { "names", attack_names },
  { "mappings", attack_mappings },
  { "kernel", attack_kernel },
  { "descriptors", attack_descriptors },
  { "limits", attack_limits },
  { "stdout", attack_stdout },
  { "exec", attack_exec },
  { "fork", attack_fork },
  { "spawn", attack_spawn },
  { "vfork", attack_vfork },
  { "other-abi", attack_other_abi },
  { "deep", attack_deep },
  { "memory", attack_memory },
  { "much", attack_much },
  { "slices", attack_slices },
  { "huge", attack_huge },
  { "spin", attack_spin },
  { "sleep", attack_sleep },
  { "stubborn", attack_stubborn },
  { "abort", attack_abort },
  { "null", attack_null },
  { "exit", attack_exit },
  { "exit-handler", attack_exit_handler },
  { "lie-length", attack_lie_length },
  { "lie-long", attack_lie_long },
  { "lie-short", attack_lie_short },
  { "lie-kind", attack_lie_kind },
  { "lie-encoding", attack_lie_encoding },
  { "lie-count", attack_lie_count },
  { "lie-reason", attack_lie_reason },
  { "lie-append", attack_lie_append },
  { "flood", attack_flood },
  { "flood-notes", attack_flood_notes },
  { "flood-bytes", attack_flood_bytes },
  { "flood-counts", attack_flood_counts },
  { "flood-stderr", attack_flood_stderr },
  { "lie-twice", attack_lie_twice },
  { "lie-nul", attack_lie_nul },
  { "lie-end", attack_lie_end },
  { "hang-up", attack_hang_up },
  { "talk-on", attack_talk_on },
  { "stay", attack_stay },
  { "nest", attack_nest },
  { "deaf", attack_deaf },
  { "note", attack_note },
};

/* "reason encrypted": an honest failure, whose message must not get out. */
static gboolean
fail_for_reason (const PostbagExtractInput *input, GError **error)
{
  const gsize prefix = strlen ("reason ");

  if (input->length <= prefix || memcmp (input->data, "reason ", prefix) != 0)
    return FALSE;
  for (int i = 0; i < POSTBAG_EXTRACT_N_REASONS; i++)
    {
      const char *word = postbag_extract_reason_get_word (i);

      if (strlen (word) != input->length - prefix
          || memcmp (word, input->data + prefix, strlen (word)) != 0)
        continue;
      g_set_error_literal (error, POSTBAG_EXTRACT_ERROR, i, "SECRET WORDS OF THE DOCUMENT");
      return TRUE; /* a word may stand for several */
    }
  return TRUE;
}

static gboolean
extract (const PostbagExtractInput *input, PostbagExtractOutput *output, GError **error)
{
  if (fail_for_reason (input, error))
    return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (attacks); i++)
    if (strlen (attacks[i].name) == input->length
        && memcmp (attacks[i].name, input->data, input->length) == 0)
      attacks[i].run (output);
  return TRUE;
}

#ifdef HOSTILE_PREPARE
static gboolean
prepare (GError **error)
{
  abort ();
}
#endif

static const PostbagExtractorImplementation extractor = {
  .size = sizeof (PostbagExtractorImplementation),
#ifdef HOSTILE_PREPARE
  .prepare = prepare,
#endif
  .extract = extract,
#ifdef HOSTILE_FOLDER
  .folders = folders,
#endif
};

POSTBAG_PLUGIN_EXPORT (EXTRACTOR, HOSTILE_NAME, &extractor)
