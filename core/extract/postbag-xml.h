/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "extract/postbag-zip.h"

G_BEGIN_DECLS

/**
 * PostbagXml:
 *
 * Reads one XML part of a document as it is unpacked (libxml2's SAX): no tree, no entities
 * but the five of XML, no document type, nothing fetched, depth and attributes bounded. Elements
 * are told by namespace and local name, whatever their prefix.
 */
typedef struct _PostbagXml PostbagXml;

/* Once, before the cage is closed. */
void postbag_xml_prepare (void);

/* Several addresses may share a letter: those of the transitional and the strict form. */
typedef struct
{
  const char *uri;
  char letter;
} PostbagXmlSpace;

/* What to do where an element begins and ends; each may be missing. Elements that no table names
 * are looked through. */
typedef struct
{
  char space;
  const char *name;
  void (*start) (PostbagXml *xml, gpointer user_data);
  void (*end) (gpointer user_data);
  /* Where in the user data a gboolean is set, before start(); 0: nowhere. @inside: only until the
   * end. */
  gsize seen, inside;
} PostbagXmlElement;
/* %TRUE in a field of a reader's state from this element on, or while it is open. */
#define POSTBAG_XML_SEEN(type, field) .seen = G_STRUCT_OFFSET (type, field)
#define POSTBAG_XML_INSIDE(type, field) .inside = G_STRUCT_OFFSET (type, field)

/**
 * PostbagXmlHandler:
 * @spaces: ended by an empty one
 * @elements: ended by an empty one
 * @text: (nullable): character data, in pieces of whole characters
 */
typedef struct
{
  const PostbagXmlSpace *spaces;
  const PostbagXmlElement *elements;
  void (*text) (const char *text, gsize length, gpointer user_data);
} PostbagXmlHandler;

/**
 * postbag_xml_read_part:
 * @handler: static
 *
 * Reads the file @name of @zip. What was read before a fault was given to @handler.
 *
 * Returns: %FALSE with an error of postbag_zip_reading_next(), or corrupt: not well-formed, with a
 *   document type, too deep, in a strange encoding
 */
gboolean postbag_xml_read_part (PostbagZip *zip, const char *name, const PostbagXmlHandler *handler,
                                gpointer user_data, GError **error);

/* Within start(): the value of an attribute, at most POSTBAG_LIMIT_XML_VALUE_BYTES of it, until
 * start() returns. @space: NUL for an attribute without prefix. (transfer none) (nullable) */
const char *postbag_xml_get (PostbagXml *self, char space, const char *name);
/* The same as a number within bounds; @fallback where it is missing or is none. */
gint64 postbag_xml_get_number (PostbagXml *self, char space, const char *name, gint64 least,
                               gint64 most, gint64 fallback);
/* Within start(), or as one: nothing inside this element is told, nor its end. */
void postbag_xml_skip (PostbagXml *self, gpointer unused);
/* Ends the reading; that is no error. */
void postbag_xml_stop (PostbagXml *self);

G_END_DECLS
