/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-imap-sasl.h"

#include <gsasl.h>
#include <string.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"

struct _PostbagImapSasl
{
  Gsasl *context;
  Gsasl_session *session;
  gboolean is_scram;
  gboolean is_complete;
};

static const struct
{
  const char *name;
  gboolean binds;
} mechanisms[] = {
  { "SCRAM-SHA-256-PLUS", TRUE }, { "SCRAM-SHA-256", FALSE }, { "SCRAM-SHA-1-PLUS", TRUE },
  { "SCRAM-SHA-1", FALSE },       { "CRAM-MD5", FALSE },
};

/* What the TLS connection is bound by, in base64: (transfer full) (nullable) */
static char *
get_binding (GIOStream *stream, GTlsChannelBindingType type)
{
  g_autoptr (GByteArray) data = g_byte_array_new ();

  if (!G_IS_TLS_CONNECTION (stream)
      || !g_tls_connection_get_channel_binding_data (G_TLS_CONNECTION (stream), type, data, NULL))
    return NULL;
  return g_base64_encode (data->data, data->len);
}

static gboolean
is_offered (const char *const *offered, const char *name)
{
  for (; *offered != NULL; offered++)
    if (g_ascii_strncasecmp (*offered, "AUTH=", 5) == 0
        && g_ascii_strcasecmp (*offered + 5, name) == 0)
      return TRUE;
  return FALSE;
}

const char *
postbag_imap_sasl_choose (const char *const *offered, GIOStream *stream)
{
  g_autofree char *exporter = get_binding (stream, G_TLS_CHANNEL_BINDING_TLS_EXPORTER);

  for (gsize i = 0; i < G_N_ELEMENTS (mechanisms); i++)
    if (is_offered (offered, mechanisms[i].name) && (!mechanisms[i].binds || exporter != NULL))
      return mechanisms[i].name;
  return NULL;
}

static gboolean
fail (GError **error, int result)
{
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_BAD_DATA,
               "The mail server's part of the login is wrong: %s. Nothing more was sent.",
               gsasl_strerror (result));
  return FALSE;
}

PostbagImapSasl *
postbag_imap_sasl_new (const char *mechanism, const char *user, const char *password,
                       GIOStream *stream, GError **error)
{
  g_autoptr (PostbagImapSasl) self = g_new0 (PostbagImapSasl, 1);
  g_autofree char *exporter = NULL;
  int result = gsasl_init (&self->context);

  if (result == GSASL_OK)
    result = gsasl_client_start (self->context, mechanism, &self->session);
  if (result == GSASL_OK)
    result = gsasl_property_set (self->session, GSASL_AUTHID, user);
  if (result == GSASL_OK)
    result = gsasl_property_set (self->session, GSASL_PASSWORD, password);
  /* Only where the mechanism binds: else it would say that the server hides that it can. */
  if (result == GSASL_OK && g_str_has_suffix (mechanism, "-PLUS"))
    {
      exporter = get_binding (stream, G_TLS_CHANNEL_BINDING_TLS_EXPORTER);
      result = gsasl_property_set (self->session, GSASL_CB_TLS_EXPORTER, exporter);
    }
  if (result != GSASL_OK)
    {
      fail (error, result);
      return NULL;
    }
  self->is_scram = g_str_has_prefix (mechanism, "SCRAM-");
  return g_steal_pointer (&self);
}

void
postbag_imap_sasl_free (PostbagImapSasl *self)
{
  if (self == NULL)
    return;
  if (self->session != NULL)
    gsasl_finish (self->session);
  if (self->context != NULL)
    gsasl_done (self->context);
  g_free (self);
}

/* One step of libgsasl: (transfer full) (nullable) */
static GBytes *
step (PostbagImapSasl *self, const char *input, gsize length, GError **error)
{
  char *output = NULL;
  size_t size = 0;
  int result = gsasl_step (self->session, input, length, &output, &size);
  GBytes *bytes;

  if (result != GSASL_OK && result != GSASL_NEEDS_MORE)
    {
      gsasl_free (output);
      fail (error, result);
      return NULL;
    }
  self->is_complete = result == GSASL_OK;
  bytes = g_bytes_new (output, size);
  gsasl_free (output);
  return bytes;
}

GBytes *
postbag_imap_sasl_begin (PostbagImapSasl *self)
{
  return self->is_scram ? step (self, NULL, 0, NULL) : NULL;
}

gboolean
postbag_imap_sasl_check_iterations (GBytes *challenge, GError **error)
{
  gsize length;
  const char *data = g_bytes_get_data (challenge, &length);
  g_autofree char *text = length > 0 ? g_strndup (data, length) : g_strdup ("");
  const char *found = strstr (text, ",i=");
  guint64 iterations = found != NULL ? g_ascii_strtoull (found + 3, NULL, 10) : 0;

  /* The message with the server's proof has none. */
  if (!g_str_has_prefix (text, "r="))
    return TRUE;
  if (iterations >= POSTBAG_LIMIT_SCRAM_ITERATIONS_LEAST
      && iterations <= POSTBAG_LIMIT_SCRAM_ITERATIONS)
    return TRUE;
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_BAD_DATA,
               "The mail server wants %" G_GUINT64_FORMAT " rounds of SCRAM; from %d to %d are "
               "accepted. Its operator has to change that.",
               iterations, POSTBAG_LIMIT_SCRAM_ITERATIONS_LEAST, POSTBAG_LIMIT_SCRAM_ITERATIONS);
  return FALSE;
}

GBytes *
postbag_imap_sasl_respond (GBytes *challenge, gpointer data, GError **error)
{
  PostbagImapSasl *self = data;
  gsize length;
  const char *bytes = g_bytes_get_data (challenge, &length);

  if (self->is_complete)
    {
      fail (error, GSASL_MECHANISM_CALLED_TOO_MANY_TIMES);
      return NULL;
    }
  if (self->is_scram && !postbag_imap_sasl_check_iterations (challenge, error))
    return NULL;
  return step (self, bytes, length, error);
}

gboolean
postbag_imap_sasl_is_complete (const PostbagImapSasl *self)
{
  return self->is_complete;
}
