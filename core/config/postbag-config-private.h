/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

#include "base/postbag-settings.h"
#include "mail/postbag-account.h"

G_BEGIN_DECLS

/* The effective configuration: command line over environment over file over defaults, each value
 * with its source. One table (postbag-config-table.c) lists every variable and key. */

typedef struct _PostbagConfig PostbagConfig;

/* What the command line said; every field may be unset. */
typedef struct
{
  const char *config_file;
  const char *maildir;
  const char *account; /* use only this one */
  const char *toolset; /* names, separated by commas */
  gboolean allow_write;
  gboolean allow_purge;
  gboolean require_person;
} PostbagConfigOptions;

/**
 * postbag_config_load:
 * @environment: (array zero-terminated=1): `NAME=value`, usually environ; secrets in it are
 *   overwritten in place once read
 * @warnings: (out) (optional) (element-type utf8): one line each
 *
 * Returns: (transfer full) (nullable): or %NULL with one line on what to correct, which never
 *   contains a value
 */
POSTBAG_API PostbagConfig *postbag_config_load (const PostbagConfigOptions *options,
                                                char **environment, GPtrArray **warnings,
                                                GError **error);
POSTBAG_API void postbag_config_free (PostbagConfig *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagConfig, postbag_config_free)

/* (transfer none) (array zero-terminated=1): {"guarded"} unless told otherwise */
POSTBAG_API const char *const *postbag_config_get_toolsets (PostbagConfig *self);
/* (transfer none) (element-type PostbagAccount): may be empty */
POSTBAG_API GPtrArray *postbag_config_get_accounts (PostbagConfig *self);
/* (transfer none): every setting of that toolset, defaults filled in */
POSTBAG_API PostbagSettings *postbag_config_get_settings (PostbagConfig *self, const char *toolset);
/* (transfer none): "state-dir", "ca-file", "validate-results", "require-person", ... */
POSTBAG_API PostbagSettings *postbag_config_get_core_settings (PostbagConfig *self);
/* Which tools of a toolset are listed, after allow, deny, read-only: (transfer full) (nullable)
 * (array zero-terminated=1). Fails as contracts/guarded 4.9 says. */
POSTBAG_API char **postbag_config_filter_tools (PostbagConfig *self, const char *toolset,
                                                const char *const *tools, GPtrArray *warnings,
                                                GError **error);
/* (transfer full) (nullable): why a tool that postbag_config_filter_tools() left out is not
 * offered, and how it would be */
POSTBAG_API char *postbag_config_explain_absent (PostbagConfig *self, const char *toolset,
                                                 const char *tool);
/* (transfer full): readable (or JSON) lines "key = value   # source"; secrets as "(set)". */
POSTBAG_API char *postbag_config_show (PostbagConfig *self, gboolean json);

G_END_DECLS
