/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The effect layer over a store that only counts: what is refused before it, and what is written
 * down while it works. */

#include "changes-fixture.h"

static void
test_consent (Fixture *fixture, gconstpointer data)
{
  check (fixture, make (POSTBAG_EFFECT_MOVE, POSTBAG_LIMIT_EFFECT_UNASKED), -1);
  check (fixture, make (POSTBAG_EFFECT_MOVE, POSTBAG_LIMIT_EFFECT_UNASKED + 1),
         POSTBAG_ERROR_NOT_ALLOWED);
  check (fixture, with_consent (make (POSTBAG_EFFECT_MOVE, POSTBAG_LIMIT_EFFECT_UNASKED + 1)), -1);
  check (fixture, make (POSTBAG_EFFECT_PURGE, 1), POSTBAG_ERROR_NOT_ALLOWED);
  check (fixture, with_consent (make (POSTBAG_EFFECT_PURGE, 1)), -1);
  check (fixture, make (POSTBAG_EFFECT_DELETE_MAILBOX, 0), POSTBAG_ERROR_NOT_ALLOWED);
  check (fixture, make (POSTBAG_EFFECT_STORE_FLAGS, 200), -1);
}

static void
test_bounds (Fixture *fixture, gconstpointer data)
{
  PostbagEffect *twice = make (POSTBAG_EFFECT_STORE_FLAGS, 2);

  g_array_index (twice->uids, guint32, 1) = 1;
  check (fixture, twice, POSTBAG_ERROR_INVALID_ARGUMENT);
  check (fixture, make (POSTBAG_EFFECT_STORE_FLAGS, POSTBAG_LIMIT_EFFECT_MESSAGES), -1);
  check (fixture, make (POSTBAG_EFFECT_STORE_FLAGS, POSTBAG_LIMIT_EFFECT_MESSAGES + 1),
         POSTBAG_ERROR_TOO_LARGE);
}

/* To where it already is, however INBOX is spelled: before anything is written down or done. */
static void
test_same_mailbox (Fixture *fixture, gconstpointer data)
{
  static const struct
  {
    PostbagEffectKind kind;
    const char *mailbox;
    const char *destination;
    int expected;
  } cases[] = {
    { POSTBAG_EFFECT_MOVE, "INBOX", "INBOX", POSTBAG_ERROR_INVALID_ARGUMENT },
    { POSTBAG_EFFECT_MOVE, "INBOX", "inbox", POSTBAG_ERROR_INVALID_ARGUMENT },
    { POSTBAG_EFFECT_COPY, "Inbox", "INBOX", POSTBAG_ERROR_INVALID_ARGUMENT },
    { POSTBAG_EFFECT_MOVE, "Archive", "Archive", POSTBAG_ERROR_INVALID_ARGUMENT },
    { POSTBAG_EFFECT_COPY, "Archive", "Archive", POSTBAG_ERROR_INVALID_ARGUMENT },
    { POSTBAG_EFFECT_RENAME_MAILBOX, "Archive", "Archive", POSTBAG_ERROR_INVALID_ARGUMENT },
    /* Only INBOX has no case (RFC 9051 section 5.1). */
    { POSTBAG_EFFECT_MOVE, "Archive", "archive", -1 },
    { POSTBAG_EFFECT_RENAME_MAILBOX, "Archive", "archive", -1 },
    { POSTBAG_EFFECT_MOVE, "INBOX/a", "inbox/a", -1 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      PostbagEffect *effect = make (cases[i].kind, 1);

      g_free (effect->mailbox);
      g_free (effect->destination);
      effect->mailbox = g_strdup (cases[i].mailbox);
      effect->destination = g_strdup (cases[i].destination);
      check (fixture, effect, cases[i].expected);
    }
}

/* What the store can see beforehand nobody is asked for; an older store's table ends earlier. */
static void
test_seen_beforehand (Fixture *fixture, gconstpointer data)
{
  g_autoptr (PostbagEffect) effect = make (POSTBAG_EFFECT_MOVE, 3);
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagStore) old = NULL;
  g_autoptr (PostbagAccount) account = make_account ();
  PostbagStoreImplementation shorter = fake;

  g_assert_true (postbag_store_check (fixture->store, effect, NULL, &error));
  g_assert_cmpuint (fixture->backend.checks, ==, 1);
  fixture->backend.refuses = TRUE;
  g_assert_false (postbag_store_check (fixture->store, effect, NULL, &error));
  g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_TOO_LARGE);
  g_assert_cmpuint (fixture->backend.applied, ==, 0);

  shorter.size = G_STRUCT_OFFSET (PostbagStoreImplementation, check);
  account->may = POSTBAG_MAY_READ | POSTBAG_MAY_ORGANISE;
  old = postbag_store_new (account, &shorter, &fixture->backend, fixture->state);
  g_clear_error (&error);
  g_assert_true (postbag_store_check (old, effect, NULL, &error));
  g_assert_cmpuint (fixture->backend.checks, ==, 2);
}

/* Without the right to purge a mailbox that holds mail cannot be deleted, with consent or without.
 */
static void
test_full_mailbox (Fixture *fixture, gconstpointer data)
{
  PostbagEffect *effect = with_consent (postbag_effect_new (POSTBAG_EFFECT_DELETE_MAILBOX, "Full"));

  g_object_unref (fixture->store);
  fixture->store = open_store (fixture, POSTBAG_MAY_READ | POSTBAG_MAY_ORGANISE);
  check (fixture, effect, POSTBAG_ERROR_NOT_ALLOWED);
}

/* What somebody was asked about has to be what is there: the mailbox, and no more mail in it. */
static void
test_other_mailbox (Fixture *fixture, gconstpointer data)
{
  static const struct
  {
    PostbagEffectKind kind;
    guint32 uid_validity;
    gint64 told;
    int expected;
  } cases[] = {
    { POSTBAG_EFFECT_DELETE_MAILBOX, 6, 3, POSTBAG_ERROR_CONFLICT },
    { POSTBAG_EFFECT_DELETE_MAILBOX, 7, 2, POSTBAG_ERROR_CONFLICT },
    { POSTBAG_EFFECT_DELETE_MAILBOX, 7, 3, -1 },
    { POSTBAG_EFFECT_DELETE_MAILBOX, 7, 4, -1 },
    { POSTBAG_EFFECT_DELETE_MAILBOX, 0, 0, -1 },
    { POSTBAG_EFFECT_RENAME_MAILBOX, 6, 0, POSTBAG_ERROR_CONFLICT },
    { POSTBAG_EFFECT_RENAME_MAILBOX, 7, 0, -1 },
    { POSTBAG_EFFECT_CREATE_MAILBOX, 6, 0, -1 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      PostbagEffect *effect = with_consent (postbag_effect_new (cases[i].kind, "Full"));

      effect->uid_validity = cases[i].uid_validity;
      effect->messages_told = cases[i].told;
      effect->destination = g_strdup ("New");
      check (fixture, effect, cases[i].expected);
    }
}

/* Written down before it begins, with uids and names and nothing else; gone when it is over. */
static void
test_journal (Fixture *fixture, gconstpointer data)
{
  fixture->backend.journal = get_journal (fixture);
  check (fixture, make (POSTBAG_EFFECT_MOVE, 3), -1);
  g_assert_nonnull (fixture->backend.seen);
  g_assert_nonnull (strstr (fixture->backend.seen, "kind=move"));
  g_assert_nonnull (strstr (fixture->backend.seen, "uids=1 2 3"));
  g_assert_null (read_journal (fixture->backend.journal));
  g_autoptr (GPtrArray) interrupted = postbag_store_take_interrupted (fixture->store, NULL);
  g_assert_cmpuint (interrupted->len, ==, 0);
}

/* What cannot be written down does not happen, and it is said what is the matter: not that there is
 * no such mailbox, however the system calls it. */
static void
assert_journal_refuses (Fixture *fixture)
{
  g_autoptr (PostbagEffect) effect = make (POSTBAG_EFFECT_MOVE, 3);
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagEffectReport) report =
      postbag_store_apply (fixture->store, effect, NULL, &error);

  g_assert_null (report);
  g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_OFFLINE);
  g_assert_nonnull (strstr (error->message, "Nothing was changed"));
  g_assert_nonnull (strstr (error->message, fixture->state));
  g_assert_nonnull (strstr (error->message, "POSTBAG_STATE_DIR"));
  g_assert_cmpuint (fixture->backend.applied, ==, 0);
}

static void
test_journal_refuses (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = g_build_filename (fixture->state, "journal", NULL);
  g_autofree char *away = g_strconcat (fixture->state, ".away", NULL);

  g_assert_true (g_file_set_contents (path, "in the way", -1, NULL));
  assert_journal_refuses (fixture);
  g_assert_cmpint (g_unlink (path), ==, 0);
  g_assert_cmpint (symlink ("/nowhere", path), ==, 0);
  assert_journal_refuses (fixture);
  g_assert_cmpint (g_unlink (path), ==, 0);
  g_assert_cmpint (g_rename (fixture->state, away), ==, 0);
  assert_journal_refuses (fixture);
  g_assert_cmpint (g_rename (away, fixture->state), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, function)                                                                        \
  g_test_add ("/changes/" name, Fixture, NULL, set_up, function, tear_down)
  ADD ("consent", test_consent);
  ADD ("bounds", test_bounds);
  ADD ("same-mailbox", test_same_mailbox);
  ADD ("seen-beforehand", test_seen_beforehand);
  ADD ("full-mailbox", test_full_mailbox);
  ADD ("other-mailbox", test_other_mailbox);
  ADD ("journal", test_journal);
  ADD ("journal-refuses", test_journal_refuses);
  return g_test_run ();
}
