/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/**
 * CertificateFacts:
 * @common_name: of the subject
 * @dns_name: (nullable): a subject alternative name
 * @from, @until: days from now
 * @is_weak: an RSA key of 768 bits
 * @is_authority: may issue others
 * @must_staple: only to be taken with a status of its issuer (RFC 7633)
 */
typedef struct
{
  const char *common_name;
  const char *dns_name;
  int from;
  int until;
  gboolean is_weak;
  gboolean is_authority;
  gboolean must_staple;
} CertificateFacts;

typedef struct _Certificate Certificate;

/* @issuer: (nullable): self-signed */
Certificate *certificate_new (const CertificateFacts *facts, const Certificate *issuer);
void certificate_free (Certificate *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Certificate, certificate_free)

/* With its key. (transfer full) */
GTlsCertificate *certificate_to_tls (const Certificate *self);
/* Certificate, and key where wanted, in PEM: (transfer full) */
char *certificate_to_pem (const Certificate *self, gboolean with_key);

G_END_DECLS
