/* SPDX-License-Identifier: LGPL-2.1-or-later */

#define G_LOG_DOMAIN "postbag-extract"

#include "extract/postbag-extraction-private.h"

#include <string.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "extract/postbag-document-type.h"
#include "extract/postbag-extraction-cache-private.h"
#include "extract/postbag-extraction-process-private.h"
#include "extract/postbag-extraction-run-private.h"

struct _PostbagExtraction
{
  GObject parent_instance;

  char **types; /* sorted */
  PostbagWorker *worker;
  PostbagExtractionCache *cache;
  gint64 wall_ms; /* 0: as the limit set says */

  GMutex lock; /* the rest */
  GCond changed;
  guint running;
  guint in_flight;
  guint64 runs; /* documents that a child was given */
};

G_DEFINE_FINAL_TYPE (PostbagExtraction, postbag_extraction, G_TYPE_OBJECT)

static void
postbag_extraction_finalize (GObject *object)
{
  PostbagExtraction *self = POSTBAG_EXTRACTION (object);

  postbag_worker_free (self->worker);
  postbag_extraction_cache_free (self->cache);
  g_strfreev (self->types);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->changed);
  G_OBJECT_CLASS (postbag_extraction_parent_class)->finalize (object);
}

static void
postbag_extraction_class_init (PostbagExtractionClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = postbag_extraction_finalize;
}

static void
postbag_extraction_init (PostbagExtraction *self)
{
  g_mutex_init (&self->lock);
  g_cond_init (&self->changed);
}

static int
compare_words (const void *one, const void *other)
{
  return strcmp (*(char *const *)one, *(char *const *)other);
}

PostbagExtraction *
postbag_extraction_new (const PostbagExtractionOptions *options)
{
  PostbagExtraction *self = g_object_new (POSTBAG_TYPE_EXTRACTION, NULL);

  self->types = g_strdupv ((char **)options->types);
  qsort (self->types, g_strv_length (self->types), sizeof (char *), compare_words);
  self->worker = postbag_worker_new (options->program, options->user_plugins);
  self->cache = postbag_extraction_cache_new (options->version);
  return self;
}

/* --- limit sets --- */

const PostbagExtractLimitSet *
postbag_extract_limits_get (PostbagExtractLimits limits)
{
  static const PostbagExtractLimitSet sets[POSTBAG_EXTRACT_N_LIMITS] = {
    [POSTBAG_EXTRACT_INTERACTIVE] = { POSTBAG_LIMIT_EXTRACT_ADDRESS_BYTES,
                                      POSTBAG_LIMIT_EXTRACT_HEAP_BYTES,
                                      POSTBAG_LIMIT_EXTRACT_CPU_SECONDS,
                                      POSTBAG_LIMIT_EXTRACT_WALL_MS,
                                      POSTBAG_LIMIT_PAGED_TEXT_CHARS },
    [POSTBAG_EXTRACT_ARCHIVE] = { POSTBAG_LIMIT_EXTRACT_ADDRESS_BYTES,
                                  POSTBAG_LIMIT_EXTRACT_ARCHIVE_HEAP_BYTES,
                                  POSTBAG_LIMIT_EXTRACT_ARCHIVE_CPU_SECONDS,
                                  POSTBAG_LIMIT_EXTRACT_ARCHIVE_WALL_MS,
                                  POSTBAG_LIMIT_EXTRACT_ARCHIVE_CHARS },
  };

  g_return_val_if_fail ((guint)limits < POSTBAG_EXTRACT_N_LIMITS, &sets[0]);
  return &sets[limits];
}

/* --- types --- */

const char *const *
postbag_extraction_get_types (PostbagExtraction *self)
{
  return (const char *const *)self->types;
}

/* (transfer full): lower case, no parameters */
static char *
normalize_type (const char *content_type)
{
  g_autofree char *bare = g_strndup (content_type, strcspn (content_type, ";"));

  return g_ascii_strdown (g_strstrip (bare), -1);
}

gboolean
postbag_extraction_can_read (PostbagExtraction *self, const char *content_type)
{
  g_autofree char *type = normalize_type (content_type);

  return g_strv_contains (postbag_extraction_get_types (self), type);
}

/* --- results --- */

static void
clear_text (gpointer data)
{
  PostbagExtractedText *self = data;

  g_free (self->text);
  g_array_unref (self->counts);
  g_ptr_array_unref (self->notes);
}

PostbagExtractedText *
postbag_extracted_text_ref (PostbagExtractedText *self)
{
  return g_atomic_rc_box_acquire (self);
}

void
postbag_extracted_text_unref (PostbagExtractedText *self)
{
  g_atomic_rc_box_release_full (self, clear_text);
}

gint64
postbag_extracted_text_get_count (const PostbagExtractedText *self, const char *name)
{
  for (guint i = 0; i < self->counts->len; i++)
    {
      const PostbagExtractCount *count = &g_array_index (self->counts, PostbagExtractCount, i);

      if (strcmp (count->name, name) == 0)
        return count->value;
    }
  return -1;
}

GPtrArray *
postbag_extracted_text_dup_remarks (const PostbagExtractedText *self)
{
  GPtrArray *remarks = g_ptr_array_new_with_free_func (g_free);
  gint64 hidden = postbag_extracted_text_get_count (self, "hidden_runs");

  for (guint i = 0; i < self->notes->len; i++)
    g_ptr_array_add (remarks, g_strdup (g_ptr_array_index (self->notes, i)));
  if (hidden > 0)
    g_ptr_array_add (remarks, g_strdup_printf ("%" G_GINT64_FORMAT " %s of this document cannot "
                                               "be seen by somebody who looks at the document.",
                                               hidden, hidden == 1 ? "piece" : "pieces"));
  if (self->was_cut)
    g_ptr_array_add (remarks, g_strdup_printf ("The document is longer; only the first "
                                               "%" G_GSIZE_FORMAT " characters were read.",
                                               self->chars));
  return remarks;
}

/* --- what went wrong --- */

static const struct
{
  PostbagErrorCode code;
  const char *text;
} failures[POSTBAG_EXTRACT_N_REASONS] = {
  [POSTBAG_EXTRACT_NO_TEXT_LAYER] = { POSTBAG_ERROR_NOT_SUPPORTED,
                                      "It has pages but no text: most likely a scan. There is no "
                                      "OCR here." },
  [POSTBAG_EXTRACT_ENCRYPTED] = { POSTBAG_ERROR_NOT_SUPPORTED,
                                  "It is encrypted and needs a password, which cannot be given "
                                  "here." },
  [POSTBAG_EXTRACT_NOT_A_DOCUMENT] = { POSTBAG_ERROR_BAD_DATA,
                                       "It is not a document of the type it claims to be." },
  [POSTBAG_EXTRACT_CORRUPT] = { POSTBAG_ERROR_BAD_DATA, "It is damaged and cannot be read." },
  [POSTBAG_EXTRACT_TOO_MANY_PARTS] = { POSTBAG_ERROR_TOO_LARGE,
                                       "It consists of more parts than are read." },
  [POSTBAG_EXTRACT_TOO_LARGE] = { POSTBAG_ERROR_TOO_LARGE,
                                  "Unpacked it is larger than what is read." },
  [POSTBAG_EXTRACT_TIMEOUT] = { POSTBAG_ERROR_TIMED_OUT,
                                "Reading it took longer than is allowed." },
  [POSTBAG_EXTRACT_OUT_OF_MEMORY] = { POSTBAG_ERROR_TOO_LARGE,
                                      "Reading it took more memory than is allowed." },
  [POSTBAG_EXTRACT_BUSY] = { POSTBAG_ERROR_BUSY,
                             "Too many documents are being read. Call again in a moment." },
  [POSTBAG_EXTRACT_INTERNAL] = { POSTBAG_ERROR_SANDBOX,
                                 "The document reader failed; the document may be damaged or made "
                                 "to do that." },
  [POSTBAG_EXTRACT_NO_SUCH_MEMBER] = { POSTBAG_ERROR_INVALID_ARGUMENT,
                                       "There is no file of that name inside. Leave out member to "
                                       "list the files, and take a name as it stands there." },
  [POSTBAG_EXTRACT_UNREADABLE_MEMBER] = { POSTBAG_ERROR_NOT_SUPPORTED,
                                          "The file inside cannot be read here: there is no "
                                          "reader for its kind, or it is an archive in an archive, "
                                          "or packed in an unknown way. Unpack it elsewhere." },
};

static const struct
{
  PostbagExtractReason reason;
  const char *word; /* for the log line */
} fates[] = {
  [POSTBAG_FATE_FINISHED] = { POSTBAG_EXTRACT_INTERNAL, "finished" },
  [POSTBAG_FATE_CRASHED] = { POSTBAG_EXTRACT_INTERNAL, "crash" },
  [POSTBAG_FATE_STALLED] = { POSTBAG_EXTRACT_TIMEOUT, "stall" },
  [POSTBAG_FATE_MEMORY] = { POSTBAG_EXTRACT_OUT_OF_MEMORY, "memory" },
  [POSTBAG_FATE_EXEC] = { POSTBAG_EXTRACT_INTERNAL, "exec" },
  [POSTBAG_FATE_FORK] = { POSTBAG_EXTRACT_INTERNAL, "fork" },
  [POSTBAG_FATE_FORBIDDEN] = { POSTBAG_EXTRACT_INTERNAL, "forbidden call" },
  [POSTBAG_FATE_LIED] = { POSTBAG_EXTRACT_INTERNAL, "lie" },
  [POSTBAG_FATE_FLOODED] = { POSTBAG_EXTRACT_INTERNAL, "flood" },
  [POSTBAG_FATE_CANCELLED] = { POSTBAG_EXTRACT_INTERNAL, "cancelled" },
  [POSTBAG_FATE_NO_CAGE] = { POSTBAG_EXTRACT_INTERNAL, "no cage" },
  [POSTBAG_FATE_GONE] = { POSTBAG_EXTRACT_INTERNAL, "gone" },
  [POSTBAG_FATE_LOST] = { POSTBAG_EXTRACT_BUSY, "lost" },
  [POSTBAG_FATE_SHORT] = { POSTBAG_EXTRACT_BUSY, "short of descriptors, memory or processes" },
};

static void
set_error (GError **error, PostbagExtractReason reason, PostbagExtractFate fate)
{
  if (fate == POSTBAG_FATE_CANCELLED)
    {
      g_set_error_literal (error, POSTBAG_ERROR, POSTBAG_ERROR_CANCELLED,
                           "Reading the document was cancelled.");
      return;
    }
  g_set_error (
      error, POSTBAG_ERROR, (int)failures[reason].code, "The document gave no text (%s). %s",
      postbag_extract_reason_get_word (reason),
      fate == POSTBAG_FATE_LOST || fate == POSTBAG_FATE_SHORT
          ? "The server has no means left to read it at the moment. Call again in a moment."
          : failures[reason].text);
}

/* For who runs the server; whoever asked has the error. An honest reader's refusal is no news. */
static void
log_failure (PostbagExtractReason reason, PostbagExtractFate fate)
{
  if (fate == POSTBAG_FATE_FINISHED)
    g_info ("Documents: %s", postbag_extract_reason_get_word (reason));
  else if (fate != POSTBAG_FATE_CANCELLED && fate != POSTBAG_FATE_NO_CAGE)
    g_message ("Documents: %s (%s)", postbag_extract_reason_get_word (reason), fates[fate].word);
}

/* --- taking turns --- */

static void
wake (GCancellable *cancellable, PostbagExtraction *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  g_cond_broadcast (&self->changed);
}

static PostbagExtractFate
wait_for_turn (PostbagExtraction *self, GCancellable *cancellable, gint64 deadline)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  while (self->running >= POSTBAG_LIMIT_EXTRACT_RUNNING)
    {
      if (g_cancellable_is_cancelled (cancellable))
        return POSTBAG_FATE_CANCELLED;
      if (!g_cond_wait_until (&self->changed, &self->lock, deadline))
        return POSTBAG_FATE_STALLED;
    }
  self->running++;
  self->runs++;
  return POSTBAG_FATE_FINISHED;
}

static gboolean
enter (PostbagExtraction *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  if (self->in_flight >= POSTBAG_LIMIT_EXTRACT_IN_FLIGHT)
    return FALSE;
  self->in_flight++;
  return TRUE;
}

static void
leave (PostbagExtraction *self, gboolean was_running)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  self->in_flight--;
  if (was_running)
    self->running--;
  g_cond_broadcast (&self->changed);
}

/* --- one document --- */

typedef struct
{
  PostbagExtractReason reason;
  PostbagExtractFate fate;
} Outcome;

static gint64
get_wall_ms (PostbagExtraction *self, const PostbagExtractRequest *request)
{
  return self->wall_ms > 0 ? self->wall_ms : postbag_extract_limits_get (request->limits)->wall_ms;
}

/* A child that expired in the very moment is replaced once. */
static PostbagExtractedText *
read_once (PostbagExtraction *self, const PostbagExtractRequest *request, GCancellable *cancellable,
           Outcome *outcome, GError **error)
{
  for (guint try = 0; try < 2; try++)
    {
      g_autoptr (GError) failure = NULL;
      g_autoptr (PostbagChild) child = postbag_worker_take_child (self->worker, &failure);
      PostbagExtractedText *text;

      if (child == NULL)
        {
          outcome->fate = g_error_matches (failure, POSTBAG_ERROR, POSTBAG_ERROR_BUSY)
                              ? POSTBAG_FATE_SHORT
                              : POSTBAG_FATE_NO_CAGE;
          g_propagate_error (error, g_steal_pointer (&failure));
          return NULL;
        }
      text = postbag_child_read (child, request, get_wall_ms (self, request), cancellable,
                                 &outcome->reason, &outcome->fate);
      if (outcome->fate != POSTBAG_FATE_GONE && outcome->fate != POSTBAG_FATE_LOST)
        return text;
    }
  if (outcome->fate == POSTBAG_FATE_GONE)
    outcome->fate = POSTBAG_FATE_CRASHED; /* it ends without a word */
  return NULL;
}

static PostbagExtractedText *
take_turn (PostbagExtraction *self, const PostbagExtractRequest *request, GCancellable *cancellable,
           Outcome *outcome, GError **error)
{
  gint64 patience = get_wall_ms (self, request) * POSTBAG_LIMIT_EXTRACT_IN_FLIGHT * 1000;
  gulong handler = 0;
  PostbagExtractedText *text = NULL;
  gboolean running;

  if (!enter (self))
    {
      outcome->reason = POSTBAG_EXTRACT_BUSY;
      return NULL;
    }
  if (cancellable != NULL)
    handler = g_cancellable_connect (cancellable, G_CALLBACK (wake), self, NULL);
  outcome->fate = wait_for_turn (self, cancellable, g_get_monotonic_time () + patience);
  g_cancellable_disconnect (cancellable, handler);
  running = outcome->fate == POSTBAG_FATE_FINISHED;
  if (running)
    text = read_once (self, request, cancellable, outcome, error);
  leave (self, running);
  if (running)
    postbag_worker_refill (self->worker);
  return text;
}

static gboolean
check_member (const PostbagExtractRequest *request, GError **error)
{
  const char *word = postbag_document_get_word (request->content_type);

  if (request->member == NULL)
    return TRUE;
  if (!postbag_document_holds_files (request->content_type))
    g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_INVALID_ARGUMENT,
                 "A document of this kind (%s) has no files inside. Leave out member to read the "
                 "document itself.",
                 word != NULL ? word : request->content_type);
  else if (strlen (request->member) >= sizeof ((PostbagWireJob *)NULL)->member)
    g_set_error_literal (error, POSTBAG_ERROR, POSTBAG_ERROR_INVALID_ARGUMENT,
                         "The name of the file inside the archive is too long. Take it as the "
                         "listing of the archive gives it.");
  else
    return TRUE;
  return FALSE;
}

static gboolean
check_request (PostbagExtraction *self, const PostbagExtractRequest *request, GError **error)
{
  g_autofree char *type = NULL;

  if (g_strv_contains (postbag_extraction_get_types (self), request->content_type)
      && strlen (request->content_type) < sizeof ((PostbagWireJob *)NULL)->content_type)
    return check_member (request, error);
  type = g_strndup (request->content_type, POSTBAG_LIMIT_QUOTE_CHARS);
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_SUPPORTED,
               "Documents of the type %s cannot be turned into text here.", type);
  return FALSE;
}

typedef struct
{
  PostbagExtractionCache *cache;
  const PostbagExtractRequest *request;
} Digest;

static gpointer
make_digest (gpointer data)
{
  Digest *digest = data;

  return postbag_extraction_cache_make_key (digest->cache, digest->request);
}

/* What is new for certain is read while the digest is made by which it will be known. */
static PostbagExtractedText *
read_new (PostbagExtraction *self, const PostbagExtractRequest *request, GCancellable *cancellable,
          Outcome *outcome, GError **error)
{
  Digest digest = { self->cache, request };
  GThread *thread = g_thread_try_new ("postbag-digest", make_digest, &digest, NULL);
  PostbagExtractedText *text = take_turn (self, request, cancellable, outcome, error);
  g_autofree char *key = thread != NULL ? g_thread_join (thread) : NULL;

  if (text == NULL)
    return NULL;
  if (key == NULL)
    key = make_digest (&digest); /* there was no thread to be had */
  postbag_extraction_cache_keep (self->cache, key, request, text);
  return text;
}

static PostbagExtractedText *
find_or_read (PostbagExtraction *self, const PostbagExtractRequest *request,
              GCancellable *cancellable, Outcome *outcome, GError **error)
{
  gsize length = g_bytes_get_size (request->bytes);
  g_autofree char *key = NULL;
  PostbagExtractedText *text;

  if (length > POSTBAG_LIMIT_EXTRACT_DIGEST_BYTES
      && !postbag_extraction_cache_may_have (self->cache, length))
    return read_new (self, request, cancellable, outcome, error);
  key = postbag_extraction_cache_make_key (self->cache, request);
  text = postbag_extraction_cache_find (self->cache, key);
  if (text == NULL)
    text = take_turn (self, request, cancellable, outcome, error);
  if (text != NULL)
    postbag_extraction_cache_keep (self->cache, key, request, text);
  return text;
}

PostbagExtractedText *
postbag_extraction_run_full (PostbagExtraction *self, const PostbagExtractRequest *request,
                             GCancellable *cancellable, PostbagExtractReason *reason,
                             PostbagExtractFate *fate, GError **error)
{
  PostbagExtractRequest copy = *request;
  g_autofree char *type = normalize_type (request->content_type);
  g_autoptr (GError) failure = NULL;
  Outcome outcome = { POSTBAG_EXTRACT_NOT_A_DOCUMENT, POSTBAG_FATE_FINISHED };
  PostbagExtractedText *text;

  copy.content_type = type;
  if (reason != NULL)
    *reason = outcome.reason;
  if (!check_request (self, &copy, error))
    return NULL;
  text = find_or_read (self, &copy, cancellable, &outcome, &failure);
  if (text == NULL && outcome.fate != POSTBAG_FATE_FINISHED)
    outcome.reason = fates[outcome.fate].reason;
  if (failure != NULL)
    g_propagate_error (error, g_steal_pointer (&failure));
  else if (text == NULL)
    set_error (error, outcome.reason, outcome.fate);
  if (reason != NULL)
    *reason = outcome.reason;
  if (fate != NULL)
    *fate = outcome.fate;
  return text;
}

PostbagExtractedText *
postbag_extraction_run (PostbagExtraction *self, const PostbagExtractRequest *request,
                        GCancellable *cancellable, PostbagExtractReason *reason, GError **error)
{
  PostbagExtractReason why = POSTBAG_EXTRACT_NOT_A_DOCUMENT;
  PostbagExtractFate fate = POSTBAG_FATE_FINISHED;
  PostbagExtractedText *text =
      postbag_extraction_run_full (self, request, cancellable, &why, &fate, error);

  if (text == NULL)
    log_failure (why, fate);
  if (reason != NULL)
    *reason = why;
  return text;
}

PostbagExtractedText *
postbag_extraction_recall (PostbagExtraction *self, const PostbagExtractRequest *request,
                           gsize *length, const char **detected)
{
  PostbagExtractRequest copy = *request;
  g_autofree char *type = normalize_type (request->content_type);

  g_return_val_if_fail (request->origin != NULL, NULL);

  copy.content_type = type;
  return postbag_extraction_cache_recall (self->cache, &copy, length, detected);
}

/* --- what is known of it --- */

PostbagCageLayers
postbag_extraction_probe (PostbagExtraction *self, GError **error)
{
  g_autoptr (PostbagChild) child = postbag_worker_take_child (self->worker, error);

  return child != NULL ? child->layers : 0;
}

char **
postbag_extraction_dup_broken (PostbagExtraction *self)
{
  return postbag_worker_dup_broken (self->worker);
}

char *
postbag_cage_layers_to_string (PostbagCageLayers layers)
{
  static const struct
  {
    PostbagCageLayers layer;
    const char *words;
  } names[] = {
    { POSTBAG_CAGE_CALLS, "system calls (seccomp)" },
    { POSTBAG_CAGE_PRIVILEGES, "no privileges" },
    { POSTBAG_CAGE_LIMITS, "limits on time, files and processes" },
    { POSTBAG_CAGE_MEMORY, "limit on memory" },
    { POSTBAG_CAGE_FILES, "files (Landlock)" },
    { POSTBAG_CAGE_NETWORK, "network (Landlock)" },
    { POSTBAG_CAGE_SCOPE, "other processes (Landlock)" },
  };
  g_autoptr (GString) text = g_string_new (NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    if ((layers & names[i].layer) != 0)
      g_string_append_printf (text, "%s%s", text->len > 0 ? ", " : "", names[i].words);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

void
postbag_extraction_set_wall (PostbagExtraction *self, gint64 milliseconds)
{
  self->wall_ms = milliseconds;
}

gint64
postbag_extraction_get_worker (PostbagExtraction *self)
{
  return postbag_worker_get_process (self->worker);
}

guint
postbag_extraction_count_cached (PostbagExtraction *self)
{
  return postbag_extraction_cache_count (self->cache);
}

guint64
postbag_extraction_count_runs (PostbagExtraction *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  return self->runs;
}

guint
postbag_extraction_count_in_flight (PostbagExtraction *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  return self->in_flight;
}
