/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The door for changes: the mailbox is selected and its UIDVALIDITY seen before any command that
 * changes a message goes out, and which of the messages it holds is known by then. */

#include "postbag-imap-apply.h"

#include <stdarg.h>
#include <string.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "base/postbag-text.h"
#include "postbag-imap-set.h"
#include "safety/postbag-clean.h"

PostbagImapCommand *
postbag_imap_apply_command (PostbagImapApply *self, const char *name, const char *mailbox)
{
  PostbagImapCommand *command = postbag_imap_command_new (name);

  if (mailbox != NULL)
    postbag_imap_store_add_mailbox (self->store, command, mailbox,
                                    postbag_imap_writer_is_utf8 (self->writer));
  return command;
}

void
postbag_imap_apply_add_uids (PostbagImapCommand *command, const GArray *uids)
{
  g_autoptr (GArray) set = postbag_imap_set_new ();

  for (guint i = 0; i < uids->len; i++)
    postbag_imap_set_add (set, g_array_index (uids, guint32, i), g_array_index (uids, guint32, i));
  postbag_imap_command_add_set (command, set);
}

PostbagImapCommand *
postbag_imap_apply_create (PostbagImapApply *self, const char *name)
{
  PostbagImapCommand *command = postbag_imap_command_new (name);

  postbag_imap_apply_add_uids (command, self->there);
  return command;
}

void
postbag_imap_apply_step (PostbagImapApply *self, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_ptr_array_add (self->report->steps, g_strdup_vprintf (format, arguments));
  va_end (arguments);
}

/* What a caller can do about a refusal of a change, beyond what holds for every command. */
gboolean
postbag_imap_apply_fail (PostbagImapApply *self, const char *mailbox,
                         const PostbagImapStatus *status, gboolean is_look, GError **error)
{
  g_autoptr (PostbagImapRequest) request = postbag_imap_request_new (mailbox, 0);
  static const struct
  {
    const char *code;
    PostbagErrorCode error;
  } codes[] = {
    { "TOOBIG", POSTBAG_ERROR_TOO_LARGE },
    { "LIMIT", POSTBAG_ERROR_TOO_LARGE },
    { "OVERQUOTA", POSTBAG_ERROR_TOO_LARGE },
    { "ALREADYEXISTS", POSTBAG_ERROR_CONFLICT },
  };

  postbag_imap_store_fail_refused (self->store, request, status, error);
  for (gsize i = 0; status->code != NULL && error != NULL && i < G_N_ELEMENTS (codes); i++)
    if (strcmp (status->code, codes[i].code) == 0)
      (*error)->code = (int)codes[i].error;
  if (is_look && status->code == NULL && status->condition == POSTBAG_IMAP_NO && error != NULL)
    (*error)->code = POSTBAG_ERROR_NOT_FOUND;
  return FALSE;
}

/* @mailbox: the one that a refusal is about */
static PostbagImapOutcome *
run_in (PostbagImapApply *self, PostbagImapCommand *command, const char *mailbox,
        gboolean *is_unknown, GError **error)
{
  g_autoptr (PostbagImapOutcome) outcome =
      postbag_imap_writer_change (self->writer, command, error);

  if (is_unknown != NULL)
    *is_unknown = outcome->status == NULL && outcome->was_sent;
  if (outcome->status == NULL)
    return NULL;
  if (postbag_imap_outcome_is_ok (outcome))
    return g_steal_pointer (&outcome);
  postbag_imap_apply_fail (self, mailbox, outcome->status, FALSE, error);
  return NULL;
}

PostbagImapOutcome *
postbag_imap_apply_run (PostbagImapApply *self, PostbagImapCommand *command, gboolean *is_unknown,
                        GError **error)
{
  const PostbagEffect *effect = self->effect;

  return run_in (self, command, effect->destination != NULL ? effect->destination : effect->mailbox,
                 is_unknown, error);
}

PostbagImapOutcome *
postbag_imap_apply_run_in_source (PostbagImapApply *self, PostbagImapCommand *command,
                                  gboolean *is_unknown, GError **error)
{
  return run_in (self, command, self->effect->mailbox, is_unknown, error);
}

void
postbag_imap_apply_append_uids (GArray *to, const GArray *from)
{
  g_array_append_vals (to, from->data, from->len);
}

gboolean
postbag_imap_apply_is_listed (char *const *list, const char *flag)
{
  for (; list != NULL && *list != NULL; list++)
    if (g_ascii_strcasecmp (*list, flag) == 0)
      return TRUE;
  return FALSE;
}

/* --- COPYUID --- */

/* (nullable): the numbers, written out, in their order; %NULL when they are more than @most */
static GArray *
expand_set (const char *text, guint most)
{
  g_autoptr (GArray) set = postbag_imap_set_new ();
  g_autoptr (GArray) numbers = g_array_new (FALSE, FALSE, sizeof (guint32));

  if (!postbag_imap_set_parse (set, text, strlen (text)) || postbag_imap_set_count (set) > most)
    return NULL;
  for (guint i = 0; i < set->len; i++)
    {
      const PostbagImapRange *range = &g_array_index (set, PostbagImapRange, i);

      for (guint64 number = range->first; number <= range->last; number++)
        {
          guint32 value = (guint32)number;

          g_array_append_val (numbers, value);
        }
    }
  return g_steal_pointer (&numbers);
}

static int
compare_uids (gconstpointer a, gconstpointer b)
{
  guint32 first = *(const guint32 *)a, second = *(const guint32 *)b;

  return first < second ? -1 : first > second;
}

gboolean
postbag_imap_apply_holds (const GArray *uids, guint32 uid)
{
  return uids->len > 0 && bsearch (&uid, uids->data, uids->len, sizeof uid, compare_uids) != NULL;
}

/* Said more than once, the one that is not what was asked for counts. */
static void
take_validity (PostbagImapApply *self, guint32 uid_validity)
{
  if (self->arrived_in == 0
      || postbag_effect_check_destination (self->effect, self->arrived_in, NULL))
    self->arrived_in = uid_validity;
}

/* Two copies are never one message, and no message is copied twice by one command. */
static gboolean
is_twice (const GArray *pairs, const PostbagUidPair *pair)
{
  for (guint i = 0; i < pairs->len; i++)
    {
      const PostbagUidPair *other = &g_array_index (pairs, PostbagUidPair, i);

      if (other->from == pair->from || other->to == pair->to)
        return TRUE;
    }
  return FALSE;
}

/* Whether @text is about messages that were asked for, and true as far as we can see. */
static gboolean
read_copied (PostbagImapApply *self, const char *text, GArray *pairs)
{
  g_auto (GStrv) words = g_strsplit (text, " ", 4);
  g_autoptr (GArray) from = NULL;
  g_autoptr (GArray) to = NULL;
  gint64 uid_validity;

  if (g_strv_length (words) < 1
      || !postbag_text_parse_int (words[0], 1, G_MAXUINT32, &uid_validity))
    return FALSE;
  take_validity (self, (guint32)uid_validity);
  if (g_strv_length (words) != 3)
    return FALSE;
  from = expand_set (words[1], self->there->len);
  to = expand_set (words[2], self->there->len);
  if (from == NULL || to == NULL || from->len != to->len)
    return FALSE;
  for (guint i = 0; i < from->len; i++)
    {
      PostbagUidPair pair = { g_array_index (from, guint32, i), g_array_index (to, guint32, i) };

      if (!postbag_imap_apply_holds (self->there, pair.from) || is_twice (pairs, &pair))
        return FALSE;
      g_array_append_val (pairs, pair);
    }
  return TRUE;
}

/* Whether it can be gone by. One that was cut tells nothing, any other that cannot be true tells
 * that the server did something else. */
static gboolean
take_copied (PostbagImapApply *self, const PostbagImapStatus *status, GArray *pairs)
{
  const char *text = status->arguments != NULL ? status->arguments : "";

  if (g_utf8_strlen (text, -1) >= POSTBAG_LIMIT_SERVER_TEXT_CHARS)
    return FALSE;
  if (read_copied (self, text, pairs))
    return TRUE;
  self->is_contradicted = TRUE;
  return FALSE;
}

static gboolean
is_mapped (const GArray *pairs, guint32 uid)
{
  for (guint i = 0; i < pairs->len; i++)
    if (g_array_index (pairs, PostbagUidPair, i).from == uid)
      return TRUE;
  return FALSE;
}

static gboolean
is_copied (const PostbagImapStatus *status)
{
  return status != NULL && g_strcmp0 (status->code, "COPYUID") == 0;
}

void
postbag_imap_apply_map (PostbagImapApply *self, const PostbagImapOutcome *outcome)
{
  g_autoptr (GArray) pairs = g_array_new (FALSE, FALSE, sizeof (PostbagUidPair));
  gboolean is_true = TRUE;

  if (is_copied (outcome->status))
    is_true = take_copied (self, outcome->status, pairs);
  for (guint i = 0; i < outcome->replies->len; i++)
    {
      const PostbagImapReply *reply = g_ptr_array_index (outcome->replies, i);

      if (reply->kind == POSTBAG_IMAP_REPLY_STATUS && is_copied (reply->status))
        is_true = take_copied (self, reply->status, pairs) && is_true;
    }
  if (!is_true || pairs->len == 0)
    return;
  g_array_append_vals (self->report->uid_map, pairs->data, pairs->len);
  for (guint i = self->there->len; i > 0; i--)
    {
      guint32 uid = g_array_index (self->there, guint32, i - 1);

      if (is_mapped (pairs, uid))
        continue;
      g_array_insert_val (self->left_out, 0, uid);
      g_array_remove_index (self->there, i - 1);
      g_ptr_array_remove_index (self->flags_there, i - 1);
    }
}

/* --- looking at the mailbox --- */

static gboolean
check_uid_validity (PostbagImapApply *self, const PostbagImapOutcome *selection, GError **error)
{
  const PostbagImapStatus *validity = postbag_imap_outcome_find_code (selection, "UIDVALIDITY");
  g_autofree char *mailbox = postbag_clean_quote (self->effect->mailbox);

  /* 0 is none (RFC 9051 section 2.3.1.1) */
  if (validity != NULL && validity->number != 0
      && (self->effect->uid_validity == 0 || validity->number == self->effect->uid_validity))
    return TRUE;
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_CONFLICT,
               "The mail server gave the uids of %s anew since they were shown, or does not say. "
               "Nothing was changed. List the messages again and use the new uids.",
               mailbox);
  return FALSE;
}

static gboolean
check_writable (PostbagImapApply *self, const PostbagImapOutcome *selection, GError **error)
{
  g_autofree char *mailbox = postbag_clean_quote (self->effect->mailbox);

  /* What is copied only has to be read. */
  if (self->effect->kind == POSTBAG_EFFECT_COPY
      || g_strcmp0 (selection->status->code, "READ-ONLY") != 0)
    return TRUE;
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_ALLOWED,
               "The mail server lets the mailbox %s only be read. Nothing was changed. Its owner, "
               "or the server's administrator, can allow more.",
               mailbox);
  return FALSE;
}

static gboolean
is_asked (const PostbagImapApply *self, guint32 uid)
{
  return uid != 0 && postbag_imap_apply_holds (self->effect->uids, uid);
}

/* Servers mostly send them in order. */
static guint
find_place (const GArray *uids, guint32 uid)
{
  guint at = uids->len;

  while (at > 0 && g_array_index (uids, guint32, at - 1) >= uid)
    at--;
  return at;
}

static void
take_messages (PostbagImapApply *self, const PostbagImapOutcome *outcome)
{
  for (guint i = 0; i < outcome->replies->len; i++)
    {
      const PostbagImapReply *reply = g_ptr_array_index (outcome->replies, i);
      guint32 uid;
      guint at;

      if (reply->kind != POSTBAG_IMAP_REPLY_FETCH || !is_asked (self, reply->fetch->uid))
        continue;
      uid = reply->fetch->uid;
      at = find_place (self->there, uid);
      if (at < self->there->len && g_array_index (self->there, guint32, at) == uid)
        continue; /* said twice */
      g_array_insert_val (self->there, at, uid);
      g_ptr_array_insert (self->flags_there, (int)at, g_strdupv (reply->fetch->flags));
    }
}

const PostbagImapMailboxStatus *
postbag_imap_apply_find_status (const PostbagImapOutcome *outcome)
{
  for (guint i = outcome->replies->len; i > 0; i--)
    {
      const PostbagImapReply *reply = g_ptr_array_index (outcome->replies, i - 1);

      if (reply->kind == POSTBAG_IMAP_REPLY_MAILBOX_STATUS)
        return reply->mailbox_status;
    }
  return NULL;
}

/* Somebody agreed to a mailbox, not to its name. */
static gboolean
check_destination (PostbagImapApply *self, const PostbagImapOutcome *outcome, GError **error)
{
  const PostbagImapMailboxStatus *status = postbag_imap_apply_find_status (outcome);

  return postbag_effect_check_destination (
      self->effect, status != NULL ? (guint32)MAX (status->uid_validity, 0) : 0, error);
}

static gboolean
look_at_destination (const PostbagEffect *effect)
{
  return effect->destination != NULL && effect->destination_uid_validity != 0;
}

/* (transfer full): which mailbox the destination is, SELECT, and which of the messages are there.
 * In this order: some servers end a FETCH only with what follows it. */
static GPtrArray *
create_look (PostbagImapApply *self)
{
  const PostbagEffect *effect = self->effect;
  GPtrArray *commands = g_ptr_array_new_with_free_func ((GDestroyNotify)postbag_imap_command_free);
  PostbagImapCommand *command;

  if (look_at_destination (effect))
    {
      command = postbag_imap_apply_command (self, "STATUS", effect->destination);
      postbag_imap_command_add_words (command, "(UIDVALIDITY)");
      g_ptr_array_add (commands, command);
    }
  g_ptr_array_add (commands, postbag_imap_apply_command (self, "SELECT", effect->mailbox));
  command = postbag_imap_command_new ("UID FETCH");
  postbag_imap_apply_add_uids (command, effect->uids);
  postbag_imap_command_add_words (command, "(UID FLAGS)");
  g_ptr_array_add (commands, command);
  return commands;
}

/* Whether @outcome, of a look at @mailbox, is `OK`. */
static gboolean
check_ok (PostbagImapApply *self, const PostbagImapOutcome *outcome, const char *mailbox,
          gboolean is_look, GError **error)
{
  return postbag_imap_outcome_is_ok (outcome)
         || postbag_imap_apply_fail (self, mailbox, outcome->status, is_look, error);
}

/* In one write that changes nothing. */
static gboolean
look (PostbagImapApply *self, GError **error)
{
  const PostbagEffect *effect = self->effect;
  g_autoptr (GPtrArray) commands = create_look (self);
  g_autoptr (GPtrArray) outcomes = postbag_imap_writer_look (self->writer, commands, error);
  const PostbagImapOutcome *selection, *messages;
  const PostbagImapStatus *permanent;

  if (outcomes == NULL)
    return FALSE;
  selection = g_ptr_array_index (outcomes, outcomes->len - 2);
  messages = g_ptr_array_index (outcomes, outcomes->len - 1);
  if (!check_ok (self, selection, effect->mailbox, TRUE, error)
      || !check_ok (self, messages, effect->mailbox, FALSE, error)
      || !check_uid_validity (self, selection, error) || !check_writable (self, selection, error))
    return FALSE;
  if (look_at_destination (effect)
      && (!check_ok (self, g_ptr_array_index (outcomes, 0), effect->destination, TRUE, error)
          || !check_destination (self, g_ptr_array_index (outcomes, 0), error)))
    return FALSE;
  permanent = postbag_imap_outcome_find_code (selection, "PERMANENTFLAGS");
  if (permanent != NULL)
    self->permanent_flags = g_strdupv (permanent->words);
  take_messages (self, messages);
  return TRUE;
}

PostbagImapOutcome *
postbag_imap_apply_look_at (PostbagImapApply *self, const GArray *uids, const char *items)
{
  g_autoptr (GPtrArray) commands =
      g_ptr_array_new_with_free_func ((GDestroyNotify)postbag_imap_command_free);
  g_autoptr (GPtrArray) outcomes = NULL;
  PostbagImapCommand *command = postbag_imap_command_new ("UID FETCH");

  postbag_imap_apply_add_uids (command, uids);
  postbag_imap_command_add_words (command, items);
  g_ptr_array_add (commands, command);
  if (postbag_imap_writer_is_open (self->writer))
    outcomes = postbag_imap_writer_look_here (self->writer, commands);
  if (outcomes == NULL || !postbag_imap_outcome_is_ok (g_ptr_array_index (outcomes, 0)))
    return NULL;
  return g_ptr_array_steal_index (outcomes, 0);
}

GHashTable *
postbag_imap_apply_find_there (PostbagImapApply *self, const GArray *uids)
{
  g_autoptr (PostbagImapOutcome) outcome = postbag_imap_apply_look_at (self, uids, "(UID)");
  GHashTable *there;

  if (outcome == NULL)
    return NULL;
  there = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < outcome->replies->len; i++)
    {
      const PostbagImapReply *reply = g_ptr_array_index (outcome->replies, i);

      if (reply->kind == POSTBAG_IMAP_REPLY_FETCH)
        g_hash_table_add (there, GUINT_TO_POINTER (reply->fetch->uid));
    }
  return there;
}

/* --- the door --- */

typedef struct
{
  gboolean (*run) (PostbagImapApply *self, GError **error);
  gboolean is_about_messages;
} Kind;

static const Kind kinds[POSTBAG_EFFECT_N_KINDS] = {
  [POSTBAG_EFFECT_STORE_FLAGS] = { postbag_imap_apply_flags, TRUE },
  [POSTBAG_EFFECT_COPY] = { postbag_imap_apply_copy, TRUE },
  [POSTBAG_EFFECT_MOVE] = { postbag_imap_apply_move, TRUE },
  [POSTBAG_EFFECT_PURGE] = { postbag_imap_apply_purge, TRUE },
  [POSTBAG_EFFECT_APPEND] = { postbag_imap_apply_append, FALSE },
  [POSTBAG_EFFECT_CREATE_MAILBOX] = { postbag_imap_apply_mailbox, FALSE },
  [POSTBAG_EFFECT_RENAME_MAILBOX] = { postbag_imap_apply_mailbox, FALSE },
  [POSTBAG_EFFECT_DELETE_MAILBOX] = { postbag_imap_apply_mailbox, FALSE },
  [POSTBAG_EFFECT_SUBSCRIBE] = { postbag_imap_apply_mailbox, FALSE },
  [POSTBAG_EFFECT_UNSUBSCRIBE] = { postbag_imap_apply_mailbox, FALSE },
};

/* Messages that were there and that the server left out went meanwhile, mostly. Where it cannot be
 * seen that they are gone, nobody can say what became of them. */
static void
look_for_left_out (PostbagImapApply *self, GError **error)
{
  g_autoptr (GHashTable) there = postbag_imap_apply_find_there (self, self->left_out);

  for (guint i = 0; i < self->left_out->len; i++)
    {
      guint32 uid = g_array_index (self->left_out, guint32, i);

      if (there == NULL || g_hash_table_contains (there, GUINT_TO_POINTER (uid)))
        g_array_append_val (self->report->unknown, uid);
    }
  if (self->report->unknown->len > 0)
    g_set_error_literal (error, POSTBAG_ERROR, POSTBAG_ERROR_REMOTE_REFUSED,
                         "The mail server said yes, but names only some of the messages.");
}

static void
run (PostbagImapApply *self, GError **error)
{
  const Kind *kind = &kinds[self->effect->kind];

  if (kind->is_about_messages)
    {
      if (self->effect->uids == NULL || self->effect->uids->len == 0 || !look (self, error)
          || self->there->len == 0)
        return;
    }
  if (kind->run (self, error) && self->left_out->len > 0)
    look_for_left_out (self, error);
}

PostbagEffectReport *
postbag_imap_store_apply (gpointer data, const PostbagEffect *effect, GCancellable *cancellable,
                          GError **error)
{
  PostbagImapStore *store = data;
  PostbagImapApply self = { .store = store,
                            .writer = store->writer,
                            .effect = effect,
                            .report = postbag_effect_report_new () };

  if (!postbag_imap_writer_begin (store->writer, cancellable, error))
    return self.report;
  self.there = g_array_new (FALSE, FALSE, sizeof (guint32));
  self.flags_there = g_ptr_array_new_with_free_func ((GDestroyNotify)g_strfreev);
  self.left_out = g_array_new (FALSE, FALSE, sizeof (guint32));
  run (&self, error);
  postbag_imap_store_note_change (store, effect->mailbox);
  if (effect->destination != NULL)
    postbag_imap_store_note_change (store, effect->destination);
  postbag_imap_writer_end (store->writer);
  g_array_unref (self.there);
  g_array_unref (self.left_out);
  g_ptr_array_unref (self.flags_there);
  g_strfreev (self.permanent_flags);
  return self.report;
}
