/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One message: its first bytes with everything known about it in one round trip, its structure, and
 * its parts in ranges, the next one asked for before the last one is handed on. */

#include "postbag-imap-store-private.h"

#include <string.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "mime/postbag-message.h"
#include "postbag-imap-set.h"
#include "postbag-imap-summary.h"

static PostbagImapRequest *
create_request (PostbagImapStore *self, const char *mailbox, guint32 uid,
                PostbagImapCommand **command)
{
  PostbagImapRequest *request =
      postbag_imap_store_create_request (self, mailbox, 1u << POSTBAG_IMAP_REPLY_FETCH);

  request->uids = postbag_imap_set_new ();
  postbag_imap_set_add (request->uids, uid, uid);
  *command = postbag_imap_request_add (request, "UID FETCH");
  postbag_imap_command_add_set (*command, request->uids);
  return request;
}

static gboolean
fail_not_found (const char *mailbox, guint32 uid, GError **error)
{
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_FOUND,
               "There is no message with the uid %u in “%s” (any more). List the mailbox again.",
               uid, mailbox);
  return FALSE;
}

/* Runs @request; where nothing came and the mailbox was selected before, looks again, since the
 * message may have come since. */
static gboolean
run (PostbagImapStore *self, PostbagImapRequest *request, guint32 uid, GCancellable *cancellable,
     GError **error)
{
  if (!postbag_imap_store_run (self, request, cancellable, error))
    return FALSE;
  if (request->replies->len > 0)
    return TRUE;
  if (request->was_selected)
    {
      request->refresh = TRUE;
      postbag_imap_request_reset (request);
      if (!postbag_imap_store_run (self, request, cancellable, error))
        return FALSE;
    }
  return request->replies->len > 0 || fail_not_found (request->mailbox, uid, error);
}

/* What answers the question for that section, if only with NIL: (transfer none) (nullable) */
static const PostbagImapSection *
find_section (const PostbagImapRequest *request, const char *name, gint64 origin,
              gboolean is_binary)
{
  const PostbagImapSection *found = NULL;

  for (guint i = 0; i < request->replies->len && (found == NULL || found->bytes == NULL); i++)
    {
      const PostbagImapReply *reply = g_ptr_array_index (request->replies, i);
      const PostbagImapSection *section =
          postbag_imap_fetch_find_section (reply->fetch, name, origin, is_binary);

      if (section != NULL)
        found = section;
    }
  return found;
}

static gboolean
has_sections (const PostbagImapRequest *request)
{
  for (guint i = 0; i < request->replies->len; i++)
    if (((const PostbagImapReply *)request->replies->pdata[i])->fetch->sections->len > 0)
      return TRUE;
  return FALSE;
}

static PostbagPart *
find_structure (const PostbagImapRequest *request)
{
  for (guint i = 0; i < request->replies->len; i++)
    {
      PostbagImapReply *reply = g_ptr_array_index (request->replies, i);

      if (reply->fetch->structure != NULL)
        return reply->fetch->structure;
    }
  return NULL;
}

/* Flags, date and size, from whichever reply has them. */
static void
take_facts (PostbagFetchedMessage *message, const PostbagImapRequest *request)
{
  const PostbagImapFetch *flags = NULL;

  message->size = -1;
  message->internal_date = POSTBAG_DATE_UNKNOWN;
  for (guint i = 0; i < request->replies->len; i++)
    {
      const PostbagImapReply *reply = g_ptr_array_index (request->replies, i);

      if (reply->fetch->has_flags)
        flags = reply->fetch;
      if (reply->fetch->size >= 0)
        message->size = reply->fetch->size;
      if (reply->fetch->internal_date != POSTBAG_DATE_UNKNOWN)
        message->internal_date = reply->fetch->internal_date;
    }
  message->keywords =
      postbag_imap_flags_split (flags != NULL ? flags->flags : NULL, &message->flags);
}

/* RFC822.SIZE is wrong on some servers: a range that came short is the end, whatever it says. */
static gboolean
is_whole (const PostbagFetchedMessage *message, gsize asked)
{
  gsize length = g_bytes_get_size (message->source);

  return length < asked || (message->size >= 0 && (gint64)length >= message->size);
}

static gboolean
fail_too_much (const char *what, gsize asked, GError **error)
{
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_TOO_LARGE,
               "The mail server sent more than the %" G_GSIZE_FORMAT
               " bytes of %s it was asked for. List its attachments and read one of them.",
               asked, what);
  return FALSE;
}

/* What came may be taken for nothing: not for the end, not for the beginning. */
static gboolean
fail_another (const char *mailbox, guint32 uid, GError **error)
{
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_BAD_DATA,
               "The mail server answered with another part or range of message %u in “%s” than it "
               "was asked for. Nothing of it was used; call again, and if it goes on, tell the "
               "server's operator.",
               uid, mailbox);
  return FALSE;
}

static gboolean
take_source (PostbagFetchedMessage *message, const PostbagImapRequest *request, gsize asked,
             GError **error)
{
  const PostbagImapSection *section = find_section (request, "", 0, FALSE);
  GBytes *bytes = section != NULL ? section->bytes : NULL;

  if (section == NULL && has_sections (request))
    return fail_another (request->mailbox, message->uid, error);
  if (bytes == NULL || (g_bytes_get_size (bytes) == 0 && message->size > 0))
    {
      g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_REMOTE_REFUSED,
                   "The content of message %u in “%s” is not available: the mail server answered "
                   "with %s. Call again later.",
                   message->uid, request->mailbox, bytes == NULL ? "NIL" : "nothing");
      return FALSE;
    }
  if (g_bytes_get_size (bytes) > asked)
    return fail_too_much ("the message", asked, error);
  message->source = g_bytes_ref (bytes);
  return TRUE;
}

/* --- parts --- */

typedef struct
{
  PostbagImapStore *store;
  const char *mailbox;
  guint32 uid;
  const char *number; /* (nullable): the whole message */
  GCancellable *cancellable;
  guint32 uid_validity; /* of the first range; 0 before */
  gboolean is_binary;   /* content, not octets */
} PartReader;

static gboolean
fail_no_part (PartReader *reader, GError **error)
{
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_FOUND,
               "Message %u in “%s” has no part %s, or the mail server has no content for it. "
               "List its parts.",
               reader->uid, reader->mailbox, reader->number != NULL ? reader->number : "0");
  return FALSE;
}

static PostbagImapRequest *
create_range_request (PartReader *reader, guint64 offset, gsize asked)
{
  PostbagImapCommand *command;
  PostbagImapRequest *request =
      create_request (reader->store, reader->mailbox, reader->uid, &command);

  postbag_imap_command_add_open (command);
  postbag_imap_command_add_words (command, "UID");
  if (reader->is_binary)
    postbag_imap_command_add_binary (command, reader->number, offset, asked);
  else
    postbag_imap_command_add_section (command, reader->number, NULL, offset, asked);
  postbag_imap_command_add_close (command);
  return request;
}

/* Ranges of one part may come over several connections: they must be of the same mailbox. */
static gboolean
check_validity (PartReader *reader, const PostbagImapRequest *request, GError **error)
{
  if (reader->uid_validity == 0)
    reader->uid_validity = request->uid_validity;
  if (reader->uid_validity == request->uid_validity)
    return TRUE;
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_CONFLICT,
               "The mailbox “%s” was renumbered while message %u was read. List it again.",
               reader->mailbox, reader->uid);
  return FALSE;
}

/* The range in what came; behind the end there is nothing, which is said, too: (transfer full)
 * (nullable) */
static GBytes *
take_range (PartReader *reader, const PostbagImapRequest *request, guint64 offset, gsize asked,
            GError **error)
{
  const PostbagImapSection *section = find_section (
      request, reader->number != NULL ? reader->number : "", (gint64)offset, reader->is_binary);
  GBytes *bytes = section != NULL ? section->bytes : NULL;

  if (!check_validity (reader, request, error))
    return NULL;
  if (section == NULL && (offset > 0 || has_sections (request)))
    fail_another (reader->mailbox, reader->uid, error);
  else if (bytes == NULL && offset > 0)
    return g_bytes_new (NULL, 0);
  else if (bytes == NULL)
    fail_no_part (reader, error);
  else if (g_bytes_get_size (bytes) > asked)
    fail_too_much ("the part", asked, error);
  else
    return g_bytes_ref (bytes);
  return NULL;
}

/* One range of the part: (transfer full) (nullable) */
static GBytes *
read_range (PartReader *reader, guint64 offset, gsize asked, GError **error)
{
  g_autoptr (PostbagImapRequest) request = create_range_request (reader, offset, asked);

  if (!run (reader->store, request, reader->uid, reader->cancellable, error))
    return NULL;
  return take_range (reader, request, offset, asked, error);
}

/* The rest of a source of which the first range came whole, up to @wanted bytes in all. */
static gboolean
complete_source (PartReader *reader, PostbagFetchedMessage *message, gsize wanted, GError **error)
{
  g_autoptr (GByteArray) source = g_bytes_unref_to_array (g_steal_pointer (&message->source));

  while (source->len < wanted)
    {
      gsize asked = MIN (wanted - source->len, POSTBAG_LIMIT_IMAP_RANGE_BYTES);
      g_autoptr (GBytes) bytes = read_range (reader, source->len, asked, error);
      gsize length;
      const guint8 *range;

      if (bytes == NULL)
        return FALSE;
      range = g_bytes_get_data (bytes, &length);
      g_byte_array_append (source, range, (guint)length);
      if (length < asked)
        {
          message->complete = TRUE;
          break;
        }
    }
  message->complete |= message->size >= 0 && (gint64)source->len >= message->size;
  message->source = g_byte_array_free_to_bytes (g_steal_pointer (&source));
  return TRUE;
}

/* --- the structure --- */

/* The server's description cannot be read, or is longer than POSTBAG_LIMIT_IMAP_LINE_BYTES: the
 * message itself tells, as far as its first bytes do. */
static PostbagPart *
read_structure (PartReader *reader, GError **error)
{
  g_autoptr (PostbagFetchedMessage) message = g_new0 (PostbagFetchedMessage, 1);
  g_autoptr (PostbagMessage) parsed = NULL;
  PostbagPart *structure;

  message->size = -1;
  message->source = read_range (reader, 0, POSTBAG_LIMIT_IMAP_RANGE_BYTES, error);
  if (message->source == NULL)
    return NULL;
  message->complete = is_whole (message, POSTBAG_LIMIT_IMAP_RANGE_BYTES);
  if (!message->complete && !complete_source (reader, message, POSTBAG_LIMIT_SUMMARY_BYTES, error))
    return NULL;
  parsed = postbag_message_parse (message->source);
  structure = postbag_part_copy (postbag_message_get_structure (parsed));
  structure->cut |= !message->complete;
  structure->uid_validity = reader->uid_validity;
  return structure;
}

/* (transfer full) (nullable): what the server says in @request; %NULL without @error: nothing */
static PostbagPart *
take_structure (const PostbagImapRequest *request)
{
  const PostbagPart *structure = find_structure (request);
  PostbagPart *copy;

  if (structure == NULL)
    return NULL;
  copy = postbag_part_copy (structure);
  postbag_imap_structure_decode (copy);
  copy->uid_validity = request->uid_validity;
  return copy;
}

PostbagPart *
postbag_imap_store_fetch_structure (gpointer data, const char *mailbox, guint32 uid,
                                    GCancellable *cancellable, GError **error)
{
  PostbagImapStore *self = data;
  PartReader reader = { self, mailbox, uid, NULL, cancellable, 0, FALSE };
  PostbagImapCommand *command;
  g_autoptr (PostbagImapRequest) request = create_request (self, mailbox, uid, &command);
  PostbagPart *structure;

  /* What was kept of a part is answered by this alone: a session that looks at the mailbox as it
   * was may tell of a message, or of a whole mailbox, that has gone. */
  request->reselect = TRUE;
  postbag_imap_command_add_words (command, "(UID BODYSTRUCTURE)");
  if (!run (self, request, uid, cancellable, error))
    return NULL;
  reader.uid_validity = request->uid_validity;
  structure = take_structure (request);
  return structure != NULL ? structure : read_structure (&reader, error);
}

/* Nothing came of the first range: there are servers that say so of a part that does not exist. */
static gboolean
check_empty (PartReader *reader, GError **error)
{
  g_autoptr (PostbagPart) structure = NULL;

  if (reader->number == NULL)
    return fail_no_part (reader, error);
  structure = postbag_imap_store_fetch_structure (reader->store, reader->mailbox, reader->uid,
                                                  reader->cancellable, error);
  if (structure == NULL)
    return FALSE;
  return postbag_part_find (structure, reader->number) != NULL || fail_no_part (reader, error);
}

/* Everything about the message and its first @asked bytes. */
static PostbagImapRequest *
ask_for_message (PartReader *reader, gsize asked, gboolean with_structure, GError **error)
{
  PostbagImapCommand *command;
  g_autoptr (PostbagImapRequest) request =
      create_request (reader->store, reader->mailbox, reader->uid, &command);

  postbag_imap_command_add_open (command);
  postbag_imap_command_add_words (command, "UID FLAGS INTERNALDATE RFC822.SIZE");
  if (with_structure)
    postbag_imap_command_add_words (command, "BODYSTRUCTURE");
  postbag_imap_command_add_section (command, NULL, NULL, 0, asked);
  postbag_imap_command_add_close (command);
  return run (reader->store, request, reader->uid, reader->cancellable, error)
             ? g_steal_pointer (&request)
             : NULL;
}

/* Whether the source got lost behind something too long, or unreadable. */
static gboolean
is_lost (const PostbagImapRequest *request)
{
  for (guint i = 0; i < request->replies->len; i++)
    if (((const PostbagImapReply *)request->replies->pdata[i])->fetch->is_damaged)
      return !has_sections (request);
  return FALSE;
}

PostbagFetchedMessage *
postbag_imap_store_fetch_message (gpointer data, const char *mailbox, guint32 uid, gsize max_source,
                                  GCancellable *cancellable, GError **error)
{
  PostbagImapStore *self = data;
  gsize wanted =
      postbag_imap_hints_apply (self->hints, mailbox, uid, CLAMP (max_source, 1, G_MAXINT32));
  gsize asked = MIN (wanted, POSTBAG_LIMIT_IMAP_RANGE_BYTES);
  PartReader reader = { self, mailbox, uid, NULL, cancellable, 0, FALSE };
  g_autoptr (PostbagImapRequest) request = ask_for_message (&reader, asked, TRUE, error);
  g_autoptr (PostbagFetchedMessage) message = g_new0 (PostbagFetchedMessage, 1);
  gboolean was_lost = request != NULL && is_lost (request);

  if (was_lost)
    {
      postbag_imap_request_unref (request);
      request = ask_for_message (&reader, asked, FALSE, error);
    }
  if (request == NULL)
    return NULL;
  postbag_imap_hints_learn (self->hints, mailbox, request->replies);
  message->uid = uid;
  message->uid_validity = request->uid_validity;
  reader.uid_validity = request->uid_validity;
  take_facts (message, request);
  if (!take_source (message, request, asked, error))
    return NULL;
  message->complete = is_whole (message, asked);
  if (!message->complete && wanted > asked && !complete_source (&reader, message, wanted, error))
    return NULL;
  if (message->complete)
    return g_steal_pointer (&message);
  message->structure = was_lost ? read_structure (&reader, error) : take_structure (request);
  if (was_lost && message->structure == NULL)
    return NULL;
  return g_steal_pointer (&message);
}

/* Ranges behind the first, which came whole: each is asked for before the one in front of it is
 * handed on. */
static gboolean
read_ranges (PartReader *reader, GBytes *first, PostbagSinkFunc sink, gpointer user_data,
             GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_ref (first);
  guint64 offset = 0;

  while (g_bytes_get_size (bytes) == POSTBAG_LIMIT_IMAP_RANGE_BYTES)
    {
      g_autoptr (PostbagImapRequest) request = create_range_request (
          reader, offset + POSTBAG_LIMIT_IMAP_RANGE_BYTES, POSTBAG_LIMIT_IMAP_RANGE_BYTES);

      if (!postbag_imap_pool_start (reader->store->pool, request, reader->cancellable, error))
        return FALSE;
      if (!sink (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), user_data, error))
        {
          postbag_imap_request_abandon (request);
          return FALSE;
        }
      offset += POSTBAG_LIMIT_IMAP_RANGE_BYTES;
      g_clear_pointer (&bytes, g_bytes_unref);
      if (!postbag_imap_pool_finish (reader->store->pool, request, reader->cancellable, error)
          || !postbag_imap_store_check (reader->store, request, error))
        return FALSE;
      if (request->replies->len == 0)
        return fail_not_found (reader->mailbox, reader->uid, error);
      bytes = take_range (reader, request, offset, POSTBAG_LIMIT_IMAP_RANGE_BYTES, error);
      if (bytes == NULL)
        return FALSE;
    }
  return g_bytes_get_size (bytes) == 0
         || sink (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), user_data, error);
}

gboolean
postbag_imap_store_fetch_part (gpointer data, const char *mailbox, guint32 uid, const char *number,
                               PostbagSinkFunc sink, gpointer user_data, GCancellable *cancellable,
                               GError **error)
{
  PartReader reader = { data,        mailbox, uid,  strcmp (number, "0") != 0 ? number : NULL,
                        cancellable, 0,       FALSE };
  g_autoptr (GBytes) first = read_range (&reader, 0, POSTBAG_LIMIT_IMAP_RANGE_BYTES, error);

  if (first == NULL)
    return FALSE;
  if (g_bytes_get_size (first) == 0)
    return check_empty (&reader, error);
  return read_ranges (&reader, first, sink, user_data, error);
}

/* Whether content is to be asked for: the server decodes (RFC 3516), and never said it does not
 * know the command. */
static gboolean
may_ask_binary (PostbagImapStore *self, const char *number, GCancellable *cancellable)
{
  g_autoptr (PostbagImapFeatures) features = NULL;

  if (strcmp (number, "0") == 0)
    return FALSE;
  features = postbag_imap_pool_get_features (self->pool, cancellable, NULL);
  return features != NULL
         && (features->has & ~(guint)g_atomic_int_get (&self->refused_features)
             & POSTBAG_IMAP_HAS_BINARY)
                != 0;
}

static gboolean
was_bad (const PostbagImapRequest *request)
{
  const PostbagImapStatus *status =
      request->statuses->len > 0 ? g_ptr_array_index (request->statuses, 0) : NULL;

  return status != NULL && status->condition == POSTBAG_IMAP_BAD;
}

/* The first range of a part's content: (transfer full) (nullable) */
static GBytes *
read_first_content (PartReader *reader, GError **error)
{
  g_autoptr (PostbagImapRequest) request =
      create_range_request (reader, 0, POSTBAG_LIMIT_IMAP_RANGE_BYTES);

  if (run (reader->store, request, reader->uid, reader->cancellable, error))
    return take_range (reader, request, 0, POSTBAG_LIMIT_IMAP_RANGE_BYTES, error);
  if (request->error == NULL && was_bad (request))
    g_atomic_int_or (&reader->store->refused_features, POSTBAG_IMAP_HAS_BINARY);
  return NULL;
}

/* Whether the octets may be had all the same: the server cannot decode this part (NO
 * [UNKNOWN-CTE]), or its answer was of no use. */
static gboolean
may_read_octets (const GError *failure)
{
  static const PostbagErrorCode codes[] = { POSTBAG_ERROR_REMOTE_REFUSED,
                                            POSTBAG_ERROR_NOT_SUPPORTED, POSTBAG_ERROR_BAD_DATA,
                                            POSTBAG_ERROR_NOT_FOUND, POSTBAG_ERROR_TOO_LARGE };

  for (gsize i = 0; i < G_N_ELEMENTS (codes); i++)
    if (g_error_matches (failure, POSTBAG_ERROR, (int)codes[i]))
      return TRUE;
  return FALSE;
}

gboolean
postbag_imap_store_fetch_content (gpointer data, const char *mailbox, guint32 uid,
                                  const char *number, gboolean *is_decoded, PostbagSinkFunc sink,
                                  gpointer user_data, GCancellable *cancellable, GError **error)
{
  PostbagImapStore *self = data;
  PartReader reader = { self, mailbox, uid, number, cancellable, 0, TRUE };
  g_autoptr (GBytes) first = NULL;
  g_autoptr (GError) failure = NULL;

  *is_decoded = FALSE;
  if (may_ask_binary (self, number, cancellable))
    first = read_first_content (&reader, &failure);
  if (failure != NULL && !may_read_octets (failure))
    {
      g_propagate_error (error, g_steal_pointer (&failure));
      return FALSE;
    }
  /* Of nothing nobody knows whether that is the content, or all the server could make of it. */
  if (first == NULL || g_bytes_get_size (first) == 0)
    return postbag_imap_store_fetch_part (self, mailbox, uid, number, sink, user_data, cancellable,
                                          error);
  *is_decoded = TRUE;
  return read_ranges (&reader, first, sink, user_data, error);
}
