/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The configuration file: a key file with the groups [postbag], [account NAME] and [toolset NAME].
 * What the table does not know is refused with the nearest known name: a misspelt restriction must
 * not be silently absent. Lines are never quoted, they may hold a password. */

#include "config/postbag-config-group-private.h"

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "base/postbag-text.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ACCOUNT_PREFIX "account "

typedef struct
{
  PostbagConfigFile *into;
  GKeyFile *file;
  const char *path;
  gboolean has_password;
  gboolean has_command;
  GPtrArray *warnings;
} Reader;

static gboolean G_GNUC_PRINTF (2, 3) refuse (GError **error, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error_literal (error, POSTBAG_ERROR, POSTBAG_ERROR_INVALID_ARGUMENT, text);
  return FALSE;
}

/* --- bytes --- */

/* (transfer full) (nullable): NUL-terminated; @facts of what was read */
static char *
read_bytes (const char *path, gsize *length, struct stat *facts, int *saved_errno)
{
  int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  char *text = NULL;
  gssize got = -1;

  if (fd >= 0 && fstat (fd, facts) == 0 && S_ISREG (facts->st_mode)
      && facts->st_size <= POSTBAG_LIMIT_CONFIG_BYTES)
    {
      text = g_malloc0 ((gsize)facts->st_size + 1);
      got = read (fd, text, (gsize)facts->st_size);
    }
  *saved_errno = fd < 0 || (text != NULL && got < 0) ? errno : 0;
  if (fd >= 0)
    close (fd);
  if (got < 0)
    g_clear_pointer (&text, g_free);
  *length = got < 0 ? 0 : (gsize)got;
  return text;
}

/* Our own words: GKeyFile's quote the line. */
static gboolean
refuse_syntax (const char *path, const char *text, GError **error)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  guint number = 0;
  gboolean wrong = FALSE;
  gboolean in_group = FALSE;

  while (!wrong && lines[number] != NULL)
    {
      const char *line = g_strstrip (lines[number++]);

      in_group = in_group || *line == '[';
      wrong = *line != '\0' && *line != '#' && *line != '['
              && (!in_group || strchr (line, '=') == NULL);
    }
  if (wrong)
    refuse (error,
            "“%s”, line %u is neither “[group]”, “key = value” nor “# remark”, or no group comes "
            "before it.",
            path, number);
  else
    refuse (error, "“%s” is not a well-formed key file in UTF-8.", path);
  for (char **line = lines; *line != NULL; line++)
    explicit_bzero (*line, strlen (*line));
  return FALSE;
}

/* --- keys --- */

/* A word that is surely a name of a key, not a secret that slipped into its place. */
static gboolean
is_key_shaped (const char *text)
{
  gsize length = strspn (text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_");

  return text[length] == '\0' && length <= 32;
}

static gboolean
refuse_key (const Reader *reader, const char *group, const char *key, const char *const *known,
            GError **error)
{
  const char *nearest = postbag_text_nearest (key, known);
  g_autofree char *all = NULL;

  if (nearest != NULL)
    return refuse (error, "“%s” has an unknown key in [%s]; did you mean “%s”?", reader->path,
                   group, nearest);
  all = g_strjoinv (", ", (char **)known);
  if (is_key_shaped (key))
    return refuse (error, "“%s” has an unknown key “%s” in [%s]. Known are: %s.", reader->path, key,
                   group, all);
  return refuse (error, "“%s” has an unknown key of %zu bytes in [%s]. Known are: %s.",
                 reader->path, strlen (key), group, all);
}

static gboolean
read_key (Reader *reader, PostbagConfigGroup *into, const char *group, const char *key,
          GError **error)
{
  g_autofree const char **known = postbag_config_table_list_keys (into->scope);
  g_autofree char *where = NULL;
  g_autoptr (GError) local_error = NULL;
  char *text;
  gboolean fine;
  guint row;

  if (!g_strv_contains (known, key) || !postbag_config_table_find (into->scope, key, &row))
    return refuse_key (reader, group, key, known, error);
  where = g_strdup_printf ("“%s” in [%s] of “%s”", key, group, reader->path);
  text = g_key_file_get_string (reader->file, group, key, &local_error);
  /* GLib gives an error and a value where an escape is wrong. */
  if (local_error != NULL)
    {
      postbag_config_free_secret (text);
      return refuse (error,
                     "%s is not UTF-8 text, or has a single backslash; it is written twice there.",
                     where);
    }
  fine = postbag_config_group_read (into, row, text, where, reader->path, reader->warnings, error);
  if (postbag_config_table_get_row (row)->type == POSTBAG_CONFIG_PASSWORD && *text != '\0')
    reader->has_password = TRUE;
  if (postbag_config_table_get_row (row)->type == POSTBAG_CONFIG_COMMAND && *text != '\0')
    reader->has_command = TRUE;
  postbag_config_free_secret (text);
  return fine;
}

/* --- groups --- */

static gboolean
is_account_name (const char *name)
{
  if (*name == '\0' || !g_utf8_validate (name, -1, NULL)
      || g_utf8_strlen (name, -1) > POSTBAG_LIMIT_ACCOUNT_NAME_CHARS)
    return FALSE;
  for (const char *at = name; *at != '\0'; at = g_utf8_next_char (at))
    {
      if (g_unichar_iscntrl (g_utf8_get_char (at)) || *at == '/' || *at == '\\')
        return FALSE;
    }
  /* A word of the URIs that name messages. */
  return strcmp (name, "message") != 0;
}

static gboolean
check_account_name (const Reader *reader, const char *name, GError **error)
{
  if (!is_account_name (name))
    return refuse (error,
                   "“%s” has an account whose name is empty, “message”, longer than %d characters "
                   "or holds a slash. Give it another name: [account NAME].",
                   reader->path, POSTBAG_LIMIT_ACCOUNT_NAME_CHARS);
  return TRUE;
}

/* (transfer none) (nullable) */
static PostbagConfigGroup *
add_account (Reader *reader, const char *group, GError **error)
{
  GPtrArray *accounts = reader->into->accounts;
  g_autofree char *name = g_strdup (group + strlen (ACCOUNT_PREFIX));
  PostbagConfigGroup *account;

  g_strstrip (name);
  if (!check_account_name (reader, name, error))
    return NULL;
  if (accounts->len >= POSTBAG_LIMIT_ACCOUNTS)
    {
      refuse (error, "“%s” has more than %d accounts.", reader->path, POSTBAG_LIMIT_ACCOUNTS);
      return NULL;
    }
  for (guint i = 0; i < accounts->len; i++)
    {
      if (strcmp (((PostbagConfigGroup *)g_ptr_array_index (accounts, i))->name, name) == 0)
        {
          refuse (error, "“%s” has the account “%s” twice.", reader->path, name);
          return NULL;
        }
    }
  account = postbag_config_group_new (POSTBAG_CONFIG_ACCOUNT, name);
  g_ptr_array_add (accounts, account);
  return account;
}

/* (transfer none) (nullable) */
static PostbagConfigGroup *
choose_group (Reader *reader, const char *group, GError **error)
{
  static const char *const known[] = { "postbag", "toolset guarded", "account", NULL };
  g_auto (GStrv) words = NULL;
  const char *nearest;

  if (strcmp (group, "postbag") == 0)
    return reader->into->core;
  if (strcmp (group, "toolset guarded") == 0)
    return reader->into->guarded;
  if (g_str_has_prefix (group, ACCOUNT_PREFIX))
    return add_account (reader, group, error);
  words = g_strsplit (group, " ", 2);
  nearest = postbag_text_nearest (group, known);
  if (nearest == NULL)
    nearest = postbag_text_nearest (words[0] != NULL ? words[0] : "", known);
  refuse (error,
          "“%s” has an unknown group%s%s%s. Known are: [postbag], [account NAME], "
          "[toolset guarded].",
          reader->path, nearest != NULL ? "; did you mean [" : "", nearest != NULL ? nearest : "",
          nearest != NULL ? "]?" : "");
  return NULL;
}

static gboolean
read_groups (Reader *reader, GError **error)
{
  g_auto (GStrv) groups = g_key_file_get_groups (reader->file, NULL);

  for (char **group = groups; *group != NULL; group++)
    {
      g_auto (GStrv) keys = g_key_file_get_keys (reader->file, *group, NULL, NULL);
      PostbagConfigGroup *into = choose_group (reader, *group, error);

      if (into == NULL)
        return FALSE;
      for (char **key = keys; keys != NULL && *key != NULL; key++)
        {
          if (!read_key (reader, into, *group, *key, error))
            return FALSE;
        }
    }
  return TRUE;
}

static gboolean
check_mode (const Reader *reader, const struct stat *facts, GError **error)
{
  if (reader->has_password && (facts->st_mode & 077) != 0)
    return refuse (error,
                   "“%s” holds a password, but others may read it. Say: chmod 600 “%s”, and "
                   "change the password if others had access.",
                   reader->path, reader->path);
  /* Who may write it may have us run anything. */
  if (reader->has_command && (facts->st_mode & 022) != 0)
    return refuse (error,
                   "“%s” names a command to run, but others may change it. Say: chmod 600 “%s”, "
                   "and look at what the command is.",
                   reader->path, reader->path);
  if ((facts->st_mode & S_IWOTH) != 0)
    return refuse (error, "“%s” may be changed by everybody. Say: chmod 600 “%s”", reader->path,
                   reader->path);
  return TRUE;
}

static gboolean
refuse_unreadable (const char *path, int saved_errno, GError **error)
{
  if (saved_errno != 0)
    postbag_set_error_from_errno (error, saved_errno, "Cannot read the configuration “%s”", path);
  else
    refuse (error, "The configuration “%s” is no ordinary file, or larger than %d bytes.", path,
            POSTBAG_LIMIT_CONFIG_BYTES);
  return FALSE;
}

gboolean
postbag_config_file_read (PostbagConfigFile *self, const char *path, GPtrArray *warnings,
                          GError **error)
{
  g_autofree char *standard =
      g_build_filename (g_get_user_config_dir (), "postbag", "postbag.conf", NULL);
  g_autoptr (GKeyFile) file = g_key_file_new ();
  Reader reader = { self, file, path != NULL ? path : standard, FALSE, FALSE, warnings };
  struct stat facts = { 0 };
  int saved_errno;
  gsize length;
  gboolean fine;
  char *text = read_bytes (reader.path, &length, &facts, &saved_errno);

  if (text == NULL && path == NULL && (saved_errno == ENOENT || saved_errno == ENOTDIR))
    return TRUE;
  if (text == NULL)
    return refuse_unreadable (reader.path, saved_errno, error);
  self->path = g_strdup (reader.path);
  if (!g_key_file_load_from_data (file, text, length, G_KEY_FILE_NONE, NULL) && length > 0)
    fine = refuse_syntax (reader.path, text, error);
  else
    fine = read_groups (&reader, error) && check_mode (&reader, &facts, error);
  explicit_bzero (text, length);
  g_free (text);
  return fine;
}
