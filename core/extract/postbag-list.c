/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "extract/postbag-list.h"

#include <string.h>

#include "extract/postbag-numerals.h"

PostbagList *
postbag_list_new (void)
{
  return g_new0 (PostbagList, 1);
}

void
postbag_list_free (PostbagList *self)
{
  for (guint i = 0; i < POSTBAG_LIST_LEVELS; i++)
    g_free (self->levels[i].text);
  g_free (self);
}

void
postbag_list_restart (PostbagList *self, const gint64 *starts)
{
  for (guint i = 0; i < POSTBAG_LIST_LEVELS; i++)
    if (starts[i] >= 0)
      {
        self->levels[i].start = starts[i];
        self->levels[i].is_counted = FALSE;
      }
}

static void
count_level (PostbagList *self, guint level)
{
  PostbagListLevel *current = &self->levels[level];

  for (guint i = 0; i < level; i++)
    if (!self->levels[i].is_counted)
      {
        self->levels[i].value = self->levels[i].start;
        self->levels[i].is_counted = TRUE;
      }
  current->value = current->is_counted ? current->value + 1 : current->start;
  current->is_counted = TRUE;
  for (guint i = level + 1; i < POSTBAG_LIST_LEVELS; i++)
    self->levels[i].is_counted = FALSE;
}

static void
append_number (GString *out, const PostbagListLevel *level, gboolean is_decimal)
{
  static const PostbagNumerals numerals[] = {
    [POSTBAG_LIST_DECIMAL] = POSTBAG_NUMERALS_DECIMAL,
    [POSTBAG_LIST_ROMAN] = POSTBAG_NUMERALS_ROMAN,
    [POSTBAG_LIST_UPPER_ROMAN] = POSTBAG_NUMERALS_UPPER_ROMAN,
    [POSTBAG_LIST_LETTERS] = POSTBAG_NUMERALS_LETTERS,
    [POSTBAG_LIST_UPPER_LETTERS] = POSTBAG_NUMERALS_UPPER_LETTERS,
  };

  if (level->kind < G_N_ELEMENTS (numerals))
    postbag_numerals_append (out, level->value,
                             is_decimal ? POSTBAG_NUMERALS_DECIMAL : numerals[level->kind]);
}

char *
postbag_list_count (PostbagList *self, guint level)
{
  const PostbagListLevel *current = &self->levels[level];
  g_autoptr (GString) out = g_string_new (NULL);

  count_level (self, level);
  if (current->kind == POSTBAG_LIST_BULLET)
    return g_strdup ("-");
  for (const char *at = current->text; at != NULL && *at != '\0'; at++)
    {
      if (at[0] == '%' && at[1] >= '1' && at[1] <= '9')
        append_number (out, &self->levels[*++at - '1'], current->is_legal);
      else
        g_string_append_c (out, *at);
    }
  if (out->str[strspn (out->str, " \t")] == '\0')
    return NULL;
  return g_string_free (g_steal_pointer (&out), FALSE);
}
