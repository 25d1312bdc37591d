/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Address lists (RFC 5322 section 3.4 with the obsolete forms of 4.4): one pass over the bytes, no
 * recursion, so that no nesting of groups or comments costs stack. The list is split before
 * anything is decoded: an encoded comma stays a comma in a name. A broken entry spoils no other
 * one, and is a warning. */

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

  gboolean gap;     /* blanks since the last character of @bare */
  gboolean words;   /* blanks in @bare, where no dot and no at sign stands beside them */
  gboolean control; /* something was left out of @bare */
  gboolean in_group;
  gboolean malformed; /* this entry is */
  PostbagWarnings *warnings;
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

/* No control character ever stands in an address. FALSE when one was left out. */
static gboolean
append_visible (GString *address, char c)
{
  gboolean control = ((guchar)c < ' ' && c != '\t') || c == 0x7f;

  if (!control && c != ' ' && c != '\t')
    g_string_append_c (address, c);
  return !control;
}

static gboolean
joins_words (char c)
{
  return c == '.' || c == '@';
}

/* A character outside of quotation marks, of an address if it turns out to be one. Blanks and
 * comments may stand beside a dot or an at sign (RFC 5322 section 4.4), nowhere else. */
static void
append_bare_char (Parser *self, char c)
{
  GString *bare = self->bare;

  if (is_space (c))
    {
      self->gap = TRUE;
      return;
    }
  if (self->gap && bare->len > 0 && !joins_words (c) && !joins_words (bare->str[bare->len - 1]))
    self->words = TRUE;
  self->gap = FALSE;
  self->control |= !append_visible (bare, c);
}

/* (transfer full) (nullable): a display name, decoded; NULL when empty */
static char *
decode_name (Parser *self, const GString *raw)
{
  g_autofree char *name = NULL;

  if (raw->len == 0)
    return NULL;
  name = g_strstrip (postbag_rfc2047_decode (raw->str, raw->len, self->fallback, self->warnings));
  return name[0] != '\0' ? g_steal_pointer (&name) : NULL;
}

static void
add_address (Parser *self, const char *name, const char *bytes, gsize length)
{
  g_autofree char *address = postbag_charset_guess (bytes, length, self->fallback, self->warnings);

  if (name == NULL && *address == '\0')
    return; /* `<>` names nobody */
  if (self->malformed || !postbag_address_is_valid (address))
    postbag_warnings_add (self->warnings, POSTBAG_WARNING_MALFORMED_ADDRESS);
  g_ptr_array_add (self->out, postbag_address_new (name, address));
}

static void
forget_words (Parser *self)
{
  g_string_truncate (self->phrase, 0);
  g_string_truncate (self->bare, 0);
  g_string_truncate (self->comment, 0);
  self->at = self->gap = self->words = self->control = self->malformed = FALSE;
}

/* Words without brackets of which one looks like an address: that one. */
static gboolean
add_from_words (Parser *self)
{
  g_auto (GStrv) words = g_strsplit (self->phrase->str, " ", -1);
  g_autoptr (GString) rest = g_string_new (NULL);
  g_autoptr (GString) visible = g_string_new (NULL);
  const char *address = NULL;
  g_autofree char *name = NULL;

  for (gsize i = 0; words[i] != NULL; i++)
    {
      const char *at = strchr (words[i], '@');

      if (address == NULL && at != NULL && at > words[i] && at[1] != '\0')
        address = words[i];
      else
        g_string_append_printf (rest, "%s%s", rest->len > 0 ? " " : "", words[i]);
    }
  if (address == NULL)
    return FALSE;
  name = decode_name (self, rest);
  self->malformed = TRUE;
  for (; *address != '\0'; address++)
    append_visible (visible, *address);
  add_address (self, name, visible->str, visible->len);
  return TRUE;
}

static void
add_bare (Parser *self, const char *name)
{
  self->malformed |= self->control || self->words;
  if (self->words && add_from_words (self))
    return;
  add_address (self, name, self->bare->str, self->bare->len);
}

/* The end of an entry: writes down what was collected. */
static void
finish_entry (Parser *self)
{
  gboolean one_word = strchr (g_strchomp (self->phrase->str), ' ') == NULL;

  if (self->malformed) /* also where nothing is left of it: an open comment that took it in */
    postbag_warnings_add (self->warnings, POSTBAG_WARNING_MALFORMED_ADDRESS);
  self->phrase->len = strlen (self->phrase->str);
  if (self->out->len < POSTBAG_LIMIT_ADDRESSES)
    {
      g_autofree char *from_comment = decode_name (self, self->comment);
      g_autofree char *name = decode_name (self, self->phrase);

      if (self->address != NULL)
        {
          self->malformed |= self->at; /* an address in the place of a name */
          add_address (self, name != NULL ? name : from_comment, self->address,
                       strlen (self->address));
        }
      else if (self->at || (one_word && self->bare->len > 0))
        add_bare (self, from_comment);
      else if (name != NULL)
        add_address (self, name, "", 0);
    }
  g_clear_pointer (&self->address, g_free);
  forget_words (self);
}

static void
read_quoted (Parser *self)
{
  append_bare_char (self, '"');
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
        self->control |= !append_visible (self->bare, c);
    }
  g_string_append_c (self->bare, '"');
  self->malformed |= self->position >= self->length; /* never closed */
  self->position++;
}

static void
read_comment (Parser *self)
{
  guint depth = 0;

  self->gap = TRUE;
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
  self->malformed |= self->position >= self->length;
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
      self->gap &= i == 0;
      append_bare_char (self, self->data[self->position + i]);
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

/* The inside of angle brackets on its way. */
typedef struct
{
  GString *text;
  gboolean quoted;
  gboolean gap;
} Angle;

static void
append_angle_char (Parser *self, Angle *angle, char c)
{
  if (angle->quoted && c == ' ')
    {
      g_string_append_c (angle->text, c);
      return;
    }
  if (!angle->quoted && is_space (c))
    {
      angle->gap = TRUE;
      self->malformed |= c == '\0';
      return;
    }
  if (angle->gap && angle->text->len > 0 && !joins_words (c)
      && !joins_words (angle->text->str[angle->text->len - 1]))
    self->malformed = TRUE;
  angle->gap = FALSE;
  self->malformed |= !append_visible (angle->text, c);
}

/* One character that is special there: TRUE when it was. */
static gboolean
read_angle_special (Parser *self, Angle *angle, char c)
{
  gboolean in_route = angle->text->len > 0 && angle->text->str[0] == '@';

  if (angle->quoted)
    return FALSE;
  if (c == ':' && in_route)
    {
      g_string_truncate (angle->text, 0);
      postbag_warnings_add (self->warnings, POSTBAG_WARNING_SOURCE_ROUTE);
      return TRUE;
    }
  if (c != '(')
    return FALSE;
  skip_inner_comment (self);
  angle->gap = TRUE;
  self->position--; /* the loop goes on behind the comment */
  return TRUE;
}

static gboolean
ends_angle (const Angle *angle, char c)
{
  gboolean in_route = angle->text->len > 0 && angle->text->str[0] == '@';

  return !angle->quoted && (c == '>' || c == '<' || (c == ',' && !in_route));
}

/* `<address>`, an obsolete route in front of it dropped. Ends at `>`, before the next `<`, or at a
 * comma outside a route. */
static void
read_angle (Parser *self)
{
  g_autoptr (GString) address = g_string_new (NULL);
  Angle angle = { address, FALSE, FALSE };

  for (self->position++; self->position < self->length; self->position++)
    {
      char c = self->data[self->position];

      if (ends_angle (&angle, c))
        break;
      if (read_angle_special (self, &angle, c))
        continue;
      if (c == '"')
        angle.quoted = !angle.quoted;
      if (angle.quoted && c == '\\' && self->position + 1 < self->length)
        {
          g_string_append_c (address, c);
          c = self->data[++self->position];
        }
      append_angle_char (self, &angle, c);
    }
  if (self->position < self->length && self->data[self->position] == '>')
    self->position++;
  else
    self->malformed = TRUE;
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
      append_bare_char (self, c);
      if (c == ']')
        return;
    }
}

/* A comma, a semicolon or a colon: the end of an entry, or of a group's name. */
static void
read_separator (Parser *self, char c)
{
  self->position++;
  if (c == ':')
    {
      if (strchr (self->phrase->str, '@') != NULL)
        postbag_warnings_add (self->warnings, POSTBAG_WARNING_MALFORMED_ADDRESS);
      forget_words (self); /* a group's name goes, its members stay */
      self->in_group = TRUE;
      return;
    }
  self->malformed |= c == ';' && !self->in_group;
  self->in_group = self->in_group && c != ';';
  finish_entry (self);
}

static void
read_plain (Parser *self, char c)
{
  self->position++;
  if (c == '>' || c == ')')
    {
      self->malformed = TRUE;
      return;
    }
  if (self->address != NULL && !is_space (c))
    self->malformed = TRUE; /* behind the angle brackets */
  append_phrase_char (self, c);
  append_bare_char (self, c);
  self->at |= c == '@';
}

static void
read_second_angle (Parser *self)
{
  if (self->address != NULL && self->address[0] != '\0')
    {
      self->malformed = TRUE; /* a second address without a comma */
      finish_entry (self);
      self->malformed = TRUE;
    }
  read_angle (self);
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
      read_second_angle (self);
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
    case ':':
      read_separator (self, c);
      return;
    case '=':
      if (read_encoded_word (self))
        return;
      break;
    default:
      break;
    }
  read_plain (self, c);
}

/* A carriage return alone ends a line for some programs and is a character for others. */
static gboolean
has_bare_return (const char *data, gsize length)
{
  const char *end = data + length;

  if (length == 0) /* then there may be no data either */
    return FALSE;
  for (const char *cr = data; (cr = memchr (cr, '\r', (gsize)(end - cr))) != NULL; cr++)
    if (cr + 1 == end || cr[1] != '\n')
      return TRUE;
  return FALSE;
}

/* A field that is longer than what is read of it ends in an address that may be another one. */
static gboolean
is_cut (PostbagSlice raw)
{
  return raw.length >= POSTBAG_LIMIT_HEADER_BYTES
         && raw.data[POSTBAG_LIMIT_HEADER_BYTES - 1] != '\n';
}

void
postbag_address_parse (PostbagSlice raw, const char *fallback, GPtrArray *out,
                       PostbagWarnings *warnings)
{
  Parser self = { 0 };

  self.data = raw.data;
  self.length = MIN (raw.length, POSTBAG_LIMIT_HEADER_BYTES);
  self.fallback = fallback;
  self.out = out;
  self.warnings = warnings;
  self.phrase = g_string_new (NULL);
  self.bare = g_string_new (NULL);
  self.comment = g_string_new (NULL);
  while (self.position < self.length && out->len < POSTBAG_LIMIT_ADDRESSES)
    read_one (&self);
  if (self.position < self.length)
    postbag_warnings_add (warnings, POSTBAG_WARNING_LIMIT_ADDRESSES);
  if (has_bare_return (self.data, self.length))
    postbag_warnings_add (warnings, POSTBAG_WARNING_MALFORMED_ADDRESS);
  self.malformed |= is_cut (raw);
  finish_entry (&self);
  g_string_free (self.phrase, TRUE);
  g_string_free (self.bare, TRUE);
  g_string_free (self.comment, TRUE);
}
