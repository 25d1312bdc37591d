/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The error table: what each code means to a caller, in one place. */

#include "base/postbag-error.h"

#include <errno.h>
#include <stdarg.h>

/* Beside code and message. */
typedef struct
{
  PostbagFault fault;
  const char *step; /* (nullable): interned */
} PostbagErrorPrivate;

static void
postbag_error_private_init (PostbagErrorPrivate *self)
{
}

static void
postbag_error_private_copy (const PostbagErrorPrivate *from, PostbagErrorPrivate *to)
{
  *to = *from;
}

static void
postbag_error_private_clear (PostbagErrorPrivate *self)
{
}

G_DEFINE_EXTENDED_ERROR (PostbagError, postbag_error)

static const PostbagErrorFacts error_table[POSTBAG_ERROR_N_CODES] = {
  [POSTBAG_ERROR_INVALID_ARGUMENT] = { "invalid-argument", "a value is not usable",
                                       "Correct the value and call again.", FALSE },
  [POSTBAG_ERROR_NOT_FOUND] = { "not-found", "no such thing",
                                "List again to see what there is now.", FALSE },
  [POSTBAG_ERROR_NOT_ALLOWED] = { "not-allowed", "the configuration does not allow this",
                                  "The person who runs Postbag can change that.", FALSE },
  [POSTBAG_ERROR_NEEDS_LOGIN] = { "needs-login", "no usable account is configured",
                                  "Configure an account; “postbag --help” says how.", FALSE },
  [POSTBAG_ERROR_LOGIN_REFUSED] = { "login-refused", "the mail server refused the login",
                                    "Check the user name and the password; many providers want an "
                                    "app password.",
                                    FALSE },
  [POSTBAG_ERROR_OFFLINE] = { "offline", "the mail could not be reached",
                              "Check that the server or folder is there, then call again.", TRUE },
  [POSTBAG_ERROR_TIMED_OUT] = { "timed-out", "it took too long",
                                "Call again later, or ask for less.", TRUE },
  [POSTBAG_ERROR_CANCELLED] = { "cancelled", "the call was cancelled", "Nothing more was done.",
                                TRUE },
  [POSTBAG_ERROR_BUSY] = { "busy", "too much is going on at once", "Call again in a moment.",
                           TRUE },
  [POSTBAG_ERROR_TOO_LARGE] = { "too-large", "it is larger than the limit", "Ask for less.",
                                FALSE },
  [POSTBAG_ERROR_NOT_SUPPORTED] = { "not-supported", "this is not available here",
                                    "Use another way.", FALSE },
  [POSTBAG_ERROR_CONFLICT] = { "conflict", "the mailbox changed meanwhile",
                               "List the messages again and use the new values.", FALSE },
  [POSTBAG_ERROR_REMOTE_REFUSED] = { "remote-refused", "the mail server refused",
                                     "Read the server's words; they say why.", FALSE },
  [POSTBAG_ERROR_BAD_DATA] = { "bad-data", "the data could not be understood",
                               "It may be damaged; other messages are not affected.", FALSE },
  [POSTBAG_ERROR_SANDBOX] = { "sandbox", "the document reader failed",
                              "The document may be damaged; other documents are not affected.",
                              FALSE },
  [POSTBAG_ERROR_INTERNAL] = { "internal", "Postbag made a mistake", "Please report this.", FALSE },
  [POSTBAG_ERROR_NEEDS_INPUT] = { "needs-input", "a person has to answer first",
                                  "Answer, then call again.", TRUE },
};

static const char *const faults[POSTBAG_FAULT_N] = {
  [POSTBAG_FAULT_NONE] = "",
  [POSTBAG_FAULT_TIMED_OUT] = "timed-out",
  [POSTBAG_FAULT_CLOSED] = "closed",
  [POSTBAG_FAULT_BROKEN] = "broken",
  [POSTBAG_FAULT_GARBLED] = "garbled",
  [POSTBAG_FAULT_FOLDER] = "folder",
  [POSTBAG_FAULT_SECRET_MISSING] = "secret-missing",
  [POSTBAG_FAULT_SECRET_FILE] = "secret-file",
  [POSTBAG_FAULT_SECRET_COMMAND] = "secret-command",
  [POSTBAG_FAULT_NAME_UNKNOWN] = "name-unknown",
  [POSTBAG_FAULT_NAME_SERVER] = "name-server",
  [POSTBAG_FAULT_CONNECTION_REFUSED] = "connection-refused",
  [POSTBAG_FAULT_UNREACHABLE] = "unreachable",
  [POSTBAG_FAULT_CLEARTEXT] = "cleartext",
  [POSTBAG_FAULT_TLS_FILE] = "tls-file",
  [POSTBAG_FAULT_NO_TLS] = "no-tls",
  [POSTBAG_FAULT_TLS] = "tls-failed",
  [POSTBAG_FAULT_CERTIFICATE_WANTED] = "certificate-wanted",
  [POSTBAG_FAULT_CERTIFICATE_UNTRUSTED] = "certificate-untrusted",
  [POSTBAG_FAULT_CERTIFICATE_SELF_SIGNED] = "certificate-self-signed",
  [POSTBAG_FAULT_CERTIFICATE_NAME] = "certificate-name",
  [POSTBAG_FAULT_CERTIFICATE_EXPIRED] = "certificate-expired",
  [POSTBAG_FAULT_CERTIFICATE_EARLY] = "certificate-early",
  [POSTBAG_FAULT_CERTIFICATE_REVOKED] = "certificate-revoked",
  [POSTBAG_FAULT_CERTIFICATE_WEAK] = "certificate-weak",
  [POSTBAG_FAULT_PIN] = "pin",
  [POSTBAG_FAULT_NO_STARTTLS] = "no-starttls",
  [POSTBAG_FAULT_TAMPERED] = "tampered",
  [POSTBAG_FAULT_LOGIN_REFUSED] = "login-refused",
  [POSTBAG_FAULT_TOKEN_REFUSED] = "token-refused",
  [POSTBAG_FAULT_LOGIN_LATER] = "login-later",
  [POSTBAG_FAULT_LOGIN_DISABLED] = "login-disabled",
  [POSTBAG_FAULT_NO_TOKEN_LOGIN] = "no-token-login",
  [POSTBAG_FAULT_NO_PASSWORD_LOGIN] = "no-password-login",
  [POSTBAG_FAULT_AUTH_NOT_OFFERED] = "auth-not-offered",
};

const char *
postbag_fault_to_string (PostbagFault fault)
{
  return (guint)fault < POSTBAG_FAULT_N ? faults[fault] : "";
}

void
postbag_set_fault (GError **error, PostbagErrorCode code, PostbagFault fault, const char *format,
                   ...)
{
  GError *made;
  va_list args;

  if (error == NULL)
    return;
  va_start (args, format);
  made = g_error_new_valist (POSTBAG_ERROR, (int)code, format, args);
  va_end (args);
  postbag_error_get_private (made)->fault = fault;
  g_propagate_error (error, made);
}

void
postbag_error_place (GError **error, const char *step, PostbagFault fault)
{
  PostbagErrorPrivate *details;

  if (error == NULL || *error == NULL || (*error)->domain != POSTBAG_ERROR)
    return;
  details = postbag_error_get_private (*error);
  if (details->step == NULL)
    details->step = g_intern_string (step);
  if (details->fault == POSTBAG_FAULT_NONE)
    details->fault = fault;
}

PostbagFault
postbag_error_get_fault (const GError *error)
{
  return error->domain == POSTBAG_ERROR ? postbag_error_get_private (error)->fault
                                        : POSTBAG_FAULT_NONE;
}

const char *
postbag_error_get_step (const GError *error)
{
  return error->domain == POSTBAG_ERROR ? postbag_error_get_private (error)->step : NULL;
}

const PostbagErrorFacts *
postbag_error_get_facts (int code)
{
  if (code < 0 || code >= POSTBAG_ERROR_N_CODES)
    code = POSTBAG_ERROR_INTERNAL;
  return &error_table[code];
}

PostbagErrorCode
postbag_error_from_errno (int saved_errno)
{
  switch (saved_errno)
    {
    case ENOENT:
    case ENOTDIR:
      return POSTBAG_ERROR_NOT_FOUND;
    case EACCES:
    case EPERM:
    case EROFS:
    case ELOOP:
      return POSTBAG_ERROR_NOT_ALLOWED;
    case ETIMEDOUT:
      return POSTBAG_ERROR_TIMED_OUT;
    case ECANCELED:
      return POSTBAG_ERROR_CANCELLED;
    case EMFILE:
    case ENFILE:
    case EAGAIN:
    case ENOMEM:
      return POSTBAG_ERROR_BUSY;
    case EFBIG:
    case ENAMETOOLONG:
      return POSTBAG_ERROR_TOO_LARGE;
    case EEXIST:
      return POSTBAG_ERROR_CONFLICT;
    case ENOSYS:
    case EOPNOTSUPP:
      return POSTBAG_ERROR_NOT_SUPPORTED;
    default:
      return POSTBAG_ERROR_OFFLINE;
    }
}

static const char *
get_errno_advice (int saved_errno)
{
  switch (saved_errno)
    {
    case ENOENT:
    case ENOTDIR:
      return "Check the path, or list again to see what there is now.";
    case ENOSPC:
    case EDQUOT:
      return "Free some space, then try again.";
    case EACCES:
    case EPERM:
      return "Check the owner and the permissions.";
    case EROFS:
      return "The file system is mounted read-only.";
    default:
      return postbag_error_get_facts (postbag_error_from_errno (saved_errno))->next;
    }
}

void
postbag_set_error_from_errno (GError **error, int saved_errno, const char *format, ...)
{
  g_autofree char *what = NULL;
  va_list args;

  va_start (args, format);
  what = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (error, POSTBAG_ERROR, (int)postbag_error_from_errno (saved_errno), "%s: %s. %s",
               what, g_strerror (saved_errno), get_errno_advice (saved_errno));
}
