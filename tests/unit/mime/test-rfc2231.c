/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "mime/postbag-mime-private.h"

#include <string.h>

#include "base/postbag-limits.h"

static void
check (const char *raw, const char *value, const char *name, const char *expected)
{
  g_autoptr (PostbagParameters) parameters =
      postbag_parameters_parse ((PostbagSlice){ raw, strlen (raw) });

  g_assert_cmpstr (parameters->value, ==, value);
  g_assert_cmpstr (postbag_parameters_get (parameters, name), ==, expected);
}

/* RFC 2231 sections 3, 4 and 4.1 */
static void
test_rfc_examples (void)
{
  check ("message/external-body; access-type=URL;\r\n URL*0=\"ftp://\";\r\n"
         " URL*1=\"cs.utk.edu/pub/moore/bulk-mailer/bulk-mailer.tar\"",
         "message/external-body", "url", "ftp://cs.utk.edu/pub/moore/bulk-mailer/bulk-mailer.tar");
  check ("application/x-stuff;\r\n title*=us-ascii'en-us'This%20is%20%2A%2A%2Afun%2A%2A%2A",
         "application/x-stuff", "title", "This is ***fun***");
  check ("application/x-stuff;\r\n title*0*=us-ascii'en'This%20is%20even%20more%20;\r\n"
         " title*1*=%2A%2A%2Afun%2A%2A%2A%20;\r\n title*2=\"isn't it!\"",
         "application/x-stuff", "title", "This is even more ***fun*** isn't it!");
}

static void
test_forms (void)
{
  check ("text/plain; charset=us-ascii (Plain text)", "text/plain", "charset",
         "us-ascii (Plain text)");
  check ("Text / (x) Plain ;Charset = \"UTF-8\"", "text/plain", "charset", "UTF-8");
  check ("attachment; filename=my file.pdf; size=3", "attachment", "filename", "my file.pdf");
  check ("attachment; filename=\"a \\\"b\\\" \\\\ C:\\temp\\x.doc\"", "attachment", "filename",
         "a \"b\" \\ C:\\temp\\x.doc");
  check ("attachment; filename=\"a;b=c\"; x=y", "attachment", "x", "y");
  check ("(x)base64; y", "base64", "y", "");
  check ("", "", "x", NULL);
  check (";;;=;", "", "", NULL);
  check ("a; b=\"unclosed", "a", "b", "unclosed");
}

/* Hardening V5 */
static void
test_v5_filenames (void)
{
  check ("attachment; filename=safe.txt; filename*=utf-8''evil.exe", "attachment", "filename",
         "evil.exe");
  check ("attachment; filename*=utf-8''evil.exe%00.txt", "attachment", "filename", NULL);
  check ("attachment; filename=b.exe; filename=c.pdf", "attachment", "filename", "b.exe");
  check ("attachment; filename=\"=?utf-8?B?aW52b2ljZS5wZGY=?= =?utf-8?B?LmV4ZQ==?=\"", "attachment",
         "filename", "invoice.pdf.exe");
  check ("attachment; filename=\"Gr\xfc\xdf.txt\"", "attachment", "filename", "Grüß.txt");
  check ("attachment; filename*1*=%A4x.txt; filename*0*=utf-8''%C3", "attachment", "filename",
         "äx.txt");
  check ("attachment; filename*0=a; filename*2=c", "attachment", "filename", "a");
  check ("attachment; filename*99999999999999999999=a", "attachment", "filename", NULL);
  check ("attachment; filename*=bad%zz%4", "attachment", "filename", "bad%zz%4");
}

static void
test_bounds (void)
{
  g_autoptr (GString) raw = g_string_new ("a/b");
  g_autoptr (PostbagParameters) parameters = NULL;

  for (guint i = 0; i < 100000; i++)
    g_string_append_printf (raw, "; p%u=%u", i, i);
  parameters = postbag_parameters_parse ((PostbagSlice){ raw->str, raw->len });
  g_assert_cmpuint (parameters->parameters->len, ==, 128);
}

/* A name of 64 octets is read, one of 65 is not. */
static void
test_long_names (void)
{
  g_autofree char *name = g_strnfill (POSTBAG_LIMIT_PARAMETER_NAME_BYTES, 'n');
  g_autofree char *raw = g_strdup_printf ("a/b; %s=1; %sn=2; c=3", name, name);
  g_autofree char *longer = g_strconcat (name, "n", NULL);
  g_autoptr (PostbagParameters) parameters =
      postbag_parameters_parse ((PostbagSlice){ raw, strlen (raw) });

  g_assert_cmpstr (postbag_parameters_get (parameters, name), ==, "1");
  g_assert_null (postbag_parameters_get (parameters, longer));
  g_assert_cmpstr (postbag_parameters_get (parameters, "c"), ==, "3");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/rfc2231/rfc-examples", test_rfc_examples);
  g_test_add_func ("/rfc2231/forms", test_forms);
  g_test_add_func ("/rfc2231/v5-filenames", test_v5_filenames);
  g_test_add_func ("/rfc2231/bounds", test_bounds);
  g_test_add_func ("/rfc2231/long-names", test_long_names);
  return g_test_run ();
}
