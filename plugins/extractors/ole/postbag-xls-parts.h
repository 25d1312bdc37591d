/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "postbag-ole-readers.h"

G_BEGIN_DECLS

/* Types of records ([MS-XLS] 2.3). */
enum
{
  POSTBAG_XLS_FORMULA = 0x0006,
  POSTBAG_XLS_EOF = 0x000a,
  POSTBAG_XLS_DATE_1904 = 0x0022,
  POSTBAG_XLS_FILE_PASS = 0x002f,
  POSTBAG_XLS_CONTINUE = 0x003c,
  POSTBAG_XLS_CODE_PAGE = 0x0042,
  POSTBAG_XLS_OBJECT = 0x005d,
  POSTBAG_XLS_COLUMNS = 0x007d,
  POSTBAG_XLS_BOUND_SHEET = 0x0085,
  POSTBAG_XLS_MUL_RK = 0x00bd,
  POSTBAG_XLS_R_STRING = 0x00d6,
  POSTBAG_XLS_XF = 0x00e0,
  POSTBAG_XLS_SST = 0x00fc,
  POSTBAG_XLS_LABEL_SST = 0x00fd,
  POSTBAG_XLS_NUMBER = 0x0203,
  POSTBAG_XLS_LABEL = 0x0204,
  POSTBAG_XLS_BOOL_ERR = 0x0205,
  POSTBAG_XLS_STRING = 0x0207,
  POSTBAG_XLS_ROW = 0x0208,
  POSTBAG_XLS_RK = 0x027e,
  POSTBAG_XLS_FORMAT = 0x041e,
  POSTBAG_XLS_BOF = 0x0809,
};

typedef struct
{
  guint type;
  PostbagOleBytes bytes;
} PostbagXlsRecord;

/* Returns: %FALSE at the end. @at: of the next record */
gboolean postbag_xls_next (const PostbagOleBytes *stream, gsize *at, PostbagXlsRecord *record);

/* (transfer full): a string whose @length in characters was read; with a byte of flags in front
 * where @wide (from Excel 97 on), else in @code_page */
char *postbag_xls_string (const PostbagOleBytes *bytes, gsize at, guint length, gboolean wide,
                          guint code_page);
/* (transfer full) (element-type utf8): the shared strings, whose records begin before @at with
 * @first and go on in CONTINUE records */
GPtrArray *postbag_xls_shared_strings (const PostbagOleBytes *stream, gsize at,
                                       const PostbagXlsRecord *first);

/* (transfer none) */
const char *postbag_xls_show_error (guint code);

G_END_DECLS
