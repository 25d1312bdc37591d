/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-odf-styles.h"

#include <string.h>

#include "base/postbag-limits.h"
#include "extract/postbag-numerals.h"

#define OASIS "urn:oasis:names:tc:opendocument:xmlns:"
#define LEVELS 10
#define MAX_PARENTS 16
#define MAX_NUMBER 1000000
#define LONGEST_AFFIX 16

const PostbagXmlSpace postbag_odf_spaces[] = {
  { OASIS "office:1.0", 'o' },
  { OASIS "text:1.0", 't' },
  { OASIS "table:1.0", 'T' },
  { OASIS "style:1.0", 's' },
  { OASIS "xsl-fo-compatible:1.0", 'f' },
  { OASIS "drawing:1.0", 'd' },
  { OASIS "presentation:1.0", 'p' },
  { OASIS "svg-compatible:1.0", 'v' },
  { OASIS "manifest:1.0", 'm' },
  { "http://www.w3.org/1999/xlink", 'x' },
  { "http://purl.org/dc/elements/1.1/", 'D' },
  { NULL, '\0' },
};

typedef struct
{
  char *parent;
  char *list;
  PostbagLook look;
  char color[8], background[8]; /* "#rrggbb"; empty: not said */
  PostbagLookAnswer painted;    /* filled with anything but white */
} Style;

typedef struct
{
  gboolean is_number;
  char format;
  char *before, *behind;
  gint64 start;
  gint64 shown; /* levels of the number that stand in it */
} Level;

typedef struct
{
  Level levels[LEVELS];
} List;

struct _PostbagOdfStyles
{
  GHashTable *styles;
  GHashTable *lists;
  Style defaults; /* of paragraphs */
  guint rows_left;
  gboolean has_painted_master;
  Style *style; /* being read */
  List *list;
};

static void
free_style (gpointer data)
{
  Style *style = data;

  g_free (style->parent);
  g_free (style->list);
  g_free (style);
}

static void
free_list (gpointer data)
{
  List *list = data;

  for (guint i = 0; i < LEVELS; i++)
    {
      g_free (list->levels[i].before);
      g_free (list->levels[i].behind);
    }
  g_free (list);
}

static gboolean
has_row (PostbagOdfStyles *self)
{
  if (self->rows_left == 0)
    return FALSE;
  self->rows_left--;
  return TRUE;
}

static void
start_style (PostbagXml *xml, gpointer user_data)
{
  PostbagOdfStyles *self = user_data;
  const char *name = postbag_xml_get (xml, 's', "name");
  const char *list;

  self->style = NULL;
  if (name == NULL || !has_row (self))
    {
      postbag_xml_skip (xml, NULL);
      return;
    }
  self->style = g_new0 (Style, 1);
  self->style->parent = g_strdup (postbag_xml_get (xml, 's', "parent-style-name"));
  list = postbag_xml_get (xml, 's', "list-style-name");
  self->style->list = list != NULL && *list != '\0' ? g_strdup (list) : NULL;
  g_hash_table_replace (self->styles, g_strdup (name), self->style);
}

static void
start_default_style (PostbagXml *xml, gpointer user_data)
{
  PostbagOdfStyles *self = user_data;

  if (g_strcmp0 (postbag_xml_get (xml, 's', "family"), "paragraph") == 0)
    self->style = &self->defaults;
}

static void
take_background (PostbagXml *xml, gpointer user_data)
{
  PostbagOdfStyles *self = user_data;
  const char *background = postbag_xml_get (xml, 'f', "background-color");

  if (self->style != NULL && background != NULL && *background == '#')
    g_strlcpy (self->style->background, background, sizeof self->style->background);
}

/* In the colour of what the style puts behind it, else of paper. */
static void
end_style (gpointer user_data)
{
  PostbagOdfStyles *self = user_data;
  Style *style = self->style;
  const char *behind = style != NULL && *style->background != '\0' ? style->background : "#ffffff";

  if (style != NULL && *style->color != '\0')
    style->look.white = postbag_look_answer (g_ascii_strcasecmp (style->color, behind) == 0);
  self->style = NULL;
}

static void
take_text_properties (PostbagXml *xml, gpointer user_data)
{
  PostbagOdfStyles *self = user_data;
  const char *display = postbag_xml_get (xml, 't', "display");
  const char *color = postbag_xml_get (xml, 'f', "color");
  const char *size = postbag_xml_get (xml, 'f', "font-size");

  if (self->style == NULL)
    return;
  if (g_strcmp0 (display, "none") == 0 || g_strcmp0 (display, "true") == 0)
    self->style->look.hidden = postbag_look_answer (*display == 'n');
  if (color != NULL)
    g_strlcpy (self->style->color, color, sizeof self->style->color);
  take_background (xml, self);
  if (size != NULL && g_str_has_suffix (size, "pt"))
    self->style->look.tiny =
        postbag_look_answer (g_ascii_strtod (size, NULL) <= POSTBAG_STORY_SMALLEST_LETTER);
}

/* Of shapes and of slides. */
static void
take_fill (PostbagXml *xml, gpointer user_data)
{
  PostbagOdfStyles *self = user_data;
  const char *fill = postbag_xml_get (xml, 'd', "fill");
  gboolean is_solid = g_strcmp0 (fill, "solid") == 0;
  const char *color = is_solid ? postbag_xml_get (xml, 'd', "fill-color") : NULL;

  if (self->style != NULL && fill != NULL)
    self->style->painted =
        postbag_look_answer (is_solid ? color == NULL || g_ascii_strcasecmp (color, "#ffffff") != 0
                                      : strcmp (fill, "none") != 0);
}

/* Masters are told of behind all styles. */
static void
take_master (PostbagXml *xml, gpointer user_data)
{
  PostbagOdfStyles *self = user_data;

  self->has_painted_master |=
      postbag_odf_styles_is_painted (self, postbag_xml_get (xml, 'd', "style-name"));
}

/* Sheets, tables and slides. */
static void
take_other_properties (PostbagXml *xml, gpointer user_data)
{
  PostbagOdfStyles *self = user_data;

  if (self->style == NULL)
    return;
  take_fill (xml, self);
  if (g_strcmp0 (postbag_xml_get (xml, 'T', "display"), "false") == 0
      || g_strcmp0 (postbag_xml_get (xml, 'p', "visibility"), "hidden") == 0)
    self->style->look.hidden = POSTBAG_LOOK_YES;
}

static void
start_list (PostbagXml *xml, gpointer user_data)
{
  PostbagOdfStyles *self = user_data;
  const char *name = postbag_xml_get (xml, 's', "name");

  self->list = NULL;
  if (name == NULL || !has_row (self))
    {
      postbag_xml_skip (xml, NULL);
      return;
    }
  self->list = g_new0 (List, 1);
  g_hash_table_replace (self->lists, g_strdup (name), self->list);
}

static void
end_list (gpointer user_data)
{
  PostbagOdfStyles *self = user_data;

  self->list = NULL;
}

static char *
dup_affix (const char *text)
{
  return text != NULL && strlen (text) <= LONGEST_AFFIX ? g_strdup (text) : NULL;
}

static void
take_number_level (PostbagXml *xml, gpointer user_data)
{
  PostbagOdfStyles *self = user_data;
  gint64 number = postbag_xml_get_number (xml, 't', "level", 1, LEVELS, 0);
  const char *format = postbag_xml_get (xml, 's', "num-format");
  Level *level;

  if (self->list == NULL || number == 0)
    return;
  level = &self->list->levels[number - 1];
  level->is_number = TRUE;
  level->format = format != NULL ? *format : '\0';
  g_free (level->before);
  level->before = dup_affix (postbag_xml_get (xml, 's', "num-prefix"));
  g_free (level->behind);
  level->behind = dup_affix (postbag_xml_get (xml, 's', "num-suffix"));
  level->start = postbag_xml_get_number (xml, 't', "start-value", 0, MAX_NUMBER, 1);
  level->shown = postbag_xml_get_number (xml, 't', "display-levels", 1, LEVELS, 1);
}

static void
stop (PostbagXml *xml, gpointer user_data)
{
  postbag_xml_stop (xml);
}

static const PostbagXmlElement elements[] = {
  { 's', "style", start_style, end_style },
  { 's', "default-style", start_default_style, end_style },
  { 's', "text-properties", take_text_properties },
  { 's', "paragraph-properties", take_background },
  { 's', "table-cell-properties", take_background },
  { 's', "table-properties", take_other_properties },
  { 's', "drawing-page-properties", take_other_properties },
  { 's', "graphic-properties", take_fill },
  { 's', "master-page", take_master },
  { 'd', "custom-shape", take_master },
  { 'd', "rect", take_master },
  { 'd', "path", take_master },
  { 'd', "polygon", take_master },
  { 'd', "image", POSTBAG_XML_SEEN (PostbagOdfStyles, has_painted_master) },
  { 't', "list-style", start_list, end_list },
  { 't', "list-level-style-number", take_number_level },
  { 'o', "body", stop },
  { '\0', NULL },
};
static const PostbagXmlHandler handler = { postbag_odf_spaces, elements, NULL };

PostbagOdfStyles *
postbag_odf_styles_read (PostbagZip *zip)
{
  PostbagOdfStyles *self = g_new0 (PostbagOdfStyles, 1);

  self->styles = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, free_style);
  self->lists = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, free_list);
  self->rows_left = POSTBAG_LIMIT_DOCUMENT_ROWS;
  if (postbag_zip_has (zip, "styles.xml"))
    postbag_xml_read_part (zip, "styles.xml", &handler, self, NULL);
  self->style = NULL;
  self->list = NULL;
  postbag_xml_read_part (zip, "content.xml", &handler, self, NULL);
  return self;
}

void
postbag_odf_styles_free (PostbagOdfStyles *self)
{
  g_hash_table_unref (self->styles);
  g_hash_table_unref (self->lists);
  g_free (self);
}

static const Style *
find_style (PostbagOdfStyles *self, const char *name)
{
  return name != NULL ? g_hash_table_lookup (self->styles, name) : NULL;
}

PostbagLook
postbag_odf_styles_get_look (PostbagOdfStyles *self, const char *style)
{
  const Style *found = find_style (self, style);
  PostbagLook look = { POSTBAG_LOOK_UNSET };

  for (guint i = 0; i < MAX_PARENTS && found != NULL; i++)
    {
      postbag_look_inherit (&look, &found->look);
      found = find_style (self, found->parent);
    }
  return look;
}

PostbagLook
postbag_odf_styles_get_default_look (PostbagOdfStyles *self)
{
  return self->defaults.look;
}

gboolean
postbag_odf_styles_is_painted (PostbagOdfStyles *self, const char *style)
{
  const Style *found = find_style (self, style);

  for (guint i = 0; i < MAX_PARENTS && found != NULL; i++)
    {
      if (found->painted != POSTBAG_LOOK_UNSET)
        return found->painted == POSTBAG_LOOK_YES;
      found = find_style (self, found->parent);
    }
  return FALSE;
}

gboolean
postbag_odf_styles_has_painted_master (PostbagOdfStyles *self)
{
  return self->has_painted_master;
}

gboolean
postbag_odf_styles_is_hidden (PostbagOdfStyles *self, const char *style)
{
  return postbag_odf_styles_get_look (self, style).hidden == POSTBAG_LOOK_YES;
}

const char *
postbag_odf_styles_get_list (PostbagOdfStyles *self, const char *style)
{
  const Style *found = find_style (self, style);

  for (guint i = 0; i < MAX_PARENTS && found != NULL; i++)
    {
      if (found->list != NULL)
        return found->list;
      found = find_style (self, found->parent);
    }
  return NULL;
}

/* (nullable) */
static const Level *
find_level (PostbagOdfStyles *self, const char *name, guint level)
{
  const List *list = name != NULL ? g_hash_table_lookup (self->lists, name) : NULL;

  return list != NULL ? &list->levels[MIN (level, LEVELS - 1)] : NULL;
}

gint64
postbag_odf_styles_get_start (PostbagOdfStyles *self, const char *list, guint level)
{
  const Level *found = find_level (self, list, level);

  return found != NULL && found->is_number ? found->start : 1;
}

char *
postbag_odf_styles_mark (PostbagOdfStyles *self, const char *list, guint level,
                         const gint64 *numbers)
{
  const Level *own = find_level (self, list, level);
  GString *out;
  guint first;

  if (own == NULL || !own->is_number || own->format == '\0')
    return g_strdup ("-");
  out = g_string_new (own->before);
  first = level + 1 > (guint)own->shown ? level + 1 - (guint)own->shown : 0;
  for (guint i = first; i <= level; i++)
    {
      const Level *one = find_level (self, list, i);

      if (i > first)
        g_string_append_c (out, '.');
      postbag_numerals_append (out, numbers[i],
                               one->format == 'i'   ? POSTBAG_NUMERALS_ROMAN
                               : one->format == 'I' ? POSTBAG_NUMERALS_UPPER_ROMAN
                               : one->format == 'a' ? POSTBAG_NUMERALS_LETTERS
                               : one->format == 'A' ? POSTBAG_NUMERALS_UPPER_LETTERS
                                                    : POSTBAG_NUMERALS_DECIMAL);
    }
  g_string_append (out, own->behind != NULL ? own->behind : "");
  return g_string_free (out, FALSE);
}
