/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* HTML as the text a person would see. libxml2's push parser (SAX, HTML mode, no network, no DTD)
 * reads what the pre-scan left and mends the nesting; a stack of our own says of each open element
 * whether its text is seen. */

#include "safety/postbag-html.h"

#include <libxml/HTMLparser.h>
#include <libxml/parser.h>
#include <string.h>

#include "safety/postbag-html-reader-private.h"

#define FEED_BYTES 16384

static void
read_attributes (PostbagHtmlReader *self, const xmlChar **attributes, PostbagHtmlAttributes *result)
{
  gboolean asks =
      (postbag_css_sheet_get_needs (self->scan->sheet) & POSTBAG_CSS_NEEDS_ATTRIBUTES) != 0;

  memset (result, 0, sizeof *result);
  for (; attributes != NULL && attributes[0] != NULL; attributes += 2)
    {
      const char *name = (const char *)attributes[0];
      PostbagHtmlAttribute index = postbag_html_find_attribute (name, strlen (name));

      if (index < POSTBAG_HTML_N_ATTRIBUTES)
        result->value[index] = attributes[1] != NULL ? (const char *)attributes[1] : "";
      if (asks)
        result->tests |= postbag_css_sheet_test_attribute (
            self->scan->sheet, name, attributes[1] != NULL ? (const char *)attributes[1] : "");
    }
}

/* Shut, it shows its summary and nothing else. */
static void
fold (PostbagHtmlElement *element, const PostbagHtmlElement *parent,
      const PostbagHtmlAttributes *attributes)
{
  element->folded =
      element->kind == POSTBAG_HTML_DETAILS && attributes->value[POSTBAG_HTML_OPEN] == NULL;
  if (parent->folded && element->gone == NULL && element->kind != POSTBAG_HTML_SUMMARY)
    element->gone = POSTBAG_HIDDEN_DETAILS;
}

static void
handle_start (void *user_data, const xmlChar *name, const xmlChar **attributes)
{
  PostbagHtmlReader *self = user_data;
  const PostbagHtmlElement *parent = postbag_html_reader_get_top (self);
  PostbagHtmlAttributes values;
  PostbagHtmlElement *element;
  const char *reason;

  if (self->depth + 1 >= POSTBAG_HTML_STACK)
    {
      self->overflow++;
      return;
    }
  element = &self->stack[++self->depth];
  *element = *parent;
  read_attributes (self, attributes, &values);
  element->kind = postbag_html_find_kind ((const char *)name, &reason);
  if (element->gone == NULL)
    element->gone = reason;
  fold (element, parent, &values);
  postbag_html_reader_apply_style (self, (const char *)name, &values);
  postbag_html_reader_begin (self, &values);
  postbag_html_reader_generate (self, &values);
}

/* libxml2 ends what it began, in order. */
static void
handle_end (void *user_data, const xmlChar *name)
{
  PostbagHtmlReader *self = user_data;

  if (self->overflow > 0)
    {
      self->overflow--;
      return;
    }
  postbag_html_reader_end (self);
  if (self->depth > 0)
    self->depth--;
  postbag_css_variables_truncate (self->variables, postbag_html_reader_get_top (self)->variables);
}

static void
handle_text (void *user_data, const xmlChar *text, int length)
{
  PostbagHtmlReader *self = user_data;
  PostbagHtmlElement *top = postbag_html_reader_get_top (self);
  const char *unseen = top->unseen;

  if (top->folded && unseen == NULL)
    top->unseen = POSTBAG_HIDDEN_DETAILS; /* between the elements of it */
  postbag_html_reader_text (self, (const char *)text, (gsize)length);
  top->unseen = unseen;
}

/* --- the survey: the same elements, to see what comes later on the page --- */

static void
survey_start (void *user_data, const xmlChar *name, const xmlChar **attributes)
{
  PostbagHtmlReader *self = user_data;
  PostbagHtmlAttributes values;
  const char *reason;

  if (self->depth + 1 >= POSTBAG_HTML_STACK)
    {
      self->overflow++;
      return;
    }
  self->depth++;
  read_attributes (self, attributes, &values);
  postbag_html_reader_get_top (self)->kind = postbag_html_find_kind ((const char *)name, &reason);
  postbag_html_reader_read_node (self, (const char *)name, &values);
  postbag_html_tree_mark (self->tree, self->nodes, self->depth);
}

static void
survey_end (void *user_data, const xmlChar *name)
{
  PostbagHtmlReader *self = user_data;

  if (self->overflow > 0)
    {
      self->overflow--;
      return;
    }
  postbag_html_tree_end (self->tree, self->depth);
  if (self->depth > 0)
    self->depth--;
}

static void
survey_text (void *user_data, const xmlChar *text, int length)
{
  PostbagHtmlReader *self = user_data;

  if (length > 0)
    postbag_html_tree_text (self->tree, self->depth);
}

static void feed (PostbagHtmlReader *reader, gboolean survey);

static void
survey (PostbagHtmlReader *self)
{
  if (self->tree == NULL || !postbag_html_tree_wants_survey (self->tree)
      || strlen (self->scan->stream) > POSTBAG_LIMIT_HTML_SURVEY_BYTES)
    return;
  postbag_html_tree_begin_survey (self->tree);
  feed (self, TRUE);
  postbag_html_tree_end (self->tree, 0);
  postbag_html_tree_end_survey (self->tree);
  self->depth = self->overflow = 0;
}

static void
feed (PostbagHtmlReader *reader, gboolean survey)
{
  const char *html = reader->scan->stream;
  gsize length = strlen (html);
  xmlSAXHandler sax = { 0 };
  htmlParserCtxtPtr parser;

  sax.startElement = survey ? survey_start : handle_start;
  sax.endElement = survey ? survey_end : handle_end;
  sax.characters = survey ? survey_text : handle_text;
  sax.cdataBlock = sax.ignorableWhitespace = sax.characters;
  parser = htmlCreatePushParserCtxt (&sax, reader, NULL, 0, NULL, XML_CHAR_ENCODING_UTF8);
  if (parser == NULL)
    return;
  htmlCtxtUseOptions (parser, HTML_PARSE_RECOVER | HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING
                                  | HTML_PARSE_NONET | HTML_PARSE_NOIMPLIED);
  for (gsize at = 0; at < length; at += FEED_BYTES)
    htmlParseChunk (parser, html + at, (int)MIN (length - at, FEED_BYTES), 0);
  htmlParseChunk (parser, NULL, 0, 1);
  if (parser->myDoc != NULL)
    xmlFreeDoc (parser->myDoc);
  htmlFreeParserCtxt (parser);
}

static char *
read_html (const char *html, gsize length, PostbagHtmlReport *report)
{
  g_autoptr (PostbagHtmlScan) scan = postbag_html_prescan (html, length, report);
  g_autofree PostbagHtmlReader *reader = g_new (PostbagHtmlReader, 1);
  gsize lost;
  char *text;

  memset (reader, 0, offsetof (PostbagHtmlReader, stack) + sizeof reader->stack[0]);
  reader->scan = scan;
  reader->report = report;
  reader->writer = postbag_html_writer_new ();
  reader->conversions = POSTBAG_LIMIT_LINK_CONVERSIONS;
  reader->relatives = POSTBAG_LIMIT_LINK_RELATIVES;
  postbag_html_sight_init (&reader->stack[0].sight);
  reader->tree = postbag_html_tree_new (scan->sheet);
  reader->variables = postbag_css_variables_new (scan->sheet);
  reader->texts = g_array_new (FALSE, FALSE, sizeof (PostbagCssText));
  survey (reader);
  feed (reader, FALSE);
  postbag_html_tree_free (reader->tree);
  postbag_css_variables_free (reader->variables);
  g_array_unref (reader->texts);
  while (reader->depth > 0)
    handle_end (reader, NULL);
  postbag_html_reader_end_link (reader);
  report->cut |= postbag_css_sheet_is_cut (scan->sheet);
  lost = postbag_html_writer_count_lost (reader->writer);
  text = postbag_html_writer_finish (reader->writer);
  postbag_html_report_hide (report, POSTBAG_HIDDEN_BLANK_LINES, lost);
  postbag_html_report_count_invisible (report, text);
  return text;
}

char *
postbag_html_to_text (const char *html, gsize length, PostbagHtmlReport *report)
{
  static gsize started = 0;
  g_autoptr (PostbagHtmlReport) unwanted = NULL;

  if (g_once_init_enter (&started))
    {
      xmlInitParser ();
      g_once_init_leave (&started, 1);
    }
  if (report == NULL)
    report = unwanted = postbag_html_report_new ();
  return read_html (html, length, report);
}
