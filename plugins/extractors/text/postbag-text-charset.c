/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which charset a text file is really in. Labels of files lie more often than those of mail, since
 * the sender's program guesses them: what can be proved (a mark, valid UTF-8) wins, then a label
 * that says something, then statistics. */

#include "postbag-text-charset.h"

#include <string.h>
#include <uchardet.h>

#include "mime/postbag-charset.h"
#include "mime/postbag-message.h"

/* Statistics do not get better beyond this. */
#define SAMPLE_BYTES (256 * 1024)

/* UTF-16 without a mark: every other byte of Latin text is zero. */
static const char *
find_wide (const char *bytes, gsize length)
{
  gsize sample = MIN (length, 4096) & ~(gsize)1;
  gsize zeros[2] = { 0, 0 };

  for (gsize i = 0; i < sample; i++)
    zeros[i % 2] += bytes[i] == '\0';
  if (sample < 4)
    return NULL;
  if (zeros[1] > sample / 3 && zeros[0] < sample / 16)
    return "utf-16le";
  return zeros[0] > sample / 3 && zeros[1] < sample / 16 ? "utf-16be" : NULL;
}

/* Labels that programs put on whatever they do not know. */
static gboolean
says_nothing (const char *label)
{
  static const char *const labels[] = { "",           "us-ascii",     "ascii",   "utf-8",  "utf8",
                                        "iso-8859-1", "windows-1252", "unknown", "binary", NULL };
  g_autofree char *lower = g_ascii_strdown (label != NULL ? label : "", -1);

  return g_strv_contains (labels, g_strstrip (lower));
}

/* (transfer full) (nullable) */
static char *
guess (const char *bytes, gsize length)
{
  uchardet_t detector = uchardet_new ();
  char *found = NULL;

  if (uchardet_handle_data (detector, bytes, MIN (length, SAMPLE_BYTES)) == 0)
    {
      uchardet_data_end (detector);
      found = g_strdup (uchardet_get_charset (detector));
    }
  uchardet_delete (detector);
  if (found != NULL && *found == '\0')
    g_clear_pointer (&found, g_free);
  return found;
}

static gsize
count_replacements (const char *text)
{
  gsize count = 0;

  while ((text = strstr (text, "\357\277\275")) != NULL)
    {
      text += 3;
      count++;
    }
  return count;
}

static gboolean
is_ascii_but_escapes (const char *bytes, gsize length)
{
  gboolean escapes = FALSE;

  for (gsize i = 0; i < length; i++)
    {
      if ((guchar)bytes[i] >= 0x80)
        return FALSE;
      escapes |= bytes[i] == '\x1b';
    }
  return escapes;
}

/* A few words are too little for statistics: Chinese shows by its letters, which come in pairs of
 * high bytes, where Latin has single ones. */
static gboolean
looks_like_gb18030 (const char *bytes, gsize length)
{
  g_autofree char *text = postbag_mime_to_utf8 (bytes, length, "gb18030");
  gsize han = 0, others = 0;

  for (const char *at = text; *at != '\0'; at = g_utf8_next_char (at))
    {
      gunichar c = g_utf8_get_char (at);

      han += c >= 0x4e00 && c <= 0x9fff;
      others += c >= 0x80 && (c < 0x4e00 || c > 0x9fff) && (c < 0x3000 || c > 0x303f)
                && (c < 0xff00 || c > 0xffef);
    }
  return han >= 2 && others == 0;
}

static char *
decode_unproved (const char *bytes, gsize length, const char *declared)
{
  g_autofree char *text = NULL, *found = NULL;

  if (!says_nothing (declared))
    {
      text = postbag_mime_to_utf8 (bytes, length, declared);
      if (count_replacements (text) == 0)
        return g_steal_pointer (&text);
    }
  found = guess (bytes, length);
  if (found != NULL)
    {
      g_autofree char *other = postbag_mime_to_utf8 (bytes, length, found);

      if (count_replacements (other) < (text != NULL ? count_replacements (text) : 1))
        return g_steal_pointer (&other);
    }
  if (text != NULL)
    return g_steal_pointer (&text);
  return postbag_mime_to_utf8 (bytes, length,
                               looks_like_gb18030 (bytes, length) ? "gb18030" : "windows-1252");
}

char *
postbag_text_decode (const char *bytes, gsize length, const char *declared)
{
  const char *proved = postbag_charset_find_mark (bytes, length);
  g_autofree char *found = NULL;

  if (proved == NULL)
    proved = find_wide (bytes, length);
  if (proved == NULL && is_ascii_but_escapes (bytes, length))
    return postbag_mime_to_utf8 (bytes, length, "iso-2022-jp");
  if (proved == NULL && g_utf8_validate_len (bytes, length, NULL))
    proved = "utf-8";
  if (proved != NULL)
    return postbag_mime_to_utf8 (bytes, length, proved);
  return decode_unproved (bytes, length, declared);
}
