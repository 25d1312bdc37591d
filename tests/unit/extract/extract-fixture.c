/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "extract-fixture.h"

#include <string.h>

typedef struct
{
  PostbagExtractOutput output;
  const PostbagExtractorImplementation *implementation;
  GString *text;
  GString *notes;
  GHashTable *counts;
  gsize limit;
  gboolean refused;
  guint depth;
} Sink;

static gboolean
take_text (PostbagExtractOutput *output, const char *text, gsize length)
{
  Sink *sink = output->user_data;

  g_assert_false (sink->refused);
  g_assert_true (g_utf8_validate_len (text, length, NULL));
  g_string_append_len (sink->text, text, (gssize)length);
  sink->refused = sink->limit > 0 && sink->text->len >= sink->limit;
  return !sink->refused;
}

static void
take_count (PostbagExtractOutput *output, const char *name, gint64 value)
{
  Sink *sink = output->user_data;
  gint64 *copy = g_new (gint64, 1);

  g_assert_true (g_regex_match_simple ("^[a-z][a-z_]{0,39}$", name, 0, 0));
  g_assert_cmpint (value, >=, 0);
  *copy = value;
  g_hash_table_insert (sink->counts, g_strdup (name), copy);
}

static void
take_note (PostbagExtractOutput *output, const char *text)
{
  Sink *sink = output->user_data;

  g_assert_true (text != NULL && *text != '\0' && g_utf8_validate (text, -1, NULL));
  g_string_append_printf (sink->notes, "%s\n", text);
}

static struct
{
  const char *content_type;
  const PostbagExtractorImplementation *implementation;
} insides[4];
static guint n_insides;

void
extract_read_inside (const char *content_type, const PostbagExtractorImplementation *implementation)
{
  g_assert_cmpuint (n_insides, <, G_N_ELEMENTS (insides));
  g_assert_true (implementation->prepare == NULL || implementation->prepare (NULL));
  insides[n_insides].content_type = content_type;
  insides[n_insides++].implementation = implementation;
}

static const PostbagExtractorImplementation *
find_inside (const Sink *sink, const char *content_type)
{
  for (guint i = 0; i < n_insides; i++)
    if (strcmp (insides[i].content_type, content_type) == 0)
      return insides[i].implementation;
  return sink->implementation;
}

static gboolean
descend (PostbagExtractOutput *output, const guint8 *data, gsize length, const char *content_type,
         GError **error)
{
  Sink *sink = output->user_data;
  PostbagExtractInput input = {
    sizeof (PostbagExtractInput), data, length, content_type, NULL, NULL
  };
  gboolean fine;

  if (sink->depth >= 2)
    {
      g_set_error_literal (error, POSTBAG_EXTRACT_ERROR, POSTBAG_EXTRACT_UNREADABLE_MEMBER,
                           "depth");
      return FALSE;
    }
  sink->depth++;
  fine = find_inside (sink, content_type)->extract (&input, output, error);
  sink->depth--;
  return fine;
}

static ExtractResult *
begin_result (Sink *sink)
{
  ExtractResult *self = g_new0 (ExtractResult, 1);

  sink->text = g_string_new (NULL);
  sink->notes = g_string_new (NULL);
  self->counts = sink->counts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  sink->output = (PostbagExtractOutput){
    sizeof (PostbagExtractOutput), sink, take_text, take_count, take_note, descend
  };
  return self;
}

static void
end_result (ExtractResult *self, Sink *sink, gboolean fine)
{
  g_assert_cmpint (fine, ==, self->error == NULL);
  self->text = g_string_free (sink->text, FALSE);
  self->notes = g_string_free (sink->notes, FALSE);
}

ExtractResult *
extract_run_input (const PostbagExtractorImplementation *implementation,
                   const PostbagExtractInput *input, gsize limit)
{
  /* Memory of exactly its size, so that reading past its end is seen. */
  g_autofree guint8 *exact = g_malloc (MAX (input->length, 1));
  PostbagExtractInput copy = *input;
  Sink sink = { .implementation = implementation, .limit = limit };
  ExtractResult *self = begin_result (&sink);

  if (input->length > 0)
    memcpy (exact, input->data, input->length);
  copy.data = exact;
  copy.size = sizeof copy;
  if (implementation->prepare != NULL)
    g_assert_true (implementation->prepare (NULL));
  end_result (self, &sink, implementation->extract (&copy, &sink.output, &self->error));
  return self;
}

ExtractResult *
extract_run_reader (ExtractReader reader, gconstpointer data)
{
  Sink sink = { .depth = 2 };
  ExtractResult *self = begin_result (&sink);

  end_result (self, &sink, reader (data, &sink.output, &self->error));
  return self;
}

ExtractResult *
extract_run (const PostbagExtractorImplementation *implementation, const char *content_type,
             gconstpointer data, gsize length)
{
  PostbagExtractInput input = { .data = data, .length = length, .content_type = content_type };

  return extract_run_input (implementation, &input, 0);
}

ExtractResult *
extract_run_file (const PostbagExtractorImplementation *implementation, const char *content_type,
                  const char *path)
{
  g_autofree char *full = g_build_filename (g_getenv ("POSTBAG_SOURCE_DIR"), path, NULL);
  g_autofree char *data = NULL;
  g_autoptr (GError) error = NULL;
  gsize length;

  g_file_get_contents (full, &data, &length, &error);
  g_assert_no_error (error);
  return extract_run (implementation, content_type, data, length);
}

void
extract_result_free (ExtractResult *self)
{
  g_free (self->text);
  g_hash_table_unref (self->counts);
  g_free (self->notes);
  g_clear_error (&self->error);
  g_free (self);
}

gint64
extract_result_get_count (ExtractResult *self, const char *name)
{
  const gint64 *value = g_hash_table_lookup (self->counts, name);

  return value != NULL ? *value : -1;
}
