/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-text-extractor.h"

#include <string.h>

#include "extract/postbag-charset-tables.h"
#include "postbag-csv-reader.h"
#include "postbag-text-charset.h"

/* Line ends of any kind become `\n`. */
static void
unify_line_ends (char *text)
{
  char *to = text;

  for (const char *at = text; *at != '\0'; at++)
    {
      if (at[0] == '\r' && at[1] == '\n')
        continue;
      *to++ = *at == '\r' ? '\n' : *at;
    }
  *to = '\0';
}

static gboolean
extract (const PostbagExtractInput *input, PostbagExtractOutput *output, GError **error)
{
  g_autofree char *text =
      postbag_text_decode ((const char *)input->data, input->length, input->charset);

  if (strcmp (input->content_type, "text/csv") == 0)
    postbag_csv_read (text, '\0', output);
  else if (strcmp (input->content_type, "text/tab-separated-values") == 0)
    postbag_csv_read (text, '\t', output);
  else
    {
      unify_line_ends (text);
      if (*text != '\0')
        output->append (output, text, strlen (text));
    }
  return TRUE;
}

const PostbagExtractorImplementation postbag_text_extractor = {
  .size = sizeof (PostbagExtractorImplementation),
  .prepare = postbag_charset_tables_prepare,
  .extract = extract,
};
