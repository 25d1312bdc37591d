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
