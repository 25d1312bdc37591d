/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "json/postbag-result.h"
#include "mime/postbag-message.h"
#include "safety/postbag-signals.h"

G_BEGIN_DECLS

/**
 * PostbagMessageContext:
 * @whole: (nullable): structure of the whole message, where only its first bytes were parsed
 * @own_address: (nullable): whose mailbox it lies in
 * @trusted_authserv_id: (nullable): whose Authentication-Results are believed
 * @first_time_sender: whether its sender never wrote before
 * @contacts: (nullable) (element-type PostbagAddress): people who have written before
 *
 * What is known beside a message when it is judged. Everything (transfer none).
 */
typedef struct
{
  const PostbagPart *whole;
  const char *own_address;
  const char *trusted_authserv_id;
  PostbagTristate first_time_sender;
  GPtrArray *contacts;
} PostbagMessageContext;

/**
 * PostbagMessageSecurity:
 * @security: its warnings hold those of the message and of its text too
 * @report: of what nobody can see in the text that is shown, and in the HTML
 * @only_plain, @only_html: characters of words that only one of the two forms of the text has; 0
 *   where they say the same
 *
 * What is told beside a message.
 */
typedef struct
{
  PostbagSecurity *security;
  PostbagHtmlReport *report;
  gsize only_plain;
  gsize only_html;
} PostbagMessageSecurity;

/* (transfer full): @body: what postbag_message_choose_body() gave, or the whole of it */
POSTBAG_API PostbagMessageSecurity *postbag_message_examine (PostbagMessage *self,
                                                             const PostbagBody *body,
                                                             const PostbagMessageContext *context);
POSTBAG_API void postbag_message_security_free (PostbagMessageSecurity *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagMessageSecurity, postbag_message_security_free)

/* The member `security` of the object that is open in @result: cleaned and bounded. */
POSTBAG_API void postbag_message_security_write (const PostbagMessageSecurity *self,
                                                 PostbagResult *result);

G_END_DECLS
