/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "extract/postbag-xml.h"

#include <libxml/parser.h>
#include <string.h>

#include "base/postbag-text.h"

#define PIECE_BYTES (32 * 1024)

struct _PostbagXmlAttributes
{
  const xmlChar **list; /* name, prefix, URI, value, end of value */
  int count;
};

typedef struct
{
  const PostbagXmlHandler *handler;
  gpointer data;
  xmlParserCtxt *parser;
  gboolean any;
  gboolean refused;
} Reader;

char *
postbag_xml_attribute (const PostbagXmlAttributes *attributes, const char *name)
{
  for (int i = 0; i < attributes->count; i++)
    {
      const xmlChar **attribute = attributes->list + 5 * i;

      if (strcmp ((const char *)attribute[0], name) == 0)
        return g_strndup ((const char *)attribute[3], (gsize)(attribute[4] - attribute[3]));
    }
  return NULL;
}

gboolean
postbag_xml_attribute_is (const PostbagXmlAttributes *attributes, const char *name,
                          const char *value)
{
  g_autofree char *found = postbag_xml_attribute (attributes, name);

  return g_strcmp0 (found, value) == 0;
}

gint64
postbag_xml_attribute_int (const PostbagXmlAttributes *attributes, const char *name,
                           gint64 fallback)
{
  g_autofree char *found = postbag_xml_attribute (attributes, name);
  gint64 value;

  return found != NULL && postbag_text_parse_int (found, -G_MAXINT32, G_MAXINT32, &value)
             ? value
             : fallback;
}

static void
start_element (void *context, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri,
               int n_namespaces, const xmlChar **namespaces, int n_attributes, int n_defaulted,
               const xmlChar **list)
{
  Reader *reader = context;
  PostbagXmlAttributes attributes = { list, n_attributes };

  reader->any = TRUE;
  reader->handler->start (reader->data, (const char *)name, &attributes);
}

static void
end_element (void *context, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri)
{
  Reader *reader = context;

  reader->handler->end (reader->data, (const char *)name);
}

static void
take_text (void *context, const xmlChar *text, int length)
{
  Reader *reader = context;

  reader->handler->text (reader->data, (const char *)text, (gsize)length);
}

static void
refuse_declaration (void *context, const xmlChar *name, const xmlChar *external,
                    const xmlChar *system)
{
  Reader *reader = context;

  reader->refused = TRUE;
  xmlStopParser (reader->parser);
}

/* Damage is no message to anybody. */
static void
ignore_error (void *context, xmlErrorPtr error)
{
}

static void
feed (Reader *reader, const char *bytes, gsize length)
{
  for (gsize at = 0; at < length && !reader->refused;)
    {
      gsize piece = MIN (length - at, PIECE_BYTES);

      if (xmlParseChunk (reader->parser, bytes + at, (int)piece, at + piece == length) != 0
          && reader->parser->disableSAX != 0)
        return;
      if (reader->handler->is_full != NULL && reader->handler->is_full (reader->data))
        return;
      at += piece;
    }
}

gboolean
postbag_xml_read (const guint8 *bytes, gsize length, const PostbagXmlHandler *handler,
                  gpointer data, GError **error)
{
  Reader reader = { .handler = handler, .data = data };
  xmlSAXHandler sax = { .initialized = XML_SAX2_MAGIC,
                        .startElementNs = start_element,
                        .endElementNs = end_element,
                        .characters = take_text,
                        .cdataBlock = take_text,
                        .internalSubset = refuse_declaration,
                        .serror = ignore_error };

  reader.parser = xmlCreatePushParserCtxt (&sax, &reader, NULL, 0, NULL);
  if (reader.parser != NULL)
    {
      xmlCtxtUseOptions (reader.parser, XML_PARSE_NONET | XML_PARSE_RECOVER);
      feed (&reader, (const char *)bytes, length);
      xmlFreeParserCtxt (reader.parser);
    }
  if (reader.any && !reader.refused)
    return TRUE;
  g_set_error_literal (error, POSTBAG_EXTRACT_ERROR, POSTBAG_EXTRACT_CORRUPT,
                       "It is no XML that is read.");
  return FALSE;
}
