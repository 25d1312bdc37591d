/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#include "base/postbag-settings.h"
#include "config/postbag-config-table-private.h"

G_BEGIN_DECLS

/* One group of the configuration ([postbag], an account, a toolset), with where each value comes
 * from; and the sources it is filled from. */

typedef struct
{
  char *text;   /* (nullable): checked; %NULL is “off” where @source is set */
  char *source; /* (nullable): a variable, an option, a file; %NULL: the default */
} PostbagConfigValue;

typedef struct
{
  PostbagConfigScope scope;
  char *name;                 /* (nullable): of an account or toolset */
  PostbagConfigValue *values; /* by row */
  gboolean in_environment;    /* of an account: variables are (also) about it */
} PostbagConfigGroup;

PostbagConfigGroup *postbag_config_group_new (PostbagConfigScope scope, const char *name);
void postbag_config_group_free (PostbagConfigGroup *self); /* overwrites passwords */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagConfigGroup, postbag_config_group_free)

/* (nullable): the value, else the default */
const char *postbag_config_group_get (const PostbagConfigGroup *self, const char *key);
/* Whether somebody gave a value, and who: (nullable) */
const char *postbag_config_group_get_source (const PostbagConfigGroup *self, const char *key);
/* Sets a value that needs no check. @source: (nullable): a default that follows from others */
void postbag_config_group_set (PostbagConfigGroup *self, const char *key, const char *text,
                               const char *source);
/* Checks @text and sets it; a blank one leaves the value as it is, unless it means “off”.
 * @where: names the value to a person, e.g. “port” of [account work] */
gboolean postbag_config_group_read (PostbagConfigGroup *self, guint row, const char *text,
                                    const char *where, const char *source, GPtrArray *warnings,
                                    GError **error);
/* (transfer full): frozen, for a toolset */
PostbagSettings *postbag_config_group_to_settings (const PostbagConfigGroup *self);

/* --- values (postbag-config-values.c) --- */

/**
 * postbag_config_check_value:
 * @text: not empty; what a person wrote
 * @where: names it in a refusal, which never holds the value itself
 *
 * Returns: (transfer full) (nullable): @text as it is stored
 */
char *postbag_config_check_value (const PostbagConfigRow *row, const char *text, const char *where,
                                  GPtrArray *warnings, GError **error);
/* Whether @host is this machine for certain. */
gboolean postbag_config_is_loopback (const char *host);
/* Overwrites @text, then frees it. */
void postbag_config_free_secret (char *text);

/* --- the environment (postbag-config-env.c) --- */

typedef struct _PostbagConfigEnvironment PostbagConfigEnvironment;

/* Copies what the table knows out of @environment, and overwrites and removes the passwords there.
 */
PostbagConfigEnvironment *postbag_config_environment_take (char **environment);
void postbag_config_environment_free (PostbagConfigEnvironment *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagConfigEnvironment, postbag_config_environment_free)

/* (transfer none) (nullable): what the variable of that row holds */
const char *postbag_config_environment_get (const PostbagConfigEnvironment *self, guint row);
/* Fills @group from the neutral variables (@dialect %NULL) or those of a toolset's dialect. */
gboolean postbag_config_environment_apply (const PostbagConfigEnvironment *self,
                                           const char *dialect, PostbagConfigGroup *group,
                                           GPtrArray *warnings, GError **error);
/* Refuses variables that are gone, warns of misspelt ones. */
gboolean postbag_config_environment_check (const PostbagConfigEnvironment *self,
                                           const char *const *dialects, GPtrArray *warnings,
                                           GError **error);

/* --- the file (postbag-config-file.c) --- */

typedef struct
{
  char *path;               /* (nullable): where it was read from */
  PostbagConfigGroup *core; /* (transfer none) */
  PostbagConfigGroup *guarded;
  GPtrArray *accounts; /* PostbagConfigGroup */
} PostbagConfigFile;

/* Fills the groups of @self. @path: (nullable): the default one, which need not be there */
gboolean postbag_config_file_read (PostbagConfigFile *self, const char *path, GPtrArray *warnings,
                                   GError **error);

/* --- show (postbag-config-show.c) --- */

char *postbag_config_show_groups (const char *path, GPtrArray *groups, gboolean json);

G_END_DECLS
