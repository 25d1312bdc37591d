/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-imap-mechanism.h"

#include "safety/postbag-clean.h"

/* The strongest first. What binds comes before what does not, whatever its digest: it is the
 * binding that a man in the middle cannot pass. */
static const PostbagImapMechanism mechanisms[] = {
  { "SCRAM-SHA-256-PLUS", POSTBAG_SECRET_PASSWORD, TRUE, TRUE, TRUE, FALSE },
  { "SCRAM-SHA-1-PLUS", POSTBAG_SECRET_PASSWORD, TRUE, TRUE, TRUE, FALSE },
  { "SCRAM-SHA-256", POSTBAG_SECRET_PASSWORD, FALSE, TRUE, TRUE, FALSE },
  { "SCRAM-SHA-1", POSTBAG_SECRET_PASSWORD, FALSE, TRUE, TRUE, FALSE },
  { "CRAM-MD5", POSTBAG_SECRET_PASSWORD, FALSE, FALSE, FALSE, FALSE },
  { "PLAIN", POSTBAG_SECRET_PASSWORD, FALSE, TRUE, FALSE, FALSE },
  { "LOGIN", POSTBAG_SECRET_PASSWORD, FALSE, FALSE, FALSE, FALSE },
  { "OAUTHBEARER", POSTBAG_SECRET_TOKEN, FALSE, TRUE, FALSE, FALSE },
  { "XOAUTH2", POSTBAG_SECRET_TOKEN, FALSE, TRUE, FALSE, FALSE },
  { "EXTERNAL", POSTBAG_SECRET_NONE, FALSE, TRUE, FALSE, TRUE },
};

static gboolean
is_announced (const char *const *capabilities, const char *name)
{
  for (; *capabilities != NULL; capabilities++)
    if (g_ascii_strncasecmp (*capabilities, "AUTH=", 5) == 0
        && g_ascii_strcasecmp (*capabilities + 5, name) == 0)
      return TRUE;
  return FALSE;
}

const PostbagImapMechanism *
postbag_imap_mechanism_find (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (mechanisms); i++)
    if (g_ascii_strcasecmp (mechanisms[i].name, name) == 0)
      return &mechanisms[i];
  return NULL;
}

const PostbagImapMechanism *
postbag_imap_mechanism_choose (const char *const *capabilities, const char *auth,
                               PostbagSecretKind secret, gboolean can_bind)
{
  for (gsize i = 0; i < G_N_ELEMENTS (mechanisms); i++)
    {
      const PostbagImapMechanism *mechanism = &mechanisms[i];
      gboolean fits =
          auth != NULL ? g_ascii_strcasecmp (auth, mechanism->name) == 0 : !mechanism->by_choice;

      /* EXTERNAL has its secret in the certificate, and leaves another one alone. */
      if (fits && (mechanism->secret == secret || mechanism->by_choice)
          && (can_bind || !mechanism->binds) && is_announced (capabilities, mechanism->name))
        return mechanism;
    }
  return NULL;
}

char *
postbag_imap_mechanism_describe_offer (const char *const *capabilities)
{
  g_autoptr (GString) list = g_string_new (NULL);
  g_autofree char *quoted = NULL;

  for (; *capabilities != NULL; capabilities++)
    if (g_ascii_strncasecmp (*capabilities, "AUTH=", 5) == 0)
      g_string_append_printf (list, "%s%s", list->len > 0 ? " " : "", *capabilities + 5);
  if (list->len == 0)
    return g_strdup ("nothing");
  return postbag_clean_quote (list->str);
}
