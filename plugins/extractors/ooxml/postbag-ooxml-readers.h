/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "extract/postbag-package.h"

G_BEGIN_DECLS

gboolean postbag_docx_read (PostbagPackage *package, PostbagExtractOutput *output, GError **error);
gboolean postbag_xlsx_read (PostbagPackage *package, PostbagExtractOutput *output, GError **error);

typedef enum
{
  POSTBAG_OOXML_GENERAL,
  POSTBAG_OOXML_PERCENT,
  POSTBAG_OOXML_DATE,
  POSTBAG_OOXML_TIME,
  POSTBAG_OOXML_DATE_TIME,
} PostbagOoxmlFormat;

/* What a cell of a number format shows (ECMA-376 part 1, 18.8.30). @code: (nullable): the
 * workbook's own format of that id */
PostbagOoxmlFormat postbag_ooxml_classify_format (gint64 id, const char *code);
/* (transfer full): the number as a person sees it. @since_1904: how the workbook counts days */
char *postbag_ooxml_format_number (const char *value, PostbagOoxmlFormat format,
                                   gboolean since_1904);

G_END_DECLS
