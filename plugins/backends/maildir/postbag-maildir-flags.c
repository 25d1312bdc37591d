/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-maildir-flags.h"

#include "postbag-maildir-file.h"

#include "base/postbag-limits.h"
#include "base/postbag-text.h"

#include <string.h>

/* Keeps SECONDS * 1000000 + microseconds far from overflow; the year 5138. */
#define SECONDS_MAX G_GINT64_CONSTANT (99999999999)

/* (nullable): where the info begins */
static const char *
find_info (const char *name)
{
  const char *info = strchr (name, ':');

  if (info != NULL)
    return info;
  for (const char *at = name; (at = strpbrk (at, "!;")) != NULL; at++)
    if (at[1] == '2' && at[2] == ',')
      info = at;
  return info;
}

static PostbagFlags
get_flag (char letter)
{
  switch (letter)
    {
    case 'S':
      return POSTBAG_FLAG_SEEN;
    case 'R':
      return POSTBAG_FLAG_ANSWERED;
    case 'F':
      return POSTBAG_FLAG_FLAGGED;
    case 'T':
      return POSTBAG_FLAG_DELETED;
    case 'D':
      return POSTBAG_FLAG_DRAFT;
    case 'P':
      return POSTBAG_FLAG_FORWARDED;
    default:
      return 0;
    }
}

PostbagMaildirName
postbag_maildir_parse_name (const char *name)
{
  const char *info = find_info (name);
  PostbagMaildirName parsed = { 0 };

  parsed.base_length = info != NULL ? (gsize)(info - name) : strlen (name);
  if (info == NULL || info[1] != '2' || info[2] != ',')
    return parsed;
  /* A further comma begins somebody's extension. */
  for (const char *at = info + 3; *at != '\0' && *at != ','; at++)
    if (*at >= 'a' && *at <= 'z')
      parsed.keywords |= 1u << (*at - 'a');
    else
      parsed.flags |= get_flag (*at);
  return parsed;
}

static const char *
parse_digits (const char *at, const char *end, gint64 maximum, gint64 *value)
{
  const char *start = at;

  for (*value = 0; at < end && g_ascii_isdigit (*at); at++)
    {
      *value = *value * 10 + (*at - '0');
      if (*value > maximum)
        return NULL;
    }
  return at > start ? at : NULL;
}

gint64
postbag_maildir_get_delivery_time (const char *base, gsize length)
{
  const char *end = base + length;
  gint64 seconds, microseconds = 0;
  const char *at = parse_digits (base, end, SECONDS_MAX, &seconds);

  if (at == NULL || at == end || (*at != '.' && *at != '_'))
    return -1;
  if (at + 1 < end && at[1] == 'M'
      && parse_digits (at + 2, end, G_USEC_PER_SEC - 1, &microseconds) == NULL)
    microseconds = 0;
  return seconds * G_USEC_PER_SEC + microseconds;
}

gsize
postbag_maildir_get_stem_length (const char *base, gsize length)
{
  const char *mark = memmem (base, length, ",U=", 3);
  const char *end = base + length;
  const char *at;

  if (mark == NULL)
    return length;
  for (at = mark + 3; at < end && g_ascii_isdigit (*at); at++)
    ;
  /* offlineimap's names go on after it and never change. */
  return at == end && at > mark + 3 ? (gsize)(mark - base) : length;
}

char **
postbag_maildir_read_keywords (int folder)
{
  char **names = g_new0 (char *, POSTBAG_MAILDIR_N_KEYWORDS);
  g_autofree char *text = postbag_maildir_read_small_file (folder, "dovecot-keywords",
                                                           POSTBAG_LIMIT_KEYWORDS_FILE_BYTES);
  g_auto (GStrv) lines = text != NULL ? g_strsplit (text, "\n", -1) : NULL;

  for (char **line = lines; line != NULL && *line != NULL; line++)
    {
      char *blank = strchr (*line, ' ');
      gint64 index;

      if (blank == NULL || blank[1] == '\0')
        continue;
      *blank = '\0';
      if (!postbag_text_parse_int (*line, 0, POSTBAG_MAILDIR_N_KEYWORDS - 1, &index)
          || names[index] != NULL)
        continue;
      names[index] = postbag_text_make_valid (blank + 1, -1);
    }
  return names;
}

void
postbag_maildir_free_keywords (char **names)
{
  for (guint i = 0; names != NULL && i < POSTBAG_MAILDIR_N_KEYWORDS; i++)
    g_free (names[i]);
  g_free (names);
}

char **
postbag_maildir_name_keywords (guint32 keywords, char **names)
{
  GPtrArray *list = g_ptr_array_new ();

  for (guint i = 0; i < POSTBAG_MAILDIR_N_KEYWORDS && keywords != 0; i++)
    if ((keywords & (1u << i)) && names[i] != NULL)
      g_ptr_array_add (list, g_strdup (names[i]));
  g_ptr_array_add (list, NULL);
  return (char **)g_ptr_array_free (list, FALSE);
}
