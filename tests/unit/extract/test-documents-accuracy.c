/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Documents of other programs (tests/corpus/documents): how many words of the text that another
 * program finds are ours, in its order, and the other way. */

#include <string.h>

#include "extract-fixture.h"
#include "postbag-archive-extractor.h"
#include "postbag-calendar-extractor.h"
#include "postbag-html-extractor.h"
#include "postbag-mail-extractor.h"
#include "postbag-odf-extractor.h"
#include "postbag-ole-extractor.h"
#include "postbag-ooxml-extractor.h"
#include "postbag-pdf-extractor.h"
#include "postbag-rtf-extractor.h"
#include "postbag-text-extractor.h"

#define FOLDER "tests/corpus/documents"
/* (transfer full) (element-type utf8) */
static GPtrArray *
split_words (const char *text)
{
  GPtrArray *words = g_ptr_array_new_with_free_func (g_free);
  const char *start = NULL;

  for (const char *at = text;; at = g_utf8_next_char (at))
    {
      gboolean in_word = *at != '\0' && g_unichar_isalnum (g_utf8_get_char (at));

      if (in_word && start == NULL)
        start = at;
      if (!in_word && start != NULL)
        {
          g_ptr_array_add (words, g_strndup (start, (gsize)(at - start)));
          start = NULL;
        }
      if (*at == '\0')
        return words;
    }
}

/* The longest common sequence. */
static guint
count_common (GPtrArray *one, GPtrArray *other)
{
  g_autofree guint *row = g_new0 (guint, other->len + 1);

  for (guint i = 0; i < one->len; i++)
    {
      guint diagonal = 0;

      for (guint j = 0; j < other->len; j++)
        {
          guint above = row[j + 1];
          gboolean same = strcmp (g_ptr_array_index (one, i), g_ptr_array_index (other, j)) == 0;

          row[j + 1] = same ? diagonal + 1 : MAX (above, row[j]);
          diagonal = above;
        }
    }
  return row[other->len];
}

/* What was measured, rounded down (what lies below 0.97 is explained in the folder's README.md).
 * @least: in each document, @found: in all of a format, of their words; @ours: of ours, in all.
 * Ours alone are headers and footers, headings of pages, sheets and slides, marks of notes, where
 * links lead, names of fields. */
typedef struct
{
  const char *extension;
  const PostbagExtractorImplementation *implementation;
  const char *type; /* the extractors look for these words */
  guint documents;
  double least, found, ours;
} Format;

typedef struct
{
  guint documents, theirs, ours, common;
} Tally;

/* A document without a text beside it is tested elsewhere. */
static char *
read_told (const char *path)
{
  g_autofree char *told = g_strdup_printf ("%s/%s.txt", g_getenv ("POSTBAG_SOURCE_DIR"), path);
  char *text = NULL;

  g_file_get_contents (told, &text, NULL, NULL);
  return text;
}

static void
compare (const Format *format, const char *name, Tally *tally)
{
  g_autofree char *path = g_build_filename (FOLDER, name, NULL);
  g_autofree char *text = read_told (path);
  g_autoptr (ExtractResult) result = NULL;
  g_autoptr (GPtrArray) ours = NULL, theirs = NULL;
  guint common;

  if (text == NULL)
    return;
  result = extract_run_file (format->implementation, format->type, path);
  g_assert_no_error (result->error);
  ours = split_words (result->text);
  theirs = split_words (text);
  common = count_common (theirs, ours);
  g_test_message ("%s: %u of their %u words, %u ours", name, common, theirs->len, ours->len);
  tally->documents++;
  tally->theirs += theirs->len;
  tally->ours += ours->len;
  tally->common += common;
  g_assert_cmpfloat (common, >=, format->least * theirs->len);
}

static void
test_format (gconstpointer data)
{
  const Format *format = data;
  g_autofree char *path = g_build_filename (g_getenv ("POSTBAG_SOURCE_DIR"), FOLDER, NULL);
  g_autofree char *ending = g_strconcat (".", format->extension, NULL);
  g_autoptr (GDir) folder = g_dir_open (path, 0, NULL);
  const char *name;
  Tally tally = { 0 };

  g_assert_nonnull (folder);
  while ((name = g_dir_read_name (folder)) != NULL)
    if (g_str_has_suffix (name, ending))
      compare (format, name, &tally);
  g_test_message ("%s: %u documents, %.1f %% of their words found, %.1f %% of ours are theirs",
                  format->extension, tally.documents, 100.0 * tally.common / tally.theirs,
                  100.0 * tally.common / tally.ours);
  g_assert_cmpuint (tally.documents, >=, format->documents);
  g_assert_cmpfloat (tally.common, >=, format->found * tally.theirs);
  g_assert_cmpfloat (tally.common, >=, format->ours * tally.ours);
}

int
main (int argc, char **argv)
{
  static const Format formats[] = {
    { "docx", &postbag_ooxml_extractor, "application/x-text", 15, 0.93, 0.99, 0.88 },
    { "xlsx", &postbag_ooxml_extractor, "application/x-sheet", 15, 1, 1, 0.85 },
    { "pptx", &postbag_ooxml_extractor, "application/x-presentation", 11, 0.97, 0.99, 0.83 },
    { "odt", &postbag_odf_extractor, "application/x-text", 10, 0.93, 0.99, 0.88 },
    { "ods", &postbag_odf_extractor, "application/x-spreadsheet", 10, 1, 1, 0.86 },
    { "odp", &postbag_odf_extractor, "application/x-presentation", 11, 1, 1, 0.81 },
    { "doc", &postbag_ole_extractor, "application/msword", 14, 0.9, 0.98, 0.89 },
    { "xls", &postbag_ole_extractor, "application/vnd.ms-excel", 11, 0.94, 0.99, 0.98 },
    { "ppt", &postbag_ole_extractor, "application/vnd.ms-powerpoint", 13, 1, 1, 0.79 },
    { "msg", &postbag_ole_extractor, "application/vnd.ms-outlook", 12, 1, 1, 0.91 },
    { "rtf", &postbag_rtf_extractor, "application/rtf", 12, 0.93, 0.99, 0.89 },
    { "pdf", &postbag_pdf_extractor, "application/pdf", 14, 0.98, 0.99, 0.96 },
    { "html", &postbag_html_extractor, "text/html", 12, 0.97, 0.99, 0.97 },
    { "csv", &postbag_text_extractor, "text/csv", 10, 1, 1, 1 },
    { "ics", &postbag_calendar_extractor, "text/calendar", 10, 1, 1, 0.37 },
    { "vcf", &postbag_calendar_extractor, "text/vcard", 10, 1, 1, 0.64 },
    { "eml", &postbag_mail_extractor, "message/rfc822", 11, 1, 1, 0.50 },
    { "zip", &postbag_archive_extractor, "application/zip", 11, 1, 1, 0.46 },
  };

  g_test_init (&argc, &argv, NULL);
  extract_read_inside ("text/html", &postbag_html_extractor);
  extract_read_inside ("application/rtf", &postbag_rtf_extractor);
  for (gsize i = 0; i < G_N_ELEMENTS (formats); i++)
    {
      g_autofree char *path = g_strconcat ("/documents/", formats[i].extension, NULL);

      g_test_add_data_func (path, &formats[i], test_format);
    }
  return g_test_run ();
}
