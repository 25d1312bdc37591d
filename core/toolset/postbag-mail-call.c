/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the handlers of all toolsets share before they do anything: whose mail, which mailbox, and
 * how a failure is told to a model. */

#define G_LOG_DOMAIN "postbag-toolset"

#include "toolset/postbag-mail-call.h"

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "safety/postbag-clean.h"

#include <stdarg.h>

static gboolean
is_forbidden (gunichar c)
{
  return (c < 0x20 && c != '\t') || (c >= 0x7f && c <= 0x9f) || c == '%' || c == '*';
}

gboolean
postbag_mail_check_mailbox (const char *argument, const char *name, GError **error)
{
  g_autofree char *quoted = NULL;
  gboolean fine = *name != '\0' && g_utf8_validate (name, -1, NULL)
                  && g_utf8_strlen (name, -1) <= POSTBAG_LIMIT_MAILBOX_NAME_CHARS;

  for (const char *p = name; fine && *p != '\0'; p = g_utf8_next_char (p))
    fine = !is_forbidden (g_utf8_get_char (p));
  if (fine)
    return TRUE;

  quoted = postbag_clean_quote (name);
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_INVALID_ARGUMENT,
               "%s: %s cannot be a mailbox: a name has 1 to %d characters, no control characters, "
               "no %% and no *. Call list_mailboxes and use a path exactly as it stands there.",
               argument, quoted, POSTBAG_LIMIT_MAILBOX_NAME_CHARS);
  return FALSE;
}

static const char *
get_optional_string (const PostbagArgs *args, const char *name)
{
  return postbag_args_has (args, name) ? postbag_args_get_string (args, name) : NULL;
}

PostbagMailCall *
postbag_mail_call_new (PostbagCall *call, const PostbagArgs *args, GError **error)
{
  return postbag_mail_call_new_for (call, get_optional_string (args, "account"),
                                    get_optional_string (args, "mailbox"), error);
}

PostbagMailCall *
postbag_mail_call_new_for (PostbagCall *call, const char *account, const char *mailbox,
                           GError **error)
{
  g_autoptr (PostbagMailCall) self = g_new0 (PostbagMailCall, 1);

  if (mailbox != NULL && !postbag_mail_check_mailbox ("mailbox", mailbox, error))
    return NULL;

  self->call = call;
  self->accounts = postbag_call_get_service (call, POSTBAG_TYPE_ACCOUNTS);
  if (self->accounts == NULL)
    {
      g_set_error_literal (
          error, POSTBAG_ERROR, POSTBAG_ERROR_NEEDS_LOGIN,
          "No mail account is configured. The person who runs Postbag can add one; "
          "“postbag --help” says how.");
      return NULL;
    }
  self->store = postbag_accounts_get_store (self->accounts, account, error);
  if (self->store == NULL)
    return NULL;
  self->account = postbag_store_get_account (self->store);
  self->mailbox = g_strdup (mailbox != NULL ? mailbox : self->account->mailbox);
  return g_steal_pointer (&self);
}

void
postbag_mail_call_free (PostbagMailCall *self)
{
  g_clear_object (&self->store);
  g_free (self->mailbox);
  g_free (self);
}

gboolean
postbag_mail_call_get_uid (PostbagMailCall *self, const PostbagArgs *args, guint32 *uid,
                           GError **error)
{
  gint64 value = postbag_args_get_int (args, "uid", 0);

  if (value > 0 && value <= G_MAXUINT32)
    {
      *uid = (guint32)value;
      return TRUE;
    }
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_FOUND,
               "No message can have the uid %" G_GINT64_FORMAT
               ". Call list_messages and use a uid that it shows.",
               value);
  return FALSE;
}

void
postbag_mail_call_remember (PostbagMailCall *self, guint32 uid_validity, gboolean is_listing)
{
  postbag_accounts_remember_uid_validity (self->accounts, postbag_call_get_principal (self->call),
                                          self->account->name, self->mailbox, uid_validity,
                                          is_listing);
}

gboolean
postbag_mail_call_recall (PostbagMailCall *self, guint32 *uid_validity, GError **error)
{
  g_autofree char *mailbox = NULL;

  if (postbag_accounts_recall_uid_validity (self->accounts, postbag_call_get_principal (self->call),
                                            self->account->name, self->mailbox, uid_validity))
    return TRUE;
  mailbox = postbag_clean_quote (self->mailbox);
  g_set_error (
      error, POSTBAG_ERROR, POSTBAG_ERROR_CONFLICT,
      "The mailbox %s was made anew since it was listed: the same uids name other messages "
      "now. Nothing was changed. Call list_messages with the same mailbox, and use uids "
      "that it shows.",
      mailbox);
  return FALSE;
}

GCancellable *
postbag_mail_call_get_cancellable (PostbagMailCall *self)
{
  return postbag_call_get_cancellable (self->call);
}

/* Asked only after a "not found", so an ordinary call never pays for it. */
static gboolean
is_mailbox_there (PostbagMailCall *self)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagMailboxState) state = postbag_store_get_state (
      self->store, self->mailbox, postbag_mail_call_get_cancellable (self), &error);

  return state != NULL || !g_error_matches (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_FOUND);
}

gboolean
postbag_mail_call_explain (PostbagMailCall *self, guint32 uid, GError **error)
{
  g_autofree char *quoted = NULL;

  if (error == NULL || !g_error_matches (*error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_FOUND))
    return FALSE;

  quoted = postbag_clean_quote (self->mailbox);
  if (uid != 0 && is_mailbox_there (self))
    {
      g_clear_error (error);
      g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_FOUND,
                   "The mailbox %s has no message with uid %u; it may have been moved or deleted. "
                   "Call list_messages with the same mailbox to see what is there now.",
                   quoted, uid);
      return FALSE;
    }
  g_clear_error (error);
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_FOUND,
               "There is no mailbox %s. Call list_mailboxes and use a path exactly as it stands "
               "there.",
               quoted);
  return FALSE;
}

/* Invisible characters spelled out, nothing that could end the quotation. */
static char *
quote_field (const char *text)
{
  g_autofree char *escaped = postbag_clean_escape (text, POSTBAG_LIMIT_NAME_CHARS);

  return g_strdup_printf ("\"%s\"", g_strdelimit (escaped, "\"\\", '_'));
}

void
postbag_mail_call_audit (PostbagMailCall *self, const char *operation, const char *format, ...)
{
  g_autofree char *fields = NULL;
  g_autofree char *account = quote_field (self->account->name);
  g_autofree char *mailbox = quote_field (self->mailbox);
  g_autoptr (GDateTime) now = g_date_time_new_from_unix_utc (
      postbag_clock_get_real_us (postbag_call_get_clock (self->call)) / G_USEC_PER_SEC);
  g_autofree char *stamp = g_date_time_format_iso8601 (now);
  va_list arguments;

  va_start (arguments, format);
  fields = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_message ("audit %s %s account=%s mailbox=%s %s", stamp, operation, account, mailbox, fields);
}
