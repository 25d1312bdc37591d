/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Documents of other programs (tests/corpus/documents): how many words of the text that another
 * program finds are ours, in its order, and the other way. */

#include <string.h>

#include "extract-fixture.h"
#include "postbag-html-extractor.h"
#include "postbag-odf-extractor.h"
#include "postbag-ole-extractor.h"
#include "postbag-ooxml-extractor.h"
#include "postbag-rtf-extractor.h"

#define FOLDER "tests/corpus/documents"
/* Numbers of lists are no text of the old Word documents, but of what is told of them. */
#define LEAST_FOUND_DOC 0.75
/* Ours alone are headers and footers, headings of sheets and slides, and marks of notes. */
#define LEAST_FOUND 0.9
#define LEAST_OURS 0.6 /* in all documents of a format */

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

typedef struct
{
  guint documents, theirs, ours, common;
  double least;
} Tally;

static void
compare (const PostbagExtractorImplementation *implementation, const char *type, const char *name,
         Tally *tally)
{
  g_autofree char *path = g_build_filename (FOLDER, name, NULL);
  g_autofree char *told = g_strdup_printf ("%s/%s.txt", g_getenv ("POSTBAG_SOURCE_DIR"), path);
  g_autofree char *text = NULL;
  g_autoptr (ExtractResult) result = extract_run_file (implementation, type, path);
  g_autoptr (GPtrArray) ours = NULL, theirs = NULL;
  g_autoptr (GError) error = NULL;
  guint common;

  g_file_get_contents (told, &text, NULL, &error);
  g_assert_no_error (error);
  g_assert_no_error (result->error);
  ours = split_words (result->text);
  theirs = split_words (text);
  common = count_common (theirs, ours);
  g_test_message ("%s: %u of their %u words, %u ours", name, common, theirs->len, ours->len);
  tally->documents++;
  tally->theirs += theirs->len;
  tally->ours += ours->len;
  tally->common += common;
  g_assert_cmpfloat (common, >=, tally->least * theirs->len);
}

typedef struct
{
  const char *extension;
  const PostbagExtractorImplementation *implementation;
  const char *type; /* the extractors look for these words */
} Format;

static void
test_format (gconstpointer data)
{
  const Format *format = data;
  g_autofree char *path = g_build_filename (g_getenv ("POSTBAG_SOURCE_DIR"), FOLDER, NULL);
  g_autofree char *ending = g_strconcat (".", format->extension, NULL);
  g_autoptr (GDir) folder = g_dir_open (path, 0, NULL);
  const char *name;
  Tally tally = { .least = strcmp (format->extension, "doc") == 0 ? LEAST_FOUND_DOC : LEAST_FOUND };

  g_assert_nonnull (folder);
  while ((name = g_dir_read_name (folder)) != NULL)
    if (g_str_has_suffix (name, ending))
      compare (format->implementation, format->type, name, &tally);
  g_assert_cmpuint (tally.documents, >=, 5);
  g_test_message ("%s: %u documents, %.1f %% of their words found, %.1f %% of ours are theirs",
                  format->extension, tally.documents, 100.0 * tally.common / tally.theirs,
                  100.0 * tally.common / tally.ours);
  g_assert_cmpfloat (tally.common, >=, LEAST_OURS * tally.ours);
}

int
main (int argc, char **argv)
{
  static const Format formats[] = {
    { "docx", &postbag_ooxml_extractor, "application/x-text" },
    { "xlsx", &postbag_ooxml_extractor, "application/x-sheet" },
    { "pptx", &postbag_ooxml_extractor, "application/x-presentation" },
    { "odt", &postbag_odf_extractor, "application/x-text" },
    { "ods", &postbag_odf_extractor, "application/x-spreadsheet" },
    { "odp", &postbag_odf_extractor, "application/x-presentation" },
    { "doc", &postbag_ole_extractor, "application/msword" },
    { "xls", &postbag_ole_extractor, "application/vnd.ms-excel" },
    { "ppt", &postbag_ole_extractor, "application/vnd.ms-powerpoint" },
    { "msg", &postbag_ole_extractor, "application/vnd.ms-outlook" },
    { "rtf", &postbag_rtf_extractor, "application/rtf" },
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
