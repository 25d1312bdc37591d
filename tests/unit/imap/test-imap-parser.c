/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-imap-parser.h"

#include <string.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "postbag-imap-set.h"

static PostbagImapReply *
parse_bytes (const char *bytes, gsize length, gboolean utf8, GError **error)
{
  g_autoptr (PostbagImapFramer) framer = postbag_imap_framer_new (0);
  const guint8 *data = (const guint8 *)bytes;
  g_autoptr (PostbagImapFrame) frame = postbag_imap_framer_read (framer, &data, &length, NULL);

  g_assert_nonnull (frame);
  g_assert_cmpuint (length, ==, 0);
  return postbag_imap_parse (frame, utf8, error);
}

static PostbagImapReply *
parse (const char *text)
{
  g_autofree char *line = g_strconcat (text, "\r\n", NULL);
  g_autoptr (GError) error = NULL;
  PostbagImapReply *reply = parse_bytes (line, strlen (line), FALSE, &error);

  g_assert_no_error (error);
  return reply;
}

static void
test_status (void)
{
  static const struct
  {
    const char *line;
    const char *tag;
    PostbagImapCondition condition;
    const char *code;
    const char *arguments;
    guint64 number;
    const char *text;
  } cases[] = {
    { "a1 OK done", "a1", POSTBAG_IMAP_OK, NULL, NULL, 0, "done" },
    { "a1 ok", "a1", POSTBAG_IMAP_OK, NULL, NULL, 0, "" },
    { "a2 OK [READ-WRITE]", "a2", POSTBAG_IMAP_OK, "READ-WRITE", NULL, 0, "" },
    { "* OK [UNSEEN 25]", NULL, POSTBAG_IMAP_OK, "UNSEEN", "25", 25, "" },
    { "* OK [UIDNEXT 4294967295] x", NULL, POSTBAG_IMAP_OK, "UIDNEXT", "4294967295", 4294967295,
      "x" },
    { "* OK [HIGHESTMODSEQ 9223372036854775807] x", NULL, POSTBAG_IMAP_OK, "HIGHESTMODSEQ",
      "9223372036854775807", 9223372036854775807u, "x" },
    { "* BYE Autologout; idle", NULL, POSTBAG_IMAP_BYE, NULL, NULL, 0, "Autologout; idle" },
    { "* PREAUTH hello", NULL, POSTBAG_IMAP_PREAUTH, NULL, NULL, 0, "hello" },
    { "* NO [ALERT] Storage nearly full", NULL, POSTBAG_IMAP_NO, "ALERT", NULL, 0,
      "Storage nearly full" },
    { "a1 NO [referral imap://x/] moved", "a1", POSTBAG_IMAP_NO, "REFERRAL", "imap://x/", 0,
      "moved" },
    { "a1 NO [broken", "a1", POSTBAG_IMAP_NO, "BROKEN", NULL, 0, "" },
    { "a1 OK see [this]", "a1", POSTBAG_IMAP_OK, NULL, NULL, 0, "see [this]" },
    { "* OK [PERMANENTFLAGS (\\Seen seen-by-[App]/All \\*)] ok", NULL, POSTBAG_IMAP_OK,
      "PERMANENTFLAGS", "(\\Seen seen-by-[App]/All \\*)", 0, "ok" },
    { "* BAD caf\xe9", NULL, POSTBAG_IMAP_BAD, NULL, NULL, 0, "caf\xef\xbf\xbd" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (PostbagImapReply) reply = parse (cases[i].line);

      g_assert_cmpint (reply->kind, ==, POSTBAG_IMAP_REPLY_STATUS);
      g_assert_cmpstr (reply->tag, ==, cases[i].tag);
      g_assert_cmpint (reply->status->condition, ==, cases[i].condition);
      g_assert_cmpstr (reply->status->code, ==, cases[i].code);
      g_assert_cmpstr (reply->status->arguments, ==, cases[i].arguments);
      g_assert_cmpuint (reply->status->number, ==, cases[i].number);
      g_assert_cmpstr (reply->status->text, ==, cases[i].text);
    }
}

static void
assert_words (char **words, const char *expected)
{
  g_autofree char *joined = g_strjoinv (" ", words);

  g_assert_cmpstr (joined, ==, expected);
}

static void
test_words (void)
{
  g_autoptr (PostbagImapReply) capability = parse ("* CAPABILITY IMAP4rev1 AUTH=PLAIN X ");
  g_autoptr (PostbagImapReply) flags =
      parse ("* FLAGS (\\Answered \\Seen $NotJunk seen-by-[App]/All Folders)");
  g_autoptr (PostbagImapReply) permanent =
      parse ("* OK [PERMANENTFLAGS (\\Answered \\Seen \\*)] ok");
  g_autoptr (PostbagImapReply) code = parse ("a1 OK [CAPABILITY IMAP4rev1 IDLE] logged in");
  g_autoptr (PostbagImapReply) charset = parse ("a2 NO [BADCHARSET (US-ASCII)] no");
  g_autoptr (PostbagImapReply) enabled = parse ("* ENABLED UTF8=ACCEPT");

  g_assert_cmpint (capability->kind, ==, POSTBAG_IMAP_REPLY_CAPABILITY);
  assert_words (capability->words, "IMAP4rev1 AUTH=PLAIN X");
  g_assert_cmpint (flags->kind, ==, POSTBAG_IMAP_REPLY_FLAGS);
  assert_words (flags->words, "\\Answered \\Seen $NotJunk seen-by-[App]/All Folders");
  assert_words (permanent->status->words, "\\Answered \\Seen \\*");
  assert_words (code->status->words, "IMAP4rev1 IDLE");
  assert_words (charset->status->words, "US-ASCII");
  g_assert_cmpint (enabled->kind, ==, POSTBAG_IMAP_REPLY_ENABLED);
  assert_words (enabled->words, "UTF8=ACCEPT");
}

static void
test_list (void)
{
  static const struct
  {
    const char *line;
    const char *name;
    char delimiter;
    const char *attributes;
  } cases[] = {
    { "* LIST (\\NoInferiors) NIL \"INBOX\"", "INBOX", 0, "\\NoInferiors" },
    { "* LIST () \"/\" inbox", "INBOX", '/', "" },
    { "* LIST () \"/\" NIL", "NIL", '/', "" },
    { "* LIST () \"\\\\\" \"a\\\\b\"", "a\\b", '\\', "" },
    { "* LIST () \"\\\"\" x", "x", '"', "" },
    { "* LIST () \"/\" \"\\\\a\\\"b\\\\\\\\\"", "\\a\"b\\\\", '/', "" },
    { "* LIST () \"/\" \"\\\\\"", "\\", '/', "" },
    { "* LIST () \".\" Entw&APw-rfe", "Entw\xc3\xbcrfe", '.', "" },
    { "* LIST () \".\" R&D", "R&D", '.', "" },
    { "* LIST (\\HasNoChildren \\Sent) \"/\" Sent (\"CHILDINFO\" (\"SUBSCRIBED\"))", "Sent", '/',
      "\\HasNoChildren \\Sent" },
    { "* LIST NIL \"/\" x", "x", '/', "" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (PostbagImapReply) reply = parse (cases[i].line);

      g_assert_cmpint (reply->kind, ==, POSTBAG_IMAP_REPLY_LIST);
      g_assert_cmpstr (reply->list->name, ==, cases[i].name);
      g_assert_cmpint (reply->list->delimiter, ==, cases[i].delimiter);
      assert_words (reply->list->attributes, cases[i].attributes);
    }
}

static void
test_mailbox_replies (void)
{
  g_autoptr (PostbagImapReply) status = parse (
      "* STATUS \"a b\" (MESSAGES 2 UNSEEN 1 UIDNEXT 4294967295 MAILBOXID (F1) FUTURE (1 (2)) "
      "SIZE 99999999999)");
  g_autoptr (PostbagImapReply) namespaces =
      parse ("* NAMESPACE ((\"\" \"/\")) NIL ((\"Public.\" \".\" \"X\" (\"y\")) (\"#n\" NIL))");
  g_autoptr (PostbagImapReply) quota = parse ("* QUOTA \"\" (STORAGE 10 512 message 3 100)");
  g_autoptr (PostbagImapReply) roots = parse ("* QUOTAROOT INBOX \"\" \"b\"");
  const PostbagImapNamespaceEntry *public;
  const PostbagImapQuotaResource *resource;

  g_assert_cmpstr (status->mailbox_status->name, ==, "a b");
  g_assert_cmpint (status->mailbox_status->messages, ==, 2);
  g_assert_cmpint (status->mailbox_status->unseen, ==, 1);
  g_assert_cmpint (status->mailbox_status->recent, ==, -1);
  g_assert_cmpint (status->mailbox_status->uid_next, ==, 4294967295);
  g_assert_cmpint (status->mailbox_status->size, ==, 99999999999);

  g_assert_cmpuint (namespaces->namespaces->personal->len, ==, 1);
  g_assert_cmpuint (namespaces->namespaces->other->len, ==, 0);
  g_assert_cmpuint (namespaces->namespaces->shared->len, ==, 2);
  public = g_ptr_array_index (namespaces->namespaces->shared, 0);
  g_assert_cmpstr (public->prefix, ==, "Public.");
  g_assert_cmpint (public->delimiter, ==, '.');

  g_assert_cmpuint (quota->quota->resources->len, ==, 2);
  resource = g_ptr_array_index (quota->quota->resources, 1);
  g_assert_cmpstr (resource->name, ==, "MESSAGE");
  g_assert_cmpuint (resource->limit, ==, 100);
  assert_words (roots->quota->roots, " b");
}

static void
test_numbers (void)
{
  static const struct
  {
    const char *line;
    const char *numbers;
    gint64 count;
  } cases[] = {
    { "* SEARCH 1 2 3", "1:3", -1 },
    { "* SEARCH 10 11 ", "10:11", -1 },
    { "* SEARCH ", "", -1 },
    { "* SEARCH", "", -1 },
    { "* SEARCH 20 (MODSEQ 917162500)", "20", -1 },
    { "* ESEARCH (TAG \"a1\") UID COUNT 5 ALL 4:2,9", "2:4,9", 5 },
    { "* ESEARCH (TAG \"a1\") UID PARTIAL (-1:-2 7,9)", "7,9", -1 },
    { "* ESEARCH (TAG \"a1\") UID PARTIAL (1:2 NIL) COUNT 0", "", 0 },
    { "* ESEARCH (TAG \"a1\") UID FUTURE (1 (2)) MIN 3 ALL 3", "3", -1 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (PostbagImapReply) reply = parse (cases[i].line);
      g_autofree char *numbers = NULL;

      g_assert_nonnull (reply->search);
      numbers = postbag_imap_set_to_string (reply->search->numbers);
      g_assert_cmpstr (numbers, ==, cases[i].numbers);
      g_assert_cmpint (reply->search->count, ==, cases[i].count);
    }
}

/* What can't be right is passed over, not guessed at. */
static void
test_unknown (void)
{
  static const char *const lines[] = {
    "* SEARCH 1 x",
    "* SEARCH 4294967296",
    "* ESEARCH (TAG \"a1\") ALL 0:5",
    "* VANISHED 5:",
    "* LIST () \"/\"",
    "* LIST",
    "* STATUS x",
    "* -1 EXISTS",
    "* 4294967296 EXISTS",
    "* 5",
    "*  ",
    "* ID (\"name\" NIL)",
    "* QUOTA {5} (",
    "* FUTURE (((",
    "",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (lines); i++)
    {
      g_autoptr (PostbagImapReply) reply = parse (lines[i]);

      g_assert_cmpint (reply->kind, ==, POSTBAG_IMAP_REPLY_UNKNOWN);
    }
}

static void
test_foreign (void)
{
  static const char *const lines[] = { "220 mail.example ESMTP\r\n",
                                       "HTTP/1.1 400 Bad Request\r\n",
                                       "SSH-2.0-x\r\n",
                                       "\x15\x03\x01\n",
                                       "a1 PREAUTH x\r\n",
                                       "a1\r\n",
                                       "*OK\r\n" };

  for (gsize i = 0; i < G_N_ELEMENTS (lines); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (parse_bytes (lines[i], strlen (lines[i]), FALSE, &error));
      g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_BAD_DATA);
    }
}

static void
test_fetch_items (void)
{
  g_autoptr (PostbagImapReply) reply =
      parse ("* 12 FETCH (FLAGS (\\Seen $Label1) X-NEW (x (y)) UID 4294967295 MODSEQ "
             "(9223372036854775807) RFC822.SIZE 5120 INTERNALDATE \" 5-Mar-2024 17:30:00 +0800\" "
             "BODY[HEADER.FIELDS (From \"To\")]<0> \"From: x\" BINARY.SIZE[1] 77 X-GM-LABELS "
             "(\"\\\\Starred\" NIL Travel) EMAILID (M1) THREADID NIL BODY[TEXT] NIL)");
  const PostbagImapFetch *fetch = reply->fetch;
  const PostbagImapSection *section;

  g_assert_false (fetch->is_damaged);
  g_assert_cmpuint (fetch->uid, ==, 4294967295);
  g_assert_cmpuint (fetch->modseq, ==, 9223372036854775807u);
  g_assert_cmpint (fetch->size, ==, 5120);
  /* date -u -d '2024-03-05 17:30:00 +0800' +%s */
  g_assert_cmpint (fetch->internal_date, ==, 1709631000);
  section = postbag_imap_fetch_find_section (fetch, "HEADER.FIELDS (FROM TO)", 0, FALSE);
  g_assert_nonnull (section);
  g_assert_null (postbag_imap_fetch_find_section (fetch, "HEADER.FIELDS (FROM TO)", 5, FALSE));
  g_assert_null (postbag_imap_fetch_find_section (fetch, "HEADER.FIELDS (FROM TO)", 0, TRUE));
  g_assert_null (postbag_imap_fetch_find_section (fetch, "HEADER", 0, FALSE));
  g_assert_cmpint (g_bytes_get_size (section->bytes), ==, 7);
  g_assert_cmpint (memcmp (g_bytes_get_data (section->bytes, NULL), "From: x", 7), ==, 0);
  section = postbag_imap_fetch_find_section (fetch, "TEXT", 0, FALSE);
  g_assert_null (postbag_imap_fetch_find_section (fetch, "TEXT", 7, FALSE));
  g_assert_nonnull (section);
  g_assert_null (section->bytes);
  assert_words (fetch->labels, "\\Starred Travel");
}

/* A string that never ends: what came before it is kept. */
static void
test_fetch_damaged (void)
{
  g_autoptr (PostbagImapReply) reply =
      parse ("* 6 FETCH (UID 6 FLAGS () ENVELOPE (\"x\" \"note\" ((\"ivo\" NIL \"ivo\" "
             "\"example.test\\\")) NIL NIL NIL NIL NIL NIL NIL))");

  g_assert_true (reply->fetch->is_damaged);
  g_assert_cmpuint (reply->fetch->uid, ==, 6);
  g_assert_true (reply->fetch->has_flags);
  g_assert_null (reply->fetch->envelope);
}

/* A part as `number type size filename (children)`. */
static void
describe_part (const PostbagPart *part, GString *out)
{
  g_string_append_printf (out, "%s %s %" G_GINT64_FORMAT, part->number ? part->number : "-",
                          part->type, part->size);
  if (part->disposition != NULL)
    g_string_append_printf (out, " %s", part->disposition);
  if (part->filename != NULL)
    g_string_append_printf (out, " %s", part->filename);
  if (part->children == NULL)
    return;
  g_string_append (out, " [");
  for (guint i = 0; i < part->children->len; i++)
    {
      g_string_append (out, i > 0 ? ", " : "");
      describe_part (g_ptr_array_index (part->children, i), out);
    }
  g_string_append (out, "]");
}

static void
assert_structure (const char *structure, const char *expected)
{
  g_autofree char *line = g_strdup_printf ("* 1 FETCH (UID 1 BODYSTRUCTURE %s)", structure);
  g_autoptr (PostbagImapReply) reply = parse (line);
  g_autoptr (GString) out = g_string_new (NULL);

  g_assert_false (reply->fetch->is_damaged);
  describe_part (reply->fetch->structure, out);
  g_assert_cmpstr (out->str, ==, expected);
}

#define ENVELOPE "(NIL \"inner\" NIL NIL NIL NIL NIL NIL NIL NIL)"
#define TEXT "(\"TEXT\" \"PLAIN\" (\"CHARSET\" \"utf-8\") NIL NIL \"7BIT\" 12 1 NIL NIL NIL NIL)"

static void
test_structures (void)
{
  assert_structure (TEXT, "1 text/plain 12");
  /* RFC 3501 section 7.4.2's own example */
  assert_structure ("((\"TEXT\" \"PLAIN\" (\"CHARSET\" \"US-ASCII\") NIL NIL \"7BIT\" 1152 23)"
                    "(\"TEXT\" \"PLAIN\" (\"CHARSET\" \"US-ASCII\" \"NAME\" \"cc.diff\") "
                    "\"<960723163407.20117h@cac.washington.edu>\" \"Compiler diff\" \"BASE64\" "
                    "4554 73) \"MIXED\")",
                    "- multipart/mixed -1 [1 text/plain 1152, 2 text/plain 4554 cc.diff]");
  assert_structure ("(" TEXT "(\"MESSAGE\" \"RFC822\" NIL NIL NIL \"7BIT\" 900 " ENVELOPE
                    "(" TEXT TEXT " \"ALTERNATIVE\" (\"BOUNDARY\" \"x\") NIL NIL) 20 NIL "
                    "(\"ATTACHMENT\" (\"FILENAME\" \"a.eml\")) NIL NIL) \"MIXED\")",
                    "- multipart/mixed -1 [1 text/plain 12, 2 message/rfc822 900 attachment a.eml "
                    "[- multipart/alternative -1 [2.1 text/plain 12, 2.2 text/plain 12]]]");
  assert_structure ("(\"MESSAGE\" \"RFC822\" NIL NIL NIL \"7BIT\" 900 " ENVELOPE TEXT " 20)",
                    "1 message/rfc822 900 [1.1 text/plain 12]");
  assert_structure ("(\"APPLICATION\" \"PDF\" NIL NIL NIL \"BASE64\" -5 NIL (\"attachment\" NIL))",
                    "1 application/pdf -1 attachment");
  assert_structure ("(NIL NIL NIL NIL NIL NIL NIL)", "1 application/octet-stream -1");
  assert_structure ("(\"text\" \"plain\")", "1 text/plain -1");
}

static void
test_filenames (void)
{
  static const struct
  {
    const char *parameters;
    const char *expected;
  } cases[] = {
    { "\"filename\" \"a.pdf\"", "a.pdf" },
    { "\"filename*\" \"utf-8''%e2%82%ac%20x.pdf\"", "\xe2\x82\xac x.pdf" },
    { "\"filename\" \"a.pdf\" \"filename*\" \"utf-8''b.pdf\"", "b.pdf" },
    { "\"filename*0*\" \"iso-8859-1'de'%e4\" \"filename*1\" \"b\" \"filename*2*\" \"%63.x\"",
      "=?iso-8859-1?B?5GJjLng=?=" },
    { "\"filename*0\" \"long \" \"filename*1\" \"name.txt\"", "long name.txt" },
    { "\"filename\" \"=?UTF-8?Q?=D0=A1.pdf?=\"", "=?UTF-8?Q?=D0=A1.pdf?=" },
    { "\"filename*\" \"utf-8''evil%00.txt\"", "evil%00.txt" },
    { "\"filename\" NIL", NULL },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *line = g_strdup_printf (
          "* 1 FETCH (BODYSTRUCTURE (\"A\" \"B\" NIL NIL NIL NIL 1 NIL (\"attachment\" (%s))))",
          cases[i].parameters);
      g_autoptr (PostbagImapReply) reply = parse (line);

      g_assert_cmpstr (reply->fetch->structure->filename, ==, cases[i].expected);
    }
}

/* A million brackets, in a structure and in data nobody knows: no recursion, no quadratic work. */
static void
test_nesting (void)
{
  g_autoptr (GString) deep = g_string_new ("* 1 FETCH (UID 3 BODYSTRUCTURE ");
  g_autoptr (PostbagImapReply) reply = NULL;
  g_autoptr (PostbagImapReply) closed = NULL;
  const PostbagPart *part;
  guint depth = 0;

  for (guint i = 0; i < 1000000; i++)
    g_string_append_c (deep, '(');
  reply = parse (deep->str);
  g_assert_cmpuint (reply->fetch->uid, ==, 3);
  g_assert_true (reply->fetch->is_damaged);

  g_string_assign (deep, "* 1 FETCH (UID 3 BODYSTRUCTURE ");
  for (guint i = 0; i < 1000; i++)
    g_string_append_c (deep, '(');
  g_string_append (deep, TEXT);
  for (guint i = 0; i < 1000; i++)
    g_string_append (deep, " \"mixed\")");
  g_string_append_c (deep, ')');
  closed = parse (deep->str);
  g_assert_false (closed->fetch->is_damaged);
  for (part = closed->fetch->structure; part->children != NULL; depth++)
    part = g_ptr_array_index (part->children, 0);
  g_assert_cmpuint (depth, ==, POSTBAG_LIMIT_IMAP_NESTING);
}

static void
test_envelope (void)
{
  g_autoptr (PostbagImapReply) reply = parse (
      "* 1 FETCH (ENVELOPE (\"Wed, 17 Jul 1996 02:23:25 -0700 (PDT)\" \"IMAP4rev2 WG mtg\" "
      "((\"Terry Gray\" NIL \"gray\" \"cac.washington.edu\")) NIL NIL ((NIL NIL \"team\" NIL)"
      "(NIL NIL \"minutes\" \"CNRI.Reston.VA.US\")(\"J\" NIL \"KLENSIN\" \"MIT.EDU\")"
      "(NIL NIL NIL NIL)) NIL NIL NIL \"<B27397-0100000@cac.washington.ed>\"))");
  const PostbagImapEnvelope *envelope = reply->fetch->envelope;
  const PostbagAddress *address;

  g_assert_cmpstr (envelope->subject, ==, "IMAP4rev2 WG mtg");
  g_assert_cmpstr (envelope->message_id, ==, "<B27397-0100000@cac.washington.ed>");
  g_assert_cmpuint (envelope->from->len, ==, 1);
  g_assert_cmpuint (envelope->to->len, ==, 2);
  address = g_ptr_array_index (envelope->to, 1);
  g_assert_cmpstr (address->name, ==, "J");
  g_assert_cmpstr (address->address, ==, "KLENSIN@MIT.EDU");
}

static void
test_utf8_names (void)
{
  const char *line = "* LIST () \"/\" \"Entw\xc3\xbcrfe & mehr\"\r\n";
  g_autoptr (PostbagImapReply) reply = parse_bytes (line, strlen (line), TRUE, NULL);

  g_assert_cmpstr (reply->list->name, ==, "Entw\xc3\xbcrfe & mehr");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/imap/parser/status", test_status);
  g_test_add_func ("/imap/parser/words", test_words);
  g_test_add_func ("/imap/parser/list", test_list);
  g_test_add_func ("/imap/parser/mailbox-replies", test_mailbox_replies);
  g_test_add_func ("/imap/parser/numbers", test_numbers);
  g_test_add_func ("/imap/parser/unknown", test_unknown);
  g_test_add_func ("/imap/parser/foreign", test_foreign);
  g_test_add_func ("/imap/parser/fetch-items", test_fetch_items);
  g_test_add_func ("/imap/parser/fetch-damaged", test_fetch_damaged);
  g_test_add_func ("/imap/parser/structures", test_structures);
  g_test_add_func ("/imap/parser/filenames", test_filenames);
  g_test_add_func ("/imap/parser/nesting", test_nesting);
  g_test_add_func ("/imap/parser/envelope", test_envelope);
  g_test_add_func ("/imap/parser/utf8-names", test_utf8_names);
  return g_test_run ();
}
