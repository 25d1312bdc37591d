/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <string.h>

#include "base/postbag-error.h"
#include "postbag-imap-mechanism.h"
#include "postbag-imap-oauth.h"

static const char *
choose (const char *offer, const char *auth, PostbagSecretKind secret, gboolean can_bind)
{
  g_auto (GStrv) words = g_strsplit (offer, " ", -1);
  const PostbagImapMechanism *mechanism =
      postbag_imap_mechanism_choose ((const char *const *)words, auth, secret, can_bind);

  return mechanism != NULL ? mechanism->name : NULL;
}

#define SCRAMS "AUTH=SCRAM-SHA-1 AUTH=SCRAM-SHA-1-PLUS AUTH=SCRAM-SHA-256 AUTH=SCRAM-SHA-256-PLUS"

static void
test_choice (void)
{
  static const struct
  {
    const char *offer;
    const char *auth;
    PostbagSecretKind secret;
    gboolean can_bind;
    const char *chosen;
  } cases[] = {
    { "IMAP4rev1 " SCRAMS, NULL, POSTBAG_SECRET_PASSWORD, TRUE, "SCRAM-SHA-256-PLUS" },
    { "IMAP4rev1 " SCRAMS, NULL, POSTBAG_SECRET_PASSWORD, FALSE, "SCRAM-SHA-256" },
    { "AUTH=SCRAM-SHA-256 AUTH=SCRAM-SHA-1-PLUS", NULL, POSTBAG_SECRET_PASSWORD, TRUE,
      "SCRAM-SHA-1-PLUS" },
    { "AUTH=PLAIN AUTH=SCRAM-SHA-1", NULL, POSTBAG_SECRET_PASSWORD, TRUE, "SCRAM-SHA-1" },
    { "AUTH=PLAIN AUTH=CRAM-MD5", NULL, POSTBAG_SECRET_PASSWORD, TRUE, "CRAM-MD5" },
    { "AUTH=LOGIN auth=plain", NULL, POSTBAG_SECRET_PASSWORD, TRUE, "PLAIN" },
    { "AUTH=LOGIN AUTH=GSSAPI", NULL, POSTBAG_SECRET_PASSWORD, TRUE, "LOGIN" },
    { "AUTH=GSSAPI PLAIN LOGIN XAUTH=PLAIN AUTH=PLAINS AUTH=", NULL, POSTBAG_SECRET_PASSWORD, TRUE,
      NULL },
    /* forced */
    { SCRAMS, "scram-sha-1", POSTBAG_SECRET_PASSWORD, TRUE, "SCRAM-SHA-1" },
    { SCRAMS " AUTH=PLAIN", "plain", POSTBAG_SECRET_PASSWORD, TRUE, "PLAIN" },
    { SCRAMS, "plain", POSTBAG_SECRET_PASSWORD, TRUE, NULL },
    { SCRAMS, "scram-sha-256-plus", POSTBAG_SECRET_PASSWORD, FALSE, NULL },
    /* tokens and passwords do not mix */
    { SCRAMS " AUTH=PLAIN", NULL, POSTBAG_SECRET_TOKEN, TRUE, NULL },
    { "AUTH=PLAIN AUTH=XOAUTH2 AUTH=OAUTHBEARER", NULL, POSTBAG_SECRET_TOKEN, TRUE, "OAUTHBEARER" },
    { "AUTH=XOAUTH2", NULL, POSTBAG_SECRET_TOKEN, FALSE, "XOAUTH2" },
    { "AUTH=XOAUTH2 AUTH=OAUTHBEARER", "xoauth2", POSTBAG_SECRET_TOKEN, TRUE, "XOAUTH2" },
    { "AUTH=XOAUTH2 AUTH=OAUTHBEARER", NULL, POSTBAG_SECRET_PASSWORD, TRUE, NULL },
    /* EXTERNAL only where somebody says so */
    { "AUTH=EXTERNAL", NULL, POSTBAG_SECRET_NONE, TRUE, NULL },
    { "AUTH=EXTERNAL AUTH=PLAIN", NULL, POSTBAG_SECRET_PASSWORD, TRUE, "PLAIN" },
    { "AUTH=EXTERNAL", "external", POSTBAG_SECRET_NONE, TRUE, "EXTERNAL" },
    { "AUTH=EXTERNAL AUTH=PLAIN", "external", POSTBAG_SECRET_PASSWORD, TRUE, "EXTERNAL" },
    { "AUTH=PLAIN", "external", POSTBAG_SECRET_PASSWORD, TRUE, NULL },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    g_assert_cmpstr (choose (cases[i].offer, cases[i].auth, cases[i].secret, cases[i].can_bind), ==,
                     cases[i].chosen);
}

static void
test_offer (void)
{
  static const char *const words[] = { "IMAP4rev1", "AUTH=PLAIN", "IDLE", "auth=X-\033[1m", NULL };
  g_autofree char *offer = postbag_imap_mechanism_describe_offer (words);
  g_autofree char *nothing = postbag_imap_mechanism_describe_offer (words + 4);

  g_assert_nonnull (strstr (offer, "PLAIN X-"));
  g_assert_null (strchr (offer, '\033'));
  g_assert_cmpstr (nothing, ==, "nothing");
}

static void
assert_message (GBytes *bytes, const char *expected)
{
  g_autofree char *text = g_strndup (
      g_bytes_get_size (bytes) > 0 ? g_bytes_get_data (bytes, NULL) : "", g_bytes_get_size (bytes));

  g_assert_cmpstr (text, ==, expected);
  g_bytes_unref (bytes);
}

/* The example of RFC 7628, section 4.1, and that of Google's page on XOAUTH2. */
static void
test_oauth (void)
{
  g_autoptr (GError) error = NULL;

  assert_message (postbag_imap_oauth_bearer ("user@example.com", "server.example.com", 143,
                                             "vF9dft4qmTc2Nvb3RlckBhbHRhdmlzdGEuY29tCg==", &error),
                  "n,a=user@example.com,\001host=server.example.com\001port=143\001auth=Bearer "
                  "vF9dft4qmTc2Nvb3RlckBhbHRhdmlzdGEuY29tCg==\001\001");
  assert_message (postbag_imap_oauth_xoauth2 ("someuser@example.com",
                                              "ya29.vF9dft4qmTc2Nvb3RlckBhbHRhdmlzdGEuY29tCg",
                                              &error),
                  "user=someuser@example.com\001auth=Bearer "
                  "ya29.vF9dft4qmTc2Nvb3RlckBhbHRhdmlzdGEuY29tCg\001\001");
  g_assert_no_error (error);
  assert_message (postbag_imap_oauth_acknowledge (TRUE), "\001");
  assert_message (postbag_imap_oauth_acknowledge (FALSE), "");
}

static void
test_no_token (void)
{
  static const char *const tokens[] = { "", "a b", "a\001auth=Bearer b", "tok\303\266n",
                                        "{\"a\"}" };

  for (gsize i = 0; i < G_N_ELEMENTS (tokens); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (postbag_imap_oauth_xoauth2 ("nora", tokens[i], &error));
      g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NEEDS_LOGIN);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/imap/mechanism/choice", test_choice);
  g_test_add_func ("/imap/mechanism/offer", test_offer);
  g_test_add_func ("/imap/mechanism/oauth", test_oauth);
  g_test_add_func ("/imap/mechanism/no-token", test_no_token);
  return g_test_run ();
}
