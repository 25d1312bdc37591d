/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config/postbag-config-table-private.h"

#include <string.h>

#define CORE(key_, variable_, type_, ...)                                                          \
  {                                                                                                \
    .scope = POSTBAG_CONFIG_CORE, .key = key_, .variable = variable_,                              \
    .type = POSTBAG_CONFIG_##type_, __VA_ARGS__                                                    \
  }
#define ACCOUNT(key_, variable_, type_, ...)                                                       \
  {                                                                                                \
    .scope = POSTBAG_CONFIG_ACCOUNT, .key = key_, .variable = variable_, .dialect = "guarded",     \
    .type = POSTBAG_CONFIG_##type_, __VA_ARGS__                                                    \
  }
#define GUARDED(key_, variable_, type_, ...)                                                       \
  {                                                                                                \
    .scope = POSTBAG_CONFIG_GUARDED, .key = key_, .variable = variable_, .dialect = "guarded",     \
    .type = POSTBAG_CONFIG_##type_, __VA_ARGS__                                                    \
  }

/* Integers in JSON are exact up to here; nothing we count comes near. */
#define LARGEST 9007199254740991

#define DEFAULT_TYPES                                                                              \
  "application/pdf,application/json,application/xml,application/zip,application/rtf,"              \
  "application/vnd.oasis.opendocument.text,application/vnd.oasis.opendocument.spreadsheet,"        \
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document,"                       \
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet,"                             \
  "application/vnd.openxmlformats-officedocument.presentationml.presentation,"                     \
  "image/png,image/jpeg,image/gif,image/webp,text/plain,text/csv,text/html,text/calendar"

static const char *const tls_words[] = { "implicit", "starttls", "none", NULL };
static const char *const auth_words[] = { "auto",
                                          "scram-sha-256-plus",
                                          "scram-sha-1-plus",
                                          "scram-sha-256",
                                          "scram-sha-1",
                                          "cram-md5",
                                          "plain",
                                          "login",
                                          "external",
                                          "oauthbearer",
                                          "xoauth2",
                                          NULL };

static const PostbagConfigRow rows[] = {
  CORE ("toolset", "POSTBAG_TOOLSET", NAMES, .fallback = "guarded",
        .description = "which toolsets are offered, separated by commas"),
  CORE ("maildir", "POSTBAG_MAILDIR", FOLDER,
        .description = "a folder with mail: then it is the only account"),
  CORE ("state-dir", "POSTBAG_STATE_DIR", FOLDER,
        .description = "where Postbag remembers message numbers, keys and a Maildir's keywords"),
  CORE ("ca-file", "POSTBAG_CA_FILE", EXISTING_FILE,
        .description = "certificates (PEM) to trust instead of the system's"),
  CORE ("allow-cleartext", "POSTBAG_ALLOW_CLEARTEXT", HOSTS,
        .description = "hosts that may be reached without TLS, separated by commas"),
  CORE ("address", "POSTBAG_ADDRESS", ADDRESS,
        .description = "the sender of drafts, where there is one account"),
  CORE ("trash-mailbox", "POSTBAG_TRASH_MAILBOX", MAILBOX,
        .description = "where deleted messages go, where there is one account"),
  CORE ("poll-seconds", "POSTBAG_POLL_SECONDS", INTEGER, .fallback = "20", .minimum = 1,
        .maximum = 3600,
        .description = "how often a watched mailbox is asked about where the server has no IDLE"),
  CORE ("validate-results", "POSTBAG_VALIDATE_RESULTS", BOOLEAN, .fallback = "false",
        .description = "check every result against its output schema"),
  CORE ("require-person", NULL, BOOLEAN, .fallback = "false",
        .description = "refuse what needs a yes when the client cannot ask a person"),
  CORE ("debug", "POSTBAG_DEBUG", LINE,
        .description = "areas whose debug lines go to stderr, or “all”"),
  CORE ("plugin-path", "POSTBAG_PLUGIN_PATH", LINE, .flags = POSTBAG_CONFIG_ENVIRONMENT_ONLY,
        .description = "folders with plugins, searched first, separated by colons"),
  CORE ("config", "POSTBAG_CONFIG", FOLDER, .flags = POSTBAG_CONFIG_ENVIRONMENT_ONLY,
        .description = "the configuration file"),

  ACCOUNT ("backend", NULL, NAME,
           .description = "“imap”, “maildir” or what a store plugin is called; follows from the "
                          "other keys when not given"),
  ACCOUNT ("path", NULL, FOLDER, .description = "the folder of a Maildir account"),
  ACCOUNT ("host", "IMAP_HOST", HOST, .description = "the IMAP server"),
  ACCOUNT ("port", "IMAP_PORT", INTEGER, .minimum = 1, .maximum = 65535,
           .description = "its port: 993 with implicit TLS, else 143, when not given"),
  ACCOUNT ("tls", "IMAP_TLS", WORD, .fallback = "implicit", .words = tls_words,
           .description = "“implicit”, “starttls” or “none”"),
  ACCOUNT ("insecure-tls", "IMAP_INSECURE_TLS", RELEASE, .fallback = "false",
           .description = "“true”: do not check the server's certificate"),
  ACCOUNT ("user", "IMAP_USER", LINE, .description = "the user name, mostly the mail address"),
  ACCOUNT ("address", NULL, ADDRESS,
           .description = "the sender of drafts; the user name when not given"),
  ACCOUNT ("password", "IMAP_PASSWORD", PASSWORD,
           .description = "the password, mostly an app password"),
  ACCOUNT ("password-command", NULL, COMMAND,
           .description = "a program that prints the password, instead of “password”"),
  ACCOUNT ("password-file", NULL, FOLDER, .description = "a file with the password"),
  ACCOUNT ("token-command", NULL, COMMAND,
           .description = "a program that prints an OAuth 2 access token, instead of a password"),
  ACCOUNT ("token-file", NULL, FOLDER, .description = "a file with an OAuth 2 access token"),
  ACCOUNT ("auth", NULL, WORD, .fallback = "auto", .words = auth_words,
           .description = "the only way to log in that is tried: a SASL mechanism in lower case; "
                          "“auto”: the strongest that the server offers"),
  ACCOUNT ("client-certificate", NULL, EXISTING_FILE,
           .description = "our certificate and its key (PEM), for servers that ask for one"),
  ACCOUNT ("pin", NULL, PINS,
           .description = "keys one of which the server has to have, separated by commas: "
                          "“sha256:” and the base64 of its public key's digest"),
  ACCOUNT ("mailbox", NULL, MAILBOX, .description = "the default mailbox"),
  ACCOUNT ("drafts-mailbox", NULL, MAILBOX, .description = "where drafts go"),
  ACCOUNT ("trash-mailbox", NULL, MAILBOX,
           .description = "where deleted messages go, instead of the server's own choice"),
  ACCOUNT ("read-only", NULL, LOCK, .fallback = "true",
           .description = "“false”: mail may be organised and drafts saved"),
  ACCOUNT ("purge", NULL, BOOLEAN, .fallback = "false",
           .description = "also allow what cannot be undone"),

  GUARDED ("mailbox", "IMAP_MAILBOX", MAILBOX, .fallback = "INBOX",
           .description = "the default mailbox"),
  GUARDED ("seen-keyword", "IMAP_SEEN_KEYWORD", KEYWORD, .fallback = "AiSeen",
           .flags = POSTBAG_CONFIG_EMPTY_IS_OFF,
           .description = "marks messages as listed before; empty: list_new_messages is off"),
  GUARDED ("drafts-mailbox", "IMAP_DRAFTS_MAILBOX", MAILBOX,
           .description = "where drafts go, instead of the server's own choice"),
  GUARDED ("trusted-authserv-id", "IMAP_TRUSTED_AUTHSERV_ID", AUTHSERV_ID,
           .description = "whose Authentication-Results are believed"),
  GUARDED ("max-messages", "IMAP_MAX_MESSAGES", INTEGER, .flags = POSTBAG_CONFIG_CLAMPED,
           .fallback = "100", .minimum = 1, .maximum = 200,
           .description = "messages on a page when the caller does not say, at most 200"),
  GUARDED ("max-attachment-bytes", "IMAP_MAX_ATTACHMENT_BYTES", INTEGER, .fallback = "1048576",
           .minimum = 1, .maximum = LARGEST,
           .description = "largest attachment that is answered inline"),
  GUARDED ("max-download-bytes", "IMAP_MAX_DOWNLOAD_BYTES", INTEGER, .fallback = "26214400",
           .minimum = 1, .maximum = LARGEST,
           .description = "largest attachment that is saved to a file"),
  GUARDED ("max-extract-bytes", "IMAP_MAX_EXTRACT_BYTES", INTEGER, .fallback = "10485760",
           .minimum = 1, .maximum = 67108864,
           .description = "largest attachment that is read as text, at most 67108864"),
  GUARDED ("attachment-types", "IMAP_ATTACHMENT_TYPES", MEDIA_TYPES, .fallback = DEFAULT_TYPES,
           .description = "media types of attachments that may be fetched, separated by commas"),
  GUARDED ("download-dir", "IMAP_DOWNLOAD_DIR", EXISTING_FOLDER,
           .description = "where attachments are saved; not given: never"),
  GUARDED ("read-only", "IMAP_READ_ONLY", LOCK, .fallback = "true",
           .description = "“false”: the tools that organise mail and save drafts are offered"),
  GUARDED ("allow-tools", "IMAP_ALLOW_TOOLS", TOOLS,
           .description = "only these tools: names, prefixes with “*”, or “essential”"),
  GUARDED ("deny-tools", "IMAP_DENY_TOOLS", TOOLS,
           .description = "not these tools: names or prefixes with “*”"),
  GUARDED ("elicitation", "ELICITATION", BOOLEAN, .fallback = "true",
           .description = "“false”: confirm by a second call instead of asking the person"),
};

static const PostbagConfigRemoved removed[] = {
  { "IMAP_ALLOW_WRITE", "guarded",
    "IMAP_ALLOW_WRITE is no longer there. Remove it, and say IMAP_READ_ONLY=false where mail may "
    "be changed." },
};

guint
postbag_config_table_get_size (void)
{
  return G_N_ELEMENTS (rows);
}

const PostbagConfigRow *
postbag_config_table_get_row (guint index)
{
  g_return_val_if_fail (index < G_N_ELEMENTS (rows), NULL);

  return &rows[index];
}

gboolean
postbag_config_table_find (PostbagConfigScope scope, const char *key, guint *index)
{
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      if (rows[i].scope == scope && strcmp (rows[i].key, key) == 0)
        {
          *index = i;
          return TRUE;
        }
    }
  return FALSE;
}

const char **
postbag_config_table_list_keys (PostbagConfigScope scope)
{
  const char **keys = g_new0 (const char *, G_N_ELEMENTS (rows) + 1);
  gsize used = 0;

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      if (rows[i].scope == scope && (rows[i].flags & POSTBAG_CONFIG_ENVIRONMENT_ONLY) == 0)
        keys[used++] = rows[i].key;
    }
  return keys;
}

const PostbagConfigRemoved *
postbag_config_table_get_removed (gsize *count)
{
  *count = G_N_ELEMENTS (removed);
  return removed;
}
