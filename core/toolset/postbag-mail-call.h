/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "json/postbag-args.h"
#include "mail/postbag-accounts.h"
#include "mcp/postbag-call.h"

G_BEGIN_DECLS

/**
 * PostbagMailCall:
 * @call: (transfer none)
 * @accounts: (transfer none)
 * @account: (transfer none)
 * @mailbox: the `mailbox` argument, else the account's default mailbox; checked
 *
 * What every mail tool needs first: the store of the account that the call is about, and the
 * mailbox. Lives as long as the handler.
 */
typedef struct
{
  PostbagCall *call;
  PostbagAccounts *accounts;
  PostbagStore *store;
  const PostbagAccount *account;
  char *mailbox;
} PostbagMailCall;

/**
 * postbag_mail_call_new:
 *
 * Reads the arguments `account` and `mailbox`, both optional, and opens the store.
 *
 * Returns: (transfer full) (nullable): or %NULL with %POSTBAG_ERROR_INVALID_ARGUMENT (the mailbox
 *   name cannot be one) or the error of postbag_accounts_get_store()
 */
POSTBAG_API PostbagMailCall *postbag_mail_call_new (PostbagCall *call, const PostbagArgs *args,
                                                    GError **error);
/* The same without arguments: of @account (nullable: the default one) and @mailbox (nullable: its
 * default mailbox). */
POSTBAG_API PostbagMailCall *postbag_mail_call_new_for (PostbagCall *call, const char *account,
                                                        const char *mailbox, GError **error);
POSTBAG_API void postbag_mail_call_free (PostbagMailCall *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagMailCall, postbag_mail_call_free)

/**
 * postbag_mail_check_mailbox:
 * @argument: how the caller names the value, e.g. "mailbox"
 *
 * Whether @name can be a mailbox: 1..255 characters, no control character but TAB, and neither `%`
 * nor `*`, which are patterns in IMAP's LIST. Invisible characters are accepted: a real folder may
 * have them.
 */
POSTBAG_API gboolean postbag_mail_check_mailbox (const char *argument, const char *name,
                                                 GError **error);

/**
 * postbag_mail_call_get_uid:
 * @args: has the argument `uid`, positive
 *
 * Returns: whether @uid is set; %FALSE with %POSTBAG_ERROR_NOT_FOUND for a number that no message
 *   can have (RFC 9051 section 2.3.1.1: uids have 32 bits)
 */
POSTBAG_API gboolean postbag_mail_call_get_uid (PostbagMailCall *self, const PostbagArgs *args,
                                                guint32 *uid, GError **error);

/* Remembers the UIDVALIDITY that this caller was shown for the mailbox. @is_listing: with uids to
 * choose from. */
POSTBAG_API void postbag_mail_call_remember (PostbagMailCall *self, guint32 uid_validity,
                                             gboolean is_listing);

/**
 * postbag_mail_call_recall:
 * @uid_validity: (out): what the caller was shown; 0: the mailbox was never listed
 *
 * Returns: %FALSE with %POSTBAG_ERROR_CONFLICT where the mailbox was made anew since it was listed,
 *   so that the caller's uids may name other messages
 */
POSTBAG_API gboolean postbag_mail_call_recall (PostbagMailCall *self, guint32 *uid_validity,
                                               GError **error);

/* (transfer none): of the call */
POSTBAG_API GCancellable *postbag_mail_call_get_cancellable (PostbagMailCall *self);

/**
 * postbag_mail_call_explain:
 * @uid: the message that was asked for, or 0 when the call was about the whole mailbox
 *
 * Turns a store's "not found" into a sentence that says what was not found, the mailbox or the
 * message, and which tool shows what there is. Other errors stay as they are.
 *
 * Returns: %FALSE always, for `return postbag_mail_call_explain (...)`
 */
POSTBAG_API gboolean postbag_mail_call_explain (PostbagMailCall *self, guint32 uid, GError **error);

/* One line on stderr for something that was written outside the mailbox or changed in it: operation
 * and key=value fields; never a subject, a sender or a body. */
POSTBAG_API void postbag_mail_call_audit (PostbagMailCall *self, const char *operation,
                                          const char *format, ...) G_GNUC_PRINTF (3, 4);

G_END_DECLS
