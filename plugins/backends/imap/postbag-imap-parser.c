/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-imap-parser.h"

#include <string.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "base/postbag-text.h"
#include "postbag-imap-parser-private.h"

static const struct
{
  const char *word;
  PostbagImapCondition condition;
} conditions[] = {
  { "OK", POSTBAG_IMAP_OK },   { "NO", POSTBAG_IMAP_NO },           { "BAD", POSTBAG_IMAP_BAD },
  { "BYE", POSTBAG_IMAP_BYE }, { "PREAUTH", POSTBAG_IMAP_PREAUTH },
};

/* Reads OK, NO, ... and what follows. */
static gboolean
read_condition (PostbagImapCursor *cursor, PostbagImapReply *reply)
{
  for (gsize i = 0; i < G_N_ELEMENTS (conditions); i++)
    if (postbag_imap_cursor_accept_word (cursor, conditions[i].word))
      {
        reply->kind = POSTBAG_IMAP_REPLY_STATUS;
        reply->status = postbag_imap_parse_status (cursor, conditions[i].condition);
        return TRUE;
      }
  return FALSE;
}

/* Behind `* n`. */
static gboolean
read_numbered (PostbagImapCursor *cursor, PostbagImapReply *reply)
{
  static const struct
  {
    const char *word;
    PostbagImapReplyKind kind;
  } kinds[] = {
    { "EXISTS", POSTBAG_IMAP_REPLY_EXISTS },
    { "RECENT", POSTBAG_IMAP_REPLY_RECENT },
    { "EXPUNGE", POSTBAG_IMAP_REPLY_EXPUNGE },
  };

  if (postbag_imap_cursor_accept_word (cursor, "FETCH"))
    {
      postbag_imap_parse_fetch (cursor, reply);
      return TRUE;
    }
  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (postbag_imap_cursor_accept_word (cursor, kinds[i].word))
      {
        reply->kind = kinds[i].kind;
        return TRUE;
      }
  return FALSE;
}

static gboolean
read_words (PostbagImapCursor *cursor, PostbagImapReply *reply)
{
  if (postbag_imap_cursor_accept_word (cursor, "CAPABILITY"))
    reply->kind = POSTBAG_IMAP_REPLY_CAPABILITY;
  else if (postbag_imap_cursor_accept_word (cursor, "ENABLED"))
    reply->kind = POSTBAG_IMAP_REPLY_ENABLED;
  else if (postbag_imap_cursor_accept_word (cursor, "FLAGS"))
    {
      reply->kind = POSTBAG_IMAP_REPLY_FLAGS;
      reply->words = postbag_imap_parse_word_list (cursor, FALSE);
      return TRUE;
    }
  else
    return FALSE;
  reply->words = postbag_imap_parse_words (cursor, NULL, FALSE);
  return TRUE;
}

/* Untagged data. What is not known, or cannot be read, stays UNKNOWN. */
static gboolean
read_data (PostbagImapCursor *cursor, PostbagImapReply *reply, gboolean utf8_names)
{
  if (read_words (cursor, reply))
    return TRUE;
  if (postbag_imap_cursor_accept_word (cursor, "LIST"))
    return postbag_imap_parse_list (cursor, reply, utf8_names);
  if (postbag_imap_cursor_accept_word (cursor, "LSUB"))
    {
      if (!postbag_imap_parse_list (cursor, reply, utf8_names))
        return FALSE;
      reply->list->is_lsub = TRUE;
      return TRUE;
    }
  if (postbag_imap_cursor_accept_word (cursor, "STATUS"))
    return postbag_imap_parse_mailbox_status (cursor, reply, utf8_names);
  if (postbag_imap_cursor_accept_word (cursor, "SEARCH"))
    return postbag_imap_parse_search (cursor, reply);
  if (postbag_imap_cursor_accept_word (cursor, "ESEARCH"))
    return postbag_imap_parse_esearch (cursor, reply);
  if (postbag_imap_cursor_accept_word (cursor, "VANISHED"))
    return postbag_imap_parse_vanished (cursor, reply);
  if (postbag_imap_cursor_accept_word (cursor, "NAMESPACE"))
    return postbag_imap_parse_namespace (cursor, reply, utf8_names);
  if (postbag_imap_cursor_accept_word (cursor, "QUOTA"))
    return postbag_imap_parse_quota (cursor, reply);
  if (postbag_imap_cursor_accept_word (cursor, "QUOTAROOT"))
    return postbag_imap_parse_quota_root (cursor, reply, utf8_names);
  return FALSE;
}

static void
read_untagged (PostbagImapCursor *cursor, PostbagImapReply *reply, gboolean utf8_names)
{
  guint64 number;

  if (read_condition (cursor, reply))
    return;
  if (postbag_imap_cursor_read_number (cursor, G_MAXUINT32, &number))
    {
      reply->number = (guint32)number;
      read_numbered (cursor, reply);
      return;
    }
  if (!read_data (cursor, reply, utf8_names))
    postbag_imap_reply_clear (reply);
}

static gboolean
fail_foreign (const PostbagImapFrame *frame, GError **error)
{
  g_autofree char *valid =
      postbag_text_make_valid (frame->text->str, (gssize)MIN (frame->text->len, 80));
  g_autofree char *shown = g_strescape (valid, NULL);

  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_BAD_DATA,
               "The server's answer “%s” is not IMAP. Check host, port and TLS mode.", shown);
  return FALSE;
}

/* A tag of ours: letters and digits (the writer makes no others). */
static char *
read_tag (PostbagImapCursor *cursor)
{
  gsize length = 0;
  char *tag;

  while (length < cursor->length && length < 32 && g_ascii_isalnum (cursor->text[length]))
    length++;
  if (length == 0 || length == cursor->length || cursor->text[length] != ' ')
    return NULL;
  tag = g_strndup (cursor->text, length);
  cursor->position = length;
  return tag;
}

PostbagImapReply *
postbag_imap_parse (PostbagImapFrame *frame, gboolean utf8_names, GError **error)
{
  g_autoptr (PostbagImapReply) reply = postbag_imap_reply_new ();
  PostbagImapCursor cursor;

  postbag_imap_cursor_init (&cursor, frame);
  if (frame->text->len == 0)
    return g_steal_pointer (&reply);
  if (cursor.text[0] == '*' && cursor.length > 1 && cursor.text[1] == ' ')
    {
      cursor.position = 2;
      read_untagged (&cursor, reply, utf8_names);
      return g_steal_pointer (&reply);
    }
  if (cursor.text[0] == '+')
    {
      cursor.position = 1;
      reply->kind = POSTBAG_IMAP_REPLY_CONTINUATION;
      reply->status = postbag_imap_parse_status (&cursor, POSTBAG_IMAP_OK);
      return g_steal_pointer (&reply);
    }
  reply->tag = read_tag (&cursor);
  if (reply->tag == NULL || !read_condition (&cursor, reply)
      || reply->status->condition > POSTBAG_IMAP_BAD)
    {
      fail_foreign (frame, error);
      return NULL;
    }
  return g_steal_pointer (&reply);
}
