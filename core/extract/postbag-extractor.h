/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#include "base/postbag-api.h"

G_BEGIN_DECLS

/* An extractor turns the bytes of a document into Markdown. It runs only inside the sandboxed
 * worker: no file, no network, no second process, bounded memory and time. */

typedef struct _PostbagExtractOutput PostbagExtractOutput;

struct _PostbagExtractOutput
{
  guint32 size;
  gpointer user_data;
  /* Markdown in order, well-formed UTF-8. Returns %FALSE when the output limit is reached: stop. */
  gboolean (*append) (PostbagExtractOutput *self, const char *text, gsize length);
  /* A count: "page_count", "sheet_count", "slide_count", "hidden_runs". */
  void (*count) (PostbagExtractOutput *self, const char *name, gint64 value);
  /* A remark in our own words: what was cut, hidden or not understood. */
  void (*note) (PostbagExtractOutput *self, const char *text);
};

typedef struct
{
  guint32 size;
  const guint8 *data;
  gsize length;
  const char *content_type; /* as detected by the caller, lower case, no parameters */
  const char *member;       /* (nullable): of an archive, which file inside */
} PostbagExtractInput;

typedef struct
{
  guint32 size;
  /* (nullable): once, in the worker before it locks down: load tables, fonts, maps */
  gboolean (*prepare) (GError **error);
  gboolean (*extract) (const PostbagExtractInput *input, PostbagExtractOutput *output,
                       GError **error);
} PostbagExtractorImplementation;

G_END_DECLS
