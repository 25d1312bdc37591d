/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The list of files at the end of a zip archive (APPNOTE 4.3.12), a pure function of bytes, linear
 * in them, and the files themselves. Nothing in it is believed: a file's place is checked when the
 * file is read, what it unpacks to is counted. */

typedef struct
{
  char *name; /* as it was written, any bytes; a NUL behind them */
  gsize name_length;
  gboolean is_utf8; /* so it says */
  guint method;
  gboolean encrypted;
  guint64 packed; /* bytes */
  guint64 size;
  guint64 offset;   /* of its own header */
  guint32 checksum; /* CRC-32 of what it unpacks to: nobody looks here */
} PostbagZipEntry;

/* (transfer full) (nullable) (element-type PostbagZipEntry): files, without folders, at most @most;
 * %NULL where it is no archive. @total: (out): how many files there are. @is_whole: (out)
 * (optional): whether these are as many as the archive says */
GArray *postbag_zip_directory_read (const guint8 *data, gsize length, guint most, guint *total,
                                    gboolean *is_whole);
/* (nullable): the packed bytes of @entry inside @data, %NULL where they are not there */
const guint8 *postbag_zip_entry_find (const PostbagZipEntry *entry, const guint8 *data,
                                      gsize length);

/* A file being unpacked. */
typedef struct _PostbagZipUnpacking PostbagZipUnpacking;

/* @packed: found before; kept by the caller for as long as this is used. (transfer full)
 * (nullable): %NULL where it is packed in a way not known here */
PostbagZipUnpacking *postbag_zip_unpacking_new (const PostbagZipEntry *entry, const guint8 *packed);
void postbag_zip_unpacking_free (PostbagZipUnpacking *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagZipUnpacking, postbag_zip_unpacking_free)

/* @data: (out) (transfer none): the next piece, until the next call; @size: (out): at most
 * POSTBAG_LIMIT_ZIP_PIECE_BYTES, 0 at the end. All pieces together are no more than the entry says.
 * Returns: %FALSE where it unpacks to less or is damaged */
gboolean postbag_zip_unpacking_next (PostbagZipUnpacking *self, const char **data, gsize *size);

G_END_DECLS
