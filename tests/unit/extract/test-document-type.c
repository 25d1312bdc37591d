/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a document is, by what was declared, by its name, by its bytes: the corpus of documents,
 * whose names tell what they are. */

#include <string.h>

#include "extract/postbag-document-type.h"

static const struct
{
  const char *file;
  const char *word;
} documents[] = {
  { "memo.doc", "doc" },    { "excel95.xls", "xls" },    { "merged.xls", "xls" },
  { "kickoff.ppt", "ppt" }, { "poi.ppt", "ppt" },        { "people.msg", "msg" },
  { "windows.msg", "msg" }, { "headings.docx", "docx" }, { "orders.xlsx", "xlsx" },
  { "plan.pptx", "pptx" },  { "minutes.odt", "odt" },    { "lists.rtf", "rtf" },
  { "files.zip", "zip" },
};

static const char *
settle (const char *declared, const char *name, GBytes *bytes)
{
  const char *type = postbag_document_settle_type (bytes, declared, name);

  return type != NULL ? postbag_document_get_word (type) : NULL;
}

static void
test_bytes (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (documents); i++)
    {
      g_autofree char *path = g_build_filename (g_getenv ("POSTBAG_SOURCE_DIR"),
                                                "tests/corpus/documents", documents[i].file, NULL);
      g_autofree char *data = NULL;
      g_autoptr (GBytes) bytes = NULL, cut = NULL;
      g_autoptr (GError) error = NULL;
      gsize length;

      g_file_get_contents (path, &data, &length, &error);
      g_assert_no_error (error);
      bytes = g_bytes_new (data, length);
      g_assert_cmpstr (settle ("application/octet-stream", "file.bin", bytes), ==,
                       documents[i].word);
      g_assert_cmpstr (settle (NULL, documents[i].file, NULL), ==, documents[i].word);
      cut = g_bytes_new (data, MIN (length, 60));
      settle ("", "", cut);
    }
}

static void
test_names (void)
{
  g_assert_cmpstr (settle ("application/vnd.ms-office", "Show.PPS", NULL), ==, "ppt");
  g_assert_cmpstr (settle ("application/CDFV2", "a.oft", NULL), ==, "msg");
  g_assert_cmpstr (settle ("application/msword", "a.xls", NULL), ==, "doc");
  g_assert_cmpstr (settle ("application/vnd.ms-outlook; x=y", NULL, NULL), ==, "msg");
  g_assert_null (settle ("image/png", "a.doc", NULL));
  g_assert_null (settle ("application/x-ole-storage", NULL, NULL));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/document-type/bytes", test_bytes);
  g_test_add_func ("/document-type/names", test_names);
  return g_test_run ();
}
