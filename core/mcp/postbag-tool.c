/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "mcp/postbag-tool-private.h"

struct _PostbagToolset
{
  char *name;
  char *schema_dir;
  PostbagSettings *settings; /* (nullable) */
  PostbagToolsetLoadFunc load;
  gpointer user_data;

  GMutex lock;
  const PostbagToolsetImplementation *implementation; /* with lock */
  GError *failure;                                    /* with lock: of the start, remembered */
};

struct _PostbagTool
{
  PostbagToolset *toolset;
  char *name;

  GMutex lock;
  PostbagDefinition *definition; /* with lock */
};

PostbagToolset *
postbag_toolset_new (const char *name, const char *schema_dir, PostbagSettings *settings,
                     PostbagToolsetLoadFunc load, gpointer user_data)
{
  PostbagToolset *self = g_new0 (PostbagToolset, 1);

  self->name = g_strdup (name);
  self->schema_dir = g_strdup (schema_dir);
  self->settings = settings != NULL ? postbag_settings_ref (settings) : NULL;
  self->load = load;
  self->user_data = user_data;
  g_mutex_init (&self->lock);
  return self;
}

void
postbag_toolset_free (PostbagToolset *self)
{
  g_free (self->name);
  g_free (self->schema_dir);
  g_clear_pointer (&self->settings, postbag_settings_unref);
  g_clear_error (&self->failure);
  g_mutex_clear (&self->lock);
  g_free (self);
}

const char *
postbag_toolset_get_name (PostbagToolset *self)
{
  return self->name;
}

const char *
postbag_toolset_get_schema_dir (PostbagToolset *self)
{
  return self->schema_dir;
}

PostbagSettings *
postbag_toolset_get_settings (PostbagToolset *self)
{
  return self->settings;
}

/* With the lock. A start that failed is not tried again: it had its one chance before any call. */
static gboolean
start_toolset (PostbagToolset *self, GError **error)
{
  const PostbagToolsetImplementation *implementation;

  if (self->failure == NULL && self->implementation == NULL)
    {
      implementation = self->load (self->name, self->user_data, error);
      if (implementation == NULL)
        return FALSE;
      if (implementation->start == NULL || implementation->start (&self->failure))
        self->implementation = implementation;
    }
  if (self->implementation != NULL)
    return TRUE;
  if (error != NULL)
    *error = g_error_copy (self->failure);
  return FALSE;
}

const PostbagToolsetImplementation *
postbag_toolset_get_implementation (PostbagToolset *self, GError **error)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  return start_toolset (self, error) ? self->implementation : NULL;
}

static PostbagToolHandler
find_handler (const PostbagToolsetImplementation *implementation, const char *name)
{
  for (gsize i = 0; i < implementation->n_tools; i++)
    {
      if (g_str_equal (implementation->tools[i].name, name))
        return implementation->tools[i].handler;
    }
  return NULL;
}

PostbagTool *
postbag_tool_new (PostbagToolset *toolset, const char *name)
{
  PostbagTool *self = g_new0 (PostbagTool, 1);

  self->toolset = toolset;
  self->name = g_strdup (name);
  g_mutex_init (&self->lock);
  return self;
}

void
postbag_tool_free (PostbagTool *self)
{
  g_free (self->name);
  g_clear_pointer (&self->definition, postbag_definition_free);
  g_mutex_clear (&self->lock);
  g_free (self);
}

const char *
postbag_tool_get_name (PostbagTool *self)
{
  return self->name;
}

PostbagToolset *
postbag_tool_get_toolset (PostbagTool *self)
{
  return self->toolset;
}

PostbagSettings *
postbag_tool_get_settings (PostbagTool *self)
{
  return self->toolset->settings;
}

/* With the lock. */
static gboolean
load_definition (PostbagTool *self, GError **error)
{
  if (self->definition == NULL)
    self->definition = postbag_definition_load (self->toolset->schema_dir, self->name,
                                                self->toolset->settings, error);
  return self->definition != NULL;
}

GBytes *
postbag_tool_dup_json (PostbagTool *self, PostbagRevision revision, GError **error)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  if (!load_definition (self, error))
    return NULL;
  return g_bytes_ref (postbag_definition_get_json (self->definition, revision));
}

gboolean
postbag_tool_get_schemas (PostbagTool *self, PostbagSchema **input, PostbagSchema **output,
                          GError **error)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  return load_definition (self, error)
         && postbag_definition_get_schemas (self->definition, input, output, error);
}

PostbagToolHandler
postbag_tool_get_handler (PostbagTool *self, GError **error)
{
  const PostbagToolsetImplementation *implementation =
      postbag_toolset_get_implementation (self->toolset, error);
  PostbagToolHandler handler;

  if (implementation == NULL)
    return NULL;
  handler = find_handler (implementation, self->name);
  if (handler == NULL)
    g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_INTERNAL,
                 "The module of the toolset “%s” has no tool “%s”, though its manifest names it. "
                 "Reinstall Postbag.",
                 self->toolset->name, self->name);
  return handler;
}
