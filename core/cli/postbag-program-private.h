/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

#include "cli/postbag-cli-private.h"
#include "extract/postbag-extraction.h"
#include "mail/postbag-accounts.h"
#include "mcp/postbag-server-private.h"
#include "plugin/postbag-registry-private.h"

G_BEGIN_DECLS

/* The program put together: configuration, plugins, accounts, surface, server. The one place where
 * the layers meet. */

typedef struct
{
  PostbagConfig *config;
  PostbagRegistry *registry;
  PostbagAccounts *accounts;
  PostbagSurface *surface;
  PostbagSeal *seal;
  PostbagServer *server;
  char *state_dir; /* (nullable): none is writable */
} PostbagProgram;

/**
 * postbag_program_new:
 *
 * Warnings go to stderr. Opens no mail and no plugin module.
 *
 * Returns: (transfer full) (nullable): or %NULL with what to correct
 */
PostbagProgram *postbag_program_new (const PostbagCli *cli, GError **error);
void postbag_program_free (PostbagProgram *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagProgram, postbag_program_free)

/* (transfer full) (nullable): the toolset's own words to the model */
char *postbag_instructions_read (const char *schema_dir);
/* Adds which accounts there are and what may be done to them. */
void postbag_instructions_add_policy (GString *text, PostbagConfig *config);
/* (transfer full): for the types of the readers that @registry can use. Starts nothing. */
PostbagExtraction *postbag_cli_make_extraction (PostbagRegistry *registry, gboolean user_plugins);

/* Warns loudly when the tool definitions on disk are not those this program was built with. */
void postbag_program_check_digest (PostbagProgram *self);
/* (transfer full) (nullable): SHA-256 of the definitions of the loaded toolsets */
char *postbag_program_compute_digest (PostbagProgram *self, GError **error);

G_END_DECLS
