/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

#include "base/postbag-api.h"
#include "base/postbag-error.h"
#include "extract/postbag-extractor.h"
#include "mail/postbag-store.h"
#include "mcp/postbag-toolset.h"
#include "mcp/postbag-transport.h"

G_BEGIN_DECLS

/* The plugin ABI. A plugin is a folder with NAME.plugin (a key file, readable without opening the
 * module), a shared object that exports one symbol, and for a toolset its schemas. Fields are only
 * appended; every table begins with its size, so that an older plugin goes on working. */

/* One number a kind. 0 means: unstable, still compared and refused when it differs. */
#define POSTBAG_PLUGIN_ABI_TOOLSET 0
#define POSTBAG_PLUGIN_ABI_TRANSPORT 0
#define POSTBAG_PLUGIN_ABI_STORE 0
#define POSTBAG_PLUGIN_ABI_EXTRACTOR 1
#define POSTBAG_PLUGIN_ABI_SUBMISSION 0

typedef enum
{
  POSTBAG_PLUGIN_TOOLSET,
  POSTBAG_PLUGIN_TRANSPORT,
  POSTBAG_PLUGIN_STORE,
  POSTBAG_PLUGIN_EXTRACTOR,
  POSTBAG_PLUGIN_SUBMISSION,
  POSTBAG_PLUGIN_N_KINDS
} PostbagPluginKind;

/**
 * PostbagPluginDescriptor:
 * @abi: POSTBAG_PLUGIN_ABI_ of its kind in the headers it was compiled against
 * @size: sizeof (PostbagPluginDescriptor) there
 * @kind: what @implementation is
 * @name: the same as in the manifest
 * @implementation: a PostbagToolsetImplementation, PostbagTransportImplementation,
 *   PostbagStoreImplementation or PostbagExtractorImplementation, by @kind
 *
 * What the one exported symbol, `postbag_plugin_descriptor`, is.
 */
typedef struct
{
  guint32 abi;
  guint32 size;
  PostbagPluginKind kind;
  const char *name;
  const void *implementation;
} PostbagPluginDescriptor;

#define POSTBAG_PLUGIN_SYMBOL "postbag_plugin_descriptor"

/**
 * POSTBAG_PLUGIN_EXPORT:
 * @kind_: e.g. TOOLSET
 * @name_: a string
 * @implementation_: address of a constant table
 */
#define POSTBAG_PLUGIN_EXPORT(kind_, name_, implementation_)                                       \
  POSTBAG_API extern const PostbagPluginDescriptor postbag_plugin_descriptor;                      \
  const PostbagPluginDescriptor postbag_plugin_descriptor = {                                      \
    .abi = POSTBAG_PLUGIN_ABI_##kind_,                                                             \
    .size = sizeof (PostbagPluginDescriptor),                                                      \
    .kind = POSTBAG_PLUGIN_##kind_,                                                                \
    .name = name_,                                                                                 \
    .implementation = implementation_,                                                             \
  };

G_END_DECLS
