/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Address lists (RFC 5322 section 3.4 with the obsolete forms of 4.4): one pass over the bytes, no
 * recursion, so that no nesting of groups or comments costs stack (GMime 3.2.13 crashes on 4,000
 * nested groups). The list is split before anything is decoded: an encoded comma stays a comma in
 * a name. A broken entry spoils no other one. */

#include "mime/postbag-mime-private.h"

#include <string.h>

#include "base/postbag-limits.h"

typedef struct
{
  const char *data;
  gsize length;
  gsize position;
  const char *fallback;
  GPtrArray *out;

  GString *phrase;  /* words outside brackets, quotation marks undone */
  GString *bare;    /* the same as an address would be written: quotes kept, no blanks */
  GString *comment; /* the last comment: the name where there is no other */
  char *address;    /* (nullable): of the angle brackets */
  gboolean at;      /* an at sign stands in @bare, outside of quotation marks */
} Parser;

static gboolean
is_space (char c)
{
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static void
append_phrase_char (Parser *self, char c)
{
  if (!is_space (c))
    g_string_append_c (self->phrase, c);
  else if (self->phrase->len > 0 && self->phrase->str[self->phrase->len - 1] != ' ')
    g_string_append_c (self->phrase, ' ');
}

/* No control character ever stands in an address. */
static void
append_bare_char (GString *bare, char c)
{
  if ((guchar)c > ' ' && c != 0x7f)
    g_string_append_c (bare, c);
}

/* (transfer full) (nullable): a display name, decoded; NULL when empty */
static char *
decode_name (Parser *self, const GString *raw)
{
  g_autofree char *name = NULL;

  if (raw->len == 0)
    return NULL;
  name = g_strstrip (postbag_rfc2047_decode (raw->str, raw->len, self->fallback));
  return name[0] != '\0' ? g_steal_pointer (&name) : NULL;
}

static void
add_address (Parser *self, const char *name, const char *bytes, gsize length)
{
  g_autofree char *address = postbag_charset_guess (bytes, length, self->fallback);

  if (name == NULL && *address == '\0')
    return; /* `<>` names nobody */
  g_ptr_array_add (self->out, postbag_address_new (name, address));
}

static void
forget_words (Parser *self)
{
  g_string_truncate (self->phrase, 0);
  g_string_truncate (self->bare, 0);
  g_string_truncate (self->comment, 0);
  self->at = FALSE;
}

/* The end of an entry: writes down what was collected. */
static void
finish_entry (Parser *self)
{
  gboolean one_word = strchr (g_strchomp (self->phrase->str), ' ') == NULL;

  self->phrase->len = strlen (self->phrase->str);
  if (self->out->len < POSTBAG_LIMIT_ADDRESSES)
    {
      g_autofree char *from_comment = decode_name (self, self->comment);
      g_autofree char *name = decode_name (self, self->phrase);

      if (self->address != NULL)
        add_address (self, name != NULL ? name : from_comment, self->address,
                     strlen (self->address));
      else if (self->at || (one_word && self->bare->len > 0))
        add_address (self, from_comment, self->bare->str, self->bare->len);
      else if (name != NULL)
        add_address (self, name, "", 0);
    }
  g_clear_pointer (&self->address, g_free);
  forget_words (self);
}

static void
read_quoted (Parser *self)
{
  g_string_append_c (self->bare, '"');
  for (self->position++; self->position < self->length && self->data[self->position] != '"';
       self->position++)
    {
      char c = self->data[self->position];

      if (c == '\\' && self->position + 1 < self->length)
        {
          g_string_append_c (self->bare, '\\');
          c = self->data[++self->position];
        }
      append_phrase_char (self, c);
      if (c == ' ')
        g_string_append_c (self->bare, ' '); /* a blank may stand in a quoted local part */
      else
        append_bare_char (self->bare, c);
    }
  g_string_append_c (self->bare, '"');
  self->position++;
}

static void
read_comment (Parser *self)
{
  guint depth = 0;

  g_string_truncate (self->comment, 0);
  for (; self->position < self->length; self->position++)
    {
      char c = self->data[self->position];

      if (c == '\\' && self->position + 1 < self->length)
        c = self->data[++self->position];
      else if (c == '(' && depth++ == 0)
        continue;
      else if (c == ')' && --depth == 0)
        break;
      g_string_append_c (self->comment, is_space (c) ? ' ' : c);
    }
  self->position++;
}

/* An encoded word is one piece, whatever stands in it. */
static gboolean
read_encoded_word (Parser *self)
{
  gsize length =
      postbag_rfc2047_measure (self->data + self->position, self->length - self->position);

  if (length == 0)
    return FALSE;
  for (gsize i = 0; i < length; i++)
    {
      append_phrase_char (self, self->data[self->position + i]);
      append_bare_char (self->bare, self->data[self->position + i]);
    }
  self->position += length;
  return TRUE;
}

/* Skips a comment inside angle brackets. */
static void
skip_inner_comment (Parser *self)
{
  g_autoptr (GString) name = g_string_new (self->comment->str);

  read_comment (self);
  g_string_assign (self->comment, name->str);
}

/* `<address>`, an obsolete route in front of it dropped. Ends at `>`, before the next `<`, or at a
 * comma outside a route. */
static void
read_angle (Parser *self)
{
  g_autoptr (GString) address = g_string_new (NULL);
  gboolean quoted = FALSE;

  for (self->position++; self->position < self->length; self->position++)
    {
      char c = self->data[self->position];
      gboolean in_route = address->len > 0 && address->str[0] == '@';

      if (!quoted && (c == '>' || c == '<' || (c == ',' && !in_route)))
        break;
      if (!quoted && c == ':' && in_route)
        {
          g_string_truncate (address, 0);
          continue;
        }
      if (!quoted && c == '(')
        {
          skip_inner_comment (self);
          self->position--; /* the loop goes on behind the comment */
          continue;
        }
      if (c == '"')
        quoted = !quoted;
      if (quoted && c == '\\' && self->position + 1 < self->length)
        {
          g_string_append_c (address, c);
          c = self->data[++self->position];
        }
      if (quoted && c == ' ')
        g_string_append_c (address, c);
      else
        append_bare_char (address, c);
    }
  if (self->position < self->length && self->data[self->position] == '>')
    self->position++;
  if (address->len > 0 || self->address == NULL)
    {
      g_free (self->address);
      self->address = g_strdup (address->str);
    }
}

static void
read_literal (Parser *self)
{
  while (self->position < self->length)
    {
      char c = self->data[self->position++];

      append_phrase_char (self, c);
      append_bare_char (self->bare, c);
      if (c == ']')
        return;
    }
}

static void
read_one (Parser *self)
{
  char c = self->data[self->position];

  switch (c)
    {
    case '"':
      read_quoted (self);
      return;
    case '(':
      read_comment (self);
      return;
    case '<':
      if (self->address != NULL && self->address[0] != '\0')
        finish_entry (self); /* a second address without a comma */
      read_angle (self);
      return;
    case '[':
      if (self->bare->len > 0 && self->bare->str[self->bare->len - 1] == '@')
        {
          read_literal (self);
          return;
        }
      break;
    case ',':
    case ';':
      finish_entry (self);
      self->position++;
      return;
    case ':':
      forget_words (self); /* a group's name goes, its members stay */
      self->position++;
      return;
    case '=':
      if (read_encoded_word (self))
        return;
      break;
    default:
      break;
    }
  self->position++;
  if (c == '>' || c == ')')
    return;
  append_phrase_char (self, c);
  append_bare_char (self->bare, c);
  self->at |= c == '@';
}

void
postbag_address_parse (PostbagSlice raw, const char *fallback, GPtrArray *out)
{
  Parser self = { 0 };

  self.data = raw.data;
  self.length = MIN (raw.length, POSTBAG_LIMIT_HEADER_BYTES);
  self.fallback = fallback;
  self.out = out;
  self.phrase = g_string_new (NULL);
  self.bare = g_string_new (NULL);
  self.comment = g_string_new (NULL);
  while (self.position < self.length && out->len < POSTBAG_LIMIT_ADDRESSES)
    read_one (&self);
  finish_entry (&self);
  g_string_free (self.phrase, TRUE);
  g_string_free (self.bare, TRUE);
  g_string_free (self.comment, TRUE);
}
