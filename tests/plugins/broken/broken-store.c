/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One mailbox with three messages in memory. Without BROKEN_X it keeps the contract of a store;
 * each build breaks it in a different way. */

#include "plugin/postbag-plugin.h"

#include <string.h>

#ifndef BROKEN_NAME
#define BROKEN_NAME "memory"
#endif

#define MESSAGE                                                                                    \
  "Subject: Hello\r\n\r\nA line of text that is longer than a hundred octets, so "                 \
  "that its beginning is not the whole of it.\r\n"
#define MESSAGES 3
#define STRUCTURE_HEADER 18 /* octets before the text */

static gboolean
check_call (const char *mailbox, GCancellable *cancellable, GError **error)
{
#if !defined(BROKEN_UNSTOPPABLE)
  if (g_cancellable_is_cancelled (cancellable))
    {
      g_set_error_literal (error, POSTBAG_ERROR, POSTBAG_ERROR_CANCELLED, "It was cancelled.");
      return FALSE;
    }
#endif
  if (mailbox != NULL && strcmp (mailbox, "INBOX") != 0)
    {
      g_set_error_literal (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_FOUND, "There is only INBOX.");
      return FALSE;
    }
  return TRUE;
}

static gboolean
check_uid (guint32 uid, GError **error)
{
#if defined(BROKEN_CODE)
  const int code = POSTBAG_ERROR_INTERNAL;
#else
  const int code = POSTBAG_ERROR_NOT_FOUND;
#endif

  if (uid >= 1 && uid <= MESSAGES)
    return TRUE;
  g_set_error_literal (error, POSTBAG_ERROR, code, "There is no such message.");
  return FALSE;
}

static gpointer
open_account (const PostbagAccount *account, const char *state_dir, GError **error)
{
#if defined(BROKEN_MEDDLING)
  g_autofree char *path = g_build_filename (account->path, "meddled", NULL);

  g_file_set_contents (path, "x", 1, NULL);
#endif
  return g_strdup (account->name);
}

static void
close_account (gpointer self)
{
  g_free (self);
}

static GPtrArray *
list_mailboxes (gpointer self, gboolean with_status, gint64 *total, GCancellable *cancellable,
                GError **error)
{
  GPtrArray *list;
  PostbagMailbox *mailbox;

  if (!check_call (NULL, cancellable, error))
    return NULL;
  list = g_ptr_array_new_with_free_func ((GDestroyNotify)postbag_mailbox_free);
  mailbox = postbag_mailbox_new ("INBOX");
  mailbox->selectable = TRUE;
  g_ptr_array_add (list, mailbox);
  *total = 1;
  return list;
}

static PostbagMailboxState *
get_state (gpointer self, const char *mailbox, GCancellable *cancellable, GError **error)
{
  PostbagMailboxState *state;

  if (!check_call (mailbox, cancellable, error))
    return NULL;
  state = g_new0 (PostbagMailboxState, 1);
  state->uid_validity = 1;
  state->uid_next = MESSAGES + 1;
  state->messages = MESSAGES;
  return state;
}

static PostbagSearchPage *
search (gpointer self, const char *mailbox, const PostbagSearch *criteria, const PostbagPage *page,
        GCancellable *cancellable, GError **error)
{
  PostbagSearchPage *found;

  if (!check_call (mailbox, cancellable, error))
    return NULL;
  found = postbag_search_page_new ();
  found->uid_validity = 1;
  found->total = MESSAGES;
  for (gint64 i = page->offset; i < MESSAGES && found->summaries->len < page->limit; i++)
    {
      PostbagSummary *summary = postbag_summary_new ();

#if defined(BROKEN_ORDER)
      summary->uid = (guint32)(i + 1);
#else
      summary->uid = (guint32)(MESSAGES - i);
#endif
      summary->size = sizeof (MESSAGE) - 1;
      summary->internal_date = 1000;
      g_ptr_array_add (found->summaries, summary);
    }
#if defined(BROKEN_TOTAL)
  found->total = (gint64)found->summaries->len;
#endif
  return found;
}

static PostbagPart *
fetch_structure (gpointer self, const char *mailbox, guint32 uid, GCancellable *cancellable,
                 GError **error)
{
  PostbagPart *part;

  if (!check_call (mailbox, cancellable, error) || !check_uid (uid, error))
    return NULL;
  part = postbag_part_new ("text/plain");
  part->number = g_strdup ("1");
  part->size = (gint64)sizeof (MESSAGE) - 1 - STRUCTURE_HEADER;
  return part;
}

static PostbagFetchedMessage *
fetch_message (gpointer self, const char *mailbox, guint32 uid, gsize max_source,
               GCancellable *cancellable, GError **error)
{
  gsize whole = sizeof (MESSAGE) - 1;
  PostbagFetchedMessage *message;

  if (!check_call (mailbox, cancellable, error) || !check_uid (uid, error))
    return NULL;
  message = g_new0 (PostbagFetchedMessage, 1);
  message->uid = uid;
  message->uid_validity = 1;
  message->internal_date = 1000;
  message->size = (gint64)whole;
  message->complete = whole <= max_source;
#if defined(BROKEN_LENGTH)
  max_source = whole;
#endif
  message->source = g_bytes_new_static (MESSAGE, MIN (whole, max_source));
  message->keywords = g_new0 (char *, 1);
  if (!message->complete)
    message->structure = fetch_structure (self, mailbox, uid, NULL, NULL);
  return message;
}

static gboolean
fetch_part (gpointer self, const char *mailbox, guint32 uid, const char *number,
            PostbagSinkFunc sink, gpointer user_data, GCancellable *cancellable, GError **error)
{
  gsize skipped = strcmp (number, "0") == 0 ? 0 : STRUCTURE_HEADER;

  if (!check_call (mailbox, cancellable, error) || !check_uid (uid, error))
    return FALSE;
  if (strcmp (number, "0") != 0 && strcmp (number, "1") != 0)
    {
      g_set_error_literal (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_FOUND, "No such part.");
      return FALSE;
    }
  return sink ((const guint8 *)MESSAGE + skipped, sizeof (MESSAGE) - 1 - skipped, user_data, error);
}

static const PostbagStoreImplementation store = {
  .size = sizeof (PostbagStoreImplementation),
  .open = open_account,
  .close = close_account,
  .list_mailboxes = list_mailboxes,
  .get_state = get_state,
  .search = search,
  .fetch_message = fetch_message,
  .fetch_structure = fetch_structure,
  .fetch_part = fetch_part,
};

POSTBAG_PLUGIN_EXPORT (STORE, BROKEN_NAME, &store)
