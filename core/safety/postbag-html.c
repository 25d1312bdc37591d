/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* HTML as the text a person would see. libxml2's push parser (SAX, HTML mode, no network, no DTD)
 * reads what the pre-scan left and mends the nesting; a stack of our own says of each open element
 * whether its text is seen. */

#include "safety/postbag-html.h"

#include <libxml/HTMLparser.h>
#include <libxml/parser.h>
#include <string.h>

#include "base/postbag-limits.h"
#include "safety/postbag-html-private.h"

#define FEED_BYTES 16384

typedef enum
{
  INLINE,
  BLOCK,
  PARAGRAPH,
  BREAK,
  RULE,
  CELL,
  ITEM,
  LIST,
  ORDERED,
  QUOTE,
  PRE,
  LINK,
  IMAGE,
  DROPPED,
} Kind;

static const struct
{
  const char *name;
  Kind kind;
} kinds[] = {
  { "a", LINK },           { "address", BLOCK },    { "article", BLOCK },    { "aside", BLOCK },
  { "blockquote", QUOTE }, { "br", BREAK },         { "center", BLOCK },     { "dd", BLOCK },
  { "details", BLOCK },    { "div", BLOCK },        { "dl", BLOCK },         { "dt", BLOCK },
  { "fieldset", BLOCK },   { "figcaption", BLOCK }, { "figure", BLOCK },     { "footer", BLOCK },
  { "form", BLOCK },       { "h1", PARAGRAPH },     { "h2", PARAGRAPH },     { "h3", PARAGRAPH },
  { "h4", PARAGRAPH },     { "h5", PARAGRAPH },     { "h6", PARAGRAPH },     { "head", DROPPED },
  { "header", BLOCK },     { "hr", RULE },          { "img", IMAGE },        { "li", ITEM },
  { "main", BLOCK },       { "nav", BLOCK },        { "noscript", DROPPED }, { "ol", ORDERED },
  { "option", BLOCK },     { "p", PARAGRAPH },      { "pre", PRE },          { "script", DROPPED },
  { "section", BLOCK },    { "style", DROPPED },    { "summary", BLOCK },    { "table", BLOCK },
  { "td", CELL },          { "template", DROPPED }, { "th", CELL },          { "title", DROPPED },
  { "tr", BLOCK },         { "ul", LIST },
};

typedef struct
{
  Kind kind;
  gboolean removed; /* hidden with all that is in it */
  gboolean dropped; /* not text at all: head, template, ... */
  gboolean unseen;  /* visibility, inherited */
  gboolean tiny;    /* font size, inherited */
} Element;

typedef struct
{
  PostbagHtmlWriter *writer;
  Element stack[POSTBAG_LIMIT_HTML_DEPTH + 1]; /* [0] is outside of everything */
  guint depth;
  guint overflow; /* elements open beyond the stack; their text counts as their parent's */
  gsize hidden_chars;
  char *href; /* (nullable): of the open link */
  gsize href_mark;
} Reader;

/* kinds[] is sorted. */
static Kind
find_kind (const char *name)
{
  gsize low = 0, high = G_N_ELEMENTS (kinds);

  while (low < high)
    {
      gsize middle = (low + high) / 2;
      int order = strcmp (name, kinds[middle].name);

      if (order == 0)
        return kinds[middle].kind;
      if (order < 0)
        high = middle;
      else
        low = middle + 1;
    }
  return INLINE;
}

static Element *
get_top (Reader *self)
{
  return &self->stack[self->depth];
}

static gboolean
is_shown (const Element *element)
{
  return !element->removed && !element->dropped && !element->unseen && !element->tiny;
}

static const char *
find_attribute (const xmlChar **attributes, const char *name)
{
  for (; attributes != NULL && attributes[0] != NULL; attributes += 2)
    if (strcmp ((const char *)attributes[0], name) == 0)
      return attributes[1] != NULL ? (const char *)attributes[1] : "";
  return NULL;
}

/* --- links --- */

/* Only addresses that mean something to a reader are shown; nothing is ever fetched. */
static gboolean
is_shown_scheme (const char *href)
{
  return g_ascii_strncasecmp (href, "http://", 7) == 0
         || g_ascii_strncasecmp (href, "https://", 8) == 0
         || g_ascii_strncasecmp (href, "mailto:", 7) == 0;
}

/* (transfer full): without blanks and controls, which browsers ignore; bounded */
static char *
tidy_href (const char *href)
{
  GString *out = g_string_new (NULL);

  for (const char *p = href; *p != '\0' && out->len < POSTBAG_LIMIT_LINK_BYTES; p++)
    if ((guchar)*p > ' ' && *p != 0x7f)
      g_string_append_c (out, *p);
  if (out->len >= POSTBAG_LIMIT_LINK_BYTES)
    {
      const char *end;

      g_utf8_validate (out->str, (gssize)out->len, &end);
      g_string_truncate (out, (gsize)(end - out->str));
      g_string_append (out, "…");
    }
  return g_string_free (out, FALSE);
}

static void
begin_link (Reader *self, const xmlChar **attributes)
{
  const char *href = find_attribute (attributes, "href");

  g_clear_pointer (&self->href, g_free);
  if (href == NULL || !is_shown (get_top (self)))
    return;
  self->href = tidy_href (href);
  self->href_mark = postbag_html_writer_mark (self->writer);
  if (!is_shown_scheme (self->href))
    g_clear_pointer (&self->href, g_free);
}

static void
end_link (Reader *self)
{
  g_autofree char *href = g_steal_pointer (&self->href);
  g_autofree char *text = NULL;
  g_autofree char *shown = NULL;
  const char *address;

  if (href == NULL)
    return;
  address = g_ascii_strncasecmp (href, "mailto:", 7) == 0 ? href + 7 : href;
  text = g_strstrip (g_strdup (postbag_html_writer_since (self->writer, self->href_mark)));
  if (strcmp (text, href) == 0 || strcmp (text, address) == 0)
    return;
  shown = g_strdup_printf (text[0] != '\0' ? " (%s)" : "(%s)", href);
  postbag_html_writer_text (self->writer, shown, strlen (shown));
}

/* --- elements --- */

static void
begin_kind (Reader *self, Kind kind, const xmlChar **attributes)
{
  const char *text;

  switch (kind)
    {
    case BLOCK:
      postbag_html_writer_block (self->writer, 1);
      break;
    case PARAGRAPH:
    case RULE:
      postbag_html_writer_block (self->writer, 2);
      break;
    case BREAK:
      postbag_html_writer_break (self->writer);
      break;
    case CELL:
      postbag_html_writer_cell (self->writer);
      break;
    case ITEM:
      postbag_html_writer_item (self->writer);
      break;
    case LIST:
      postbag_html_writer_begin_list (self->writer, -1);
      break;
    case ORDERED:
      text = find_attribute (attributes, "start");
      postbag_html_writer_begin_list (
          self->writer, text != NULL ? (int)CLAMP (g_ascii_strtoll (text, NULL, 10), 0, 99999) : 1);
      break;
    case QUOTE:
      postbag_html_writer_quote (self->writer, 1);
      break;
    case PRE:
      postbag_html_writer_pre (self->writer, 1);
      break;
    case LINK:
      begin_link (self, attributes);
      break;
    case IMAGE:
      text = find_attribute (attributes, "alt");
      if (text != NULL)
        postbag_html_writer_text (self->writer, text, strlen (text));
      break;
    default:
      break;
    }
}

static void
end_kind (Reader *self, Kind kind)
{
  switch (kind)
    {
    case BLOCK:
    case ITEM:
      postbag_html_writer_block (self->writer, 1);
      break;
    case PARAGRAPH:
      postbag_html_writer_block (self->writer, 2);
      break;
    case LIST:
    case ORDERED:
      postbag_html_writer_end_list (self->writer);
      break;
    case QUOTE:
      postbag_html_writer_quote (self->writer, -1);
      break;
    case PRE:
      postbag_html_writer_pre (self->writer, -1);
      break;
    case LINK:
      end_link (self);
      break;
    default:
      break;
    }
}

static void
apply_sight (PostbagHtmlSight sight, gboolean *unseen)
{
  if (sight != POSTBAG_HTML_INHERIT)
    *unseen = sight == POSTBAG_HTML_UNSEEN;
}

static void
apply_style (Element *element, const xmlChar **attributes)
{
  const char *text = find_attribute (attributes, "style");
  PostbagHtmlStyle style = { 0 };

  if (find_attribute (attributes, "hidden") != NULL)
    element->removed = TRUE;
  if (text == NULL)
    return;
  postbag_html_read_style (text, &style);
  element->removed |= style.removed;
  apply_sight (style.visible, &element->unseen);
  apply_sight (style.font_size, &element->tiny);
}

static void
handle_start (void *user_data, const xmlChar *name, const xmlChar **attributes)
{
  Reader *self = user_data;
  Kind kind = find_kind ((const char *)name);
  Element element = *get_top (self);

  if (self->depth >= POSTBAG_LIMIT_HTML_DEPTH)
    {
      self->overflow++;
      return;
    }
  element.kind = kind;
  element.dropped |= kind == DROPPED;
  apply_style (&element, attributes);
  self->stack[++self->depth] = element;
  if (is_shown (&element))
    begin_kind (self, kind, attributes);
}

/* libxml2 ends what it began, in order. */
static void
handle_end (void *user_data, const xmlChar *name)
{
  Reader *self = user_data;

  if (self->overflow > 0)
    {
      self->overflow--;
      return;
    }
  if (is_shown (get_top (self)))
    end_kind (self, get_top (self)->kind);
  if (self->depth > 0)
    self->depth--;
}

static void
handle_text (void *user_data, const xmlChar *text, int length)
{
  Reader *self = user_data;
  const Element *top = get_top (self);

  if (is_shown (top))
    postbag_html_writer_text (self->writer, (const char *)text, (gsize)length);
  else if (!top->dropped)
    for (int i = 0; i < length; i++)
      self->hidden_chars += !g_ascii_isspace (text[i]) && (text[i] & 0xc0) != 0x80;
}

static void
feed (Reader *reader, const char *html, gsize length)
{
  xmlSAXHandler sax = { 0 };
  htmlParserCtxtPtr parser;

  sax.startElement = handle_start;
  sax.endElement = handle_end;
  sax.characters = handle_text;
  sax.cdataBlock = handle_text;
  sax.ignorableWhitespace = handle_text;
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

char *
postbag_html_to_text (const char *html, gsize length, PostbagHtmlReport *report)
{
  static gsize started = 0;
  g_autofree char *stream = NULL;
  g_autofree Reader *reader = g_new0 (Reader, 1);

  if (g_once_init_enter (&started))
    {
      xmlInitParser ();
      g_once_init_leave (&started, 1);
    }
  stream = postbag_html_prescan (html, length);
  reader->writer = postbag_html_writer_new ();
  feed (reader, stream, strlen (stream));
  end_link (reader);
  if (report != NULL && reader->hidden_chars > 0)
    postbag_html_report_hide (report, "style", reader->hidden_chars);
  return postbag_html_writer_finish (reader->writer);
}
