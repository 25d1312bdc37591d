/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "json/postbag-result-private.h"

#include "base/postbag-limits.h"
#include "json/postbag-json-writer.h"

struct _PostbagResult
{
  PostbagJsonWriter *writer;
  gsize limit;      /* characters that entries may fill: the budget without the reserve */
  gsize item_limit; /* likewise for now; 0: only @limit */
  GArray *items;    /* PostbagJsonMark: in front of each open entry */
  GArray *opened;   /* guint8: '{' or '[' for each open container, the root first */
  GBytes *structured;
  char *text;
  GArray *blocks; /* PostbagResultBlock */
  gboolean is_failed;
  JsonObject *meta; /* (nullable) */
};

static void
clear_block (gpointer data)
{
  PostbagResultBlock *block = data;

  g_clear_pointer (&block->data, g_bytes_unref);
  g_free (block->uri);
  g_free (block->name);
  g_free (block->mime_type);
  g_free (block->text);
}

PostbagResult *
postbag_result_new (gsize budget_chars)
{
  PostbagResult *self = g_new0 (PostbagResult, 1);

  self->writer = postbag_json_writer_new ();
  /* A small budget (tests have one) keeps a quarter. */
  self->limit = budget_chars - MIN (POSTBAG_LIMIT_RESULT_RESERVE_CHARS, budget_chars / 4);
  self->items = g_array_new (FALSE, FALSE, sizeof (PostbagJsonMark));
  self->opened = g_array_new (FALSE, FALSE, sizeof (guint8));
  self->blocks = g_array_new (FALSE, FALSE, sizeof (PostbagResultBlock));
  g_array_set_clear_func (self->blocks, clear_block);
  postbag_result_begin_object (self, NULL);
  return self;
}

void
postbag_result_free (PostbagResult *self)
{
  if (self == NULL)
    return;
  postbag_json_writer_free (self->writer);
  g_array_unref (self->items);
  g_array_unref (self->opened);
  g_array_unref (self->blocks);
  g_clear_pointer (&self->structured, g_bytes_unref);
  g_clear_pointer (&self->meta, json_object_unref);
  g_free (self->text);
  g_free (self);
}

static void
begin_member (PostbagResult *self, const char *name)
{
  if (self->structured != NULL)
    g_critical ("a result is written to after it was sent");
  if (name != NULL)
    postbag_json_writer_key (self->writer, name);
}

void
postbag_result_string (PostbagResult *self, const char *name, const char *value)
{
  begin_member (self, name);
  postbag_json_writer_string (self->writer, value);
}

void
postbag_result_int (PostbagResult *self, const char *name, gint64 value)
{
  begin_member (self, name);
  postbag_json_writer_int (self->writer, value);
}

void
postbag_result_double (PostbagResult *self, const char *name, double value)
{
  begin_member (self, name);
  postbag_json_writer_double (self->writer, value);
}

void
postbag_result_boolean (PostbagResult *self, const char *name, gboolean value)
{
  begin_member (self, name);
  postbag_json_writer_boolean (self->writer, value);
}

void
postbag_result_null (PostbagResult *self, const char *name)
{
  begin_member (self, name);
  postbag_json_writer_null (self->writer);
}

void
postbag_result_strings (PostbagResult *self, const char *name, const char *const *values)
{
  postbag_result_begin_array (self, name);
  for (guint i = 0; values != NULL && values[i] != NULL; i++)
    postbag_result_string (self, NULL, values[i]);
  postbag_result_end_array (self);
}

void
postbag_result_base64 (PostbagResult *self, const char *name, GBytes *data)
{
  gsize length;
  const guint8 *bytes = g_bytes_get_data (data, &length);

  begin_member (self, name);
  postbag_json_writer_base64 (self->writer, bytes, length);
}

static void
open_container (PostbagResult *self, const char *name, guint8 bracket)
{
  begin_member (self, name);
  if (bracket == '{')
    postbag_json_writer_begin_object (self->writer);
  else
    postbag_json_writer_begin_array (self->writer);
  g_array_append_val (self->opened, bracket);
}

static void
close_container (PostbagResult *self)
{
  guint8 bracket = g_array_index (self->opened, guint8, self->opened->len - 1);

  if (bracket == '{')
    postbag_json_writer_end_object (self->writer);
  else
    postbag_json_writer_end_array (self->writer);
  g_array_set_size (self->opened, self->opened->len - 1);
}

/* The root object is ours to end. */
static void
end_container (PostbagResult *self, guint8 bracket)
{
  if (self->opened->len < 2
      || g_array_index (self->opened, guint8, self->opened->len - 1) != bracket)
    {
      g_critical ("a result ends a “%c” that is not open", bracket);
      return;
    }
  close_container (self);
}

void
postbag_result_begin_object (PostbagResult *self, const char *name)
{
  open_container (self, name, '{');
}

void
postbag_result_end_object (PostbagResult *self)
{
  end_container (self, '{');
}

void
postbag_result_begin_array (PostbagResult *self, const char *name)
{
  open_container (self, name, '[');
}

void
postbag_result_end_array (PostbagResult *self)
{
  end_container (self, '[');
}

void
postbag_result_begin_item (PostbagResult *self)
{
  PostbagJsonMark mark = postbag_json_writer_mark (self->writer);

  g_array_append_val (self->items, mark);
  postbag_result_begin_object (self, NULL);
}

void
postbag_result_set_item_limit (PostbagResult *self, gsize chars)
{
  self->item_limit = chars;
}

static gsize
get_item_limit (PostbagResult *self)
{
  return self->item_limit > 0 ? MIN (self->item_limit, self->limit) : self->limit;
}

gboolean
postbag_result_end_item (PostbagResult *self)
{
  PostbagJsonMark mark;

  if (self->items->len == 0)
    {
      g_critical ("a result ends an entry that was not begun");
      return FALSE;
    }
  postbag_result_end_object (self);
  mark = g_array_index (self->items, PostbagJsonMark, self->items->len - 1);
  g_array_set_size (self->items, self->items->len - 1);
  if (postbag_json_writer_get_chars (self->writer) <= get_item_limit (self))
    return TRUE;
  postbag_json_writer_rollback (self->writer, &mark);
  return FALSE;
}

gsize
postbag_result_get_remaining (PostbagResult *self)
{
  gsize chars = postbag_json_writer_get_chars (self->writer);

  return chars < self->limit ? self->limit - chars : 0;
}

char *
postbag_result_dup_json (PostbagResult *self)
{
  if (self->opened->len != 1)
    g_critical ("a result is copied while a member of it is open");
  return g_strconcat (postbag_json_writer_peek (self->writer), "}", NULL);
}

void
postbag_result_take_text (PostbagResult *self, char *text)
{
  g_free (self->text);
  self->text = text;
}

void
postbag_result_add_image (PostbagResult *self, GBytes *data, const char *mime_type)
{
  PostbagResultBlock block = { .kind = POSTBAG_BLOCK_IMAGE,
                               .data = g_bytes_ref (data),
                               .mime_type = g_strdup (mime_type) };

  g_array_append_val (self->blocks, block);
}

void
postbag_result_add_audio (PostbagResult *self, GBytes *data, const char *mime_type)
{
  PostbagResultBlock block = { .kind = POSTBAG_BLOCK_AUDIO,
                               .data = g_bytes_ref (data),
                               .mime_type = g_strdup (mime_type) };

  g_array_append_val (self->blocks, block);
}

void
postbag_result_add_link (PostbagResult *self, const char *uri, const char *name,
                         const char *mime_type, gint64 size)
{
  PostbagResultBlock block = { .kind = POSTBAG_BLOCK_LINK,
                               .uri = g_strdup (uri),
                               .name = g_strdup (name),
                               .mime_type = g_strdup (mime_type),
                               .size = size };

  g_array_append_val (self->blocks, block);
}

void
postbag_result_add_resource (PostbagResult *self, const char *uri, const char *mime_type,
                             const char *text, GBytes *data)
{
  PostbagResultBlock block = { .kind = POSTBAG_BLOCK_RESOURCE,
                               .uri = g_strdup (uri),
                               .mime_type = g_strdup (mime_type),
                               .text = g_strdup (text),
                               .data = data != NULL ? g_bytes_ref (data) : NULL };

  g_array_append_val (self->blocks, block);
}

void
postbag_result_set_failed (PostbagResult *self)
{
  self->is_failed = TRUE;
}

void
postbag_result_meta_string (PostbagResult *self, const char *key, const char *value)
{
  g_autofree char *name = g_strconcat (POSTBAG_RESULT_META_PREFIX, key, NULL);

  if (self->meta == NULL)
    self->meta = json_object_new ();
  json_object_set_string_member (self->meta, name, value);
}

GBytes *
postbag_result_get_structured (PostbagResult *self)
{
  if (self->structured == NULL)
    {
      while (self->opened->len > 0)
        close_container (self);
      self->structured = postbag_json_writer_finish (self->writer);
    }
  return self->structured;
}

const char *
postbag_result_get_text (PostbagResult *self)
{
  return self->text;
}

guint
postbag_result_get_n_blocks (PostbagResult *self)
{
  return self->blocks->len;
}

const PostbagResultBlock *
postbag_result_get_block (PostbagResult *self, guint index)
{
  g_return_val_if_fail (index < self->blocks->len, NULL);
  return &g_array_index (self->blocks, PostbagResultBlock, index);
}

gboolean
postbag_result_is_failed (PostbagResult *self)
{
  return self->is_failed;
}

JsonObject *
postbag_result_get_meta (PostbagResult *self)
{
  return self->meta;
}
