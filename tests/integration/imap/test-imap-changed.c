/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Changes on a real Dovecot, over TLS; what it has in the end is read from its own files. With MOVE
 * and UIDPLUS, without MOVE, and without both. */

#include <string.h>

#include "base/postbag-error.h"
#include "postbag-imap-store.h"
#include "server.h"

static Server *server;
static gpointer store;

static PostbagEffectReport *
apply (PostbagEffect *effect, int expected)
{
  g_autoptr (GError) error = NULL;
  PostbagEffectReport *report = postbag_imap_store.apply (store, effect, NULL, &error);

  if (expected < 0)
    g_assert_no_error (error);
  else
    g_assert_error (error, POSTBAG_ERROR, expected);
  postbag_effect_free (effect);
  return report;
}

static void
add_uid (PostbagEffect *effect, guint32 uid)
{
  if (effect->uids == NULL)
    effect->uids = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_array_append_val (effect->uids, uid);
}

static guint32
append (const char *mailbox, const char *subject)
{
  PostbagEffect *effect = postbag_effect_new (POSTBAG_EFFECT_APPEND, mailbox);
  g_autofree char *text = g_strdup_printf ("Subject: %s\r\n\r\nText\r\n", subject);
  g_autoptr (PostbagEffectReport) report = NULL;

  effect->message = g_bytes_new (text, strlen (text));
  effect->add_flags = POSTBAG_FLAG_SEEN;
  report = apply (effect, -1);
  g_assert_cmpuint (report->uid_map->len, ==, 1);
  return g_array_index (report->uid_map, PostbagUidPair, 0).to;
}

static PostbagSearchPage *
list (const char *mailbox)
{
  g_autoptr (PostbagSearch) all = postbag_search_new ();
  PostbagPage page = { .limit = 100 };
  g_autoptr (GError) error = NULL;
  PostbagSearchPage *result = postbag_imap_store.search (store, mailbox, all, &page, NULL, &error);

  g_assert_no_error (error);
  return result;
}

/* "b a": subjects, newest first */
static void
assert_subjects (const char *mailbox, const char *expected)
{
  g_autoptr (PostbagSearchPage) page = list (mailbox);
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < page->summaries->len; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? " " : "",
                            ((PostbagSummary *)g_ptr_array_index (page->summaries, i))->subject);
  g_assert_cmpstr (text->str, ==, expected);
}

/* Files in Dovecot's own folder. */
static guint
count_files (const char *mailbox)
{
  static const char *const parts[] = { "cur", "new" };
  guint n = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      g_autofree char *path = g_build_filename (server->mail, mailbox, parts[i], NULL);
      g_autoptr (GDir) directory = g_dir_open (path, 0, NULL);

      while (directory != NULL && g_dir_read_name (directory) != NULL)
        n++;
    }
  return n;
}

static void
change_mailbox (PostbagEffectKind kind, const char *mailbox, const char *destination, int expected)
{
  PostbagEffect *effect = postbag_effect_new (kind, mailbox);

  effect->destination = g_strdup (destination);
  effect->only_empty = TRUE;
  postbag_effect_report_free (apply (effect, expected));
}

static void
test_messages (void)
{
  static const char *const keywords[] = { "Work", NULL };
  guint32 uids[3];
  PostbagEffect *effect;
  g_autoptr (PostbagSearchPage) page = NULL;
  g_autoptr (PostbagEffectReport) report = NULL;
  const PostbagSummary *summary;

  change_mailbox (POSTBAG_EFFECT_CREATE_MAILBOX, "From", NULL, -1);
  change_mailbox (POSTBAG_EFFECT_CREATE_MAILBOX, "To", NULL, -1);
  uids[0] = append ("From", "a");
  uids[1] = append ("From", "b");
  uids[2] = append ("From", "c");
  page = list ("From");

  effect = postbag_effect_new (POSTBAG_EFFECT_STORE_FLAGS, "From");
  effect->uid_validity = page->uid_validity;
  add_uid (effect, uids[1]);
  effect->add_flags = POSTBAG_FLAG_FLAGGED;
  effect->remove_flags = POSTBAG_FLAG_SEEN;
  effect->add_keywords = g_strdupv ((char **)keywords);
  postbag_effect_report_free (apply (effect, -1));
  postbag_search_page_free (g_steal_pointer (&page));
  page = list ("From");
  summary = g_ptr_array_index (page->summaries, 1);
  g_assert_cmpint (summary->flags, ==, POSTBAG_FLAG_FLAGGED);
  g_assert_cmpstr (summary->keywords[0], ==, "Work");

  effect = postbag_effect_new (POSTBAG_EFFECT_MOVE, "From");
  effect->destination = g_strdup ("To");
  effect->uid_validity = page->uid_validity;
  add_uid (effect, uids[0]);
  add_uid (effect, uids[1]);
  report = apply (effect, CAN_REMOVE ? -1 : POSTBAG_ERROR_NOT_SUPPORTED);
  g_assert_cmpuint (report->done->len, ==, CAN_REMOVE ? 2 : 0);
  g_assert_cmpuint (report->copied->len, ==, 0);
  g_assert_cmpuint (report->uid_map->len, ==, CAN_REMOVE ? 2 : 0);
  assert_subjects ("To", CAN_REMOVE ? "b a" : "");
  assert_subjects ("From", CAN_REMOVE ? "c" : "c b a");
  g_assert_cmpuint (count_files (".From"), ==, CAN_REMOVE ? 1 : 3);
  g_assert_cmpuint (count_files (".To"), ==, CAN_REMOVE ? 2 : 0);

  effect = postbag_effect_new (POSTBAG_EFFECT_MOVE, "From");
  effect->destination = g_strdup ("Nowhere");
  add_uid (effect, uids[2]);
  postbag_effect_report_free (
      apply (effect, CAN_REMOVE ? POSTBAG_ERROR_NOT_FOUND : POSTBAG_ERROR_NOT_SUPPORTED));

  effect = postbag_effect_new (POSTBAG_EFFECT_PURGE, "From");
  add_uid (effect, uids[2]);
  postbag_effect_report_free (apply (effect, CAN_REMOVE ? -1 : POSTBAG_ERROR_NOT_SUPPORTED));
  g_assert_cmpuint (count_files (".From"), ==, CAN_REMOVE ? 0 : 3);
}

static void
test_mailboxes (void)
{
  change_mailbox (POSTBAG_EFFECT_CREATE_MAILBOX, "Caf\xc3\xa9", NULL, -1);
  change_mailbox (POSTBAG_EFFECT_CREATE_MAILBOX, "Caf\xc3\xa9", NULL, POSTBAG_ERROR_CONFLICT);
  append ("Caf\xc3\xa9", "x");
  change_mailbox (POSTBAG_EFFECT_DELETE_MAILBOX, "Caf\xc3\xa9", NULL, POSTBAG_ERROR_NOT_ALLOWED);
  change_mailbox (POSTBAG_EFFECT_RENAME_MAILBOX, "Caf\xc3\xa9", "Bar", -1);
  assert_subjects ("Bar", "x");
  change_mailbox (POSTBAG_EFFECT_SUBSCRIBE, "Bar", NULL, -1);
  change_mailbox (POSTBAG_EFFECT_UNSUBSCRIBE, "Bar", NULL, -1);
  change_mailbox (POSTBAG_EFFECT_CREATE_MAILBOX, "Empty", NULL, -1);
  change_mailbox (POSTBAG_EFFECT_DELETE_MAILBOX, "Empty", NULL, -1);
  change_mailbox (POSTBAG_EFFECT_DELETE_MAILBOX, "Empty", NULL, POSTBAG_ERROR_NOT_FOUND);
}

static void
skip_all (void)
{
  g_test_skip ("there is no Dovecot: apt-get install dovecot-imapd");
}

int
main (int argc, char **argv)
{
  static const char *const arguments[] = { ARGUMENTS NULL };
  PostbagAccount *account;
  int status;

  g_test_init (&argc, &argv, NULL);
  server = server_start (arguments);
  if (server == NULL)
    {
      g_test_add_func ("/imap/changed", skip_all);
      return g_test_run ();
    }
  account = server_create_account (server, POSTBAG_TLS_IMPLICIT);
  store = postbag_imap_store.open (account, NULL, NULL);
  g_test_add_func ("/imap/changed/messages", test_messages);
  g_test_add_func ("/imap/changed/mailboxes", test_mailboxes);
  status = g_test_run ();
  postbag_imap_store.close (store);
  postbag_account_free (account);
  server_stop (server);
  return status;
}
