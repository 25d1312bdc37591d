/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "config/postbag-config-private.h"

/* A configuration loaded from lines of environment and of a file, in a folder of its own. */

typedef struct
{
  char *root;
  char *path; /* of the configuration file */

  PostbagConfig *config; /* (nullable) */
  GPtrArray *warnings;
  GError *error;
} ConfigFixture;

void config_fixture_set_up (ConfigFixture *self, gconstpointer data);
void config_fixture_tear_down (ConfigFixture *self, gconstpointer data);

/* Writes the file, 0600. */
void config_fixture_write (ConfigFixture *self, const char *text);
/* Loads; what was loaded before is gone. @variables: (nullable): separated by line ends */
void config_fixture_load (ConfigFixture *self, const char *variables,
                          const PostbagConfigOptions *options);
/* As above, and it has to succeed or to fail with @part in the message. */
void config_fixture_accept (ConfigFixture *self, const char *variables);
void config_fixture_refuse (ConfigFixture *self, const char *variables, const char *part);
gboolean config_fixture_has_warning (const ConfigFixture *self, const char *part);

/* Of the loaded configuration. */
const char *config_fixture_get (ConfigFixture *self, const char *setting);
const PostbagAccount *config_fixture_get_account (ConfigFixture *self, guint index);
