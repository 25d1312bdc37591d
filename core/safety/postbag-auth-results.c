/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Authentication-Results (RFC 8601 section 2.2):
 *
 *   [CFWS] authserv-id [ CFWS version ] ( [CFWS] ";" [CFWS] "none" / 1*resinfo ) [CFWS]
 *   resinfo = [CFWS] ";" methodspec [ CFWS reasonspec ] [ CFWS 1*propspec ]
 *   methodspec = [CFWS] method [CFWS] "=" [CFWS] result,  method = Keyword [ [CFWS] "/" version ]
 *
 * Read in one pass without recursion. What is not understood is skipped up to the next `;` that
 * stands in neither a comment nor a quoted string. Some servers leave the authserv-id out; then the
 * first word is a method. */

#include "safety/postbag-auth-results-private.h"

#include <string.h>

#include "base/postbag-limits.h"

/* Longest word kept: a host name. */
#define MAX_WORD 253

typedef struct
{
  const char *at;
  char word[MAX_WORD + 1]; /* the last one read */
  gboolean too_long;
} Reader;

static void
skip_comment (Reader *reader)
{
  guint depth = 0;

  do
    {
      if (*reader->at == '(')
        depth++;
      else if (*reader->at == ')')
        depth--;
      else if (*reader->at == '\\' && reader->at[1] != '\0')
        reader->at++;
      else if (*reader->at == '\0')
        return;
      reader->at++;
    }
  while (depth > 0);
}

/* CFWS of RFC 5322 section 3.2.2 */
static void
skip_space (Reader *reader)
{
  for (;;)
    {
      reader->at += strspn (reader->at, " \t\r\n");
      if (*reader->at != '(')
        return;
      skip_comment (reader);
    }
}

static void
keep (Reader *reader, gsize *length, char c)
{
  if (*length < MAX_WORD)
    reader->word[(*length)++] = c;
  else
    reader->too_long = TRUE;
}

static void
read_quoted (Reader *reader, gsize *length)
{
  for (reader->at++; *reader->at != '\0' && *reader->at != '"'; reader->at++)
    {
      if (*reader->at == '\\' && reader->at[1] != '\0')
        reader->at++;
      keep (reader, length, *reader->at);
    }
  if (*reader->at == '"')
    reader->at++;
}

/* A token of RFC 2045 section 5.1 (but `/`, which parts a method from its version, and `=` end it)
 * or a quoted string; whether there was one. */
static gboolean
read_word (Reader *reader)
{
  gsize length = 0;
  const char *start;

  skip_space (reader);
  start = reader->at;
  reader->too_long = FALSE;
  if (*reader->at == '"')
    read_quoted (reader, &length);
  else
    for (; *reader->at > ' ' && strchr ("()<>@,;:\\\"/[]?=", *reader->at) == NULL; reader->at++)
      keep (reader, &length, *reader->at);
  reader->word[length] = '\0';
  return reader->at > start;
}

static void
skip_to_semicolon (Reader *reader)
{
  for (skip_space (reader); *reader->at != '\0' && *reader->at != ';'; skip_space (reader))
    {
      if (*reader->at != '"' || !read_word (reader))
        reader->at++;
    }
}

/* RFC 8601 section 2.7 and its registry; "hardfail" and "bestguesspass" are still met. */
static const char *
find_verdict (const char *word)
{
  static const char *const verdicts[] = { "none",     "pass",         "fail",      "softfail",
                                          "neutral",  "temperror",    "permerror", "policy",
                                          "hardfail", "bestguesspass" };

  for (gsize i = 0; i < G_N_ELEMENTS (verdicts); i++)
    if (g_ascii_strcasecmp (verdicts[i], word) == 0)
      return verdicts[i];
  return NULL;
}

static const char **
find_slot (PostbagAuthResults *self, const char *method)
{
  if (g_ascii_strcasecmp (method, "spf") == 0)
    return &self->spf;
  if (g_ascii_strcasecmp (method, "dkim") == 0)
    return &self->dkim;
  return g_ascii_strcasecmp (method, "dmarc") == 0 ? &self->dmarc : NULL;
}

/* Behind the method's name: `[ / version ] = result`. */
static void
read_result (Reader *reader, const char **slot)
{
  const char *verdict;

  skip_space (reader);
  if (*reader->at == '/')
    {
      reader->at++;
      read_word (reader);
      skip_space (reader);
    }
  if (*reader->at != '=')
    return;
  reader->at++;
  if (!read_word (reader) || reader->too_long)
    return;
  verdict = find_verdict (reader->word);
  if (verdict != NULL && (*slot == NULL || strcmp (verdict, "pass") == 0))
    *slot = verdict;
}

static void
read_method (PostbagAuthResults *self, Reader *reader)
{
  const char **slot;

  if (!read_word (reader))
    return;
  slot = reader->too_long ? NULL : find_slot (self, reader->word);
  if (slot != NULL)
    read_result (reader, slot);
}

static gboolean
is_host_shaped (const char *word)
{
  for (const char *p = word; *p != '\0'; p++)
    if (!g_ascii_isalnum (*p) && strchr (".-_", *p) == NULL)
      return FALSE;
  return *word != '\0';
}

/* Whether the field starts with a result instead of the server's name. */
static gboolean
starts_with_method (const Reader *before)
{
  Reader reader = *before;

  if (!read_word (&reader))
    return FALSE;
  skip_space (&reader);
  return *reader.at == '=';
}

PostbagAuthResults *
postbag_auth_results_parse (const char *value)
{
  PostbagAuthResults *self = g_new0 (PostbagAuthResults, 1);
  g_autofree char *bounded = g_strndup (value, POSTBAG_LIMIT_HEADER_BYTES);
  Reader reader = { .at = bounded };

  if (!starts_with_method (&reader))
    {
      if (read_word (&reader) && !reader.too_long && is_host_shaped (reader.word)
          && (*reader.at == '\0' || strchr (" \t\r\n;(", *reader.at) != NULL))
        self->authserv_id = g_strdup (reader.word);
      skip_to_semicolon (&reader);
    }
  for (guint i = 0; i < POSTBAG_LIMIT_AUTH_RESULTS && *reader.at != '\0'; i++)
    {
      if (*reader.at == ';')
        reader.at++;
      read_method (self, &reader);
      skip_to_semicolon (&reader);
    }
  return self;
}

void
postbag_auth_results_free (PostbagAuthResults *self)
{
  if (self == NULL)
    return;
  g_free (self->authserv_id);
  g_free (self);
}
