/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A conversation from a file: lines `C: ` are what a client sends, `S: ` the exact bytes of the
 * server (CRLF implied, other bytes as \xNN), `# ` a remark, `# expect: ` a JSON object with what
 * has to come out. */

typedef struct
{
  gboolean from_server;
  GString *bytes; /* of the server: with the line end; of the client: without */
} TalkLine;

typedef struct
{
  GPtrArray *lines; /* TalkLine */
  char *expect;     /* (nullable) */
} Talk;

Talk *talk_load (const char *path);
void talk_free (Talk *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Talk, talk_free)

/* All bytes of the server. (transfer full) */
GString *talk_join_server (const Talk *self);

G_END_DECLS
