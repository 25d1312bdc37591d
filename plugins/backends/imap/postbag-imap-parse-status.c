/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Status replies: `OK [CODE arguments] text` (RFC 9051 section 7.1). The brackets may be the end of
 * the line, the text may be missing, the code may be one nobody has heard of. */

#include "postbag-imap-parser-private.h"

#include <string.h>

#include "base/postbag-limits.h"
#include "base/postbag-text.h"

/* Where the code's arguments end: `]` outside of strings and brackets, else the first `]`, else the
 * end of the line. Flags may hold `]` themselves. */
static gsize
find_code_end (const PostbagImapCursor *cursor)
{
  const char *text = cursor->text;
  const char *first;
  gsize depth = 0;
  gboolean quoted = FALSE;

  for (gsize i = cursor->position; i < cursor->length; i++)
    {
      if (quoted && text[i] == '\\')
        i++;
      else if (text[i] == '"')
        quoted = !quoted;
      else if (!quoted && text[i] == '(')
        depth++;
      else if (!quoted && text[i] == ')' && depth > 0)
        depth--;
      else if (!quoted && text[i] == ']' && depth == 0)
        return i;
    }
  first = memchr (text + cursor->position, ']', cursor->length - cursor->position);
  return first != NULL ? (gsize)(first - text) : cursor->length;
}

/* The arguments of @status, whose text the cursor is limited to. */
static void
read_arguments (PostbagImapCursor *inner, PostbagImapStatus *status)
{
  PostbagImapCursor copy = *inner;

  if (strcmp (status->code, "CAPABILITY") == 0)
    status->words = postbag_imap_parse_words (inner, NULL, FALSE);
  else if (strcmp (status->code, "PERMANENTFLAGS") == 0 || strcmp (status->code, "BADCHARSET") == 0)
    status->words = postbag_imap_parse_word_list (inner, FALSE);
  else
    postbag_imap_cursor_read_number (inner, G_MAXUINT64, &status->number);
  postbag_imap_cursor_skip_blanks (&copy);
  if (!postbag_imap_cursor_is_at_end (&copy))
    status->arguments = postbag_imap_cursor_read_rest (&copy, POSTBAG_LIMIT_SERVER_TEXT_CHARS);
}

static void
read_code (PostbagImapCursor *cursor, PostbagImapStatus *status)
{
  PostbagImapCursor inner = *cursor;
  g_autofree char *name = NULL;

  inner.length = find_code_end (cursor);
  name = postbag_imap_cursor_read_atom (&inner, "[]");
  if (name != NULL)
    {
      status->code = g_ascii_strup (name, -1);
      read_arguments (&inner, status);
    }
  cursor->position = MIN (inner.length + 1, cursor->length);
}

PostbagImapStatus *
postbag_imap_parse_status (PostbagImapCursor *cursor, PostbagImapCondition condition)
{
  PostbagImapStatus *status = g_new0 (PostbagImapStatus, 1);

  status->condition = condition;
  if (postbag_imap_cursor_accept (cursor, '['))
    read_code (cursor, status);
  status->text = postbag_imap_cursor_read_rest (cursor, POSTBAG_LIMIT_SERVER_TEXT_CHARS);
  return status;
}
