/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Any extractor, named where this is compiled: EXTRACTOR_HEADER, EXTRACTOR, and TYPES, the content
 * types that it tells apart. The first byte says which type it is given, and in which charset; what
 * is a list of files is asked for the first of them, too. */

#include EXTRACTOR_HEADER

#include <string.h>

#include "extract-fixture.h"

#include "fuzz.h"

#define LONGEST (256 * 1024)

/* (transfer full) (nullable): "- name (size)" */
static char *
find_member (const char *text)
{
  const char *start = g_str_has_prefix (text, "- ") ? text : strstr (text, "\n- ");
  const char *end;

  if (start == NULL)
    return NULL;
  start = strchr (start, '-') + 2;
  end = strstr (start, " (");
  return end != NULL ? g_strndup (start, (gsize)(end - start)) : NULL;
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static const char *const types[] = { TYPES };
  static const char *const charsets[] = { NULL, "utf-8", "gb18030", "iso-2022-jp", "utf-16" };
  g_autoptr (ExtractResult) list = NULL, file = NULL;
  g_autofree char *member = NULL;
  PostbagExtractInput input = { 0 };

  if (size < 1 || size > LONGEST)
    return 0;
  input.data = data + 1;
  input.length = size - 1;
  input.content_type = types[data[0] % G_N_ELEMENTS (types)];
  input.charset = charsets[data[0] / G_N_ELEMENTS (types) % G_N_ELEMENTS (charsets)];
  list = extract_run_input (&EXTRACTOR, &input, 1000000);
  member = find_member (list->text);
  input.member = member;
  if (member != NULL)
    file = extract_run_input (&EXTRACTOR, &input, 1000000);
  return 0;
}
