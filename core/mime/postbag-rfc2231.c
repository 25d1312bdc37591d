/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Parameters of Content-Type and Content-Disposition (RFC 2045 section 5.1) with continuations and
 * charsets (RFC 2231), read leniently: a value without quotation marks runs to the next semicolon,
 * raw 8-bit and encoded words are understood. The extended form wins over the plain one, the first
 * of equals over the others; a value with a NUL is refused. What yields is kept beside, so that who
 * asks can see the difference. */

#include "mime/postbag-message.h"
#include "mime/postbag-mime-private.h"

#include <string.h>

#include "base/postbag-limits.h"

/* One parameter as it stands there: name, number of the segment, whether percent-encoded. */
typedef struct
{
  char *name;
  int segment; /* -1: not a continuation */
  gboolean extended;
  GByteArray *value;
} Piece;

typedef struct
{
  const char *data;
  gsize length;
  gsize at;
} Cursor;

static void
free_piece (gpointer data)
{
  Piece *self = data;

  g_free (self->name);
  g_byte_array_unref (self->value);
  g_free (self);
}

static gboolean
is_space (char c)
{
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Skips a comment, nested ones inside it (RFC 5322 section 3.2.2). */
static void
skip_comment (Cursor *self)
{
  guint depth = 0;

  for (; self->at < self->length; self->at++)
    {
      char c = self->data[self->at];

      if (c == '\\')
        self->at++;
      else if (c == '(')
        depth++;
      else if (c == ')' && --depth == 0)
        {
          self->at++;
          return;
        }
    }
  self->at = self->length;
}

static void
skip_space (Cursor *self)
{
  while (self->at < self->length)
    {
      if (self->data[self->at] == '(')
        skip_comment (self);
      else if (is_space (self->data[self->at]))
        self->at++;
      else
        break;
    }
}

/* (transfer full): a parameter's name, blanks and comments left out, lower case */
static char *
read_name (Cursor *self)
{
  GString *out = g_string_new (NULL);

  while (self->at < self->length)
    {
      char c = self->data[self->at];

      if (c == '=' || c == ';')
        break;
      if (c == '(')
        {
          skip_comment (self);
          continue;
        }
      if (c > ' ' && c < 0x7f && out->len < POSTBAG_LIMIT_PARAMETER_NAME_BYTES * 2)
        g_string_append_c (out, g_ascii_tolower (c));
      self->at++;
    }
  return g_string_free (out, FALSE);
}

/* (transfer full): the field's own value, up to its parameters, which some senders put behind a
 * blank instead of a semicolon */
static char *
read_main (Cursor *self, PostbagWarnings *warnings)
{
  GString *out = g_string_new (NULL);

  while (self->at < self->length && self->data[self->at] != ';')
    {
      gsize before = self->at;
      char c;

      skip_space (self);
      if (self->at == self->length || self->data[self->at] == ';')
        break;
      c = self->data[self->at];
      if (self->at > before && out->len > 0 && g_ascii_isalnum (c)
          && g_ascii_isalnum (out->str[out->len - 1]))
        {
          postbag_warnings_add (warnings, POSTBAG_WARNING_MALFORMED_PARAMETER);
          return g_string_free (out, FALSE);
        }
      if (c > ' ' && c < 0x7f && out->len < POSTBAG_LIMIT_PARAMETER_NAME_BYTES * 2)
        g_string_append_c (out, g_ascii_tolower (c));
      self->at++;
    }
  self->at++;
  return g_string_free (out, FALSE);
}

/* A backslash quotes only what needs it: senders write Windows paths unquoted. FALSE when the
 * quotation mark is never closed. */
static gboolean
read_quoted (Cursor *self, GByteArray *out)
{
  for (self->at++; self->at < self->length; self->at++)
    {
      char c = self->data[self->at];

      if (c == '"')
        {
          self->at++;
          return TRUE;
        }
      if (c == '\\' && self->at + 1 < self->length
          && (self->data[self->at + 1] == '"' || self->data[self->at + 1] == '\\'))
        c = self->data[++self->at];
      if (c != '\r' && c != '\n')
        g_byte_array_append (out, (const guint8 *)&c, 1);
    }
  return FALSE;
}

/* FALSE when it holds what only a quoted value may. */
static gboolean
read_unquoted (Cursor *self, GByteArray *out)
{
  gsize start = self->at;
  PostbagSlice slice;

  while (self->at < self->length && self->data[self->at] != ';')
    self->at++;
  slice = postbag_slice_trim ((PostbagSlice){ self->data + start, self->at - start });
  g_byte_array_append (out, (const guint8 *)slice.data, (guint)slice.length);
  for (gsize i = 0; i < slice.length; i++)
    if ((guchar)slice.data[i] <= ' ' || strchr ("()<>@,:\\\"/[]?=", slice.data[i]) != NULL)
      return FALSE;
  return TRUE;
}

/* Splits `name*12*` into name, segment and the mark of the extended form. */
static void
split_name (Piece *piece)
{
  char *star = strchr (piece->name, '*');

  piece->segment = -1;
  if (star == NULL)
    return;
  *star = '\0';
  if (g_ascii_isdigit (star[1]))
    {
      char *end;
      guint64 number = g_ascii_strtoull (star + 1, &end, 10);

      piece->segment = number < POSTBAG_LIMIT_PARAMETERS ? (int)number : G_MAXINT;
      piece->extended = end[0] == '*';
    }
  else
    piece->extended = TRUE;
}

/* The value behind an equals sign. */
static gboolean
read_value (Cursor *self, GByteArray *out)
{
  gsize end;
  gboolean well_formed;

  skip_space (self);
  if (self->at < self->length && self->data[self->at] == '"')
    well_formed = read_quoted (self, out);
  else
    well_formed = read_unquoted (self, out);
  skip_space (self);
  for (end = self->at; self->at < self->length && self->data[self->at] != ';';)
    self->at++;
  return well_formed && self->at == end;
}

/* (transfer full) (nullable): the next `; name=value` */
static Piece *
read_piece (Cursor *self, PostbagWarnings *warnings)
{
  Piece *piece = g_new0 (Piece, 1);
  gboolean well_formed = TRUE;

  piece->value = g_byte_array_new ();
  piece->name = read_name (self);
  if (self->at < self->length && self->data[self->at] == '=')
    {
      self->at++;
      well_formed = read_value (self, piece->value);
    }
  else
    well_formed = piece->name[0] == '\0';
  self->at++; /* the semicolon */
  if (!well_formed)
    postbag_warnings_add (warnings, POSTBAG_WARNING_MALFORMED_PARAMETER);
  split_name (piece);
  if (piece->name[0] != '\0' && strlen (piece->name) <= POSTBAG_LIMIT_PARAMETER_NAME_BYTES)
    return piece;
  free_piece (piece);
  return NULL;
}

static GPtrArray *
read_pieces (Cursor *cursor, PostbagWarnings *warnings)
{
  GPtrArray *pieces = g_ptr_array_new_with_free_func (free_piece);

  while (cursor->at < cursor->length && pieces->len < POSTBAG_LIMIT_PARAMETERS)
    {
      Piece *piece = read_piece (cursor, warnings);

      if (piece != NULL)
        g_ptr_array_add (pieces, piece);
    }
  if (cursor->at < cursor->length)
    postbag_warnings_add (warnings, POSTBAG_WARNING_LIMIT_PARAMETERS);
  return pieces;
}

static const Piece *
find_piece (GPtrArray *pieces, const char *name, int segment, int extended)
{
  for (guint i = 0; i < pieces->len; i++)
    {
      const Piece *piece = g_ptr_array_index (pieces, i);

      if (piece->segment == segment && (extended < 0 || piece->extended == extended)
          && strcmp (piece->name, name) == 0)
        return piece;
    }
  return NULL;
}

static void
append_percent_decoded (GByteArray *out, const char *bytes, gsize length)
{
  for (gsize i = 0; i < length; i++)
    {
      guint8 byte = (guint8)bytes[i];

      if (byte == '%' && i + 2 < length && g_ascii_isxdigit (bytes[i + 1])
          && g_ascii_isxdigit (bytes[i + 2]))
        {
          byte = (guint8)(g_ascii_xdigit_value (bytes[i + 1]) * 16
                          + g_ascii_xdigit_value (bytes[i + 2]));
          i += 2;
        }
      g_byte_array_append (out, &byte, 1);
    }
}

/* Takes `charset'language'` off the first extended segment: (transfer full) (nullable). */
static char *
take_charset (const char **bytes, gsize *length)
{
  const char *first = memchr (*bytes, '\'', *length);
  const char *second;
  char *charset;

  if (first == NULL)
    return NULL;
  second = memchr (first + 1, '\'', *length - (gsize)(first + 1 - *bytes));
  if (second == NULL)
    return NULL;
  charset = g_strndup (*bytes, (gsize)(first - *bytes));
  *length -= (gsize)(second + 1 - *bytes);
  *bytes = second + 1;
  return charset;
}

/* Joins the segments from 0 on (or the one extended piece) as bytes, then converts. NULL where it
 * holds a NUL. */
static char *
join_segments (GPtrArray *pieces, const char *name, const Piece *first, PostbagWarnings *warnings)
{
  g_autoptr (GByteArray) joined = g_byte_array_new ();
  g_autofree char *charset = NULL;
  int segment = first->segment;

  for (const Piece *piece = first; piece != NULL;)
    {
      const char *bytes = (const char *)piece->value->data;
      gsize length = piece->value->len;

      if (piece->extended && piece == first && length > 0)
        charset = take_charset (&bytes, &length);
      if (piece->extended)
        append_percent_decoded (joined, bytes, length);
      else
        g_byte_array_append (joined, (const guint8 *)bytes, (guint)length);
      if (segment < 0)
        break;
      piece = find_piece (pieces, name, ++segment, -1);
    }
  if (memchr (joined->data != NULL ? (char *)joined->data : "", '\0', joined->len) != NULL)
    return NULL;
  return postbag_charset_convert ((const char *)joined->data, joined->len, charset, warnings);
}

static char *
decode_plain (const Piece *piece, PostbagWarnings *warnings)
{
  const char *bytes = (const char *)piece->value->data;

  if (piece->value->len == 0)
    return g_strdup ("");
  if (memchr (bytes, '\0', piece->value->len) != NULL)
    return NULL;
  return postbag_rfc2047_decode (bytes, piece->value->len, NULL, warnings);
}

static void
free_parameter (gpointer data)
{
  PostbagParameter *self = data;

  g_free (self->name);
  g_free (self->value);
  g_free (self);
}

static PostbagParameter *
create_parameter (const char *name, char *value)
{
  PostbagParameter *parameter = g_new0 (PostbagParameter, 1);

  parameter->name = g_strdup (name);
  parameter->value = value;
  return parameter;
}

/* The three forms of a value: the first that stands there is taken, the others are variants. */
static void
take_parameter (PostbagParameters *self, GPtrArray *pieces, const char *name)
{
  const Piece *forms[] = { find_piece (pieces, name, -1, TRUE), find_piece (pieces, name, 0, -1),
                           find_piece (pieces, name, -1, FALSE) };
  gboolean taken = FALSE;

  for (gsize i = 0; i < G_N_ELEMENTS (forms); i++)
    {
      char *value;

      if (forms[i] == NULL)
        continue;
      value = i < 2 ? join_segments (pieces, name, forms[i], &self->warnings)
                    : decode_plain (forms[i], &self->warnings);
      self->split |= i < 2;
      self->refused |= value == NULL;
      if (value != NULL && !taken)
        g_ptr_array_add (self->parameters, create_parameter (name, value));
      else if (value != NULL)
        g_ptr_array_add (self->variants, create_parameter (name, value));
      taken = TRUE; /* in place of a refused value there is none, only its variants */
    }
}

/* A second piece of the same form, and a segment that follows a gap. */
static void
note_piece (PostbagParameters *self, GPtrArray *pieces, const Piece *piece)
{
  const Piece *first = find_piece (pieces, piece->name, piece->segment, -1);
  char *value = NULL;

  if (piece->segment < 0)
    first = find_piece (pieces, piece->name, -1, piece->extended);
  else if (piece->segment > 0 && find_piece (pieces, piece->name, piece->segment - 1, -1) == NULL)
    postbag_warnings_add (&self->warnings, POSTBAG_WARNING_MALFORMED_PARAMETER);
  if (first == piece)
    return;
  if (piece->segment < 0)
    value = piece->extended ? join_segments (pieces, piece->name, piece, &self->warnings)
                            : decode_plain (piece, &self->warnings);
  g_ptr_array_add (self->duplicates,
                   create_parameter (piece->name, value != NULL ? value : g_strdup ("")));
}

PostbagParameters *
postbag_parameters_parse (PostbagSlice raw)
{
  PostbagParameters *self = g_new0 (PostbagParameters, 1);
  Cursor cursor = { raw.data, raw.length, 0 };
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GPtrArray) pieces = NULL;

  self->parameters = g_ptr_array_new_with_free_func (free_parameter);
  self->duplicates = g_ptr_array_new_with_free_func (free_parameter);
  self->variants = g_ptr_array_new_with_free_func (free_parameter);
  self->value = read_main (&cursor, &self->warnings);
  pieces = read_pieces (&cursor, &self->warnings);
  for (guint i = 0; i < pieces->len; i++)
    {
      const Piece *piece = g_ptr_array_index (pieces, i);

      note_piece (self, pieces, piece);
      if (g_hash_table_add (seen, piece->name))
        take_parameter (self, pieces, piece->name);
    }
  return self;
}

void
postbag_parameters_free (PostbagParameters *self)
{
  if (self == NULL)
    return;
  g_free (self->value);
  g_ptr_array_unref (self->parameters);
  g_ptr_array_unref (self->duplicates);
  g_ptr_array_unref (self->variants);
  g_free (self);
}

const char *
postbag_parameters_find (GPtrArray *list, const char *name)
{
  for (guint i = 0; i < list->len; i++)
    {
      const PostbagParameter *parameter = g_ptr_array_index (list, i);

      if (strcmp (parameter->name, name) == 0)
        return parameter->value;
    }
  return NULL;
}

const char *
postbag_parameters_get (const PostbagParameters *self, const char *name)
{
  return postbag_parameters_find (self->parameters, name);
}
