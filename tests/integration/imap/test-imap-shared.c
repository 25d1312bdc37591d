/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A Dovecot with a shared namespace that a list of everything leaves out (`list = no`). */

#include <glib/gstdio.h>
#include <string.h>

#include "postbag-imap-store.h"
#include "server.h"

static Server *server;

static void
make_shared_mailbox (void)
{
  static const char *const parts[] = { "cur", "new", "tmp" };
  g_autofree char *root = g_path_get_dirname (server->mail);

  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      g_autofree char *path = g_build_filename (root, "home", "public", ".Plan", parts[i], NULL);

      g_assert_cmpint (g_mkdir_with_parents (path, 0777), ==, 0);
    }
}

static void
test_shared (void)
{
  g_autoptr (GError) error = NULL;
  PostbagAccount *account = server_create_account (server, POSTBAG_TLS_IMPLICIT);
  gpointer store = postbag_imap_store.open (account, NULL, &error);

  make_shared_mailbox ();
  for (guint round = 0; round < 2; round++)
    {
      gint64 total = 0;
      g_autoptr (GPtrArray) mailboxes =
          postbag_imap_store.list_mailboxes (store, TRUE, &total, NULL, &error);
      const PostbagMailbox *found = NULL;

      g_assert_no_error (error);
      g_assert_cmpint (total, ==, mailboxes->len);
      for (guint i = 0; i < mailboxes->len; i++)
        if (strcmp (((PostbagMailbox *)mailboxes->pdata[i])->path, "#public/Plan") == 0)
          found = mailboxes->pdata[i];
      g_assert_nonnull (found);
      g_assert_cmpint (found->delimiter, ==, '/');
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
  static const char *const arguments[] = {
    "--extra",
    "namespace shared {\n  type = public\n  separator = /\n  prefix = \"#public/\"\n"
    "  location = maildir:%h/public\n  list = no\n  subscriptions = no\n}",
    NULL
  };
  int status;

  g_test_init (&argc, &argv, NULL);
  server = server_start (arguments);
  if (server == NULL)
    {
      g_test_add_func ("/imap/shared", skip_all);
      return g_test_run ();
    }
  g_test_add_func ("/imap/shared/listed", test_shared);
  status = g_test_run ();
  server_stop (server);
  return status;
}
