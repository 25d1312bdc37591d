/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The store against a real Dovecot with a relay in between: how many connections and commands at
 * once there are; and what is found when the server takes no charset, against what it finds itself.
 */

#include <glib/gstdio.h>

#include "base/postbag-error.h"
#include "postbag-imap-store.h"
#include "relay.h"
#include "server.h"

static Server *server;

/* One of each way in which mail writes text that is not ASCII. */
static const char *const mails[] = {
  "From: =?utf-8?Q?Zo=C3=AB?= <zoe@example.org>\r\nTo: nora@example.org\r\n"
  "Subject: =?iso-8859-1?Q?Gr=FC=DFe?=\r\nContent-Type: text/plain; charset=utf-8\r\n"
  "Content-Transfer-Encoding: quoted-printable\r\n\r\nim Caf=C3=A9 um acht\r\n",
  "From: a@example.org\r\nTo: =?koi8-r?B?7snLz8zByg==?= <n@example.org>\r\nSubject: letter\r\n"
  "Content-Type: text/plain; charset=koi8-r\r\nContent-Transfer-Encoding: base64\r\n\r\n"
  "8NLJ18XU\r\n",
  "From: a@example.org\r\nCc: =?utf-8?B?Sm9zw6k=?= <jose@example.org>\r\nSubject: tea\r\n"
  "List-Id: =?utf-8?Q?Caf=C3=A9?= <list.example.org>\r\n"
  "MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n"
  "Content-Type: text/html; charset=iso-8859-1\r\n\r\n<p>Gr\xfc\xdf"
  "e aus K\xf6ln\r\n--b\r\n"
  "Content-Type: application/octet-stream\r\nContent-Transfer-Encoding: base64\r\n\r\n"
  "Q2Fmw6k=\r\n--b--\r\n",
  "From: a@example.org\r\nSubject: =?iso-2022-jp?B?GyRCMnE1RBsoQg==?=\r\n"
  "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n"
  "caf\xc3\xa9\r\n",
};

static void
deliver_all (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (mails); i++)
    {
      g_autofree char *name = g_strdup_printf ("new/%u.M%uP1.test", 1800000000 + i, i);
      g_autofree char *path = g_build_filename (server->mail, name, NULL);
      g_autoptr (GError) error = NULL;

      g_file_set_contents (path, mails[i], -1, &error);
      g_assert_no_error (error);
      g_assert_cmpint (g_chmod (path, 0644), ==, 0);
    }
}

typedef struct
{
  Relay *relay;
  PostbagAccount *account;
  gpointer store;
} Fixture;

static Fixture *
open_store (const char *word, const char *other)
{
  Fixture *fixture = g_new0 (Fixture, 1);
  g_autoptr (GError) error = NULL;

  fixture->relay = relay_new (server->imap, word, other);
  fixture->account = server_create_account (server, POSTBAG_TLS_NONE);
  fixture->account->port = relay_get_port (fixture->relay);
  fixture->store = postbag_imap_store.open (fixture->account, NULL, &error);
  g_assert_no_error (error);
  return fixture;
}

static void
close_store (Fixture *fixture)
{
  postbag_imap_store.close (fixture->store);
  relay_free (fixture->relay);
  postbag_account_free (fixture->account);
  g_free (fixture);
}

/* --- the same with and without the server's help --- */

typedef struct
{
  char kind; /* f, t, c, s, b, x: from, to, cc, subject, body, text; l: List-Id */
  const char *text;
  guint count; /* of those above */
} Question;

static const Question questions[] = {
  { 'f', "zo\xc3\x8b", 1 },
  { 't', "\xd0\xbd\xd0\x98\xd0\xba\xd0\xbe\xd0\xbb\xd0\xb0\xd0\xb9", 1 },
  { 'c', "JOS\xc3\x89", 1 },
  { 's', "GR\xc3\x9c", 1 },
  { 's', "\xe4\xbc\x9a\xe8\xad\xb0", 1 },
  { 'b', "\xd0\xbf\xd1\x80\xd0\xb8\xd0\xb2\xd0\xb5\xd1\x82", 1 },
  { 'b', "CAF\xc3\x89", 2 },
  { 'b', "k\xc3\xb6ln", 1 },
  { 'b', "na\xc3\xafve", 0 },
  { 'x', "caf\xc3\xa9", 3 },
  { 'x', "gr\xc3\xbc", 2 },
  { 'l', "caf\xc3\xa9", 1 },
};

static PostbagSearch *
create_search (const Question *question)
{
  PostbagSearch *search = postbag_search_new ();
  char *text = g_strdup (question->text);

  /* Behind the messages that are there anyway, of which each tenth has a café. */
  search->uid_from = 122;
  switch (question->kind)
    {
    case 'f':
      search->from = text;
      break;
    case 't':
      search->to = text;
      break;
    case 'c':
      search->cc = text;
      break;
    case 's':
      search->subject = text;
      break;
    case 'b':
      search->body = text;
      break;
    case 'x':
      search->text = text;
      break;
    default:
      postbag_search_add_any_header (search, "List-Id", text);
      g_free (text);
    }
  return search;
}

/* (transfer full) */
static char *
ask (Fixture *fixture, const Question *question)
{
  g_autoptr (PostbagSearch) search = create_search (question);
  PostbagPage page = { .limit = 200 };
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagSearchPage) result =
      postbag_imap_store.search (fixture->store, "INBOX", search, &page, NULL, &error);
  GString *uids = g_string_new (NULL);

  g_assert_no_error (error);
  g_assert_null (result->warnings);
  g_assert_cmpint (result->total, ==, result->summaries->len);
  g_assert_cmpint (result->total, ==, question->count);
  for (guint i = 0; i < result->summaries->len; i++)
    g_string_append_printf (uids, "%u ", ((PostbagSummary *)result->summaries->pdata[i])->uid);
  return g_string_free (uids, FALSE);
}

static void
test_without_charset (void)
{
  Fixture *plain, *refusing;

  deliver_all ();
  plain = open_store (NULL, NULL);
  refusing = open_store ("CHARSET UTF-8", "CHARSET X-NON");
  for (guint i = 0; i < G_N_ELEMENTS (questions); i++)
    {
      g_autofree char *theirs = NULL, *ours = NULL;

      g_test_message ("%c %s", questions[i].kind, questions[i].text);
      theirs = ask (plain, &questions[i]);
      ours = ask (refusing, &questions[i]);
      g_assert_cmpstr (ours, ==, theirs);
    }
  /* refused once, and not tried again */
  g_assert_cmpuint (relay_count_changes (refusing->relay), ==, 1);
  close_store (plain);
  close_store (refusing);
}

/* --- many calls at once --- */

typedef struct
{
  gpointer store;
  guint32 uid;
} Job;

static gpointer
read_one (gpointer data)
{
  const Job *job = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagFetchedMessage) message =
      postbag_imap_store.fetch_message (job->store, "INBOX", job->uid, 131072, NULL, &error);
  g_autofree char *expected = g_strdup_printf ("\r\nThis is the text of message %u.", job->uid);
  gsize length;
  const char *source;

  g_assert_no_error (error);
  source = g_bytes_get_data (message->source, &length);
  g_assert_nonnull (g_strstr_len (source, (gssize)length, expected));
  return NULL;
}

/* Two connections carry what 32 threads ask for at once, again and again; several commands are
 * under way on one. */
static void
test_many_at_once (void)
{
  Fixture *fixture = open_store (NULL, NULL);

  for (guint round = 0; round < 5; round++)
    {
      GThread *threads[32];
      Job jobs[32];

      for (guint i = 0; i < 32; i++)
        {
          jobs[i] = (Job){ fixture->store, 1 + i * 3 };
          threads[i] = g_thread_new ("reader", read_one, &jobs[i]);
        }
      for (guint i = 0; i < 32; i++)
        g_thread_join (threads[i]);
    }
  g_test_message ("%u connections, %u commands at once on one", relay_count (fixture->relay),
                  relay_get_most (fixture->relay));
  g_assert_cmpuint (relay_count (fixture->relay), ==, 2);
  g_assert_cmpuint (relay_get_most (fixture->relay), >, 4);
  close_store (fixture);
}

static void
skip_all (void)
{
  g_test_skip ("there is no Dovecot");
}

int
main (int argc, char **argv)
{
  static const char *const arguments[] = { NULL };
  int status;

  g_test_init (&argc, &argv, NULL);
  server = server_start (arguments);
  if (server == NULL)
    {
      g_test_add_func ("/imap/relayed", skip_all);
      return g_test_run ();
    }
  g_test_add_func ("/imap/relayed/many-at-once", test_many_at_once);
  g_test_add_func ("/imap/relayed/without-charset", test_without_charset);
  status = g_test_run ();
  server_stop (server);
  return status;
}
