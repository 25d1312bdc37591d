/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

#include "plugin/postbag-plugin.h"

G_BEGIN_DECLS

/* Knows every plugin from its manifest, without opening any; opens a module at first need. */

#define POSTBAG_TYPE_REGISTRY (postbag_registry_get_type ())
POSTBAG_API G_DECLARE_FINAL_TYPE (PostbagRegistry, postbag_registry, POSTBAG, REGISTRY, GObject)

    typedef enum {
      POSTBAG_PLUGIN_READY, /* manifest fine, module not opened */
      POSTBAG_PLUGIN_LOADED,
      POSTBAG_PLUGIN_UNUSABLE, /* see the reason */
    } PostbagPluginState;

/* What a manifest says. Owned by the registry, immutable; state and reason change at load. Of an
 * unusable plugin, @kind may be %POSTBAG_PLUGIN_N_KINDS, @name is the file's where the manifest has
 * none, paths may be %NULL, and lists are empty. */
typedef struct
{
  PostbagPluginKind kind;
  char *name;
  char *description; /* (nullable) */
  char *version;     /* (nullable) */
  char *license;     /* (nullable) */
  char *manifest_path;
  char *module_path;
  char *schema_dir; /* (nullable): of a toolset */
  char **tools;     /* of a toolset: its tool names, in listing order */
  char **types;     /* of an extractor: content types; of a store: account backends */
} PostbagManifest;

/* @dirs: search path, first wins for a kind and name (the later one is listed as shadowed). Never
 * fails: a broken manifest is an entry with its reason. */
POSTBAG_API PostbagRegistry *postbag_registry_new (const char *const *dirs);
/* (transfer container) (element-type PostbagManifest): sorted by kind and name */
POSTBAG_API GPtrArray *postbag_registry_list (PostbagRegistry *self);
/* (transfer none) (nullable): the usable one of that name; else the first unusable one, so that its
 * reason can be told: ask for the state */
POSTBAG_API const PostbagManifest *postbag_registry_find (PostbagRegistry *self,
                                                          PostbagPluginKind kind, const char *name);
/* (transfer none) (nullable): the first usable one whose @types hold @type */
POSTBAG_API const PostbagManifest *
postbag_registry_find_type (PostbagRegistry *self, PostbagPluginKind kind, const char *type);
/* @reason: (out) (optional) (nullable) (transfer full): why it is unusable */
POSTBAG_API PostbagPluginState postbag_registry_get_state (PostbagRegistry *self,
                                                           const PostbagManifest *manifest,
                                                           char **reason);
/* (transfer none) (nullable): the implementation table, checked against manifest, ABI and sizes.
 * Opens the module at the first call; thread-safe; a failure is remembered as the reason. */
POSTBAG_API gconstpointer postbag_registry_load (PostbagRegistry *self, PostbagPluginKind kind,
                                                 const char *name, GError **error);

/**
 * postbag_registry_try:
 *
 * Opens the module in a child of its own, so that one that crashes or never returns while it is
 * opened is told of instead of ending this program. For programs with a single thread.
 *
 * Returns: the state; what failed is unusable from now on, with its reason
 */
POSTBAG_API PostbagPluginState postbag_registry_try (PostbagRegistry *self,
                                                     const PostbagManifest *manifest);

/* The word for a kind in a manifest, "unknown" for %POSTBAG_PLUGIN_N_KINDS. */
POSTBAG_API const char *postbag_plugin_kind_get_word (PostbagPluginKind kind);
/* The ABI of that kind in this Postbag. */
guint postbag_plugin_kind_get_abi (PostbagPluginKind kind);

G_END_DECLS
