/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-xlsx-cells.h"

#include <string.h>

#include "base/postbag-limits.h"

#include "extract/postbag-number-format.h"

struct _PostbagXlsxCells
{
  GString *texts;  /* each ended by NUL */
  GArray *offsets; /* gsize, into it */
  gsize start;     /* of the text being read */
  gboolean in_text;
  gboolean is_cut;

  GHashTable *codes; /* of number formats, by id */
  GArray *formats;   /* guint: ids, by style */
  gboolean in_styles;
};

/* --- sharedStrings.xml --- */

static void
start_item (PostbagXml *xml, gpointer user_data)
{
  PostbagXlsxCells *self = user_data;

  self->start = self->texts->len;
  if (self->offsets->len < POSTBAG_LIMIT_SHARED_STRINGS
      && self->start < POSTBAG_LIMIT_SHARED_STRING_BYTES)
    return;
  self->is_cut = TRUE;
  postbag_xml_stop (xml);
}

static void
end_item (gpointer user_data)
{
  PostbagXlsxCells *self = user_data;

  g_array_append_val (self->offsets, self->start);
  g_string_append_c (self->texts, '\0');
}

/* More than a cell shows is not kept: a million cells may show one text. */
static void
take_text (const char *text, gsize length, gpointer user_data)
{
  PostbagXlsxCells *self = user_data;

  if (self->in_text && self->texts->len - self->start <= 4 * POSTBAG_LIMIT_CELL_CHARS)
    g_string_append_len (self->texts, text, (gssize)length);
}

static const PostbagXmlElement text_elements[] = {
  { 's', "si", start_item, end_item },
  { 's', "t", POSTBAG_XML_INSIDE (PostbagXlsxCells, in_text) },
  { 's', "rPh", postbag_xml_skip },
  { '\0', NULL },
};
static const PostbagXmlHandler text_handler = { postbag_ooxml_spaces, text_elements, take_text };

/* --- styles.xml --- */

static void
take_code (PostbagXml *xml, gpointer user_data)
{
  PostbagXlsxCells *self = user_data;
  gint64 id = postbag_xml_get_number (xml, '\0', "numFmtId", 0, G_MAXINT32, -1);
  const char *code = postbag_xml_get (xml, '\0', "formatCode");

  if (id >= 0 && code != NULL && g_hash_table_size (self->codes) < POSTBAG_LIMIT_DOCUMENT_ROWS)
    g_hash_table_replace (self->codes, GINT_TO_POINTER ((gint)id), g_strdup (code));
}

static void
take_style (PostbagXml *xml, gpointer user_data)
{
  PostbagXlsxCells *self = user_data;
  gint id = (gint)postbag_xml_get_number (xml, '\0', "numFmtId", 0, G_MAXINT32, 0);

  if (self->in_styles && self->formats->len < 4 * POSTBAG_LIMIT_DOCUMENT_ROWS)
    g_array_append_val (self->formats, id);
}

static const PostbagXmlElement style_elements[] = {
  { 's', "numFmt", take_code },
  { 's', "cellXfs", POSTBAG_XML_INSIDE (PostbagXlsxCells, in_styles) },
  { 's', "xf", take_style },
  { 's', "dxfs", postbag_xml_skip },
  { '\0', NULL },
};
static const PostbagXmlHandler style_handler = { postbag_ooxml_spaces, style_elements, NULL };

PostbagXlsxCells *
postbag_xlsx_cells_read (PostbagZip *zip, PostbagRelations *relations)
{
  PostbagXlsxCells *self = g_new0 (PostbagXlsxCells, 1);
  const char *texts = postbag_relations_find_part (relations, zip, "sharedStrings");
  const char *styles = postbag_relations_find_part (relations, zip, "styles");

  self->texts = g_string_new (NULL);
  self->offsets = g_array_new (FALSE, FALSE, sizeof (gsize));
  self->codes = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  self->formats = g_array_new (FALSE, FALSE, sizeof (gint));
  if (texts == NULL && postbag_zip_has (zip, "xl/sharedStrings.xml"))
    texts = "xl/sharedStrings.xml";
  if (texts != NULL && !postbag_xml_read_part (zip, texts, &text_handler, self, NULL))
    self->is_cut = TRUE;
  if (styles != NULL)
    postbag_xml_read_part (zip, styles, &style_handler, self, NULL);
  return self;
}

void
postbag_xlsx_cells_free (PostbagXlsxCells *self)
{
  g_string_free (self->texts, TRUE);
  g_array_unref (self->offsets);
  g_hash_table_unref (self->codes);
  g_array_unref (self->formats);
  g_free (self);
}

const char *
postbag_xlsx_cells_get_text (PostbagXlsxCells *self, const char *index)
{
  guint64 number;

  if (self->offsets->len == 0
      || !g_ascii_string_to_unsigned (index, 10, 0, self->offsets->len - 1, &number, NULL))
    return NULL;
  return self->texts->str + g_array_index (self->offsets, gsize, number);
}

const char *
postbag_xlsx_cells_get_format (PostbagXlsxCells *self, gint64 style)
{
  const char *code;
  gint id;

  if (style < 0 || style >= self->formats->len)
    return NULL;
  id = g_array_index (self->formats, gint, style);
  code = g_hash_table_lookup (self->codes, GINT_TO_POINTER (id));
  /* Ids that follow the reader's country stay ISO whatever the file says of them. */
  if (code != NULL && id != 14 && id != 22)
    return code;
  return postbag_number_format_get_builtin ((guint)id);
}

gboolean
postbag_xlsx_cells_is_cut (PostbagXlsxCells *self)
{
  return self->is_cut;
}

static gboolean
is_escape (const char *at)
{
  return at[0] == '_' && at[1] == 'x' && g_ascii_isxdigit (at[2]) && g_ascii_isxdigit (at[3])
         && g_ascii_isxdigit (at[4]) && g_ascii_isxdigit (at[5]) && at[6] == '_';
}

char *
postbag_xlsx_unescape (const char *text)
{
  GString *out;

  if (strstr (text, "_x") == NULL)
    return g_strdup (text);
  out = g_string_new (NULL);
  while (*text != '\0')
    {
      gunichar letter;

      if (!is_escape (text))
        {
          g_string_append_c (out, *text++);
          continue;
        }
      letter = (gunichar)g_ascii_strtoull (text + 2, NULL, 16);
      if (letter >= 0x20 && g_unichar_validate (letter))
        g_string_append_unichar (out, letter);
      else if (letter == '\n' || letter == '\t')
        g_string_append_c (out, ' ');
      text += 7;
    }
  return g_string_free (out, FALSE);
}
