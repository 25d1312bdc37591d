/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Connects with STARTTLS to each port that standard input names, and prints one line: `ok` and the
 * capabilities, or `error` and the message. For starttls.py. */

#include <stdio.h>
#include <stdlib.h>

#include "postbag-imap-store-private.h"

static const PostbagImapTimes times = {
  .connect = 2000, .silence = 2000, .request = 4000, .idle = 60000
};

static void
probe (guint port, const char *ca_file)
{
  g_autoptr (PostbagAccount) account = postbag_account_new ("default", "imap");
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) capabilities = NULL;
  g_autofree char *words = NULL;
  PostbagImapStore *store;

  account->host = g_strdup ("localhost");
  account->port = port;
  account->tls = POSTBAG_TLS_STARTTLS;
  account->user = g_strdup ("nora");
  account->password = g_strdup ("secret");
  account->ca_file = g_strdup (ca_file);
  store = postbag_imap_store_new (account, &times);
  capabilities = postbag_imap_store.get_capabilities (store, NULL, &error);
  words = capabilities != NULL ? g_strjoinv (" ", capabilities) : NULL;
  fprintf (stdout, "%s %s\n", words != NULL ? "ok" : "error",
           words != NULL ? words : error->message);
  fflush (stdout);
  postbag_imap_store.close (store);
}

int
main (int argc, char **argv)
{
  char line[64];

  while (fgets (line, sizeof line, stdin) != NULL)
    probe ((guint)g_ascii_strtoull (line, NULL, 10), argv[1]);
  return 0;
}
