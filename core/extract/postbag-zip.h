/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "extract/postbag-extractor.h"
#include "extract/postbag-zip-directory.h"

G_BEGIN_DECLS

/**
 * PostbagZip:
 *
 * The files of a zip container that is a document, for extractors alone. What is inflated of one
 * file and of all of them together is bounded, and never by what the container says of itself
 * alone. A container inside is not opened.
 *
 * Errors are those of %POSTBAG_EXTRACT_ERROR.
 */
typedef struct _PostbagZip PostbagZip;

/**
 * postbag_zip_new:
 * @data: kept by the caller for as long as the container is used
 *
 * Returns: (transfer full) (nullable): or %NULL: encrypted (also an Office document with a
 *   password, which is no zip), another format by its first bytes, corrupt, too many files
 */
PostbagZip *postbag_zip_new (const guint8 *data, gsize length, GError **error);
void postbag_zip_free (PostbagZip *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagZip, postbag_zip_free)

/* Whether a file is there. Letter case does not matter (ECMA-376 part 2, 6.2.2.3). */
gboolean postbag_zip_has (PostbagZip *self, const char *name);

/* A file being read. */
typedef struct _PostbagZipReading PostbagZipReading;

/* (transfer full) (nullable): to be freed before @self; %NULL with an error when the file is
 * missing (not a document), needs a password, is too tightly packed, or is damaged. */
PostbagZipReading *postbag_zip_open (PostbagZip *self, const char *name, GError **error);
void postbag_zip_reading_free (PostbagZipReading *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagZipReading, postbag_zip_reading_free)

/* @data: (out) (transfer none): the next piece, until the next call; @size: (out): 0 at the end.
 * Returns: %FALSE when it is too large or damaged; of a file that is too large, as much as is read
 * was given before. */
gboolean postbag_zip_reading_next (PostbagZipReading *self, const char **data, gsize *size,
                                   GError **error);

G_END_DECLS
