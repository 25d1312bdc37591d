/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One change of mail by a store alone, or a look at all there is; the result is one line of JSON.
 *
 *   effect maildir FOLDER STATE list
 *   effect imap PORT USER apply KIND MAILBOX [uids=1,2] [validity=N] [to=MAILBOX] [add=FLAG,...]
 *                                            [remove=FLAG,...] [message=FILE] [only-empty=1]
 *
 * POSTBAG_TEST_PASSWORD is the password. Exit code 3 stands for an error that the line tells. */

#include <json-glib/json-glib.h>
#include <stdio.h>
#include <string.h>

#include "base/postbag-error.h"
#include "postbag-imap-store.h"
#include "postbag-maildir-store.h"

typedef struct
{
  const PostbagStoreImplementation *store;
  gpointer self;
  GError *error;
} Mail;

/* --- told --- */

static void
add_numbers (JsonBuilder *builder, const char *name, const GArray *numbers)
{
  json_builder_set_member_name (builder, name);
  json_builder_begin_array (builder);
  for (guint i = 0; i < numbers->len; i++)
    json_builder_add_int_value (builder, g_array_index (numbers, guint32, i));
  json_builder_end_array (builder);
}

static void
add_error (JsonBuilder *builder, const GError *error)
{
  json_builder_set_member_name (builder, "error");
  if (error == NULL)
    json_builder_add_null_value (builder);
  else
    json_builder_add_string_value (builder, error->domain == POSTBAG_ERROR
                                                ? postbag_error_get_facts (error->code)->nick
                                                : g_quark_to_string (error->domain));
  json_builder_set_member_name (builder, "message");
  json_builder_add_string_value (builder, error != NULL ? error->message : "");
}

static void
add_report (JsonBuilder *builder, const PostbagEffectReport *report)
{
  add_numbers (builder, "done", report->done);
  add_numbers (builder, "copied", report->copied);
  add_numbers (builder, "unknown", report->unknown);
  json_builder_set_member_name (builder, "map");
  json_builder_begin_array (builder);
  for (guint i = 0; i < report->uid_map->len; i++)
    {
      const PostbagUidPair *pair = &g_array_index (report->uid_map, PostbagUidPair, i);

      json_builder_begin_array (builder);
      json_builder_add_int_value (builder, pair->from);
      json_builder_add_int_value (builder, pair->to);
      json_builder_end_array (builder);
    }
  json_builder_end_array (builder);
  json_builder_set_member_name (builder, "steps");
  json_builder_begin_array (builder);
  for (guint i = 0; i < report->steps->len; i++)
    json_builder_add_string_value (builder, g_ptr_array_index (report->steps, i));
  json_builder_end_array (builder);
}

/* --- list --- */

static void
add_message (JsonBuilder *builder, const PostbagSummary *summary)
{
  g_auto (GStrv) flags =
      postbag_flags_to_strings (summary->flags, (const char *const *)summary->keywords);
  g_autofree char *id = g_strdup (summary->message_id != NULL ? summary->message_id : "");

  g_strdelimit (id, "<>", ' ');
  g_strstrip (id);
  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "uid");
  json_builder_add_int_value (builder, summary->uid);
  json_builder_set_member_name (builder, "id");
  json_builder_add_string_value (builder, id);
  json_builder_set_member_name (builder, "flags");
  json_builder_begin_array (builder);
  for (char **flag = flags; *flag != NULL; flag++)
    json_builder_add_string_value (builder, *flag);
  json_builder_end_array (builder);
  json_builder_end_object (builder);
}

static gboolean
add_mailbox (Mail *mail, JsonBuilder *builder, const char *path)
{
  g_autoptr (PostbagSearch) all = postbag_search_new ();
  PostbagPage page = { .limit = 100 };
  g_autoptr (PostbagSearchPage) found =
      mail->store->search (mail->self, path, all, &page, NULL, &mail->error);

  /* Dovecot also lists what has mailboxes below and is none itself. */
  if (found == NULL && g_error_matches (mail->error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_FOUND))
    {
      g_clear_error (&mail->error);
      return TRUE;
    }
  if (found == NULL)
    return FALSE;
  json_builder_set_member_name (builder, path);
  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "validity");
  json_builder_add_int_value (builder, found->uid_validity);
  json_builder_set_member_name (builder, "messages");
  json_builder_begin_array (builder);
  for (guint i = 0; i < found->summaries->len; i++)
    add_message (builder, g_ptr_array_index (found->summaries, i));
  json_builder_end_array (builder);
  json_builder_end_object (builder);
  return TRUE;
}

static void
list (Mail *mail, JsonBuilder *builder)
{
  gint64 total;
  g_autoptr (GPtrArray) mailboxes =
      mail->store->list_mailboxes (mail->self, FALSE, &total, NULL, &mail->error);

  json_builder_set_member_name (builder, "mailboxes");
  json_builder_begin_object (builder);
  for (guint i = 0; mailboxes != NULL && i < mailboxes->len; i++)
    {
      const PostbagMailbox *mailbox = g_ptr_array_index (mailboxes, i);

      if (mailbox->selectable && !add_mailbox (mail, builder, mailbox->path))
        break;
    }
  json_builder_end_object (builder);
}

/* --- apply --- */

static PostbagEffectKind
find_kind (const char *nick)
{
  for (guint i = 0; i < POSTBAG_EFFECT_N_KINDS; i++)
    if (strcmp (postbag_effect_kind_get_nick ((PostbagEffectKind)i), nick) == 0)
      return (PostbagEffectKind)i;
  g_error ("What is the effect “%s”?", nick);
}

static void
take_flags (const char *list, PostbagFlags *flags, char ***keywords)
{
  g_auto (GStrv) names = g_strsplit (list, ",", -1);
  g_autoptr (GPtrArray) kept = g_ptr_array_new ();

  for (char **name = names; *name != NULL; name++)
    if (strcmp (*name, "\\Seen") == 0)
      *flags |= POSTBAG_FLAG_SEEN;
    else if (strcmp (*name, "\\Flagged") == 0)
      *flags |= POSTBAG_FLAG_FLAGGED;
    else
      g_ptr_array_add (kept, *name);
  g_ptr_array_add (kept, NULL);
  *keywords = g_strdupv ((char **)kept->pdata);
}

static void
take_uids (PostbagEffect *effect, const char *list)
{
  g_auto (GStrv) numbers = g_strsplit (list, ",", -1);

  effect->uids = g_array_new (FALSE, FALSE, sizeof (guint32));
  for (char **number = numbers; *number != NULL; number++)
    {
      guint32 uid = (guint32)g_ascii_strtoull (*number, NULL, 10);

      g_array_append_val (effect->uids, uid);
    }
}

static void
take_argument (PostbagEffect *effect, const char *argument)
{
  const char *value = strchr (argument, '=') + 1;

  if (g_str_has_prefix (argument, "uids="))
    take_uids (effect, value);
  else if (g_str_has_prefix (argument, "validity="))
    effect->uid_validity = (guint32)g_ascii_strtoull (value, NULL, 10);
  else if (g_str_has_prefix (argument, "to="))
    effect->destination = g_strdup (value);
  else if (g_str_has_prefix (argument, "add="))
    take_flags (value, &effect->add_flags, &effect->add_keywords);
  else if (g_str_has_prefix (argument, "remove="))
    take_flags (value, &effect->remove_flags, &effect->remove_keywords);
  else if (g_str_has_prefix (argument, "only-empty="))
    effect->only_empty = TRUE;
  else if (g_str_has_prefix (argument, "message="))
    {
      char *text;
      gsize length;

      if (!g_file_get_contents (value, &text, &length, NULL))
        g_error ("Cannot read “%s”.", value);
      effect->message = g_bytes_new_take (text, length);
    }
}

static void
apply (Mail *mail, JsonBuilder *builder, char **arguments)
{
  g_autoptr (PostbagEffect) effect = postbag_effect_new (find_kind (arguments[0]), arguments[1]);
  g_autoptr (PostbagEffectReport) report = NULL;

  for (char **argument = arguments + 2; *argument != NULL; argument++)
    take_argument (effect, *argument);
  report = mail->store->apply (mail->self, effect, NULL, &mail->error);
  if (report != NULL)
    add_report (builder, report);
}

/* --- the store --- */

static PostbagAccount *
create_account (char **arguments)
{
  PostbagAccount *account = postbag_account_new ("faults", arguments[0]);

  account->may = POSTBAG_MAY_READ | POSTBAG_MAY_ORGANISE | POSTBAG_MAY_DRAFT | POSTBAG_MAY_PURGE;
  if (strcmp (arguments[0], "maildir") == 0)
    {
      account->path = g_strdup (arguments[1]);
      return account;
    }
  account->host = g_strdup ("localhost");
  account->port = (guint)g_ascii_strtoull (arguments[1], NULL, 10);
  account->tls = POSTBAG_TLS_NONE;
  account->user = g_strdup (arguments[2]);
  account->password = g_strdup (g_getenv ("POSTBAG_TEST_PASSWORD"));
  return account;
}

static void
run (Mail *mail, char **arguments, JsonBuilder *builder)
{
  gboolean is_maildir = strcmp (arguments[0], "maildir") == 0;
  g_autoptr (PostbagAccount) account = create_account (arguments);

  mail->store = is_maildir ? &postbag_maildir_store_implementation : &postbag_imap_store;
  mail->self = mail->store->open (account, is_maildir ? arguments[2] : NULL, &mail->error);
  if (mail->self == NULL)
    return;
  if (strcmp (arguments[3], "list") == 0)
    list (mail, builder);
  else
    apply (mail, builder, arguments + 4);
  mail->store->close (mail->self);
}

int
main (int argc, char **argv)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_autoptr (JsonNode) root = NULL;
  g_autofree char *line = NULL;
  Mail mail = { 0 };

  if (argc < 5 || (strcmp (argv[4], "list") != 0 && argc < 7))
    return 2;
  json_builder_begin_object (builder);
  run (&mail, argv + 1, builder);
  add_error (builder, mail.error);
  json_builder_end_object (builder);
  root = json_builder_get_root (builder);
  line = json_to_string (root, FALSE);
  puts (line);
  if (mail.error == NULL)
    return 0;
  g_error_free (mail.error);
  return 3;
}
