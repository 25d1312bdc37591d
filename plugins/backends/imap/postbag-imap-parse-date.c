/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-imap-parser-private.h"

#include <stdio.h>
#include <string.h>

static int
find_month (const char *name)
{
  static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";

  for (int i = 0; i < 12; i++)
    if (g_ascii_strncasecmp (months + i * 3, name, 3) == 0)
      return i + 1;
  return 0;
}

/* Digits at @text, at most @count of them and all of them where @exact; -1 else. Moves @text on. */
static int
read_digits (const char **text, int count, gboolean exact)
{
  int value = 0, seen = 0;

  while (seen < count && g_ascii_isdigit (**text))
    {
      value = value * 10 + (**text - '0');
      (*text)++;
      seen++;
    }
  return seen == 0 || (exact && seen != count) ? -1 : value;
}

static gboolean
read_character (const char **text, char character)
{
  if (**text != character)
    return FALSE;
  (*text)++;
  return TRUE;
}

/* ` +0100`: minutes east of Greenwich. */
static gboolean
read_zone (const char **text, int *minutes)
{
  gboolean west = **text == '-';
  int zone;

  if (**text != '+' && **text != '-')
    return FALSE;
  (*text)++;
  zone = read_digits (text, 4, TRUE);
  if (zone < 0 || zone % 100 > 59)
    return FALSE;
  *minutes = (zone / 100 * 60 + zone % 100) * (west ? -1 : 1);
  return TRUE;
}

gint64
postbag_imap_parse_date_time (const char *text)
{
  int day, month, year, hour, minute, second, zone = 0;
  g_autoptr (GDateTime) date = NULL;

  while (*text == ' ')
    text++;
  day = read_digits (&text, 2, FALSE);
  if (day < 0 || !read_character (&text, '-') || strlen (text) < 3)
    return POSTBAG_DATE_UNKNOWN;
  month = find_month (text);
  text += 3;
  if (month == 0 || !read_character (&text, '-'))
    return POSTBAG_DATE_UNKNOWN;
  year = read_digits (&text, 4, TRUE);
  if (year < 1 || !read_character (&text, ' '))
    return POSTBAG_DATE_UNKNOWN;
  hour = read_digits (&text, 2, TRUE);
  if (hour < 0 || !read_character (&text, ':'))
    return POSTBAG_DATE_UNKNOWN;
  minute = read_digits (&text, 2, TRUE);
  if (minute < 0 || !read_character (&text, ':'))
    return POSTBAG_DATE_UNKNOWN;
  second = read_digits (&text, 2, TRUE);
  if (second < 0 || !read_character (&text, ' ') || !read_zone (&text, &zone))
    return POSTBAG_DATE_UNKNOWN;
  date = g_date_time_new_utc (year, month, day, hour, minute, MIN (second, 59));
  return date != NULL ? g_date_time_to_unix (date) - zone * 60 : POSTBAG_DATE_UNKNOWN;
}
