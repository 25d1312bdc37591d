/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Words wrapped in base64 or ROT13: a person does not read them, a model does. Attached files and
 * keys in base64 are no words and do not count. */

#include "safety/postbag-shapes-private.h"

#include <string.h>

/* A shorter run holds no sentence. */
#define LEAST_RUN 24
/* Lines of wrapped base64 have 60 characters or more. */
#define LEAST_LINE 60
#define LEAST_LETTERS_PERCENT 70

static gboolean
is_base64 (char c)
{
  return g_ascii_isalnum (c) || c == '+' || c == '/' || c == '-' || c == '_';
}

/* Readable: printable, mostly letters, with blanks between words. */
static gboolean
is_prose (const char *text, gsize length)
{
  gsize letters = 0, blanks = 0, characters = 0;

  if (!g_utf8_validate (text, (gssize)length, NULL))
    return FALSE;
  for (const char *p = text; p < text + length; p = g_utf8_next_char (p))
    {
      gunichar c = g_utf8_get_char (p);

      if (!g_unichar_isprint (c) && c != '\n' && c != '\r' && c != '\t')
        return FALSE;
      characters++;
      letters += g_unichar_isalpha (c) ? 1 : 0;
      blanks += c == ' ' || c == '\n' ? 1 : 0;
    }
  return blanks >= 2 && letters * 100 >= characters * LEAST_LETTERS_PERCENT;
}

/* Where the run that starts at @start ends; a line end inside a long run belongs to it. */
static const char *
find_run_end (const char *start)
{
  const char *p = start, *line = start;

  for (;;)
    {
      while (is_base64 (*p))
        p++;
      if (p - line < LEAST_LINE || *p != '\n' || !is_base64 (p[1]))
        return p;
      line = ++p;
    }
}

/* What the run stands for: (transfer full) (nullable) */
static guchar *
decode_run (const char *start, const char *end, gsize *length)
{
  g_autoptr (GString) run = g_string_sized_new ((gsize)(end - start) + 4);

  for (const char *p = start; p < end; p++)
    if (*p != '\n')
      g_string_append_c (run, *p == '-' ? '+' : *p == '_' ? '/' : *p);
  while (run->len % 4 != 0)
    g_string_append_c (run, '=');
  return g_base64_decode (run->str, length);
}

static gboolean
scan_base64 (const char *text, guint32 *shapes)
{
  gboolean found = FALSE;

  for (const char *p = text; *p != '\0';)
    {
      const char *end;
      gsize length = 0;
      g_autofree guchar *bytes = NULL;
      g_autofree char *decoded = NULL;

      if (!is_base64 (*p))
        {
          p++;
          continue;
        }
      end = find_run_end (p);
      if (end - p >= LEAST_RUN)
        bytes = decode_run (p, end, &length);
      if (bytes != NULL && is_prose ((const char *)bytes, length))
        {
          decoded = g_strndup ((const char *)bytes, length);
          *shapes |= postbag_shapes_scan (decoded);
          found = TRUE;
        }
      p = end;
    }
  return found;
}

/* Shapes that are made of several words, which chance does not make of rotated text. */
#define TELLING                                                                                    \
  (1u << POSTBAG_SHAPE_INSTRUCTION_OVERRIDE | 1u << POSTBAG_SHAPE_TOOL_COERCION                    \
   | 1u << POSTBAG_SHAPE_CREDENTIAL_REQUEST | 1u << POSTBAG_SHAPE_DELETE_COMMAND                   \
   | 1u << POSTBAG_SHAPE_EXFILTRATION | 1u << POSTBAG_SHAPE_POLICY_CLAIM)

static gboolean
scan_rot13 (const char *text, guint32 *shapes)
{
  g_autofree char *turned = g_strdup (text);
  guint32 found;

  for (char *p = turned; *p != '\0'; p++)
    {
      if (g_ascii_isupper (*p))
        *p = (char)('A' + (*p - 'A' + 13) % 26);
      else if (g_ascii_islower (*p))
        *p = (char)('a' + (*p - 'a' + 13) % 26);
    }
  found = postbag_shapes_scan (turned) & TELLING;
  *shapes |= found;
  return found != 0;
}

gboolean
postbag_encoded_text_scan (const char *folded, guint32 *shapes)
{
  gboolean base64 = scan_base64 (folded, shapes);

  return scan_rot13 (folded, shapes) || base64;
}
