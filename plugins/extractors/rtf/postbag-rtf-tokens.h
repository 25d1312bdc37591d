/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Rich Text Format (version 1.9.1, "RTF Syntax") cut into its pieces: a pure function of bytes. */

typedef enum
{
  POSTBAG_RTF_END,
  POSTBAG_RTF_OPEN,
  POSTBAG_RTF_CLOSE,
  POSTBAG_RTF_WORD,   /* \name or \name123 */
  POSTBAG_RTF_SYMBOL, /* \~, \*, ... */
  POSTBAG_RTF_BYTE,   /* \'ab */
  POSTBAG_RTF_TEXT,   /* bytes as they stand, without line ends */
} PostbagRtfKind;

#define POSTBAG_RTF_NAME_BYTES 32

typedef struct
{
  PostbagRtfKind kind;
  char name[POSTBAG_RTF_NAME_BYTES + 1];
  gboolean has_number;
  gint32 number;
  guchar byte;        /* of a symbol or byte */
  const guint8 *text; /* of a text: inside the source */
  gsize length;
} PostbagRtfToken;

typedef struct
{
  const guint8 *bytes;
  gsize length;
  gsize at;
} PostbagRtfSource;

/* Binary data (\binN) is skipped here: what stands in it is no RTF. */
void postbag_rtf_next (PostbagRtfSource *source, PostbagRtfToken *token);

G_END_DECLS
