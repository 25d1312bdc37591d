/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "extract/postbag-xml.h"

#include <string.h>

#include <libxml/parser.h>

#include "base/postbag-limits.h"

/* Where the pre-scan is: libxml2 compares the attributes of a tag each with each before anybody is
 * asked, so they are counted in front of it. */
typedef enum
{
  IN_TEXT,
  AFTER_LESS,     /* "<" */
  IN_TAG,         /* of an element */
  IN_VALUE,       /* of its attribute */
  AFTER_MARK,     /* "<!" */
  AFTER_DASH,     /* "<!-" */
  IN_INSTRUCTION, /* to "?>" */
  IN_COMMENT,     /* to "-->" */
  IN_CDATA,       /* to "]]>" */
} Place;

/* What an element was found to be. The library keeps each name and address once, so that they are
 * told by where they lie. */
typedef struct
{
  const xmlChar *name;
  const xmlChar *uri;
  const PostbagXmlElement *element;
} Known;

#define KNOWN 64 /* more than a document uses often */

struct _PostbagXml
{
  const PostbagXmlHandler *handler;
  gpointer user_data;
  xmlParserCtxt *parser;
  GHashTable *names; /* of letter and name, to the PostbagXmlElement */
  Known known[KNOWN];
  GPtrArray *open; /* of open elements, %NULL where no table names it */
  guint skipped;   /* open elements below one that is skipped, with it */
  gboolean skip;
  gboolean stopped;
  const char *failure;

  const xmlChar **attributes; /* of the element being started */
  int n_attributes;
  GPtrArray *values; /* given out for it */

  Place place;
  char quote;
  char before[2]; /* the last two bytes of this place */
  guint tag_attributes;
};

/* Nothing more is told, and nothing more is fed. xmlStopParser() would free what the attributes of
 * the element stand in, which its handler may not have read yet. */
void
postbag_xml_stop (PostbagXml *self)
{
  self->stopped = TRUE;
}

static void
fail (PostbagXml *self, const char *message)
{
  if (self->failure == NULL)
    self->failure = message;
  postbag_xml_stop (self);
}

void
postbag_xml_skip (PostbagXml *self, gpointer unused)
{
  self->skip = TRUE;
}

/* --- names --- */

static char
find_letter (PostbagXml *self, const xmlChar *uri)
{
  const PostbagXmlSpace *space = self->handler->spaces;

  if (uri == NULL)
    return '\0';
  for (; space->uri != NULL; space++)
    if (strcmp (space->uri, (const char *)uri) == 0)
      return space->letter;
  return '?';
}

static const PostbagXmlElement *
look_up_element (PostbagXml *self, const xmlChar *uri, const xmlChar *name)
{
  char key[64];
  gsize length = strlen ((const char *)name);

  if (length + 2 > sizeof key || uri == NULL)
    return NULL;
  key[0] = find_letter (self, uri);
  memcpy (key + 1, name, length + 1);
  return g_hash_table_lookup (self->names, key);
}

/* (nullable) */
static const PostbagXmlElement *
find_element (PostbagXml *self, const xmlChar *uri, const xmlChar *name)
{
  Known *known = &self->known[((gsize)name / 8 + (gsize)name / 512) % KNOWN];

  if (known->name != name || known->uri != uri)
    *known = (Known){ name, uri, look_up_element (self, uri, name) };
  return known->element;
}

static GHashTable *
build_names (const PostbagXmlElement *element)
{
  GHashTable *table = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (; element->name != NULL; element++)
    g_hash_table_insert (table, g_strdup_printf ("%c%s", element->space, element->name),
                         (gpointer)element);
  return table;
}

/* --- attributes --- */

/* libxml2 leaves this one reference in a value that it does not put entities into. */
static char *
resolve_ampersands (char *value)
{
  char *to = value;

  for (const char *at = value; *at != '\0'; to++)
    {
      *to = *at;
      at += strncmp (at, "&#38;", 5) == 0 ? 5 : 1;
    }
  *to = '\0';
  return value;
}

const char *
postbag_xml_get (PostbagXml *self, char space, const char *name)
{
  for (int i = 0; i < self->n_attributes; i++)
    {
      const xmlChar **attribute = self->attributes + 5 * (gsize)i;
      gsize length = (gsize)(attribute[4] - attribute[3]);
      const char *end;
      char *value;

      if (strcmp ((const char *)attribute[0], name) != 0
          || find_letter (self, attribute[2]) != space)
        continue;
      length = MIN (length, POSTBAG_LIMIT_XML_VALUE_BYTES);
      /* Cut between characters. */
      if (!g_utf8_validate_len ((const char *)attribute[3], length, &end))
        length = (gsize)(end - (const char *)attribute[3]);
      value = resolve_ampersands (g_strndup ((const char *)attribute[3], length));
      g_ptr_array_add (self->values, value);
      return value;
    }
  return NULL;
}

gint64
postbag_xml_get_number (PostbagXml *self, char space, const char *name, gint64 least, gint64 most,
                        gint64 fallback)
{
  const char *value = postbag_xml_get (self, space, name);
  gint64 number;

  if (value == NULL || !g_ascii_string_to_signed (value, 10, least, most, &number, NULL))
    return fallback;
  return number;
}

/* --- what libxml2 tells --- */

static void
set_flag (PostbagXml *self, gsize offset, gboolean value)
{
  if (offset > 0)
    G_STRUCT_MEMBER (gboolean, self->user_data, offset) = value;
}

static void
begin (PostbagXml *self, const PostbagXmlElement *element)
{
  set_flag (self, element->seen, TRUE);
  set_flag (self, element->inside, TRUE);
  if (element->start != NULL)
    element->start (self, self->user_data);
  if (self->skip)
    set_flag (self, element->inside, FALSE);
}

static void
start_element (void *data, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri,
               int n_spaces, const xmlChar **spaces, int n_attributes, int n_defaulted,
               const xmlChar **attributes)
{
  PostbagXml *self = data;
  const PostbagXmlElement *element;

  if (self->stopped)
    return;
  if (self->open->len + self->skipped >= POSTBAG_LIMIT_XML_DEPTH)
    {
      fail (self, "Its elements are nested too deep.");
      return;
    }
  if (self->skipped > 0)
    {
      self->skipped++;
      return;
    }
  element = find_element (self, uri, name);
  self->attributes = attributes;
  self->n_attributes = n_attributes;
  self->skip = FALSE;
  if (element != NULL)
    begin (self, element);
  self->n_attributes = 0;
  g_ptr_array_set_size (self->values, 0);
  if (self->skip)
    self->skipped = 1;
  else
    g_ptr_array_add (self->open, (gpointer)element);
}

static void
end_element (void *data, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri)
{
  PostbagXml *self = data;
  const PostbagXmlElement *element;

  if (self->stopped)
    return;
  if (self->skipped > 0)
    {
      self->skipped--;
      return;
    }
  if (self->open->len == 0)
    return;
  element = g_ptr_array_steal_index (self->open, self->open->len - 1);
  if (element == NULL)
    return;
  set_flag (self, element->inside, FALSE);
  if (element->end != NULL)
    element->end (self->user_data);
}

static void
take_text (void *data, const xmlChar *text, int length)
{
  PostbagXml *self = data;

  if (!self->stopped && self->skipped == 0 && self->handler->text != NULL && length > 0)
    self->handler->text ((const char *)text, (gsize)length, self->user_data);
}

static void
refuse_document_type (void *data, const xmlChar *name, const xmlChar *external,
                      const xmlChar *system)
{
  PostbagXml *self = data;

  fail (self, "It has a document type.");
  xmlStopParser (self->parser); /* before it builds what is declared in there */
}

static xmlEntity *
get_no_entity (void *data, const xmlChar *name)
{
  return xmlGetPredefinedEntity (name);
}

static void
ignore_error (void *data, xmlError *error)
{
}

/* --- the pre-scan --- */

static gboolean
count_attribute (PostbagXml *self)
{
  if (++self->tag_attributes <= POSTBAG_LIMIT_XML_ATTRIBUTES)
    return TRUE;
  fail (self, "A tag has too many attributes.");
  return FALSE;
}

static Place
enter_markup (PostbagXml *self, char byte)
{
  if (byte == '!')
    return AFTER_MARK;
  self->tag_attributes = 0;
  return byte == '?' ? IN_INSTRUCTION : IN_TAG;
}

static Place
enter_declaration (char byte)
{
  if (byte == '-')
    return AFTER_DASH;
  return byte == '[' ? IN_CDATA : IN_TAG;
}

static gboolean
ends (PostbagXml *self, char byte, char one, char two)
{
  return byte == '>' && self->before[1] == one && (two == '\0' || self->before[0] == two);
}

static gboolean
step (PostbagXml *self, char byte)
{
  switch (self->place)
    {
    case IN_TEXT:
      self->place = byte == '<' ? AFTER_LESS : IN_TEXT;
      break;
    case AFTER_LESS:
      self->place = enter_markup (self, byte);
      break;
    case AFTER_MARK:
      self->place = enter_declaration (byte);
      break;
    case AFTER_DASH:
      self->place = IN_COMMENT;
      break;
    case IN_TAG:
      if (byte == '"' || byte == '\'')
        {
          self->quote = byte;
          self->place = IN_VALUE;
          return count_attribute (self);
        }
      self->place = byte == '>' ? IN_TEXT : IN_TAG;
      break;
    case IN_VALUE:
      self->place = byte == self->quote ? IN_TAG : IN_VALUE;
      break;
    case IN_INSTRUCTION:
      self->place = ends (self, byte, '?', '\0') ? IN_TEXT : IN_INSTRUCTION;
      break;
    case IN_COMMENT:
      self->place = ends (self, byte, '-', '-') ? IN_TEXT : IN_COMMENT;
      break;
    case IN_CDATA:
    default:
      self->place = ends (self, byte, ']', ']') ? IN_TEXT : IN_CDATA;
      break;
    }
  return TRUE;
}

/* To the next byte that can change the place: most of them cannot. */
static gsize
skip_dull (const PostbagXml *self, const char *data, gsize i, gsize size)
{
  const char *next;

  if (self->place == IN_TAG)
    {
      while (i < size && data[i] != '>' && data[i] != '"' && data[i] != '\'')
        i++;
      return i;
    }
  if (self->place != IN_TEXT && self->place != IN_VALUE)
    return i;
  next = memchr (data + i, self->place == IN_TEXT ? '<' : self->quote, size - i);
  return next != NULL ? (gsize)(next - data) : size;
}

/* A part in UTF-16 is scanned without its zeros. */
static gboolean
scan (PostbagXml *self, const char *data, gsize size)
{
  for (gsize i = 0; i < size; i++)
    {
      Place place;

      i = skip_dull (self, data, i, size);
      if (i == size)
        return TRUE;
      if (data[i] == '\0')
        continue;
      place = self->place;
      if (!step (self, data[i]))
        return FALSE;
      /* What opens a place is no part of what closes it. */
      self->before[0] = self->place == place ? self->before[1] : '\0';
      self->before[1] = self->place == place ? data[i] : '\0';
    }
  return TRUE;
}

static gboolean
feed (const char *data, gsize size, gpointer user_data)
{
  PostbagXml *self = user_data;

  if (!scan (self, data, size))
    return FALSE;
  if (xmlParseChunk (self->parser, data, (int)size, 0) != XML_ERR_OK && self->failure == NULL
      && !self->stopped)
    self->failure = "It is not well-formed.";
  return !self->stopped && self->failure == NULL;
}

/* --- one part --- */

void
postbag_xml_prepare (void)
{
  xmlInitParser ();
}

static xmlParserCtxt *
create_parser (PostbagXml *self)
{
  xmlSAXHandler sax = {
    .initialized = XML_SAX2_MAGIC,
    .startElementNs = start_element,
    .endElementNs = end_element,
    .characters = take_text,
    .ignorableWhitespace = take_text,
    .cdataBlock = take_text,
    .internalSubset = refuse_document_type,
    .getEntity = get_no_entity,
    .serror = ignore_error,
  };
  xmlParserCtxt *parser = xmlCreatePushParserCtxt (&sax, self, NULL, 0, NULL);

  if (parser != NULL)
    xmlCtxtUseOptions (parser, XML_PARSE_NONET);
  return parser;
}

static gboolean
finish (PostbagXml *self, GError **error)
{
  if (!self->stopped && self->failure == NULL
      && xmlParseChunk (self->parser, NULL, 0, 1) != XML_ERR_OK)
    self->failure = "It ends too early.";
  if (self->failure == NULL)
    return TRUE;
  g_set_error_literal (error, POSTBAG_EXTRACT_ERROR, POSTBAG_EXTRACT_CORRUPT, self->failure);
  return FALSE;
}

gboolean
postbag_xml_read_part (PostbagZip *zip, const char *name, const PostbagXmlHandler *handler,
                       gpointer user_data, GError **error)
{
  PostbagXml self = { .handler = handler, .user_data = user_data };
  gboolean fine;

  self.parser = create_parser (&self);
  if (self.parser == NULL)
    {
      g_set_error_literal (error, POSTBAG_EXTRACT_ERROR, POSTBAG_EXTRACT_OUT_OF_MEMORY,
                           "No parser.");
      return FALSE;
    }
  self.names = build_names (handler->elements);
  self.open = g_ptr_array_new ();
  self.values = g_ptr_array_new_with_free_func (g_free);
  fine = postbag_zip_read (zip, name, feed, &self, error) && finish (&self, error);
  xmlFreeParserCtxt (self.parser);
  g_hash_table_unref (self.names);
  g_ptr_array_unref (self.open);
  g_ptr_array_unref (self.values);
  return fine;
}
