/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Which code page the bytes of a text are in: that of the font it is set in, else the document's
 * own. */

/* Of \fcharset; 0: the document's */
int postbag_rtf_code_page_of_charset (int charset);
/* (transfer full): the name of a code page for postbag_mime_to_utf8() */
char *postbag_rtf_name_code_page (int code_page);

G_END_DECLS
