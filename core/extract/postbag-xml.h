/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "extract/postbag-extractor.h"

G_BEGIN_DECLS

/* XML of documents: libxml2's SAX, no tree, no entities, no network. A document type declaration
 * ends the reading: office formats have none, attacks do. Names come without their prefix: what a
 * namespace is called differs between writers and between the strict and the transitional forms. */

typedef struct _PostbagXmlAttributes PostbagXmlAttributes;

/* (transfer full) (nullable): of that local name; in the callback alone */
char *postbag_xml_attribute (const PostbagXmlAttributes *attributes, const char *name);
/* Whether it has that value. */
gboolean postbag_xml_attribute_is (const PostbagXmlAttributes *attributes, const char *name,
                                   const char *value);
/* The number, @fallback where it is none. */
gint64 postbag_xml_attribute_int (const PostbagXmlAttributes *attributes, const char *name,
                                  gint64 fallback);

typedef struct
{
  void (*start) (gpointer data, const char *name, const PostbagXmlAttributes *attributes);
  void (*end) (gpointer data, const char *name);
  void (*text) (gpointer data, const char *text, gsize length);
  /* (nullable): whether enough has been read */
  gboolean (*is_full) (gpointer data);
} PostbagXmlHandler;

/* Returns: %FALSE with %POSTBAG_EXTRACT_CORRUPT when there is a document type declaration or not
 * one element; what is damaged further on is read up to there. */
gboolean postbag_xml_read (const guint8 *bytes, gsize length, const PostbagXmlHandler *handler,
                           gpointer data, GError **error);

G_END_DECLS
