/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Logging in inside TLS at a server whose part of each mechanism is libgsasl's: bound to the
 * connection, with wrong proofs, with iteration counts that nobody should accept. */

#include <glib/gstdio.h>
#include <gsasl.h>
#include <string.h>

#include "base/postbag-error.h"
#include "certificate.h"
#include "postbag-imap-store-private.h"
#include "tls-peer.h"

#define PASSWORD "p\\a\"ss w\303\266rd"

static GTlsCertificate *certificate;
static char *authority_file;

/* What the server does, and what has to come of it. */
typedef struct
{
  const char *name;
  const char *offer;     /* capabilities */
  const char *auth;      /* (nullable): configured */
  const char *mechanism; /* what has to be chosen */
  const char *rounds;    /* (nullable) */
  gboolean other_binding;
  gboolean other_password;
  gboolean other_proof;
  gboolean complains; /* e=… instead of the proof */
  const char *first;  /* (nullable): how the client's first message begins */
  int code;           /* of the error; -1: none */
  const char *words;
} Case;

#define ALL                                                                                        \
  "AUTH=PLAIN AUTH=LOGIN AUTH=CRAM-MD5 AUTH=SCRAM-SHA-1 AUTH=SCRAM-SHA-256 "                       \
  "AUTH=SCRAM-SHA-1-PLUS AUTH=SCRAM-SHA-256-PLUS"

static const Case cases[] = {
  { .name = "strongest",
    .offer = "SASL-IR " ALL,
    .mechanism = "SCRAM-SHA-256-PLUS",
    .first = "p=%b,,n=nora",
    .code = -1 },
  { .name = "without-sasl-ir",
    .offer = ALL,
    .mechanism = "SCRAM-SHA-256-PLUS",
    .first = "p=%b,,n=nora",
    .code = -1 },
  { .name = "sha-1-bound",
    .offer = "SASL-IR AUTH=SCRAM-SHA-256 AUTH=SCRAM-SHA-1-PLUS",
    .mechanism = "SCRAM-SHA-1-PLUS",
    .first = "p=%b,,n=nora",
    .code = -1 },
  { .name = "sha-256",
    .offer = "SASL-IR AUTH=PLAIN AUTH=SCRAM-SHA-1 AUTH=SCRAM-SHA-256",
    .mechanism = "SCRAM-SHA-256",
    .first = "n,,n=nora",
    .code = -1 },
  { .name = "forced-unbound",
    .offer = "SASL-IR " ALL,
    .auth = "scram-sha-256",
    .mechanism = "SCRAM-SHA-256",
    .first = "n,,n=nora",
    .code = -1 },
  { .name = "sha-1", .offer = "auth=scram-sha-1", .mechanism = "SCRAM-SHA-1", .code = -1 },
  { .name = "cram-md5", .offer = "AUTH=PLAIN AUTH=CRAM-MD5", .mechanism = "CRAM-MD5", .code = -1 },
  { .name = "plain", .offer = "SASL-IR AUTH=LOGIN AUTH=PLAIN", .mechanism = "PLAIN", .code = -1 },
  { .name = "plain-forced", .offer = ALL, .auth = "plain", .mechanism = "PLAIN", .code = -1 },
  { .name = "login", .offer = "SASL-IR AUTH=LOGIN AUTH=NTLM", .mechanism = "LOGIN", .code = -1 },

  { .name = "other-binding",
    .offer = "SASL-IR " ALL,
    .mechanism = "SCRAM-SHA-256-PLUS",
    .other_binding = TRUE,
    .code = POSTBAG_ERROR_LOGIN_REFUSED,
    .words = "may end TLS" },
  { .name = "other-password",
    .offer = "SASL-IR AUTH=SCRAM-SHA-256 AUTH=PLAIN",
    .mechanism = "SCRAM-SHA-256",
    .other_password = TRUE,
    .code = POSTBAG_ERROR_LOGIN_REFUSED,
    .words = "auth = plain" },
  { .name = "other-password-cram",
    .offer = "AUTH=CRAM-MD5 AUTH=PLAIN",
    .mechanism = "CRAM-MD5",
    .other_password = TRUE,
    .code = POSTBAG_ERROR_LOGIN_REFUSED,
    .words = "(CRAM-MD5)" },
  { .name = "complaint",
    .offer = "SASL-IR AUTH=SCRAM-SHA-256",
    .mechanism = "SCRAM-SHA-256",
    .complains = TRUE,
    .code = POSTBAG_ERROR_LOGIN_REFUSED,
    .words = "“unknown-user”" },
  { .name = "other-proof",
    .offer = "SASL-IR AUTH=SCRAM-SHA-256",
    .mechanism = "SCRAM-SHA-256",
    .other_proof = TRUE,
    .code = POSTBAG_ERROR_BAD_DATA,
    .words = "does not prove" },
  { .name = "other-proof-sha-1",
    .offer = "SASL-IR AUTH=SCRAM-SHA-1",
    .mechanism = "SCRAM-SHA-1",
    .other_proof = TRUE,
    .code = POSTBAG_ERROR_BAD_DATA,
    .words = "login is wrong" },
  { .name = "least-rounds",
    .offer = "SASL-IR AUTH=SCRAM-SHA-256",
    .mechanism = "SCRAM-SHA-256",
    .rounds = "4096",
    .code = -1 },
  { .name = "too-few-rounds",
    .offer = "SASL-IR AUTH=SCRAM-SHA-256",
    .mechanism = "SCRAM-SHA-256",
    .rounds = "4095",
    .code = POSTBAG_ERROR_BAD_DATA,
    .words = "4095 rounds" },
  { .name = "one-round-too-many",
    .offer = "SASL-IR AUTH=SCRAM-SHA-256",
    .mechanism = "SCRAM-SHA-256",
    .rounds = "600001",
    .code = POSTBAG_ERROR_BAD_DATA,
    .words = "600001 rounds" },
  { .name = "ten-million-rounds",
    .offer = "SASL-IR AUTH=SCRAM-SHA-256",
    .mechanism = "SCRAM-SHA-256",
    .rounds = "10000000",
    .code = POSTBAG_ERROR_BAD_DATA,
    .words = "10000000 rounds" },
};

/* --- the server --- */

static gboolean
is_newest (GTlsConnection *connection)
{
  return g_tls_connection_get_protocol_version (connection) == G_TLS_PROTOCOL_VERSION_TLS_1_3;
}

static void
set_binding (Gsasl_session *session, const Case *facts, GTlsConnection *connection)
{
  g_autoptr (GByteArray) data = g_byte_array_new ();
  g_autofree char *base64 = NULL;

  if (!g_str_has_suffix (facts->mechanism, "-PLUS"))
    return;
  g_assert_true (g_tls_connection_get_channel_binding_data (connection,
                                                            is_newest (connection)
                                                                ? G_TLS_CHANNEL_BINDING_TLS_EXPORTER
                                                                : G_TLS_CHANNEL_BINDING_TLS_UNIQUE,
                                                            data, NULL));
  if (facts->other_binding)
    data->data[0] ^= 1;
  base64 = g_base64_encode (data->data, data->len);
  gsasl_property_set (session, is_newest (connection) ? GSASL_CB_TLS_EXPORTER : GSASL_CB_TLS_UNIQUE,
                      base64);
}

/* One line of the server, changed where the case wants that. */
static char *
twist (const Case *facts, const char *base64)
{
  gsize length;
  g_autofree guchar *bytes = g_base64_decode (base64, &length);

  if (facts->complains && length > 2 && memcmp (bytes, "v=", 2) == 0)
    return g_base64_encode ((const guchar *)"e=unknown-user", 14);
  if (facts->other_proof && length > 3 && memcmp (bytes, "v=", 2) == 0)
    bytes[2] = bytes[2] == 'A' ? 'B' : 'A';
  return g_base64_encode (bytes, length);
}

static void
exchange (TlsTalk *talk, const Case *facts, Gsasl_session *session, char *input)
{
  int result = GSASL_NEEDS_MORE;

  while (input != NULL && strcmp (input, "*") != 0)
    {
      char *output = NULL;
      g_autofree char *sent = NULL, *line = NULL;

      /* The client's empty answer to the proof ends it. */
      if (result == GSASL_OK)
        break;
      result = gsasl_step64 (session, input, &output);
      g_clear_pointer (&input, g_free);
      if (result != GSASL_OK && result != GSASL_NEEDS_MORE)
        break;
      if (result == GSASL_OK && (output == NULL || *output == '\0'))
        {
          gsasl_free (output);
          break;
        }
      sent = twist (facts, output);
      gsasl_free (output);
      line = g_strconcat ("+ ", sent, NULL);
      tls_talk_send (talk, line);
      input = tls_talk_read (talk);
    }
  if (result != GSASL_OK || facts->complains || (input != NULL && strcmp (input, "*") == 0))
    tls_talk_send (talk, "%t NO [AUTHENTICATIONFAILED] no");
  else
    tls_talk_send (talk, "%t OK in");
  g_free (input);
}

/* PLAIN and LOGIN: what the client sent lies in the properties. */
static int
validate (Gsasl *context, Gsasl_session *session, Gsasl_property property)
{
  if (property != GSASL_VALIDATE_SIMPLE)
    return GSASL_NO_CALLBACK;
  return g_strcmp0 (gsasl_property_fast (session, GSASL_AUTHID), "nora") == 0
                 && g_strcmp0 (gsasl_property_fast (session, GSASL_PASSWORD), PASSWORD) == 0
             ? GSASL_OK
             : GSASL_AUTHENTICATION_ERROR;
}

static void
check_first (TlsTalk *talk, const Case *facts, const char *input)
{
  g_autoptr (GString) expected = g_string_new (facts->first);
  g_autofree char *text = NULL;
  gsize length;

  /* meson runs this once more so */
  if (g_getenv ("G_TLS_GNUTLS_PRIORITY") != NULL)
    g_assert_false (is_newest (G_TLS_CONNECTION (talk->stream)));
  if (facts->first == NULL)
    return;
  g_string_replace (expected, "%b",
                    is_newest (G_TLS_CONNECTION (talk->stream)) ? "tls-exporter" : "tls-unique", 0);
  text = (char *)g_base64_decode (input, &length);
  g_assert_cmpint (strncmp (text, expected->str, expected->len), ==, 0);
}

static void
serve (TlsTalk *talk, gpointer data)
{
  const Case *facts = data;
  g_autofree char *greeting = g_strdup_printf ("* OK [CAPABILITY IMAP4rev1 %s] x", facts->offer);
  g_autofree char *command = NULL;
  g_auto (GStrv) words = NULL;
  char *input;
  Gsasl *context;
  Gsasl_session *session;

  tls_talk_send (talk, greeting);
  command = tls_talk_read_command (talk);
  words = g_strsplit (command != NULL ? command : "", " ", -1);
  g_assert_cmpuint (g_strv_length (words), >=, 2);
  g_assert_cmpstr (words[0], ==, "AUTHENTICATE");
  g_assert_cmpstr (words[1], ==, facts->mechanism);
  /* an initial response only where that was announced */
  g_assert_true (words[2] == NULL || strstr (facts->offer, "SASL-IR") != NULL);
  g_assert_cmpint (gsasl_init (&context), ==, GSASL_OK);
  gsasl_callback_set (context, validate);
  g_assert_cmpint (gsasl_server_start (context, facts->mechanism, &session), ==, GSASL_OK);
  gsasl_property_set (session, GSASL_PASSWORD, facts->other_password ? "another" : PASSWORD);
  if (facts->rounds != NULL)
    gsasl_property_set (session, GSASL_SCRAM_ITER, facts->rounds);
  set_binding (session, facts, G_TLS_CONNECTION (talk->stream));
  if (words[2] == NULL
      && (strstr (facts->mechanism, "SCRAM") || !strcmp (facts->mechanism, "PLAIN")))
    {
      tls_talk_send (talk, "+ ");
      input = tls_talk_read (talk);
    }
  else
    input = g_strdup (words[2] != NULL ? words[2] : "");
  check_first (talk, facts, input);
  exchange (talk, facts, session, input);
  gsasl_finish (session);
  gsasl_done (context);
  tls_talk_please (talk);
}

/* --- the client --- */

static void
test_case (gconstpointer data)
{
  const Case *facts = data;
  TlsPeer *peer = tls_peer_new (certificate, NULL, serve, (gpointer)facts);
  g_autoptr (PostbagAccount) account = postbag_account_new ("default", "imap");
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) capabilities = NULL;
  gint64 start = g_get_monotonic_time ();
  PostbagImapStore *store;

  account->host = g_strdup ("localhost");
  account->port = tls_peer_get_port (peer);
  account->user = g_strdup ("nora");
  account->password = g_strdup (PASSWORD);
  account->auth = g_strdup (facts->auth);
  account->ca_file = g_strdup (authority_file);
  store = postbag_imap_store_new (account, NULL);
  capabilities = postbag_imap_store.get_capabilities (store, NULL, &error);
  postbag_imap_store.close (store);
  g_free (tls_peer_free (peer));
  if (error != NULL)
    g_test_message ("%s", error->message);
  if (facts->code < 0)
    g_assert_no_error (error);
  else
    {
      g_assert_error (error, POSTBAG_ERROR, facts->code);
      g_assert_nonnull (strstr (error->message, facts->words));
      g_assert_null (strstr (error->message, "p\\a"));
    }
  g_assert_cmpint (g_get_monotonic_time () - start, <, 5 * G_USEC_PER_SEC);
}

int
main (int argc, char **argv)
{
  const CertificateFacts facts = { "Postbag test authority", NULL, -1, 30, FALSE, TRUE };
  const CertificateFacts server = { "localhost", "localhost", -1, 30, FALSE, FALSE };
  g_autoptr (Certificate) authority = NULL;
  g_autoptr (Certificate) own = NULL;
  g_autofree char *pem = NULL;
  int status, fd;

  g_test_init (&argc, &argv, NULL);
  authority = certificate_new (&facts, NULL);
  own = certificate_new (&server, authority);
  certificate = certificate_to_tls (own);
  pem = certificate_to_pem (authority, FALSE);
  fd = g_file_open_tmp ("postbag-authority-XXXXXX.pem", &authority_file, NULL);
  g_assert_true (fd >= 0 && g_close (fd, NULL)
                 && g_file_set_contents (authority_file, pem, -1, NULL));
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strconcat ("/imap/sasl/", cases[i].name, NULL);

      g_test_add_data_func (path, &cases[i], test_case);
    }
  status = g_test_run ();
  g_unlink (authority_file);
  g_free (authority_file);
  g_object_unref (certificate);
  return status;
}
