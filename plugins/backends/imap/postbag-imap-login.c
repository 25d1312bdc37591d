/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-imap-login.h"

#include <string.h>

#include "base/postbag-error.h"
#include "postbag-imap-sasl.h"
#include "safety/postbag-clean.h"

/* NUL user NUL password (RFC 4616) */
static GBytes *
create_plain (const PostbagAccount *account)
{
  gsize user = strlen (account->user), password = strlen (account->password);
  guint8 *message = g_malloc (user + password + 2);

  message[0] = '\0';
  memcpy (message + 1, account->user, user);
  message[user + 1] = '\0';
  memcpy (message + user + 2, account->password, password);
  return g_bytes_new_take (message, user + password + 2);
}

static void
wipe (GBytes *bytes)
{
  gsize length;
  gconstpointer data = g_bytes_get_data (bytes, &length);

  memset ((gpointer)data, 0, length);
}

static PostbagImapStatus *
run_plain (PostbagImapWire *wire, const PostbagAccount *account, gboolean in_one, GError **error)
{
  g_autoptr (GBytes) message = create_plain (account);
  PostbagImapStatus *status =
      postbag_imap_wire_authenticate (wire, "PLAIN", message, in_one, NULL, NULL, error);

  wipe (message);
  return status;
}

static PostbagImapStatus *
run_sasl (PostbagImapWire *wire, const PostbagAccount *account, const char *mechanism,
          gboolean in_one, GError **error)
{
  g_autoptr (PostbagImapSasl) sasl =
      postbag_imap_sasl_new (mechanism, account->user, account->password, wire->stream, error);
  g_autoptr (GBytes) initial = NULL;
  g_autoptr (PostbagImapStatus) status = NULL;

  if (sasl == NULL)
    return NULL;
  initial = postbag_imap_sasl_begin (sasl);
  status = postbag_imap_wire_authenticate (wire, mechanism, initial, in_one && initial != NULL,
                                           postbag_imap_sasl_respond, sasl, error);
  if (status == NULL || status->condition != POSTBAG_IMAP_OK
      || postbag_imap_sasl_is_complete (sasl))
    return g_steal_pointer (&status);
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_BAD_DATA,
               "The mail server %s let us in without proving that it knows the password. The "
               "connection was closed: somebody may be in between.",
               wire->place);
  return NULL;
}

static PostbagImapStatus *
run_login (PostbagImapWire *wire, const PostbagAccount *account, GError **error)
{
  g_autoptr (PostbagImapCommand) command = postbag_imap_command_new ("LOGIN");

  postbag_imap_command_add_string (command, account->user);
  postbag_imap_command_add_secret (command, account->password);
  return postbag_imap_wire_run (wire, command, error);
}

static gboolean
fail_refused (PostbagImapWire *wire, const PostbagAccount *account, const PostbagImapStatus *status,
              GError **error)
{
  g_autofree char *text = postbag_clean_quote (status->text);
  g_autofree char *code =
      status->code != NULL ? g_strdup_printf (" [%.40s]", status->code) : g_strdup ("");

  if (postbag_imap_status_is_temporary (status))
    g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_BUSY,
                 "The mail server %s refuses the login of “%s” for now: %s%s. Call again later.",
                 wire->place, account->user, text, code);
  else
    g_set_error (
        error, POSTBAG_ERROR, POSTBAG_ERROR_LOGIN_REFUSED,
        "The mail server %s refused the login of “%s”: %s%s. Check user name and password; "
        "many providers want an app password.",
        wire->place, account->user, text, code);
  return FALSE;
}

gboolean
postbag_imap_login (PostbagImapWire *wire, const PostbagAccount *account, GError **error)
{
  g_autoptr (PostbagImapFeatures) features = postbag_imap_wire_get_features (wire, error);
  g_autoptr (PostbagImapStatus) status = NULL;
  const char *mechanism;
  gboolean in_one;

  if (features == NULL)
    return FALSE;
  in_one = (features->has & POSTBAG_IMAP_HAS_SASL_IR) != 0;
  mechanism = postbag_imap_sasl_choose ((const char *const *)features->words, wire->stream);
  /* What is announced before login says nothing of what is there after it. */
  g_clear_pointer (&wire->capabilities, g_strfreev);
  if (mechanism != NULL)
    status = run_sasl (wire, account, mechanism, in_one, error);
  else if (features->has & POSTBAG_IMAP_HAS_AUTH_PLAIN)
    status = run_plain (wire, account, in_one, error);
  else if (features->has & POSTBAG_IMAP_HAS_AUTH_LOGIN)
    status = run_sasl (wire, account, "LOGIN", FALSE, error);
  else if ((features->has & POSTBAG_IMAP_HAS_LOGIN_DISABLED) == 0)
    status = run_login (wire, account, error);
  else
    g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_SUPPORTED,
                 "The mail server %s offers no way to log in that we know (SCRAM, CRAM-MD5, PLAIN, "
                 "LOGIN). Try "
                 "another TLS mode.",
                 wire->place);
  if (status == NULL)
    return FALSE;
  if (status->condition != POSTBAG_IMAP_OK)
    return fail_refused (wire, account, status, error);
  return TRUE;
}
