/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is inside of a leaf: a message in a transfer encoding and an opaque signature become sources
 * of their own, to be scanned, and so does a multipart that was encoded as a whole, which RFC 2045
 * section 6.4 forbids; files inside a text become its children. */

#include "mime/postbag-structure-private.h"

#include <string.h>

#include "base/postbag-limits.h"

static GBytes *
decode_span (PostbagBuilder *self, const PostbagSpan *span)
{
  g_autoptr (GBytes) octets = postbag_structure_get_octets (self->structure, span);

  return postbag_transfer_decode (octets, span->part->encoding, G_MAXUINT32,
                                  &self->structure->warnings, NULL);
}

static void
open_encoded_message (PostbagBuilder *self, const PostbagSpan *span)
{
  GBytes *inner;

  if (!postbag_builder_may_nest (self, span->depth)
      || !postbag_builder_may_spend (self, span->length))
    return;
  inner = decode_span (self, span);
  if (inner == NULL)
    return;
  postbag_builder_warn (self, POSTBAG_WARNING_ENCODED_MESSAGE);
  postbag_builder_push_job (self, inner, span);
}

gboolean
postbag_builder_open_multipart (PostbagBuilder *self, const PostbagSpan *body,
                                GPtrArray *boundaries, const char *prefix)
{
  GBytes *inner;
  PostbagJob *job;

  if (postbag_transfer_is_identity (body->part->encoding)
      || !postbag_transfer_is_known (body->part->encoding)
      || !postbag_builder_may_spend (self, body->length))
    return FALSE;
  inner = decode_span (self, body);
  if (inner == NULL)
    return FALSE;
  g_free (body->part->encoding);
  body->part->encoding = g_strdup ("binary"); /* it was undone */
  postbag_builder_warn (self, POSTBAG_WARNING_ENCODED_MULTIPART);
  job = postbag_builder_push_job (self, inner, body);
  job->boundaries = g_ptr_array_ref (boundaries);
  job->prefix = g_strdup (prefix);
  return TRUE;
}

static void
open_signature (PostbagBuilder *self, const PostbagSpan *span)
{
  g_autoptr (GBytes) wrapper = NULL;
  GBytes *content = NULL;
  gsize length;
  const guint8 *bytes;

  if (!postbag_builder_may_nest (self, span->depth)
      || !postbag_builder_may_spend (self, span->length))
    return;
  wrapper = decode_span (self, span);
  if (wrapper == NULL)
    return;
  bytes = g_bytes_get_data (wrapper, &length);
  content = postbag_cms_read_content (bytes, length, length);
  postbag_builder_warn (self, content != NULL ? POSTBAG_WARNING_OPAQUE_SIGNED
                                              : POSTBAG_WARNING_ENCRYPTED);
  if (content != NULL)
    postbag_builder_push_job (self, content, span);
}

static void
add_text_file (PostbagBuilder *self, const PostbagSpan *text, guint source,
               const PostbagTextBlock *block)
{
  PostbagPart *part;
  PostbagSpan span = { .source = source,
                       .offset = block->offset,
                       .length = block->length,
                       .depth = text->depth + 1,
                       .closed = TRUE };

  if (!postbag_builder_may_add (self))
    return;
  part = postbag_part_new ("application/octet-stream");
  part->number = postbag_builder_make_number (
      text->part->number, text->part->children != NULL ? text->part->children->len : 0);
  part->filename = g_strdup (block->name);
  part->disposition = g_strdup ("attachment");
  part->size = (gint64)block->length;
  g_free (part->encoding);
  part->encoding = g_strdup (block->encoding);
  postbag_builder_attach (self, part, text->part);
  span.part = part;
  g_array_append_val (self->structure->spans, span);
}

static gboolean
holds (GBytes *bytes, const char *word)
{
  gsize length;
  const char *data = g_bytes_get_data (bytes, &length);

  return data != NULL && memmem (data, length, word, strlen (word)) != NULL;
}

/* Files inside a text, and armour. @span: by value, the array of spans grows */
static void
open_text (PostbagBuilder *self, PostbagSpan span)
{
  g_autoptr (GBytes) text = NULL;
  g_autoptr (GArray) blocks = NULL;
  gsize length;
  const char *bytes;

  if (span.length > POSTBAG_LIMIT_MESSAGE_SOURCE_BYTES)
    return;
  text = decode_span (self, &span);
  if (text == NULL)
    return;
  if (holds (text, "-----BEGIN PGP "))
    postbag_builder_warn (self, POSTBAG_WARNING_PGP_INLINE);
  bytes = g_bytes_get_data (text, &length);
  blocks =
      bytes != NULL ? postbag_text_blocks_find (bytes, length, POSTBAG_LIMIT_ATTACHMENTS) : NULL;
  if (blocks == NULL)
    return;
  postbag_builder_warn (self, POSTBAG_WARNING_UUENCODE);
  g_ptr_array_add (self->structure->sources, g_bytes_ref (text));
  for (guint i = 0; i < blocks->len; i++)
    add_text_file (self, &span, self->structure->sources->len - 1,
                   &g_array_index (blocks, PostbagTextBlock, i));
}

static gboolean
is_opaque (const PostbagPart *part)
{
  return strcmp (part->type, "application/pkcs7-mime") == 0
         || strcmp (part->type, "application/x-pkcs7-mime") == 0;
}

void
postbag_builder_open_leaf (PostbagBuilder *self, guint index)
{
  PostbagSpan span = g_array_index (self->structure->spans, PostbagSpan, index);
  const PostbagPart *part = span.part;

  if (postbag_builder_is_message (part) && !postbag_transfer_is_identity (part->encoding))
    open_encoded_message (self, &span);
  else if (is_opaque (part))
    open_signature (self, &span);
  else if (strcmp (part->type, "text/plain") == 0 && part->filename == NULL
           && g_strcmp0 (part->disposition, "attachment") != 0)
    open_text (self, span);
}
