/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A child: forked from the zygote, it closes the cage before it sees a byte of a document, waits
 * warm, reads one, and dies. What it sends is believed by nobody (postbag-extraction-run.c), so
 * the bounds here only keep an honest reader from being cut off in the middle. */

#include "extract/postbag-worker-private.h"

#include <errno.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/postbag-limits.h"
#include "base/postbag-text.h"
#include "extract/postbag-cage-private.h"
#include "extract/postbag-extraction-private.h"

#define JOB_FD 3

typedef struct
{
  char name[POSTBAG_LIMIT_EXTRACT_NAME_BYTES + 1];
  gint64 value;
} Count;

typedef struct
{
  PostbagExtractOutput output;
  GPtrArray *readers;
  Count counts[POSTBAG_LIMIT_EXTRACT_COUNTS]; /* sent when all is read: the last value counts */
  guint n_counts;
  gsize chars_left;
  guint notes_left;
  guint depth;
  gboolean is_full;
  gsize used;
  char text[POSTBAG_WIRE_TEXT_BYTES];
} Child;

static void
say (PostbagWireKind kind, gint64 value, const char *text, gsize length)
{
  /* The server is gone. */
  if (!postbag_wire_say (JOB_FD, kind, value, text, length, NULL, 0))
    _exit (POSTBAG_CHILD_FINISHED);
}

/* --- output --- */

static void
flush (Child *child)
{
  if (child->used > 0)
    say (POSTBAG_WIRE_TEXT, 0, child->text, child->used);
  child->used = 0;
}

G_NORETURN static void
finish (Child *child)
{
  flush (child);
  for (guint i = 0; i < child->n_counts; i++)
    say (POSTBAG_WIRE_COUNT, child->counts[i].value, child->counts[i].name,
         strlen (child->counts[i].name));
  say (POSTBAG_WIRE_DONE, child->is_full, NULL, 0);
  _exit (POSTBAG_CHILD_FINISHED);
}

G_NORETURN static void
fail (PostbagExtractReason reason)
{
  say (POSTBAG_WIRE_FAIL, reason, NULL, 0);
  _exit (POSTBAG_CHILD_FINISHED);
}

static void
take_piece (Child *child, const char *text, gsize length)
{
  while (length > 0)
    {
      gsize piece = MIN (length, sizeof child->text - child->used);

      memcpy (child->text + child->used, text, piece);
      child->used += piece;
      text += piece;
      length -= piece;
      if (child->used == sizeof child->text)
        flush (child);
    }
}

/* The bytes of the first characters that still fit. */
static gsize
measure_room (Child *child, const char *text, gsize length)
{
  gsize bytes = 0;

  if (length <= child->chars_left)
    {
      child->chars_left -= postbag_text_count_chars (text, length);
      return length;
    }
  while (bytes < length && child->chars_left > 0)
    {
      bytes++;
      while (bytes < length && ((guchar)text[bytes] & 0xc0) == 0x80)
        bytes++;
      child->chars_left--;
    }
  return bytes;
}

static gboolean
append (PostbagExtractOutput *output, const char *text, gsize length)
{
  Child *child = output->user_data;
  gsize room;

  if (child->is_full)
    finish (child); /* it does not stop when told to */
  if (postbag_text_measure_valid (text, length) < length)
    fail (POSTBAG_EXTRACT_INTERNAL); /* it breaks its contract: the server would not take it */
  room = measure_room (child, text, length);
  take_piece (child, text, room);
  child->is_full = room < length;
  return !child->is_full;
}

/* (nullable): %NULL when there are enough names already */
static Count *
find_count (Child *child, const char *name)
{
  for (guint i = 0; i < child->n_counts; i++)
    if (strcmp (child->counts[i].name, name) == 0)
      return &child->counts[i];
  return child->n_counts < G_N_ELEMENTS (child->counts) ? &child->counts[child->n_counts++] : NULL;
}

static void
count (PostbagExtractOutput *output, const char *name, gint64 value)
{
  gsize length = name != NULL ? strlen (name) : 0;
  Count *place;

  if (length == 0 || length > POSTBAG_LIMIT_EXTRACT_NAME_BYTES)
    return;
  place = find_count (output->user_data, name);
  if (place == NULL)
    return;
  memcpy (place->name, name, length + 1);
  place->value = value;
}

static void
note (PostbagExtractOutput *output, const char *text)
{
  Child *child = output->user_data;
  gsize length = text != NULL ? strlen (text) : 0;

  if (length == 0 || length > POSTBAG_LIMIT_EXTRACT_NOTE_BYTES || child->notes_left == 0)
    return;
  child->notes_left--;
  say (POSTBAG_WIRE_NOTE, 0, text, length);
}

/* --- readers --- */

static const PostbagWorkerReader *
find_reader (GPtrArray *readers, const char *content_type)
{
  for (guint i = 0; i < readers->len; i++)
    {
      const PostbagWorkerReader *reader = g_ptr_array_index (readers, i);

      if (g_strv_contains ((const char *const *)reader->types, content_type))
        return reader;
    }
  return NULL;
}

static gboolean
descend (PostbagExtractOutput *output, const guint8 *data, gsize length, const char *content_type,
         GError **error)
{
  Child *child = output->user_data;
  const PostbagWorkerReader *reader = find_reader (child->readers, content_type);
  PostbagExtractInput input = {
    .size = sizeof input, .data = data, .length = length, .content_type = content_type
  };
  gboolean fine;

  if (reader == NULL || child->depth >= POSTBAG_LIMIT_EXTRACT_DEPTH)
    {
      g_set_error_literal (error, POSTBAG_EXTRACT_ERROR, POSTBAG_EXTRACT_UNREADABLE_MEMBER,
                           "No reader for the document inside.");
      return FALSE;
    }
  child->depth++;
  fine = reader->implementation->extract (&input, output, error);
  child->depth--;
  return fine;
}

/* --- the job --- */

static gboolean
is_ended (const char *field, gsize size)
{
  return memchr (field, '\0', size) != NULL;
}

static gboolean
is_sound (const PostbagWireJob *job, gsize length)
{
  return length == sizeof *job && job->magic == POSTBAG_WIRE_MAGIC
         && job->limits < POSTBAG_EXTRACT_N_LIMITS
         && is_ended (job->content_type, sizeof job->content_type)
         && is_ended (job->charset, sizeof job->charset)
         && is_ended (job->member, sizeof job->member);
}

/* Waits in a stock, but not for ever: the server may never need this one. */
static void
receive_job (PostbagWireJob *job, int *document)
{
  struct pollfd wait = { .fd = JOB_FD, .events = POLLIN };
  int fds[2];
  gsize length = 0;

  if (poll (&wait, 1, POSTBAG_LIMIT_EXTRACT_WARM_SECONDS * 1000) <= 0
      || !postbag_wire_receive (JOB_FD, job, sizeof *job, &length, fds))
    _exit (POSTBAG_CHILD_FINISHED);
  if (!is_sound (job, length) || fds[0] < 0)
    _exit (POSTBAG_CHILD_FORBIDDEN);
  *document = fds[0];
}

static const guint8 *
map_document (int fd, gsize length)
{
  void *data;

  if (length == 0)
    return (const guint8 *)"";
  data = mmap (NULL, length, PROT_READ, MAP_PRIVATE, fd, 0);
  if (data == MAP_FAILED)
    _exit (POSTBAG_CHILD_MEMORY);
  return data;
}

static PostbagExtractReason
get_reason (const GError *error)
{
  if (error == NULL || error->domain != POSTBAG_EXTRACT_ERROR || error->code < 0
      || error->code >= POSTBAG_EXTRACT_N_REASONS)
    return POSTBAG_EXTRACT_INTERNAL;
  return (PostbagExtractReason)error->code;
}

G_NORETURN static void
read_document (Child *child, const PostbagWireJob *job, int document)
{
  const PostbagWorkerReader *reader = find_reader (child->readers, job->content_type);
  PostbagExtractInput input = { .size = sizeof input,
                                .length = job->length,
                                .content_type = job->content_type,
                                .member = *job->member != '\0' ? job->member : NULL,
                                .charset = *job->charset != '\0' ? job->charset : NULL };
  GError *error = NULL;

  if (reader == NULL)
    fail (POSTBAG_EXTRACT_INTERNAL); /* it did not open: that says nothing of the document */
  input.data = map_document (document, job->length);
  close (document);
  if (!postbag_cage_narrow ((PostbagExtractLimits)job->limits,
                            reader->implementation->folders != NULL))
    _exit (POSTBAG_CHILD_FORBIDDEN);
  postbag_allocation_end_when_exhausted ();
  if (reader->implementation->extract (&input, &child->output, &error))
    finish (child);
  fail (get_reason (error));
}

/* --- life --- */

/* (transfer full): the folders of all readers: which one it will be is not known yet */
static GPtrArray *
collect_folders (GPtrArray *readers)
{
  GPtrArray *folders = g_ptr_array_new ();

  for (guint i = 0; i < readers->len; i++)
    {
      const PostbagWorkerReader *reader = g_ptr_array_index (readers, i);

      for (const char *const *folder = reader->implementation->folders;
           folder != NULL && *folder != NULL; folder++)
        g_ptr_array_add (folders, (gpointer)*folder);
    }
  g_ptr_array_add (folders, NULL);
  return folders;
}

static void
forget_everything (int job, pid_t zygote)
{
  struct sigaction normal = { .sa_handler = SIG_DFL };
  sigset_t none;

  /* What a library prints may quote the document. */
  dup2 (STDOUT_FILENO, STDERR_FILENO);
  prctl (PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (getppid () != zygote)
    _exit (POSTBAG_CHILD_FINISHED); /* it died in between: nobody holds the leash */
  if (job != JOB_FD)
    dup2 (job, JOB_FD);
  syscall (SYS_close_range, JOB_FD + 1, ~0U, 0);
  sigemptyset (&none);
  sigprocmask (SIG_SETMASK, &none, NULL);
  sigaction (SIGPIPE, &normal, NULL);
}

void
postbag_worker_run (int job, pid_t zygote, GPtrArray *readers)
{
  g_autoptr (GPtrArray) folders = collect_folders (readers);
  Child *child = g_new0 (Child, 1);
  PostbagCageLayers layers;
  PostbagWireJob header;
  const char *failed = NULL;
  int document = -1;

  forget_everything (job, zygote);
  layers = postbag_cage_close ((const char *const *)folders->pdata, &failed);
  if (layers == 0)
    {
      say (POSTBAG_WIRE_NO_CAGE, errno, failed, strlen (failed));
      _exit (POSTBAG_CHILD_FINISHED);
    }
  say (POSTBAG_WIRE_READY, layers, NULL, 0);
  receive_job (&header, &document);
  child->readers = readers;
  child->chars_left = postbag_extract_limits_get ((PostbagExtractLimits)header.limits)->chars;
  child->notes_left = POSTBAG_LIMIT_EXTRACT_NOTES;
  child->output =
      (PostbagExtractOutput){ sizeof child->output, child, append, count, note, descend };
  read_document (child, &header, document);
}
