/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is told of a change that was interrupted. A look sees how things are now, not what happened:
 * nothing is said that it does not show. */

#include "toolset/postbag-mail-interrupted-private.h"

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "safety/postbag-clean.h"
#include "toolset/postbag-mail-change.h"

/* A person reads that many numbers. */
#define UIDS_SHOWN 20

void
postbag_mail_append_uids (GString *out, const GArray *uids)
{
  for (guint i = 0; i < uids->len && i < UIDS_SHOWN; i++)
    g_string_append_printf (out, "%s%u", i > 0 ? ", " : "", g_array_index (uids, guint32, i));
  if (uids->len > UIDS_SHOWN)
    g_string_append_printf (out, " and %u more", uids->len - UIDS_SHOWN);
}

void
postbag_mail_append_list (GString *out, const char *words, const GArray *uids)
{
  if (uids->len == 0 || g_array_index (uids, guint32, 0) == 0)
    return;
  g_string_append (out, words);
  postbag_mail_append_uids (out, uids);
  g_string_append_c (out, '.');
}

static void
append_outcome (GString *out, const PostbagInterrupted *one)
{
  static const char *const words[] = {
    [POSTBAG_OUTCOME_UNKNOWN] = "Whether it happened cannot be said; look before repeating it.",
    [POSTBAG_OUTCOME_DONE] = "It did happen.",
    [POSTBAG_OUTCOME_NOT_DONE] = "It did not happen.",
    [POSTBAG_OUTCOME_PARTLY] = "It seems that only a part of it happened: there are mailboxes of "
                               "both names. Call list_mailboxes and compare before repeating it.",
  };

  if (one->kind == POSTBAG_EFFECT_APPEND && one->outcome == POSTBAG_OUTCOME_NOT_DONE)
    g_string_append (out, "The message is not there (any more): it was not saved, or it was moved, "
                          "sent or deleted since. Look for it before repeating it.");
  else
    g_string_append (out, words[one->outcome]);
}

/* Messages that stay where they are, whether it happened or not. */
static void
append_unmoved (GString *out, const PostbagInterrupted *one)
{
  g_string_append (out, one->kind == POSTBAG_EFFECT_COPY
                            ? "Copies may be there already: look there before repeating it."
                            : "Whether the flags were changed cannot be said; changing them again "
                              "does no harm.");
  postbag_mail_append_list (out, " It was about the uids: ", one->uids);
}

static void
append_moved (GString *out, const PostbagInterrupted *one)
{
  postbag_mail_append_list (out, "Still there, uids: ", one->still);
  if (one->still->len > 0)
    g_string_append (out,
                     one->kind == POSTBAG_EFFECT_MOVE
                         ? " Copies of these may be in the other mailbox already, and they may "
                           "be marked \\Deleted: look before repeating it."
                         : " They may be marked \\Deleted: remove that flag if they are to "
                           "stay.");
  postbag_mail_append_list (
      out, one->still->len > 0 ? " Not there any more, uids: " : "Not there any more, uids: ",
      one->gone);
  if (one->unseen > 0)
    g_string_append_printf (out, " Could not be looked for: %u.", one->unseen);
}

void
postbag_mail_interrupted_append (GString *out, const PostbagInterrupted *one)
{
  g_autoptr (GDateTime) time = g_date_time_new_from_unix_utc (one->time);
  g_autofree char *stamp = time != NULL ? g_date_time_format_iso8601 (time) : g_strdup ("earlier");
  g_autofree char *mailbox = postbag_clean_quote (one->mailbox);

  g_string_append_printf (out, "An earlier change (%s, %s) of the mailbox %s was interrupted. ",
                          postbag_effect_kind_get_nick (one->kind), stamp, mailbox);
  if (one->destination != NULL)
    {
      g_autofree char *destination = postbag_clean_quote (one->destination);

      g_string_append_printf (out, "It was to go to %s. ", destination);
    }
  if (one->kind == POSTBAG_EFFECT_COPY || one->kind == POSTBAG_EFFECT_STORE_FLAGS)
    append_unmoved (out, one);
  else if (one->kind == POSTBAG_EFFECT_MOVE || one->kind == POSTBAG_EFFECT_PURGE)
    append_moved (out, one);
  else
    append_outcome (out, one);
  g_string_append_c (out, '\n');
}

/* --- telling it --- */

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
postbag_mail_change_write_note (PostbagResult *result, const char *key, const char *note)
{
  g_autofree char *json = postbag_result_dup_json (result);

  postbag_result_meta_string (result, key, note);
  postbag_result_take_text (result, g_strconcat (json, "\n\nNote by Postbag: ", note, NULL));
}

void
postbag_mail_change_write_interrupted (PostbagMailCall *self, PostbagResult *result)
{
  g_autofree char *note = take_note (self);

  if (note != NULL)
    postbag_mail_change_write_note (result, "interrupted", note);
}

/* What there is to tell is told with a failure, too. */
void
postbag_mail_interrupted_add_note (PostbagMailCall *self, GError **error)
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
gboolean
postbag_mail_interrupted_check (PostbagMailCall *self, const PostbagEffect *effect, GError **error)
{
  g_autoptr (GError) failure = NULL;
  gboolean was_interrupted;
  g_autofree char *note = NULL;

  if (!postbag_store_was_interrupted (self->store, effect, &was_interrupted, &failure))
    {
      /* There may be too many to see them all: they become fewer by being told. */
      postbag_mail_interrupted_add_note (self, &failure);
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
