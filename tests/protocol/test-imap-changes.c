/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Changes of messages by what the server can do and how it fails: what goes over the wire, and what
 * is said to have happened. */

#include <string.h>

#include "base/postbag-error.h"
#include "peer-changes.h"

/* --- one after the other --- */

typedef struct
{
  Fixture *fixture;
  GCancellable *cancellable;
  int is_over;
} Change;

static gpointer
change_in_thread (gpointer data)
{
  Change *change = data;
  g_autoptr (PostbagEffect) effect = make_effect (POSTBAG_EFFECT_STORE_FLAGS, "5", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagEffectReport) report = NULL;

  effect->add_flags = POSTBAG_FLAG_FLAGGED;
  report = postbag_imap_store.apply (change->fixture->store, effect, change->cancellable, &error);
  g_assert_nonnull (error);
  g_atomic_int_set (&change->is_over, TRUE);
  return NULL;
}

static gpointer
cancel_soon (gpointer cancellable)
{
  g_usleep (100 * 1000);
  g_cancellable_cancel (cancellable);
  return NULL;
}

/* The server stalls amid the first change: who waits behind it can still be told to stop. */
static void
test_cancelled_behind_another (void)
{
  static const char *const reading[] = { GREETING, LOGIN_WITH (""), "STALL", NULL };
  static const char *const writing[] = { GREETING, LOGIN_WITH (""), "STALL", NULL };
  static const char *const *const scripts[] = { reading, writing, NULL };
  g_autoptr (GCancellable) early = g_cancellable_new ();
  g_autoptr (GCancellable) late = g_cancellable_new ();
  Fixture *fixture = begin (scripts);
  Change first = { fixture, late, FALSE };
  Change second = { fixture, early, FALSE };
  GThread *thread = g_thread_new ("first", change_in_thread, &first);
  GThread *canceller;

  g_usleep (50 * 1000);
  canceller = g_thread_new ("cancel", cancel_soon, early);
  change_in_thread (&second);
  g_assert_false (g_atomic_int_get (&first.is_over));
  g_cancellable_cancel (late);
  g_thread_join (thread);
  g_thread_join (canceller);
  g_free (end (fixture));
}

/* --- flags --- */

static void
test_flags (void)
{
  static const char *const keywords[] = { "Work", NULL };
  PostbagEffect *effect = make_effect (POSTBAG_EFFECT_STORE_FLAGS, "5 6 7", NULL);
  effect->add_flags = POSTBAG_FLAG_FLAGGED;
  effect->add_keywords = g_strdupv ((char **)keywords);
  effect->remove_flags = POSTBAG_FLAG_SEEN;
  RUN (effect, "", SELECT (ALL), THERE ("5:7"), MESSAGE ("5", "\\Seen"), MESSAGE ("7", ""), OK,
       "C:UID STORE 5,7 +FLAGS (\\Flagged Work)", MESSAGE ("5", "\\Seen \\Flagged work"),
       "S:* 9 EXISTS", OK, "C:UID STORE 5,7 -FLAGS (\\Seen)", MESSAGE ("5", "\\Flagged Work"), OK);

  g_assert_no_error (result.error);
  assert_uids (result.report->done, "5 7");
}

/* What somebody else does to another message meanwhile is told between our STORE and its OK: the
 * second half of our change is not left out for that. */
static void
test_flags_of_others (void)
{
  PostbagEffect *effect = make_effect (POSTBAG_EFFECT_STORE_FLAGS, "5 7", NULL);
  effect->add_flags = POSTBAG_FLAG_FLAGGED;
  effect->remove_flags = POSTBAG_FLAG_SEEN;
  RUN (effect, "", SELECT (ALL), THERE ("5,7"), MESSAGE ("5", "\\Seen"), MESSAGE ("7", ""), OK,
       "C:UID STORE 5,7 +FLAGS (\\Flagged)", MESSAGE ("5", "\\Seen \\Flagged"),
       MESSAGE ("6", "\\Seen"), MESSAGE ("7", "\\Flagged"), OK, "C:UID STORE 5,7 -FLAGS (\\Seen)",
       MESSAGE ("5", "\\Flagged"), MESSAGE ("8", "\\Seen"), OK);

  g_assert_no_error (result.error);
  assert_uids (result.report->done, "5 7");
}

/* the server would say OK and forget it. */
static void
test_keyword_not_kept (void)
{
  static const char *const keywords[] = { "Work", NULL };
  PostbagEffect *effect = make_effect (POSTBAG_EFFECT_STORE_FLAGS, "5", NULL);
  effect->add_keywords = g_strdupv ((char **)keywords);
  RUN (effect, "", SELECT ("\\Answered \\Seen \\Deleted"), THERE ("5"), MESSAGE ("5", ""), OK);

  assert_nothing_happened (&result, POSTBAG_ERROR_NOT_SUPPORTED, "does not keep the flag");
  assert_never_sent (&result, "STORE");
}

static void
test_keyword_that_is_none (void)
{
  static const char *const keywords[] = { "a b(", NULL };
  PostbagEffect *effect = make_effect (POSTBAG_EFFECT_STORE_FLAGS, "5", NULL);
  effect->add_keywords = g_strdupv ((char **)keywords);
  RUN (effect, "", SELECT (ALL), THERE ("5"), MESSAGE ("5", ""), OK);

  assert_nothing_happened (&result, POSTBAG_ERROR_INVALID_ARGUMENT, "flag or keyword");
  assert_never_sent (&result, "STORE");
}

/* OK is said, and the flags show that it was not done. */
static void
test_flag_forgotten (void)
{
  PostbagEffect *effect = make_effect (POSTBAG_EFFECT_STORE_FLAGS, "5", NULL);
  effect->add_flags = POSTBAG_FLAG_FLAGGED;
  RUN (effect, "", SELECT (ALL), THERE ("5"), MESSAGE ("5", ""), OK,
       "C:UID STORE 5 +FLAGS (\\Flagged)", MESSAGE ("5", ""), OK, THERE ("5"), MESSAGE ("5", ""),
       OK);

  assert_nothing_happened (&result, POSTBAG_ERROR_REMOTE_REFUSED, "did not set");
}

/* Refused, and done for some (RFC 2180 section 4.2.2): 5 as asked, 6 half, 7 not, 8 gone. */
static void
test_flags_half_done (void)
{
  PostbagEffect *effect = make_effect (POSTBAG_EFFECT_STORE_FLAGS, "5 6 7 8", NULL);
  effect->add_flags = POSTBAG_FLAG_FLAGGED | POSTBAG_FLAG_SEEN;
  RUN (effect, "", SELECT (ALL), THERE ("5:8"), MESSAGE ("5", ""), MESSAGE ("6", ""),
       MESSAGE ("7", "\\Answered"), MESSAGE ("8", ""), OK,
       "C:UID STORE 5:8 +FLAGS (\\Seen \\Flagged)", "S:%t NO some are gone", THERE ("5:8"),
       MESSAGE ("5", "\\seen \\flagged"), MESSAGE ("6", "\\Seen"), MESSAGE ("7", "\\Answered"), OK);

  g_assert_error (result.error, POSTBAG_ERROR, POSTBAG_ERROR_REMOTE_REFUSED);
  assert_uids (result.report->done, "5");
  assert_uids (result.report->unknown, "6");
}

/* Refused, and then nothing can be seen. */
static void
test_flags_refused_and_lost (void)
{
  static const char *const reading[] = { READY, "STALL", NULL };
  static const char *const writing[] = { READY, SELECT (ALL),  THERE ("5"),       MESSAGE ("5", ""),
                                         OK,    "C:UID STORE", "S:%t NO not now", THERE ("5"),
                                         NULL };
  static const char *const *const scripts[] = { reading, writing, NULL };
  PostbagEffect *effect = make_effect (POSTBAG_EFFECT_STORE_FLAGS, "5", NULL);
  effect->add_flags = POSTBAG_FLAG_FLAGGED;
  g_auto (Result) result = apply (scripts, effect);

  g_assert_error (result.error, POSTBAG_ERROR, POSTBAG_ERROR_REMOTE_REFUSED);
  assert_uids (result.report->unknown, "5");
}

/* Out of order, and one twice. */
static void
test_any_order (void)
{
  PostbagEffect *effect = make_effect (POSTBAG_EFFECT_STORE_FLAGS, "5 6 7", NULL);
  effect->add_flags = POSTBAG_FLAG_FLAGGED;
  RUN (effect, "", SELECT (ALL), THERE ("5:7"), MESSAGE ("7", ""), MESSAGE ("5", ""),
       MESSAGE ("7", ""), OK, "C:UID STORE 5,7 +FLAGS (\\Flagged)", OK);

  g_assert_no_error (result.error);
  assert_uids (result.report->done, "5 7");
}

/* The uids belong to another mailbox now: seen before anything is changed. */
static void
test_uid_validity (void)
{
  PostbagEffect *effect = make_effect (POSTBAG_EFFECT_MOVE, "5", "Archive");
  effect->uid_validity = 6;
  RUN (effect, "MOVE", SELECT (ALL), THERE ("5"), MESSAGE ("5", ""), OK);

  assert_nothing_happened (&result, POSTBAG_ERROR_CONFLICT, "anew");
  assert_never_sent (&result, "MOVE");
}

static void
test_read_only (void)
{
  RUN (make_effect (POSTBAG_EFFECT_MOVE, "5", "Archive"), "MOVE", "C:SELECT",
       "S:* OK [UIDVALIDITY 7] x", "S:%t OK [READ-ONLY] in", THERE ("5"), MESSAGE ("5", ""), OK);

  assert_nothing_happened (&result, POSTBAG_ERROR_NOT_ALLOWED, "only be read");
  assert_never_sent (&result, "MOVE");
}

/* What is copied only has to be read. */
static void
test_copy_from_read_only (void)
{
  RUN (make_effect (POSTBAG_EFFECT_COPY, "5", "Archive"), "", "C:SELECT",
       "S:* OK [UIDVALIDITY 7] x", "S:%t OK [READ-ONLY] in", THERE ("5"), MESSAGE ("5", ""), OK,
       "C:UID COPY 5 \"Archive\"", OK);

  g_assert_no_error (result.error);
  assert_uids (result.report->done, "5");
}

static void
test_none_there (void)
{
  RUN (make_effect (POSTBAG_EFFECT_PURGE, "5", NULL), "UIDPLUS", SELECT (ALL), THERE ("5"), OK);

  g_assert_no_error (result.error);
  assert_uids (result.report->done, "");
  assert_never_sent (&result, "STORE");
}

/* --- the mailbox that somebody said yes to --- */

static PostbagEffect *
make_agreed (PostbagEffectKind kind, const char *uids)
{
  PostbagEffect *effect = make_effect (kind, uids, "Archive");

  effect->destination_uid_validity = 3;
  return effect;
}

/* The destination is looked at without a trip of its own: the server answers nothing before it has
 * all three. */
#define LOOK(...)                                                                                  \
  "C:STATUS \"Archive\" (UIDVALIDITY)", "C:SELECT \"INBOX\"", THERE ("5"), __VA_ARGS__,            \
      "S:* OK [UIDVALIDITY 7] x", "S:%1 OK [READ-WRITE] in", MESSAGE ("5", ""), OK

static void
test_destination (void)
{
  RUN (make_agreed (POSTBAG_EFFECT_MOVE, "5"), "MOVE",
       LOOK ("S:* STATUS \"Archive\" (UIDVALIDITY 3)", "S:%2 OK"), "C:UID MOVE 5 \"Archive\"",
       "S:%t OK [COPYUID 3 5 40] Moved");

  g_assert_no_error (result.error);
  assert_uids (result.report->done, "5");
}

static void
test_destination_of_a_copy (void)
{
  RUN (make_agreed (POSTBAG_EFFECT_COPY, "5"), "",
       LOOK ("S:* STATUS \"Archive\" (UIDVALIDITY 3)", "S:%2 OK"), "C:UID COPY 5 \"Archive\"", OK);

  g_assert_no_error (result.error);
  assert_uids (result.report->done, "5");
}

/* Made anew, gone, or a server that does not say: nothing is sent that would change anything. */
static void
test_other_destination (void)
{
  static const struct
  {
    const char *status;
    const char *end;
    int code;
    const char *words;
  } cases[] = {
    { "S:* STATUS \"Archive\" (UIDVALIDITY 4)", "S:%2 OK", POSTBAG_ERROR_CONFLICT,
      "“Archive” is another" },
    { "S:* 4 EXISTS", "S:%2 OK", POSTBAG_ERROR_CONFLICT, "“Archive” is another" },
    { "S:* 4 EXISTS", "S:%2 NO none", POSTBAG_ERROR_NOT_FOUND, "Archive" },
  };
  static const PostbagEffectKind kinds[] = { POSTBAG_EFFECT_MOVE, POSTBAG_EFFECT_COPY };

  for (gsize i = 0; i < G_N_ELEMENTS (cases) * G_N_ELEMENTS (kinds); i++)
    {
      gsize n = i / G_N_ELEMENTS (kinds);
      const char *const reading[] = { GREETING, LOGIN_WITH ("MOVE"), "STALL", NULL };
      const char *const writing[] = { GREETING, LOGIN_WITH ("MOVE"),
                                      LOOK (cases[n].status, cases[n].end), "STALL", NULL };
      const char *const *const scripts[] = { reading, writing, NULL };
      g_auto (Result) result = apply (scripts, make_agreed (kinds[i % G_N_ELEMENTS (kinds)], "5"));

      assert_nothing_happened (&result, cases[n].code, cases[n].words);
      assert_never_sent (&result, "UID MOVE");
      assert_never_sent (&result, "UID COPY");
    }
}

/* Another one got the name after the last look: said, and where the originals can stay, they do. */
static void
test_destination_made_anew_just_then (void)
{
  static const struct
  {
    PostbagEffectKind kind;
    const char *words, *command;
    const char *code;
    const char *done, *copied;
  } cases[] = {
    { POSTBAG_EFFECT_MOVE, "MOVE", "C:UID MOVE", "4 5 40", "5", "" },
    { POSTBAG_EFFECT_MOVE, "MOVE", "C:UID MOVE", "4 7,8 40,41", "5", "" },
    { POSTBAG_EFFECT_COPY, "MOVE", "C:UID COPY", "4 5 40", "5", "" },
    { POSTBAG_EFFECT_MOVE, "UIDPLUS", "C:UID COPY", "4 5 40", "", "5" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *login =
          g_strdup_printf ("S:%%t OK [CAPABILITY IMAP4rev1 %s] in", cases[i].words);
      g_autofree char *answer = g_strdup_printf ("S:%%t OK [COPYUID %s] Done", cases[i].code);
      const char *const reading[] = { GREETING, "C:LOGIN", login, "STALL", NULL };
      const char *const writing[] = { GREETING,
                                      "C:LOGIN",
                                      login,
                                      LOOK ("S:* STATUS \"Archive\" (UIDVALIDITY 3)", "S:%2 OK"),
                                      cases[i].command,
                                      answer,
                                      "STALL",
                                      NULL };
      const char *const *const scripts[] = { reading, writing, NULL };
      g_auto (Result) result = apply (scripts, make_agreed (cases[i].kind, "5"));

      g_assert_error (result.error, POSTBAG_ERROR, POSTBAG_ERROR_CONFLICT);
      g_assert_nonnull (strstr (result.error->message, "another mailbox had got that name"));
      assert_uids (result.report->done, cases[i].done);
      assert_uids (result.report->copied, cases[i].copied);
      assert_never_sent (&result, "STORE");
    }
}

/* --- move --- */

static void
test_move (void)
{
  RUN (make_effect (POSTBAG_EFFECT_MOVE, "5 7 9", "Archive"), "MOVE UIDPLUS", SELECT (ALL),
       THERE ("5,7,9"), MESSAGE ("5", ""), MESSAGE ("7", ""), MESSAGE ("9", ""), OK,
       "C:UID MOVE 5,7,9 \"Archive\"", "S:* OK [COPYUID 432 5,7,9 40,42:43] Moved", "S:* 1 EXPUNGE",
       "S:* 1 EXPUNGE", "S:* 1 EXPUNGE", OK);

  g_assert_no_error (result.error);
  assert_uids (result.report->done, "5 7 9");
  g_assert_cmpuint (result.report->uid_map->len, ==, 3);
  g_assert_cmpuint (g_array_index (result.report->uid_map, PostbagUidPair, 1).from, ==, 7);
  g_assert_cmpuint (g_array_index (result.report->uid_map, PostbagUidPair, 1).to, ==, 42);
}

/* A map that lies about how many there are is none. */
static void
test_move_with_a_wrong_map (void)
{
  RUN (make_effect (POSTBAG_EFFECT_MOVE, "5", "Archive"), "MOVE", SELECT (ALL), THERE ("5"),
       MESSAGE ("5", ""), OK, "C:UID MOVE 5 \"Archive\"",
       "S:%t OK [COPYUID 432 1:4294967295 1:4294967295] Moved");

  g_assert_no_error (result.error);
  assert_uids (result.report->done, "5");
  g_assert_cmpuint (result.report->uid_map->len, ==, 0);
}

static void
test_move_in_steps (void)
{
  RUN (make_effect (POSTBAG_EFFECT_MOVE, "5", "Archive"), "UIDPLUS", SELECT (ALL), THERE ("5"),
       MESSAGE ("5", ""), OK, "C:UID COPY 5 \"Archive\"", "S:%t OK [COPYUID 432 5 40] Copied",
       "C:UID STORE 5 +FLAGS.SILENT (\\Deleted)", OK, "C:UID EXPUNGE 5", "S:* 1 EXPUNGE", OK);

  g_assert_no_error (result.error);
  assert_uids (result.report->done, "5");
  g_assert_cmpuint (g_array_index (result.report->uid_map, PostbagUidPair, 0).to, ==, 40);
}

/* A refusal names the mailbox that the command was about. */
static void
test_move_in_steps_refused (void)
{
  RUN (make_effect (POSTBAG_EFFECT_MOVE, "5", "Archive"), "UIDPLUS", SELECT (ALL), THERE ("5"),
       MESSAGE ("5", ""), OK, "C:UID COPY 5 \"Archive\"", "S:%t OK [COPYUID 432 5 40] Copied",
       "C:UID STORE 5 +FLAGS.SILENT (\\Deleted)", "S:%t NO not here",
       "C:UID STORE 5 -FLAGS.SILENT (\\Deleted)", OK, "C:UID FETCH 5 (UID)", "S:* 1 FETCH (UID 5)",
       OK);

  g_assert_nonnull (result.error);
  assert_uids (result.report->copied, "5");
  g_assert_nonnull (strstr (result.error->message, "not here"));
  g_assert_nonnull (strstr (result.error->message, "INBOX"));
  g_assert_null (strstr (result.error->message, "Archive"));
}

/* 7 went between the look and the copy: what was not copied is never removed. */
static void
test_move_in_steps_without_one (void)
{
  RUN (make_effect (POSTBAG_EFFECT_MOVE, "5 7 9", "Archive"), "UIDPLUS", SELECT (ALL),
       THERE ("5,7,9"), MESSAGE ("5", ""), MESSAGE ("7", ""), MESSAGE ("9", ""), OK,
       "C:UID COPY 5,7,9 \"Archive\"", "S:%t OK [COPYUID 432 5,9 40:41] Copied",
       "C:UID STORE 5,9 +FLAGS.SILENT (\\Deleted)", OK, "C:UID EXPUNGE 5,9", OK,
       "C:UID FETCH 7 (UID)", OK);

  g_assert_no_error (result.error);
  assert_uids (result.report->done, "5 9");
  assert_never_sent (&result, "EXPUNGE 5,7");
}

/* The same, but it is still there: that is no "not there any more". */
static void
test_copy_without_one (void)
{
  RUN (make_effect (POSTBAG_EFFECT_COPY, "5 7", "Archive"), "UIDPLUS", SELECT (ALL), THERE ("5,7"),
       MESSAGE ("5", ""), MESSAGE ("7", ""), OK, "C:UID COPY 5,7 \"Archive\"",
       "S:%t OK [COPYUID 432 5 40] Copied", "C:UID FETCH 7 (UID)", MESSAGE ("7", ""), OK);

  g_assert_error (result.error, POSTBAG_ERROR, POSTBAG_ERROR_REMOTE_REFUSED);
  assert_uids (result.report->done, "5");
  assert_uids (result.report->unknown, "7");
}

/* In two answers, in another order; numbers that are none of ours make it no map at all. */
static void
test_maps (void)
{
  static const struct
  {
    const char *first, *second;
    const char *map; /* "from:to" */
  } cases[] = {
    { "S:* OK [COPYUID 432 9 42] x", "S:* OK [COPYUID 432 7,5 41,40] x", "9:42 7:41 5:40" },
    { "S:* OK [COPYUID 432 5,7,9 40:42] x", "S:* OK [COPYUID 432 1 43] x", "" },
    { "S:* OK [COPYUID 432 1:3 40:42] x", "S:* OK x", "" },
    { "S:* OK [COPYUID 432 5,7 40] x", "S:* OK x", "" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const char *const reading[] = { GREETING, LOGIN_WITH ("MOVE"), "STALL", NULL };
      const char *const writing[] = { GREETING,          LOGIN_WITH ("MOVE"),
                                      SELECT (ALL),      THERE ("5,7,9"),
                                      MESSAGE ("5", ""), MESSAGE ("7", ""),
                                      MESSAGE ("9", ""), OK,
                                      "C:UID MOVE",      cases[i].first,
                                      cases[i].second,   OK,
                                      "STALL",           NULL };
      const char *const *const scripts[] = { reading, writing, NULL };
      g_auto (Result) result =
          apply (scripts, make_effect (POSTBAG_EFFECT_MOVE, "5 7 9", "Archive"));
      g_autoptr (GString) map = g_string_new (NULL);

      g_assert_no_error (result.error);
      assert_uids (result.report->done, "5 7 9");
      for (guint j = 0; j < result.report->uid_map->len; j++)
        {
          PostbagUidPair pair = g_array_index (result.report->uid_map, PostbagUidPair, j);

          g_string_append_printf (map, "%s%u:%u", j > 0 ? " " : "", pair.from, pair.to);
        }
      g_assert_cmpstr (map->str, ==, cases[i].map);
    }
}

/* The server names others, fewer, one twice, or nothing that can be read: it may have copied what
 * nobody asked for, so that no original is marked or removed. */
static void
test_contradicted_copy (void)
{
  static const char *const codes[] = {
    "432 7,8 40,41", "432 5,6 40",       "432 5 40,41", "432 5,6 40,40", "432 5,5 40,41",
    "432 5:6",       "432 5:6 40:41 42", "5:6 40:41",   "0 5:6 40:41",   "",
  };
  static const PostbagEffectKind kinds[] = { POSTBAG_EFFECT_MOVE, POSTBAG_EFFECT_COPY };

  for (gsize i = 0; i < G_N_ELEMENTS (codes) * G_N_ELEMENTS (kinds); i++)
    {
      PostbagEffectKind kind = kinds[i % G_N_ELEMENTS (kinds)];
      g_autofree char *answer =
          g_strdup_printf ("S:%%t OK [COPYUID %s] Copied", codes[i / G_N_ELEMENTS (kinds)]);
      const char *const reading[] = { GREETING, LOGIN_WITH ("UIDPLUS"), "STALL", NULL };
      const char *const writing[] = { GREETING,
                                      LOGIN_WITH ("UIDPLUS"),
                                      SELECT (ALL),
                                      THERE ("5:6"),
                                      MESSAGE ("5", ""),
                                      MESSAGE ("6", ""),
                                      OK,
                                      "C:UID COPY 5:6 \"Archive\"",
                                      answer,
                                      "STALL",
                                      NULL };
      const char *const *const scripts[] = { reading, writing, NULL };
      g_auto (Result) result = apply (scripts, make_effect (kind, "5 6", "Archive"));

      g_assert_error (result.error, POSTBAG_ERROR, POSTBAG_ERROR_REMOTE_REFUSED);
      g_assert_nonnull (strstr (result.error->message, "which cannot be said"));
      assert_uids (result.report->done, "");
      assert_uids (result.report->copied, kind == POSTBAG_EFFECT_MOVE ? "5 6" : "");
      assert_uids (result.report->unknown, kind == POSTBAG_EFFECT_MOVE ? "" : "5 6");
      assert_never_sent (&result, "STORE");
      assert_never_sent (&result, "EXPUNGE");
    }
}

/* without MOVE, and the copy is refused: the mail stays. */
static void
test_move_whose_copy_fails (void)
{
  RUN (make_effect (POSTBAG_EFFECT_MOVE, "5", "Archiv"), "UIDPLUS", SELECT (ALL), THERE ("5"),
       MESSAGE ("5", ""), OK, "C:UID COPY 5 \"Archiv\"", "S:%t NO [TRYCREATE] no such mailbox");

  assert_nothing_happened (&result, POSTBAG_ERROR_NOT_FOUND, "TRYCREATE");
  assert_never_sent (&result, "STORE");
  assert_never_sent (&result, "EXPUNGE");
  assert_never_sent (&result, "CREATE \"");
}

/* Without UIDPLUS a plain EXPUNGE would take what others have marked: what was copied could not be
 * removed, and each try would add another copy. */
static void
test_move_without_uidplus (void)
{
  RUN (make_effect (POSTBAG_EFFECT_MOVE, "5", "Archive"), "", SELECT (ALL), THERE ("5"),
       MESSAGE ("5", ""), OK);

  assert_nothing_happened (&result, POSTBAG_ERROR_NOT_SUPPORTED, "Nothing was changed. Copy them");
  assert_never_sent (&result, "COPY");
  assert_never_sent (&result, "STORE");
  assert_never_sent (&result, "EXPUNGE");
}

/* Copied, marked, and then not expunged: the mark is taken back, but not that of somebody else. */
static void
test_expunge_refused (void)
{
  RUN (make_effect (POSTBAG_EFFECT_MOVE, "5 6", "Archive"), "UIDPLUS", SELECT (ALL), THERE ("5:6"),
       MESSAGE ("5", ""), MESSAGE ("6", "\\deleted"), OK, "C:UID COPY 5:6", OK, "C:UID STORE 5:6",
       OK, "C:UID EXPUNGE 5:6", "S:%t NO not now", "C:UID STORE 5 -FLAGS.SILENT (\\Deleted)", OK,
       "C:UID FETCH 5:6 (UID)", "S:* 1 FETCH (UID 5)", "S:* 2 FETCH (UID 6)", OK);

  g_assert_error (result.error, POSTBAG_ERROR, POSTBAG_ERROR_REMOTE_REFUSED);
  assert_uids (result.report->copied, "5 6");
  assert_uids (result.report->done, "");
}

/* Some were expunged before the server stopped. */
static void
test_expunge_half_done (void)
{
  RUN (make_effect (POSTBAG_EFFECT_MOVE, "5 6", "Archive"), "UIDPLUS", SELECT (ALL), THERE ("5:6"),
       MESSAGE ("5", ""), MESSAGE ("6", ""), OK, "C:UID COPY 5:6", OK, "C:UID STORE 5:6", OK,
       "C:UID EXPUNGE 5:6", "S:* 1 EXPUNGE", "S:%t NO not now", "C:UID STORE 5:6 -FLAGS.SILENT", OK,
       "C:UID FETCH 5:6 (UID)", "S:* 1 FETCH (UID 6)", OK);

  g_assert_error (result.error, POSTBAG_ERROR, POSTBAG_ERROR_REMOTE_REFUSED);
  assert_uids (result.report->copied, "6");
  assert_uids (result.report->done, "5");
}

/* The mark itself is refused, and may be there all the same: taken back, so that nobody else's
 * EXPUNGE takes what was to stay. */
static void
test_mark_refused (void)
{
  RUN (make_effect (POSTBAG_EFFECT_PURGE, "5", NULL), "UIDPLUS", SELECT (ALL), THERE ("5"),
       MESSAGE ("5", ""), OK, "C:UID STORE 5 +FLAGS.SILENT (\\Deleted)", "S:%t NO not now",
       "C:UID STORE 5 -FLAGS.SILENT (\\Deleted)", OK, "C:UID FETCH 5 (UID)", "S:* 1 FETCH (UID 5)",
       OK);

  assert_nothing_happened (&result, POSTBAG_ERROR_REMOTE_REFUSED, "not now");
  assert_never_sent (&result, "EXPUNGE");
}

/* ... and where that is refused too, it is said. */
static void
test_mark_left (void)
{
  RUN (make_effect (POSTBAG_EFFECT_PURGE, "5", NULL), "UIDPLUS", SELECT (ALL), THERE ("5"),
       MESSAGE ("5", ""), OK, "C:UID STORE 5 +FLAGS.SILENT (\\Deleted)", OK, "C:UID EXPUNGE 5",
       "S:%t NO not now", "C:UID STORE 5 -FLAGS.SILENT (\\Deleted)", "S:%t NO not now",
       "C:UID FETCH 5 (UID)", "S:* 1 FETCH (UID 5)", OK);

  assert_nothing_happened (&result, POSTBAG_ERROR_REMOTE_REFUSED, "may still be marked");
}

/* Refused, after some were moved: who is still there is looked up. */
static void
test_move_half_done (void)
{
  RUN (make_effect (POSTBAG_EFFECT_MOVE, "5 6", "Archive"), "MOVE", SELECT (ALL), THERE ("5:6"),
       MESSAGE ("5", ""), MESSAGE ("6", ""), OK, "C:UID MOVE 5:6", "S:* 1 EXPUNGE",
       "S:%t NO [OVERQUOTA] full", "C:UID FETCH 5:6 (UID)", "S:* 1 FETCH (UID 6)", OK);

  g_assert_error (result.error, POSTBAG_ERROR, POSTBAG_ERROR_TOO_LARGE);
  assert_uids (result.report->done, "5");
  assert_uids (result.report->unknown, "");
}

/* The connection goes after the command went out: never asked again, and said to be unknown. */
static void
test_connection_lost (void)
{
  static const char *const reading[] = { READY, "STALL", NULL };
  static const char *const writing[] = { GREETING,          LOGIN_WITH ("MOVE"),
                                         SELECT (ALL),      THERE ("5"),
                                         MESSAGE ("5", ""), OK,
                                         "C:UID MOVE",      NULL };
  static const char *const *const scripts[] = { reading, writing, reading, NULL };
  g_auto (Result) result = apply (scripts, make_effect (POSTBAG_EFFECT_MOVE, "5", "Archive"));
  const char *first = strstr (result.log, "UID MOVE");

  g_assert_error (result.error, POSTBAG_ERROR, POSTBAG_ERROR_OFFLINE);
  assert_uids (result.report->unknown, "5");
  assert_uids (result.report->done, "");
  g_assert_null (strstr (first + 1, "UID MOVE"));
}

/* The same for a server that falls silent, within the deadline. */
static void
test_server_silent (void)
{
  RUN (make_effect (POSTBAG_EFFECT_MOVE, "5", "Archive"), "MOVE", SELECT (ALL), THERE ("5"),
       MESSAGE ("5", ""), OK, "C:UID MOVE");

  g_assert_error (result.error, POSTBAG_ERROR, POSTBAG_ERROR_TIMED_OUT);
  assert_uids (result.report->unknown, "5");
}

/* A connection that died while it was idle: nothing was changed yet, so it is replaced. */
static void
test_dead_connection (void)
{
  static const char *const reading[] = { READY, "STALL", NULL };
  static const char *const first[] = {
    GREETING, LOGIN_WITH ("MOVE"), SELECT (ALL), THERE ("5"), MESSAGE ("5", ""),
    OK,       "C:UID MOVE 5",      OK,           NULL
  };
  static const char *const *const scripts[] = { reading, first, first, NULL };
  Fixture *fixture = begin (scripts);
  g_autoptr (PostbagEffect) effect = make_effect (POSTBAG_EFFECT_MOVE, "5", "Archive");

  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (PostbagEffectReport) report =
          postbag_imap_store.apply (fixture->store, effect, NULL, &error);

      g_assert_no_error (error);
      assert_uids (report->done, "5");
    }
  g_assert_cmpuint (peer_count (fixture->peer), ==, 3);
  end_quietly (fixture);
}

/* --- removal --- */

static void
test_purge (void)
{
  RUN (make_effect (POSTBAG_EFFECT_PURGE, "5 6", NULL), "UIDPLUS", SELECT (ALL), THERE ("5:6"),
       MESSAGE ("5", ""), MESSAGE ("6", ""), OK, "C:UID STORE 5:6 +FLAGS.SILENT (\\Deleted)", OK,
       "C:UID EXPUNGE 5:6", OK);

  g_assert_no_error (result.error);
  assert_uids (result.report->done, "5 6");
}

static void
test_purge_without_uidplus (void)
{
  RUN (make_effect (POSTBAG_EFFECT_PURGE, "5", NULL), "MOVE", SELECT (ALL), THERE ("5"),
       MESSAGE ("5", ""), OK);

  assert_nothing_happened (&result, POSTBAG_ERROR_NOT_SUPPORTED, "UIDPLUS");
  assert_never_sent (&result, "EXPUNGE");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/imap/changes/cancelled-behind-another", test_cancelled_behind_another);
  g_test_add_func ("/imap/changes/flags", test_flags);
  g_test_add_func ("/imap/changes/flags-of-others", test_flags_of_others);
  g_test_add_func ("/imap/changes/keyword-not-kept", test_keyword_not_kept);
  g_test_add_func ("/imap/changes/keyword-that-is-none", test_keyword_that_is_none);
  g_test_add_func ("/imap/changes/flag-forgotten", test_flag_forgotten);
  g_test_add_func ("/imap/changes/flags-half-done", test_flags_half_done);
  g_test_add_func ("/imap/changes/flags-refused-and-lost", test_flags_refused_and_lost);
  g_test_add_func ("/imap/changes/any-order", test_any_order);
  g_test_add_func ("/imap/changes/uid-validity", test_uid_validity);
  g_test_add_func ("/imap/changes/read-only", test_read_only);
  g_test_add_func ("/imap/changes/copy-from-read-only", test_copy_from_read_only);
  g_test_add_func ("/imap/changes/none-there", test_none_there);
  g_test_add_func ("/imap/changes/destination", test_destination);
  g_test_add_func ("/imap/changes/destination-of-a-copy", test_destination_of_a_copy);
  g_test_add_func ("/imap/changes/other-destination", test_other_destination);
  g_test_add_func ("/imap/changes/destination-made-anew-just-then",
                   test_destination_made_anew_just_then);
  g_test_add_func ("/imap/changes/move", test_move);
  g_test_add_func ("/imap/changes/move-with-a-wrong-map", test_move_with_a_wrong_map);
  g_test_add_func ("/imap/changes/move-in-steps", test_move_in_steps);
  g_test_add_func ("/imap/changes/move-in-steps-refused", test_move_in_steps_refused);
  g_test_add_func ("/imap/changes/move-in-steps-without-one", test_move_in_steps_without_one);
  g_test_add_func ("/imap/changes/copy-without-one", test_copy_without_one);
  g_test_add_func ("/imap/changes/maps", test_maps);
  g_test_add_func ("/imap/changes/contradicted-copy", test_contradicted_copy);
  g_test_add_func ("/imap/changes/move-whose-copy-fails", test_move_whose_copy_fails);
  g_test_add_func ("/imap/changes/move-without-uidplus", test_move_without_uidplus);
  g_test_add_func ("/imap/changes/expunge-refused", test_expunge_refused);
  g_test_add_func ("/imap/changes/expunge-half-done", test_expunge_half_done);
  g_test_add_func ("/imap/changes/mark-refused", test_mark_refused);
  g_test_add_func ("/imap/changes/mark-left", test_mark_left);
  g_test_add_func ("/imap/changes/move-half-done", test_move_half_done);
  g_test_add_func ("/imap/changes/connection-lost", test_connection_lost);
  g_test_add_func ("/imap/changes/server-silent", test_server_silent);
  g_test_add_func ("/imap/changes/dead-connection", test_dead_connection);
  g_test_add_func ("/imap/changes/purge", test_purge);
  g_test_add_func ("/imap/changes/purge-without-uidplus", test_purge_without_uidplus);
  return g_test_run ();
}
