/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-guarded-text.h"

#include "base/postbag-limits.h"
#include "base/postbag-text.h"

/* For a remark where a text was cut. */
#define REMARK_CHARS 200

static gboolean
does_fit (const PostbagGuardedText *self, gsize budget)
{
  g_autofree char *body = postbag_guarded_text_make_body (self, NULL);
  gsize length = (gsize)g_utf8_strlen (body, -1) + REMARK_CHARS;

  return length + postbag_fence_overhead (self->fence, self->what, body) <= budget;
}

void
postbag_guarded_text_fit (PostbagGuardedText *self, gsize max_chars, gsize budget)
{
  self->total = (gsize)g_utf8_strlen (self->text, -1);
  self->shown = MIN (self->total, max_chars);
  while (self->shown > 0 && !does_fit (self, budget))
    self->shown /= 2;
}

char *
postbag_guarded_text_make_body (const PostbagGuardedText *self, const char *remark)
{
  g_autofree char *shown = postbag_text_slice (self->text, 0, self->shown);

  return g_strconcat (self->header != NULL ? self->header : "", shown, remark != NULL ? remark : "",
                      NULL);
}

char *
postbag_guarded_make_preface (PostbagResult *result, const char *caveat)
{
  g_autofree char *json = postbag_result_dup_json (result);

  return g_strconcat (postbag_fence_get_preamble (), "\n\n", caveat, "\n", json, "\n\n", NULL);
}
