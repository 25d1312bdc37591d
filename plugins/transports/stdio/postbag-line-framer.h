/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Cuts a byte stream into lines. Looks at each byte once; holds no more than one partial line. */

typedef struct _PostbagLineFramer PostbagLineFramer;

/* @line: (nullable): without its line end, not NUL-terminated, valid during the call; %NULL: a line
 * longer than the limit was skipped */
typedef void (*PostbagLineFunc) (const char *line, gsize length, gpointer user_data);

PostbagLineFramer *postbag_line_framer_new (gsize max_bytes, PostbagLineFunc take_line,
                                            gpointer user_data);
void postbag_line_framer_free (PostbagLineFramer *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagLineFramer, postbag_line_framer_free)

/* Calls the function for each line that is complete; blank ones are left out. */
void postbag_line_framer_push (PostbagLineFramer *self, const char *bytes, gsize length);
/* The stream has ended: what is left counts as a line. */
void postbag_line_framer_finish (PostbagLineFramer *self);

G_END_DECLS
