/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Days since the turn of 1899, and their part as time. The 29th of February 1900, which never was,
 * has the number 60. */

#include <math.h>

#include "extract/postbag-number-format-private.h"

#define LAST_DAY 2958465 /* 9999-12-31 */
#define DAYS_TO_1904 1462
#define SECONDS 86400

typedef struct
{
  GDate date;
  gboolean is_fiction; /* 1900-02-29 */
  gint64 seconds;      /* since the epoch */
  guint milliseconds;
  gint hour, minute, second;
  gboolean has_meridiem;
} Moment;

static guint
count_fraction (GArray *tokens, guint second)
{
  guint digits = 0;

  if (second + 1 >= tokens->len
      || g_array_index (tokens, PostbagFormatToken, second + 1).kind != POSTBAG_FORMAT_POINT)
    return 0;
  for (guint i = second + 2;
       i < tokens->len
       && g_array_index (tokens, PostbagFormatToken, i).kind == POSTBAG_FORMAT_DIGIT;
       i++)
    digits++;
  return MIN (digits, 3);
}

static guint
find_precision (GArray *tokens)
{
  guint most = 0;

  for (guint i = 0; i < tokens->len; i++)
    {
      PostbagFormatKind kind = g_array_index (tokens, PostbagFormatToken, i).kind;

      if (kind == POSTBAG_FORMAT_SECOND || kind == POSTBAG_FORMAT_ELAPSED)
        most = MAX (most, count_fraction (tokens, i));
    }
  return most;
}

static gboolean
set_moment (Moment *moment, GArray *tokens, double value, gboolean epoch_1904)
{
  static const gint64 steps[] = { 1000, 100, 10, 1 };
  gint64 step = steps[find_precision (tokens)];
  gint64 total, days;

  if (!(value >= 0) || value > LAST_DAY)
    return FALSE;
  total = (gint64)llround (value * SECONDS * 1000 / (double)step) * step;
  moment->milliseconds = (guint)(total % 1000);
  moment->seconds = total / 1000;
  days = moment->seconds / SECONDS + (epoch_1904 ? DAYS_TO_1904 : 0);
  if (days > LAST_DAY)
    return FALSE;
  moment->hour = (gint)(moment->seconds % SECONDS / 3600);
  moment->minute = (gint)(moment->seconds % 3600 / 60);
  moment->second = (gint)(moment->seconds % 60);
  moment->is_fiction = days == 60;
  g_date_clear (&moment->date, 1);
  /* Day 0 is shown as the 0th of January: the day before it is as near. */
  g_date_set_julian (&moment->date, (guint32)(693594 + days + (days < 60 ? 1 : 0)));
  for (guint i = 0; i < tokens->len; i++)
    moment->has_meridiem |=
        g_array_index (tokens, PostbagFormatToken, i).kind == POSTBAG_FORMAT_MERIDIEM;
  return TRUE;
}

static void
append_padded (GString *out, gint64 number, guint width)
{
  g_string_append_printf (out, "%0*" G_GINT64_FORMAT, (int)MIN (width, 9), number);
}

static void
append_month (GString *out, guint month, guint letters)
{
  static const char *const names[] = { "January",   "February", "March",    "April",
                                       "May",       "June",     "July",     "August",
                                       "September", "October",  "November", "December" };
  const char *name = names[CLAMP (month, 1, 12) - 1];

  if (letters <= 2)
    append_padded (out, month, letters);
  else if (letters == 4)
    g_string_append (out, name);
  else
    g_string_append_len (out, name, letters == 3 ? 3 : 1);
}

static void
append_day (GString *out, const Moment *moment, guint letters)
{
  static const char *const names[] = { "Monday", "Tuesday",  "Wednesday", "Thursday",
                                       "Friday", "Saturday", "Sunday" };
  const char *name = names[CLAMP ((int)g_date_get_weekday (&moment->date), 1, 7) - 1];

  if (letters <= 2)
    append_padded (out, moment->is_fiction ? 29 : g_date_get_day (&moment->date), letters);
  else if (letters == 3)
    g_string_append_len (out, name, 3);
  else
    g_string_append (out, name);
}

static void
append_hour (GString *out, const Moment *moment, guint letters)
{
  gint hour = moment->hour;

  if (moment->has_meridiem)
    hour = (hour + 11) % 12 + 1;
  append_padded (out, hour, letters);
}

static void
append_elapsed (GString *out, const Moment *moment, const PostbagFormatToken *token)
{
  gint64 unit = token->value == 'h' ? 3600 : token->value == 'm' ? 60 : 1;

  append_padded (out, moment->seconds / unit, token->count);
}

static void
append_token (GString *out, const Moment *moment, const PostbagFormatToken *token)
{
  switch (token->kind)
    {
    case POSTBAG_FORMAT_YEAR:
      if (token->count <= 2)
        append_padded (out, g_date_get_year (&moment->date) % 100, 2);
      else
        append_padded (out, g_date_get_year (&moment->date), 4);
      break;
    case POSTBAG_FORMAT_MONTH:
      append_month (out, moment->is_fiction ? 2 : g_date_get_month (&moment->date), token->count);
      break;
    case POSTBAG_FORMAT_DAY:
      append_day (out, moment, token->count);
      break;
    case POSTBAG_FORMAT_HOUR:
      append_hour (out, moment, token->count);
      break;
    case POSTBAG_FORMAT_MINUTE:
      append_padded (out, moment->minute, token->count);
      break;
    case POSTBAG_FORMAT_SECOND:
      append_padded (out, moment->second, token->count);
      break;
    case POSTBAG_FORMAT_MERIDIEM:
      g_string_append (out, moment->hour < 12 ? "AM" : "PM");
      break;
    case POSTBAG_FORMAT_ELAPSED:
      append_elapsed (out, moment, token);
      break;
    case POSTBAG_FORMAT_LITERAL:
      g_string_append_unichar (out, token->value);
      break;
    case POSTBAG_FORMAT_POINT:
      g_string_append_c (out, '.');
      break;
    case POSTBAG_FORMAT_GROUP:
      g_string_append_c (out, ',');
      break;
    case POSTBAG_FORMAT_SLASH:
      g_string_append_c (out, '/');
      break;
    case POSTBAG_FORMAT_PERCENT:
      g_string_append_c (out, '%');
      break;
    default:
      break;
    }
}

gboolean
postbag_date_format (GArray *tokens, double value, gboolean epoch_1904, GString *out)
{
  Moment moment = { .has_meridiem = FALSE };

  if (!set_moment (&moment, tokens, value, epoch_1904))
    return FALSE;
  for (guint i = 0; i < tokens->len; i++)
    {
      const PostbagFormatToken *token = &g_array_index (tokens, PostbagFormatToken, i);
      guint digits = 0;

      append_token (out, &moment, token);
      if (token->kind == POSTBAG_FORMAT_SECOND || token->kind == POSTBAG_FORMAT_ELAPSED)
        digits = count_fraction (tokens, i);
      if (digits > 0)
        {
          guint unit = digits == 1 ? 100 : digits == 2 ? 10 : 1;

          g_string_append_c (out, '.');
          append_padded (out, moment.milliseconds / unit, digits);
          i += 1 + digits;
        }
    }
  return TRUE;
}
