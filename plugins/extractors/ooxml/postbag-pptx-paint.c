/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-pptx-paint.h"

#include <string.h>

typedef struct
{
  PostbagZip *zip; /* no flag stands first: 0 is none */
  gboolean in_background, in_shape;
  gboolean has_paint;
} Reader;

gboolean
postbag_pptx_paint_is_white_color (PostbagXml *xml)
{
  static const char *const names[] = { "ffffff", "bg1", "lt1", "window", "white", NULL };
  const char *value = postbag_xml_get (xml, '\0', "val");
  g_autofree char *lower = value != NULL ? g_ascii_strdown (value, -1) : NULL;

  return lower != NULL && g_strv_contains (names, lower);
}

static void
take_color (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;

  self->has_paint |=
      (self->in_background || self->in_shape) && !postbag_pptx_paint_is_white_color (xml);
}

static void
take_fill (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;

  self->has_paint |= self->in_background || self->in_shape;
}

/* A fill of the theme; 0 is none (ECMA-376 part 1, 20.1.4.2.10). */
static void
take_style (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;

  self->has_paint |= postbag_xml_get_number (xml, '\0', "idx", 0, G_MAXINT32, 0) != 0;
}

/* Of what a master calls paper. */
static void
take_names (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;
  const char *paper = postbag_xml_get (xml, '\0', "bg1");

  self->has_paint |= paper != NULL && strcmp (paper, "lt1") != 0;
}

static const PostbagXmlElement elements[] = {
  { 'p', "bg", POSTBAG_XML_INSIDE (Reader, in_background) },
  { 'p', "spPr", POSTBAG_XML_INSIDE (Reader, in_shape) },
  { 'p', "pic", POSTBAG_XML_SEEN (Reader, has_paint) },
  { 'p', "clrMap", take_names },
  { 'p', "txBody", postbag_xml_skip },
  { 'a', "ln", postbag_xml_skip },
  { 'a', "srgbClr", take_color },
  { 'a', "scrgbClr", take_color },
  { 'a', "hslClr", take_color },
  { 'a', "prstClr", take_color },
  { 'a', "schemeClr", take_color },
  { 'a', "sysClr", take_color },
  { 'a', "gradFill", take_fill },
  { 'a', "blipFill", take_fill },
  { 'a', "pattFill", take_fill },
  { 'a', "fillRef", take_style },
  { '\0', NULL },
};
static const PostbagXmlHandler handler = { postbag_ooxml_spaces, elements, NULL };

static gboolean
has_paint (PostbagZip *zip, const char *part)
{
  Reader self = { zip };

  return !postbag_xml_read_part (self.zip, part, &handler, &self, NULL) || self.has_paint;
}

/* What cannot be read may be anything. */
gboolean
postbag_pptx_paint_is_white (PostbagZip *zip, const char *part, PostbagRelations *relations)
{
  const char *layout = postbag_relations_find_part (relations, zip, "slideLayout");
  g_autoptr (PostbagRelations) of_layout =
      layout != NULL ? postbag_relations_read (zip, layout) : NULL;
  const char *master =
      layout != NULL ? postbag_relations_find_part (of_layout, zip, "slideMaster") : NULL;

  return !has_paint (zip, part) && (layout == NULL || !has_paint (zip, layout))
         && (master == NULL || !has_paint (zip, master));
}
