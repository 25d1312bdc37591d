/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* postbag_call_ask(): one yes-or-no question in three shapes. A client that can ask a person does
 * so, by a request of ours (legacy) or by a result that asks for a retry (2026-07-28); one that
 * cannot must make the same call twice, the second time with a token. The token proves that and
 * nothing more, and says so. */

#include "mcp/postbag-call-private.h"

#include <string.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"

char *
postbag_call_digest_target (const PostbagQuestion *question)
{
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  const char *target = question->target != NULL ? question->target : "";

  g_checksum_update (checksum, (const guchar *)question->key, (gssize)strlen (question->key) + 1);
  g_checksum_update (checksum, (const guchar *)target, (gssize)strlen (target));
  return g_strdup (g_checksum_get_string (checksum));
}

static gboolean
report_answer (PostbagAnswerKind kind, GError **error)
{
  static const char *const reasons[] = {
    [POSTBAG_ANSWER_DECLINED] = "The person said no. Nothing was changed; do not try again unless "
                                "they ask for it.",
    [POSTBAG_ANSWER_EXPIRED] = "Nobody answered the question in time. Nothing was changed; call "
                               "again when the person is there.",
    [POSTBAG_ANSWER_FAILED] = "The client could not ask the person. Nothing was changed; ask them "
                              "to confirm in their client, then call again.",
  };

  if (kind == POSTBAG_ANSWER_ACCEPTED)
    return TRUE;
  g_set_error_literal (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_ALLOWED, reasons[kind]);
  return FALSE;
}

static gboolean
ask_client (PostbagCall *self, const PostbagQuestion *question, GError **error)
{
  postbag_call_set_pending (self, question);
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NEEDS_INPUT,
               "A person has to answer first. Nothing was changed yet.");
  return FALSE;
}

static char *
make_operation (PostbagCall *self, const PostbagQuestion *question)
{
  return g_strconcat (postbag_call_get_tool (self), "/", question->key, NULL);
}

static const char *
explain_token (PostbagCall *self, const PostbagQuestion *question)
{
  if (question->token_only)
    return "This change wants a second call.";
  if (self->asking_is_off)
    return "This server is configured not to ask the person through the client.";
  return "This client cannot ask the person.";
}

/* @refusal: (nullable): why the token that came did not count */
static void
offer_token (PostbagCall *self, const PostbagQuestion *question, const char *refusal,
             GError **error)
{
  g_autofree char *operation = make_operation (self, question);
  g_autofree char *token = postbag_seal_make_token (
      self->engine->seal, operation, self->principal,
      question->target != NULL ? question->target : "", POSTBAG_LIMIT_QUESTION_SECONDS);

  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NEEDS_INPUT,
               "%s%sNothing was changed yet. %s\n\n%s\n\nTo go ahead, make sure that the person "
               "wants this, then call “%s” again with the same arguments and confirm_token “%s” "
               "within five minutes. The token only proves that the call was made twice, not that "
               "a person agreed.",
               refusal != NULL ? refusal : "", refusal != NULL ? "\n\n" : "",
               explain_token (self, question), question->message, postbag_call_get_tool (self),
               token);
}

/* Whether the token that came is good, not used before; burns it. */
static gboolean
redeem_token (PostbagCall *self, const PostbagQuestion *question, GError **error)
{
  g_autofree char *operation = make_operation (self, question);

  return postbag_seal_check_token (self->engine->seal, operation, self->principal,
                                   question->target != NULL ? question->target : "",
                                   question->token, error)
         && postbag_seal_use_once (self->engine->seal, question->token, error);
}

static gboolean
ask_by_token (PostbagCall *self, const PostbagQuestion *question, GError **error)
{
  g_autofree char *digest = postbag_call_digest_target (question);
  g_autoptr (GError) local_error = NULL;

  if (question->token == NULL || question->token[0] == '\0')
    {
      offer_token (self, question, NULL, error);
      return FALSE;
    }
  if (redeem_token (self, question, &local_error))
    {
      postbag_call_add_answer (self, question->key, digest, POSTBAG_ANSWER_ACCEPTED, NULL);
      return TRUE;
    }
  if (question->token_only)
    offer_token (self, question, local_error->message, error);
  else
    g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_INVALID_ARGUMENT,
                 "%s Nothing was changed. Call “%s” again without confirm_token to get a new one.",
                 local_error->message, postbag_call_get_tool (self));
  return FALSE;
}

gboolean
postbag_call_ask (PostbagCall *self, const PostbagQuestion *question, GError **error)
{
  g_autofree char *digest = postbag_call_digest_target (question);
  const PostbagAnswer *answer = postbag_call_find_answer (self, question->key, digest);
  gboolean can_ask = self->ask_way != POSTBAG_ASK_TOKEN;

  if (answer != NULL)
    return report_answer (answer->kind, error);
  if (can_ask && (!question->token_only || self->engine->require_person))
    return ask_client (self, question, error);
  if (!self->engine->require_person)
    return ask_by_token (self, question, error);
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_ALLOWED,
               "This server does not do this without a person's answer, and %s. Nothing was "
               "changed; use a client that can ask (MCP elicitation).",
               self->asking_is_off ? "it is configured not to ask for one"
                                   : "this client cannot ask for one");
  return FALSE;
}
