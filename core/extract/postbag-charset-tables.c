/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "extract/postbag-charset-tables.h"

/* Kept open: the C library drops a table that nobody uses, and in the cage cannot get it back. */
void
postbag_charset_tables_load (void)
{
  static const char *const names[] = {
    "UTF-16",      "UTF-16LE",   "UTF-16BE",    "UTF-32",      "CP1250",      "CP1251",
    "CP1252",      "CP1253",     "CP1254",      "CP1255",      "CP1256",      "CP1257",
    "CP1258",      "ISO-8859-2", "ISO-8859-3",  "ISO-8859-4",  "ISO-8859-5",  "ISO-8859-6",
    "ISO-8859-7",  "ISO-8859-8", "ISO-8859-10", "ISO-8859-13", "ISO-8859-14", "ISO-8859-15",
    "ISO-8859-16", "KOI8-R",     "KOI8-U",      "CP437",       "CP850",       "CP852",
    "CP858",       "CP866",      "CP874",       "MACINTOSH",   "CP932",       "EUC-JP-MS",
    "ISO-2022-KR", "GB18030",    "BIG5-HKSCS",  "UHC",         "EUC-TW",
  };
  static GIConv kept[G_N_ELEMENTS (names)];

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    if (kept[i] == NULL)
      kept[i] = g_iconv_open ("UTF-8", names[i]);
}

gboolean
postbag_charset_tables_prepare (GError **error)
{
  postbag_charset_tables_load ();
  return TRUE;
}
