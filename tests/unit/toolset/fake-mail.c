/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "fake-mail.h"

#include <string.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "json/postbag-result-private.h"
#include "json/postbag-schema.h"
#include "mime/postbag-message.h"

/* --- the call: stands in for the one of core/mcp --- */

struct _PostbagCall
{
  FakeMail *mail;
};

const char *
postbag_call_get_tool (PostbagCall *self)
{
  return "test";
}

const char *
postbag_call_get_principal (PostbagCall *self)
{
  return self->mail->principal;
}

GCancellable *
postbag_call_get_cancellable (PostbagCall *self)
{
  return NULL;
}

PostbagClock *
postbag_call_get_clock (PostbagCall *self)
{
  return postbag_clock_get_system ();
}

PostbagSettings *
postbag_call_get_settings (PostbagCall *self)
{
  return self->mail->settings;
}

gpointer
postbag_call_get_service (PostbagCall *self, GType type)
{
  if (type == POSTBAG_TYPE_EXTRACTION)
    return self->mail->extraction;
  return type == POSTBAG_TYPE_ACCOUNTS ? self->mail->accounts : NULL;
}

gboolean
postbag_call_has_tool (PostbagCall *self, const char *tool)
{
  return g_strcmp0 (self->mail->closed_tool, tool) != 0;
}

void
postbag_call_report_progress (PostbagCall *self, double progress, double total, const char *message)
{
}

void
postbag_call_when_told (PostbagCall *self, PostbagToldFunc told, gpointer user_data)
{
  told (user_data, TRUE);
}

gboolean
postbag_call_ask (PostbagCall *self, const PostbagQuestion *question, GError **error)
{
  FakeMail *mail = self->mail;

  mail->n_asked++;
  g_free (mail->question);
  g_free (mail->target);
  mail->question = g_strdup (question->message);
  mail->target = g_strdup (question->target);
  if (mail->agrees)
    return TRUE;
  g_set_error_literal (error, POSTBAG_ERROR, POSTBAG_ERROR_NEEDS_INPUT, "asked");
  return FALSE;
}

/* --- the store --- */

static FakeMail *current; /* the backend has no other way to it */

static gpointer
open_store (const PostbagAccount *account, const char *state_dir, GError **error)
{
  return current;
}

static void
close_store (gpointer self)
{
}

static gboolean
check_mailbox (const char *mailbox, GError **error)
{
  if (postbag_mailbox_is_same (mailbox, "INBOX"))
    return TRUE;
  g_set_error_literal (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_FOUND, "no such folder");
  return FALSE;
}

static PostbagMailbox *
copy_mailbox (const PostbagMailbox *mailbox)
{
  PostbagMailbox *copy = postbag_mailbox_new (mailbox->path);

  copy->delimiter = mailbox->delimiter;
  copy->special_use = g_strdup (mailbox->special_use);
  copy->special_use_is_guessed = mailbox->special_use_is_guessed;
  copy->selectable = mailbox->selectable;
  copy->subscribed = mailbox->subscribed;
  copy->has_status = mailbox->has_status;
  copy->messages = mailbox->messages;
  copy->unseen = mailbox->unseen;
  copy->uid_next = mailbox->uid_next;
  return copy;
}

static GPtrArray *
list_mailboxes (gpointer self, gboolean with_status, gint64 *total, GCancellable *cancellable,
                GError **error)
{
  FakeMail *mail = self;
  GPtrArray *list = g_ptr_array_new_with_free_func ((GDestroyNotify)postbag_mailbox_free);

  for (guint i = 0; i < mail->mailboxes->len; i++)
    g_ptr_array_add (list, copy_mailbox (mail->mailboxes->pdata[i]));
  *total = mail->total_mailboxes;
  return list;
}

static gboolean
is_listed (FakeMail *mail, const char *mailbox)
{
  for (guint i = 0; i < mail->mailboxes->len; i++)
    if (g_str_equal (((PostbagMailbox *)mail->mailboxes->pdata[i])->path, mailbox))
      return TRUE;
  return FALSE;
}

static PostbagMailboxState *
get_state (gpointer self, const char *mailbox, GCancellable *cancellable, GError **error)
{
  FakeMail *mail = self;
  PostbagMailboxState *state = NULL;
  gboolean is_other = is_listed (mail, mailbox);

  mail->n_states++;
  if (mail->state_error != 0)
    {
      g_set_error_literal (error, POSTBAG_ERROR, (int)mail->state_error, "the look failed");
      return NULL;
    }
  if (!is_other && !check_mailbox (mailbox, error))
    return NULL;
  state = g_new0 (PostbagMailboxState, 1);
  state->uid_validity = is_other ? mail->other_validity : mail->uid_validity;
  state->permanent_flags = g_strdupv (mail->permanent_flags);
  return state;
}

static PostbagSummary *
summarize (const FakeMessage *message)
{
  PostbagSummary *summary =
      message->source != NULL ? postbag_mime_summarize (message->source) : postbag_summary_new ();

  summary->uid = message->uid;
  summary->flags = message->flags;
  summary->size = 1234;
  g_strfreev (summary->keywords);
  summary->keywords = g_strdupv (message->keywords);
  if (message->source != NULL)
    return summary;
  summary->date = message->date;
  summary->subject = g_strdup (message->subject);
  if (message->from_address != NULL)
    g_ptr_array_add (summary->from,
                     postbag_address_new (message->from_name, message->from_address));
  return summary;
}

static const char *
name_tristate (PostbagTristate value)
{
  return value == POSTBAG_EITHER ? "-" : value == POSTBAG_YES ? "yes" : "no";
}

static char *
describe_search (const PostbagSearch *search)
{
  GString *words = g_string_new (NULL);
  char day[32] = "";

  g_string_append_printf (
      words, "from=%s to=%s subject=%s body=%s keyword=%s", search->from ? search->from : "-",
      search->to ? search->to : "-", search->subject ? search->subject : "-",
      search->body ? search->body : "-", search->keyword ? search->keyword : "-");
  if (search->since != NULL || search->before != NULL)
    g_date_strftime (day, sizeof day, "%Y-%m-%d", search->since ? search->since : search->before);
  g_string_append_printf (words, " %s=%s seen=%s flagged=%s", search->since ? "since" : "before",
                          search->since || search->before ? day : "-", name_tristate (search->seen),
                          name_tristate (search->flagged));
  for (guint i = 0; search->any_header != NULL && i < search->any_header->len; i++)
    {
      const PostbagHeaderMatch *match = search->any_header->pdata[i];

      g_string_append_printf (words, " %s:%s", match->field, match->value);
    }
  return g_string_free (words, FALSE);
}

/* Of INBOX those that are there, of other mailboxes all. */
static PostbagSearchPage *
find_uids (FakeMail *mail, const char *mailbox, const GArray *uids, guint limit)
{
  PostbagSearchPage *found = postbag_search_page_new ();

  mail->n_uid_searches++;
  found->uid_validity = mail->uid_validity;
  for (guint i = mail->messages->len; i > 0; i--)
    {
      FakeMessage *message = mail->messages->pdata[i - 1];
      gboolean is_asked = FALSE;

      for (guint k = 0; k < uids->len; k++)
        is_asked |= g_array_index (uids, guint32, k) == message->uid;
      found->total += is_asked;
      if (is_asked && found->summaries->len < limit)
        g_ptr_array_add (found->summaries, summarize (message));
    }
  if (!postbag_mailbox_is_same (mailbox, "INBOX"))
    found->total = uids->len;
  return found;
}

/* Everything matches; the last criteria are kept for the test to look at. */
static PostbagSearchPage *
search_store (gpointer self, const char *mailbox, const PostbagSearch *search,
              const PostbagPage *page, GCancellable *cancellable, GError **error)
{
  FakeMail *mail = self;
  PostbagSearchPage *found = NULL;
  gint64 count = mail->messages->len;

  if (search->uids != NULL)
    return find_uids (mail, mailbox, search->uids, page->limit);
  if (!check_mailbox (mailbox, error))
    return NULL;
  g_free (mail->last_search);
  mail->last_search = describe_search (search);
  found = postbag_search_page_new ();
  found->uid_validity = mail->uid_validity;
  found->total = count;
  for (gint64 i = page->offset; i < count && i < page->offset + page->limit; i++)
    {
      if (i >= mail->vanished)
        g_ptr_array_add (found->summaries, summarize (mail->messages->pdata[count - 1 - i]));
    }
  return found;
}

static FakeMessage *
find_message (FakeMail *mail, const char *mailbox, guint32 uid, GError **error)
{
  if (!check_mailbox (mailbox, error))
    return NULL;
  for (guint i = 0; i < mail->messages->len; i++)
    {
      FakeMessage *message = mail->messages->pdata[i];

      if (message->uid == uid)
        return message;
    }
  g_set_error_literal (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_FOUND, "no such uid");
  return NULL;
}

static PostbagFetchedMessage *
fetch_message (gpointer self, const char *mailbox, guint32 uid, gsize max_source,
               GCancellable *cancellable, GError **error)
{
  const FakeMessage *message = find_message (self, mailbox, uid, error);
  PostbagFetchedMessage *fetched = NULL;

  if (message == NULL)
    return NULL;
  fetched = g_new0 (PostbagFetchedMessage, 1);
  fetched->uid = uid;
  fetched->uid_validity = ((FakeMail *)self)->uid_validity;
  fetched->size = (gint64)g_bytes_get_size (message->source);
  fetched->source =
      g_bytes_new_from_bytes (message->source, 0, MIN (max_source, (gsize)fetched->size));
  fetched->complete = message->structure == NULL || message->whole;
  fetched->structure = message->structure != NULL ? postbag_part_copy (message->structure) : NULL;
  return fetched;
}

static PostbagPart *
fetch_structure (gpointer self, const char *mailbox, guint32 uid, GCancellable *cancellable,
                 GError **error)
{
  const FakeMessage *message = find_message (self, mailbox, uid, error);
  g_autoptr (PostbagMessage) parsed = NULL;
  PostbagPart *copy;

  if (message == NULL)
    return NULL;
  if (message->structure == NULL)
    parsed = postbag_message_parse (message->source);
  copy = postbag_part_copy (parsed != NULL ? postbag_message_get_structure (parsed)
                                           : message->structure);
  copy->uid_validity = ((FakeMail *)self)->uid_validity;
  copy->version = g_strdup (((FakeMail *)self)->version);
  return copy;
}

static gboolean
fetch_part (gpointer self, const char *mailbox, guint32 uid, const char *number,
            PostbagSinkFunc sink, gpointer user_data, GCancellable *cancellable, GError **error)
{
  FakeMail *mail = self;
  const FakeMessage *message = find_message (mail, mailbox, uid, error);
  const guint8 *bytes = NULL;
  gsize length = 0;

  if (message == NULL)
    return FALSE;
  mail->n_fetched_parts++;
  bytes = g_bytes_get_data (g_hash_table_lookup (message->parts, number), &length);
  for (gsize i = 0; i < length; i += 4096)
    {
      mail->n_fetched_bytes += MIN (4096, length - i);
      if (!sink (bytes + i, MIN (4096, length - i), user_data, error))
        return FALSE;
    }
  return TRUE;
}

static char **
get_capabilities (gpointer self, GCancellable *cancellable, GError **error)
{
  FakeMail *mail = self;

  if (mail->capabilities != NULL)
    return g_strdupv (mail->capabilities);
  g_set_error_literal (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_SUPPORTED, "none");
  return NULL;
}

static PostbagEffectReport *
apply_change (gpointer self, const PostbagEffect *effect, GCancellable *cancellable, GError **error)
{
  FakeMail *mail = self;
  PostbagEffectReport *report;

  mail->n_applied++;
  mail->applied_uid_validity = effect->uid_validity;
  if (mail->apply != NULL)
    return mail->apply (mail, effect, error);
  report = postbag_effect_report_new ();
  if (effect->uids != NULL)
    g_array_append_vals (report->done, effect->uids->data, effect->uids->len);
  return report;
}

static const PostbagStoreImplementation implementation = {
  .size = sizeof (PostbagStoreImplementation),
  .open = open_store,
  .close = close_store,
  .list_mailboxes = list_mailboxes,
  .get_state = get_state,
  .search = search_store,
  .fetch_message = fetch_message,
  .fetch_structure = fetch_structure,
  .fetch_part = fetch_part,
  .get_capabilities = get_capabilities,
  .apply = apply_change,
};

static const PostbagStoreImplementation *
find_backend (const char *backend, gpointer user_data, GError **error)
{
  return &implementation;
}

/* --- setting up --- */

static void
free_message (gpointer data)
{
  FakeMessage *message = data;

  g_clear_pointer (&message->source, g_bytes_unref);
  g_clear_pointer (&message->structure, postbag_part_free);
  g_hash_table_unref (message->parts);
  g_free (message->subject);
  g_free (message->from_name);
  g_free (message->from_address);
  g_strfreev (message->keywords);
  g_free (message);
}

static PostbagSettings *
make_settings (void)
{
  PostbagSettings *settings = postbag_settings_new ();

  postbag_settings_set (settings, "read-only", "true");
  postbag_settings_set (settings, "max-messages", "100");
  postbag_settings_set (settings, "max-attachment-bytes", "1048576");
  postbag_settings_set (settings, "max-download-bytes", "26214400");
  postbag_settings_set (settings, "max-extract-bytes", "10485760");
  postbag_settings_set (settings, "attachment-types",
                        "application/pdf,image/png,text/plain,text/csv,text/html");
  postbag_settings_set (settings, "download-dir", NULL);
  postbag_settings_set (settings, "seen-keyword", "AiSeen");
  postbag_settings_set (settings, "trusted-authserv-id", "mx.example.org");
  return settings;
}

FakeMail *
fake_mail_new (void)
{
  return fake_mail_new_with_state (NULL);
}

FakeMail *
fake_mail_new_with_state (const char *state_dir)
{
  static const char *const flags[] = { "\\Seen", "\\Answered", "\\*", NULL };
  FakeMail *self = g_new0 (FakeMail, 1);
  PostbagAccount *account = postbag_account_new ("default", "maildir");

  account->may = POSTBAG_MAY_READ;
  g_free (account->mailbox);
  account->mailbox = g_strdup ("INBOX");
  self->call = g_new0 (PostbagCall, 1);
  self->call->mail = self;
  self->settings = make_settings ();
  self->accounts = postbag_accounts_new (find_backend, NULL, state_dir);
  postbag_accounts_add (self->accounts, account);
  self->account = account;
  self->principal = "local";
  self->uid_validity = 7;
  self->other_validity = 70;
  self->mailboxes = g_ptr_array_new_with_free_func ((GDestroyNotify)postbag_mailbox_free);
  self->messages = g_ptr_array_new_with_free_func (free_message);
  self->permanent_flags = g_strdupv ((char **)flags);
  current = self;
  return self;
}

void
fake_mail_free (FakeMail *self)
{
  postbag_accounts_close (self->accounts);
  g_object_unref (self->accounts);
  g_clear_object (&self->extraction);
  postbag_settings_unref (self->settings);
  g_ptr_array_unref (self->mailboxes);
  g_ptr_array_unref (self->messages);
  g_strfreev (self->capabilities);
  g_strfreev (self->permanent_flags);
  g_free (self->last_search);
  g_free (self->question);
  g_free (self->target);
  g_free (self->call);
  g_free (self);
}

FakeMessage *
fake_mail_add (FakeMail *self, guint32 uid, const char *source)
{
  FakeMessage *message = g_new0 (FakeMessage, 1);

  message->uid = uid;
  message->date = POSTBAG_DATE_UNKNOWN;
  message->source = source != NULL ? g_bytes_new (source, strlen (source)) : NULL;
  message->parts =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_bytes_unref);
  g_ptr_array_add (self->messages, message);
  return message;
}

PostbagPart *
fake_part_new (const char *number, const char *type, const char *filename, gint64 size)
{
  PostbagPart *part = postbag_part_new (type);

  part->number = g_strdup (number);
  part->filename = g_strdup (filename);
  part->disposition = g_strdup (filename != NULL ? "attachment" : NULL);
  part->size = size;
  return part;
}

PostbagPart *
fake_message_set_multipart (FakeMessage *message)
{
  message->structure = postbag_part_new ("multipart/mixed");
  message->structure->children = g_ptr_array_new_with_free_func ((GDestroyNotify)postbag_part_free);
  return message->structure;
}

PostbagPart *
fake_message_add_part (FakeMessage *message, PostbagPart *part, const void *bytes, gsize length)
{
  g_hash_table_insert (message->parts, g_strdup (part->number), g_bytes_new (bytes, length));
  g_ptr_array_add (message->structure->children, part);
  return part;
}

PostbagMailbox *
fake_mail_add_mailbox (FakeMail *self, const char *path)
{
  PostbagMailbox *mailbox = postbag_mailbox_new (path);

  mailbox->delimiter = '/';
  mailbox->selectable = TRUE;
  mailbox->has_status = TRUE;
  mailbox->messages = 3;
  mailbox->unseen = 1;
  mailbox->uid_next = 9;
  g_ptr_array_add (self->mailboxes, mailbox);
  self->total_mailboxes = self->mailboxes->len;
  return mailbox;
}

/* --- running --- */

void
fake_answer_clear (FakeAnswer *self)
{
  g_clear_pointer (&self->document, postbag_json_document_unref);
  g_clear_pointer (&self->text, g_free);
  g_clear_error (&self->error);
}

static void
assert_schema (const char *tool, JsonNode *value)
{
  g_autofree char *file = g_strconcat (tool, ".json", NULL);
  g_autofree char *path =
      g_build_filename (g_getenv ("POSTBAG_SOURCE_DIR"), "schemas", "guarded", file, NULL);
  g_autofree char *text = NULL;
  g_autoptr (PostbagJsonDocument) definition = NULL;
  g_autoptr (PostbagSchema) schema = NULL;
  g_autoptr (GError) error = NULL;
  gsize length = 0;

  g_file_get_contents (path, &text, &length, &error);
  g_assert_no_error (error);
  definition =
      postbag_json_parse (text, length, POSTBAG_LIMIT_SCHEMA_BYTES, POSTBAG_JSON_DEFAULT, &error);
  g_assert_no_error (error);
  schema = postbag_schema_compile (
      json_object_get_member (json_node_get_object (postbag_json_document_get_root (definition)),
                              "outputSchema"),
      POSTBAG_SCHEMA_ASSERT_FORMAT, &error);
  g_assert_no_error (error);
  postbag_schema_validate (schema, value, &error);
  g_assert_no_error (error);
}

static void
take_result (FakeAnswer *answer, PostbagResult *result, const char *tool)
{
  GBytes *structured = postbag_result_get_structured (result);
  gsize length = 0;
  const char *text = g_bytes_get_data (structured, &length);

  answer->document = postbag_json_parse (text, length, POSTBAG_LIMIT_LINE_BYTES,
                                         POSTBAG_JSON_DEFAULT, &answer->error);
  g_assert_no_error (answer->error);
  answer->root = json_node_get_object (postbag_json_document_get_root (answer->document));
  answer->text = g_strdup (postbag_result_get_text (result));
  answer->n_images = postbag_result_get_n_blocks (result);
  assert_schema (tool, postbag_json_document_get_root (answer->document));
  g_assert_cmpuint (g_utf8_strlen (text, (gssize)length), <=, POSTBAG_LIMIT_RESULT_CHARS);
  if (answer->text != NULL)
    {
      g_assert_true (g_utf8_validate (answer->text, -1, NULL));
      g_assert_cmpuint (g_utf8_strlen (answer->text, -1), <=, POSTBAG_LIMIT_RESULT_CHARS);
    }
}

FakeAnswer
fake_mail_run (FakeMail *self, PostbagToolHandler handler, const char *tool, const char *arguments)
{
  g_autofree char *json = g_strdelimit (g_strdup (arguments), "'", '"');
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagJsonDocument) document = postbag_json_parse (
      json, strlen (json), POSTBAG_LIMIT_LINE_BYTES, POSTBAG_JSON_DEFAULT, &error);
  g_autoptr (PostbagResult) result = postbag_result_new (POSTBAG_LIMIT_RESULT_CHARS);
  g_autoptr (PostbagArgs) args = NULL;
  FakeAnswer answer = { NULL };

  g_assert_no_error (error);
  args = postbag_args_new (json_node_get_object (postbag_json_document_get_root (document)));
  if (handler (self->call, args, result, &answer.error))
    {
      g_assert_no_error (answer.error);
      take_result (&answer, result, tool);
    }
  else
    {
      g_assert_nonnull (answer.error);
      g_assert_true (g_utf8_validate (answer.error->message, -1, NULL));
      g_test_message ("%s", answer.error->message);
    }
  return answer;
}

static JsonNode *
get_member (const FakeAnswer *self, const char *name)
{
  g_assert_no_error (self->error);
  g_assert_true (json_object_has_member (self->root, name));
  return json_object_get_member (self->root, name);
}

gint64
fake_answer_int (const FakeAnswer *self, const char *name)
{
  return json_node_get_int (get_member (self, name));
}

const char *
fake_answer_string (const FakeAnswer *self, const char *name)
{
  return json_node_get_string (get_member (self, name));
}

JsonArray *
fake_answer_array (const FakeAnswer *self, const char *name)
{
  return json_node_get_array (get_member (self, name));
}

JsonObject *
fake_answer_object (const FakeAnswer *self, const char *name)
{
  return json_node_get_object (get_member (self, name));
}

JsonObject *
fake_answer_item (const FakeAnswer *self, const char *name, guint index)
{
  JsonArray *array = fake_answer_array (self, name);

  g_assert_cmpuint (index, <, json_array_get_length (array));
  return json_array_get_object_element (array, index);
}

void
fake_answer_assert_error (const FakeAnswer *self, PostbagErrorCode code, const char *words)
{
  g_assert_error (self->error, POSTBAG_ERROR, (int)code);
  g_assert_nonnull (strstr (self->error->message, words));
}
