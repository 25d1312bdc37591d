/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

#include "base/postbag-api.h"
#include "mail/postbag-store.h"

G_BEGIN_DECLS

#define POSTBAG_TYPE_ACCOUNTS (postbag_accounts_get_type ())
POSTBAG_API G_DECLARE_FINAL_TYPE (PostbagAccounts, postbag_accounts, POSTBAG, ACCOUNTS, GObject)

    /* Finds the implementation of a store backend by name (the plugin registry does, in the
       program). */
    typedef const PostbagStoreImplementation *(*PostbagBackendFunc) (const char *backend,
                                                                     gpointer user_data,
                                                                     GError **error);

/**
 * postbag_accounts_new:
 * @state_dir: (nullable): the state folder; %NULL when none is writable
 */
POSTBAG_API PostbagAccounts *postbag_accounts_new (PostbagBackendFunc backend, gpointer user_data,
                                                   const char *state_dir);
/* (transfer full) @account; the first one added is the default. Before the first get only. */
POSTBAG_API void postbag_accounts_add (PostbagAccounts *self, PostbagAccount *account);
/* (transfer container): names in the order of the configuration */
POSTBAG_API const char **postbag_accounts_list (PostbagAccounts *self);

/**
 * postbag_accounts_get_store:
 * @name: (nullable): which account; %NULL is the default one
 *
 * Opens the store at first use; thread-safe; a failure is not sticky.
 *
 * Returns: (transfer full) (nullable): the store, or %NULL with %POSTBAG_ERROR_NOT_FOUND (naming
 * the accounts there are), %POSTBAG_ERROR_NEEDS_LOGIN (none is configured: how to do that)
 */
POSTBAG_API PostbagStore *postbag_accounts_get_store (PostbagAccounts *self, const char *name,
                                                      GError **error);
/* Closes every store; running calls must be over. */
POSTBAG_API void postbag_accounts_close (PostbagAccounts *self);

/**
 * postbag_accounts_remember_uid_validity:
 * @is_listing: whether uids to choose from were shown, not one message that was asked for
 *
 * The UIDVALIDITY that a caller was shown of a mailbox, by principal and account, in memory. When
 * it is another one than before, uids shown earlier may be meant by calls that are still to come,
 * or that wait for a person.
 */
POSTBAG_API void postbag_accounts_remember_uid_validity (PostbagAccounts *self,
                                                         const char *principal, const char *account,
                                                         const char *mailbox, guint32 uid_validity,
                                                         gboolean is_listing);

/**
 * postbag_accounts_recall_uid_validity:
 * @uid_validity: (out): what was shown last; 0: the mailbox was never shown
 *
 * For a call by uid that changes something.
 *
 * Returns: %FALSE where the mailbox was made anew since it was listed: the caller has to be told;
 *   the first listing after that ends it
 */
POSTBAG_API gboolean postbag_accounts_recall_uid_validity (PostbagAccounts *self,
                                                           const char *principal,
                                                           const char *account, const char *mailbox,
                                                           guint32 *uid_validity);
/* A store said so first: the caller is told, and need not be told again once it has listed. */
POSTBAG_API void postbag_accounts_tell_conflict (PostbagAccounts *self, const char *principal,
                                                 const char *account, const char *mailbox);

/**
 * postbag_accounts_open_question:
 * @question: what somebody is asked, as they see it
 * @state: what they do not see: which mailboxes the names stand for
 *
 * Whoever is asked in the same words about something else cannot tell.
 *
 * Returns: %FALSE where the same question is open, or was given up, with another @state; it is
 *   forgotten then
 */
POSTBAG_API gboolean postbag_accounts_open_question (PostbagAccounts *self, const char *principal,
                                                     const char *question, const char *state);
/* It was answered. */
POSTBAG_API void postbag_accounts_close_question (PostbagAccounts *self, const char *principal,
                                                  const char *question);

G_END_DECLS
