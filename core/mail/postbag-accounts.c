/* SPDX-License-Identifier: LGPL-2.1-or-later */

#define G_LOG_DOMAIN "postbag-mail"

#include "mail/postbag-accounts.h"

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "base/postbag-state.h"
#include "base/postbag-text.h"
#include "mail/postbag-store-private.h"

#include <string.h>

typedef struct
{
  PostbagAccount *account;
  GMutex lock;         /* held while the store opens: a second caller needs the same one anyway */
  PostbagStore *store; /* with lock; (nullable) */
} Entry;

/* What a caller was shown of a mailbox. */
typedef struct
{
  guint32 uid_validity;
  gboolean was_made_anew; /* other uids were shown before, and may still be meant */
  gboolean was_told;      /* of that */
} Shown;

struct _PostbagAccounts
{
  GObject parent_instance;

  PostbagBackendFunc backend;
  gpointer backend_data;
  char *state_dir;    /* (nullable) */
  GPtrArray *entries; /* Entry; frozen before the first get */

  GMutex validities_lock;
  GHashTable *validities; /* with lock; char * -> Shown */
  GHashTable *questions;  /* with lock; char * (digest) -> char * (digest) */
};

G_DEFINE_FINAL_TYPE (PostbagAccounts, postbag_accounts, G_TYPE_OBJECT)

static void
free_entry (gpointer data)
{
  Entry *entry = data;

  g_clear_object (&entry->store);
  postbag_account_free (entry->account);
  g_mutex_clear (&entry->lock);
  g_free (entry);
}

static void
postbag_accounts_finalize (GObject *object)
{
  PostbagAccounts *self = POSTBAG_ACCOUNTS (object);

  g_ptr_array_unref (self->entries);
  g_hash_table_unref (self->validities);
  g_hash_table_unref (self->questions);
  g_mutex_clear (&self->validities_lock);
  g_free (self->state_dir);
  G_OBJECT_CLASS (postbag_accounts_parent_class)->finalize (object);
}

static void
postbag_accounts_class_init (PostbagAccountsClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = postbag_accounts_finalize;
}

static void
postbag_accounts_init (PostbagAccounts *self)
{
  self->entries = g_ptr_array_new_with_free_func (free_entry);
  self->validities = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  self->questions = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_mutex_init (&self->validities_lock);
}

PostbagAccounts *
postbag_accounts_new (PostbagBackendFunc backend, gpointer user_data, const char *state_dir)
{
  PostbagAccounts *self = g_object_new (POSTBAG_TYPE_ACCOUNTS, NULL);

  self->backend = backend;
  self->backend_data = user_data;
  self->state_dir = g_strdup (state_dir);
  return self;
}

static Entry *
find_entry (PostbagAccounts *self, const char *name)
{
  for (guint i = 0; i < self->entries->len; i++)
    {
      Entry *entry = g_ptr_array_index (self->entries, i);

      if (strcmp (entry->account->name, name) == 0)
        return entry;
    }
  return NULL;
}

/* "message" would be taken for a message in the URIs postbag://message/... */
static const char *
find_fault (PostbagAccounts *self, const PostbagAccount *account)
{
  if (account->name == NULL || *account->name == '\0')
    return "has no name";
  if (strcmp (account->name, "message") == 0)
    return "may not have that name";
  if (find_entry (self, account->name) != NULL)
    return "is there twice";
  if (self->entries->len >= POSTBAG_LIMIT_ACCOUNTS)
    return "is one too many";
  return NULL;
}

void
postbag_accounts_add (PostbagAccounts *self, PostbagAccount *account)
{
  const char *fault;
  Entry *entry;

  g_return_if_fail (POSTBAG_IS_ACCOUNTS (self) && account != NULL);

  fault = find_fault (self, account);
  if (fault != NULL)
    {
      g_warning ("The account “%s” %s; it is left out. Rename or remove it in the configuration.",
                 account->name != NULL ? account->name : "", fault);
      postbag_account_free (account);
      return;
    }
  entry = g_new0 (Entry, 1);
  entry->account = account;
  g_mutex_init (&entry->lock);
  g_ptr_array_add (self->entries, entry);
}

const char **
postbag_accounts_list (PostbagAccounts *self)
{
  const char **names;

  g_return_val_if_fail (POSTBAG_IS_ACCOUNTS (self), NULL);

  names = g_new0 (const char *, self->entries->len + 1);
  for (guint i = 0; i < self->entries->len; i++)
    names[i] = ((Entry *)g_ptr_array_index (self->entries, i))->account->name;
  return names;
}

static void
set_no_such_account (PostbagAccounts *self, const char *name, GError **error)
{
  g_autofree const char **names = postbag_accounts_list (self);
  g_autofree char *list = g_strjoinv ("”, “", (char **)names);
  g_autofree char *shown = postbag_text_cut (name, POSTBAG_LIMIT_QUOTE_CHARS, NULL);

  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_FOUND,
               "There is no account “%s”. Accounts: “%s”.", shown, list);
}

static Entry *
look_up (PostbagAccounts *self, const char *name, GError **error)
{
  Entry *entry;

  if (self->entries->len == 0)
    {
      g_set_error_literal (error, POSTBAG_ERROR, POSTBAG_ERROR_NEEDS_LOGIN,
                           "No mail account is configured. Set POSTBAG_MAILDIR to the folder of a "
                           "Maildir, or start Postbag with --maildir FOLDER, or set all of "
                           "IMAP_HOST, IMAP_USER and IMAP_PASSWORD, or add an account to "
                           "~/.config/postbag/postbag.conf; then start Postbag again.");
      return NULL;
    }
  if (name == NULL)
    return g_ptr_array_index (self->entries, 0);
  entry = find_entry (self, name);
  if (entry == NULL)
    set_no_such_account (self, name, error);
  return entry;
}

/* One component below the backend's folder, even for an account called "a/b". */
static char *
make_part_name (const PostbagAccount *account)
{
  g_autofree char *escaped = g_uri_escape_string (account->name, NULL, FALSE);

  return g_strdup_printf ("%s/%s", account->backend, escaped);
}

/* (nullable): a store works without; it then says what that costs */
static char *
open_state_part (PostbagAccounts *self, const PostbagAccount *account)
{
  g_autofree char *part = make_part_name (account);
  g_autoptr (GError) error = NULL;
  char *path;

  if (self->state_dir == NULL)
    return NULL;
  path = postbag_state_open_part (self->state_dir, part, &error);
  if (path == NULL)
    g_warning ("The account “%s” has no state folder: %s", account->name, error->message);
  return path;
}

static PostbagStore *
open_store (PostbagAccounts *self, const PostbagAccount *account, GError **error)
{
  const PostbagStoreImplementation *implementation;
  g_autofree char *state_part = NULL;
  g_autoptr (GError) inner = NULL;
  gpointer backend;

  implementation = self->backend (account->backend, self->backend_data, error);
  if (implementation == NULL)
    return NULL;
  state_part = open_state_part (self, account);
  backend = implementation->open (account, state_part, &inner);
  if (backend != NULL)
    return postbag_store_new (account, implementation, backend, self->state_dir);
  if (inner != NULL && inner->domain == POSTBAG_ERROR)
    g_propagate_error (error, g_steal_pointer (&inner));
  else
    g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_INTERNAL,
                 "The account “%s” could not be opened: %s", account->name,
                 inner != NULL ? inner->message : "its backend did not say why");
  return NULL;
}

PostbagStore *
postbag_accounts_get_store (PostbagAccounts *self, const char *name, GError **error)
{
  PostbagStore *store = NULL;
  Entry *entry;

  g_return_val_if_fail (POSTBAG_IS_ACCOUNTS (self), NULL);

  entry = look_up (self, name, error);
  if (entry == NULL)
    return NULL;
  g_mutex_lock (&entry->lock);
  if (entry->store == NULL)
    entry->store = open_store (self, entry->account, error);
  if (entry->store != NULL)
    store = g_object_ref (entry->store);
  g_mutex_unlock (&entry->lock);
  return store;
}

void
postbag_accounts_close (PostbagAccounts *self)
{
  g_return_if_fail (POSTBAG_IS_ACCOUNTS (self));

  for (guint i = 0; i < self->entries->len; i++)
    {
      Entry *entry = g_ptr_array_index (self->entries, i);
      g_autoptr (PostbagStore) store = NULL;

      g_mutex_lock (&entry->lock);
      store = g_steal_pointer (&entry->store);
      g_mutex_unlock (&entry->lock);
      if (store != NULL)
        postbag_store_close (store);
    }
}

/* Lengths first, so that no two triples give the same key; one key for each spelling of INBOX
 * (RFC 9051 section 5.1). */
static char *
make_key (const char *principal, const char *account, const char *mailbox)
{
  return g_strdup_printf ("%" G_GSIZE_FORMAT ":%s%" G_GSIZE_FORMAT ":%s%s", strlen (principal),
                          principal, strlen (account), account,
                          postbag_mailbox_is_same (mailbox, "INBOX") ? "INBOX" : mailbox);
}

/* Calls with uids of before may still come, or wait for a person, when the new ones are listed:
 * only a listing after somebody was told ends it. */
static void
update_shown (Shown *shown, guint32 uid_validity, gboolean is_listing)
{
  if (shown->uid_validity != uid_validity)
    shown->was_made_anew = TRUE;
  shown->uid_validity = uid_validity;
  if (is_listing && shown->was_told)
    shown->was_made_anew = shown->was_told = FALSE;
}

void
postbag_accounts_remember_uid_validity (PostbagAccounts *self, const char *principal,
                                        const char *account, const char *mailbox,
                                        guint32 uid_validity, gboolean is_listing)
{
  g_autofree char *key = make_key (principal, account, mailbox);
  Shown *shown;

  g_return_if_fail (POSTBAG_IS_ACCOUNTS (self));

  g_mutex_lock (&self->validities_lock);
  shown = g_hash_table_lookup (self->validities, key);
  if (shown != NULL)
    {
      update_shown (shown, uid_validity, is_listing);
    }
  else
    {
      /* Forgetting is safe: a mailbox that was never shown is looked at before it is changed. */
      if (g_hash_table_size (self->validities) >= POSTBAG_LIMIT_REMEMBERED_MAILBOXES)
        g_hash_table_remove_all (self->validities);
      shown = g_new0 (Shown, 1);
      shown->uid_validity = uid_validity;
      g_hash_table_insert (self->validities, g_steal_pointer (&key), shown);
    }
  g_mutex_unlock (&self->validities_lock);
}

gboolean
postbag_accounts_recall_uid_validity (PostbagAccounts *self, const char *principal,
                                      const char *account, const char *mailbox,
                                      guint32 *uid_validity)
{
  g_autofree char *key = make_key (principal, account, mailbox);
  gboolean is_same = TRUE;
  Shown *shown;

  *uid_validity = 0;
  g_return_val_if_fail (POSTBAG_IS_ACCOUNTS (self), FALSE);

  g_mutex_lock (&self->validities_lock);
  shown = g_hash_table_lookup (self->validities, key);
  if (shown != NULL)
    {
      *uid_validity = shown->uid_validity;
      is_same = !shown->was_made_anew;
      shown->was_told = shown->was_made_anew;
    }
  g_mutex_unlock (&self->validities_lock);
  return is_same;
}

void
postbag_accounts_tell_conflict (PostbagAccounts *self, const char *principal, const char *account,
                                const char *mailbox)
{
  g_autofree char *key = make_key (principal, account, mailbox);
  Shown *shown;

  g_return_if_fail (POSTBAG_IS_ACCOUNTS (self));

  g_mutex_lock (&self->validities_lock);
  shown = g_hash_table_lookup (self->validities, key);
  if (shown != NULL)
    shown->was_told = TRUE;
  g_mutex_unlock (&self->validities_lock);
}

/* --- what somebody is being asked --- */

static char *
make_question_key (const char *principal, const char *question)
{
  g_autofree char *text =
      g_strdup_printf ("%" G_GSIZE_FORMAT ":%s%s", strlen (principal), principal, question);

  return g_compute_checksum_for_string (G_CHECKSUM_SHA256, text, -1);
}

gboolean
postbag_accounts_open_question (PostbagAccounts *self, const char *principal, const char *question,
                                const char *state)
{
  g_autofree char *key = make_question_key (principal, question);
  g_autofree char *digest = g_compute_checksum_for_string (G_CHECKSUM_SHA256, state, -1);
  const char *known;
  gboolean is_same;

  g_return_val_if_fail (POSTBAG_IS_ACCOUNTS (self), FALSE);

  g_mutex_lock (&self->validities_lock);
  known = g_hash_table_lookup (self->questions, key);
  is_same = known == NULL || strcmp (known, digest) == 0;
  /* Forgetting costs no more than this: the answer, which is bound to @state, too, is asked for
   * again. */
  if (known == NULL && g_hash_table_size (self->questions) >= POSTBAG_LIMIT_REMEMBERED_QUESTIONS)
    g_hash_table_remove_all (self->questions);
  if (is_same)
    g_hash_table_replace (self->questions, g_steal_pointer (&key), g_steal_pointer (&digest));
  else
    g_hash_table_remove (self->questions, key);
  g_mutex_unlock (&self->validities_lock);
  return is_same;
}

void
postbag_accounts_close_question (PostbagAccounts *self, const char *principal, const char *question)
{
  g_autofree char *key = make_question_key (principal, question);

  g_return_if_fail (POSTBAG_IS_ACCOUNTS (self));

  g_mutex_lock (&self->validities_lock);
  g_hash_table_remove (self->questions, key);
  g_mutex_unlock (&self->validities_lock);
}
