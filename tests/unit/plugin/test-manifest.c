/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/postbag-error.h"
#include "base/postbag-paths-private.h"
#include "plugin/postbag-manifest-private.h"

#include <glib/gstdio.h>
#include <string.h>

typedef struct
{
  char *folder;
  char *manifest;
  char *module;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->folder = g_dir_make_tmp ("postbag-manifest-XXXXXX", NULL);
  fixture->manifest = g_build_filename (fixture->folder, "words.plugin", NULL);
  fixture->module = g_build_filename (fixture->folder, "m.so", NULL);
  g_assert_true (g_file_set_contents (fixture->module, "", 0, NULL));
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  g_autofree char *schemas = g_build_filename (fixture->folder, "schemas", NULL);

  g_rmdir (schemas);
  g_unlink (fixture->manifest);
  g_unlink (fixture->module);
  g_assert_cmpint (g_rmdir (fixture->folder), ==, 0);
  g_free (fixture->folder);
  g_free (fixture->manifest);
  g_free (fixture->module);
}

static PostbagManifest *
read_text (const Fixture *fixture, const char *text, GError **error)
{
  g_assert_true (g_file_set_contents (fixture->manifest, text, -1, NULL));
  return postbag_manifest_read (fixture->manifest, error);
}

#define HEAD "[Plugin]\nName=words\nABI=0\nModule=m\n"
#define EXTRACTOR "[Plugin]\nName=words\nABI=1\nModule=m\nKind=extractor\n"
#define TOOLSET HEAD "Kind=toolset\nSchemaDir=.\n"

static void
test_toolset (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagManifest) manifest =
      read_text (fixture,
                 TOOLSET "Tools=count_words;Other2;\nVersion= 1.0\nLicense=MIT\n"
                         "Description=Counts\nX-Note=mine\n[X-Notes]\na=b\n",
                 &error);

  g_assert_no_error (error);
  g_assert_cmpint (manifest->kind, ==, POSTBAG_PLUGIN_TOOLSET);
  g_assert_cmpstr (manifest->name, ==, "words");
  g_assert_cmpstr (manifest->version, ==, "1.0");
  g_assert_cmpstr (manifest->license, ==, "MIT");
  g_assert_cmpstr (manifest->description, ==, "Counts");
  g_assert_cmpstr (manifest->manifest_path, ==, fixture->manifest);
  g_assert_cmpstr (manifest->module_path, ==, fixture->module);
  g_assert_cmpstr (manifest->schema_dir, ==, fixture->folder);
  g_assert_cmpstr (manifest->tools[0], ==, "count_words");
  g_assert_cmpstr (manifest->tools[1], ==, "Other2");
  g_assert_null (manifest->tools[2]);
  g_assert_cmpstr (manifest->types[0], ==, NULL);
}

static void
test_schema_dir (Fixture *fixture, gconstpointer data)
{
  const char *text = HEAD "Kind=toolset\nTools=a\n";
  g_autofree char *beside = g_build_filename (fixture->folder, "schemas", NULL);
  g_autofree char *installed = g_build_filename (postbag_paths_get_schema_dir (), "words", NULL);
  g_autoptr (PostbagManifest) without = read_text (fixture, text, NULL);
  g_autoptr (PostbagManifest) with = NULL;

  g_assert_cmpstr (without->schema_dir, ==, installed);
  g_assert_cmpint (g_mkdir (beside, 0700), ==, 0);
  with = read_text (fixture, text, NULL);
  g_assert_cmpstr (with->schema_dir, ==, beside);
}

static void
test_types (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagManifest) extractor =
      read_text (fixture, EXTRACTOR "Types=text/x-example;application/vnd.a+b\n", &error);
  g_autoptr (PostbagManifest) store = NULL;

  g_assert_no_error (error);
  g_assert_cmpstr (extractor->types[1], ==, "application/vnd.a+b");
  store = read_text (fixture, HEAD "Kind=store\nBackends=maildir\n", &error);
  g_assert_no_error (error);
  g_assert_cmpint (store->kind, ==, POSTBAG_PLUGIN_STORE);
  g_assert_cmpstr (store->types[0], ==, "maildir");
}

static void
test_refused (Fixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *text;
    const char *reason;
  } cases[] = {
    { "", "no group [Plugin]" },
    { "\x01\x02", "not a key file" },
    { "[Other]\na=b\n", "no group [Plugin]" },
    { "[Plugin]\nName=words\n", "Kind is “”" },
    { "[Plugin]\nKind=tolset\n", "did you mean “toolset”?" },
    { "[Plugin]\nKind=window\n", "has to be toolset, transport" },
    { "[Plugin]\nKind=toolset\n", "Name is “”" },
    { "[Plugin]\nKind=toolset\nName=../x\n", "Name is “../x”" },
    { "[Plugin]\nKind=store\nName=x\nABI=1\n",
      "made for plugin ABI 1; this Postbag has ABI 0 for the kind store" },
    { "[Plugin]\nKind=extractor\nName=x\nABI=0\n",
      "made for plugin ABI 0; this Postbag has ABI 1 for the kind extractor" },
    { "[Plugin]\nKind=store\nName=x\n", "ABI is missing" },
    { "[Plugin]\nKind=store\nName=x\nABI=nil\n", "ABI is missing or not a number" },
    { "[Plugin]\nKind=store\nName=x\nABI=0\nModule=../m\n", "plain file name" },
    { "[Plugin]\nKind=store\nName=x\nABI=0\n", "postbag-x.so" },
    { TOOLSET "Tool=a\n", "unknown key “Tool”; did you mean “Tools”?" },
    { TOOLSET "Tools=a\nTypes=a/b\n", "“Types” that a toolset does not have" },
    { TOOLSET "Tools=a\n[Plugins]\na=b\n", "unknown group “Plugins”" },
    { TOOLSET, "Tools has to list between 1 and" },
    { TOOLSET "Tools=;\n", "“” that is not well-formed" },
    { TOOLSET "Tools=a b\n", "“a b” that is not well-formed" },
    { TOOLSET "Tools=a;b;a\n", "Tools has “a” twice" },
    { TOOLSET "Tools=a2345678901234567890123456789012345678901234567890123456789012345\n",
      "not well-formed" },
    { HEAD "Kind=toolset\nTools=a\nSchemaDir=nowhere\n", "nowhere”, is missing" },
    { HEAD "Kind=toolset\nTools=a\n", "/schemas/words”, is missing" },
    { EXTRACTOR "Types=text\n", "“text” that is not well-formed" },
    { EXTRACTOR "Types=text/a/b\n", "“text/a/b” that is not well-formed" },
    { HEAD "Kind=store\n", "Backends has to list" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (PostbagManifest) manifest = read_text (fixture, cases[i].text, &error);

      g_assert_nonnull (error);
      g_assert_true (error->domain == POSTBAG_ERROR);
      if (strstr (error->message, cases[i].reason) == NULL)
        g_error ("case %zu: %s", i, error->message);
      g_assert_nonnull (manifest->name);
      g_assert_nonnull (manifest->tools);
      g_assert_nonnull (manifest->types);
    }
}

static void
test_too_large (Fixture *fixture, gconstpointer data)
{
  g_autofree char *blanks = g_strnfill (64 * 1024, '\n');
  g_autofree char *text = g_strconcat (HEAD "Kind=store\nBackends=x\n", blanks, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagManifest) manifest = read_text (fixture, text, &error);

  g_assert_nonnull (strstr (error->message, "larger than 65536 bytes"));
  g_assert_cmpstr (manifest->name, ==, "words"); /* the file's */
  g_assert_cmpint (manifest->kind, ==, POSTBAG_PLUGIN_N_KINDS);
}

static void
assert_untrusted (const Fixture *fixture, const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagManifest) manifest = NULL;

  g_assert_cmpint (g_chmod (path, 0757), ==, 0);
  manifest = postbag_manifest_read (fixture->manifest, &error);
  g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_ALLOWED);
  g_assert_nonnull (strstr (error->message, path));
  g_assert_cmpint (g_chmod (path, 0700), ==, 0);
}

static void
test_untrusted (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagManifest) manifest =
      read_text (fixture, HEAD "Kind=store\nBackends=x\n", &error);

  g_assert_no_error (error);
  assert_untrusted (fixture, fixture->folder);
  assert_untrusted (fixture, fixture->manifest);
  assert_untrusted (fixture, fixture->module);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/manifest/toolset", Fixture, NULL, set_up, test_toolset, tear_down);
  g_test_add ("/manifest/schema-dir", Fixture, NULL, set_up, test_schema_dir, tear_down);
  g_test_add ("/manifest/types", Fixture, NULL, set_up, test_types, tear_down);
  g_test_add ("/manifest/refused", Fixture, NULL, set_up, test_refused, tear_down);
  g_test_add ("/manifest/too-large", Fixture, NULL, set_up, test_too_large, tear_down);
  g_test_add ("/manifest/untrusted", Fixture, NULL, set_up, test_untrusted, tear_down);
  return g_test_run ();
}
