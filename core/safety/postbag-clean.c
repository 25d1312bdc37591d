/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Cleaning, in this order: well-formed, invisible characters and controls stripped, NFC, markup
 * defused (after composing, which changes what stands beside what), blanks and line ends collapsed,
 * trimmed, cut. Cleaning a cleaned text changes nothing. */

#include "safety/postbag-clean.h"

#include <string.h>

#include "base/postbag-limits.h"
#include "base/postbag-text.h"
#include "safety/postbag-clean-private.h"

/* Writes the line ends and blanks that are pending before the next visible character. */
static void
flush_space (GString *out, PostbagCleanMode mode, guint newlines, const char *blanks, gsize length)
{
  if (newlines > 0 && out->len > 0)
    g_string_append (out, mode == POSTBAG_CLEAN_LINE ? " " : newlines == 1 ? "\n" : "\n\n");
  if (length == 0 || (mode == POSTBAG_CLEAN_LINE && (newlines > 0 || out->len == 0)))
    return;
  if (mode == POSTBAG_CLEAN_DOCUMENT)
    g_string_append_len (out, blanks, (gssize)length);
  else if (out->len > 0 && g_utf8_next_char (blanks) == blanks + length && *blanks != '\t')
    g_string_append_len (out, blanks, (gssize)length); /* one blank stays as wide as it was */
  else if (out->len > 0)
    g_string_append_c (out, ' ');
}

/* Not a blank, a line end, or the lead byte of a character that could be one. */
static gboolean
is_inside_word (char c)
{
  guchar byte = (guchar)c;

  return byte > ' ' && byte != 0xc2 && (byte < 0xe1 || byte > 0xe3);
}

/* How much of @text is words with one ordinary blank between them, which stay as they are. */
static gsize
measure_words (const char *text)
{
  gsize length = 0;

  while (is_inside_word (text[length])
         || (text[length] == ' ' && length > 0 && is_inside_word (text[length - 1])
             && is_inside_word (text[length + 1])))
    length++;
  return length;
}

/* Runs of blanks become one, three or more line ends two, none at the start, the end, or the end of
 * a line. */
static char *
collapse (const char *text, PostbagCleanMode mode)
{
  GString *out = g_string_sized_new (strlen (text) + 1);
  const char *blanks = NULL; /* start of the run of blanks before @p */
  guint newlines = 0;
  gsize length;

  for (const char *p = text; *p != '\0'; p += length)
    {
      gunichar c = g_utf8_get_char (p);

      length = measure_words (p);
      if (length == 0)
        length = (gsize)(g_utf8_next_char (p) - p);
      if (c == '\n')
        {
          newlines = MIN (newlines + 1, 2);
          blanks = NULL;
        }
      else if (postbag_clean_is_blank (c))
        blanks = blanks != NULL ? blanks : p;
      else
        {
          flush_space (out, mode, newlines, blanks, blanks != NULL ? (gsize)(p - blanks) : 0);
          newlines = 0;
          blanks = NULL;
          g_string_append_len (out, p, (gssize)length);
        }
    }
  return g_string_free (out, FALSE);
}

/* (transfer full): @text cut so that it and the remark have at most @max_chars characters. */
static char *
cut_with_remark (const char *text, PostbagCleanMode mode, gsize max_chars, gsize total)
{
  g_autofree char *remark = NULL;
  g_autofree char *kept = NULL;
  gsize remark_chars;

  remark = g_strdup_printf (mode == POSTBAG_CLEAN_LINE
                                ? "… [cut: %" G_GSIZE_FORMAT " characters in all]"
                                : "…\n[cut here: %" G_GSIZE_FORMAT " characters in all]",
                            total);
  remark_chars = (gsize)g_utf8_strlen (remark, -1);
  if (remark_chars * 2 > max_chars)
    { /* no room for words */
      g_free (remark);
      remark = g_strdup (max_chars > 0 ? "…" : "");
      remark_chars = MIN (max_chars, 1);
    }
  kept = postbag_text_cut (text, max_chars - remark_chars, NULL);
  return g_strconcat (g_strchomp (kept), remark, NULL);
}

/* Whether only markup can need cleaning: one line of printable ASCII and letters, single blanks
 * between words. Most of what a list shows is that. */
static gboolean
is_plain (const char *text)
{
  char previous = ' ';

  while (*text != '\0')
    {
      gsize length = *text >= ' ' && *text <= '~' ? 1 : postbag_clean_measure_letter (text);

      if (length == 0 || (*text == ' ' && previous == ' '))
        return FALSE;
      previous = *text;
      text += length;
    }
  return previous != ' ';
}

static char *
clean_all (const char *text, PostbagCleanMode mode)
{
  g_autofree char *valid = postbag_text_make_valid (text, -1);
  g_autofree char *stripped = postbag_clean_strip (valid);
  g_autofree char *defused = postbag_clean_defuse (stripped);

  return collapse (defused, mode);
}

char *
postbag_clean (const char *text, PostbagCleanMode mode, gsize max_chars, gsize *total_chars)
{
  g_autofree char *collapsed = NULL;
  gsize total;

  if (text == NULL)
    text = "";
  collapsed = is_plain (text) ? postbag_clean_defuse (text) : clean_all (text, mode);
  if (total_chars == NULL && strlen (collapsed) <= max_chars)
    return g_steal_pointer (&collapsed); /* there are no more characters than bytes */
  total = (gsize)g_utf8_strlen (collapsed, -1);

  if (total_chars != NULL)
    *total_chars = total;
  if (total <= max_chars)
    return g_steal_pointer (&collapsed);
  return cut_with_remark (collapsed, mode, max_chars, total);
}

char *
postbag_clean_escape (const char *text, gsize max_chars)
{
  g_autofree char *valid = postbag_text_make_valid (text != NULL ? text : "", -1);
  g_autofree char *defused = NULL;
  g_autofree char *kept = NULL;
  GString *out = g_string_sized_new (strlen (valid) + 16);

  for (const char *p = valid; *p != '\0'; p = g_utf8_next_char (p))
    {
      gunichar c = g_utf8_get_char (p);

      if (c < ' ' || c == 0x2028 || c == 0x2029 || postbag_clean_is_control (c)
          || postbag_clean_is_invisible (c))
        g_string_append_printf (out, c > 0xffff ? "\\u{%X}" : "\\u%04X", c);
      else
        g_string_append_len (out, p, g_utf8_next_char (p) - p);
    }
  defused = postbag_clean_defuse (out->str);
  g_string_free (out, TRUE);
  if ((gsize)g_utf8_strlen (defused, -1) <= max_chars)
    return g_steal_pointer (&defused);
  kept = postbag_text_cut (defused, max_chars > 0 ? max_chars - 1 : 0, NULL);
  return g_strconcat (kept, max_chars > 0 ? "…" : "", NULL);
}

char *
postbag_clean_quote (const char *text)
{
  g_autofree char *clean =
      postbag_clean (text, POSTBAG_CLEAN_LINE, POSTBAG_LIMIT_QUOTE_CHARS, NULL);
  GString *out = g_string_new ("“");

  for (const char *p = clean; *p != '\0'; p = g_utf8_next_char (p))
    {
      gunichar c = g_utf8_get_char (p);

      /* the quotation ends where we end it */
      if (c == 0x201c || c == 0x201d)
        g_string_append_c (out, '"');
      else
        g_string_append_unichar (out, c);
    }
  g_string_append (out, "”");
  return g_string_free (out, FALSE);
}

static gboolean
is_web_page (const char *text)
{
  static const char *const starts[] = { "<!doctype", "<html", "<?xml", "<!--" };

  for (const char *p = strchr (text, '<'); p != NULL; p = strchr (p + 1, '<'))
    for (gsize i = 0; i < G_N_ELEMENTS (starts); i++)
      if (g_ascii_strncasecmp (p, starts[i], strlen (starts[i])) == 0)
        return TRUE;
  return FALSE;
}

char *
postbag_clean_quote_server (const char *text)
{
  g_autofree char *escaped = NULL;

  if (text != NULL && is_web_page (text))
    return g_strdup ("a web page, which is not shown");
  escaped = postbag_clean_escape (text, POSTBAG_LIMIT_SERVER_TEXT_CHARS);
  return postbag_clean_quote (escaped);
}
