/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The store against a real Dovecot, with a mailbox whose contents dovecot.py wrote: messages 1 to
 * 120, each tenth with a word that is not ASCII in its subject, and one with a large file. */

#include <string.h>
#include <utime.h>

#include "base/postbag-error.h"
#include "postbag-imap-store.h"
#include "server.h"

static Server *server;

typedef struct
{
  PostbagAccount *account;
  gpointer store;
} Fixture;

static void
open_store (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  fixture->account = server_create_account (
      server, data != NULL ? (PostbagTls)GPOINTER_TO_INT (data) : POSTBAG_TLS_IMPLICIT);
  fixture->store = postbag_imap_store.open (fixture->account, NULL, &error);
  g_assert_no_error (error);
}

static void
close_store (Fixture *fixture, gconstpointer data)
{
  postbag_imap_store.close (fixture->store);
  postbag_account_free (fixture->account);
}

static PostbagSearchPage *
search_page (gpointer store, const PostbagSearch *search, gint64 offset, guint limit)
{
  PostbagPage page = { .offset = offset, .limit = limit };
  g_autoptr (GError) error = NULL;
  PostbagSearchPage *result =
      postbag_imap_store.search (store, "INBOX", search, &page, NULL, &error);

  g_assert_no_error (error);
  return result;
}

static const PostbagMailbox *
find_mailbox (const GPtrArray *mailboxes, const char *path)
{
  for (guint i = 0; i < mailboxes->len; i++)
    {
      const PostbagMailbox *mailbox = g_ptr_array_index (mailboxes, i);

      if (strcmp (mailbox->path, path) == 0)
        return mailbox;
    }
  return NULL;
}

static void
test_mailboxes (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  gint64 total = 0;
  g_autoptr (GPtrArray) mailboxes =
      postbag_imap_store.list_mailboxes (fixture->store, TRUE, &total, NULL, &error);
  const PostbagMailbox *inbox;

  g_assert_no_error (error);
  g_assert_cmpint (total, ==, 5);
  inbox = find_mailbox (mailboxes, "INBOX");
  g_assert_true (inbox->has_status);
  g_assert_cmpint (inbox->messages, ==, 121);
  g_assert_cmpint (inbox->unseen, ==, 121);
  g_assert_cmpuint (inbox->uid_next, ==, 122);
  g_assert_cmpint (inbox->delimiter, ==, '/');
  g_assert_nonnull (find_mailbox (mailboxes, "Entw\xc3\xbcrfe"));
  g_assert_nonnull (find_mailbox (mailboxes, "Say \"hi\""));
  g_assert_cmpstr (find_mailbox (mailboxes, "Drafts")->special_use, ==, "\\Drafts");
  g_assert_true (find_mailbox (mailboxes, "Trash")->subscribed);
}

static void
test_states (Fixture *fixture, gconstpointer data)
{
  static const char *const names[] = { "Entw\xc3\xbcrfe", "Say \"hi\"", "Drafts" };
  g_autoptr (GError) error = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (PostbagMailboxState) state =
          postbag_imap_store.get_state (fixture->store, names[i], NULL, &error);

      g_assert_no_error (error);
      g_assert_cmpint (state->messages, ==, 0);
      g_assert_cmpuint (state->uid_next, ==, 1);
      g_assert_cmpuint (state->uid_validity, >, 0);
    }
}

/* Of an account that may store, what can be stored is known without a trace: messages that nobody
 * has seen yet stay where they are, and nothing is selected then. */
static void
test_permanent_flags (void)
{
  PostbagAccount *account = server_create_account (server, POSTBAG_TLS_IMPLICIT);
  g_autofree char *fresh = g_build_filename (server->mail, ".Say \"hi\"", "new", "1.M1.test", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagMailboxState) drafts = NULL;
  g_autoptr (PostbagMailboxState) marked = NULL;
  gpointer store;

  g_assert_true (g_file_set_contents (fresh, "Subject: a\r\n\r\nb\r\n", -1, NULL));
  account->may |= POSTBAG_MAY_ORGANISE;
  store = postbag_imap_store.open (account, NULL, &error);
  g_assert_no_error (error);
  drafts = postbag_imap_store.get_state (store, "Drafts", NULL, &error);
  g_assert_no_error (error);
  g_assert_true (g_strv_contains ((const char *const *)drafts->permanent_flags, "\\*"));
  g_assert_true (g_strv_contains ((const char *const *)drafts->permanent_flags, "\\Seen"));
  marked = postbag_imap_store.get_state (store, "Say \"hi\"", NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (marked->messages, ==, 1);
  g_assert_null (marked->permanent_flags[0]);
  g_assert_true (g_file_test (fresh, G_FILE_TEST_EXISTS));
  postbag_imap_store.close (store);
  postbag_account_free (account);
}

static void
test_newest_first (Fixture *fixture, gconstpointer data)
{
  g_autoptr (PostbagSearch) all = postbag_search_new ();
  g_autoptr (PostbagSearchPage) first = search_page (fixture->store, all, 0, 50);
  g_autoptr (PostbagSearchPage) again = search_page (fixture->store, all, 0, 50);
  g_autoptr (PostbagSearchPage) last = search_page (fixture->store, all, 100, 50);
  g_autoptr (PostbagSearchPage) behind = search_page (fixture->store, all, 500, 50);
  g_autoptr (PostbagSearchPage) counted = search_page (fixture->store, all, 0, 0);
  const PostbagSummary *big, *ordinary;
  const PostbagAddress *from;

  g_assert_cmpint (first->total, ==, 121);
  g_assert_cmpuint (first->summaries->len, ==, 50);
  g_assert_cmpuint (again->summaries->len, ==, 50);
  for (guint i = 0; i < 50; i++)
    g_assert_cmpuint (((PostbagSummary *)first->summaries->pdata[i])->uid, ==, 121 - i);
  g_assert_cmpuint (last->summaries->len, ==, 21);
  g_assert_cmpuint (((PostbagSummary *)last->summaries->pdata[20])->uid, ==, 1);
  g_assert_cmpuint (behind->summaries->len, ==, 0);
  g_assert_cmpint (behind->total, ==, 121);
  g_assert_cmpint (counted->total, ==, 121);

  big = first->summaries->pdata[0];
  g_assert_true (big->has_attachments);
  ordinary = first->summaries->pdata[1];
  g_assert_cmpstr (ordinary->subject, ==, "message 120 caf\xc3\xa9");
  g_assert_false (ordinary->has_attachments);
  g_assert_cmpint (ordinary->flags, ==, 0);
  g_assert_cmpint (ordinary->date, ==, 1700000000);
  g_assert_cmpint (ordinary->internal_date, ==, 1700000000 + 120 * 60);
  g_assert_cmpstr (ordinary->message_id, ==, "<m120@example.org>");
  from = g_ptr_array_index (ordinary->from, 0);
  g_assert_cmpstr (from->name, ==, "Sender 120");
  g_assert_cmpstr (from->address, ==, "s120@example.org");
}

static void
test_criteria (Fixture *fixture, gconstpointer data)
{
  g_autoptr (PostbagSearch) subject = postbag_search_new ();
  g_autoptr (PostbagSearch) body = postbag_search_new ();
  g_autoptr (PostbagSearch) nothing = postbag_search_new ();
  g_autoptr (PostbagSearch) header = postbag_search_new ();
  g_autoptr (PostbagSearchPage) page = NULL;

  subject->subject = g_strdup ("CAF\xc3\x89");
  subject->seen = POSTBAG_NO;
  page = search_page (fixture->store, subject, 1, 5);
  g_assert_cmpint (page->total, ==, 12);
  g_assert_cmpuint (page->summaries->len, ==, 5);
  g_assert_cmpuint (((PostbagSummary *)page->summaries->pdata[0])->uid, ==, 110);
  g_clear_pointer (&page, postbag_search_page_free);

  body->body = g_strdup ("text of message 77");
  page = search_page (fixture->store, body, 0, 5);
  g_assert_cmpint (page->total, ==, 1);
  g_assert_cmpuint (((PostbagSummary *)page->summaries->pdata[0])->uid, ==, 77);
  g_clear_pointer (&page, postbag_search_page_free);

  nothing->flagged = POSTBAG_YES;
  page = search_page (fixture->store, nothing, 0, 5);
  g_assert_cmpint (page->total, ==, 0);
  g_clear_pointer (&page, postbag_search_page_free);

  postbag_search_add_any_header (header, "Message-ID", "<m3@example.org>");
  postbag_search_add_any_header (header, "References", "<m3@example.org>");
  page = search_page (fixture->store, header, 0, 5);
  g_assert_cmpint (page->total, ==, 1);
}

static void
test_message (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagFetchedMessage) small =
      postbag_imap_store.fetch_message (fixture->store, "INBOX", 7, 131072, NULL, &error);
  g_autoptr (PostbagFetchedMessage) big = NULL;
  const PostbagPart *part;
  gsize length;
  const char *source;

  g_assert_no_error (error);
  g_assert_true (small->complete);
  source = g_bytes_get_data (small->source, &length);
  g_assert_cmpint (length, ==, small->size);
  g_assert_nonnull (g_strstr_len (source, (gssize)length, "This is the text of message 7.\r\n"));
  g_assert_cmpint (small->internal_date, ==, 1700000000 + 7 * 60);
  g_assert_cmpint (small->flags, ==, 0);

  big = postbag_imap_store.fetch_message (fixture->store, "INBOX", 121, 131072, NULL, &error);
  g_assert_no_error (error);
  g_assert_false (big->complete);
  g_assert_cmpint (g_bytes_get_size (big->source), ==, 131072);
  g_assert_cmpint (big->size, >, 3000000);
  part = postbag_part_find (big->structure, "2");
  g_assert_cmpstr (part->filename, ==, "Rechnung \xc3\xa4.bin");
  g_assert_cmpstr (part->type, ==, "application/octet-stream");
}

typedef struct
{
  gsize length;
  guint pieces;
  gsize largest;
  gboolean wrong;
} Sink;

static gboolean
take_bytes (const guint8 *data, gsize length, gpointer user_data, GError **error)
{
  static const char line[] =
      "QUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJD\r\n";
  Sink *sink = user_data;

  for (gsize i = 0; i < length; i++)
    sink->wrong |= data[i] != (guint8)line[(sink->length + i) % 78];
  sink->length += length;
  sink->pieces++;
  sink->largest = MAX (sink->largest, length);
  return TRUE;
}

static void
test_part (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  Sink sink = { 0 };
  Sink text = { 0 };

  g_assert_true (postbag_imap_store.fetch_part (fixture->store, "INBOX", 121, "2", take_bytes,
                                                &sink, NULL, &error));
  g_assert_no_error (error);
  /* the last line end belongs to the boundary */
  g_assert_cmpint (sink.length, ==, 40000 * 78 - 2);
  g_assert_false (sink.wrong);
  g_assert_cmpuint (sink.pieces, ==, 3);
  g_assert_true (postbag_imap_store.fetch_part (fixture->store, "INBOX", 121, "1", take_bytes,
                                                &text, NULL, &error));
  g_assert_cmpint (text.length, ==, strlen ("See the file."));
}

static void
test_not_there (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) uid = NULL;
  g_autoptr (GError) mailbox = NULL;
  g_autoptr (GError) part = NULL;
  g_autoptr (GError) after = NULL;
  g_autoptr (PostbagFetchedMessage) message = NULL;
  Sink sink = { 0 };

  g_assert_null (
      postbag_imap_store.fetch_message (fixture->store, "INBOX", 4000, 1024, NULL, &uid));
  g_assert_error (uid, POSTBAG_ERROR, POSTBAG_ERROR_NOT_FOUND);
  g_assert_null (
      postbag_imap_store.fetch_message (fixture->store, "Nowhere", 1, 1024, NULL, &mailbox));
  g_assert_error (mailbox, POSTBAG_ERROR, POSTBAG_ERROR_NOT_FOUND);
  g_assert_nonnull (strstr (mailbox->message, "Nowhere"));
  g_assert_false (postbag_imap_store.fetch_part (fixture->store, "INBOX", 121, "7.1", take_bytes,
                                                 &sink, NULL, &part));
  g_assert_error (part, POSTBAG_ERROR, POSTBAG_ERROR_NOT_FOUND);
  /* and the connection is as good as before */
  message = postbag_imap_store.fetch_message (fixture->store, "INBOX", 1, 1024, NULL, &after);
  g_assert_no_error (after);
  g_assert_nonnull (message);
}

static gpointer
read_one (gpointer data)
{
  gpointer *job = data;
  guint32 uid = GPOINTER_TO_UINT (job[1]);
  g_autofree char *wanted = g_strdup_printf ("text of message %u.\r\n", uid);
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagFetchedMessage) message =
      postbag_imap_store.fetch_message (job[0], "INBOX", uid, 131072, NULL, &error);
  gsize length;
  const char *source;

  g_assert_no_error (error);
  source = g_bytes_get_data (message->source, &length);
  g_assert_nonnull (g_strstr_len (source, (gssize)length, wanted));
  return NULL;
}

static void
test_many_at_once (Fixture *fixture, gconstpointer data)
{
  GThread *threads[32];
  gpointer jobs[32][2];

  for (guint i = 0; i < 32; i++)
    {
      jobs[i][0] = fixture->store;
      jobs[i][1] = GUINT_TO_POINTER (i + 1);
      threads[i] = g_thread_new ("reader", read_one, jobs[i]);
    }
  for (guint i = 0; i < 32; i++)
    g_thread_join (threads[i]);
}

/* A message that another program delivers is there in the next list, and gone again after. */
static void
test_new_mail (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = g_build_filename (server->mail, "new", "1800000000.M1P1.test", NULL);
  g_autoptr (PostbagSearch) all = postbag_search_new ();
  g_autoptr (PostbagSearchPage) before = search_page (fixture->store, all, 0, 3);
  g_autoptr (PostbagSearchPage) after = NULL;
  g_autoptr (PostbagSearch) subject = postbag_search_new ();
  g_autoptr (PostbagSearchPage) found = NULL;

  g_assert_true (g_file_set_contents (path, "Subject: fresh\r\n\r\nnew\r\n", -1, NULL));
  after = search_page (fixture->store, all, 0, 3);
  g_assert_cmpint (after->total, ==, before->total + 1);
  g_assert_cmpuint (after->summaries->len, ==, 3);
  g_assert_cmpstr (((PostbagSummary *)after->summaries->pdata[0])->subject, ==, "fresh");
  subject->subject = g_strdup ("fresh");
  found = search_page (fixture->store, subject, 0, 3);
  g_assert_cmpint (found->total, ==, 1);
}

static void
assert_login_error (PostbagAccount *account, int code, const char *words)
{
  g_autoptr (GError) error = NULL;
  gpointer store = postbag_imap_store.open (account, NULL, &error);

  g_assert_no_error (error);
  g_assert_null (postbag_imap_store.get_capabilities (store, NULL, &error));
  g_assert_error (error, POSTBAG_ERROR, code);
  g_assert_nonnull (strstr (error->message, words));
  g_assert_null (account->password != NULL ? strstr (error->message, account->password) : NULL);
  postbag_imap_store.close (store);
  postbag_account_free (account);
}

/* (transfer full): what the server can, once logged in */
static char **
try_capabilities (PostbagAccount *account)
{
  g_autoptr (GError) error = NULL;
  gpointer store = postbag_imap_store.open (account, NULL, &error);
  char **capabilities = postbag_imap_store.get_capabilities (store, NULL, &error);

  g_assert_no_error (error);
  postbag_imap_store.close (store);
  postbag_account_free (account);
  return capabilities;
}

static void
test_wrong_password (void)
{
  PostbagAccount *account = server_create_account (server, POSTBAG_TLS_IMPLICIT);

  g_free (account->password);
  account->password = g_strdup ("p\"x\\y");
  assert_login_error (account, POSTBAG_ERROR_LOGIN_REFUSED, "AUTHENTICATIONFAILED");
}

static void
test_untrusted_certificate (void)
{
  static const PostbagTls modes[] = { POSTBAG_TLS_IMPLICIT, POSTBAG_TLS_STARTTLS };

  for (gsize i = 0; i < G_N_ELEMENTS (modes); i++)
    {
      PostbagAccount *account = server_create_account (server, modes[i]);

      g_free (account->ca_file);
      account->ca_file = g_strdup (server->other_ca);
      assert_login_error (account, POSTBAG_ERROR_OFFLINE, "POSTBAG_CA_FILE");
    }
}

/* A certificate of a trusted authority, but for another host. */
static void
test_wrong_name (void)
{
  static const char *const arguments[] = { "--other-name", "--messages", "1", NULL };
  Server *other = server_start (arguments);
  PostbagAccount *account = server_create_account (other, POSTBAG_TLS_IMPLICIT);

  g_free (account->ca_file);
  account->ca_file = g_strdup (other->other_ca);
  assert_login_error (account, POSTBAG_ERROR_OFFLINE,
                      "it is made out for elsewhere.example, not for localhost");
  account = server_create_account (other, POSTBAG_TLS_IMPLICIT);
  account->insecure_tls = TRUE;
  g_test_expect_message (NULL, G_LOG_LEVEL_WARNING, "*is not verified, by configuration*");
  g_strfreev (try_capabilities (account));
  g_test_assert_expected_messages ();
  server_stop (other);
}

static void
test_wrong_address (void)
{
  PostbagAccount *account = server_create_account (server, POSTBAG_TLS_IMPLICIT);

  g_free (account->host);
  account->host = g_strdup ("127.0.0.2");
  /* it listens on 127.0.0.1 only */
  assert_login_error (account, POSTBAG_ERROR_OFFLINE, "cannot be reached");
}

static void
test_wrong_mode (void)
{
  PostbagAccount *account = server_create_account (server, POSTBAG_TLS_IMPLICIT);

  account->port = server->imap;
  assert_login_error (account, POSTBAG_ERROR_OFFLINE, "TLS");
}

/* What clients sent, all of it: nothing that changes anything. */
static void
test_command_log (void)
{
  g_autoptr (GDir) dir = g_dir_open (server->raw, 0, NULL);
  g_autoptr (GRegex) allowed =
      g_regex_new ("^[0-9.]+ (z LOGOUT|[cp][0-9]+ (CAPABILITY|NOOP|EXAMINE |NAMESPACE|LIST |LSUB "
                   "|STATUS |ENABLE |ID |"
                   "UID SEARCH |UID FETCH [0-9:,$]+ \\((?!.*BODY\\[)(?!.*RFC822 )))",
                   0, 0, NULL);
  const char *name;
  guint commands = 0;

  g_assert_nonnull (dir);
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (server->raw, name, NULL);
      g_autofree char *text = NULL;
      g_auto (GStrv) lines = NULL;

      if (!g_str_has_suffix (name, ".in"))
        continue;
      g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
      lines = g_strsplit (text, "\n", -1);
      for (char **line = lines; *line != NULL; line++)
        if (g_regex_match_simple ("^[0-9.]+ [a-z][0-9]* [A-Z]", *line, 0, 0))
          {
            if (!g_regex_match (allowed, *line, 0, NULL))
              g_test_message ("not allowed: %s", *line);
            g_assert_true (g_regex_match (allowed, *line, 0, NULL));
            commands++;
          }
    }
  g_assert_cmpuint (commands, >, 30);
}

static void
skip_all (void)
{
  g_test_skip ("there is no Dovecot: apt-get install dovecot-imapd");
}

#define ADD(name, tls, function)                                                                   \
  g_test_add ("/imap/dovecot/" name, Fixture, GINT_TO_POINTER (tls), open_store, function,         \
              close_store)

static void
add_tests (void)
{
  ADD ("mailboxes", POSTBAG_TLS_IMPLICIT, test_mailboxes);
  ADD ("states", POSTBAG_TLS_IMPLICIT, test_states);
  ADD ("newest-first", POSTBAG_TLS_IMPLICIT, test_newest_first);
  ADD ("newest-first-starttls", POSTBAG_TLS_STARTTLS, test_newest_first);
  ADD ("newest-first-clear", POSTBAG_TLS_NONE, test_newest_first);
  ADD ("criteria", POSTBAG_TLS_IMPLICIT, test_criteria);
  ADD ("message", POSTBAG_TLS_IMPLICIT, test_message);
  ADD ("part", POSTBAG_TLS_IMPLICIT, test_part);
  ADD ("not-there", POSTBAG_TLS_IMPLICIT, test_not_there);
  ADD ("many-at-once", POSTBAG_TLS_IMPLICIT, test_many_at_once);
  g_test_add_func ("/imap/dovecot/wrong-password", test_wrong_password);
  g_test_add_func ("/imap/dovecot/untrusted-certificate", test_untrusted_certificate);
  g_test_add_func ("/imap/dovecot/wrong-name", test_wrong_name);
  g_test_add_func ("/imap/dovecot/wrong-address", test_wrong_address);
  g_test_add_func ("/imap/dovecot/wrong-mode", test_wrong_mode);
  ADD ("new-mail", POSTBAG_TLS_IMPLICIT, test_new_mail);
  g_test_add_func ("/imap/dovecot/command-log", test_command_log);
  /* Behind the log of an account that only reads. */
  g_test_add_func ("/imap/dovecot/permanent-flags", test_permanent_flags);
}

int
main (int argc, char **argv)
{
  static const char *const arguments[] = { "--rawlog", NULL };
  int status;

  g_test_init (&argc, &argv, NULL);
  server = server_start (arguments);
  if (server == NULL)
    {
      g_test_add_func ("/imap/dovecot", skip_all);
      return g_test_run ();
    }
  add_tests ();
  status = g_test_run ();
  server_stop (server);
  return status;
}
