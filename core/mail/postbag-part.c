/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The tree of a message's parts. Its depth is a sender's choice, so nothing here recurses. */

#include "mail/postbag-mail-types.h"

#include <string.h>

/* A base64 line of 76 characters (RFC 2045, 6.8) and its CRLF. */
#define BASE64_LINE_OCTETS 78

PostbagPart *
postbag_part_new (const char *type)
{
  PostbagPart *self = g_new0 (PostbagPart, 1);

  self->type = g_strdup (type);
  self->encoding = g_strdup ("7bit");
  self->size = -1;
  return self;
}

static void
take_children (PostbagPart *self, GPtrArray *stack)
{
  g_autofree gpointer *children = NULL;
  gsize n_children = 0;

  if (self->children == NULL)
    return;
  children = g_ptr_array_steal (self->children, &n_children);
  for (gsize i = 0; i < n_children; i++)
    g_ptr_array_add (stack, children[i]);
  g_clear_pointer (&self->children, g_ptr_array_unref);
}

static void
free_one (PostbagPart *self)
{
  g_free (self->number);
  g_free (self->type);
  g_free (self->encoding);
  g_free (self->charset);
  g_free (self->disposition);
  g_free (self->filename);
  g_free (self->other_filename);
  g_free (self->content_id);
  g_free (self->start);
  g_free (self->version);
  g_free (self);
}

PostbagPart *
postbag_part_copy_alone (const PostbagPart *self)
{
  PostbagPart *copy = postbag_part_new (self->type);

  g_free (copy->encoding);
  copy->encoding = g_strdup (self->encoding);
  copy->number = g_strdup (self->number);
  copy->charset = g_strdup (self->charset);
  copy->disposition = g_strdup (self->disposition);
  copy->filename = g_strdup (self->filename);
  copy->other_filename = g_strdup (self->other_filename);
  copy->content_id = g_strdup (self->content_id);
  copy->start = g_strdup (self->start);
  copy->size = self->size;
  copy->cut = self->cut;
  return copy;
}

PostbagPart *
postbag_part_copy (const PostbagPart *self)
{
  g_autoptr (GPtrArray) from = g_ptr_array_new ();
  g_autoptr (GPtrArray) to = g_ptr_array_new ();
  PostbagPart *copy = postbag_part_copy_alone (self);

  g_ptr_array_add (from, (gpointer)self);
  g_ptr_array_add (to, copy);
  while (from->len > 0)
    {
      const PostbagPart *part = g_ptr_array_steal_index_fast (from, from->len - 1);
      PostbagPart *twin = g_ptr_array_steal_index_fast (to, to->len - 1);

      if (part->children == NULL)
        continue;
      twin->children = g_ptr_array_new_with_free_func ((GDestroyNotify)postbag_part_free);
      for (guint i = 0; i < part->children->len; i++)
        {
          PostbagPart *child = postbag_part_copy_alone (g_ptr_array_index (part->children, i));

          g_ptr_array_add (twin->children, child);
          g_ptr_array_add (from, g_ptr_array_index (part->children, i));
          g_ptr_array_add (to, child);
        }
    }
  return copy;
}

/* Whether two ids are the same but for the brackets, which some leave out. */
static gboolean
is_same_id (const char *one, const char *other)
{
  gsize length;

  one += strspn (one, " \t<");
  other += strspn (other, " \t<");
  length = strcspn (one, " \t>");
  return length > 0 && length == strcspn (other, " \t>") && strncmp (one, other, length) == 0;
}

guint
postbag_part_find_related_root (const PostbagPart *self)
{
  for (guint i = 0; self->start != NULL && i < self->children->len; i++)
    {
      const PostbagPart *child = g_ptr_array_index (self->children, i);

      if (child->content_id != NULL && is_same_id (self->start, child->content_id))
        return i;
    }
  return 0;
}

void
postbag_part_free (PostbagPart *self)
{
  g_autoptr (GPtrArray) stack = NULL;

  if (self == NULL)
    return;
  if (self->children == NULL)
    {
      free_one (self);
      return;
    }
  stack = g_ptr_array_new ();
  g_ptr_array_add (stack, self);
  while (stack->len > 0)
    {
      PostbagPart *part = g_ptr_array_steal_index_fast (stack, stack->len - 1);

      take_children (part, stack);
      free_one (part);
    }
}

const PostbagPart *
postbag_part_find (const PostbagPart *self, const char *number)
{
  g_autoptr (GPtrArray) stack = g_ptr_array_new ();

  g_return_val_if_fail (number != NULL, NULL);

  if (self != NULL)
    g_ptr_array_add (stack, (gpointer)self);
  while (stack->len > 0)
    {
      const PostbagPart *part = g_ptr_array_steal_index_fast (stack, stack->len - 1);

      if (g_strcmp0 (part->number, number) == 0)
        return part;
      /* Pushed backwards, so that the first of equals wins. */
      for (guint i = part->children != NULL ? part->children->len : 0; i > 0; i--)
        g_ptr_array_add (stack, g_ptr_array_index (part->children, i - 1));
    }
  return NULL;
}

gint64
postbag_part_estimate_decoded_size (const PostbagPart *self)
{
  gint64 characters;

  if (self->size < 0)
    return -1;
  if (g_strcmp0 (self->encoding, "base64") != 0)
    return self->size;
  characters = self->size - self->size / BASE64_LINE_OCTETS * 2;
  return characters / 4 * 3 + characters % 4 * 3 / 4;
}
