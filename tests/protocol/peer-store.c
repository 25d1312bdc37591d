/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "peer-store.h"

#include <string.h>

#include "base/postbag-error.h"

static const PostbagImapTimes times = {
  .connect = DEADLINE, .silence = DEADLINE, .request = DEADLINE * 2, .idle = 60000
};

Fixture *
begin (const char *const *const *scripts)
{
  Fixture *fixture = g_new0 (Fixture, 1);

  fixture->peer = peer_new (scripts);
  fixture->account = postbag_account_new ("default", "imap");
  fixture->account->host = g_strdup ("127.0.0.1");
  fixture->account->port = peer_get_port (fixture->peer);
  fixture->account->tls = POSTBAG_TLS_NONE;
  fixture->account->user = g_strdup ("nora");
  fixture->account->password = g_strdup ("p\\a\"ss");
  fixture->store = postbag_imap_store_new (fixture->account, &times);
  fixture->start = g_get_monotonic_time ();
  return fixture;
}

char *
end (Fixture *fixture)
{
  char *log;

  postbag_imap_store.close (fixture->store);
  log = peer_free (fixture->peer);
  postbag_account_free (fixture->account);
  g_free (fixture);
  return log;
}

void
end_quietly (Fixture *fixture)
{
  g_free (end (fixture));
}

PostbagFetchedMessage *
fetch (Fixture *fixture, guint32 uid, GError **error)
{
  return postbag_imap_store.fetch_message (fixture->store, "INBOX", uid, 1024, NULL, error);
}

void
assert_fetch_fails (Fixture *fixture, int code, const char *words)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagFetchedMessage) message = fetch (fixture, 9, &error);

  g_assert_null (message);
  if (words != NULL || !g_error_matches (error, POSTBAG_ERROR, POSTBAG_ERROR_TIMED_OUT))
    g_assert_error (error, POSTBAG_ERROR, code);
  if (words == NULL)
    return;
  if (strstr (error->message, words) == NULL)
    g_test_message ("“%s” is not in “%s”", words, error->message);
  g_assert_nonnull (strstr (error->message, words));
  g_assert_null (strstr (error->message, "p\\a"));
  g_assert_cmpint (g_get_monotonic_time () - fixture->start, <, DEADLINE * 4 * 1000);
}

void
assert_fetch_works (Fixture *fixture, guint32 uid, const char *source)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagFetchedMessage) message = fetch (fixture, uid, &error);

  g_assert_no_error (error);
  g_assert_cmpint (g_bytes_get_size (message->source), ==, strlen (source));
  g_assert_cmpint (memcmp (g_bytes_get_data (message->source, NULL), source, strlen (source)), ==,
                   0);
}
