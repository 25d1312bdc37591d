/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "mail/postbag-effect.h"

#include "base/postbag-error.h"
#include "base/postbag-limits.h"

static const struct
{
  const char *nick;
  PostbagMay required;
} kinds[POSTBAG_EFFECT_N_KINDS] = {
  [POSTBAG_EFFECT_STORE_FLAGS] = { "store-flags", POSTBAG_MAY_ORGANISE },
  [POSTBAG_EFFECT_COPY] = { "copy", POSTBAG_MAY_ORGANISE },
  [POSTBAG_EFFECT_MOVE] = { "move", POSTBAG_MAY_ORGANISE },
  [POSTBAG_EFFECT_PURGE] = { "purge", POSTBAG_MAY_PURGE },
  [POSTBAG_EFFECT_APPEND] = { "append", POSTBAG_MAY_DRAFT },
  [POSTBAG_EFFECT_CREATE_MAILBOX] = { "create-mailbox", POSTBAG_MAY_ORGANISE },
  [POSTBAG_EFFECT_RENAME_MAILBOX] = { "rename-mailbox", POSTBAG_MAY_ORGANISE },
  [POSTBAG_EFFECT_DELETE_MAILBOX] = { "delete-mailbox", POSTBAG_MAY_ORGANISE },
  [POSTBAG_EFFECT_SUBSCRIBE] = { "subscribe", POSTBAG_MAY_ORGANISE },
  [POSTBAG_EFFECT_UNSUBSCRIBE] = { "unsubscribe", POSTBAG_MAY_ORGANISE },
};

PostbagEffect *
postbag_effect_new (PostbagEffectKind kind, const char *mailbox)
{
  PostbagEffect *self = g_new0 (PostbagEffect, 1);

  self->kind = kind;
  self->mailbox = g_strdup (mailbox);
  return self;
}

void
postbag_effect_free (PostbagEffect *self)
{
  if (self == NULL)
    return;
  g_free (self->mailbox);
  g_clear_pointer (&self->uids, g_array_unref);
  g_strfreev (self->add_keywords);
  g_strfreev (self->remove_keywords);
  g_free (self->destination);
  g_clear_pointer (&self->message, g_bytes_unref);
  g_free (self);
}

const char *
postbag_effect_kind_get_nick (PostbagEffectKind kind)
{
  g_return_val_if_fail ((guint)kind < POSTBAG_EFFECT_N_KINDS, "unknown");

  return kinds[kind].nick;
}

static guint
count_words (char **words)
{
  return words != NULL ? g_strv_length (words) : 0;
}

/* Only what the member promises: one keyword more, or one less, nothing else. */
static gboolean
is_bookkeeping (const PostbagEffect *self)
{
  return self->bookkeeping && self->kind == POSTBAG_EFFECT_STORE_FLAGS && self->add_flags == 0
         && self->remove_flags == 0
         && count_words (self->add_keywords) + count_words (self->remove_keywords) == 1;
}

PostbagMay
postbag_effect_get_required (const PostbagEffect *self)
{
  g_return_val_if_fail ((guint)self->kind < POSTBAG_EFFECT_N_KINDS, POSTBAG_MAY_PURGE);

  return is_bookkeeping (self) ? POSTBAG_MAY_READ : kinds[self->kind].required;
}

gboolean
postbag_effect_needs_consent (const PostbagEffect *self)
{
  guint n = self->uids != NULL ? self->uids->len : 0;

  switch (self->kind)
    {
    case POSTBAG_EFFECT_PURGE:
      return TRUE;
    case POSTBAG_EFFECT_DELETE_MAILBOX:
      return !self->only_empty;
    case POSTBAG_EFFECT_COPY:
    case POSTBAG_EFFECT_MOVE:
      return n > POSTBAG_LIMIT_EFFECT_UNASKED;
    default:
      return FALSE;
    }
}

gboolean
postbag_effect_check_place (const PostbagEffect *self, GError **error)
{
  g_return_val_if_fail (self != NULL, FALSE);

  if (self->destination == NULL || !postbag_mailbox_is_same (self->mailbox, self->destination))
    return TRUE;
  if (self->kind == POSTBAG_EFFECT_RENAME_MAILBOX)
    g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_INVALID_ARGUMENT,
                 "The mailbox “%s” already has that name. Nothing was changed.", self->mailbox);
  else
    g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_INVALID_ARGUMENT,
                 "The messages already are in “%s”%s. Nothing was changed.", self->mailbox,
                 self->kind == POSTBAG_EFFECT_COPY ? ", and copying would only double them" : "");
  return FALSE;
}

/* @told, @now: UIDVALIDITY */
static gboolean
check_identity (const char *mailbox, guint32 told, guint32 now, GError **error)
{
  if (told == 0 || now == told)
    return TRUE;
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_CONFLICT,
               "“%s” is another mailbox than the one that was asked for: it was renamed, or "
               "deleted and made again, meanwhile. Nothing was changed. List the mailboxes and "
               "ask again.",
               mailbox);
  return FALSE;
}

gboolean
postbag_effect_check_destination (const PostbagEffect *self, guint32 uid_validity, GError **error)
{
  g_return_val_if_fail (self != NULL, FALSE);

  return check_identity (self->destination, self->destination_uid_validity, uid_validity, error);
}

gboolean
postbag_effect_check_mailbox (const PostbagEffect *self, guint32 uid_validity, gint64 messages,
                              guint32 uid_next, GError **error)
{
  if (!check_identity (self->mailbox, self->uid_validity, uid_validity, error))
    return FALSE;
  if (self->kind != POSTBAG_EFFECT_DELETE_MAILBOX)
    return TRUE;
  if (self->messages_told > 0 && messages > self->messages_told)
    {
      g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_CONFLICT,
                   "The mailbox “%s” holds %" G_GINT64_FORMAT
                   " messages now, not the %" G_GINT64_FORMAT
                   " that were spoken of. Nothing was changed; ask again.",
                   self->mailbox, messages, self->messages_told);
      return FALSE;
    }
  if (self->uid_next_told > 0 && uid_next > self->uid_next_told)
    {
      g_set_error (
          error, POSTBAG_ERROR, POSTBAG_ERROR_CONFLICT,
          "Other mail came to the mailbox “%s” after it was spoken of. Nothing was changed; "
          "look at what came, and ask again.",
          self->mailbox);
      return FALSE;
    }
  if (!self->only_empty || messages == 0)
    return TRUE;
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_ALLOWED,
               "The mailbox “%s” is not empty, and deleting it would delete its mail for good. "
               "Nothing was changed. Move the messages elsewhere first, or let the person who runs "
               "Postbag allow “purge”.",
               self->mailbox);
  return FALSE;
}

PostbagEffectReport *
postbag_effect_report_new (void)
{
  PostbagEffectReport *self = g_new0 (PostbagEffectReport, 1);

  self->done = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->copied = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->unknown = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->uid_map = g_array_new (FALSE, FALSE, sizeof (PostbagUidPair));
  self->steps = g_ptr_array_new_with_free_func (g_free);
  self->warnings = g_ptr_array_new_with_free_func (g_free);
  return self;
}

void
postbag_effect_report_free (PostbagEffectReport *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->done);
  g_array_unref (self->copied);
  g_array_unref (self->unknown);
  g_array_unref (self->uid_map);
  g_ptr_array_unref (self->steps);
  g_ptr_array_unref (self->warnings);
  postbag_receipt_close (self->receipt, TRUE);
  g_free (self);
}
