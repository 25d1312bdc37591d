/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Certificates with each fault, pinned keys, and what becomes of what a server says in clear. */

#include <glib/gstdio.h>
#include <string.h>

#include "base/postbag-error.h"
#include "certificate.h"
#include "postbag-imap-pin.h"
#include "postbag-imap-store-private.h"
#include "tls-peer.h"

static Certificate *authority;
static Certificate *good;
static char *authority_file;

static PostbagAccount *
create_account (TlsPeer *peer)
{
  PostbagAccount *account = postbag_account_new ("default", "imap");

  account->host = g_strdup ("localhost");
  account->port = tls_peer_get_port (peer);
  account->user = g_strdup ("nora");
  account->password = g_strdup ("sesame");
  account->ca_file = g_strdup (authority_file);
  return account;
}

static void
greet (TlsTalk *talk, gpointer data)
{
  tls_talk_send (talk, data != NULL ? (const char *)data : "* OK [CAPABILITY IMAP4rev1] hello");
  tls_talk_please (talk);
}

/* (transfer full): the error, or %NULL; @log: what came inside TLS */
static GError *
try (TlsPeer *peer, PostbagAccount *account, char **log)
{
  PostbagImapStore *store = postbag_imap_store_new (account, NULL);
  GError *error = NULL;
  g_auto (GStrv) capabilities = postbag_imap_store.get_capabilities (store, NULL, &error);

  if (error == NULL)
    g_assert_true (g_strv_contains ((const char *const *)capabilities, "X-INSIDE"));
  postbag_imap_store.close (store);
  postbag_account_free (account);
  *log = tls_peer_free (peer);
  if (error != NULL)
    g_test_message ("%s", error->message);
  return error;
}

static void
assert_refused (TlsPeer *peer, PostbagAccount *account, int code, const char *words)
{
  g_autofree char *log = NULL;
  g_autoptr (GError) error = try (peer, account, &log);

  g_assert_error (error, POSTBAG_ERROR, code);
  g_assert_nonnull (strstr (error->message, words));
  g_assert_null (strstr (log, "sesame"));
  g_assert_null (strstr (log, "nora"));
}

static void
assert_accepted (TlsPeer *peer, PostbagAccount *account)
{
  g_autofree char *log = NULL;
  g_autoptr (GError) error = try (peer, account, &log);

  g_assert_no_error (error);
  g_assert_nonnull (strstr (log, "LOGIN \"nora\" \"sesame\""));
}

static TlsPeer *
create_peer (const Certificate *certificate, gpointer greeting)
{
  g_autoptr (GTlsCertificate) tls = certificate_to_tls (certificate);

  return tls_peer_new (tls, NULL, greet, greeting);
}

/* --- certificates --- */

typedef struct
{
  const char *name;
  CertificateFacts facts;
  gboolean is_self_signed;
  const char *words[2];
} Fault;

static const Fault faults[] = {
  { "expired",
    { "x", "localhost", -30, -2, FALSE, FALSE },
    FALSE,
    { "it expired on 20", "renew" } },
  { "not-yet-valid",
    { "x", "localhost", 2, 30, FALSE, FALSE },
    FALSE,
    { "it is not valid before 20", "clock" } },
  { "wrong-name",
    { "x", "mail.example.org", -1, 30, FALSE, FALSE },
    FALSE,
    { "made out for mail.example.org, not for localhost", "set the host" } },
  { "wide-wildcard", { "x", "*", -1, 30, FALSE, FALSE }, FALSE, { "made out for *", "" } },
  { "self-signed",
    { "x", "localhost", -1, 30, FALSE, FALSE },
    TRUE,
    { "it is self-signed", "POSTBAG_CA_FILE" } },
  { "weak",
    { "x", "localhost", -1, 30, TRUE, FALSE },
    FALSE,
    { "too weak", "operator has to replace it" } },
  { "only-a-common-name",
    { "localhost", NULL, -1, 30, FALSE, FALSE },
    FALSE,
    { "only in its common name", "subject alternative name" } },
  { "two-faults",
    { "x", "mail.example.org", -30, -2, FALSE, FALSE },
    FALSE,
    { "made out for mail.example.org", "expired" } },
};

static void
test_fault (gconstpointer data)
{
  const Fault *fault = data;
  g_autoptr (Certificate) certificate =
      certificate_new (&fault->facts, fault->is_self_signed ? NULL : authority);

  for (guint i = 0; i < G_N_ELEMENTS (fault->words); i++)
    {
      TlsPeer *peer = create_peer (certificate, NULL);

      assert_refused (peer, create_account (peer), POSTBAG_ERROR_OFFLINE, fault->words[i]);
    }
}

static void
test_good (void)
{
  TlsPeer *peer = create_peer (good, NULL);

  assert_accepted (peer, create_account (peer));
}

static void
test_unknown_authority (void)
{
  const CertificateFacts facts = { "Another authority", NULL, -1, 30, FALSE, TRUE };
  const CertificateFacts server = { "x", "localhost", -1, 30, FALSE, FALSE };
  g_autoptr (Certificate) other = certificate_new (&facts, NULL);
  g_autoptr (Certificate) certificate = certificate_new (&server, other);
  TlsPeer *peer = create_peer (certificate, NULL);

  assert_refused (peer, create_account (peer), POSTBAG_ERROR_OFFLINE, "its issuer is not trusted");
}

/* It may be revoked: its issuer wants nobody to trust it without a word of its own. */
static void
test_must_staple (void)
{
  const CertificateFacts facts = { "x", "localhost", -1, 30, FALSE, FALSE, TRUE };
  g_autoptr (Certificate) certificate = certificate_new (&facts, authority);
  TlsPeer *peer = create_peer (certificate, NULL);

  assert_refused (peer, create_account (peer), POSTBAG_ERROR_OFFLINE, "could not be verified");
}

/* --- pinned keys --- */

#define NO_PIN "sha256:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

static char *
get_pin (const Certificate *certificate)
{
  g_autoptr (GTlsCertificate) tls = certificate_to_tls (certificate);

  return postbag_imap_pin_of (tls);
}

static void
test_pin (void)
{
  g_autofree char *pin = get_pin (good);
  TlsPeer *peer = create_peer (good, NULL);
  PostbagAccount *account = create_account (peer);

  account->pins = g_strdup_printf (NO_PIN ",%s", pin);
  assert_accepted (peer, account);
  peer = create_peer (good, NULL);
  account = create_account (peer);
  account->pins = g_strdup (NO_PIN);
  assert_refused (peer, account, POSTBAG_ERROR_OFFLINE, pin);
}

/* The right key does not mend a certificate; without the check of certificates it still counts. */
static void
test_pin_and_certificate (void)
{
  g_autoptr (Certificate) self_signed = certificate_new (&faults[4].facts, NULL);
  g_autofree char *pin = get_pin (self_signed);
  TlsPeer *peer = create_peer (self_signed, NULL);
  PostbagAccount *account = create_account (peer);

  account->pins = g_strdup (pin);
  assert_refused (peer, account, POSTBAG_ERROR_OFFLINE, "self-signed");
  for (int right = 0; right < 2; right++)
    {
      peer = create_peer (self_signed, NULL);
      account = create_account (peer);
      account->insecure_tls = TRUE;
      account->pins = g_strdup (right ? pin : NO_PIN);
      g_test_expect_message (NULL, G_LOG_LEVEL_WARNING, "*not verified, by configuration*");
      if (right)
        assert_accepted (peer, account);
      else
        assert_refused (peer, account, POSTBAG_ERROR_OFFLINE, pin);
      g_test_assert_expected_messages ();
    }
}

/* A fixed certificate, whose digest openssl computed. */
static void
test_pin_value (void)
{
  static const char pem[] = "-----BEGIN CERTIFICATE-----\n"
                            "MIIBizCCATGgAwIBAgIUJuczzGStrpKb4gaPvWXTjdX4MbMwCgYIKoZIzj0EAwIw\n"
                            "GzEZMBcGA1UEAwwQbWFpbC5leGFtcGxlLm9yZzAeFw0yNjExMzAxNTUyMzdaFw0z\n"
                            "NjExMjcxNTUyMzdaMBsxGTAXBgNVBAMMEG1haWwuZXhhbXBsZS5vcmcwWTATBgcq\n"
                            "hkjOPQIBBggqhkjOPQMBBwNCAATopaB++uerEkOzua9BtkEEKL3iatNEOUykcQH0\n"
                            "TJYMK3FaTQX21OLfx5XiO8KmMHe4UFizGIG39mfeiUYSHctmo1MwUTAdBgNVHQ4E\n"
                            "FgQUyP93CbqNYD9ARq8jx4KLKukP/akwHwYDVR0jBBgwFoAUyP93CbqNYD9ARq8j\n"
                            "x4KLKukP/akwDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiEAn7ir\n"
                            "njsA/XD/rUMKKcv2SbTXFBH1gg7zuYmIxzIL3bsCID8hxedguYz8jfQ31h/OFJZC\n"
                            "eZhhlP4kTt42jg2tLvAM\n"
                            "-----END CERTIFICATE-----\n";
  g_autoptr (GTlsCertificate) certificate = g_tls_certificate_new_from_pem (pem, -1, NULL);
  g_autofree char *pin = NULL;

  g_assert_nonnull (certificate);
  pin = postbag_imap_pin_of (certificate);
  g_assert_cmpstr (pin, ==, "sha256:QpMy9veLM8jLBgOuw7vfZVd7BycH+PB/s8P+dAk8oYU=");
}

/* --- a certificate of ours --- */

static void
test_external (void)
{
  const CertificateFacts facts = { "nora", NULL, -1, 30, FALSE, FALSE };
  g_autoptr (Certificate) ours = certificate_new (&facts, authority);
  g_autofree char *pem = certificate_to_pem (ours, TRUE);
  g_autofree char *path = g_build_filename (g_get_tmp_dir (), "postbag-test-ours.pem", NULL);
  TlsPeer *peer = create_peer (
      good, (gpointer) "* OK [CAPABILITY IMAP4rev1 SASL-IR AUTH=PLAIN AUTH=EXTERNAL] x");
  PostbagAccount *account = create_account (peer);
  g_autofree char *log = NULL;
  g_autoptr (GError) error = NULL;

  tls_peer_ask_certificate (peer);
  g_assert_true (g_file_set_contents (path, pem, -1, NULL));
  account->client_certificate = g_strdup (path);
  account->auth = g_strdup ("external");
  g_clear_pointer (&account->password, g_free);
  error = try (peer, account, &log);
  g_assert_no_error (error);
  /* printf nora | base64 */
  g_assert_nonnull (strstr (log, "AUTHENTICATE EXTERNAL bm9yYQ==\n"));
  g_unlink (path);
}

/* --- STARTTLS: what was said in clear is forgotten --- */

static void
answer_capability (TlsTalk *talk, gpointer data)
{
  char *command;

  while ((command = tls_talk_read_command (talk)) != NULL)
    {
      if (g_str_has_prefix (command, "CAPABILITY"))
        tls_talk_send (talk, data);
      tls_talk_send (talk, "%t OK fine");
      g_free (command);
    }
}

/* Appendix C 8 and 9: LOGINDISABLED stays inside; the mechanisms are others inside. */
static void
test_asked_again (void)
{
  static const char *const in_clear[] = {
    "* OK [CAPABILITY IMAP4rev1 STARTTLS AUTH=PLAIN AUTH=CRAM-MD5] hello", "%t OK go on", NULL
  };
  static const struct
  {
    const char *inside;
    const char *words;
  } cases[] = {
    { "* CAPABILITY IMAP4rev1 LOGINDISABLED", "nothing, with LOGIN disabled" },
    { "* CAPABILITY IMAP4rev1 LOGINDISABLED AUTH=GSSAPI", "“GSSAPI”" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GTlsCertificate) tls = certificate_to_tls (good);
      TlsPeer *peer = tls_peer_new (tls, in_clear, answer_capability, (gpointer)cases[i].inside);
      PostbagAccount *account = create_account (peer);
      g_autofree char *log = NULL;
      g_autoptr (GError) error = NULL;

      account->tls = POSTBAG_TLS_STARTTLS;
      error = try (peer, account, &log);
      g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_SUPPORTED);
      g_assert_nonnull (strstr (error->message, cases[i].words));
      g_assert_nonnull (strstr (log, "CAPABILITY"));
      g_assert_null (strstr (log, "AUTHENTICATE"));
    }
}

/* The mechanisms announced inside are what counts. */
static void
test_other_mechanisms_inside (void)
{
  static const char *const in_clear[] = {
    "* OK [CAPABILITY IMAP4rev1 STARTTLS LOGINDISABLED AUTH=CRAM-MD5] hello", "%t OK go on", NULL
  };
  g_autoptr (GTlsCertificate) tls = certificate_to_tls (good);
  TlsPeer *peer = tls_peer_new (tls, in_clear, answer_capability,
                                (gpointer) "* CAPABILITY IMAP4rev1 SASL-IR AUTH=PLAIN X-INSIDE");
  PostbagAccount *account = create_account (peer);
  g_autofree char *log = NULL;
  g_autoptr (GError) error = NULL;

  account->tls = POSTBAG_TLS_STARTTLS;
  error = try (peer, account, &log);
  g_assert_no_error (error);
  /* printf '\0nora\0sesame' | base64; then the capabilities are asked for again */
  g_assert_nonnull (strstr (log, "AUTHENTICATE PLAIN AG5vcmEAc2VzYW1l\nc"));
  g_assert_nonnull (strstr (strstr (log, "AUTHENTICATE"), "CAPABILITY"));
}

/* --- cut off without a goodbye --- */

/* Where the connection is cut: behind what was sent of the answer to FETCH. */
static const char *const cuts[] = {
  "* 1 FETCH (UID 9 RFC822.SIZE 5 BODY[]<0> {5}\r\nhe",
  "* 1 FETCH (UID 9 RFC822.SIZE 5 BODY[]<0> \"hel",
  "* 1 FETCH (UID 9 RFC822.SIZE 5 BODY[]<0> \"hello\")\r\n",
  "",
};

static void
send_raw (TlsTalk *talk, const char *text)
{
  g_output_stream_write_all (g_io_stream_get_output_stream (talk->stream), text, strlen (text),
                             NULL, NULL, NULL);
}

/* TLS tells an end that somebody in between made from one that the server meant (RFC 8446 section
 * 6.1): the socket is shut without close_notify. */
static void
cut_off (TlsTalk *talk, gpointer data)
{
  g_autoptr (GIOStream) base = NULL;
  char *command;

  tls_talk_send (talk, "* OK [CAPABILITY IMAP4rev1] hello");
  while ((command = tls_talk_read_command (talk)) != NULL)
    {
      gboolean is_fetch = g_str_has_prefix (command, "UID FETCH");

      if (g_str_has_prefix (command, "CAPABILITY"))
        tls_talk_send (talk, "* CAPABILITY IMAP4rev1 X-INSIDE");
      if (g_str_has_prefix (command, "EXAMINE"))
        tls_talk_send (talk, "* OK [UIDVALIDITY 7] x");
      g_free (command);
      if (is_fetch)
        break;
      tls_talk_send (talk, "%t OK fine");
    }
  send_raw (talk, data);
  g_object_get (talk->stream, "base-io-stream", &base, NULL);
  g_socket_shutdown (g_socket_connection_get_socket (G_SOCKET_CONNECTION (base)), TRUE, TRUE, NULL);
}

/* A message of which the answer was not finished is no message, whatever came of it. */
static void
test_cut_off (gconstpointer data)
{
  static const PostbagImapTimes times = {
    .connect = 1000, .silence = 1000, .request = 2000, .idle = 60000
  };
  g_autoptr (GTlsCertificate) tls = certificate_to_tls (good);
  TlsPeer *peer = tls_peer_new (tls, NULL, cut_off, (gpointer)data);
  PostbagAccount *account = create_account (peer);
  PostbagImapStore *store = postbag_imap_store_new (account, &times);
  g_autoptr (GError) error = NULL;
  g_autofree char *log = NULL;

  g_assert_null (postbag_imap_store.fetch_message (store, "INBOX", 9, 1024, NULL, &error));
  g_test_message ("%s", error->message);
  /* Asked again once; nobody is there then. */
  g_assert_true (g_error_matches (error, POSTBAG_ERROR, POSTBAG_ERROR_OFFLINE)
                 || g_error_matches (error, POSTBAG_ERROR, POSTBAG_ERROR_TIMED_OUT));
  postbag_imap_store.close (store);
  postbag_account_free (account);
  log = tls_peer_free (peer);
  g_assert_nonnull (strstr (log, "UID FETCH 9"));
}

static void
set_up (void)
{
  const CertificateFacts facts = { "Postbag test authority", NULL, -1, 30, FALSE, TRUE };
  const CertificateFacts server = { "localhost", "localhost", -1, 30, FALSE, FALSE };
  g_autofree char *pem = NULL;
  int fd = g_file_open_tmp ("postbag-authority-XXXXXX.pem", &authority_file, NULL);

  g_assert_cmpint (fd, >=, 0);
  g_close (fd, NULL);
  authority = certificate_new (&facts, NULL);
  good = certificate_new (&server, authority);
  pem = certificate_to_pem (authority, FALSE);
  g_assert_true (g_file_set_contents (authority_file, pem, -1, NULL));
}

static void
tear_down (void)
{
  g_unlink (authority_file);
  g_free (authority_file);
  certificate_free (authority);
  certificate_free (good);
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  set_up ();
  for (gsize i = 0; i < G_N_ELEMENTS (faults); i++)
    {
      g_autofree char *path = g_strconcat ("/imap/tls/", faults[i].name, NULL);

      g_test_add_data_func (path, &faults[i], test_fault);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (cuts); i++)
    {
      g_autofree char *path = g_strdup_printf ("/imap/tls/cut-off/%" G_GSIZE_FORMAT, i);

      g_test_add_data_func (path, cuts[i], test_cut_off);
    }
  g_test_add_func ("/imap/tls/good", test_good);
  g_test_add_func ("/imap/tls/must-staple", test_must_staple);
  g_test_add_func ("/imap/tls/unknown-authority", test_unknown_authority);
  g_test_add_func ("/imap/tls/pin", test_pin);
  g_test_add_func ("/imap/tls/pin-and-certificate", test_pin_and_certificate);
  g_test_add_func ("/imap/tls/pin-value", test_pin_value);
  g_test_add_func ("/imap/tls/external", test_external);
  g_test_add_func ("/imap/tls/asked-again", test_asked_again);
  g_test_add_func ("/imap/tls/other-mechanisms-inside", test_other_mechanisms_inside);
  status = g_test_run ();
  tear_down ();
  return status;
}
