/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The first passes of cleaning: what a reader cannot see goes, line ends become LF, and the rest is
 * composed (NFC, not NFKC, which would turn `1½` into `11⁄2`). */

#include "safety/postbag-clean-private.h"

#include <string.h>

#include "base/postbag-limits.h"
#include "base/postbag-text.h"
#include "safety/postbag-clean.h"

typedef struct
{
  GString *out;
  gunichar previous; /* last character written */
  guint marks;       /* combining marks in a row */
} Stripper;

static gboolean
is_mark (gunichar c)
{
  return c >= 0x300 && (g_unichar_ismark (c) || g_unichar_combining_class (c) != 0);
}

static void
strip_append (Stripper *self, gunichar c)
{
  self->marks = is_mark (c) ? self->marks + 1 : 0;
  if (self->marks > POSTBAG_LIMIT_COMBINING_MARKS)
    return;
  g_string_append_unichar (self->out, c);
  self->previous = c;
}

static void
strip_character (Stripper *self, const char *at)
{
  gunichar c = g_utf8_get_char (at);

  if (postbag_clean_is_control (c))
    return; /* CR among them: CRLF is LF, a bare CR could hide one line behind another */
  if (c == 0x2028 || c == 0x2029)
    strip_append (self, '\n');
  else if (!postbag_clean_is_invisible (c)
           || postbag_clean_keeps_joiner (self->previous, c,
                                          g_utf8_get_char (g_utf8_next_char (at))))
    strip_append (self, c);
}

/* How much of @text is printable ASCII, line ends, tabs, and letters that need no second look. */
static gsize
measure_plain (const char *text)
{
  gsize length = 0, letter = 1;

  while (letter > 0)
    {
      char c = text[length];

      letter = (c >= ' ' && c <= '~') || c == '\n' || c == '\t'
                   ? 1
                   : postbag_clean_measure_letter (text + length);
      length += letter;
    }
  return length;
}

static void
append_plain (Stripper *self, const char *text, gsize length)
{
  const char *last = text + length - 1;

  while (((guchar)*last & 0xc0) == 0x80)
    last--;
  g_string_append_len (self->out, text, (gssize)length);
  self->previous = g_utf8_get_char (last);
  self->marks = 0;
}

char *
postbag_clean_strip (const char *text)
{
  Stripper self = { 0 };

  self.out = g_string_sized_new (strlen (text) + 1);
  while (*text != '\0')
    {
      gsize plain = measure_plain (text);

      if (plain > 0)
        append_plain (&self, text, plain);
      text += plain;
      if (*text == '\0')
        break;
      strip_character (&self, text);
      text = g_utf8_next_char (text);
    }
  return postbag_text_compose (g_string_free (self.out, FALSE));
}

/* Line ends in a row that fill a window. */
#define WINDOW_LINES 40

void
postbag_clean_measure_loss (const char *text, PostbagCleanLoss *loss)
{
  gunichar previous = 0;
  gsize newlines = 0;

  for (const char *p = text; *p != '\0'; p = g_utf8_next_char (p))
    {
      gunichar c = g_utf8_get_char (p);

      if (c == '\n')
        newlines++;
      else if (!postbag_clean_is_blank (c) && c != '\r')
        {
          loss->line_ends += newlines > WINDOW_LINES ? newlines : 0;
          newlines = 0;
        }
      if (c < 0x80)
        previous = c;
      else if (!postbag_clean_is_invisible (c)
               || postbag_clean_keeps_joiner (previous, c, g_utf8_get_char (g_utf8_next_char (p))))
        previous = c;
      else
        loss->invisible++;
    }
}
