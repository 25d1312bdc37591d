/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-imap-features.h"

/* IMAP4rev2 includes many of what were extensions (RFC 9051, appendix E). */
#define REV2                                                                                       \
  (POSTBAG_IMAP_HAS_REV2 | POSTBAG_IMAP_HAS_LITERAL_MINUS | POSTBAG_IMAP_HAS_SASL_IR               \
   | POSTBAG_IMAP_HAS_ENABLE | POSTBAG_IMAP_HAS_SPECIAL_USE | POSTBAG_IMAP_HAS_LIST_EXTENDED       \
   | POSTBAG_IMAP_HAS_LIST_STATUS | POSTBAG_IMAP_HAS_ESEARCH | POSTBAG_IMAP_HAS_SEARCHRES          \
   | POSTBAG_IMAP_HAS_IDLE | POSTBAG_IMAP_HAS_NAMESPACE | POSTBAG_IMAP_HAS_UNSELECT                \
   | POSTBAG_IMAP_HAS_BINARY | POSTBAG_IMAP_HAS_STATUS_SIZE)

static const struct
{
  const char *word;
  guint has;
} features[] = {
  { "IMAP4rev2", REV2 },
  { "LITERAL+", POSTBAG_IMAP_HAS_LITERAL_PLUS },
  { "LITERAL-", POSTBAG_IMAP_HAS_LITERAL_MINUS },
  { "SASL-IR", POSTBAG_IMAP_HAS_SASL_IR },
  { "LOGINDISABLED", POSTBAG_IMAP_HAS_LOGIN_DISABLED },
  { "STARTTLS", POSTBAG_IMAP_HAS_STARTTLS },
  { "ID", POSTBAG_IMAP_HAS_ID },
  { "ENABLE", POSTBAG_IMAP_HAS_ENABLE },
  { "UTF8=ACCEPT", POSTBAG_IMAP_HAS_UTF8_ACCEPT },
  { "UTF8=ONLY", POSTBAG_IMAP_HAS_UTF8_ACCEPT },
  { "SPECIAL-USE", POSTBAG_IMAP_HAS_SPECIAL_USE },
  { "LIST-EXTENDED", POSTBAG_IMAP_HAS_LIST_EXTENDED },
  { "LIST-STATUS", POSTBAG_IMAP_HAS_LIST_STATUS },
  { "ESEARCH", POSTBAG_IMAP_HAS_ESEARCH },
  { "SEARCHRES", POSTBAG_IMAP_HAS_SEARCHRES },
  { "IDLE", POSTBAG_IMAP_HAS_IDLE },
  { "PARTIAL", POSTBAG_IMAP_HAS_PARTIAL },
  { "NAMESPACE", POSTBAG_IMAP_HAS_NAMESPACE },
  { "CONDSTORE", POSTBAG_IMAP_HAS_CONDSTORE },
  { "QRESYNC", POSTBAG_IMAP_HAS_CONDSTORE },
  { "QUOTA", POSTBAG_IMAP_HAS_QUOTA },
  { "UNSELECT", POSTBAG_IMAP_HAS_UNSELECT },
  { "BINARY", POSTBAG_IMAP_HAS_BINARY },
  { "STATUS=SIZE", POSTBAG_IMAP_HAS_STATUS_SIZE },
};

PostbagImapFeatures *
postbag_imap_features_new (const char *const *words)
{
  PostbagImapFeatures *self = g_new0 (PostbagImapFeatures, 1);

  self->words = words != NULL ? g_strdupv ((char **)words) : g_new0 (char *, 1);
  for (char **word = self->words; *word != NULL; word++)
    for (gsize i = 0; i < G_N_ELEMENTS (features); i++)
      if (g_ascii_strcasecmp (*word, features[i].word) == 0)
        self->has |= features[i].has;
  return self;
}

PostbagImapFeatures *
postbag_imap_features_copy (const PostbagImapFeatures *self)
{
  PostbagImapFeatures *copy = postbag_imap_features_new ((const char *const *)self->words);

  copy->utf8 = self->utf8;
  return copy;
}

void
postbag_imap_features_free (PostbagImapFeatures *self)
{
  if (self == NULL)
    return;
  g_strfreev (self->words);
  g_free (self);
}

PostbagImapLiterals
postbag_imap_features_get_literals (const PostbagImapFeatures *self)
{
  if (self->has & POSTBAG_IMAP_HAS_LITERAL_PLUS)
    return POSTBAG_IMAP_LITERALS_ALL;
  if (self->has & POSTBAG_IMAP_HAS_LITERAL_MINUS)
    return POSTBAG_IMAP_LITERALS_SMALL;
  return POSTBAG_IMAP_LITERALS_WAIT;
}
