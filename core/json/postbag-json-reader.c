/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A strict RFC 8259 reader. One pass, one loop, an explicit stack of open containers: the nesting
 * of the text never becomes nesting of calls. Every bound is checked before something is added.
 *
 * The text is UTF-8 as a whole (checked first), so that strings are copied without looking at
 * their bytes again. What json-glib cannot hold is noted beside the tree: see the header. */

#include "json/postbag-json-private.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"

#define REPLACEMENT 0xfffd

/* A JsonNode, its JsonValue, its place in an array or object, and what malloc adds. */
#define VALUE_BYTES 128

typedef enum
{
  EXPECT_VALUE,
  EXPECT_VALUE_OR_END, /* after `[` */
  EXPECT_NAME,
  EXPECT_NAME_OR_END, /* after `{` */
  EXPECT_COMMA_OR_END,
  EXPECT_NOTHING, /* after the root value */
} Expectation;

typedef struct
{
  JsonNode *node;
  JsonObject *object; /* or NULL */
  JsonArray *array;   /* or NULL */
} Frame;

typedef struct
{
  PostbagJsonDocument *document;
  const char *start;
  const char *at;
  const char *end;
  PostbagJsonFlags flags;
  Expectation expectation;
  guint values;
  guint depth;
  Frame frames[POSTBAG_LIMIT_JSON_DEPTH];
  GString *name; /* of the member whose value comes next */
  const char *name_at;
  gboolean name_flagged;
  GString *text; /* scratch */
  GError **error;
} Reader;

/* --- errors --- */

static gboolean
fail (Reader *self, const char *at, const char *expected)
{
  g_autofree char *found = NULL;
  gunichar c = at < self->end ? g_utf8_get_char_validated (at, self->end - at) : 0;

  if (at >= self->end)
    found = g_strdup ("the end");
  else if (c > 0x20 && c < 0x7f)
    found = g_strdup_printf ("“%c”", (char)c);
  else if ((gint32)c < 0)
    found = g_strdup_printf ("the byte 0x%02X", (guint8)*at);
  else
    found = g_strdup_printf ("U+%04X", c);
  g_set_error (self->error, POSTBAG_ERROR, POSTBAG_ERROR_BAD_DATA,
               "This is not JSON (RFC 8259): at byte %" G_GSIZE_FORMAT " expected %s, found %s",
               (gsize)(at - self->start), expected, found);
  return FALSE;
}

static gboolean
fail_too_large (Reader *self, const char *what, guint limit)
{
  g_set_error (self->error, POSTBAG_ERROR, POSTBAG_ERROR_TOO_LARGE,
               "The JSON text has %s than %u at byte %" G_GSIZE_FORMAT "; send a smaller one", what,
               limit, (gsize)(self->at - self->start));
  return FALSE;
}

static gboolean
fail_duplicate (Reader *self)
{
  g_set_error (self->error, POSTBAG_ERROR, POSTBAG_ERROR_BAD_DATA,
               "This JSON has the same member name twice in one object, at byte %" G_GSIZE_FORMAT
               "; name each member once",
               (gsize)(self->name_at - self->start));
  return FALSE;
}

/* --- nodes --- */

/* Notes the source bytes [@from, @to) of @node. */
static const char *
keep_raw (Reader *self, JsonNode *node, const char *from, const char *to)
{
  PostbagJsonDocument *document = self->document;
  PostbagJsonRaw entry = { node, document->raw->len };

  g_string_append_len (document->raw, from, to - from);
  g_string_append_c (document->raw, '\0');
  g_array_append_val (document->raw_entries, entry);
  return document->raw->str + entry.offset;
}

/* A later member of the same name replaces an earlier one, which lives on in `displaced`: no later
 * node may get the address of one that the notes know. */
static void
displace_member (Reader *self, Frame *frame)
{
  PostbagJsonDocument *document = self->document;
  JsonNode *node = json_object_get_member (frame->object, self->name->str);

  if (node == NULL)
    return;
  if (document->displaced == NULL)
    document->displaced = g_ptr_array_new_with_free_func ((GDestroyNotify)json_node_unref);
  g_ptr_array_add (document->displaced, json_node_ref (node));
}

/* Returns: (transfer none) (nullable): a null node as the member self->name of @frame */
static JsonNode *
add_member (Reader *self, Frame *frame)
{
  gboolean allow_duplicates = (self->flags & POSTBAG_JSON_ALLOW_DUPLICATES) != 0;
  JsonNode *node = json_node_new (JSON_NODE_NULL);
  guint size = json_object_get_size (frame->object);

  if (allow_duplicates)
    displace_member (self, frame);
  if (self->name_flagged)
    postbag_json_document_flag (self->document, frame->node);
  /* One look-up in the usual case: whether the name was new shows in the size. */
  json_object_set_member (frame->object, self->name->str, node);
  if (json_object_get_size (frame->object) == size && !allow_duplicates)
    {
      fail_duplicate (self);
      return NULL;
    }
  if (json_object_get_size (frame->object) > POSTBAG_LIMIT_JSON_MEMBERS)
    {
      fail_too_large (self, "an object of more members", POSTBAG_LIMIT_JSON_MEMBERS);
      return NULL;
    }
  return node;
}

/* Returns: (transfer none) (nullable): a null node in its place in the tree, to be filled */
static JsonNode *
add_node (Reader *self)
{
  Frame *frame = self->depth > 0 ? &self->frames[self->depth - 1] : NULL;
  JsonNode *node;

  if (++self->values > POSTBAG_LIMIT_JSON_VALUES)
    {
      fail_too_large (self, "more values", POSTBAG_LIMIT_JSON_VALUES);
      return NULL;
    }
  if (frame == NULL)
    {
      self->expectation = EXPECT_NOTHING;
      return self->document->root = json_node_new (JSON_NODE_NULL);
    }
  self->expectation = EXPECT_COMMA_OR_END;
  if (frame->array != NULL)
    {
      node = json_node_new (JSON_NODE_NULL);
      json_array_add_element (frame->array, node);
      return node;
    }
  return add_member (self, frame);
}

static gboolean
open_container (Reader *self)
{
  gboolean is_object = *self->at == '{';
  JsonNode *node;
  Frame *frame;

  if (self->depth == POSTBAG_LIMIT_JSON_DEPTH)
    return fail_too_large (self, "deeper nesting", POSTBAG_LIMIT_JSON_DEPTH);
  node = add_node (self);
  if (node == NULL)
    return FALSE;
  frame = &self->frames[self->depth++];
  frame->node = node;
  frame->object = is_object ? json_object_new () : NULL;
  frame->array = is_object ? NULL : json_array_new ();
  if (is_object)
    {
      json_node_init (node, JSON_NODE_OBJECT);
      json_node_take_object (node, frame->object);
    }
  else
    {
      json_node_init (node, JSON_NODE_ARRAY);
      json_node_take_array (node, frame->array);
    }
  self->expectation = is_object ? EXPECT_NAME_OR_END : EXPECT_VALUE_OR_END;
  self->at++;
  return TRUE;
}

static void
close_container (Reader *self)
{
  self->depth--;
  self->expectation = self->depth > 0 ? EXPECT_COMMA_OR_END : EXPECT_NOTHING;
  self->at++;
}

/* --- strings --- */

/* Four hexadecimal digits, or -1. */
static gint
read_hex (const char *at, const char *end)
{
  gint value = 0;

  if (end - at < 4)
    return -1;
  for (guint i = 0; i < 4; i++)
    {
      if (!g_ascii_isxdigit (at[i]))
        return -1;
      value = value * 16 + g_ascii_xdigit_value (at[i]);
    }
  return value;
}

/* At `u` of a `\u` escape. A second half is taken along; what json-glib cannot hold becomes
 * U+FFFD and sets @flagged. */
static gboolean
read_unicode_escape (Reader *self, GString *text, gboolean *flagged)
{
  gint unit = read_hex (self->at + 1, self->end);
  gint low = -1;

  if (unit < 0)
    return fail (self, self->at, "four hexadecimal digits after \\u");
  self->at += 5;
  if (unit >= 0xd800 && unit <= 0xdbff && self->end - self->at >= 6 && self->at[0] == '\\'
      && self->at[1] == 'u')
    low = read_hex (self->at + 2, self->end);
  if (low >= 0xdc00 && low <= 0xdfff)
    {
      self->at += 6;
      unit = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
    }
  else if (unit == 0 || (unit >= 0xd800 && unit <= 0xdfff))
    {
      *flagged = TRUE;
      unit = REPLACEMENT;
    }
  g_string_append_unichar (text, (gunichar)unit);
  return TRUE;
}

/* Behind a backslash. */
static gboolean
read_escape (Reader *self, GString *text, gboolean *flagged)
{
  static const char names[] = "\"\\/bfnrt";
  static const char values[] = "\"\\/\b\f\n\r\t";
  const char *name;

  if (self->at < self->end && *self->at == 'u')
    return read_unicode_escape (self, text, flagged);
  name = self->at < self->end ? memchr (names, *self->at, strlen (names)) : NULL;
  if (name == NULL)
    return fail (self, self->at, "one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u");
  g_string_append_c (text, values[name - names]);
  self->at++;
  return TRUE;
}

/* At the opening quote; leaves self->at behind the closing one. */
static gboolean
read_string (Reader *self, GString *text, gboolean *flagged)
{
  const char *run = ++self->at;

  *flagged = FALSE;
  g_string_truncate (text, 0);
  while (self->at < self->end)
    {
      char c = *self->at;

      if (c != '"' && c != '\\' && (guchar)c >= 0x20)
        {
          self->at++;
          continue;
        }
      g_string_append_len (text, run, self->at - run);
      if (c == '"')
        {
          self->at++;
          return TRUE;
        }
      if (c != '\\')
        return fail (self, self->at, "an escape for this control character");
      self->at++;
      if (!read_escape (self, text, flagged))
        return FALSE;
      run = self->at;
    }
  return fail (self, self->at, "“\"” at the end of the string");
}

static gboolean
read_string_value (Reader *self)
{
  const char *from = self->at;
  gboolean flagged;
  JsonNode *node;

  if (!read_string (self, self->text, &flagged))
    return FALSE;
  node = add_node (self);
  if (node == NULL)
    return FALSE;
  json_node_init_string (node, self->text->str);
  if (flagged)
    {
      keep_raw (self, node, from, self->at);
      postbag_json_document_flag (self->document, node);
    }
  return TRUE;
}

static void
skip_blanks (Reader *self)
{
  while (self->at < self->end
         && (*self->at == ' ' || *self->at == '\t' || *self->at == '\r' || *self->at == '\n'))
    self->at++;
}

/* A flagged name is stored as its source text: distinct names stay distinct, and readable. */
static gboolean
read_name (Reader *self)
{
  self->name_at = self->at;
  if (!read_string (self, self->name, &self->name_flagged))
    return FALSE;
  if (self->name_flagged)
    {
      g_string_truncate (self->name, 0);
      g_string_append_len (self->name, self->name_at + 1, self->at - self->name_at - 2);
    }
  skip_blanks (self);
  if (self->at == self->end || *self->at != ':')
    return fail (self, self->at, "“:”");
  self->at++;
  self->expectation = EXPECT_VALUE;
  return TRUE;
}

/* --- numbers and words --- */

static const char *
skip_digits (const char *at, const char *end)
{
  while (at < end && g_ascii_isdigit (*at))
    at++;
  return at;
}

/* Scans `-? (0|[1-9][0-9]*) (\.[0-9]+)? ([eE][+-]?[0-9]+)?`. */
static gboolean
scan_number (Reader *self, gboolean *is_integer)
{
  const char *at = self->at, *end = self->end, *digits;

  *is_integer = TRUE;
  if (*at == '-')
    at++;
  digits = at;
  at = at < end && *at == '0' ? at + 1 : skip_digits (at, end);
  if (at == digits)
    return fail (self, at, "a digit");
  if (at < end && *at == '.')
    {
      digits = ++at;
      at = skip_digits (at, end);
      if (at == digits)
        return fail (self, at, "a digit after the decimal point");
      *is_integer = FALSE;
    }
  if (at < end && (*at == 'e' || *at == 'E'))
    {
      at++;
      if (at < end && (*at == '+' || *at == '-'))
        at++;
      digits = at;
      at = skip_digits (at, end);
      if (at == digits)
        return fail (self, at, "a digit in the exponent");
      *is_integer = FALSE;
    }
  self->at = at;
  return TRUE;
}

static gboolean
read_number (Reader *self)
{
  const char *from = self->at;
  gboolean is_integer;
  JsonNode *node;
  const char *raw;
  double number;

  if (!scan_number (self, &is_integer))
    return FALSE;
  node = add_node (self);
  if (node == NULL)
    return FALSE;
  raw = keep_raw (self, node, from, self->at);
  errno = 0;
  if (is_integer)
    {
      gint64 value = g_ascii_strtoll (raw, NULL, 10);

      if (errno == 0)
        {
          json_node_init_int (node, value);
          return TRUE;
        }
    }
  number = g_ascii_strtod (raw, NULL);
  json_node_init_double (node, CLAMP (number, -G_MAXDOUBLE, G_MAXDOUBLE));
  if (is_integer || isinf (number))
    postbag_json_document_flag (self->document, node);
  return TRUE;
}

static gboolean
read_word (Reader *self)
{
  static const char *const words[] = { "true", "false", "null" };
  JsonNode *node;

  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    {
      gsize length = strlen (words[i]);

      if ((gsize)(self->end - self->at) < length || memcmp (self->at, words[i], length) != 0)
        continue;
      self->at += length;
      node = add_node (self);
      if (node == NULL)
        return FALSE;
      if (i == 2)
        json_node_init_null (node);
      else
        json_node_init_boolean (node, i == 0);
      return TRUE;
    }
  return fail (self, self->at, "a value");
}

/* --- the loop --- */

static gboolean
read_value (Reader *self)
{
  char c = *self->at;

  if (c == '{' || c == '[')
    return open_container (self);
  if (c == '"')
    return read_string_value (self);
  if (c == '-' || g_ascii_isdigit (c))
    return read_number (self);
  return read_word (self);
}

static gboolean
read_comma_or_end (Reader *self)
{
  gboolean is_object = self->frames[self->depth - 1].object != NULL;

  if (*self->at == ',')
    {
      self->at++;
      self->expectation = is_object ? EXPECT_NAME : EXPECT_VALUE;
      return TRUE;
    }
  if (*self->at != (is_object ? '}' : ']'))
    return fail (self, self->at, is_object ? "“,” or “}”" : "“,” or “]”");
  close_container (self);
  return TRUE;
}

static gboolean
read_token (Reader *self)
{
  char c = *self->at;

  switch (self->expectation)
    {
    case EXPECT_VALUE_OR_END:
      if (c == ']')
        {
          close_container (self);
          return TRUE;
        }
      return read_value (self);
    case EXPECT_VALUE:
      return read_value (self);
    case EXPECT_NAME_OR_END:
      if (c == '}')
        {
          close_container (self);
          return TRUE;
        }
      return c == '"' ? read_name (self) : fail (self, self->at, "a member name in quotes or “}”");
    case EXPECT_NAME:
      return c == '"' ? read_name (self) : fail (self, self->at, "a member name in quotes");
    case EXPECT_COMMA_OR_END:
      return read_comma_or_end (self);
    case EXPECT_NOTHING:
    default:
      return fail (self, self->at, "nothing after the end of the document");
    }
}

static gboolean
read_document (Reader *self)
{
  const char *bad;

  if (self->end - self->start >= 3 && memcmp (self->start, "\357\273\277", 3) == 0)
    return fail (self, self->start, "no byte order mark");
  if (!g_utf8_validate_len (self->start, (gsize)(self->end - self->start), &bad))
    return fail (self, bad, "well-formed UTF-8");
  for (;;)
    {
      skip_blanks (self);
      if (self->at == self->end)
        break;
      if (!read_token (self))
        return FALSE;
    }
  if (self->expectation != EXPECT_NOTHING)
    return fail (self, self->at, self->depth > 0 ? "the rest of the document" : "a value");
  return TRUE;
}

PostbagJsonDocument *
postbag_json_parse (const char *text, gsize length, gsize max_bytes, PostbagJsonFlags flags,
                    GError **error)
{
  g_autoptr (PostbagJsonDocument) document = NULL;
  g_autofree Reader *reader = NULL;
  gboolean read;

  if (length > max_bytes)
    {
      g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_TOO_LARGE,
                   "The JSON text has %" G_GSIZE_FORMAT " bytes, at most %" G_GSIZE_FORMAT
                   " are read; send a smaller one",
                   length, max_bytes);
      return NULL;
    }
  document = postbag_json_document_new ();
  reader = g_new0 (Reader, 1);
  reader->document = document;
  /* An empty GBytes has no bytes at all. */
  reader->start = reader->at = length > 0 ? text : "";
  reader->end = reader->start + length;
  reader->flags = flags;
  reader->name = g_string_new (NULL);
  reader->text = g_string_new (NULL);
  reader->error = error;
  read = read_document (reader);
  document->weight = length + reader->values * VALUE_BYTES;
  g_string_free (reader->name, TRUE);
  g_string_free (reader->text, TRUE);
  return read ? g_steal_pointer (&document) : NULL;
}
