/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#include "postbag-imap-command.h"

G_BEGIN_DECLS

/* What a server announced, as far as we use it. */
typedef enum
{
  POSTBAG_IMAP_HAS_REV2 = 1 << 0,
  POSTBAG_IMAP_HAS_LITERAL_PLUS = 1 << 1,
  POSTBAG_IMAP_HAS_LITERAL_MINUS = 1 << 2,
  POSTBAG_IMAP_HAS_SASL_IR = 1 << 3,
  POSTBAG_IMAP_HAS_LOGIN_DISABLED = 1 << 4,
  POSTBAG_IMAP_HAS_STARTTLS = 1 << 5,
  POSTBAG_IMAP_HAS_ID = 1 << 7,
  POSTBAG_IMAP_HAS_ENABLE = 1 << 8,
  POSTBAG_IMAP_HAS_UTF8_ACCEPT = 1 << 9,
  POSTBAG_IMAP_HAS_SPECIAL_USE = 1 << 10,
  POSTBAG_IMAP_HAS_LIST_EXTENDED = 1 << 11,
  POSTBAG_IMAP_HAS_LIST_STATUS = 1 << 12,
  POSTBAG_IMAP_HAS_ESEARCH = 1 << 13,
  POSTBAG_IMAP_HAS_SEARCHRES = 1 << 14,
  POSTBAG_IMAP_HAS_IDLE = 1 << 15,
  POSTBAG_IMAP_HAS_CONDSTORE = 1 << 16,
  POSTBAG_IMAP_HAS_NAMESPACE = 1 << 17,
  POSTBAG_IMAP_HAS_PARTIAL = 1 << 18,
  POSTBAG_IMAP_HAS_UNSELECT = 1 << 19,
  POSTBAG_IMAP_HAS_QUOTA = 1 << 20,
  POSTBAG_IMAP_HAS_BINARY = 1 << 21,
  POSTBAG_IMAP_HAS_STATUS_SIZE = 1 << 22,
} PostbagImapFeature;

typedef struct
{
  char **words;  /* as announced */
  guint has;     /* PostbagImapFeature */
  gboolean utf8; /* UTF8=ACCEPT was enabled: names and strings are UTF-8 */
} PostbagImapFeatures;

/* @words: (nullable): nothing announced */
PostbagImapFeatures *postbag_imap_features_new (const char *const *words);
PostbagImapFeatures *postbag_imap_features_copy (const PostbagImapFeatures *self);
void postbag_imap_features_free (PostbagImapFeatures *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagImapFeatures, postbag_imap_features_free)

PostbagImapLiterals postbag_imap_features_get_literals (const PostbagImapFeatures *self);

G_END_DECLS
