/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The environment as a source. Its block stays readable to every process of the same user for the
 * life of this one (/proc/PID/environ), so passwords are overwritten where they lie before anything
 * else happens; unsetting alone leaves the bytes. A dialect's passwords are overwritten even where
 * its toolset is not loaded. */

#include "config/postbag-config-group-private.h"

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "base/postbag-text.h"

#include <string.h>

struct _PostbagConfigEnvironment
{
  char **values;    /* (nullable entries) by row */
  GPtrArray *names; /* char *: variables that look like ours */
};

/* (nullable): what follows `NAME=` */
static char *
get_value (char *entry, const char *name)
{
  gsize length = strlen (name);

  return strncmp (entry, name, length) == 0 && entry[length] == '=' ? entry + length + 1 : NULL;
}

static void
remove_entry (char **entry)
{
  for (; *entry != NULL; entry++)
    entry[0] = entry[1];
}

static void
take_variable (const PostbagConfigRow *row, char **environment, char **taken)
{
  char **entry = environment;

  while (*entry != NULL)
    {
      char *value = get_value (*entry, row->variable);

      if (value != NULL && *taken == NULL)
        *taken = g_strdup (value);
      if (value == NULL || row->type != POSTBAG_CONFIG_PASSWORD)
        {
          entry++;
          continue;
        }
      explicit_bzero (value, strlen (value));
      remove_entry (entry);
    }
}

static void
note_names (PostbagConfigEnvironment *self, char **environment)
{
  for (char **entry = environment; *entry != NULL; entry++)
    {
      const char *end = strchr (*entry, '=');

      if (end == NULL || end - *entry > POSTBAG_LIMIT_VARIABLE_NAME_BYTES)
        continue;
      if (g_str_has_prefix (*entry, "POSTBAG_") || g_str_has_prefix (*entry, "IMAP_"))
        g_ptr_array_add (self->names, g_strndup (*entry, (gsize)(end - *entry)));
    }
}

PostbagConfigEnvironment *
postbag_config_environment_take (char **environment)
{
  PostbagConfigEnvironment *self = g_new0 (PostbagConfigEnvironment, 1);
  guint size = postbag_config_table_get_size ();

  self->values = g_new0 (char *, size);
  self->names = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < size; i++)
    {
      const PostbagConfigRow *row = postbag_config_table_get_row (i);

      if (row->variable != NULL)
        take_variable (row, environment, &self->values[i]);
    }
  note_names (self, environment);
  return self;
}

void
postbag_config_environment_free (PostbagConfigEnvironment *self)
{
  for (guint i = 0; i < postbag_config_table_get_size (); i++)
    postbag_config_free_secret (self->values[i]);
  g_free (self->values);
  g_ptr_array_unref (self->names);
  g_free (self);
}

const char *
postbag_config_environment_get (const PostbagConfigEnvironment *self, guint row)
{
  return self->values[row];
}

gboolean
postbag_config_environment_apply (const PostbagConfigEnvironment *self, const char *dialect,
                                  PostbagConfigGroup *group, GPtrArray *warnings, GError **error)
{
  for (guint i = 0; i < postbag_config_table_get_size (); i++)
    {
      const PostbagConfigRow *row = postbag_config_table_get_row (i);

      if (self->values[i] == NULL || row->scope != group->scope
          || g_strcmp0 (row->dialect, dialect) != 0)
        continue;
      if (!postbag_config_group_read (group, i, self->values[i], row->variable, row->variable,
                                      warnings, error))
        return FALSE;
    }
  return TRUE;
}

/* --- names --- */

static gboolean
has_name (const PostbagConfigEnvironment *self, const char *name)
{
  return g_ptr_array_find_with_equal_func (self->names, name, g_str_equal, NULL);
}

static gboolean
check_removed (const PostbagConfigEnvironment *self, const char *const *dialects, GError **error)
{
  gsize count;
  const PostbagConfigRemoved *removed = postbag_config_table_get_removed (&count);

  for (gsize i = 0; i < count; i++)
    {
      if (!g_strv_contains (dialects, removed[i].dialect) || !has_name (self, removed[i].variable))
        continue;
      g_set_error_literal (error, POSTBAG_ERROR, POSTBAG_ERROR_INVALID_ARGUMENT,
                           removed[i].refusal);
      return FALSE;
    }
  return TRUE;
}

/* (transfer container): the variables that are read */
static const char **
list_variables (const char *const *dialects)
{
  guint size = postbag_config_table_get_size ();
  const char **variables = g_new0 (const char *, size + 1);
  gsize used = 0;

  for (guint i = 0; i < size; i++)
    {
      const PostbagConfigRow *row = postbag_config_table_get_row (i);

      if (row->variable != NULL
          && (row->dialect == NULL || g_strv_contains (dialects, row->dialect)))
        variables[used++] = row->variable;
    }
  return variables;
}

gboolean
postbag_config_environment_check (const PostbagConfigEnvironment *self, const char *const *dialects,
                                  GPtrArray *warnings, GError **error)
{
  g_autofree const char **variables = list_variables (dialects);

  if (!check_removed (self, dialects, error))
    return FALSE;
  for (guint i = 0; i < self->names->len && i < POSTBAG_LIMIT_VARIABLES_CHECKED; i++)
    {
      const char *name = g_ptr_array_index (self->names, i);
      const char *nearest;

      if (g_strv_contains (variables, name))
        continue;
      nearest = postbag_text_nearest (name, variables);
      if (nearest != NULL)
        g_ptr_array_add (warnings, g_strdup_printf ("The variable %s is not read; did you mean "
                                                    "%s?",
                                                    name, nearest));
    }
  return TRUE;
}
