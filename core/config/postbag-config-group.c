/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config/postbag-config-group-private.h"

#include <string.h>

void
postbag_config_free_secret (char *text)
{
  if (text != NULL)
    explicit_bzero (text, strlen (text));
  g_free (text);
}

PostbagConfigGroup *
postbag_config_group_new (PostbagConfigScope scope, const char *name)
{
  PostbagConfigGroup *self = g_new0 (PostbagConfigGroup, 1);

  self->scope = scope;
  self->name = g_strdup (name);
  self->values = g_new0 (PostbagConfigValue, postbag_config_table_get_size ());
  return self;
}

static void
clear_value (PostbagConfigValue *value)
{
  g_clear_pointer (&value->text, postbag_config_free_secret);
  g_clear_pointer (&value->source, g_free);
}

void
postbag_config_group_free (PostbagConfigGroup *self)
{
  for (guint i = 0; i < postbag_config_table_get_size (); i++)
    clear_value (&self->values[i]);
  g_free (self->values);
  g_free (self->name);
  g_free (self);
}

static guint
find_row (const PostbagConfigGroup *self, const char *key)
{
  guint row = 0;

  if (!postbag_config_table_find (self->scope, key, &row))
    g_error ("the configuration has no key “%s”", key);
  return row;
}

const char *
postbag_config_group_get (const PostbagConfigGroup *self, const char *key)
{
  guint row = find_row (self, key);
  const PostbagConfigValue *value = &self->values[row];

  if (value->source != NULL || value->text != NULL)
    return value->text;
  return postbag_config_table_get_row (row)->fallback;
}

const char *
postbag_config_group_get_source (const PostbagConfigGroup *self, const char *key)
{
  return self->values[find_row (self, key)].source;
}

static void
set_value (PostbagConfigGroup *self, guint row, char *text, const char *source)
{
  clear_value (&self->values[row]);
  self->values[row].text = text;
  self->values[row].source = g_strdup (source);
}

void
postbag_config_group_set (PostbagConfigGroup *self, const char *key, const char *text,
                          const char *source)
{
  set_value (self, find_row (self, key), g_strdup (text), source);
}

gboolean
postbag_config_group_read (PostbagConfigGroup *self, guint row, const char *text, const char *where,
                           const char *source, GPtrArray *warnings, GError **error)
{
  const PostbagConfigRow *facts = postbag_config_table_get_row (row);
  const char *end = text;
  char *checked;

  while (g_ascii_isspace (*end))
    end++;
  if (*end == '\0')
    {
      if ((facts->flags & POSTBAG_CONFIG_EMPTY_IS_OFF) != 0)
        set_value (self, row, NULL, source);
      return TRUE;
    }
  checked = postbag_config_check_value (facts, text, where, warnings, error);
  if (checked == NULL)
    return FALSE;
  set_value (self, row, checked, source);
  return TRUE;
}

PostbagSettings *
postbag_config_group_to_settings (const PostbagConfigGroup *self)
{
  PostbagSettings *settings = postbag_settings_new ();

  for (guint i = 0; i < postbag_config_table_get_size (); i++)
    {
      const PostbagConfigRow *row = postbag_config_table_get_row (i);

      if (row->scope == self->scope)
        postbag_settings_set (settings, row->key, postbag_config_group_get (self, row->key));
    }
  return settings;
}
