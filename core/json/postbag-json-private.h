/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "json/postbag-json.h"

G_BEGIN_DECLS

/* What the reader fills and the document keeps beside the tree. The source bytes of numbers are
 * only noted while reading (one array entry each); the index by node is made when somebody asks
 * for the first one. */

typedef struct
{
  JsonNode *node;
  gsize offset; /* in PostbagJsonDocument.raw, ends in NUL */
} PostbagJsonRaw;

struct _PostbagJsonDocument
{
  gatomicrefcount references;
  JsonNode *root;
  gsize weight;         /* bytes that all of it takes, about */
  GString *raw;         /* source bytes of numbers and flagged strings, each ends in NUL */
  GArray *raw_entries;  /* PostbagJsonRaw */
  GHashTable *flagged;  /* (nullable): set of JsonNode; NULL when nothing is flagged */
  GPtrArray *displaced; /* (nullable): values that a later member of the same name replaced: kept,
                         * so that no later node gets the address of one that `raw` knows */
  GMutex mutex;         /* guards `index` */
  GHashTable *index;    /* (nullable): JsonNode -> offset, built on demand */
};

PostbagJsonDocument *postbag_json_document_new (void);
void postbag_json_document_flag (PostbagJsonDocument *self, JsonNode *node);

G_END_DECLS
