/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

#include "extract/postbag-extractor.h"

G_BEGIN_DECLS

/**
 * PostbagPackage:
 *
 * The files of a zip archive that is a document (OOXML, OpenDocument), by name. Read in the cage
 * alone. A part is inflated up to its bound, all parts together up to another.
 */
typedef struct _PostbagPackage PostbagPackage;

/* (transfer full) (nullable): or %NULL with %POSTBAG_EXTRACT_CORRUPT, or %POSTBAG_EXTRACT_ENCRYPTED
 * where it is the container that office programs put encrypted documents in. @data stays the
 * caller's, and has to live as long. */
PostbagPackage *postbag_package_open (const guint8 *data, gsize length, GError **error);
void postbag_package_free (PostbagPackage *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagPackage, postbag_package_free)

gboolean postbag_package_has (PostbagPackage *self, const char *name);
/* (transfer full) (nullable): or %NULL with %POSTBAG_EXTRACT_NOT_A_DOCUMENT (no such file),
 * %POSTBAG_EXTRACT_TOO_LARGE. A damaged one is cut where the damage begins. */
GBytes *postbag_package_read (PostbagPackage *self, const char *name, GError **error);

G_END_DECLS
