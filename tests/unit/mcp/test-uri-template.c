/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <string.h>

#include "base/postbag-limits.h"
#include "mcp/postbag-uri-template-private.h"

static void
test_well_formed (void)
{
  static const char *const good[] = {
    "imap://me/mailbox/INBOX",         "imap://message/7/part/1.2", "x:y",
    "imap://me/mailbox/Gel%C3%B6scht", "imap://me/mailbox/a%2Fb",   "imap://me/mailbox/...",
    "imap://me/mailbox/a..b",          "imap://me/mailbox/.hidden", "test://x?y=1&z=2#f"
  };
  static const char *const bad[] = { "",
                                     "imap",
                                     "imap:",
                                     ":x",
                                     "7up://x",
                                     "/etc/passwd",
                                     "imap://me/../x",
                                     "imap://me/./x",
                                     "imap://me/..",
                                     "imap://../me",
                                     "imap://me/%2e%2e/x",
                                     "imap://me/%2E./x",
                                     "imap://me/a%2F..%2Fb",
                                     "imap://me/a%5C..%5Cb",
                                     "imap://me/%00",
                                     "imap://me/%0A",
                                     "imap://me/%C2%85",
                                     "imap://me/%FF",
                                     "imap://me/%ED%A0%80",
                                     "imap://me/%",
                                     "imap://me/%2",
                                     "imap://me/%zz",
                                     "imap://me/a b",
                                     "imap://me/a\nb",
                                     "imap://me/\"x\"",
                                     "imap://me/<x>",
                                     "imap://me/{name}",
                                     "imap://me/a\\b",
                                     "imap://me/\xc3\xbc" };
  g_autofree char *fill = g_strnfill (POSTBAG_LIMIT_URI_BYTES - 2, 'a');
  g_autofree char *longest = g_strconcat ("x:", fill, NULL);
  g_autofree char *longer = g_strconcat (longest, "a", NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (good); i++)
    {
      g_test_message ("%s", good[i]);
      g_assert_true (postbag_resource_uri_is_well_formed (good[i]));
    }
  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_test_message ("%s", bad[i]);
      g_assert_false (postbag_resource_uri_is_well_formed (bad[i]));
    }
  g_assert_true (postbag_resource_uri_is_well_formed (longest));
  g_assert_false (postbag_resource_uri_is_well_formed (longer));
}

static void
assert_match (const char *uri, const char *uri_template, const char *name, const char *value)
{
  g_autoptr (PostbagResourceUri) match = postbag_resource_uri_match (uri, uri_template);

  g_test_message ("%s of %s", uri, uri_template);
  g_assert_nonnull (match);
  g_assert_cmpstr (postbag_resource_uri_get_text (match), ==, uri);
  g_assert_cmpstr (postbag_resource_uri_get_variable (match, name), ==, value);
}

static void
test_match (void)
{
  static const char *const mailbox = "imap://{account}/mailbox/{name}";
  static const char *const others[] = { "imap://me/mailbox/",     "imap:///mailbox/INBOX",
                                        "imap://me/mailbox/a/b",  "imap://me/mailbox/a?b",
                                        "imap://me/mailbox/a#b",  "imap://me/mailboxes/a",
                                        "imap://me/mailbox",      "imap://me/mailbox/a/",
                                        "ximap://me/mailbox/a",   "IMAP://me/mailbox/a",
                                        "imap://message/1/part/2" };

  assert_match ("imap://me/mailbox/INBOX", mailbox, "account", "me");
  assert_match ("imap://me/mailbox/INBOX", mailbox, "name", "INBOX");
  assert_match ("imap://me/mailbox/INBOX", mailbox, "nam", NULL);
  assert_match ("imap://me/mailbox/a%2Fb%20c", mailbox, "name", "a/b c");
  assert_match ("imap://me/mailbox/Gel%C3%B6scht", mailbox, "name", "Gel\303\266scht");
  assert_match ("imap://message/12/part/1.2", "imap://message/{uid}/part/{partId}", "partId",
                "1.2");
  assert_match ("a:x-y", "a:{one}-{two}", "two", "y");
  assert_match ("test://static", "test://static", "x", NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (others); i++)
    {
      g_autoptr (PostbagResourceUri) match = postbag_resource_uri_match (others[i], mailbox);

      g_test_message ("%s", others[i]);
      g_assert_null (match);
    }
}

static void
test_expand (void)
{
  const char *const values[] = { "account", "me", "name", "a/b %\303\274?", NULL };
  g_autofree char *uri = postbag_resource_uri_expand ("imap://{account}/mailbox/{name}", values);
  g_autofree char *bare = postbag_resource_uri_expand ("imap://{x}/{", values);

  g_assert_cmpstr (uri, ==, "imap://me/mailbox/a%2Fb%20%25%C3%BC%3F");
  g_assert_true (postbag_resource_uri_is_well_formed (uri));
  g_assert_cmpstr (bare, ==, "imap:///{");
  assert_match (uri, "imap://{account}/mailbox/{name}", "name", "a/b %\303\274?");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/uri-template/well-formed", test_well_formed);
  g_test_add_func ("/uri-template/match", test_match);
  g_test_add_func ("/uri-template/expand", test_expand);
  return g_test_run ();
}
