/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#include "extract/postbag-extraction.h"
#include "extract/postbag-wire-private.h"

G_BEGIN_DECLS

/* The cage, closed from the inside by a child that has not seen a document yet. Part of the worker
 * alone. */

/**
 * postbag_cage_close:
 * @folders: (array zero-terminated=1): what may still be read; heeded only where Landlock keeps
 *   the rest shut
 * @failed: (out): the layer that could not be closed
 *
 * Gives up every privilege; lets no call through that could reach a file, a socket, another
 * process; refused calls answer EPERM. An attempt to run a program or to fork ends the process with
 * a %PostbagChildExit of its own.
 *
 * Returns: the layers that are closed, or 0 with errno: then nothing may be read
 */
PostbagCageLayers postbag_cage_close (const char *const *folders, const char **failed);

/* Narrows the limits to those of @limits and, unless @keep_folders, lets no file be opened at all.
 * Returns: %FALSE with errno */
gboolean postbag_cage_narrow (PostbagExtractLimits limits, gboolean keep_folders);

/* Whether Landlock is there to keep everything but some folders shut. */
gboolean postbag_cage_can_keep_folders (void);

/* A ruleset that has been put in force: files beneath @folders can be read, if the kernel has
 * Landlock; 0: it has not. */
PostbagCageLayers postbag_landlock_close (const char *const *folders);
int postbag_landlock_get_version (void);

G_END_DECLS
