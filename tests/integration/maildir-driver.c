/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* maildir-driver MAIL STATE: the store alone, told by lines on standard input what to do.
 *
 *   list        one line a message: "uid message-id flags..." (newest first), then "total validity"
 *   get UID     "ok", the header field Message-ID, the flags; or "error CODE"
 *
 * A test program beside another one that changes the folder. */

#include "postbag-maildir-store.h"

#include "base/postbag-error.h"

#include <stdio.h>
#include <string.h>

static const PostbagStoreImplementation *const store = &postbag_maildir_store_implementation;

static void
print_message (guint32 uid, const char *id, PostbagFlags flags, char **keywords)
{
  g_auto (GStrv) strings = postbag_flags_to_strings (flags, (const char *const *)keywords);
  g_autofree char *joined = g_strjoinv (" ", strings);

  printf ("%u %s %s\n", uid, id != NULL ? id : "-", joined);
}

static void
list (gpointer self)
{
  g_autoptr (PostbagSearch) search = postbag_search_new ();
  PostbagPage page = { .limit = G_MAXUINT };
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagSearchPage) result = store->search (self, "INBOX", search, &page, NULL, &error);

  if (result == NULL)
    {
      printf ("error %s\n", error->message);
      return;
    }
  for (guint i = 0; i < result->summaries->len; i++)
    {
      const PostbagSummary *summary = g_ptr_array_index (result->summaries, i);

      print_message (summary->uid, summary->message_id, summary->flags, summary->keywords);
    }
  printf ("total %" G_GINT64_FORMAT " %u\n", result->total, result->uid_validity);
}

static void
get (gpointer self, guint32 uid)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagFetchedMessage) message =
      store->fetch_message (self, "INBOX", uid, 1024 * 1024, NULL, &error);
  g_autofree char *source = NULL;
  const char *id, *end;

  if (message == NULL)
    {
      printf ("error %s\n", postbag_error_get_facts (error->code)->nick);
      return;
    }
  source = g_strndup (g_bytes_get_data (message->source, NULL), g_bytes_get_size (message->source));
  id = strstr (source, "Message-ID: ");
  end = id != NULL ? strchr (id, '\n') : NULL;
  printf ("ok %.*s\n", end != NULL ? (int)(end - id - 12) : 0, end != NULL ? id + 12 : "");
}

int
main (int argc, char **argv)
{
  g_autoptr (PostbagAccount) account = postbag_account_new ("driver", "maildir");
  g_autoptr (GError) error = NULL;
  char line[64];
  gpointer self;

  if (argc != 3)
    return 2;
  account->path = g_strdup (argv[1]);
  self = store->open (account, argv[2], &error);
  if (self == NULL)
    {
      fprintf (stderr, "%s\n", error->message);
      return 1;
    }
  while (fgets (line, sizeof line, stdin) != NULL)
    {
      if (g_str_has_prefix (line, "get "))
        get (self, (guint32)g_ascii_strtoull (line + 4, NULL, 10));
      else
        list (self);
      fflush (stdout);
    }
  store->close (self);
  return 0;
}
