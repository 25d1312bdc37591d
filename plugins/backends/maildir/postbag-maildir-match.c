/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-maildir-match.h"

#include "postbag-maildir-headers.h"

#include "base/postbag-text.h"

#include <string.h>

struct _PostbagMaildirNeedle
{
  char *folded;
  gboolean across; /* holds a character that only the shown form of an address list has */
  GString *scratch;
};

static char *
fold (const char *text)
{
  g_autofree char *valid = postbag_text_make_valid (text, -1);

  return postbag_text_compose (g_utf8_casefold (valid, -1));
}

PostbagMaildirNeedle *
postbag_maildir_needle_new (const char *text)
{
  PostbagMaildirNeedle *self;

  if (text == NULL)
    return NULL;
  self = g_new0 (PostbagMaildirNeedle, 1);
  self->folded = fold (text);
  self->across = strpbrk (text, "<>,") != NULL;
  self->scratch = g_string_new (NULL);
  return self;
}

void
postbag_maildir_needle_free (PostbagMaildirNeedle *self)
{
  if (self == NULL)
    return;
  g_free (self->folded);
  g_string_free (self->scratch, TRUE);
  g_free (self);
}

/* Lower-cases into the scratch buffer; %FALSE at the first byte that is not ASCII. */
static gboolean
lower_ascii (GString *scratch, const char *text)
{
  gsize length = strlen (text);

  g_string_set_size (scratch, length);
  for (gsize i = 0; i < length; i++)
    {
      if ((guchar)text[i] >= 0x80)
        return FALSE;
      scratch->str[i] = g_ascii_tolower (text[i]);
    }
  return TRUE;
}

gboolean
postbag_maildir_needle_is_in (PostbagMaildirNeedle *self, const char *text)
{
  g_autofree char *folded = NULL;

  if (text == NULL)
    return FALSE;
  if (lower_ascii (self->scratch, text))
    return strstr (self->scratch->str, self->folded) != NULL;
  folded = fold (text);
  return strstr (folded, self->folded) != NULL;
}

gboolean
postbag_maildir_needle_is_in_addresses (PostbagMaildirNeedle *self, const char *packed)
{
  g_autofree char *shown = NULL;

  if (packed == NULL || postbag_maildir_needle_is_in (self, packed))
    return packed != NULL;
  if (!self->across)
    return FALSE;
  shown = postbag_maildir_show_addresses (packed);
  return postbag_maildir_needle_is_in (self, shown);
}
