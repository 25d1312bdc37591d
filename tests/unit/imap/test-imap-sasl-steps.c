/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The examples of the RFCs, and what a SCRAM server's first message may be. */

#include <string.h>

#include "base/postbag-error.h"
#include "postbag-imap-sasl.h"

static GBytes *
respond (PostbagImapSasl *sasl, const char *challenge, GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new (challenge, strlen (challenge));

  return postbag_imap_sasl_respond (bytes, sasl, error);
}

static PostbagImapSasl *
create (const char *mechanism, const char *user, const char *secret)
{
  const PostbagImapSaslFacts facts = { user, secret, "mail.example.org", 993, NULL };
  g_autoptr (GError) error = NULL;
  PostbagImapSasl *sasl =
      postbag_imap_sasl_new (postbag_imap_mechanism_find (mechanism), &facts, &error);

  g_assert_no_error (error);
  return sasl;
}

static void
assert_bytes (GBytes *bytes, const char *expected, gsize length)
{
  g_assert_nonnull (bytes);
  g_assert_cmpuint (g_bytes_get_size (bytes), ==, length);
  g_assert_true (length == 0 || memcmp (g_bytes_get_data (bytes, NULL), expected, length) == 0);
  g_bytes_unref (bytes);
}

/* RFC 2195, section 2. */
static void
test_cram_md5 (void)
{
  g_autoptr (PostbagImapSasl) sasl = create ("CRAM-MD5", "tim", "tanstaaftanstaaf");
  g_autoptr (GError) error = NULL;

  g_assert_null (postbag_imap_sasl_begin (sasl, &error));
  g_assert_no_error (error);
  assert_bytes (respond (sasl, "<1896.697170952@postoffice.reston.mci.net>", &error),
                "tim b913a602c7eda7a495b4e6e7334d3890", 36);
  g_assert_true (postbag_imap_sasl_is_complete (sasl));
  g_assert_null (respond (sasl, "<more>", &error));
  g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_BAD_DATA);
}

static void
test_plain (void)
{
  g_autoptr (PostbagImapSasl) sasl = create ("PLAIN", "tim", "tanstaaftanstaaf");

  /* RFC 4616, section 4 */
  assert_bytes (postbag_imap_sasl_begin (sasl, NULL), "\0tim\0tanstaaftanstaaf", 21);
  g_assert_true (postbag_imap_sasl_is_complete (sasl));
}

static void
test_login (void)
{
  g_autoptr (PostbagImapSasl) sasl = create ("LOGIN", "n\303\266ra", "p\303\244ss");

  g_assert_null (postbag_imap_sasl_begin (sasl, NULL));
  assert_bytes (respond (sasl, "User Name", NULL), "n\303\266ra", 5);
  g_assert_false (postbag_imap_sasl_is_complete (sasl));
  assert_bytes (respond (sasl, "Password", NULL), "p\303\244ss", 5);
  g_assert_true (postbag_imap_sasl_is_complete (sasl));
}

/* RFC 5802 section 5.1: a comma and an equals sign in the name. */
static void
test_scram_name (void)
{
  g_autoptr (PostbagImapSasl) sasl = create ("SCRAM-SHA-256", "a,b=c", "x");
  g_autoptr (GBytes) first = postbag_imap_sasl_begin (sasl, NULL);

  g_assert_cmpmem (g_bytes_get_data (first, NULL), 17, "n,,n=a=2Cb=3Dc,r=", 17);
  g_assert_false (postbag_imap_sasl_is_complete (sasl));
}

static void
test_first_message (void)
{
  static const struct
  {
    const char *message;
    gboolean is_fine;
    const char *words;
  } cases[] = {
    { "r=abc,s=AAAA,i=4096", TRUE, NULL },
    { "r=abc,s=AAAA,i=600000", TRUE, NULL },
    { "r=abc,s=AAAA,i=4096,x=more", TRUE, NULL },
    { "r=abc,s=AAAA,i=0", FALSE, "0 rounds" },
    { "r=abc,s=AAAA,i=4095", FALSE, "4095 rounds" },
    { "r=abc,s=AAAA,i=600001", FALSE, "600001 rounds" },
    { "r=abc,s=AAAA,i=2147483648", FALSE, "2147483648 rounds" },
    { "r=abc,s=AAAA,i=18446744073709555712", FALSE, "login is wrong" },
    { "r=abc,s=AAAA,i=-4096", FALSE, "login is wrong" },
    { "r=abc,s=AAAA,i= 4096", FALSE, "login is wrong" },
    { "r=abc,s=AAAA,i=4096x", FALSE, "login is wrong" },
    { "r=abc,s=AAAA,i=", FALSE, "login is wrong" },
    { "r=abc,s=AAAA", FALSE, "login is wrong" },
    { "r=abc,i=4096,s=AAAA,i=99999999", FALSE, "login is wrong" },
    { "m=ext,r=abc,s=AAAA,i=99999999", FALSE, "login is wrong" },
    { "v=AAAA", FALSE, "login is wrong" },
    { "e=other-error", FALSE, "login is wrong" },
    { "", FALSE, "login is wrong" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GBytes) bytes = g_bytes_new (cases[i].message, strlen (cases[i].message));
      g_autoptr (GError) error = NULL;

      g_assert_cmpint (postbag_imap_sasl_check_first (bytes, &error), ==, cases[i].is_fine);
      if (cases[i].is_fine)
        continue;
      g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_BAD_DATA);
      g_assert_nonnull (strstr (error->message, cases[i].words));
    }
}

static void
test_zero_byte (void)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static ("r=a,s=b,i=4096\0,i=1", 19);

  g_assert_false (postbag_imap_sasl_check_first (bytes, NULL));
}

/* A server that says what is wrong, and one that goes on. */
static void
test_token_complaint (void)
{
  g_autoptr (PostbagImapSasl) sasl = create ("XOAUTH2", "nora", "tok");
  g_autoptr (GBytes) first = postbag_imap_sasl_begin (sasl, NULL);

  g_assert_nonnull (first);
  g_assert_true (postbag_imap_sasl_is_complete (sasl));
  assert_bytes (respond (sasl, "{\"status\":\"400\"}", NULL), "", 0);
  g_assert_false (postbag_imap_sasl_is_complete (sasl));
  g_assert_nonnull (strstr (postbag_imap_sasl_get_complaint (sasl), "400"));
  g_assert_null (respond (sasl, "again", NULL));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/imap/sasl/cram-md5", test_cram_md5);
  g_test_add_func ("/imap/sasl/plain", test_plain);
  g_test_add_func ("/imap/sasl/login", test_login);
  g_test_add_func ("/imap/sasl/scram-name", test_scram_name);
  g_test_add_func ("/imap/sasl/first-message", test_first_message);
  g_test_add_func ("/imap/sasl/zero-byte", test_zero_byte);
  g_test_add_func ("/imap/sasl/token-complaint", test_token_complaint);
  return g_test_run ();
}
