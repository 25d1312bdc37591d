/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A whole toolset, as somebody else would write it: this file, its manifest and a folder with the
 * definitions of its tools, built against nothing but the installed headers. */

#include <plugin/postbag-plugin.h>

typedef struct
{
  gint64 words;
  gint64 characters;
  gint64 lines;
} Counts;

static Counts
count (const char *text)
{
  Counts counts = { 0 };
  gboolean in_word = FALSE;

  for (const char *at = text; *at != '\0'; at = g_utf8_next_char (at))
    {
      gboolean blank = g_unichar_isspace (g_utf8_get_char (at));

      if (!blank && !in_word)
        counts.words++;
      in_word = !blank;
      counts.characters++;
      if (*at == '\n' || counts.lines == 0)
        counts.lines++;
    }
  return counts;
}

static gboolean
count_words (PostbagCall *call, const PostbagArgs *args, PostbagResult *result, GError **error)
{
  const char *text = postbag_args_get_string (args, "text");
  Counts counts = count (text);

  if (counts.words == 0 && postbag_args_get_boolean (args, "refuse_empty", FALSE))
    {
      g_set_error_literal (error, POSTBAG_ERROR, POSTBAG_ERROR_INVALID_ARGUMENT,
                           "The text has no words. Give one that has, or leave out "
                           "“refuse_empty”.");
      return FALSE;
    }
  postbag_result_int (result, "words", counts.words);
  postbag_result_int (result, "characters", counts.characters);
  postbag_result_int (result, "lines", counts.lines);
  return TRUE;
}

static const PostbagToolEntry tools[] = {
  { "count_words", count_words },
};

static const PostbagToolsetImplementation toolset = {
  .size = sizeof (PostbagToolsetImplementation),
  .tools = tools,
  .n_tools = G_N_ELEMENTS (tools),
};

POSTBAG_PLUGIN_EXPORT (TOOLSET, "words", &toolset)
