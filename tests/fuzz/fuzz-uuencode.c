/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Files inside a text: they lie in it, one behind the other, and can be decoded. */

#include <string.h>

#include "mime/postbag-mime-private.h"

#include "fuzz.h"

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autoptr (GBytes) text = g_bytes_new (data, size);
  g_autoptr (GArray) blocks = postbag_text_blocks_find ((const char *)data, size, 50);
  g_autoptr (GBytes) rest = NULL;
  gsize end = 0;

  for (guint i = 0; blocks != NULL && i < blocks->len; i++)
    {
      const PostbagTextBlock *block = &g_array_index (blocks, PostbagTextBlock, i);
      g_autoptr (GBytes) octets = NULL;
      g_autoptr (GBytes) decoded = NULL;

      g_assert_cmpuint (block->offset, >=, end);
      g_assert_cmpuint (block->length, <=, size - block->offset);
      end = block->offset + block->length;
      octets = g_bytes_new_from_bytes (text, block->offset, block->length);
      decoded = postbag_mime_decode (octets, block->encoding, size, NULL);
      g_assert_nonnull (decoded);
    }
  if (blocks != NULL)
    rest = postbag_text_blocks_remove (text, blocks);
  return 0;
}
