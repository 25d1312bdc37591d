/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "extract/postbag-xml.h"

#include <string.h>

#include <libxml/parser.h>

#include "base/postbag-limits.h"
#include "extract/postbag-xml-input.h"

/* What an element was found to be. The library keeps each name and address once, so that they are
 * told by where they lie. */
typedef struct
{
  const xmlChar *name;
  const xmlChar *uri;
  const PostbagXmlElement *element;
} Known;

/* More than a document uses often, so that few of them share a place. */
#define KNOWN_BITS 9

struct _PostbagXml
{
  const PostbagXmlHandler *handler;
  gpointer user_data;
  PostbagXmlInput *input;
  xmlParserCtxt *parser;
  GHashTable *names; /* of letter and name, to the PostbagXmlElement */
  Known known[1 << KNOWN_BITS];
  const PostbagXmlElement *open[POSTBAG_LIMIT_XML_DEPTH]; /* %NULL where no table names it */
  guint depth;
  guint skipped; /* open elements below one that is skipped, with it */
  gboolean skip;
  gboolean stopped;
  GError *failure; /* the first one */

  const xmlChar *uri; /* the last one that was looked for, and its letter */
  char letter;
  const xmlChar **attributes; /* of the element being started */
  int n_attributes;
  GPtrArray *values; /* given out for it */
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
    g_set_error_literal (&self->failure, POSTBAG_EXTRACT_ERROR, POSTBAG_EXTRACT_CORRUPT, message);
  postbag_xml_stop (self);
}

void
postbag_xml_skip (PostbagXml *self, gpointer unused)
{
  self->skip = TRUE;
}

/* --- names --- */

static char
look_up_letter (PostbagXml *self, const xmlChar *uri)
{
  const PostbagXmlSpace *space = self->handler->spaces;

  for (; space->uri != NULL; space++)
    if (strcmp (space->uri, (const char *)uri) == 0)
      return space->letter;
  return '?';
}

static char
find_letter (PostbagXml *self, const xmlChar *uri)
{
  if (uri == NULL)
    return '\0';
  if (self->uri != uri)
    {
      self->uri = uri;
      self->letter = look_up_letter (self, uri);
    }
  return self->letter;
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
  /* Knuth's multiplicative hash, The Art of Computer Programming 6.4. */
  guint32 place = (guint32)(gsize)name * 2654435769U >> (32 - KNOWN_BITS);
  Known *known = &self->known[place];

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

/* (nullable): where its value begins; @length: (out): in bytes */
static const char *
find_attribute (PostbagXml *self, char space, const char *name, gsize *length)
{
  for (int i = 0; i < self->n_attributes; i++)
    {
      const xmlChar **attribute = self->attributes + 5 * (gsize)i;

      if (strcmp ((const char *)attribute[0], name) != 0
          || find_letter (self, attribute[2]) != space)
        continue;
      *length = (gsize)(attribute[4] - attribute[3]);
      return (const char *)attribute[3];
    }
  return NULL;
}

const char *
postbag_xml_get (PostbagXml *self, char space, const char *name)
{
  gsize length;
  const char *at = find_attribute (self, space, name, &length), *end;
  char *value;

  if (at == NULL)
    return NULL;
  /* Cut between characters. */
  if (length > POSTBAG_LIMIT_XML_VALUE_BYTES
      && !g_utf8_validate_len (at, POSTBAG_LIMIT_XML_VALUE_BYTES, &end))
    length = (gsize)(end - at);
  value = resolve_ampersands (g_strndup (at, MIN (length, POSTBAG_LIMIT_XML_VALUE_BYTES)));
  g_ptr_array_add (self->values, value);
  return value;
}

gint64
postbag_xml_get_number (PostbagXml *self, char space, const char *name, gint64 least, gint64 most,
                        gint64 fallback)
{
  char digits[32] = ""; /* no number has more */
  gsize length;
  const char *at = find_attribute (self, space, name, &length);
  gint64 number;

  if (at == NULL || length >= sizeof digits)
    return fallback;
  memcpy (digits, at, length);
  if (!g_ascii_string_to_signed (digits, 10, least, most, &number, NULL))
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
  if (self->depth + self->skipped >= POSTBAG_LIMIT_XML_DEPTH)
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
  if (self->values->len > 0)
    g_ptr_array_set_size (self->values, 0);
  if (self->skip)
    self->skipped = 1;
  else
    self->open[self->depth++] = element;
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
  if (self->depth == 0)
    return;
  element = self->open[--self->depth];
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

/* (nullable): as it is declared. Versions of the library keep it in one place or the other. */
static const char *
find_encoding (const xmlParserCtxt *parser)
{
  const xmlChar *encoding = parser->encoding != NULL ? parser->encoding : parser->input->encoding;

  return (const char *)encoding;
}

/* Only in these a byte of markup is nothing else: the attributes were counted in bytes. */
static void
check_encoding (void *data)
{
  static const char *const families[] = { "UTF-8", "US-ASCII", "ISO-8859-", "windows-125" };
  PostbagXml *self = data;
  const char *encoding = find_encoding (self->parser);

  if (postbag_xml_input_is_converted (self->input))
    return; /* newer versions tell it though they ignore it */
  for (gsize i = 0; encoding != NULL && i < G_N_ELEMENTS (families); i++)
    if (g_ascii_strncasecmp (encoding, families[i], strlen (families[i])) == 0)
      return;
  if (encoding != NULL)
    fail (self, "It is written in an encoding that such documents do not have.");
}

/* --- one part --- */

void
postbag_xml_prepare (void)
{
  xmlInitParser ();
  /* What concerns no parser would be printed. */
  xmlSetStructuredErrorFunc (NULL, ignore_error);
}

/* For libxml2: what it was given before a fault is still told; after a fault of its own it would go
 * through the rest in silence. */
static int
read_piece (void *data, char *buffer, int size)
{
  PostbagXml *self = data;
  int given;

  if (self->stopped || self->failure != NULL
      || (self->parser != NULL && self->parser->wellFormed == 0))
    return 0;
  given = postbag_xml_input_read (self->input, buffer, size, &self->failure);
  return MAX (given, 0);
}

static xmlParserCtxt *
create_parser (PostbagXml *self)
{
  xmlSAXHandler sax = {
    .initialized = XML_SAX2_MAGIC,
    .startDocument = check_encoding,
    .startElementNs = start_element,
    .endElementNs = end_element,
    .characters = take_text,
    .ignorableWhitespace = take_text,
    .cdataBlock = take_text,
    .internalSubset = refuse_document_type,
    .getEntity = get_no_entity,
    .serror = ignore_error,
  };
  xmlParserCtxt *parser =
      xmlCreateIOParserCtxt (&sax, self, read_piece, NULL, self, XML_CHAR_ENCODING_NONE);
  int options = XML_PARSE_NONET;

  if (postbag_xml_input_is_converted (self->input))
    options |= XML_PARSE_IGNORE_ENC;
  if (parser != NULL)
    xmlCtxtUseOptions (parser, options);
  return parser;
}

static void
parse (PostbagXml *self)
{
  xmlParseDocument (self->parser);
  if (!self->stopped && self->parser->errNo != XML_ERR_OK)
    fail (self, "It is not well-formed, or ends too early.");
}

gboolean
postbag_xml_read_part (PostbagZip *zip, const char *name, const PostbagXmlHandler *handler,
                       gpointer user_data, GError **error)
{
  PostbagXml self = { .handler = handler, .user_data = user_data };

  self.input = postbag_xml_input_open (zip, name, error);
  if (self.input == NULL)
    return FALSE;
  self.parser = create_parser (&self);
  if (self.parser == NULL)
    {
      postbag_xml_input_free (self.input);
      g_set_error_literal (error, POSTBAG_EXTRACT_ERROR, POSTBAG_EXTRACT_OUT_OF_MEMORY,
                           "No parser.");
      return FALSE;
    }
  self.names = build_names (handler->elements);
  self.values = g_ptr_array_new_with_free_func (g_free);
  parse (&self);
  xmlFreeParserCtxt (self.parser);
  postbag_xml_input_free (self.input);
  g_hash_table_unref (self.names);
  g_ptr_array_unref (self.values);
  if (self.failure == NULL)
    return TRUE;
  g_propagate_error (error, self.failure);
  return FALSE;
}
