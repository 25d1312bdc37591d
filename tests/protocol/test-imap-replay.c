/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Plays the server's side of conversations through framer and parser: whole, byte by byte, and cut
 * off behind each line; and compares the values with what the conversation says must come out. The
 * conversations are ours (*.talk here) and the public cases in $POSTBAG_CASES/imap. What a client
 * has to do or not to do is tested with a connection, elsewhere. */

#include <json-glib/json-glib.h>
#include <string.h>

#include "describe.h"
#include "mime/postbag-message.h"
#include "postbag-imap-parser.h"
#include "postbag-imap-set.h"
#include "talk.h"

/* Reads @bytes in pieces of @step; the replies in order. */
static GPtrArray *
read_replies (const char *bytes, gsize length, gsize step)
{
  GPtrArray *replies = g_ptr_array_new_with_free_func ((GDestroyNotify)postbag_imap_reply_unref);
  g_autoptr (PostbagImapFramer) framer = postbag_imap_framer_new (0);
  gboolean utf8 = FALSE;

  for (gsize start = 0; start < length; start += step)
    {
      const guint8 *data = (const guint8 *)bytes + start;
      gsize left = MIN (step, length - start);

      while (left > 0)
        {
          g_autoptr (GError) error = NULL;
          g_autoptr (PostbagImapFrame) frame =
              postbag_imap_framer_read (framer, &data, &left, &error);
          PostbagImapReply *reply;

          g_assert_no_error (error);
          if (frame == NULL)
            continue;
          reply = postbag_imap_parse (frame, utf8, &error);
          g_assert_no_error (error);
          if (reply->kind == POSTBAG_IMAP_REPLY_ENABLED)
            utf8 |= g_strv_contains ((const char *const *)reply->words, "UTF8=ACCEPT");
          g_ptr_array_add (replies, reply);
        }
    }
  return replies;
}

static char *
describe (const GPtrArray *replies)
{
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < replies->len; i++)
    describe_reply (g_ptr_array_index (replies, i), out);
  return g_string_free (out, FALSE);
}

/* The same replies byte by byte; a beginning of them when cut off behind a line. */
static void
check_cuts (const Talk *talk, const GString *bytes, const char *whole)
{
  g_autoptr (GPtrArray) single = read_replies (bytes->str, bytes->len, 1);
  g_autofree char *single_text = describe (single);
  gsize cut = 0;

  g_assert_cmpstr (single_text, ==, whole);
  for (guint i = 0; i < talk->lines->len; i++)
    {
      const TalkLine *line = g_ptr_array_index (talk->lines, i);
      g_autoptr (GPtrArray) begun = NULL;
      g_autofree char *text = NULL;

      if (!line->from_server)
        continue;
      cut += line->bytes->len;
      begun = read_replies (bytes->str, cut, cut);
      text = describe (begun);
      g_assert_true (g_str_has_prefix (whole, text));
    }
}

static void
assert_strings (char *const *words, JsonArray *expected)
{
  g_assert_cmpuint (words != NULL ? g_strv_length ((char **)words) : 0, ==,
                    json_array_get_length (expected));
  for (guint i = 0; i < json_array_get_length (expected); i++)
    g_assert_cmpstr (words[i], ==, json_array_get_string_element (expected, i));
}

static void
assert_header (const char *value, const char *expected)
{
  g_autofree char *decoded = value != NULL ? postbag_message_decode_header (value) : NULL;

  g_assert_cmpstr (decoded, ==, expected);
}

static void
check_addresses (const GPtrArray *addresses, JsonArray *expected)
{
  g_assert_cmpuint (addresses->len, ==, json_array_get_length (expected));
  for (guint i = 0; i < addresses->len; i++)
    {
      const PostbagAddress *address = g_ptr_array_index (addresses, i);

      g_assert_cmpstr (address->address, ==, json_array_get_string_element (expected, i));
    }
}

static void
check_envelope (const PostbagImapEnvelope *envelope, JsonObject *expected)
{
  g_assert_nonnull (envelope);
  if (json_object_has_member (expected, "subject"))
    assert_header (envelope->subject, json_object_get_string_member (expected, "subject"));
  if (json_object_has_member (expected, "message_id"))
    g_assert_cmpstr (envelope->message_id, ==,
                     json_object_get_null_member (expected, "message_id")
                         ? NULL
                         : json_object_get_string_member (expected, "message_id"));
  if (json_object_has_member (expected, "from"))
    check_addresses (envelope->from, json_object_get_array_member (expected, "from"));
  if (json_object_has_member (expected, "to"))
    check_addresses (envelope->to, json_object_get_array_member (expected, "to"));
}

/* Whatever its origin. */
static const PostbagImapSection *
find_section (const PostbagImapFetch *fetch, const char *name)
{
  for (guint i = 0; i < fetch->sections->len; i++)
    {
      const PostbagImapSection *section = g_ptr_array_index (fetch->sections, i);

      if (strcmp (section->name, name) == 0)
        return section;
    }
  return NULL;
}

static void
check_body (const PostbagImapFetch *fetch, JsonObject *expected)
{
  const PostbagImapSection *section = find_section (fetch, "");
  gsize length;
  const char *data;

  g_assert_nonnull (section);
  g_assert_nonnull (section->bytes);
  data = g_bytes_get_data (section->bytes, &length);
  if (json_object_has_member (expected, "body_size"))
    g_assert_cmpint (length, ==, json_object_get_int_member (expected, "body_size"));
  if (json_object_has_member (expected, "body"))
    {
      g_autofree char *text = g_strndup (data, length);

      g_assert_cmpstr (text, ==, json_object_get_string_member (expected, "body"));
    }
}

static void
check_sections (const PostbagImapFetch *fetch, JsonObject *expected)
{
  g_autoptr (GList) names = json_object_get_members (expected);

  for (GList *name = names; name != NULL; name = name->next)
    {
      const PostbagImapSection *section = find_section (fetch, name->data);
      g_autoptr (GString) hex = g_string_new (NULL);
      gsize length;
      const guint8 *data;

      g_assert_nonnull (section);
      data = g_bytes_get_data (section->bytes, &length);
      for (gsize i = 0; i < length; i++)
        g_string_append_printf (hex, "%02x", data[i]);
      g_assert_cmpstr (hex->str, ==, json_object_get_string_member (expected, name->data));
    }
}

static void
check_fetch (const PostbagImapFetch *fetch, JsonObject *expected)
{
  if (json_object_has_member (expected, "uid"))
    g_assert_cmpint (fetch->uid, ==, json_object_get_int_member (expected, "uid"));
  if (json_object_has_member (expected, "seq"))
    g_assert_cmpint (fetch->number, ==, json_object_get_int_member (expected, "seq"));
  if (json_object_has_member (expected, "flags"))
    assert_strings (fetch->flags, json_object_get_array_member (expected, "flags"));
  if (json_object_has_member (expected, "labels"))
    assert_strings (fetch->labels, json_object_get_array_member (expected, "labels"));
  if (json_object_has_member (expected, "modseq"))
    {
      g_autofree char *modseq = g_strdup_printf ("%" G_GUINT64_FORMAT, fetch->modseq);

      g_assert_cmpstr (modseq, ==, json_object_get_string_member (expected, "modseq"));
    }
  if (json_object_has_member (expected, "body") || json_object_has_member (expected, "body_size"))
    check_body (fetch, expected);
  if (json_object_has_member (expected, "sections_hex"))
    check_sections (fetch, json_object_get_object_member (expected, "sections_hex"));
  if (json_object_has_member (expected, "envelope"))
    check_envelope (fetch->envelope, json_object_get_object_member (expected, "envelope"));
}

static void
check_fetches (const GPtrArray *replies, JsonArray *expected)
{
  guint next = 0;

  for (guint i = 0; i < replies->len; i++)
    {
      const PostbagImapReply *reply = g_ptr_array_index (replies, i);

      if (reply->kind != POSTBAG_IMAP_REPLY_FETCH)
        continue;
      g_assert_cmpuint (next, <, json_array_get_length (expected));
      check_fetch (reply->fetch, json_array_get_object_element (expected, next++));
    }
  g_assert_cmpuint (next, ==, json_array_get_length (expected));
}

static void
check_parts (const GPtrArray *replies, JsonArray *expected)
{
  const PostbagPart *structure = NULL;

  for (guint i = 0; i < replies->len; i++)
    {
      const PostbagImapReply *reply = g_ptr_array_index (replies, i);

      if (reply->kind == POSTBAG_IMAP_REPLY_FETCH)
        structure = reply->fetch->structure;
    }
  g_assert_nonnull (structure);
  for (guint i = 0; i < json_array_get_length (expected); i++)
    {
      JsonObject *wanted = json_array_get_object_element (expected, i);
      const PostbagPart *part =
          postbag_part_find (structure, json_object_get_string_member (wanted, "path"));

      g_assert_nonnull (part);
      g_assert_cmpstr (part->type, ==, json_object_get_string_member (wanted, "type"));
      if (json_object_has_member (wanted, "size"))
        g_assert_cmpint (part->size, ==, json_object_get_int_member (wanted, "size"));
      if (json_object_has_member (wanted, "filename"))
        assert_header (part->filename, json_object_get_string_member (wanted, "filename"));
    }
}

static void
check_list (const GPtrArray *replies, JsonArray *expected)
{
  guint next = 0;

  for (guint i = 0; i < replies->len; i++)
    {
      const PostbagImapReply *reply = g_ptr_array_index (replies, i);
      JsonObject *wanted;

      if (reply->kind != POSTBAG_IMAP_REPLY_LIST)
        continue;
      wanted = json_array_get_object_element (expected, next++);
      g_assert_cmpstr (reply->list->name, ==, json_object_get_string_member (wanted, "name"));
      if (json_object_has_member (wanted, "delimiter"))
        {
          const char *delimiter = json_object_get_null_member (wanted, "delimiter")
                                      ? ""
                                      : json_object_get_string_member (wanted, "delimiter");

          g_assert_cmpint (reply->list->delimiter, ==, delimiter[0]);
        }
    }
  g_assert_cmpuint (next, ==, json_array_get_length (expected));
}

static void
check_status (const GPtrArray *replies, JsonArray *expected)
{
  guint next = 0;

  for (guint i = 0; i < replies->len; i++)
    {
      const PostbagImapReply *reply = g_ptr_array_index (replies, i);
      JsonObject *wanted;

      if (reply->kind != POSTBAG_IMAP_REPLY_MAILBOX_STATUS)
        continue;
      wanted = json_array_get_object_element (expected, next++);
      g_assert_cmpstr (reply->mailbox_status->name, ==,
                       json_object_get_string_member (wanted, "name"));
      g_assert_cmpint (reply->mailbox_status->messages, ==,
                       json_object_get_int_member (wanted, "messages"));
    }
  g_assert_cmpuint (next, ==, json_array_get_length (expected));
}

/* The numbers of all SEARCH replies in front of the @command-th tagged one. */
static void
check_search (const GPtrArray *replies, guint command, JsonArray *expected)
{
  g_autoptr (GArray) numbers = postbag_imap_set_new ();
  g_autoptr (GArray) wanted = postbag_imap_set_new ();
  g_autofree char *text = NULL, *wanted_text = NULL;
  guint seen = 0;

  for (guint i = 0; i < replies->len; i++)
    {
      const PostbagImapReply *reply = g_ptr_array_index (replies, i);

      if (reply->tag != NULL)
        seen++;
      if (seen != command
          || (reply->kind != POSTBAG_IMAP_REPLY_SEARCH
              && reply->kind != POSTBAG_IMAP_REPLY_ESEARCH))
        continue;
      for (guint j = 0; j < reply->search->numbers->len; j++)
        {
          PostbagImapRange range = g_array_index (reply->search->numbers, PostbagImapRange, j);

          postbag_imap_set_add (numbers, range.first, range.last);
        }
    }
  for (guint i = 0; i < json_array_get_length (expected); i++)
    {
      guint32 number = (guint32)json_array_get_int_element (expected, i);

      postbag_imap_set_add (wanted, number, number);
    }
  text = postbag_imap_set_to_string (numbers);
  wanted_text = postbag_imap_set_to_string (wanted);
  g_assert_cmpstr (text, ==, wanted_text);
}

static void
check_result (const GPtrArray *replies, JsonObject *expected)
{
  const char *result = json_object_get_string_member_with_default (expected, "result", "");
  const PostbagImapStatus *last = NULL;

  for (guint i = 0; i < replies->len; i++)
    {
      const PostbagImapReply *reply = g_ptr_array_index (replies, i);

      if (reply->kind == POSTBAG_IMAP_REPLY_STATUS
          && (reply->tag != NULL || reply->status->condition == POSTBAG_IMAP_BYE))
        last = reply->status;
    }
  if (strcmp (result, "ok") == 0)
    g_assert_true (last != NULL && last->condition == POSTBAG_IMAP_OK);
  if (strcmp (result, "no") == 0 && !json_object_has_member (expected, "client_never_sends"))
    g_assert_true (last != NULL && last->condition == POSTBAG_IMAP_NO);
  if (strcmp (result, "closed") == 0)
    g_assert_true (last != NULL && last->condition == POSTBAG_IMAP_BYE);
  if (json_object_has_member (expected, "code")
      && !json_object_has_member (expected, "client_never_sends"))
    g_assert_cmpstr (last->code, ==, json_object_get_string_member (expected, "code"));
  if (json_object_has_member (expected, "temporary"))
    g_assert_cmpint (postbag_imap_status_is_temporary (last), ==,
                     json_object_get_boolean_member (expected, "temporary"));
}

static void
check_exists (const GPtrArray *replies, gint64 expected)
{
  gint64 exists = -1;

  for (guint i = 0; i < replies->len; i++)
    {
      const PostbagImapReply *reply = g_ptr_array_index (replies, i);

      if (reply->kind == POSTBAG_IMAP_REPLY_EXISTS)
        exists = reply->number;
    }
  g_assert_cmpint (exists, ==, expected);
}

static void
check_expected (const GPtrArray *replies, JsonObject *expected)
{
  static const struct
  {
    const char *name;
    void (*check) (const GPtrArray *replies, JsonArray *expected);
  } lists[] = { { "fetch", check_fetches },
                { "parts", check_parts },
                { "list", check_list },
                { "status", check_status } };

  for (gsize i = 0; i < G_N_ELEMENTS (lists); i++)
    if (json_object_has_member (expected, lists[i].name))
      lists[i].check (replies, json_object_get_array_member (expected, lists[i].name));
  if (json_object_has_member (expected, "search"))
    check_search (replies, 0, json_object_get_array_member (expected, "search"));
  if (json_object_has_member (expected, "search_a2"))
    check_search (replies, 1, json_object_get_array_member (expected, "search_a2"));
  if (json_object_has_member (expected, "exists"))
    check_exists (replies, json_object_get_int_member (expected, "exists"));
  check_result (replies, expected);
}

static void
replay (const Talk *talk, JsonObject *expected)
{
  g_autoptr (GString) bytes = talk_join_server (talk);
  g_autoptr (GPtrArray) replies = read_replies (bytes->str, bytes->len, MAX (bytes->len, 1));
  g_autofree char *whole = describe (replies);

  check_expected (replies, expected);
  check_cuts (talk, bytes, whole);
}

/* One line of cases.jsonl: whatever framer and parser can show of it. */
static void
test_case (gconstpointer data)
{
  const char *line = data;
  g_autoptr (JsonNode) node = json_from_string (line, NULL);
  JsonObject *object = json_node_get_object (node);
  g_autofree char *path = g_build_filename (g_getenv ("POSTBAG_CASES"), "imap",
                                            json_object_get_string_member (object, "file"), NULL);
  g_autoptr (Talk) talk = talk_load (path);

  replay (talk, json_object_get_object_member (object, "expect"));
}

static void
test_talk (gconstpointer data)
{
  g_autoptr (Talk) talk = talk_load (data);
  g_autoptr (JsonNode) node = NULL;

  g_assert_nonnull (talk->expect);
  node = json_from_string (talk->expect, NULL);
  g_assert_nonnull (node);
  replay (talk, json_node_get_object (node));
}

static void
skip_cases (void)
{
  g_test_skip ("POSTBAG_CASES is not set: the public cases are not replayed");
}

static void
add_cases (void)
{
  const char *folder = g_getenv ("POSTBAG_CASES");
  g_autofree char *path = NULL, *text = NULL;
  g_auto (GStrv) lines = NULL;

  if (folder == NULL)
    {
      g_test_add_func ("/imap/replay/cases", skip_cases);
      return;
    }
  path = g_build_filename (folder, "imap", "cases.jsonl", NULL);
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  lines = g_strsplit (text, "\n", -1);
  for (char **line = lines; *line != NULL && **line != '\0'; line++)
    {
      g_autofree char *id = g_strndup (*line + strlen ("{\"id\": \""), 4);
      g_autofree char *name = g_strconcat ("/imap/replay/cases/", id, NULL);

      g_test_add_data_func_full (name, g_strdup (*line), test_case, g_free);
    }
}

static void
add_talks (void)
{
  g_autofree char *folder = g_test_build_filename (G_TEST_DIST, "protocol", NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *file;

  g_assert_nonnull (dir);
  while ((file = g_dir_read_name (dir)) != NULL)
    if (g_str_has_suffix (file, ".talk"))
      {
        g_autofree char *name = g_strconcat ("/imap/replay/talk/", file, NULL);

        g_test_add_data_func_full (name, g_build_filename (folder, file, NULL), test_talk, g_free);
      }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  add_cases ();
  add_talks ();
  return g_test_run ();
}
