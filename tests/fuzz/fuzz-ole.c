/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Compound files, and the streams of the documents in them. The first byte says which: a whole
 * file, a workbook, a presentation, a document and its table, a letter. */

#include "postbag-ole-extractor.h"

#include "ole-fixture.h"
#include "postbag-ole-readers.h"

#include "fuzz.h"

#define HEAD 3 /* the kind, and where a document ends and its table begins */

enum
{
  FILE_WHOLE,
  WORKBOOK,
  PRESENTATION,
  DOCUMENT,
  LETTER,
  N_KINDS
};

/* The bytes behind the head, cut in two. */
typedef struct
{
  PostbagOleBytes first, second;
  guint kind;
} Streams;

static gboolean
read_streams (gconstpointer data, PostbagExtractOutput *output, GError **error)
{
  const Streams *streams = data;
  const PostbagOleBytes tables[] = { streams->second, streams->second };

  if (streams->kind == WORKBOOK)
    return postbag_xls_read (&streams->first, output, error);
  if (streams->kind == PRESENTATION)
    return postbag_ppt_read (&streams->first, &streams->second, output, error);
  return postbag_doc_read (&streams->first, tables, output, error);
}

static ExtractResult *
read_whole (const guint8 *data, gsize length)
{
  const PostbagExtractInput input = { .data = data,
                                      .length = length,
                                      .content_type = "application/msword" };

  return extract_run_input (&postbag_ole_extractor, &input, 1000000);
}

static ExtractResult *
read_letter (const Streams *streams)
{
  OleFixture *fixture = ole_fixture_new ();
  g_autoptr (GByteArray) file = NULL;

  ole_fixture_add (fixture, "__properties_version1.0", streams->first.data, streams->first.length);
  ole_fixture_add (fixture, "__substg1.0_1000001F", streams->second.data, streams->second.length);
  ole_fixture_add (fixture, "__substg1.0_0037001E", streams->second.data, streams->second.length);
  ole_fixture_add (fixture, "__substg1.0_10090102", streams->second.data, streams->second.length);
  ole_fixture_add (fixture, "__attach_version1.0_#00000000/__properties_version1.0",
                   streams->first.data, streams->first.length);
  ole_fixture_add (fixture, "__attach_version1.0_#00000000/__substg1.0_3707001F",
                   streams->second.data, streams->second.length);
  file = ole_fixture_finish (fixture);
  return read_whole (file->data, file->len);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autoptr (ExtractResult) result = NULL;
  g_autofree guint8 *first = NULL, *second = NULL;
  Streams streams;
  gsize cut;

  if (size < HEAD || size > 256 * 1024)
    return 0;
  streams.kind = data[0] % N_KINDS;
  cut = MIN ((gsize)data[1] << 8 | data[2], size - HEAD);
  /* Copies of their own sizes, so that a read past the end is seen. */
  first = g_memdup2 (data + HEAD, cut);
  second = g_memdup2 (data + HEAD + cut, size - HEAD - cut);
  streams.first = (PostbagOleBytes){ first, cut };
  streams.second = (PostbagOleBytes){ second, size - HEAD - cut };
  if (streams.kind == FILE_WHOLE)
    result = read_whole (data + HEAD, size - HEAD);
  else if (streams.kind == LETTER)
    result = read_letter (&streams);
  else
    result = extract_run_reader (read_streams, &streams);
  return 0;
}
