/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

#include "base/postbag-api.h"
#include "base/postbag-clock.h"
#include "base/postbag-settings.h"

G_BEGIN_DECLS

/**
 * PostbagCall:
 *
 * One call of a tool (or of another handler of the toolset) on its worker thread: who calls
 * (principal), with which settings, how to report progress, whether it was cancelled, and how to
 * ask a person. The handler blocks freely; it never touches JSON text, sockets or threads itself.
 */
typedef struct _PostbagCall PostbagCall;

/* "" where it is not a tool's. */
POSTBAG_API const char *postbag_call_get_tool (PostbagCall *self);
/* Who calls: "local" on stdio. What is remembered between calls is keyed by it (and the account).
 */
POSTBAG_API const char *postbag_call_get_principal (PostbagCall *self);
POSTBAG_API GCancellable *postbag_call_get_cancellable (PostbagCall *self);
POSTBAG_API PostbagClock *postbag_call_get_clock (PostbagCall *self);
/* (transfer none): the settings of this call's toolset (environment dialect, file, options) */
POSTBAG_API PostbagSettings *postbag_call_get_settings (PostbagCall *self);

/* Whether the clients of this surface have the tool: what it would tell may be told elsewhere. */
POSTBAG_API gboolean postbag_call_has_tool (PostbagCall *self, const char *name);

/**
 * postbag_call_get_service:
 * @type: a GType
 *
 * Returns: (transfer none) (nullable): the process-wide object of that type that the program put
 *   on this surface, e.g. the accounts
 */
POSTBAG_API gpointer postbag_call_get_service (PostbagCall *self, GType type);

/**
 * postbag_call_report_progress:
 * @progress: must grow from report to report
 * @total: or 0 when unknown
 * @message: (nullable): a few words, ours, never a sender's
 *
 * Sent only where the client gave a progress token, at most every
 * POSTBAG_LIMIT_PROGRESS_INTERVAL_US, never after the result.
 */
POSTBAG_API void postbag_call_report_progress (PostbagCall *self, double progress, double total,
                                               const char *message);

/* @was_told: the transport has written the whole answer; else nobody got it (the client left, the
 * call was cancelled, the program ends) */
typedef void (*PostbagToldFunc) (gpointer user_data, gboolean was_told);

/**
 * postbag_call_when_told:
 *
 * @told is called exactly once, on the main thread: when what this run of the handler tells has
 * left, or when it is certain that it will not.
 */
POSTBAG_API void postbag_call_when_told (PostbagCall *self, PostbagToldFunc told,
                                         gpointer user_data);

typedef enum
{
  POSTBAG_LOG_DEBUG,
  POSTBAG_LOG_INFO,
  POSTBAG_LOG_NOTICE,
  POSTBAG_LOG_WARNING,
  POSTBAG_LOG_ERROR,
  POSTBAG_LOG_CRITICAL,
  POSTBAG_LOG_ALERT,
  POSTBAG_LOG_EMERGENCY,
} PostbagLogLevel;

/**
 * postbag_call_log:
 * @logger: (nullable)
 * @text: ours, without secrets and without mail
 *
 * A message to the client that wants them, at most POSTBAG_LIMIT_LOG_MESSAGES a second. Deprecated
 * in 2026-07-28. Only where the toolset's features.json says `logging`.
 */
POSTBAG_API void postbag_call_log (PostbagCall *self, PostbagLogLevel level, const char *logger,
                                   const char *text);

typedef enum
{
  POSTBAG_LIST_TOOLS,
  POSTBAG_LIST_PROMPTS,
  POSTBAG_LIST_RESOURCES,
  POSTBAG_LIST_N
} PostbagListKind;

/**
 * postbag_call_announce_change:
 *
 * What the list of that kind shows has changed: clients that want to know are told, at most once
 * every POSTBAG_LIMIT_UPDATE_INTERVAL_MS. Only for lists that the toolset's features.json names in
 * `listChanged`.
 */
POSTBAG_API void postbag_call_announce_change (PostbagCall *self, PostbagListKind kind);

/**
 * PostbagQuestion:
 * @key: names the answer inside this call, `[a-z_]+`; the same in every run
 * @message: what the person is asked; ours, caller-chosen names on separate labelled lines
 * @target: (nullable): operation and sorted target set, unambiguously encoded; an answer given
 *   for another target is no answer
 * @token: (nullable): the confirm_token argument of a client that cannot ask
 * @token_only: the change can be taken back: a second call with the token is enough, the person is
 *   not asked; a token that does not fit gets a new one
 *
 * A yes-or-no question to the person behind the client.
 */
typedef struct
{
  const char *key;
  const char *message;
  const char *target;
  const char *token;
  gboolean token_only;
} PostbagQuestion;

/**
 * postbag_call_ask:
 *
 * The re-run shape of asking: answers at once when the person's answer is there; else fails with
 * %POSTBAG_ERROR_NEEDS_INPUT, the handler returns %FALSE without having had any effect, and is run
 * again from its start when the answer has come. One shape for elicitation (legacy revisions),
 * multi round-trip requests (2026-07-28) and the two-call token. No thread waits for a person.
 *
 * Returns: %TRUE only when the person accepted; %FALSE with %POSTBAG_ERROR_NEEDS_INPUT,
 *   %POSTBAG_ERROR_NOT_ALLOWED (declined, cancelled, expired) or %POSTBAG_ERROR_INVALID_ARGUMENT
 *   (a token that does not fit)
 */
POSTBAG_API gboolean postbag_call_ask (PostbagCall *self, const PostbagQuestion *question,
                                       GError **error);

G_END_DECLS
