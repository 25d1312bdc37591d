/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A whole message: everything that is asked of one, and that its bytes lie inside the source. */

#include "base/postbag-limits.h"
#include "mime/postbag-message.h"
#include "mime/postbag-mime-private.h"
#include "mime/postbag-read-private.h"

#include "fuzz.h"

static void
check_structure (GBytes *source)
{
  g_autoptr (PostbagStructure) structure = postbag_structure_build (source);
  g_assert_nonnull (structure->root);
  g_assert_cmpuint (structure->spans->len, <=, POSTBAG_LIMIT_MIME_PARTS);
  for (guint i = 0; i < structure->spans->len; i++)
    {
      const PostbagSpan *span = &g_array_index (structure->spans, PostbagSpan, i);

      GBytes *holder = g_ptr_array_index (structure->sources, span->source);
      gsize size = g_bytes_get_size (holder);

      g_assert_nonnull (span->part->number);
      g_assert_cmpuint (span->offset, <=, size);
      g_assert_cmpuint (span->length, <=, size - span->offset);
    }
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autoptr (GBytes) source = g_bytes_new (data, size);
  g_autoptr (PostbagSummary) summary = postbag_mime_summarize (source);
  g_autofree char *json = postbag_read_message_bytes (source, TRUE);
  g_autofree char *text = postbag_read_message_bytes (source, FALSE);

  check_structure (source);
  g_assert_true (g_utf8_validate (json, -1, NULL));
  g_assert_true (g_utf8_validate (text, -1, NULL));
  g_assert_true (summary->subject == NULL || g_utf8_validate (summary->subject, -1, NULL));
  return 0;
}
