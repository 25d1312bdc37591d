/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "mime/postbag-mime-private.h"

#include <string.h>

static void
check (const char *raw, const char *expected)
{
  g_autofree char *decoded = postbag_rfc2047_decode (raw, strlen (raw), NULL, NULL);

  g_assert_cmpstr (decoded, ==, expected);
}

/* RFC 2047 section 8 */
static void
test_rfc_examples (void)
{
  check ("=?US-ASCII?Q?Keith_Moore?=", "Keith Moore");
  check ("=?ISO-8859-1?Q?Keld_J=F8rn_Simonsen?=", "Keld Jørn Simonsen");
  check ("=?ISO-8859-1?Q?Andr=E9?= Pirard", "André Pirard");
  check ("=?ISO-8859-1?B?SWYgeW91IGNhbiByZWFkIHRoaXMgeW8=?=\r\n"
         " =?ISO-8859-2?B?dSB1bmRlcnN0YW5kIHRoZSBleGFtcGxlLg==?=",
         "If you can read this you understand the example.");
  check ("=?ISO-8859-1?Q?a?=", "a");
  check ("=?ISO-8859-1?Q?a?= b", "a b");
  check ("=?ISO-8859-1?Q?a?= =?ISO-8859-1?Q?b?=", "ab");
  check ("=?ISO-8859-1?Q?a?=  =?ISO-8859-1?Q?b?=", "ab");
  check ("=?ISO-8859-1?Q?a_b?=", "a b");
  check ("=?ISO-8859-1?Q?a?= =?ISO-8859-2?Q?_b?=", "a b");
  check ("=?US-ASCII*EN?Q?Keith_Moore?=", "Keith Moore"); /* RFC 2231 section 5 */
}

/* Hardening V1: nothing after a padded word is lost. "invoice.pdf" and ".exe" in base64. */
static void
test_v1_padded_words (void)
{
  check ("=?utf-8?B?aW52b2ljZS5wZGY=?= =?utf-8?B?LmV4ZQ==?=", "invoice.pdf.exe");
  check ("=?utf-8?B?aW52b2ljZS5wZGY=?=\r\n =?utf-8?B?LmV4ZQ==?=", "invoice.pdf.exe");
  check ("=?utf-8?B?aW52b2ljZS5wZGY?= =?utf-8?B?LmV4ZQ?=", "invoice.pdf.exe");
  check ("=?utf-8?B?aW52b2ljZS5wZGY=?= =?utf-8?B?LmV4ZQ?=", "invoice.pdf.exe");
  check ("=?utf-8?B?aW52b2ljZS5wZGY?= =?utf-8?B?LmV4ZQ==?=", "invoice.pdf.exe");
  check ("=?utf-8?B?aW52b2ljZS5wZGY=?= =?utf-8?Q?.exe?=", "invoice.pdf.exe");
  check ("=?utf-8?Q?invoice.pdf?= =?utf-8?B?LmV4ZQ==?=", "invoice.pdf.exe");
  check ("=?utf-8?B?aW52b2ljZS5wZGY=?= =?us-ascii?B?LmV4ZQ==?=", "invoice.pdf.exe");
  check ("=?utf-8?B?aW52b2ljZS5wZGY=?= .exe", "invoice.pdf .exe");
  check ("=?utf-8?B?YQ==?= =?utf-8?B?YmI=?= =?utf-8?B?Y2Nj?= =?utf-8?B?ZA==?=", "abbcccd");
  check ("=?utf-8?B?YQ==YmI=?=", "abb"); /* padding inside a word */
  check ("=?utf-8?B?YQ?==?utf-8?B?YmI=?=", "abb");
}

/* (transfer full): an encoded word; @form: 0 is Q, 1 is B, 2 is B without its padding */
static char *
encode (const char *bytes, gsize length, guint form)
{
  g_autoptr (GString) word = g_string_new (form == 0 ? "=?utf-8?Q?" : "=?utf-8?B?");

  if (form > 0)
    {
      g_autofree char *base64 = g_base64_encode ((const guchar *)bytes, length);
      gsize end = strlen (base64);

      while (form == 2 && end > 0 && base64[end - 1] == '=')
        end--;
      g_string_append_len (word, base64, (gssize)end);
    }
  for (gsize i = 0; form == 0 && i < length; i++)
    g_string_append_printf (word, "=%02X", (guchar)bytes[i]);
  g_string_append (word, "?=");
  return g_strdup (word->str);
}

/* Every pair of forms, parted at every byte: characters of one to four bytes, all paddings. */
static void
test_v1_pairs (void)
{
  const char *text = "invoice é € 🙂.pdf.exe";
  gsize length = strlen (text);

  for (guint forms = 0; forms < 9; forms++)
    for (gsize at = 1; at < length; at++)
      {
        g_autofree char *first = encode (text, at, forms / 3);
        g_autofree char *second = encode (text + at, length - at, forms % 3);
        g_autofree char *raw = g_strconcat (first, "\r\n ", second, NULL);

        check (raw, text);
      }
}

static void
test_split_characters (void)
{
  check ("=?UTF-8?Q?Pavasario_=C5?=\r\n =?UTF-8?Q?=A1vent=C4=97?=", "Pavasario šventė");
  check ("=?UTF-8?B?4oI=?= =?utf-8?B?rA==?=", "€"); /* E2 82, AC */
  check ("=?UTF-8?B?4oI=?= =?utf-8?Q?=AC?=", "€");
  check ("=?iso-2022-jp?B?GyRCOCtALxsoQg==?= =?iso-2022-jp?B?GyRCPXEbKEI=?=", "見政書");
}

static void
test_lenient (void)
{
  check ("Re:=?utf-8?q?caf=C3=A9?=!", "Re:café!");
  check ("=?utf-8?Q?Ihre Bestellung =C3=BCber 3?=", "Ihre Bestellung über 3");
  check ("=?unknown-8bit?Q?Gr=C3=BC=C3=9Fe?=", "Grüße");
  check ("=?x-none?Q?Gr=FC=DFe?=", "Grüße");
  check ("=?utf-8?Q?a=?=", "a=");
  check ("=?utf-8?Q?"
         "?= x",
         " x");
  check ("=?utf-8?Q?a=0D=0AFrom:_b?=", "a  From: b"); /* never a line end */
  check ("=?utf-8?Q?a=00b?=", "a\xef\xbf\xbd"
                              "b");
  check ("raw Gr\xc3\xbc\xc3\x9f"
         "e",
         "raw Grüße");
  check ("raw Gr\xfc\xdf"
         "e",
         "raw Grüße");
  /* no encoded words */
  check ("=?utf-8?X?abc?=", "=?utf-8?X?abc?=");
  check ("=?utf-8?Q?abc", "=?utf-8?Q?abc");
  check ("=?utf-8?Q?open =?utf-8?Q?b?=", "=?utf-8?Q?open b");
  check ("=??Q?abc?=", "=??Q?abc?=");
  check ("a =?= b ?= c", "a =?= b ?= c");
  check ("", "");
}

static void
test_linear (void)
{
  static const char *const triggers[] = { "=?",
                                          "=?a?Q?",
                                          "=?a?Q?x",
                                          "?=",
                                          "=?a?B?=?=",
                                          "=?a?q?"
                                          "?= " };
  gint64 start = g_get_monotonic_time ();

  for (gsize i = 0; i < G_N_ELEMENTS (triggers); i++)
    {
      g_autoptr (GString) text = g_string_new (NULL);
      g_autofree char *decoded = NULL;

      while (text->len < 500000)
        g_string_append (text, triggers[i]);
      decoded = postbag_rfc2047_decode (text->str, text->len, NULL, NULL);
      g_assert_nonnull (decoded);
    }
  g_assert_cmpint (g_get_monotonic_time () - start, <, 20 * G_USEC_PER_SEC);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/rfc2047/rfc-examples", test_rfc_examples);
  g_test_add_func ("/rfc2047/v1-padded-words", test_v1_padded_words);
  g_test_add_func ("/rfc2047/v1-pairs", test_v1_pairs);
  g_test_add_func ("/rfc2047/split-characters", test_split_characters);
  g_test_add_func ("/rfc2047/lenient", test_lenient);
  g_test_add_func ("/rfc2047/linear", test_linear);
  return g_test_run ();
}
