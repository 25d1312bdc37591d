/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#include "base/postbag-api.h"
#include "mail/postbag-mail-types.h"

G_BEGIN_DECLS

/**
 * PostbagSecurity:
 *
 * What could be said about a message's trustworthiness. Verdicts are lower-case words of RFC 8601
 * or "unknown". Signals never filter.
 */
typedef struct
{
  char *spf;
  char *dkim;
  char *dmarc;
  char *authserv_id; /* (nullable) */
  gboolean forgeable;
  gboolean examined;     /* %FALSE: signals were not looked for */
  GPtrArray *suspicious; /* const char *: names of shapes */
  GPtrArray *script_mix; /* char *: words */
} PostbagSecurity;

POSTBAG_API void postbag_security_free (PostbagSecurity *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagSecurity, postbag_security_free)

/* (transfer full): everything "unknown", forgeable, not examined */
POSTBAG_API PostbagSecurity *postbag_security_new_unknown (void);

/**
 * PostbagSecurityInput:
 * @from, @reply_to: (element-type PostbagAddress)
 * @subject: (nullable): decoded, not cleaned
 * @text: what a reader would see, not cleaned
 * @filenames: (nullable) (array zero-terminated=1): of the attachments, as the sender wrote them
 * @top_fields: (array zero-terminated=1): the header fields above and including the first
 *   Authentication-Results field, "Name: value", unfolded, top first
 * @own_address: (nullable): whose mailbox this is
 * @trusted_authserv_id: (nullable): whose Authentication-Results are believed
 * @first_time_sender: whether earlier mail of this sender is known
 *
 * What is known of a message that its trustworthiness is judged by. Everything (transfer none).
 */
typedef struct
{
  GPtrArray *from;
  GPtrArray *reply_to;
  const char *subject;
  const char *text;
  const char *const *filenames;
  const char *const *top_fields;
  const char *own_address;
  const char *trusted_authserv_id;
  PostbagTristate first_time_sender;
} PostbagSecurityInput;

/* (transfer full): bounded and linear in the input; never fails */
POSTBAG_API PostbagSecurity *postbag_security_examine (const PostbagSecurityInput *input);

G_END_DECLS
