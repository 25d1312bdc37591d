/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The rules of each variable of the guarded dialect (contracts/guarded, section 2). */

#include "config-fixture.h"

#include "base/postbag-error.h"

#include <string.h>

#define ACCOUNT "IMAP_HOST=mail.example.org\nIMAP_USER=me\nIMAP_PASSWORD=secret\n"

static void
test_defaults (ConfigFixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *setting;
    const char *value;
  } cases[] = {
    { "mailbox", "INBOX" },
    { "seen-keyword", "AiSeen" },
    { "drafts-mailbox", NULL },
    { "trusted-authserv-id", NULL },
    { "max-messages", "100" },
    { "max-attachment-bytes", "1048576" },
    { "max-download-bytes", "26214400" },
    { "max-extract-bytes", "10485760" },
    { "download-dir", NULL },
    { "read-only", "true" },
    { "allow-tools", NULL },
    { "deny-tools", NULL },
    { "elicitation", "true" },
  };
  const PostbagAccount *account;

  /* Nothing, and empty values, which count as nothing. */
  for (int pass = 0; pass < 2; pass++)
    {
      config_fixture_accept (fixture,
                             pass == 0 ? ACCOUNT
                                       : ACCOUNT
                                 "IMAP_PORT=\nIMAP_TLS=\nIMAP_INSECURE_TLS=\nIMAP_MAILBOX=\n"
                                 "IMAP_DRAFTS_MAILBOX=\nIMAP_TRUSTED_AUTHSERV_ID=\n"
                                 "IMAP_MAX_MESSAGES=\nIMAP_MAX_ATTACHMENT_BYTES=\n"
                                 "IMAP_MAX_DOWNLOAD_BYTES=\nIMAP_MAX_EXTRACT_BYTES=\n"
                                 "IMAP_ATTACHMENT_TYPES= \nIMAP_DOWNLOAD_DIR= \nIMAP_READ_ONLY=\n"
                                 "IMAP_ALLOW_TOOLS= \nIMAP_DENY_TOOLS=\nELICITATION=\n");
      for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
        g_assert_cmpstr (config_fixture_get (fixture, cases[i].setting), ==, cases[i].value);
      account = config_fixture_get_account (fixture, 0);
      g_assert_cmpstr (account->backend, ==, "imap");
      g_assert_cmpuint (account->port, ==, 993);
      g_assert_cmpint (account->tls, ==, POSTBAG_TLS_IMPLICIT);
      g_assert_false (account->insecure_tls);
      g_assert_cmpint (account->may, ==, POSTBAG_MAY_READ);
      g_assert_cmpuint (fixture->warnings->len, ==, 0);
    }
}

/* The default list of content types, as the contract has it. */
static void
test_default_types (ConfigFixture *fixture, gconstpointer data)
{
  const char *const expected[] = {
    "application/pdf",
    "application/json",
    "application/xml",
    "application/zip",
    "application/rtf",
    "application/vnd.oasis.opendocument.text",
    "application/vnd.oasis.opendocument.spreadsheet",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "image/png",
    "image/jpeg",
    "image/gif",
    "image/webp",
    "text/plain",
    "text/csv",
    "text/html",
    "text/calendar",
    NULL,
  };

  for (int pass = 0; pass < 2; pass++)
    {
      config_fixture_accept (fixture, pass == 0 ? NULL : "IMAP_ATTACHMENT_TYPES= , ,");
      g_assert_true (g_strv_equal (
          expected,
          postbag_settings_get_list (postbag_config_get_settings (fixture->config, "guarded"),
                                     "attachment-types")));
    }
}

static void
test_accepted (ConfigFixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *variable;
    const char *setting;
    const char *value;
  } cases[] = {
    { "IMAP_MAILBOX=Archive/2024", "mailbox", "Archive/2024" },
    { "IMAP_MAILBOX=Entw\xc3\xbcrfe\tx", "mailbox", "Entw\xc3\xbcrfe\tx" },
    { "IMAP_SEEN_KEYWORD=$A_b.c-9", "seen-keyword", "$A_b.c-9" },
    { "IMAP_SEEN_KEYWORD=", "seen-keyword", NULL },
    { "IMAP_SEEN_KEYWORD= ", "seen-keyword", NULL },
    { "IMAP_DRAFTS_MAILBOX=My drafts", "drafts-mailbox", "My drafts" },
    { "IMAP_TRUSTED_AUTHSERV_ID= mx.Example.org ", "trusted-authserv-id", "mx.Example.org" },
    { "IMAP_MAX_MESSAGES=1", "max-messages", "1" },
    { "IMAP_MAX_MESSAGES=200", "max-messages", "200" },
    { "IMAP_MAX_MESSAGES=201", "max-messages", "200" }, /* the hard cap of a page */
    { "IMAP_MAX_MESSAGES=9223372036854775807", "max-messages", "200" },
    { "IMAP_MAX_EXTRACT_BYTES=67108864", "max-extract-bytes", "67108864" },
    { "IMAP_MAX_DOWNLOAD_BYTES=1", "max-download-bytes", "1" },
    { "IMAP_ATTACHMENT_TYPES=Text/Plain, image/PNG,,text/plain", "attachment-types",
      "text/plain,image/png" },
    { "IMAP_DOWNLOAD_DIR=/usr/../usr/", "download-dir", "/usr" },
    { "IMAP_READ_ONLY=false", "read-only", "false" },
    { "IMAP_READ_ONLY=False", "read-only", "true" },
    { "IMAP_READ_ONLY= false", "read-only", "true" },
    { "IMAP_READ_ONLY=0", "read-only", "true" },
    { "IMAP_READ_ONLY=no", "read-only", "true" },
    { "ELICITATION= FALSE ", "elicitation", "false" },
    { "ELICITATION=True", "elicitation", "true" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      config_fixture_accept (fixture, cases[i].variable);
      g_assert_cmpstr (config_fixture_get (fixture, cases[i].setting), ==, cases[i].value);
    }
}

/* What is lowered to the maximum is said. */
static void
test_lowered (ConfigFixture *fixture, gconstpointer data)
{
  config_fixture_accept (fixture, "IMAP_MAX_MESSAGES=200");
  g_assert_false (config_fixture_has_warning (fixture, "IMAP_MAX_MESSAGES"));
  config_fixture_accept (fixture, "IMAP_MAX_MESSAGES=201");
  g_assert_true (config_fixture_has_warning (fixture, "IMAP_MAX_MESSAGES"));
}

static void
test_accepted_account (ConfigFixture *fixture, gconstpointer data)
{
  const PostbagAccount *account;

  config_fixture_accept (fixture, ACCOUNT "IMAP_TLS=starttls");
  account = config_fixture_get_account (fixture, 0);
  g_assert_cmpstr (account->name, ==, "default");
  g_assert_cmpstr (account->host, ==, "mail.example.org");
  g_assert_cmpstr (account->user, ==, "me");
  g_assert_cmpstr (account->password, ==, "secret");
  g_assert_cmpint (account->tls, ==, POSTBAG_TLS_STARTTLS);
  g_assert_cmpuint (account->port, ==, 143);
  config_fixture_accept (fixture, ACCOUNT "IMAP_TLS=starttls\nIMAP_PORT=65535\n"
                                          "IMAP_INSECURE_TLS=true\nIMAP_MAILBOX=Inner");
  account = config_fixture_get_account (fixture, 0);
  g_assert_cmpuint (account->port, ==, 65535);
  g_assert_true (account->insecure_tls);
  g_assert_true (config_fixture_has_warning (fixture, "IMAP_INSECURE_TLS"));
  g_assert_cmpstr (account->mailbox, ==, "Inner");
  config_fixture_accept (fixture, ACCOUNT "IMAP_INSECURE_TLS=TRUE");
  g_assert_false (config_fixture_get_account (fixture, 0)->insecure_tls);
  g_assert_true (config_fixture_has_warning (fixture, "IMAP_INSECURE_TLS"));
}

static void
test_hosts (ConfigFixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *written;
    const char *host;
  } cases[] = {
    { "127.0.0.1", "127.0.0.1" },
    { "my_host.local", "my_host.local" },
    { "::1", "::1" },
    { "[2001:db8::25]", "2001:db8::25" },
    { " mail.example.org ", "mail.example.org" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *variables =
          g_strdup_printf ("IMAP_USER=me\nIMAP_PASSWORD=secret\nIMAP_HOST=%s", cases[i].written);

      config_fixture_accept (fixture, variables);
      g_assert_cmpstr (config_fixture_get_account (fixture, 0)->host, ==, cases[i].host);
    }
}

#define X63 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
#define X254 X63 "." X63 "." X63 "." X63 "ab"

/* Each is refused, names the variable and what is wrong, and does not say the value. */
static const struct
{
  const char *name;
  const char *value;
  const char *part;
} refused[] = {
  { "IMAP_HOST", "https://mail.example.org", "24 characters" },
  { "IMAP_HOST", "mail.example.org:993", "20 characters" },
  { "IMAP_HOST", "me@mail.example.org", "19 characters" },
  { "IMAP_HOST", "mail example org", "16 characters" },
  { "IMAP_HOST", "[mail.example.org]", "18 characters" },
  { "IMAP_HOST", "2001:db8::25::1", "15 characters" },
  { "IMAP_HOST", "m\xc3\xa4il.example", "12 characters" },
  { "IMAP_HOST", X254, "of at most 253 characters" },
  { "IMAP_USER", "me\tyou", "one line" },
  { "IMAP_USER", "me\xff", "UTF-8" },
  { "IMAP_PORT", "0", "from 1 to 65535" },
  { "IMAP_PORT", "65536", "from 1 to 65535. What is there has 5 characters" },
  { "IMAP_PORT", "-1", "from 1 to 65535" },
  { "IMAP_PORT", "imaps", "from 1 to 65535" },
  { "IMAP_PORT", "993.0", "from 1 to 65535" },
  { "IMAP_PORT", "0x3e1", "from 1 to 65535" },
  { "IMAP_TLS", "ssl", "“implicit”, “starttls”, “none”" },
  { "IMAP_TLS", "Implicit", "“implicit”, “starttls”, “none”" },
  { "IMAP_MAILBOX", "a\x1b[0m", "control characters" },
  { "IMAP_MAILBOX", "a\xc2\x9b", "control characters" },
  { "IMAP_MAILBOX", "a%", "control characters" },
  { "IMAP_MAILBOX", "INBOX*", "control characters" },
  { "IMAP_MAILBOX", X254 "ab", "at most 255 characters" },
  { "IMAP_DRAFTS_MAILBOX", "a*b", "control characters" },
  { "POSTBAG_TRASH_MAILBOX", "a*b", "control characters" },
  { "IMAP_SEEN_KEYWORD", "a b", "letters, digits" },
  { "IMAP_SEEN_KEYWORD", "\\Seen", "letters, digits" },
  { "IMAP_SEEN_KEYWORD", X63 "xx", "at most 64 letters" },
  { "IMAP_TRUSTED_AUTHSERV_ID", "mx example", "shaped like a host name" },
  { "IMAP_TRUSTED_AUTHSERV_ID", X254, "of at most 253" },
  { "IMAP_MAX_MESSAGES", "0", "a whole number" },
  { "IMAP_MAX_MESSAGES", "-5", "a whole number" },
  { "IMAP_MAX_MESSAGES", "many", "a whole number" },
  { "IMAP_MAX_MESSAGES", "1e2", "a whole number" },
  { "IMAP_MAX_MESSAGES", "1.5", "a whole number" },
  { "IMAP_MAX_ATTACHMENT_BYTES", "0", "a whole number" },
  { "IMAP_MAX_ATTACHMENT_BYTES", "1MB", "a whole number" },
  { "IMAP_MAX_DOWNLOAD_BYTES", "99999999999999999999", "a whole number" },
  { "IMAP_MAX_EXTRACT_BYTES", "67108865", "from 1 to 67108864" },
  { "IMAP_ATTACHMENT_TYPES", "text/plain,pdf,image/png", "entry number 2" },
  { "IMAP_ATTACHMENT_TYPES", "*/*", "entry number 1" },
  { "IMAP_ATTACHMENT_TYPES", "text/plain;x=y", "entry number 1" },
  { "IMAP_ATTACHMENT_TYPES", "a/b/c", "entry number 1" },
  { "IMAP_DOWNLOAD_DIR", "/nonexistent/x", "folder that exists" },
  { "POSTBAG_ADDRESS", "Ann <ann@example.org>", "mail address" },
  { "POSTBAG_ADDRESS", "ann@localhost", "mail address" },
  { "POSTBAG_ADDRESS", "ann@example.org, bob@example.org", "mail address" },
  { "IMAP_DOWNLOAD_DIR", "/etc/passwd", "folder that exists" },
  { "ELICITATION", "yes", "“true” or “false”" },
  { "ELICITATION", "1", "“true” or “false”" },
  { "POSTBAG_CA_FILE", "/nonexistent/x", "file that exists" },
  { "POSTBAG_VALIDATE_RESULTS", "sometimes", "“true” or “false”" },
  { "POSTBAG_TOOLSET", "guarded,../x", "entry number 2" },
  { "POSTBAG_TOOLSET", ",", "at least one name" },
  { "POSTBAG_ALLOW_CLEARTEXT", "a b", "entry number 1" },
};

static void
test_refused (ConfigFixture *fixture, gconstpointer data)
{
  for (gsize i = 0; i < G_N_ELEMENTS (refused); i++)
    {
      g_autofree char *variable = g_strdup_printf ("%s=%s", refused[i].name, refused[i].value);

      config_fixture_refuse (fixture, variable, refused[i].part);
      g_assert_true (g_str_has_prefix (fixture->error->message, refused[i].name));
      g_assert_error (fixture->error, POSTBAG_ERROR, POSTBAG_ERROR_INVALID_ARGUMENT);
      /* Values shorter than this stand in the explanations by chance. */
      if (strlen (refused[i].value) > 6)
        g_assert_null (strstr (fixture->error->message, refused[i].value));
    }
}

static void
test_too_long (ConfigFixture *fixture, gconstpointer data)
{
  g_autofree char *value = g_strnfill (4097, 'a');
  g_autofree char *variable = g_strconcat ("IMAP_USER=", value, NULL);

  config_fixture_refuse (fixture, variable, "at most 4096 bytes");
}

/* --- what depends on two values --- */

static void
test_cleartext (ConfigFixture *fixture, gconstpointer data)
{
  static const char *const fine[] = {
    "IMAP_HOST=localhost",
    "IMAP_HOST=127.1.2.3",
    "IMAP_HOST=[::1]",
    "IMAP_HOST=mail.lan\nPOSTBAG_ALLOW_CLEARTEXT=other.lan, Mail.LAN",
  };
  static const char *const wrong[] = {
    "IMAP_HOST=mail.lan",
    "IMAP_HOST=localhost.example.org",
    "IMAP_HOST=128.0.0.1",
    "IMAP_HOST=mail.lan\nPOSTBAG_ALLOW_CLEARTEXT=other.lan",
  };
  const char *rest = "\nIMAP_TLS=none\nIMAP_USER=me\nIMAP_PASSWORD=secret";

  for (gsize i = 0; i < G_N_ELEMENTS (fine); i++)
    {
      g_autofree char *variables = g_strconcat (fine[i], rest, NULL);

      config_fixture_accept (fixture, variables);
      g_assert_cmpint (config_fixture_get_account (fixture, 0)->tls, ==, POSTBAG_TLS_NONE);
      g_assert_cmpuint (config_fixture_get_account (fixture, 0)->port, ==, 143);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autofree char *variables = g_strconcat (wrong[i], rest, NULL);

      config_fixture_refuse (fixture, variables, "POSTBAG_ALLOW_CLEARTEXT");
    }
}

#define ADD(path, function)                                                                        \
  g_test_add (path, ConfigFixture, NULL, config_fixture_set_up, function, config_fixture_tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("/config/values/defaults", test_defaults);
  ADD ("/config/values/default-types", test_default_types);
  ADD ("/config/values/accepted", test_accepted);
  ADD ("/config/values/lowered", test_lowered);
  ADD ("/config/values/accepted-account", test_accepted_account);
  ADD ("/config/values/hosts", test_hosts);
  ADD ("/config/values/refused", test_refused);
  ADD ("/config/values/too-long", test_too_long);
  ADD ("/config/values/cleartext", test_cleartext);
  return g_test_run ();
}
