/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Who would repeat a change that was interrupted is told of it first; where that cannot be, nothing
 * is changed. */

#include "toolset/postbag-mail-change.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "fake-mail.h"
#include "folder.h"

typedef struct
{
  char *state;
  char *journal; /* the account's */
  FakeMail *mail;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  g_autofree char *identity = NULL;

  fixture->state = g_dir_make_tmp ("postbag-mail-change-XXXXXX", NULL);
  fixture->mail = fake_mail_new_with_state (fixture->state);
  fixture->mail->account->may |= POSTBAG_MAY_ORGANISE;
  identity = postbag_account_dup_identity (fixture->mail->account);
  fixture->journal = g_build_filename (fixture->state, "journal", identity, NULL);
  g_assert_cmpint (g_mkdir_with_parents (fixture->journal, 0700), ==, 0);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  fake_mail_free (fixture->mail);
  remove_tree (fixture->state);
  g_free (fixture->state);
  g_free (fixture->journal);
}

static void
write_entry (Fixture *fixture, guint number, const char *lines)
{
  g_autofree char *name = g_strdup_printf ("%04u.change", number);
  g_autofree char *path = g_build_filename (fixture->journal, name, NULL);
  g_autofree char *text = g_strdup_printf ("[change]\n%s\nend=true\n", lines);

  g_assert_true (g_file_set_contents_full (path, text, -1, G_FILE_SET_CONTENTS_NONE, 0600, NULL));
}

/* Copies message 2. @code: -1: it is done. @words: (nullable): in the failure */
static void
copy (Fixture *fixture, int code, const char *words)
{
  g_autoptr (JsonObject) arguments = json_object_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagArgs) args = postbag_args_new (arguments);
  g_autoptr (PostbagMailCall) call = postbag_mail_call_new (fixture->mail->call, args, &error);
  g_autoptr (PostbagEffect) effect = postbag_effect_new (POSTBAG_EFFECT_COPY, "INBOX");
  g_autoptr (PostbagEffectReport) report = NULL;
  guint before = fixture->mail->n_applied;
  guint32 uid = 2;

  effect->uids = g_array_new (FALSE, FALSE, sizeof uid);
  g_array_append_val (effect->uids, uid);
  effect->destination = g_strdup ("Archive");
  report = postbag_mail_change_apply (call, effect, &error);
  g_assert_cmpuint (fixture->mail->n_applied - before, ==, code < 0 ? 1 : 0);
  if (code < 0)
    {
      g_assert_no_error (error);
      return;
    }
  g_assert_error (error, POSTBAG_ERROR, code);
  g_assert_nonnull (strstr (error->message, "Nothing was changed"));
  g_assert_nonnull (strstr (error->message, words));
}

static void
test_told_first (Fixture *fixture, gconstpointer data)
{
  write_entry (fixture, 1, "kind=copy\nmailbox=INBOX\ndestination=Archive\nuids=2");
  copy (fixture, POSTBAG_ERROR_CONFLICT, "Note by Postbag: An earlier change (copy");
  copy (fixture, -1, NULL);
}

/* Another call or server holds the folder while it tells. */
static void
test_told_elsewhere (Fixture *fixture, gconstpointer data)
{
  int fd = open (fixture->journal, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

  write_entry (fixture, 1, "kind=move\nmailbox=INBOX\ndestination=Archive\nuids=1 2");
  g_assert_cmpint (flock (fd, LOCK_EX), ==, 0);
  copy (fixture, POSTBAG_ERROR_CONFLICT, "just telling of it");
  close (fd);
  copy (fixture, POSTBAG_ERROR_CONFLICT, "Note by Postbag");
  copy (fixture, -1, NULL);
}

/* A failure of the journal's own, whatever the system says: not that the mailbox is missing. */
static void
test_unseen (Fixture *fixture, gconstpointer data)
{
  g_assert_cmpint (g_rmdir (fixture->journal), ==, 0);
  g_assert_true (g_file_set_contents (fixture->journal, "in the way", -1, NULL));
  copy (fixture, POSTBAG_ERROR_OFFLINE, fixture->state);
}

/* More than are looked through: told, they become fewer. */
static void
test_too_many (Fixture *fixture, gconstpointer data)
{
  for (guint i = 0; i < POSTBAG_LIMIT_JOURNAL_NAMES; i++)
    write_entry (fixture, i, "kind=subscribe\nmailbox=Old");
  copy (fixture, POSTBAG_ERROR_OFFLINE, "Note by Postbag: An earlier change (subscribe");
  copy (fixture, -1, NULL);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, function)                                                                        \
  g_test_add ("/mail-change/" name, Fixture, NULL, set_up, function, tear_down)
  ADD ("told-first", test_told_first);
  ADD ("told-elsewhere", test_told_elsewhere);
  ADD ("unseen", test_unseen);
  ADD ("too-many", test_too_many);
  return g_test_run ();
}
