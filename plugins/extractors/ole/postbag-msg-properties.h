/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gsf/gsf-infile.h>

#include "extract/postbag-letter-properties.h"
#include "postbag-ole-readers.h"

G_BEGIN_DECLS

/**
 * PostbagMsgProperties:
 *
 * The properties of a letter, a recipient or an attachment: numbers stand in one stream, whatever
 * is longer in a stream of its own ([MS-OXMSG] 2.4).
 */
typedef struct
{
  GsfInfile *storage; /* of the caller */
  GBytes *numbers;
  gsize head;      /* bytes in front of the numbers */
  guint code_page; /* of strings that are not Unicode */
} PostbagMsgProperties;

/* @head: 32 of a letter, 24 of one inside another, 8 of everything else */
void postbag_msg_properties_open (PostbagMsgProperties *self, GsfInfile *storage, gsize head,
                                  guint code_page);
void postbag_msg_properties_close (PostbagMsgProperties *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PostbagMsgProperties, postbag_msg_properties_close)

/* @id, @type: of postbag-letter-properties.h. Returns: %FALSE where there is none */
gboolean postbag_msg_get_number (const PostbagMsgProperties *self, guint id, guint type,
                                 guint64 *value);
/* (transfer full) (nullable): a string in either form; empty ones are none */
char *postbag_msg_dup_string (const PostbagMsgProperties *self, guint id);
/* (transfer full) (nullable): as they lie there */
GBytes *postbag_msg_read_bytes (const PostbagMsgProperties *self, guint id, guint type);
/* (transfer full): text that ends at a NUL, if there is one */
char *postbag_msg_decode (GBytes *bytes, guint code_page);
/* -1 where there are none */
gint64 postbag_msg_get_size (const PostbagMsgProperties *self, guint id);
/* (transfer full) (nullable): what is an object */
GsfInfile *postbag_msg_open_object (const PostbagMsgProperties *self, guint id);

G_END_DECLS
