/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#include "base/postbag-api.h"
#include "mail/postbag-mail-types.h"

G_BEGIN_DECLS

/**
 * PostbagSecurity:
 *
 * @spf, @dkim, @dmarc: words of RFC 8601, lower case, or "unknown"
 * @authserv_id: (nullable): who says so
 * @forgeable: @authserv_id is not the one that is trusted: the verdicts prove nothing
 * @suspicious: (element-type utf8): names of the shapes that were found, constants
 * @script_mix: (element-type utf8): words that mix alphabets, cleaned
 * @warnings: (element-type utf8): codes, "reply_to_other_domain", ...
 *
 * What could be said about a message's trustworthiness. Signals never filter.
 */
typedef struct
{
  char *spf;
  char *dkim;
  char *dmarc;
  char *authserv_id;
  gboolean forgeable;
  GPtrArray *suspicious;
  GPtrArray *script_mix;
  GPtrArray *warnings;
} PostbagSecurity;

POSTBAG_API void postbag_security_free (PostbagSecurity *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagSecurity, postbag_security_free)

/**
 * PostbagSecurityInput:
 * @from, @reply_to: (nullable) (element-type PostbagAddress)
 * @subject: (nullable): decoded, not cleaned
 * @texts: (nullable) (array zero-terminated=1): what a reader may see, each alternative, not
 *   cleaned
 * @strings: (nullable) (array zero-terminated=1): other short strings that the sender chose: names
 *   of attachments, message ids
 * @authentication_results: (nullable) (array zero-terminated=1): values of those fields, unfolded,
 *   top first; only the first is believed, and only where it is the trusted one's
 * @own_address: (nullable): whose mailbox this is
 * @trusted_authserv_id: (nullable): whose Authentication-Results are believed
 * @first_time_sender: whether this sender never wrote before
 * @contacts: (nullable) (element-type PostbagAddress): people known to have written before
 *
 * What is known of a message that its trustworthiness is judged by. Everything (transfer none).
 */
typedef struct
{
  GPtrArray *from;
  GPtrArray *reply_to;
  const char *subject;
  const char *const *texts;
  const char *const *strings;
  const char *const *authentication_results;
  const char *own_address;
  const char *trusted_authserv_id;
  PostbagTristate first_time_sender;
  GPtrArray *contacts;
} PostbagSecurityInput;

/* (transfer full): bounded and linear in the input; never fails */
POSTBAG_API PostbagSecurity *postbag_security_examine (const PostbagSecurityInput *input);

/* Adds a code to @self's warnings, once. */
POSTBAG_API void postbag_security_warn (PostbagSecurity *self, const char *code);

/* Adds the names of the shapes in @text to @shapes (const char *), each once. Linear.
 * @text: (nullable): any bytes, as the sender wrote them */
POSTBAG_API void postbag_shapes_find (const char *text, GPtrArray *shapes);

/* How many characters of words stand in only one of the two alternatives of a text. Linear. */
POSTBAG_API void postbag_alternatives_compare (const char *plain, const char *html,
                                               gsize *only_plain, gsize *only_html);

G_END_DECLS
