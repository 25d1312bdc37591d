/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "postbag-imap-store-private.h"

G_BEGIN_DECLS

/* One search under way: for the files that make a page of it. */
typedef struct
{
  PostbagImapStore *store;
  const char *mailbox;
  guint has;     /* PostbagImapFeature: announced, and not refused so far */
  gboolean utf8; /* as in PostbagImapFeatures */
  const PostbagPage *page;
  GCancellable *cancellable;
  const char *charset; /* (nullable): the one the server asked for instead of UTF-8 */
} PostbagImapQuery;

/* --- postbag-imap-store-search.c --- */

/* A request that looks for news of the mailbox first. */
PostbagImapRequest *postbag_imap_query_create_request (const PostbagImapQuery *self, guint wanted);
gboolean postbag_imap_query_run (const PostbagImapQuery *self, PostbagImapRequest *request,
                                 GError **error);
/* Asks which UIDs match @criteria: those of @page at least. (transfer full) (nullable): sorted;
 * *@request (transfer full) is what was asked, also with an error. */
GArray *postbag_imap_query_find (const PostbagImapQuery *self, const PostbagSearch *criteria,
                                 const PostbagPage *page, PostbagImapRequest **request,
                                 GError **error);
/* How many match, when @uids are what the answer to @request said. */
gint64 postbag_imap_query_count (const PostbagImapRequest *request, const GArray *uids);
/* The summaries of @uids, newest first: (transfer full) (nullable) */
GPtrArray *postbag_imap_query_fetch_summaries (const PostbagImapQuery *self, GArray *uids,
                                               GError **error);

/* --- postbag-imap-store-filter.c --- */

/* The page of @criteria whose texts the server cannot search for: what it can say narrows the
 * candidates, and the newest of these are compared here. (transfer full) (nullable) */
PostbagSearchPage *postbag_imap_query_filter (const PostbagImapQuery *self,
                                              const PostbagSearch *criteria, GError **error);

G_END_DECLS
