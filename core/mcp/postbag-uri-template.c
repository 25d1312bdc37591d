/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "mcp/postbag-uri-template-private.h"

#include <string.h>

#include "base/postbag-limits.h"

#define UNRESERVED "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
/* RFC 3986, 2.2; no square brackets: they belong to addresses of hosts, which we have none of. */
#define RESERVED ":/?#@!$&'()*+,;="
/* What ends a variable: a segment, a query, a fragment. */
#define SEGMENT_END "/?#"

struct _PostbagResourceUri
{
  char *text;
  GHashTable *variables; /* name -> decoded value */
};

/* --- what a URI may be --- */

static gboolean
has_scheme (const char *uri)
{
  gsize length = strspn (uri, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.");

  return length > 0 && g_ascii_isalpha (uri[0]) && uri[length] == ':' && uri[length + 1] != '\0';
}

static gboolean
has_only_uri_characters (const char *uri)
{
  for (const char *at = uri; *at != '\0'; at++)
    {
      if (*at == '%')
        {
          if (!g_ascii_isxdigit (at[1]) || !g_ascii_isxdigit (at[2]))
            return FALSE;
        }
      else if (strchr (UNRESERVED RESERVED, *at) == NULL)
        return FALSE;
    }
  return TRUE;
}

static gboolean
is_dots (const char *start, gsize length)
{
  return (length == 1 || length == 2) && strspn (start, ".") >= length;
}

/* Over the decoded text, so that `%2e%2e` and `a%2F..%2Fb` are seen for what they are. */
static gboolean
climbs (const char *decoded)
{
  const char *start = decoded;

  for (;;)
    {
      gsize length = strcspn (start, "/\\?#");

      if (is_dots (start, length))
        return TRUE;
      if (start[length] == '\0')
        return FALSE;
      start += length + 1;
    }
}

static gboolean
has_controls (const char *text)
{
  for (const char *at = text; *at != '\0'; at = g_utf8_next_char (at))
    {
      if (g_unichar_iscntrl (g_utf8_get_char (at)))
        return TRUE;
    }
  return FALSE;
}

/* (transfer full) (nullable): %NULL for U+0000 and for what is not UTF-8 */
static char *
decode (const char *text, gsize length)
{
  g_autofree char *copy = g_strndup (text, length);
  g_autofree char *decoded = g_uri_unescape_string (copy, NULL);

  if (decoded == NULL || !g_utf8_validate (decoded, -1, NULL) || has_controls (decoded))
    return NULL;
  return g_steal_pointer (&decoded);
}

gboolean
postbag_resource_uri_is_well_formed (const char *uri)
{
  g_autofree char *decoded = NULL;
  gsize length = strlen (uri);

  if (length > POSTBAG_LIMIT_URI_BYTES || !has_scheme (uri) || !has_only_uri_characters (uri))
    return FALSE;
  decoded = decode (uri, length);
  return decoded != NULL && !climbs (strchr (decoded, ':') + 1);
}

/* --- matching --- */

/* The variable whose `{` is at *@at; moves both on. */
static gboolean
take_variable (PostbagResourceUri *self, const char **at, const char **rest)
{
  const char *end = strchr (*at, '}');
  gsize length = strcspn (*rest, SEGMENT_END);
  char *value;

  if (end == NULL)
    return FALSE;
  if (end[1] != '\0' && strchr (SEGMENT_END, end[1]) == NULL)
    length = MIN (length, (gsize)(strchrnul (*rest, end[1]) - *rest));
  value = length > 0 ? decode (*rest, length) : NULL;
  if (value == NULL)
    return FALSE;
  g_hash_table_insert (self->variables, g_strndup (*at + 1, (gsize)(end - *at - 1)), value);
  *at = end + 1;
  *rest += length;
  return TRUE;
}

static gboolean
match (PostbagResourceUri *self, const char *uri_template)
{
  const char *at = uri_template;
  const char *rest = self->text;

  while (*at != '\0')
    {
      if (*at == '{')
        {
          if (!take_variable (self, &at, &rest))
            return FALSE;
        }
      else if (*at++ != *rest++)
        return FALSE;
    }
  return *rest == '\0';
}

PostbagResourceUri *
postbag_resource_uri_match (const char *uri, const char *uri_template)
{
  g_autoptr (PostbagResourceUri) self = g_new0 (PostbagResourceUri, 1);

  self->text = g_strdup (uri);
  self->variables = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  return match (self, uri_template) ? g_steal_pointer (&self) : NULL;
}

void
postbag_resource_uri_free (PostbagResourceUri *self)
{
  if (self == NULL)
    return;
  g_hash_table_unref (self->variables);
  g_free (self->text);
  g_free (self);
}

const char *
postbag_resource_uri_get_text (const PostbagResourceUri *self)
{
  return self->text;
}

const char *
postbag_resource_uri_get_variable (const PostbagResourceUri *self, const char *name)
{
  return g_hash_table_lookup (self->variables, name);
}

/* --- expanding --- */

static const char *
find_value (const char *const *values, const char *name, gsize length)
{
  for (; values[0] != NULL && values[1] != NULL; values += 2)
    {
      if (strlen (values[0]) == length && strncmp (values[0], name, length) == 0)
        return values[1];
    }
  return "";
}

char *
postbag_resource_uri_expand (const char *uri_template, const char *const *values)
{
  g_autoptr (GString) uri = g_string_new (NULL);
  const char *at = uri_template;
  const char *open;

  while ((open = strchr (at, '{')) != NULL && strchr (open, '}') != NULL)
    {
      const char *end = strchr (open, '}');

      g_string_append_len (uri, at, open - at);
      g_string_append_uri_escaped (uri, find_value (values, open + 1, (gsize)(end - open - 1)),
                                   NULL, FALSE);
      at = end + 1;
    }
  g_string_append (uri, at);
  return g_string_free (g_steal_pointer (&uri), FALSE);
}
