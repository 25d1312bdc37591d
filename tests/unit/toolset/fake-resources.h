/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "mcp/postbag-toolset.h"

G_BEGIN_DECLS

/* What handlers of resources and completions hand over, in plain fields: stands in for core/mcp. */

struct _PostbagContents
{
  char *mime_type; /* of the last entry */
  char *text;      /* (nullable) */
  GBytes *blob;    /* (nullable) */
  char *untrusted; /* (nullable): the member of `_meta` */
  char *notes;     /* (nullable): likewise */
};

void fake_contents_clear (PostbagContents *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PostbagContents, fake_contents_clear)

struct _PostbagResourceList
{
  GPtrArray *uris;
  GPtrArray *names;
};

void fake_resource_list_init (PostbagResourceList *self);
void fake_resource_list_clear (PostbagResourceList *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PostbagResourceList, fake_resource_list_clear)

struct _PostbagCompletionList
{
  GString *joined; /* with a line end behind each */
};

struct _PostbagSubscription
{
  int references;
  int told;
};

/* (transfer full): @uri, which has to fit @uri_template */
PostbagResourceUri *fake_resource_uri_new (const char *uri, const char *uri_template);
void fake_resource_uri_free (PostbagResourceUri *self);

G_END_DECLS
