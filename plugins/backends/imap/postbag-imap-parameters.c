/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-imap-parameters.h"

#include <string.h>

#include "base/postbag-limits.h"
#include "mail/postbag-mail-types.h"

static void
free_parameter (gpointer data)
{
  PostbagParameter *parameter = data;

  g_free (parameter->name);
  g_free (parameter->value);
  g_free (parameter);
}

GPtrArray *
postbag_imap_parse_parameters (PostbagImapCursor *cursor)
{
  GPtrArray *parameters = g_ptr_array_new_with_free_func (free_parameter);

  if (!postbag_imap_cursor_accept (cursor, '('))
    {
      postbag_imap_cursor_skip_value (cursor);
      return parameters;
    }
  while (parameters->len < POSTBAG_LIMIT_PARAMETERS)
    {
      g_autofree char *name = postbag_imap_cursor_read_astring (cursor);
      g_autofree char *value = NULL;
      PostbagParameter *parameter;

      if (name == NULL)
        break;
      if (!postbag_imap_cursor_read_nstring (cursor, &value))
        continue;
      parameter = g_new0 (PostbagParameter, 1);
      parameter->name = g_ascii_strdown (name, -1);
      parameter->value = value != NULL ? g_steal_pointer (&value) : g_strdup ("");
      g_ptr_array_add (parameters, parameter);
    }
  postbag_imap_cursor_skip_list_rest (cursor);
  return parameters;
}

static const char *
find_value (const GPtrArray *parameters, const char *name)
{
  for (guint i = 0; i < parameters->len; i++)
    {
      const PostbagParameter *parameter = g_ptr_array_index (parameters, i);

      if (strcmp (parameter->name, name) == 0)
        return parameter->value;
    }
  return NULL;
}

/* Appends @value with `%41` decoded; what is not two hex digits stays. */
static void
append_decoded (GString *bytes, const char *value)
{
  for (; *value != '\0'; value++)
    {
      int high = *value == '%' ? g_ascii_xdigit_value (value[1]) : -1;
      int low = high >= 0 ? g_ascii_xdigit_value (value[2]) : -1;

      if (low >= 0 && (high != 0 || low != 0))
        {
          g_string_append_c (bytes, (char)(high * 16 + low));
          value += 2;
        }
      else
        g_string_append_c (bytes, *value);
    }
}

/* Splits `charset'language'value`: the value; @charset (transfer full) (nullable). */
static const char *
skip_charset (const char *value, char **charset)
{
  const char *first = strchr (value, '\'');
  const char *second = first != NULL ? strchr (first + 1, '\'') : NULL;

  if (second == NULL)
    return value;
  if (first > value)
    *charset = g_strndup (value, (gsize)(first - value));
  return second + 1;
}

/* Whether any parameter is called `name*...`: mostly none is. */
static gboolean
has_pieces (const GPtrArray *parameters, const char *name)
{
  gsize length = strlen (name);

  for (guint i = 0; i < parameters->len; i++)
    {
      const PostbagParameter *parameter = g_ptr_array_index (parameters, i);

      if (strncmp (parameter->name, name, length) == 0 && parameter->name[length] == '*')
        return TRUE;
    }
  return FALSE;
}

/* Joins `name*0`, `name*1*`, ...; NULL when there is no first piece. */
static GString *
join_pieces (const GPtrArray *parameters, const char *name, char **charset)
{
  g_autoptr (GString) bytes = g_string_new (NULL);

  for (guint i = 0; i < POSTBAG_LIMIT_PARAMETERS; i++)
    {
      g_autofree char *plain = g_strdup_printf ("%s*%u", name, i);
      g_autofree char *extended = g_strdup_printf ("%s*%u*", name, i);
      const char *value = find_value (parameters, extended);

      if (value != NULL)
        append_decoded (bytes, i == 0 ? skip_charset (value, charset) : value);
      else if ((value = find_value (parameters, plain)) != NULL)
        g_string_append (bytes, value);
      else if (i == 0)
        return NULL;
      else
        break;
    }
  return g_steal_pointer (&bytes);
}

/* As a header value: encoded words where a charset was named. A name of a charset that would end
 * the word is not one. */
static char *
wrap_value (const GString *bytes, const char *charset)
{
  g_autofree char *base64 = NULL;

  if (charset == NULL)
    return g_strdup (bytes->str);
  if ((g_ascii_strcasecmp (charset, "utf-8") == 0 || g_ascii_strcasecmp (charset, "us-ascii") == 0)
      && g_utf8_validate_len (bytes->str, bytes->len, NULL) && strstr (bytes->str, "=?") == NULL)
    return g_strdup (bytes->str);
  if (strpbrk (charset, "?= \t\"") != NULL)
    return g_strdup (bytes->str);
  base64 = g_base64_encode ((const guchar *)bytes->str, bytes->len);
  return g_strdup_printf ("=?%s?B?%s?=", charset, base64);
}

char *
postbag_imap_parameters_find (const GPtrArray *parameters, const char *name)
{
  g_autoptr (GString) bytes = NULL;
  g_autofree char *charset = NULL;
  g_autofree char *extended = NULL;
  const char *value;

  if (!has_pieces (parameters, name))
    return g_strdup (find_value (parameters, name));
  extended = g_strconcat (name, "*", NULL);
  value = find_value (parameters, extended);
  if (value != NULL)
    {
      bytes = g_string_new (NULL);
      append_decoded (bytes, skip_charset (value, &charset));
    }
  else
    bytes = join_pieces (parameters, name, &charset);
  if (bytes != NULL)
    return wrap_value (bytes, charset);
  return g_strdup (find_value (parameters, name));
}
