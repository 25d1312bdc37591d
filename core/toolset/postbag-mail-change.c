/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "toolset/postbag-mail-change.h"

#include <string.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "safety/postbag-clean.h"
#include "toolset/postbag-mail-interrupted-private.h"

/* --- uids --- */

static int
compare_uids (gconstpointer a, gconstpointer b)
{
  guint32 first = *(const guint32 *)a, second = *(const guint32 *)b;

  return first < second ? -1 : first > second;
}

GArray *
postbag_mail_call_get_uids (PostbagMailCall *self, const PostbagArgs *args, GError **error)
{
  g_autoptr (GArray) given = postbag_args_dup_ints (args, "uids");
  g_autoptr (GArray) uids = g_array_new (FALSE, FALSE, sizeof (guint32));

  for (guint i = 0; given != NULL && i < given->len; i++)
    {
      gint64 value = g_array_index (given, gint64, i);
      guint32 uid = (guint32)value;

      if (value < 1 || value > G_MAXUINT32)
        {
          g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_FOUND,
                       "No message can have the uid %" G_GINT64_FORMAT
                       ". Nothing was changed. Call list_messages and use uids that it shows.",
                       value);
          return NULL;
        }
      g_array_append_val (uids, uid);
    }
  g_array_sort (uids, compare_uids);
  for (guint i = uids->len; i > 1; i--)
    if (g_array_index (uids, guint32, i - 1) == g_array_index (uids, guint32, i - 2))
      g_array_remove_index (uids, i - 1);
  return g_steal_pointer (&uids);
}

char *
postbag_mail_format_uids (const GArray *uids)
{
  GString *out = g_string_new (NULL);

  g_string_append_printf (out, "%u message%s (uid%s ", uids->len, uids->len == 1 ? "" : "s",
                          uids->len == 1 ? "" : "s");
  postbag_mail_append_uids (out, uids);
  g_string_append_c (out, ')');
  return g_string_free (out, FALSE);
}

/* --- the effect --- */

/* What this caller was shown; a mailbox that was never listed is looked at. */
static gboolean
find_uid_validity (PostbagMailCall *self, guint32 *uid_validity, GError **error)
{
  g_autoptr (PostbagMailboxState) state = NULL;

  if (!postbag_mail_call_recall (self, uid_validity, error))
    return FALSE;
  if (*uid_validity != 0)
    return TRUE;
  state = postbag_store_get_state (self->store, self->mailbox,
                                   postbag_mail_call_get_cancellable (self), error);
  if (state == NULL)
    return postbag_mail_call_explain (self, 0, error);
  if (state->uid_validity == 0)
    {
      g_autofree char *mailbox = postbag_clean_quote (self->mailbox);

      g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_SUPPORTED,
                   "The server gives the mailbox %s no UIDVALIDITY: nobody can say whether these "
                   "uids still name the same messages. Nothing was changed.",
                   mailbox);
      return FALSE;
    }
  *uid_validity = state->uid_validity;
  postbag_mail_call_remember (self, state->uid_validity, FALSE);
  return TRUE;
}

PostbagEffect *
postbag_mail_change_new (PostbagMailCall *self, PostbagEffectKind kind, const GArray *uids,
                         GError **error)
{
  g_autoptr (PostbagEffect) effect = postbag_effect_new (kind, self->mailbox);

  if (uids == NULL)
    return g_steal_pointer (&effect);
  effect->uids = g_array_copy ((GArray *)uids);
  if (!find_uid_validity (self, &effect->uid_validity, error))
    return NULL;
  return g_steal_pointer (&effect);
}

/* --- what was interrupted --- */

static void
close_receipt (gpointer receipt, gboolean was_told)
{
  postbag_receipt_close (receipt, was_told);
}

void
postbag_mail_change_keep_until_told (PostbagMailCall *self, PostbagReceipt **receipt)
{
  if (*receipt != NULL)
    postbag_call_when_told (self->call, close_receipt, g_steal_pointer (receipt));
}

/* (transfer full) (nullable): what there is to tell; when this call's answer has left, it was. What
 * would be cut off is left to the next call. */
static char *
take_note (PostbagMailCall *self)
{
  g_autoptr (GPtrArray) all =
      postbag_store_take_interrupted (self->store, postbag_mail_call_get_cancellable (self));
  GString *note;
  glong n_chars = 0;

  if (all->len == 0)
    return NULL;
  note = g_string_new (NULL);
  for (guint i = 0; i < all->len; i++)
    {
      PostbagInterrupted *one = g_ptr_array_index (all, i);
      gsize before = note->len;

      postbag_mail_interrupted_append (note, one);
      n_chars += g_utf8_strlen (note->str + before, -1);
      if (i > 0 && n_chars > POSTBAG_LIMIT_NOTES_CHARS)
        {
          g_string_truncate (note, before);
          g_string_append_printf (note, "There is more to tell (%u): the next call does.\n",
                                  all->len - i);
          break;
        }
      postbag_mail_change_keep_until_told (self, &one->receipt);
    }
  return g_string_free (note, FALSE);
}

void
postbag_mail_change_write_interrupted (PostbagMailCall *self, PostbagResult *result)
{
  g_autofree char *note = take_note (self);
  g_autofree char *json = NULL;

  if (note == NULL)
    return;
  postbag_result_meta_string (result, "interrupted", note);
  json = postbag_result_dup_json (result);
  postbag_result_take_text (result, g_strconcat (json, "\n\nNote by Postbag: ", note, NULL));
}

/* What there is to tell is told with a failure, too. */
static void
add_note (PostbagMailCall *self, GError **error)
{
  g_autofree char *note = take_note (self);
  GError *noted;

  if (note == NULL)
    return;
  noted = g_error_new ((*error)->domain, (*error)->code, "%s\n\nNote by Postbag: %s",
                       (*error)->message, note);
  g_error_free (*error);
  *error = noted;
}

/* Who repeats what was interrupted would have it twice: they are told first, once. Where somebody
 * else is just being told of it, nobody can know whether they mean the same. */
static gboolean
check_not_interrupted (PostbagMailCall *self, const PostbagEffect *effect, GError **error)
{
  g_autoptr (GError) failure = NULL;
  gboolean was_interrupted;
  g_autofree char *note = NULL;

  if (!postbag_store_was_interrupted (self->store, effect, &was_interrupted, &failure))
    {
      /* There may be too many to see them all: they become fewer by being told. */
      add_note (self, &failure);
      g_propagate_error (error, g_steal_pointer (&failure));
      return FALSE;
    }
  if (!was_interrupted)
    return TRUE;
  note = take_note (self);
  if (note != NULL)
    g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_CONFLICT,
                 "Nothing was changed now, because an earlier change like this one was "
                 "interrupted. Look at the mailboxes, and call again if it is still wanted.\n\n"
                 "Note by Postbag: %s",
                 note);
  else
    g_set_error_literal (error, POSTBAG_ERROR, POSTBAG_ERROR_CONFLICT,
                         "Nothing was changed now, because an earlier change like this one was "
                         "interrupted, and another call, or another Postbag with the same state "
                         "folder, is just telling of it. Look at the mailboxes, and call again in "
                         "a moment if it is still wanted.");
  return FALSE;
}

/* A change that the server or the mailbox refuses may be one that was done before. */
static gboolean
may_be_repeated (const GError *error)
{
  return g_error_matches (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_FOUND)
         || g_error_matches (error, POSTBAG_ERROR, POSTBAG_ERROR_CONFLICT)
         || g_error_matches (error, POSTBAG_ERROR, POSTBAG_ERROR_REMOTE_REFUSED);
}

/* --- the question --- */

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

/* Which mailboxes the names stand for. */
static char *
make_state (const PostbagEffect *effect)
{
  return g_strdup_printf ("%u,%u", effect->uid_validity, effect->destination_uid_validity);
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

static char *
make_message (PostbagMailCall *self, const PostbagEffect *effect, const PostbagArgs *args,
              const char *sentence, const PostbagMailName *names)
{
  static const PostbagMailName none = { NULL };
  g_autofree const char **accounts = postbag_accounts_list (self->accounts);
  const PostbagMailName account[] = { { "Account", self->account->name, "account" }, { NULL } };
  const PostbagMailName *first = accounts[0] != NULL && accounts[1] != NULL ? account : &none;
  const char *callers = "\n\nNames, as the caller of the tool wrote them:";
  const char *others = "\n\nNames that the mail server or the configuration gave:";
  GString *out = g_string_new (sentence);

  if (effect->uids != NULL)
    {
      g_string_append (out, "\nUIDs: ");
      postbag_mail_append_uids (out, effect->uids);
    }
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
  g_autofree char *message = make_message (self, effect, args, sentence, names);
  g_autofree char *subject = make_subject (self, effect);
  g_autofree char *state = NULL;
  g_autofree char *target = NULL;
  PostbagQuestion question = { .key = key, .message = message, .token_only = token_only };

  /* Nobody is asked for what would be refused all the same. */
  if (!check_not_interrupted (self, effect, error)
      || !postbag_store_check (self->store, effect, postbag_mail_call_get_cancellable (self), error)
      || !find_destination (self, effect, error))
    return FALSE;
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

/* --- what came of it --- */

static gboolean
has_any (const PostbagEffectReport *report)
{
  return report != NULL
         && (report->done->len > 0 || report->copied->len > 0 || report->unknown->len > 0);
}

/* Which were done, which only copied, of which nobody can say. */
static char *
describe_part (const PostbagEffect *effect, const PostbagEffectReport *report)
{
  GString *out = g_string_new (NULL);

  postbag_mail_append_list (out, " Done, uids: ", report->done);
  postbag_mail_append_list (out, " Copied but still where they were, uids: ", report->copied);
  postbag_mail_append_list (out, " Whether it happened cannot be said, uids: ", report->unknown);
  if (report->unknown->len > 0 && g_array_index (report->unknown, guint32, 0) == 0)
    g_string_append (out, " Whether it happened cannot be said.");
  if (report->unknown->len == 0)
    return g_string_free (out, FALSE);
  if (effect->kind == POSTBAG_EFFECT_APPEND || effect->destination != NULL)
    g_string_append (out, " Do not repeat it before looking: list both mailboxes and compare.");
  else
    g_string_append (out, " Look at the mailbox before repeating it.");
  return g_string_free (out, FALSE);
}

static void
explain (PostbagMailCall *self, const PostbagEffect *effect, const PostbagEffectReport *report,
         GError **error)
{
  g_autofree char *part = NULL;
  GError *explained;

  if (error == NULL || *error == NULL)
    return;
  if (!has_any (report))
    {
      if (effect->destination == NULL && effect->kind != POSTBAG_EFFECT_APPEND)
        postbag_mail_call_explain (self, 0, error);
      else if (effect->uids != NULL
               && g_error_matches (*error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_FOUND))
        g_prefix_error (error, "Nothing was moved or copied. ");
      return;
    }
  part = describe_part (effect, report);
  explained = g_error_new ((*error)->domain, (*error)->code, "%s%s", (*error)->message, part);
  g_error_free (*error);
  *error = explained;
}

static gboolean
check_any_done (PostbagMailCall *self, const PostbagEffect *effect,
                const PostbagEffectReport *report, GError **error)
{
  g_autofree char *uids = NULL;
  g_autofree char *mailbox = NULL;

  if (effect->uids == NULL || effect->uids->len == 0 || report->done->len > 0)
    return TRUE;
  uids = postbag_mail_format_uids (effect->uids);
  mailbox = postbag_clean_quote (effect->mailbox);
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_FOUND,
               "Nothing was changed: %s not in the mailbox %s (any more). Call list_messages with "
               "the same mailbox to see what is there now.",
               uids, mailbox);
  return FALSE;
}

PostbagEffectReport *
postbag_mail_change_apply (PostbagMailCall *self, const PostbagEffect *effect, GError **error)
{
  g_autoptr (GError) failure = NULL;
  g_autoptr (PostbagEffectReport) report = NULL;

  if (!check_not_interrupted (self, effect, error))
    return NULL;
  report =
      postbag_store_apply (self->store, effect, postbag_mail_call_get_cancellable (self), &failure);
  if (report != NULL)
    postbag_mail_change_keep_until_told (self, &report->receipt);
  if (effect->uids != NULL && g_error_matches (failure, POSTBAG_ERROR, POSTBAG_ERROR_CONFLICT))
    postbag_accounts_tell_conflict (self->accounts, postbag_call_get_principal (self->call),
                                    self->account->name, self->mailbox);
  if (failure != NULL)
    explain (self, effect, report, &failure);
  else if (check_any_done (self, effect, report, &failure))
    return g_steal_pointer (&report);
  if (!has_any (report) && may_be_repeated (failure))
    add_note (self, &failure);
  g_propagate_error (error, g_steal_pointer (&failure));
  return NULL;
}

/* --- the answer --- */

static gboolean
holds (const GArray *uids, guint32 uid)
{
  for (guint i = 0; i < uids->len; i++)
    if (g_array_index (uids, guint32, i) == uid)
      return TRUE;
  return FALSE;
}

void
postbag_mail_change_write_uids (PostbagResult *result, const PostbagEffect *effect,
                                const PostbagEffectReport *report)
{
  g_autoptr (GString) missing = g_string_new (NULL);

  postbag_result_begin_array (result, "uids");
  for (guint i = 0; i < effect->uids->len; i++)
    {
      guint32 uid = g_array_index (effect->uids, guint32, i);

      if (holds (report->done, uid))
        postbag_result_int (result, NULL, uid);
      else
        g_string_append_printf (missing, "%s%u", missing->len > 0 ? ", " : "", uid);
    }
  postbag_result_end_array (result);
  if (missing->len > 0)
    postbag_result_meta_string (result, "not_there", missing->str);
}

/* --- mailboxes with a purpose --- */

char *
postbag_mail_find_special_use (PostbagMailCall *self, const char *use, gboolean *is_guessed,
                               GError **error)
{
  g_autoptr (GPtrArray) mailboxes = postbag_store_list_mailboxes (
      self->store, FALSE, NULL, postbag_mail_call_get_cancellable (self), error);

  for (guint i = 0; mailboxes != NULL && i < mailboxes->len; i++)
    {
      const PostbagMailbox *mailbox = g_ptr_array_index (mailboxes, i);

      if (mailbox->special_use == NULL || g_ascii_strcasecmp (mailbox->special_use, use) != 0)
        continue;
      *is_guessed = mailbox->special_use_is_guessed;
      return g_strdup (mailbox->path);
    }
  return NULL;
}
