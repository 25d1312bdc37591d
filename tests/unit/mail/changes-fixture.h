/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A store that only counts, and the effect layer in front of it. */

#include <glib/gstdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "folder.h"
#include "mail/postbag-store-private.h"

typedef struct
{
  guint applied;
  gboolean crash;
  gboolean unknown;
  char *journal;                /* (nullable): looked at while the change is under way */
  char *seen;                   /* what stood there */
  guint32 there_from, there_to; /* uids that are still there, each @step-th */
  guint32 step;
  guint searches;
  PostbagClock *clock; /* (nullable): a search takes four seconds */
  char *last;          /* what the last change of flags was: "uids +keyword -keyword" */
  const char *mailboxes;
  guint checks;
  gboolean refuses; /* what it is asked beforehand */
} Backend;

G_GNUC_UNUSED static char *
read_journal (const char *folder)
{
  g_autoptr (GDir) directory = g_dir_open (folder, 0, NULL);
  const char *name = directory != NULL ? g_dir_read_name (directory) : NULL;
  g_autofree char *path = name != NULL ? g_build_filename (folder, name, NULL) : NULL;
  char *text = NULL;

  if (path != NULL)
    g_file_get_contents (path, &text, NULL, NULL);
  return text;
}

G_GNUC_UNUSED static char *
describe_flags (const PostbagEffect *effect)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; effect->uids != NULL && i < effect->uids->len; i++)
    g_string_append_printf (text, "%u ", g_array_index (effect->uids, guint32, i));
  if (effect->add_keywords != NULL)
    g_string_append_printf (text, "+%s", effect->add_keywords[0]);
  if (effect->remove_keywords != NULL)
    g_string_append_printf (text, "-%s", effect->remove_keywords[0]);
  return g_string_free (text, FALSE);
}

G_GNUC_UNUSED static PostbagEffectReport *
apply_fake (gpointer self, const PostbagEffect *effect, GCancellable *cancellable, GError **error)
{
  Backend *backend = self;
  PostbagEffectReport *report;
  guint32 uid = 5;

  backend->applied++;
  g_free (backend->last);
  backend->last = describe_flags (effect);
  if (backend->crash)
    _exit (7);
  if (backend->journal != NULL)
    backend->seen = read_journal (backend->journal);
  report = postbag_effect_report_new ();
  if (!backend->unknown)
    return report;
  g_array_append_val (report->unknown, uid);
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_OFFLINE, "The connection broke.");
  return report;
}

G_GNUC_UNUSED static PostbagSearchPage *
search_fake (gpointer self, const char *mailbox, const PostbagSearch *search,
             const PostbagPage *page, GCancellable *cancellable, GError **error)
{
  Backend *backend = self;
  PostbagSearchPage *found = postbag_search_page_new ();

  backend->searches++;
  if (backend->clock != NULL)
    postbag_clock_advance (backend->clock, 4 * G_USEC_PER_SEC);
  found->uid_validity = 7;
  found->total = search->any_header != NULL ? 1 : 0;
  for (gint64 uid = backend->there_to; uid >= MAX (backend->there_from, 1); uid -= backend->step)
    if (uid >= search->uid_from && uid <= search->uid_to)
      {
        PostbagSummary *summary = postbag_summary_new ();

        summary->uid = (guint32)uid;
        if (found->total++ < page->limit)
          g_ptr_array_add (found->summaries, summary);
        else
          postbag_summary_free (summary);
      }
  return found;
}

G_GNUC_UNUSED static void
leave (Backend *self, guint32 from, guint32 to, guint32 step)
{
  self->there_from = from;
  self->there_to = to;
  self->step = step;
  self->searches = 0;
}

G_GNUC_UNUSED static PostbagMailboxState *
get_state_fake (gpointer self, const char *mailbox, GCancellable *cancellable, GError **error)
{
  PostbagMailboxState *state = g_new0 (PostbagMailboxState, 1);

  state->messages = strcmp (mailbox, "Full") == 0 ? 3 : 0;
  state->uid_validity = 7;
  return state;
}

/* The mailboxes' names, parted by blanks, that a list shows. */
G_GNUC_UNUSED static GPtrArray *
list_fake (gpointer self, gboolean with_status, gint64 *total, GCancellable *cancellable,
           GError **error)
{
  Backend *backend = self;
  g_auto (GStrv) names = g_strsplit (backend->mailboxes, " ", -1);
  GPtrArray *mailboxes = g_ptr_array_new_with_free_func ((GDestroyNotify)postbag_mailbox_free);

  for (char **name = names; *name != NULL; name++)
    {
      PostbagMailbox *mailbox = postbag_mailbox_new (*name);

      mailbox->delimiter = '/';
      g_ptr_array_add (mailboxes, mailbox);
    }
  return mailboxes;
}

G_GNUC_UNUSED static gboolean
check_fake (gpointer self, const PostbagEffect *effect, GCancellable *cancellable, GError **error)
{
  Backend *backend = self;

  backend->checks++;
  if (backend->refuses)
    g_set_error_literal (error, POSTBAG_ERROR, POSTBAG_ERROR_TOO_LARGE, "It would not fit.");
  return !backend->refuses;
}

static const PostbagStoreImplementation fake = {
  .list_mailboxes = list_fake,
  .size = sizeof (PostbagStoreImplementation),
  .get_state = get_state_fake,
  .search = search_fake,
  .apply = apply_fake,
  .check = check_fake,
};

typedef struct
{
  char *state;
  Backend backend;
  PostbagStore *store;
} Fixture;

G_GNUC_UNUSED static PostbagAccount *
make_account (void)
{
  PostbagAccount *account = postbag_account_new ("me/work", "fake");

  account->host = g_strdup ("mail.example.org");
  account->port = 993;
  account->user = g_strdup ("ann");
  return account;
}

G_GNUC_UNUSED static PostbagStore *
open_store (Fixture *fixture, PostbagMay may)
{
  g_autoptr (PostbagAccount) account = make_account ();

  account->may = may;
  return postbag_store_new (account, &fake, &fixture->backend, fixture->state);
}

G_GNUC_UNUSED static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->state = g_dir_make_tmp ("postbag-changes-XXXXXX", NULL);
  fixture->store = open_store (fixture, POSTBAG_MAY_READ | POSTBAG_MAY_ORGANISE | POSTBAG_MAY_DRAFT
                                            | POSTBAG_MAY_PURGE);
}

G_GNUC_UNUSED static void
tear_down (Fixture *fixture, gconstpointer data)
{
  g_object_unref (fixture->store);
  remove_tree (fixture->state);
  g_free (fixture->state);
  g_free (fixture->backend.journal);
  g_free (fixture->backend.seen);
  g_free (fixture->backend.last);
}

G_GNUC_UNUSED static PostbagEffect *
make (PostbagEffectKind kind, guint n)
{
  PostbagEffect *effect = postbag_effect_new (kind, "INBOX");

  effect->uid_validity = 7;
  effect->destination = kind == POSTBAG_EFFECT_MOVE ? g_strdup ("Archive") : NULL;
  effect->uids = g_array_new (FALSE, FALSE, sizeof (guint32));
  for (guint32 uid = 1; uid <= n; uid++)
    g_array_append_val (effect->uids, uid);
  return effect;
}

/* @code: -1: it reaches the backend */
G_GNUC_UNUSED static void
check (Fixture *fixture, PostbagEffect *effect, int code)
{
  g_autoptr (GError) error = NULL;
  guint before = fixture->backend.applied;
  g_autoptr (PostbagEffectReport) report =
      postbag_store_apply (fixture->store, effect, NULL, &error);

  if (code < 0)
    g_assert_no_error (error);
  else
    g_assert_error (error, POSTBAG_ERROR, code);
  g_assert_cmpuint (fixture->backend.applied - before, ==, code < 0 ? 1 : 0);
  postbag_effect_free (effect);
}

G_GNUC_UNUSED static PostbagEffect *
with_consent (PostbagEffect *effect)
{
  effect->has_consent = TRUE;
  return effect;
}

/* (transfer full): where the account's changes are written down */
G_GNUC_UNUSED static char *
get_journal (Fixture *fixture)
{
  g_autoptr (PostbagAccount) account = make_account ();
  g_autofree char *identity = postbag_account_dup_identity (account);

  return g_build_filename (fixture->state, "journal", identity, NULL);
}

/* Mail appended, then the process is gone; twice told would be once too often. */
G_GNUC_UNUSED static void
run_and_crash (Fixture *fixture, PostbagEffect *effect)
{
  pid_t child = fork ();
  int status = 0;

  if (child == 0)
    {
      fixture->backend.crash = TRUE;
      postbag_store_apply (fixture->store, effect, NULL, NULL);
      _exit (0);
    }
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  g_assert_cmpint (WEXITSTATUS (status), ==, 7);
  postbag_effect_free (effect);
}

G_GNUC_UNUSED static void
assert_taken (Fixture *fixture, guint count)
{
  g_autoptr (GPtrArray) taken = postbag_store_take_interrupted (fixture->store, NULL);

  g_assert_cmpuint (taken->len, ==, count);
}
