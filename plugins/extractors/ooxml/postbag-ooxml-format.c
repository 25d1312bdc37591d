/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-ooxml-readers.h"

#include <math.h>
#include <string.h>

#define SECONDS_A_DAY 86400
/* The last day a workbook can show: 9999-12-31. */
#define LAST_DAY 2958465.0

static PostbagOoxmlFormat
classify_built_in (gint64 id)
{
  if (id == 9 || id == 10)
    return POSTBAG_OOXML_PERCENT;
  if (id >= 14 && id <= 17)
    return POSTBAG_OOXML_DATE;
  if ((id >= 18 && id <= 21) || (id >= 45 && id <= 47))
    return POSTBAG_OOXML_TIME;
  if (id == 22)
    return POSTBAG_OOXML_DATE_TIME;
  return (id >= 27 && id <= 36) || (id >= 50 && id <= 58) ? POSTBAG_OOXML_DATE
                                                          : POSTBAG_OOXML_GENERAL;
}

/* Letters of a format code outside quotation marks, brackets and escapes. */
static PostbagOoxmlFormat
classify_code (const char *code)
{
  gboolean date = FALSE, time = FALSE, percent = FALSE;

  for (const char *at = code; *at != '\0' && *at != ';'; at++)
    {
      char letter = g_ascii_tolower (*at);

      if (*at == '"' || *at == '[')
        {
          const char *close = strchr (at + 1, *at == '"' ? '"' : ']');

          at = close != NULL ? close : at;
        }
      else if ((*at == '\\' || *at == '_' || *at == '*') && at[1] != '\0')
        at++;
      else
        {
          date |= letter == 'y' || letter == 'd';
          time |= letter == 'h' || letter == 's';
          percent |= letter == '%';
        }
    }
  if (date)
    return time ? POSTBAG_OOXML_DATE_TIME : POSTBAG_OOXML_DATE;
  if (time)
    return POSTBAG_OOXML_TIME;
  return percent ? POSTBAG_OOXML_PERCENT : POSTBAG_OOXML_GENERAL;
}

PostbagOoxmlFormat
postbag_ooxml_classify_format (gint64 id, const char *code)
{
  return code != NULL ? classify_code (code) : classify_built_in (id);
}

static char *
format_date (double days, PostbagOoxmlFormat format, gboolean since_1904)
{
  gint64 seconds = (gint64)floor (days * SECONDS_A_DAY + 0.5);
  g_autoptr (GDateTime) start = NULL;
  g_autoptr (GDateTime) moment = NULL;

  /* Day 60 is a 29 February 1900 that never was; before it the count is one short. */
  start = since_1904    ? g_date_time_new_utc (1904, 1, 1, 0, 0, 0)
          : days < 60.0 ? g_date_time_new_utc (1899, 12, 31, 0, 0, 0)
                        : g_date_time_new_utc (1899, 12, 30, 0, 0, 0);
  moment = g_date_time_add_seconds (start, (double)seconds);
  if (moment == NULL)
    return NULL;
  if (format == POSTBAG_OOXML_DATE)
    return g_date_time_format (moment, "%Y-%m-%d");
  return g_date_time_format (moment, format == POSTBAG_OOXML_TIME ? "%H:%M:%S"
                                     : seconds % 60 == 0          ? "%Y-%m-%d %H:%M"
                                                                  : "%Y-%m-%d %H:%M:%S");
}

static char *
print_number (double number, const char *suffix)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE];

  /* Fifteen digits are what a spreadsheet keeps; 0.1 + 0.2 shows as 0.3. */
  return g_strconcat (g_ascii_formatd (digits, sizeof digits, "%.15g", number), suffix, NULL);
}

char *
postbag_ooxml_format_number (const char *value, PostbagOoxmlFormat format, gboolean since_1904)
{
  char *end = NULL;
  double number = g_ascii_strtod (value, &end);
  char *text = NULL;

  if (end == value || *end != '\0' || !isfinite (number))
    return g_strdup (value);
  if (format == POSTBAG_OOXML_PERCENT)
    return print_number (number * 100, "%");
  if (format != POSTBAG_OOXML_GENERAL && number >= 0 && number <= LAST_DAY)
    text = format_date (number, format, since_1904);
  return text != NULL ? text : print_number (number, NULL);
}
