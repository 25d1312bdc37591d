/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "talk.h"

#include <string.h>

static void
free_line (gpointer data)
{
  TalkLine *line = data;

  g_string_free (line->bytes, TRUE);
  g_free (line);
}

static GString *
unescape (const char *text)
{
  GString *bytes = g_string_new (NULL);

  for (; *text != '\0'; text++)
    {
      if (text[0] == '\\' && text[1] == 'x' && g_ascii_isxdigit (text[2])
          && g_ascii_isxdigit (text[3]))
        {
          g_string_append_c (
              bytes, (char)(g_ascii_xdigit_value (text[2]) * 16 + g_ascii_xdigit_value (text[3])));
          text += 3;
        }
      else
        g_string_append_c (bytes, *text);
    }
  return bytes;
}

static void
add_line (Talk *self, const char *text, gboolean from_server)
{
  TalkLine *line = g_new0 (TalkLine, 1);

  line->from_server = from_server;
  line->bytes = from_server ? unescape (text) : g_string_new (text);
  if (from_server)
    g_string_append (line->bytes, "\r\n");
  g_ptr_array_add (self->lines, line);
}

Talk *
talk_load (const char *path)
{
  Talk *self = g_new0 (Talk, 1);
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;
  g_autoptr (GError) error = NULL;

  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);
  self->lines = g_ptr_array_new_with_free_func (free_line);
  lines = g_strsplit (text, "\n", -1);
  for (char **line = lines; *line != NULL; line++)
    {
      if (g_str_has_prefix (*line, "S: "))
        add_line (self, *line + 3, TRUE);
      else if (g_str_has_prefix (*line, "C: "))
        add_line (self, *line + 3, FALSE);
      else if (g_str_has_prefix (*line, "# expect: ") && self->expect == NULL)
        self->expect = g_strdup (*line + strlen ("# expect: "));
    }
  return self;
}

void
talk_free (Talk *self)
{
  g_ptr_array_unref (self->lines);
  g_free (self->expect);
  g_free (self);
}

GString *
talk_join_server (const Talk *self)
{
  GString *bytes = g_string_new (NULL);

  for (guint i = 0; i < self->lines->len; i++)
    {
      const TalkLine *line = g_ptr_array_index (self->lines, i);

      if (line->from_server)
        g_string_append_len (bytes, line->bytes->str, (gssize)line->bytes->len);
    }
  return bytes;
}
