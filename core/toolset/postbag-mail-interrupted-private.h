/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "mail/postbag-store.h"
#include "toolset/postbag-mail-call.h"

G_BEGIN_DECLS

/* "1, 2, 3 and 7 more" */
void postbag_mail_append_uids (GString *out, const GArray *uids);
/* @words, the uids and a full stop; nothing where there are none, or only 0. */
void postbag_mail_append_list (GString *out, const char *words, const GArray *uids);

/* One line: what was interrupted, how it turned out as far as looking tells, and what to look at
 * before it is repeated. */
void postbag_mail_interrupted_append (GString *out, const PostbagInterrupted *one);

/* Who repeats what was interrupted would have it twice: they are told first, once, by an error. */
gboolean postbag_mail_interrupted_check (PostbagMailCall *self, const PostbagEffect *effect,
                                         GError **error);
/* What there is to tell, behind @error's own words. */
void postbag_mail_interrupted_add_note (PostbagMailCall *self, GError **error);

G_END_DECLS
