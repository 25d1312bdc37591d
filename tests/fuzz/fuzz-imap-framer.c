/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* However the bytes arrive, the replies are the same. */

#include <string.h>

#include "postbag-imap-framer.h"

#include "fuzz.h"

/* A hash of all frames of @data in pieces of @step. */
static guint
frame_in_steps (const uint8_t *data, size_t size, size_t step)
{
  g_autoptr (PostbagImapFramer) framer = postbag_imap_framer_new (0);
  guint hash = 5381;

  for (size_t start = 0; start < size; start += step)
    {
      const guint8 *next = data + start;
      gsize left = MIN (step, size - start);

      while (left > 0)
        {
          g_autoptr (GError) error = NULL;
          g_autoptr (PostbagImapFrame) frame =
              postbag_imap_framer_read (framer, &next, &left, &error);

          if (error != NULL)
            return hash * 33 + 1;
          if (frame == NULL)
            continue;
          hash = hash * 33 + g_string_hash (frame->text);
          for (guint i = 0; i < frame->literals->len; i++)
            {
              const PostbagImapLiteral *literal =
                  &g_array_index (frame->literals, PostbagImapLiteral, i);

              g_assert_cmpuint (literal->offset, <, frame->text->len);
              hash = hash * 33 + g_bytes_hash (literal->bytes);
            }
        }
    }
  return hash;
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  guint whole = frame_in_steps (data, size, MAX (size, 1));

  g_assert_cmpuint (frame_in_steps (data, size, 1), ==, whole);
  g_assert_cmpuint (frame_in_steps (data, size, 7), ==, whole);
  return 0;
}
