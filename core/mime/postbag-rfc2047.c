/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Encoded words (RFC 2047): `=?charset*language?encoding?text?=`. Adjacent words of one charset are
 * joined as bytes before they are converted, since senders cut inside characters; each word is
 * decoded by itself, so that padding in one loses nothing of the next (GMime 3.2.13 does). Blanks
 * inside a word are accepted, those between two words dropped. */

#include "mime/postbag-message.h"
#include "mime/postbag-mime-private.h"

#include <string.h>

#define MAX_CHARSET 80

typedef struct
{
  PostbagSlice charset;
  char encoding; /* 'b' or 'q' */
  PostbagSlice text;
  gsize length; /* of the whole word */
} Word;

/* The end of a word's text (the offset of its `?=`), or 0. A `=?` on the way means that the word
 * was never closed, so every byte is looked at once however often `=?` stands there. */
static gsize
find_end (const char *text, gsize length, gsize start)
{
  for (gsize i = start; i + 1 < length; i++)
    {
      if (text[i] == '?' && text[i + 1] == '=')
        return i;
      if (text[i] == '=' && text[i + 1] == '?' && !(i + 2 < length && text[i + 2] == '='))
        return 0;
    }
  return 0;
}

static gboolean
read_word (const char *text, gsize length, Word *word)
{
  gsize i = 2, end;

  if (length < 8 || text[0] != '=' || text[1] != '?')
    return FALSE;
  while (i < length && i < MAX_CHARSET && text[i] > ' ' && text[i] != '?' && text[i] != '=')
    i++;
  if (i == 2 || i + 2 >= length || text[i] != '?' || text[i + 2] != '?')
    return FALSE;
  word->charset = (PostbagSlice){ text + 2, i - 2 };
  for (gsize star = 2; star < i; star++)
    if (text[star] == '*') /* a language follows (RFC 2231 section 5) */
      {
        word->charset.length = star - 2;
        break;
      }
  word->encoding = g_ascii_tolower (text[i + 1]);
  if (word->encoding != 'b' && word->encoding != 'q')
    return FALSE;
  end = find_end (text, length, i + 3);
  if (end == 0)
    return FALSE;
  word->text = (PostbagSlice){ text + i + 3, end - i - 3 };
  word->length = end + 2;
  return TRUE;
}

gsize
postbag_rfc2047_measure (const char *text, gsize length)
{
  Word word;

  return read_word (text, length, &word) ? word.length : 0;
}

static void
decode_word (const Word *word, GByteArray *bytes, PostbagWarnings *warnings)
{
  PostbagWarnings met = 0;

  if (word->encoding == 'b')
    postbag_transfer_decode_base64 (word->text.data, word->text.length, G_MAXUINT, bytes, NULL,
                                    &met);
  else
    postbag_transfer_decode_q (word->text.data, word->text.length, bytes);
  if (met != 0 || memchr (word->text.data, ' ', word->text.length) != NULL)
    postbag_warnings_add (warnings, POSTBAG_WARNING_MALFORMED_ENCODED_WORD);
}

static gboolean
same_charset (PostbagSlice a, PostbagSlice b)
{
  return a.length == b.length && g_ascii_strncasecmp (a.data, b.data, a.length) == 0;
}

/* Header values are one line, whatever a word says. */
static void
append_one_line (GString *out, const char *text)
{
  if (strpbrk (text, "\r\n\302\342") == NULL)
    {
      g_string_append (out, text); /* the lead bytes of the others do not occur either */
      return;
    }
  for (const char *p = text; *p != '\0'; p = g_utf8_next_char (p))
    {
      gunichar c = g_utf8_get_char (p);

      if (c == '\r' || c == '\n' || c == 0x85 || c == 0x2028 || c == 0x2029)
        g_string_append_c (out, ' ');
      else
        g_string_append_len (out, p, g_utf8_next_char (p) - p);
    }
}

static void
append_raw (GString *out, const char *text, gsize length, const char *fallback,
            PostbagWarnings *warnings)
{
  g_autofree char *guessed = NULL;

  if (length == 0)
    return;
  if (g_strstr_len (text, (gssize)length, "=?") != NULL)
    postbag_warnings_add (warnings, POSTBAG_WARNING_MALFORMED_ENCODED_WORD);
  guessed = postbag_charset_guess (text, length, fallback, warnings);
  append_one_line (out, guessed);
}

static gsize
skip_blanks (const char *text, gsize length)
{
  gsize i = 0;

  while (i < length && (text[i] == ' ' || text[i] == '\t' || text[i] == '\r' || text[i] == '\n'))
    i++;
  return i;
}

/* Decodes the run of adjacent words at @text, of which @word is the first: its length. */
static gsize
decode_run (const char *text, gsize length, Word *word, GString *out, PostbagWarnings *warnings)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  PostbagSlice charset = word->charset;
  gsize used = 0, next;

  while (TRUE)
    {
      gboolean more;

      decode_word (word, bytes, warnings);
      used += word->length;
      next = used + skip_blanks (text + used, length - used);
      more = read_word (text + next, length - next, word);
      if (!more || !same_charset (charset, word->charset))
        {
          g_autofree char *label = g_strndup (charset.data, charset.length);
          g_autofree char *decoded = NULL;

          decoded =
              postbag_charset_convert ((const char *)bytes->data, bytes->len, label, warnings);
          append_one_line (out, decoded);
          g_byte_array_set_size (bytes, 0);
          charset = word->charset;
        }
      if (!more)
        return used;
      used = next;
    }
}

char *
postbag_rfc2047_decode (const char *text, gsize length, const char *fallback,
                        PostbagWarnings *warnings)
{
  GString *out = g_string_sized_new (length + 1);
  gsize raw = 0; /* start of the bytes that are no encoded word */

  for (gsize i = 0; i < length;)
    {
      Word word;

      if (text[i] != '=' || !read_word (text + i, length - i, &word))
        {
          i++;
          continue;
        }
      append_raw (out, text + raw, i - raw, fallback, warnings);
      i += decode_run (text + i, length - i, &word, out, warnings);
      raw = i;
    }
  append_raw (out, text + raw, length - raw, fallback, warnings);
  return g_string_free (out, FALSE);
}

char *
postbag_message_decode_header (const char *raw)
{
  return postbag_rfc2047_decode (raw, strlen (raw), NULL, NULL);
}
