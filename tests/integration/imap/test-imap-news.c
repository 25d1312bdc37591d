/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Watching against a real Dovecot: by IDLE over TLS, and by STATUS where IDLE is not announced or
 * the server allows no second connection. */

#include <glib/gstdio.h>
#include <string.h>

#include "postbag-imap-store-private.h"
#include "server.h"

static Server *server;

typedef struct
{
  GMutex lock;
  GCond cond;
  guint calls;
} Changes;

static void
count_change (const char *mailbox, gpointer user_data)
{
  Changes *changes = user_data;

  g_mutex_lock (&changes->lock);
  changes->calls++;
  g_cond_signal (&changes->cond);
  g_mutex_unlock (&changes->lock);
}

/* The next call, within a bound far above what it takes. */
static gboolean
wait_for_change (Changes *changes, guint seconds)
{
  gint64 deadline = g_get_monotonic_time () + seconds * G_USEC_PER_SEC;
  gboolean came;

  g_mutex_lock (&changes->lock);
  while (changes->calls == 0 && g_cond_wait_until (&changes->cond, &changes->lock, deadline))
    ;
  came = changes->calls > 0;
  changes->calls = 0;
  g_mutex_unlock (&changes->lock);
  return came;
}

static void
deliver (const char *name)
{
  g_autofree char *path = g_build_filename (server->mail, "new", name, NULL);

  g_assert_true (g_file_set_contents (path, "Subject: fresh\r\n\r\nnew\r\n", -1, NULL));
}

/* The first delivery is told however far the watch has come: the mailbox was counted before. */
static void
test_news (void)
{
  g_autoptr (GError) error = NULL;
  PostbagAccount *account = server_create_account (server, POSTBAG_TLS_IMPLICIT);
  PostbagImapStore *store = postbag_imap_store.open (account, NULL, &error);
  g_autoptr (PostbagSearch) all = postbag_search_new ();
  PostbagPage page = { .limit = 0 };
  g_autoptr (PostbagSearchPage) before =
      postbag_imap_store.search (store, "INBOX", all, &page, NULL, &error);
  Changes changes = { 0 };
  guint id;

  g_assert_no_error (error);
  g_mutex_init (&changes.lock);
  g_cond_init (&changes.cond);
  store->watch_times.poll = 300;
  id = postbag_imap_store.watch (store, "INBOX", count_change, &changes, &error);
  g_assert_no_error (error);
  deliver ("1900000001.M1P1.test");
  g_assert_true (wait_for_change (&changes, 40));
  deliver ("1900000002.M2P1.test");
  g_assert_true (wait_for_change (&changes, 40));
  postbag_imap_store.unwatch (store, id);
  deliver ("1900000003.M3P1.test");
  g_assert_false (wait_for_change (&changes, 1));
  postbag_imap_store.close (store);
  postbag_account_free (account);
}

/* Whether a client sent @words. */
static gboolean
was_sent (const char *words)
{
  g_autoptr (GDir) dir = g_dir_open (server->raw, 0, NULL);
  gboolean found = FALSE;
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (server->raw, name, NULL);
      g_autofree char *text = NULL;

      if (g_str_has_suffix (name, ".in") && g_file_get_contents (path, &text, NULL, NULL))
        found |= strstr (text, words) != NULL;
    }
  return found;
}

static void
test_commands (void)
{
  g_assert_true (was_sent (" IDLE\r\n") == !WITHOUT_IDLE);
  g_assert_true (was_sent (" STATUS \"INBOX\"") == WITHOUT_IDLE);
}

static void
skip_all (void)
{
  g_test_skip ("there is no Dovecot: apt-get install dovecot-imapd");
}

int
main (int argc, char **argv)
{
  static const char *const arguments[] = { "--rawlog", ARGUMENTS, NULL };
  int status;

  g_test_init (&argc, &argv, NULL);
  server = server_start (arguments);
  if (server == NULL)
    {
      g_test_add_func ("/imap/news", skip_all);
      return g_test_run ();
    }
  g_test_add_func ("/imap/news/told", test_news);
  g_test_add_func ("/imap/news/commands", test_commands);
  status = g_test_run ();
  server_stop (server);
  return status;
}
