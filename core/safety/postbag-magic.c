/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What bytes are, by their first few (contracts/guarded 4.1, gate 2). */

#include "safety/postbag-attachment-policy.h"

#include <string.h>

typedef struct
{
  const char *bytes;
  gsize length;
  const char *type;
  gboolean executable;
} Magic;

static const Magic magics[] = {
  { "MZ", 2, "application/x-msdownload", TRUE },
  { "\x7f"
    "ELF",
    4, "application/x-elf", TRUE },
  { "\xfe\xed\xfa\xce", 4, "application/x-mach-binary", TRUE },
  { "\xfe\xed\xfa\xcf", 4, "application/x-mach-binary", TRUE },
  { "\xce\xfa\xed\xfe", 4, "application/x-mach-binary", TRUE },
  { "\xcf\xfa\xed\xfe", 4, "application/x-mach-binary", TRUE },
  { "\xca\xfe\xba\xbe", 4, "application/x-mach-binary", TRUE },
  { "#!", 2, "text/x-shellscript", TRUE },
  { "%PDF", 4, "application/pdf", FALSE },
  { "\x89PNG", 4, "image/png", FALSE },
  { "\xff\xd8\xff", 3, "image/jpeg", FALSE },
  { "GIF8", 4, "image/gif", FALSE },
  { "PK\x03\x04", 4, "application/zip", FALSE },
};

const char *
postbag_magic_detect (const guint8 *data, gsize length)
{
  for (gsize i = 0; i < G_N_ELEMENTS (magics); i++)
    if (length >= magics[i].length && memcmp (data, magics[i].bytes, magics[i].length) == 0)
      return magics[i].type;
  if (length >= 12 && memcmp (data, "RIFF", 4) == 0 && memcmp (data + 8, "WEBP", 4) == 0)
    return "image/webp";
  return NULL;
}

gboolean
postbag_magic_is_executable (const char *detected)
{
  for (gsize i = 0; i < G_N_ELEMENTS (magics); i++)
    if (g_strcmp0 (detected, magics[i].type) == 0)
      return magics[i].executable;
  return FALSE;
}

/* Formats that are zip archives inside. */
static gboolean
is_zip_based (const char *type)
{
  return g_str_has_prefix (type, "application/vnd.openxmlformats-officedocument.")
         || g_str_has_prefix (type, "application/vnd.oasis.opendocument.")
         || g_str_has_suffix (type, "+zip") || strcmp (type, "application/x-zip-compressed") == 0
         || strcmp (type, "application/x-zip") == 0;
}

static const char *
resolve_alias (const char *type)
{
  static const char *const aliases[][2] = {
    { "image/jpg", "image/jpeg" },
    { "image/pjpeg", "image/jpeg" },
    { "image/x-png", "image/png" },
    { "application/x-pdf", "application/pdf" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (aliases); i++)
    if (strcmp (type, aliases[i][0]) == 0)
      return aliases[i][1];
  return type;
}

gboolean
postbag_magic_contradicts (const char *detected, const char *declared)
{
  g_autofree char *lower = declared != NULL ? g_ascii_strdown (declared, -1) : NULL;

  if (detected == NULL || lower == NULL || strcmp (lower, "application/octet-stream") == 0)
    return FALSE;
  if (strcmp (detected, "application/zip") == 0 && is_zip_based (lower))
    return FALSE;
  return strcmp (detected, resolve_alias (lower)) != 0;
}
