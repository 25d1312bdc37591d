/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Encoded words and parameters: one line of UTF-8 whatever comes. */

#include <string.h>

#include "mime/postbag-mime-private.h"

#include "fuzz.h"

static void
check_parameters (const char *bytes, size_t size)
{
  g_autoptr (PostbagParameters) parameters =
      postbag_parameters_parse ((PostbagSlice){ bytes, size });

  for (guint i = 0; i < parameters->parameters->len; i++)
    {
      const PostbagParameter *parameter = g_ptr_array_index (parameters->parameters, i);

      g_assert_true (g_utf8_validate (parameter->value, -1, NULL));
    }
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static const char *const fallbacks[] = { NULL, "gbk", "utf-7" };

  for (guint i = 0; i < G_N_ELEMENTS (fallbacks); i++)
    {
      g_autofree char *text = postbag_rfc2047_decode ((const char *)data, size, fallbacks[i], NULL);

      g_assert_true (g_utf8_validate (text, -1, NULL));
      g_assert_null (strpbrk (text, "\r\n"));
    }
  check_parameters ((const char *)data, size);
  return 0;
}
