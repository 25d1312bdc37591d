/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The cage against readers that were taken over by their document (hostile.c): each attack is
 * contained and told apart, and after each the next document is fine. With POSTBAG_RELEASE the
 * release build's worker is attacked, which limits memory: an address space limit and
 * AddressSanitizer do not go together. */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "extract/postbag-extraction-private.h"

static const char *program;

static gboolean
is_release (void)
{
  return g_strcmp0 (g_getenv ("CAGE_OF"), "release") == 0;
}

static PostbagExtraction *
make_extraction (const char *path)
{
  static const char *const types[] = { "text/x-hostile", "text/x-hostile-prepare",
                                       "text/x-hostile-folders", NULL };
  PostbagExtractionOptions options = { path, types, "1", FALSE };

  return postbag_extraction_new (&options);
}

static PostbagExtractedText *
run_in (PostbagExtraction *extraction, const char *attack, PostbagExtractFate *fate,
        PostbagExtractReason *reason, GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new (attack, strlen (attack));
  PostbagExtractRequest request = { .bytes = bytes, .content_type = "Text/X-Hostile; a=b" };

  return postbag_extraction_run_full (extraction, &request, NULL, reason, fate, error);
}

static void
assert_fine (PostbagExtraction *extraction)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagExtractedText) text = run_in (extraction, "fine", NULL, NULL, &error);

  g_assert_no_error (error);
  g_assert_cmpstr (text->text, ==, "fine");
  g_assert_cmpuint (text->chars, ==, 4);
  g_assert_cmpint (postbag_extracted_text_get_count (text, "page_count"), ==, 2);
  g_assert_cmpint (postbag_extracted_text_get_count (text, "sheet_count"), ==, -1);
  g_assert_cmpuint (text->notes->len, ==, 1);
}

/* --- what a refused call reports --- */

static const struct
{
  const char *attack;
  const char *text;
} refused[] = {
  { "files", "read: EPERM\nwrite: EPERM\nopenat2: EPERM\nunlink: EPERM\nmkdir: EPERM\n"
             "stat: EPERM\nmemfd: EPERM\nchdir: EPERM\n" },
  { "network", "inet: EPERM\ninet6: EPERM\nunix: EPERM\nnetlink: EPERM\nuring: EPERM\n" },
  { "others", "kill: EPERM\ntgkill: EPERM\nptrace: EPERM\nread-memory: EPERM\nunshare: EPERM\n"
              "prlimit: EPERM\n" },
  { "socket", "sendmsg: EPERM\nsendto: EPERM\n" },
  { "code", "mmap: EPERM\nmprotect: EPERM\n" },
  { "thread", "thread: EAGAIN\n" },
  { "inheritance", "descriptors: 0\nsecret: none\n" },
  { "stdout", "stdout: done\nstderr: done\n" },
  { "signals", "group: EPERM\neverybody: EPERM\nitself: EPERM\ntkill: EPERM\nqueue: EPERM\n"
               "deaf-time: EPERM\ndeaf-calls: EPERM\nblock: EPERM\nmask: EPERM\ntimer: EPERM\n" },
  { "names", "name: EPERM\ndumpable: EPERM\norphan: EPERM\ntracer: EPERM\nmap: EPERM\n"
             "subreaper: EPERM\nuser: EPERM\nsession: EPERM\n" },
  { "mappings", "own-memory: EPERM\nothers-memory: EPERM\nshared: EPERM\nqueue: EPERM\n"
                "mqueue: EPERM\nfaults: EPERM\nkey: EPERM\nlock: EPERM\n" },
  { "kernel", "uring: EPERM\nuring-enter: EPERM\nbpf: EPERM\nperf: EPERM\nkeys: EPERM\n"
              "mount: EPERM\nnamespace: EPERM\nroot: EPERM\npersonality: EPERM\n"
              "listener: EPERM\n" },
  { "descriptors", "dup: EPERM\ndup2: EPERM\nfcntl: EPERM\nflags: EPERM\nowner: EPERM\n"
                   "ioctl: ENOTTY\npidfd: EPERM\ngetfd: EPERM\n" },
  { "limits", "time: EPERM\nfiles: EPERM\nprocesses: EPERM\nsize: EPERM\n" },
  { "nest", "in in in in end " },
  { "talk-on", "all" },
  { "stay", "all" },
};

static void
test_refused (gconstpointer data)
{
  g_autoptr (PostbagExtraction) extraction = make_extraction (program);
  gsize i = GPOINTER_TO_SIZE (data);
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagExtractedText) text = NULL;

  g_setenv ("POSTBAG_TEST_SECRET", "hunter2", TRUE);
  text = run_in (extraction, refused[i].attack, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (text->text, ==, refused[i].text);
  g_assert_false (g_file_test ("/tmp/postbag-hostile", G_FILE_TEST_EXISTS));
  assert_fine (extraction);
}

/* --- what ends the child --- */

static const struct
{
  const char *attack;
  PostbagExtractFate fate;
  PostbagExtractReason reason;
  PostbagErrorCode code;
} fatal[] = {
  { "exec", POSTBAG_FATE_EXEC, POSTBAG_EXTRACT_INTERNAL, POSTBAG_ERROR_SANDBOX },
  { "fork", POSTBAG_FATE_FORK, POSTBAG_EXTRACT_INTERNAL, POSTBAG_ERROR_SANDBOX },
  { "spawn", POSTBAG_FATE_FORK, POSTBAG_EXTRACT_INTERNAL, POSTBAG_ERROR_SANDBOX },
  { "vfork", POSTBAG_FATE_FORK, POSTBAG_EXTRACT_INTERNAL, POSTBAG_ERROR_SANDBOX },
  { "other-abi", POSTBAG_FATE_FORBIDDEN, POSTBAG_EXTRACT_INTERNAL, POSTBAG_ERROR_SANDBOX },
  { "deep", POSTBAG_FATE_CRASHED, POSTBAG_EXTRACT_INTERNAL, POSTBAG_ERROR_SANDBOX },
  { "memory", POSTBAG_FATE_MEMORY, POSTBAG_EXTRACT_OUT_OF_MEMORY, POSTBAG_ERROR_TOO_LARGE },
  { "much", POSTBAG_FATE_MEMORY, POSTBAG_EXTRACT_OUT_OF_MEMORY, POSTBAG_ERROR_TOO_LARGE },
  { "slices", POSTBAG_FATE_MEMORY, POSTBAG_EXTRACT_OUT_OF_MEMORY, POSTBAG_ERROR_TOO_LARGE },
  { "huge", POSTBAG_FATE_MEMORY, POSTBAG_EXTRACT_OUT_OF_MEMORY, POSTBAG_ERROR_TOO_LARGE },
  { "spin", POSTBAG_FATE_STALLED, POSTBAG_EXTRACT_TIMEOUT, POSTBAG_ERROR_TIMED_OUT },
  { "sleep", POSTBAG_FATE_STALLED, POSTBAG_EXTRACT_TIMEOUT, POSTBAG_ERROR_TIMED_OUT },
  { "stubborn", POSTBAG_FATE_STALLED, POSTBAG_EXTRACT_TIMEOUT, POSTBAG_ERROR_TIMED_OUT },
  { "abort", POSTBAG_FATE_CRASHED, POSTBAG_EXTRACT_INTERNAL, POSTBAG_ERROR_SANDBOX },
  { "null", POSTBAG_FATE_CRASHED, POSTBAG_EXTRACT_INTERNAL, POSTBAG_ERROR_SANDBOX },
  { "exit", POSTBAG_FATE_CRASHED, POSTBAG_EXTRACT_INTERNAL, POSTBAG_ERROR_SANDBOX },
  { "exit-handler", POSTBAG_FATE_CRASHED, POSTBAG_EXTRACT_INTERNAL, POSTBAG_ERROR_SANDBOX },
  { "lie-length", POSTBAG_FATE_LIED, POSTBAG_EXTRACT_INTERNAL, POSTBAG_ERROR_SANDBOX },
  { "lie-long", POSTBAG_FATE_LIED, POSTBAG_EXTRACT_INTERNAL, POSTBAG_ERROR_SANDBOX },
  { "lie-short", POSTBAG_FATE_LIED, POSTBAG_EXTRACT_INTERNAL, POSTBAG_ERROR_SANDBOX },
  { "lie-kind", POSTBAG_FATE_LIED, POSTBAG_EXTRACT_INTERNAL, POSTBAG_ERROR_SANDBOX },
  { "lie-encoding", POSTBAG_FATE_LIED, POSTBAG_EXTRACT_INTERNAL, POSTBAG_ERROR_SANDBOX },
  { "lie-count", POSTBAG_FATE_LIED, POSTBAG_EXTRACT_INTERNAL, POSTBAG_ERROR_SANDBOX },
  { "lie-reason", POSTBAG_FATE_LIED, POSTBAG_EXTRACT_INTERNAL, POSTBAG_ERROR_SANDBOX },
  { "lie-twice", POSTBAG_FATE_LIED, POSTBAG_EXTRACT_INTERNAL, POSTBAG_ERROR_SANDBOX },
  { "lie-nul", POSTBAG_FATE_LIED, POSTBAG_EXTRACT_INTERNAL, POSTBAG_ERROR_SANDBOX },
  { "lie-end", POSTBAG_FATE_LIED, POSTBAG_EXTRACT_INTERNAL, POSTBAG_ERROR_SANDBOX },
  { "hang-up", POSTBAG_FATE_LIED, POSTBAG_EXTRACT_INTERNAL, POSTBAG_ERROR_SANDBOX },
  { "lie-append", POSTBAG_FATE_FINISHED, POSTBAG_EXTRACT_INTERNAL, POSTBAG_ERROR_SANDBOX },
  { "flood", POSTBAG_FATE_FLOODED, POSTBAG_EXTRACT_INTERNAL, POSTBAG_ERROR_SANDBOX },
  { "flood-bytes", POSTBAG_FATE_FLOODED, POSTBAG_EXTRACT_INTERNAL, POSTBAG_ERROR_SANDBOX },
  { "flood-counts", POSTBAG_FATE_FLOODED, POSTBAG_EXTRACT_INTERNAL, POSTBAG_ERROR_SANDBOX },
  { "flood-stderr", POSTBAG_FATE_STALLED, POSTBAG_EXTRACT_TIMEOUT, POSTBAG_ERROR_TIMED_OUT },
  { "flood-notes", POSTBAG_FATE_FLOODED, POSTBAG_EXTRACT_INTERNAL, POSTBAG_ERROR_SANDBOX },
  { "reason encrypted", POSTBAG_FATE_FINISHED, POSTBAG_EXTRACT_ENCRYPTED,
    POSTBAG_ERROR_NOT_SUPPORTED },
};

static void
test_fatal (gconstpointer data)
{
  gsize i = GPOINTER_TO_SIZE (data);
  gboolean stalls = fatal[i].fate == POSTBAG_FATE_STALLED;
  g_autoptr (PostbagExtraction) extraction = make_extraction (program);
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagExtractedText) text = NULL;
  PostbagExtractReason reason;
  PostbagExtractFate fate;

  if (fatal[i].fate == POSTBAG_FATE_MEMORY
      && (postbag_extraction_probe (extraction, NULL) & POSTBAG_CAGE_MEMORY) == 0)
    {
      g_test_skip ("with AddressSanitizer memory is not limited; the release build's worker is "
                   "tested with POSTBAG_RELEASE");
      return;
    }
  postbag_extraction_set_wall (extraction, stalls ? 500 : 0);
  text = run_in (extraction, fatal[i].attack, &fate, &reason, &error);
  postbag_extraction_set_wall (extraction, 0);
  g_assert_error (error, POSTBAG_ERROR, (int)fatal[i].code);
  g_assert_null (text);
  g_assert_cmpint (fate, ==, fatal[i].fate);
  g_assert_cmpint (reason, ==, fatal[i].reason);
  g_assert_null (strstr (error->message, "SECRET"));
  assert_fine (extraction);
}

/* Where a whole mailbox is indexed a document may take more. */
static void
test_archive_limits (void)
{
  g_autoptr (PostbagExtraction) extraction = make_extraction (program);
  g_autoptr (GBytes) bytes = g_bytes_new_static ("much", 4);
  PostbagExtractRequest request = { .bytes = bytes,
                                    .content_type = "text/x-hostile",
                                    .limits = POSTBAG_EXTRACT_ARCHIVE };
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagExtractedText) text =
      postbag_extraction_run (extraction, &request, NULL, NULL, &error);

  g_assert_no_error (error);
  g_assert_cmpstr (text->text, ==, "fits");
}

/* The processor's time alone ends it: the limit on the clock is out of reach. */
static void
test_processor (gconstpointer data)
{
  g_autoptr (PostbagExtraction) extraction = make_extraction (g_getenv ("LITTLE_TIME"));
  g_autoptr (GError) error = NULL;
  PostbagExtractReason reason;
  PostbagExtractFate fate;

  if (is_release ())
    {
      g_test_skip ("the wrapper starts the worker of this build");
      return;
    }
  postbag_extraction_set_wall (extraction, G_MAXINT32);
  g_assert_null (run_in (extraction, data, &fate, &reason, &error));
  g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_TIMED_OUT);
  g_assert_cmpint (fate, ==, POSTBAG_FATE_STALLED);
  g_assert_cmpint (reason, ==, POSTBAG_EXTRACT_TIMEOUT);
  assert_fine (extraction);
}

/* --- bounds on what comes out --- */

static void
test_deaf (void)
{
  g_autoptr (PostbagExtraction) extraction = make_extraction (program);
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagExtractedText) text = run_in (extraction, "deaf", NULL, NULL, &error);

  g_assert_no_error (error);
  g_assert_true (text->was_cut);
  g_assert_cmpuint (text->chars, ==, POSTBAG_LIMIT_PAGED_TEXT_CHARS);
  assert_fine (extraction);
}

static void
test_note (void)
{
  g_autoptr (PostbagExtraction) extraction = make_extraction (program);
  g_autoptr (PostbagExtractedText) text = run_in (extraction, "note", NULL, NULL, NULL);
  const char *note = g_ptr_array_index (text->notes, 0);

  g_assert_null (strstr (note, "!["));
  g_assert_null (strpbrk (note, "\n\x1b"));
  g_assert_null (strstr (note, "\xe2\x80\xae"));
}

/* --- the worker --- */

/* Returns when it is dead, and leaves it to be reaped by its owner. */
static void
kill_worker (gint64 process)
{
  siginfo_t info;

  g_assert_cmpint (kill ((pid_t)process, SIGKILL), ==, 0);
  g_assert_cmpint (waitid (P_PID, (id_t)process, &info, WEXITED | WNOWAIT), ==, 0);
}

static void
test_worker_killed (void)
{
  g_autoptr (PostbagExtraction) extraction = make_extraction (program);
  gint64 process;

  assert_fine (extraction);
  process = postbag_extraction_get_worker (extraction);
  kill_worker (process);
  /* Not the kept result. */
  {
    g_autoptr (GError) error = NULL;
    g_autoptr (PostbagExtractedText) text = run_in (extraction, "network", NULL, NULL, &error);

    g_assert_no_error (error);
    g_assert_cmpstr (text->text, ==, refused[1].text);
  }
  /* A child that was being made may have done it; the next document needs a new worker. */
  {
    g_autoptr (PostbagExtractedText) text = run_in (extraction, "code", NULL, NULL, NULL);

    g_assert_nonnull (text);
  }
  g_assert_cmpint (postbag_extraction_get_worker (extraction), !=, process);
}

static void
test_prepare (void)
{
  g_autofree char *before = g_strdup (g_getenv ("POSTBAG_PLUGIN_PATH"));
  g_autofree char *path = g_strconcat (before, ":", g_getenv ("HOSTILE_PREPARE"), NULL);
  g_autoptr (PostbagExtraction) extraction = make_extraction (program);

  g_setenv ("POSTBAG_PLUGIN_PATH", path, TRUE);
  g_test_expect_message (NULL, G_LOG_LEVEL_WARNING, "*hostile-prepare*left out*");
  assert_fine (extraction);
  g_test_assert_expected_messages ();
  g_setenv ("POSTBAG_PLUGIN_PATH", before, TRUE);
}

/* A reader that may read in a folder reads there, and does nothing else; without Landlock, which
 * tells folders apart, it may not even do that. The others may not, though both began alike. */
static void
test_folders (void)
{
  static const char landlock[] =
      "read-inside: done\nwrite-inside: EPERM\nempty-inside: EPERM\ncreate-inside: EPERM\n"
      "unlink-inside: EPERM\nabove: EACCES\noutside: EACCES\nitself: EACCES\n";
  static const char seccomp[] =
      "read-inside: EPERM\nwrite-inside: EPERM\nempty-inside: EPERM\ncreate-inside: EPERM\n"
      "unlink-inside: EPERM\nabove: EPERM\noutside: EPERM\nitself: EPERM\n";
  g_autofree char *before = g_strdup (g_getenv ("POSTBAG_PLUGIN_PATH"));
  g_autofree char *path = g_strconcat (before, ":", g_getenv ("HOSTILE_FOLDERS"), NULL);
  g_autoptr (PostbagExtraction) extraction = make_extraction (program);
  g_autoptr (GBytes) bytes = g_bytes_new_static ("folder", strlen ("folder"));
  PostbagExtractRequest request = { .bytes = bytes, .content_type = "text/x-hostile-folders" };
  g_autoptr (PostbagExtractedText) text = NULL;
  g_autoptr (PostbagExtractedText) other = NULL;
  g_autoptr (GError) error = NULL;
  gboolean tells_folders_apart;

  g_setenv ("POSTBAG_PLUGIN_PATH", path, TRUE);
  tells_folders_apart = (postbag_extraction_probe (extraction, &error) & POSTBAG_CAGE_FILES) != 0;
  g_assert_no_error (error);
  text = postbag_extraction_run_full (extraction, &request, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (text->text, ==, tells_folders_apart ? landlock : seccomp);
  other = run_in (extraction, "files", NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (other->text, ==, refused[0].text);
  g_setenv ("POSTBAG_PLUGIN_PATH", before, TRUE);
}

/* Where the cage cannot be closed nothing is read. */
static void
test_no_cage (void)
{
  g_autoptr (PostbagExtraction) extraction = make_extraction (g_getenv ("NO_SECCOMP"));
  g_autoptr (GError) error = NULL;
  PostbagExtractFate fate;

  if (is_release ())
    {
      g_test_skip ("the wrapper starts the worker of this build");
      return;
    }
  g_assert_null (run_in (extraction, "fine", &fate, NULL, &error));
  g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_SANDBOX);
  g_assert_nonnull (strstr (error->message, "seccomp"));
  g_assert_cmpint (fate, ==, POSTBAG_FATE_NO_CAGE);
}

/* Without Landlock seccomp alone keeps the files shut: the cage is closed, and says how. */
static void
test_no_landlock (void)
{
  g_autoptr (PostbagExtraction) extraction = make_extraction (g_getenv ("NO_LANDLOCK"));
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagExtractedText) text = NULL;
  PostbagCageLayers layers;

  if (is_release ())
    {
      g_test_skip ("the wrapper starts the worker of this build");
      return;
    }
  layers = postbag_extraction_probe (extraction, &error);
  g_assert_no_error (error);
  g_assert_cmpint (layers & POSTBAG_CAGE_CALLS, !=, 0);
  g_assert_cmpint (layers & (POSTBAG_CAGE_FILES | POSTBAG_CAGE_NETWORK | POSTBAG_CAGE_SCOPE), ==,
                   0);
  for (gsize i = 0; i < 3; i++)
    {
      g_clear_pointer (&text, postbag_extracted_text_unref);
      text = run_in (extraction, refused[i].attack, NULL, NULL, &error);
      g_assert_no_error (error);
      g_assert_cmpstr (text->text, ==, refused[i].text);
    }
  assert_fine (extraction);
}

/* Fills the table of descriptors up to its last places. */
static GArray *
take_descriptors (guint spare)
{
  GArray *taken = g_array_new (FALSE, FALSE, sizeof (int));

  for (int fd = open ("/dev/null", O_RDONLY | O_CLOEXEC); fd >= 0;
       fd = open ("/dev/null", O_RDONLY | O_CLOEXEC))
    g_array_append_val (taken, fd);
  g_assert_cmpint (errno, ==, EMFILE);
  for (; spare > 0; spare--)
    close (g_array_index (taken, int, taken->len - spare));
  return taken;
}

static void
give_descriptors_back (GArray *taken, guint spare)
{
  for (guint i = 0; i < taken->len - spare; i++)
    close (g_array_index (taken, int, i));
  g_array_unref (taken);
}

/* However few descriptors the server has left: the document is read or the answer is "busy", and
 * the next one is fine. @worker: the one that has to live on; 0: there is none yet. */
static gboolean
read_with_few (PostbagExtraction *extraction, guint spare, gint64 worker)
{
  GArray *taken = take_descriptors (spare);
  g_autofree char *attack = g_strdup_printf ("fine %" G_GINT64_FORMAT " %u", worker, spare);
  g_autoptr (GError) error = NULL;
  PostbagExtractReason reason;
  PostbagExtractFate fate;
  g_autoptr (PostbagExtractedText) text =
      run_in (extraction, spare == 0 ? "abort" : attack, &fate, &reason, &error);

  give_descriptors_back (taken, spare);
  if (worker != 0)
    g_assert_cmpint (postbag_extraction_get_worker (extraction), ==, worker);
  assert_fine (extraction);
  if (text != NULL)
    return TRUE;
  g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_BUSY);
  g_assert_nonnull (strstr (error->message, "(busy)"));
  g_assert_cmpint (fate, ==, POSTBAG_FATE_SHORT);
  g_assert_cmpint (reason, ==, POSTBAG_EXTRACT_BUSY);
  return FALSE;
}

static void
test_no_descriptors (void)
{
  static const guint spares[] = { 0, 1, 2, 3, 5, 8, 15 };
  struct rlimit before, few;
  g_autoptr (PostbagExtraction) warm = make_extraction (program);
  gboolean was_read = FALSE, was_read_cold = FALSE;

  g_assert_cmpint (getrlimit (RLIMIT_NOFILE, &before), ==, 0);
  few = (struct rlimit){ 64, before.rlim_max };
  g_assert_cmpint (setrlimit (RLIMIT_NOFILE, &few), ==, 0);
  assert_fine (warm);
  for (gsize i = 0; i < G_N_ELEMENTS (spares); i++)
    {
      guint spare = spares[i];
      g_autoptr (PostbagExtraction) cold = make_extraction (program);

      was_read = read_with_few (warm, spare, postbag_extraction_get_worker (warm));
      was_read_cold = read_with_few (cold, spare, 0);
      g_assert_true (spare > 0 || !was_read);
      g_assert_true (spare > 0 || !was_read_cold);
    }
  g_assert_true (was_read);
  g_assert_true (was_read_cold);
  g_assert_cmpint (setrlimit (RLIMIT_NOFILE, &before), ==, 0);
}

/* A machine that has no process left for the worker's children. */
static void
test_no_processes (void)
{
  g_autoptr (PostbagExtraction) extraction = make_extraction (g_getenv ("NO_FORK"));
  g_autoptr (GError) error = NULL;
  PostbagExtractReason reason;
  PostbagExtractFate fate;

  if (is_release ())
    {
      g_test_skip ("the wrapper starts the worker of this build");
      return;
    }
  g_assert_null (run_in (extraction, "fine", &fate, &reason, &error));
  g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_BUSY);
  g_assert_cmpint (fate, ==, POSTBAG_FATE_SHORT);
  g_assert_cmpint (reason, ==, POSTBAG_EXTRACT_BUSY);
}

static void
test_no_program (void)
{
  g_autoptr (PostbagExtraction) extraction = make_extraction ("/nowhere/postbag-extract");
  g_autoptr (GError) error = NULL;

  g_assert_null (run_in (extraction, "fine", NULL, NULL, &error));
  g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_SANDBOX);
}

static void
test_layers (void)
{
  g_autoptr (PostbagExtraction) extraction = make_extraction (program);
  g_autoptr (GError) error = NULL;
  PostbagCageLayers layers = postbag_extraction_probe (extraction, &error);
  g_autofree char *words = postbag_cage_layers_to_string (layers);

  g_assert_no_error (error);
  g_test_message ("closed: %s", words);
  g_assert_cmpint (layers & (POSTBAG_CAGE_CALLS | POSTBAG_CAGE_PRIVILEGES | POSTBAG_CAGE_LIMITS),
                   ==, POSTBAG_CAGE_CALLS | POSTBAG_CAGE_PRIVILEGES | POSTBAG_CAGE_LIMITS);
}

/* --- cancelling, turns, results kept --- */

typedef struct
{
  PostbagExtraction *extraction;
  GCancellable *cancellable;
  const char *attack;
  int code; /* of the error */
} Caller;

static gpointer
call (gpointer data)
{
  Caller *caller = data;
  g_autoptr (GBytes) bytes = g_bytes_new (caller->attack, strlen (caller->attack));
  PostbagExtractRequest request = { .bytes = bytes, .content_type = "text/x-hostile" };
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagExtractedText) text =
      postbag_extraction_run (caller->extraction, &request, caller->cancellable, NULL, &error);

  caller->code = error != NULL ? error->code : -1;
  return NULL;
}

static void
test_turns (void)
{
  g_autoptr (PostbagExtraction) extraction = make_extraction (program);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  Caller callers[POSTBAG_LIMIT_EXTRACT_IN_FLIGHT];
  GThread *threads[POSTBAG_LIMIT_EXTRACT_IN_FLIGHT];
  PostbagExtractReason reason = POSTBAG_EXTRACT_INTERNAL;
  g_autoptr (GError) error = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (callers); i++)
    {
      callers[i] = (Caller){ extraction, cancellable, "sleep", 0 };
      threads[i] = g_thread_new ("caller", call, &callers[i]);
    }
  for (int tries = 0; tries < 5000; tries++)
    {
      if (postbag_extraction_count_in_flight (extraction) == G_N_ELEMENTS (callers))
        break;
      g_usleep (1000);
    }
  g_assert_null (run_in (extraction, "fine", NULL, &reason, &error));
  g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_BUSY);
  g_assert_cmpint (reason, ==, POSTBAG_EXTRACT_BUSY);
  g_cancellable_cancel (cancellable);
  for (gsize i = 0; i < G_N_ELEMENTS (callers); i++)
    {
      g_thread_join (threads[i]);
      g_assert_cmpint (callers[i].code, ==, POSTBAG_ERROR_CANCELLED);
    }
  assert_fine (extraction);
}

static void
test_kept (void)
{
  g_autoptr (PostbagExtraction) extraction = make_extraction (program);
  gint64 process;

  assert_fine (extraction);
  g_assert_cmpuint (postbag_extraction_count_cached (extraction), ==, 1);
  process = postbag_extraction_get_worker (extraction);
  kill_worker (process);
  assert_fine (extraction);
  g_assert_cmpint (postbag_extraction_get_worker (extraction), ==, process); /* nobody noticed */
}

/* Large ones are digested while they are read. */
static void
test_kept_large (void)
{
  g_autoptr (PostbagExtraction) extraction = make_extraction (program);
  gsize length = POSTBAG_LIMIT_EXTRACT_DIGEST_BYTES + 1;
  g_autofree char *one = g_strnfill (length, 'a');
  g_autofree char *other = g_strnfill (length, 'b');
  const char *const documents[] = { one, other, one, other };

  for (gsize i = 0; i < G_N_ELEMENTS (documents); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (PostbagExtractedText) text = run_in (extraction, documents[i], NULL, NULL, &error);

      g_assert_no_error (error);
    }
  g_assert_cmpuint (postbag_extraction_count_runs (extraction), ==, 2);
  g_assert_cmpuint (postbag_extraction_count_cached (extraction), ==, 2);
}

static void
test_unknown_type (void)
{
  g_autoptr (PostbagExtraction) extraction = make_extraction (program);
  g_autoptr (GBytes) bytes = g_bytes_new_static ("x", 1);
  PostbagExtractRequest request = { .bytes = bytes, .content_type = "application/x-unheard" };
  g_autoptr (GError) error = NULL;

  g_assert_null (postbag_extraction_run (extraction, &request, NULL, NULL, &error));
  g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_SUPPORTED);
  g_assert_cmpint (postbag_extraction_get_worker (extraction), ==, 0);
}

static guint
count_descriptors (void)
{
  guint count = 0;

  for (int fd = 0; fd < 1024; fd++)
    count += fcntl (fd, F_GETFD) >= 0;
  return count;
}

/* Nothing is left behind, and no child outlives its server's object. */
static void
test_nothing_is_left (void)
{
  guint before = count_descriptors ();
  gint64 process;

  {
    g_autoptr (PostbagExtraction) extraction = make_extraction (program);
    g_autoptr (GError) error = NULL;

    assert_fine (extraction);
    postbag_extraction_set_wall (extraction, 300);
    g_assert_null (run_in (extraction, "spin", NULL, NULL, &error));
    process = postbag_extraction_get_worker (extraction);
  }
  g_assert_cmpuint (count_descriptors (), ==, before);
  g_assert_cmpint (kill ((pid_t)process, 0), ==, -1);
}

static void
skip_release (void)
{
  g_test_skip ("POSTBAG_RELEASE does not name a release build");
}

int
main (int argc, char **argv)
{
  const char *release = g_getenv ("POSTBAG_RELEASE");
  g_autofree char *path =
      is_release () ? g_build_filename (release != NULL ? release : "", "postbag-extract", NULL)
                    : g_strdup (g_getenv ("POSTBAG_EXTRACT"));

  g_test_init (&argc, &argv, NULL);
  program = path;
  if (is_release () && release == NULL)
    {
      g_test_add_func ("/cage/release", skip_release);
      return g_test_run ();
    }
  /* Meson names the folder of the core that this program is linked with, with its sanitizers. */
  if (is_release ())
    g_unsetenv ("LD_LIBRARY_PATH");
  for (gsize i = 0; i < G_N_ELEMENTS (refused); i++)
    {
      g_autofree char *name = g_strconcat ("/cage/refused/", refused[i].attack, NULL);

      g_test_add_data_func (name, GSIZE_TO_POINTER (i), test_refused);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (fatal); i++)
    {
      g_autofree char *name = g_strconcat ("/cage/fatal/", fatal[i].attack, NULL);

      g_test_add_data_func (name, GSIZE_TO_POINTER (i), test_fatal);
    }
  g_test_add_func ("/cage/archive-limits", test_archive_limits);
  g_test_add_data_func ("/cage/processor/spin", "spin", test_processor);
  g_test_add_data_func ("/cage/processor/stubborn", "stubborn", test_processor);
  g_test_add_func ("/cage/deaf", test_deaf);
  g_test_add_func ("/cage/note", test_note);
  g_test_add_func ("/cage/worker-killed", test_worker_killed);
  g_test_add_func ("/cage/prepare", test_prepare);
  g_test_add_func ("/cage/folders", test_folders);
  g_test_add_func ("/cage/no-cage", test_no_cage);
  g_test_add_func ("/cage/no-landlock", test_no_landlock);
  g_test_add_func ("/cage/no-descriptors", test_no_descriptors);
  g_test_add_func ("/cage/no-processes", test_no_processes);
  g_test_add_func ("/cage/no-program", test_no_program);
  g_test_add_func ("/cage/layers", test_layers);
  g_test_add_func ("/cage/turns", test_turns);
  g_test_add_func ("/cage/kept", test_kept);
  g_test_add_func ("/cage/kept-large", test_kept_large);
  g_test_add_func ("/cage/unknown-type", test_unknown_type);
  g_test_add_func ("/cage/nothing-is-left", test_nothing_is_left);
  return g_test_run ();
}
