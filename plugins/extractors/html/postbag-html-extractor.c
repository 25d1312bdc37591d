/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* HTML as a document: what mail's own HTML goes through (core/safety), in the cage. */

#include "postbag-html-extractor.h"

#include <string.h>

#include "extract/postbag-charset-tables.h"
#include "mime/postbag-charset.h"
#include "safety/postbag-html.h"

static char *
decode (const PostbagExtractInput *input)
{
  const char *bytes = (const char *)input->data;
  g_autofree char *meta = postbag_charset_sniff_html (bytes, input->length);

  return postbag_charset_decode_file (bytes, input->length, meta != NULL ? meta : input->charset);
}

static gboolean
extract (const PostbagExtractInput *input, PostbagExtractOutput *output, GError **error)
{
  g_autoptr (PostbagHtmlReport) report = postbag_html_report_new ();
  g_autofree char *html = decode (input);
  g_autofree char *text = postbag_html_to_text (html, strlen (html), report);
  g_autofree const char **notes = NULL;

  if (*text != '\0')
    output->append (output, text, strlen (text));
  notes = postbag_html_report_list_notes (report);
  for (gsize i = 0; notes[i] != NULL; i++)
    output->note (output, notes[i]);
  return TRUE;
}

const PostbagExtractorImplementation postbag_html_extractor = {
  .size = sizeof (PostbagExtractorImplementation),
  .prepare = postbag_charset_tables_prepare,
  .extract = extract,
};
