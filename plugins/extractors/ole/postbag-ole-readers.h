/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "extract/postbag-extractor.h"

G_BEGIN_DECLS

/* Bytes of a stream, with numbers that are 0 past its end. */
typedef struct
{
  const guint8 *data;
  gsize length;
} PostbagOleBytes;

guint32 postbag_ole_u8 (const PostbagOleBytes *bytes, gsize at);
guint32 postbag_ole_u16 (const PostbagOleBytes *bytes, gsize at);
guint32 postbag_ole_u32 (const PostbagOleBytes *bytes, gsize at);
double postbag_ole_double (const PostbagOleBytes *bytes, gsize at);
/* Appends UTF-16 units (element-type guint16) as UTF-8; lone halves and NUL become U+FFFD. */
void postbag_ole_append_units (GString *text, const guint16 *units, gsize length);
/* (transfer full): the same of @count units that stand at @at, as far as there are so many */
char *postbag_ole_dup_units (const PostbagOleBytes *bytes, gsize at, gsize count);

/* [MS-XLS]: @workbook: the stream "Workbook" or "Book" */
gboolean postbag_xls_read (const PostbagOleBytes *workbook, PostbagExtractOutput *output,
                           GError **error);
/* [MS-DOC]: @tables: the streams "0Table" and "1Table", empty where there is none */
gboolean postbag_doc_read (const PostbagOleBytes *document, const PostbagOleBytes *tables,
                           PostbagExtractOutput *output, GError **error);
/* [MS-PPT]: @document: the stream "PowerPoint Document"; @user: "Current User", empty where there
 * is none */
gboolean postbag_ppt_read (const PostbagOleBytes *document, const PostbagOleBytes *user,
                           PostbagExtractOutput *output, GError **error);

G_END_DECLS
