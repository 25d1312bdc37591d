/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-xls-parts.h"

#include <math.h>
#include <string.h>

#define SECONDS_A_DAY 86400
/* The last day a workbook can show: 9999-12-31. */
#define LAST_DAY 2958465.0

static PostbagXlsFormat
classify_built_in (guint id)
{
  if (id == 9 || id == 10)
    return POSTBAG_XLS_PERCENT;
  if ((id >= 14 && id <= 17) || (id >= 27 && id <= 36) || (id >= 50 && id <= 58))
    return POSTBAG_XLS_DATE;
  if ((id >= 18 && id <= 21) || (id >= 45 && id <= 47))
    return POSTBAG_XLS_TIME;
  return id == 22 ? POSTBAG_XLS_DATE_TIME : POSTBAG_XLS_GENERAL;
}

/* Letters of a format code outside quotation marks, brackets and escapes. */
PostbagXlsFormat
postbag_xls_classify_format (guint id, const char *code)
{
  gboolean date = FALSE, time = FALSE, percent = FALSE;

  if (code == NULL)
    return classify_built_in (id);
  for (const char *at = code; *at != '\0' && *at != ';'; at++)
    {
      const char *close = *at == '"'   ? strchr (at + 1, '"')
                          : *at == '[' ? strchr (at + 1, ']')
                                       : NULL;

      if (close != NULL)
        at = close;
      else if (strchr ("\\_*", *at) != NULL && at[1] != '\0')
        at++;
      else
        {
          date |= strchr ("yYdD", *at) != NULL;
          time |= strchr ("hHsS", *at) != NULL;
          percent |= *at == '%';
        }
    }
  if (date)
    return time ? POSTBAG_XLS_DATE_TIME : POSTBAG_XLS_DATE;
  return time ? POSTBAG_XLS_TIME : percent ? POSTBAG_XLS_PERCENT : POSTBAG_XLS_GENERAL;
}

static char *
show_date (double days, PostbagXlsFormat format, gboolean since_1904)
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
  if (format == POSTBAG_XLS_DATE)
    return g_date_time_format (moment, "%Y-%m-%d");
  return g_date_time_format (moment, format == POSTBAG_XLS_TIME ? "%H:%M:%S"
                                     : seconds % 60 == 0        ? "%Y-%m-%d %H:%M"
                                                                : "%Y-%m-%d %H:%M:%S");
}

char *
postbag_xls_show_number (double number, PostbagXlsFormat format, gboolean since_1904)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE];
  char *date = NULL;

  if (!isfinite (number))
    return g_strdup ("");
  if (format >= POSTBAG_XLS_DATE && number >= 0 && number <= LAST_DAY)
    date = show_date (number, format, since_1904);
  if (date != NULL)
    return date;
  if (format == POSTBAG_XLS_PERCENT)
    number *= 100;
  /* Fifteen digits are what a spreadsheet keeps; 0.1 + 0.2 shows as 0.3. */
  return g_strconcat (g_ascii_formatd (digits, sizeof digits, "%.15g", number),
                      format == POSTBAG_XLS_PERCENT ? "%" : "", NULL);
}

const char *
postbag_xls_show_error (guint code)
{
  switch (code)
    {
    case 0x00:
      return "#NULL!";
    case 0x07:
      return "#DIV/0!";
    case 0x0f:
      return "#VALUE!";
    case 0x17:
      return "#REF!";
    case 0x1d:
      return "#NAME?";
    case 0x24:
      return "#NUM!";
    default:
      return "#N/A";
    }
}
