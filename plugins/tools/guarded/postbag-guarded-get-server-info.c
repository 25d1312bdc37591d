/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* get_server_info: the server's own facts (contract 1.2). */

#include "postbag-guarded-handlers.h"

#include <string.h>

#include "base/postbag-limits.h"
#include "postbag-guarded-attachments.h"
#include "postbag-guarded-list.h"
#include "toolset/postbag-mail-call.h"
#include "toolset/postbag-mail-format.h"

static int
compare_words (const void *one, const void *other)
{
  return strcmp (*(char *const *)one, *(char *const *)other);
}

static void
write_words (PostbagResult *result, const char *name, char **raw)
{
  g_auto (GStrv) words =
      postbag_mail_format_words ((const char *const *)raw, POSTBAG_LIMIT_CAPABILITIES_SHOWN);

  qsort (words, g_strv_length (words), sizeof (char *), compare_words);
  postbag_result_strings (result, name, (const char *const *)words);
}

static void
write_account (PostbagResult *result, const PostbagAccount *account)
{
  static const char *const tls_words[] = {
    [POSTBAG_TLS_IMPLICIT] = "implicit",
    [POSTBAG_TLS_STARTTLS] = "starttls",
    [POSTBAG_TLS_NONE] = "none",
  };
  gboolean is_local = account->host == NULL;

  postbag_result_string (result, "host", is_local ? "localhost" : account->host);
  postbag_result_int (result, "port", is_local ? 0 : account->port);
  postbag_result_string (result, "tls", is_local ? "none" : tls_words[account->tls]);
  postbag_result_string (result, "mailbox", account->mailbox);
  postbag_result_string (result, "backend", account->backend);
}

/* Only where a call can choose. */
static void
write_accounts (PostbagResult *result, PostbagAccounts *accounts)
{
  g_autofree const char **names = postbag_accounts_list (accounts);

  if (names[0] != NULL && names[1] != NULL)
    postbag_result_strings (result, "accounts", names);
}

static void
write_tracking (PostbagResult *result, PostbagSettings *settings, const PostbagMailboxState *state)
{
  const char *keyword = postbag_settings_get_string (settings, "seen-keyword");

  if (keyword != NULL && *keyword == '\0')
    keyword = NULL;
  postbag_result_begin_object (result, "new_mail_tracking");
  postbag_result_boolean (result, "enabled", keyword != NULL);
  if (keyword == NULL)
    postbag_result_string (result, "reason",
                           "It is turned off (IMAP_SEEN_KEYWORD is empty). Use list_messages with "
                           "seen=false to find unread mail.");
  else
    {
      postbag_result_string (result, "keyword", keyword);
      if (postbag_guarded_knows_storable (state->permanent_flags))
        postbag_result_boolean (result, "storable",
                                postbag_guarded_is_storable (state->permanent_flags, keyword));
    }
  postbag_result_end_object (result);
}

static void
write_downloads (PostbagResult *result, PostbagCall *call, const PostbagGuardedLimits *limits)
{
  postbag_result_begin_object (result, "attachment_downloads");
  postbag_result_boolean (result, "as_resource", postbag_call_has_tool (call, "get_attachments"));
  postbag_result_boolean (result, "to_disk", limits->directory != NULL);
  if (limits->directory == NULL)
    postbag_result_string (result, "reason",
                           "No download directory is configured (IMAP_DOWNLOAD_DIR).");
  else
    {
      postbag_result_string (result, "directory", limits->directory);
      postbag_result_int (result, "max_bytes", limits->ceilings[POSTBAG_GUARDED_FILE].bytes);
    }
  postbag_result_end_object (result);
}

static void
write_extraction (PostbagResult *result, const PostbagGuardedLimits *limits)
{
  static const char *const none[] = { NULL };
  const char *const *types =
      limits->extraction != NULL ? postbag_extraction_get_types (limits->extraction) : none;

  postbag_result_begin_object (result, "attachment_text_extraction");
  postbag_result_boolean (result, "enabled", types[0] != NULL);
  if (types[0] == NULL)
    postbag_result_string (result, "reason",
                           "No reader of documents is installed. Text attachments can be read with "
                           "get_attachments.");
  postbag_result_int (result, "max_bytes", limits->ceilings[POSTBAG_GUARDED_TEXT].bytes);
  postbag_result_strings (result, "extractable_types", types);
  postbag_result_end_object (result);
}

static void
write_limits (PostbagResult *result, PostbagSettings *settings, const PostbagGuardedLimits *limits)
{
  postbag_result_begin_object (result, "limits");
  postbag_result_int (result, "default_message_limit", postbag_guarded_get_page_size (settings));
  postbag_result_int (result, "max_inline_attachment_bytes",
                      limits->ceilings[POSTBAG_GUARDED_INLINE].bytes);
  postbag_result_strings (result, "allowed_attachment_types", limits->types);
  postbag_result_end_object (result);
}

/* A backend that announces nothing is no failure. */
static gboolean
load_capabilities (PostbagMailCall *mail, char ***capabilities, GError **error)
{
  g_autoptr (GError) failure = NULL;

  *capabilities = postbag_store_get_capabilities (
      mail->store, postbag_mail_call_get_cancellable (mail), &failure);
  if (*capabilities != NULL || failure == NULL
      || g_error_matches (failure, POSTBAG_ERROR, POSTBAG_ERROR_NOT_SUPPORTED))
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&failure));
  return FALSE;
}

gboolean
postbag_guarded_get_server_info (PostbagCall *call, const PostbagArgs *args, PostbagResult *result,
                                 GError **error)
{
  g_autoptr (PostbagMailCall) mail = postbag_mail_call_new (call, args, error);
  g_autoptr (PostbagMailboxState) state = NULL;
  g_auto (GStrv) capabilities = NULL;
  PostbagSettings *settings = postbag_call_get_settings (call);
  PostbagGuardedLimits limits;

  if (mail == NULL)
    return FALSE;
  state = postbag_store_get_state (mail->store, mail->mailbox,
                                   postbag_mail_call_get_cancellable (mail), error);
  if (state == NULL)
    return postbag_mail_call_explain (mail, 0, error);
  if (!load_capabilities (mail, &capabilities, error))
    return FALSE;

  postbag_guarded_limits_load (&limits, call);
  write_account (result, mail->account);
  write_accounts (result, mail->accounts);
  write_words (result, "capabilities", capabilities);
  write_words (result, "permanent_flags", state->permanent_flags);
  write_tracking (result, settings, state);
  postbag_result_boolean (result, "write_tools_enabled",
                          !postbag_settings_get_boolean (settings, "read-only")
                              && (mail->account->may & POSTBAG_MAY_ORGANISE) != 0);
  postbag_result_boolean (result, "can_send_mail", FALSE);
  write_downloads (result, call, &limits);
  write_extraction (result, &limits);
  write_limits (result, settings, &limits);
  return TRUE;
}
