/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-mail-extractor.h"

#include <string.h>

#include "extract/postbag-charset-tables.h"
#include "postbag-mail-readers.h"

static gboolean
extract (const PostbagExtractInput *input, PostbagExtractOutput *output, GError **error)
{
  if (strcmp (input->content_type, "message/rfc822") == 0)
    return postbag_message_read (input, output, error);
  return postbag_tnef_read (input, output, error);
}

const PostbagExtractorImplementation postbag_mail_extractor = {
  .size = sizeof (PostbagExtractorImplementation),
  .prepare = postbag_charset_tables_prepare,
  .extract = extract,
};
