/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/postbag-settings.h"

#include "base/postbag-text.h"

struct _PostbagSettings
{
  gatomicrefcount references;
  GHashTable *values; /* char * -> Value * */
};

typedef struct
{
  char *text;  /* (nullable) */
  char **list; /* (nullable): split at set time, so that reading needs no lock */
} Value;

static void
free_value (gpointer data)
{
  Value *value = data;

  g_free (value->text);
  g_strfreev (value->list);
  g_free (value);
}

PostbagSettings *
postbag_settings_new (void)
{
  PostbagSettings *self = g_new0 (PostbagSettings, 1);

  g_atomic_ref_count_init (&self->references);
  self->values = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, free_value);
  return self;
}

PostbagSettings *
postbag_settings_ref (PostbagSettings *self)
{
  g_atomic_ref_count_inc (&self->references);
  return self;
}

void
postbag_settings_unref (PostbagSettings *self)
{
  if (!g_atomic_ref_count_dec (&self->references))
    return;
  g_hash_table_unref (self->values);
  g_free (self);
}

static char **
split_list (const char *text)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_auto (GStrv) words = g_strsplit (text, ",", -1);

  for (char **word = words; *word != NULL; word++)
    {
      if (*g_strstrip (*word) != '\0')
        g_strv_builder_add (builder, *word);
    }
  return g_strv_builder_end (builder);
}

void
postbag_settings_set (PostbagSettings *self, const char *name, const char *text)
{
  Value *value = g_new0 (Value, 1);

  value->text = g_strdup (text);
  value->list = split_list (text != NULL ? text : "");
  g_hash_table_replace (self->values, g_strdup (name), value);
}

gboolean
postbag_settings_is_known (PostbagSettings *self, const char *name)
{
  return g_hash_table_contains (self->values, name);
}

static const Value *
find_value (PostbagSettings *self, const char *name)
{
  const Value *value = g_hash_table_lookup (self->values, name);

  if (value == NULL)
    g_critical ("there is no setting “%s”", name);
  return value;
}

const char *
postbag_settings_get_string (PostbagSettings *self, const char *name)
{
  const Value *value = find_value (self, name);

  return value != NULL ? value->text : NULL;
}

gint64
postbag_settings_get_int (PostbagSettings *self, const char *name)
{
  const char *text = postbag_settings_get_string (self, name);
  gint64 value = 0;

  if (text != NULL && !postbag_text_parse_int (text, G_MININT64, G_MAXINT64, &value))
    g_critical ("the setting “%s” is not a number", name);
  return value;
}

gboolean
postbag_settings_get_boolean (PostbagSettings *self, const char *name)
{
  return g_strcmp0 (postbag_settings_get_string (self, name), "true") == 0;
}

const char *const *
postbag_settings_get_list (PostbagSettings *self, const char *name)
{
  static const char *const empty[] = { NULL };
  const Value *value = find_value (self, name);

  return value != NULL ? (const char *const *)value->list : empty;
}
