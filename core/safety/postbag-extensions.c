/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* File names that a double click runs: refused whatever the declared type says (contracts/guarded
 * 4.1). */

#include "safety/postbag-attachment-policy-private.h"

#include <string.h>

#include "safety/postbag-clean.h"

#define MAX_EXTENSION 16

static const char *const executable[] = {
  "ade",  "adp",  "app",    "appimage", "application", "appref-ms", "asp", "aspx",     "bas",
  "bat",  "cer",  "chm",    "cmd",      "com",         "cpl",       "crt", "csh",      "deb",
  "dll",  "dmg",  "exe",    "fxp",      "gadget",      "hlp",       "hta", "inf",      "ins",
  "iso",  "isp",  "its",    "jar",      "js",          "jse",       "ksh", "lnk",      "mad",
  "maf",  "mag",  "mam",    "maq",      "mar",         "mas",       "mat", "mau",      "mav",
  "maw",  "mda",  "mdb",    "mde",      "mdt",         "mdw",       "mdz", "msc",      "msh",
  "msh1", "msh2", "mshxml", "msi",      "msp",         "mst",       "ops", "pcd",      "pif",
  "pkg",  "pl",   "plg",    "prf",      "prg",         "ps1",       "ps2", "psc1",     "psc2",
  "py",   "pyc",  "pyo",    "rb",       "reg",         "rpm",       "scf", "scr",      "sct",
  "sh",   "shb",  "shs",    "url",      "vb",          "vbe",       "vbs", "vsmacros", "vsw",
  "ws",   "wsc",  "wsf",    "wsh",      "xll",
};

/* What people take for a document, whatever stands behind it. */
static const char *const document[] = {
  "pdf", "doc",  "docx", "xls", "xlsx", "ppt", "pptx", "txt", "csv",
  "jpg", "jpeg", "png",  "gif", "zip",  "rtf", "odt",  "ods",
};

static gboolean
is_listed (const char *const *list, gsize count, const char *word)
{
  for (gsize i = 0; i < count; i++)
    if (strcmp (list[i], word) == 0)
      return TRUE;
  return FALSE;
}

/* Takes the extension off @name: (transfer full) (nullable), lower case. */
static char *
take_extension (char *name, gsize max_length)
{
  char *dot = strrchr (name, '.');
  gsize length = dot != NULL ? strlen (dot + 1) : 0;
  char *extension;

  if (length == 0 || length > max_length)
    return NULL;
  for (const char *p = dot + 1; *p != '\0'; p++)
    if (!g_ascii_isalnum (*p) && *p != '-')
      return NULL;
  extension = g_ascii_strdown (dot + 1, -1);
  *dot = '\0';
  return extension;
}

/* (transfer full): as Windows would read the name: no stream suffix, no dots or blanks at the end.
 * Compatibility characters are folded (`．ｅｘｅ` is `.exe`), without composing: what is looked for
 * is ASCII, and composing is not linear. */
static char *
normalise (const char *filename)
{
  g_autofree char *clean = postbag_clean (filename, POSTBAG_CLEAN_LINE, G_MAXSIZE, NULL);
  char *name = g_utf8_normalize (clean, -1, G_NORMALIZE_NFKD);
  char *dot = strrchr (name, '.');
  char *stream = dot != NULL ? strchr (dot, ':') : NULL;
  gsize length;

  if (stream != NULL)
    *stream = '\0';
  length = strlen (name);
  while (length > 0 && (name[length - 1] == '.' || name[length - 1] == ' '))
    name[--length] = '\0';
  return name;
}

gboolean
postbag_filename_is_executable (const char *filename)
{
  g_autofree char *name = filename != NULL ? normalise (filename) : NULL;
  g_autofree char *extension = name != NULL ? take_extension (name, MAX_EXTENSION) : NULL;

  return extension != NULL && is_listed (executable, G_N_ELEMENTS (executable), extension);
}

gboolean
postbag_filename_has_double_extension (const char *filename)
{
  g_autofree char *name = filename != NULL ? normalise (filename) : NULL;
  g_autofree char *last = name != NULL ? take_extension (name, 5) : NULL;
  g_autofree char *before = last != NULL ? take_extension (name, 4) : NULL;

  return before != NULL && strchr (last, '-') == NULL
         && is_listed (document, G_N_ELEMENTS (document), before);
}
