/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* get_message (contract 1.6): everything a sender chose is cleaned, the text is fenced, and what we
 * say ourselves stands outside the fence and in front of it. Reading marks nothing as read. */

#include "postbag-guarded-handlers.h"

#include <string.h>

#include "base/postbag-limits.h"
#include "mime/postbag-message-security.h"
#include "postbag-guarded-attachments.h"
#include "postbag-guarded-list.h"
#include "postbag-guarded-text.h"
#include "postbag-guarded-thread.h"
#include "safety/postbag-clean.h"
#include "toolset/postbag-mail-body.h"
#include "toolset/postbag-mail-format.h"

#define CAVEAT                                                                                     \
  "Metadata as JSON. The verdicts in it are Postbag's; message ids, file names, subjects and "     \
  "names "                                                                                         \
  "were chosen by senders. \"forgeable\": true means that the authentication verdicts prove "      \
  "nothing."

/* What one call has gathered. */
typedef struct
{
  PostbagMailCall *mail;
  PostbagFetchedMessage *fetched;
  PostbagMessage *message;
  PostbagPart *fetched_structure; /* (nullable): owned */
  const PostbagPart *structure;
  PostbagBody *body;
  PostbagSearchPage *thread; /* (nullable) */
  PostbagMessageSecurity *security;
} Reading;

static void
clear_reading (Reading *reading)
{
  g_clear_pointer (&reading->mail, postbag_mail_call_free);
  g_clear_pointer (&reading->fetched, postbag_fetched_message_free);
  g_clear_pointer (&reading->message, postbag_message_free);
  g_clear_pointer (&reading->fetched_structure, postbag_part_free);
  g_clear_pointer (&reading->body, postbag_body_free);
  g_clear_pointer (&reading->thread, postbag_search_page_free);
  g_clear_pointer (&reading->security, postbag_message_security_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Reading, clear_reading)

static gboolean
check_source (const PostbagFetchedMessage *fetched, GError **error)
{
  if (fetched->source != NULL
      && (fetched->complete || g_bytes_get_size (fetched->source) <= POSTBAG_LIMIT_PREFIX_BYTES))
    return TRUE;
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_TOO_LARGE,
               "The mail server did not keep to the %d bytes that were asked for of message %u. "
               "get_attachments can still fetch its attachments one by one.",
               POSTBAG_LIMIT_PREFIX_BYTES, fetched->uid);
  return FALSE;
}

static gboolean
find_structure (Reading *reading, GError **error)
{
  const PostbagFetchedMessage *fetched = reading->fetched;

  reading->structure = fetched->structure;
  if (fetched->complete)
    reading->structure = postbag_message_get_structure (reading->message);
  if (reading->structure != NULL)
    return TRUE;
  reading->fetched_structure =
      postbag_store_fetch_structure (reading->mail->store, reading->mail->mailbox, fetched->uid,
                                     postbag_mail_call_get_cancellable (reading->mail), error);
  reading->structure = reading->fetched_structure;
  return reading->structure != NULL;
}

/* More came than was asked for: what is left to do is named. */
static gboolean
explain_too_much (GError **error)
{
  g_autofree char *text = NULL;

  if (error == NULL || !g_error_matches (*error, POSTBAG_ERROR, POSTBAG_ERROR_TOO_LARGE))
    return FALSE;
  text = g_strconcat ((*error)->message, " get_attachments lists and fetches them.", NULL);
  g_clear_error (error);
  g_set_error_literal (error, POSTBAG_ERROR, POSTBAG_ERROR_TOO_LARGE, text);
  return FALSE;
}

static gboolean
read_message (Reading *reading, const PostbagArgs *args, GError **error)
{
  PostbagMailCall *mail = reading->mail;
  guint32 uid = 0;

  if (!postbag_mail_call_get_uid (mail, args, &uid, error))
    return FALSE;
  reading->fetched =
      postbag_store_fetch_message (mail->store, mail->mailbox, uid, POSTBAG_LIMIT_PREFIX_BYTES,
                                   postbag_mail_call_get_cancellable (mail), error);
  if (reading->fetched == NULL)
    return postbag_mail_call_explain (mail, uid, error) || explain_too_much (error);
  if (!check_source (reading->fetched, error))
    return FALSE;
  postbag_mail_call_remember (mail, reading->fetched->uid_validity, FALSE);

  reading->message = postbag_message_parse (reading->fetched->source);
  if (!find_structure (reading, error))
    return postbag_mail_call_explain (mail, uid, error);
  reading->body =
      postbag_mail_read_body (mail, reading->fetched, reading->message, reading->structure, error);
  if (reading->body == NULL)
    return postbag_mail_call_explain (mail, uid, error);
  if (postbag_args_get_boolean (args, "include_thread", FALSE))
    reading->thread = postbag_guarded_find_thread (mail, uid, reading->message, error);
  return reading->thread != NULL || !postbag_args_get_boolean (args, "include_thread", FALSE);
}

static void
write_identity (PostbagResult *result, const Reading *reading)
{
  g_autofree char *date = postbag_date_to_string (postbag_message_get_date (reading->message));
  const char *id = postbag_message_get_message_id (reading->message);
  const char *const *references = postbag_message_get_references (reading->message);

  postbag_result_int (result, "uid", reading->fetched->uid);
  if (date != NULL)
    postbag_result_string (result, "date", date);
  if (id != NULL)
    {
      g_autofree char *cleaned =
          postbag_clean (id, POSTBAG_CLEAN_LINE, POSTBAG_LIMIT_MESSAGE_ID_CHARS, NULL);

      postbag_result_string (result, "messageId", cleaned);
    }
  postbag_result_begin_array (result, "references");
  for (guint i = 0; references != NULL && references[i] != NULL; i++)
    {
      if (postbag_guarded_is_clean_id (references[i]))
        postbag_result_string (result, NULL, references[i]);
    }
  postbag_result_end_array (result);
}

/* --- security --- */

/* (transfer container) (element-type PostbagAddress): who else wrote in this conversation */
static GPtrArray *
collect_contacts (const PostbagSearchPage *thread)
{
  GPtrArray *contacts = g_ptr_array_new ();

  for (guint i = 0; thread != NULL && i < thread->summaries->len; i++)
    {
      const PostbagSummary *summary = g_ptr_array_index (thread->summaries, i);

      if (summary->from->len > 0)
        g_ptr_array_add (contacts, g_ptr_array_index (summary->from, 0));
    }
  return contacts;
}

static void
examine_message (Reading *reading)
{
  PostbagMailCall *mail = reading->mail;
  g_autoptr (GPtrArray) contacts = collect_contacts (reading->thread);
  const char *user = mail->account->user;
  PostbagMessageContext context = {
    .whole = reading->fetched->complete ? NULL : reading->structure,
    .own_address = user != NULL && strchr (user, '@') != NULL ? user : NULL,
    .trusted_authserv_id =
        postbag_settings_get_string (postbag_call_get_settings (mail->call), "trusted-authserv-id"),
    .contacts = contacts,
  };

  reading->security = postbag_message_examine (reading->message, reading->body, &context);
}

/* (transfer container) (element-type utf8): of the message and of the metadata beside it */
static GPtrArray *
collect_shapes (const Reading *reading)
{
  GPtrArray *shapes = g_ptr_array_copy (reading->security->security->suspicious, NULL, NULL);
  const char *const *references = postbag_message_get_references (reading->message);

  for (gsize i = 0; references[i] != NULL; i++)
    postbag_shapes_find (references[i], shapes);
  for (guint i = 0; reading->thread != NULL && i < reading->thread->summaries->len; i++)
    {
      const PostbagSummary *summary = g_ptr_array_index (reading->thread->summaries, i);
      g_autofree char *from = postbag_mail_format_addresses (summary->from, "");
      g_autofree char *to = postbag_mail_format_addresses (summary->to, "");

      postbag_shapes_find (summary->subject, shapes);
      postbag_shapes_find (from, shapes);
      postbag_shapes_find (to, shapes);
    }
  return shapes;
}

/* Entries of one or two lists: how many are there, how many are not. */
typedef struct
{
  gint64 returned;
  gint64 omitted;
} Tally;

static void
write_attachments (PostbagResult *result, const Reading *reading, Tally *tally)
{
  g_autoptr (GPtrArray) attachments = NULL;
  PostbagGuardedLimits limits;
  guint written = 0;

  postbag_guarded_limits_load (&limits, reading->mail->call);
  attachments = postbag_guarded_walk (reading->structure, &limits, POSTBAG_GUARDED_AUTO);
  postbag_result_begin_array (result, "attachments");
  while (written < attachments->len
         && postbag_guarded_write_attachment (result, &limits,
                                              g_ptr_array_index (attachments, written)))
    written++;
  postbag_result_end_array (result);
  tally->returned += written;
  tally->omitted += attachments->len - written;
}

static void
write_thread (PostbagResult *result, const PostbagSearchPage *thread, Tally *tally)
{
  guint written = 0;

  postbag_result_begin_array (result, "thread");
  while (written < thread->summaries->len
         && postbag_mail_write_summary (result, g_ptr_array_index (thread->summaries, written)))
    written++;
  postbag_result_end_array (result);
  tally->returned += written;
  tally->omitted += MAX (thread->total, (gint64)thread->summaries->len) - written;
}

static void
write_lists (PostbagResult *result, const Reading *reading)
{
  Tally tally = { 0, 0 };

  postbag_result_set_item_limit (result,
                                 POSTBAG_LIMIT_METADATA_CHARS - POSTBAG_LIMIT_RESULT_RESERVE_CHARS);
  write_attachments (result, reading, &tally);
  if (reading->thread != NULL)
    write_thread (result, reading->thread, &tally);
  postbag_result_set_item_limit (result, 0);
  if (tally.omitted > 0)
    postbag_mail_write_truncated (
        result, "Beside the text there is room for only so many attachments and messages.",
        tally.returned, tally.omitted,
        "get_attachments without part_id lists every attachment, list_messages finds the other "
        "messages of the conversation.");
}

static void
append_field (GString *header, PostbagMessage *message, const char *field, const char *placeholder)
{
  g_autofree char *addresses =
      postbag_mail_format_addresses (postbag_message_get_addresses (message, field), placeholder);

  if (*addresses != '\0')
    g_string_append_printf (header, "%s: %s\n", field, addresses);
}

static char *
make_header (PostbagMessage *message)
{
  g_autofree char *subject = postbag_mail_format_subject (postbag_message_get_subject (message));
  GString *header = g_string_new (NULL);

  append_field (header, message, "From", "(no sender)");
  append_field (header, message, "To", "(no recipient)");
  append_field (header, message, "Cc", "");
  g_string_append_printf (header, "Subject: %s\n\n", subject);
  return g_string_free (header, FALSE);
}

static char *
clean_text (const PostbagBody *body)
{
  g_autofree char *text = postbag_clean (body->text, POSTBAG_CLEAN_TEXT, G_MAXSIZE, NULL);

  return *text != '\0' ? g_steal_pointer (&text)
                       : g_strdup ("(this message has no text that could be shown)");
}

/* Our words about what is missing, in front of the fence. */
static char *
make_note (const PostbagGuardedText *text, const PostbagBody *body)
{
  g_autofree char *note = postbag_guarded_text_make_note (text);

  if (body->complete)
    return g_steal_pointer (&note);
  return g_strdup_printf ("%sNote by Postbag: the message's text goes on; only the first %d KiB of "
                          "it were read.\n\n",
                          note, POSTBAG_LIMIT_MESSAGE_SOURCE_BYTES / 1024);
}

static void
lay_out (PostbagResult *result, const Reading *reading)
{
  g_autoptr (PostbagFence) fence = postbag_fence_new ();
  g_autoptr (GPtrArray) shapes = collect_shapes (reading);
  g_autofree char *header = make_header (reading->message);
  g_autofree char *cleaned = clean_text (reading->body);
  g_autofree char *preface = postbag_guarded_make_preface (result, shapes, CAVEAT);
  g_autofree char *note = NULL, *body = NULL, *wrapped = NULL;
  PostbagGuardedText text = { fence, "e-mail content", header, cleaned, 0, 0 };
  gsize used = (gsize)g_utf8_strlen (preface, -1) + POSTBAG_LIMIT_RESULT_RESERVE_CHARS;

  postbag_guarded_text_fit (&text, POSTBAG_LIMIT_BODY_CHARS,
                            POSTBAG_LIMIT_RESULT_CHARS - MIN (used, POSTBAG_LIMIT_RESULT_CHARS));
  postbag_guarded_text_write_body (&text, result);
  postbag_guarded_text_write_truncated (&text, result);
  note = make_note (&text, reading->body);
  body = postbag_guarded_text_make_body (&text);
  wrapped = postbag_fence_wrap (fence, text.what, body);
  postbag_result_take_text (result, g_strconcat (preface, note, wrapped, NULL));
}

gboolean
postbag_guarded_get_message (PostbagCall *call, const PostbagArgs *args, PostbagResult *result,
                             GError **error)
{
  g_auto (Reading) reading = { 0 };

  reading.mail = postbag_mail_call_new (call, args, error);
  if (reading.mail == NULL || !read_message (&reading, args, error))
    return FALSE;

  examine_message (&reading);
  postbag_guarded_write_origin (result);
  write_identity (result, &reading);
  postbag_message_security_write (reading.security, result);
  write_lists (result, &reading);
  lay_out (result, &reading);
  return TRUE;
}
