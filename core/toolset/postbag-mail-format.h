/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#include "base/postbag-api.h"
#include "json/postbag-result.h"
#include "mail/postbag-mail-types.h"

G_BEGIN_DECLS

/* How mail values look in results: every string cleaned and bounded. */

/**
 * postbag_mail_format_addresses:
 * @addresses: (nullable) (element-type PostbagAddress)
 * @placeholder: ours, for an empty list
 *
 * "Name <address>" joined by ", ". A name that could be mistaken for an address (it contains `@`,
 * `<`, `>` or `"`) is put in quotation marks, so that it cannot pose as another sender.
 *
 * Returns: (transfer full): at most POSTBAG_LIMIT_ADDRESS_LIST_CHARS
 */
POSTBAG_API char *postbag_mail_format_addresses (GPtrArray *addresses, const char *placeholder);

/* (transfer full): at most POSTBAG_LIMIT_SUBJECT_CHARS, a placeholder when there is none */
POSTBAG_API char *postbag_mail_format_subject (const char *subject);

/* (transfer full) (array zero-terminated=1): cleaned, empty ones dropped, list and length bounded
 */
POSTBAG_API char **postbag_mail_format_flags (PostbagFlags flags, const char *const *keywords);
/* The same for any words a server chose: at most @max_words of them. */
POSTBAG_API char **postbag_mail_format_words (const char *const *words, gsize max_words);

/**
 * postbag_mail_write_summary:
 * One message of a list, as one item of the array that is open in @result.
 *
 * Returns: whether it fits; if not it has been taken back, and the caller stops adding
 */
POSTBAG_API gboolean postbag_mail_write_summary (PostbagResult *result,
                                                 const PostbagSummary *summary);

/* Member `truncated`: @returned entries are there, @omitted are not. */
POSTBAG_API void postbag_mail_write_truncated (PostbagResult *result, const char *reason,
                                               gint64 returned, gint64 omitted,
                                               const char *follow_up);

G_END_DECLS
