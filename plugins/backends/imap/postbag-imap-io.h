/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The one thread on which all ready connections of all accounts are read and written. It starts at
 * first use and stays, like the module. */

/* (transfer none) */
GMainContext *postbag_imap_io_get_context (void);

/* Runs @func there, once, after what was asked for before. */
void postbag_imap_io_invoke (GSourceFunc func, gpointer data, GDestroyNotify destroy);

G_END_DECLS
