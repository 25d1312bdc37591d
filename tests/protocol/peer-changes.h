/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "peer-store.h"

G_BEGIN_DECLS

/* One change over a scripted server: what is sent, and what is said to have happened. */

#define SELECT(flags)                                                                              \
  "C:SELECT \"INBOX\"", "S:* 3 EXISTS", "S:* OK [PERMANENTFLAGS (" flags ")] x",                   \
      "S:* OK [UIDVALIDITY 7] x", "S:%t OK [READ-WRITE] in"
#define ALL "\\Answered \\Flagged \\Deleted \\Seen \\Draft \\*"
#define THERE(set) "C:UID FETCH " set " (UID FLAGS)"
#define MESSAGE(uid, flags) "S:* 1 FETCH (UID " uid " FLAGS (" flags "))"
#define OK "S:%t OK"

typedef struct
{
  PostbagEffectReport *report;
  GError *error;
  char *log; /* what the store sent */
} Result;

void clear_result (Result *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Result, clear_result)

/* Of INBOX, whose UIDVALIDITY is 7; @uids: (nullable): "5 7" */
PostbagEffect *make_effect (PostbagEffectKind kind, const char *uids, const char *destination);
/* Takes @effect. */
Result apply (const char *const *const *scripts, PostbagEffect *effect);

/* "5 7" */
void assert_uids (const GArray *uids, const char *expected);
void assert_never_sent (const Result *result, const char *words);
void assert_nothing_happened (const Result *result, int code, const char *words);

/* A connection for reading logs in first, then the one for writing. */
#define RUN(effect, words, ...)                                                                    \
  static const char *const reading[] = { GREETING, LOGIN_WITH (words), "STALL", NULL };            \
  static const char *const writing[] = { GREETING, LOGIN_WITH (words), __VA_ARGS__, "STALL",       \
                                         NULL };                                                   \
  static const char *const *const scripts[] = { reading, writing, NULL };                          \
  g_auto (Result) result = apply (scripts, effect)

G_END_DECLS
