/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* maildir FOLDER STATE: times the Maildir store on its own, without protocol around it. */

#include "postbag-maildir-store.h"

#include <stdio.h>
#include <string.h>

static const PostbagStoreImplementation *const store = &postbag_maildir_store_implementation;

static double
measure_ms (gint64 since)
{
  return (double)(g_get_monotonic_time () - since) / 1000;
}

static gint64
read_memory_kib (const char *name)
{
  g_autofree char *status = NULL;
  const char *at;

  if (!g_file_get_contents ("/proc/self/status", &status, NULL, NULL))
    return 0;
  at = strstr (status, name);
  return at != NULL ? g_ascii_strtoll (at + strlen (name), NULL, 10) : 0;
}

static gint64
search (gpointer self, const PostbagSearch *criteria, guint limit)
{
  PostbagPage page = { .offset = 0, .limit = limit };
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagSearchPage) result =
      store->search (self, "INBOX", criteria, &page, NULL, &error);

  if (result == NULL)
    g_error ("%s", error->message);
  return result->total;
}

static void
measure (gpointer self, const char *what, const PostbagSearch *criteria, guint times)
{
  for (guint i = 0; i < times; i++)
    {
      gint64 start = g_get_monotonic_time ();
      gint64 total = search (self, criteria, 50);

      g_print ("%-34s %9.2f ms  (%" G_GINT64_FORMAT " matches)\n", what, measure_ms (start), total);
    }
}

static void
measure_searches (gpointer self)
{
  g_autoptr (PostbagSearch) unseen = postbag_search_new ();
  g_autoptr (PostbagSearch) recent = postbag_search_new ();
  g_autoptr (PostbagSearch) subject = postbag_search_new ();
  g_autoptr (PostbagSearch) from = postbag_search_new ();

  unseen->seen = POSTBAG_NO;
  measure (self, "search unseen", unseen, 2);
  recent->since = g_date_new_dmy (1, G_DATE_JANUARY, 2022);
  measure (self, "search since a day", recent, 2);
  subject->subject = g_strdup ("harbour");
  measure (self, "search subject", subject, 3);
  from->from = g_strdup ("müller");
  measure (self, "search from", from, 2);
}

int
main (int argc, char **argv)
{
  g_autoptr (PostbagAccount) account = postbag_account_new ("bench", "maildir");
  g_autoptr (PostbagSearch) all = postbag_search_new ();
  g_autoptr (GError) error = NULL;
  gint64 start = g_get_monotonic_time ();
  gpointer self;

  if (argc < 3)
    g_error ("usage: %s FOLDER STATE [quick]", argv[0]);
  account->path = g_canonicalize_filename (argv[1], NULL);
  self = store->open (account, argv[2], &error);
  if (self == NULL)
    g_error ("%s", error->message);
  search (self, all, 50);
  g_print ("%-34s %9.2f ms\n", "open and list 50", measure_ms (start));
  measure (self, "list 50 again", all, 3);
  g_print ("%-34s %9.1f MiB now, %.1f peak\n", "memory", (double)read_memory_kib ("VmRSS:") / 1024,
           (double)read_memory_kib ("VmHWM:") / 1024);
  if (argc == 3)
    measure_searches (self);
  g_print ("%-34s %9.1f MiB now, %.1f peak\n", "memory", (double)read_memory_kib ("VmRSS:") / 1024,
           (double)read_memory_kib ("VmHWM:") / 1024);
  store->close (self);
  return 0;
}
