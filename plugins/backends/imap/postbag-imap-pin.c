/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-imap-pin.h"

#include <gnutls/abstract.h>
#include <gnutls/x509.h>

#include "base/postbag-error.h"

/* The SubjectPublicKeyInfo of @der: (transfer full) (nullable) */
static GBytes *
read_key (const GByteArray *der)
{
  gnutls_datum_t data = { der->data, der->len };
  gnutls_datum_t key = { NULL, 0 };
  gnutls_x509_crt_t certificate = NULL;
  gnutls_pubkey_t public_key = NULL;
  GBytes *bytes = NULL;

  if (gnutls_x509_crt_init (&certificate) == GNUTLS_E_SUCCESS
      && gnutls_pubkey_init (&public_key) == GNUTLS_E_SUCCESS
      && gnutls_x509_crt_import (certificate, &data, GNUTLS_X509_FMT_DER) == GNUTLS_E_SUCCESS
      && gnutls_pubkey_import_x509 (public_key, certificate, 0) == GNUTLS_E_SUCCESS
      && gnutls_pubkey_export2 (public_key, GNUTLS_X509_FMT_DER, &key) == GNUTLS_E_SUCCESS)
    bytes = g_bytes_new (key.data, key.size);
  gnutls_free (key.data);
  if (public_key != NULL)
    gnutls_pubkey_deinit (public_key);
  if (certificate != NULL)
    gnutls_x509_crt_deinit (certificate);
  return bytes;
}

char *
postbag_imap_pin_of (GTlsCertificate *certificate)
{
  g_autoptr (GByteArray) der = NULL;
  g_autoptr (GBytes) key = NULL;
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  g_autofree char *base64 = NULL;
  guint8 digest[32];
  gsize length = sizeof digest;

  g_object_get (certificate, "certificate", &der, NULL);
  key = der != NULL ? read_key (der) : NULL;
  if (key == NULL)
    return NULL;
  g_checksum_update (checksum, g_bytes_get_data (key, NULL), (gssize)g_bytes_get_size (key));
  g_checksum_get_digest (checksum, digest, &length);
  base64 = g_base64_encode (digest, length);
  return g_strconcat ("sha256:", base64, NULL);
}

gboolean
postbag_imap_pin_check (const char *pins, const char *host, GTlsCertificate *certificate,
                        GError **error)
{
  g_auto (GStrv) list = NULL;
  g_autofree char *came = NULL;

  if (pins == NULL)
    return TRUE;
  came = certificate != NULL ? postbag_imap_pin_of (certificate) : NULL;
  list = g_strsplit (pins, ",", -1);
  if (came != NULL && g_strv_contains ((const char *const *)list, came))
    return TRUE;
  postbag_set_fault (
      error, POSTBAG_ERROR_OFFLINE, POSTBAG_FAULT_PIN,
      "The mail server %s has the key %s, which is none of those in “pin”. If its operator "
      "confirms the new key, add it there; else somebody is in between. No password was "
      "sent.",
      host, came != NULL ? came : "(unreadable)");
  return FALSE;
}
