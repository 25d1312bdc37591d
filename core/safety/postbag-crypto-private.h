/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#include "base/postbag-api.h"

G_BEGIN_DECLS

/* Authenticated encryption, in a module of its own that is opened when something is first sealed:
 * the core does not link GnuTLS, which would cost every start a few milliseconds. */

#define POSTBAG_CRYPTO_KEY_BYTES 32
#define POSTBAG_CRYPTO_NONCE_BYTES 12
#define POSTBAG_CRYPTO_TAG_BYTES 16

typedef struct
{
  guint32 size;
  /* @out: @plain_length + POSTBAG_CRYPTO_TAG_BYTES bytes */
  gboolean (*seal) (const guint8 *key, const guint8 *nonce, const guint8 *header,
                    gsize header_length, const guint8 *plain, gsize plain_length, guint8 *out);
  /* @out: @sealed_length - POSTBAG_CRYPTO_TAG_BYTES bytes; %FALSE when it was altered */
  gboolean (*open) (const guint8 *key, const guint8 *nonce, const guint8 *header,
                    gsize header_length, const guint8 *sealed, gsize sealed_length, guint8 *out);
} PostbagCrypto;

#define POSTBAG_CRYPTO_SYMBOL "postbag_crypto"
#define POSTBAG_CRYPTO_MODULE "libpostbag-crypto.so"

/* (transfer none) (nullable): opens the module at the first call. Any thread. */
POSTBAG_API const PostbagCrypto *postbag_crypto_load (GError **error);

G_END_DECLS
