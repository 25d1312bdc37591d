/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One toolset that is wrong in a different way in each build: BROKEN_X says how. Without any it is
 * a sound one with the tools `first` and `second`. */

#include "plugin/postbag-plugin.h"

#include <stdlib.h>

#ifndef BROKEN_NAME
#define BROKEN_NAME "sound"
#endif
#ifndef BROKEN_ABI
#define BROKEN_ABI POSTBAG_PLUGIN_ABI_TOOLSET
#endif
#ifndef BROKEN_SIZE
#define BROKEN_SIZE sizeof (PostbagPluginDescriptor)
#endif
#ifndef BROKEN_KIND
#define BROKEN_KIND POSTBAG_PLUGIN_TOOLSET
#endif
#ifndef BROKEN_TABLE_SIZE
#define BROKEN_TABLE_SIZE sizeof (PostbagToolsetImplementation)
#endif
#ifndef BROKEN_TABLE
#define BROKEN_TABLE &toolset
#endif
#ifndef BROKEN_TOOL_COUNT
#define BROKEN_TOOL_COUNT 2
#endif
#ifndef BROKEN_HANDLER
#define BROKEN_HANDLER handle
#endif
#ifndef BROKEN_EXPORT
#define BROKEN_EXPORT postbag_plugin_descriptor
#endif

#ifdef BROKEN_CONSTRUCTOR
__attribute__ ((constructor)) static void
construct (void)
{
  BROKEN_CONSTRUCTOR;
}
#endif

static gboolean
handle (PostbagCall *call, const PostbagArgs *args, PostbagResult *result, GError **error)
{
  return TRUE;
}

static gboolean
start (GError **error)
{
#ifdef BROKEN_START
  g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_FAILED, "the moon is down");
  return FALSE;
#else
  return TRUE;
#endif
}

static const PostbagToolEntry tools[] = {
  { "first", handle },
  { "second", BROKEN_HANDLER },
  { "third", handle },
};

G_GNUC_UNUSED static const PostbagToolsetImplementation toolset = {
  .size = BROKEN_TABLE_SIZE,
  .tools = tools,
  .n_tools = BROKEN_TOOL_COUNT,
  .start = start,
};

#ifdef BROKEN_REFERENCE
extern const int nobody_has_this;
POSTBAG_API const int *broken_reference (void);

const int *
broken_reference (void)
{
  return &nobody_has_this;
}
#endif

/* No macro: each field can be wrong. */
POSTBAG_API extern const PostbagPluginDescriptor BROKEN_EXPORT;
const PostbagPluginDescriptor BROKEN_EXPORT = {
  .abi = BROKEN_ABI,
  .size = BROKEN_SIZE,
  .kind = BROKEN_KIND,
  .name = BROKEN_NAME,
  .implementation = BROKEN_TABLE,
};
