/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#include "base/postbag-api.h"

G_BEGIN_DECLS

/* The state folder: $POSTBAG_STATE_DIR, else $XDG_STATE_HOME/postbag, else ~/.local/state/postbag.
 * What it holds can be lost without losing mail: the UID map, the seal's key, single-use marks,
 * later the journal. Every part of it has a schema version in a file of its own. */

#define POSTBAG_STATE_VERSION 1

/**
 * postbag_state_open:
 * @override: (nullable): instead of the environment's
 *
 * Creates the folder (0700) and its `version` file at first use; refuses one that a newer Postbag
 * wrote (POSTBAG_ERROR_CONFLICT) or that others may write (POSTBAG_ERROR_NOT_ALLOWED).
 *
 * Returns: (transfer full) (nullable): its absolute path
 */
POSTBAG_API char *postbag_state_open (const char *override, GError **error);

/**
 * postbag_state_open_part:
 * @state_dir: from postbag_state_open()
 * @part: a folder inside, e.g. "maildir/default": created 0700; each `/`-component is
 * `[A-Za-z0-9_.-]+` after percent-encoding of everything else
 *
 * Returns: (transfer full) (nullable): its path
 */
POSTBAG_API char *postbag_state_open_part (const char *state_dir, const char *part, GError **error);

/* Whether the file STOP stands in the state folder: then nothing may be changed anywhere. */
POSTBAG_API gboolean postbag_state_is_stopped (const char *state_dir);

G_END_DECLS
