/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "mail/postbag-effect.h"
#include "toolset/postbag-mail-call.h"

G_BEGIN_DECLS

/* None of @effect's uids is in its mailbox. */
void postbag_mail_set_missing_error (const PostbagEffect *effect, GError **error);

/**
 * postbag_mail_find_missing:
 *
 * Which of @effect's uids its mailbox does not hold: one search that only counts, and a second one
 * where some are missing. A store that cannot search, and a mailbox that was made anew, count as
 * holding all: the change itself finds out.
 *
 * Returns: (transfer full) (nullable) (element-type guint32): sorted; %NULL with
 *   %POSTBAG_ERROR_NOT_FOUND where all are missing
 */
GArray *postbag_mail_find_missing (PostbagMailCall *self, const PostbagEffect *effect,
                                   GError **error);

G_END_DECLS
