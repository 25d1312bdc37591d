/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gsf/gsf-infile.h>

#include "extract/postbag-extractor.h"

G_BEGIN_DECLS

/* [MS-OXMSG]. @member: (nullable): the attachment to be read, else the letter */
gboolean postbag_msg_read (GsfInfile *file, const char *member, PostbagExtractOutput *output,
                           GError **error);

G_END_DECLS
