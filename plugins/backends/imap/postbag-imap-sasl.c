/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-imap-sasl.h"

#include <gsasl.h>
#include <string.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "base/postbag-text.h"
#include "postbag-imap-oauth.h"
#include "safety/postbag-clean.h"

struct _PostbagImapSasl
{
  const PostbagImapMechanism *mechanism;
  Gsasl *context; /* (nullable): the mechanisms of OAuth have none */
  Gsasl_session *session;
  GBytes *token_message; /* (nullable) */
  guint challenges;
  char *complaint; /* (nullable): quoted */
  gboolean is_complete;
};

/* --- channel binding --- */

typedef struct
{
  GTlsChannelBindingType type;
  Gsasl_property property;
} Binding;

/* TLS 1.3 has tls-exporter (RFC 9266) and no tls-unique; what servers expect with TLS 1.2 is
 * tls-unique (RFC 5929). libgsasl knows no tls-server-end-point. */
static const Binding bindings[] = {
  { G_TLS_CHANNEL_BINDING_TLS_EXPORTER, GSASL_CB_TLS_EXPORTER },
  { G_TLS_CHANNEL_BINDING_TLS_UNIQUE, GSASL_CB_TLS_UNIQUE },
};

/* What the connection is bound by, in base64: (transfer full) (nullable) */
static char *
get_binding (GIOStream *stream, Gsasl_property *property)
{
  g_autoptr (GByteArray) data = g_byte_array_new ();
  const Binding *binding;
  GTlsConnection *connection;

  if (stream == NULL || !G_IS_TLS_CONNECTION (stream))
    return NULL;
  connection = G_TLS_CONNECTION (stream);
  binding = &bindings[g_tls_connection_get_protocol_version (connection)
                      < G_TLS_PROTOCOL_VERSION_TLS_1_3];
  if (!g_tls_connection_get_channel_binding_data (connection, binding->type, data, NULL)
      || data->len == 0)
    return NULL;
  *property = binding->property;
  return g_base64_encode (data->data, data->len);
}

gboolean
postbag_imap_sasl_can_bind (GIOStream *stream)
{
  Gsasl_property property;
  g_autofree char *binding = get_binding (stream, &property);

  return binding != NULL;
}

/* --- an exchange --- */

static gboolean
fail (GError **error, int result)
{
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_BAD_DATA,
               "The mail server's part of the login is wrong: %s. Nothing more was sent; it may be "
               "another server than it says.",
               result == GSASL_AUTHENTICATION_ERROR ? "it does not prove that it knows the password"
                                                    : gsasl_strerror (result));
  return FALSE;
}

static int
start (PostbagImapSasl *self, const PostbagImapSaslFacts *facts)
{
  Gsasl_property property = GSASL_CB_TLS_EXPORTER;
  g_autofree char *binding = NULL;
  int result = gsasl_init (&self->context);

  if (result == GSASL_OK)
    result = gsasl_client_start (self->context, self->mechanism->name, &self->session);
  if (result == GSASL_OK)
    result = gsasl_property_set (
        self->session,
        self->mechanism->secret == POSTBAG_SECRET_NONE ? GSASL_AUTHZID : GSASL_AUTHID, facts->user);
  if (result == GSASL_OK && facts->secret != NULL)
    result = gsasl_property_set (self->session, GSASL_PASSWORD, facts->secret);
  /* Only where the mechanism binds: else it would say that the server hides that it can. */
  if (result != GSASL_OK || !self->mechanism->binds)
    return result;
  binding = get_binding (facts->stream, &property);
  return gsasl_property_set (self->session, property, binding);
}

PostbagImapSasl *
postbag_imap_sasl_new (const PostbagImapMechanism *mechanism, const PostbagImapSaslFacts *facts,
                       GError **error)
{
  g_autoptr (PostbagImapSasl) self = g_new0 (PostbagImapSasl, 1);
  int result;

  self->mechanism = mechanism;
  if (mechanism->secret == POSTBAG_SECRET_TOKEN)
    {
      self->token_message = strcmp (mechanism->name, "OAUTHBEARER") == 0
                                ? postbag_imap_oauth_bearer (facts->user, facts->host, facts->port,
                                                             facts->secret, error)
                                : postbag_imap_oauth_xoauth2 (facts->user, facts->secret, error);
      return self->token_message != NULL ? g_steal_pointer (&self) : NULL;
    }
  result = start (self, facts);
  if (result == GSASL_OK)
    return g_steal_pointer (&self);
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_INTERNAL, "The login with %s cannot begin: %s.",
               mechanism->name, gsasl_strerror (result));
  return NULL;
}

/* libgsasl frees its copies as they are. */
static void
wipe_property (Gsasl_session *session, Gsasl_property property)
{
  const char *kept = gsasl_property_fast (session, property);

  if (kept != NULL)
    explicit_bzero ((char *)kept, strlen (kept));
}

void
postbag_imap_sasl_wipe (GBytes *bytes)
{
  gsize length;
  gconstpointer data = g_bytes_get_data (bytes, &length);

  if (length > 0)
    explicit_bzero ((gpointer)data, length);
}

void
postbag_imap_sasl_free (PostbagImapSasl *self)
{
  if (self == NULL)
    return;
  if (self->session != NULL)
    {
      wipe_property (self->session, GSASL_PASSWORD);
      wipe_property (self->session, GSASL_SCRAM_SALTED_PASSWORD);
      gsasl_finish (self->session);
    }
  if (self->context != NULL)
    gsasl_done (self->context);
  if (self->token_message != NULL)
    postbag_imap_sasl_wipe (self->token_message);
  g_clear_pointer (&self->token_message, g_bytes_unref);
  g_free (self->complaint);
  g_free (self);
}

/* One step of libgsasl: (transfer full) (nullable) */
static GBytes *
step (PostbagImapSasl *self, const char *input, gsize length, GError **error)
{
  char *output = NULL;
  size_t size = 0;
  int result = gsasl_step (self->session, input, length, &output, &size);
  GBytes *bytes = NULL;

  self->is_complete = result == GSASL_OK;
  if (result == GSASL_OK || result == GSASL_NEEDS_MORE)
    bytes = g_bytes_new (output, size);
  else
    fail (error, result);
  if (output != NULL)
    explicit_bzero (output, size);
  gsasl_free (output);
  return bytes;
}

GBytes *
postbag_imap_sasl_begin (PostbagImapSasl *self, GError **error)
{
  if (!self->mechanism->client_first)
    return NULL;
  if (self->token_message == NULL)
    return step (self, NULL, 0, error);
  self->is_complete = TRUE;
  /* Its own, since whoever sends it overwrites it. */
  return g_bytes_new (g_bytes_get_data (self->token_message, NULL),
                      g_bytes_get_size (self->token_message));
}

/* --- what the server says --- */

gboolean
postbag_imap_sasl_check_first (GBytes *challenge, GError **error)
{
  gsize length;
  const char *data = g_bytes_get_data (challenge, &length);
  g_autofree char *text = g_strndup (data != NULL ? data : "", length);
  g_auto (GStrv) parts = g_strsplit (text, ",", 4);
  gint64 iterations = 0;

  if (strlen (text) != length || g_strv_length (parts) < 3 || !g_str_has_prefix (parts[0], "r=")
      || !g_str_has_prefix (parts[1], "s=") || !g_str_has_prefix (parts[2], "i=")
      || !postbag_text_parse_int (parts[2] + 2, 0, G_MAXINT64, &iterations))
    return fail (error, GSASL_MECHANISM_PARSE_ERROR);
  if (iterations >= POSTBAG_LIMIT_SCRAM_ITERATIONS_LEAST
      && iterations <= POSTBAG_LIMIT_SCRAM_ITERATIONS)
    return TRUE;
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_BAD_DATA,
               "The mail server wants %" G_GINT64_FORMAT " rounds of SCRAM; from %d to %d are "
               "accepted. Its operator has to change that; over TLS, “auth = plain” works without.",
               iterations, POSTBAG_LIMIT_SCRAM_ITERATIONS_LEAST, POSTBAG_LIMIT_SCRAM_ITERATIONS);
  return FALSE;
}

static void
take_complaint (PostbagImapSasl *self, const char *text, gsize length)
{
  g_autofree char *valid = postbag_text_make_valid (text, (gssize)length);

  g_free (self->complaint);
  self->complaint = postbag_clean_quote_server (valid);
}

/* `e=invalid-proof` instead of the server's proof (RFC 5802 section 7): the server is about to
 * refuse. */
static gboolean
is_scram_error (const char *text, gsize length)
{
  return length >= 2 && memcmp (text, "e=", 2) == 0;
}

GBytes *
postbag_imap_sasl_respond (GBytes *challenge, gpointer data, GError **error)
{
  PostbagImapSasl *self = data;
  gsize length;
  const char *text = g_bytes_get_data (challenge, &length);
  gboolean is_first = self->challenges++ == 0;

  if (self->token_message != NULL && is_first)
    {
      self->is_complete = FALSE;
      take_complaint (self, text, length);
      return postbag_imap_oauth_acknowledge (strcmp (self->mechanism->name, "OAUTHBEARER") == 0);
    }
  if (self->is_complete || self->token_message != NULL)
    {
      fail (error, GSASL_MECHANISM_CALLED_TOO_MANY_TIMES);
      return NULL;
    }
  if (self->mechanism->proves && is_first && !postbag_imap_sasl_check_first (challenge, error))
    return NULL;
  if (self->mechanism->proves && !is_first && is_scram_error (text, length))
    {
      take_complaint (self, text + 2, length - 2);
      return g_bytes_new (NULL, 0);
    }
  return step (self, text, length, error);
}

gboolean
postbag_imap_sasl_is_complete (const PostbagImapSasl *self)
{
  return self->is_complete;
}

const char *
postbag_imap_sasl_get_complaint (const PostbagImapSasl *self)
{
  return self->complaint;
}
