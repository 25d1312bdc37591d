/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* ENVELOPE (RFC 9051 section 7.5.2). Missing fields at the end count as NIL. */

#include "postbag-imap-parser-private.h"

#include "base/postbag-limits.h"

/* A string field; another kind of value in its place is skipped. */
static gboolean
read_field (PostbagImapCursor *cursor, char **field)
{
  postbag_imap_cursor_skip_blanks (cursor);
  if (postbag_imap_cursor_peek (cursor) == ')')
    return TRUE;
  if (postbag_imap_cursor_peek (cursor) == '(')
    return postbag_imap_cursor_skip_value (cursor);
  return postbag_imap_cursor_read_nstring (cursor, field);
}

static void
add_address (GPtrArray *list, const char *name, const char *mailbox, const char *host)
{
  g_autofree char *address = NULL;

  if (list->len >= POSTBAG_LIMIT_ADDRESSES)
    return;
  if (host[0] != '\0')
    address = g_strconcat (mailbox, "@", host, NULL);
  else
    address = g_strdup (mailbox);
  g_ptr_array_add (list, postbag_address_new (name, address));
}

/* `(name route mailbox host)`. A group begins with a NIL host and ends with a NIL mailbox: both
 * are left out, its members stay. */
static gboolean
read_address (PostbagImapCursor *cursor, GPtrArray *list)
{
  g_autofree char *name = NULL, *route = NULL, *mailbox = NULL, *host = NULL;

  if (!read_field (cursor, &name) || !read_field (cursor, &route) || !read_field (cursor, &mailbox)
      || !read_field (cursor, &host) || !postbag_imap_cursor_skip_list_rest (cursor))
    return FALSE;
  if (mailbox != NULL && host != NULL)
    add_address (list, name, mailbox, host);
  return TRUE;
}

static gboolean
read_addresses (PostbagImapCursor *cursor, GPtrArray *list)
{
  postbag_imap_cursor_skip_blanks (cursor);
  if (postbag_imap_cursor_peek (cursor) == ')')
    return TRUE;
  if (!postbag_imap_cursor_accept (cursor, '('))
    return postbag_imap_cursor_skip_value (cursor);
  while (!postbag_imap_cursor_accept (cursor, ')'))
    {
      if (postbag_imap_cursor_accept (cursor, '('))
        {
          if (!read_address (cursor, list))
            return FALSE;
        }
      else if (!postbag_imap_cursor_skip_value (cursor))
        return FALSE;
    }
  return TRUE;
}

PostbagImapEnvelope *
postbag_imap_parse_envelope (PostbagImapCursor *cursor)
{
  g_autoptr (PostbagImapEnvelope) envelope = postbag_imap_envelope_new ();

  if (!postbag_imap_cursor_accept (cursor, '('))
    return NULL;
  if (!read_field (cursor, &envelope->date) || !read_field (cursor, &envelope->subject)
      || !read_addresses (cursor, envelope->from) || !read_addresses (cursor, envelope->sender)
      || !read_addresses (cursor, envelope->reply_to) || !read_addresses (cursor, envelope->to)
      || !read_addresses (cursor, envelope->cc) || !read_addresses (cursor, envelope->bcc)
      || !read_field (cursor, &envelope->in_reply_to) || !read_field (cursor, &envelope->message_id)
      || !postbag_imap_cursor_skip_list_rest (cursor))
    return NULL;
  return g_steal_pointer (&envelope);
}
