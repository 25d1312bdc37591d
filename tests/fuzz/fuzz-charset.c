/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Bytes in a charset, its name in front of the first NUL: always well-formed text. */

#include <string.h>

#include "mime/postbag-charset.h"
#include "mime/postbag-mime-private.h"

#include "fuzz.h"

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  const uint8_t *nul = size > 0 ? memchr (data, 0, size) : NULL;
  gsize name = nul != NULL ? (gsize)(nul - data) : 0;
  gsize start = nul != NULL ? name + 1 : 0;
  g_autofree char *charset = g_strndup (name > 0 ? (const char *)data : "", name);
  PostbagWarnings warnings = 0;
  g_autofree char *text = postbag_charset_convert (size > 0 ? (const char *)data + start : "",
                                                   size - start, charset, &warnings);
  g_autofree char *guess = postbag_charset_guess (size > 0 ? (const char *)data + start : "",
                                                  size - start, charset, &warnings);
  g_autofree char *sniffed =
      postbag_charset_sniff_html (size > start ? (const char *)data + start : "", size - start);

  g_assert_true (g_utf8_validate (text, -1, NULL));
  g_assert_true (g_utf8_validate (guess, -1, NULL));
  g_assert_cmpuint (sniffed != NULL ? strlen (sniffed) : 0, <=, size);
  return 0;
}
