/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a store has to keep. The accounts are those of the configuration (environment or file) that
 * the store serves; without one, only its table is looked at. Everything here only reads, and
 * afterwards nothing on the disk is other than before: not a file, a name, a mode or a time. */

#include "contract.h"

#include "base/postbag-error.h"
#include "config/postbag-config-private.h"
#include "folder.h"
#include "mail/postbag-accounts.h"

#include <glib/gstdio.h>
#include <string.h>

#define MAILBOXES 20
#define MESSAGES 50
#define THREADS 4
#define NO_UID 4294967290u

extern char **environ;

static PostbagConfig *config;

typedef struct
{
  const ContractPlugin *plugin;
  const PostbagAccount *account;
  PostbagAccounts *accounts;
  PostbagStore *store;
  char *state_dir;
  char *before; /* (nullable): what the account's folder was like */
} Opened;

/* --- the disk --- */

static void
hash_file (const char *path, const GStatBuf *facts, GChecksum *checksum)
{
  g_autofree char *text = NULL;
  g_autofree char *line = g_strdup_printf (
      "%s %o %" G_GINT64_FORMAT " %" G_GINT64_FORMAT ".%09ld\n", path, (guint)facts->st_mode,
      (gint64)facts->st_size, (gint64)facts->st_mtim.tv_sec, (long)facts->st_mtim.tv_nsec);
  gsize length;

  g_checksum_update (checksum, (const guchar *)line, -1);
  if (S_ISREG (facts->st_mode) && g_file_get_contents (path, &text, &length, NULL))
    g_checksum_update (checksum, (const guchar *)text, (gssize)length);
}

static int
compare_strings (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *)a, *(const char *const *)b);
}

static void
hash_tree (const char *path, GChecksum *checksum)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GDir) dir = NULL;
  const char *name;
  GStatBuf facts;

  if (g_lstat (path, &facts) != 0)
    return;
  hash_file (path, &facts, checksum);
  if (S_ISDIR (facts.st_mode))
    dir = g_dir_open (path, 0, NULL);
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    g_ptr_array_add (names, g_build_filename (path, name, NULL));
  g_ptr_array_sort (names, compare_strings);
  for (guint i = 0; i < names->len; i++)
    hash_tree (g_ptr_array_index (names, i), checksum);
}

/* (transfer full) (nullable) */
static char *
describe_disk (const PostbagAccount *account)
{
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);

  if (account->path == NULL)
    return NULL;
  hash_tree (account->path, checksum);
  return g_strdup (g_checksum_get_string (checksum));
}

/* --- an account --- */

static const PostbagStoreImplementation *
get_backend (const char *backend, gpointer user_data, GError **error)
{
  const ContractPlugin *plugin = user_data;

  return postbag_registry_load (plugin->registry, POSTBAG_PLUGIN_STORE, plugin->manifest->name,
                                error);
}

static void
close_account (Opened *opened)
{
  g_autofree char *after = describe_disk (opened->account);

  g_clear_object (&opened->store);
  postbag_accounts_close (opened->accounts);
  g_object_unref (opened->accounts);
  if (g_strcmp0 (opened->before, after) != 0)
    contract_problem (opened->plugin, "reading changed something in the account's folder");
  g_free (opened->before);
  remove_tree (opened->state_dir);
  g_free (opened->state_dir);
}

static gboolean
open_account (Opened *opened)
{
  g_autoptr (GError) error = NULL;

  opened->before = describe_disk (opened->account);
  opened->state_dir = g_dir_make_tmp ("postbag-contract-XXXXXX", NULL);
  opened->accounts =
      postbag_accounts_new (get_backend, (gpointer)opened->plugin, opened->state_dir);
  postbag_accounts_add (opened->accounts, postbag_account_copy (opened->account));
  opened->store = postbag_accounts_get_store (opened->accounts, NULL, &error);
  if (opened->store == NULL)
    contract_problem (opened->plugin, "the account “%s” cannot be opened: %s",
                      opened->account->name, error->message);
  return opened->store != NULL;
}

static void
each_account (const ContractPlugin *plugin, void (*function) (Opened *opened))
{
  GPtrArray *accounts = postbag_config_get_accounts (config);
  guint found = 0;

  for (guint i = 0; i < accounts->len; i++)
    {
      Opened opened = { .plugin = plugin, .account = g_ptr_array_index (accounts, i) };

      if (!g_strv_contains ((const char *const *)plugin->manifest->types, opened.account->backend))
        continue;
      found++;
      if (open_account (&opened))
        function (&opened);
      close_account (&opened);
    }
  if (found == 0)
    g_test_skip ("no account of this store is configured");
}

/* (transfer full): the mailboxes that can be looked into, and INBOX by its own name */
static GPtrArray *
list_selectable (const Opened *opened)
{
  g_autoptr (GError) error = NULL;
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  gint64 total = 0;
  g_autoptr (GPtrArray) mailboxes =
      postbag_store_list_mailboxes (opened->store, FALSE, &total, NULL, &error);

  g_assert_no_error (error);
  for (guint i = 0; mailboxes != NULL && i < mailboxes->len && names->len < MAILBOXES; i++)
    {
      const PostbagMailbox *mailbox = g_ptr_array_index (mailboxes, i);

      if (mailbox->selectable)
        g_ptr_array_add (names, g_strdup (mailbox->path));
    }
  return names;
}

/* (transfer full) (nullable) */
static PostbagSearchPage *
search_all (const Opened *opened, const char *mailbox, gint64 offset, guint limit)
{
  g_autoptr (PostbagSearch) search = postbag_search_new ();
  g_autoptr (GError) error = NULL;
  PostbagPage page = { .offset = offset, .limit = limit };
  PostbagSearchPage *found =
      postbag_store_search (opened->store, mailbox, search, &page, NULL, &error);

  if (found == NULL)
    contract_problem (opened->plugin, "“%s” cannot be searched: %s", mailbox,
                      error != NULL ? error->message : "no reason was given");
  return found;
}

/* --- mailboxes --- */

static void
look_at_mailbox (const Opened *opened, const PostbagMailbox *mailbox, GHashTable *seen)
{
  if (mailbox->path == NULL || *mailbox->path == '\0' || !g_utf8_validate (mailbox->path, -1, NULL))
    contract_problem (opened->plugin, "a mailbox has no name in UTF-8");
  else if (!g_hash_table_add (seen, mailbox->path))
    contract_problem (opened->plugin, "“%s” is listed twice", mailbox->path);
  if (mailbox->has_status
      && (mailbox->messages < 0 || mailbox->unseen < 0 || mailbox->unseen > mailbox->messages))
    contract_problem (opened->plugin, "“%s” has impossible counts", mailbox->path);
}

static void
look_at_mailboxes (Opened *opened)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GError) error = NULL;
  gint64 total = 0;
  g_autoptr (GPtrArray) mailboxes =
      postbag_store_list_mailboxes (opened->store, TRUE, &total, NULL, &error);

  g_assert_no_error (error);
  if (mailboxes == NULL)
    return;
  for (guint i = 0; i < mailboxes->len; i++)
    look_at_mailbox (opened, g_ptr_array_index (mailboxes, i), seen);
  if (total < mailboxes->len)
    contract_problem (opened->plugin, "there are said to be fewer mailboxes than are listed");
  if (!g_hash_table_contains (seen, "INBOX"))
    contract_problem (opened->plugin, "INBOX is not listed");
}

/* --- searching --- */

static void
look_at_page (const Opened *opened, const char *mailbox, const PostbagSearchPage *page,
              const PostbagMailboxState *state)
{
  guint32 last = 0;

  if (page->total != state->messages || page->uid_validity != state->uid_validity)
    contract_problem (opened->plugin, "state and search of “%s” differ", mailbox);
  for (guint i = 0; i < page->summaries->len; i++)
    {
      const PostbagSummary *summary = g_ptr_array_index (page->summaries, i);

      if (summary->uid == 0 || summary->uid >= state->uid_next)
        contract_problem (opened->plugin, "“%s” has the uid %u, next is %u", mailbox, summary->uid,
                          state->uid_next);
      if (i > 0 && summary->uid >= last)
        contract_problem (opened->plugin, "“%s”: %u does not come before %u, newest first", mailbox,
                          last, summary->uid);
      last = summary->uid;
    }
}

static guint32
get_uid (const PostbagSearchPage *page, guint index)
{
  if (page == NULL || index >= page->summaries->len)
    return 0;
  return ((const PostbagSummary *)g_ptr_array_index (page->summaries, index))->uid;
}

/* A page is a window on one order, whatever its size. */
static void
look_at_windows (const Opened *opened, const char *mailbox, const PostbagSearchPage *whole)
{
  g_autoptr (PostbagSearchPage) none = search_all (opened, mailbox, 0, 0);
  g_autoptr (PostbagSearchPage) past = search_all (opened, mailbox, whole->total + 5, 10);
  guint count = MIN (whole->summaries->len, 5);

  if (none == NULL || past == NULL || none->summaries->len != 0 || past->summaries->len != 0
      || none->total != whole->total || past->total != whole->total)
    contract_problem (opened->plugin, "“%s”: an empty page has messages or another total", mailbox);
  for (guint i = 0; i < count; i++)
    {
      g_autoptr (PostbagSearchPage) one = search_all (opened, mailbox, i, 1);

      if (get_uid (one, 0) != get_uid (whole, i))
        contract_problem (opened->plugin, "“%s”: message %u of the pages differs", mailbox, i);
    }
}

static void
look_at_search (Opened *opened)
{
  g_autoptr (GPtrArray) mailboxes = list_selectable (opened);

  for (guint i = 0; i < mailboxes->len; i++)
    {
      const char *mailbox = g_ptr_array_index (mailboxes, i);
      g_autoptr (GError) error = NULL;
      g_autoptr (PostbagMailboxState) state =
          postbag_store_get_state (opened->store, mailbox, NULL, &error);
      g_autoptr (PostbagSearchPage) page = search_all (opened, mailbox, 0, MESSAGES);

      g_assert_no_error (error);
      if (state == NULL || page == NULL)
        continue;
      look_at_page (opened, mailbox, page, state);
      if ((gint64)page->summaries->len != MIN (page->total, MESSAGES))
        contract_problem (opened->plugin, "“%s”: the page is not full", mailbox);
      look_at_windows (opened, mailbox, page);
    }
}

/* --- messages --- */

static gboolean
collect (const guint8 *data, gsize length, gpointer user_data, GError **error)
{
  g_byte_array_append (user_data, data, (guint)length);
  return TRUE;
}

/* (transfer full) (nullable) */
static GBytes *
fetch_part (const Opened *opened, const char *mailbox, guint32 uid, const char *number,
            GError **error)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();

  if (!postbag_store_fetch_part (opened->store, mailbox, uid, number, collect, bytes, NULL, error))
    return NULL;
  return g_byte_array_free_to_bytes (g_steal_pointer (&bytes));
}

/* What GLib makes of the octets in base64: (transfer full) */
static GBytes *
decode_base64 (GBytes *octets)
{
  gsize length;
  const char *data = g_bytes_get_data (octets, &length);
  g_autofree char *text = g_strndup (data != NULL ? data : "", length);
  guchar *content = g_base64_decode (text, &length);

  return g_bytes_new_take (content, length);
}

/* Content and octets are the same thing in two forms. */
static void
look_at_content (const Opened *opened, const char *mailbox, guint32 uid, const PostbagPart *part,
                 GBytes *octets)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GByteArray) array = g_byte_array_new ();
  g_autoptr (GBytes) expected = NULL;
  g_autoptr (GBytes) bytes = NULL;
  gboolean is_decoded = FALSE;

  if (!postbag_store_fetch_content (opened->store, mailbox, uid, part->number, &is_decoded, collect,
                                    array, NULL, &error))
    {
      contract_problem (opened->plugin, "“%s”, %u: the content of part %s cannot be fetched: %s",
                        mailbox, uid, part->number, error != NULL ? error->message : "");
      return;
    }
  bytes = g_byte_array_free_to_bytes (g_steal_pointer (&array));
  if (is_decoded && strcmp (part->encoding, "quoted-printable") == 0)
    return; /* GLib has no decoder to compare it with */
  expected = is_decoded && strcmp (part->encoding, "base64") == 0 ? decode_base64 (octets)
                                                                  : g_bytes_ref (octets);
  if (!g_bytes_equal (bytes, expected))
    contract_problem (opened->plugin, "“%s”, %u: part %s has another content than its octets",
                      mailbox, uid, part->number);
}

static void
look_at_parts (const Opened *opened, const char *mailbox, guint32 uid, const PostbagPart *part)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = NULL;

  /* A multipart inside has a number too, but nobody asks for its bytes. */
  if (part->number != NULL && !g_str_has_prefix (part->type, "multipart/"))
    {
      bytes = fetch_part (opened, mailbox, uid, part->number, &error);
      if (bytes == NULL)
        contract_problem (opened->plugin, "“%s”, %u: part %s cannot be fetched: %s", mailbox, uid,
                          part->number, error != NULL ? error->message : "");
      else if (part->size >= 0 && g_bytes_get_size (bytes) != (gsize)part->size)
        contract_problem (opened->plugin, "“%s”, %u: part %s has another size than announced",
                          mailbox, uid, part->number);
      if (bytes != NULL)
        look_at_content (opened, mailbox, uid, part, bytes);
    }
  for (guint i = 0; part->children != NULL && i < part->children->len; i++)
    look_at_parts (opened, mailbox, uid, g_ptr_array_index (part->children, i));
}

static void
look_at_structure (const Opened *opened, const char *mailbox, guint32 uid)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagPart) structure =
      postbag_store_fetch_structure (opened->store, mailbox, uid, NULL, &error);
  g_autoptr (PostbagMailboxState) state =
      postbag_store_get_state (opened->store, mailbox, NULL, NULL);
  g_autoptr (GBytes) bytes = NULL;

  g_assert_no_error (error);
  if (structure != NULL)
    look_at_parts (opened, mailbox, uid, structure);
  if (structure != NULL && structure->uid_validity != 0 && state != NULL
      && structure->uid_validity != state->uid_validity)
    contract_problem (opened->plugin, "“%s”, %u: the structure is of another UIDVALIDITY", mailbox,
                      uid);
  bytes = fetch_part (opened, mailbox, uid, "99.99", &error);
  if (bytes != NULL || !g_error_matches (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_FOUND))
    contract_problem (opened->plugin, "a part that is not there gives another error");
}

static void
look_at_prefix (const Opened *opened, const char *mailbox, guint32 uid, GBytes *whole)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagFetchedMessage) message =
      postbag_store_fetch_message (opened->store, mailbox, uid, 100, NULL, &error);
  gsize length, whole_length;
  const guint8 *data;

  g_assert_no_error (error);
  if (message == NULL)
    return;
  data = g_bytes_get_data (message->source, &length);
  if (length > g_bytes_get_size (whole)
      || memcmp (data, g_bytes_get_data (whole, &whole_length), length) != 0)
    contract_problem (opened->plugin, "“%s”, %u: the beginning is not that of the whole", mailbox,
                      uid);
  if (!message->complete && (length > 100 || message->structure == NULL))
    contract_problem (opened->plugin, "“%s”, %u: more than asked for, or no structure", mailbox,
                      uid);
}

static void
look_at_message (const Opened *opened, const char *mailbox, const PostbagSummary *summary)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagFetchedMessage) message =
      postbag_store_fetch_message (opened->store, mailbox, summary->uid, G_MAXINT32, NULL, &error);
  g_autoptr (GBytes) whole = fetch_part (opened, mailbox, summary->uid, "0", &error);

  g_assert_no_error (error);
  if (message == NULL || whole == NULL)
    return;
  if (message->uid != summary->uid || message->size != (gint64)g_bytes_get_size (whole)
      || (summary->size >= 0 && summary->size != message->size)
      || message->internal_date != summary->internal_date || message->flags != summary->flags)
    contract_problem (opened->plugin, "“%s”, %u: list and message differ", mailbox, summary->uid);
  if (!message->complete || !g_bytes_equal (message->source, whole))
    contract_problem (opened->plugin, "“%s”, %u: the source is not the whole message", mailbox,
                      summary->uid);
  look_at_prefix (opened, mailbox, summary->uid, whole);
  look_at_structure (opened, mailbox, summary->uid);
}

static void
look_at_messages (Opened *opened)
{
  g_autoptr (GPtrArray) mailboxes = list_selectable (opened);

  for (guint i = 0; i < mailboxes->len; i++)
    {
      const char *mailbox = g_ptr_array_index (mailboxes, i);
      g_autoptr (PostbagSearchPage) page = search_all (opened, mailbox, 0, MESSAGES);

      for (guint j = 0; page != NULL && j < page->summaries->len; j++)
        look_at_message (opened, mailbox, g_ptr_array_index (page->summaries, j));
    }
}

/* --- errors --- */

/* A pointer, so that it is read after the call that sets it. */
static void
expect (const Opened *opened, const char *what, gpointer result, GError **error, int code)
{
  if (result != NULL || !g_error_matches (*error, POSTBAG_ERROR, code))
    contract_problem (opened->plugin, "%s gives %s instead of “%s”", what,
                      *error != NULL ? (*error)->message : "no error",
                      postbag_error_get_facts (code)->nick);
  g_clear_error (error);
}

static void
look_for_unknown (Opened *opened)
{
  g_autoptr (PostbagSearch) search = postbag_search_new ();
  PostbagPage page = { .limit = 1 };
  PostbagStore *store = opened->store;
  const char *nowhere = "No such mailbox";
  const int code = POSTBAG_ERROR_NOT_FOUND;
  GError *error = NULL;

  expect (opened, "the state of an unknown mailbox",
          postbag_store_get_state (store, nowhere, NULL, &error), &error, code);
  expect (opened, "searching an unknown mailbox",
          postbag_store_search (store, nowhere, search, &page, NULL, &error), &error, code);
  expect (opened, "a message of an unknown mailbox",
          postbag_store_fetch_message (store, nowhere, 1, 100, NULL, &error), &error, code);
  expect (opened, "an unknown uid",
          postbag_store_fetch_message (store, "INBOX", NO_UID, 100, NULL, &error), &error, code);
  expect (opened, "the structure of an unknown uid",
          postbag_store_fetch_structure (store, "INBOX", NO_UID, NULL, &error), &error, code);
}

static void
look_at_cancelled (Opened *opened)
{
  g_autoptr (GCancellable) cancelled = g_cancellable_new ();
  g_autoptr (PostbagSearch) search = postbag_search_new ();
  PostbagPage page = { .limit = 1 };
  PostbagStore *store = opened->store;
  const int code = POSTBAG_ERROR_CANCELLED;
  GError *error = NULL;
  gint64 total;

  g_cancellable_cancel (cancelled);
  expect (opened, "listing, cancelled,",
          postbag_store_list_mailboxes (store, TRUE, &total, cancelled, &error), &error, code);
  expect (opened, "the state, cancelled,",
          postbag_store_get_state (store, "INBOX", cancelled, &error), &error, code);
  expect (opened, "searching, cancelled,",
          postbag_store_search (store, "INBOX", search, &page, cancelled, &error), &error, code);
  expect (opened, "a message, cancelled,",
          postbag_store_fetch_message (store, "INBOX", 1, 100, cancelled, &error), &error, code);
}

/* --- threads --- */

static gpointer
list_in_thread (gpointer data)
{
  const Opened *opened = data;
  g_autoptr (PostbagSearchPage) page = search_all (opened, "INBOX", 0, MESSAGES);
  GString *uids = g_string_new (NULL);

  for (guint i = 0; page != NULL && i < page->summaries->len; i++)
    g_string_append_printf (uids, "%u ", get_uid (page, i));
  return g_string_free (uids, FALSE);
}

static void
look_from_threads (Opened *opened)
{
  g_autofree char *expected = list_in_thread (opened);
  GThread *threads[THREADS];

  for (gsize i = 0; i < THREADS; i++)
    threads[i] = g_thread_new ("contract", list_in_thread, opened);
  for (gsize i = 0; i < THREADS; i++)
    {
      g_autofree char *uids = g_thread_join (threads[i]);

      if (strcmp (uids, expected) != 0)
        contract_problem (opened->plugin, "threads see different lists");
    }
}

/* --- the checks --- */

static void
check_mailboxes (gconstpointer plugin)
{
  each_account (plugin, look_at_mailboxes);
}

static void
check_search (gconstpointer plugin)
{
  each_account (plugin, look_at_search);
}

static void
check_messages (gconstpointer plugin)
{
  each_account (plugin, look_at_messages);
}

static void
check_unknown (gconstpointer plugin)
{
  each_account (plugin, look_for_unknown);
}

static void
check_cancelled (gconstpointer plugin)
{
  each_account (plugin, look_at_cancelled);
}

static void
check_threads (gconstpointer plugin)
{
  each_account (plugin, look_from_threads);
}

int
main (int argc, char **argv)
{
  static const ContractCheck checks[] = {
    { "mailboxes", check_mailboxes }, { "search", check_search },
    { "messages", check_messages },   { "unknown", check_unknown },
    { "cancelled", check_cancelled }, { "threads", check_threads },
  };
  PostbagConfigOptions options = { 0 };
  g_autoptr (GError) error = NULL;
  int status;

  config = postbag_config_load (&options, environ, NULL, &error);
  if (config == NULL)
    g_error ("the configuration cannot be used: %s", error->message);
  status = contract_run (argc, argv, POSTBAG_PLUGIN_STORE, checks, G_N_ELEMENTS (checks));
  postbag_config_free (config);
  return status;
}
