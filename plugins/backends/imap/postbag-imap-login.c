/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One way is chosen, and it is the only one: a refused strong mechanism is not followed by a weaker
 * one with the same password, which somebody in between may be waiting for. */

#include "postbag-imap-login.h"

#include <string.h>

#include "base/postbag-error.h"
#include "postbag-imap-sasl.h"
#include "safety/postbag-clean.h"

typedef struct
{
  PostbagImapWire *wire;
  const PostbagAccount *account;
  const char *secret;
  const PostbagImapMechanism *mechanism; /* (nullable): the command LOGIN */
  char *complaint;                       /* (nullable) */
} Attempt;

static PostbagImapStatus *
run_sasl (Attempt *attempt, gboolean in_one, GError **error)
{
  const PostbagImapMechanism *mechanism = attempt->mechanism;
  const PostbagImapSaslFacts facts = { attempt->account->user, attempt->secret,
                                       attempt->account->host, attempt->account->port,
                                       attempt->wire->stream };
  g_autoptr (PostbagImapSasl) sasl = postbag_imap_sasl_new (mechanism, &facts, error);
  g_autoptr (GBytes) initial = NULL;
  g_autoptr (PostbagImapStatus) status = NULL;

  if (sasl == NULL)
    return NULL;
  initial = postbag_imap_sasl_begin (sasl, error);
  if (initial == NULL && mechanism->client_first)
    return NULL;
  status = postbag_imap_wire_authenticate (attempt->wire, mechanism->name, initial,
                                           in_one && initial != NULL, postbag_imap_sasl_respond,
                                           sasl, error);
  if (initial != NULL)
    postbag_imap_sasl_wipe (initial);
  attempt->complaint = g_strdup (postbag_imap_sasl_get_complaint (sasl));
  if (status == NULL || status->condition != POSTBAG_IMAP_OK
      || postbag_imap_sasl_is_complete (sasl))
    return g_steal_pointer (&status);
  postbag_set_fault (
      error, POSTBAG_ERROR_BAD_DATA, POSTBAG_FAULT_TAMPERED,
      "The mail server %s let us in without %s. The connection was closed: somebody may be "
      "in between.",
      attempt->wire->place,
      mechanism->proves ? "proving that it knows the password" : "looking at the login");
  return NULL;
}

static PostbagImapStatus *
run_login (const Attempt *attempt, GError **error)
{
  g_autoptr (PostbagImapCommand) command = postbag_imap_command_new ("LOGIN");

  postbag_imap_command_add_string (command, attempt->account->user);
  postbag_imap_command_add_secret (command, attempt->secret);
  return postbag_imap_wire_run (attempt->wire, command, error);
}

/* What a person can do about a password that is refused. */
static const char *
advise_on_password (const PostbagImapMechanism *mechanism)
{
  if (mechanism != NULL && mechanism->binds)
    return "Check user name and password. If they are right, something between here and the "
           "server may end TLS: find out what, or leave the binding out with “auth = "
           "scram-sha-256”.";
  if (mechanism != NULL && (mechanism->proves || strcmp (mechanism->name, "CRAM-MD5") == 0))
    return "Check user name and password; many providers want an app password. If they are "
           "right, the server may not keep this password in the form that this needs: over "
           "TLS, try “auth = plain”.";
  return "Check user name and password; many providers want an app password.";
}

/* The server's own reason (RFC 5530 section 3) knows better than the way of the login. */
static const char *
advise (const Attempt *attempt, const PostbagImapStatus *status)
{
  static const struct
  {
    const char *code;
    const char *advice;
  } reasons[] = {
    { "EXPIRED", "The password has expired: set a new one with the provider." },
    { "PRIVACYREQUIRED", "It wants TLS before a login: set “tls” to implicit or starttls." },
    { "CONTACTADMIN", "Only the server's operator can help: ask there." },
    { "AUTHORIZATIONFAILED", "The password is right, but not for this user: check the user name." },
  };
  const PostbagImapMechanism *mechanism = attempt->mechanism;

  for (gsize i = 0; i < G_N_ELEMENTS (reasons); i++)
    if (g_strcmp0 (status->code, reasons[i].code) == 0)
      return reasons[i].advice;
  if (mechanism == NULL || mechanism->secret == POSTBAG_SECRET_PASSWORD)
    return advise_on_password (mechanism);
  return mechanism->secret == POSTBAG_SECRET_TOKEN
             ? "The token may have run out, or be for another account or purpose: get a new one."
             : "Check the user name, and whether the server knows the client certificate.";
}

static gboolean
fail_refused (const Attempt *attempt, const PostbagImapStatus *status, GError **error)
{
  g_autofree char *text = postbag_clean_quote_server (status->text);
  g_autofree char *code =
      status->code != NULL ? g_strdup_printf (" [%.40s]", status->code) : g_strdup ("");
  const char *way = attempt->mechanism != NULL ? attempt->mechanism->name : "LOGIN";
  gboolean is_token =
      attempt->mechanism != NULL && attempt->mechanism->secret == POSTBAG_SECRET_TOKEN;

  if (postbag_imap_status_is_temporary (status))
    postbag_set_fault (error, POSTBAG_ERROR_BUSY, POSTBAG_FAULT_LOGIN_LATER,
                       "The mail server %s refuses the login of “%s” for now: %s%s. Call again "
                       "later.",
                       attempt->wire->place, attempt->account->user, text, code);
  else
    postbag_set_fault (
        error, POSTBAG_ERROR_LOGIN_REFUSED,
        is_token ? POSTBAG_FAULT_TOKEN_REFUSED : POSTBAG_FAULT_LOGIN_REFUSED,
        "The mail server %s refused the login of “%s” (%s): %s%s%s%s. %s", attempt->wire->place,
        attempt->account->user, way, text, code, attempt->complaint != NULL ? ", " : "",
        attempt->complaint != NULL ? attempt->complaint : "", advise (attempt, status));
  return FALSE;
}

/* Why no way to log in fits. */
static PostbagFault
choose_fault (const Attempt *attempt, const PostbagImapFeatures *features)
{
  gboolean for_token = postbag_secret_get_kind (attempt->account) == POSTBAG_SECRET_TOKEN;
  gboolean takes_token = postbag_imap_mechanism_choose ((const char *const *)features->words, NULL,
                                                        POSTBAG_SECRET_TOKEN, FALSE)
                         != NULL;

  if (attempt->account->auth != NULL)
    return POSTBAG_FAULT_AUTH_NOT_OFFERED;
  if (for_token)
    return POSTBAG_FAULT_NO_TOKEN_LOGIN;
  return takes_token ? POSTBAG_FAULT_NO_PASSWORD_LOGIN : POSTBAG_FAULT_LOGIN_DISABLED;
}

/* In clear text a server hides what it offers inside TLS. */
static const char *
advise_on_fault (const Attempt *attempt, PostbagFault fault)
{
  gboolean in_clear = attempt->account->tls == POSTBAG_TLS_NONE;

  switch ((int)fault)
    {
    case POSTBAG_FAULT_NO_TOKEN_LOGIN:
      return in_clear
                 ? "Set “tls” to implicit or starttls; if it takes no tokens there either, "
                   "configure a password in place of the token."
                 : "It takes no OAuth tokens: configure a password (an app password) in place "
                   "of “token-command” or “token-file”, or check that “host” is the right one.";
    case POSTBAG_FAULT_NO_PASSWORD_LOGIN:
      return "It takes OAuth tokens only: configure “token-command” or “token-file” in place of "
             "the "
             "password.";
    case POSTBAG_FAULT_AUTH_NOT_OFFERED:
      return in_clear
                 ? "Set “tls” to implicit or starttls, or leave “auth” out, or name one that it "
                   "offers."
                 : "Leave “auth” out, or name one that it offers.";
    default:
      return in_clear ? "It takes no password in clear text: set “tls” to implicit or starttls."
                      : "It takes no password by IMAP, at least not from here: many providers have "
                        "to be told in their settings to allow IMAP; else ask the operator.";
    }
}

/* Nothing fits. What would have, is named. */
static void
fail_no_way (const Attempt *attempt, const PostbagImapFeatures *features, GError **error)
{
  const char *auth = attempt->account->auth;
  PostbagFault fault = choose_fault (attempt, features);
  g_autofree char *offer =
      postbag_imap_mechanism_describe_offer ((const char *const *)features->words);
  g_autofree char *wanted =
      auth != NULL ? g_strdup_printf ("the configured “auth = %s”", auth)
                   : g_strdup (postbag_secret_get_kind (attempt->account) == POSTBAG_SECRET_TOKEN
                                   ? "one for a token (OAUTHBEARER, XOAUTH2)"
                                   : "one for a password");

  postbag_set_fault (error, POSTBAG_ERROR_NOT_SUPPORTED, fault,
                     "The mail server %s offers no way to log in that fits: %s%s, and not %s. %s",
                     attempt->wire->place, offer,
                     features->has & POSTBAG_IMAP_HAS_LOGIN_DISABLED ? ", with LOGIN disabled" : "",
                     wanted, advise_on_fault (attempt, fault));
}

/* The command that was there before SASL: only where no mechanism fits. */
static gboolean
may_use_login (const PostbagAccount *account, const PostbagImapFeatures *features)
{
  return postbag_secret_get_kind (account) == POSTBAG_SECRET_PASSWORD
         && (account->auth == NULL || strcmp (account->auth, "login") == 0)
         && (features->has & POSTBAG_IMAP_HAS_LOGIN_DISABLED) == 0;
}

gboolean
postbag_imap_login (PostbagImapWire *wire, const PostbagAccount *account, const char *secret,
                    GError **error)
{
  g_autoptr (PostbagImapFeatures) features = postbag_imap_wire_get_features (wire, error);
  g_autoptr (PostbagImapStatus) status = NULL;
  Attempt attempt = { .wire = wire, .account = account, .secret = secret };
  gboolean fine;

  if (features == NULL)
    return FALSE;
  attempt.mechanism = postbag_imap_mechanism_choose (
      (const char *const *)features->words, account->auth, postbag_secret_get_kind (account),
      postbag_imap_sasl_can_bind (wire->stream));
  /* What is announced before login says nothing of what is there after it. */
  g_clear_pointer (&wire->capabilities, g_strfreev);
  if (attempt.mechanism != NULL)
    status = run_sasl (&attempt, (features->has & POSTBAG_IMAP_HAS_SASL_IR) != 0, error);
  else if (may_use_login (account, features))
    status = run_login (&attempt, error);
  else
    fail_no_way (&attempt, features, error);
  fine = status != NULL
         && (status->condition == POSTBAG_IMAP_OK || fail_refused (&attempt, status, error));
  g_free (attempt.complaint);
  return fine;
}
