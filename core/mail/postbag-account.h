/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#include "base/postbag-api.h"

G_BEGIN_DECLS

/* What an account may have done to it. Policy belongs to the account; with several toolsets loaded
 * the strictest wins. */
typedef enum
{
  POSTBAG_MAY_READ = 1 << 0,
  POSTBAG_MAY_ORGANISE = 1 << 1, /* flags, move, copy, mailboxes, delete to Trash */
  POSTBAG_MAY_DRAFT = 1 << 2,
  POSTBAG_MAY_SEND = 1 << 3,
  POSTBAG_MAY_PURGE = 1 << 4, /* what cannot be undone */
} PostbagMay;

typedef enum
{
  POSTBAG_TLS_IMPLICIT,
  POSTBAG_TLS_STARTTLS,
  POSTBAG_TLS_NONE
} PostbagTls;

/**
 * PostbagAccount:
 * @name: as configured, e.g. "default"; never "message"
 * @backend: "imap" or "maildir": which store plugin serves it
 * @path: (nullable): the folder of a Maildir account
 * @host, @user, @password: (nullable)
 * @port: 0 for a Maildir
 * @mailbox: the default mailbox, "INBOX" unless configured
 * @may: what policy allows
 * @cleartext_hosts: (nullable): hosts that may be reached without TLS, besides this machine,
 *   separated by commas
 * @ca_file: (nullable): certificates (PEM) to trust instead of the system's
 * @auth: (nullable): the one way to log in that is tried, in lower case; %NULL: the strongest
 * @password_command, @token_command: (nullable): prints the secret; see postbag-secret.h
 * @password_file, @token_file: (nullable): holds the secret
 * @pins: (nullable): keys one of which the server has to have, separated by commas:
 *   `sha256:` and the base64 of the SHA-256 of the SubjectPublicKeyInfo
 * @client_certificate: (nullable): PEM file with our certificate and its key
 * @address: (nullable): the sender of what is written in this account
 * @poll_s: how often a watched mailbox is asked about where the server tells nothing by itself; 0:
 *   the store's own
 *
 * One account, frozen at start. Fields are only appended.
 */
typedef struct
{
  guint32 size;
  char *name;
  char *backend;
  char *path;
  char *host;
  guint port;
  PostbagTls tls;
  gboolean insecure_tls;
  char *user;
  char *password;
  char *mailbox;
  char *drafts_mailbox;
  PostbagMay may;
  char *cleartext_hosts;
  char *ca_file;
  char *auth;
  char *password_command;
  char *password_file;
  char *token_command;
  char *token_file;
  char *pins;
  char *client_certificate;
  guint poll_s;
  char *address;
  char *trash_mailbox;
} PostbagAccount;

POSTBAG_API PostbagAccount *postbag_account_new (const char *name, const char *backend);
POSTBAG_API PostbagAccount *postbag_account_copy (const PostbagAccount *self); /* (transfer full) */
POSTBAG_API void postbag_account_free (PostbagAccount *self); /* overwrites the password */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagAccount, postbag_account_free)

/**
 * postbag_account_dup_identity:
 *
 * Whose mail it is, whatever the account is called: one that comes from the environment has the
 * same name on every server. A digest of the backend, the host, the port, the user and the path,
 * in 64 hexadecimal digits; the same for every process that opens this mail, and fit for the name
 * of a file. No secret is in it.
 *
 * Returns: (transfer full)
 */
POSTBAG_API char *postbag_account_dup_identity (const PostbagAccount *self);

G_END_DECLS
