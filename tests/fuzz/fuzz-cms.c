/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The wrapper of an opaque signature: its content is never more than the wrapper. */

#include "mime/postbag-mime-private.h"

#include "fuzz.h"

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autoptr (GBytes) content = postbag_cms_read_content (data, size, size);

  g_assert_cmpuint (content != NULL ? g_bytes_get_size (content) : 0, <=, size);
  return 0;
}
