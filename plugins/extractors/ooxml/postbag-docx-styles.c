/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-docx-styles.h"

#include <string.h>

#include "base/postbag-limits.h"
#include "extract/postbag-list.h"
#include "extract/postbag-story.h"

#define LEVELS POSTBAG_LIST_LEVELS
#define MAX_PARENTS 16
#define MAX_LIST_NUMBER 1000000
#define MAX_MARKER 64
#define SMALLEST_LETTER 4 /* half points */

typedef struct
{
  guint heading;
  gint64 list; /* -1 */
  gint level;  /* -1 */
  PostbagLook look;
  char *parent;
} Style;

/* A list as it is defined; several numbers may lead to one, and count on together. */
typedef struct
{
  PostbagList *counter;
  char *styles[LEVELS]; /* that a level is kept for, nullable */
  char *style;          /* (nullable): the definition stands at the list of this style */
} List;

typedef struct
{
  gint64 list;
  gint64 starts[LEVELS]; /* -1 */
  gboolean was_used;
} Number;

struct _PostbagDocxStyles
{
  GHashTable *styles;
  GHashTable *lists;
  GHashTable *numbers;
  Style defaults;      /* of the document */
  char *default_style; /* (nullable): of paragraphs that name none */
  guint rows_left;

  /* being read */
  Style *style;
  List *list;
  Number *number;
  gint level;
};

static void
free_style (gpointer data)
{
  Style *style = data;

  g_free (style->parent);
  g_free (style);
}

static void
free_list (gpointer data)
{
  List *list = data;

  for (guint i = 0; i < LEVELS; i++)
    g_free (list->styles[i]);
  postbag_list_free (list->counter);
  g_free (list->style);
  g_free (list);
}

static gint64
get_value (PostbagXml *xml, gint64 most, gint64 fallback)
{
  return postbag_xml_get_number (xml, 'w', "val", 0, most, fallback);
}

static gint64 *
copy_number (gint64 number)
{
  return g_memdup2 (&number, sizeof number);
}

/* --- styles.xml --- */

static gboolean
has_row (PostbagDocxStyles *self)
{
  if (self->rows_left == 0)
    return FALSE;
  self->rows_left--;
  return TRUE;
}

static void
start_style (PostbagXml *xml, gpointer user_data)
{
  PostbagDocxStyles *self = user_data;
  const char *id = postbag_xml_get (xml, 'w', "styleId");
  const char *is_default = postbag_xml_get (xml, 'w', "default");

  self->style = NULL;
  if (id == NULL || !has_row (self))
    {
      postbag_xml_skip (xml, NULL);
      return;
    }
  self->style = g_new0 (Style, 1);
  self->style->list = self->style->level = -1;
  g_hash_table_replace (self->styles, g_strdup (id), self->style);
  if (self->default_style == NULL && is_default != NULL && postbag_story_is_on (is_default)
      && g_strcmp0 (postbag_xml_get (xml, 'w', "type"), "paragraph") == 0)
    self->default_style = g_strdup (id);
}

static void
start_defaults (PostbagXml *xml, gpointer user_data)
{
  PostbagDocxStyles *self = user_data;

  self->style = &self->defaults;
}

static void
end_defaults (gpointer user_data)
{
  PostbagDocxStyles *self = user_data;

  self->style = NULL;
}

/* Names of built-in styles are English in every language of the program. */
static guint
read_heading_name (const char *name)
{
  if (g_ascii_strncasecmp (name, "heading ", 8) == 0 && name[8] >= '1' && name[8] <= '9'
      && name[9] == '\0')
    return (guint)(name[8] - '0');
  return g_ascii_strcasecmp (name, "Title") == 0 ? 1 : 0;
}

static void
take_style_name (PostbagXml *xml, gpointer user_data)
{
  PostbagDocxStyles *self = user_data;
  const char *name = postbag_xml_get (xml, 'w', "val");

  if (self->style != NULL && name != NULL && self->style->heading == 0)
    self->style->heading = read_heading_name (name);
}

static void
take_parent (PostbagXml *xml, gpointer user_data)
{
  PostbagDocxStyles *self = user_data;

  if (self->style != NULL && self->style->parent == NULL)
    self->style->parent = g_strdup (postbag_xml_get (xml, 'w', "val"));
}

static void
take_outline (PostbagXml *xml, gpointer user_data)
{
  PostbagDocxStyles *self = user_data;
  gint64 level = get_value (xml, 8, 9);

  if (self->style != NULL && level < 9)
    self->style->heading = (guint)level + 1;
}

static void
take_style_list (PostbagXml *xml, gpointer user_data)
{
  PostbagDocxStyles *self = user_data;

  if (self->style != NULL)
    self->style->list = get_value (xml, G_MAXINT32, -1);
}

static void
take_style_level (PostbagXml *xml, gpointer user_data)
{
  PostbagDocxStyles *self = user_data;

  if (self->style != NULL)
    self->style->level = (gint)get_value (xml, LEVELS - 1, -1);
}

void
postbag_docx_look_take_hidden (PostbagLook *look, PostbagXml *xml)
{
  look->hidden = postbag_look_answer (postbag_story_is_on (postbag_xml_get (xml, 'w', "val")));
}

void
postbag_docx_look_take_color (PostbagLook *look, PostbagXml *xml)
{
  const char *value = postbag_xml_get (xml, 'w', "val");

  if (value != NULL)
    look->white = postbag_look_answer (g_ascii_strcasecmp (value, "ffffff") == 0
                                       || g_ascii_strcasecmp (value, "white") == 0);
}

/* Half points: two points and less are dust. */
void
postbag_docx_look_take_size (PostbagLook *look, PostbagXml *xml)
{
  gint64 size = postbag_xml_get_number (xml, 'w', "val", 0, 10000, -1);

  if (size >= 0)
    look->tiny = postbag_look_answer (size <= SMALLEST_LETTER);
}

static void
take_hidden (PostbagXml *xml, gpointer user_data)
{
  PostbagDocxStyles *self = user_data;

  if (self->style != NULL)
    postbag_docx_look_take_hidden (&self->style->look, xml);
}

static void
take_color (PostbagXml *xml, gpointer user_data)
{
  PostbagDocxStyles *self = user_data;

  if (self->style != NULL)
    postbag_docx_look_take_color (&self->style->look, xml);
}

static void
take_size (PostbagXml *xml, gpointer user_data)
{
  PostbagDocxStyles *self = user_data;

  if (self->style != NULL)
    postbag_docx_look_take_size (&self->style->look, xml);
}

static const PostbagXmlElement style_elements[] = {
  { 'w', "style", start_style },
  { 'w', "name", take_style_name },
  { 'w', "basedOn", take_parent },
  { 'w', "outlineLvl", take_outline },
  { 'w', "numId", take_style_list },
  { 'w', "ilvl", take_style_level },
  { 'w', "vanish", take_hidden },
  { 'w', "color", take_color },
  { 'w', "sz", take_size },
  { 'w', "tblStylePr", postbag_xml_skip },
  { 'w', "rPrDefault", start_defaults, end_defaults },
  { 'w', "pPrDefault", postbag_xml_skip },
  { '\0', NULL },
};
static const PostbagXmlHandler style_handler = { postbag_ooxml_spaces, style_elements, NULL };

/* --- numbering.xml --- */

static void
start_list (PostbagXml *xml, gpointer user_data)
{
  PostbagDocxStyles *self = user_data;
  gint64 id = postbag_xml_get_number (xml, 'w', "abstractNumId", 0, G_MAXINT32, -1);

  self->list = NULL;
  self->level = -1;
  if (id < 0 || !has_row (self))
    {
      postbag_xml_skip (xml, NULL);
      return;
    }
  self->list = g_new0 (List, 1);
  self->list->counter = postbag_list_new ();
  for (guint i = 0; i < LEVELS; i++)
    self->list->counter->levels[i].start = 1;
  g_hash_table_replace (self->lists, copy_number (id), self->list);
}

static void
end_list (gpointer user_data)
{
  PostbagDocxStyles *self = user_data;

  self->list = NULL;
}

static void
start_number (PostbagXml *xml, gpointer user_data)
{
  PostbagDocxStyles *self = user_data;
  gint64 id = postbag_xml_get_number (xml, 'w', "numId", 0, G_MAXINT32, -1);

  self->number = NULL;
  self->level = -1;
  if (id < 0 || !has_row (self))
    {
      postbag_xml_skip (xml, NULL);
      return;
    }
  self->number = g_new0 (Number, 1);
  self->number->list = -1;
  for (guint i = 0; i < LEVELS; i++)
    self->number->starts[i] = -1;
  g_hash_table_replace (self->numbers, copy_number (id), self->number);
}

static void
take_list_of_number (PostbagXml *xml, gpointer user_data)
{
  PostbagDocxStyles *self = user_data;

  if (self->number != NULL)
    self->number->list = get_value (xml, G_MAXINT32, -1);
}

static void
start_level (PostbagXml *xml, gpointer user_data)
{
  PostbagDocxStyles *self = user_data;

  self->level = (gint)postbag_xml_get_number (xml, 'w', "ilvl", 0, LEVELS - 1, -1);
}

static void
take_start_override (PostbagXml *xml, gpointer user_data)
{
  PostbagDocxStyles *self = user_data;

  if (self->number != NULL && self->level >= 0)
    self->number->starts[self->level] = get_value (xml, MAX_LIST_NUMBER, 1);
}

/* (nullable): the level of a definition; one within an override is looked through */
static PostbagListLevel *
get_level (PostbagDocxStyles *self)
{
  return self->list != NULL && self->level >= 0 ? &self->list->counter->levels[self->level] : NULL;
}

static void
take_start (PostbagXml *xml, gpointer user_data)
{
  PostbagListLevel *level = get_level (user_data);

  if (level != NULL)
    level->start = get_value (xml, MAX_LIST_NUMBER, 1);
}

static void
replace_word (char **word, PostbagXml *xml)
{
  const char *value = postbag_xml_get (xml, 'w', "val");

  if (value == NULL || strlen (value) > MAX_MARKER)
    return;
  g_free (*word);
  *word = g_strdup (value);
}

static void
take_format (PostbagXml *xml, gpointer user_data)
{
  static const struct
  {
    const char *format;
    PostbagListKind kind;
  } kinds[] = {
    { "bullet", POSTBAG_LIST_BULLET },       { "none", POSTBAG_LIST_NONE },
    { "lowerRoman", POSTBAG_LIST_ROMAN },    { "upperRoman", POSTBAG_LIST_UPPER_ROMAN },
    { "lowerLetter", POSTBAG_LIST_LETTERS }, { "upperLetter", POSTBAG_LIST_UPPER_LETTERS },
  };
  PostbagListLevel *level = get_level (user_data);
  const char *format = postbag_xml_get (xml, 'w', "val");

  if (level == NULL)
    return;
  level->kind = POSTBAG_LIST_DECIMAL;
  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (g_strcmp0 (kinds[i].format, format) == 0)
      level->kind = kinds[i].kind;
}

static void
take_marker_text (PostbagXml *xml, gpointer user_data)
{
  PostbagListLevel *level = get_level (user_data);

  if (level != NULL)
    replace_word (&level->text, xml);
}

static void
take_level_style (PostbagXml *xml, gpointer user_data)
{
  PostbagDocxStyles *self = user_data;

  if (get_level (self) != NULL)
    replace_word (&self->list->styles[self->level], xml);
}

static void
take_list_style (PostbagXml *xml, gpointer user_data)
{
  PostbagDocxStyles *self = user_data;

  if (self->list != NULL)
    replace_word (&self->list->style, xml);
}

static const PostbagXmlElement list_elements[] = {
  { 'w', "abstractNum", start_list, end_list },
  { 'w', "num", start_number },
  { 'w', "abstractNumId", take_list_of_number },
  { 'w', "lvl", start_level },
  { 'w', "lvlOverride", start_level },
  { 'w', "startOverride", take_start_override },
  { 'w', "start", take_start },
  { 'w', "numFmt", take_format },
  { 'w', "lvlText", take_marker_text },
  { 'w', "pStyle", take_level_style },
  { 'w', "numStyleLink", take_list_style },
  { '\0', NULL },
};
static const PostbagXmlHandler list_handler = { postbag_ooxml_spaces, list_elements, NULL };

PostbagDocxStyles *
postbag_docx_styles_read (PostbagZip *zip, PostbagRelations *relations)
{
  PostbagDocxStyles *self = g_new0 (PostbagDocxStyles, 1);
  const char *styles = postbag_relations_find_part (relations, zip, "styles");
  const char *lists = postbag_relations_find_part (relations, zip, "numbering");

  self->styles = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, free_style);
  self->lists = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, free_list);
  self->numbers = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  self->rows_left = POSTBAG_LIMIT_DOCUMENT_ROWS;
  if (styles != NULL)
    postbag_xml_read_part (zip, styles, &style_handler, self, NULL);
  if (lists != NULL)
    postbag_xml_read_part (zip, lists, &list_handler, self, NULL);
  return self;
}

void
postbag_docx_styles_free (PostbagDocxStyles *self)
{
  g_hash_table_unref (self->styles);
  g_hash_table_unref (self->lists);
  g_hash_table_unref (self->numbers);
  g_free (self->default_style);
  g_free (self);
}

/* --- what they say --- */

guint
postbag_docx_styles_get_heading (PostbagDocxStyles *self, const char *style)
{
  const Style *found = style != NULL ? g_hash_table_lookup (self->styles, style) : NULL;

  /* Some programs write no styles and leave it at their usual ids. */
  if (found == NULL)
    return style != NULL && g_str_has_prefix (style, "Heading") && style[7] >= '1'
                   && style[7] <= '9' && style[8] == '\0'
               ? (guint)(style[7] - '0')
               : 0;
  for (guint i = 0; i < MAX_PARENTS && found != NULL; i++)
    {
      if (found->heading > 0)
        return found->heading;
      found = found->parent != NULL ? g_hash_table_lookup (self->styles, found->parent) : NULL;
    }
  return 0;
}

PostbagLook
postbag_docx_styles_get_look (PostbagDocxStyles *self, const char *style)
{
  const Style *found = style != NULL ? g_hash_table_lookup (self->styles, style) : NULL;
  PostbagLook look = { POSTBAG_LOOK_UNSET };

  for (guint i = 0; i < MAX_PARENTS && found != NULL; i++)
    {
      postbag_look_inherit (&look, &found->look);
      found = found->parent != NULL ? g_hash_table_lookup (self->styles, found->parent) : NULL;
    }
  return look;
}

const char *
postbag_docx_styles_get_default (PostbagDocxStyles *self)
{
  return self->default_style;
}

PostbagLook
postbag_docx_styles_get_paragraph_look (PostbagDocxStyles *self, const char *style)
{
  PostbagLook look = postbag_docx_styles_get_look (self, style);

  postbag_look_inherit (&look, &self->defaults.look);
  return look;
}

/* (nullable) */
static List *
find_list (PostbagDocxStyles *self, gint64 id, Number **number)
{
  List *list;

  *number = g_hash_table_lookup (self->numbers, &id);
  list = *number != NULL ? g_hash_table_lookup (self->lists, &(*number)->list) : NULL;
  if (list != NULL && list->style != NULL)
    {
      const Style *style = g_hash_table_lookup (self->styles, list->style);
      const Number *other =
          style != NULL ? g_hash_table_lookup (self->numbers, &style->list) : NULL;

      if (other != NULL)
        list = g_hash_table_lookup (self->lists, &other->list);
    }
  return list;
}

/* The level that a list keeps for paragraphs of a style. */
static gint
find_level_of_style (PostbagDocxStyles *self, gint64 id, const char *style)
{
  Number *number;
  const List *list = find_list (self, id, &number);

  for (gint i = 0; list != NULL && i < LEVELS; i++)
    if (g_strcmp0 (list->styles[i], style) == 0)
      return i;
  return 0;
}

gint64
postbag_docx_styles_get_list (PostbagDocxStyles *self, const char *style, gint *level)
{
  for (guint i = 0; i < MAX_PARENTS && style != NULL; i++)
    {
      const Style *found = g_hash_table_lookup (self->styles, style);

      if (found == NULL)
        return -1;
      if (found->level >= 0 && *level < 0)
        *level = found->level;
      if (found->list >= 0)
        {
          if (*level < 0)
            *level = find_level_of_style (self, found->list, style);
          return found->list;
        }
      style = found->parent;
    }
  return -1;
}

gboolean
postbag_docx_styles_count_item (PostbagDocxStyles *self, gint64 id, gint level,
                                PostbagDocxItem *item)
{
  Number *number;
  List *list = find_list (self, id, &number);

  if (id <= 0 || list == NULL)
    return FALSE;
  level = CLAMP (level, 0, LEVELS - 1);
  if (!number->was_used)
    postbag_list_restart (list->counter, number->starts);
  number->was_used = TRUE;
  item->level = (guint)level;
  item->is_bullet = list->counter->levels[level].kind == POSTBAG_LIST_BULLET;
  item->marker = postbag_list_count (list->counter, (guint)level);
  return item->marker != NULL;
}
