/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* list_new_messages (contract 1.5): what does not carry our keyword yet. A message counts as handed
 * over only when it is in the answer: exactly those get the keyword, and lose it again when the
 * answer reached nobody; \Seen is never touched. */

#include "postbag-guarded-handlers.h"

#include "base/postbag-limits.h"
#include "postbag-guarded-list.h"
#include "toolset/postbag-mail-change.h"
#include "toolset/postbag-mail-format.h"

static gboolean
fail_not_storable (const char *keyword, GError **error)
{
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_SUPPORTED,
               "The mail server cannot keep the keyword “%s” in this mailbox, so what was shown "
               "before is not known (get_server_info tells). Use list_messages with seen=false.",
               keyword);
  return FALSE;
}

/* Where the server does not say what it keeps of a mailbox that is only read, marking will tell. */
static gboolean
check_storable (PostbagMailCall *mail, const char *keyword, GError **error)
{
  g_autoptr (PostbagMailboxState) state = postbag_store_get_state (
      mail->store, mail->mailbox, postbag_mail_call_get_cancellable (mail), error);

  if (state == NULL)
    return postbag_mail_call_explain (mail, 0, error);
  return !postbag_guarded_knows_storable (state->permanent_flags)
         || postbag_guarded_is_storable (state->permanent_flags, keyword)
         || fail_not_storable (keyword, error);
}

static PostbagSearchPage *
search (PostbagMailCall *mail, const PostbagArgs *args, const char *keyword, GError **error)
{
  g_autoptr (PostbagSearch) unmarked = postbag_search_new ();
  guint page_size = postbag_guarded_get_page_size (postbag_call_get_settings (mail->call));
  gint64 limit = postbag_args_get_int (args, "limit", page_size);
  PostbagPage page = { .limit = (guint)CLAMP (limit, 1, POSTBAG_LIMIT_LIST_MESSAGES) };
  PostbagSearchPage *found;

  unmarked->unkeyword = g_strdup (keyword);
  found = postbag_store_search (mail->store, mail->mailbox, unmarked, &page,
                                postbag_mail_call_get_cancellable (mail), error);
  if (found == NULL)
    postbag_mail_call_explain (mail, 0, error);
  else
    postbag_mail_call_remember (mail, found->uid_validity, TRUE);
  return found;
}

/* (transfer full): the uids of what is really in the answer, sorted */
static GArray *
write_messages (PostbagResult *result, const PostbagSearchPage *found)
{
  GArray *uids = g_array_new (FALSE, FALSE, sizeof (guint32));

  postbag_result_begin_array (result, "messages");
  for (guint i = 0; i < found->summaries->len; i++)
    {
      const PostbagSummary *summary = g_ptr_array_index (found->summaries, i);

      if (!postbag_mail_write_summary (result, summary))
        break;
      /* newest first */
      g_array_prepend_val (uids, summary->uid);
    }
  postbag_result_end_array (result);
  return uids;
}

/* Marks them; what could not be marked is listed again next time, which is safe, and said. A
 * mailbox that keeps no marks at all is an error.
 * @note: (out) (nullable): why some were not */
static gboolean
mark (PostbagMailCall *mail, GArray *uids, guint32 uid_validity, const char *keyword,
      guint *n_marked, char **note, GError **error)
{
  const char *const keywords[] = { keyword, NULL };
  g_autoptr (PostbagEffect) effect = postbag_effect_new (POSTBAG_EFFECT_STORE_FLAGS, mail->mailbox);
  g_autoptr (PostbagEffectReport) report = NULL;
  g_autoptr (GError) failure = NULL;

  if (uids->len == 0)
    return TRUE;
  effect->uids = g_array_ref (uids);
  effect->uid_validity = uid_validity;
  effect->add_keywords = g_strdupv ((char **)keywords);
  effect->bookkeeping = TRUE;
  report =
      postbag_store_apply (mail->store, effect, postbag_mail_call_get_cancellable (mail), &failure);
  if (g_error_matches (failure, POSTBAG_ERROR, POSTBAG_ERROR_NOT_SUPPORTED))
    return fail_not_storable (keyword, error);
  if (report != NULL)
    postbag_mail_change_keep_until_told (mail, &report->receipt);
  *n_marked = report != NULL ? report->done->len : 0;
  if (failure != NULL)
    *note = g_strdup_printf ("%u of these %u messages could not be remembered as listed, so the "
                             "next call lists them again. %s",
                             uids->len - *n_marked, uids->len, failure->message);
  return TRUE;
}

static void
write_rest (PostbagResult *result, const PostbagSearchPage *found, guint returned)
{
  gint64 omitted = (gint64)found->summaries->len - returned;

  if (omitted > 0)
    postbag_mail_write_truncated (result, "The page was too large for one answer.", returned,
                                  omitted, "Call list_new_messages again for the rest.");
}

gboolean
postbag_guarded_list_new_messages (PostbagCall *call, const PostbagArgs *args,
                                   PostbagResult *result, GError **error)
{
  g_autoptr (PostbagMailCall) mail = postbag_mail_call_new (call, args, error);
  PostbagSettings *settings = postbag_call_get_settings (call);
  const char *keyword = postbag_settings_get_string (settings, "seen-keyword");
  gboolean dry_run = postbag_args_get_boolean (args, "dry_run", FALSE);
  g_autoptr (PostbagSearchPage) found = NULL;
  g_autoptr (GArray) uids = NULL;
  g_autofree char *note = NULL;
  guint n_marked = 0;

  if (mail == NULL || !check_storable (mail, keyword, error))
    return FALSE;
  postbag_store_withdraw_marks (mail->store, mail->mailbox, keyword,
                                postbag_mail_call_get_cancellable (mail));
  found = search (mail, args, keyword, error);
  if (found == NULL)
    return FALSE;
  postbag_guarded_write_origin (result);
  postbag_result_string (result, "mailbox", mail->mailbox);
  postbag_result_int (result, "total_new", found->total);
  postbag_result_boolean (result, "dry_run", dry_run);
  uids = write_messages (result, found);
  postbag_result_int (result, "returned", uids->len);
  postbag_result_boolean (result, "more_waiting", found->total > uids->len);
  write_rest (result, found, uids->len);
  if (!dry_run && !mark (mail, uids, found->uid_validity, keyword, &n_marked, &note, error))
    return FALSE;
  postbag_result_int (result, "marked", n_marked);
  if (note != NULL)
    postbag_mail_change_write_note (result, "warnings", note);
  return TRUE;
}
