/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-imap-command.h"

#include <string.h>

#include "base/postbag-error.h"
#include "postbag-imap-set.h"

/* The segments as one text, `<wait>` where the client has to. */
static char *
write_out (PostbagImapCommand *command, PostbagImapLiterals literals)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) segments = postbag_imap_command_serialize (command, "a1", literals, &error);
  GString *out = g_string_new (NULL);

  g_assert_no_error (error);
  for (guint i = 0; i < segments->len; i++)
    {
      const PostbagImapSegment *segment = g_ptr_array_index (segments, i);
      gsize length;
      gconstpointer data = g_bytes_get_data (segment->bytes, &length);

      g_string_append_len (out, data, (gssize)length);
      if (segment->wait)
        g_string_append (out, "<wait>");
    }
  return g_string_free (out, FALSE);
}

static void
test_arguments (void)
{
  g_autoptr (PostbagImapCommand) command = postbag_imap_command_new ("UID FETCH");
  g_autoptr (GArray) set = postbag_imap_set_new ();
  g_autofree char *out = NULL;

  postbag_imap_set_add (set, 1, 1);
  postbag_imap_set_add (set, 2, 2);
  postbag_imap_set_add (set, 9, 4294967295);
  postbag_imap_command_add_set (command, set);
  postbag_imap_command_add_open (command);
  postbag_imap_command_add_words (command, "UID FLAGS");
  postbag_imap_command_add_section (command, "2.1", "MIME", 0, 0);
  postbag_imap_command_add_section (command, NULL, NULL, 0, 131072);
  postbag_imap_command_add_section (command, NULL, "HEADER", 0, 0);
  postbag_imap_command_add_binary (command, "2", 0, 1048576);
  postbag_imap_command_add_close (command);
  out = write_out (command, POSTBAG_IMAP_LITERALS_WAIT);
  g_assert_cmpstr (out, ==,
                   "a1 UID FETCH 1:2,9:4294967295 (UID FLAGS BODY.PEEK[2.1.MIME] "
                   "BODY.PEEK[]<0.131072> BODY.PEEK[HEADER] BINARY.PEEK[2]<0.1048576>)\r\n");
}

/* The commands of extensions that nothing here sends yet, as their RFCs write them: 5256 (sections
 * 3, BASE.6.4.SORT and THREAD), 7162 (3.2.5.2), 8970 (5), 5032 (5), and Google's extensions. */
static void
test_extensions (void)
{
  const GDate since = { .day = 5, .month = 3, .year = 2000, .dmy = 1 };
  g_autoptr (PostbagImapCommand) sort = postbag_imap_command_new ("SORT");
  g_autoptr (PostbagImapCommand) thread = postbag_imap_command_new ("THREAD");
  g_autoptr (PostbagImapCommand) select = postbag_imap_command_new ("SELECT");
  g_autoptr (PostbagImapCommand) preview = postbag_imap_command_new ("FETCH");
  g_autoptr (PostbagImapCommand) within = postbag_imap_command_new ("SEARCH");
  g_autoptr (PostbagImapCommand) google = postbag_imap_command_new ("SEARCH");
  g_autoptr (GArray) set = postbag_imap_set_new ();
  PostbagImapCommand *const commands[] = { sort, thread, select, preview, within, google };
  static const char *const expected[] = {
    "a1 SORT (REVERSE DATE) UTF-8 ALL\r\n",
    "a1 THREAD ORDEREDSUBJECT UTF-8 SINCE 5-Mar-2000\r\n",
    "a1 SELECT \"INBOX\" (QRESYNC (67890007 90060115194045000 41:211,214:541))\r\n",
    "a1 FETCH 41:211,214:541 (RFC822.SIZE PREVIEW (LAZY))\r\n",
    "a1 SEARCH UNSEEN YOUNGER 259200\r\n",
    "a1 SEARCH X-GM-RAW \"has:attachment in:unread\"\r\n",
  };

  postbag_imap_set_add (set, 41, 211);
  postbag_imap_set_add (set, 214, 541);
  postbag_imap_command_add_words (sort, "(REVERSE DATE) UTF-8 ALL");
  postbag_imap_command_add_words (thread, "ORDEREDSUBJECT UTF-8 SINCE");
  postbag_imap_command_add_date (thread, &since);
  postbag_imap_command_add_mailbox (select, "INBOX", FALSE);
  postbag_imap_command_add_open (select);
  postbag_imap_command_add_words (select, "QRESYNC");
  postbag_imap_command_add_open (select);
  postbag_imap_command_add_number (select, 67890007);
  postbag_imap_command_add_number (select, 90060115194045000);
  postbag_imap_command_add_set (select, set);
  postbag_imap_command_add_close (select);
  postbag_imap_command_add_close (select);
  postbag_imap_command_add_set (preview, set);
  postbag_imap_command_add_words (preview, "(RFC822.SIZE PREVIEW (LAZY))");
  postbag_imap_command_add_words (within, "UNSEEN YOUNGER");
  postbag_imap_command_add_number (within, 259200);
  postbag_imap_command_add_words (google, "X-GM-RAW");
  postbag_imap_command_add_string (google, "has:attachment in:unread");
  for (gsize i = 0; i < G_N_ELEMENTS (commands); i++)
    {
      g_autofree char *out = write_out (commands[i], POSTBAG_IMAP_LITERALS_WAIT);

      g_assert_cmpstr (out, ==, expected[i]);
    }
}

static void
test_strings (void)
{
  static const struct
  {
    const char *text;
    PostbagImapLiterals literals;
    const char *expected;
  } cases[] = {
    { "plain", POSTBAG_IMAP_LITERALS_WAIT, "a1 X \"plain\" 5\r\n" },
    { "", POSTBAG_IMAP_LITERALS_WAIT, "a1 X \"\" 5\r\n" },
    { "p\\a\"ss", POSTBAG_IMAP_LITERALS_WAIT, "a1 X \"p\\\\a\\\"ss\" 5\r\n" },
    { "a\r\nb LOGOUT", POSTBAG_IMAP_LITERALS_WAIT, "a1 X {11}\r\n<wait>a\r\nb LOGOUT 5\r\n" },
    { "caf\xc3\xa9", POSTBAG_IMAP_LITERALS_WAIT, "a1 X {5}\r\n<wait>caf\xc3\xa9 5\r\n" },
    { "caf\xc3\xa9", POSTBAG_IMAP_LITERALS_SMALL, "a1 X {5+}\r\ncaf\xc3\xa9 5\r\n" },
    { "caf\xc3\xa9", POSTBAG_IMAP_LITERALS_ALL, "a1 X {5+}\r\ncaf\xc3\xa9 5\r\n" },
    { "tab\t", POSTBAG_IMAP_LITERALS_ALL, "a1 X {4+}\r\ntab\t 5\r\n" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (PostbagImapCommand) command = postbag_imap_command_new ("X");
      g_autofree char *out = NULL, *shown = NULL;

      postbag_imap_command_add_string (command, cases[i].text);
      postbag_imap_command_add_number (command, 5);
      out = write_out (command, cases[i].literals);
      g_assert_cmpstr (out, ==, cases[i].expected);
      shown = postbag_imap_command_describe (command);
      g_assert_null (cases[i].text[0] != '\0' ? strstr (shown, cases[i].text) : NULL);
    }
}

static void
test_large_literal_waits_with_literal_minus (void)
{
  g_autoptr (PostbagImapCommand) command = postbag_imap_command_new ("X");
  g_autofree char *filling = g_strnfill (4097, 'y');
  g_autoptr (GBytes) bytes = g_bytes_new (filling, 4097);
  g_autofree char *small = NULL, *all = NULL;

  postbag_imap_command_add_literal (command, bytes);
  small = write_out (command, POSTBAG_IMAP_LITERALS_SMALL);
  all = write_out (command, POSTBAG_IMAP_LITERALS_ALL);
  g_assert_true (g_str_has_prefix (small, "a1 X {4097}\r\n<wait>yyy"));
  g_assert_true (g_str_has_prefix (all, "a1 X {4097+}\r\nyyy"));
}

static void
test_mailboxes (void)
{
  static const struct
  {
    const char *name;
    gboolean utf8;
    const char *expected;
  } cases[] = {
    { "INBOX", FALSE, "a1 EXAMINE \"INBOX\"\r\n" },
    { "NIL", FALSE, "a1 EXAMINE \"NIL\"\r\n" },
    { "Say \"hi\"", FALSE, "a1 EXAMINE \"Say \\\"hi\\\"\"\r\n" },
    { "back\\slash", FALSE, "a1 EXAMINE \"back\\\\slash\"\r\n" },
    { "100% *real*", FALSE, "a1 EXAMINE \"100% *real*\"\r\n" },
    { "Entw\xc3\xbcrfe & mehr", FALSE, "a1 EXAMINE \"Entw&APw-rfe &- mehr\"\r\n" },
    { "Entw\xc3\xbcrfe & mehr", TRUE, "a1 EXAMINE \"Entw\xc3\xbcrfe & mehr\"\r\n" },
    { "a\r\nb", FALSE, "a1 EXAMINE \"a&AA0ACg-b\"\r\n" },
    { "a\nb", TRUE, "a1 EXAMINE {3}\r\n<wait>a\nb\r\n" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (PostbagImapCommand) command = postbag_imap_command_new ("EXAMINE");
      g_autofree char *out = NULL;

      postbag_imap_command_add_mailbox (command, cases[i].name, cases[i].utf8);
      out = write_out (command, POSTBAG_IMAP_LITERALS_WAIT);
      g_assert_cmpstr (out, ==, cases[i].expected);
    }
}

typedef void (*AddFunc) (PostbagImapCommand *command, const char *text);

static void
add_section (PostbagImapCommand *command, const char *text)
{
  postbag_imap_command_add_section (command, text, NULL, 0, 0);
}

static void
add_utf8_mailbox (PostbagImapCommand *command, const char *text)
{
  postbag_imap_command_add_mailbox (command, text, TRUE);
}

static void
test_refused (void)
{
  static const struct
  {
    AddFunc add;
    const char *text;
  } cases[] = {
    { postbag_imap_command_add_flag, "a b(" },
    { postbag_imap_command_add_flag, "" },
    { postbag_imap_command_add_flag, "\\" },
    { postbag_imap_command_add_flag, "\\Seen\r\na2 LOGOUT" },
    { postbag_imap_command_add_flag, "x)" },
    { postbag_imap_command_add_flag, "{5}" },
    { postbag_imap_command_add_flag, "caf\xc3\xa9" },
    { postbag_imap_command_add_field, "X: y" },
    { postbag_imap_command_add_field, "X\r\n" },
    { postbag_imap_command_add_field, "" },
    { add_section, "0" },
    { add_section, "1." },
    { add_section, "1]" },
    { add_section, "1 LOGOUT" },
    { add_section, "" },
    { add_utf8_mailbox, "\xff" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (PostbagImapCommand) command = postbag_imap_command_new ("X");
      g_autoptr (GError) error = NULL;

      cases[i].add (command, cases[i].text);
      g_assert_null (
          postbag_imap_command_serialize (command, "a1", POSTBAG_IMAP_LITERALS_ALL, &error));
      g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_INVALID_ARGUMENT);
    }
}

/* Reads what was written as a server does: literals by their announced length, then one line end
 * and nothing behind it. */
static gboolean
is_one_command (const char *bytes, gsize length)
{
  gsize position = 0;

  for (;;)
    {
      const char *end = memchr (bytes + position, '\r', length - position);
      gsize at, start;

      if (end == NULL || end + 1 >= bytes + length || end[1] != '\n')
        return FALSE;
      at = (gsize)(end - bytes);
      start = at > 0 && bytes[at - 1] == '}' ? at - 1 : at;
      while (start > position && strchr ("0123456789+}", bytes[start]) != NULL)
        start--;
      if (start == at || bytes[start] != '{' || !g_ascii_isdigit (bytes[start + 1]))
        return at + 2 == length && memchr (bytes + position, '\n', at - position) == NULL;
      position = at + 2 + (gsize)g_ascii_strtoull (bytes + start + 1, NULL, 10);
      if (position > length)
        return FALSE;
    }
}

static char *
make_random_text (GRand *random)
{
  static const char alphabet[] = "a\r\n\"\\{}()*% 1+~[]\xc3\xa9&-\t\x7f";
  guint length = (guint)g_rand_int_range (random, 0, 24);
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < length; i++)
    g_string_append_c (text, alphabet[g_rand_int_range (random, 0, sizeof alphabet - 1)]);
  return g_string_free (text, FALSE);
}

static void
test_always_one_command (void)
{
  static const AddFunc functions[] = { postbag_imap_command_add_string,
                                       postbag_imap_command_add_flag,
                                       postbag_imap_command_add_field,
                                       postbag_imap_command_add_raw_mailbox,
                                       add_section,
                                       add_utf8_mailbox };
  g_autoptr (GRand) random = g_rand_new_with_seed (1);

  for (guint i = 0; i < 20000; i++)
    {
      g_autoptr (PostbagImapCommand) command = postbag_imap_command_new ("X");
      g_autoptr (GPtrArray) segments = NULL;
      g_autoptr (GString) out = g_string_new (NULL);

      for (guint j = 0; j < 3; j++)
        {
          g_autofree char *text = make_random_text (random);

          functions[g_rand_int_range (random, 0, G_N_ELEMENTS (functions))](command, text);
        }
      segments = postbag_imap_command_serialize (
          command, "a1", (PostbagImapLiterals)g_rand_int_range (random, 0, 3), NULL);
      for (guint j = 0; segments != NULL && j < segments->len; j++)
        {
          const PostbagImapSegment *segment = g_ptr_array_index (segments, j);
          gsize length;
          gconstpointer data = g_bytes_get_data (segment->bytes, &length);

          g_string_append_len (out, data, (gssize)length);
        }
      g_assert_true (segments == NULL || is_one_command (out->str, out->len));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/imap/command/arguments", test_arguments);
  g_test_add_func ("/imap/command/extensions", test_extensions);
  g_test_add_func ("/imap/command/strings", test_strings);
  g_test_add_func ("/imap/command/large-literal", test_large_literal_waits_with_literal_minus);
  g_test_add_func ("/imap/command/mailboxes", test_mailboxes);
  g_test_add_func ("/imap/command/refused", test_refused);
  g_test_add_func ("/imap/command/always-one-command", test_always_one_command);
  return g_test_run ();
}
