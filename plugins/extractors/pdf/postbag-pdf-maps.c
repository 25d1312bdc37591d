/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The library keeps the last maps that it read for as long as a document is open. So one document
 * is held open that uses a font of each of the four collections, under the encodings that fonts
 * without letters of their own have most: where the kernel cannot let the folder of the maps alone
 * stay readable (Landlock), these still are there when the cage is closed. */

#include "postbag-pdf-maps.h"

#include <string.h>

/* Under a name of ours: later versions of the library have a cleanup themselves. */
typedef PopplerPage Page;
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Page, g_object_unref)

/* As many as the library keeps. */
static const struct
{
  const char *collection;
  const char *encoding;
} fonts[] = {
  { "Japan1", "90ms-RKSJ-H" },
  { "GB1", "UniGB-UCS2-H" },
  { "CNS1", "ETen-B5-H" },
  { "Korea1", "KSCms-UHC-H" },
};

PopplerDocument *
postbag_pdf_open (gconstpointer data, gsize length, GError **error)
{
  g_autoptr (GInputStream) stream =
      g_memory_input_stream_new_from_data (data, (gssize)length, NULL);

  return poppler_document_new_from_stream (stream, (goffset)length, NULL, NULL, error);
}

static void
append_font (GString *document, guint index)
{
  guint number = 10 + 3 * index;

  g_string_append_printf (
      document,
      "%u 0 obj<</Type/Font/Subtype/Type0/BaseFont/A/Encoding/%s/DescendantFonts[%u 0 R]>>endobj\n"
      "%u 0 obj<</Type/Font/Subtype/CIDFontType0/BaseFont/A/CIDSystemInfo<</Registry(Adobe)"
      "/Ordering(%s)/Supplement 2>>/FontDescriptor %u 0 R>>endobj\n"
      "%u 0 obj<</Type/FontDescriptor/FontName/A/Flags 4/FontBBox[0 0 9 9]/ItalicAngle 0/Ascent 9"
      "/Descent 0/StemV 1/CapHeight 9>>endobj\n",
      number, fonts[index].encoding, number + 1, number + 1, fonts[index].collection, number + 2,
      number + 2);
}

/* One page with a letter in Helvetica and one in each of the fonts. */
static char *
make_sample (void)
{
  GString *document = g_string_new ("%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
                                    "2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
                                    "4 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj\n"
                                    "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]"
                                    "/Contents 5 0 R/Resources<</Font<</F 4 0 R");
  g_autoptr (GString) content = g_string_new ("BT 9 9 Td /F 9 Tf (a) Tj ");

  for (guint i = 0; i < G_N_ELEMENTS (fonts); i++)
    {
      g_string_append_printf (document, "/F%u %u 0 R", i, 10 + 3 * i);
      g_string_append_printf (content, "/F%u 9 Tf <0041> Tj ", i);
    }
  g_string_append_printf (document,
                          ">>>>>>endobj\n5 0 obj<</Length %u>>stream\n%sET\nendstream endobj\n",
                          (guint)content->len + 2, content->str);
  for (guint i = 0; i < G_N_ELEMENTS (fonts); i++)
    append_font (document, i);
  g_string_append (document, "trailer<</Root 1 0 R>>\n%%EOF\n");
  return g_string_free (document, FALSE);
}

static gpointer
open_sample (gpointer unused)
{
  char *sample = make_sample (); /* as long as its document: for good */
  PopplerDocument *document = postbag_pdf_open (sample, strlen (sample), NULL);
  g_autoptr (Page) page = document != NULL ? poppler_document_get_page (document, 0) : NULL;

  (void)unused;
  if (page != NULL)
    g_free (poppler_page_get_text (page));
  return document;
}

void
postbag_pdf_maps_prepare (void)
{
  static GOnce once = G_ONCE_INIT;
  PostbagPdfMapsWatch watch;

  postbag_pdf_maps_watch (&watch);
  g_once (&once, open_sample, NULL);
  postbag_pdf_maps_unwatch (&watch);
}

static void
hear (const char *domain, GLogLevelFlags level, const char *message, gpointer user_data)
{
  PostbagPdfMapsWatch *self = user_data;

  (void)domain;
  (void)level;
  self->missed |= strstr (message, "Missing language pack for") != NULL
                  || strstr (message, "CMap file for") != NULL
                  || strstr (message, "Unknown CMap") != NULL;
}

void
postbag_pdf_maps_watch (PostbagPdfMapsWatch *self)
{
  self->missed = FALSE;
  self->handler = g_log_set_handler (
      "Poppler", G_LOG_LEVEL_MASK | G_LOG_FLAG_FATAL | G_LOG_FLAG_RECURSION, hear, self);
}

void
postbag_pdf_maps_unwatch (PostbagPdfMapsWatch *self)
{
  g_log_remove_handler ("Poppler", self->handler);
}
