/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The question before a change: what somebody reads, and what their answer holds for. Names that a
 * caller, a server or the configuration chose stand on lines of their own, and never a subject, a
 * sender or a body. */

#include "toolset/postbag-mail-change.h"

#include <string.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "safety/postbag-clean.h"
#include "toolset/postbag-mail-interrupted-private.h"
#include "toolset/postbag-mail-missing-private.h"

/* Lengths first, so that no two changes give the same text. */
static void
append_counted (GString *out, const char *text)
{
  g_string_append_printf (out, "%" G_GSIZE_FORMAT ":%s,", strlen (text), text);
}

/* As whoever is asked can see it. */
static char *
make_subject (PostbagMailCall *self, const PostbagEffect *effect)
{
  g_autofree char *identity = postbag_account_dup_identity (self->account);
  GString *out = g_string_new (postbag_effect_kind_get_nick (effect->kind));

  g_string_append_c (out, ',');
  /* not its name, which another server's account may have, too */
  append_counted (out, identity);
  append_counted (out, effect->mailbox);
  append_counted (out, effect->destination != NULL ? effect->destination : "");
  g_string_append_printf (out, "%" G_GINT64_FORMAT ",", effect->messages_told);
  for (guint i = 0; effect->uids != NULL && i < effect->uids->len; i++)
    g_string_append_printf (out, "%u,", g_array_index (effect->uids, guint32, i));
  return g_string_free (out, FALSE);
}

/* Which mailboxes the names stand for, and which mail they hold. */
static char *
make_state (const PostbagEffect *effect)
{
  return g_strdup_printf ("%u,%u,%u", effect->uid_validity, effect->uid_next_told,
                          effect->destination_uid_validity);
}

/* Cleaned; what that changes is spelled out beside it. */
static void
append_name (GString *out, const char *label, const char *name)
{
  g_autofree char *shown = postbag_clean (name, POSTBAG_CLEAN_LINE, POSTBAG_LIMIT_NAME_CHARS, NULL);

  g_string_append_printf (out, "\n%s: %s", label, shown);
  if (strcmp (shown, name) != 0)
    {
      g_autofree char *escaped = postbag_clean_escape (name, POSTBAG_LIMIT_NAME_CHARS);

      g_string_append_printf (out, "\n%s, with what is invisible in it: %s", label, escaped);
    }
}

/* Those of @names that the caller of the tool chose, or that others did, beneath @heading. */
static void
append_names (GString *out, const PostbagArgs *args, const PostbagMailName *names,
              gboolean are_callers, const char **heading)
{
  for (; names->label != NULL; names++)
    {
      gboolean is_callers = names->argument != NULL && postbag_args_has (args, names->argument);

      if (is_callers != are_callers)
        continue;
      if (*heading != NULL)
        g_string_append (out, *heading);
      *heading = NULL;
      append_name (out, names->label, names->name);
    }
}

static gboolean
is_missing (const GArray *missing, guint32 uid)
{
  for (guint i = 0; i < missing->len; i++)
    if (g_array_index (missing, guint32, i) == uid)
      return TRUE;
  return FALSE;
}

/* @sentence, and the uids that it is about. */
static GString *
begin_message (const PostbagEffect *effect, const GArray *missing, const char *sentence)
{
  GString *out = g_string_new (sentence);
  g_autoptr (GArray) there = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autofree char *messages = NULL;

  for (guint i = 0; effect->uids != NULL && i < effect->uids->len; i++)
    {
      guint32 uid = g_array_index (effect->uids, guint32, i);

      if (!is_missing (missing, uid))
        g_array_append_val (there, uid);
    }
  messages = g_strdup_printf ("%u message%s", there->len, there->len == 1 ? "" : "s");
  g_string_replace (out, "{messages}", messages, 1);
  if (effect->uids == NULL)
    return out;
  g_string_append (out, "\nUIDs: ");
  postbag_mail_append_uids (out, there);
  if (missing->len == 0)
    return out;
  g_string_append (out, "\nAlso named, but not in the mailbox (any more): ");
  postbag_mail_append_uids (out, missing);
  return out;
}

static char *
make_message (PostbagMailCall *self, const PostbagEffect *effect, const GArray *missing,
              const PostbagArgs *args, const char *sentence, const PostbagMailName *names)
{
  static const PostbagMailName none = { NULL };
  g_autofree const char **accounts = postbag_accounts_list (self->accounts);
  const PostbagMailName account[] = { { "Account", self->account->name, "account" }, { NULL } };
  const PostbagMailName *first = accounts[0] != NULL && accounts[1] != NULL ? account : &none;
  const char *callers = "\n\nNames, as the caller of the tool wrote them:";
  const char *others = "\n\nNames that the mail server or the configuration gave:";
  GString *out = begin_message (effect, missing, sentence);

  append_names (out, args, first, TRUE, &callers);
  append_names (out, args, names, TRUE, &callers);
  append_names (out, args, first, FALSE, &others);
  append_names (out, args, names, FALSE, &others);
  return g_string_free (out, FALSE);
}

/* Somebody says yes to a mailbox, not to a name that another one may have by then. One that may
 * only be written to does not say which it is. */
static gboolean
find_destination (PostbagMailCall *self, PostbagEffect *effect, GError **error)
{
  g_autoptr (GError) failure = NULL;
  g_autoptr (PostbagMailboxState) state = NULL;

  if (effect->uids == NULL || effect->destination == NULL)
    return TRUE;
  state = postbag_store_get_state (self->store, effect->destination,
                                   postbag_mail_call_get_cancellable (self), &failure);
  effect->destination_uid_validity = state != NULL ? state->uid_validity : 0;
  if (state != NULL || g_error_matches (failure, POSTBAG_ERROR, POSTBAG_ERROR_NOT_ALLOWED)
      || g_error_matches (failure, POSTBAG_ERROR, POSTBAG_ERROR_REMOTE_REFUSED))
    return TRUE;
  if (g_error_matches (failure, POSTBAG_ERROR, POSTBAG_ERROR_NOT_FOUND))
    {
      g_autofree char *destination = postbag_clean_quote (effect->destination);

      g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_FOUND,
                   "There is no mailbox %s to move or copy to. Nothing was changed. Call "
                   "list_mailboxes and use a path exactly as it stands there.",
                   destination);
      return FALSE;
    }
  g_propagate_error (error, g_steal_pointer (&failure));
  return FALSE;
}

/* Nobody is asked about mail that is not there. */
static GArray *
find_missing (PostbagMailCall *self, const PostbagEffect *effect, GError **error)
{
  g_autoptr (GError) failure = NULL;
  GArray *missing = postbag_mail_find_missing (self, effect, &failure);

  if (missing != NULL)
    return missing;
  if (g_error_matches (failure, POSTBAG_ERROR, POSTBAG_ERROR_NOT_FOUND))
    postbag_mail_interrupted_add_note (self, &failure);
  g_propagate_error (error, g_steal_pointer (&failure));
  return NULL;
}

static gboolean
open_question (PostbagMailCall *self, const PostbagEffect *effect, const char *subject,
               const char *state, GError **error)
{
  if (postbag_accounts_open_question (self->accounts, postbag_call_get_principal (self->call),
                                      subject, state))
    return TRUE;
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_CONFLICT,
               "This was asked about before, and since then %s was made anew or got another's "
               "name. Nothing was changed. List the mailboxes and their messages again, and call "
               "again if it is still wanted.",
               effect->destination != NULL ? "one of the mailboxes" : "the mailbox");
  return FALSE;
}

gboolean
postbag_mail_change_ask (PostbagMailCall *self, PostbagEffect *effect, const PostbagArgs *args,
                         const char *key, const char *sentence, const PostbagMailName *names,
                         gboolean token_only, GError **error)
{
  g_autoptr (GArray) missing = NULL;
  g_autofree char *message = NULL;
  g_autofree char *subject = make_subject (self, effect);
  g_autofree char *state = NULL;
  g_autofree char *target = NULL;
  PostbagQuestion question = { .key = key, .token_only = token_only };

  /* Nobody is asked for what would be refused all the same. */
  if (!postbag_mail_interrupted_check (self, effect, error)
      || !postbag_store_check (self->store, effect, postbag_mail_call_get_cancellable (self), error)
      || !find_destination (self, effect, error))
    return FALSE;
  missing = find_missing (self, effect, error);
  if (missing == NULL)
    return FALSE;
  question.message = message = make_message (self, effect, missing, args, sentence, names);
  state = make_state (effect);
  target = g_strconcat (subject, state, NULL);
  question.target = target;
  if (postbag_args_has (args, "confirm_token"))
    question.token = postbag_args_get_string (args, "confirm_token");
  if (!open_question (self, effect, subject, state, error)
      || !postbag_call_ask (self->call, &question, error))
    return FALSE;
  postbag_accounts_close_question (self->accounts, postbag_call_get_principal (self->call),
                                   subject);
  effect->has_consent = TRUE;
  return TRUE;
}
