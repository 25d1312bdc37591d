/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-imap-hints.h"

#include <string.h>

#include "base/postbag-limits.h"
#include "postbag-imap-framer.h"
#include "postbag-imap-parser.h"

#define TEXT "(\"text\" \"plain\" NIL NIL NIL \"7bit\" 1000 20)"
#define HTML "(\"text\" \"html\" NIL NIL NIL \"quoted-printable\" 3000 60)"
#define LARGE "(\"application\" \"pdf\" NIL NIL NIL \"base64\" 30000000)"
#define ICON "(\"image\" \"png\" NIL NIL NIL \"base64\" 2000)"
#define NOTES                                                                                      \
  "(\"text\" \"plain\" NIL NIL NIL \"7bit\" 500 9 NIL (\"attachment\" (\"filename\" \"n.txt\")))"

static void
learn (PostbagImapHints *hints, guint32 uid, gint64 size, const char *structure)
{
  g_autofree char *line =
      g_strdup_printf ("* 1 FETCH (UID %u RFC822.SIZE %" G_GINT64_FORMAT " BODYSTRUCTURE %s)\r\n",
                       uid, size, structure);
  const guint8 *data = (const guint8 *)line;
  gsize length = strlen (line);
  PostbagImapFramer *framer = postbag_imap_framer_new (0);
  g_autoptr (PostbagImapFrame) frame = postbag_imap_framer_read (framer, &data, &length, NULL);
  g_autoptr (PostbagImapReply) reply = postbag_imap_parse (frame, FALSE, NULL);
  g_autoptr (GPtrArray) replies = g_ptr_array_new ();

  g_assert_nonnull (reply);
  g_ptr_array_add (replies, reply);
  postbag_imap_hints_learn (hints, "INBOX", replies);
  postbag_imap_framer_free (framer);
}

static void
check (gint64 size, const char *structure, gsize expected)
{
  PostbagImapHints *hints = postbag_imap_hints_new ();

  learn (hints, 7, size, structure);
  g_assert_cmpuint (postbag_imap_hints_apply (hints, "INBOX", 7, POSTBAG_LIMIT_PREFIX_BYTES), ==,
                    expected);
  postbag_imap_hints_free (hints);
}

/* Headers and boundaries take 800 bytes in each of these. */
static void
test_where_the_text_ends (void)
{
  check (30001800, "(" TEXT LARGE " \"mixed\")", 1800);
  check (30004800, "((" TEXT HTML " \"alternative\")" LARGE " \"mixed\")", 4800);
  /* a picture in front of the text comes along, for the sake of one round trip */
  check (30003800, "(" ICON TEXT LARGE " \"mixed\")", 3800);
  /* a text that is an attachment is none */
  check (30002300, "(" TEXT NOTES LARGE " \"mixed\")", 1800);
}

static void
test_no_hint (void)
{
  const gsize all = POSTBAG_LIMIT_PREFIX_BYTES;

  /* it fits: it is read whole, and its structure here */
  check (all, "(" TEXT " \"mixed\")", all);
  /* no text within the prefix */
  check (30000800, "(" LARGE " \"mixed\")", all);
  check (30001800, "(" LARGE TEXT " \"mixed\")", all);
  /* sizes that cannot be */
  check (200000, "(" TEXT LARGE " \"mixed\")", all);
  check (30001000, "(" TEXT LARGE " \"mixed\")", all);
  /* headers that take all of it */
  check (30001000 + 200000, "(" TEXT LARGE " \"mixed\")", all);
}

static void
test_only_for_what_was_listed (void)
{
  PostbagImapHints *hints = postbag_imap_hints_new ();

  learn (hints, 7, 30001800, "(" TEXT LARGE " \"mixed\")");
  g_assert_cmpuint (postbag_imap_hints_apply (hints, "INBOX", 8, 5000), ==, 5000);
  g_assert_cmpuint (postbag_imap_hints_apply (hints, "Sent", 7, 5000), ==, 5000);
  g_assert_cmpuint (postbag_imap_hints_apply (hints, "INBOX", 7, 500), ==, 500);
  /* who wants the message gets the message */
  g_assert_cmpuint (postbag_imap_hints_apply (hints, "INBOX", 7, POSTBAG_LIMIT_PREFIX_BYTES + 1),
                    ==, POSTBAG_LIMIT_PREFIX_BYTES + 1);
  postbag_imap_hints_free (hints);
}

static void
test_bound (void)
{
  PostbagImapHints *hints = postbag_imap_hints_new ();

  for (guint32 uid = 1; uid <= POSTBAG_LIMIT_IMAP_HINTS + 1; uid++)
    learn (hints, uid, 30001800, "(" TEXT LARGE " \"mixed\")");
  g_assert_cmpuint (postbag_imap_hints_apply (hints, "INBOX", 1, 5000), ==, 5000);
  g_assert_cmpuint (postbag_imap_hints_apply (hints, "INBOX", POSTBAG_LIMIT_IMAP_HINTS + 1, 5000),
                    ==, 1800);
  postbag_imap_hints_free (hints);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/imap/hints/where-the-text-ends", test_where_the_text_ends);
  g_test_add_func ("/imap/hints/no-hint", test_no_hint);
  g_test_add_func ("/imap/hints/only-for-what-was-listed", test_only_for_what_was_listed);
  g_test_add_func ("/imap/hints/bound", test_bound);
  return g_test_run ();
}
