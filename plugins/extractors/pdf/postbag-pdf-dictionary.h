/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* As much of PDF's syntax (ISO 32000-1, 7.2 and 7.3) as tells how a stream is packed. */

#define POSTBAG_PDF_MAX_FILTERS 8 /* in one stream; honest ones have two at the most */
#define POSTBAG_PDF_WORD_BYTES 32

typedef enum
{
  POSTBAG_PDF_WORD_NONE, /* the end */
  POSTBAG_PDF_WORD_NAME,
  POSTBAG_PDF_WORD_OTHER, /* numbers, brackets, keywords */
} PostbagPdfWordKind;

typedef struct
{
  const guint8 *at, *end;
  PostbagPdfWordKind kind;
  char text[POSTBAG_PDF_WORD_BYTES]; /* cut */
} PostbagPdfWords;

gboolean postbag_pdf_is_blank (guint8 byte);
/* %FALSE: that was the last one */
gboolean postbag_pdf_words_next (PostbagPdfWords *self);
/* Whether the word is @text, and no name. */
gboolean postbag_pdf_words_is (const PostbagPdfWords *self, const char *text);

/* What is told of a stream; others than its own keys (of a dictionary inside) do not count. */
typedef struct
{
  char filters[POSTBAG_PDF_MAX_FILTERS][POSTBAG_PDF_WORD_BYTES];
  guint n_filters;
  gint64 length;
  gint64 length_object; /* -1: it is told here */
  gboolean late_change, is_picture;
  gboolean is_no_picture;        /* by its type, or another subtype beside */
  gboolean is_object_stream;     /* its objects are written in it */
  gboolean is_form;              /* it may be drawn anywhere */
  gboolean has_too_many_filters; /* more than are kept */
} PostbagPdfDictionary;

void postbag_pdf_dictionary_read (PostbagPdfDictionary *self, const guint8 *start,
                                  const guint8 *end);

G_END_DECLS
