/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "mime/postbag-mime-private.h"

G_BEGIN_DECLS

/* A tree of parts that is being built. */

/* Something to scan: the whole source, or what was decoded out of a part. */
typedef struct
{
  guint source;
  PostbagPart *parent;   /* (nullable) */
  GPtrArray *boundaries; /* (nullable): char *: @source is the body of the multipart @parent */
  char *prefix;          /* (nullable): what the numbers of its parts start with */
  guint depth;
  gboolean closed; /* its end is not the end of what there is of the message */
} PostbagJob;

typedef struct
{
  PostbagStructure *structure;
  GQueue jobs; /* PostbagJob */
  guint parts;
  gsize size;  /* of the message */
  gsize spent; /* bytes decoded, or scanned again */

  /* the job that runs */
  const char *data;
  gsize length;
  guint source;
  gboolean closed;
  gsize position;
  GPtrArray *levels; /* Level */
  GArray *open;      /* OpenSpan */
  char *ended;       /* (nullable): the boundary that was closed last */
} PostbagBuilder;

void postbag_builder_warn (PostbagBuilder *self, PostbagWarning warning);
gboolean postbag_builder_may_add (PostbagBuilder *self);
gboolean postbag_builder_may_nest (PostbagBuilder *self, guint depth);
gboolean postbag_builder_may_spend (PostbagBuilder *self, gsize bytes);
void postbag_builder_attach (PostbagBuilder *self, PostbagPart *part, PostbagPart *parent);
/* (transfer full): of child @index (RFC 9051 section 6.4.5); @prefix is nullable */
char *postbag_builder_make_number (const char *prefix, guint index);
/* Whether what is in it is a message. */
gboolean postbag_builder_is_message (const PostbagPart *part);
/* @source: (transfer full). @container: (nullable): what it was taken out of. Returns (transfer
 * none). */
PostbagJob *postbag_builder_push_job (PostbagBuilder *self, GBytes *source,
                                      const PostbagSpan *container);
/* Looks into the body of a multipart in which none of @boundaries occurs. FALSE when it claims no
 * transfer encoding. postbag-structure-leaves.c */
gboolean postbag_builder_open_multipart (PostbagBuilder *self, const PostbagSpan *body,
                                         GPtrArray *boundaries, const char *prefix);
/* Looks into the leaf of span @index, postbag-structure-leaves.c. */
void postbag_builder_open_leaf (PostbagBuilder *self, guint index);

G_END_DECLS
