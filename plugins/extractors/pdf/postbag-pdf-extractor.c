/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Poppler reads the document from a stream over its bytes: from a file descriptor it misreports
 * damage, from memory a document that needs a password ends the process (Debian 12). */

#include "postbag-pdf-extractor.h"

#include <string.h>

#include "base/postbag-limits.h"

#include "postbag-pdf-lines.h"
#include "postbag-pdf-maps.h"
#include "postbag-pdf-outside.h"
#include "postbag-pdf-streams.h"

/* Under a name of ours: later versions of the library have a cleanup themselves. */
typedef PopplerPage Page;
typedef PopplerDocument Document;
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Page, g_object_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Document, g_object_unref)

#define SMALLEST_LETTER 2.0 /* points */
#define MISSED_NOTE                                                                                \
  "Chinese, Japanese or Korean text was left out: the character maps of its fonts cannot be read " \
  "here. They come with the package poppler-data."

typedef struct
{
  PostbagExtractOutput *output;
  gint64 hidden;
  gint64 pages; /* that are there */
  gboolean any_text;
  gboolean full;
} Reader;

static void
write_words (Reader *reader, const char *text, gsize length)
{
  if (!reader->full && length > 0)
    reader->full = !reader->output->append (reader->output, text, length);
}

static gboolean
translate_error (const GError *failure, GError **error)
{
  PostbagExtractReason reason = POSTBAG_EXTRACT_CORRUPT;

  if (g_error_matches (failure, POPPLER_ERROR, POPPLER_ERROR_ENCRYPTED))
    reason = POSTBAG_EXTRACT_ENCRYPTED;
  g_set_error_literal (error, POSTBAG_EXTRACT_ERROR, (int)reason, failure->message);
  return FALSE;
}

static gboolean
is_outside (const PopplerRectangle *letter, double width, double height)
{
  double x = (letter->x1 + letter->x2) / 2;
  double y = (letter->y1 + letter->y2) / 2;

  return x < 0 || y < 0 || x > width || y > height;
}

static gboolean
is_tiny (const PopplerRectangle *letter)
{
  double height = ABS (letter->y2 - letter->y1);
  double width = ABS (letter->x2 - letter->x1);

  return MAX (height, width) < SMALLEST_LETTER && height > 0;
}

/* Runs of letters that nobody sees: outside the page, or too small. */
static void
count_hidden (Reader *reader, PopplerPage *page, const PopplerRectangle *letters, guint n_letters)
{
  double width, height;
  gboolean was_hidden = FALSE;

  poppler_page_get_size (page, &width, &height);
  for (guint i = 0; i < n_letters; i++)
    {
      gboolean hidden = is_outside (&letters[i], width, height) || is_tiny (&letters[i]);

      if (hidden && !was_hidden)
        reader->hidden++;
      was_hidden = hidden;
    }
}

/* (transfer full): form feeds and blanks at the ends of lines gone */
static char *
tidy (const char *text)
{
  GString *out = g_string_sized_new (strlen (text));

  for (const char *at = text; *at != '\0'; at++)
    {
      if (*at == '\n')
        while (out->len > 0 && strchr (" \t", out->str[out->len - 1]) != NULL)
          g_string_truncate (out, out->len - 1);
      if (*at != '\f' && *at != '\r')
        g_string_append_c (out, *at);
    }
  while (out->len > 0 && strchr (" \t\n", out->str[out->len - 1]) != NULL)
    g_string_truncate (out, out->len - 1);
  return g_string_free (out, FALSE);
}

/* (transfer full) */
static char *
read_text (Reader *reader, PopplerPage *page)
{
  g_autofree char *raw = poppler_page_get_text (page);
  g_autofree PopplerRectangle *letters = NULL;
  g_autofree char *arranged = NULL;
  guint n_letters = 0;

  if (!poppler_page_get_text_layout (page, &letters, &n_letters))
    n_letters = 0;
  count_hidden (reader, page, letters, n_letters);
  arranged = postbag_pdf_lines_arrange (raw != NULL ? raw : "", letters, n_letters);
  return tidy (arranged);
}

/* The number that is declared may be anything: only a page that is there counts. */
static void
read_page (Reader *reader, PopplerDocument *document, int index)
{
  g_autoptr (Page) page = poppler_document_get_page (document, index);
  g_autofree char *heading = NULL, *text = NULL;

  if (page == NULL)
    return;
  heading = g_strdup_printf ("%s## Page %d", reader->pages > 0 ? "\n\n" : "", index + 1);
  reader->pages = index + 1;
  write_words (reader, heading, strlen (heading));
  text = read_text (reader, page);
  if (*text == '\0')
    return;
  reader->any_text = TRUE;
  write_words (reader, "\n\n", 2);
  write_words (reader, text, strlen (text));
}

static gboolean
has_marker (const PostbagExtractInput *input)
{
  return memmem (input->data, MIN (input->length, 1024), "%PDF-", 5) != NULL;
}

static void
note_more (PostbagExtractOutput *output, int declared)
{
  g_autofree char *note = g_strdup_printf ("The document declares %d pages; the first %d are read.",
                                           declared, POSTBAG_LIMIT_DOCUMENT_PAGES);

  output->note (output, note);
}

static gboolean
read_pages (PopplerDocument *document, const PostbagPdfMapsWatch *watch,
            const PostbagPdfFindings *findings, gint64 outside, PostbagExtractOutput *output,
            GError **error)
{
  Reader reader = { .output = output, .hidden = outside + findings->hidden };
  int declared = poppler_document_get_n_pages (document);

  for (int i = 0; i < MIN (declared, POSTBAG_LIMIT_DOCUMENT_PAGES) && !reader.full; i++)
    read_page (&reader, document, i);
  output->count (output, "page_count", reader.pages);
  output->count (output, "hidden_runs", reader.hidden);
  if (declared > POSTBAG_LIMIT_DOCUMENT_PAGES)
    note_more (output, declared);
  if (outside > 0)
    output->note (output, "Text outside the pages, which nobody sees, was left out.");
  if (watch->missed)
    output->note (output, MISSED_NOTE);
  if (reader.any_text || watch->missed)
    return TRUE;
  g_set_error_literal (error, POSTBAG_EXTRACT_ERROR,
                       reader.pages > 0 ? POSTBAG_EXTRACT_NO_TEXT_LAYER : POSTBAG_EXTRACT_CORRUPT,
                       "There is no text on any page.");
  return FALSE;
}

static gboolean
extract (const PostbagExtractInput *input, PostbagExtractOutput *output, GError **error)
{
  g_autoptr (GError) failure = NULL;
  g_autoptr (Document) document = NULL;
  PostbagPdfMapsWatch watch;
  PostbagPdfFindings findings;
  gboolean fine;
  gint64 outside = 0;

  if (!has_marker (input))
    {
      g_set_error_literal (error, POSTBAG_EXTRACT_ERROR, POSTBAG_EXTRACT_NOT_A_DOCUMENT,
                           "There is no PDF header.");
      return FALSE;
    }
  if (!postbag_pdf_streams_check (input->data, input->length, &findings, error))
    return FALSE;
  postbag_pdf_maps_watch (&watch);
  document = postbag_pdf_open (input->data, input->length, &failure);
  if (document != NULL && findings.draws_outside)
    outside = postbag_pdf_outside_count (document, input->data, input->length);
  fine = document != NULL ? read_pages (document, &watch, &findings, outside, output, error)
                          : translate_error (failure, error);
  postbag_pdf_maps_unwatch (&watch);
  return fine;
}

static gboolean
prepare (GError **error)
{
  (void)error;
  postbag_pdf_maps_prepare ();
  return TRUE;
}

static const char *const folders[] = { "/usr/share/poppler", "/usr/share/fonts", NULL };

const PostbagExtractorImplementation postbag_pdf_extractor = {
  .size = sizeof (PostbagExtractorImplementation),
  .prepare = prepare,
  .extract = extract,
  .folders = folders,
};
