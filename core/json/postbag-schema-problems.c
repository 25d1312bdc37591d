/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The text of validation problems. A model reads it and calls again, so each line says where, what
 * is expected and what was found. What the caller sent is foreign: it is quoted, cleaned and cut.
 */

#include "json/postbag-schema-private.h"

#include <string.h>

#include "base/postbag-limits.h"
#include "base/postbag-text.h"
#include "json/postbag-json-writer.h"
#include "json/postbag-json.h"

PostbagProblems *
postbag_problems_new (guint limit)
{
  PostbagProblems *self = g_new0 (PostbagProblems, 1);

  self->lines = g_ptr_array_new_with_free_func (g_free);
  self->limit = limit;
  return self;
}

void
postbag_problems_free (PostbagProblems *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->lines);
  g_free (self);
}

/* --- foreign text --- */

/* Characters that a reader cannot see, besides what Unicode calls control and format. */
static gboolean
is_invisible (gunichar c)
{
  static const struct
  {
    gunichar first, last;
  } ranges[] = {
    { 0x34f, 0x34f },   { 0x115f, 0x1160 },   { 0x17b4, 0x17b5 }, { 0x180b, 0x180f },
    { 0x2028, 0x2029 }, { 0x2800, 0x2800 },   { 0x3164, 0x3164 }, { 0xfe00, 0xfe0f },
    { 0xffa0, 0xffa0 }, { 0xe0000, 0xe0fff },
  };

  if (!g_unichar_isprint (c) || g_unichar_type (c) == G_UNICODE_PRIVATE_USE
      || (g_unichar_isspace (c) && c != ' '))
    return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (ranges); i++)
    {
      if (c >= ranges[i].first && c <= ranges[i].last)
        return TRUE;
    }
  return FALSE;
}

static void
append_escape (GString *text, gunichar c)
{
  if (c < 0x10000)
    g_string_append_printf (text, "\\u%04X", c);
  else
    g_string_append_printf (text, "\\u%04X\\u%04X", 0xd800 + ((c - 0x10000) >> 10),
                            0xdc00 + ((c - 0x10000) & 0x3ff));
}

char *
postbag_problems_quote (const char *text)
{
  GString *clean = g_string_new (NULL);
  guint chars = 0;

  for (; *text != '\0' && chars < POSTBAG_LIMIT_QUOTE_CHARS; chars++)
    {
      gunichar c = g_utf8_get_char_validated (text, -1);

      if ((gint32)c < 0)
        {
          g_string_append_unichar (clean, 0xfffd);
          text++;
          continue;
        }
      if (is_invisible (c))
        append_escape (clean, c);
      else
        g_string_append_unichar (clean, c);
      text = g_utf8_next_char (text);
    }
  if (*text != '\0')
    g_string_append (clean, "…");
  return g_string_free (clean, FALSE);
}

static char *
quote_string (const char *text)
{
  g_autofree char *clean = postbag_problems_quote (text);

  return g_strdup_printf ("\"%s\"", clean);
}

char *
postbag_problems_write (JsonNode *value)
{
  g_autoptr (PostbagJsonWriter) writer = NULL;

  if ((postbag_value_get_types (value) & POSTBAG_VALUE_STRING) != 0)
    return quote_string (json_node_get_string (value));
  writer = postbag_json_writer_new ();
  postbag_json_writer_node (writer, value);
  return postbag_problems_quote (postbag_json_writer_peek (writer));
}

char *
postbag_problems_describe (JsonNode *value)
{
  const guint bare = POSTBAG_VALUE_NULL | POSTBAG_VALUE_ARRAY | POSTBAG_VALUE_OBJECT;
  g_autofree char *text = NULL;

  if ((postbag_value_get_types (value) & bare) != 0)
    return g_strdup (postbag_json_type_name (value));
  text = postbag_problems_write (value);
  return g_strdup_printf ("%s %s", postbag_json_type_name (value), text);
}

/* --- lists --- */

char *
postbag_problems_list_values (JsonArray *values)
{
  GString *text = g_string_new (NULL);
  guint length = json_array_get_length (values);

  for (guint i = 0; i < MIN (length, POSTBAG_LIMIT_PROBLEM_WORDS); i++)
    {
      g_autofree char *value = postbag_problems_write (json_array_get_element (values, i));

      if (i > 0)
        g_string_append (text, i + 1 == length ? " or " : ", ");
      g_string_append (text, value);
    }
  if (length > POSTBAG_LIMIT_PROBLEM_WORDS)
    g_string_append (text, ", …");
  return g_string_free (text, FALSE);
}

static char *
list_names (GPtrArray *names)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < MIN (names->len, POSTBAG_LIMIT_PROBLEM_WORDS); i++)
    g_string_append_printf (text, "%s%s", i > 0 ? ", " : "",
                            (const char *)g_ptr_array_index (names, i));
  if (names->len > POSTBAG_LIMIT_PROBLEM_WORDS)
    g_string_append (text, ", …");
  return g_string_free (text, FALSE);
}

char *
postbag_problems_describe_unknown (const PostbagPlace *place, const char *name, GPtrArray *known)
{
  const char *kind = place->parent == NULL ? "argument" : "member";
  g_autofree char *quoted = postbag_problems_quote (name);
  g_autofree char *names = list_names (known);
  g_autoptr (GPtrArray) candidates = g_ptr_array_copy (known, NULL, NULL);
  const char *nearest;

  g_ptr_array_add (candidates, NULL);
  nearest = postbag_text_nearest (name, (const char *const *)candidates->pdata);
  if (nearest != NULL)
    return g_strdup_printf ("unknown %s “%s”; did you mean “%s”?", kind, quoted, nearest);
  if (known->len == 0)
    return g_strdup_printf ("unknown %s “%s”; none is taken here", kind, quoted);
  return g_strdup_printf ("unknown %s “%s”; the known ones are: %s", kind, quoted, names);
}

/* --- places --- */

static void
prepend_token (GString *text, const PostbagPlace *place)
{
  g_autofree char *clean = NULL;
  g_autofree char *pointer = NULL;

  if (place->name != NULL)
    clean = postbag_problems_quote (place->name);
  else
    clean = g_strdup_printf ("%u", place->index);
  pointer = postbag_schema_extend_pointer ("", clean);
  g_string_prepend (text, pointer);
}

/* "limit: ", "/uids/3: ", or nothing for the root. */
static char *
describe_place (const PostbagPlace *place)
{
  GString *text = g_string_new (NULL);

  if (place->parent != NULL && place->parent->parent == NULL && place->name != NULL)
    {
      g_autofree char *clean = postbag_problems_quote (place->name);

      g_string_append (text, clean);
    }
  else
    {
      for (; place->parent != NULL; place = place->parent)
        prepend_token (text, place);
    }
  if (text->len > 0)
    g_string_append (text, ": ");
  return g_string_free (text, FALSE);
}

void
postbag_problems_add (PostbagProblems *self, const PostbagPlace *place, const char *format, ...)
{
  g_autofree char *where = NULL;
  g_autofree char *what = NULL;
  va_list arguments;

  if (self == NULL)
    return;
  if (self->lines->len == self->limit)
    {
      self->more = TRUE;
      return;
    }
  va_start (arguments, format);
  what = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  where = describe_place (place);
  g_ptr_array_add (self->lines, g_strconcat (where, what, NULL));
}

void
postbag_problems_add_all (PostbagProblems *self, const PostbagProblems *others)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < others->lines->len; i++)
    {
      if (self->lines->len < self->limit)
        g_ptr_array_add (self->lines, g_strdup (g_ptr_array_index (others->lines, i)));
      else
        self->more = TRUE;
    }
  self->more |= others->more;
}
