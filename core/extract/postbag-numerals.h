/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  POSTBAG_NUMERALS_DECIMAL,
  POSTBAG_NUMERALS_ROMAN,
  POSTBAG_NUMERALS_UPPER_ROMAN,
  POSTBAG_NUMERALS_LETTERS, /* a, ..., z, aa, bb, ... */
  POSTBAG_NUMERALS_UPPER_LETTERS,
} PostbagNumerals;

/* A number of a list as office programs write it; one that has no such form is decimal. */
void postbag_numerals_append (GString *out, gint64 number, PostbagNumerals kind);

G_END_DECLS
