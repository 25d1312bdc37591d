/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Between a store and a server, in clear text: counts what goes over it, and may change words of
 * the client, as if the server did not know them. */
typedef struct _Relay Relay;

/* @port: of the server; @word, @other: (nullable): of one length */
Relay *relay_new (guint port, const char *word, const char *other);
void relay_free (Relay *self);

guint relay_get_port (Relay *self);
/* How many connections came in all. */
guint relay_count (Relay *self);
/* The most commands that were under way at once on one connection. */
guint relay_get_most (Relay *self);
/* How many words were changed. */
guint relay_count_changes (Relay *self);

G_END_DECLS
