/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "extract/postbag-zip.h"

G_BEGIN_DECLS

/* The bytes of an XML part as the parser asks for them: unpacked, in UTF-8 where they were in
 * UTF-16 (ECMA-376 part 2, 6.2.5 knows these two), and with the attributes of each tag counted in
 * front of the parser: libxml2 compares each with each before anybody is asked. */
typedef struct _PostbagXmlInput PostbagXmlInput;

/* (transfer full) (nullable): to be freed before @zip; %NULL with an error of postbag_zip_open() or
 * postbag_zip_reading_next(), or corrupt: no XML by its first bytes. */
PostbagXmlInput *postbag_xml_input_open (PostbagZip *zip, const char *name, GError **error);
void postbag_xml_input_free (PostbagXmlInput *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagXmlInput, postbag_xml_input_free)

/* Whether its bytes are not those of the part: what the part says of its encoding no longer holds.
 */
gboolean postbag_xml_input_is_converted (PostbagXmlInput *self);

/* Returns: how many bytes are in @buffer now, 0 at the end, -1 with an error: of
 * postbag_zip_reading_next(), or corrupt: a tag has too many attributes, no UTF-16 */
int postbag_xml_input_read (PostbagXmlInput *self, char *buffer, int size, GError **error);

G_END_DECLS
