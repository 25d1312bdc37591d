/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Dates (RFC 5322 section 3.3, obsolete forms of 4.3, and the orders that broken mailers write):
 * the words of the value are told apart by their shape. What does not add up to a real day and time
 * is no date: never a guess, never 1970. */

#include "mime/postbag-mime-private.h"

#include <string.h>

#define MAX_TEXT 256

typedef struct
{
  int day;
  int month;
  int year;
  int hour;
  int minute;
  int second;
  int zone; /* minutes east of Greenwich */
  gboolean has_time;
  gboolean has_zone;
} Fields;

static const char months[][4] = { "jan", "feb", "mar", "apr", "may", "jun",
                                  "jul", "aug", "sep", "oct", "nov", "dec" };
static const char weekdays[][4] = { "mon", "tue", "wed", "thu", "fri", "sat", "sun" };

/* RFC 5322 section 4.3; the military letters were used wrongly and count as -0000. */
static const struct
{
  const char *name;
  int minutes;
} zones[] = {
  { "ut", 0 },     { "utc", 0 },    { "gmt", 0 },    { "z", 0 },      { "est", -300 },
  { "edt", -240 }, { "cst", -360 }, { "cdt", -300 }, { "mst", -420 }, { "mdt", -360 },
  { "pst", -480 }, { "pdt", -420 }, { "bst", 60 },   { "cet", 60 },   { "cest", 120 },
  { "met", 60 },   { "mest", 120 }, { "eet", 120 },  { "eest", 180 }, { "msk", 180 },
  { "jst", 540 },
};

static gboolean
is_blank (char c)
{
  return c == ' ' || c == ',' || c == '\t' || c == '\r' || c == '\n';
}

/* The text without comments; commas count as blanks, none stand beside a colon. */
static void
copy_without_comments (const char *text, char *out)
{
  guint depth = 0;
  gsize length = 0;

  for (; *text != '\0' && length < MAX_TEXT - 1; text++)
    {
      if (*text == '(')
        depth++;
      else if (*text == ')' && depth > 0)
        depth--;
      else if (depth > 0 || (is_blank (*text) && length > 0 && out[length - 1] == ':'))
        continue;
      else
        {
          while (*text == ':' && length > 0 && out[length - 1] == ' ')
            length--;
          if (!is_blank (*text) || length == 0 || out[length - 1] != ' ')
            out[length++] = is_blank (*text) ? ' ' : *text;
        }
    }
  out[length] = '\0';
}

static gboolean
parse_number (const char *word, gsize length, int *value)
{
  int number = 0;

  if (length == 0 || length > 4)
    return FALSE;
  for (gsize i = 0; i < length; i++)
    {
      if (!g_ascii_isdigit (word[i]))
        return FALSE;
      number = number * 10 + (word[i] - '0');
    }
  *value = number;
  return TRUE;
}

static int
find_word (const char (*table)[4], guint count, const char *word)
{
  char start[3];

  for (guint i = 0; i < sizeof start; i++)
    if ((start[i] = g_ascii_tolower (word[i])) == '\0')
      return -1;
  for (guint i = 0; i < count; i++)
    if (memcmp (start, table[i], sizeof start) == 0)
      return (int)i;
  return -1;
}

/* `12:34`, `12:34:56`, `12:34:56.789` */
static gboolean
parse_time (const char *word, gsize length, Fields *fields)
{
  int *const parts[] = { &fields->hour, &fields->minute, &fields->second };
  guint count = 0;

  if (fields->has_time)
    return FALSE;
  for (gsize i = 0; i <= length; i++)
    {
      gsize digits = strspn (word + i, "0123456789");

      if (count == G_N_ELEMENTS (parts) || !parse_number (word + i, digits, parts[count++]))
        return FALSE;
      i += digits;
      if (i < length && word[i] == '.' && count == G_N_ELEMENTS (parts))
        break; /* a fraction */
      if (i < length && word[i] != ':')
        return FALSE;
    }
  fields->has_time = count >= 2;
  return fields->has_time;
}

/* `+0100`, `-05:30`, `+1` */
static gboolean
parse_offset (const char *word, Fields *fields)
{
  int hours, minutes = 0;
  gsize digits = strspn (word + 1, "0123456789");
  const char *colon = word[digits + 1] == ':' ? word + digits + 1 : NULL;

  if (colon != NULL)
    {
      if (!parse_number (word + 1, digits, &hours)
          || !parse_number (colon + 1, strlen (colon + 1), &minutes))
        return FALSE;
    }
  else if (!parse_number (word + 1, strlen (word + 1), &hours))
    return FALSE;
  else if (digits > 2)
    {
      minutes = hours % 100;
      hours /= 100;
    }
  if (hours > 23 || minutes > 59)
    return FALSE;
  fields->zone = (word[0] == '-' ? -1 : 1) * (hours * 60 + minutes);
  fields->has_zone = TRUE;
  return TRUE;
}

static gboolean
parse_zone (const char *word, Fields *fields)
{
  gsize letters = strspn (word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");

  if (letters == 0)
    return (word[0] == '+' || word[0] == '-') && parse_offset (word, fields);
  for (gsize i = 0; i < G_N_ELEMENTS (zones); i++)
    if (strlen (zones[i].name) == letters
        && g_ascii_strncasecmp (word, zones[i].name, letters) == 0)
      {
        fields->zone = zones[i].minutes;
        fields->has_zone = TRUE;
        if (word[letters] != '\0' && zones[i].minutes == 0) /* GMT+0100 */
          return parse_offset (word + letters, fields);
        return word[letters] == '\0';
      }
  /* an unknown name is -0000, as the RFC says */
  fields->has_zone = letters == strlen (word) && letters <= 5;
  return fields->has_zone;
}

/* RFC 5322 section 4.3: years of two and three digits. */
static int
expand_year (int year, gsize digits)
{
  if (digits >= 4)
    return year;
  return year + (digits == 2 && year < 50 ? 2000 : 1900);
}

/* The dashes of `05-Mar-2024` become blanks, that of `GMT-0500` stays. */
static void
split_dashes (char *text)
{
  for (char *p = text; *p != '\0'; p++)
    if (*p == '-' && p > text
        && ((g_ascii_isdigit (p[-1]) && g_ascii_isalpha (p[1]))
            || (p >= text + 3 && find_word (months, 12, p - 3) >= 0)))
      *p = ' ';
}

static gboolean
parse_half_of_day (const char *word, Fields *fields)
{
  if (!fields->has_time || fields->hour < 1 || fields->hour > 12
      || (g_ascii_strcasecmp (word, "am") != 0 && g_ascii_strcasecmp (word, "pm") != 0))
    return FALSE;
  fields->hour = fields->hour % 12 + (g_ascii_tolower (word[0]) == 'p' ? 12 : 0);
  return TRUE;
}

static gboolean
parse_word (const char *word, Fields *fields)
{
  gsize length = strlen (word);
  int number;

  if (fields->month == 0 && (number = find_word (months, 12, word)) >= 0)
    fields->month = number + 1;
  else if (!fields->has_time && find_word (weekdays, 7, word) >= 0)
    return TRUE;
  else if (strchr (word, ':') != NULL && word[0] != '+' && word[0] != '-'
           && !g_ascii_isalpha (word[0]))
    {
      /* a zone may stick to the time: 09:30:00Z, 09:30:00+0100 */
      gsize digits = strspn (word, "0123456789:.");

      return parse_time (word, digits, fields)
             && (digits == length || parse_zone (word + digits, fields));
    }
  else if (parse_number (word, length, &number))
    {
      if (fields->day == 0 && length <= 2)
        fields->day = number;
      else if (fields->year == 0)
        fields->year = expand_year (number, length);
      else
        return fields->has_time;
    }
  else if (fields->has_time && !fields->has_zone && !parse_half_of_day (word, fields))
    return parse_zone (word, fields);
  return TRUE;
}

static gint64
count_seconds (const Fields *fields)
{
  GDate date;

  if (fields->year < 1900 || fields->year > 9999 || fields->month < 1 || fields->month > 12
      || fields->day < 1 || fields->hour > 23 || fields->minute > 59 || fields->second > 60
      || !fields->has_time
      || !g_date_valid_dmy ((GDateDay)fields->day, (GDateMonth)fields->month,
                            (GDateYear)fields->year))
    return POSTBAG_DATE_UNKNOWN;
  g_date_clear (&date, 1);
  g_date_set_dmy (&date, (GDateDay)fields->day, (GDateMonth)fields->month, (GDateYear)fields->year);
  return ((gint64)g_date_get_julian (&date) - 719163) * 86400 /* 719163: 1 January 1970 */
         + fields->hour * 3600 + (fields->minute - fields->zone) * 60 + MIN (fields->second, 59);
}

/* `2024-03-05T09:30:00Z` and the like, which some programs write instead. */
static gint64
parse_iso8601 (char *text)
{
  g_autoptr (GTimeZone) utc = g_time_zone_new_utc ();
  g_autoptr (GDateTime) time = NULL;
  char *blank = strchr (text, ' ');

  if (blank != NULL)
    *blank = 'T';
  text[strcspn (text, " ")] = '\0';
  time = g_date_time_new_from_iso8601 (text, utc);
  return time != NULL ? g_date_time_to_unix (time) : POSTBAG_DATE_UNKNOWN;
}

gint64
postbag_date_parse (const char *text)
{
  char copy[MAX_TEXT];
  Fields fields = { 0 };
  char *rest, *word;

  copy_without_comments (text, copy);
  g_strstrip (copy);
  if (strspn (copy, "0123456789") == 4 && copy[4] == '-')
    return parse_iso8601 (copy);
  split_dashes (copy);
  for (word = strtok_r (copy, " ", &rest); word != NULL; word = strtok_r (NULL, " ", &rest))
    if (!parse_word (word, &fields))
      return POSTBAG_DATE_UNKNOWN;
  return count_seconds (&fields);
}
