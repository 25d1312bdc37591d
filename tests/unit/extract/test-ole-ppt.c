/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Presentations before 2007, record by record ([MS-PPT]), and those of LibreOffice. */

#include <string.h>

#include "base/postbag-limits.h"
#include "ole-fixture.h"
#include "postbag-ole-extractor.h"
#include "postbag-ppt-records.h"

#define PPT "application/vnd.ms-powerpoint"
#define CONTAINER 0xf

/* Begins a record whose length end_record() fills in. Returns: where it is */
static guint
begin_record (GByteArray *bytes, guint version, guint instance, guint type)
{
  guint at = bytes->len;

  ole_append (bytes, version | instance << 4, 2);
  ole_append (bytes, type, 2);
  ole_append (bytes, 0, 4);
  return at;
}

static void
end_record (GByteArray *bytes, guint at)
{
  guint length = bytes->len - at - 8;

  for (guint i = 0; i < 4; i++)
    bytes->data[at + 4 + i] = (guint8)(length >> (8 * i));
}

/* An atom of numbers of four bytes each, up to G_MAXUINT64. */
static void
append_atom (GByteArray *bytes, guint type, const guint64 *numbers)
{
  guint at = begin_record (bytes, 0, 0, type);

  for (; *numbers != G_MAXUINT64; numbers++)
    ole_append (bytes, *numbers, 4);
  end_record (bytes, at);
}
#define ATOM(bytes, type, ...)                                                                     \
  append_atom (bytes, type, (const guint64[]){ __VA_ARGS__, G_MAXUINT64 })

static void
append_text (GByteArray *bytes, const char *text)
{
  guint at = begin_record (bytes, 0, 0, POSTBAG_PPT_TEXT_NARROW);

  g_byte_array_append (bytes, (const guint8 *)text, (guint)strlen (text));
  end_record (bytes, at);
}

/* A shape with a text of its own. @place: its placeholder, 0 for none */
static void
append_shape (GByteArray *bytes, guint place, const char *text)
{
  guint shape = begin_record (bytes, CONTAINER, 0, POSTBAG_PPT_SHAPE);
  guint data = begin_record (bytes, CONTAINER, 0, POSTBAG_PPT_CLIENT_DATA);
  guint box;

  if (place != 0)
    ATOM (bytes, POSTBAG_PPT_PLACEHOLDER, 0, place);
  end_record (bytes, data);
  box = begin_record (bytes, CONTAINER, 0, POSTBAG_PPT_TEXT_BOX);
  ATOM (bytes, POSTBAG_PPT_TEXT_HEADER, 4);
  append_text (bytes, text);
  end_record (bytes, box);
  end_record (bytes, shape);
}

/* @groups: around the shape. Returns: its place */
static guint
append_slide (GByteArray *bytes, guint groups, const char *text)
{
  guint slide = begin_record (bytes, CONTAINER, 0, POSTBAG_PPT_SLIDE);
  guint drawing = begin_record (bytes, CONTAINER, 0, POSTBAG_PPT_DRAWING);
  guint shapes = begin_record (bytes, CONTAINER, 0, POSTBAG_PPT_SHAPES);
  g_autofree guint *open = g_new (guint, groups + 1);

  for (guint i = 0; i < groups; i++)
    open[i] = begin_record (bytes, CONTAINER, 0, POSTBAG_PPT_GROUP);
  append_shape (bytes, 0, text);
  for (guint i = groups; i > 0; i--)
    end_record (bytes, open[i - 1]);
  end_record (bytes, shapes);
  end_record (bytes, drawing);
  end_record (bytes, slide);
  return slide;
}

/* A document with slides of the objects from 2 on. Returns: its place */
static guint
append_document (GByteArray *bytes, guint slides)
{
  guint document = begin_record (bytes, CONTAINER, 0, POSTBAG_PPT_DOCUMENT);
  guint list = begin_record (bytes, CONTAINER, 0, POSTBAG_PPT_SLIDE_LIST);

  for (guint i = 0; i < slides; i++)
    ATOM (bytes, POSTBAG_PPT_SLIDE_PERSIST, i + 2, 0, 0, 256 + i, 0);
  end_record (bytes, list);
  end_record (bytes, document);
  return document;
}

/* A directory of @count objects from @first on, then the edit. Returns: the edit's place */
static guint
append_edit (GByteArray *bytes, guint before, guint first, guint count, const guint *places)
{
  guint directory = begin_record (bytes, 0, 0, POSTBAG_PPT_PERSIST_DIRECTORY), edit;

  ole_append (bytes, first | (guint64)count << 20, 4);
  for (guint i = 0; i < count; i++)
    ole_append (bytes, places[i], 4);
  end_record (bytes, directory);
  edit = bytes->len;
  ATOM (bytes, POSTBAG_PPT_EDIT, 0, 3 << 24, before, directory, 1, 9, 0);
  return edit;
}

/* --- reading --- */

typedef struct
{
  const GByteArray *stream;
  const GByteArray *user;
} Files;

static gboolean
read_files (gconstpointer data, PostbagExtractOutput *output, GError **error)
{
  const Files *files = data;
  const PostbagOleBytes document = { files->stream->data, files->stream->len };
  const PostbagOleBytes user = { files->user->data, files->user->len };

  return postbag_ppt_read (&document, &user, output, error);
}

/* Without "Current User": the last edit counts. */
static gboolean
read_document (gconstpointer data, PostbagExtractOutput *output, GError **error)
{
  const GByteArray *stream = data;
  const PostbagOleBytes document = { stream->data, stream->len }, none = { NULL, 0 };

  return postbag_ppt_read (&document, &none, output, error);
}

static GByteArray *
make_user (guint32 token, guint edit)
{
  GByteArray *user = g_byte_array_new ();
  guint at = begin_record (user, 0, 0, 0x0ff6);

  ole_append (user, 20, 4);
  ole_append (user, token, 4);
  ole_append (user, edit, 4);
  end_record (user, at);
  return user;
}

/* A slide that was written twice: @first and @last are the edits. */
static GByteArray *
make_edited (guint *first, guint *last)
{
  GByteArray *stream = g_byte_array_new ();
  guint places[3];

  places[0] = append_document (stream, 2);
  places[1] = append_slide (stream, 1, "old");
  places[2] = append_slide (stream, 1, "other");
  *first = append_edit (stream, 0, 1, 3, places);
  places[0] = append_slide (stream, 2, "new");
  *last = append_edit (stream, *first, 2, 1, places);
  return stream;
}

static void
test_edits (void)
{
  guint first, last;
  g_autoptr (GByteArray) stream = make_edited (&first, &last);
  g_autoptr (GByteArray) newer = make_user (0xe391c05f, last),
                         older = make_user (0xe391c05f, first);
  const Files now = { stream, newer }, then = { stream, older };
  g_autoptr (ExtractResult) current = extract_run_reader (read_files, &now);
  g_autoptr (ExtractResult) before = extract_run_reader (read_files, &then);
  g_autoptr (ExtractResult) alone = extract_run_reader (read_document, stream);

  assert_text (current, "## Slide 1\n\nnew\n\n## Slide 2\n\nother");
  assert_text (before, "## Slide 1\n\nold\n\n## Slide 2\n\nother");
  assert_text (alone, "## Slide 1\n\nnew\n\n## Slide 2\n\nother");
  g_assert_cmpint (extract_result_get_count (current, "slide_count"), ==, 2);
}

static void
test_locked (void)
{
  guint first, last;
  g_autoptr (GByteArray) stream = make_edited (&first, &last);
  g_autoptr (GByteArray) user = make_user (0xf3d1c4df, last);
  const Files files = { stream, user };
  g_autoptr (ExtractResult) token = extract_run_reader (read_files, &files), longer = NULL;

  assert_reason (token, ENCRYPTED);
  ATOM (stream, POSTBAG_PPT_EDIT, 0, 3 << 24, 0, 0, 1, 9, 0, 5);
  longer = extract_run_reader (read_document, stream);
  assert_reason (longer, ENCRYPTED);
}

/* Edits that lead to themselves, and more of them than are followed. */
static void
test_edits_limit (void)
{
  g_autoptr (GByteArray) stream = g_byte_array_new ();
  g_autoptr (ExtractResult) looped = NULL, followed = NULL, lost = NULL;
  guint places[2], edit;

  places[0] = append_document (stream, 1);
  places[1] = append_slide (stream, 1, "here");
  append_edit (stream, stream->len + 16 + 8, 1, 2, places);
  looped = extract_run_reader (read_document, stream);
  assert_text (looped, "## Slide 1\n\nhere");
  g_byte_array_set_size (stream, 0);
  places[0] = append_document (stream, 1);
  places[1] = append_slide (stream, 1, "here");
  edit = append_edit (stream, 0, 1, 2, places);
  for (guint i = 1; i < POSTBAG_LIMIT_PPT_EDITS; i++)
    edit = append_edit (stream, edit, 1, 0, places);
  followed = extract_run_reader (read_document, stream);
  assert_text (followed, "## Slide 1\n\nhere");
  append_edit (stream, edit, 1, 0, places);
  lost = extract_run_reader (read_document, stream);
  assert_reason (lost, CORRUPT);
}

static ExtractResult *
read_grouped (guint groups)
{
  g_autoptr (GByteArray) stream = g_byte_array_new ();
  guint places[2];

  places[0] = append_document (stream, 1);
  places[1] = append_slide (stream, groups, "deep");
  append_edit (stream, 0, 1, 2, places);
  return extract_run_reader (read_document, stream);
}

static void
test_groups_limit (void)
{
  g_autoptr (ExtractResult) deepest = read_grouped (POSTBAG_LIMIT_PPT_GROUPS - 1);
  g_autoptr (ExtractResult) deeper = read_grouped (POSTBAG_LIMIT_PPT_GROUPS);
  g_autoptr (ExtractResult) abyss = read_grouped (100000);

  assert_text (deepest, "## Slide 1\n\ndeep");
  assert_text (deeper, "## Slide 1");
  assert_text (abyss, "## Slide 1");
}

static ExtractResult *
read_many (guint slides)
{
  g_autoptr (GByteArray) stream = g_byte_array_new ();
  g_autofree guint *places = g_new (guint, slides + 1);

  places[0] = append_document (stream, slides);
  for (guint i = 0; i < slides; i++)
    places[i + 1] = append_slide (stream, 1, "x");
  append_edit (stream, 0, 1, slides + 1, places);
  return extract_run_reader (read_document, stream);
}

static void
test_slides_limit (void)
{
  g_autoptr (ExtractResult) some = read_many (POSTBAG_LIMIT_DOCUMENT_SLIDES + 1);
  g_autoptr (ExtractResult) many = read_many (POSTBAG_LIMIT_DOCUMENT_PARTS + 1);

  assert_has (some, "## Slide 200\n\nx");
  assert_has_not (some, "## Slide 201");
  g_assert_nonnull (strstr (some->notes, "declares 201 slides"));
  assert_reason (many, TOO_MANY_PARTS);
}

/* The same object for each slide: it is not read for ever. */
static void
test_repeated (void)
{
  g_autoptr (GByteArray) stream = g_byte_array_new ();
  g_autoptr (ExtractResult) result = NULL;
  g_autofree char *text = g_strnfill (100000, 'x');
  guint places[101];

  places[0] = append_document (stream, 100);
  places[1] = append_slide (stream, 1, text);
  for (guint i = 2; i < G_N_ELEMENTS (places); i++)
    places[i] = places[1];
  append_edit (stream, 0, 1, G_N_ELEMENTS (places), places);
  result = extract_run_reader (read_document, stream);
  assert_has (result, "## Slide 2\n");
  assert_has_not (result, "## Slide 3\n");
  g_assert_nonnull (strstr (result->notes, "damaged"));
}

/* How the letters of a text are formatted: one run of paragraphs, a run of letters for each of
 * @indexes, up to 99. */
static void
append_styles (GByteArray *bytes, guint letters, guint each, const guint *indexes)
{
  guint at = begin_record (bytes, 0, 0, POSTBAG_PPT_TEXT_STYLES);

  ole_append (bytes, letters + 1, 4);
  ole_append (bytes, 0, 2 + 4);
  for (; *indexes != 99; indexes++)
    {
      ole_append (bytes, each, 4);
      ole_append (bytes, 0x0400, 4);
      ole_append (bytes, *indexes << 10, 2);
    }
  end_record (bytes, at);
}

/* Two ways to count: from 7, and not at all. */
static void
append_numbering (GByteArray *bytes)
{
  guint at = begin_record (bytes, 0, 0, POSTBAG_PPT_NUMBERING);

  ole_append (bytes, 0x03000000, 4);
  ole_append (bytes, 1, 2);
  ole_append (bytes, 3 | 7 << 16, 4);
  ole_append (bytes, 0, 8);
  ole_append (bytes, 0, 4 + 8);
  end_record (bytes, at);
}

/* The text of a shape in the list of slides, how it counts in the document's information. */
static void
test_outline (void)
{
  static const guint indexes[] = { 0, 0, 1, 0, 99 };
  g_autoptr (GByteArray) stream = g_byte_array_new ();
  g_autoptr (ExtractResult) result = NULL;
  guint document = begin_record (stream, CONTAINER, 0, POSTBAG_PPT_DOCUMENT), open[6], places[2];

  open[0] = begin_record (stream, CONTAINER, 0, POSTBAG_PPT_DOCUMENT_INFO);
  open[1] = begin_record (stream, CONTAINER, 0, POSTBAG_PPT_TAGS);
  open[2] = begin_record (stream, CONTAINER, 0, POSTBAG_PPT_TAG);
  open[3] = begin_record (stream, 0, 0, POSTBAG_PPT_TAG_DATA);
  open[4] = begin_record (stream, CONTAINER, 0, POSTBAG_PPT_NUMBERINGS_OF_SLIDES);
  ATOM (stream, POSTBAG_PPT_NUMBERING_OF_SLIDE, 256, 1);
  append_numbering (stream);
  for (guint i = 5; i > 0; i--)
    end_record (stream, open[i - 1]);
  open[0] = begin_record (stream, CONTAINER, 0, POSTBAG_PPT_SLIDE_LIST);
  ATOM (stream, POSTBAG_PPT_SLIDE_PERSIST, 2, 0, 0, 256, 0);
  ATOM (stream, POSTBAG_PPT_TEXT_HEADER, 0);
  append_text (stream, "Its title");
  ATOM (stream, POSTBAG_PPT_TEXT_HEADER, 1);
  append_text (stream, "a\rb\rc\rd");
  append_styles (stream, 7, 2, indexes);
  end_record (stream, open[0]);
  end_record (stream, document);
  places[0] = document;
  places[1] = begin_record (stream, CONTAINER, 0, POSTBAG_PPT_SLIDE);
  open[0] = begin_record (stream, CONTAINER, 0, POSTBAG_PPT_DRAWING);
  open[1] = begin_record (stream, CONTAINER, 0, POSTBAG_PPT_SHAPES);
  for (guint i = 0; i < 3; i++)
    {
      open[2] = begin_record (stream, CONTAINER, 0, POSTBAG_PPT_SHAPE);
      open[3] = begin_record (stream, CONTAINER, 0, POSTBAG_PPT_CLIENT_DATA);
      ATOM (stream, POSTBAG_PPT_PLACEHOLDER, 0, i == 0 ? 0x0d : 0x0e);
      end_record (stream, open[3]);
      open[3] = begin_record (stream, CONTAINER, 0, POSTBAG_PPT_TEXT_BOX);
      ATOM (stream, POSTBAG_PPT_OUTLINE_REFERENCE, MIN (i, 1));
      end_record (stream, open[3]);
      end_record (stream, open[2]);
    }
  for (guint i = 2; i > 0; i--)
    end_record (stream, open[i - 1]);
  end_record (stream, places[1]);
  append_edit (stream, 0, 1, 2, places);
  result = extract_run_reader (read_document, stream);
  assert_text (result, "## Slide 1: Its title\n\n7. a\n8. b\n- c\n7. d");
}

static void
test_damaged (void)
{
  guint first, last;
  g_autoptr (GByteArray) stream = make_edited (&first, &last);

  ole_try_damaged (read_document, stream);
}

static void
test_documents (void)
{
  g_autoptr (ExtractResult) kickoff =
      extract_run_file (&postbag_ole_extractor, PPT, "tests/corpus/documents/kickoff.ppt");
  g_autoptr (ExtractResult) shapes =
      extract_run_file (&postbag_ole_extractor, PPT, "tests/corpus/documents/shapes.ppt");
  g_autoptr (ExtractResult) numbers =
      extract_run_file (&postbag_ole_extractor, PPT, "tests/corpus/documents/numbers.ppt");

  assert_has (kickoff, "## Slide 1: Harbour bridge\n\nKick-off, 12 May\n\nŁódź and Zürich");
  assert_has (kickoff, "- Cost\n- Time\n  - Survey in June\n  - Steel in autumn\n- Weather");
  assert_has (kickoff, "[Notes] Ask for questions here.\n\nThen go on.");
  assert_has (kickoff,
              "| Part | Tonnes | Price |\n| --- | --- | --- |\n| Deck | 1,200 | € 3.4 m |");
  assert_has (kickoff, "## Slide 4: Only for us (hidden)\n\n- Margin is 12 %");
  assert_has (kickoff, "- See the site (https://example.org/bridge) for plans");
  g_assert_cmpint (extract_result_get_count (kickoff, "slide_count"), ==, 5);
  g_assert_cmpint (extract_result_get_count (kickoff, "hidden_runs"), ==, 1);
  assert_has (shapes, "In a group\n\nDeeper\n\nInside an ellipse\n\nRectangle");
  assert_has (numbers, "1. Dig\n2. Pour\n  1. mix\n  2. wait\n3. Build");
  assert_has (numbers, "- alpha\n- beta\n\nplain after");
  assert_has (shapes, "## Slide 2: Breaks in titles\n\nOne\ntwo\ttabbed");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ole/ppt/edits", test_edits);
  g_test_add_func ("/ole/ppt/locked", test_locked);
  g_test_add_func ("/ole/ppt/edits-limit", test_edits_limit);
  g_test_add_func ("/ole/ppt/groups-limit", test_groups_limit);
  g_test_add_func ("/ole/ppt/slides-limit", test_slides_limit);
  g_test_add_func ("/ole/ppt/repeated", test_repeated);
  g_test_add_func ("/ole/ppt/outline", test_outline);
  g_test_add_func ("/ole/ppt/damaged", test_damaged);
  g_test_add_func ("/ole/ppt/documents", test_documents);
  return g_test_run ();
}
