/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Base64 and the report of what was in it: never more bytes than digits can hold. */

#include <string.h>

#include "mime/postbag-mime-private.h"

#include "fuzz.h"

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autoptr (GByteArray) out = g_byte_array_new ();
  PostbagWarnings warnings = 0;
  gsize junk = 0;

  g_assert_true (
      postbag_transfer_decode_base64 ((const char *)data, size, size, out, &junk, &warnings));
  g_assert_cmpuint (out->len, <=, size);
  g_assert_cmpuint (junk, <=, size);
  return 0;
}
