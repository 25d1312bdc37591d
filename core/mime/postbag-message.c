/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A message: its header fields as slices of the source, its tree, its parts' bytes. */

#include "mime/postbag-mime-private.h"

#include <string.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "base/postbag-text.h"

struct _PostbagMessage
{
  GBytes *source;  /* what @headers point into */
  GArray *headers; /* PostbagHeader */
  PostbagStructure *structure;
  char *subject; /* (nullable) */
  char *message_id;
  char **references;
  GHashTable *addresses; /* lower-case field name to GPtrArray of PostbagAddress */
  GHashTable *raw;       /* "name/index" to text */
  GHashTable *bodies;    /* PostbagPart to PostbagBody: texts that were read, see keep_body() */
  gsize kept;            /* bytes of these texts */
  GHashTable *blank;     /* PostbagPart to whether its text is blank */
  GHashTable *allotted;  /* PostbagPart to how many bytes of its text are read */
  gsize text_left;       /* of what is read of all texts */
  char **warnings;       /* (nullable): not asked for yet */
};

/* The charset of the first text part: what raw 8-bit bytes in the header are most likely in. */
static const char *
find_fallback_charset (const PostbagPart *root)
{
  while (root != NULL && root->charset == NULL && root->children != NULL && root->children->len > 0)
    root = g_ptr_array_index (root->children, 0);
  return root != NULL ? root->charset : NULL;
}

PostbagMessage *
postbag_message_parse (GBytes *source)
{
  PostbagMessage *self = g_new0 (PostbagMessage, 1);
  gsize length, body;
  const char *bytes = g_bytes_get_data (source, &length);

  self->source = g_bytes_ref (source);
  self->headers = postbag_headers_scan (bytes, length, &body, NULL);
  self->structure = postbag_structure_build (source);
  self->addresses =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_ptr_array_unref);
  self->raw = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  self->bodies = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify)postbag_body_free);
  self->blank = g_hash_table_new (NULL, NULL);
  self->allotted = g_hash_table_new (NULL, NULL);
  self->text_left = POSTBAG_LIMIT_MESSAGE_TEXT_BYTES;
  self->subject = postbag_summary_decode_field (
      self->headers, "Subject", find_fallback_charset (self->structure->root), NULL);
  self->message_id = postbag_summary_find_message_id (self->headers);
  self->references = postbag_summary_find_references (self->headers);
  return self;
}

void
postbag_message_free (PostbagMessage *self)
{
  if (self == NULL)
    return;
  g_bytes_unref (self->source);
  g_array_unref (self->headers);
  postbag_structure_free (self->structure);
  g_free (self->subject);
  g_free (self->message_id);
  g_strfreev (self->references);
  g_hash_table_unref (self->addresses);
  g_hash_table_unref (self->raw);
  g_hash_table_unref (self->bodies);
  g_hash_table_unref (self->blank);
  g_hash_table_unref (self->allotted);
  g_strfreev (self->warnings);
  g_free (self);
}

const char *
postbag_message_get_subject (PostbagMessage *self)
{
  return self->subject;
}

GPtrArray *
postbag_message_get_addresses (PostbagMessage *self, const char *field)
{
  g_autofree char *key = g_ascii_strdown (field, -1);
  GPtrArray *addresses = g_hash_table_lookup (self->addresses, key);

  if (addresses != NULL)
    return addresses;
  addresses = postbag_summary_find_addresses (self->headers, field,
                                              find_fallback_charset (self->structure->root), NULL);
  g_hash_table_insert (self->addresses, g_steal_pointer (&key), addresses);
  return addresses;
}

gint64
postbag_message_get_date (PostbagMessage *self)
{
  return postbag_summary_find_date (self->headers);
}

const char *
postbag_message_get_message_id (PostbagMessage *self)
{
  return self->message_id;
}

const char *const *
postbag_message_get_references (PostbagMessage *self)
{
  return (const char *const *)self->references;
}

const char *
postbag_message_get_header (PostbagMessage *self, const char *field, guint index)
{
  const PostbagHeader *header = postbag_headers_find (self->headers, field, index);
  g_autofree char *key = NULL;
  g_autofree char *unfolded = NULL;
  char *text;
  gsize length;

  if (header == NULL)
    return NULL;
  key = g_strdup_printf ("%p", (const void *)header);
  text = g_hash_table_lookup (self->raw, key);
  if (text != NULL)
    return text;
  unfolded = postbag_header_unfold (header->value, &length);
  text = postbag_text_make_valid (unfolded, (gssize)length);
  g_hash_table_insert (self->raw, g_steal_pointer (&key), text);
  return text;
}

const PostbagPart *
postbag_message_get_structure (PostbagMessage *self)
{
  return self->structure->root;
}

/* (nullable): by number, or where @number is NULL by @part */
static const PostbagSpan *
find_span (PostbagMessage *self, const char *number, const PostbagPart *part)
{
  for (guint i = 0; i < self->structure->spans->len; i++)
    {
      const PostbagSpan *span = &g_array_index (self->structure->spans, PostbagSpan, i);

      if (number != NULL ? g_strcmp0 (span->part->number, number) == 0 : span->part == part)
        return span;
    }
  return NULL;
}

static GBytes *
decode_span (PostbagMessage *self, const PostbagSpan *span, gsize max_bytes,
             PostbagWarnings *warnings, GError **error)
{
  g_autoptr (GBytes) encoded = postbag_structure_get_octets (self->structure, span);

  return postbag_transfer_decode (encoded, span->part->encoding, max_bytes, warnings, error);
}

GBytes *
postbag_message_decode_part_noting (PostbagMessage *self, const char *number, gsize max_bytes,
                                    PostbagWarnings *warnings, GError **error)
{
  const PostbagSpan *span = find_span (self, number, NULL);

  if (span != NULL)
    return decode_span (self, span, max_bytes, warnings, error);
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_FOUND,
               "The message has no part %s that holds bytes. List its parts and use a number from "
               "there.",
               number);
  return NULL;
}

GBytes *
postbag_message_decode_part (PostbagMessage *self, const char *number, gsize max_bytes,
                             GError **error)
{
  return postbag_message_decode_part_noting (self, number, max_bytes, NULL, error);
}

GBytes *
postbag_message_get_part_octets (PostbagMessage *self, const char *number)
{
  const PostbagSpan *span = find_span (self, number, NULL);

  return span != NULL ? postbag_structure_get_octets (self->structure, span) : NULL;
}

/* Files inside a text are listed as its children: here they go. */
static void
remove_files (const PostbagPart *part, GBytes **text)
{
  gsize length;
  const char *bytes = g_bytes_get_data (*text, &length);
  g_autoptr (GArray) blocks = NULL;
  GBytes *rest;

  if (part->children == NULL || bytes == NULL)
    return;
  blocks = postbag_text_blocks_find (bytes, length, part->children->len);
  if (blocks == NULL)
    return;
  rest = postbag_text_blocks_remove (*text, blocks);
  g_bytes_unref (*text);
  *text = rest;
}

/* The choice of a text, the text and the comparison with its other form each read the same parts:
 * texts of ordinary length are kept. %FALSE: it was too much, and @body stays the caller's. */
static gboolean
keep_body (PostbagMessage *self, const PostbagPart *part, PostbagBody *body)
{
  gsize length = strlen (body->text) + 1;

  if (length > POSTBAG_LIMIT_KEPT_TEXT_BYTES - self->kept)
    return FALSE;
  self->kept += length;
  g_hash_table_insert (self->bodies, (gpointer)part, body);
  return TRUE;
}

/* How many of the @length bytes of @part's text are read: the same whenever it is asked for. */
static gsize
allot (PostbagMessage *self, const PostbagPart *part, gsize length)
{
  gpointer known;

  if (!g_hash_table_lookup_extended (self->allotted, part, NULL, &known))
    {
      length = MIN (length, self->text_left);
      self->text_left -= length;
      known = GSIZE_TO_POINTER (length);
      g_hash_table_insert (self->allotted, (gpointer)part, known);
    }
  return GPOINTER_TO_SIZE (known);
}

/* Cuts @bytes to what is read of @part: whether it did. */
static gboolean
cut_text (PostbagMessage *self, const PostbagPart *part, GBytes **bytes)
{
  gsize length = g_bytes_get_size (*bytes), kept = allot (self, part, length);
  GBytes *cut;

  if (kept >= length)
    return FALSE;
  cut = g_bytes_new_from_bytes (*bytes, 0, kept);
  g_bytes_unref (*bytes);
  *bytes = cut;
  return TRUE;
}

/* (transfer full): the readable text of one text part */
static PostbagBody *
decode_text_part (PostbagMessage *self, const PostbagSpan *span)
{
  PostbagWarnings warnings = 0;
  g_autoptr (GBytes) bytes = decode_span (self, span, G_MAXUINT32, &warnings, NULL);
  gboolean cut;
  PostbagBody *body;

  if (bytes == NULL)
    bytes = g_bytes_new (NULL, 0);
  remove_files (span->part, &bytes);
  cut = cut_text (self, span->part, &bytes);
  if (cut)
    postbag_warnings_add (&warnings, POSTBAG_WARNING_LIMIT_BYTES);
  body = postbag_body_read (bytes, span->part->type, span->part->charset, &warnings);
  body->warnings = postbag_warnings_to_codes (warnings);
  body->complete = body->complete && !cut && (span->closed || self->structure->root == span->part);
  if (span->flowed && !body->is_html)
    {
      char *joined = postbag_body_unflow (body->text, span->delete_sp);

      g_free (body->text);
      body->text = joined;
    }
  return body;
}

/* The readable text of one text part. *@own: (nullable): to be freed by the caller: the text, where
 * it is not kept. */
static const PostbagBody *
read_text_part (PostbagMessage *self, const PostbagSpan *span, PostbagBody **own)
{
  PostbagBody *body = g_hash_table_lookup (self->bodies, span->part);

  if (body != NULL)
    return body;
  body = decode_text_part (self, span);
  if (!keep_body (self, span->part, body))
    *own = body;
  return body;
}

static gboolean
is_blank_text (const char *text)
{
  for (; *text != '\0'; text = g_utf8_next_char (text))
    {
      gunichar c = g_utf8_get_char (text);

      if (!g_unichar_isspace (c) && g_unichar_isprint (c))
        return FALSE;
    }
  return TRUE;
}

/* Nothing of it may be read any more: whether it is blank nobody knows. */
static gboolean
is_unread (PostbagMessage *self, const PostbagPart *part)
{
  return part->size > 0 && self->text_left == 0 && allot (self, part, 0) == 0;
}

/* For the choice; remembered, since nested alternatives ask again. */
static gboolean
is_blank_part (const PostbagPart *part, gpointer user_data)
{
  PostbagMessage *self = user_data;
  gpointer known;
  g_autoptr (PostbagBody) own = NULL;
  const PostbagSpan *span;
  gboolean blank = TRUE;

  if (g_hash_table_lookup_extended (self->blank, part, NULL, &known))
    return GPOINTER_TO_INT (known);
  span = find_span (self, NULL, part);
  if (span != NULL)
    blank = is_blank_text (read_text_part (self, span, &own)->text) && !is_unread (self, part);
  g_hash_table_insert (self->blank, (gpointer)part, GINT_TO_POINTER (blank));
  return blank;
}

static void
take_report (PostbagBody *body, const PostbagBody *piece)
{
  if (piece->report == NULL)
    return;
  if (body->report == NULL)
    body->report = postbag_html_report_new ();
  postbag_html_report_merge (body->report, piece->report);
}

static void
take_warnings (GPtrArray *warnings, const PostbagBody *piece)
{
  for (guint i = 0; piece->warnings != NULL && piece->warnings[i] != NULL; i++)
    if (!g_ptr_array_find_with_equal_func (warnings, piece->warnings[i], g_str_equal, NULL))
      g_ptr_array_add (warnings, g_strdup (piece->warnings[i]));
}

/* (transfer full): the texts of @parts, one below the other */
static PostbagBody *
join_parts (PostbagMessage *self, GPtrArray *parts)
{
  PostbagBody *body = g_new0 (PostbagBody, 1);
  g_autoptr (GPtrArray) warnings = g_ptr_array_new_with_free_func (g_free);
  GString *text = g_string_new (NULL);

  body->complete = TRUE;
  for (guint i = 0; i < parts->len; i++)
    {
      const PostbagPart *part = g_ptr_array_index (parts, i);
      g_autoptr (PostbagBody) own = NULL;
      const PostbagBody *piece = read_text_part (self, find_span (self, NULL, part), &own);

      if (i == 0)
        {
          body->part = g_strdup (part->number);
          body->is_html = piece->is_html;
        }
      else if (text->len > 0)
        g_string_append (text, text->str[text->len - 1] == '\n' ? "\n" : "\n\n");
      g_string_append (text, piece->text);
      take_report (body, piece);
      take_warnings (warnings, piece);
      body->complete = body->complete && piece->complete;
    }
  body->text = g_string_free (text, FALSE);
  g_ptr_array_add (warnings, NULL);
  body->warnings = (char **)g_ptr_array_steal (warnings, NULL);
  return body;
}

PostbagBody *
postbag_message_choose_body (PostbagMessage *self)
{
  g_autoptr (GPtrArray) parts =
      postbag_body_choose_parts (self->structure->root, is_blank_part, self);

  return join_parts (self, parts);
}

gboolean
postbag_message_read_alternatives (PostbagMessage *self, PostbagBody **plain, PostbagBody **html)
{
  g_autoptr (GPtrArray) plain_parts = NULL;
  g_autoptr (GPtrArray) html_parts = NULL;

  if (!postbag_body_choose_alternatives (self->structure->root, is_blank_part, self, &plain_parts,
                                         &html_parts))
    return FALSE;
  *plain = join_parts (self, plain_parts);
  *html = join_parts (self, html_parts);
  return TRUE;
}

const char *const *
postbag_message_get_warnings (PostbagMessage *self)
{
  if (self->warnings == NULL)
    self->warnings = postbag_warnings_to_codes (
        self->structure->warnings
        | postbag_headers_judge (self->headers, find_fallback_charset (self->structure->root)));
  return (const char *const *)self->warnings;
}

static gboolean
is_blank_size (const PostbagPart *part, gpointer user_data)
{
  return part->size == 0;
}

const PostbagPart *
postbag_part_choose_body (const PostbagPart *structure)
{
  g_autoptr (GPtrArray) parts = postbag_body_choose_parts (structure, is_blank_size, NULL);

  return parts->len > 0 ? g_ptr_array_index (parts, 0) : NULL;
}

gboolean
postbag_part_has_alternatives (const PostbagPart *structure)
{
  g_autoptr (GPtrArray) plain = NULL;
  g_autoptr (GPtrArray) html = NULL;

  return postbag_body_choose_alternatives (structure, is_blank_size, NULL, &plain, &html);
}
