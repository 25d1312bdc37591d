/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* SEARCH, ESEARCH (RFC 9051 section 7.3.4) and VANISHED (RFC 7162).
 * Each reply holds as many numbers as its line has room for; whoever collects them bounds the sum.
 */

#include "postbag-imap-parser-private.h"

#include <string.h>

#include "postbag-imap-set.h"

static PostbagImapSearchResult *
create_result (PostbagImapReply *reply, PostbagImapReplyKind kind)
{
  PostbagImapSearchResult *result = g_new0 (PostbagImapSearchResult, 1);

  result->numbers = postbag_imap_set_new ();
  result->count = -1;
  reply->kind = kind;
  reply->search = result;
  return result;
}

gboolean
postbag_imap_parse_search (PostbagImapCursor *cursor, PostbagImapReply *reply)
{
  PostbagImapSearchResult *result = create_result (reply, POSTBAG_IMAP_REPLY_SEARCH);
  guint64 number;

  while (postbag_imap_cursor_read_number (cursor, G_MAXUINT32, &number))
    if (number != 0)
      postbag_imap_set_add (result->numbers, (guint32)number, (guint32)number);
  /* `(MODSEQ n)` at the end (RFC 7162 section 3.1.5) */
  if (postbag_imap_cursor_accept (cursor, '(')
      && postbag_imap_cursor_accept_word (cursor, "MODSEQ"))
    {
      postbag_imap_cursor_read_number (cursor, G_MAXINT64, &result->modseq);
      postbag_imap_cursor_accept (cursor, ')');
    }
  postbag_imap_cursor_skip_blanks (cursor);
  return postbag_imap_cursor_is_at_end (cursor);
}

/* A set at the cursor, up to a blank or a bracket. */
static gboolean
read_set (PostbagImapCursor *cursor, GArray *set)
{
  g_autofree char *text = postbag_imap_cursor_read_atom (cursor, NULL);

  if (text == NULL)
    return FALSE;
  if (g_ascii_strcasecmp (text, "NIL") == 0)
    return TRUE;
  return postbag_imap_set_parse (set, text, strlen (text));
}

static gboolean
read_uint32 (PostbagImapCursor *cursor, guint32 *value)
{
  guint64 number;

  if (!postbag_imap_cursor_read_number (cursor, G_MAXUINT32, &number))
    return FALSE;
  *value = (guint32)number;
  return TRUE;
}

/* One item and its value; @name is already read. */
static gboolean
read_item (PostbagImapCursor *cursor, PostbagImapSearchResult *result, const char *name)
{
  guint32 count;

  if (g_ascii_strcasecmp (name, "UID") == 0)
    {
      result->is_uid = TRUE;
      return TRUE;
    }
  if (g_ascii_strcasecmp (name, "ALL") == 0)
    return read_set (cursor, result->numbers);
  if (g_ascii_strcasecmp (name, "MIN") == 0)
    return read_uint32 (cursor, &result->minimum);
  if (g_ascii_strcasecmp (name, "MAX") == 0)
    return read_uint32 (cursor, &result->maximum);
  if (g_ascii_strcasecmp (name, "MODSEQ") == 0)
    return postbag_imap_cursor_read_number (cursor, G_MAXINT64, &result->modseq);
  if (g_ascii_strcasecmp (name, "COUNT") == 0)
    {
      if (!read_uint32 (cursor, &count))
        return FALSE;
      result->count = count;
      return TRUE;
    }
  /* `PARTIAL (-1:-50 set)` (RFC 9394) */
  if (g_ascii_strcasecmp (name, "PARTIAL") == 0)
    return postbag_imap_cursor_accept (cursor, '(') && postbag_imap_cursor_skip_value (cursor)
           && read_set (cursor, result->numbers) && postbag_imap_cursor_accept (cursor, ')');
  return postbag_imap_cursor_skip_value (cursor);
}

gboolean
postbag_imap_parse_esearch (PostbagImapCursor *cursor, PostbagImapReply *reply)
{
  PostbagImapSearchResult *result = create_result (reply, POSTBAG_IMAP_REPLY_ESEARCH);

  if (postbag_imap_cursor_accept (cursor, '('))
    {
      if (postbag_imap_cursor_accept_word (cursor, "TAG"))
        result->tag = postbag_imap_cursor_read_astring (cursor);
      if (!postbag_imap_cursor_skip_list_rest (cursor))
        return FALSE;
    }
  for (;;)
    {
      g_autofree char *name = postbag_imap_cursor_read_atom (cursor, NULL);

      if (name == NULL)
        break;
      if (!read_item (cursor, result, name))
        return FALSE;
    }
  postbag_imap_cursor_skip_blanks (cursor);
  return postbag_imap_cursor_is_at_end (cursor);
}

gboolean
postbag_imap_parse_vanished (PostbagImapCursor *cursor, PostbagImapReply *reply)
{
  PostbagImapVanished *vanished = g_new0 (PostbagImapVanished, 1);

  vanished->uids = postbag_imap_set_new ();
  reply->kind = POSTBAG_IMAP_REPLY_VANISHED;
  reply->vanished = vanished;
  if (postbag_imap_cursor_accept (cursor, '('))
    {
      vanished->earlier = postbag_imap_cursor_accept_word (cursor, "EARLIER");
      if (!postbag_imap_cursor_skip_list_rest (cursor))
        return FALSE;
    }
  return read_set (cursor, vanished->uids);
}
