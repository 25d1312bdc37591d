/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "mail/postbag-account.h"
#include "mail/postbag-effect.h"
#include "mail/postbag-mail-types.h"

static void
test_flags (void)
{
  static const char *const keywords[] = { "Work", "$forwarded", "$Label1", NULL };
  static const char *const expected[] = {
    "\\Seen", "\\Draft", "$Forwarded", "Work", "$Label1", NULL
  };
  g_auto (GStrv) strings = postbag_flags_to_strings (
      POSTBAG_FLAG_DRAFT | POSTBAG_FLAG_SEEN | POSTBAG_FLAG_FORWARDED, keywords);
  g_auto (GStrv) none = postbag_flags_to_strings (0, NULL);

  g_assert_cmpstrv (strings, expected);
  g_assert_cmpuint (g_strv_length (none), ==, 0);
}

static PostbagPart *
add_part (PostbagPart *parent, const char *type, const char *number)
{
  PostbagPart *part = postbag_part_new (type);

  part->number = g_strdup (number);
  if (parent->children == NULL)
    parent->children = g_ptr_array_new_with_free_func ((GDestroyNotify)postbag_part_free);
  g_ptr_array_add (parent->children, part);
  return part;
}

/* The example of RFC 9051 section 6.4.5.1: part 4 is a multipart with 4.2 a message. */
static void
test_part_find (void)
{
  g_autoptr (PostbagPart) root = postbag_part_new ("multipart/mixed");
  PostbagPart *fourth, *message, *inner;

  add_part (root, "text/plain", "1");
  fourth = add_part (root, "multipart/mixed", "4");
  add_part (fourth, "image/gif", "4.1");
  message = add_part (fourth, "message/rfc822", "4.2");
  inner = add_part (message, "multipart/mixed", NULL);
  add_part (inner, "text/plain", "4.2.1");

  g_assert_cmpstr (postbag_part_find (root, "1")->type, ==, "text/plain");
  g_assert_cmpstr (postbag_part_find (root, "4.1")->type, ==, "image/gif");
  g_assert_cmpstr (postbag_part_find (root, "4.2.1")->type, ==, "text/plain");
  g_assert_null (postbag_part_find (root, "4.3"));
  g_assert_null (postbag_part_find (root, "0"));
  g_assert_null (postbag_part_find (NULL, "1"));
}

/* Half a million levels would overflow a stack that recursed. */
static void
test_part_deep (void)
{
  PostbagPart *root = postbag_part_new ("multipart/mixed");
  PostbagPart *part = root;

  for (guint i = 0; i < 500000; i++)
    part = add_part (part, "multipart/mixed", NULL);
  part->number = g_strdup ("9");
  g_assert_true (postbag_part_find (root, "9") == part);
  postbag_part_free (root);
}

/* 1000 bytes are 1336 characters in 18 lines: coreutils' `head -c1000 /dev/zero | base64 | unix2dos
 * | wc -c` says 1372. */
static void
test_part_estimate (void)
{
  g_autoptr (PostbagPart) part = postbag_part_new ("application/pdf");

  g_assert_cmpint (postbag_part_estimate_decoded_size (part), ==, -1);
  part->size = 1372;
  g_assert_cmpint (postbag_part_estimate_decoded_size (part), ==, 1372);
  g_free (part->encoding);
  part->encoding = g_strdup ("base64");
  g_assert_cmpint (postbag_part_estimate_decoded_size (part), >=, 1000);
  g_assert_cmpint (postbag_part_estimate_decoded_size (part), <=, 1006);
  part->size = G_MAXINT64;
  g_assert_cmpint (postbag_part_estimate_decoded_size (part), >, G_MAXINT64 / 2);
  part->size = 0;
  g_assert_cmpint (postbag_part_estimate_decoded_size (part), ==, 0);
}

static void
test_search (void)
{
  g_autoptr (PostbagSearch) search = postbag_search_new ();
  g_autoptr (PostbagSearch) by_header = postbag_search_new ();

  g_assert_true (postbag_search_is_all (search));
  search->answered = POSTBAG_NO;
  g_assert_false (postbag_search_is_all (search));
  postbag_search_add_any_header (by_header, "Message-ID", "<a@b>");
  g_assert_false (postbag_search_is_all (by_header));
}

static void
test_effect_required (void)
{
  static const char *const mark[] = { "$PostbagSeen", NULL };
  g_autoptr (PostbagEffect) effect = postbag_effect_new (POSTBAG_EFFECT_STORE_FLAGS, "INBOX");
  g_autoptr (PostbagEffect) purge = postbag_effect_new (POSTBAG_EFFECT_PURGE, "INBOX");
  g_autoptr (PostbagEffectReport) report = postbag_effect_report_new ();

  g_assert_cmpint (postbag_effect_get_required (effect), ==, POSTBAG_MAY_ORGANISE);
  g_assert_cmpint (postbag_effect_get_required (purge), ==, POSTBAG_MAY_PURGE);
  effect->bookkeeping = TRUE;
  g_assert_cmpint (postbag_effect_get_required (effect), ==, POSTBAG_MAY_ORGANISE);
  effect->add_keywords = g_strdupv ((char **)mark);
  g_assert_cmpint (postbag_effect_get_required (effect), ==, POSTBAG_MAY_READ);
  effect->remove_flags = POSTBAG_FLAG_SEEN;
  g_assert_cmpint (postbag_effect_get_required (effect), ==, POSTBAG_MAY_ORGANISE);
  for (guint kind = 0; kind < POSTBAG_EFFECT_N_KINDS; kind++)
    g_assert_nonnull (postbag_effect_kind_get_nick (kind));
}

static void
test_account_copy (void)
{
  g_autoptr (PostbagAccount) account = postbag_account_new ("work", "maildir");
  g_autoptr (PostbagAccount) copy = NULL;

  account->path = g_strdup ("/mail");
  account->password = g_strdup ("secret");
  copy = postbag_account_copy (account);
  g_assert_cmpstr (copy->path, ==, "/mail");
  g_assert_cmpstr (copy->mailbox, ==, "INBOX");
  g_assert_cmpint (copy->may, ==, POSTBAG_MAY_READ);
  g_assert_true (copy->password != account->password);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/mail/flags", test_flags);
  g_test_add_func ("/mail/part/find", test_part_find);
  g_test_add_func ("/mail/part/deep", test_part_deep);
  g_test_add_func ("/mail/part/estimate", test_part_estimate);
  g_test_add_func ("/mail/search", test_search);
  g_test_add_func ("/mail/effect/required", test_effect_required);
  g_test_add_func ("/mail/account/copy", test_account_copy);
  return g_test_run ();
}
