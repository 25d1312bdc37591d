/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Quoted-printable, as a body and as an encoded word: it never grows. */

#include <string.h>

#include "mime/postbag-mime-private.h"

#include "fuzz.h"

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autoptr (GByteArray) out = g_byte_array_new ();
  g_autoptr (GByteArray) word = g_byte_array_new ();
  PostbagWarnings warnings = 0;

  g_assert_true (
      postbag_transfer_decode_quoted_printable ((const char *)data, size, size, out, &warnings));
  g_assert_cmpuint (out->len, <=, size);
  postbag_transfer_decode_q ((const char *)data, size, word);
  g_assert_cmpuint (word->len, <=, size);
  return 0;
}
