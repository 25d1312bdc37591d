/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* `postbag extract`: a document as text, through the same cage as an attachment. */

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "base/postbag-paths-private.h"
#include "cli/postbag-program-private.h"
#include "extract/postbag-document-type.h"
#include "extract/postbag-extraction-private.h"
#include "json/postbag-json-writer.h"
#include "safety/postbag-clean.h"

/* Which readers at which version: a result of another version is not taken for theirs. */
static void
add_version (GString *version, const PostbagManifest *manifest)
{
  g_string_append_printf (version, " %s/%s", manifest->name,
                          manifest->version != NULL ? manifest->version : "");
}

PostbagExtraction *
postbag_cli_make_extraction (PostbagRegistry *registry, gboolean user_plugins)
{
  g_autoptr (GPtrArray) manifests = postbag_registry_list (registry);
  g_autoptr (GPtrArray) types = g_ptr_array_new ();
  g_autoptr (GString) version = g_string_new (POSTBAG_VERSION);
  g_autofree char *program =
      g_build_filename (postbag_paths_get_libexec_dir (), "postbag-extract", NULL);
  PostbagExtractionOptions options = { .program = program, .user_plugins = user_plugins };

  for (guint i = 0; i < manifests->len; i++)
    {
      const PostbagManifest *manifest = g_ptr_array_index (manifests, i);

      if (manifest->kind != POSTBAG_PLUGIN_EXTRACTOR
          || postbag_registry_get_state (registry, manifest, NULL) == POSTBAG_PLUGIN_UNUSABLE)
        continue;
      add_version (version, manifest);
      for (char **type = manifest->types; *type != NULL; type++)
        if (!g_ptr_array_find_with_equal_func (types, *type, g_str_equal, NULL))
          g_ptr_array_add (types, *type);
    }
  g_ptr_array_add (types, NULL);
  options.types = (const char *const *)types->pdata;
  options.version = version->str;
  return postbag_extraction_new (&options);
}

/* A pipe would be waited for, and only a file can be mapped. */
static gboolean
check_file (const char *path, GError **error)
{
  GStatBuf facts;

  if (g_stat (path, &facts) != 0)
    g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_FOUND,
                 "Cannot read the document “%s”: %s. Check the path.", path, g_strerror (errno));
  else if (!S_ISREG (facts.st_mode))
    g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_INVALID_ARGUMENT,
                 "“%s” is %s. Give the path of one document.", path,
                 S_ISDIR (facts.st_mode) ? "a folder" : "not a regular file");
  else
    return TRUE;
  return FALSE;
}

static GBytes *
read_file (const char *path, GError **error)
{
  g_autoptr (GMappedFile) file = NULL;
  g_autoptr (GError) failure = NULL;

  if (!check_file (path, error))
    return NULL;
  file = g_mapped_file_new (path, FALSE, &failure);
  if (file == NULL)
    {
      g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_FOUND, "%s.", failure->message);
      return NULL;
    }
  if (g_mapped_file_get_length (file) <= POSTBAG_LIMIT_PART_BYTES)
    return g_mapped_file_get_bytes (file);
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_TOO_LARGE,
               "“%s” is larger than the %d bytes that are read of a document.", path,
               POSTBAG_LIMIT_PART_BYTES);
  return NULL;
}

static void
write_string (PostbagJsonWriter *writer, const char *name, const char *value)
{
  postbag_json_writer_key (writer, name);
  postbag_json_writer_string (writer, value);
}

static void
write_facts (PostbagJsonWriter *writer, const PostbagExtractedText *text)
{
  g_autoptr (GPtrArray) remarks = postbag_extracted_text_dup_remarks (text);

  for (guint i = 0; i < text->counts->len; i++)
    {
      const PostbagExtractCount *count = &g_array_index (text->counts, PostbagExtractCount, i);

      postbag_json_writer_key (writer, count->name);
      postbag_json_writer_int (writer, count->value);
    }
  postbag_json_writer_key (writer, "was_cut");
  postbag_json_writer_boolean (writer, text->was_cut);
  postbag_json_writer_key (writer, "notes");
  postbag_json_writer_begin_array (writer);
  for (guint i = 0; i < remarks->len; i++)
    postbag_json_writer_string (writer, g_ptr_array_index (remarks, i));
  postbag_json_writer_end_array (writer);
}

/* @text: (nullable): %NULL when it failed with @error for @reason */
static int
print_json (const char *path, const char *type, const PostbagExtractedText *text,
            PostbagExtractReason reason, const GError *error)
{
  g_autoptr (PostbagJsonWriter) writer = postbag_json_writer_new ();
  g_autofree char *clean = NULL, *line = NULL;
  int status;

  postbag_json_writer_begin_object (writer);
  write_string (writer, "file", path);
  write_string (writer, "content_type", type);
  if (text != NULL)
    {
      gsize total = 0;

      clean = postbag_clean (text->text, POSTBAG_CLEAN_DOCUMENT, POSTBAG_LIMIT_PAGED_TEXT_CHARS,
                             &total);
      write_string (writer, "extracted_from", postbag_document_get_word (type));
      write_facts (writer, text);
      postbag_json_writer_key (writer, "total_chars");
      postbag_json_writer_int (writer, (gint64)total);
      write_string (writer, "text", clean);
    }
  else
    {
      write_string (writer, "reason", postbag_extract_reason_get_word (reason));
      write_string (writer, "error", error->message);
    }
  postbag_json_writer_end_object (writer);
  line = g_strdup_printf ("%s\n", postbag_json_writer_peek (writer));
  status = postbag_cli_print (line);
  return text == NULL ? POSTBAG_EXIT_FAILED : status;
}

static int
print_text (const PostbagExtractedText *text)
{
  g_autofree char *clean =
      postbag_clean (text->text, POSTBAG_CLEAN_DOCUMENT, POSTBAG_LIMIT_PAGED_TEXT_CHARS, NULL);
  g_autoptr (GPtrArray) remarks = postbag_extracted_text_dup_remarks (text);
  g_autoptr (GString) shown = g_string_new (clean);

  if (shown->len > 0)
    g_string_append_c (shown, '\n');
  for (guint i = 0; i < remarks->len; i++)
    g_string_append_printf (shown, "[%s]\n", (const char *)g_ptr_array_index (remarks, i));
  return postbag_cli_print (shown->str);
}

static int
print_state (PostbagExtraction *extraction)
{
  g_autoptr (GError) error = NULL;
  PostbagCageLayers layers = postbag_extraction_probe (extraction, &error);
  g_autofree char *words = postbag_cage_layers_to_string (layers);
  g_autofree char *types = g_strjoinv ("\n  ", (char **)postbag_extraction_get_types (extraction));
  g_autofree char *text = NULL;

  if (layers == 0)
    return postbag_cli_fail (error);
  text = g_strdup_printf ("Can be read:\n  %s\nReaders are locked in by: %s\n", types, words);
  return postbag_cli_print (text);
}

int
postbag_cli_extract (const PostbagCli *cli)
{
  g_auto (GStrv) directories = postbag_paths_dup_plugin_dirs (cli->user_plugins);
  g_autoptr (PostbagRegistry) registry = postbag_registry_new ((const char *const *)directories);
  g_autoptr (PostbagExtraction) extraction =
      postbag_cli_make_extraction (registry, cli->user_plugins);
  const char *path = cli->arguments[0];
  PostbagExtractRequest request = { .member = cli->member };
  PostbagExtractReason reason = POSTBAG_EXTRACT_NOT_A_DOCUMENT;
  g_autoptr (PostbagExtractedText) text = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) error = NULL;

  if (path == NULL)
    return print_state (extraction);
  if (cli->arguments[1] != NULL)
    return postbag_cli_usage_error ("“extract” takes one file: postbag extract FILE");
  bytes = read_file (path, &error);
  if (bytes == NULL)
    return postbag_cli_fail (error);
  request.bytes = bytes;
  request.content_type = postbag_document_settle_type (bytes, NULL, path);
  if (request.content_type == NULL)
    request.content_type = "application/octet-stream";
  text = postbag_extraction_run_full (extraction, &request, NULL, &reason, NULL, &error);
  if (cli->json)
    return print_json (path, request.content_type, text, reason, error);
  return text != NULL ? print_text (text) : postbag_cli_fail (error);
}
