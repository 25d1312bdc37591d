/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

#include <json-glib/json-glib.h>

#include "config/postbag-config-private.h"

G_BEGIN_DECLS

/* Exit codes, told by --help. */
typedef enum
{
  POSTBAG_EXIT_SUCCESS = 0,
  POSTBAG_EXIT_FAILED = 1, /* the configuration is wrong, or the thing asked for failed */
  POSTBAG_EXIT_USAGE = 2,  /* the command line is wrong */
} PostbagExit;

/* The command line, read. */
typedef struct
{
  PostbagConfigOptions options;
  gboolean json;
  gboolean digest;
  gboolean user_plugins;
  const char *member;           /* (nullable) */
  const char *const *arguments; /* what follows the subcommand, NULL-terminated */
} PostbagCli;

typedef int (*PostbagCommandFunc) (const PostbagCli *cli);

int postbag_cli_serve (const PostbagCli *cli);
int postbag_cli_call (const PostbagCli *cli);
int postbag_cli_tools (const PostbagCli *cli);
int postbag_cli_plugins (const PostbagCli *cli);
int postbag_cli_config (const PostbagCli *cli);
int postbag_cli_read (const PostbagCli *cli);
int postbag_cli_extract (const PostbagCli *cli);
int postbag_cli_demo (const PostbagCli *cli);
int postbag_cli_doctor (const PostbagCli *cli);
/* What `postbag` says on a terminal. */
int postbag_cli_guide (const PostbagCli *cli);

/* Chooses whose debug lines come, and warns once of a word that is nobody. @areas: (nullable) */
void postbag_cli_set_debug (const char *areas);
/* Prints "postbag: MESSAGE" to stderr and returns %POSTBAG_EXIT_USAGE. */
int postbag_cli_usage_error (const char *format, ...) G_GNUC_PRINTF (1, 2);
/* Prints @error to stderr and returns %POSTBAG_EXIT_FAILED. */
int postbag_cli_fail (const GError *error);
/* Writes @text to stdout whole. Returns %POSTBAG_EXIT_SUCCESS, or says on stderr why not all of it
 * could be written and returns %POSTBAG_EXIT_FAILED. */
int postbag_cli_print (const char *text);
/* The same for JSON, with a line end. */
int postbag_cli_print_json (GBytes *json);

/* Lays out the objects in the array @member of the object that @json is: (transfer full) */
typedef void (*PostbagCliAppendFunc) (JsonObject *entry, GString *text);
char *postbag_cli_format_array (GBytes *json, const char *member, PostbagCliAppendFunc append);

G_END_DECLS
