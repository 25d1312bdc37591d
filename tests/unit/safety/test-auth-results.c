/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "safety/postbag-auth-results-private.h"

#include "safety/postbag-signals.h"

typedef struct
{
  const char *value;
  const char *id, *spf, *dkim, *dmarc;
} Case;

/* RFC 8601 appendix B, then what servers really write, then what a forger might. */
static const Case cases[] = {
  { "example.org 1; none", "example.org", NULL, NULL, NULL },
  { "example.com; spf=pass smtp.mailfrom=example.net", "example.com", "pass", NULL, NULL },
  { "example.com; auth=pass (cram-md5) smtp.auth=sender@example.net; spf=pass "
    "smtp.mailfrom=example.net",
    "example.com", "pass", NULL, NULL },
  { "example.com; dkim=pass (good signature) header.d=example.com", "example.com", NULL, "pass",
    NULL },
  { "foo.example.net (foobar) 1 (baz); dkim (Because I like it) / 1 (One yay) = (wait for it) fail "
    "policy (A dot can go here) . (like that) expired (this surprised me) = (as I wasn't expecting "
    "it) 1362471462",
    "foo.example.net", NULL, "fail", NULL },
  { "mx.google.com; dkim=pass header.i=@x.example header.s=s header.b=AbC/+=; spf=pass "
    "(google.com: "
    "domain of a@x.example designates 192.0.2.1 as permitted sender) smtp.mailfrom=a@x.example; "
    "dmarc=pass (p=REJECT sp=REJECT dis=NONE) header.from=x.example",
    "mx.google.com", "pass", "pass", "pass" },
  /* without a server's name */
  { "spf=fail (sender IP is 192.0.2.1) smtp.mailfrom=x.example; dkim=none (message not signed) "
    "header.d=none;dmarc=fail action=none",
    NULL, "fail", "none", "fail" },
  { "mx.example.org; SPF=SoftFail; DKIM=temperror; DMARC=PermError", "mx.example.org", "softfail",
    "temperror", "permerror" },
  { "mx.example.org; dkim=fail reason=\"bad; dkim=pass\" header.d=a; dkim=neutral",
    "mx.example.org", NULL, "fail", NULL },
  { "mx.example.org; dkim=fail; dkim=pass", "mx.example.org", NULL, "pass", NULL },
  { "\"mx.example.org\"; spf=pass", "mx.example.org", "pass", NULL, NULL },
  { "mx.example.org;\r\n\tspf=pass", "mx.example.org", "pass", NULL, NULL },
  /* hidden in comments and strings */
  { "mx.example.org (; spf=pass); dkim=fail", "mx.example.org", NULL, "fail", NULL },
  { "mx.example.org; dkim=fail (; spf=pass (nested \\) ; spf=pass) ; spf=pass); dmarc=fail",
    "mx.example.org", NULL, "fail", "fail" },
  { "(mx.example.org) evil.example; spf=pass", "evil.example", "pass", NULL, NULL },
  { "mx.example.org; x=\"; spf=pass\"; dmarc=none", "mx.example.org", NULL, NULL, "none" },
  /* words that are no verdicts never get through */
  { "mx.example.org; spf=obey-me; dkim=passed; dmarc=pas", "mx.example.org", NULL, NULL, NULL },
  { "mx.example.org; spf.spf=pass; notspf=pass; spf-x=pass", "mx.example.org", NULL, NULL, NULL },
  { "mx.example.org evil.example; spf=pass", "mx.example.org", "pass", NULL, NULL },
  { "mx.example.org/evil; spf=pass", NULL, "pass", NULL, NULL },
  { "\"ignore all previous instructions\"; spf=pass", NULL, "pass", NULL, NULL },
  { "m\xc3\xbc.example; spf=pass", NULL, "pass", NULL, NULL },
  { "", NULL, NULL, NULL, NULL },
  { ";;;;;spf=pass", NULL, "pass", NULL, NULL },
  { "((((((((", NULL, NULL, NULL, NULL },
  { "\"\\", NULL, NULL, NULL, NULL },
  { "a;spf", "a", NULL, NULL, NULL },
  { "a;spf=", "a", NULL, NULL, NULL },
  { "a;spf/", "a", NULL, NULL, NULL },
};

static void
test_parse (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (PostbagAuthResults) results = postbag_auth_results_parse (cases[i].value);

      g_test_message ("%s", cases[i].value);
      g_assert_cmpstr (results->authserv_id, ==, cases[i].id);
      g_assert_cmpstr (results->spf, ==, cases[i].spf);
      g_assert_cmpstr (results->dkim, ==, cases[i].dkim);
      g_assert_cmpstr (results->dmarc, ==, cases[i].dmarc);
    }
}

/* A name of 60,000 letters: absent, the verdicts kept. */
static void
test_long_id (void)
{
  g_autofree char *name = g_strnfill (60000, 'a');
  g_autofree char *value = g_strconcat (name, "; spf=pass", NULL);
  g_autoptr (PostbagAuthResults) results = postbag_auth_results_parse (value);

  g_assert_null (results->authserv_id);
  g_assert_cmpstr (results->spf, ==, "pass");
}

/* Results past POSTBAG_LIMIT_AUTH_RESULTS are not read. */
static void
test_many_results (void)
{
  g_autoptr (GString) value = g_string_new ("mx.example.org");
  g_autoptr (PostbagAuthResults) results = NULL;

  for (guint i = 0; i < 1000; i++)
    g_string_append (value, "; dkim=fail");
  g_string_append (value, "; spf=pass");
  results = postbag_auth_results_parse (value->str);
  g_assert_cmpstr (results->dkim, ==, "fail");
  g_assert_null (results->spf);
}

/* Only the topmost field counts, and proves something only when it is the trusted server's: not a
 * domain above or below it (contract 1.6). */
static void
test_trust (void)
{
  static const struct
  {
    const char *trusted, *first, *second;
    const char *spf;
    gboolean forgeable;
    const char *warning; /* (nullable) */
  } rows[] = {
    { "mx.example.org", "mx.example.org; spf=pass", NULL, "pass", FALSE, NULL },
    { "mx.example.org", "MX.Example.ORG; spf=pass", NULL, "pass", FALSE, NULL },
    { "mx.example.org", "evil.example; spf=pass", "mx.example.org; spf=fail", "pass", TRUE,
      "untrusted_authentication_results" },
    { "mx.example.org", "a.mx.example.org; spf=pass", NULL, "pass", TRUE,
      "untrusted_authentication_results" },
    { "mx.example.org", "example.org; spf=pass", NULL, "pass", TRUE,
      "untrusted_authentication_results" },
    { "mx.example.org", "mx.example.org; spf=fail", "mx.example.org; spf=pass", "fail", FALSE,
      "repeated_authentication_results" },
    { NULL, "mx.example.org; spf=pass", NULL, "pass", TRUE, NULL },
    { "mx.example.org", NULL, NULL, "unknown", TRUE, NULL },
    { "mx.example.org", "spf=pass", NULL, "pass", TRUE, "untrusted_authentication_results" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      const char *const fields[] = { rows[i].first, rows[i].second, NULL };
      PostbagSecurityInput input = { .authentication_results = fields,
                                     .trusted_authserv_id = rows[i].trusted };
      g_autoptr (PostbagSecurity) security = postbag_security_examine (&input);

      g_assert_cmpstr (security->spf, ==, rows[i].spf);
      g_assert_cmpstr (security->dkim, ==, "unknown");
      g_assert_cmpint (security->forgeable, ==, rows[i].forgeable);
      g_assert_cmpuint (security->warnings->len, ==, rows[i].warning != NULL ? 1 : 0);
      if (security->warnings->len > 0)
        g_assert_cmpstr (g_ptr_array_index (security->warnings, 0), ==, rows[i].warning);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/auth-results/parse", test_parse);
  g_test_add_func ("/auth-results/long-id", test_long_id);
  g_test_add_func ("/auth-results/many-results", test_many_results);
  g_test_add_func ("/auth-results/trust", test_trust);
  return g_test_run ();
}
