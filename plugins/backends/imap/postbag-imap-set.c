/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-imap-set.h"

#include "base/postbag-limits.h"

GArray *
postbag_imap_set_new (void)
{
  return g_array_new (FALSE, FALSE, sizeof (PostbagImapRange));
}

gboolean
postbag_imap_set_add (GArray *self, guint32 first, guint32 last)
{
  PostbagImapRange range = { MIN (first, last), MAX (first, last) };

  if (self->len > 0)
    {
      PostbagImapRange *previous = &g_array_index (self, PostbagImapRange, self->len - 1);

      if (previous->last < G_MAXUINT32 && previous->last + 1 == range.first)
        {
          previous->last = range.last;
          return TRUE;
        }
    }
  if (self->len >= POSTBAG_LIMIT_MAILBOX_MESSAGES)
    return FALSE;
  g_array_append_val (self, range);
  return TRUE;
}

/* Reads digits at @position; 0 when there is no number from 1 to 2^32-1. */
static guint32
read_number (const char *text, gsize length, gsize *position)
{
  guint64 value = 0;
  gsize start = *position;

  while (*position < length && g_ascii_isdigit (text[*position]) && *position - start < 10)
    value = value * 10 + (guint64)(text[(*position)++] - '0');
  return value <= G_MAXUINT32 ? (guint32)value : 0;
}

gboolean
postbag_imap_set_parse (GArray *self, const char *text, gsize length)
{
  gsize position = 0;

  for (;;)
    {
      guint32 first = read_number (text, length, &position);
      guint32 last = first;

      if (position < length && text[position] == ':')
        {
          position++;
          last = read_number (text, length, &position);
        }
      if (first == 0 || last == 0 || !postbag_imap_set_add (self, first, last))
        return FALSE;
      if (position == length)
        return TRUE;
      if (text[position++] != ',')
        return FALSE;
    }
}

guint64
postbag_imap_set_count (const GArray *self)
{
  guint64 count = 0;

  for (guint i = 0; i < self->len; i++)
    {
      const PostbagImapRange *range = &g_array_index (self, PostbagImapRange, i);

      count += (guint64)range->last - range->first + 1;
    }
  return count;
}

static int
compare_ranges (gconstpointer a, gconstpointer b)
{
  const PostbagImapRange *left = a, *right = b;

  return (left->first > right->first) - (left->first < right->first);
}

void
postbag_imap_set_normalize (GArray *self)
{
  guint kept = 0;

  g_array_sort (self, compare_ranges);
  for (guint i = 1; i < self->len; i++)
    {
      PostbagImapRange *last = &g_array_index (self, PostbagImapRange, kept);
      const PostbagImapRange *range = &g_array_index (self, PostbagImapRange, i);

      if (last->last == G_MAXUINT32 || range->first <= last->last + 1)
        last->last = MAX (last->last, range->last);
      else
        g_array_index (self, PostbagImapRange, ++kept) = *range;
    }
  if (self->len > 0)
    g_array_set_size (self, kept + 1);
}

char *
postbag_imap_set_to_string (const GArray *self)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < self->len; i++)
    {
      const PostbagImapRange *range = &g_array_index (self, PostbagImapRange, i);

      if (i > 0)
        g_string_append_c (text, ',');
      g_string_append_printf (text, "%" G_GUINT32_FORMAT, range->first);
      if (range->last != range->first)
        g_string_append_printf (text, ":%" G_GUINT32_FORMAT, range->last);
    }
  return g_string_free (text, FALSE);
}

GArray *
postbag_imap_set_cut_highest (const GArray *self, gint64 offset, guint limit)
{
  GArray *cut = postbag_imap_set_new ();
  gint64 skip = offset;
  gint64 left = limit;

  for (guint i = self->len; i > 0 && left > 0; i--)
    {
      const PostbagImapRange *range = &g_array_index (self, PostbagImapRange, i - 1);
      gint64 size = (gint64)range->last - range->first + 1;
      gint64 taken;

      if (skip >= size)
        {
          skip -= size;
          continue;
        }
      taken = MIN (size - skip, left);
      postbag_imap_set_add (cut, (guint32)(range->last - skip - taken + 1),
                            (guint32)(range->last - skip));
      skip = 0;
      left -= taken;
    }
  postbag_imap_set_normalize (cut);
  return cut;
}
