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

/* @size: at most POSTBAG_LIMIT_ZIP_PIECE_BYTES. Returns %FALSE to end the reading. */
typedef gboolean (*PostbagZipPiece) (const char *data, gsize size, gpointer user_data);

/* Gives what @packed, found before, unpacks to, piece by piece: no more than @entry says.
 * Returns: %FALSE where it unpacks to less, is damaged, or is packed in a way not known here */
gboolean postbag_zip_entry_unpack (const PostbagZipEntry *entry, const guint8 *packed,
                                   PostbagZipPiece piece, gpointer user_data);

G_END_DECLS
