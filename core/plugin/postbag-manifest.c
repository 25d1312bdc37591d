/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A manifest tells everything about a plugin that is needed before its module is opened. It may
 * come from anybody, so each value is checked here: a registry entry that passes can be listed,
 * filtered and put on a surface without opening code. */

#include "plugin/postbag-manifest-private.h"

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "base/postbag-paths-private.h"
#include "base/postbag-text.h"

#include <gmodule.h>
#include <string.h>
#include <sys/stat.h>

#define GROUP "Plugin"
#define EVERY_KIND ((1u << POSTBAG_PLUGIN_N_KINDS) - 1)

static const char *const kind_words[POSTBAG_PLUGIN_N_KINDS + 1] = {
  [POSTBAG_PLUGIN_TOOLSET] = "toolset",       [POSTBAG_PLUGIN_TRANSPORT] = "transport",
  [POSTBAG_PLUGIN_STORE] = "store",           [POSTBAG_PLUGIN_EXTRACTOR] = "extractor",
  [POSTBAG_PLUGIN_SUBMISSION] = "submission",
};

static const struct
{
  const char *key;
  guint kinds; /* bits */
} known_keys[] = {
  { "Name", EVERY_KIND },
  { "Kind", EVERY_KIND },
  { "ABI", EVERY_KIND },
  { "Module", EVERY_KIND },
  { "Description", EVERY_KIND },
  { "Version", EVERY_KIND },
  { "License", EVERY_KIND },
  { "Tools", 1u << POSTBAG_PLUGIN_TOOLSET },
  { "SchemaDir", 1u << POSTBAG_PLUGIN_TOOLSET },
  { "Types", 1u << POSTBAG_PLUGIN_EXTRACTOR },
  { "Backends", 1u << POSTBAG_PLUGIN_STORE },
};

typedef struct
{
  PostbagManifest *manifest;
  GKeyFile *file;
  char *folder;
} Reader;

const char *
postbag_plugin_kind_get_word (PostbagPluginKind kind)
{
  return (guint)kind < POSTBAG_PLUGIN_N_KINDS ? kind_words[kind] : "unknown";
}

guint
postbag_plugin_kind_get_abi (PostbagPluginKind kind)
{
  static const guint numbers[POSTBAG_PLUGIN_N_KINDS] = {
    [POSTBAG_PLUGIN_TOOLSET] = POSTBAG_PLUGIN_ABI_TOOLSET,
    [POSTBAG_PLUGIN_TRANSPORT] = POSTBAG_PLUGIN_ABI_TRANSPORT,
    [POSTBAG_PLUGIN_STORE] = POSTBAG_PLUGIN_ABI_STORE,
    [POSTBAG_PLUGIN_EXTRACTOR] = POSTBAG_PLUGIN_ABI_EXTRACTOR,
    [POSTBAG_PLUGIN_SUBMISSION] = POSTBAG_PLUGIN_ABI_SUBMISSION,
  };

  return numbers[kind];
}

void
postbag_manifest_free (PostbagManifest *self)
{
  g_free (self->name);
  g_free (self->description);
  g_free (self->version);
  g_free (self->license);
  g_free (self->manifest_path);
  g_free (self->module_path);
  g_free (self->schema_dir);
  g_strfreev (self->tools);
  g_strfreev (self->types);
  g_free (self);
}

static gboolean G_GNUC_PRINTF (2, 3) refuse (GError **error, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error_literal (error, POSTBAG_ERROR, POSTBAG_ERROR_BAD_DATA, text);
  return FALSE;
}

/* A value of the manifest inside a reason. */
static char *
quote (const char *text)
{
  g_autofree char *escaped = g_strescape (text, NULL);

  if (strlen (escaped) > POSTBAG_LIMIT_QUOTE_CHARS)
    escaped[POSTBAG_LIMIT_QUOTE_CHARS] = '\0';
  return g_strdup_printf ("“%s”", escaped);
}

/* --- shapes --- */

/* A first letter, then letters, digits and what @others holds. */
static gboolean
is_word (const char *text, const char *others, gsize max_length)
{
  if (!g_ascii_isalpha (*text) || strlen (text) > max_length)
    return FALSE;
  for (const char *byte = text; *byte != '\0'; byte++)
    {
      if (!g_ascii_isalnum (*byte) && strchr (others, *byte) == NULL)
        return FALSE;
    }
  return TRUE;
}

static gboolean
is_plugin_name (const char *text)
{
  return is_word (text, "-_", POSTBAG_LIMIT_PLUGIN_NAME_BYTES);
}

static gboolean
is_tool_name (const char *text)
{
  return is_word (text, "_", POSTBAG_LIMIT_TOOL_NAME_BYTES);
}

static gboolean
is_media_type (const char *text)
{
  g_auto (GStrv) halves = g_strsplit (text, "/", -1);
  const char *others = "!#$&-^_.+";

  return g_strv_length (halves) == 2 && is_word (halves[0], others, 127)
         && is_word (halves[1], others, 127);
}

/* --- the values --- */

static gboolean
read_file (Reader *reader, GError **error)
{
  const char *path = reader->manifest->manifest_path;
  g_autoptr (GError) local_error = NULL;
  struct stat facts;

  if (!postbag_paths_check_trusted (reader->folder, error)
      || !postbag_paths_check_trusted (path, error))
    return FALSE;
  if (stat (path, &facts) != 0 || !S_ISREG (facts.st_mode))
    return refuse (error, "The manifest is not an ordinary file.");
  if (facts.st_size > POSTBAG_LIMIT_MANIFEST_BYTES)
    return refuse (error, "The manifest is larger than %d bytes.", POSTBAG_LIMIT_MANIFEST_BYTES);
  if (!g_key_file_load_from_file (reader->file, path, G_KEY_FILE_NONE, &local_error))
    return refuse (error, "The manifest is not a key file: %s.", local_error->message);
  if (!g_key_file_has_group (reader->file, GROUP))
    return refuse (error, "The manifest has no group [" GROUP "].");
  return TRUE;
}

/* (nullable): absent or empty */
static char *
dup_value (Reader *reader, const char *key)
{
  g_autofree char *value = g_key_file_get_string (reader->file, GROUP, key, NULL);

  if (value == NULL || *g_strstrip (value) == '\0')
    return NULL;
  return g_steal_pointer (&value);
}

static gboolean
read_kind (Reader *reader, GError **error)
{
  g_autofree char *word = dup_value (reader, "Kind");
  g_autofree char *quoted = quote (word != NULL ? word : "");
  const char *nearest;

  for (guint kind = 0; word != NULL && kind < POSTBAG_PLUGIN_N_KINDS; kind++)
    {
      if (strcmp (word, kind_words[kind]) == 0)
        {
          reader->manifest->kind = (PostbagPluginKind)kind;
          return TRUE;
        }
    }
  nearest = word != NULL ? postbag_text_nearest (word, kind_words) : NULL;
  if (nearest != NULL)
    return refuse (error, "Kind is %s; did you mean “%s”?", quoted, nearest);
  return refuse (error,
                 "Kind is %s; it has to be toolset, transport, store, extractor or "
                 "submission.",
                 quoted);
}

static gboolean
read_name (Reader *reader, GError **error)
{
  g_autofree char *name = dup_value (reader, "Name");
  g_autofree char *quoted = quote (name != NULL ? name : "");

  if (name == NULL || !is_plugin_name (name))
    return refuse (error, "Name is %s; it has to be a letter, then letters, digits, “-” and “_”.",
                   quoted);
  g_free (reader->manifest->name);
  reader->manifest->name = g_steal_pointer (&name);
  return TRUE;
}

static gboolean
check_key (Reader *reader, const char *key, GError **error)
{
  guint kind = 1u << reader->manifest->kind;
  const char *words[G_N_ELEMENTS (known_keys) + 1] = { NULL };
  g_autofree char *quoted = quote (key);
  const char *nearest;

  for (gsize i = 0, used = 0; i < G_N_ELEMENTS (known_keys); i++)
    {
      if ((known_keys[i].kinds & kind) == 0)
        continue;
      if (strcmp (known_keys[i].key, key) == 0)
        return TRUE;
      words[used++] = known_keys[i].key;
    }
  /* As in desktop files: room for others' notes, and translations. */
  if (g_str_has_prefix (key, "X-") || g_str_has_prefix (key, "Description["))
    return TRUE;
  nearest = postbag_text_nearest (key, words);
  if (nearest != NULL)
    return refuse (error, "The manifest has an unknown key %s; did you mean “%s”?", quoted,
                   nearest);
  return refuse (error, "The manifest has a key %s that a %s does not have.", quoted,
                 kind_words[reader->manifest->kind]);
}

static gboolean
check_keys (Reader *reader, GError **error)
{
  g_auto (GStrv) groups = g_key_file_get_groups (reader->file, NULL);
  g_auto (GStrv) keys = g_key_file_get_keys (reader->file, GROUP, NULL, NULL);

  for (char **group = groups; *group != NULL; group++)
    {
      g_autofree char *quoted = quote (*group);

      if (strcmp (*group, GROUP) != 0 && !g_str_has_prefix (*group, "X-"))
        return refuse (error, "The manifest has an unknown group %s; only [" GROUP "] is read.",
                       quoted);
    }
  for (char **key = keys; *key != NULL; key++)
    {
      if (!check_key (reader, *key, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
read_words (Reader *reader, GError **error)
{
  reader->manifest->description =
      g_key_file_get_locale_string (reader->file, GROUP, "Description", NULL, NULL);
  reader->manifest->version = dup_value (reader, "Version");
  reader->manifest->license = dup_value (reader, "License");
  return TRUE;
}

static gboolean
read_abi (Reader *reader, GError **error)
{
  g_autofree char *text = dup_value (reader, "ABI");
  guint ours = postbag_plugin_kind_get_abi (reader->manifest->kind);
  const char *word = kind_words[reader->manifest->kind];
  gint64 abi;

  if (text == NULL || !postbag_text_parse_int (text, 0, G_MAXINT32, &abi))
    return refuse (error,
                   "ABI is missing or not a number; this Postbag has ABI %u for the kind %s.", ours,
                   word);
  if (abi != ours)
    return refuse (error,
                   "It was made for plugin ABI %" G_GINT64_FORMAT
                   "; this Postbag has ABI %u for the kind %s. Build it again with the headers of "
                   "this Postbag.",
                   abi, ours, word);
  return TRUE;
}

static gboolean
read_module (Reader *reader, GError **error)
{
  PostbagManifest *manifest = reader->manifest;
  g_autofree char *module = dup_value (reader, "Module");
  g_autofree char *file = NULL;

  if (module == NULL)
    module = g_strconcat ("postbag-", manifest->name, NULL);
  if (!is_word (module, "-_.+", POSTBAG_LIMIT_PLUGIN_NAME_BYTES * 2))
    return refuse (error,
                   "Module has to be a plain file name without folder and “." G_MODULE_SUFFIX "”.");
  file = g_strconcat (module, "." G_MODULE_SUFFIX, NULL);
  manifest->module_path = g_build_filename (reader->folder, file, NULL);
  return postbag_paths_check_trusted (manifest->module_path, error);
}

/* (transfer full) (nullable): the entries of a list, each of the right shape and there once */
static char **
dup_list (Reader *reader, const char *key, gboolean (*is_valid) (const char *), GError **error)
{
  gsize length = 0;
  g_auto (GStrv) list = g_key_file_get_string_list (reader->file, GROUP, key, &length, NULL);
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);

  if (length == 0 || length > POSTBAG_LIMIT_MANIFEST_ENTRIES)
    {
      refuse (error, "%s has to list between 1 and %d entries, separated by “;”.", key,
              POSTBAG_LIMIT_MANIFEST_ENTRIES);
      return NULL;
    }
  for (gsize i = 0; i < length; i++)
    {
      g_autofree char *quoted = quote (g_strstrip (list[i]));

      if (!is_valid (list[i]))
        refuse (error, "%s has an entry %s that is not well-formed.", key, quoted);
      else if (!g_hash_table_add (seen, list[i]))
        refuse (error, "%s has %s twice.", key, quoted);
      else
        continue;
      return NULL;
    }
  return g_steal_pointer (&list);
}

static gboolean
replace_list (char ***member, char **list)
{
  if (list == NULL)
    return FALSE;
  g_strfreev (*member);
  *member = list;
  return TRUE;
}

static void
choose_schema_dir (Reader *reader)
{
  PostbagManifest *manifest = reader->manifest;
  g_autofree char *named = dup_value (reader, "SchemaDir");

  g_free (manifest->schema_dir);
  manifest->schema_dir =
      g_canonicalize_filename (named != NULL ? named : "schemas", reader->folder);
  if (named != NULL || g_file_test (manifest->schema_dir, G_FILE_TEST_IS_DIR))
    return;
  g_free (manifest->schema_dir);
  manifest->schema_dir = g_build_filename (postbag_paths_get_schema_dir (), manifest->name, NULL);
}

static gboolean
read_toolset (Reader *reader, GError **error)
{
  PostbagManifest *manifest = reader->manifest;

  if (!replace_list (&manifest->tools, dup_list (reader, "Tools", is_tool_name, error)))
    return FALSE;
  choose_schema_dir (reader);
  if (g_file_test (manifest->schema_dir, G_FILE_TEST_IS_DIR))
    return TRUE;
  return refuse (error, "The folder with its tool definitions, “%s”, is missing.",
                 manifest->schema_dir);
}

static gboolean
read_extractor (Reader *reader, GError **error)
{
  return replace_list (&reader->manifest->types, dup_list (reader, "Types", is_media_type, error));
}

static gboolean
read_store (Reader *reader, GError **error)
{
  return replace_list (&reader->manifest->types,
                       dup_list (reader, "Backends", is_plugin_name, error));
}

static gboolean
read_offer (Reader *reader, GError **error)
{
  switch (reader->manifest->kind)
    {
    case POSTBAG_PLUGIN_TOOLSET:
      return read_toolset (reader, error);
    case POSTBAG_PLUGIN_EXTRACTOR:
      return read_extractor (reader, error);
    case POSTBAG_PLUGIN_STORE:
      return read_store (reader, error);
    default:
      return TRUE;
    }
}

static char *
name_after_file (const char *path)
{
  g_autofree char *file = g_path_get_basename (path);
  g_autofree char *name = g_utf8_make_valid (file, -1);

  if (g_str_has_suffix (name, ".plugin"))
    name[strlen (name) - strlen (".plugin")] = '\0';
  return g_strescape (name, NULL);
}

PostbagManifest *
postbag_manifest_read (const char *path, GError **error)
{
  /* Kind and name first: they are what the listing shows of an unusable plugin. */
  static gboolean (*const steps[]) (Reader *, GError **) = { read_file,   read_kind,  read_name,
                                                             check_keys,  read_words, read_abi,
                                                             read_module, read_offer };
  PostbagManifest *manifest = g_new0 (PostbagManifest, 1);
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autofree char *folder = g_path_get_dirname (path);
  Reader reader = { manifest, file, folder };

  manifest->kind = POSTBAG_PLUGIN_N_KINDS;
  manifest->manifest_path = g_strdup (path);
  manifest->name = name_after_file (path);
  manifest->tools = g_new0 (char *, 1);
  manifest->types = g_new0 (char *, 1);
  for (gsize i = 0; i < G_N_ELEMENTS (steps); i++)
    {
      if (!steps[i](&reader, error))
        break;
    }
  return manifest;
}
