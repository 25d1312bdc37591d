/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "mail/postbag-store.h"

G_BEGIN_DECLS

/* Mail on an IMAP server, as the store interface wants it: reading only, with EXAMINE and
 * BODY.PEEK, everything by UID. */
extern const PostbagStoreImplementation postbag_imap_store;

G_END_DECLS
