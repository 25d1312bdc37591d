/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One document through one child. Everything that comes back is foreign: each message is held
 * against its bound before it is kept, and a child that breaks the agreement is given up. */

#include "extract/postbag-extraction-run-private.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/postbag-limits.h"
#include "base/postbag-text.h"
#include "base/postbag-write.h"
#include "safety/postbag-clean.h"

typedef struct
{
  PostbagChild *child;
  const PostbagExtractLimitSet *limits;
  GCancellable *cancellable;
  GPollFD cancelled;
  gint64 deadline;
  GString *text;
  gsize chars;
  GArray *counts;
  GPtrArray *notes;
  gsize messages_left;
  PostbagWireMessage *message;
  PostbagExtractReason reason;
  PostbagExtractFate fate;
} Run;

/* --- the document goes in --- */

/* A sealed copy: the child can neither change it under its own feet nor keep a way back. -1 with
 * errno. */
static int
make_document (GBytes *bytes)
{
  gsize length = 0;
  const guint8 *data = g_bytes_get_data (bytes, &length);
  int fd = memfd_create ("document", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  int saved;

  if (fd < 0)
    return -1;
  if (postbag_write_all (fd, data, length)
      && fcntl (fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) == 0)
    return fd;
  saved = errno;
  close (fd);
  errno = saved;
  return -1;
}

static void
fill (char *field, gsize size, const char *value)
{
  if (value != NULL)
    g_strlcpy (field, value, size);
}

/* Whether it is the server itself that has no means left. */
static gboolean
is_shortage (int saved_errno)
{
  switch (saved_errno)
    {
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case ENOSPC:
    case ENOBUFS:
    case EDQUOT:
    case ETOOMANYREFS:
      return TRUE;
    default:
      return FALSE;
    }
}

/* With errno. */
static gboolean
send_job (Run *run, const PostbagExtractRequest *request)
{
  PostbagWireJob job = { .magic = POSTBAG_WIRE_MAGIC,
                         .limits = request->limits,
                         .length = g_bytes_get_size (request->bytes) };
  int document = make_document (request->bytes);
  gboolean sent;
  int saved;

  if (document < 0)
    return FALSE;
  fill (job.content_type, sizeof job.content_type, request->content_type);
  fill (job.charset, sizeof job.charset, request->charset);
  fill (job.member, sizeof job.member, request->member);
  sent = postbag_wire_send (run->child->job, &job, sizeof job, &document, 1);
  saved = errno;
  close (document);
  errno = saved;
  return sent;
}

/* --- the text comes out --- */

/* What a child needs that fills each piece of its text: one that does not would only keep the
 * server busy. */
static gsize
count_messages (const PostbagExtractLimitSet *limits)
{
  gsize pieces = limits->chars * 4 / POSTBAG_WIRE_TEXT_BYTES + 1;

  return pieces + POSTBAG_LIMIT_EXTRACT_COUNTS + POSTBAG_LIMIT_EXTRACT_NOTES + 1;
}

static gboolean
give_up (Run *run, PostbagExtractFate fate)
{
  run->fate = fate;
  return FALSE;
}

/* Bytes: characters are counted when all is there. */
static gboolean
take_text (Run *run)
{
  const PostbagWireMessage *message = run->message;

  if (message->length == 0)
    return give_up (run, POSTBAG_FATE_LIED);
  if (message->length > run->limits->chars * 4 - run->text->len)
    return give_up (run, POSTBAG_FATE_FLOODED);
  g_string_append_len (run->text, message->text, message->length);
  return TRUE;
}

static gboolean
is_count_name (const char *name, gsize length)
{
  if (length == 0 || length > POSTBAG_LIMIT_EXTRACT_NAME_BYTES || !g_ascii_islower (name[0]))
    return FALSE;
  for (gsize i = 0; i < length; i++)
    if (!g_ascii_islower (name[i]) && name[i] != '_')
      return FALSE;
  return TRUE;
}

static gboolean
has_count (GArray *counts, const char *name, gsize length)
{
  for (guint i = 0; i < counts->len; i++)
    {
      const char *other = g_array_index (counts, PostbagExtractCount, i).name;

      if (strlen (other) == length && memcmp (other, name, length) == 0)
        return TRUE;
    }
  return FALSE;
}

static gboolean
take_count (Run *run)
{
  const PostbagWireMessage *message = run->message;
  PostbagExtractCount count;

  if (!is_count_name (message->text, message->length) || message->value < 0
      || has_count (run->counts, message->text, message->length))
    return give_up (run, POSTBAG_FATE_LIED);
  if (run->counts->len >= POSTBAG_LIMIT_EXTRACT_COUNTS)
    return give_up (run, POSTBAG_FATE_FLOODED);
  count.name = g_strndup (message->text, message->length);
  count.value = message->value;
  g_array_append_val (run->counts, count);
  return TRUE;
}

static gboolean
take_note (Run *run)
{
  const PostbagWireMessage *message = run->message;
  g_autofree char *raw = NULL;

  if (message->length == 0 || message->length > POSTBAG_LIMIT_EXTRACT_NOTE_BYTES)
    return give_up (run, POSTBAG_FATE_LIED);
  if (run->notes->len >= POSTBAG_LIMIT_EXTRACT_NOTES)
    return give_up (run, POSTBAG_FATE_FLOODED);
  raw = g_strndup (message->text, message->length);
  g_ptr_array_add (run->notes,
                   postbag_clean (raw, POSTBAG_CLEAN_LINE, POSTBAG_LIMIT_EXTRACT_NOTE_BYTES, NULL));
  return TRUE;
}

static gboolean
take_failure (Run *run)
{
  if (run->message->value < 0 || run->message->value >= POSTBAG_EXTRACT_N_REASONS)
    return give_up (run, POSTBAG_FATE_LIED);
  run->reason = (PostbagExtractReason)run->message->value;
  return give_up (run, POSTBAG_FATE_FINISHED);
}

static gboolean
take_message (Run *run, gboolean *done)
{
  if (run->messages_left-- == 0)
    return give_up (run, POSTBAG_FATE_FLOODED);
  switch (run->message->kind)
    {
    case POSTBAG_WIRE_TEXT:
      return take_text (run);
    case POSTBAG_WIRE_COUNT:
      return take_count (run);
    case POSTBAG_WIRE_NOTE:
      return take_note (run);
    case POSTBAG_WIRE_FAIL:
      return take_failure (run);
    case POSTBAG_WIRE_DONE:
      *done = TRUE;
      return run->message->value == 0 || run->message->value == 1
             || give_up (run, POSTBAG_FATE_LIED);
    default:
      return give_up (run, POSTBAG_FATE_LIED);
    }
}

static gboolean
await_message (Run *run)
{
  gint64 left = (run->deadline - g_get_monotonic_time () + 999) / 1000;
  GPollFD polled[] = { { run->child->job, G_IO_IN, 0 }, run->cancelled };
  int ready;

  if (left <= 0)
    return give_up (run, POSTBAG_FATE_STALLED);
  do
    ready = g_poll (polled, run->cancelled.fd >= 0 ? 2 : 1, (int)left);
  while (ready < 0 && errno == EINTR);
  if (g_cancellable_is_cancelled (run->cancellable))
    return give_up (run, POSTBAG_FATE_CANCELLED);
  if (ready <= 0)
    return give_up (run, POSTBAG_FATE_STALLED);
  if (postbag_wire_hear (run->child->job, run->message, NULL))
    return TRUE;
  if (errno == EBADMSG || errno == EMSGSIZE)
    return give_up (run, POSTBAG_FATE_LIED);
  return give_up (run, postbag_child_get_fate (run->child));
}

static gboolean
receive (Run *run)
{
  gboolean done = FALSE;

  while (!done)
    if (!await_message (run) || !take_message (run, &done))
      return FALSE;
  if (postbag_text_measure_valid (run->text->str, run->text->len) < run->text->len)
    return give_up (run, POSTBAG_FATE_LIED);
  run->chars = postbag_text_count_chars (run->text->str, run->text->len);
  if (run->chars > run->limits->chars)
    return give_up (run, POSTBAG_FATE_FLOODED);
  run->fate = POSTBAG_FATE_FINISHED;
  return TRUE;
}

static PostbagExtractedText *
make_result (Run *run)
{
  PostbagExtractedText *result = g_atomic_rc_box_new0 (PostbagExtractedText);

  result->text = g_strndup (run->text->str, run->text->len); /* no larger than it has to be */
  result->chars = run->chars;
  result->was_cut = run->message->value == 1;
  result->counts = g_array_ref (run->counts);
  result->notes = g_ptr_array_ref (run->notes);
  return result;
}

static void
clear_count (gpointer data)
{
  g_free (((PostbagExtractCount *)data)->name);
}

static void
start (Run *run, gint64 wall_ms)
{
  run->deadline = g_get_monotonic_time () + wall_ms * 1000;
  run->cancelled.fd = -1;
  if (run->cancellable != NULL && !g_cancellable_make_pollfd (run->cancellable, &run->cancelled))
    run->cancelled.fd = -1;
  run->text = g_string_new (NULL);
  run->counts = g_array_new (FALSE, FALSE, sizeof (PostbagExtractCount));
  g_array_set_clear_func (run->counts, clear_count);
  run->notes = g_ptr_array_new_with_free_func (g_free);
  run->messages_left = count_messages (run->limits);
  run->message = g_new (PostbagWireMessage, 1);
}

static void
stop (Run *run)
{
  if (run->cancelled.fd >= 0)
    g_cancellable_release_fd (run->cancellable);
  g_string_free (run->text, TRUE);
  g_array_unref (run->counts);
  g_ptr_array_unref (run->notes);
  g_free (run->message);
}

PostbagExtractedText *
postbag_child_read (PostbagChild *child, const PostbagExtractRequest *request, gint64 wall_ms,
                    GCancellable *cancellable, PostbagExtractReason *reason,
                    PostbagExtractFate *fate)
{
  Run run = { .child = child,
              .limits = postbag_extract_limits_get (request->limits),
              .cancellable = cancellable,
              .reason = POSTBAG_EXTRACT_INTERNAL };
  PostbagExtractedText *result = NULL;

  start (&run, wall_ms);
  if (!send_job (&run, request))
    run.fate = is_shortage (errno) ? POSTBAG_FATE_SHORT : POSTBAG_FATE_LOST;
  else if (receive (&run))
    result = make_result (&run);
  *reason = run.reason;
  *fate = run.fate;
  stop (&run);
  return result;
}
