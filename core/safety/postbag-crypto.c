/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The module behind postbag-crypto-private.h: AES-256-GCM by GnuTLS. */

#include "safety/postbag-crypto-private.h"

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>

POSTBAG_API extern const PostbagCrypto postbag_crypto;

static gboolean
open_cipher (gnutls_aead_cipher_hd_t *cipher, const guint8 *key)
{
  gnutls_datum_t datum = { .data = (guint8 *)key, .size = POSTBAG_CRYPTO_KEY_BYTES };

  return gnutls_aead_cipher_init (cipher, GNUTLS_CIPHER_AES_256_GCM, &datum) == 0;
}

static gboolean
seal (const guint8 *key, const guint8 *nonce, const guint8 *header, gsize header_length,
      const guint8 *plain, gsize plain_length, guint8 *out)
{
  gsize out_length = plain_length + POSTBAG_CRYPTO_TAG_BYTES;
  gnutls_aead_cipher_hd_t cipher;
  int result;

  if (!open_cipher (&cipher, key))
    return FALSE;
  result =
      gnutls_aead_cipher_encrypt (cipher, nonce, POSTBAG_CRYPTO_NONCE_BYTES, header, header_length,
                                  POSTBAG_CRYPTO_TAG_BYTES, plain, plain_length, out, &out_length);
  gnutls_aead_cipher_deinit (cipher);
  return result == 0;
}

static gboolean
open_sealed (const guint8 *key, const guint8 *nonce, const guint8 *header, gsize header_length,
             const guint8 *sealed, gsize sealed_length, guint8 *out)
{
  gsize out_length = sealed_length - POSTBAG_CRYPTO_TAG_BYTES;
  gnutls_aead_cipher_hd_t cipher;
  int result;

  if (!open_cipher (&cipher, key))
    return FALSE;
  result = gnutls_aead_cipher_decrypt (cipher, nonce, POSTBAG_CRYPTO_NONCE_BYTES, header,
                                       header_length, POSTBAG_CRYPTO_TAG_BYTES, sealed,
                                       sealed_length, out, &out_length);
  gnutls_aead_cipher_deinit (cipher);
  return result == 0;
}

const PostbagCrypto postbag_crypto = {
  .size = sizeof (PostbagCrypto),
  .seal = seal,
  .open = open_sealed,
};
