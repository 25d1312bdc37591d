/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What an extractor has to survive. It gets hostile bytes, so each check runs in a process of its
 * own with limits on time, memory and files; files in a folder `samples` beside the manifest are
 * tried whole and cut off. */

#include "contract.h"

#include "base/postbag-text.h"

#include <string.h>
#include <sys/resource.h>

#define CHILD_SECONDS 60
#define CPU_SECONDS 20
#define MEMORY_BYTES (1024UL * 1024 * 1024)
#define OUTPUT_BYTES (16UL * 1024 * 1024)
#define RANDOM_BYTES 65536
#define RANDOM_ROUNDS 40
#define SAMPLE_BYTES (16 * 1024 * 1024)

typedef struct
{
  PostbagExtractOutput output;
  const ContractPlugin *plugin;
  gsize bytes;
  guint refuse_from; /* append answers %FALSE from this call on; 0: never */
  guint appends;
  gboolean refused;
} Sink;

static void
set_limit (int resource, rlim_t value)
{
  struct rlimit limit = { value, value };

  g_assert_cmpint (setrlimit (resource, &limit), ==, 0);
}

static rlim_t
get_cpu_seconds (void)
{
  const char *text = g_getenv ("POSTBAG_CONTRACT_CPU_SECONDS");
  gint64 seconds = CPU_SECONDS;

  if (text != NULL)
    postbag_text_parse_int (text, 1, 3600, &seconds);
  return (rlim_t)seconds;
}

static void
limit_child (void)
{
  set_limit (RLIMIT_CPU, get_cpu_seconds ());
  set_limit (RLIMIT_CORE, 0);
  set_limit (RLIMIT_FSIZE, OUTPUT_BYTES);
#if !defined(__SANITIZE_ADDRESS__)
  set_limit (RLIMIT_AS, MEMORY_BYTES);
#endif
}

/* --- the output --- */

static gboolean
take_text (PostbagExtractOutput *output, const char *text, gsize length)
{
  Sink *sink = output->user_data;

  if (sink->refused)
    contract_problem (sink->plugin, "it went on after append() had answered FALSE");
  if (!g_utf8_validate_len (text, length, NULL))
    contract_problem (sink->plugin, "a piece of text is not well-formed UTF-8 without NUL");
  sink->appends++;
  sink->bytes += length;
  sink->refused =
      sink->bytes > OUTPUT_BYTES || (sink->refuse_from > 0 && sink->appends >= sink->refuse_from);
  return !sink->refused;
}

static void
take_count (PostbagExtractOutput *output, const char *name, gint64 value)
{
  Sink *sink = output->user_data;

  if (name == NULL || !g_regex_match_simple ("^[a-z][a-z_]{0,39}$", name, 0, 0) || value < 0)
    contract_problem (sink->plugin, "a count has a name of another shape or is negative");
}

static void
take_note (PostbagExtractOutput *output, const char *text)
{
  Sink *sink = output->user_data;

  if (text == NULL || *text == '\0' || !g_utf8_validate (text, -1, NULL))
    contract_problem (sink->plugin, "a note is empty or not UTF-8");
}

/* Copies the input to memory of exactly its size, so that reading past its end is seen. */
static void
extract (const ContractPlugin *plugin, const char *type, const guint8 *data, gsize length,
         guint refuse_from)
{
  const PostbagExtractorImplementation *extractor = contract_load (plugin);
  g_autofree guint8 *exact = g_malloc (MAX (length, 1));
  g_autoptr (GError) error = NULL;
  Sink sink = { .plugin = plugin, .refuse_from = refuse_from };
  PostbagExtractInput input = { sizeof (PostbagExtractInput), exact, length, type, NULL };
  gboolean fine;

  if (length > 0)
    memcpy (exact, data, length);
  sink.output = (PostbagExtractOutput){ sizeof (PostbagExtractOutput), &sink, take_text, take_count,
                                        take_note };
  fine = extractor->extract (&input, &sink.output, &error);
  if (fine != (error == NULL))
    contract_problem (plugin, "what it returned and whether an error is set do not fit");
  if (error != NULL && (error->message == NULL || !g_utf8_validate (error->message, -1, NULL)))
    contract_problem (plugin, "its error has no message in UTF-8");
}

static void
prepare (const ContractPlugin *plugin)
{
  const PostbagExtractorImplementation *extractor = contract_load (plugin);
  g_autoptr (GError) error = NULL;

  if (extractor->prepare != NULL && !extractor->prepare (&error))
    contract_problem (plugin, "it could not prepare: %s",
                      error != NULL ? error->message : "no reason was given");
}

/* --- in the child --- */

static void
each_type (const ContractPlugin *plugin, const guint8 *data, gsize length, guint refuse_from)
{
  for (char **type = plugin->manifest->types; *type != NULL; type++)
    extract (plugin, *type, data, length, refuse_from);
}

static void
try_nothing (const ContractPlugin *plugin)
{
  each_type (plugin, NULL, 0, 0);
  each_type (plugin, (const guint8 *)"", 1, 0);
}

static void
try_random (const ContractPlugin *plugin)
{
  /* The same bytes in every run: a failure can be looked at. */
  g_autoptr (GRand) rand = g_rand_new_with_seed (20240229);
  g_autofree guint8 *bytes = g_malloc (RANDOM_BYTES);

  for (int round = 0; round < RANDOM_ROUNDS; round++)
    {
      gsize length = (gsize)g_rand_int_range (rand, 1, round % 4 == 0 ? RANDOM_BYTES : 256);

      for (gsize i = 0; i < length; i++)
        bytes[i] = (guint8)g_rand_int_range (rand, 0, round % 2 == 0 ? 256 : 128);
      each_type (plugin, bytes, length, 0);
    }
}

typedef void (*SampleFunc) (const ContractPlugin *plugin, const guint8 *data, gsize length);

static void
each_sample (const ContractPlugin *plugin, SampleFunc function)
{
  g_autofree char *beside = g_path_get_dirname (plugin->manifest->manifest_path);
  g_autofree char *folder = g_build_filename (beside, "samples", NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);
      g_autofree char *text = NULL;
      gsize length;

      if (g_file_get_contents (path, &text, &length, NULL) && length <= SAMPLE_BYTES)
        function (plugin, (const guint8 *)text, length);
    }
}

static void
try_whole (const ContractPlugin *plugin, const guint8 *data, gsize length)
{
  each_type (plugin, data, length, 0);
}

static void
try_cut (const ContractPlugin *plugin, const guint8 *data, gsize length)
{
  gsize step = MAX (length / 64, 1);

  for (gsize end = 0; end < length; end += step)
    each_type (plugin, data, end, 0);
}

static void
try_refusing (const ContractPlugin *plugin, const guint8 *data, gsize length)
{
  for (guint from = 1; from <= 5; from++)
    each_type (plugin, data, length, from);
}

static void
try_samples (const ContractPlugin *plugin)
{
  each_sample (plugin, try_whole);
  each_sample (plugin, try_cut);
}

static void
try_full_output (const ContractPlugin *plugin)
{
  g_autofree char *text = g_strnfill (RANDOM_BYTES, 'x');

  each_sample (plugin, try_refusing);
  try_refusing (plugin, (const guint8 *)text, RANDOM_BYTES);
}

/* --- the checks --- */

static void
run_in_child (const ContractPlugin *plugin, void (*function) (const ContractPlugin *))
{
  if (g_test_subprocess ())
    {
      limit_child ();
      prepare (plugin);
      function (plugin);
      return;
    }
  g_test_trap_subprocess (NULL, CHILD_SECONDS * G_USEC_PER_SEC, G_TEST_SUBPROCESS_INHERIT_STDERR);
  if (g_test_trap_reached_timeout ())
    contract_problem (plugin, "it did not end within %d seconds", CHILD_SECONDS);
  else if (!g_test_trap_has_passed ())
    contract_problem (plugin, "the process that ran it failed or died");
}

static void
check_nothing (gconstpointer plugin)
{
  run_in_child (plugin, try_nothing);
}

static void
check_random (gconstpointer plugin)
{
  run_in_child (plugin, try_random);
}

static void
check_samples (gconstpointer plugin)
{
  run_in_child (plugin, try_samples);
}

static void
check_full_output (gconstpointer plugin)
{
  run_in_child (plugin, try_full_output);
}

int
main (int argc, char **argv)
{
  static const ContractCheck checks[] = {
    { "nothing", check_nothing },
    { "random-bytes", check_random },
    { "samples", check_samples },
    { "full-output", check_full_output },
  };

  return contract_run (argc, argv, POSTBAG_PLUGIN_EXTRACTOR, checks, G_N_ELEMENTS (checks));
}
