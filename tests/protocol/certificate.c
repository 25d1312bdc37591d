/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "certificate.h"

#include <gnutls/x509.h>
#include <string.h>

struct _Certificate
{
  gnutls_x509_crt_t certificate;
  gnutls_x509_privkey_t key;
};

#define CHECK(call) g_assert_cmpint (call, ==, GNUTLS_E_SUCCESS)

static void
set_purpose (Certificate *self, const CertificateFacts *facts)
{
  gnutls_x509_crt_t certificate = self->certificate;

  CHECK (
      gnutls_x509_crt_set_basic_constraints (certificate, (unsigned int)facts->is_authority, -1));
  CHECK (gnutls_x509_crt_set_key_usage (certificate, facts->is_authority
                                                         ? GNUTLS_KEY_KEY_CERT_SIGN
                                                         : GNUTLS_KEY_DIGITAL_SIGNATURE
                                                               | GNUTLS_KEY_KEY_ENCIPHERMENT));
  if (facts->dns_name != NULL)
    CHECK (gnutls_x509_crt_set_subject_alt_name (certificate, GNUTLS_SAN_DNSNAME, facts->dns_name,
                                                 (unsigned int)strlen (facts->dns_name),
                                                 GNUTLS_FSAN_SET));
}

/* RFC 7633: a list of one TLS extension, status_request (5), in DER. */
static void
set_features (Certificate *self)
{
  static const guint8 features[] = { 0x30, 0x03, 0x02, 0x01, 0x05 };

  CHECK (gnutls_x509_crt_set_extension_by_oid (self->certificate, "1.3.6.1.5.5.7.1.24", features,
                                               sizeof features, 0));
}

Certificate *
certificate_new (const CertificateFacts *facts, const Certificate *issuer)
{
  static guint8 serial = 1;
  Certificate *self = g_new0 (Certificate, 1);
  time_t now = time (NULL);
  guint8 number[2] = { 1, serial++ };

  CHECK (gnutls_x509_crt_init (&self->certificate));
  CHECK (gnutls_x509_privkey_init (&self->key));
  CHECK (gnutls_x509_privkey_generate (
      self->key, facts->is_weak ? GNUTLS_PK_RSA : GNUTLS_PK_ECDSA,
      facts->is_weak ? 768 : (unsigned int)GNUTLS_CURVE_TO_BITS (GNUTLS_ECC_CURVE_SECP256R1), 0));
  CHECK (gnutls_x509_crt_set_version (self->certificate, 3));
  CHECK (gnutls_x509_crt_set_key (self->certificate, self->key));
  CHECK (gnutls_x509_crt_set_serial (self->certificate, number, sizeof number));
  CHECK (gnutls_x509_crt_set_activation_time (self->certificate, now + facts->from * 86400L));
  CHECK (gnutls_x509_crt_set_expiration_time (self->certificate, now + facts->until * 86400L));
  CHECK (gnutls_x509_crt_set_dn_by_oid (self->certificate, GNUTLS_OID_X520_COMMON_NAME, 0,
                                        facts->common_name,
                                        (unsigned int)strlen (facts->common_name)));
  set_purpose (self, facts);
  if (facts->must_staple)
    set_features (self);
  CHECK (gnutls_x509_crt_sign2 (self->certificate,
                                issuer != NULL ? issuer->certificate : self->certificate,
                                issuer != NULL ? issuer->key : self->key, GNUTLS_DIG_SHA256, 0));
  return self;
}

void
certificate_free (Certificate *self)
{
  if (self == NULL)
    return;
  gnutls_x509_crt_deinit (self->certificate);
  gnutls_x509_privkey_deinit (self->key);
  g_free (self);
}

char *
certificate_to_pem (const Certificate *self, gboolean with_key)
{
  gnutls_datum_t certificate = { NULL, 0 };
  gnutls_datum_t key = { NULL, 0 };
  char *pem;

  CHECK (gnutls_x509_crt_export2 (self->certificate, GNUTLS_X509_FMT_PEM, &certificate));
  CHECK (gnutls_x509_privkey_export2_pkcs8 (self->key, GNUTLS_X509_FMT_PEM, NULL, GNUTLS_PKCS_PLAIN,
                                            &key));
  pem = g_strconcat ((const char *)certificate.data, with_key ? (const char *)key.data : "", NULL);
  gnutls_free (certificate.data);
  gnutls_free (key.data);
  return pem;
}

GTlsCertificate *
certificate_to_tls (const Certificate *self)
{
  g_autofree char *pem = certificate_to_pem (self, TRUE);
  g_autoptr (GError) error = NULL;
  GTlsCertificate *certificate = g_tls_certificate_new_from_pem (pem, -1, &error);

  g_assert_no_error (error);
  return certificate;
}
