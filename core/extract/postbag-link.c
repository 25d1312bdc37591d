/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "extract/postbag-link.h"

#include <string.h>

#define LONGEST_LINK 2000

char *
postbag_link_dup_shown (const char *target)
{
  static const char *const schemes[] = { "https://", "http://", "mailto:" };

  if (target == NULL || strlen (target) > LONGEST_LINK)
    return NULL;
  for (gsize i = 0; i < G_N_ELEMENTS (schemes); i++)
    if (g_ascii_strncasecmp (target, schemes[i], strlen (schemes[i])) == 0)
      return g_strdup_printf (" (%s)", target);
  return NULL;
}

char *
postbag_link_dup_field_target (const char *instruction)
{
  const char *start;

  instruction += strspn (instruction, " ");
  if (g_ascii_strncasecmp (instruction, "HYPERLINK", 9) != 0)
    return NULL;
  start = instruction + 9 + strspn (instruction + 9, " ");
  return *start == '"' ? g_strndup (start + 1, strcspn (start + 1, "\"")) : NULL;
}
