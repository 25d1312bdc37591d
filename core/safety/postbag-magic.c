/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What bytes are, by their first few (contracts/guarded 4.1, gate 2). Every look is bounded: by the
 * table, or by a fixed number of bytes or entries. */

#include "safety/postbag-attachment-policy.h"

#include <string.h>

typedef struct
{
  gsize offset;
  const char *bytes;
  gsize length;
  const char *type;
} Magic;

#define MAGIC(offset, bytes, type)                                                                 \
  {                                                                                                \
    offset, bytes, sizeof bytes - 1, type                                                          \
  }

/* Programs first: what starts like one is one, whatever else it is. */
static const Magic magics[] = {
  MAGIC (0, "MZ", "application/x-msdownload"),
  MAGIC (0, "\x7f\x45LF", "application/x-elf"),
  MAGIC (0, "\xfe\xed\xfa\xce", "application/x-mach-binary"),
  MAGIC (0, "\xfe\xed\xfa\xcf", "application/x-mach-binary"),
  MAGIC (0, "\xce\xfa\xed\xfe", "application/x-mach-binary"),
  MAGIC (0, "\xcf\xfa\xed\xfe", "application/x-mach-binary"),
  MAGIC (0, "\xca\xfe\xba\xbe", "application/x-mach-binary"), /* and Java classes */
  MAGIC (0, "#!", "text/x-shellscript"),
  MAGIC (0, "\xef\xbb\xbf#!", "text/x-shellscript"),
  MAGIC (0, "L\0\0\0\1\x14\2\0\0\0\0\0\xc0\0\0\0\0\0\0F", "application/x-ms-shortcut"),
  MAGIC (0, "!<arch>\ndebian", "application/vnd.debian.binary-package"),
  MAGIC (0, "\xed\xab\xee\xdb", "application/x-rpm"),

  MAGIC (0, "%PDF", "application/pdf"),
  MAGIC (0, "\x89PNG", "image/png"),
  MAGIC (0, "\xff\xd8\xff", "image/jpeg"),
  MAGIC (0, "GIF8", "image/gif"),
  MAGIC (8, "WEBP", "image/webp"),
  MAGIC (0, "II*\0", "image/tiff"),
  MAGIC (0, "MM\0*", "image/tiff"),
  MAGIC (0, "PK\x03\x04", "application/zip"),
  MAGIC (0, "PK\x05\x06", "application/zip"), /* an empty one */
  MAGIC (0, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/x-ole-storage"),
  MAGIC (0, "{\\rtf", "application/rtf"),
  MAGIC (0, "\x78\x9f\x3e\x22", "application/ms-tnef"),
  MAGIC (0, "7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
  MAGIC (0, "Rar!\x1a\7", "application/vnd.rar"),
  MAGIC (0, "\x1f\x8b", "application/gzip"),
  MAGIC (0,
         "\xfd"
         "7zXZ\0",
         "application/x-xz"),
  MAGIC (0, "MSCF", "application/vnd.ms-cab-compressed"),
  MAGIC (32769, "CD001", "application/x-iso9660-image"),
  MAGIC (0, "Return-Path:", "message/rfc822"),
  MAGIC (0, "Received:", "message/rfc822"),
};

static const char *const executable[] = {
  "application/x-msdownload", "application/x-elf",         "application/x-mach-binary",
  "text/x-shellscript",       "application/x-ms-shortcut", "application/vnd.debian.binary-package",
  "application/x-rpm",        "application/x-msi",         NULL,
};

#define OOXML "application/vnd.openxmlformats-officedocument."
#define ODF "application/vnd.oasis.opendocument."

/* --- zip kinds --- */

/* Entries looked at, and the length of a local file header (APPNOTE 4.3.7). */
#define ZIP_ENTRIES 32
#define ZIP_HEADER 30

static guint32
read_le (const guint8 *bytes, guint count)
{
  guint32 value = 0;

  for (guint i = count; i > 0; i--)
    value = value << 8 | bytes[i - 1];
  return value;
}

static const char *
find_ooxml (const char *name, gsize length)
{
  static const char *const folders[][2] = {
    { "word/", OOXML "wordprocessingml.document" },
    { "xl/", OOXML "spreadsheetml.sheet" },
    { "ppt/", OOXML "presentationml.presentation" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (folders); i++)
    if (length > strlen (folders[i][0])
        && memcmp (name, folders[i][0], strlen (folders[i][0])) == 0)
      return folders[i][1];
  return NULL;
}

/* OpenDocument's first entry is "mimetype", stored, and holds the type (part 3, section 3.3). */
static const char *
find_odf (const char *content, gsize length)
{
  static const char *const types[] = { ODF "text", ODF "spreadsheet", ODF "presentation",
                                       ODF "graphics" };

  for (gsize i = 0; i < G_N_ELEMENTS (types); i++)
    if (length >= strlen (types[i]) && memcmp (content, types[i], strlen (types[i])) == 0)
      return types[i];
  return NULL;
}

/* The kind that the first entries tell; a zip whose sizes come behind the data tells only one. */
static const char *
find_zip_kind (const guint8 *data, gsize length)
{
  gsize at = 0;

  for (guint i = 0; i < ZIP_ENTRIES && length - at > ZIP_HEADER; i++)
    {
      gsize name, extra, content;
      const char *kind, *entry = (const char *)data + at + ZIP_HEADER;

      if (memcmp (data + at, "PK\x03\x04", 4) != 0)
        break;
      content = read_le (data + at + 18, 4);
      name = read_le (data + at + 26, 2);
      extra = read_le (data + at + 28, 2);
      if (name + extra + content > length - at - ZIP_HEADER)
        break;
      kind = find_ooxml (entry, name);
      if (kind == NULL && i == 0 && name == 8 && memcmp (entry, "mimetype", 8) == 0)
        kind = find_odf (entry + name + extra, content);
      if (kind != NULL)
        return kind;
      at += ZIP_HEADER + name + extra + content;
    }
  return "application/zip";
}

/* --- OLE kinds --- */

/* An installer has its own class in the root entry of the directory ([MS-CFB] 2.2 and 2.6). */
static gboolean
is_installer (const guint8 *data, gsize length)
{
  static const guint8 class_id[] = {
    0x84, 0x10, 0x0c, 0, 0, 0, 0, 0, 0xc0, 0, 0, 0, 0, 0, 0, 0x46
  };
  guint shift;
  guint64 root;

  if (length < 512)
    return FALSE;
  shift = read_le (data + 30, 2);
  if (shift != 9 && shift != 12)
    return FALSE;
  root = ((guint64)read_le (data + 48, 4) + 1) << shift;
  return root + 96 <= length && memcmp (data + root + 80, class_id, sizeof class_id) == 0;
}

/* --- text that is more than text --- */

static gboolean
has_prefix_caseless (const guint8 *data, gsize length, const char *prefix)
{
  return length >= strlen (prefix)
         && g_ascii_strncasecmp ((const char *)data, prefix, strlen (prefix)) == 0;
}

static const char *
find_markup (const guint8 *data, gsize length)
{
  static const char *const prefixes[][2] = {
    { "<!doctype html", "text/html" },
    { "<html", "text/html" },
    { "<head", "text/html" },
    { "<body", "text/html" },
    { "<script", "text/html" },
    { "<svg", "image/svg+xml" },
    { "<!doctype svg", "image/svg+xml" },
  };
  gsize at = length >= 3 && memcmp (data, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;

  while (at < MIN (length, 1024) && g_ascii_isspace (data[at]))
    at++;
  for (gsize i = 0; i < G_N_ELEMENTS (prefixes); i++)
    if (has_prefix_caseless (data + at, length - at, prefixes[i][0]))
      return prefixes[i][1];
  return NULL;
}

/* Readers take a PDF with other bytes in front (ISO 32000-1, annex H.3.4.1). */
static gboolean
is_pdf_behind_junk (const guint8 *data, gsize length)
{
  return memmem (data, MIN (length, 1024), "%PDF-", 5) != NULL;
}

const char *
postbag_magic_detect (const guint8 *data, gsize length)
{
  const char *type = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (magics) && type == NULL; i++)
    if (length >= magics[i].offset + magics[i].length
        && memcmp (data + magics[i].offset, magics[i].bytes, magics[i].length) == 0)
      type = magics[i].type;
  if (g_strcmp0 (type, "image/webp") == 0 && memcmp (data, "RIFF", 4) != 0)
    type = NULL;
  if (g_strcmp0 (type, "application/zip") == 0)
    return find_zip_kind (data, length);
  if (g_strcmp0 (type, "application/x-ole-storage") == 0 && is_installer (data, length))
    return "application/x-msi";
  if (type != NULL || length == 0)
    return type;
  type = find_markup (data, length);
  return type == NULL && is_pdf_behind_junk (data, length) ? "application/pdf" : type;
}

gboolean
postbag_magic_is_executable (const char *detected)
{
  return detected != NULL && g_strv_contains (executable, detected);
}

/* --- what contradicts what --- */

static gboolean
is_zip_based (const char *type)
{
  return g_str_has_prefix (type, OOXML) || g_str_has_prefix (type, ODF)
         || g_str_has_prefix (type, "application/vnd.ms-") || g_str_has_suffix (type, "+zip")
         || strcmp (type, "application/zip") == 0
         || strcmp (type, "application/x-zip-compressed") == 0
         || strcmp (type, "application/x-zip") == 0;
}

static gboolean
is_ole_based (const char *type)
{
  return strcmp (type, "application/msword") == 0 || g_str_has_prefix (type, "application/vnd.ms-")
         || strcmp (type, "application/x-msi") == 0;
}

static const char *
resolve_alias (const char *type)
{
  static const char *const aliases[][2] = {
    { "image/jpg", "image/jpeg" },
    { "image/pjpeg", "image/jpeg" },
    { "image/x-png", "image/png" },
    { "application/x-pdf", "application/pdf" },
    { "application/x-rtf", "application/rtf" },
    { "text/rtf", "application/rtf" },
    { "application/x-gzip", "application/gzip" },
    { "application/x-rar-compressed", "application/vnd.rar" },
    { "application/x-rar", "application/vnd.rar" },
    { "application/vnd.ms-tnef", "application/ms-tnef" },
    { "application/xhtml+xml", "text/html" },
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
  if (strcmp (detected, "application/zip") == 0)
    return !is_zip_based (lower);
  if (is_zip_based (detected) && strcmp (lower, "application/zip") == 0)
    return FALSE;
  if (strcmp (detected, "application/x-ole-storage") == 0)
    return !is_ole_based (lower);
  if (strcmp (detected, "message/rfc822") == 0 && g_str_has_prefix (lower, "text/"))
    return FALSE; /* a text may begin like that */
  return strcmp (detected, resolve_alias (lower)) != 0;
}
