/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A date: unknown, or one that can be written. */

#include <string.h>

#include "mime/postbag-mime-private.h"

#include "fuzz.h"

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autofree char *text = g_strndup (size > 0 ? (const char *)data : "", size);
  gint64 seconds = postbag_date_parse (text);
  g_autoptr (GDateTime) time =
      seconds != POSTBAG_DATE_UNKNOWN ? g_date_time_new_from_unix_utc (seconds) : NULL;

  g_assert_true (seconds == POSTBAG_DATE_UNKNOWN || time != NULL);
  return 0;
}
