/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is told of a change that was interrupted. A look sees how things are now, not what happened:
 * nothing is said that it does not show. */

#include "toolset/postbag-mail-interrupted-private.h"

#include "safety/postbag-clean.h"

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
