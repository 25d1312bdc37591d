/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "extract/postbag-document-type.h"

#include <string.h>

#include "safety/postbag-attachment-policy.h"

#define OOXML "application/vnd.openxmlformats-officedocument."
#define ODF "application/vnd.oasis.opendocument."

typedef struct
{
  const char *word; /* and its ordinary extension */
  const char *type;
  const char *inside; /* (nullable): a file that a zip archive of this kind has */
} Format;

static const Format formats[] = {
  { "pdf", "application/pdf", NULL },
  { "docx", OOXML "wordprocessingml.document", "word/document.xml" },
  { "xlsx", OOXML "spreadsheetml.sheet", "xl/workbook.xml" },
  { "pptx", OOXML "presentationml.presentation", "ppt/presentation.xml" },
  { "docm", "application/vnd.ms-word.document.macroenabled.12", NULL },
  { "xlsm", "application/vnd.ms-excel.sheet.macroenabled.12", NULL },
  { "pptm", "application/vnd.ms-powerpoint.presentation.macroenabled.12", NULL },
  { "odt", ODF "text", "mimetype" ODF "text" },
  { "ods", ODF "spreadsheet", "mimetype" ODF "spreadsheet" },
  { "odp", ODF "presentation", "mimetype" ODF "presentation" },
  { "doc", "application/msword", NULL },
  { "dot", "application/msword", NULL },
  { "xls", "application/vnd.ms-excel", NULL },
  { "xlt", "application/vnd.ms-excel", NULL },
  { "ppt", "application/vnd.ms-powerpoint", NULL },
  { "pps", "application/vnd.ms-powerpoint", NULL },
  { "pot", "application/vnd.ms-powerpoint", NULL },
  { "msg", "application/vnd.ms-outlook", NULL },
  { "oft", "application/vnd.ms-outlook", NULL },
  { "rtf", "application/rtf", NULL },
  { "rtf", "text/rtf", NULL },
  { "html", "text/html", NULL },
  { "htm", "text/html", NULL },
  { "xhtml", "application/xhtml+xml", NULL },
  { "csv", "text/csv", NULL },
  { "tsv", "text/tab-separated-values", NULL },
  { "ics", "text/calendar", NULL },
  { "vcf", "text/vcard", NULL },
  { "vcf", "text/x-vcard", NULL },
  { "eml", "message/rfc822", NULL },
  { "tnef", "application/ms-tnef", NULL },
  { "tnef", "application/vnd.ms-tnef", NULL },
  { "dat", "application/ms-tnef", NULL },
  { "zip", "application/zip", NULL },
  { "txt", "text/plain", NULL },
  { "log", "text/plain", NULL },
  { "md", "text/markdown", NULL },
  { "json", "application/json", NULL },
  { "xml", "application/xml", NULL },
};

static const Format *
find_type (const char *type)
{
  for (gsize i = 0; i < G_N_ELEMENTS (formats); i++)
    if (strcmp (formats[i].type, type) == 0)
      return &formats[i];
  return NULL;
}

/* Labels that programs put on whatever they do not know, and containers, which documents are
 * too. */
static gboolean
says_nothing (const char *type)
{
  static const char *const types[] = { "application/octet-stream",  "application/binary",
                                       "application/x-download",    "application/force-download",
                                       "application/zip",           "application/x-zip-compressed",
                                       "application/x-ole-storage", "application/vnd.ms-office",
                                       "application/cdfv2",         NULL };

  return g_strv_contains (types, type);
}

static const char *
find_by_name (const char *filename)
{
  const char *dot = filename != NULL ? strrchr (filename, '.') : NULL;

  for (gsize i = 0; dot != NULL && i < G_N_ELEMENTS (formats); i++)
    if (g_ascii_strcasecmp (formats[i].word, dot + 1) == 0)
      return formats[i].type;
  return NULL;
}

/* The names of an archive stand before the files and, for all of them, at its end. */
static const char *
find_in_archive (const guint8 *data, gsize length)
{
  const gsize window = 64 * 1024;
  gsize head = MIN (length, window);
  gsize tail = MIN (length - head, window);

  for (gsize i = 0; i < G_N_ELEMENTS (formats); i++)
    {
      const char *inside = formats[i].inside;

      if (inside != NULL
          && (memmem (data, head, inside, strlen (inside)) != NULL
              || memmem (data + length - tail, tail, inside, strlen (inside)) != NULL))
        return formats[i].type;
    }
  return "application/zip";
}

static guint32
read_number (const guint8 *data)
{
  return (guint32)data[0] | (guint32)data[1] << 8 | (guint32)data[2] << 16 | (guint32)data[3] << 24;
}

/* Whether the name stands there, two bytes a letter and with its end. */
static gboolean
has_stream (const guint8 *data, gsize length, const char *name)
{
  guint8 letters[64] = { 0 };
  gsize count = strlen (name);

  for (gsize i = 0; i < count; i++)
    letters[2 * i] = (guint8)name[i];
  return memmem (data, length, letters, 2 * (count + 1)) != NULL;
}

/* A compound file ([MS-CFB]) tells where the names of its streams begin. (nullable) */
static const char *
find_in_compound (const guint8 *data, gsize length)
{
  static const struct
  {
    const char *stream;
    const char *type;
  } streams[] = {
    { "WordDocument", "application/msword" },
    { "Workbook", "application/vnd.ms-excel" },
    { "Book", "application/vnd.ms-excel" },
    { "PowerPoint Document", "application/vnd.ms-powerpoint" },
    { "__properties_version1.0", "application/vnd.ms-outlook" },
  };
  const gsize header = 512, window = 64 * 1024;
  gsize at = length >= header ? (read_number (data + 0x30) + (gsize)1) << (data[0x1e] & 0xf) : 0;

  for (gsize i = 0; i < G_N_ELEMENTS (streams) && at > 0 && at < length; i++)
    if (has_stream (data + at, MIN (length - at, window), streams[i].stream))
      return streams[i].type;
  return NULL;
}

static const char *
find_by_bytes (const guint8 *data, gsize length)
{
  const char *detected = postbag_magic_detect (data, length);

  if (g_strcmp0 (detected, "application/zip") == 0)
    return find_in_archive (data, length);
  if (g_strcmp0 (detected, "application/x-ole-storage") == 0)
    return find_in_compound (data, length);
  if (detected == NULL && length >= 5 && memcmp (data, "{\\rtf", 5) == 0)
    return "application/rtf";
  return detected != NULL && find_type (detected) != NULL ? detected : NULL;
}

const char *
postbag_document_settle_type (GBytes *bytes, const char *declared, const char *filename)
{
  const char *told = declared != NULL ? declared : "";
  g_autofree char *bare = g_strndup (told, strcspn (told, ";"));
  g_autofree char *type = g_ascii_strdown (g_strstrip (bare), -1);
  gsize length = 0;
  const guint8 *data = bytes != NULL ? g_bytes_get_data (bytes, &length) : NULL;
  const Format *format = find_type (type);
  const char *found;

  if (format != NULL && !says_nothing (type))
    return format->type;
  if (format == NULL && *type != '\0' && !says_nothing (type))
    return NULL;
  found = find_by_name (filename);
  return found != NULL ? found : find_by_bytes (data, length);
}

const char *
postbag_document_get_word (const char *content_type)
{
  g_autofree char *type = g_ascii_strdown (content_type, -1);
  const Format *format = find_type (type);

  return format != NULL ? format->word : NULL;
}

gboolean
postbag_document_holds_files (const char *content_type)
{
  static const char *const holders[] = { "zip", "eml", "tnef", "msg", NULL };
  const char *word = postbag_document_get_word (content_type);

  return word != NULL && g_strv_contains (holders, word);
}
