/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Lists ([MS-DOC] 2.9.131, 2.9.150): a definition has one level or nine; a paragraph names an
 * override, which names a definition and may let levels begin anew. */

#include "postbag-doc-lists.h"

#include <string.h>

#include "base/postbag-limits.h"
#include "extract/postbag-list.h"

#define DEFINITION_BYTES 28
#define DEFINITION_FLAGS 26
#define DEFINITION_SIMPLE 1
#define LEVEL_BYTES 28
#define LEVEL_NUMERALS 4
#define LEVEL_FLAGS 5
#define LEVEL_LEGAL 4
#define LEVEL_CHARACTERS 24 /* bytes of changes, and those of the paragraph's */
#define LEVEL_PARAGRAPH 25
#define OVERRIDE_BYTES 16
#define OVERRIDE_LEVELS 12
#define CHANGE_BYTES 8
#define CHANGE_START 0x10
#define CHANGE_ALL 0x20
#define MOST_MARKER 32

enum
{
  NUMERALS_UPPER_ROMAN = 1,
  NUMERALS_ROMAN = 2,
  NUMERALS_UPPER_LETTERS = 3,
  NUMERALS_LETTERS = 4,
  NUMERALS_BULLET = 23,
  NUMERALS_NONE = 255,
};

typedef struct
{
  guint32 id;
  gint64 starts[POSTBAG_LIST_LEVELS]; /* -1 */
  gboolean was_used;
} Override;

struct _PostbagDocLists
{
  GHashTable *lists; /* PostbagList by their ids */
  GArray *overrides;
};

/* --- definitions --- */

static PostbagListKind
read_kind (guint numerals)
{
  switch (numerals)
    {
    case NUMERALS_UPPER_ROMAN:
      return POSTBAG_LIST_UPPER_ROMAN;
    case NUMERALS_ROMAN:
      return POSTBAG_LIST_ROMAN;
    case NUMERALS_UPPER_LETTERS:
      return POSTBAG_LIST_UPPER_LETTERS;
    case NUMERALS_LETTERS:
      return POSTBAG_LIST_LETTERS;
    case NUMERALS_BULLET:
      return POSTBAG_LIST_BULLET;
    case NUMERALS_NONE:
      return POSTBAG_LIST_NONE;
    default:
      return POSTBAG_LIST_DECIMAL;
    }
}

/* Units below 9 stand for the number of that level. */
static char *
read_template (const PostbagOleBytes *bytes, gsize at)
{
  guint length = MIN (postbag_ole_u16 (bytes, at), MOST_MARKER);
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < length; i++)
    {
      guint16 unit = (guint16)postbag_ole_u16 (bytes, at + 2 + 2 * (gsize)i);

      if (unit < POSTBAG_LIST_LEVELS)
        g_string_append_printf (text, "%%%u", unit + 1u);
      else if (unit != '%')
        postbag_ole_append_units (text, &unit, 1);
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* Returns: where the next one begins. @level: (nullable) */
static gsize
read_level (const PostbagOleBytes *bytes, gsize at, PostbagListLevel *level)
{
  gsize text = at + LEVEL_BYTES + postbag_ole_u8 (bytes, at + LEVEL_PARAGRAPH)
               + postbag_ole_u8 (bytes, at + LEVEL_CHARACTERS);

  if (level != NULL)
    {
      level->start = postbag_ole_u32 (bytes, at) & 0x7fff;
      level->kind = read_kind (postbag_ole_u8 (bytes, at + LEVEL_NUMERALS));
      level->is_legal = (postbag_ole_u8 (bytes, at + LEVEL_FLAGS) & LEVEL_LEGAL) != 0;
      g_free (level->text);
      level->text = read_template (bytes, text);
    }
  return text + 2 + 2 * (gsize)postbag_ole_u16 (bytes, text);
}

/* Levels stand behind all definitions, in their order. */
static void
read_lists (PostbagDocLists *self, const PostbagOleBytes *lists, gsize length)
{
  guint count = (guint)MIN (postbag_ole_u16 (lists, 0), length / DEFINITION_BYTES);
  gsize levels = length;

  count = MIN (count, POSTBAG_LIMIT_DOC_LISTS);
  for (guint i = 0; i < count && levels < lists->length; i++)
    {
      gsize at = 2 + DEFINITION_BYTES * (gsize)i;
      gboolean simple = (postbag_ole_u8 (lists, at + DEFINITION_FLAGS) & DEFINITION_SIMPLE) != 0;
      PostbagList *list = postbag_list_new ();

      for (guint j = 0; j < (simple ? 1 : POSTBAG_LIST_LEVELS); j++)
        levels = read_level (lists, levels, &list->levels[j]);
      g_hash_table_replace (self->lists, GUINT_TO_POINTER (postbag_ole_u32 (lists, at)), list);
    }
}

/* --- overrides --- */

/* What one changes stands behind all of them. Returns: where that of the next begins */
static gsize
read_changes (const PostbagOleBytes *bytes, gsize at, guint count, Override *override)
{
  at += 4;
  for (guint i = 0; i < count && at < bytes->length; i++)
    {
      guint flags = postbag_ole_u8 (bytes, at + 4), level = flags & 0xf;
      gint64 start = postbag_ole_u32 (bytes, at) & 0x7fff;

      at += CHANGE_BYTES;
      if ((flags & CHANGE_START) != 0 && level < POSTBAG_LIST_LEVELS)
        override->starts[level] = start;
      if ((flags & CHANGE_ALL) != 0)
        at = read_level (bytes, at, NULL);
    }
  return at;
}

static void
read_overrides (PostbagDocLists *self, const PostbagOleBytes *bytes)
{
  guint count = (guint)MIN (postbag_ole_u32 (bytes, 0), bytes->length / OVERRIDE_BYTES);
  gsize changes = 4 + OVERRIDE_BYTES * (gsize)count;

  count = MIN (count, POSTBAG_LIMIT_DOC_LISTS);
  for (guint i = 0; i < count; i++)
    {
      gsize at = 4 + OVERRIDE_BYTES * (gsize)i;
      Override override = { .id = postbag_ole_u32 (bytes, at) };

      for (guint j = 0; j < POSTBAG_LIST_LEVELS; j++)
        override.starts[j] = -1;
      changes =
          read_changes (bytes, changes, postbag_ole_u8 (bytes, at + OVERRIDE_LEVELS), &override);
      g_array_append_val (self->overrides, override);
    }
}

static void
free_list (gpointer data)
{
  postbag_list_free (data);
}

PostbagDocLists *
postbag_doc_lists_new (const PostbagOleBytes *lists, gsize length, const PostbagOleBytes *overrides)
{
  PostbagDocLists *self = g_new0 (PostbagDocLists, 1);

  self->lists = g_hash_table_new_full (NULL, NULL, NULL, free_list);
  self->overrides = g_array_new (FALSE, FALSE, sizeof (Override));
  read_lists (self, lists, length);
  read_overrides (self, overrides);
  return self;
}

void
postbag_doc_lists_free (PostbagDocLists *self)
{
  g_hash_table_unref (self->lists);
  g_array_unref (self->overrides);
  g_free (self);
}

char *
postbag_doc_lists_count (PostbagDocLists *self, gint number, gint level, gboolean *is_bullet)
{
  Override *override = number > 0 && (guint)number <= self->overrides->len
                           ? &g_array_index (self->overrides, Override, number - 1)
                           : NULL;
  PostbagList *list =
      override != NULL ? g_hash_table_lookup (self->lists, GUINT_TO_POINTER (override->id)) : NULL;

  if (list == NULL)
    return NULL;
  level = CLAMP (level, 0, POSTBAG_LIST_LEVELS - 1);
  if (!override->was_used)
    postbag_list_restart (list, override->starts);
  override->was_used = TRUE;
  *is_bullet = list->levels[level].kind == POSTBAG_LIST_BULLET;
  return postbag_list_count (list, (guint)level);
}
