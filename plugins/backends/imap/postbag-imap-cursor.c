/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-imap-cursor.h"

#include <string.h>

#include "base/postbag-limits.h"
#include "base/postbag-text.h"

void
postbag_imap_cursor_init (PostbagImapCursor *self, const PostbagImapFrame *frame)
{
  *self =
      (PostbagImapCursor){ .frame = frame, .text = frame->text->str, .length = frame->text->len };
}

gboolean
postbag_imap_cursor_is_at_end (const PostbagImapCursor *self)
{
  return self->position >= self->length;
}

char
postbag_imap_cursor_peek (const PostbagImapCursor *self)
{
  return self->position < self->length ? self->text[self->position] : '\0';
}

static gboolean
is_blank (char character)
{
  return (guchar)character <= ' ' || character == 0x7f;
}

void
postbag_imap_cursor_skip_blanks (PostbagImapCursor *self)
{
  while (self->position < self->length && is_blank (self->text[self->position]))
    self->position++;
}

gboolean
postbag_imap_cursor_accept (PostbagImapCursor *self, char character)
{
  postbag_imap_cursor_skip_blanks (self);
  if (postbag_imap_cursor_peek (self) != character || character == '\0')
    return FALSE;
  self->position++;
  return TRUE;
}

static gboolean
is_atom_character (char character, const char *stops)
{
  if (g_ascii_isalnum (character))
    return TRUE; /* never among the stops */
  if (is_blank (character) || character == '(' || character == ')' || character == '"')
    return FALSE;
  return stops == NULL || strchr (stops, character) == NULL;
}

/* Tokens end where the next literal is announced at the latest. */
static gsize
get_limit (const PostbagImapCursor *self)
{
  const GArray *literals = self->frame->literals;
  gsize offset = self->length;

  if (self->literal < literals->len)
    offset = g_array_index (literals, PostbagImapLiteral, self->literal).offset;
  return offset >= self->position ? offset : self->length;
}

/* How many bytes from the cursor on form an atom. */
static gsize
measure_atom (const PostbagImapCursor *self, const char *stops)
{
  gsize end = self->position, limit = get_limit (self);

  /* An announcement of a literal that the framer did not take for one: nobody knows what it is. */
  if (end + 1 < limit && self->text[end] == '{' && g_ascii_isdigit (self->text[end + 1]))
    return 0;
  while (end < limit && is_atom_character (self->text[end], stops))
    end++;
  return end - self->position;
}

gboolean
postbag_imap_cursor_accept_word (PostbagImapCursor *self, const char *word)
{
  gsize length;

  postbag_imap_cursor_skip_blanks (self);
  length = measure_atom (self, "[]");
  if (length != strlen (word)
      || g_ascii_strncasecmp (self->text + self->position, word, length) != 0)
    return FALSE;
  self->position += length;
  return TRUE;
}

char *
postbag_imap_cursor_read_rest (PostbagImapCursor *self, gsize max_chars)
{
  g_autofree char *rest = NULL;
  gsize length;

  postbag_imap_cursor_skip_blanks (self);
  /* A character is at most four bytes: what is cut here could not be shown anyway. */
  length = MIN (self->length - self->position, max_chars * 4);
  rest = postbag_text_make_valid (self->text + self->position, (gssize)length);
  self->position = self->length;
  return postbag_text_cut (rest, max_chars, NULL);
}

static gboolean
is_at_literal (const PostbagImapCursor *self)
{
  const GArray *literals = self->frame->literals;

  return self->literal < literals->len
         && g_array_index (literals, PostbagImapLiteral, self->literal).offset == self->position;
}

char *
postbag_imap_cursor_read_atom (PostbagImapCursor *self, const char *stops)
{
  gsize length;
  char *atom;

  postbag_imap_cursor_skip_blanks (self);
  length = is_at_literal (self) ? 0 : measure_atom (self, stops);
  if (length == 0)
    return NULL;
  atom = postbag_text_make_valid (self->text + self->position, (gssize)length);
  self->position += length;
  return atom;
}

gboolean
postbag_imap_cursor_read_number (PostbagImapCursor *self, guint64 maximum, guint64 *number)
{
  gsize length;
  guint64 value = 0;

  postbag_imap_cursor_skip_blanks (self);
  length = measure_atom (self, "[]<>");
  if (length == 0)
    return FALSE;
  for (gsize i = 0; i < length; i++)
    {
      char digit = self->text[self->position + i];

      if (!g_ascii_isdigit (digit) || value > (G_MAXUINT64 - 9) / 10)
        return FALSE;
      value = value * 10 + (guint64)(digit - '0');
    }
  if (value > maximum)
    return FALSE;
  self->position += length;
  *number = value;
  return TRUE;
}

/* Where the quoted string at the cursor ends (its closing quote), or 0 when it never does. */
static gsize
find_closing_quote (const PostbagImapCursor *self)
{
  gsize limit = get_limit (self);

  for (gsize end = self->position + 1; end < limit; end++)
    {
      if (self->text[end] == '\\')
        end++;
      else if (self->text[end] == '"')
        return end;
    }
  return 0;
}

/* What stands between the quotes at the cursor, as at most @maximum bytes with a NUL behind them:
 * (transfer full) (nullable) */
static char *
read_quoted (PostbagImapCursor *self, gsize maximum, gsize *length)
{
  gsize end = find_closing_quote (self), count = 0;
  char *text;

  if (end == 0)
    return NULL;
  text = g_malloc (MIN (end - self->position, maximum + 1));
  for (gsize i = self->position + 1; i < end && count < maximum; i++)
    {
      /* What a backslash stands in front of counts, whatever it is. */
      if (self->text[i] == '\\')
        i++;
      text[count++] = self->text[i];
    }
  text[count] = '\0';
  self->position = end + 1;
  *length = count;
  return text;
}

/* Moves behind the announcement `{n}`. */
static PostbagImapLiteral *
take_literal (PostbagImapCursor *self)
{
  const char *brace = memchr (self->text + self->position, '}', self->length - self->position);

  self->position = (gsize)(brace - self->text) + 1;
  return &g_array_index (self->frame->literals, PostbagImapLiteral, self->literal++);
}

static void
read_literal (PostbagImapCursor *self, GBytes **bytes, gpointer *spool)
{
  PostbagImapLiteral *literal = take_literal (self);

  *bytes = literal->bytes != NULL ? g_bytes_ref (literal->bytes) : NULL;
  if (spool != NULL)
    *spool = g_steal_pointer (&literal->spool);
}

gboolean
postbag_imap_cursor_read_nstring_bytes (PostbagImapCursor *self, GBytes **bytes, gpointer *spool)
{
  gsize length;
  char *quoted;

  postbag_imap_cursor_skip_blanks (self);
  *bytes = NULL;
  if (is_at_literal (self))
    {
      read_literal (self, bytes, spool);
      return TRUE;
    }
  if (postbag_imap_cursor_peek (self) == '"')
    {
      quoted = read_quoted (self, G_MAXUINT32, &length);
      *bytes = quoted != NULL ? g_bytes_new_take (quoted, length) : NULL;
      return quoted != NULL;
    }
  length = measure_atom (self, NULL);
  if (length == 0)
    return FALSE;
  if (length != 3 || g_ascii_strncasecmp (self->text + self->position, "NIL", 3) != 0)
    *bytes = g_bytes_new (self->text + self->position, length);
  self->position += length;
  return TRUE;
}

static void
replace_nuls (char *text, gsize length)
{
  for (char *nul = memchr (text, '\0', length); nul != NULL;
       nul = memchr (nul, '\0', length - (gsize)(nul - text)))
    *nul = ' ';
}

static char *
copy_text (const char *data, gsize length)
{
  char *text;

  length = MIN (length, POSTBAG_LIMIT_IMAP_STRING_BYTES);
  text = g_malloc (length + 1);
  memcpy (text, data, length);
  text[length] = '\0';
  replace_nuls (text, length);
  return text;
}

static char *
copy_bytes (GBytes *bytes)
{
  gsize length;
  const char *data = g_bytes_get_data (bytes, &length);

  return copy_text (data != NULL ? data : "", length);
}

/* Without going over bytes: most strings are quoted, and there are many of them in a structure. */
static char *
read_quoted_text (PostbagImapCursor *self)
{
  gsize length;
  char *text = read_quoted (self, POSTBAG_LIMIT_IMAP_STRING_BYTES, &length);

  if (text != NULL)
    replace_nuls (text, length);
  return text;
}

gboolean
postbag_imap_cursor_read_nstring (PostbagImapCursor *self, char **text)
{
  g_autoptr (GBytes) bytes = NULL;

  postbag_imap_cursor_skip_blanks (self);
  if (!is_at_literal (self) && postbag_imap_cursor_peek (self) == '"')
    {
      *text = read_quoted_text (self);
      return *text != NULL;
    }
  *text = NULL;
  if (!postbag_imap_cursor_read_nstring_bytes (self, &bytes, NULL))
    return FALSE;
  if (bytes != NULL)
    *text = copy_bytes (bytes);
  return TRUE;
}

char *
postbag_imap_cursor_read_astring (PostbagImapCursor *self)
{
  g_autoptr (GBytes) bytes = NULL;

  postbag_imap_cursor_skip_blanks (self);
  if (!is_at_literal (self) && postbag_imap_cursor_peek (self) == '"')
    return read_quoted_text (self);
  if (!is_at_literal (self))
    {
      gsize length = measure_atom (self, NULL);

      self->position += length;
      return length > 0 ? copy_text (self->text + self->position - length, length) : NULL;
    }
  if (!postbag_imap_cursor_read_nstring_bytes (self, &bytes, NULL) || bytes == NULL)
    return NULL;
  return copy_bytes (bytes);
}

/* Skips a string, a literal or an atom. */
static gboolean
skip_scalar (PostbagImapCursor *self)
{
  gsize length;

  if (is_at_literal (self))
    {
      take_literal (self);
      return TRUE;
    }
  if (postbag_imap_cursor_peek (self) == '"')
    {
      gsize end = find_closing_quote (self);

      if (end == 0)
        return FALSE;
      self->position = end + 1;
      return TRUE;
    }
  length = measure_atom (self, NULL);
  self->position += length;
  return length > 0;
}

/* Skips values until @depth open lists are closed. */
static gboolean
skip_lists (PostbagImapCursor *self, gsize depth)
{
  while (depth > 0)
    {
      if (postbag_imap_cursor_accept (self, '('))
        depth++;
      else if (postbag_imap_cursor_accept (self, ')'))
        depth--;
      else if (!skip_scalar (self))
        return FALSE;
    }
  return TRUE;
}

gboolean
postbag_imap_cursor_skip_value (PostbagImapCursor *self)
{
  postbag_imap_cursor_skip_blanks (self);
  if (postbag_imap_cursor_accept (self, '('))
    return skip_lists (self, 1);
  return skip_scalar (self);
}

gboolean
postbag_imap_cursor_skip_list_rest (PostbagImapCursor *self)
{
  return skip_lists (self, 1);
}
