/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Searching for text that the server has no charset for. It still narrows the candidates by all
 * that it can answer; of these, the newest are compared here, batch by batch: header fields first,
 * and of the messages that are left the text parts, as many as one write may bring. What was not
 * looked at, or not to its end, the page says. */

#include "postbag-imap-store-search.h"

#include <string.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "mime/postbag-match.h"
#include "postbag-imap-search.h"
#include "postbag-imap-set.h"

#define FIELDS "HEADER.FIELDS (FROM TO CC SUBJECT)"

typedef struct
{
  const PostbagImapQuery *query;
  PostbagSearch *foreign; /* what is compared here */
  PostbagNeedle *from;
  PostbagNeedle *to;
  PostbagNeedle *cc;
  PostbagNeedle *subject;
  PostbagNeedle *body;
  PostbagNeedle *text;
  GPtrArray *values; /* PostbagNeedle, beside foreign->any_header */

  guint32 uid_validity;
  guint compared;
  guint unread;    /* could not be compared to their end */
  gsize bytes;     /* of parts, asked for so far */
  GArray *matches; /* guint32, newest first */
} Filter;

/* A message whose header does not settle it. */
typedef struct
{
  guint32 uid;
  const PostbagPart *structure;
  gboolean needs_body;
  gboolean needs_text;
  gboolean is_cut; /* not all of it is compared */
} Candidate;

static gboolean
needs_whole_header (const Filter *self)
{
  return self->text != NULL || self->values->len > 0;
}

static gboolean
needs_parts (const Filter *self)
{
  return self->body != NULL || self->text != NULL;
}

static void
init_filter (Filter *self, const PostbagImapQuery *query, const PostbagSearch *criteria)
{
  PostbagSearch *foreign = postbag_imap_search_get_foreign (criteria);

  self->query = query;
  self->foreign = foreign;
  self->from = postbag_needle_new (foreign->from);
  self->to = postbag_needle_new (foreign->to);
  self->cc = postbag_needle_new (foreign->cc);
  self->subject = postbag_needle_new (foreign->subject);
  self->body = postbag_needle_new (foreign->body);
  self->text = postbag_needle_new (foreign->text);
  self->values = g_ptr_array_new_with_free_func ((GDestroyNotify)postbag_needle_free);
  for (guint i = 0; foreign->any_header != NULL && i < foreign->any_header->len; i++)
    {
      const PostbagHeaderMatch *match = g_ptr_array_index (foreign->any_header, i);

      g_ptr_array_add (self->values, postbag_needle_new (match->value));
    }
  self->matches = g_array_new (FALSE, FALSE, sizeof (guint32));
}

static void
clear_filter (Filter *self)
{
  postbag_search_free (self->foreign);
  postbag_needle_free (self->from);
  postbag_needle_free (self->to);
  postbag_needle_free (self->cc);
  postbag_needle_free (self->subject);
  postbag_needle_free (self->body);
  postbag_needle_free (self->text);
  g_ptr_array_unref (self->values);
  g_array_unref (self->matches);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Filter, clear_filter)

/* Everything that is compared has to be of one numbering. */
static gboolean
run (Filter *self, PostbagImapRequest *request, GError **error)
{
  if (!postbag_imap_query_run (self->query, request, error))
    return FALSE;
  if (self->uid_validity == 0)
    self->uid_validity = request->uid_validity;
  if (self->uid_validity == request->uid_validity)
    return TRUE;
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_CONFLICT,
               "The mailbox “%s” was renumbered while it was searched. Search again.",
               self->query->mailbox);
  return FALSE;
}

/* --- headers --- */

static gboolean
match_any_header (const Filter *self, PostbagMessage *message)
{
  for (guint i = 0; i < self->values->len; i++)
    {
      const PostbagHeaderMatch *match = g_ptr_array_index (self->foreign->any_header, i);

      if (postbag_message_matches_field (message, match->field,
                                         g_ptr_array_index (self->values, i)))
        return TRUE;
    }
  return self->values->len == 0;
}

static gboolean
match_addresses (PostbagMessage *message, const char *field, PostbagNeedle *needle)
{
  return needle == NULL || postbag_message_matches_addresses (message, field, needle);
}

static gboolean
match_header (const Filter *self, GBytes *header)
{
  g_autoptr (PostbagMessage) message = postbag_message_parse (header);

  return (self->subject == NULL
          || postbag_needle_is_in (self->subject, postbag_message_get_subject (message)))
         && match_addresses (message, "From", self->from)
         && match_addresses (message, "To", self->to) && match_addresses (message, "Cc", self->cc)
         && match_any_header (self, message);
}

/* The first bytes of a section, from whichever reply has it: (nullable) */
static GBytes *
find_section (const PostbagImapRequest *request, guint32 uid, const char *name)
{
  for (guint i = 0; i < request->replies->len; i++)
    {
      const PostbagImapFetch *fetch =
          ((const PostbagImapReply *)g_ptr_array_index (request->replies, i))->fetch;
      const PostbagImapSection *section =
          fetch->uid == uid ? postbag_imap_fetch_find_section (fetch, name, 0, FALSE) : NULL;

      if (section != NULL && section->bytes != NULL)
        return section->bytes;
    }
  return NULL;
}

static const PostbagPart *
find_structure (const PostbagImapRequest *request, guint32 uid)
{
  for (guint i = 0; i < request->replies->len; i++)
    {
      const PostbagImapFetch *fetch =
          ((const PostbagImapReply *)g_ptr_array_index (request->replies, i))->fetch;

      if (fetch->uid == uid && fetch->structure != NULL)
        return fetch->structure;
    }
  return NULL;
}

/* Settles one message by its header, or makes it a candidate. */
static void
compare_header (Filter *self, const PostbagImapRequest *request, guint32 uid, GArray *candidates)
{
  GBytes *header = find_section (request, uid, needs_whole_header (self) ? "HEADER" : FIELDS);
  Candidate candidate = { .uid = uid, .needs_body = self->body != NULL };

  if (header == NULL)
    {
      self->unread++;
      return;
    }
  if (!match_header (self, header))
    return;
  candidate.needs_text = self->text != NULL && !postbag_mime_header_matches (header, self->text);
  candidate.structure = find_structure (request, uid);
  if (!candidate.needs_body && !candidate.needs_text)
    g_array_append_val (self->matches, uid);
  else if (candidate.structure == NULL)
    self->unread++;
  else
    g_array_append_val (candidates, candidate);
}

static PostbagImapRequest *
create_header_request (const Filter *self, GArray *batch)
{
  PostbagImapRequest *request =
      postbag_imap_query_create_request (self->query, 1u << POSTBAG_IMAP_REPLY_FETCH);
  PostbagImapCommand *command = postbag_imap_request_add (request, "UID FETCH");

  request->refresh = FALSE;
  request->uids = g_array_ref (batch);
  postbag_imap_command_add_set (command, batch);
  postbag_imap_command_add_open (command);
  postbag_imap_command_add_words (command, "UID");
  if (needs_whole_header (self))
    postbag_imap_command_add_section (command, NULL, "HEADER", 0, POSTBAG_LIMIT_HEADER_BYTES);
  else
    postbag_imap_command_add_words (command, "BODY.PEEK[" FIELDS "]");
  if (needs_parts (self))
    postbag_imap_command_add_words (command, "BODYSTRUCTURE");
  postbag_imap_command_add_close (command);
  return request;
}

/* --- parts --- */

/* The text parts of a message: (element-type PostbagPart), borrowed */
static GPtrArray *
list_text_parts (const PostbagPart *structure)
{
  g_autoptr (GPtrArray) stack = g_ptr_array_new ();
  GPtrArray *parts = g_ptr_array_new ();

  g_ptr_array_add (stack, (gpointer)structure);
  while (stack->len > 0)
    {
      PostbagPart *part = g_ptr_array_steal_index (stack, stack->len - 1);

      if (part->number != NULL && g_str_has_prefix (part->type, "text/"))
        g_ptr_array_add (parts, part);
      for (guint i = part->children != NULL ? part->children->len : 0; i > 0; i--)
        g_ptr_array_add (stack, g_ptr_array_index (part->children, i - 1));
    }
  return parts;
}

static gsize
get_share (const PostbagPart *part)
{
  return part->size >= 0 ? (gsize)MIN (part->size, POSTBAG_LIMIT_IMAP_FILTER_PART_BYTES)
                         : POSTBAG_LIMIT_IMAP_FILTER_PART_BYTES;
}

/* One FETCH of the beginnings of all text parts. Returns how many bytes it may bring. */
static gsize
ask_parts (PostbagImapRequest *request, Candidate *candidate)
{
  g_autoptr (GPtrArray) parts = list_text_parts (candidate->structure);
  g_autoptr (GArray) uid = postbag_imap_set_new ();
  PostbagImapCommand *command;
  gsize bytes = 0;

  if (parts->len > POSTBAG_LIMIT_IMAP_FILTER_PARTS)
    {
      candidate->is_cut = TRUE;
      g_ptr_array_set_size (parts, POSTBAG_LIMIT_IMAP_FILTER_PARTS);
    }
  if (parts->len == 0)
    return 0;
  postbag_imap_set_add (uid, candidate->uid, candidate->uid);
  postbag_imap_set_add (request->uids, candidate->uid, candidate->uid);
  command = postbag_imap_request_add (request, "UID FETCH");
  postbag_imap_command_add_set (command, uid);
  postbag_imap_command_add_open (command);
  postbag_imap_command_add_words (command, "UID");
  for (guint i = 0; i < parts->len; i++)
    {
      const PostbagPart *part = g_ptr_array_index (parts, i);

      candidate->is_cut |= part->size > POSTBAG_LIMIT_IMAP_FILTER_PART_BYTES;
      postbag_imap_command_add_section (command, part->number, NULL, 0,
                                        POSTBAG_LIMIT_IMAP_FILTER_PART_BYTES);
      bytes += get_share (part);
    }
  postbag_imap_command_add_close (command);
  return bytes;
}

static void
compare_part (const Filter *self, GBytes *encoded, const PostbagPart *part, Candidate *candidate)
{
  g_autoptr (GBytes) bytes =
      postbag_mime_decode (encoded, part->encoding, POSTBAG_LIMIT_IMAP_FILTER_PART_BYTES, NULL);

  if (bytes == NULL)
    return;
  if (candidate->needs_body
      && postbag_mime_text_matches (bytes, part->type, part->charset, self->body))
    candidate->needs_body = FALSE;
  if (candidate->needs_text
      && postbag_mime_text_matches (bytes, part->type, part->charset, self->text))
    candidate->needs_text = FALSE;
}

static void
compare_parts (Filter *self, const PostbagImapRequest *request, Candidate *candidate)
{
  g_autoptr (GPtrArray) parts = list_text_parts (candidate->structure);

  for (guint i = 0; i < parts->len && (candidate->needs_body || candidate->needs_text); i++)
    {
      const PostbagPart *part = g_ptr_array_index (parts, i);
      GBytes *encoded = find_section (request, candidate->uid, part->number);

      if (encoded != NULL)
        compare_part (self, encoded, part, candidate);
      else
        candidate->is_cut = TRUE;
    }
  if (!candidate->needs_body && !candidate->needs_text)
    g_array_append_val (self->matches, candidate->uid);
  else if (candidate->is_cut)
    self->unread++;
}

/* Candidates from *@next on, as many as fit one write. */
static gboolean
compare_some (Filter *self, GArray *candidates, guint *next, GError **error)
{
  g_autoptr (PostbagImapRequest) request =
      postbag_imap_query_create_request (self->query, 1u << POSTBAG_IMAP_REPLY_FETCH);
  guint first = *next;
  gsize bytes = 0;

  request->refresh = FALSE;
  request->uids = postbag_imap_set_new ();
  while (*next < candidates->len && bytes < POSTBAG_LIMIT_IMAP_FILTER_WRITE_BYTES)
    bytes += ask_parts (request, &g_array_index (candidates, Candidate, (*next)++));
  self->bytes += bytes;
  if (request->commands->len > 0 && !run (self, request, error))
    return FALSE;
  for (guint i = first; i < *next; i++)
    compare_parts (self, request, &g_array_index (candidates, Candidate, i));
  return TRUE;
}

/* --- batches --- */

static gboolean
compare_batch (Filter *self, GArray *batch, GError **error)
{
  g_autoptr (PostbagImapRequest) request = create_header_request (self, batch);
  g_autoptr (GArray) candidates = g_array_new (FALSE, FALSE, sizeof (Candidate));
  guint next = 0;

  if (!run (self, request, error))
    return FALSE;
  for (guint i = batch->len; i > 0; i--)
    {
      const PostbagImapRange *range = &g_array_index (batch, PostbagImapRange, i - 1);

      for (guint64 uid = range->last; uid >= range->first; uid--)
        compare_header (self, request, (guint32)uid, candidates);
    }
  while (next < candidates->len && self->bytes < POSTBAG_LIMIT_IMAP_FILTER_BYTES)
    if (!compare_some (self, candidates, &next, error))
      return FALSE;
  self->compared += (guint)postbag_imap_set_count (batch) - (candidates->len - next);
  return TRUE;
}

static gboolean
compare_all (Filter *self, const GArray *uids, GError **error)
{
  const PostbagPage *page = self->query->page;
  guint64 total = MIN (postbag_imap_set_count (uids), POSTBAG_LIMIT_IMAP_FILTER_MESSAGES);

  for (guint done = 0; done < total && self->bytes < POSTBAG_LIMIT_IMAP_FILTER_BYTES;
       done += POSTBAG_LIMIT_IMAP_FILTER_BATCH)
    {
      g_autoptr (GArray) batch = postbag_imap_set_cut_highest (
          uids, done, (guint)MIN (total - done, POSTBAG_LIMIT_IMAP_FILTER_BATCH));

      if (!compare_batch (self, batch, error))
        return FALSE;
      if (page->progress != NULL)
        page->progress ((double)(done + postbag_imap_set_count (batch)) / (double)total,
                        page->progress_data);
    }
  return TRUE;
}

/* --- the page --- */

static int
compare_uids (gconstpointer a, gconstpointer b)
{
  guint32 left = *(const guint32 *)a, right = *(const guint32 *)b;

  return (left < right) - (left > right);
}

static gboolean
add_summaries (Filter *self, PostbagSearchPage *page, GError **error)
{
  const PostbagPage *wanted = self->query->page;
  g_autoptr (GArray) uids = postbag_imap_set_new ();
  GPtrArray *summaries;

  /* What its header settled came before what its text did. */
  g_array_sort (self->matches, compare_uids);
  for (gint64 i = wanted->offset;
       i < (gint64)self->matches->len && i - wanted->offset < (gint64)wanted->limit; i++)
    {
      guint32 uid = g_array_index (self->matches, guint32, i);

      postbag_imap_set_add (uids, uid, uid);
    }
  if (uids->len == 0)
    return TRUE;
  postbag_imap_set_normalize (uids);
  summaries = postbag_imap_query_fetch_summaries (self->query, uids, error);
  if (summaries == NULL)
    return FALSE;
  g_ptr_array_unref (page->summaries);
  page->summaries = summaries;
  return TRUE;
}

static char **
make_warnings (const Filter *self, gint64 candidates)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  if (self->compared < candidates)
    {
      g_autofree char *text = g_strdup_printf (
          "The mail server cannot search for text that is not ASCII, so the newest %u of the "
          "%" G_GINT64_FORMAT " messages that may match were compared here; older matches are "
          "missing. Narrow the search by dates or by an ASCII word to reach them.",
          self->compared, candidates);

      g_strv_builder_add (builder, text);
    }
  if (self->unread > 0)
    {
      g_autofree char *text = g_strdup_printf (
          "The mail server cannot search for text that is not ASCII, and %u messages could not be "
          "compared here to their end: they may match all the same.",
          self->unread);

      g_strv_builder_add (builder, text);
    }
  if (self->compared >= candidates && self->unread == 0)
    return NULL;
  return g_strv_builder_end (builder);
}

PostbagSearchPage *
postbag_imap_query_filter (const PostbagImapQuery *query, const PostbagSearch *criteria,
                           GError **error)
{
  static const PostbagPage newest = { .limit = POSTBAG_LIMIT_IMAP_FILTER_MESSAGES };
  g_autoptr (PostbagSearch) wide = postbag_imap_search_widen (criteria);
  g_autoptr (PostbagSearchPage) page = postbag_search_page_new ();
  g_autoptr (PostbagImapRequest) request = NULL;
  g_autoptr (GArray) uids = postbag_imap_query_find (query, wide, &newest, &request, error);
  g_auto (Filter) self = { 0 };

  init_filter (&self, query, criteria);
  if (uids == NULL)
    return NULL;
  self.uid_validity = request->uid_validity;
  if (!compare_all (&self, uids, error) || !add_summaries (&self, page, error))
    return NULL;
  page->uid_validity = self.uid_validity;
  page->total = self.matches->len;
  page->warnings = make_warnings (&self, postbag_imap_query_count (request, uids));
  return g_steal_pointer (&page);
}
