/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* HTML as a document: what mail's own HTML goes through (core/safety), in the cage. */

#include "postbag-html-extractor.h"

#include <string.h>

#include "base/postbag-text.h"
#include "mime/postbag-message.h"
#include "safety/postbag-html.h"

/* A meta element stands in the first bytes, else a browser does not heed it either. */
#define HEAD_BYTES 2048

/* (transfer full) (nullable) */
static char *
find_meta_charset (const char *bytes, gsize length)
{
  g_autofree char *head = g_ascii_strdown (bytes, (gssize)MIN (length, HEAD_BYTES));
  const char *meta = strstr (head, "<meta");
  const char *found = meta != NULL ? strstr (meta, "charset=") : NULL;

  if (found == NULL)
    return NULL;
  found += strlen ("charset=");
  found += strspn (found, " \"'");
  return g_strndup (found, strcspn (found, " \"'<>;/"));
}

static char *
decode (const PostbagExtractInput *input)
{
  const char *bytes = (const char *)input->data;
  g_autofree char *meta = NULL;

  if (g_utf8_validate_len (bytes, input->length, NULL))
    return g_strndup (bytes, input->length);
  meta = find_meta_charset (bytes, input->length);
  return postbag_mime_to_utf8 (bytes, input->length,
                               meta != NULL             ? meta
                               : input->charset != NULL ? input->charset
                                                        : "");
}

static gboolean
extract (const PostbagExtractInput *input, PostbagExtractOutput *output, GError **error)
{
  g_autoptr (PostbagHtmlReport) report = postbag_html_report_new ();
  g_autofree char *html = decode (input);
  g_autofree char *text = postbag_html_to_text (html, strlen (html), report);

  if (*text != '\0')
    output->append (output, text, strlen (text));
  if (report->hidden_chars > 0)
    output->note (output, "Text that a browser would not show was left out.");
  return TRUE;
}

const PostbagExtractorImplementation postbag_html_extractor = {
  .size = sizeof (PostbagExtractorImplementation),
  .extract = extract,
};
