/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

#include "base/postbag-api.h"
#include "extract/postbag-extractor.h"
#include "extract/postbag-markdown.h"

G_BEGIN_DECLS

/**
 * PostbagMembers:
 *
 * The files inside a document that holds others (a letter, an archive): under names that are safe
 * to show, each once, so that a name that was listed finds its file.
 */
typedef struct _PostbagMembers PostbagMembers;

typedef struct
{
  char *name;
  char *type;  /* (nullable): as it was declared */
  gint64 size; /* -1: unknown */
  gboolean encrypted;
  guint key; /* the caller's */
} PostbagMember;

POSTBAG_API PostbagMembers *postbag_members_new (void);
POSTBAG_API void postbag_members_free (PostbagMembers *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagMembers, postbag_members_free)

/**
 * postbag_members_add:
 * @member: its name (nullable) may be anything, also a path; everything is copied
 *
 * The name that is kept has no step up, no root, no drive, no control character; "/" stands
 * between folders.
 *
 * Returns: %FALSE when there are POSTBAG_LIMIT_MEMBERS already
 */
POSTBAG_API gboolean postbag_members_add (PostbagMembers *self, const PostbagMember *member);
POSTBAG_API guint postbag_members_count (PostbagMembers *self);
/* (transfer none) (nullable): the one of that name; %NULL with %POSTBAG_EXTRACT_NO_SUCH_MEMBER, or
 * %POSTBAG_EXTRACT_ENCRYPTED */
POSTBAG_API const PostbagMember *postbag_members_find (PostbagMembers *self, const char *name,
                                                       GError **error);
/* A list of all, an item each; nothing where there are none. @title: stands above it */
POSTBAG_API void postbag_members_write (PostbagMembers *self, PostbagMarkdown *markdown,
                                        const char *title);
/* Reads one with the extractor of its type; %POSTBAG_EXTRACT_UNREADABLE_MEMBER where there is
 * none. */
POSTBAG_API gboolean postbag_member_read (const PostbagMember *self, PostbagExtractOutput *output,
                                          const guint8 *data, gsize length, GError **error);

G_END_DECLS
