/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Numbers as a sheet shows them (ECMA-376 part 1, 18.8.30 and 18.8.31). Names of months and days
 * are English; the two built-in formats that follow the reader's country (14, 22) and what Windows
 * calls the long date are shown as ISO 8601. */

/* (transfer none) (nullable): the code of a built-in format */
const char *postbag_number_format_get_builtin (guint id);

/**
 * postbag_number_format:
 * @code: (nullable): its format; %NULL and what is not understood is "General"
 * @epoch_1904: whether days count from 1904
 *
 * Returns: (transfer full): empty where the format hides the value
 */
char *postbag_number_format (const char *code, double value, gboolean epoch_1904);

G_END_DECLS
