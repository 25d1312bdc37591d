/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* WordprocessingML (ECMA-376 part 1, 17). Only text inside `t` counts: deleted text, field codes
 * and definitions of tab stops have names of their own or stand in properties. */

#include "postbag-ooxml-readers.h"

#include <string.h>

#include "extract/postbag-markdown.h"
#include "extract/postbag-xml.h"

#define MOST_MARGINS 16 /* headers and footers looked for */

typedef struct
{
  PostbagMarkdown *markdown;
  guint in_text;
  guint in_properties; /* of a paragraph or run */
  guint skipped;       /* depth below an element that is left out */
  const char *note;    /* (nullable): what a note of this part is called */
  gboolean run_hidden;
  gint64 hidden;
} Reader;

static gboolean
is_skipped (const char *name)
{
  static const char *const names[] = {
    "Fallback", "moveFrom", "del", "delText", "instrText", NULL
  };

  return g_strv_contains (names, name);
}

static gboolean
is_properties (const char *name)
{
  static const char *const names[] = { "pPr", "rPr", "tblPr", "tcPr", "trPr", "sectPr", NULL };

  return g_strv_contains (names, name);
}

/* "Heading2", "heading 2", "Title" in whatever letter case: 0 for another style */
static guint
get_heading_level (const char *style)
{
  g_autofree char *lower = g_ascii_strdown (style, -1);
  const char *digits = lower + strcspn (lower, "0123456789");

  if (strcmp (lower, "title") == 0)
    return 1;
  if (!g_str_has_prefix (lower, "heading") || !g_ascii_isdigit (*digits))
    return 0;
  return (guint)(*digits - '0');
}

static void
read_property (Reader *reader, const char *name, const PostbagXmlAttributes *attributes)
{
  g_autofree char *value = postbag_xml_attribute (attributes, "val");
  guint level;

  if (strcmp (name, "pStyle") == 0 && value != NULL)
    {
      level = get_heading_level (value);
      if (level > 0)
        postbag_markdown_begin_heading (reader->markdown, level);
    }
  else if (strcmp (name, "ilvl") == 0)
    postbag_markdown_begin_item (
        reader->markdown, (guint)CLAMP (postbag_xml_attribute_int (attributes, "val", 0), 0, 8),
        "-");
  else if (strcmp (name, "vanish") == 0 || strcmp (name, "webHidden") == 0)
    reader->run_hidden |=
        value == NULL || (strcmp (value, "0") != 0 && strcmp (value, "false") != 0);
  else if (strcmp (name, "color") == 0 && value != NULL)
    reader->run_hidden |= g_ascii_strcasecmp (value, "ffffff") == 0;
  else if (strcmp (name, "sz") == 0)
    reader->run_hidden |= postbag_xml_attribute_int (attributes, "val", 24) <= 4;
}

static void
start_note (Reader *reader, const PostbagXmlAttributes *attributes)
{
  g_autofree char *label = NULL, *id = postbag_xml_attribute (attributes, "id");
  g_autofree char *author = postbag_xml_attribute (attributes, "author");

  postbag_markdown_end_block (reader->markdown);
  if (author != NULL)
    label = g_strdup_printf ("[%s, %s] ", reader->note, author);
  else
    label = g_strdup_printf ("[%s %s] ", reader->note, id != NULL ? id : "");
  postbag_markdown_text (reader->markdown, label, -1);
}

/* A reference inside the text: the note itself follows at the end. */
static void
write_reference (Reader *reader, const char *what, const PostbagXmlAttributes *attributes)
{
  g_autofree char *id = postbag_xml_attribute (attributes, "id");
  g_autofree char *label = g_strdup_printf ("[%s %s]", what, id != NULL ? id : "");

  postbag_markdown_text (reader->markdown, label, -1);
}

static void
start_inline (Reader *reader, const char *name, const PostbagXmlAttributes *attributes)
{
  if (strcmp (name, "t") == 0)
    reader->in_text++;
  else if (strcmp (name, "r") == 0)
    reader->run_hidden = FALSE;
  else if (strcmp (name, "tab") == 0 || strcmp (name, "ptab") == 0)
    postbag_markdown_text (reader->markdown, "\t", 1);
  else if (strcmp (name, "br") == 0 || strcmp (name, "cr") == 0)
    postbag_markdown_break (reader->markdown);
  else if (strcmp (name, "noBreakHyphen") == 0)
    postbag_markdown_text (reader->markdown, "-", 1);
  else if (strcmp (name, "footnoteReference") == 0)
    write_reference (reader, "Footnote", attributes);
  else if (strcmp (name, "endnoteReference") == 0)
    write_reference (reader, "Endnote", attributes);
}

static gboolean
start_structure (Reader *reader, const char *name, const PostbagXmlAttributes *attributes)
{
  static const char *const notes[] = { "footnote", "endnote", "comment", NULL };

  if (strcmp (name, "p") == 0 && reader->note == NULL)
    postbag_markdown_end_block (reader->markdown);
  else if (strcmp (name, "tbl") == 0)
    postbag_markdown_begin_table (reader->markdown);
  else if (strcmp (name, "tr") == 0)
    postbag_markdown_begin_row (reader->markdown);
  else if (strcmp (name, "tc") == 0)
    postbag_markdown_begin_cell (reader->markdown);
  else if (reader->note != NULL && g_strv_contains (notes, name))
    {
      /* Separators are notes of another type, without text. */
      g_autofree char *type = postbag_xml_attribute (attributes, "type");

      if (type == NULL || strcmp (type, "normal") == 0)
        start_note (reader, attributes);
    }
  else
    return FALSE;
  return TRUE;
}

static void
start (gpointer data, const char *name, const PostbagXmlAttributes *attributes)
{
  Reader *reader = data;

  if (reader->skipped > 0 || (is_skipped (name) && reader->in_properties == 0))
    reader->skipped++;
  else if (is_properties (name))
    reader->in_properties++;
  else if (reader->in_properties > 0)
    read_property (reader, name, attributes);
  else if (!start_structure (reader, name, attributes))
    start_inline (reader, name, attributes);
}

static void
end (gpointer data, const char *name)
{
  Reader *reader = data;

  if (reader->skipped > 0)
    reader->skipped--;
  else if (is_properties (name))
    reader->in_properties -= reader->in_properties > 0;
  else if (reader->in_properties > 0)
    return;
  else if (strcmp (name, "t") == 0)
    reader->in_text -= reader->in_text > 0;
  else if (strcmp (name, "p") == 0)
    postbag_markdown_end_block (reader->markdown);
  else if (strcmp (name, "tc") == 0)
    postbag_markdown_end_cell (reader->markdown);
  else if (strcmp (name, "tr") == 0)
    postbag_markdown_end_row (reader->markdown);
  else if (strcmp (name, "tbl") == 0)
    postbag_markdown_end_table (reader->markdown);
}

static void
take_text (gpointer data, const char *text, gsize length)
{
  Reader *reader = data;

  if (reader->skipped > 0 || reader->in_text == 0)
    return;
  if (reader->run_hidden)
    reader->hidden++;
  postbag_markdown_text (reader->markdown, text, (gssize)length);
}

static gboolean
is_full (gpointer data)
{
  return postbag_markdown_is_full (((Reader *)data)->markdown);
}

static gboolean
read_part (Reader *reader, PostbagPackage *package, const char *name, GError **error)
{
  static const PostbagXmlHandler handler = { start, end, take_text, is_full };
  g_autoptr (GBytes) bytes = postbag_package_read (package, name, error);
  gsize length;
  const guint8 *data = bytes != NULL ? g_bytes_get_data (bytes, &length) : NULL;

  reader->in_text = reader->in_properties = reader->skipped = 0;
  return bytes != NULL && postbag_xml_read (data, length, &handler, reader, error);
}

static void
read_margins (Reader *reader, PostbagPackage *package, const char *kind, const char *label)
{
  for (int i = 1; i <= MOST_MARGINS; i++)
    {
      g_autofree char *name = g_strdup_printf ("word/%s%d.xml", kind, i);

      if (!postbag_package_has (package, name))
        continue;
      postbag_markdown_end_block (reader->markdown);
      reader->note = NULL;
      postbag_markdown_text (reader->markdown, label, -1);
      reader->note = label; /* its first paragraph goes on behind the label */
      read_part (reader, package, name, NULL);
    }
}

/* What stands beside the text: missing or damaged, it is only missing. */
static void
read_beside (Reader *reader, PostbagPackage *package)
{
  static const struct
  {
    const char *name;
    const char *label;
  } parts[] = {
    { "word/footnotes.xml", "Footnote" },
    { "word/endnotes.xml", "Endnote" },
    { "word/comments.xml", "Comment" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      reader->note = parts[i].label;
      if (postbag_package_has (package, parts[i].name))
        read_part (reader, package, parts[i].name, NULL);
    }
  read_margins (reader, package, "header", "[Page header] ");
  read_margins (reader, package, "footer", "[Page footer] ");
}

gboolean
postbag_docx_read (PostbagPackage *package, PostbagExtractOutput *output, GError **error)
{
  g_autoptr (PostbagMarkdown) markdown = postbag_markdown_new (output);
  Reader reader = { .markdown = markdown };

  if (!read_part (&reader, package, "word/document.xml", error))
    return FALSE;
  if (!postbag_markdown_is_full (markdown))
    read_beside (&reader, package);
  output->count (output, "hidden_runs", reader.hidden);
  return TRUE;
}
