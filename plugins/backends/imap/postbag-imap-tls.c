/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-imap-tls.h"

/* AddressSanitizer has a heap of its own; trimming the other one breaks its search for leaks. */
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
#define CAN_TRIM
#include <malloc.h>
#endif

#include "base/postbag-error.h"
#include "postbag-imap-pin.h"

/* What the handler of the handshake found. */
typedef struct
{
  const PostbagAccount *account;
  char *explanation; /* (nullable) */
  PostbagFault fault;
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

static gboolean
is_self_signed (GTlsCertificate *certificate)
{
  g_autofree char *subject = g_tls_certificate_get_subject_name (certificate);
  g_autofree char *issuer = g_tls_certificate_get_issuer_name (certificate);

  return subject != NULL && g_strcmp0 (subject, issuer) == 0;
}

static char *
explain_issuer (GTlsCertificate *certificate)
{
  return g_strdup (is_self_signed (certificate)
                       ? "it is self-signed: compare its key with the one the operator names, and "
                         "then name a file with the certificate in POSTBAG_CA_FILE"
                       : "its issuer is not trusted here: install the authority's certificate, or "
                         "name it in POSTBAG_CA_FILE");
}

static char *
explain_names (GTlsCertificate *certificate, const char *host)
{
  g_autofree char *names = list_names (certificate);

  return g_strdup_printf ("it is made out for %s, not for %s: set the host to the name in the "
                          "certificate",
                          names, host);
}

static char *
explain_expiry (GTlsCertificate *certificate)
{
  g_autofree char *date = format_date (certificate, "not-valid-after");

  return g_strdup_printf ("it expired on %s: the server's operator has to renew it (or this "
                          "machine's clock is wrong)",
                          date);
}

static char *
explain_activation (GTlsCertificate *certificate)
{
  g_autofree char *date = format_date (certificate, "not-valid-before");

  return g_strdup_printf ("it is not valid before %s: check this machine's clock", date);
}

char *
postbag_imap_tls_explain (GTlsCertificate *certificate, GTlsCertificateFlags faults,
                          const char *host)
{
  g_autoptr (GPtrArray) list = g_ptr_array_new_with_free_func (g_free);

  if (faults & G_TLS_CERTIFICATE_UNKNOWN_CA)
    g_ptr_array_add (list, explain_issuer (certificate));
  if (faults & G_TLS_CERTIFICATE_BAD_IDENTITY)
    g_ptr_array_add (list, explain_names (certificate, host));
  if (faults & G_TLS_CERTIFICATE_EXPIRED)
    g_ptr_array_add (list, explain_expiry (certificate));
  if (faults & G_TLS_CERTIFICATE_NOT_ACTIVATED)
    g_ptr_array_add (list, explain_activation (certificate));
  if (faults & G_TLS_CERTIFICATE_REVOKED)
    g_ptr_array_add (list, g_strdup ("it was revoked: do not use this server until its operator "
                                     "explains"));
  if (faults & G_TLS_CERTIFICATE_INSECURE)
    g_ptr_array_add (list, g_strdup ("its key or algorithm is too weak: the server's operator has "
                                     "to replace it"));
  if (list->len == 0)
    g_ptr_array_add (list, g_strdup ("it could not be verified"));
  g_ptr_array_add (list, NULL);
  return g_strjoinv ("; ", (char **)list->pdata);
}

char *
postbag_imap_tls_describe (GTlsConnection *connection)
{
  GTlsCertificate *certificate = g_tls_connection_get_peer_certificate (connection);
  gboolean is_newest =
      g_tls_connection_get_protocol_version (connection) == G_TLS_PROTOCOL_VERSION_TLS_1_3;
  g_autofree char *suite = g_tls_connection_get_ciphersuite_name (connection);
  g_autofree char *names = NULL, *until = NULL, *issuer = NULL, *pin = NULL;

  if (certificate == NULL)
    return g_strdup ("no certificate");
  names = list_names (certificate);
  until = format_date (certificate, "not-valid-after");
  issuer = g_tls_certificate_get_issuer_name (certificate);
  pin = postbag_imap_pin_of (certificate);
  return g_strdup_printf ("%s, %s; certificate for %s, valid until %s, issued by %s, key %s",
                          is_newest ? "TLS 1.3" : "TLS 1.2", suite != NULL ? suite : "?", names,
                          until, issuer != NULL ? issuer : "?", pin != NULL ? pin : "?");
}

/* The one that is named of several: who it is for and from comes before when. */
static PostbagFault
choose_fault (GTlsCertificate *certificate, GTlsCertificateFlags faults)
{
  if (faults & G_TLS_CERTIFICATE_REVOKED)
    return POSTBAG_FAULT_CERTIFICATE_REVOKED;
  if (faults & G_TLS_CERTIFICATE_BAD_IDENTITY)
    return POSTBAG_FAULT_CERTIFICATE_NAME;
  if (faults & G_TLS_CERTIFICATE_UNKNOWN_CA)
    return is_self_signed (certificate) ? POSTBAG_FAULT_CERTIFICATE_SELF_SIGNED
                                        : POSTBAG_FAULT_CERTIFICATE_UNTRUSTED;
  if (faults & G_TLS_CERTIFICATE_EXPIRED)
    return POSTBAG_FAULT_CERTIFICATE_EXPIRED;
  if (faults & G_TLS_CERTIFICATE_NOT_ACTIVATED)
    return POSTBAG_FAULT_CERTIFICATE_EARLY;
  return faults & G_TLS_CERTIFICATE_INSECURE ? POSTBAG_FAULT_CERTIFICATE_WEAK
                                             : POSTBAG_FAULT_CERTIFICATE_UNTRUSTED;
}

static gboolean
accept_certificate (GTlsConnection *connection, GTlsCertificate *certificate,
                    GTlsCertificateFlags faults, gpointer data)
{
  Verdict *verdict = data;

  g_free (verdict->explanation);
  verdict->explanation = postbag_imap_tls_explain (certificate, faults, verdict->account->host);
  verdict->fault = choose_fault (certificate, faults);
  if (verdict->account->insecure_tls)
    g_warning ("The certificate of %s is not verified, by configuration: %s",
               verdict->account->host, verdict->explanation);
  return verdict->account->insecure_tls;
}

/* Who may sign: (transfer full) (nullable): %NULL without @error is whoever this system trusts. */
static GTlsDatabase *
open_authorities (const char *ca_file, GError **error)
{
  g_autoptr (GError) local_error = NULL;
  GTlsDatabase *database;

  if (ca_file == NULL)
    return NULL;
  database = g_tls_file_database_new (ca_file, &local_error);
  if (database == NULL)
    postbag_set_fault (error, POSTBAG_ERROR_INVALID_ARGUMENT, POSTBAG_FAULT_TLS_FILE,
                       "The file “%s” in POSTBAG_CA_FILE cannot be used: %s.", ca_file,
                       local_error->message);
  return database;
}

/* The authorities of a system are 4 MiB in a connection, of no use once it is verified: what was
 * taken for them goes back. A server that negotiates again would be refused. */
static void
forget_authorities (GTlsConnection *connection)
{
  g_tls_connection_set_database (connection, NULL);
#ifdef CAN_TRIM
  malloc_trim (0);
#endif
}

/* The database is given with the others, else the system's would be read before it is replaced. */
static GIOStream *
create_client (GIOStream *base, GSocketConnectable *identity, GTlsDatabase *database,
               GError **error)
{
  GType type = g_tls_backend_get_client_connection_type (g_tls_backend_get_default ());

  if (database == NULL)
    return g_tls_client_connection_new (base, identity, error);
  return g_initable_new (type, NULL, error, "base-io-stream", base, "server-identity", identity,
                         "database", database, NULL);
}

/* What we show to a server that asks. */
static gboolean
use_certificate (GTlsConnection *connection, const char *file, GError **error)
{
  g_autoptr (GTlsCertificate) certificate = NULL;
  g_autoptr (GError) local_error = NULL;

  if (file == NULL)
    return TRUE;
  certificate = g_tls_certificate_new_from_file (file, &local_error);
  if (certificate == NULL)
    {
      postbag_set_fault (
          error, POSTBAG_ERROR_INVALID_ARGUMENT, POSTBAG_FAULT_TLS_FILE,
          "The “client-certificate” “%s” cannot be used: %s. It has to hold a certificate "
          "and its key in PEM.",
          file, local_error->message);
      return FALSE;
    }
  g_tls_connection_set_certificate (connection, certificate);
  return TRUE;
}

static gboolean
check_version (GTlsConnection *connection, const char *host, GError **error)
{
  GTlsProtocolVersion version = g_tls_connection_get_protocol_version (connection);

  if (version == G_TLS_PROTOCOL_VERSION_TLS_1_2 || version == G_TLS_PROTOCOL_VERSION_TLS_1_3)
    return TRUE;
  postbag_set_fault (
      error, POSTBAG_ERROR_OFFLINE, POSTBAG_FAULT_NO_TLS,
      "The mail server %s offers no TLS of at least version 1.2. Its operator has to "
      "update it.",
      host);
  return FALSE;
}

/* GnuTLS still takes the common name where a certificate has no other; RFC 9525 (section 2) does
 * not: a common name may be anything. */
static gboolean
check_names (GTlsConnection *connection, const PostbagAccount *account, GError **error)
{
  GTlsCertificate *certificate = g_tls_connection_get_peer_certificate (connection);
  g_autoptr (GPtrArray) names =
      certificate != NULL ? g_tls_certificate_get_dns_names (certificate) : NULL;
  g_autoptr (GPtrArray) addresses =
      certificate != NULL ? g_tls_certificate_get_ip_addresses (certificate) : NULL;

  if (account->insecure_tls || (names != NULL && names->len > 0)
      || (addresses != NULL && addresses->len > 0))
    return TRUE;
  postbag_set_fault (
      error, POSTBAG_ERROR_OFFLINE, POSTBAG_FAULT_CERTIFICATE_NAME,
      "The certificate of the mail server %s is not accepted: it names a host only in its "
      "common name, which does not count: the server's operator has to renew it with a "
      "subject alternative name.",
      account->host);
  return FALSE;
}

static void
fail_handshake (const Verdict *verdict, const GError *cause, GError **error)
{
  const PostbagAccount *account = verdict->account;

  if (verdict->explanation != NULL && !account->insecure_tls)
    postbag_set_fault (error, POSTBAG_ERROR_OFFLINE, verdict->fault,
                       "The certificate of the mail server %s is not accepted: %s.", account->host,
                       verdict->explanation);
  else if (g_error_matches (cause, G_TLS_ERROR, G_TLS_ERROR_CERTIFICATE_REQUIRED))
    postbag_set_fault (error, POSTBAG_ERROR_NEEDS_LOGIN, POSTBAG_FAULT_CERTIFICATE_WANTED,
                       "The mail server %s wants a certificate of ours. Name one in "
                       "“client-certificate”.",
                       account->host);
  else
    postbag_set_fault (error, POSTBAG_ERROR_OFFLINE, POSTBAG_FAULT_TLS,
                       "TLS with the mail server %s:%u failed: %s. %s", account->host,
                       account->port, cause->message,
                       account->tls == POSTBAG_TLS_STARTTLS
                           ? "Its operator has to look at its TLS, which must be 1.2 or newer."
                           : "If it first talks in clear text there, as on port 143, set “tls” to "
                             "starttls; else check the port (993), and that it has TLS 1.2 or "
                             "newer.");
}

/* (transfer full) (nullable) */
static GIOStream *
create_stream (GIOStream *base, const PostbagAccount *account, GError **error)
{
  g_autoptr (GSocketConnectable) identity =
      g_network_address_new (account->host, (guint16)account->port);
  g_autoptr (GTlsDatabase) database = NULL;
  g_autoptr (GIOStream) stream = NULL;

  if (!g_tls_backend_supports_tls (g_tls_backend_get_default ()))
    {
      postbag_set_fault (error, POSTBAG_ERROR_NOT_SUPPORTED, POSTBAG_FAULT_NO_TLS,
                         "This installation has no TLS. Install the package glib-networking.");
      return NULL;
    }
  database = open_authorities (account->ca_file, error);
  if (database == NULL && account->ca_file != NULL)
    return NULL;
  stream = create_client (base, identity, database, error);
  if (stream == NULL
      || !use_certificate (G_TLS_CONNECTION (stream), account->client_certificate, error))
    return NULL;
  return g_steal_pointer (&stream);
}

GIOStream *
postbag_imap_tls_start (GIOStream *base, const PostbagAccount *account, GCancellable *cancellable,
                        GError **error)
{
  g_autoptr (GIOStream) stream = create_stream (base, account, error);
  Verdict verdict = { .account = account };
  g_autoptr (GError) local_error = NULL;
  GTlsConnection *connection;
  gulong handler;
  gboolean is_done;

  if (stream == NULL)
    return NULL;
  connection = G_TLS_CONNECTION (stream);
  handler =
      g_signal_connect (stream, "accept-certificate", G_CALLBACK (accept_certificate), &verdict);
  is_done = g_tls_connection_handshake (connection, cancellable, &local_error);
  g_signal_handler_disconnect (stream, handler);
  if (!is_done && g_cancellable_is_cancelled (cancellable))
    g_propagate_error (error, g_steal_pointer (&local_error));
  else if (!is_done)
    fail_handshake (&verdict, local_error, error);
  g_free (verdict.explanation);
  /* The signal comes only for a certificate that has a fault; a pinned key counts for all. */
  if (!is_done || !check_version (connection, account->host, error)
      || !check_names (connection, account, error)
      || !postbag_imap_pin_check (account->pins, account->host,
                                  g_tls_connection_get_peer_certificate (connection), error))
    return NULL;
  forget_authorities (connection);
  return g_steal_pointer (&stream);
}
