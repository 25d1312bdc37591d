/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-rtf-fonts.h"

int
postbag_rtf_code_page_of_charset (int charset)
{
  static const struct
  {
    int charset;
    int code_page;
  } known[] = {
    { 0, 1252 },   { 2, 1252 },   { 77, 10000 }, { 78, 932 },   { 79, 949 },
    { 80, 936 },   { 81, 950 },   { 128, 932 },  { 129, 949 },  { 134, 936 },
    { 136, 950 },  { 161, 1253 }, { 162, 1254 }, { 163, 1258 }, { 177, 1255 },
    { 178, 1256 }, { 179, 1256 }, { 180, 1256 }, { 181, 1255 }, { 186, 1257 },
    { 204, 1251 }, { 222, 874 },  { 238, 1250 }, { 254, 437 },  { 255, 850 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (known); i++)
    if (known[i].charset == charset)
      return known[i].code_page;
  return 0;
}

char *
postbag_rtf_name_code_page (int code_page)
{
  switch (code_page)
    {
    case 819:
      return g_strdup ("iso-8859-1");
    case 10000:
      return g_strdup ("macintosh");
    case 65001:
      return g_strdup ("utf-8");
    default:
      return g_strdup_printf ("cp%d", code_page);
    }
}
