/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Documents that become large, or go in circles. What the encoders here make is held against two
 * decoders: ours, which measures, and the library's, which reads the text at its end. */

#include <string.h>

#include "base/postbag-limits.h"
#include "postbag-pdf-extractor.h"
#include "postbag-pdf-filters.h"
#include "postbag-pdf-streams.h"

#include "extract-fixture.h"

#define MIB (1024 * 1024)
#define WORDS "BT /F 12 Tf 20 250 Td (Seen) Tj ET"

/* --- encoders --- */

static void
encode_flate (GByteArray *in, GByteArray *out)
{
  g_autoptr (GZlibCompressor) zlib = g_zlib_compressor_new (G_ZLIB_COMPRESSOR_FORMAT_ZLIB, 1);
  gsize n_read = 0, n_written = 0;
  g_autoptr (GError) error = NULL;

  g_byte_array_set_size (out, in->len / 100 + 4096);
  g_assert_cmpint (g_converter_convert (G_CONVERTER (zlib), in->data, in->len, out->data, out->len,
                                        G_CONVERTER_INPUT_AT_END, &n_read, &n_written, &error),
                   ==, G_CONVERTER_FINISHED);
  g_byte_array_set_size (out, (guint)n_written);
}

typedef struct
{
  GByteArray *out;
  guint32 bits;
  guint n_bits, width, next;
  guint16 table[4096][256];
} LzwWriter;

static void
write_code (LzwWriter *writer, guint code)
{
  writer->bits = writer->bits << writer->width | code;
  writer->n_bits += writer->width;
  while (writer->n_bits >= 8)
    {
      guint8 byte = (guint8)(writer->bits >> (writer->n_bits -= 8));

      g_byte_array_append (writer->out, &byte, 1);
    }
}

static void
begin_table (LzwWriter *writer)
{
  write_code (writer, 256);
  memset (writer->table, 0, sizeof writer->table);
  writer->width = 9;
  writer->next = 258;
}

static void
encode_lzw_as (GByteArray *in, GByteArray *out, guint early)
{
  g_autofree LzwWriter *writer = g_new0 (LzwWriter, 1);
  guint code = in->data[0];

  writer->out = out;
  writer->width = 9;
  begin_table (writer);
  for (guint i = 1; i < in->len; i++)
    {
      guint16 *longer = &writer->table[code][in->data[i]];

      if (*longer != 0)
        {
          code = *longer;
          continue;
        }
      write_code (writer, code);
      *longer = (guint16)writer->next++;
      if (writer->next + early > 1u << writer->width)
        writer->width++;
      if (writer->next >= 4090)
        begin_table (writer);
      code = in->data[i];
    }
  write_code (writer, code);
  if (++writer->next + early > 1u << writer->width)
    writer->width++;
  write_code (writer, 257);
  writer->width = 8;
  write_code (writer, 0);
}

static void
encode_lzw (GByteArray *in, GByteArray *out)
{
  encode_lzw_as (in, out, 1);
}

static void
encode_lzw_late (GByteArray *in, GByteArray *out)
{
  encode_lzw_as (in, out, 0);
}

static void
encode_run_length (GByteArray *in, GByteArray *out)
{
  for (guint i = 0; i < in->len;)
    {
      guint n = 1;

      while (n < 128 && i + n < in->len && in->data[i + n] == in->data[i])
        n++;
      guint8 pair[] = { n == 1 ? 0 : (guint8)(257 - n), in->data[i] };

      g_byte_array_append (out, pair, 2);
      i += n;
    }
  g_byte_array_append (out, (const guint8 *)"\200", 1);
}

static void
encode_ascii85 (GByteArray *in, GByteArray *out)
{
  for (guint i = 0; i + 4 <= in->len; i += 4)
    {
      guint32 value = (guint32)in->data[i] << 24 | (guint32)in->data[i + 1] << 16
                      | (guint32)in->data[i + 2] << 8 | in->data[i + 3];
      guint8 digits[5];

      for (int digit = 4; digit >= 0; digit--, value /= 85)
        digits[digit] = (guint8)('!' + value % 85);
      g_byte_array_append (out, digits, sizeof digits);
    }
  g_byte_array_append (out, (const guint8 *)"~>", 2);
}

static void
encode_ascii85_flate (GByteArray *in, GByteArray *out)
{
  g_autoptr (GByteArray) flate = g_byte_array_new ();

  encode_flate (in, flate);
  while (flate->len % 4 != 0) /* behind its end */
    g_byte_array_append (flate, (const guint8 *)"", 1);
  encode_ascii85 (flate, out);
}

static void
encode_flate_twice (GByteArray *in, GByteArray *out)
{
  g_autoptr (GByteArray) once = g_byte_array_new ();

  encode_flate (in, once);
  encode_flate (once, out);
}

/* --- documents --- */

#define HEAD                                                                                       \
  "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"                                         \
  "2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"                                             \
  "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Contents 4 0 R/Resources<</Font<<"       \
  "/F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>endobj\n"

static void
append (GByteArray *document, const char *text)
{
  g_byte_array_append (document, (const guint8 *)text, (guint)strlen (text));
}

/* Blanks, and words behind them: @megabytes in all. */
static GByteArray *
make_content (guint megabytes)
{
  GByteArray *content = g_byte_array_sized_new (megabytes * MIB + 64);

  g_byte_array_set_size (content, megabytes * MIB);
  memset (content->data, ' ', content->len);
  append (content, WORDS);
  return content;
}

static ExtractResult *
run (GByteArray *document)
{
  append (document, "trailer<</Root 1 0 R>>\n%%EOF\n");
  return extract_run (&postbag_pdf_extractor, "application/pdf", document->data, document->len);
}

static ExtractResult *
run_stream (const char *entries, GByteArray *data)
{
  g_autoptr (GByteArray) document = g_byte_array_new ();
  g_autofree char *start = g_strdup_printf ("4 0 obj<<%s>>stream\n", entries);

  append (document, HEAD);
  append (document, start);
  g_byte_array_append (document, data->data, data->len);
  append (document, "\nendstream endobj\n");
  return run (document);
}

typedef struct
{
  const char *name;
  const char *entries; /* of the dictionary, the length apart */
  void (*encode) (GByteArray *in, GByteArray *out);
  guint too_large; /* MiB */
} Case;

static const Case cases[] = {
  { "flate", "/Filter/FlateDecode", encode_flate, 96 },
  { "flate-escaped", "/Filter/F#6cateDecode", encode_flate, 33 },
  { "flate-twice", "/Filter[/FlateDecode /FlateDecode]", encode_flate_twice, 33 },
  { "lzw", "/Filter/LZWDecode", encode_lzw, 33 },
  { "lzw-late", "/Filter /LZWDecode /DecodeParms <</EarlyChange 0>>", encode_lzw_late, 33 },
  { "run-length", "/Filter [ /RunLengthDecode ]", encode_run_length, 33 },
  { "picture-as-content", "/Subtype/Image/Filter/FlateDecode", encode_flate, 33 },
  { "ascii85-flate", "/Filter[/ASCII85Decode/FlateDecode]", encode_ascii85_flate, 33 },
  { "said-twice", "/Subtype/Form/Subtype/Image/Filter/FlateDecode", encode_flate, 33 },
  { "said-twice-turned", "/Subtype/Image/Subtype/Form/Filter/FlateDecode", encode_flate, 33 },
};

static ExtractResult *
run_case (const Case *test, guint megabytes, const char *length)
{
  g_autoptr (GByteArray) content = make_content (megabytes);
  g_autoptr (GByteArray) data = g_byte_array_new ();
  g_autofree char *told = NULL;
  g_autofree char *entries = NULL;

  test->encode (content, data);
  told = g_strdup_printf ("%u", data->len);
  entries = g_strdup_printf ("%s/Length %s", test->entries, length != NULL ? length : told);
  return run_stream (entries, data);
}

static void
test_case (gconstpointer data)
{
  const Case *test = data;
  g_autoptr (ExtractResult) fine = run_case (test, 2, NULL);
  g_autoptr (ExtractResult) bomb = run_case (test, test->too_large, NULL);

  assert_text (fine, "## Page 1\n\nSeen");
  assert_reason (bomb, TOO_LARGE);
}

/* What fonts and, by a list of its own, a page are made of, and a stream of objects, that say that
 * they are pictures. */
static void
test_no_pictures (void)
{
  static const char *const entries[] = { "/X<</ToUnicode 4 0 R>>", "/X<</FontFile2 4 0 R>>",
                                         "/Type/ObjStm",
                                         ">>endobj 5 0 obj [4 0 R] endobj 6 0 obj<</Contents 5 0 R"
                                         ">>endobj 4 0 obj<</Subtype/Image/Filter/Fl" };
  g_autoptr (GByteArray) content = make_content (33);
  g_autoptr (GByteArray) flate = g_byte_array_new ();

  encode_flate (content, flate);
  for (gsize i = 0; i < G_N_ELEMENTS (entries); i++)
    {
      g_autofree char *text =
          g_strdup_printf ("%%PDF-1.4\n4 0 obj<</Subtype/Image/Filter/Fl%s>>stream\n", entries[i]);
      g_autoptr (GByteArray) document = g_byte_array_new ();
      g_autoptr (GError) error = NULL;
      PostbagPdfFindings findings;

      append (document, text);
      g_byte_array_append (document, flate->data, flate->len);
      append (document, "\nendstream endobj\n");
      g_assert_false (postbag_pdf_streams_check (document->data, document->len, &findings, &error));
      g_assert_error (error, POSTBAG_EXTRACT_ERROR, POSTBAG_EXTRACT_TOO_LARGE);
    }
}

/* --- what pictures say of their size --- */

static gboolean
fits (const char *before, const void *data, gsize length)
{
  g_autoptr (GByteArray) document = g_byte_array_new ();
  g_autoptr (GError) error = NULL;
  PostbagPdfFindings findings;
  gboolean fine;

  append (document, "%PDF-1.4\n4 0 obj<<");
  append (document, before);
  append (document, ">>stream\n");
  g_byte_array_append (document, data, (guint)length);
  append (document, "\nendstream endobj\n");
  fine = postbag_pdf_streams_check (document->data, document->len, &findings, &error);
  if (!fine)
    g_assert_error (error, POSTBAG_EXTRACT_ERROR, POSTBAG_EXTRACT_TOO_LARGE);
  return fine;
}

static gboolean
text_fits (const char *text)
{
  return fits ("", text, strlen (text));
}

/* 32 MiB for one picture in a content, 128 MiB for all; what says nothing of its colours may have
 * four, of eight bits. */
static void
test_inline_pictures (void)
{
  g_autofree char *four = NULL, *five = NULL;
#define ONE "q BI/W 2896/H 2896/CS/RGB/BPC 8 ID x EI Q\n"

  g_assert_true (text_fits ("BI /W 8192 /H 4096 /CS /G /BPC 8 ID x EI"));
  g_assert_false (text_fits ("BI /W 8192 /H 4097 /CS /G /BPC 8 ID x EI"));
  g_assert_false (text_fits ("BI/Width 8192/Height 4097/ColorSpace/DeviceGray ID x EI"));
  g_assert_false (text_fits ("BI/W 4096/H 2049 ID x EI"));
  g_assert_true (text_fits ("BI/W 16384/H 16384/IM true ID x EI"));
  g_assert_false (text_fits ("BI/W 16385/H 16385/IM true ID x EI"));
  g_assert_false (text_fits ("BI/W 99999999999999999999/H 99999999999999999999 ID x EI"));
  g_assert_true (text_fits ("(BIG)BIG BI BI/W 9/H 9 EI"));
  four = g_strconcat (ONE ONE ONE ONE, NULL);
  five = g_strconcat (four, ONE, NULL);
  g_assert_true (text_fits (four));
  g_assert_false (text_fits (five));
}

/* A content in the codec of a picture; as a picture it is nobody's to unpack. */
static void
test_codecs (void)
{
  guint8 jpeg[] = { 0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xc2, 0, 17, 8, 0x10, 0, 0x20, 0, 1 };
  guint8 jpeg2000[46] = { 0xff, 0x4f, 0xff, 0x51, 0, 41, 0, 0, 0, 0, 0x08, 0, 0, 0, 0x04, 0 };

  jpeg2000[41] = 4;
  g_assert_true (fits ("/Filter/DCTDecode", jpeg, sizeof jpeg));
  g_assert_true (fits ("/Filter/JPXDecode", jpeg2000, sizeof jpeg2000));
  jpeg[14]++;
  jpeg2000[15]++;
  g_assert_false (fits ("/Filter/DCTDecode", jpeg, sizeof jpeg));
  g_assert_false (fits ("/Filter[/AHx/DCT]", "ffd8ffc00011081001200001>", 25));
  g_assert_false (fits ("/Filter/JPXDecode", jpeg2000, sizeof jpeg2000));
  g_assert_false (fits ("/Filter/JPXDecode", jpeg2000, 41));
  g_assert_false (fits ("/Filter/JBIG2Decode", "x", 1));
  g_assert_false (fits ("/Filter/CCF", "x", 1));
  g_assert_true (fits ("/Subtype/Image/Filter/DCTDecode", jpeg, sizeof jpeg));
  g_assert_true (fits ("/Subtype/Image/Filter/JBIG2Decode", "x", 1));
}

/* Nobody packs as often as nine times; whoever does, has something to hide in the ninth. */
static void
test_many_filters (void)
{
  g_autoptr (GByteArray) words = g_byte_array_new ();

  append (words, WORDS);
#define SIX "/Fl/Fl/Fl/Fl/Fl/Fl"
  g_autoptr (ExtractResult) nine = run_stream ("/Length 34/Filter[" SIX "/Fl/Fl/Fl]", words);
  g_autoptr (ExtractResult) eight = run_stream ("/Length 34/Filter[" SIX "/Fl/Fl]", words);

  assert_reason (nine, TOO_LARGE);
  g_assert_false (g_error_matches (eight->error, POSTBAG_EXTRACT_ERROR, POSTBAG_EXTRACT_TOO_LARGE));
}

/* Where a stream's object begins is found also where NULs stand before it. */
static void
test_nul (void)
{
  g_autoptr (GByteArray) content = make_content (33);
  g_autoptr (GByteArray) flate = g_byte_array_new ();
  g_autoptr (GByteArray) document = g_byte_array_new ();

  encode_flate (content, flate);
  append (document, HEAD "<<");
  g_byte_array_append (document, (const guint8 *)"", 1);
  append (document, "4 0 obj<</Filter/FlateDecode>>stream\n");
  g_byte_array_append (document, flate->data, flate->len);
  append (document, "\nendstream endobj\n");
  g_autoptr (ExtractResult) result = run (document);

  assert_reason (result, TOO_LARGE);
}

/* A length that is not true, or not there: the word "endstream" ends it. One that is true counts
 * whatever words are in between, also where it stands in another object. */
static void
test_length (void)
{
  g_autoptr (ExtractResult) lie = run_case (&cases[0], 33, "3");
  g_autoptr (ExtractResult) lost = run_case (&cases[0], 33, "99 0 R");
  g_autoptr (GByteArray) content = make_content (33);
  g_autoptr (GByteArray) runs = g_byte_array_new ();
  g_autofree char *entries = NULL;

  append (runs, "\010endstream");
  encode_run_length (content, runs);
  entries = g_strdup_printf ("/Filter/RunLengthDecode/Length 7 0 R>>endobj 7 0 obj %u endobj "
                             "4 0 obj<</Length 7 0 R/Filter/RunLengthDecode",
                             runs->len);
  g_autoptr (ExtractResult) elsewhere = run_stream (entries, runs);

  assert_reason (lie, TOO_LARGE);
  assert_reason (lost, TOO_LARGE);
  assert_reason (elsewhere, TOO_LARGE);
}

/* Each is small enough; together they are not. */
static void
test_all_streams (void)
{
  g_autoptr (GByteArray) content = make_content (20);
  g_autoptr (GByteArray) flate = g_byte_array_new ();
  g_autoptr (GByteArray) few = g_byte_array_new ();
  g_autoptr (GByteArray) many = g_byte_array_new ();

  encode_flate (content, flate);
  append (few, HEAD);
  append (many, HEAD);
  for (guint i = 4; i < 11; i++)
    {
      g_autofree char *start =
          g_strdup_printf ("%u 0 obj<</Filter/FlateDecode/Length %u>>stream\r\n", i, flate->len);
      GByteArray *documents[] = { many, i < 10 ? few : NULL };

      for (guint j = 0; j < 2 && documents[j] != NULL; j++)
        {
          append (documents[j], start);
          g_byte_array_append (documents[j], flate->data, flate->len);
          append (documents[j], "\nendstream endobj\n");
        }
    }
  g_autoptr (ExtractResult) fine = run (few);
  g_autoptr (ExtractResult) bomb = run (many);

  g_assert_cmpuint (6 * (20 * MIB + strlen (WORDS)), <=, POSTBAG_LIMIT_PDF_STREAMS_BYTES);
  g_assert_cmpuint (7 * (20 * MIB + strlen (WORDS)), >, POSTBAG_LIMIT_PDF_STREAMS_BYTES);
  assert_text (fine, "## Page 1\n\nSeen");
  assert_reason (bomb, TOO_LARGE);
}

/* A large picture keeps no text from being read. */
static void
test_picture (void)
{
  g_autoptr (GByteArray) pixels = make_content (48);
  g_autoptr (GByteArray) flate = g_byte_array_new ();
  g_autoptr (GByteArray) document = g_byte_array_new ();
  g_autofree char *start = NULL;

  encode_flate (pixels, flate);
  start = g_strdup_printf ("5 0 obj<</Subtype/Image/Width 4096/Height 4096/ColorSpace/DeviceRGB"
                           "/BitsPerComponent 8/Filter/FlateDecode/Length %u>>stream\n",
                           flate->len);
  append (document, HEAD "4 0 obj<</Length 34>>stream\n" WORDS "\nendstream endobj\n");
  append (document, start);
  g_byte_array_append (document, flate->data, flate->len);
  append (document, "\nendstream endobj\n");
  g_autoptr (ExtractResult) result = run (document);

  assert_text (result, "## Page 1\n\nSeen");
}

static void
append_object (GByteArray *document, const char *head, GByteArray *data)
{
  g_autofree char *start = g_strdup_printf ("%s/Length %u>>stream\n", head, data->len);

  append (document, start);
  g_byte_array_append (document, data->data, data->len);
  append (document, "\nendstream endobj\n");
}

/* Nor does the library look into one that a page shows, whatever its codec, its size and its mask:
 * no text needs it. */
static void
test_shown_pictures (void)
{
#define PICTURE "/Type/XObject/Subtype/Image/Width 60000/Height 60000/BitsPerComponent 8"
  g_autoptr (GByteArray) pixels = make_content (48);
  g_autoptr (GByteArray) flate = g_byte_array_new ();
  g_autoptr (GByteArray) words = g_byte_array_new ();
  g_autoptr (GByteArray) document = g_byte_array_new ();

  encode_flate (pixels, flate);
  append (words, "q 300 0 0 300 0 0 cm /A Do /B Do /C Do /D Do Q " WORDS);
  append (document, "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
                    "2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
                    "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Contents 4 0 R"
                    "/Resources<</XObject<</A 5 0 R/B 7 0 R/C 8 0 R/D 9 0 R>>/Font<</F<</Type/Font"
                    "/Subtype/Type1/BaseFont/Helvetica>>>>>>>>endobj\n");
  append_object (document, "4 0 obj<<", words);
  append_object (document,
                 "5 0 obj<<" PICTURE "/ColorSpace/DeviceRGB/SMask 6 0 R/Filter/FlateDecode", flate);
  append_object (document, "6 0 obj<<" PICTURE "/ColorSpace/DeviceGray/Filter/FlateDecode", flate);
  append_object (document, "7 0 obj<<" PICTURE "/ColorSpace/DeviceRGB/Filter/DCTDecode", words);
  append_object (document, "8 0 obj<<" PICTURE "/Filter/JPXDecode", words);
  append_object (document, "9 0 obj<<" PICTURE "/ColorSpace/DeviceGray/Filter/JBIG2Decode", words);
  g_autoptr (ExtractResult) result = run (document);

  assert_text (result, "## Page 1\n\nSeen");
}

/* The table of lengths has its own end; then the word "endstream" is taken. */
static void
test_numbers (void)
{
  PostbagPdfFindings findings = { .draws_outside = TRUE };
  g_autoptr (GString) document =
      g_string_new (HEAD "4 0 obj<</Length 720000 0 R>>stream\n" WORDS "\nendstream endobj\n");

  for (guint i = 0; i <= POSTBAG_LIMIT_PDF_NUMBERS; i++)
    g_string_append_printf (document, "%u 0 obj 3 endobj\n", 700000 + i);
  g_string_append (document, "trailer<</Root 1 0 R>>\n");
  g_assert_true (
      postbag_pdf_streams_check ((const guint8 *)document->str, document->len, &findings, NULL));
  g_assert_false (findings.draws_outside);
}

/* Only the beginning of what is drawn is looked through. */
static void
test_drawn (void)
{
  static const char far[] = "BT 1 0 0 1 9999 9 Tm (x) Tj ET\nendstream endobj\n";
  PostbagPdfFindings early, late;

  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (GByteArray) document = g_byte_array_new ();
      g_autoptr (GByteArray) blanks = make_content (POSTBAG_LIMIT_PDF_DRAWN_BYTES / MIB);

      append (document, HEAD "4 0 obj<<>>stream\n");
      if (i == 1)
        g_byte_array_append (document, blanks->data, blanks->len);
      append (document, far);
      g_assert_true (
          postbag_pdf_streams_check (document->data, document->len, i == 0 ? &early : &late, NULL));
    }
  g_assert_true (early.draws_outside);
  g_assert_false (late.draws_outside);
}

static gint64
count_hidden (const char *document)
{
  PostbagPdfFindings findings = { 0 };

  g_assert_true (
      postbag_pdf_streams_check ((const guint8 *)document, strlen (document), &findings, NULL));
  return findings.hidden;
}

/* Of the streams of more pages than are kept nobody knows what is behind them; nor of one that no
 * page names. The pages may be told behind what they draw, in a stream of objects. */
static void
test_pages (void)
{
#define WHITE "8000000 0 obj<<>>stream\n1 g BT /F 12 Tf 9 9 Td (x) Tj ET\nendstream endobj\n"
#define PAGE "/Contents 8000000 0 R>>"
  g_autoptr (GString) document = g_string_new (NULL);
  guint limits[] = { POSTBAG_LIMIT_PDF_DRAWN_STREAMS - 1, POSTBAG_LIMIT_PDF_DRAWN_STREAMS };

  g_assert_cmpint (count_hidden (HEAD WHITE), ==, 0);
  g_assert_cmpint (
      count_hidden (HEAD WHITE "5 0 obj<</Type/ObjStm>>stream\n<<" PAGE "\nendstream endobj\n"), ==,
      1);
  for (guint i = 0; i < G_N_ELEMENTS (limits); i++)
    {
      g_string_assign (document, HEAD);
      for (guint page = 1; page <= limits[i]; page++)
        g_string_append_printf (document, "/Contents %u 0 R ", page);
      g_string_append (document, PAGE WHITE);
      g_assert_cmpint (count_hidden (document->str), ==, i == 0);
    }
}

/* --- filters --- */

static void
assert_decoded (const char *name, const char *packed, gsize length, const char *expected)
{
  g_autoptr (GByteArray) out = g_byte_array_new ();
  g_autofree guint8 *exact = g_memdup2 (packed, length);

  g_assert_true (postbag_pdf_filter_decode (name, exact, length, TRUE, 1000, out));
  g_assert_cmpmem (out->data, out->len, expected, (int)strlen (expected));
  if (out->len > 0)
    g_assert_false (
        postbag_pdf_filter_decode (name, exact, length, TRUE, strlen (expected) - 1, out));
}

/* The example of ISO 32000-1, 7.4.4.2; those of ASCII85 and the rest are Python's
 * (base64.a85encode, bytes.hex, zlib.compress). */
static void
test_filters (void)
{
  assert_decoded ("LZW", "\x80\x0b\x60\x50\x22\x0c\x0c\x85\x01", 9, "-----A---B");
  assert_decoded ("A85", "87cURDZ~>", 9, "Hello");
  assert_decoded ("A85", "87cUR\nD]j7B~>garbage", 20, "Hello wo");
  assert_decoded ("AHx", "48 65 6C6c6F>61", 15, "Hello");
  assert_decoded ("RL",
                  "\x02"
                  "abc"
                  "\xfe"
                  "d"
                  "\x80"
                  "x",
                  8, "abcddd");
  assert_decoded ("Fl", "\x78\x9c\xcb\x48\xcd\xc9\xc9\x07\x00\x06\x2c\x02\x15", 13, "hello");
  /* cut off, and no such thing at all */
  assert_decoded ("LZW", "\x80\x0b\x60\x50\x22", 5, "-----");
  assert_decoded ("RL",
                  "\x05"
                  "ab",
                  3, "ab");
  assert_decoded ("Fl", "hello", 5, "");
  assert_decoded ("LZW", "\xff\xff\xff", 3, "");
  g_assert_false (postbag_pdf_filter_is_known ("DCTDecode"));
}

/* --- circles, and what is only declared --- */

static ExtractResult *
run_text (const char *text)
{
  g_autoptr (GByteArray) document = g_byte_array_new ();

  append (document, text);
  return run (document);
}

/* The library believes no number of pages that is larger than that of objects. */
static void
test_declared_pages (void)
{
  g_autoptr (ExtractResult) result =
      run_text ("%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
                "2 0 obj<</Type/Pages/Kids[3 0 R]/Count 100000>>endobj\n"
                "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Contents 4 0 R/Resources<<"
                "/Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>endobj\n"
                "4 0 obj<</Length 34>>stream\n" WORDS "\nendstream endobj\n");

  assert_reason (result, CORRUPT);
}

/* Pages that are there: the tree names one of them many times. */
static ExtractResult *
run_pages (guint count)
{
  g_autoptr (GString) document = g_string_new (NULL);

  g_string_append_printf (document,
                          "%%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
                          "2 0 obj<</Type/Pages/Count %u/Kids[",
                          count);
  for (guint i = 0; i < count; i++)
    g_string_append_printf (document, "%u 0 R ", 10 + i);
  g_string_append (document,
                   "]>>endobj\n4 0 obj<</Length 34>>stream\n" WORDS "\nendstream endobj\n");
  for (guint i = 0; i < count; i++)
    g_string_append_printf (document,
                            "%u 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Contents 4 0 R"
                            "/Resources<</Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
                            ">>>>>>endobj\n",
                            10 + i);
  return run_text (document->str);
}

static void
test_many_pages (void)
{
  g_autoptr (ExtractResult) all = run_pages (100);
  g_autoptr (ExtractResult) more = run_pages (101);

  g_assert_cmpint (extract_result_get_count (all, "page_count"), ==, 100);
  g_assert_cmpstr (all->notes, ==, "");
  assert_has (all, "## Page 100\n\nSeen");
  g_assert_cmpint (extract_result_get_count (more, "page_count"), ==, 100);
  g_assert_cmpstr (more->notes, ==, "The document declares 101 pages; the first 100 are read.\n");
  assert_has_not (more, "## Page 101");
}

/* A page tree that is its own child, one deeper than any stack, forms that show themselves. */
static void
test_circles (void)
{
  g_autoptr (GString) deep =
      g_string_new ("%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 10 0 R>>endobj\n");
  g_autoptr (ExtractResult) self =
      run_text ("%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
                "2 0 obj<</Type/Pages/Kids[2 0 R 2 0 R]/Count 9/Parent 2 0 R>>endobj\n");
  g_autoptr (ExtractResult) forms =
      run_text (HEAD "4 0 obj<</Length 41>>stream\n" WORDS " /X Do \nendstream endobj\n"
                     "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Contents 4 0 R"
                     "/Resources 5 0 R>>endobj\n"
                     "5 0 obj<</XObject<</X 6 0 R>>/Font<</F<</Type/Font/Subtype/Type1/BaseFont"
                     "/Helvetica>>>>>>endobj\n"
                     "6 0 obj<</Subtype/Form/BBox[0 0 300 300]/Resources 5 0 R/Length 11>>stream\n"
                     "/X Do /X Do\nendstream endobj\n");

  for (guint i = 0; i < 20000; i++)
    g_string_append_printf (deep, "%u 0 obj<</Type/Pages/Kids[%u 0 R]/Count 1>>endobj\n", 10 + i,
                            11 + i);
  g_autoptr (ExtractResult) chain = run_text (deep->str);

  assert_reason (self, CORRUPT);
  assert_reason (chain, CORRUPT);
  assert_text (forms, "## Page 1\n\nSeen");
}

/* The cross references (an object's kind, where, which) say that the catalogue lies in an object
 * stream, which lies in itself. */
static void
test_object_stream_in_itself (void)
{
  static const guint8 references[] = { 0, 0, 0, 0, 2, 0, 5, 0, 0, 0, 0, 0, 0, 0,
                                       0, 0, 0, 0, 0, 0, 2, 0, 5, 0, 1, 0, 9, 0 };
  g_autoptr (GByteArray) document = g_byte_array_new ();

  append (document, "%PDF-1.5\n6 0 obj<</Type/XRef/Size 7/W[1 2 1]/Root 1 0 R/Length 28>>stream\n");
  g_byte_array_append (document, references, sizeof references);
  append (document,
          "\nendstream endobj\n5 0 obj<</Type/ObjStm/N 2/First 8/Extends 5 0 R/Length 60>>"
          "stream\n5 0 1 0 <</Type/Catalog/Pages 2 0 R>>                           \n"
          "endstream endobj\nstartxref\n9\n%%EOF\n");
  g_autoptr (ExtractResult) result =
      extract_run (&postbag_pdf_extractor, "application/pdf", document->data, document->len);

  assert_reason (result, CORRUPT);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strconcat ("/pdf/stream/", cases[i].name, NULL);

      g_test_add_data_func (path, &cases[i], test_case);
    }
  g_test_add_func ("/pdf/no-pictures", test_no_pictures);
  g_test_add_func ("/pdf/inline-pictures", test_inline_pictures);
  g_test_add_func ("/pdf/codecs", test_codecs);
  g_test_add_func ("/pdf/many-filters", test_many_filters);
  g_test_add_func ("/pdf/nul", test_nul);
  g_test_add_func ("/pdf/length", test_length);
  g_test_add_func ("/pdf/all-streams", test_all_streams);
  g_test_add_func ("/pdf/picture", test_picture);
  g_test_add_func ("/pdf/shown-pictures", test_shown_pictures);
  g_test_add_func ("/pdf/numbers", test_numbers);
  g_test_add_func ("/pdf/drawn", test_drawn);
  g_test_add_func ("/pdf/pages", test_pages);
  g_test_add_func ("/pdf/filters", test_filters);
  g_test_add_func ("/pdf/declared-pages", test_declared_pages);
  g_test_add_func ("/pdf/many-pages", test_many_pages);
  g_test_add_func ("/pdf/circles", test_circles);
  g_test_add_func ("/pdf/object-stream-in-itself", test_object_stream_in_itself);
  return g_test_run ();
}
