/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A field with parameters: bounded, well-formed, each name once. */

#include <string.h>

#include "base/postbag-limits.h"
#include "mime/postbag-mime-private.h"

#include "fuzz.h"

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autoptr (PostbagParameters) parameters =
      postbag_parameters_parse ((PostbagSlice){ (const char *)data, size });

  g_assert_cmpuint (parameters->parameters->len, <=, POSTBAG_LIMIT_PARAMETERS);
  for (guint i = 0; i < parameters->parameters->len; i++)
    {
      const PostbagParameter *parameter = g_ptr_array_index (parameters->parameters, i);

      g_assert_true (g_utf8_validate (parameter->value, -1, NULL));
      g_assert_true (postbag_parameters_get (parameters, parameter->name) == parameter->value);
    }
  return 0;
}
