/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A test's temporary folder, gone with all that is in it. */

#include <glib.h>

#include <ftw.h>
#include <stdio.h>

static inline int
remove_entry (const char *path, const struct stat *facts, int kind, struct FTW *walk)
{
  return remove (path);
}

/* Links are removed, not followed. */
static inline void
remove_tree (const char *path)
{
  g_assert_cmpint (nftw (path, remove_entry, 16, FTW_DEPTH | FTW_PHYS), ==, 0);
}
