/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which text parts a person sees (RFC 2046 section 5.1, RFC 2387): of a multipart/alternative one
 * child, plain text before HTML; of a multipart/related its root; of any other multipart all in
 * order; of an opaque signature what it signs. An attached text (disposition attachment, or a file
 * name) is none, and neither is what stands in a forwarded message. */

#include "mime/postbag-mime-private.h"

#include <string.h>

typedef struct
{
  PostbagIsBlankFunc is_blank;
  gpointer user_data;
} Choice;

/* What is seen of it are its children: also of a signature that holds what it signs. */
static gboolean
is_multipart (const PostbagPart *part)
{
  return g_str_has_prefix (part->type, "multipart/")
         || (part->children != NULL && g_str_has_suffix (part->type, "pkcs7-mime"));
}

static gboolean
is_text (const PostbagPart *part)
{
  return strcmp (part->type, "text/plain") == 0 || strcmp (part->type, "text/html") == 0;
}

static gboolean
is_body_text (const PostbagPart *part)
{
  return is_text (part) && part->filename == NULL
         && g_strcmp0 (part->disposition, "attachment") != 0;
}

/* Pushes what is seen of @part, backwards, so that popping keeps the order. */
static void
push_children (const PostbagPart *part, GPtrArray *stack)
{
  guint count = part->children != NULL ? part->children->len : 0;

  if (count > 1 && strcmp (part->type, "multipart/related") == 0)
    {
      guint root = postbag_part_find_related_root (part);

      g_ptr_array_add (stack, g_ptr_array_index (part->children, root));
      return;
    }
  for (guint i = count; i > 0; i--)
    g_ptr_array_add (stack, g_ptr_array_index (part->children, i - 1));
}

/* Whether @root holds a body text of @type with something in it. */
static gboolean
has_text (const Choice *self, const PostbagPart *root, const char *type)
{
  g_autoptr (GPtrArray) stack = g_ptr_array_new ();

  g_ptr_array_add (stack, (gpointer)root);
  while (stack->len > 0)
    {
      const PostbagPart *part = g_ptr_array_steal_index_fast (stack, stack->len - 1);

      if (is_multipart (part))
        push_children (part, stack);
      else if (strcmp (part->type, type) == 0 && is_body_text (part)
               && !self->is_blank (part, self->user_data))
        return TRUE;
    }
  return FALSE;
}

/* (nullable): the first child of a multipart/alternative that holds a text of @type */
static const PostbagPart *
find_alternative (const Choice *self, const PostbagPart *part, const char *type)
{
  for (guint i = 0; part->children != NULL && i < part->children->len; i++)
    if (has_text (self, g_ptr_array_index (part->children, i), type))
      return g_ptr_array_index (part->children, i);
  return NULL;
}

/* (nullable): the child of a multipart/alternative that is shown */
static const PostbagPart *
choose_alternative (const Choice *self, const PostbagPart *part)
{
  const PostbagPart *plain = find_alternative (self, part, "text/plain");

  return plain != NULL ? plain : find_alternative (self, part, "text/html");
}

static void
collect (const Choice *self, const PostbagPart *root, GPtrArray *chosen)
{
  g_autoptr (GPtrArray) stack = g_ptr_array_new ();

  g_ptr_array_add (stack, (gpointer)root);
  while (stack->len > 0)
    {
      const PostbagPart *part = g_ptr_array_steal_index_fast (stack, stack->len - 1);
      const PostbagPart *shown;

      if (strcmp (part->type, "multipart/alternative") == 0)
        {
          shown = choose_alternative (self, part);
          if (shown != NULL)
            g_ptr_array_add (stack, (gpointer)shown);
        }
      else if (is_multipart (part))
        push_children (part, stack);
      else if (is_body_text (part) && !self->is_blank (part, self->user_data))
        g_ptr_array_add (chosen, (gpointer)part);
    }
}

/* A message whose only text has a file name still has a body: that text. */
static void
collect_named (const Choice *self, const PostbagPart *root, GPtrArray *chosen)
{
  if (!is_multipart (root) && is_text (root) && g_strcmp0 (root->disposition, "attachment") != 0
      && !self->is_blank (root, self->user_data))
    g_ptr_array_add (chosen, (gpointer)root);
}

GPtrArray *
postbag_body_choose_parts (const PostbagPart *structure, PostbagIsBlankFunc is_blank,
                           gpointer user_data)
{
  Choice self = { is_blank, user_data };
  GPtrArray *chosen = g_ptr_array_new ();

  if (structure == NULL)
    return chosen;
  collect (&self, structure, chosen);
  if (chosen->len == 0)
    collect_named (&self, structure, chosen);
  return chosen;
}

/* The body texts of @type below @root, in order. */
static GPtrArray *
collect_type (const Choice *self, const PostbagPart *root, const char *type)
{
  g_autoptr (GPtrArray) stack = g_ptr_array_new ();
  GPtrArray *found = g_ptr_array_new ();

  g_ptr_array_add (stack, (gpointer)root);
  while (stack->len > 0)
    {
      const PostbagPart *part = g_ptr_array_steal_index_fast (stack, stack->len - 1);

      if (is_multipart (part))
        push_children (part, stack);
      else if (strcmp (part->type, type) == 0 && is_body_text (part)
               && !self->is_blank (part, self->user_data))
        g_ptr_array_add (found, (gpointer)part);
    }
  return found;
}

gboolean
postbag_body_choose_alternatives (const PostbagPart *structure, PostbagIsBlankFunc is_blank,
                                  gpointer user_data, GPtrArray **plain, GPtrArray **html)
{
  Choice self = { is_blank, user_data };
  g_autoptr (GPtrArray) stack = g_ptr_array_new ();

  if (structure != NULL)
    g_ptr_array_add (stack, (gpointer)structure);
  while (stack->len > 0)
    {
      const PostbagPart *part = g_ptr_array_steal_index_fast (stack, stack->len - 1);
      const PostbagPart *plain_child, *html_child;

      if (!is_multipart (part))
        continue;
      push_children (part, stack);
      if (strcmp (part->type, "multipart/alternative") != 0)
        continue;
      plain_child = find_alternative (&self, part, "text/plain");
      html_child = find_alternative (&self, part, "text/html");
      if (plain_child == NULL || html_child == NULL)
        continue;
      *plain = collect_type (&self, plain_child, "text/plain");
      *html = collect_type (&self, html_child, "text/html");
      return TRUE;
    }
  return FALSE;
}
