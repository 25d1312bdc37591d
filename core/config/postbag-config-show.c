/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config/postbag-config-group-private.h"

#include "json/postbag-json-writer.h"

static char *
get_title (const PostbagConfigGroup *group)
{
  switch (group->scope)
    {
    case POSTBAG_CONFIG_ACCOUNT:
      return g_strdup_printf ("account %s", group->name);
    case POSTBAG_CONFIG_GUARDED:
      return g_strdup_printf ("toolset %s", group->name);
    default:
      return g_strdup ("postbag");
    }
}

/* (nullable): never a secret */
static const char *
get_shown (const PostbagConfigGroup *group, const PostbagConfigRow *row)
{
  const char *value = postbag_config_group_get (group, row->key);

  if (row->type == POSTBAG_CONFIG_PASSWORD && value != NULL)
    return "(set)";
  return value;
}

static void
append_row (const PostbagConfigGroup *group, const PostbagConfigRow *row, GString *text)
{
  const char *source = postbag_config_group_get_source (group, row->key);
  const char *value = get_shown (group, row);

  if (source == NULL && value == NULL)
    g_string_append_printf (text, "# %s is not set\n", row->key);
  else
    g_string_append_printf (text, "%s = %s   # %s\n", row->key, value != NULL ? value : "",
                            source != NULL ? source : "default");
}

static void
write_row (const PostbagConfigGroup *group, const PostbagConfigRow *row, PostbagJsonWriter *writer)
{
  const char *source = postbag_config_group_get_source (group, row->key);

  postbag_json_writer_key (writer, row->key);
  postbag_json_writer_begin_object (writer);
  postbag_json_writer_key (writer, "value");
  postbag_json_writer_string (writer, get_shown (group, row));
  postbag_json_writer_key (writer, "source");
  postbag_json_writer_string (writer, source != NULL ? source : "default");
  postbag_json_writer_key (writer, "variable");
  postbag_json_writer_string (writer, row->variable);
  postbag_json_writer_key (writer, "description");
  postbag_json_writer_string (writer, row->description);
  postbag_json_writer_end_object (writer);
}

static void
describe_group (const PostbagConfigGroup *group, GString *text, PostbagJsonWriter *writer)
{
  g_autofree char *title = get_title (group);

  g_string_append_printf (text, "\n[%s]\n", title);
  postbag_json_writer_key (writer, title);
  postbag_json_writer_begin_object (writer);
  for (guint i = 0; i < postbag_config_table_get_size (); i++)
    {
      const PostbagConfigRow *row = postbag_config_table_get_row (i);

      if (row->scope != group->scope)
        continue;
      append_row (group, row, text);
      write_row (group, row, writer);
    }
  postbag_json_writer_end_object (writer);
}

char *
postbag_config_show_groups (const char *path, GPtrArray *groups, gboolean json)
{
  g_autoptr (PostbagJsonWriter) writer = postbag_json_writer_new ();
  g_autoptr (GString) text = g_string_new (NULL);

  g_string_append_printf (text, "# file: %s\n", path != NULL ? path : "none");
  postbag_json_writer_begin_object (writer);
  postbag_json_writer_key (writer, "file");
  postbag_json_writer_string (writer, path);
  postbag_json_writer_key (writer, "groups");
  postbag_json_writer_begin_object (writer);
  for (guint i = 0; i < groups->len; i++)
    describe_group (g_ptr_array_index (groups, i), text, writer);
  postbag_json_writer_end_object (writer);
  postbag_json_writer_end_object (writer);
  if (json)
    g_string_printf (text, "%s\n", postbag_json_writer_peek (writer));
  return g_string_free (g_steal_pointer (&text), FALSE);
}
