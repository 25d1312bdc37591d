/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <json-glib/json-glib.h>

#include "json/postbag-result.h"

G_BEGIN_DECLS

/* What the protocol engine needs to serialise a result once its handler has returned. */

#define POSTBAG_RESULT_META_PREFIX "postbag/"

typedef enum
{
  POSTBAG_BLOCK_IMAGE,
  POSTBAG_BLOCK_AUDIO,
  POSTBAG_BLOCK_LINK,
  POSTBAG_BLOCK_RESOURCE,
} PostbagBlockKind;

/* A content block beside the text. */
typedef struct
{
  PostbagBlockKind kind;
  char *uri;       /* of a link or resource */
  char *name;      /* of a link */
  char *mime_type; /* (nullable) of a link or resource */
  char *text;      /* (nullable): of a resource */
  GBytes *data;    /* (nullable): of all but a link */
  gint64 size;     /* of a link; -1: unknown */
} PostbagResultBlock;

/* (transfer none): the structured content, one JSON object in one line. The first call ends the
 * root object (and what a failed handler left open); nothing can be added afterwards. */
GBytes *postbag_result_get_structured (PostbagResult *self);
/* (transfer none) (nullable): the text that the handler laid out; %NULL: the JSON is the text */
const char *postbag_result_get_text (PostbagResult *self);
guint postbag_result_get_n_blocks (PostbagResult *self);
const PostbagResultBlock *postbag_result_get_block (PostbagResult *self, guint index);
gboolean postbag_result_is_failed (PostbagResult *self);
/* (transfer none) (nullable): the members of `_meta`; %NULL when there are none */
JsonObject *postbag_result_get_meta (PostbagResult *self);

G_END_DECLS
