/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Goes the whole way to a message of each account, step by step, and says at which step it ends and
 * what cures it; then looks at what reads documents. Reads only. */

#include "cli/postbag-program-private.h"

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "extract/postbag-extraction-private.h"
#include "json/postbag-json-writer.h"
#include "safety/postbag-clean.h"

#define LISTED_NAMES 8

/* One account being looked at. */
typedef struct
{
  GString *text;
  PostbagJsonWriter *writer;
} Examination;

/* @fault: (nullable): what is wrong in one word; %NULL: nothing */
static void
write_step (Examination *self, const char *step, const char *fault, const char *facts)
{
  gboolean fine = fault == NULL;

  postbag_json_writer_begin_object (self->writer);
  postbag_json_writer_key (self->writer, "step");
  postbag_json_writer_string (self->writer, step);
  postbag_json_writer_key (self->writer, "fine");
  postbag_json_writer_boolean (self->writer, fine);
  if (!fine)
    {
      postbag_json_writer_key (self->writer, "kind");
      postbag_json_writer_string (self->writer, fault);
    }
  postbag_json_writer_key (self->writer, fine ? "facts" : "fault");
  postbag_json_writer_string (self->writer, facts);
  postbag_json_writer_end_object (self->writer);
}

static void
tell_step (const char *step, const char *facts, gpointer user_data)
{
  Examination *self = user_data;

  g_string_append_printf (self->text, "  ok    %-13s %s\n", step, facts);
  write_step (self, step, NULL, facts);
}

/* What is wrong in one word: exactly, where the error knows, else by its code. */
static const char *
get_kind (const GError *error)
{
  PostbagFault fault = postbag_error_get_fault (error);

  return fault != POSTBAG_FAULT_NONE ? postbag_fault_to_string (fault)
                                     : postbag_error_get_facts (error->code)->nick;
}

static gboolean
tell_fault (Examination *self, const char *step, const GError *error)
{
  const char *kind = get_kind (error);

  g_string_append_printf (self->text, "  FAIL  %-13s %s: %s\n", step, kind, error->message);
  write_step (self, step, kind, error->message);
  return FALSE;
}

/* On the step that the error names, else on @step. */
static gboolean
tell_placed_fault (Examination *self, const char *step, const GError *error)
{
  const char *place = postbag_error_get_step (error);

  return tell_fault (self, place != NULL ? place : step, error);
}

/* Special folders by their use, and how many mailboxes there are. */
static char *
describe_mailboxes (GPtrArray *mailboxes, gint64 total)
{
  GString *line = g_string_new (NULL);
  guint listed = 0;

  g_string_append_printf (line, "%" G_GINT64_FORMAT, total);
  for (guint i = 0; i < mailboxes->len && listed < LISTED_NAMES; i++)
    {
      const PostbagMailbox *mailbox = g_ptr_array_index (mailboxes, i);
      g_autofree char *path = NULL;

      if (mailbox->special_use == NULL)
        continue;
      path = postbag_clean_escape (mailbox->path, POSTBAG_LIMIT_QUOTE_CHARS);
      g_string_append_printf (line, "%s %s %s", listed == 0 ? "; special:" : ",",
                              mailbox->special_use, path);
      listed++;
    }
  if (listed == 0)
    g_string_append (line, "; none is marked for sent mail, drafts or trash");
  return g_string_free (line, FALSE);
}

static gboolean
examine_mailboxes (Examination *self, PostbagStore *store)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *facts = NULL;
  gint64 total = 0;
  g_autoptr (GPtrArray) mailboxes =
      postbag_store_list_mailboxes (store, FALSE, &total, NULL, &error);

  if (mailboxes == NULL)
    return tell_fault (self, "mailboxes", error);
  facts = describe_mailboxes (mailboxes, total);
  tell_step ("mailboxes", facts, self);
  return TRUE;
}

/* Lists the newest message of the default mailbox and fetches it. */
static gboolean
examine_reading (Examination *self, PostbagStore *store)
{
  const char *mailbox = postbag_store_get_account (store)->mailbox;
  g_autoptr (PostbagSearch) everything = postbag_search_new ();
  PostbagPage newest = { .limit = 1 };
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagFetchedMessage) message = NULL;
  g_autofree char *facts = NULL;
  g_autoptr (PostbagSearchPage) page =
      postbag_store_search (store, mailbox, everything, &newest, NULL, &error);

  if (page == NULL)
    return tell_fault (self, "read", error);
  if (page->summaries->len > 0)
    {
      const PostbagSummary *summary = g_ptr_array_index (page->summaries, 0);

      message = postbag_store_fetch_message (store, mailbox, summary->uid,
                                             POSTBAG_LIMIT_PREFIX_BYTES, NULL, &error);
      if (message == NULL)
        return tell_fault (self, "read", error);
    }
  facts = g_strdup_printf ("%s: %" G_GINT64_FORMAT " messages%s", mailbox, page->total,
                           message != NULL ? ", the newest one can be read" : "");
  tell_step ("read", facts, self);
  return TRUE;
}

static gboolean
examine_account (Examination *self, PostbagAccounts *accounts, const char *name)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagStore) store = postbag_accounts_get_store (accounts, name, &error);

  if (store == NULL)
    return tell_placed_fault (self, "account", error);
  if (!postbag_store_diagnose (store, tell_step, self, NULL, &error))
    return tell_placed_fault (self, "connection", error);
  return examine_mailboxes (self, store) && examine_reading (self, store);
}

static void
begin_steps (Examination *self, const char *kind, const char *name)
{
  g_string_append_printf (self->text, "%s\n", name);
  postbag_json_writer_begin_object (self->writer);
  postbag_json_writer_key (self->writer, kind);
  postbag_json_writer_string (self->writer, name);
  postbag_json_writer_key (self->writer, "steps");
  postbag_json_writer_begin_array (self->writer);
}

static void
end_steps (Examination *self)
{
  postbag_json_writer_end_array (self->writer);
  postbag_json_writer_end_object (self->writer);
}

static gboolean
examine_accounts (Examination *self, PostbagAccounts *accounts)
{
  g_autofree const char **names = postbag_accounts_list (accounts);
  gboolean all_fine = TRUE;

  for (gsize i = 0; names[i] != NULL; i++)
    {
      begin_steps (self, "account", names[i]);
      all_fine = examine_account (self, accounts, names[i]) && all_fine;
      end_steps (self);
    }
  if (names[0] == NULL)
    g_string_append (self->text,
                     "No account is configured: try --maildir FOLDER, or see --help.\n");
  return all_fine && names[0] != NULL;
}

/* --- documents --- */

static gboolean
tell_broken_reader (Examination *self, const char *name, const char *reason)
{
  g_autoptr (GError) error = NULL;

  g_set_error (&error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_SUPPORTED,
               "%s cannot be used: %s. Reinstall Postbag and the libraries of its packages.", name,
               reason != NULL ? reason : "it does not open");
  return tell_fault (self, "readers", error);
}

/* Readers by their names; those whose manifest is already at fault are told. */
static gboolean
examine_readers (Examination *self, PostbagRegistry *registry, guint n_types)
{
  g_autoptr (GPtrArray) manifests = postbag_registry_list (registry);
  g_autoptr (GString) names = g_string_new (NULL);
  gboolean all_fine = TRUE;

  for (guint i = 0; i < manifests->len; i++)
    {
      const PostbagManifest *manifest = g_ptr_array_index (manifests, i);
      g_autofree char *reason = NULL;

      if (manifest->kind != POSTBAG_PLUGIN_EXTRACTOR)
        continue;
      if (postbag_registry_get_state (registry, manifest, &reason) == POSTBAG_PLUGIN_UNUSABLE)
        all_fine = tell_broken_reader (self, manifest->name, reason);
      else
        g_string_append_printf (names, "%s%s", names->len > 0 ? ", " : "", manifest->name);
    }
  if (names->len > 0)
    g_string_append_printf (names, "; %u content types", n_types);
  else
    g_string_append (names, "none is installed: attachments can be saved, but not read");
  tell_step ("readers", names->str, self);
  return all_fine;
}

/* Closes it once. Landlock is a second lock: without it seccomp holds. */
static gboolean
examine_cage (Examination *self, PostbagExtraction *extraction)
{
  g_autoptr (GError) error = NULL;
  PostbagCageLayers layers = postbag_extraction_probe (extraction, &error);
  g_auto (GStrv) broken = postbag_extraction_dup_broken (extraction);
  g_autofree char *words = postbag_cage_layers_to_string (layers);
  gboolean all_fine = layers != 0;

  for (char **name = broken; *name != NULL; name++)
    all_fine = tell_broken_reader (self, *name, NULL);
  if (layers == 0)
    return tell_fault (self, "cage", error);
  tell_step ("cage", words, self);
  if ((layers & POSTBAG_CAGE_FILES) == 0)
    tell_step ("landlock",
               "not there: seccomp alone keeps files and network shut. For the second lock Linux "
               "5.13 or later has to list “landlock” in /sys/kernel/security/lsm, and a container "
               "has to allow its calls",
               self);
  return all_fine;
}

static gboolean
examine_documents (Examination *self, PostbagRegistry *registry, gboolean user_plugins)
{
  g_autoptr (PostbagExtraction) extraction = postbag_cli_make_extraction (registry, user_plugins);
  const char *const *types = postbag_extraction_get_types (extraction);
  guint n_types = g_strv_length ((char **)types);
  gboolean all_fine;

  begin_steps (self, "part", "documents");
  all_fine = examine_readers (self, registry, n_types);
  if (n_types > 0)
    all_fine = examine_cage (self, extraction) && all_fine;
  end_steps (self);
  return all_fine;
}

int
postbag_cli_doctor (const PostbagCli *cli)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagProgram) program = NULL;
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (PostbagJsonWriter) writer = postbag_json_writer_new ();
  Examination examination = { .text = text, .writer = writer };
  gboolean all_fine;

  if (cli->arguments[0] != NULL)
    return postbag_cli_usage_error ("“doctor” takes no arguments; --account NAME picks one.");
  program = postbag_program_new (cli, &error);
  if (program == NULL)
    return postbag_cli_fail (error);
  postbag_json_writer_begin_array (writer);
  all_fine = examine_accounts (&examination, program->accounts);
  all_fine = examine_documents (&examination, program->registry, cli->user_plugins) && all_fine;
  postbag_json_writer_end_array (writer);
  if (cli->json)
    g_string_printf (text, "%s\n", postbag_json_writer_peek (writer));
  postbag_cli_print (text->str);
  return all_fine ? POSTBAG_EXIT_SUCCESS : POSTBAG_EXIT_FAILED;
}
