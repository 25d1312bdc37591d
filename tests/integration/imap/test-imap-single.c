/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A real Dovecot that gives one connection in all: watching and calls take turns. */

#include <string.h>

#include "base/postbag-error.h"
#include "postbag-imap-store-private.h"
#include "server.h"

static Server *server;

static void
count_change (const char *mailbox, gpointer user_data)
{
  g_atomic_int_inc ((gint *)user_data);
}

static gboolean
wait_for_change (gint *changes, gint count)
{
  gint64 deadline = g_get_monotonic_time () + 30 * G_USEC_PER_SEC;

  while (g_atomic_int_get (changes) < count && g_get_monotonic_time () < deadline)
    g_usleep (10000);
  return g_atomic_int_get (changes) >= count;
}

/* How often clients said that they wait. */
static guint
count_idles (void)
{
  g_autoptr (GDir) dir = g_dir_open (server->raw, 0, NULL);
  const char *name;
  guint count = 0;

  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (server->raw, name, NULL);
      g_autofree char *text = NULL;

      if (!g_str_has_suffix (name, ".in") || !g_file_get_contents (path, &text, NULL, NULL))
        continue;
      for (const char *at = strstr (text, " IDLE\r\n"); at != NULL;
           at = strstr (at + 1, " IDLE\r\n"))
        count++;
    }
  return count;
}

static void
wait_for_idles (guint count)
{
  gint64 deadline = g_get_monotonic_time () + 30 * G_USEC_PER_SEC;

  while (count_idles () < count && g_get_monotonic_time () < deadline)
    g_usleep (10000);
  g_assert_cmpuint (count_idles (), ==, count);
}

static void
deliver (const char *name)
{
  g_autofree char *path = g_build_filename (server->mail, "new", name, NULL);

  g_assert_true (g_file_set_contents (path, "Subject: fresh\r\n\r\nnew\r\n", -1, NULL));
}

static void
test_turns (void)
{
  g_autoptr (GError) error = NULL;
  PostbagAccount *account = server_create_account (server, POSTBAG_TLS_IMPLICIT);
  PostbagImapStore *store = postbag_imap_store.open (account, NULL, &error);
  g_autoptr (PostbagFetchedMessage) message = NULL;
  gint changes = 0;
  guint id;

  store->watch_times.poll = 300;
  store->watch_times.retry = 200;
  store->watch_times.rest = 400;
  id = postbag_imap_store.watch (store, "INBOX", count_change, &changes, &error);
  g_assert_no_error (error);
  wait_for_idles (1);
  message = postbag_imap_store.fetch_message (store, "INBOX", 7, 1024, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (message->uid, ==, 7);
  wait_for_idles (2);
  deliver ("1900000001.M1P1.test");
  g_assert_true (wait_for_change (&changes, 1));
  postbag_imap_store.unwatch (store, id);
  postbag_imap_store.close (store);
  postbag_account_free (account);
}

/* A change where reading holds the only connection, and reading again right after it. */
static void
test_writing (void)
{
  PostbagAccount *account = server_create_account (server, POSTBAG_TLS_IMPLICIT);
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagEffect) effect = postbag_effect_new (POSTBAG_EFFECT_STORE_FLAGS, "INBOX");
  PostbagImapStore *store;
  guint32 uid = 7;

  account->may |= POSTBAG_MAY_ORGANISE;
  store = postbag_imap_store.open (account, NULL, &error);
  g_assert_no_error (error);
  effect->uids = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_array_append_val (effect->uids, uid);
  for (guint i = 0; i < 3; i++)
    {
      g_autoptr (PostbagFetchedMessage) message =
          postbag_imap_store.fetch_message (store, "INBOX", uid, 1024, NULL, &error);
      g_autoptr (PostbagEffectReport) report = NULL;

      g_assert_no_error (error);
      effect->add_flags = i == 1 ? 0 : POSTBAG_FLAG_FLAGGED;
      effect->remove_flags = i == 1 ? POSTBAG_FLAG_FLAGGED : 0;
      report = postbag_imap_store.apply (store, effect, NULL, &error);
      g_assert_no_error (error);
      g_assert_cmpuint (report->done->len, ==, 1);
    }
  postbag_imap_store.close (store);
  postbag_account_free (account);
}

static void
skip_all (void)
{
  g_test_skip ("there is no Dovecot: apt-get install dovecot-imapd");
}

int
main (int argc, char **argv)
{
  static const char *const arguments[] = { "--rawlog", "--connections", "1", NULL };
  int status;

  g_test_init (&argc, &argv, NULL);
  server = server_start (arguments);
  if (server == NULL)
    {
      g_test_add_func ("/imap/single", skip_all);
      return g_test_run ();
    }
  g_test_add_func ("/imap/single/turns", test_turns);
  g_test_add_func ("/imap/single/writing", test_writing);
  status = g_test_run ();
  server_stop (server);
  return status;
}
