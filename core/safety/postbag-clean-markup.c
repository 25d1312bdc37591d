/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Markdown and HTML that a sender wrote stay readable but are taken out of action by one blank at
 * the place where the syntax must not have one (CommonMark 0.31, sections 4.7, 6.3 to 6.6):
 *
 *   image, link        `![`  `](`  `][`   become  `! [`  `] (`  `] [`
 *   link definition    `]:`               becomes `] :`
 *   tag, autolink      `<a`  `</` `<!` `<?` become `< a` ...
 *
 * Punctuation that folds into these characters under NFKC counts like them. An address or a
 * message id in angle brackets (`<nora@example.org>`) is left alone: it can load nothing. */

#include "safety/postbag-clean-private.h"

#include <string.h>

/* A longer thing in angle brackets is no address. Bounds the look ahead, so the pass is linear. */
#define ADDRESS_LOOK_AHEAD 320

/* Whether the byte at @i of an address cannot be one of it: brackets and a colon stand in a domain
 * literal only, `nora@[IPv6:::1]` (RFC 5322 section 3.4.1). */
static gboolean
breaks_address (const char *text, gsize i, gboolean literal)
{
  switch (text[i])
    {
    case '[':
      return text[i - 1] != '@';
    case ']':
      return !literal || text[i + 1] != '>';
    case ':':
      return !literal;
    default:
      return (guchar)text[i] <= ' ' || strchr ("<\"'`()", text[i]) != NULL;
    }
}

/* Whether @text, right behind a `<`, is `something@somewhere>` and cannot be a tag with attributes:
 * those come behind a blank or a `/`. Message ids do hold `/`, so it passes where @alone says that
 * the bracket opened the whole text and nothing follows. */
static gboolean
is_bracketed_address (const char *text, gboolean alone)
{
  gboolean at = FALSE, slash = FALSE, equals = FALSE, literal = FALSE;

  if (!g_ascii_isalpha (text[0]))
    return FALSE;
  for (gsize i = 0; i < ADDRESS_LOOK_AHEAD && text[i] != '\0'; i++)
    {
      char c = text[i];

      if (c == '>')
        return at && (!slash || (alone && !equals && text[i + 1] == '\0'));
      if (breaks_address (text, i, literal))
        return FALSE;
      at |= c == '@';
      literal |= c == '[';
      slash |= c == '/';
      equals |= c == '=';
    }
  return FALSE;
}

static gboolean
starts_tag (char folded)
{
  return g_ascii_isalpha (folded) || folded == '/' || folded == '!' || folded == '?';
}

/* Whether @first directly before @next (both folded) is active, so that a blank must part them. */
static gboolean
must_part (char first, char next, const char *rest, gboolean alone)
{
  switch (first)
    {
    case '!':
      return next == '[';
    case ']':
      return next == '(' || next == '[' || next == ':';
    case '<':
      return starts_tag (next) && !is_bracketed_address (rest, alone);
    default:
      return FALSE;
    }
}

/* The bytes that may begin what has to be parted from its neighbour: ASCII, and the lead bytes of
 * all that folds into it. */
#define MAY_BE_FIRST "!]<\342\357"

char *
postbag_clean_defuse (const char *text)
{
  GString *out;
  const char *kept = text; /* from here on nothing is copied yet */
  const char *first = strpbrk (text, MAY_BE_FIRST);

  if (first == NULL)
    return g_strdup (text);
  out = g_string_sized_new (strlen (text) + 16);
  while (first != NULL)
    {
      const char *next = g_utf8_next_char (first);

      if (must_part (postbag_clean_fold_punctuation (g_utf8_get_char (first)),
                     postbag_clean_fold_punctuation (g_utf8_get_char (next)), next,
                     next == text + 1))
        {
          g_string_append_len (out, kept, next - kept);
          g_string_append_c (out, ' ');
          kept = next;
        }
      first = strpbrk (next, MAY_BE_FIRST);
    }
  g_string_append (out, kept);
  return g_string_free (out, FALSE);
}
