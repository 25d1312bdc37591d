/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/**
 * Peer:
 *
 * A server on loopback that follows a script, one for each connection in turn (the last one for all
 * further ones). A line of a script is
 *
 *   `S:text`  sends text and CRLF; `%t` is the tag of the last command, `%1` of the one before
 *             that and so on to `%3`, `%%` a percent sign
 *   `R:text`  the same without CRLF
 *   `C:words` reads a line, which must hold the words behind its tag
 *   `L`       reads a line that is no command: data of a literal, a SASL response
 *   `B`       waits for any bytes
 *   `FLOOD:text` sends text and CRLF until the client closes
 *   `RESET`   ends the connection the hard way (RST)
 *   `STALL`   waits until the client closes
 *   `LOOP`    goes on with the line behind the last `MARK`
 *
 * and at its end the connection is closed.
 */
typedef struct _Peer Peer;

Peer *peer_new (const char *const *const *scripts);
/* Stops, and returns everything that clients sent, one line each: (transfer full) */
char *peer_free (Peer *self);

guint peer_get_port (Peer *self);
/* How many connections came so far. */
guint peer_count (Peer *self);
/* Whether a client sent a line with @words so far. */
gboolean peer_was_told (Peer *self, const char *words);

G_END_DECLS
