/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "json/postbag-json-writer.h"
#include "mcp/postbag-engine-private.h"

G_BEGIN_DECLS

/* Cursors of all lists: sealed, so that one of another server, another list or another principal is
 * refused instead of skipping entries. A cursor holds the key of the last entry shown and, for a
 * list that never changes while the process runs, a hash of all keys. Usable from any thread. */

/**
 * PostbagCursorList:
 * @purpose: names the list
 * @keys: (element-type utf8): of all entries, in order
 * @is_fixed: a cursor of a list with other keys is refused
 */
typedef struct
{
  PostbagEngine *engine;
  const char *principal;
  const char *purpose;
  GPtrArray *keys;
  gboolean is_fixed;
} PostbagCursorList;

#define POSTBAG_CURSOR_REFUSAL                                                                     \
  "The cursor is not one of this list, or too old. List again without a cursor."

/* @first: (out): the index that follows the cursor's; 0 where @params have none. %FALSE for a
 * cursor that is none. @params: (nullable) */
POSTBAG_API gboolean postbag_cursor_read (const PostbagCursorList *list, JsonObject *params,
                                          guint *first);
/* Where the page that begins at @first ends. */
POSTBAG_API guint postbag_cursor_get_end (const PostbagCursorList *list, guint first);
/* `nextCursor`, where entries follow @end. */
POSTBAG_API void postbag_cursor_write_next (const PostbagCursorList *list, guint end,
                                            PostbagJsonWriter *writer);

G_END_DECLS
