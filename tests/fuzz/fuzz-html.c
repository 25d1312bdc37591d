/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* HTML to text and the cleaner behind it: UTF-8, and nothing active is left. */

#include <string.h>

#include "base/postbag-text.h"
#include "safety/postbag-clean.h"
#include "safety/postbag-html.h"

#include "fuzz.h"

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autofree char *html = postbag_text_make_valid ((const char *)data, (gssize)size);
  g_autoptr (PostbagHtmlReport) report = postbag_html_report_new ();
  g_autofree char *text = postbag_html_to_text (html, strlen (html), report);
  g_autofree char *clean = postbag_clean (text, POSTBAG_CLEAN_TEXT, 100000, NULL);
  g_autofree char *again = postbag_clean (clean, POSTBAG_CLEAN_TEXT, 100000, NULL);

  g_assert_true (g_utf8_validate (text, -1, NULL));
  g_assert_cmpstr (clean, ==, again);
  g_assert_null (strstr (clean, "]("));
  g_assert_null (strstr (clean, "!["));
  g_assert_null (strstr (clean, "<img "));
  return 0;
}
