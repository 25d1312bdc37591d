/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The one door to a backend: arguments are checked before it sees them, and its errors become ours.
 * Changes pass the effect layer in postbag-store-changes.c. */

#define G_LOG_DOMAIN "postbag-mail"

#include "mail/postbag-store-private.h"

#include "base/postbag-error.h"
#include "base/postbag-limits.h"

#include <string.h>

G_DEFINE_FINAL_TYPE (PostbagStore, postbag_store, G_TYPE_OBJECT)

static void
postbag_store_finalize (GObject *object)
{
  PostbagStore *self = POSTBAG_STORE (object);

  postbag_store_close (self);
  postbag_account_free (self->account);
  g_free (self->state_dir);
  G_OBJECT_CLASS (postbag_store_parent_class)->finalize (object);
}

static void
postbag_store_class_init (PostbagStoreClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = postbag_store_finalize;
}

static void
postbag_store_init (PostbagStore *self)
{
}

PostbagStore *
postbag_store_new (const PostbagAccount *account, const PostbagStoreImplementation *implementation,
                   gpointer backend, const char *state_dir)
{
  PostbagStore *self = g_object_new (POSTBAG_TYPE_STORE, NULL);

  self->account = postbag_account_copy (account);
  self->implementation = implementation;
  self->backend = backend;
  self->state_dir = g_strdup (state_dir);
  self->clock = postbag_clock_get_system ();
  return self;
}

void
postbag_store_close (PostbagStore *self)
{
  gpointer backend = g_steal_pointer (&self->backend);

  if (backend != NULL && POSTBAG_STORE_HAS_SLOT (self, close))
    self->implementation->close (backend);
}

const PostbagAccount *
postbag_store_get_account (PostbagStore *self)
{
  g_return_val_if_fail (POSTBAG_IS_STORE (self), NULL);

  return self->account;
}

/* --- checks --- */

gboolean
postbag_store_check_readable (PostbagStore *self, gboolean has_slot, const char *what,
                              GError **error)
{
  if (self->backend == NULL)
    {
      g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_OFFLINE,
                   "The account “%s” is closed: Postbag is shutting down.", self->account->name);
      return FALSE;
    }
  if (!(self->account->may & POSTBAG_MAY_READ))
    {
      g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_ALLOWED,
                   "The account “%s” may not be read. The person who runs Postbag can allow it in "
                   "the configuration.",
                   self->account->name);
      return FALSE;
    }
  if (!has_slot)
    {
      g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_SUPPORTED,
                   "The account “%s” (%s) cannot %s.", self->account->name, self->account->backend,
                   what);
      return FALSE;
    }
  return TRUE;
}

gboolean
postbag_store_check_mailbox (const char *mailbox, GError **error)
{
  const char *why = NULL;

  if (mailbox == NULL || *mailbox == '\0')
    why = "is empty";
  else if (!g_utf8_validate (mailbox, -1, NULL))
    why = "is not UTF-8";
  else if (g_utf8_strlen (mailbox, -1) > POSTBAG_LIMIT_MAILBOX_NAME_CHARS)
    why = "is longer than 255 characters";
  for (const char *at = mailbox; why == NULL && *at != '\0'; at++)
    if (((guchar)*at < 0x20 && *at != '\t') || (guchar)*at == 0x7f)
      why = "holds a control character";
  if (why == NULL)
    return TRUE;
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_INVALID_ARGUMENT,
               "The name of the mailbox %s. List the mailboxes and use a path from there.", why);
  return FALSE;
}

static gboolean
check_uid (guint32 uid, GError **error)
{
  if (uid > 0)
    return TRUE;
  g_set_error_literal (error, POSTBAG_ERROR, POSTBAG_ERROR_INVALID_ARGUMENT,
                       "A UID is at least 1. List the messages and use a uid from there.");
  return FALSE;
}

/* digits *("." digits), RFC 9051 section 6.4.5.1; "0" is the whole message */
static gboolean
check_part_number (const char *number, GError **error)
{
  gboolean digit_before = FALSE, valid = number != NULL;

  for (const char *at = number; valid && *at != '\0'; at++)
    {
      valid = g_ascii_isdigit (*at) || (*at == '.' && digit_before);
      digit_before = g_ascii_isdigit (*at);
    }
  if (valid && digit_before && strlen (number) <= POSTBAG_LIMIT_PART_NUMBER_CHARS)
    return TRUE;
  g_set_error_literal (error, POSTBAG_ERROR, POSTBAG_ERROR_INVALID_ARGUMENT,
                       "A part number looks like 2 or 1.3. List the attachments of the message and "
                       "use a part number from there.");
  return FALSE;
}

/* --- errors --- */

static PostbagErrorCode
get_code (const GError *error)
{
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return POSTBAG_ERROR_CANCELLED;
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_TIMED_OUT))
    return POSTBAG_ERROR_TIMED_OUT;
  return error->domain == G_IO_ERROR ? POSTBAG_ERROR_OFFLINE : POSTBAG_ERROR_INTERNAL;
}

/* Callers see one domain, whatever a plugin lets slip. Takes @inner. */
void
postbag_store_pass_error (PostbagStore *self, gboolean failed, GError *inner, GError **error)
{
  if (!failed)
    {
      g_clear_error (&inner);
      return;
    }
  if (inner == NULL)
    g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_INTERNAL,
                 "The backend “%s” failed without saying why. Please report this.",
                 self->account->backend);
  else if (inner->domain == POSTBAG_ERROR)
    g_propagate_error (error, inner);
  else
    {
      g_set_error_literal (error, POSTBAG_ERROR, (int)get_code (inner), inner->message);
      g_error_free (inner);
    }
}

/* Who asked what of which mailbox and what came of it: nothing of a message, and nothing of what
 * was searched for. @number: a uid, or how many came */
static void
log_call (PostbagStore *self, const char *what, const char *mailbox, gboolean fine, gint64 number)
{
  if (fine)
    g_debug ("%s: %s in “%s”: %" G_GINT64_FORMAT, self->account->name, what, mailbox, number);
  else
    g_debug ("%s: %s in “%s”: failed", self->account->name, what, mailbox);
}

/* --- reading --- */

GPtrArray *
postbag_store_list_mailboxes (PostbagStore *self, gboolean with_status, gint64 *total,
                              GCancellable *cancellable, GError **error)
{
  GError *inner = NULL;
  GPtrArray *mailboxes;
  gint64 count = 0;

  g_return_val_if_fail (POSTBAG_IS_STORE (self), NULL);

  if (!postbag_store_check_readable (self, POSTBAG_STORE_HAS_SLOT (self, list_mailboxes),
                                     "list mailboxes", error))
    return NULL;
  mailboxes = self->implementation->list_mailboxes (self->backend, with_status, &count, cancellable,
                                                    &inner);
  log_call (self, "mailboxes", "", mailboxes != NULL, count);
  postbag_store_pass_error (self, mailboxes == NULL, inner, error);
  if (mailboxes != NULL && total != NULL)
    *total = MAX (count, (gint64)mailboxes->len);
  return mailboxes;
}

PostbagMailboxState *
postbag_store_get_state (PostbagStore *self, const char *mailbox, GCancellable *cancellable,
                         GError **error)
{
  GError *inner = NULL;
  PostbagMailboxState *state;

  g_return_val_if_fail (POSTBAG_IS_STORE (self), NULL);

  if (!postbag_store_check_readable (self, POSTBAG_STORE_HAS_SLOT (self, get_state),
                                     "look at a mailbox", error)
      || !postbag_store_check_mailbox (mailbox, error))
    return NULL;
  state = self->implementation->get_state (self->backend, mailbox, cancellable, &inner);
  log_call (self, "messages", mailbox, state != NULL, state != NULL ? state->messages : 0);
  postbag_store_pass_error (self, state == NULL, inner, error);
  return state;
}

PostbagSearchPage *
postbag_store_search (PostbagStore *self, const char *mailbox, const PostbagSearch *search,
                      const PostbagPage *page, GCancellable *cancellable, GError **error)
{
  GError *inner = NULL;
  PostbagSearchPage *result;

  g_return_val_if_fail (POSTBAG_IS_STORE (self), NULL);
  g_return_val_if_fail (search != NULL && page != NULL, NULL);

  if (!postbag_store_check_readable (self, POSTBAG_STORE_HAS_SLOT (self, search), "search", error)
      || !postbag_store_check_mailbox (mailbox, error))
    return NULL;
  if (page->offset < 0)
    {
      g_set_error_literal (error, POSTBAG_ERROR, POSTBAG_ERROR_INVALID_ARGUMENT,
                           "The offset is negative. Use 0 for the newest messages.");
      return NULL;
    }
  result = self->implementation->search (self->backend, mailbox, search, page, cancellable, &inner);
  log_call (self, "found", mailbox, result != NULL, result != NULL ? result->total : 0);
  postbag_store_pass_error (self, result == NULL, inner, error);
  return result;
}

PostbagFetchedMessage *
postbag_store_fetch_message (PostbagStore *self, const char *mailbox, guint32 uid, gsize max_source,
                             GCancellable *cancellable, GError **error)
{
  GError *inner = NULL;
  PostbagFetchedMessage *message;

  g_return_val_if_fail (POSTBAG_IS_STORE (self), NULL);

  if (!postbag_store_check_readable (self, POSTBAG_STORE_HAS_SLOT (self, fetch_message),
                                     "read a message", error)
      || !postbag_store_check_mailbox (mailbox, error) || !check_uid (uid, error))
    return NULL;
  message = self->implementation->fetch_message (self->backend, mailbox, uid, max_source,
                                                 cancellable, &inner);
  log_call (self, "message", mailbox, message != NULL, uid);
  postbag_store_pass_error (self, message == NULL, inner, error);
  return message;
}

PostbagPart *
postbag_store_fetch_structure (PostbagStore *self, const char *mailbox, guint32 uid,
                               GCancellable *cancellable, GError **error)
{
  GError *inner = NULL;
  PostbagPart *part;

  g_return_val_if_fail (POSTBAG_IS_STORE (self), NULL);

  if (!postbag_store_check_readable (self, POSTBAG_STORE_HAS_SLOT (self, fetch_structure),
                                     "take a message apart", error)
      || !postbag_store_check_mailbox (mailbox, error) || !check_uid (uid, error))
    return NULL;
  part = self->implementation->fetch_structure (self->backend, mailbox, uid, cancellable, &inner);
  log_call (self, "structure", mailbox, part != NULL, uid);
  postbag_store_pass_error (self, part == NULL, inner, error);
  return part;
}

gboolean
postbag_store_fetch_part (PostbagStore *self, const char *mailbox, guint32 uid, const char *number,
                          PostbagSinkFunc sink, gpointer user_data, GCancellable *cancellable,
                          GError **error)
{
  GError *inner = NULL;
  gboolean done;

  g_return_val_if_fail (POSTBAG_IS_STORE (self), FALSE);
  g_return_val_if_fail (sink != NULL, FALSE);

  if (!postbag_store_check_readable (self, POSTBAG_STORE_HAS_SLOT (self, fetch_part),
                                     "read a part of a message", error)
      || !postbag_store_check_mailbox (mailbox, error) || !check_uid (uid, error)
      || !check_part_number (number, error))
    return FALSE;
  done = self->implementation->fetch_part (self->backend, mailbox, uid, number, sink, user_data,
                                           cancellable, &inner);
  log_call (self, "part", mailbox, done, uid);
  postbag_store_pass_error (self, !done, inner, error);
  return done;
}

gboolean
postbag_store_fetch_content (PostbagStore *self, const char *mailbox, guint32 uid,
                             const char *number, gboolean *is_decoded, PostbagSinkFunc sink,
                             gpointer user_data, GCancellable *cancellable, GError **error)
{
  GError *inner = NULL;
  gboolean done;

  g_return_val_if_fail (POSTBAG_IS_STORE (self), FALSE);
  g_return_val_if_fail (is_decoded != NULL && sink != NULL, FALSE);

  *is_decoded = FALSE;
  if (!POSTBAG_STORE_HAS_SLOT (self, fetch_content))
    return postbag_store_fetch_part (self, mailbox, uid, number, sink, user_data, cancellable,
                                     error);
  if (!postbag_store_check_readable (self, TRUE, "read a part of a message", error)
      || !postbag_store_check_mailbox (mailbox, error) || !check_uid (uid, error)
      || !check_part_number (number, error))
    return FALSE;
  done = self->implementation->fetch_content (self->backend, mailbox, uid, number, is_decoded, sink,
                                              user_data, cancellable, &inner);
  log_call (self, "part", mailbox, done, uid);
  postbag_store_pass_error (self, !done, inner, error);
  return done;
}

char **
postbag_store_get_capabilities (PostbagStore *self, GCancellable *cancellable, GError **error)
{
  GError *inner = NULL;
  char **capabilities;

  g_return_val_if_fail (POSTBAG_IS_STORE (self), NULL);

  if (!postbag_store_check_readable (self, POSTBAG_STORE_HAS_SLOT (self, get_capabilities),
                                     "tell its capabilities", error))
    return NULL;
  capabilities = self->implementation->get_capabilities (self->backend, cancellable, &inner);
  postbag_store_pass_error (self, capabilities == NULL, inner, error);
  return capabilities;
}

gboolean
postbag_store_diagnose (PostbagStore *self, PostbagStepFunc told, gpointer user_data,
                        GCancellable *cancellable, GError **error)
{
  GError *inner = NULL;
  gboolean is_fine;

  g_return_val_if_fail (POSTBAG_IS_STORE (self), FALSE);
  g_return_val_if_fail (told != NULL, FALSE);

  if (!POSTBAG_STORE_HAS_SLOT (self, diagnose))
    return TRUE;
  is_fine = self->implementation->diagnose (self->backend, told, user_data, cancellable, &inner);
  postbag_store_pass_error (self, !is_fine, inner, error);
  return is_fine;
}

guint
postbag_store_watch (PostbagStore *self, const char *mailbox, PostbagChangeFunc changed,
                     gpointer user_data, GError **error)
{
  GError *inner = NULL;
  guint id;

  g_return_val_if_fail (POSTBAG_IS_STORE (self), 0);
  g_return_val_if_fail (changed != NULL, 0);

  if (!postbag_store_check_readable (
          self, POSTBAG_STORE_HAS_SLOT (self, watch) && POSTBAG_STORE_HAS_SLOT (self, unwatch),
          "watch for changes", error)
      || !postbag_store_check_mailbox (mailbox, error))
    return 0;
  id = self->implementation->watch (self->backend, mailbox, changed, user_data, &inner);
  postbag_store_pass_error (self, id == 0, inner, error);
  return id;
}

void
postbag_store_unwatch (PostbagStore *self, guint id)
{
  g_return_if_fail (POSTBAG_IS_STORE (self));

  if (self->backend != NULL && POSTBAG_STORE_HAS_SLOT (self, unwatch))
    self->implementation->unwatch (self->backend, id);
}
