/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "toolset/postbag-mail-change.h"

#include <string.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "safety/postbag-clean.h"
#include "toolset/postbag-mail-interrupted-private.h"
#include "toolset/postbag-mail-missing-private.h"

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

/* --- what came of it --- */

static gboolean
has_any (const PostbagEffectReport *report)
{
  return report != NULL
         && (report->done->len > 0 || report->copied->len > 0 || report->unknown->len > 0);
}

/* (transfer full): what was lost, in one line */
static char *
clean_warning (const PostbagEffectReport *report, guint index)
{
  return postbag_clean (g_ptr_array_index (report->warnings, index), POSTBAG_CLEAN_LINE,
                        POSTBAG_LIMIT_NOTES_CHARS, NULL);
}

/* No more than an error has room for. */
static void
append_warnings (GString *out, const PostbagEffectReport *report)
{
  glong n_chars = 0;

  for (guint i = 0; i < report->warnings->len; i++)
    {
      g_autofree char *note = clean_warning (report, i);

      n_chars += g_utf8_strlen (note, -1) + 1;
      if (i > 0 && n_chars > POSTBAG_LIMIT_NOTES_CHARS)
        {
          g_string_append_printf (out, " There are %u more such losses.",
                                  report->warnings->len - i);
          return;
        }
      g_string_append_printf (out, " %s", note);
    }
}

static void
append_unknown (GString *out, const PostbagEffect *effect, const GArray *unknown)
{
  if (unknown->len == 0)
    return;
  postbag_mail_append_list (out, " Whether it happened cannot be said, uids: ", unknown);
  if (g_array_index (unknown, guint32, 0) == 0)
    g_string_append (out, " Whether it happened cannot be said.");
  if (effect->kind == POSTBAG_EFFECT_APPEND || effect->destination != NULL)
    g_string_append (out, " Do not repeat it before looking: list both mailboxes and compare.");
  else
    g_string_append (out, " Look at the mailbox before repeating it.");
}

/* Which were done, which only copied, of which nobody can say; and what these lost. */
static char *
describe_part (const PostbagEffect *effect, const PostbagEffectReport *report)
{
  GString *out = g_string_new (NULL);

  postbag_mail_append_list (out, " Done, uids: ", report->done);
  postbag_mail_append_list (out, " Copied but still where they were, uids: ", report->copied);
  append_unknown (out, effect, report->unknown);
  append_warnings (out, report);
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
check_any_done (const PostbagEffect *effect, const PostbagEffectReport *report, GError **error)
{
  if (effect->uids == NULL || effect->uids->len == 0 || report->done->len > 0)
    return TRUE;
  postbag_mail_set_missing_error (effect, error);
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

/* The call's mailbox is another one than the uids are of; else the destination is. */
static gboolean
is_about_uids (PostbagMailCall *self, const PostbagEffect *effect, const GError *failure)
{
  g_autoptr (PostbagMailboxState) state = NULL;

  if (effect->uids == NULL || !g_error_matches (failure, POSTBAG_ERROR, POSTBAG_ERROR_CONFLICT))
    return FALSE;
  if (effect->destination_uid_validity == 0)
    return TRUE;
  state = postbag_store_get_state (self->store, effect->mailbox,
                                   postbag_mail_call_get_cancellable (self), NULL);
  return state != NULL && state->uid_validity != effect->uid_validity;
}

PostbagEffectReport *
postbag_mail_change_apply (PostbagMailCall *self, const PostbagEffect *effect, GError **error)
{
  g_autoptr (GError) failure = NULL;
  g_autoptr (PostbagEffectReport) report = NULL;

  if (!postbag_mail_interrupted_check (self, effect, error))
    return NULL;
  report =
      postbag_store_apply (self->store, effect, postbag_mail_call_get_cancellable (self), &failure);
  if (report != NULL)
    postbag_mail_change_keep_until_told (self, &report->receipt);
  if (is_about_uids (self, effect, failure))
    postbag_accounts_tell_conflict (self->accounts, postbag_call_get_principal (self->call),
                                    self->account->name, self->mailbox);
  if (failure != NULL)
    explain (self, effect, report, &failure);
  else if (check_any_done (effect, report, &failure))
    return g_steal_pointer (&report);
  if (!has_any (report) && may_be_repeated (failure))
    postbag_mail_interrupted_add_note (self, &failure);
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

/* Those of the uids that are as asked, or the others. */
static void
write_uids (PostbagResult *result, const char *name, const PostbagEffect *effect,
            const PostbagEffectReport *report, gboolean are_done)
{
  postbag_result_begin_array (result, name);
  for (guint i = 0; i < effect->uids->len; i++)
    {
      guint32 uid = g_array_index (effect->uids, guint32, i);

      if (holds (report->done, uid) == are_done)
        postbag_result_int (result, NULL, uid);
    }
  postbag_result_end_array (result);
}

void
postbag_mail_change_write_uids (PostbagResult *result, const PostbagEffect *effect,
                                const PostbagEffectReport *report)
{
  write_uids (result, "uids", effect, report, TRUE);
  if (report->done->len < effect->uids->len)
    write_uids (result, "not_there", effect, report, FALSE);
  if (report->warnings->len == 0)
    return;
  postbag_result_begin_array (result, "notes");
  for (guint i = 0; i < report->warnings->len; i++)
    {
      g_autofree char *note = clean_warning (report, i);

      postbag_result_string (result, NULL, note);
    }
  postbag_result_end_array (result);
}

/* --- mailboxes with a purpose --- */

char *
postbag_mail_find_special_use (PostbagMailCall *self, const char *use, const char *configured,
                               char **guessed, GError **error)
{
  g_autoptr (GPtrArray) mailboxes = NULL;

  if (configured != NULL)
    return g_strdup (configured);
  mailboxes = postbag_store_list_mailboxes (self->store, FALSE, NULL,
                                            postbag_mail_call_get_cancellable (self), error);
  for (guint i = 0; mailboxes != NULL && i < mailboxes->len; i++)
    {
      const PostbagMailbox *mailbox = g_ptr_array_index (mailboxes, i);

      if (mailbox->special_use == NULL || g_ascii_strcasecmp (mailbox->special_use, use) != 0)
        continue;
      if (!mailbox->special_use_is_guessed || self->account->host == NULL)
        return g_strdup (mailbox->path);
      *guessed = g_strdup (mailbox->path);
      return NULL;
    }
  return NULL;
}
