/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-guarded-document.h"

#include <string.h>

#include "base/postbag-error.h"
#include "extract/postbag-document-type.h"
#include "toolset/postbag-mail-call.h"

/* Text that a mail could hold as well is read without a process of its own. */
static gboolean
is_mail_text (const char *type)
{
  static const char *const types[] = { "text/plain", "text/html", "text/markdown",
                                       "text/xml",   "text/csv",  "text/tab-separated-values",
                                       NULL };

  return g_strv_contains (types, type);
}

const char *
postbag_guarded_document_get_type (const PostbagGuardedLimits *limits,
                                   const PostbagAttachment *attachment)
{
  const char *type;

  if (limits->extraction == NULL)
    return NULL;
  type = postbag_document_settle_type (NULL, attachment->content_type, attachment->part->filename);
  if (type == NULL || is_mail_text (type)
      || !postbag_extraction_can_read (limits->extraction, type))
    return NULL;
  return type;
}

static gboolean
refuse_mislabelled (const PostbagGuardedRequest *request, const char *detected, GError **error)
{
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_BAD_DATA,
               "Part %s gave no text (not-a-document). It is declared as %s, but its bytes are %s.",
               request->attachment->part->number, request->attachment->content_type, detected);
  return FALSE;
}

/* What else can be done with the bytes; not when the same call can help. */
static void
add_ways_out (const PostbagGuardedRequest *request, GError **error)
{
  if (error == NULL || *error == NULL || postbag_error_get_facts ((*error)->code)->retry)
    return;
  g_prefix_error (error, "Part %s: ", request->attachment->part->number);
  {
    g_autofree char *message = g_steal_pointer (&(*error)->message);

    (*error)->message = g_strdup_printf (
        "%s The bytes themselves: %s", message,
        request->limits->directory != NULL
            ? "mode \"file\" saves them, mode \"inline\" gives a small file as base64."
            : "mode \"inline\" gives a small file as base64; with a download directory "
              "(IMAP_DOWNLOAD_DIR) mode \"file\" could save them.");
  }
}

static void
add_notes (const PostbagExtractedText *text, GPtrArray *notes)
{
  for (guint i = 0; i < text->notes->len; i++)
    g_ptr_array_add (notes, g_strdup (g_ptr_array_index (text->notes, i)));
  if (postbag_extracted_text_get_count (text, "hidden_runs") > 0)
    g_ptr_array_add (
        notes, g_strdup_printf ("%" G_GINT64_FORMAT " pieces of this document cannot be seen by "
                                "somebody who looks at the document.",
                                postbag_extracted_text_get_count (text, "hidden_runs")));
  if (text->was_cut)
    g_ptr_array_add (notes,
                     g_strdup_printf ("The document is longer; only the first %" G_GSIZE_FORMAT
                                      " characters were read.",
                                      text->chars));
}

PostbagExtractedText *
postbag_guarded_document_read (const PostbagGuardedRequest *request, GBytes *bytes,
                               const char *detected, GPtrArray *notes, GError **error)
{
  const PostbagAttachment *attachment = request->attachment;
  PostbagExtractRequest extract = { .bytes = bytes,
                                    .charset = attachment->part->charset,
                                    .member = request->member };
  PostbagExtractedText *text;

  extract.content_type = postbag_guarded_document_get_type (request->limits, attachment);
  if (extract.content_type == NULL)
    extract.content_type = attachment->content_type;
  if (detected != NULL && postbag_magic_contradicts (detected, extract.content_type))
    {
      refuse_mislabelled (request, detected, error);
      add_ways_out (request, error);
      return NULL;
    }
  text = postbag_extraction_run (request->limits->extraction, &extract,
                                 postbag_mail_call_get_cancellable (request->mail), NULL, error);
  if (text == NULL)
    add_ways_out (request, error);
  else
    add_notes (text, notes);
  return text;
}

void
postbag_guarded_document_write_facts (PostbagResult *result, const char *type,
                                      const PostbagExtractedText *text)
{
  static const char *const names[] = { "page_count", "slide_count", "sheet_count" };
  const char *word = postbag_document_get_word (type);

  if (word != NULL && !g_str_has_prefix (type, "text/"))
    postbag_result_string (result, "extracted_from", word);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      gint64 count = postbag_extracted_text_get_count (text, names[i]);

      if (count < 0)
        continue;
      postbag_result_int (result, names[i], count);
      return;
    }
}
