/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Marks the subscribed folders in @list (PostbagMaildirFolder) as Dovecot's `subscriptions` or
 * Courier's `courierimapsubscribed` says; all of them where neither file is there. */
void postbag_maildir_mark_subscribed (int root, GPtrArray *list);

G_END_DECLS
