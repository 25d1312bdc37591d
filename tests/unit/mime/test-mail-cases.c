/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Whole messages and what has to come out of them: tests/corpus/NAME.eml beside NAME.expect.json,
 * and the cases of $POSTBAG_CASES/eml (README there: what each key means). What is not read yet is
 * listed below with its reason; a case on the list that passes fails the test, so the list only
 * shrinks. */

#include "mime/postbag-read-private.h"

#include <json-glib/json-glib.h>
#include <string.h>

#include "mime/postbag-message.h"

static const char *const known_failures[][2] = {
  { NULL, NULL },
};

/* Keys that another stage answers: documents, containers, limits of the whole server. */
static const char *const elsewhere[] = { "attachment_text", "unpacked",   "network_access",
                                         "must_not_crash",  "max_rss_mb", NULL };

typedef struct
{
  GBytes *source;
  JsonObject *actual;
  const char *text;
  GString *problems;
  double seconds;
  gsize answer_bytes;
} Check;

static void
complain (Check *self, const char *key, const char *what)
{
  g_string_append_printf (self->problems, "%s: %s; ", key, what);
}

static const char *
get_string (JsonObject *object, const char *name)
{
  return json_object_get_string_member_with_default (object, name, NULL);
}

static void
check_addresses (Check *self, const char *key, JsonArray *expected)
{
  JsonArray *actual = json_object_get_array_member (self->actual, key);

  if (json_array_get_length (actual) != json_array_get_length (expected))
    {
      complain (self, key, "another number");
      return;
    }
  for (guint i = 0; i < json_array_get_length (expected); i++)
    {
      JsonObject *want = json_array_get_object_element (expected, i);
      JsonObject *got = json_array_get_object_element (actual, i);

      if (g_strcmp0 (get_string (want, "address"), get_string (got, "address")) != 0)
        complain (self, key, get_string (got, "address"));
      if (json_object_has_member (want, "name")
          && g_strcmp0 (get_string (want, "name"), get_string (got, "name")) != 0)
        complain (self, key, get_string (got, "name"));
    }
}

static gboolean
entry_fits (JsonObject *want, JsonObject *got)
{
  static const char *const strings[] = { "filename", "type", "sha256" };
  const char *suffix = get_string (want, "filename_endswith");

  for (gsize i = 0; i < G_N_ELEMENTS (strings); i++)
    if (json_object_has_member (want, strings[i])
        && g_strcmp0 (get_string (want, strings[i]), get_string (got, strings[i])) != 0)
      return FALSE;
  if (json_object_has_member (want, "size")
      && json_object_get_int_member (want, "size")
             != json_object_get_int_member_with_default (got, "size", -1))
    return FALSE;
  if (json_object_has_member (want, "inline")
      && json_object_get_boolean_member (want, "inline")
             != json_object_get_boolean_member (got, "inline"))
    return FALSE;
  return suffix == NULL || g_str_has_suffix (get_string (got, "filename"), suffix);
}

static void
check_attachments (Check *self, const char *key, JsonArray *expected)
{
  JsonArray *actual = json_object_get_array_member (self->actual, "attachments");

  for (guint i = 0; i < json_array_get_length (expected); i++)
    {
      JsonObject *want = json_array_get_object_element (expected, i);
      gboolean found = FALSE;

      for (guint j = 0; j < json_array_get_length (actual) && !found; j++)
        found = entry_fits (want, json_array_get_object_element (actual, j));
      if (!found)
        complain (self, key, get_string (want, "filename"));
    }
}

static void
check_text (Check *self, const char *key, JsonArray *pieces, gboolean wanted)
{
  for (guint i = 0; i < json_array_get_length (pieces); i++)
    {
      const char *piece = json_array_get_string_element (pieces, i);

      if (*piece != '\0' && (strstr (self->text, piece) != NULL) != wanted)
        complain (self, key, piece);
    }
}

static void
check_saved_names (Check *self, const char *key, JsonNode *expected)
{
  JsonArray *actual = json_object_get_array_member (self->actual, "attachments");

  for (guint i = 0; i < json_array_get_length (actual); i++)
    {
      const char *name = get_string (json_array_get_object_element (actual, i), "saved_name");

      if (strcmp (key, "saved_name_max_bytes") == 0)
        {
          if (strlen (name) > (gsize)json_node_get_int (expected))
            complain (self, key, name);
          continue;
        }
      for (guint j = 0; j < json_array_get_length (json_node_get_array (expected)); j++)
        {
          const char *word = json_array_get_string_element (json_node_get_array (expected), j);

          if (strcmp (key, "saved_name_forbids") == 0     ? strstr (name, word) != NULL
              : strcmp (key, "saved_name_not_equal") == 0 ? strcmp (name, word) == 0
                                                          : !g_str_has_suffix (name, word))
            complain (self, key, name);
        }
    }
}

static void
check_notices (Check *self, const char *key, JsonNode *expected)
{
  JsonArray *warnings = json_object_get_array_member (self->actual, "notices");
  g_autoptr (JsonArray) words = NULL;

  if (JSON_NODE_HOLDS_ARRAY (expected))
    words = json_node_dup_array (expected);
  else
    {
      words = json_array_new ();
      json_array_add_string_element (words, json_node_get_string (expected));
    }

  for (guint i = 0; i < json_array_get_length (warnings); i++)
    {
      g_autofree char *lower = g_utf8_strdown (json_array_get_string_element (warnings, i), -1);

      for (guint j = 0; j < json_array_get_length (words); j++)
        {
          g_autofree char *word = g_utf8_strdown (json_array_get_string_element (words, j), -1);

          if (strstr (lower, word) != NULL)
            return;
        }
    }
  complain (self, key, "no such word");
}

static JsonObject *
read_json (GBytes *source, gsize *length)
{
  g_autofree char *json = postbag_read_message_bytes (source, TRUE);
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) node = json_from_string (json, &error);

  g_assert_no_error (error);
  g_assert_true (g_utf8_validate (json, -1, NULL));
  *length = strlen (json);
  return json_object_ref (json_node_get_object (node));
}

static void check_object (Check *self, JsonObject *expect);

/* The n-th forwarded message by itself. */
static void
check_nested (Check *self, JsonArray *expected)
{
  g_autoptr (PostbagMessage) message = postbag_message_parse (self->source);
  JsonArray *structure = json_object_get_array_member (self->actual, "structure");
  guint n = 0;

  for (guint i = 0; i < json_array_get_length (structure); i++)
    {
      JsonObject *part = json_array_get_object_element (structure, i);
      g_autoptr (GBytes) inner = NULL;
      g_autoptr (JsonObject) actual = NULL;
      Check nested = { 0 };

      if (strcmp (get_string (part, "type"), "message/rfc822") != 0
          || n >= json_array_get_length (expected))
        continue;
      inner = postbag_message_decode_part (message, get_string (part, "part"), G_MAXUINT32, NULL);
      actual = read_json (inner, &nested.answer_bytes);
      nested.source = inner;
      nested.actual = actual;
      nested.text = get_string (actual, "text");
      nested.problems = self->problems;
      check_object (&nested, json_array_get_object_element (expected, n++));
    }
  if (n < json_array_get_length (expected))
    complain (self, "nested", "too few");
}

static void
check_key (Check *self, const char *key, JsonNode *value)
{
  if (strcmp (key, "subject") == 0 || strcmp (key, "date") == 0 || strcmp (key, "message_id") == 0
      || strcmp (key, "in_reply_to") == 0)
    {
      const char *want = JSON_NODE_HOLDS_NULL (value) ? NULL : json_node_get_string (value);

      if (g_strcmp0 (want, get_string (self->actual, key)) != 0)
        complain (self, key, get_string (self->actual, key));
    }
  else if (strcmp (key, "from") == 0 && JSON_NODE_HOLDS_VALUE (value))
    {
      JsonArray *from = json_object_get_array_member (self->actual, key);

      if (g_strcmp0 (get_string (json_array_get_object_element (from, 0), "address"),
                     json_node_get_string (value))
          != 0)
        complain (self, key, "another address");
    }
  else if (strcmp (key, "from") == 0 || strcmp (key, "to") == 0 || strcmp (key, "cc") == 0)
    check_addresses (self, key, json_node_get_array (value));
  else if (strcmp (key, "attachments") == 0 || strcmp (key, "attachments_include") == 0)
    check_attachments (self, key, json_node_get_array (value));
  else if (strcmp (key, "text_contains") == 0 || strcmp (key, "text_should") == 0
           || strcmp (key, "text_absent") == 0)
    check_text (self, key, json_node_get_array (value), strcmp (key, "text_absent") != 0);
  else if (g_str_has_prefix (key, "saved_name_"))
    check_saved_names (self, key, value);
  else if (strcmp (key, "nested") == 0)
    check_nested (self, json_node_get_array (value));
  else if (g_str_has_prefix (key, "notice_"))
    check_notices (self, key, value);
  else if (strcmp (key, "text_empty") == 0)
    {
      if ((*self->text == '\0') != json_node_get_boolean (value))
        complain (self, key, self->text);
    }
  else if (strcmp (key, "attachment_count") == 0)
    {
      if (json_array_get_length (json_object_get_array_member (self->actual, "attachments"))
          != json_node_get_int (value))
        complain (self, key, "another number");
    }
  else if (strcmp (key, "max_seconds") == 0)
    {
      if (self->seconds > (double)json_node_get_int (value))
        complain (self, key, "too slow");
    }
  else if (strcmp (key, "max_answer_bytes") == 0)
    {
      if (self->answer_bytes > (gsize)json_node_get_int (value))
        complain (self, key, "too long");
    }
  else if (strcmp (key, "valid_utf8") != 0 && !g_strv_contains (elsewhere, key))
    complain (self, key, "unknown key");
}

static void
check_object (Check *self, JsonObject *expect)
{
  JsonObjectIter iter;
  const char *key;
  JsonNode *value;

  json_object_iter_init (&iter, expect);
  while (json_object_iter_next (&iter, &key, &value))
    check_key (self, key, value);
}

/* (transfer full): what is wrong, "" when nothing is */
static char *
run_case (const char *path, JsonObject *expect)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) source = NULL;
  g_autoptr (JsonObject) actual = NULL;
  Check self = { 0 };
  gint64 start = g_get_monotonic_time ();
  char *bytes;
  gsize length;

  g_file_get_contents (path, &bytes, &length, &error);
  g_assert_no_error (error);
  source = g_bytes_new_take (bytes, length);
  actual = read_json (source, &self.answer_bytes);
  self.source = source;
  self.actual = actual;
  self.text = get_string (actual, "text");
  self.problems = g_string_new (NULL);
  self.seconds = (double)(g_get_monotonic_time () - start) / G_USEC_PER_SEC;
  check_object (&self, expect);
  return g_string_free (self.problems, FALSE);
}

static const char *
find_known_failure (const char *id)
{
  for (gsize i = 0; known_failures[i][0] != NULL; i++)
    if (strcmp (known_failures[i][0], id) == 0)
      return known_failures[i][1];
  return NULL;
}

static guint
judge (const char *id, const char *problems)
{
  const char *reason = find_known_failure (id);

  if (reason != NULL)
    g_test_message ("%s: %s (known: %s)", id, *problems != '\0' ? problems : "PASSES", reason);
  else
    g_test_message ("%s: %s", id, *problems != '\0' ? problems : "pass");
  return (*problems != '\0') != (reason != NULL);
}

static void
test_cases (void)
{
  const char *folder = g_getenv ("POSTBAG_CASES");
  g_autofree char *path = NULL;
  g_autofree char *lines = NULL;
  g_auto (GStrv) cases = NULL;
  guint wrong = 0;

  if (folder == NULL)
    {
      g_test_skip ("POSTBAG_CASES is not set: it names the folder with the mail cases");
      return;
    }
  path = g_build_filename (folder, "eml", "cases.jsonl", NULL);
  g_assert_true (g_file_get_contents (path, &lines, NULL, NULL));
  cases = g_strsplit (g_strchomp (lines), "\n", -1);
  for (guint i = 0; cases[i] != NULL; i++)
    {
      g_autoptr (JsonNode) node = json_from_string (cases[i], NULL);
      JsonObject *one = json_node_get_object (node);
      g_autofree char *file = g_build_filename (folder, "eml", get_string (one, "file"), NULL);
      g_autofree char *problems = run_case (file, json_object_get_object_member (one, "expect"));

      wrong += judge (get_string (one, "id"), problems);
    }
  g_assert_cmpuint (wrong, ==, 0);
}

static void
test_corpus (void)
{
  g_autofree char *folder = g_test_build_filename (G_TEST_DIST, "corpus", NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;
  guint count = 0, wrong = 0;

  g_assert_nonnull (dir);
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      const char *end = strstr (name, ".expect.json"); /* other members lie there, too */
      g_autofree char *id = g_strndup (name, end != NULL ? (gsize)(end - name) : 0);
      g_autofree char *mail = g_strconcat (folder, "/", id, ".eml", NULL);
      g_autofree char *path = g_build_filename (folder, name, NULL);
      g_autofree char *json = NULL;
      g_autofree char *problems = NULL;
      g_autoptr (JsonNode) node = NULL;

      if (end == NULL || !g_file_test (mail, G_FILE_TEST_EXISTS))
        continue;
      g_assert_true (g_file_get_contents (path, &json, NULL, NULL));
      node = json_from_string (json, NULL);
      problems = run_case (mail, json_node_get_object (node));
      wrong += judge (id, problems);
      count++;
    }
  g_assert_cmpuint (count, >, 0);
  g_assert_cmpuint (wrong, ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/mail-cases/corpus", test_corpus);
  g_test_add_func ("/mail-cases/cases", test_cases);
  return g_test_run ();
}
