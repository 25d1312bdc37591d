/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is sealed: version (1 byte), expiry (8, big-endian seconds since 1970), nonce (12), cipher
 * text with its tag; base64url without padding. Purpose and principal are not in it but are
 * authenticated with it. Two keys are derived from the one in the state folder: one encrypts, one
 * makes the tokens. Nothing is read, and no crypto library opened, before the first use. */

#define G_LOG_DOMAIN "postbag-safety"

#include "safety/postbag-seal.h"

#include <string.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "safety/postbag-crypto-private.h"
#include "safety/postbag-seal-key-private.h"
#include "safety/postbag-seal-marks-private.h"

#define VERSION 1
#define EXPIRY_OFFSET 1
#define NONCE_OFFSET (EXPIRY_OFFSET + 8)
#define CIPHER_OFFSET (NONCE_OFFSET + POSTBAG_CRYPTO_NONCE_BYTES)
/* Of a token: expiry, MAC. */
#define TOKEN_BYTES 16
#define TOKEN_EXPIRY_BYTES 4
#define TOKEN_MAC_BYTES (TOKEN_BYTES - TOKEN_EXPIRY_BYTES)
#define HASH_BYTES 32

struct _PostbagSeal
{
  char *state_dir; /* (nullable) */
  PostbagClock *clock;

  GMutex lock;
  gboolean has_keys; /* with lock; then the keys never change */
  guint8 encryption_key[POSTBAG_CRYPTO_KEY_BYTES];
  guint8 token_key[HASH_BYTES];
  GHashTable *used; /* with lock: hash -> expiry (gint64 *), where there is no state folder */
};

PostbagSeal *
postbag_seal_new (const char *state_dir, PostbagClock *clock)
{
  PostbagSeal *self = g_new0 (PostbagSeal, 1);

  self->state_dir = g_strdup (state_dir);
  self->clock = clock;
  g_mutex_init (&self->lock);
  self->used = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  return self;
}

void
postbag_seal_free (PostbagSeal *self)
{
  explicit_bzero (self->encryption_key, sizeof self->encryption_key);
  explicit_bzero (self->token_key, sizeof self->token_key);
  g_hash_table_unref (self->used);
  g_mutex_clear (&self->lock);
  g_free (self->state_dir);
  g_free (self);
}

static gint64
get_now_s (PostbagSeal *self)
{
  return postbag_clock_get_real_us (self->clock) / G_USEC_PER_SEC;
}

/* --- keys --- */

static void
derive_key (const guint8 *master, const char *label, guint8 *key)
{
  g_autoptr (GHmac) hmac = g_hmac_new (G_CHECKSUM_SHA256, master, POSTBAG_SEAL_KEY_BYTES);
  gsize length = HASH_BYTES;

  g_hmac_update (hmac, (const guchar *)label, (gssize)strlen (label));
  g_hmac_get_digest (hmac, key, &length);
}

static void
load_keys (PostbagSeal *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  g_autoptr (GError) error = NULL;
  guint8 master[POSTBAG_SEAL_KEY_BYTES];

  if (self->has_keys)
    return;
  if (self->state_dir == NULL || !postbag_seal_key_load (self->state_dir, master, &error))
    {
      g_message ("confirmations and cursors end with this process: %s",
                 error != NULL ? error->message : "there is no state folder");
      postbag_seal_random (master, sizeof master);
      g_clear_pointer (&self->state_dir, g_free);
    }
  derive_key (master, "postbag seal 1 encryption", self->encryption_key);
  derive_key (master, "postbag seal 1 token", self->token_key);
  explicit_bzero (master, sizeof master);
  self->has_keys = TRUE;
}

/* --- sealing --- */

static void
append_field (GByteArray *bytes, const char *field)
{
  guint32 length = GUINT32_TO_BE ((guint32)strlen (field));

  g_byte_array_append (bytes, (const guint8 *)&length, sizeof length);
  g_byte_array_append (bytes, (const guint8 *)field, (guint)strlen (field));
}

/* (transfer full): what is authenticated beside the content */
static GByteArray *
make_header (const guint8 *sealed, const char *purpose, const char *principal)
{
  GByteArray *header = g_byte_array_new ();

  g_byte_array_append (header, sealed, NONCE_OFFSET);
  append_field (header, purpose);
  append_field (header, principal);
  return header;
}

static char *
encode (const guint8 *bytes, gsize length)
{
  char *text = g_base64_encode (bytes, length);

  g_strdelimit (text, "+", '-');
  g_strdelimit (text, "/", '_');
  text[strcspn (text, "=")] = '\0';
  return text;
}

/* (transfer full) (nullable): only of the one spelling that encode() gives, so that a used seal
 * cannot be spelled in another way. */
static guint8 *
decode (const char *text, gsize *length)
{
  gsize text_length = strlen (text);
  g_autofree char *again = NULL;
  g_autofree guint8 *bytes = NULL;
  g_autoptr (GString) padded = NULL;

  if (text_length == 0 || text_length > POSTBAG_LIMIT_SEALED_BYTES
      || strspn (text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
             != text_length)
    return NULL;
  padded = g_string_new (text);
  g_strdelimit (padded->str, "-", '+');
  g_strdelimit (padded->str, "_", '/');
  while (padded->len % 4 != 0)
    g_string_append_c (padded, '=');
  bytes = g_base64_decode (padded->str, length);
  again = encode (bytes, *length);
  return strcmp (again, text) == 0 ? g_steal_pointer (&bytes) : NULL;
}

char *
postbag_seal_close (PostbagSeal *self, const char *purpose, const char *principal,
                    gint64 lifetime_s, GBytes *plain, GError **error)
{
  const PostbagCrypto *crypto = postbag_crypto_load (error);
  gsize plain_length, length;
  const guint8 *content = g_bytes_get_data (plain, &plain_length);
  gint64 expiry = GINT64_TO_BE (get_now_s (self) + lifetime_s);
  g_autoptr (GByteArray) header = NULL;
  g_autofree guint8 *sealed = NULL;

  if (crypto == NULL)
    return NULL;
  load_keys (self);
  length = CIPHER_OFFSET + plain_length + POSTBAG_CRYPTO_TAG_BYTES;
  sealed = g_malloc0 (length);
  sealed[0] = VERSION;
  memcpy (sealed + EXPIRY_OFFSET, &expiry, sizeof expiry);
  postbag_seal_random (sealed + NONCE_OFFSET, POSTBAG_CRYPTO_NONCE_BYTES);
  header = make_header (sealed, purpose, principal);
  if (crypto->seal (self->encryption_key, sealed + NONCE_OFFSET, header->data, header->len, content,
                    plain_length, sealed + CIPHER_OFFSET))
    return encode (sealed, length);
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_INTERNAL,
               "Sealing failed in the crypto library. Please report this.");
  return NULL;
}

static gint64
get_expiry_s (const guint8 *sealed)
{
  gint64 expiry;

  memcpy (&expiry, sealed + EXPIRY_OFFSET, sizeof expiry);
  return GINT64_FROM_BE (expiry);
}

static guint8 *
decode_sealed (const char *text, gsize *length)
{
  g_autofree guint8 *sealed = decode (text, length);

  if (sealed == NULL || *length < CIPHER_OFFSET + POSTBAG_CRYPTO_TAG_BYTES || sealed[0] != VERSION)
    return NULL;
  return g_steal_pointer (&sealed);
}

static void
refuse_foreign (GError **error)
{
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_INVALID_ARGUMENT,
               "It was not made by this server for this purpose, or it was changed.");
}

GBytes *
postbag_seal_open (PostbagSeal *self, const char *purpose, const char *principal,
                   const char *sealed_text, GError **error)
{
  gsize length = 0;
  g_autofree guint8 *sealed = decode_sealed (sealed_text, &length);
  const PostbagCrypto *crypto = postbag_crypto_load (error);
  g_autoptr (GByteArray) header = NULL;
  g_autofree guint8 *plain = NULL;
  gsize plain_length;

  if (crypto == NULL)
    return NULL;
  if (sealed == NULL)
    {
      refuse_foreign (error);
      return NULL;
    }
  load_keys (self);
  plain_length = length - CIPHER_OFFSET - POSTBAG_CRYPTO_TAG_BYTES;
  plain = g_malloc (plain_length + 1);
  header = make_header (sealed, purpose, principal);
  if (!crypto->open (self->encryption_key, sealed + NONCE_OFFSET, header->data, header->len,
                     sealed + CIPHER_OFFSET, length - CIPHER_OFFSET, plain))
    {
      refuse_foreign (error);
      return NULL;
    }
  if (get_expiry_s (sealed) > get_now_s (self))
    return g_bytes_new_take (g_steal_pointer (&plain), plain_length);
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_TIMED_OUT, "It has expired.");
  return NULL;
}

/* --- the two-call token --- */

static void
compute_token_mac (PostbagSeal *self, const guint8 *token, const char *operation,
                   const char *principal, const char *target, guint8 *digest)
{
  g_autoptr (GByteArray) fields = g_byte_array_new ();
  g_autoptr (GHmac) hmac = NULL;
  gsize length = HASH_BYTES;

  load_keys (self);
  g_byte_array_append (fields, token, TOKEN_EXPIRY_BYTES);
  append_field (fields, operation);
  append_field (fields, principal);
  append_field (fields, target);
  hmac = g_hmac_new (G_CHECKSUM_SHA256, self->token_key, sizeof self->token_key);
  g_hmac_update (hmac, fields->data, fields->len);
  g_hmac_get_digest (hmac, digest, &length);
}

static char *
write_token (PostbagSeal *self, const char *operation, const char *principal, const char *target,
             gint64 expiry_s)
{
  guint32 expiry = GUINT32_TO_BE ((guint32)expiry_s);
  guint8 digest[HASH_BYTES];
  guint8 token[TOKEN_BYTES];
  char *text = g_malloc (TOKEN_BYTES * 2 + 1);

  memcpy (token, &expiry, sizeof expiry);
  compute_token_mac (self, token, operation, principal, target, digest);
  memcpy (token + TOKEN_EXPIRY_BYTES, digest, TOKEN_MAC_BYTES);
  for (gsize i = 0; i < TOKEN_BYTES; i++)
    g_snprintf (text + i * 2, 3, "%02x", token[i]);
  return text;
}

static gboolean
decode_token (const char *text, guint8 *token)
{
  if (strlen (text) != TOKEN_BYTES * 2 || strspn (text, "0123456789abcdef") != TOKEN_BYTES * 2)
    return FALSE;
  for (gsize i = 0; i < TOKEN_BYTES; i++)
    token[i] =
        (guint8)(g_ascii_xdigit_value (text[i * 2]) << 4 | g_ascii_xdigit_value (text[i * 2 + 1]));
  return TRUE;
}

static gint64
get_token_expiry_s (const guint8 *token)
{
  guint32 expiry;

  memcpy (&expiry, token, sizeof expiry);
  return GUINT32_FROM_BE (expiry);
}

/* In constant time. */
static gboolean
are_equal (const guint8 *a, const guint8 *b, gsize length)
{
  volatile guint8 difference = 0;

  for (gsize i = 0; i < length; i++)
    difference |= a[i] ^ b[i];
  return difference == 0;
}

gboolean
postbag_seal_check_token (PostbagSeal *self, const char *operation, const char *principal,
                          const char *target, const char *text, GError **error)
{
  guint8 token[TOKEN_BYTES];
  guint8 digest[HASH_BYTES];

  if (!decode_token (text, token))
    {
      g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_INVALID_ARGUMENT,
                   "The confirm_token is not one of ours: it has 32 hexadecimal digits.");
      return FALSE;
    }
  compute_token_mac (self, token, operation, principal, target, digest);
  if (!are_equal (token + TOKEN_EXPIRY_BYTES, digest, TOKEN_MAC_BYTES))
    {
      g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_INVALID_ARGUMENT,
                   "The confirm_token was given for something else: another tool, mailbox or set "
                   "of messages.");
      return FALSE;
    }
  if (get_token_expiry_s (token) > get_now_s (self))
    return TRUE;
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_INVALID_ARGUMENT,
               "The confirm_token has expired.");
  return FALSE;
}

/* --- single use --- */

/* (transfer full) (nullable): the mark's name, and until when it is needed */
static char *
hash_used (const char *text, gint64 *expiry_s)
{
  guint8 token[TOKEN_BYTES];
  g_autofree guint8 *sealed = NULL;
  gsize length = 0;

  if (decode_token (text, token))
    {
      *expiry_s = get_token_expiry_s (token);
      return g_compute_checksum_for_data (G_CHECKSUM_SHA256, token, sizeof token);
    }
  sealed = decode_sealed (text, &length);
  if (sealed == NULL)
    return NULL;
  *expiry_s = get_expiry_s (sealed);
  return g_compute_checksum_for_data (G_CHECKSUM_SHA256, sealed, length);
}

static gboolean
is_over (gpointer hash, gpointer expiry_s, gpointer now_s)
{
  return *(gint64 *)expiry_s <= *(gint64 *)now_s - POSTBAG_SEAL_MARK_SLACK_S;
}

static gboolean
mark_in_memory (PostbagSeal *self, const char *hash, gint64 expiry_s, GError **error)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  gint64 now_s = get_now_s (self);

  g_hash_table_foreach_remove (self->used, is_over, &now_s);
  if (g_hash_table_insert (self->used, g_strdup (hash), g_memdup2 (&expiry_s, sizeof expiry_s)))
    return TRUE;
  postbag_seal_refuse_used (error);
  return FALSE;
}

gboolean
postbag_seal_use_once (PostbagSeal *self, const char *sealed, GError **error)
{
  gint64 expiry = 0;
  g_autofree char *hash = hash_used (sealed, &expiry);

  if (hash == NULL)
    {
      refuse_foreign (error);
      return FALSE;
    }
  load_keys (self);
  if (self->state_dir == NULL)
    return mark_in_memory (self, hash, expiry, error);
  return postbag_seal_mark_used (self->state_dir, hash, expiry, get_now_s (self), error);
}

static gboolean
was_used (PostbagSeal *self, const char *token)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  gint64 expiry = 0;
  g_autofree char *hash = hash_used (token, &expiry);

  if (self->state_dir == NULL)
    return g_hash_table_contains (self->used, hash);
  return postbag_seal_is_marked (self->state_dir, hash, expiry);
}

/* The same question asked again in the second in which it was answered is another one: it expires
 * a second later. */
char *
postbag_seal_make_token (PostbagSeal *self, const char *operation, const char *principal,
                         const char *target, gint64 lifetime_s)
{
  gint64 expiry = get_now_s (self) + lifetime_s;
  char *token = write_token (self, operation, principal, target, expiry);

  while (was_used (self, token))
    {
      g_free (token);
      token = write_token (self, operation, principal, target, ++expiry);
    }
  return token;
}
