/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-imap-parser-private.h"

#include <string.h>

#include "base/postbag-limits.h"
#include "base/postbag-text.h"
#include "mail/postbag-mailbox-utf7.h"

/* One word: an atom, or a string (labels come quoted). (transfer full) (nullable) */
static char *
read_word (PostbagImapCursor *cursor, const char *stops)
{
  char *word = postbag_imap_cursor_read_atom (cursor, stops);

  if (word == NULL && postbag_imap_cursor_peek (cursor) != '('
      && postbag_imap_cursor_peek (cursor) != ')')
    {
      g_autofree char *raw = postbag_imap_cursor_read_astring (cursor);

      if (raw != NULL)
        word = postbag_text_make_valid (raw, -1);
    }
  return word;
}

char **
postbag_imap_parse_words (PostbagImapCursor *cursor, const char *stops, gboolean skip_nil)
{
  g_autoptr (GPtrArray) words = g_ptr_array_new_with_free_func (g_free);

  for (;;)
    {
      gboolean quoted;
      char *word;

      postbag_imap_cursor_skip_blanks (cursor);
      quoted = postbag_imap_cursor_peek (cursor) == '"';
      word = read_word (cursor, stops);
      if (word == NULL)
        break;
      if (words->len >= POSTBAG_LIMIT_IMAP_WORDS
          || (skip_nil && !quoted && g_ascii_strcasecmp (word, "NIL") == 0))
        g_free (word);
      else
        g_ptr_array_add (words, word);
    }
  g_ptr_array_add (words, NULL);
  return (char **)g_ptr_array_free (g_steal_pointer (&words), FALSE);
}

char **
postbag_imap_parse_word_list (PostbagImapCursor *cursor, gboolean skip_nil)
{
  char **words;

  if (!postbag_imap_cursor_accept (cursor, '('))
    {
      postbag_imap_cursor_skip_value (cursor);
      return g_new0 (char *, 1);
    }
  words = postbag_imap_parse_words (cursor, NULL, skip_nil);
  postbag_imap_cursor_skip_list_rest (cursor);
  return words;
}

gboolean
postbag_imap_parse_delimiter (PostbagImapCursor *cursor, char *delimiter)
{
  g_autofree char *text = NULL;

  *delimiter = '\0';
  if (!postbag_imap_cursor_read_nstring (cursor, &text))
    return FALSE;
  if (text != NULL && text[0] != '\0' && text[1] == '\0' && (guchar)text[0] < 0x80)
    *delimiter = text[0];
  return TRUE;
}

gboolean
postbag_imap_parse_mailbox (PostbagImapCursor *cursor, gboolean utf8_names, char **name, char **raw)
{
  *raw = postbag_imap_cursor_read_astring (cursor);
  if (*raw == NULL)
    return FALSE;
  *name = utf8_names ? NULL : postbag_mailbox_utf7_decode (*raw, -1);
  if (*name == NULL)
    *name = postbag_text_make_valid (*raw, -1);
  /* RFC 9051 section 5.1: INBOX is one name whatever its case. */
  if (g_ascii_strcasecmp (*name, "INBOX") == 0)
    {
      g_free (*name);
      *name = g_strdup ("INBOX");
    }
  return TRUE;
}
