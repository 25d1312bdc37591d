/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#include "base/postbag-api.h"

G_BEGIN_DECLS

/**
 * POSTBAG_ERROR:
 *
 * The one error domain callers see. Protocol domains stay inside their plugin and are translated
 * at its edge. A code says what the caller can do next; the message says what happened, where
 * (account, mailbox, uid, part), and the way out.
 */
#define POSTBAG_ERROR (postbag_error_quark ())

/* Values are part of the plugin ABI: append only. */
typedef enum
{
  POSTBAG_ERROR_INVALID_ARGUMENT, /* the caller's value is wrong; call again, corrected */
  POSTBAG_ERROR_NOT_FOUND,        /* no such mailbox, uid, part, tool, account */
  POSTBAG_ERROR_NOT_ALLOWED,      /* policy refuses; a person has to change the configuration */
  POSTBAG_ERROR_NEEDS_LOGIN,      /* no usable credentials are configured */
  POSTBAG_ERROR_LOGIN_REFUSED,    /* the server refused the credentials */
  POSTBAG_ERROR_OFFLINE,          /* the server or folder could not be reached */
  POSTBAG_ERROR_TIMED_OUT,        /* a deadline passed */
  POSTBAG_ERROR_CANCELLED,        /* the caller cancelled */
  POSTBAG_ERROR_BUSY,             /* a bound on work in flight was hit; later again */
  POSTBAG_ERROR_TOO_LARGE,        /* larger than a limit, which the message names */
  POSTBAG_ERROR_NOT_SUPPORTED,    /* this backend, server or build cannot */
  POSTBAG_ERROR_CONFLICT,         /* the state changed meanwhile; list again */
  POSTBAG_ERROR_REMOTE_REFUSED,   /* the mail server said no, its words are in the message */
  POSTBAG_ERROR_BAD_DATA,         /* foreign bytes could not be understood */
  POSTBAG_ERROR_SANDBOX,          /* the extractor's cage failed or was left */
  POSTBAG_ERROR_INTERNAL,         /* our fault */
  POSTBAG_ERROR_NEEDS_INPUT,      /* a person has to answer; the handler is run again then */
  POSTBAG_ERROR_N_CODES
} PostbagErrorCode;

POSTBAG_API GQuark postbag_error_quark (void);

/**
 * PostbagErrorFacts:
 * @nick: short stable word, e.g. `not-found`
 * @text: what happened in one clause, for a caller that has nothing better
 * @next: what to do next, one sentence
 * @retry: whether the same call may succeed later without any change
 *
 * One row of the error table.
 */
typedef struct
{
  const char *nick;
  const char *text;
  const char *next;
  gboolean retry;
} PostbagErrorFacts;

/**
 * postbag_error_get_facts:
 * @code: any code; an unknown one counts as %POSTBAG_ERROR_INTERNAL
 *
 * Returns: (transfer none): the row of @code
 */
POSTBAG_API const PostbagErrorFacts *postbag_error_get_facts (int code);

/* What exactly is wrong on the way to an account's mail, for whom a code is too coarse. Append
 * only.
 */
typedef enum
{
  POSTBAG_FAULT_NONE,                  /* nothing more than the code says */
  POSTBAG_FAULT_TIMED_OUT,             /* no answer within the deadline */
  POSTBAG_FAULT_CLOSED,                /* the server ended it */
  POSTBAG_FAULT_BROKEN,                /* the connection ended it */
  POSTBAG_FAULT_GARBLED,               /* what came is no such protocol */
  POSTBAG_FAULT_FOLDER,                /* no such folder, or not for us */
  POSTBAG_FAULT_SECRET_MISSING,        /* neither a password nor a token is configured */
  POSTBAG_FAULT_SECRET_FILE,           /* the file gives none */
  POSTBAG_FAULT_SECRET_COMMAND,        /* the command gives none */
  POSTBAG_FAULT_NAME_UNKNOWN,          /* the name servers say: there is no such name */
  POSTBAG_FAULT_NAME_SERVER,           /* the name servers do not say */
  POSTBAG_FAULT_CONNECTION_REFUSED,    /* nothing listens there */
  POSTBAG_FAULT_UNREACHABLE,           /* there is no way there */
  POSTBAG_FAULT_CLEARTEXT,             /* the password would go in clear text */
  POSTBAG_FAULT_TLS_FILE,              /* a file of ours for TLS cannot be used */
  POSTBAG_FAULT_NO_TLS,                /* this installation, or that server, has none */
  POSTBAG_FAULT_TLS,                   /* the handshake failed */
  POSTBAG_FAULT_CERTIFICATE_WANTED,    /* the server wants one of ours */
  POSTBAG_FAULT_CERTIFICATE_UNTRUSTED, /* its issuer is not known here */
  POSTBAG_FAULT_CERTIFICATE_SELF_SIGNED,
  POSTBAG_FAULT_CERTIFICATE_NAME, /* it is another host's */
  POSTBAG_FAULT_CERTIFICATE_EXPIRED,
  POSTBAG_FAULT_CERTIFICATE_EARLY, /* not valid yet */
  POSTBAG_FAULT_CERTIFICATE_REVOKED,
  POSTBAG_FAULT_CERTIFICATE_WEAK,
  POSTBAG_FAULT_PIN,               /* not the key that is pinned */
  POSTBAG_FAULT_NO_STARTTLS,       /* not offered, or refused */
  POSTBAG_FAULT_TAMPERED,          /* somebody seems to be in between */
  POSTBAG_FAULT_LOGIN_REFUSED,     /* user name, password or certificate */
  POSTBAG_FAULT_TOKEN_REFUSED,     /* the OAuth token */
  POSTBAG_FAULT_LOGIN_LATER,       /* refused for now */
  POSTBAG_FAULT_LOGIN_DISABLED,    /* no login by a password, at least not in clear text */
  POSTBAG_FAULT_NO_TOKEN_LOGIN,    /* the server takes no tokens */
  POSTBAG_FAULT_NO_PASSWORD_LOGIN, /* the server takes no passwords */
  POSTBAG_FAULT_AUTH_NOT_OFFERED,  /* the one way that is configured is not offered */
  POSTBAG_FAULT_N
} PostbagFault;

/* (transfer none): a short stable word, e.g. `certificate-expired`; "" for what has none */
POSTBAG_API const char *postbag_fault_to_string (PostbagFault fault);

/**
 * postbag_set_fault:
 * @code: what the caller can do
 * @fault: what exactly is wrong
 * @format: what happened, where, and what to do next, printf style
 */
POSTBAG_API void postbag_set_fault (GError **error, PostbagErrorCode code, PostbagFault fault,
                                    const char *format, ...) G_GNUC_PRINTF (4, 5);

/**
 * postbag_error_place:
 * @error: (inout) (nullable): of POSTBAG_ERROR
 * @step: on which step of the way to the mail, a word
 * @fault: what is wrong where the error does not know; %POSTBAG_FAULT_NONE adds nothing
 *
 * Says where @error happened. What it knows already stays: who was nearer knew better.
 */
POSTBAG_API void postbag_error_place (GError **error, const char *step, PostbagFault fault);

/* %POSTBAG_FAULT_NONE for what is not of POSTBAG_ERROR */
POSTBAG_API PostbagFault postbag_error_get_fault (const GError *error);
/* (transfer none) (nullable) */
POSTBAG_API const char *postbag_error_get_step (const GError *error);

/**
 * postbag_error_from_errno:
 * @saved_errno: an `errno` value
 *
 * Returns: the code that fits, e.g. ENOENT gives %POSTBAG_ERROR_NOT_FOUND, ENOSPC and EIO
 *   %POSTBAG_ERROR_OFFLINE, EACCES %POSTBAG_ERROR_NOT_ALLOWED
 */
POSTBAG_API PostbagErrorCode postbag_error_from_errno (int saved_errno);

/**
 * postbag_set_error_from_errno:
 * @saved_errno: an `errno` value
 * @format: what was being done and to what, printf style, e.g. "Cannot read the mailbox “%s”"
 *
 * Sets @error to "FORMAT: strerror. next step." with the code of postbag_error_from_errno().
 */
POSTBAG_API void postbag_set_error_from_errno (GError **error, int saved_errno, const char *format,
                                               ...) G_GNUC_PRINTF (3, 4);

G_END_DECLS
