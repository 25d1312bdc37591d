/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "extract/postbag-number-format.h"

G_BEGIN_DECLS

typedef enum
{
  POSTBAG_FORMAT_LITERAL, /* value: the letter */
  POSTBAG_FORMAT_DIGIT,   /* value: '0', '#' or '?' */
  POSTBAG_FORMAT_POINT,
  POSTBAG_FORMAT_GROUP,
  POSTBAG_FORMAT_PERCENT,
  POSTBAG_FORMAT_EXPONENT, /* value: '+' where a plus is shown */
  POSTBAG_FORMAT_SLASH,
  POSTBAG_FORMAT_TEXT,
  POSTBAG_FORMAT_GENERAL,
  POSTBAG_FORMAT_YEAR, /* from here: of a date; count: how many letters */
  POSTBAG_FORMAT_MONTH,
  POSTBAG_FORMAT_DAY,
  POSTBAG_FORMAT_HOUR,
  POSTBAG_FORMAT_MINUTE,
  POSTBAG_FORMAT_SECOND,
  POSTBAG_FORMAT_MERIDIEM,
  POSTBAG_FORMAT_ELAPSED, /* value: 'h', 'm' or 's' */
} PostbagFormatKind;

typedef struct
{
  PostbagFormatKind kind;
  gunichar value;
  guint count;
} PostbagFormatToken;

/* (element-type PostbagFormatToken). %FALSE: @value is no date that can be shown. */
gboolean postbag_date_format (GArray *tokens, double value, gboolean epoch_1904, GString *out);

G_END_DECLS
