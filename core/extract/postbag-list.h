/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define POSTBAG_LIST_LEVELS 9

typedef enum
{
  POSTBAG_LIST_DECIMAL,
  POSTBAG_LIST_ROMAN,
  POSTBAG_LIST_UPPER_ROMAN,
  POSTBAG_LIST_LETTERS,
  POSTBAG_LIST_UPPER_LETTERS,
  POSTBAG_LIST_BULLET,
  POSTBAG_LIST_NONE,
} PostbagListKind;

/**
 * PostbagListLevel:
 * @text: (nullable): of the marker, where `%1` to `%9` stand for the number of that level
 * @start: of the first item
 * @value: of the last one
 * @is_counted: since the level above went on
 * @is_legal: the numbers of levels above are decimal
 */
typedef struct
{
  PostbagListKind kind;
  char *text;
  gint64 start;
  gint64 value;
  gboolean is_counted;
  gboolean is_legal;
} PostbagListLevel;

/* A list of an office document, and how far its numbers have come. */
typedef struct
{
  PostbagListLevel levels[POSTBAG_LIST_LEVELS];
} PostbagList;

/* Levels are decimal, begin at 0, and have no marker. */
PostbagList *postbag_list_new (void);
void postbag_list_free (PostbagList *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagList, postbag_list_free)
/* @starts: of each level; -1 lets it go on */
void postbag_list_restart (PostbagList *self, const gint64 *starts);
/* Counts one item further. Returns: (transfer full) (nullable): its marker, "-" for a bullet; %NULL
 * where it has none. @level: below POSTBAG_LIST_LEVELS */
char *postbag_list_count (PostbagList *self, guint level);

G_END_DECLS
