/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "json/postbag-json-writer.h"

#include <math.h>
#include <string.h>

#include "base/postbag-limits.h"
#include "base/postbag-text.h"

/* What is known of the innermost open container, and of each outer one in `levels`. */
typedef enum
{
  STATE_ARRAY = 1 << 0,
  STATE_OBJECT = 1 << 1,
  STATE_FILLED = 1 << 2, /* the next entry needs a comma */
  STATE_NAMED = 1 << 3,  /* a member's name is written, its value comes next */
} State;

struct _PostbagJsonWriter
{
  GString *text;
  gsize chars;
  guint state;
  GArray *levels; /* guint: the states of the containers around the innermost one */
};

PostbagJsonWriter *
postbag_json_writer_new (void)
{
  PostbagJsonWriter *self = g_new0 (PostbagJsonWriter, 1);

  self->text = g_string_new (NULL);
  self->levels = g_array_new (FALSE, FALSE, sizeof (guint));
  return self;
}

void
postbag_json_writer_free (PostbagJsonWriter *self)
{
  if (self == NULL)
    return;
  g_string_free (self->text, TRUE);
  g_array_unref (self->levels);
  g_free (self);
}

static void
append_char (PostbagJsonWriter *self, char c)
{
  g_string_append_c (self->text, c);
  self->chars++;
}

static void
append_ascii (PostbagJsonWriter *self, const char *text, gsize length)
{
  g_string_append_len (self->text, text, (gssize)length);
  self->chars += length;
}

/* One in each of the eight bytes of a word, which text is looked at by. */
#define ONES 0x0101010101010101u
#define HIGHS 0x8080808080808080u

static guint64
load_word (const char *text)
{
  guint64 word;

  memcpy (&word, text, sizeof word);
  return word;
}

/* Code points: every byte that does not continue one. */
static gsize
count_chars (const char *text, gsize length)
{
  gsize count = length, i = 0;

  for (; i + sizeof (guint64) <= length; i += sizeof (guint64))
    {
      guint64 word = load_word (text + i);

      count -= (gsize)((((word >> 7) & ~(word >> 6) & ONES) * ONES) >> 56);
    }
  for (; i < length; i++)
    count -= ((guchar)text[i] & 0xc0) == 0x80;
  return count;
}

static void
append_run (PostbagJsonWriter *self, const char *text, gsize length)
{
  g_string_append_len (self->text, text, (gssize)length);
  self->chars += count_chars (text, length);
}

/* Comma and bookkeeping in front of a value. */
static void
begin_value (PostbagJsonWriter *self)
{
  if ((self->state & STATE_OBJECT) != 0)
    {
      if ((self->state & STATE_NAMED) == 0)
        g_critical ("a JSON member needs a name");
      self->state &= (guint)~STATE_NAMED;
      return;
    }
  if ((self->state & STATE_FILLED) != 0)
    append_char (self, ',');
  self->state |= STATE_FILLED;
}

static void
begin_container (PostbagJsonWriter *self, guint state, char bracket)
{
  begin_value (self);
  append_char (self, bracket);
  g_array_append_val (self->levels, self->state);
  self->state = state;
}

static void
end_container (PostbagJsonWriter *self, guint state, char bracket)
{
  if ((self->state & state) == 0 || (self->state & STATE_NAMED) != 0)
    {
      g_critical ("no JSON container is open that “%c” ends", bracket);
      return;
    }
  append_char (self, bracket);
  self->state = g_array_index (self->levels, guint, self->levels->len - 1);
  g_array_set_size (self->levels, self->levels->len - 1);
}

void
postbag_json_writer_begin_object (PostbagJsonWriter *self)
{
  begin_container (self, STATE_OBJECT, '{');
}

void
postbag_json_writer_end_object (PostbagJsonWriter *self)
{
  end_container (self, STATE_OBJECT, '}');
}

void
postbag_json_writer_begin_array (PostbagJsonWriter *self)
{
  begin_container (self, STATE_ARRAY, '[');
}

void
postbag_json_writer_end_array (PostbagJsonWriter *self)
{
  end_container (self, STATE_ARRAY, ']');
}

/* --- strings --- */

/* Whether a byte can begin what is escaped. */
static gboolean
may_be_escaped (guchar c)
{
  if (c > '"' && c < 0x7f)
    return c == '\\';
  return c < 0x20 || c == '"' || c == 0x7f || c == 0xc2 || c == 0xe2;
}

/* Length of the character at @text that has to be escaped, else 0: C0 and C1 controls, DEL,
 * quotation mark, backslash, and the line breaks U+2028 and U+2029. */
static gsize
measure_escaped (const guchar *text, gsize left)
{
  if (text[0] < 0x20 || text[0] == '"' || text[0] == '\\' || text[0] == 0x7f)
    return 1;
  if (text[0] == 0xc2 && left >= 2 && text[1] < 0xa0)
    return 2;
  if (text[0] == 0xe2 && left >= 3 && text[1] == 0x80 && (text[2] & 0xfe) == 0xa8)
    return 3;
  return 0;
}

/* Whether none of the eight bytes at @text is escaped, seen at once: all are ASCII from the blank
 * on, and none is DEL, a quotation mark or a backslash. What is not sure is no. */
static gboolean
is_plain_word (const char *text)
{
  guint64 word = load_word (text);

  return ((word | (word - ONES * 0x20) | (word + ONES) | ((word ^ ONES * '"') - ONES)
           | ((word ^ ONES * '\\') - ONES))
          & HIGHS)
         == 0;
}

/* How many bytes from @text on stand for themselves. */
static gsize
measure_run (const char *text, gsize length)
{
  gsize i = 0;

  while (i < length)
    {
      gsize end = MIN (i + sizeof (guint64), length);

      if (end - i == sizeof (guint64) && is_plain_word (text + i))
        i = end;
      for (; i < end; i++)
        if (may_be_escaped ((guchar)text[i])
            && measure_escaped ((const guchar *)text + i, length - i) > 0)
          return i;
    }
  return i;
}

static void
append_escape (PostbagJsonWriter *self, const char *text)
{
  static const char values[] = "\b\f\n\r\t";
  static const char names[] = "bfnrt";
  const char *value = strchr (values, *text);
  char escape[8];

  if (value != NULL)
    {
      append_char (self, '\\');
      append_char (self, names[value - values]);
      return;
    }
  g_snprintf (escape, sizeof escape, "\\u%04x", g_utf8_get_char (text));
  append_ascii (self, escape, strlen (escape));
}

static void
append_quoted (PostbagJsonWriter *self, const char *text, gsize length)
{
  g_autofree char *repaired = NULL;
  gsize i = 0;

  if (postbag_text_measure_valid (text, length) < length)
    {
      repaired = postbag_text_make_valid (text, (gssize)length);
      text = repaired;
      length = strlen (repaired);
    }
  append_char (self, '"');
  while (i < length)
    {
      gsize run = measure_run (text + i, length - i);

      append_run (self, text + i, run);
      i += run;
      if (i == length)
        break;
      /* JSON inside JSON is full of quotation marks. */
      if (text[i] == '"' || text[i] == '\\')
        {
          append_char (self, '\\');
          append_char (self, text[i++]);
          continue;
        }
      append_escape (self, text + i);
      i += measure_escaped ((const guchar *)text + i, length - i);
    }
  append_char (self, '"');
}

void
postbag_json_writer_key (PostbagJsonWriter *self, const char *name)
{
  if ((self->state & STATE_OBJECT) == 0 || (self->state & STATE_NAMED) != 0)
    {
      g_critical ("the JSON member name “%s” has no place here", name);
      return;
    }
  if ((self->state & STATE_FILLED) != 0)
    append_char (self, ',');
  append_quoted (self, name, strlen (name));
  append_char (self, ':');
  self->state |= STATE_FILLED | STATE_NAMED;
}

void
postbag_json_writer_string (PostbagJsonWriter *self, const char *value)
{
  if (value == NULL)
    postbag_json_writer_null (self);
  else
    postbag_json_writer_string_length (self, value, strlen (value));
}

void
postbag_json_writer_string_length (PostbagJsonWriter *self, const char *value, gsize length)
{
  begin_value (self);
  append_quoted (self, value, length);
}

/* --- numbers and words --- */

void
postbag_json_writer_int (PostbagJsonWriter *self, gint64 value)
{
  char text[24];

  g_snprintf (text, sizeof text, "%" G_GINT64_FORMAT, value);
  begin_value (self);
  append_ascii (self, text, strlen (text));
}

void
postbag_json_writer_double (PostbagJsonWriter *self, double value)
{
  static const char *const formats[] = { "%.15g", "%.16g", "%.17g" };
  char text[G_ASCII_DTOSTR_BUF_SIZE + 2];

  if (!isfinite (value))
    {
      postbag_json_writer_null (self);
      return;
    }
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    {
      g_ascii_formatd (text, G_ASCII_DTOSTR_BUF_SIZE, formats[i], value);
      if (g_ascii_strtod (text, NULL) == value)
        break;
    }
  /* What was a double is read back as one. */
  if (strpbrk (text, ".e") == NULL)
    g_strlcat (text, ".0", sizeof text);
  begin_value (self);
  append_ascii (self, text, strlen (text));
}

void
postbag_json_writer_boolean (PostbagJsonWriter *self, gboolean value)
{
  begin_value (self);
  append_ascii (self, value ? "true" : "false", value ? 4 : 5);
}

void
postbag_json_writer_null (PostbagJsonWriter *self)
{
  begin_value (self);
  append_ascii (self, "null", 4);
}

void
postbag_json_writer_raw (PostbagJsonWriter *self, const char *json, gsize length)
{
  begin_value (self);
  append_run (self, json, length);
}

void
postbag_json_writer_base64 (PostbagJsonWriter *self, const guint8 *data, gsize length)
{
  gsize start, written;
  gint state = 0, save = 0;

  begin_value (self);
  append_char (self, '"');
  start = self->text->len;
  g_string_set_size (self->text, start + (length / 3 + 1) * 4 + 4);
  written = g_base64_encode_step (data, length, FALSE, self->text->str + start, &state, &save);
  written += g_base64_encode_close (FALSE, self->text->str + start + written, &state, &save);
  g_string_truncate (self->text, start + written);
  self->chars += written;
  append_char (self, '"');
}

/* --- trees --- */

typedef struct
{
  JsonArray *array; /* or NULL: an object */
  guint index;
  JsonObjectIter iter;
} Walk;

static void
write_scalar (PostbagJsonWriter *self, JsonNode *node)
{
  switch (JSON_NODE_HOLDS_VALUE (node) ? json_node_get_value_type (node) : G_TYPE_INVALID)
    {
    case G_TYPE_INT64:
      postbag_json_writer_int (self, json_node_get_int (node));
      return;
    case G_TYPE_DOUBLE:
      postbag_json_writer_double (self, json_node_get_double (node));
      return;
    case G_TYPE_BOOLEAN:
      postbag_json_writer_boolean (self, json_node_get_boolean (node));
      return;
    case G_TYPE_STRING:
      postbag_json_writer_string (self, json_node_get_string (node));
      return;
    default:
      postbag_json_writer_null (self);
    }
}

/* The next child of @walk, its name written; else the container is ended and %NULL returned.
 * @hidden: (nullable): the prefix of names that are passed over */
static JsonNode *
step (PostbagJsonWriter *self, Walk *walk, const char *hidden)
{
  const char *name;
  JsonNode *child;

  if (walk->array != NULL)
    {
      if (walk->index < json_array_get_length (walk->array))
        return json_array_get_element (walk->array, walk->index++);
      postbag_json_writer_end_array (self);
      return NULL;
    }
  while (json_object_iter_next_ordered (&walk->iter, &name, &child))
    {
      if (hidden != NULL && g_str_has_prefix (name, hidden))
        continue;
      postbag_json_writer_key (self, name);
      return child;
    }
  postbag_json_writer_end_object (self);
  return NULL;
}

static void
enter (PostbagJsonWriter *self, Walk *walk, JsonNode *node)
{
  walk->index = 0;
  walk->array = JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;
  if (walk->array != NULL)
    {
      postbag_json_writer_begin_array (self);
      return;
    }
  json_object_iter_init_ordered (&walk->iter, json_node_get_object (node));
  postbag_json_writer_begin_object (self);
}

static gboolean
is_container (JsonNode *node)
{
  return JSON_NODE_HOLDS_OBJECT (node) || JSON_NODE_HOLDS_ARRAY (node);
}

static void
write_container (PostbagJsonWriter *self, JsonNode *node, const char *hidden)
{
  g_autofree Walk *walks = g_new (Walk, POSTBAG_LIMIT_JSON_DEPTH);
  guint depth = 0;

  for (;;)
    {
      if (is_container (node) && depth < POSTBAG_LIMIT_JSON_DEPTH)
        enter (self, &walks[depth++], node);
      else
        write_scalar (self, node); /* null for what lies deeper */
      node = NULL;
      while (depth > 0 && (node = step (self, &walks[depth - 1], hidden)) == NULL)
        depth--;
      if (node == NULL)
        return;
    }
}

void
postbag_json_writer_node (PostbagJsonWriter *self, JsonNode *node)
{
  postbag_json_writer_node_without (self, node, NULL);
}

void
postbag_json_writer_node_without (PostbagJsonWriter *self, JsonNode *node, const char *hidden)
{
  /* Most nodes that are written one by one are scalars, which need no stack. */
  if (is_container (node))
    write_container (self, node, hidden);
  else
    write_scalar (self, node);
}

/* --- positions --- */

gsize
postbag_json_writer_get_length (PostbagJsonWriter *self)
{
  return self->text->len;
}

gsize
postbag_json_writer_get_chars (PostbagJsonWriter *self)
{
  return self->chars;
}

PostbagJsonMark
postbag_json_writer_mark (PostbagJsonWriter *self)
{
  return (PostbagJsonMark){
    .length = self->text->len,
    .chars = self->chars,
    .depth = self->levels->len,
    .state = self->state,
  };
}

void
postbag_json_writer_rollback (PostbagJsonWriter *self, const PostbagJsonMark *mark)
{
  if (mark->length > self->text->len || mark->depth > self->levels->len)
    {
      g_critical ("a container that was open at the mark has been ended");
      return;
    }
  g_string_truncate (self->text, mark->length);
  g_array_set_size (self->levels, mark->depth);
  self->chars = mark->chars;
  self->state = mark->state;
}

const char *
postbag_json_writer_peek (PostbagJsonWriter *self)
{
  return self->text->str;
}

GBytes *
postbag_json_writer_finish (PostbagJsonWriter *self)
{
  GBytes *document;

  if (self->levels->len > 0)
    g_critical ("a JSON document is finished with %u containers open", self->levels->len);
  document = g_string_free_to_bytes (self->text);
  self->text = g_string_new (NULL);
  g_array_set_size (self->levels, 0);
  self->chars = 0;
  self->state = 0;
  return document;
}
