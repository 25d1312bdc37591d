/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "mail/postbag-needle.h"
#include "postbag-maildir-headers.h"
#include "postbag-maildir-snapshot.h"

G_BEGIN_DECLS

/* A search made ready: each kind of criterion needs more of a message than the one before. */
typedef struct
{
  const PostbagSearch *search;
  PostbagNeedle *from;
  PostbagNeedle *to;
  PostbagNeedle *cc;
  PostbagNeedle *subject;
  PostbagNeedle *body;
  PostbagNeedle *text;
  GPtrArray *header_values; /* PostbagNeedle, beside search->any_header */
  gint64 since;             /* seconds; G_MININT64: no bound */
  gint64 before;            /* seconds; G_MAXINT64: no bound */
} PostbagMaildirCriteria;

PostbagMaildirCriteria *postbag_maildir_criteria_new (const PostbagSearch *search);
void postbag_maildir_criteria_free (PostbagMaildirCriteria *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagMaildirCriteria, postbag_maildir_criteria_free)

gboolean postbag_maildir_criteria_need_facts (const PostbagMaildirCriteria *self);
gboolean postbag_maildir_criteria_need_headers (const PostbagMaildirCriteria *self);
gboolean postbag_maildir_criteria_need_source (const PostbagMaildirCriteria *self);

/* Flags, keywords and UID: what the listing knows. */
gboolean postbag_maildir_criteria_match_entry (const PostbagMaildirCriteria *self,
                                               const PostbagMaildirSnapshot *snapshot,
                                               const PostbagMaildirEntry *entry);
/* Size and day of arrival. */
gboolean postbag_maildir_criteria_match_facts (const PostbagMaildirCriteria *self, gint64 size,
                                               gint64 internal_date);
gboolean postbag_maildir_criteria_match_headers (const PostbagMaildirCriteria *self,
                                                 const PostbagMaildirHeaders *headers);
/* Text, and header fields that the cache does not hold. @source: the message's first bytes. */
gboolean postbag_maildir_criteria_match_source (const PostbagMaildirCriteria *self, GBytes *source);

G_END_DECLS
