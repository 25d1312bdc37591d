/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The open elements of a page, so that what goes on to libxml2 is nested, and not too deep. */

#include <string.h>

#include "base/postbag-limits.h"
#include "safety/postbag-html-private.h"

typedef struct
{
  char *name;
  gsize count; /* how often it is open */
} Name;

struct _PostbagHtmlOpen
{
  GHashTable *names; /* name to Name */
  GPtrArray *stack;  /* Name, innermost last */
};

static void
free_name (gpointer data)
{
  Name *name = data;

  g_free (name->name);
  g_free (name);
}

gboolean
postbag_html_is_one_of (const char *name, const char *const *names)
{
  for (; *names != NULL; names++)
    if (name[0] == (*names)[0] && strcmp (name, *names) == 0)
      return TRUE;
  return FALSE;
}

PostbagHtmlOpen *
postbag_html_open_new (void)
{
  PostbagHtmlOpen *self = g_new0 (PostbagHtmlOpen, 1);

  self->names = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, free_name);
  self->stack = g_ptr_array_new ();
  return self;
}

void
postbag_html_open_free (PostbagHtmlOpen *self)
{
  g_ptr_array_unref (self->stack);
  g_hash_table_unref (self->names);
  g_free (self);
}

/* What a start tag closes without being asked to (section 13.1.2.4), as far as it can stand on top:
 * else a page of unclosed paragraphs would count as nested. */
static const struct
{
  const char *start;
  const char *closes[4];
} implied[] = {
  { "p", { "p", NULL } },
  { "li", { "li", NULL } },
  { "td", { "td", "th", NULL } },
  { "th", { "td", "th", NULL } },
  { "tr", { "td", "th", "tr", NULL } },
  { "dd", { "dd", "dt", NULL } },
  { "dt", { "dd", "dt", NULL } },
  { "option", { "option", NULL } },
};

const char *
postbag_html_open_get_top (const PostbagHtmlOpen *self)
{
  const Name *top =
      self->stack->len > 0 ? g_ptr_array_index (self->stack, self->stack->len - 1) : NULL;

  return top != NULL ? top->name : NULL;
}

static Name *
pop (PostbagHtmlOpen *self)
{
  Name *name = g_ptr_array_steal_index (self->stack, self->stack->len - 1);

  name->count--;
  return name;
}

static void
pop_implied (PostbagHtmlOpen *self, const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (implied); i++)
    {
      if (name[0] != implied[i].start[0] || strcmp (name, implied[i].start) != 0)
        continue;
      while (self->stack->len > 0
             && postbag_html_is_one_of (postbag_html_open_get_top (self), implied[i].closes))
        pop (self);
      return;
    }
}

gboolean
postbag_html_open_contains (const PostbagHtmlOpen *self, const char *name)
{
  const Name *known = g_hash_table_lookup (self->names, name);

  return known != NULL && known->count > 0;
}

gboolean
postbag_html_open_start (PostbagHtmlOpen *self, const char *name)
{
  Name *known;

  pop_implied (self, name);
  if (self->stack->len >= POSTBAG_LIMIT_HTML_DEPTH)
    return FALSE;
  known = g_hash_table_lookup (self->names, name);
  if (known == NULL)
    {
      known = g_new0 (Name, 1);
      known->name = g_strdup (name);
      g_hash_table_insert (self->names, known->name, known);
    }
  known->count++;
  g_ptr_array_add (self->stack, known);
  return TRUE;
}

gboolean
postbag_html_open_end (PostbagHtmlOpen *self, const char *name)
{
  Name *known = g_hash_table_lookup (self->names, name);

  if (known == NULL || known->count == 0)
    return FALSE;
  while (pop (self) != known)
    ;
  return TRUE;
}
