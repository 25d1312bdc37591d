/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "postbag-ole-readers.h"

G_BEGIN_DECLS

/* A piece of the text, as it lies in the document. */
typedef struct
{
  guint32 start; /* character position */
  guint32 end;
  gsize offset;
  gboolean is_compressed;  /* a byte a character */
  PostbagOleBytes changes; /* of all its formats, since it was last saved whole */
} PostbagDocPiece;

/* (transfer full) (nullable) (element-type PostbagDocPiece): in the order of the text.
 * @table: the table and the lists of changes in front of it */
GArray *postbag_doc_read_pieces (const PostbagOleBytes *table);
/* The character at @place, and how many bytes it takes. */
gunichar postbag_doc_get_character (const PostbagOleBytes *document, const PostbagDocPiece *piece,
                                    gsize place, gsize *size);

G_END_DECLS
