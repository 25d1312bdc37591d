/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <glib/gstdio.h>
#include <string.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "mail/postbag-secret.h"

typedef struct
{
  PostbagAccount *account;
  char *folder;
  char *path;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->account = postbag_account_new ("work", "imap");
  fixture->folder = g_dir_make_tmp ("postbag-secret-XXXXXX", NULL);
  fixture->path = g_build_filename (fixture->folder, "secret", NULL);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  g_unlink (fixture->path);
  g_rmdir (fixture->folder);
  g_free (fixture->folder);
  g_free (fixture->path);
  postbag_account_free (fixture->account);
}

static void
assert_secret (Fixture *fixture, const char *expected)
{
  g_autoptr (GError) error = NULL;
  char *secret = postbag_secret_fetch (fixture->account, NULL, &error);

  g_assert_no_error (error);
  g_assert_cmpstr (secret, ==, expected);
  postbag_secret_free (secret);
}

static void
assert_fails (Fixture *fixture, int code, const char *words)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (postbag_secret_fetch (fixture->account, NULL, &error));
  g_assert_error (error, POSTBAG_ERROR, code);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, words));
  g_assert_nonnull (strstr (error->message, "“work”"));
}

static void
set_command (Fixture *fixture, const char *command)
{
  g_free (fixture->account->password_command);
  fixture->account->password_command = g_strdup (command);
}

static void
write_file (Fixture *fixture, const char *text, gssize length, int mode)
{
  g_assert_true (g_file_set_contents (fixture->path, text, length, NULL));
  g_assert_cmpint (g_chmod (fixture->path, mode), ==, 0);
}

static void
test_kind (Fixture *fixture, gconstpointer data)
{
  PostbagAccount *account = fixture->account;

  g_assert_cmpint (postbag_secret_get_kind (account), ==, POSTBAG_SECRET_NONE);
  assert_fails (fixture, POSTBAG_ERROR_NEEDS_LOGIN, "password-command");
  account->password = g_strdup ("p");
  g_assert_cmpint (postbag_secret_get_kind (account), ==, POSTBAG_SECRET_PASSWORD);
  assert_secret (fixture, "p");
  account->token_file = g_strdup (fixture->path);
  g_assert_cmpint (postbag_secret_get_kind (account), ==, POSTBAG_SECRET_TOKEN);
}

static void
test_file (Fixture *fixture, gconstpointer data)
{
  fixture->account->password_file = g_strdup (fixture->path);
  assert_fails (fixture, POSTBAG_ERROR_NEEDS_LOGIN, "No such file");
  write_file (fixture, "p w\303\266\r\nuser: nora\n", -1, 0600);
  assert_secret (fixture, "p w\303\266");
  write_file (fixture, "alone", -1, 0400);
  assert_secret (fixture, "alone");
  write_file (fixture, "\nsecond\n", -1, 0600);
  assert_fails (fixture, POSTBAG_ERROR_NEEDS_LOGIN, "empty first line");
  write_file (fixture, "a\0b\n", 4, 0600);
  assert_fails (fixture, POSTBAG_ERROR_NEEDS_LOGIN, "zero byte");
  write_file (fixture, "p\n", -1, 0620);
  assert_fails (fixture, POSTBAG_ERROR_NEEDS_LOGIN, "changed by others");
  g_unlink (fixture->path);
  g_assert_cmpint (g_mkdir (fixture->path, 0700), ==, 0);
  assert_fails (fixture, POSTBAG_ERROR_NEEDS_LOGIN, "no ordinary file");
  g_assert_cmpint (g_rmdir (fixture->path), ==, 0);
}

static void
test_long_file (Fixture *fixture, gconstpointer data)
{
  g_autofree char *text = g_strnfill (POSTBAG_LIMIT_SECRET_BYTES + 1, 'x');

  fixture->account->token_file = g_strdup (fixture->path);
  write_file (fixture, text, -1, 0600);
  assert_fails (fixture, POSTBAG_ERROR_NEEDS_LOGIN, "more than 65536");
  text[POSTBAG_LIMIT_SECRET_BYTES] = '\0';
  write_file (fixture, text, -1, 0600);
  assert_secret (fixture, text);
}

static void
test_command (Fixture *fixture, gconstpointer data)
{
  set_command (fixture, "printf '%s\\nuser: nora\\n' 'p w$HOME;`id`'");
  assert_secret (fixture, "p w$HOME;`id`");
  set_command (fixture, "sh -c 'echo secret; exit 3'");
  assert_fails (fixture, POSTBAG_ERROR_NEEDS_LOGIN, "status 3");
  set_command (fixture, "sh -c 'kill -9 $$'");
  assert_fails (fixture, POSTBAG_ERROR_NEEDS_LOGIN, "signal 9");
  set_command (fixture, "true");
  assert_fails (fixture, POSTBAG_ERROR_NEEDS_LOGIN, "empty first line");
  set_command (fixture, "postbag-no-such-program");
  assert_fails (fixture, POSTBAG_ERROR_NEEDS_LOGIN, "cannot be run");
  /* standard input is empty, not ours */
  set_command (fixture, "sh -c 'cat; echo done'");
  assert_secret (fixture, "done");
}

static void
test_endless_command (Fixture *fixture, gconstpointer data)
{
  gint64 start = g_get_monotonic_time ();

  set_command (fixture, "sh -c 'while :; do printf xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done'");
  assert_fails (fixture, POSTBAG_ERROR_NEEDS_LOGIN, "more than 65536");
  g_assert_cmpint (g_get_monotonic_time () - start, <,
                   POSTBAG_LIMIT_SECRET_COMMAND_MS * (gint64)1000);
}

static gpointer
cancel_soon (gpointer data)
{
  g_usleep (50000);
  g_cancellable_cancel (data);
  return NULL;
}

static void
test_cancelled (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  gint64 start = g_get_monotonic_time ();
  GThread *thread = g_thread_new ("cancel", cancel_soon, cancellable);

  set_command (fixture, "sleep 60");
  g_assert_null (postbag_secret_fetch (fixture->account, cancellable, &error));
  g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_CANCELLED);
  g_assert_cmpint (g_get_monotonic_time () - start, <, 5 * G_USEC_PER_SEC);
  g_thread_join (thread);
}

/* Ten seconds each, at the same time: one that says nothing, one whose output is closed. */
static gpointer
run_slow (gpointer data)
{
  g_autoptr (PostbagAccount) account = postbag_account_new ("work", "imap");
  g_autoptr (GError) error = NULL;
  gint64 start = g_get_monotonic_time ();

  account->password_command = g_strdup (data);
  g_assert_null (postbag_secret_fetch (account, NULL, &error));
  g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_TIMED_OUT);
  g_assert_nonnull (strstr (error->message, "10 seconds"));
  g_assert_cmpint (g_get_monotonic_time () - start, <,
                   POSTBAG_LIMIT_SECRET_COMMAND_MS * (gint64)1500);
  return NULL;
}

static void
test_deadline (void)
{
  GThread *silent, *closed;

  if (!g_test_slow ())
    {
      g_test_skip ("takes ten seconds: run with -m slow");
      return;
    }
  silent = g_thread_new ("silent", run_slow, (gpointer) "sleep 60");
  closed = g_thread_new ("closed", run_slow, (gpointer) "sh -c 'echo x; exec >&-; exec sleep 60'");
  g_thread_join (silent);
  g_thread_join (closed);
}

#define ADD(name, function)                                                                        \
  g_test_add ("/mail/secret/" name, Fixture, NULL, set_up, function, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("kind", test_kind);
  ADD ("file", test_file);
  ADD ("long-file", test_long_file);
  ADD ("command", test_command);
  ADD ("endless-command", test_endless_command);
  ADD ("cancelled", test_cancelled);
  g_test_add_func ("/mail/secret/deadline", test_deadline);
  return g_test_run ();
}
