/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#include "base/postbag-api.h"

G_BEGIN_DECLS

/**
 * postbag_log_install:
 *
 * Sends every GLib log line to stderr: one line each, without control characters, cut at
 * POSTBAG_LIMIT_LOG_LINE_BYTES. stdout carries protocol and nothing else. Once, first thing in
 * main().
 */
POSTBAG_API void postbag_log_install (void);

/**
 * postbag_log_set_debug:
 * @areas: (nullable): whose debug lines are wanted: a comma list of areas (`imap`, ...) or `all`
 *
 * Before any thread is started.
 *
 * Returns: (transfer full) (nullable): what to tell a person when a word is none of the areas
 */
POSTBAG_API char *postbag_log_set_debug (const char *areas);

/* (transfer full): the line for @message as it would be written, with its line end. */
POSTBAG_API char *postbag_log_format (GLogLevelFlags level, const char *domain,
                                      const char *message);

G_END_DECLS
