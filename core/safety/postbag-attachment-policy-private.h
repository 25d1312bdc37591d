/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "safety/postbag-attachment-policy.h"

G_BEGIN_DECLS

/* Whether a document's extension stands before the last one: `invoice.pdf.scr`. */
gboolean postbag_filename_has_double_extension (const char *filename);

/* (transfer full): the name on disk of what a sender called @filename (nullable): one component,
 * never hidden, at most POSTBAG_LIMIT_FILENAME_BYTES, the extension kept */
POSTBAG_API char *postbag_save_make_name (const char *filename);

/* Whether @bytes more may be saved on this day of this process; if so they are counted. */
POSTBAG_API gboolean postbag_save_take_quota (gint64 now_us, gsize bytes);

/* (transfer full) (nullable): the name under which it was saved in the open @folder, @name or one
 * made of it; else errno in @saved_errno, and nothing is left behind. @unnamed: %FALSE goes the way
 * of file systems that have no files without a name. */
POSTBAG_API char *postbag_save_in_folder (int folder, const char *name, GBytes *data,
                                          gboolean unnamed, int *saved_errno);

G_END_DECLS
