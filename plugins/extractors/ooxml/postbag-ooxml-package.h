/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "extract/postbag-xml.h"

G_BEGIN_DECLS

/* The letters of namespaces in every table here: `w` text, `s` sheets, `p` slides, `a` drawings,
 * `r` references, `m` formulas, `c` charts, `v` old drawings, `C` alternatives, `R` relations. */
extern const PostbagXmlSpace postbag_ooxml_spaces[];

/* One line of a part's relations (ECMA-376 part 2, 6.5). */
typedef struct
{
  char *id;
  char *kind;   /* the last word of its type: "styles", "hyperlink", ... */
  char *target; /* another part's name, or an address */
  gboolean is_external;
} PostbagRelation;

/* All of a part, in their order. */
typedef struct
{
  GPtrArray *list; /* (element-type PostbagRelation) */
  GHashTable *by_id;
} PostbagRelations;

/**
 * postbag_relations_read:
 * @part: whose relations; "" for those of the package
 *
 * Returns: (transfer full): none where they are missing or damaged
 */
PostbagRelations *postbag_relations_read (PostbagZip *zip, const char *part);
void postbag_relations_free (PostbagRelations *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagRelations, postbag_relations_free)
/* (transfer none) (nullable) */
const PostbagRelation *postbag_relations_find (PostbagRelations *self, const char *id);
/* (transfer none) (nullable): the first of a kind that is a part which is there */
const char *postbag_relations_find_part (PostbagRelations *self, PostbagZip *zip, const char *kind);

/* (transfer full): the part that is the document itself; @fallback where nothing says so */
char *postbag_ooxml_dup_main_part (PostbagZip *zip, const char *fallback);

G_END_DECLS
