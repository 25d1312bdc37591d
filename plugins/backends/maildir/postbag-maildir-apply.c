/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Changes to a mailbox: the door, and those that stay in one mailbox. A message is one file with
 * one name, so each change of a message is one rename or removal: whoever else works in the folder
 * sees it before or after, never between. A file that another program renamed meanwhile is found
 * again by its base name. */

#include "postbag-maildir-apply.h"

#include "postbag-maildir-flags.h"
#include "postbag-maildir-write.h"

#include "base/postbag-error.h"
#include "base/postbag-limits.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <unistd.h>

void
postbag_maildir_report_step (PostbagEffectReport *report, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_ptr_array_add (report->steps, g_strdup_vprintf (format, arguments));
  va_end (arguments);
}

void
postbag_maildir_report_unknown (PostbagEffectReport *report)
{
  guint32 no_uid = 0;

  g_array_append_val (report->unknown, no_uid);
}

/* --- one message --- */

int
postbag_maildir_apply_to (PostbagMaildirAccess *access, guint32 uid, PostbagMaildirStepFunc step,
                          gpointer user_data, GError **error)
{
  int code = ENOENT;

  for (guint attempt = 0; attempt < POSTBAG_LIMIT_MAILDIR_RESCANS && code == ENOENT; attempt++)
    {
      const PostbagMaildirEntry *entry;

      if (attempt > 0 && !postbag_maildir_access_refresh (access, error))
        return -1;
      entry = postbag_maildir_snapshot_find (access->snapshot, uid);
      if (entry == NULL)
        return ENOENT;
      code = step (entry, entry->in_new ? access->folder.fresh : access->folder.current,
                   postbag_maildir_scan_get_name (access->snapshot->scan, entry), user_data);
    }
  return code;
}

PostbagMaildirAccess *
postbag_maildir_apply_enter (PostbagMaildirStore *store, const PostbagEffect *effect,
                             GCancellable *cancellable, GError **error)
{
  g_autoptr (PostbagMaildirAccess) access =
      postbag_maildir_access_new (store, effect->mailbox, cancellable, error);

  if (access == NULL)
    return NULL;
  if (effect->uid_validity == 0 || effect->uid_validity == access->snapshot->identity.uid_validity)
    return g_steal_pointer (&access);
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_CONFLICT,
               "The uids of the mailbox “%s” were given anew since they were shown. Nothing was "
               "changed. List the messages again and use the new uids.",
               access->path);
  return NULL;
}

/* --- flags and keywords --- */

PostbagFlags
postbag_maildir_apply_find_flags (char **names)
{
  for (; names != NULL && *names != NULL; names++)
    if (g_ascii_strcasecmp (*names, "$Forwarded") == 0)
      return POSTBAG_FLAG_FORWARDED;
  return 0;
}

guint32
postbag_maildir_apply_find_letters (PostbagMaildirAccess *access, char **names, GPtrArray *own)
{
  char **known = access->snapshot->keywords;
  guint32 letters = 0;

  for (; names != NULL && *names != NULL; names++)
    {
      guint i;

      if (g_ascii_strcasecmp (*names, "$Forwarded") == 0)
        continue;
      for (i = 0; i < POSTBAG_MAILDIR_N_KEYWORDS; i++)
        if (known[i] != NULL && g_ascii_strcasecmp (known[i], *names) == 0)
          break;
      if (i < POSTBAG_MAILDIR_N_KEYWORDS)
        letters |= 1u << i;
      else
        g_ptr_array_add (own, *names);
    }
  return letters;
}

typedef struct
{
  int current;
  PostbagFlags add;
  PostbagFlags remove;
  guint32 add_letters;
  guint32 remove_letters;
} FlagChange;

static int
change_flags (const PostbagMaildirEntry *entry, int folder, const char *name, gpointer user_data)
{
  const FlagChange *change = user_data;
  g_autofree char *new_name =
      postbag_maildir_change_name (name, entry->in_new, change->add, change->remove,
                                   change->add_letters, change->remove_letters);
  PostbagMaildirName before = postbag_maildir_parse_name (name);
  PostbagMaildirName after = postbag_maildir_parse_name (new_name);
  struct stat facts;

  if (entry->in_new)
    before.flags &= ~(guint)POSTBAG_FLAG_SEEN;
  if (before.flags == after.flags && before.keywords == after.keywords)
    return fstatat (folder, name, &facts, AT_SYMLINK_NOFOLLOW) == 0 ? 0 : errno;
  return postbag_maildir_rename (folder, name, change->current, new_name) ? 0 : errno;
}

static void
set_write_error (PostbagMaildirAccess *access, int code, guint32 uid, const char *what,
                 GError **error)
{
  if (code == EEXIST)
    g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_CONFLICT,
                 "Message %u in the mailbox “%s” is there twice under one name; it is left as it "
                 "is. Let the program that delivers mail there mend it.",
                 uid, access->path);
  else
    postbag_set_error_from_errno (error, code, "Cannot %s message %u in the mailbox “%s”", what,
                                  uid, access->path);
}

/* Runs @step over the messages until one fails; those that are gone are left out of @done. */
static gboolean
run_over_uids (PostbagMaildirAccess *access, const GArray *uids, PostbagMaildirStepFunc step,
               gpointer user_data, const char *what, GArray *done, GError **error)
{
  for (guint i = 0; uids != NULL && i < uids->len; i++)
    {
      guint32 uid = g_array_index (uids, guint32, i);
      int code;

      if (g_cancellable_set_error_if_cancelled (access->cancellable, error))
        return FALSE;
      code = postbag_maildir_apply_to (access, uid, step, user_data, error);
      if (code == 0)
        g_array_append_val (done, uid);
      else if (code > 0 && code != ENOENT)
        set_write_error (access, code, uid, what, error);
      if (code != 0 && code != ENOENT)
        return FALSE;
    }
  return TRUE;
}

static gboolean
sync_mailbox (PostbagMaildirAccess *access, GError **error)
{
  if (postbag_maildir_sync (access->folder.current) && postbag_maildir_sync (access->folder.fresh))
    return TRUE;
  postbag_set_error_from_errno (error, errno,
                                "The mailbox “%s” was changed, but whether the disk "
                                "has it cannot be said",
                                access->path);
  return FALSE;
}

/* Keywords without a letter, of those messages that are still there. */
static gboolean
store_own_keywords (PostbagMaildirAccess *access, GPtrArray *add, GPtrArray *remove,
                    PostbagEffectReport *report, GError **error)
{
  if (add->len == 0 && remove->len == 0)
    return TRUE;
  if (postbag_maildir_keywords_change (access->store->keywords,
                                       access->snapshot->identity.uid_validity, report->done,
                                       (char **)add->pdata, (char **)remove->pdata, error))
    return TRUE;
  /* Their names have changed, so they are neither as before nor as asked. */
  g_array_append_vals (report->unknown, report->done->data, report->done->len);
  g_array_set_size (report->done, 0);
  return FALSE;
}

static gboolean
is_empty (char **names)
{
  return names == NULL || *names == NULL;
}

gboolean
postbag_maildir_apply_reserve (PostbagMaildirAccess *access, char **names, char **marks,
                               gboolean only_look, GError **error)
{
  PostbagMaildirKeywords *keywords = access->store->keywords;

  if (is_empty (names) && is_empty (marks))
    return TRUE;
  if (!postbag_maildir_keywords_can_keep (keywords))
    {
      g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_SUPPORTED,
                   "The keyword “%s” cannot be kept: the mailbox “%s” has no letter for it and "
                   "there is no writable state folder. Nothing was changed.",
                   is_empty (names) ? *marks : *names, access->path);
      return FALSE;
    }
  if (postbag_maildir_keywords_reserve (keywords, access->snapshot->identity.uid_validity, names,
                                        marks, only_look, error))
    return TRUE;
  g_prefix_error (error, "Nothing was changed in the mailbox “%s”. ", access->path);
  return FALSE;
}

static gboolean
store_flags (PostbagMaildirStore *store, const PostbagEffect *effect, PostbagEffectReport *report,
             GCancellable *cancellable, GError **error)
{
  g_autoptr (PostbagMaildirAccess) access =
      postbag_maildir_apply_enter (store, effect, cancellable, error);
  g_autoptr (GPtrArray) own_add = g_ptr_array_new_null_terminated (0, NULL, TRUE);
  g_autoptr (GPtrArray) own_remove = g_ptr_array_new_null_terminated (0, NULL, TRUE);
  char **names;
  FlagChange change = { 0 };
  gboolean done;

  if (access == NULL)
    return FALSE;
  change.current = access->folder.current;
  change.add = effect->add_flags | postbag_maildir_apply_find_flags (effect->add_keywords);
  change.remove = effect->remove_flags | postbag_maildir_apply_find_flags (effect->remove_keywords);
  change.add_letters = postbag_maildir_apply_find_letters (access, effect->add_keywords, own_add);
  change.remove_letters =
      postbag_maildir_apply_find_letters (access, effect->remove_keywords, own_remove);
  names = (char **)own_add->pdata;
  if (!postbag_maildir_apply_reserve (access, effect->bookkeeping ? NULL : names,
                                      effect->bookkeeping ? names : NULL, FALSE, error))
    return FALSE;
  /* What was done before one failed is done whole; the first error is the one that counts. */
  done = run_over_uids (access, effect->uids, change_flags, &change, "change", report->done, error);
  done = store_own_keywords (access, own_add, own_remove, report, done ? error : NULL) && done;
  return sync_mailbox (access, done ? error : NULL) && done;
}

/* --- for good --- */

static int
remove_file (const PostbagMaildirEntry *entry, int folder, const char *name, gpointer user_data)
{
  return postbag_maildir_remove (folder, name, 0) ? 0 : errno;
}

gboolean
postbag_maildir_apply_remove (PostbagMaildirAccess *access, const GArray *uids, GArray *removed,
                              GError **error)
{
  return run_over_uids (access, uids, remove_file, NULL, "remove", removed, error);
}

static gboolean
purge (PostbagMaildirStore *store, const PostbagEffect *effect, PostbagEffectReport *report,
       GCancellable *cancellable, GError **error)
{
  g_autoptr (PostbagMaildirAccess) access =
      postbag_maildir_apply_enter (store, effect, cancellable, error);
  gboolean done;

  if (access == NULL)
    return FALSE;
  done = postbag_maildir_apply_remove (access, effect->uids, report->done, error);
  postbag_maildir_keywords_forget (store->keywords, access->snapshot->identity.uid_validity,
                                   report->done);
  return sync_mailbox (access, done ? error : NULL) && done;
}

/* --- the door --- */

static gboolean
refuse_subscription (PostbagMaildirStore *store, const PostbagEffect *effect,
                     PostbagEffectReport *report, GCancellable *cancellable, GError **error)
{
  g_set_error_literal (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_SUPPORTED,
                       "Subscriptions of a Maildir belong to the server that wrote them; Postbag "
                       "shows its mailboxes without. Nothing was changed. Subscribe to the mailbox "
                       "in the mail program or server that uses this folder.");
  return FALSE;
}

typedef gboolean (*ApplyFunc) (PostbagMaildirStore *store, const PostbagEffect *effect,
                               PostbagEffectReport *report, GCancellable *cancellable,
                               GError **error);

PostbagEffectReport *
postbag_maildir_apply (gpointer self, const PostbagEffect *effect, GCancellable *cancellable,
                       GError **error)
{
  static const ApplyFunc functions[POSTBAG_EFFECT_N_KINDS] = {
    [POSTBAG_EFFECT_STORE_FLAGS] = store_flags,
    [POSTBAG_EFFECT_COPY] = postbag_maildir_apply_transfer,
    [POSTBAG_EFFECT_MOVE] = postbag_maildir_apply_transfer,
    [POSTBAG_EFFECT_PURGE] = purge,
    [POSTBAG_EFFECT_APPEND] = postbag_maildir_apply_append,
    [POSTBAG_EFFECT_CREATE_MAILBOX] = postbag_maildir_apply_create,
    [POSTBAG_EFFECT_RENAME_MAILBOX] = postbag_maildir_apply_rename,
    [POSTBAG_EFFECT_DELETE_MAILBOX] = postbag_maildir_apply_delete,
    [POSTBAG_EFFECT_SUBSCRIBE] = refuse_subscription,
    [POSTBAG_EFFECT_UNSUBSCRIBE] = refuse_subscription,
  };
  PostbagEffectReport *report = postbag_effect_report_new ();

  /* Errors stand beside the report: something may have been done before. */
  functions[effect->kind](self, effect, report, cancellable, error);
  return report;
}
