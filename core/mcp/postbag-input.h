/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <json-glib/json-glib.h>

#include "base/postbag-api.h"
#include "json/postbag-args.h"
#include "mcp/postbag-call.h"

G_BEGIN_DECLS

/* Asking the client for more than a yes: a form, a visit to a page, a model's words, its folders.
 * The re-run shape of postbag_call_ask(): each answers at once when the answer is there, else fails
 * with %POSTBAG_ERROR_NEEDS_INPUT, and the handler, after asking whatever else it needs, returns
 * %FALSE and is run again. What is asked before returning is asked at once where the protocol
 * can (2026-07-28), one after the other up to 2025-11-25.
 *
 * %POSTBAG_ERROR_NOT_SUPPORTED: this client cannot; a caller that cannot do without returns it, and
 * the client learns which capability it would need. %POSTBAG_ERROR_NOT_ALLOWED: the person said no,
 * or nobody answered in time.
 *
 * Sampling and roots are deprecated since 2026-07-28: nothing of ours depends on them. */

typedef enum
{
  POSTBAG_INPUT_FORM,
  POSTBAG_INPUT_URL,
  POSTBAG_INPUT_SAMPLING,
  POSTBAG_INPUT_ROOTS,
} PostbagInputKind;

POSTBAG_API gboolean postbag_call_can_ask (PostbagCall *self, PostbagInputKind kind);

/**
 * postbag_call_ask_form:
 * @key: names the answer inside this call, `[a-z0-9_]+`; the same in every run
 * @schema: JSON text: an object schema of flat fields, as MCP allows them
 *
 * Never for secrets.
 *
 * Returns: (transfer full) (nullable): what was filled in, valid against @schema
 */
POSTBAG_API PostbagArgs *postbag_call_ask_form (PostbagCall *self, const char *key,
                                                const char *message, const char *schema,
                                                GError **error);
/* %TRUE: the person agreed to open the page, no more than that. */
POSTBAG_API gboolean postbag_call_ask_url (PostbagCall *self, const char *key, const char *message,
                                           const char *url, GError **error);
/* The page of that question did what it is for: told to clients of 2025-11-25. */
POSTBAG_API void postbag_call_complete_url (PostbagCall *self, const char *key);
/* @params: JSON text: of sampling/createMessage. (transfer full) (nullable): its result */
POSTBAG_API JsonObject *postbag_call_ask_sampling (PostbagCall *self, const char *key,
                                                   const char *params, GError **error);
/* (transfer full) (nullable): the result of roots/list */
POSTBAG_API JsonObject *postbag_call_ask_roots (PostbagCall *self, const char *key, GError **error);

G_END_DECLS
