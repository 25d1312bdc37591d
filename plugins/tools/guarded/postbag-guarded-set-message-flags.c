/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* set_message_flags (contract 1.8): flags and keywords, added first, then removed. Setting \Deleted
 * would be a deletion without a question, so it is refused, in any spelling. */

#include "postbag-guarded-handlers.h"

#include "toolset/postbag-mail-change.h"

static const struct
{
  const char *name;
  PostbagFlags flag;
} system_flags[] = {
  { "\\Seen", POSTBAG_FLAG_SEEN },       { "\\Answered", POSTBAG_FLAG_ANSWERED },
  { "\\Flagged", POSTBAG_FLAG_FLAGGED }, { "\\Deleted", POSTBAG_FLAG_DELETED },
  { "\\Draft", POSTBAG_FLAG_DRAFT },
};

/* 0: there is none of that name */
static PostbagFlags
find_system_flag (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (system_flags); i++)
    if (g_ascii_strcasecmp (name, system_flags[i].name) == 0)
      return system_flags[i].flag;
  return 0;
}

static gboolean
refuse (const char *why, GError **error)
{
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_INVALID_ARGUMENT, "%s Nothing was changed.",
               why);
  return FALSE;
}

/* Splits a list into flags and keywords (transfer full). */
static gboolean
read_flags (const char **names, PostbagFlags *flags, char ***keywords, GError **error)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  for (; names != NULL && *names != NULL; names++)
    {
      PostbagFlags flag = find_system_flag (*names);

      if (**names == '\\' && flag == 0)
        return refuse ("Of the flags with a backslash only \\Seen, \\Answered, \\Flagged, \\Draft "
                       "and, to be removed, \\Deleted can be set here; every other name without "
                       "one is a keyword.",
                       error);
      *flags |= flag;
      if (flag == 0)
        g_strv_builder_add (builder, *names);
    }
  *keywords = g_strv_builder_end (builder);
  return TRUE;
}

static gboolean
read_change (const PostbagArgs *args, PostbagEffect *effect, GError **error)
{
  g_autofree const char **add = postbag_args_dup_strings (args, "add");
  g_autofree const char **remove = postbag_args_dup_strings (args, "remove");

  if ((add == NULL || add[0] == NULL) && (remove == NULL || remove[0] == NULL))
    return refuse ("Give at least one flag to add or to remove.", error);
  if (!read_flags (add, &effect->add_flags, &effect->add_keywords, error)
      || !read_flags (remove, &effect->remove_flags, &effect->remove_keywords, error))
    return FALSE;
  if (effect->add_flags & POSTBAG_FLAG_DELETED)
    return refuse ("\\Deleted cannot be added: it deletes without asking anybody. Use "
                   "delete_messages, or move_messages to the Trash mailbox.",
                   error);
  return TRUE;
}

static void
write_flags (PostbagResult *result, const char *member, const PostbagArgs *args,
             const char *argument)
{
  static const char *const none[] = { NULL };
  g_autofree const char **flags = postbag_args_dup_strings (args, argument);

  postbag_result_strings (result, member, flags != NULL ? flags : (const char *const *)none);
}

gboolean
postbag_guarded_set_message_flags (PostbagCall *call, const PostbagArgs *args,
                                   PostbagResult *result, GError **error)
{
  g_autoptr (PostbagMailCall) mail = postbag_mail_call_new (call, args, error);
  g_autoptr (GArray) uids = mail != NULL ? postbag_mail_call_get_uids (mail, args, error) : NULL;
  g_autoptr (PostbagEffect) effect =
      uids != NULL ? postbag_mail_change_new (mail, POSTBAG_EFFECT_STORE_FLAGS, uids, error) : NULL;
  g_autoptr (PostbagEffectReport) report = NULL;

  if (effect == NULL || !read_change (args, effect, error))
    return FALSE;
  report = postbag_mail_change_apply (mail, effect, error);
  if (report == NULL)
    return FALSE;
  postbag_result_string (result, "mailbox", mail->mailbox);
  postbag_mail_change_write_uids (result, effect, report);
  write_flags (result, "added", args, "add");
  write_flags (result, "removed", args, "remove");
  postbag_mail_change_write_interrupted (mail, result);
  return TRUE;
}
