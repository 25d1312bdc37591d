/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gsf/gsf-infile.h>

#include "postbag-ole-readers.h"

G_BEGIN_DECLS

/* Compound files through libgsf. Under names of ours: the library has no cleanups. */
typedef GsfInput PostbagOleInput;
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagOleInput, g_object_unref)
typedef GsfInfile PostbagOleStorage;
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagOleStorage, g_object_unref)

/* (transfer full) (nullable): the outermost storage; %NULL with "corrupt" or "too many parts".
 * @input: kept by the caller for as long as anything of it is open */
GsfInfile *postbag_ole_open (const PostbagExtractInput *input, GError **error);
gboolean postbag_ole_has (GsfInfile *storage, const char *name);
/* (transfer full) (nullable): %NULL where there is none of that name, or a stream of it */
GsfInfile *postbag_ole_open_storage (GsfInfile *storage, const char *name);
/* (transfer full) (nullable): a stream; no longer than the file, as that was checked */
GBytes *postbag_ole_read_stream (GsfInfile *storage, const char *name);
/* The same, empty where there is none. @keep: (out) (transfer full): whose bytes they are */
PostbagOleBytes postbag_ole_get_stream (GsfInfile *storage, const char *name, GBytes **keep);
/* Of a stream; -1 where there is none */
gint64 postbag_ole_get_size (GsfInfile *storage, const char *name);

G_END_DECLS
