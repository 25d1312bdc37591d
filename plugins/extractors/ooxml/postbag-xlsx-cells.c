/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-xlsx-cells.h"

#include <string.h>

#include "base/postbag-limits.h"

#include "extract/postbag-number-format.h"
#include "extract/postbag-story.h"

struct _PostbagXlsxCells
{
  GString *texts;  /* each ended by NUL */
  GArray *offsets; /* gsize, into it */
  gsize start;     /* of the text being read */
  gboolean in_text;
  gboolean is_cut;

  GHashTable *codes;  /* of number formats, by id */
  GArray *formats;    /* guint: ids, by style */
  GByteArray *unseen; /* a gboolean, by style */
  gboolean in_styles;

  GByteArray *fonts, *fills; /* what they are of Look, by number */
  guint8 font, fill;         /* the open one */
  gboolean in_font, in_fill;
};

enum
{
  LOOK_WHITE = 1,
  LOOK_TINY = 2,
  LOOK_COLORED = 4, /* a fill, and not white */
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

/* As a value, of the first palette, or as what themes call light: the paper. */
static gboolean
is_white (PostbagXml *xml)
{
  const char *rgb = postbag_xml_get (xml, '\0', "rgb");
  gint64 index = postbag_xml_get_number (xml, '\0', "indexed", 0, 64, -1);

  if (rgb != NULL)
    return g_ascii_strcasecmp (rgb, "ffffffff") == 0 || g_ascii_strcasecmp (rgb, "ffffff") == 0
           || g_ascii_strcasecmp (rgb, "00ffffff") == 0;
  return index == 1 || index == 9
         || (postbag_xml_get_number (xml, '\0', "theme", 0, 64, -1) == 0
             && postbag_xml_get (xml, '\0', "tint") == NULL);
}

static void
take_font_color (PostbagXml *xml, gpointer user_data)
{
  PostbagXlsxCells *self = user_data;

  if (self->in_font && is_white (xml))
    self->font |= LOOK_WHITE;
}

static void
take_font_size (PostbagXml *xml, gpointer user_data)
{
  PostbagXlsxCells *self = user_data;
  const char *size = postbag_xml_get (xml, '\0', "val");

  if (self->in_font && size != NULL && g_ascii_strtod (size, NULL) <= POSTBAG_STORY_SMALLEST_LETTER)
    self->font |= LOOK_TINY;
}

static void
take_pattern (PostbagXml *xml, gpointer user_data)
{
  PostbagXlsxCells *self = user_data;
  const char *pattern = postbag_xml_get (xml, '\0', "patternType");

  if (self->in_fill && pattern != NULL && strcmp (pattern, "none") != 0)
    self->fill = LOOK_COLORED;
}

static void
take_fill_color (PostbagXml *xml, gpointer user_data)
{
  PostbagXlsxCells *self = user_data;

  if (self->in_fill && is_white (xml))
    self->fill = 0;
}

static void
take_gradient (PostbagXml *xml, gpointer user_data)
{
  PostbagXlsxCells *self = user_data;

  self->fill = LOOK_COLORED;
}

static void
end_look (GByteArray *looks, guint8 *look)
{
  if (looks->len < POSTBAG_LIMIT_DOCUMENT_ROWS)
    g_byte_array_append (looks, look, 1);
  *look = 0;
}

static void
end_font (gpointer user_data)
{
  PostbagXlsxCells *self = user_data;

  end_look (self->fonts, &self->font);
}

static void
end_fill (gpointer user_data)
{
  PostbagXlsxCells *self = user_data;

  end_look (self->fills, &self->fill);
}

static guint8
get_look (const GByteArray *looks, PostbagXml *xml, const char *name)
{
  gint64 number = postbag_xml_get_number (xml, '\0', name, 0, G_MAXINT32, 0);

  return number < looks->len ? looks->data[number] : 0;
}

static void
take_style (PostbagXml *xml, gpointer user_data)
{
  PostbagXlsxCells *self = user_data;
  gint id = (gint)postbag_xml_get_number (xml, '\0', "numFmtId", 0, G_MAXINT32, 0);
  guint8 look = get_look (self->fonts, xml, "fontId") | get_look (self->fills, xml, "fillId");
  guint8 unseen = (look & LOOK_TINY) != 0 || (look & (LOOK_WHITE | LOOK_COLORED)) == LOOK_WHITE;

  if (!self->in_styles || self->formats->len >= 4 * POSTBAG_LIMIT_DOCUMENT_ROWS)
    return;
  g_array_append_val (self->formats, id);
  g_byte_array_append (self->unseen, &unseen, 1);
}

static const PostbagXmlElement style_elements[] = {
  { 's', "numFmt", take_code },
  { 's', "font", NULL, end_font, POSTBAG_XML_INSIDE (PostbagXlsxCells, in_font) },
  { 's', "color", take_font_color },
  { 's', "sz", take_font_size },
  { 's', "fill", NULL, end_fill, POSTBAG_XML_INSIDE (PostbagXlsxCells, in_fill) },
  { 's', "patternFill", take_pattern },
  { 's', "fgColor", take_fill_color },
  { 's', "gradientFill", take_gradient },
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
  self->unseen = g_byte_array_new ();
  self->fonts = g_byte_array_new ();
  self->fills = g_byte_array_new ();
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
  g_byte_array_unref (self->unseen);
  g_byte_array_unref (self->fonts);
  g_byte_array_unref (self->fills);
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
postbag_xlsx_cells_hides_text (PostbagXlsxCells *self, gint64 style)
{
  const char *code = postbag_xlsx_cells_get_format (self, style);
  guint sections = 0;
  gboolean is_quoted = FALSE;

  for (; code != NULL && *code != '\0'; code++)
    {
      if (sections == 3)
        return FALSE; /* the fourth is for texts, and there is something in it */
      if (*code == '"')
        is_quoted = !is_quoted;
      else if (*code == '\\' && code[1] != '\0')
        code++;
      else if (*code == ';' && !is_quoted)
        sections++;
    }
  return sections == 3;
}

gboolean
postbag_xlsx_cells_is_unseen (PostbagXlsxCells *self, gint64 style)
{
  return style >= 0 && style < self->unseen->len && self->unseen->data[style] != 0;
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
