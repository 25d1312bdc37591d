/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

#include "base/postbag-api.h"
#include "extract/postbag-extractor.h"
#include "extract/postbag-members.h"

G_BEGIN_DECLS

/**
 * PostbagLetter:
 * @date: seconds since 1970, or POSTBAG_DATE_UNKNOWN
 * @text: (nullable): preferred where it is not blank
 * @html: (nullable): UTF-8, else in the charset that it declares itself
 * @rtf: (nullable): not compressed
 *
 * A letter as a document, whatever it was kept in (a message, TNEF, a .msg file).
 */
typedef struct
{
  const char *subject;
  const char *from;
  const char *to;
  const char *cc;
  gint64 date;
  const char *text;
  GBytes *html;
  GBytes *rtf;
} PostbagLetter;

/* Its head, a field a line; its text; what is attached. */
POSTBAG_API void postbag_letter_write (const PostbagLetter *self, PostbagMembers *attachments,
                                       PostbagExtractOutput *output);
/* Appends "Name <address>" to a list of them; both nullable, blank ones leave nothing. */
POSTBAG_API void postbag_letter_append_address (GString *list, const char *name,
                                                const char *address);
/* (transfer full) (nullable): what RTF in the compressed form of Outlook ([MS-OXRTFCP]) becomes;
 * %NULL where it is none, or becomes too large */
POSTBAG_API GBytes *postbag_letter_inflate_rtf (const guint8 *data, gsize length);
/* Windows' clock, 100 ns since 1601, as seconds since 1970; POSTBAG_DATE_UNKNOWN beyond reason */
POSTBAG_API gint64 postbag_letter_read_filetime (guint64 time);

G_END_DECLS
