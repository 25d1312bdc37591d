/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-imap-pieces.h"

#include <string.h>

#include "base/postbag-limits.h"

/* Whether @text goes on with @word and a blank, or ends there, behind `* `. */
static gboolean
has_word (const GString *text, const char *word)
{
  gsize length = strlen (word);

  if (text->len < 2 + length || g_ascii_strncasecmp (text->str + 2, word, length) != 0)
    return FALSE;
  return text->len == 2 + length || text->str[2 + length] == ' ';
}

gboolean
postbag_imap_text_may_hold_literals (const GString *text)
{
  static const char *const conditions[] = { "OK", "NO", "BAD", "BYE", "PREAUTH" };

  if (text->len < 2 || text->str[0] != '*' || text->str[1] != ' ')
    return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (conditions); i++)
    if (has_word (text, conditions[i]))
      return FALSE;
  return TRUE;
}

static gboolean
is_made_of (const char *bytes, gsize length, const char *allowed)
{
  for (gsize i = 0; i < length; i++)
    if (bytes[i] == '\0' || strchr (allowed, bytes[i]) == NULL)
      return FALSE;
  return TRUE;
}

/* The rest of @text behind @cut (a separator), with the first @head bytes in front of it. */
static GString *
split_text (GString *text, gsize head, gsize cut)
{
  GString *rest = g_string_new_len (text->str, (gssize)head);

  g_string_append_len (rest, text->str + cut + 1, (gssize)(text->len - cut - 1));
  g_string_truncate (text, cut);
  return rest;
}

/* `* SEARCH 1 2 3`: numbers with blanks between them. */
static GString *
cut_numbers (GString *text, gsize head)
{
  const char *blank = memrchr (text->str, ' ', text->len);
  gsize cut = (gsize)(blank - text->str);

  if (cut <= head || !is_made_of (text->str + head, text->len - head, "0123456789 "))
    return NULL;
  return split_text (text, head, cut);
}

/* `* ESEARCH (TAG "a1") UID ALL 1:3,5`, `* VANISHED (EARLIER) 1:3,5`: a set at the end. */
static GString *
cut_set (GString *text)
{
  const char *blank = memrchr (text->str, ' ', text->len);
  const char *comma = memrchr (text->str, ',', text->len);
  gsize head = (gsize)(blank - text->str) + 1;

  if (comma == NULL || comma < blank || head > POSTBAG_LIMIT_IMAP_LIST_HEAD_BYTES
      || !is_made_of (text->str + head, text->len - head, "0123456789:,"))
    return NULL;
  return split_text (text, head, (gsize)(comma - text->str));
}

GString *
postbag_imap_text_cut_list (GString *text)
{
  if (text->len < 2 || text->str[0] != '*' || text->str[1] != ' ')
    return NULL;
  if (has_word (text, "SEARCH"))
    return cut_numbers (text, strlen ("* SEARCH "));
  if (has_word (text, "ESEARCH") || has_word (text, "VANISHED"))
    return cut_set (text);
  return NULL;
}
