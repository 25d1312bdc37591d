/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Which tools of the guarded toolset are offered (contracts/guarded 4.9). */

typedef struct
{
  const char *const *catalogue; /* all tools, in listing order */
  const char *allow;            /* (nullable): entries separated by commas */
  const char *allow_name;       /* what a person calls that list */
  const char *deny;             /* (nullable) */
  const char *deny_name;
  gboolean read_only;
  gboolean no_tracking; /* list_new_messages is off */
} PostbagToolFilter;

/* (transfer full) (nullable) (array zero-terminated=1) */
char **postbag_tool_filter_apply (const PostbagToolFilter *self, GPtrArray *warnings,
                                  GError **error);

/* (transfer full): why @tool, which was left out of the catalogue, is not offered, and how it would
 * be */
char *postbag_tool_filter_explain (const PostbagToolFilter *self, const char *tool);

G_END_DECLS
