/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-imap-oauth.h"

#include <string.h>

#include "base/postbag-error.h"

/* RFC 6750 section 2.1. */
static gboolean
is_token (const char *token)
{
  static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                "-._~+/=";

  return *token != '\0' && token[strspn (token, allowed)] == '\0';
}

static gboolean
check (const char *user, const char *token, GError **error)
{
  if (!is_token (token))
    g_set_error_literal (error, POSTBAG_ERROR, POSTBAG_ERROR_NEEDS_LOGIN,
                         "What the token command or file gave is no access token: it has "
                         "characters that none has. Only the token may stand in the first line.");
  else if (strchr (user, '\001') != NULL)
    g_set_error_literal (error, POSTBAG_ERROR, POSTBAG_ERROR_NEEDS_LOGIN,
                         "The user name has a control character. Correct it.");
  else
    return TRUE;
  return FALSE;
}

/* A name inside the GS2 header (RFC 5801 section 4). */
static char *
escape_name (const char *user)
{
  GString *name = g_string_new (NULL);

  for (; *user != '\0'; user++)
    if (*user == ',')
      g_string_append (name, "=2C");
    else if (*user == '=')
      g_string_append (name, "=3D");
    else
      g_string_append_c (name, *user);
  return g_string_free (name, FALSE);
}

GBytes *
postbag_imap_oauth_bearer (const char *user, const char *host, guint port, const char *token,
                           GError **error)
{
  g_autofree char *name = NULL;
  char *text;

  if (!check (user, token, error))
    return NULL;
  name = escape_name (user);
  text = g_strdup_printf ("n,a=%s,\001host=%s\001port=%u\001auth=Bearer %s\001\001", name, host,
                          port, token);
  return g_bytes_new_take (text, strlen (text));
}

GBytes *
postbag_imap_oauth_xoauth2 (const char *user, const char *token, GError **error)
{
  char *text;

  if (!check (user, token, error))
    return NULL;
  text = g_strdup_printf ("user=%s\001auth=Bearer %s\001\001", user, token);
  return g_bytes_new_take (text, strlen (text));
}

GBytes *
postbag_imap_oauth_acknowledge (gboolean is_bearer)
{
  return g_bytes_new ("\001", is_bearer ? 1 : 0);
}
