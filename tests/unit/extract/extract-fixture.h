/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#include "extract/postbag-extractor.h"

/* Runs an extractor in the test's own process, without a cage: what is wrong with its memory is
 * seen by the sanitizers. */

typedef struct
{
  char *text;         /* all Markdown */
  GHashTable *counts; /* char * to gint64 * */
  char *notes;        /* joined by line ends */
  GError *error;
} ExtractResult;

/* (transfer full): @implementation prepared and run over @data. Asserts what every extractor owes:
 * well-formed UTF-8, nothing appended after the limit, an error exactly when it failed. */
ExtractResult *extract_run (const PostbagExtractorImplementation *implementation,
                            const char *content_type, gconstpointer data, gsize length);
/* The same with all inputs. @limit: bytes after which append() answers %FALSE, 0 for none. */
ExtractResult *extract_run_input (const PostbagExtractorImplementation *implementation,
                                  const PostbagExtractInput *input, gsize limit);
/* Of a file beneath the source folder. */
ExtractResult *extract_run_file (const PostbagExtractorImplementation *implementation,
                                 const char *content_type, const char *path);
/* From now on what is of @content_type inside another document is read by @implementation; without,
 * the extractor that is tested reads everything inside itself. */
void extract_read_inside (const char *content_type,
                          const PostbagExtractorImplementation *implementation);
/* One reader of an extractor alone, over what @data is to it. */
typedef gboolean (*ExtractReader) (gconstpointer data, PostbagExtractOutput *output,
                                   GError **error);
ExtractResult *extract_run_reader (ExtractReader reader, gconstpointer data);
void extract_result_free (ExtractResult *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ExtractResult, extract_result_free)

/* -1: the extractor did not tell it */
gint64 extract_result_get_count (ExtractResult *self, const char *name);

/* The whole Markdown is @expected. */
#define assert_text(result, expected)                                                              \
  G_STMT_START                                                                                     \
  {                                                                                                \
    g_assert_no_error ((result)->error);                                                           \
    g_assert_cmpstr ((result)->text, ==, expected);                                                \
  }                                                                                                \
  G_STMT_END
/* It failed for this reason, e.g. ENCRYPTED. */
#define assert_reason(result, reason)                                                              \
  g_assert_error ((result)->error, POSTBAG_EXTRACT_ERROR, POSTBAG_EXTRACT_##reason)
#define assert_has(result, piece)                                                                  \
  G_STMT_START                                                                                     \
  {                                                                                                \
    if (strstr ((result)->text, piece) == NULL)                                                    \
      g_error ("“%s” is not in: %s", piece, (result)->text);                                       \
  }                                                                                                \
  G_STMT_END
#define assert_has_not(result, piece) g_assert_null (strstr ((result)->text, piece))
