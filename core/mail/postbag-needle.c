/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "mail/postbag-needle.h"

#include "base/postbag-text.h"

#include <string.h>

struct _PostbagNeedle
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

PostbagNeedle *
postbag_needle_new (const char *text)
{
  PostbagNeedle *self;

  if (text == NULL)
    return NULL;
  self = g_new0 (PostbagNeedle, 1);
  self->folded = fold (text);
  self->across = strpbrk (text, "<>,") != NULL;
  self->scratch = g_string_new (NULL);
  return self;
}

void
postbag_needle_free (PostbagNeedle *self)
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
postbag_needle_is_in (PostbagNeedle *self, const char *text)
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
postbag_needle_spans_addresses (const PostbagNeedle *self)
{
  return self->across;
}

static gboolean
is_in_shown (PostbagNeedle *self, const GPtrArray *addresses)
{
  g_autoptr (GString) shown = g_string_new (NULL);

  for (guint i = 0; i < addresses->len; i++)
    {
      const PostbagAddress *address = g_ptr_array_index (addresses, i);

      if (i > 0)
        g_string_append (shown, ", ");
      if (address->name != NULL)
        g_string_append_printf (shown, "%s <%s>", address->name, address->address);
      else
        g_string_append (shown, address->address);
    }
  return postbag_needle_is_in (self, shown->str);
}

gboolean
postbag_needle_is_in_addresses (PostbagNeedle *self, const GPtrArray *addresses)
{
  for (guint i = 0; i < addresses->len; i++)
    {
      const PostbagAddress *address = g_ptr_array_index (addresses, i);

      if (postbag_needle_is_in (self, address->name)
          || postbag_needle_is_in (self, address->address))
        return TRUE;
    }
  return self->across && is_in_shown (self, addresses);
}
