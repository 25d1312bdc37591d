/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "mcp/postbag-surface-private.h"

#include "base/postbag-error.h"
#include "mcp/postbag-catalog-private.h"
#include "mcp/postbag-tool-private.h"

struct _PostbagSurface
{
  GObject parent_instance;

  char *instructions;   /* (nullable) */
  GPtrArray *toolsets;  /* PostbagToolset */
  GPtrArray *tools;     /* PostbagTool, in listing order */
  GHashTable *by_name;  /* name of the tool -> PostbagTool */
  GHashTable *absent;   /* name of a tool that is not offered -> why */
  GHashTable *services; /* GType -> GObject */

  GMutex lock;
  PostbagCatalog *catalog; /* with lock; (nullable): not needed yet */
};

G_DEFINE_FINAL_TYPE (PostbagSurface, postbag_surface, G_TYPE_OBJECT)

static void
postbag_surface_finalize (GObject *object)
{
  PostbagSurface *self = POSTBAG_SURFACE (object);

  g_clear_pointer (&self->catalog, postbag_catalog_free);
  g_mutex_clear (&self->lock);
  g_hash_table_unref (self->by_name);
  g_hash_table_unref (self->absent);
  g_ptr_array_unref (self->tools);
  g_ptr_array_unref (self->toolsets);
  g_hash_table_unref (self->services);
  g_free (self->instructions);
  G_OBJECT_CLASS (postbag_surface_parent_class)->finalize (object);
}

static void
postbag_surface_class_init (PostbagSurfaceClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = postbag_surface_finalize;
}

static void
postbag_surface_init (PostbagSurface *self)
{
  g_mutex_init (&self->lock);
  self->toolsets = g_ptr_array_new_with_free_func ((GDestroyNotify)postbag_toolset_free);
  self->tools = g_ptr_array_new_with_free_func ((GDestroyNotify)postbag_tool_free);
  self->by_name = g_hash_table_new (g_str_hash, g_str_equal);
  self->absent = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  self->services = g_hash_table_new_full (NULL, NULL, NULL, g_object_unref);
}

PostbagSurface *
postbag_surface_new (void)
{
  return g_object_new (POSTBAG_TYPE_SURFACE, NULL);
}

static gboolean
check_names (PostbagSurface *self, const char *toolset, const char *const *tools, GError **error)
{
  for (; *tools != NULL; tools++)
    {
      PostbagTool *taken = g_hash_table_lookup (self->by_name, *tools);

      if (taken == NULL)
        continue;
      g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_CONFLICT,
                   "The toolsets “%s” and “%s” both have a tool “%s”. Load only one of them, or "
                   "switch that tool off in one.",
                   postbag_toolset_get_name (postbag_tool_get_toolset (taken)), toolset, *tools);
      return FALSE;
    }
  return TRUE;
}

gboolean
postbag_surface_add_toolset (PostbagSurface *self, const char *toolset, const char *const *tools,
                             const char *schema_dir, PostbagSettings *settings,
                             PostbagToolsetLoadFunc load, gpointer user_data, GError **error)
{
  PostbagToolset *added;

  if (!check_names (self, toolset, tools, error))
    return FALSE;
  added = postbag_toolset_new (toolset, schema_dir, settings, load, user_data);
  g_ptr_array_add (self->toolsets, added);
  for (; *tools != NULL; tools++)
    {
      PostbagTool *tool = postbag_tool_new (added, *tools);

      g_ptr_array_add (self->tools, tool);
      g_hash_table_insert (self->by_name, (gpointer)postbag_tool_get_name (tool), tool);
    }
  return TRUE;
}

void
postbag_surface_set_instructions (PostbagSurface *self, const char *instructions)
{
  g_free (self->instructions);
  self->instructions =
      instructions != NULL && *instructions != '\0' ? g_strdup (instructions) : NULL;
}

void
postbag_surface_add_absent (PostbagSurface *self, const char *tool, const char *reason)
{
  g_hash_table_replace (self->absent, g_strdup (tool), g_strdup (reason));
}

const char *
postbag_surface_explain_absent (PostbagSurface *self, const char *tool)
{
  return g_hash_table_lookup (self->absent, tool);
}

void
postbag_surface_add_service (PostbagSurface *self, GType type, gpointer object)
{
  g_hash_table_replace (self->services, GSIZE_TO_POINTER (type), object);
}

char **
postbag_surface_dup_tool_names (PostbagSurface *self)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  for (guint i = 0; i < self->tools->len; i++)
    g_strv_builder_add (builder, postbag_tool_get_name (self->tools->pdata[i]));
  return g_strv_builder_end (builder);
}

PostbagTool *
postbag_surface_find_tool (PostbagSurface *self, const char *name)
{
  return g_hash_table_lookup (self->by_name, name);
}

GPtrArray *
postbag_surface_get_toolsets (PostbagSurface *self)
{
  return self->toolsets;
}

GPtrArray *
postbag_surface_get_tools (PostbagSurface *self)
{
  return self->tools;
}

const PostbagCatalog *
postbag_surface_get_catalog (PostbagSurface *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  if (self->catalog == NULL)
    self->catalog = postbag_catalog_load (self);
  return self->catalog;
}

const char *
postbag_surface_get_instructions (PostbagSurface *self)
{
  return self->instructions;
}

gpointer
postbag_surface_get_service (PostbagSurface *self, GType type)
{
  return g_hash_table_lookup (self->services, GSIZE_TO_POINTER (type));
}
