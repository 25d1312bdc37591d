/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "plugin/postbag-registry-private.h"

/* What the contract programs share. Each runs its checks over every plugin of its kind in the
 * search path: $POSTBAG_PLUGIN_PATH, then ours. */

typedef struct
{
  PostbagRegistry *registry;
  const PostbagManifest *manifest;
} ContractPlugin;

typedef void (*ContractFunc) (gconstpointer plugin);

typedef struct
{
  const char *name;
  ContractFunc function; /* gets a ContractPlugin */
} ContractCheck;

/* Adds /contract/KIND/PLUGIN/CHECK for all and runs them; the first check of a plugin is always
 * that it is usable. */
int contract_run (int argc, char **argv, PostbagPluginKind kind, const ContractCheck *checks,
                  gsize n_checks);

/* (transfer none): the table of functions; fails the test when there is none */
gconstpointer contract_load (const ContractPlugin *plugin);

/* Fails the test without ending the program at once, saying where: several problems of one plugin
 * are told in one run. */
void contract_problem (const ContractPlugin *plugin, const char *format, ...) G_GNUC_PRINTF (2, 3);
