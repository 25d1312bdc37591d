/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-imap-tls.h"

#include "base/postbag-error.h"

/* What the handler of the handshake found. */
typedef struct
{
  gboolean insecure;
  const char *host;
  char *explanation; /* (nullable) */
} Verdict;

static char *
format_date (GTlsCertificate *certificate, const char *property)
{
  g_autoptr (GDateTime) date = NULL;

  g_object_get (certificate, property, &date, NULL);
  return date != NULL ? g_date_time_format (date, "%Y-%m-%d %H:%M UTC") : g_strdup ("?");
}

/* The names a certificate is made out for: (transfer full) */
static char *
list_names (GTlsCertificate *certificate)
{
  g_autoptr (GPtrArray) names = g_tls_certificate_get_dns_names (certificate);
  GString *list = g_string_new (NULL);

  for (guint i = 0; names != NULL && i < names->len && i < 5; i++)
    {
      GBytes *name = g_ptr_array_index (names, i);
      g_autofree char *text =
          g_strndup (g_bytes_get_data (name, NULL), MIN (g_bytes_get_size (name), 100));
      g_autofree char *shown = g_strescape (text, NULL);

      g_string_append_printf (list, "%s%s", i > 0 ? ", " : "", shown);
    }
  if (list->len == 0)
    g_string_append (list, "no name at all");
  return g_string_free (list, FALSE);
}

char *
postbag_imap_tls_explain (GTlsCertificate *certificate, GTlsCertificateFlags faults,
                          const char *host)
{
  g_autofree char *date = NULL;

  if (faults & G_TLS_CERTIFICATE_EXPIRED)
    {
      date = format_date (certificate, "not-valid-after");
      return g_strdup_printf ("it expired on %s: the server's operator has to renew it (or this "
                              "machine's clock is wrong)",
                              date);
    }
  if (faults & G_TLS_CERTIFICATE_NOT_ACTIVATED)
    {
      date = format_date (certificate, "not-valid-before");
      return g_strdup_printf ("it is not valid before %s: check this machine's clock", date);
    }
  if (faults & G_TLS_CERTIFICATE_BAD_IDENTITY)
    {
      g_autofree char *names = list_names (certificate);

      return g_strdup_printf ("it is made out for %s, not for %s: set the host to the name in the "
                              "certificate",
                              names, host);
    }
  if (faults & G_TLS_CERTIFICATE_REVOKED)
    return g_strdup ("it was revoked: do not use this server until its operator explains");
  if (faults & G_TLS_CERTIFICATE_INSECURE)
    return g_strdup ("it uses a broken algorithm: the server's operator has to replace it");
  if (faults & G_TLS_CERTIFICATE_UNKNOWN_CA)
    return g_strdup ("its issuer is not trusted here: install the authority's certificate, or "
                     "name it in POSTBAG_CA_FILE");
  return g_strdup ("it could not be verified");
}

char *
postbag_imap_tls_describe (GTlsConnection *connection)
{
  GTlsCertificate *certificate = g_tls_connection_get_peer_certificate (connection);
  gboolean is_newest =
      g_tls_connection_get_protocol_version (connection) == G_TLS_PROTOCOL_VERSION_TLS_1_3;
  g_autofree char *suite = g_tls_connection_get_ciphersuite_name (connection);
  g_autofree char *names = NULL, *until = NULL, *issuer = NULL;

  if (certificate == NULL)
    return g_strdup ("no certificate");
  names = list_names (certificate);
  until = format_date (certificate, "not-valid-after");
  issuer = g_tls_certificate_get_issuer_name (certificate);
  return g_strdup_printf ("%s, %s; certificate for %s, valid until %s, issued by %s",
                          is_newest ? "TLS 1.3" : "TLS 1.2", suite != NULL ? suite : "?", names,
                          until, issuer != NULL ? issuer : "?");
}

static gboolean
accept_certificate (GTlsConnection *connection, GTlsCertificate *certificate,
                    GTlsCertificateFlags faults, gpointer data)
{
  Verdict *verdict = data;

  g_free (verdict->explanation);
  verdict->explanation = postbag_imap_tls_explain (certificate, faults, verdict->host);
  if (verdict->insecure)
    g_warning ("The certificate of %s is not verified, by configuration: %s", verdict->host,
               verdict->explanation);
  return verdict->insecure;
}

static gboolean
use_authorities (GTlsConnection *connection, const char *ca_file, GError **error)
{
  g_autoptr (GTlsDatabase) database = NULL;
  g_autoptr (GError) local_error = NULL;

  if (ca_file == NULL)
    return TRUE;
  database = g_tls_file_database_new (ca_file, &local_error);
  if (database == NULL)
    {
      g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_INVALID_ARGUMENT,
                   "The file “%s” in POSTBAG_CA_FILE cannot be used: %s.", ca_file,
                   local_error->message);
      return FALSE;
    }
  g_tls_connection_set_database (connection, database);
  return TRUE;
}

static gboolean
check_version (GTlsConnection *connection, const char *host, GError **error)
{
  GTlsProtocolVersion version = g_tls_connection_get_protocol_version (connection);

  if (version == G_TLS_PROTOCOL_VERSION_TLS_1_2 || version == G_TLS_PROTOCOL_VERSION_TLS_1_3)
    return TRUE;
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_OFFLINE,
               "The mail server %s offers no TLS of at least version 1.2. Its operator has to "
               "update it.",
               host);
  return FALSE;
}

static void
fail_handshake (const Verdict *verdict, guint port, const GError *cause, GError **error)
{
  if (verdict->explanation != NULL && !verdict->insecure)
    g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_OFFLINE,
                 "The certificate of the mail server %s is not accepted: %s.", verdict->host,
                 verdict->explanation);
  else
    g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_OFFLINE,
                 "TLS with the mail server %s:%u failed: %s. Check port and TLS mode (993: "
                 "implicit, 143: starttls).",
                 verdict->host, port, cause->message);
}

GIOStream *
postbag_imap_tls_start (GIOStream *base, const char *host, guint port, gboolean insecure,
                        const char *ca_file, GCancellable *cancellable, GError **error)
{
  g_autoptr (GSocketConnectable) identity = g_network_address_new (host, (guint16)port);
  g_autoptr (GIOStream) stream = NULL;
  Verdict verdict = { .insecure = insecure, .host = host };
  g_autoptr (GError) local_error = NULL;
  gulong handler;
  gboolean is_done;

  if (!g_tls_backend_supports_tls (g_tls_backend_get_default ()))
    {
      g_set_error_literal (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_SUPPORTED,
                           "This installation has no TLS. Install the package glib-networking.");
      return NULL;
    }
  stream = g_tls_client_connection_new (base, identity, error);
  if (stream == NULL || !use_authorities (G_TLS_CONNECTION (stream), ca_file, error))
    return NULL;
  handler =
      g_signal_connect (stream, "accept-certificate", G_CALLBACK (accept_certificate), &verdict);
  is_done = g_tls_connection_handshake (G_TLS_CONNECTION (stream), cancellable, &local_error);
  g_signal_handler_disconnect (stream, handler);
  if (!is_done && g_cancellable_is_cancelled (cancellable))
    g_propagate_error (error, g_steal_pointer (&local_error));
  else if (!is_done)
    fail_handshake (&verdict, port, local_error, error);
  g_free (verdict.explanation);
  if (!is_done || !check_version (G_TLS_CONNECTION (stream), host, error))
    return NULL;
  return g_steal_pointer (&stream);
}
