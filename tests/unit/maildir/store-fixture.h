/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A store over a scratch Maildir, and three messages to put into it. */

#include "postbag-maildir-store.h"

#include "base/postbag-error.h"

#include "scratch.h"

#include <string.h>

static const PostbagStoreImplementation *const store = &postbag_maildir_store_implementation;

typedef struct
{
  Scratch *scratch;
  PostbagAccount *account;
  gpointer self;
} Fixture;

G_GNUC_UNUSED static void
reopen (Fixture *fixture)
{
  g_autoptr (GError) error = NULL;

  g_clear_pointer (&fixture->self, store->close);
  fixture->self = store->open (fixture->account, fixture->scratch->state, &error);
  g_assert_no_error (error);
}

G_GNUC_UNUSED static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->scratch = scratch_new ();
  fixture->account = postbag_account_new ("test", "maildir");
  fixture->account->path = g_strdup (fixture->scratch->mail);
  reopen (fixture);
}

G_GNUC_UNUSED static void
tear_down (Fixture *fixture, gconstpointer data)
{
  store->close (fixture->self);
  postbag_account_free (fixture->account);
  scratch_free (fixture->scratch);
}

G_GNUC_UNUSED static PostbagSearchPage *
list (Fixture *fixture, const PostbagSearch *search, gint64 offset, guint limit)
{
  g_autoptr (PostbagSearch) all = postbag_search_new ();
  PostbagPage page = { .offset = offset, .limit = limit };
  g_autoptr (GError) error = NULL;
  PostbagSearchPage *result =
      store->search (fixture->self, "INBOX", search != NULL ? search : all, &page, NULL, &error);

  g_assert_no_error (error);
  g_assert_nonnull (result);
  return result;
}

/* "3 2 1": the uids of a page, in its order */
G_GNUC_UNUSED static char *
list_uids (Fixture *fixture, const PostbagSearch *search)
{
  g_autoptr (PostbagSearchPage) page = list (fixture, search, 0, 100);
  GString *uids = g_string_new (NULL);

  g_assert_cmpint (page->total, ==, page->summaries->len);
  for (guint i = 0; i < page->summaries->len; i++)
    g_string_append_printf (uids, "%s%u", i > 0 ? " " : "",
                            ((PostbagSummary *)g_ptr_array_index (page->summaries, i))->uid);
  return g_string_free (uids, FALSE);
}

G_GNUC_UNUSED static const PostbagSummary *
get_summary (PostbagSearchPage *page, guint32 uid)
{
  for (guint i = 0; i < page->summaries->len; i++)
    {
      const PostbagSummary *summary = g_ptr_array_index (page->summaries, i);

      if (summary->uid == uid)
        return summary;
    }
  g_assert_not_reached ();
}

#define PLAIN(subject)                                                                             \
  "From: Alice Archer <alice@example.org>\nTo: bob@example.com\nSubject: " subject                 \
  "\nDate: Sun, 13 Sep 2020 12:26:40 +0000\nMessage-ID: <a@b>\n\nHello there\n"

static const char mixed[] =
    "From: =?utf-8?Q?Zo=C3=AB?= <zoe@example.net>\nTo: a@example.org, b@example.org\n"
    "Cc: carol@example.org\nSubject: =?utf-8?B?R3LDvMOfZQ==?=\nReferences: <one@x> <two@x>\n"
    "List-Id: <knitters.example.org>\nMIME-Version: 1.0\n"
    "Content-Type: multipart/mixed; boundary=\"b\"\n\n"
    "--b\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\n"
    "RGllIFN0cmHDn2UgZsO8aHJ0IG5hY2ggTcO8bmNoZW4uCg==\n" /* "Die Straße führt nach München." */
    "--b\nContent-Type: application/pdf; name=\"x.pdf\"\n"
    "Content-Disposition: attachment; filename=\"x.pdf\"\nContent-Transfer-Encoding: base64\n\n"
    "JVBERi0xLjQK\n--b--\n";

G_GNUC_UNUSED static void
put_three (Fixture *fixture)
{
  put (fixture->scratch, "cur", "100.a.h:2,S", PLAIN ("First"));
  put (fixture->scratch, "cur", "200.a.h:2,FRb", mixed);
  put (fixture->scratch, "new", "300.a.h", PLAIN ("Third"));
  put (fixture->scratch, ".", "dovecot-keywords", "0 Unused\n1 Work\n");
}

G_GNUC_UNUSED static gboolean
append_block (const guint8 *bytes, gsize length, gpointer user_data, GError **error)
{
  g_byte_array_append (user_data, bytes, (guint)length);
  return TRUE;
}

G_GNUC_UNUSED static void
assert_part (Fixture *fixture, const char *number, const char *expected)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autoptr (GError) error = NULL;
  gboolean done =
      store->fetch_part (fixture->self, "INBOX", 2, number, append_block, bytes, NULL, &error);

  if (expected == NULL)
    {
      g_assert_false (done);
      g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_FOUND);
      return;
    }
  g_assert_no_error (error);
  g_assert_cmpmem (bytes->data, (int)bytes->len, expected, (int)strlen (expected));
}

G_GNUC_UNUSED static void
assert_fetch_fails (Fixture *fixture, const char *mailbox, guint32 uid, int code)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagFetchedMessage) message =
      store->fetch_message (fixture->self, mailbox, uid, 100, NULL, &error);

  g_assert_null (message);
  g_assert_error (error, POSTBAG_ERROR, code);
}
