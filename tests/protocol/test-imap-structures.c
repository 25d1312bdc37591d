/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Messages whose structure is longer than what is kept of a line. */

#include <string.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "peer-store.h"

#define MANY_PARTS                                                                                 \
  "S:Content-Type: multipart/mixed; boundary=b", "S:", "S:--b", "S:", "S:hello", "S:--b",          \
      "S:Content-Type: application/pdf; name=a.pdf", "S:", "S:x", "S:--b--"
/* of the lines above, each with CRLF */
#define MANY_PARTS_BYTES "119"

/* (transfer full): what a server says of a message, more than POSTBAG_LIMIT_IMAP_LINE_BYTES of it
 */
static char *
make_endless (const char *start, const char *end)
{
  g_autoptr (GString) line = g_string_new (start);

  for (guint i = 0; i < 15000; i++)
    g_string_append (line, "(\"text\" \"plain\" NIL NIL NIL \"7bit\" 1 1)");
  g_string_append_printf (line, " \"mixed\")%s)", end);
  return g_string_free (g_steal_pointer (&line), FALSE);
}

static void
assert_structure (const PostbagPart *structure, gboolean is_cut)
{
  g_assert_cmpstr (structure->type, ==, "multipart/mixed");
  g_assert_cmpuint (structure->children->len, ==, 2);
  g_assert_cmpstr (((PostbagPart *)structure->children->pdata[1])->filename, ==, "a.pdf");
  g_assert_cmpstr (((PostbagPart *)structure->children->pdata[1])->number, ==, "2");
  g_assert_cmpuint (structure->uid_validity, ==, 7);
  g_assert_true (structure->cut == is_cut);
}

/* Asked for once more without it, and read here: the message is not unreadable for that. */
static void
test_endless_structure (void)
{
  g_autofree char *endless = make_endless (
      "S:* 1 FETCH (UID 9 FLAGS (\\Seen) RFC822.SIZE " MANY_PARTS_BYTES " BODYSTRUCTURE (",
      " BODY[]<0> \"lost\"");
  const char *const script[] = {
    READY,
    EXAMINE,
    "C:UID FETCH 9 (UID FLAGS INTERNALDATE RFC822.SIZE BODYSTRUCTURE BODY.PEEK[]<0.",
    endless,
    "S:%t OK",
    "C:UID FETCH 9 (UID FLAGS INTERNALDATE RFC822.SIZE BODY.PEEK[]<0.1024>)",
    "S:* 1 FETCH (UID 9 FLAGS (\\Seen) RFC822.SIZE " MANY_PARTS_BYTES
    " BODY[]<0> {" MANY_PARTS_BYTES "}",
    MANY_PARTS,
    "S:)",
    "S:%t OK",
    EXAMINE,
    "C:UID FETCH 9 (UID BODYSTRUCTURE)",
    endless,
    "S:%t OK",
    "C:UID FETCH 9 (UID BODY.PEEK[]<0.1048576>)",
    "S:* 1 FETCH (UID 9 BODY[]<0> {" MANY_PARTS_BYTES "}",
    MANY_PARTS,
    "S:)",
    "S:%t OK",
    "STALL",
    NULL
  };
  const char *const *const scripts[] = { script, NULL };
  Fixture *fixture = begin (scripts);
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagFetchedMessage) message = fetch (fixture, 9, &error);
  g_autoptr (PostbagPart) structure = NULL;

  g_assert_no_error (error);
  g_assert_true (message->complete);
  g_assert_cmpint (message->flags, ==, POSTBAG_FLAG_SEEN);
  g_assert_true (
      g_str_has_prefix (g_bytes_get_data (message->source, NULL), "Content-Type: multipart/mixed"));
  structure = postbag_imap_store.fetch_structure (fixture->store, "INBOX", 9, NULL, &error);
  g_assert_no_error (error);
  assert_structure (structure, FALSE);
  end_quietly (fixture);
}

/* Of a message longer than what was asked of it, the parts that the first bytes show: more than
 * POSTBAG_LIMIT_SUMMARY_BYTES is not fetched for that. */
static void
test_endless_structure_of_a_long_message (void)
{
  static const char *const head =
      "Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nhello\r\n--b\r\n"
      "Content-Type: application/pdf; name=a.pdf\r\n\r\n";
  g_autofree char *endless =
      make_endless ("S:* 1 FETCH (UID 9 FLAGS () RFC822.SIZE 99999999 BODYSTRUCTURE (", "");
  g_autoptr (GString) first = g_string_new ("R:");
  g_autofree char *filler = g_strnfill (POSTBAG_LIMIT_IMAP_RANGE_BYTES, 'x');
  g_autofree char *next = g_strconcat ("R:", filler, NULL);
  g_autoptr (GPtrArray) script = g_ptr_array_new ();
  g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (g_free);
  static const char *const start[] = { READY, EXAMINE, "C:UID FETCH 9 (UID BODYSTRUCTURE)" };

  g_string_append (first, head);
  g_string_append_len (first, filler, (gssize)(POSTBAG_LIMIT_IMAP_RANGE_BYTES - strlen (head)));
  for (gsize i = 0; i < G_N_ELEMENTS (start); i++)
    g_ptr_array_add (script, (gpointer)start[i]);
  g_ptr_array_add (script, endless);
  g_ptr_array_add (script, (gpointer) "S:%t OK");
  for (guint i = 0; i < POSTBAG_LIMIT_SUMMARY_BYTES / POSTBAG_LIMIT_IMAP_RANGE_BYTES; i++)
    {
      guint offset = i * POSTBAG_LIMIT_IMAP_RANGE_BYTES;

      g_ptr_array_add (lines, g_strdup_printf ("C:UID FETCH 9 (UID BODY.PEEK[]<%u.%d>)", offset,
                                               POSTBAG_LIMIT_IMAP_RANGE_BYTES));
      g_ptr_array_add (script, lines->pdata[lines->len - 1]);
      g_ptr_array_add (lines, g_strdup_printf ("S:* 1 FETCH (UID 9 BODY[]<%u> {%d}", offset,
                                               POSTBAG_LIMIT_IMAP_RANGE_BYTES));
      g_ptr_array_add (script, lines->pdata[lines->len - 1]);
      g_ptr_array_add (script, i == 0 ? first->str : next);
      g_ptr_array_add (script, (gpointer) "S:)");
      g_ptr_array_add (script, (gpointer) "S:%t OK");
    }
  g_ptr_array_add (script, (gpointer) "STALL");
  g_ptr_array_add (script, NULL);

  const char *const *const scripts[] = { (const char *const *)script->pdata, NULL };
  Fixture *fixture = begin (scripts);
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagPart) structure =
      postbag_imap_store.fetch_structure (fixture->store, "INBOX", 9, NULL, &error);

  g_assert_no_error (error);
  assert_structure (structure, TRUE);
  end_quietly (fixture);
}

/* Message 43 comes with a structure too long to be kept: it is listed all the same, asked for once
 * more without it. @script: "LONG" is where it comes */
static void
assert_listed (const char **script)
{
  g_autoptr (GString) structure =
      g_string_new ("S:* 2 FETCH (UID 43 FLAGS () RFC822.SIZE 9 BODYSTRUCTURE (");
  const char *const *const scripts[] = { script, NULL };
  Fixture *fixture;
  g_autoptr (PostbagSearch) all = postbag_search_new ();
  PostbagPage page = { .limit = 2 };
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagSearchPage) result = NULL;

  for (guint i = 0; i < 15000; i++)
    g_string_append (structure, "(\"text\" \"plain\" NIL NIL NIL \"7bit\" 1 1)");
  g_string_append (structure, " \"mixed\") BODY[HEADER.FIELDS (FROM)] \"lost\")");
  for (; strcmp (*script, "LONG") != 0; script++)
    ;
  *script = structure->str;
  fixture = begin (scripts);
  result = postbag_imap_store.search (fixture->store, "INBOX", all, &page, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (result->summaries->len, ==, 2);
  g_assert_cmpstr (((PostbagSummary *)result->summaries->pdata[0])->subject, ==, "c");
  g_assert_cmpstr (((PostbagSummary *)result->summaries->pdata[1])->subject, ==, "b");
  end_quietly (fixture);
}

static void
test_list_with_endless_structure (void)
{
  const char *script[] = { GREETING,
                           LOGIN_WITH ("ESEARCH SEARCHRES"),
                           EXAMINE,
                           "C:NOOP",
                           "S:%t OK",
                           "C:UID SEARCH RETURN (SAVE ALL) 2:*",
                           "S:* ESEARCH (TAG \"%t\") UID ALL 41,43",
                           "S:%t OK",
                           "C:UID FETCH $ (",
                           LISTED ("41", "b"),
                           "LONG",
                           "S:%t OK",
                           "C:NOOP",
                           "S:%t OK",
                           "C:UID FETCH 43 (UID FLAGS INTERNALDATE RFC822.SIZE BODY.PEEK[",
                           LISTED ("43", "c"),
                           "S:%t OK",
                           "STALL",
                           NULL };

  assert_listed (script);
}

/* Nobody said which uids there are. */
static void
test_list_by_numbers_with_endless_structure (void)
{
  const char *script[] = { READY,
                           EXAMINE,
                           "C:NOOP",
                           "S:%t OK",
                           "C:FETCH 2:* (",
                           LISTED ("41", "b"),
                           "LONG",
                           "S:%t OK",
                           "C:NOOP",
                           "S:%t OK",
                           "C:UID FETCH 43 (UID FLAGS INTERNALDATE RFC822.SIZE BODY.PEEK[",
                           LISTED ("43", "c"),
                           "S:%t OK",
                           "STALL",
                           NULL };

  assert_listed (script);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/imap/structures/endless-structure", test_endless_structure);
  g_test_add_func ("/imap/structures/endless-structure-of-a-long-message",
                   test_endless_structure_of_a_long_message);
  g_test_add_func ("/imap/structures/list-with-endless-structure",
                   test_list_with_endless_structure);
  g_test_add_func ("/imap/structures/list-by-numbers-with-endless-structure",
                   test_list_by_numbers_with_endless_structure);
  return g_test_run ();
}
