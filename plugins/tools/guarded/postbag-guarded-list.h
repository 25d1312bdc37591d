/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "base/postbag-settings.h"
#include "json/postbag-result.h"
#include "mail/postbag-mail-types.h"

G_BEGIN_DECLS

/* Messages on one page unless the caller says how many: as configured, at most 200. */
guint postbag_guarded_get_page_size (PostbagSettings *settings);

/* The members every result with mail content begins with: `untrusted` and `source`. */
void postbag_guarded_write_origin (PostbagResult *result);

/* The member `messages`: as many of @found as fit; how many those are. */
gint64 postbag_guarded_write_messages (PostbagResult *result, const PostbagSearchPage *found);

/* Whether a mailbox keeps @keyword (nullable: none). @permanent_flags: (nullable) */
gboolean postbag_guarded_is_storable (char **permanent_flags, const char *keyword);

/* Whether the store says what can be kept: of a mailbox that is only examined IMAP servers say that
 * nothing can (RFC 9051 section 7.1), which is no word on the keyword that is stored by selecting.
 */
gboolean postbag_guarded_knows_storable (char **permanent_flags);

G_END_DECLS
