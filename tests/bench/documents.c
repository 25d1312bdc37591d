/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* documents WORKER TIMES FILE.pdf|FILE.docx...: reads each file through the cage and, in turns so
 * that both see the same weather, with the bare libraries in this process: poppler-glib page by
 * page for PDF; libgsf and libxml2's push parser for the letters of a docx. Prints a line for each
 * file: milliseconds of ours (median), of the bare libraries, characters of ours, of theirs. */

#include <stdio.h>
#include <string.h>

#include <gio/gio.h>
#include <gsf/gsf-infile-zip.h>
#include <gsf/gsf-infile.h>
#include <gsf/gsf-input-memory.h>
#include <gsf/gsf-utils.h>
#include <libxml/parser.h>
#include <poppler.h>

#include "extract/postbag-extraction-private.h"

#define WORD "application/vnd.openxmlformats-officedocument.wordprocessingml.document"

/* --- bare --- */

static GString *
read_pdf (GBytes *bytes)
{
  GString *text = g_string_new (NULL);
  GInputStream *stream = g_memory_input_stream_new_from_bytes (bytes);
  PopplerDocument *document = poppler_document_new_from_stream (
      stream, (goffset)g_bytes_get_size (bytes), NULL, NULL, NULL);

  for (int i = 0; i < poppler_document_get_n_pages (document); i++)
    {
      PopplerPage *page = poppler_document_get_page (document, i);
      char *words = poppler_page_get_text (page);

      g_string_append (text, words);
      g_free (words);
      g_object_unref (page);
    }
  g_object_unref (document);
  g_object_unref (stream);
  return text;
}

typedef struct
{
  GString *text;
  gboolean in_text;
} Letters;

static void
begin (void *data, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri, int spaces,
       const xmlChar **space, int attributes, int defaulted, const xmlChar **attribute)
{
  ((Letters *)data)->in_text = strcmp ((const char *)name, "t") == 0;
}

static void
end (void *data, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri)
{
  Letters *letters = data;

  letters->in_text = FALSE;
  if (strcmp ((const char *)name, "p") == 0)
    g_string_append_c (letters->text, '\n');
}

static void
take (void *data, const xmlChar *characters, int length)
{
  Letters *letters = data;

  if (letters->in_text)
    g_string_append_len (letters->text, (const char *)characters, length);
}

static GString *
read_docx (GBytes *bytes)
{
  static xmlSAXHandler handler = {
    .initialized = XML_SAX2_MAGIC, .startElementNs = begin, .endElementNs = end, .characters = take
  };
  Letters letters = { g_string_new (NULL), FALSE };
  GsfInput *source = gsf_input_memory_new (g_bytes_get_data (bytes, NULL),
                                           (gsf_off_t)g_bytes_get_size (bytes), FALSE);
  GsfInfile *archive = gsf_infile_zip_new (source, NULL);
  GsfInput *part = gsf_infile_child_by_vname (archive, "word", "document.xml", NULL);
  xmlParserCtxt *parser = xmlCreatePushParserCtxt (&handler, &letters, NULL, 0, NULL);
  guint8 buffer[32 * 1024];

  while (gsf_input_remaining (part) > 0)
    {
      size_t size = MIN ((size_t)gsf_input_remaining (part), sizeof buffer);

      gsf_input_read (part, size, buffer);
      xmlParseChunk (parser, (const char *)buffer, (int)size, 0);
    }
  xmlParseChunk (parser, NULL, 0, 1);
  xmlFreeParserCtxt (parser);
  g_object_unref (part);
  g_object_unref (archive);
  g_object_unref (source);
  return letters.text;
}

/* --- ours --- */

/* A document that was not seen before: blanks behind its end matter to neither format. */
static GBytes *
make_new (GBytes *bytes, guint time)
{
  gsize length = g_bytes_get_size (bytes);
  char *data = g_malloc (length + time);

  memcpy (data, g_bytes_get_data (bytes, NULL), length);
  memset (data + length, '\n', time);
  return g_bytes_new_take (data, length + time);
}

static gsize
read_caged (PostbagExtraction *extraction, GBytes *bytes, const char *type)
{
  PostbagExtractRequest request = { .bytes = bytes, .content_type = type };
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagExtractedText) text =
      postbag_extraction_run (extraction, &request, NULL, NULL, &error);

  if (text == NULL)
    g_error ("%s", error->message);
  return text->chars;
}

/* --- in turns --- */

static int
compare (const void *one, const void *other)
{
  gint64 difference = *(const gint64 *)one - *(const gint64 *)other;

  return difference < 0 ? -1 : difference > 0;
}

static double
get_median (gint64 *times, guint count)
{
  qsort (times, count, sizeof *times, compare);
  return (double)times[count / 2] / 1000;
}

static void
measure (PostbagExtraction *extraction, const char *path, guint count)
{
  gboolean is_pdf = g_str_has_suffix (path, ".pdf");
  const char *type = is_pdf ? "application/pdf" : WORD;
  g_autofree gint64 *ours = g_new (gint64, count);
  g_autofree gint64 *bare = g_new (gint64, count);
  gsize our_chars = 0, bare_chars = 0;
  g_autoptr (GError) error = NULL;
  g_autoptr (GMappedFile) file = g_mapped_file_new (path, FALSE, &error);
  g_autoptr (GBytes) whole = NULL;

  if (file == NULL)
    g_error ("%s", error->message);
  whole = g_mapped_file_get_bytes (file);
  for (guint i = 0; i < count + 1; i++)
    {
      g_autoptr (GBytes) bytes = make_new (whole, i);
      gint64 start = g_get_monotonic_time ();
      gint64 middle, now;
      GString *text;

      our_chars = read_caged (extraction, bytes, type);
      middle = g_get_monotonic_time ();
      text = is_pdf ? read_pdf (bytes) : read_docx (bytes);
      now = g_get_monotonic_time ();
      bare_chars = (gsize)g_utf8_strlen (text->str, (gssize)text->len);
      g_string_free (text, TRUE);
      if (i == 0)
        continue; /* the worker starts, libraries load their tables */
      ours[i - 1] = middle - start;
      bare[i - 1] = now - middle;
    }
  printf ("%.3f %.3f %" G_GSIZE_FORMAT " %" G_GSIZE_FORMAT "\n", get_median (ours, count),
          get_median (bare, count), our_chars, bare_chars);
}

int
main (int argc, char **argv)
{
  static const char *const types[] = { "application/pdf", WORD, NULL };
  PostbagExtractionOptions options = { .types = types, .version = "bench" };
  g_autoptr (PostbagExtraction) extraction = NULL;

  if (argc < 4)
    return 2;
  options.program = argv[1];
  extraction = postbag_extraction_new (&options);
  gsf_init ();
  xmlInitParser ();
  for (int i = 3; i < argc; i++)
    measure (extraction, argv[i], (guint)g_ascii_strtoull (argv[2], NULL, 10));
  return 0;
}
