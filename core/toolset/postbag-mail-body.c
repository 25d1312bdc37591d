/* SPDX-License-Identifier: LGPL-2.1-or-later */

#define G_LOG_DOMAIN "postbag-toolset"

#include "toolset/postbag-mail-body.h"

#include <string.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"

typedef struct
{
  GByteArray *bytes;
  gsize limit;
  gboolean full;
} Collector;

static gboolean
collect_bytes (const guint8 *data, gsize length, gpointer user_data, GError **error)
{
  Collector *collector = user_data;
  gsize room = collector->limit - collector->bytes->len;

  g_byte_array_append (collector->bytes, data, (guint)MIN (length, room));
  if (length <= room)
    return TRUE;
  collector->full = TRUE;
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_TOO_LARGE,
               "The part has more than %" G_GSIZE_FORMAT " bytes.", collector->limit);
  return FALSE;
}

/* The octets of @part, or what they stand for: *@is_decoded. Only base64 is longer than that by
 * much. */
static gboolean
fetch_bytes (PostbagMailCall *self, guint32 uid, const PostbagPart *part, Collector *collector,
             gboolean *is_decoded, GError **error)
{
  GCancellable *cancellable = postbag_mail_call_get_cancellable (self);

  *is_decoded = FALSE;
  if (g_str_equal (part->encoding, "base64"))
    return postbag_store_fetch_content (self->store, self->mailbox, uid, part->number, is_decoded,
                                        collect_bytes, collector, cancellable, error);
  return postbag_store_fetch_part (self->store, self->mailbox, uid, part->number, collect_bytes,
                                   collector, cancellable, error);
}

/* How many encoded bytes can stand for @max_bytes: quoted-printable needs up to three for one, the
 * others four for three and line ends. */
static gsize
get_encoded_limit (const char *encoding, gsize max_bytes)
{
  gsize bound = MIN (max_bytes, POSTBAG_LIMIT_PART_BYTES);

  if (g_str_equal (encoding, "quoted-printable"))
    return 3 * bound + POSTBAG_LIMIT_PREFIX_BYTES;
  return bound + bound / 2 + POSTBAG_LIMIT_PREFIX_BYTES;
}

GBytes *
postbag_mail_fetch_part (PostbagMailCall *self, guint32 uid, const PostbagPart *part,
                         gsize max_bytes, gboolean *complete, GError **error)
{
  g_autoptr (GByteArray) array = g_byte_array_new ();
  g_autoptr (GBytes) encoded = NULL;
  g_autoptr (GError) failure = NULL;
  gboolean is_decoded;
  Collector collector = { array, get_encoded_limit (part->encoding, max_bytes), FALSE };

  if (complete != NULL)
    collector.limit = MIN (max_bytes, POSTBAG_LIMIT_PART_BYTES);
  if (!fetch_bytes (self, uid, part, &collector, &is_decoded, &failure)
      && !(collector.full && complete != NULL))
    {
      g_propagate_error (error, g_steal_pointer (&failure));
      return NULL;
    }
  if (complete != NULL)
    *complete = !collector.full;
  encoded = g_byte_array_free_to_bytes (g_steal_pointer (&array));
  return postbag_mime_decode (encoded, is_decoded ? "binary" : part->encoding, max_bytes, error);
}

static gboolean
is_blank (const char *text)
{
  return text[strspn (text, " \t\r\n")] == '\0';
}

/* The first text/html leaf below @structure, in the order of the message; a forwarded message is
 * not this message's text. */
static const PostbagPart *
find_html (const PostbagPart *structure)
{
  g_autoptr (GPtrArray) stack = g_ptr_array_new ();

  g_ptr_array_add (stack, (gpointer)structure);
  while (stack->len > 0)
    {
      const PostbagPart *part = g_ptr_array_steal_index (stack, stack->len - 1);

      if (g_str_equal (part->type, "text/html") && part->number != NULL
          && g_strcmp0 (part->disposition, "attachment") != 0)
        return part;
      if (part->children == NULL || g_str_has_prefix (part->type, "message/"))
        continue;
      for (guint i = part->children->len; i > 0; i--)
        g_ptr_array_add (stack, g_ptr_array_index (part->children, i - 1));
    }
  return NULL;
}

static PostbagBody *
fetch_body (PostbagMailCall *self, guint32 uid, const PostbagPart *part, GError **error)
{
  g_autoptr (GBytes) bytes = NULL;
  gboolean complete = TRUE;
  PostbagBody *body = NULL;

  bytes = postbag_mail_fetch_part (self, uid, part, POSTBAG_LIMIT_MESSAGE_SOURCE_BYTES, &complete,
                                   error);
  if (bytes == NULL)
    return NULL;
  body = postbag_mime_text_from_bytes (bytes, part->type, part->charset);
  body->complete = body->complete && complete;
  if (body->part == NULL)
    body->part = g_strdup (part->number);
  return body;
}

/* A boundary says where a text ends. The only part of a message ends with the message, of which
 * there is only the beginning. */
static gboolean
ends_by_itself (const PostbagPart *structure)
{
  return structure->children != NULL && structure->children->len > 0;
}

PostbagBody *
postbag_mail_read_body (PostbagMailCall *self, const PostbagFetchedMessage *fetched,
                        PostbagMessage *message, const PostbagPart *structure, GError **error)
{
  g_autoptr (PostbagBody) body = postbag_message_choose_body (message);
  g_autoptr (PostbagBody) whole = NULL;
  const PostbagPart *part = NULL;
  const PostbagPart *html = NULL;

  if (fetched->complete || (body->part != NULL && body->complete && ends_by_itself (structure)))
    return g_steal_pointer (&body);
  if (body->part != NULL)
    part = postbag_part_find (structure, body->part);
  if (part == NULL)
    part = postbag_part_choose_body (structure);
  if (part == NULL || part->number == NULL)
    return g_steal_pointer (&body);

  whole = fetch_body (self, fetched->uid, part, error);
  if (whole == NULL || !is_blank (whole->text) || g_str_equal (part->type, "text/html"))
    return g_steal_pointer (&whole);
  html = find_html (structure);
  return html != NULL ? fetch_body (self, fetched->uid, html, error) : g_steal_pointer (&whole);
}
