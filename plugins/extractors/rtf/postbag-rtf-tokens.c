/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-rtf-tokens.h"

#include <string.h>

static gboolean
has_more (const PostbagRtfSource *source)
{
  return source->at < source->length;
}

static guint8
peek (const PostbagRtfSource *source)
{
  return has_more (source) ? source->bytes[source->at] : 0;
}

/* Numbers beyond 32 bits mean nothing: they stop at their bound. */
static void
read_number (PostbagRtfSource *source, PostbagRtfToken *token)
{
  gboolean negative = peek (source) == '-';
  gint64 number = 0;

  source->at += negative;
  token->has_number = g_ascii_isdigit (peek (source));
  for (; g_ascii_isdigit (peek (source)); source->at++)
    number = MIN (number * 10 + (peek (source) - '0'), G_MAXINT32);
  token->number = (gint32)(negative ? -number : number);
}

static void
read_word (PostbagRtfSource *source, PostbagRtfToken *token)
{
  gsize length = 0;

  token->kind = POSTBAG_RTF_WORD;
  for (; g_ascii_isalpha (peek (source)); source->at++)
    if (length < POSTBAG_RTF_NAME_BYTES)
      token->name[length++] = (char)peek (source);
  token->name[length] = '\0';
  if (peek (source) == '-' || g_ascii_isdigit (peek (source)))
    read_number (source, token);
  if (peek (source) == ' ' && has_more (source))
    source->at++;
  if (strcmp (token->name, "bin") == 0 && token->number > 0)
    source->at += MIN ((gsize)token->number, source->length - source->at);
}

/* Behind the backslash. */
static void
read_control (PostbagRtfSource *source, PostbagRtfToken *token)
{
  if (g_ascii_isalpha (peek (source)))
    {
      read_word (source, token);
      return;
    }
  token->kind = POSTBAG_RTF_SYMBOL;
  token->byte = peek (source);
  source->at += has_more (source);
  if (token->byte == '\'' && source->length - source->at >= 2
      && g_ascii_isxdigit (source->bytes[source->at])
      && g_ascii_isxdigit (source->bytes[source->at + 1]))
    {
      token->kind = POSTBAG_RTF_BYTE;
      token->byte = (guchar)(g_ascii_xdigit_value ((char)source->bytes[source->at]) << 4
                             | g_ascii_xdigit_value ((char)source->bytes[source->at + 1]));
      source->at += 2;
    }
}

static gboolean
ends_text (guint8 byte)
{
  return byte == '{' || byte == '}' || byte == '\\' || byte == '\r' || byte == '\n' || byte == '\0';
}

static void
skip_line_ends (PostbagRtfSource *source)
{
  while (has_more (source)
         && (peek (source) == '\r' || peek (source) == '\n' || peek (source) == '\0'))
    source->at++;
}

static void
read_text (PostbagRtfSource *source, PostbagRtfToken *token)
{
  gsize start = source->at;

  while (has_more (source) && !ends_text (peek (source)))
    source->at++;
  token->kind = POSTBAG_RTF_TEXT;
  token->text = source->bytes + start;
  token->length = source->at - start;
}

void
postbag_rtf_next (PostbagRtfSource *source, PostbagRtfToken *token)
{
  memset (token, 0, sizeof *token);
  skip_line_ends (source);
  if (!has_more (source))
    return;
  switch (peek (source))
    {
    case '{':
      token->kind = POSTBAG_RTF_OPEN;
      source->at++;
      break;
    case '}':
      token->kind = POSTBAG_RTF_CLOSE;
      source->at++;
      break;
    case '\\':
      source->at++;
      read_control (source, token);
      break;
    default:
      read_text (source, token);
    }
}
