/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One extractor that breaks its contract in a different way in each build: BROKEN_X says how. */

#include "plugin/postbag-plugin.h"

#include <stdlib.h>

static gboolean
extract (const PostbagExtractInput *input, PostbagExtractOutput *output, GError **error)
{
#if defined(BROKEN_CRASH)
  if (input->length > 100)
    abort ();
#elif defined(BROKEN_DEAF)
  for (int i = 0; i < 10; i++)
    output->append (output, "x", 1);
#elif defined(BROKEN_BYTES)
  output->append (output, (const char *)input->data, input->length);
#elif defined(BROKEN_SILENT)
  return FALSE;
#elif defined(BROKEN_ENDLESS)
  while (output != NULL)
    {
      volatile int busy = 1;
      (void)busy;
    }
#endif
  return TRUE;
}

static const PostbagExtractorImplementation extractor = {
  .size = sizeof (PostbagExtractorImplementation),
  .extract = extract,
};

POSTBAG_PLUGIN_EXPORT (EXTRACTOR, BROKEN_NAME, &extractor)
