/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The list of files at the end of a zip archive (APPNOTE 4.3.12), a pure function of bytes, linear
 * in them. Nothing in it is believed: a file's place is checked when the file is read. */

typedef struct
{
  char *name; /* well-formed UTF-8, as it was written */
  guint method;
  gboolean encrypted;
  guint64 packed; /* bytes */
  guint64 size;
  guint64 offset; /* of its own header */
} PostbagZipEntry;

/* (transfer full) (nullable) (element-type PostbagZipEntry): files, without folders, at most @most;
 * %NULL where it is no archive. @total: (out): how many files there are */
GArray *postbag_zip_directory_read (const guint8 *data, gsize length, guint most, guint *total);
/* (nullable): the packed bytes of @entry inside @data, %NULL where they are not there */
const guint8 *postbag_zip_entry_find (const PostbagZipEntry *entry, const guint8 *data,
                                      gsize length);

G_END_DECLS
