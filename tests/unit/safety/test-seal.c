/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "safety/postbag-seal.h"

#include <string.h>
#include <sys/stat.h>

#include <glib/gstdio.h>

#include "base/postbag-error.h"
#include "folder.h"
#include "safety/postbag-seal-key-private.h"

#define START_S G_GINT64_CONSTANT (1800000000)

typedef struct
{
  char *state_dir;
  PostbagClock *clock;
  PostbagSeal *seal;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer user_data)
{
  fixture->state_dir = g_dir_make_tmp ("postbag-test-XXXXXX", NULL);
  fixture->clock = postbag_clock_new_manual (START_S * G_USEC_PER_SEC);
  fixture->seal = postbag_seal_new (fixture->state_dir, fixture->clock);
}

static void
tear_down (Fixture *fixture, gconstpointer user_data)
{
  postbag_seal_free (fixture->seal);
  g_object_unref (fixture->clock);
  remove_tree (fixture->state_dir);
  g_free (fixture->state_dir);
}

static char *
close_text (PostbagSeal *seal, const char *text)
{
  g_autoptr (GBytes) plain = g_bytes_new (text, strlen (text));
  g_autoptr (GError) error = NULL;
  char *sealed = postbag_seal_close (seal, "cursor", "local", 60, plain, &error);

  g_assert_no_error (error);
  return sealed;
}

static void
assert_opens (PostbagSeal *seal, const char *sealed, const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) plain = postbag_seal_open (seal, "cursor", "local", sealed, &error);
  g_autoptr (GBytes) expected = g_bytes_new (text, strlen (text));

  g_assert_no_error (error);
  g_assert_true (g_bytes_equal (plain, expected));
}

static void
assert_refused (PostbagSeal *seal, const char *purpose, const char *principal, const char *sealed,
                int code)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (postbag_seal_open (seal, purpose, principal, sealed, &error));
  g_assert_error (error, POSTBAG_ERROR, code);
}

static void
test_round_trip (Fixture *fixture, gconstpointer user_data)
{
  static const char *const texts[] = { "", "a", "ab", "abc", "what was asked" };

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autofree char *first = close_text (fixture->seal, texts[i]);
      g_autofree char *second = close_text (fixture->seal, texts[i]);

      g_assert_cmpstr (first, !=, second);
      g_assert_cmpuint (strspn (first, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                       "0123456789-_"),
                        ==, strlen (first));
      assert_opens (fixture->seal, first, texts[i]);
      assert_opens (fixture->seal, second, texts[i]);
    }
}

/* Each single character changed is noticed, and so is each cut. */
static void
test_altered (Fixture *fixture, gconstpointer user_data)
{
  g_autofree char *sealed = close_text (fixture->seal, "secret");

  for (gsize i = 0; i < strlen (sealed); i++)
    {
      g_autofree char *altered = g_strdup (sealed);
      g_autofree char *cut = g_strndup (sealed, i);

      altered[i] = altered[i] == 'A' ? 'B' : 'A';
      assert_refused (fixture->seal, "cursor", "local", altered, POSTBAG_ERROR_INVALID_ARGUMENT);
      assert_refused (fixture->seal, "cursor", "local", cut, POSTBAG_ERROR_INVALID_ARGUMENT);
    }
}

static void
test_bound (Fixture *fixture, gconstpointer user_data)
{
  g_autofree char *sealed = close_text (fixture->seal, "secret");
  g_autofree char *longer = g_strconcat (sealed, "A", NULL);
  g_autofree char *padded = g_strconcat (sealed, "=", NULL);
  g_autofree char *huge = g_strnfill (1000000, 'A');

  assert_refused (fixture->seal, "state", "local", sealed, POSTBAG_ERROR_INVALID_ARGUMENT);
  assert_refused (fixture->seal, "cursor", "alice", sealed, POSTBAG_ERROR_INVALID_ARGUMENT);
  /* The fields are told apart, not only their concatenation. */
  assert_refused (fixture->seal, "cursorl", "ocal", sealed, POSTBAG_ERROR_INVALID_ARGUMENT);
  assert_refused (fixture->seal, "cursor", "local", longer, POSTBAG_ERROR_INVALID_ARGUMENT);
  assert_refused (fixture->seal, "cursor", "local", padded, POSTBAG_ERROR_INVALID_ARGUMENT);
  assert_refused (fixture->seal, "cursor", "local", huge, POSTBAG_ERROR_INVALID_ARGUMENT);
  assert_refused (fixture->seal, "cursor", "local", "ä", POSTBAG_ERROR_INVALID_ARGUMENT);
}

static void
test_expires (Fixture *fixture, gconstpointer user_data)
{
  g_autofree char *sealed = close_text (fixture->seal, "secret");

  postbag_clock_advance (fixture->clock, 59 * G_USEC_PER_SEC);
  assert_opens (fixture->seal, sealed, "secret");
  postbag_clock_advance (fixture->clock, G_USEC_PER_SEC);
  assert_refused (fixture->seal, "cursor", "local", sealed, POSTBAG_ERROR_TIMED_OUT);
}

/* Another process with the same state folder opens it, one with another does not. */
static void
test_key_file (Fixture *fixture, gconstpointer user_data)
{
  g_autofree char *sealed = close_text (fixture->seal, "secret");
  g_autoptr (PostbagSeal) same = postbag_seal_new (fixture->state_dir, fixture->clock);
  g_autoptr (PostbagSeal) other = postbag_seal_new (NULL, fixture->clock);
  g_autofree char *path = g_build_filename (fixture->state_dir, "seal.key", NULL);
  struct stat facts;

  g_assert_cmpint (stat (path, &facts), ==, 0);
  g_assert_cmpint (facts.st_mode & 0777, ==, 0600);
  g_assert_cmpint (facts.st_size, ==, 32);
  assert_opens (same, sealed, "secret");
  g_test_expect_message ("postbag-safety", G_LOG_LEVEL_MESSAGE, "*end with this process*");
  assert_refused (other, "cursor", "local", sealed, POSTBAG_ERROR_INVALID_ARGUMENT);
  g_test_assert_expected_messages ();
}

static void
test_bad_key_file (Fixture *fixture, gconstpointer user_data)
{
  g_autofree char *path = g_build_filename (fixture->state_dir, "seal.key", NULL);
  guint8 key[POSTBAG_SEAL_KEY_BYTES];
  g_autoptr (GError) error = NULL;

  g_assert_true (
      g_file_set_contents_full (path, "short", -1, G_FILE_SET_CONTENTS_NONE, 0600, NULL));
  g_assert_false (postbag_seal_key_load (fixture->state_dir, key, &error));
  g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_BAD_DATA);
  g_clear_error (&error);
  g_assert_cmpint (g_chmod (path, 0644), ==, 0);
  g_assert_false (postbag_seal_key_load (fixture->state_dir, key, &error));
  g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_ALLOWED);
}

static gpointer
load_key (gpointer state_dir)
{
  guint8 *key = g_malloc (POSTBAG_SEAL_KEY_BYTES);

  g_assert_true (postbag_seal_key_load (state_dir, key, NULL));
  return key;
}

/* Whoever makes the key, all have the same one, and nothing else is left in the folder. */
static void
test_key_race (Fixture *fixture, gconstpointer user_data)
{
  GThread *threads[8];
  g_autofree guint8 *first = NULL;
  g_autoptr (GDir) dir = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("key", load_key, fixture->state_dir);
  first = g_thread_join (threads[0]);
  for (gsize i = 1; i < G_N_ELEMENTS (threads); i++)
    {
      g_autofree guint8 *key = g_thread_join (threads[i]);

      g_assert_cmpmem (key, POSTBAG_SEAL_KEY_BYTES, first, POSTBAG_SEAL_KEY_BYTES);
    }
  dir = g_dir_open (fixture->state_dir, 0, NULL);
  g_assert_cmpstr (g_dir_read_name (dir), ==, "seal.key");
  g_assert_null (g_dir_read_name (dir));
}

/* --- single use --- */

static void
test_once (Fixture *fixture, gconstpointer user_data)
{
  g_autofree char *sealed = close_text (fixture->seal, "a");
  g_autofree char *other = close_text (fixture->seal, "a");
  g_autoptr (PostbagSeal) process = postbag_seal_new (fixture->state_dir, fixture->clock);
  g_autoptr (GError) error = NULL;

  g_assert_true (postbag_seal_use_once (fixture->seal, sealed, &error));
  g_assert_no_error (error);
  g_assert_false (postbag_seal_use_once (process, sealed, &error));
  g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_CONFLICT);
  g_clear_error (&error);
  g_assert_true (postbag_seal_use_once (process, other, &error));
  g_assert_no_error (error);
  g_assert_false (postbag_seal_use_once (fixture->seal, "../../x", &error));
  g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_INVALID_ARGUMENT);
}

static guint
count_marks (Fixture *fixture)
{
  g_autofree char *folder = g_build_filename (fixture->state_dir, "used", NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  guint count = 0;

  while (g_dir_read_name (dir) != NULL)
    count++;
  return count;
}

static void
test_marks_vanish (Fixture *fixture, gconstpointer user_data)
{
  g_autofree char *first = close_text (fixture->seal, "a");
  g_autofree char *second = close_text (fixture->seal, "b");
  g_autofree char *third = NULL;

  g_assert_true (postbag_seal_use_once (fixture->seal, first, NULL));
  g_assert_true (postbag_seal_use_once (fixture->seal, second, NULL));
  g_assert_cmpuint (count_marks (fixture), ==, 2);
  postbag_clock_advance (fixture->clock, 2 * G_TIME_SPAN_HOUR);
  third = close_text (fixture->seal, "c");
  g_assert_true (postbag_seal_use_once (fixture->seal, third, NULL));
  g_assert_cmpuint (count_marks (fixture), ==, 1);
}

static void
test_once_in_memory (void)
{
  g_autoptr (PostbagClock) clock = postbag_clock_new_manual (START_S * G_USEC_PER_SEC);
  g_autoptr (PostbagSeal) seal = postbag_seal_new (NULL, clock);
  g_autofree char *token = NULL;

  g_test_expect_message ("postbag-safety", G_LOG_LEVEL_MESSAGE, "*no state folder*");
  token = postbag_seal_make_token (seal, "delete", "local", "INBOX 1", 300);
  g_test_assert_expected_messages ();
  g_assert_true (postbag_seal_use_once (seal, token, NULL));
  g_assert_false (postbag_seal_use_once (seal, token, NULL));
  /* Kept an hour beyond its expiry, in case the clock is set back, and no longer. */
  postbag_clock_advance (clock, 299 * G_USEC_PER_SEC + G_TIME_SPAN_HOUR);
  g_assert_false (postbag_seal_use_once (seal, token, NULL));
  postbag_clock_advance (clock, G_USEC_PER_SEC);
  g_assert_true (postbag_seal_use_once (seal, token, NULL));
}

/* --- tokens --- */

static void
assert_token_refused (Fixture *fixture, const char *operation, const char *principal,
                      const char *target, const char *token)
{
  g_autoptr (GError) error = NULL;

  g_assert_false (
      postbag_seal_check_token (fixture->seal, operation, principal, target, token, &error));
  g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_INVALID_ARGUMENT);
}

static void
test_token (Fixture *fixture, gconstpointer user_data)
{
  g_autofree char *token =
      postbag_seal_make_token (fixture->seal, "delete", "local", "INBOX 1", 300);
  g_autofree char *upper = g_ascii_strup (token, -1);
  g_autofree char *later = g_strdup (token);
  g_autoptr (GError) error = NULL;

  g_assert_cmpuint (strlen (token), ==, 32);
  /* The first four bytes: 1800000300 in hexadecimal. */
  g_assert_true (g_str_has_prefix (token, "6b49d32c"));
  g_assert_true (
      postbag_seal_check_token (fixture->seal, "delete", "local", "INBOX 1", token, &error));
  g_assert_no_error (error);
  assert_token_refused (fixture, "move", "local", "INBOX 1", token);
  assert_token_refused (fixture, "delete", "alice", "INBOX 1", token);
  assert_token_refused (fixture, "delete", "local", "INBOX 2", token);
  assert_token_refused (fixture, "deletel", "ocal", "INBOX 1", token);
  assert_token_refused (fixture, "delete", "local", "INBOX 1", upper);
  assert_token_refused (fixture, "delete", "local", "INBOX 1", "");
  for (guint i = 0; i < 32; i++)
    {
      g_autofree char *other = g_strdup (token);

      other[i] = other[i] == '0' ? '1' : '0';
      assert_token_refused (fixture, "delete", "local", "INBOX 1", other);
    }
  later[0] = '7';
  assert_token_refused (fixture, "delete", "local", "INBOX 1", later);
  postbag_clock_advance (fixture->clock, 300 * G_USEC_PER_SEC);
  assert_token_refused (fixture, "delete", "local", "INBOX 1", token);
}

/* Asked again in the second in which it was answered, with a state folder and without. */
static void
test_token_again (Fixture *fixture, gconstpointer user_data)
{
  g_autoptr (PostbagSeal) alone = postbag_seal_new (NULL, fixture->clock);
  PostbagSeal *const seals[] = { fixture->seal, alone };

  for (gsize i = 0; i < G_N_ELEMENTS (seals); i++)
    {
      g_autoptr (GHashTable) tokens = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

      for (guint n = 0; n < 3; n++)
        {
          char *token = postbag_seal_make_token (seals[i], "delete", "local", "INBOX 1", 300);

          g_assert_true (g_hash_table_add (tokens, token));
          g_assert_true (
              postbag_seal_check_token (seals[i], "delete", "local", "INBOX 1", token, NULL));
          g_assert_true (postbag_seal_use_once (seals[i], token, NULL));
          g_assert_false (postbag_seal_use_once (seals[i], token, NULL));
        }
    }
}

#define ADD(path, function) g_test_add ("/seal/" path, Fixture, NULL, set_up, function, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("round-trip", test_round_trip);
  ADD ("altered", test_altered);
  ADD ("bound", test_bound);
  ADD ("expires", test_expires);
  ADD ("key/file", test_key_file);
  ADD ("key/bad-file", test_bad_key_file);
  ADD ("key/race", test_key_race);
  ADD ("once", test_once);
  ADD ("once/marks-vanish", test_marks_vanish);
  g_test_add_func ("/seal/once/in-memory", test_once_in_memory);
  ADD ("token", test_token);
  ADD ("token/again", test_token_again);
  return g_test_run ();
}
