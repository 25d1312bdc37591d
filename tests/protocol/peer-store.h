/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "peer.h"
#include "postbag-imap-store-private.h"

G_BEGIN_DECLS

/* A store whose server is a scripted peer, and pieces of scripts. */

#define GREETING "S:* OK [CAPABILITY IMAP4rev1] hello"
#define SCRAM "S:* OK [CAPABILITY IMAP4rev1 SASL-IR AUTH=SCRAM-SHA-256] hello"
#define LOGIN "C:LOGIN", "S:%t OK [CAPABILITY IMAP4rev1] in"
#define LOGIN_WITH(words) "C:LOGIN", "S:%t OK [CAPABILITY IMAP4rev1 " words "] in"
#define EXAMINE_OF(messages)                                                                       \
  "C:EXAMINE", "S:* " messages " EXISTS", "S:* OK [UIDVALIDITY 7] x", "S:* OK [UIDNEXT 44] x",     \
      "S:%t OK [READ-ONLY]"
#define EXAMINE EXAMINE_OF ("3")
#define READY GREETING, LOGIN
#define LISTED(uid, subject)                                                                       \
  "S:* 1 FETCH (UID " uid " FLAGS () RFC822.SIZE 9 BODY[HEADER.FIELDS (FROM TO SUBJECT DATE "      \
  "MESSAGE-ID)] \"Subject: " subject "\")"
#define FETCHED(uid, text)                                                                         \
  "C:UID FETCH " uid, "S:* 1 FETCH (UID " uid " RFC822.SIZE 5 BODY[]<0> {5}", "S:" text ")",       \
      "S:%t OK done"

/* How long a server may be silent, milliseconds. */
#define DEADLINE 800

typedef struct
{
  Peer *peer;
  PostbagAccount *account;
  PostbagImapStore *store;
  gint64 start;
} Fixture;

Fixture *begin (const char *const *const *scripts);
/* (transfer full): what the store sent */
char *end (Fixture *fixture);
void end_quietly (Fixture *fixture);

PostbagFetchedMessage *fetch (Fixture *fixture, guint32 uid, GError **error);
/* Fetching message 9 fails with @code and @words, in time. Without @words time may be the reason,
 * too: the bound on what is read is reached later than the deadline on a slow machine. */
void assert_fetch_fails (Fixture *fixture, int code, const char *words);
void assert_fetch_works (Fixture *fixture, guint32 uid, const char *source);

G_END_DECLS
