/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a value may look like, one function a type. A refusal says what is expected and how long
 * the value is, never the value: it may be a password in the wrong place. */

#include "config/postbag-config-group-private.h"

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "base/postbag-text.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct
{
  const PostbagConfigRow *row;
  const char *where;
  GPtrArray *warnings;
  GError **error;
} Check;

static char *G_GNUC_PRINTF (3, 4)
    refuse (const Check *check, const char *text, const char *format, ...)
{
  g_autofree char *expected = NULL;
  glong length = g_utf8_validate (text, -1, NULL) ? g_utf8_strlen (text, -1) : (glong)strlen (text);
  va_list args;

  va_start (args, format);
  expected = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (check->error, POSTBAG_ERROR, POSTBAG_ERROR_INVALID_ARGUMENT,
               "%s has to be %s. What is there has %ld characters.", check->where, expected,
               length);
  return NULL;
}

static gboolean
consists_of (const char *text, const char *others)
{
  for (const char *byte = text; *byte != '\0'; byte++)
    {
      if (!g_ascii_isalnum (*byte) && strchr (others, *byte) == NULL)
        return FALSE;
    }
  return TRUE;
}

/* --- text --- */

static char *
check_line (const Check *check, const char *text)
{
  if (!g_utf8_validate (text, -1, NULL))
    return refuse (check, text, "UTF-8 text");
  for (const char *at = text; *at != '\0'; at = g_utf8_next_char (at))
    {
      if (g_unichar_iscntrl (g_utf8_get_char (at)))
        return refuse (check, text, "one line without control characters");
    }
  return g_strdup (text);
}

static char *
check_password (const Check *check, const char *text)
{
  if (strpbrk (text, "\r\n") != NULL)
    return refuse (check, text, "one line");
  return g_strdup (text);
}

/* What a draft may have as its sender: the composer looks closer. */
static char *
check_address (const Check *check, const char *text)
{
  const char *at = strchr (text, '@');

  if (at == NULL || at == text || strchr (at + 1, '@') != NULL || strchr (at + 1, '.') == NULL
      || strpbrk (text, " \t\r\n<>\"(),:;[]\\") != NULL || !g_utf8_validate (text, -1, NULL)
      || strlen (text) > POSTBAG_LIMIT_ADDRESS_BYTES)
    return refuse (check, text, "a mail address like ann@example.org, without a name");
  return check_line (check, text);
}

static char *
check_mailbox (const Check *check, const char *text)
{
  if (!g_utf8_validate (text, -1, NULL)
      || g_utf8_strlen (text, -1) > POSTBAG_LIMIT_MAILBOX_NAME_CHARS)
    return refuse (check, text, "a mailbox name of at most %d characters",
                   POSTBAG_LIMIT_MAILBOX_NAME_CHARS);
  for (const char *at = text; *at != '\0'; at = g_utf8_next_char (at))
    {
      gunichar character = g_utf8_get_char (at);

      if ((g_unichar_iscntrl (character) && character != '\t') || character == '%'
          || character == '*')
        return refuse (check, text, "a mailbox name without control characters, “%%” and “*”");
    }
  return g_strdup (text);
}

static char *
check_keyword (const Check *check, const char *text)
{
  if (strlen (text) > POSTBAG_LIMIT_KEYWORD_CHARS || !consists_of (text, "$_.-"))
    return refuse (check, text, "at most %d letters, digits, “$”, “_”, “.” and “-”, or empty",
                   POSTBAG_LIMIT_KEYWORD_CHARS);
  return g_strdup (text);
}

/* --- numbers and choices --- */

static char *
check_integer (const Check *check, const char *text)
{
  const PostbagConfigRow *row = check->row;
  gboolean clamped = (row->flags & POSTBAG_CONFIG_CLAMPED) != 0;
  gint64 value;

  if (!postbag_text_parse_int (text, row->minimum, clamped ? G_MAXINT64 : row->maximum, &value))
    return refuse (check, text, "a whole number from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT,
                   row->minimum, row->maximum);
  if (value > row->maximum)
    g_ptr_array_add (check->warnings,
                     g_strdup_printf ("%s is above the most that is possible, %" G_GINT64_FORMAT
                                      ", which counts instead.",
                                      check->where, row->maximum));
  return g_strdup_printf ("%" G_GINT64_FORMAT, MIN (value, row->maximum));
}

static char *
check_boolean (const Check *check, const char *text)
{
  if (g_ascii_strcasecmp (text, "true") == 0)
    return g_strdup ("true");
  if (g_ascii_strcasecmp (text, "false") == 0)
    return g_strdup ("false");
  return refuse (check, text, "“true” or “false”");
}

/* Only @literal changes something; what looks like an attempt at it is worth a word. */
static char *
check_literal (const Check *check, const char *text, const char *literal, const char *otherwise)
{
  if (strcmp (text, literal) == 0)
    return g_strdup (literal);
  if (strcmp (text, otherwise) != 0)
    g_ptr_array_add (check->warnings,
                     g_strdup_printf ("%s counts as “%s”: only “%s”, written exactly so, changes "
                                      "that.",
                                      check->where, otherwise, literal));
  return g_strdup (otherwise);
}

static char *
check_lock (const Check *check, const char *text)
{
  return check_literal (check, text, "false", "true");
}

static char *
check_release (const Check *check, const char *text)
{
  return check_literal (check, text, "true", "false");
}

static char *
check_word (const Check *check, const char *text)
{
  g_autofree char *words = NULL;

  if (g_strv_contains (check->row->words, text))
    return g_strdup (text);
  words = g_strjoinv ("”, “", (char **)check->row->words);
  return refuse (check, text, "one of “%s”", words);
}

/* --- hosts --- */

static gboolean
is_host_name (const char *text)
{
  return strlen (text) <= POSTBAG_LIMIT_HOST_CHARS && *text != '\0' && consists_of (text, "._-");
}

/* (transfer full) (nullable): without the brackets of an IPv6 literal */
static char *
parse_host (const char *text)
{
  gsize length = strlen (text);
  gboolean bracketed = length > 2 && text[0] == '[' && text[length - 1] == ']';
  g_autofree char *bare = bracketed ? g_strndup (text + 1, length - 2) : g_strdup (text);
  struct in6_addr address;

  if (inet_pton (AF_INET6, bare, &address) == 1)
    return g_steal_pointer (&bare);
  return !bracketed && is_host_name (bare) ? g_steal_pointer (&bare) : NULL;
}

#define HOST_SHAPE                                                                                 \
  "a host name or an address, without scheme, port, user or blanks, of at most %d characters"

static char *
check_host (const Check *check, const char *text)
{
  char *host = parse_host (text);

  if (host == NULL)
    return refuse (check, text, HOST_SHAPE, POSTBAG_LIMIT_HOST_CHARS);
  return host;
}

static char *
check_authserv_id (const Check *check, const char *text)
{
  if (!is_host_name (text))
    return refuse (check, text, "shaped like a host name, of at most %d characters",
                   POSTBAG_LIMIT_HOST_CHARS);
  return g_strdup (text);
}

gboolean
postbag_config_is_loopback (const char *host)
{
  struct in_addr address;

  if (inet_pton (AF_INET, host, &address) == 1)
    return (ntohl (address.s_addr) >> 24) == 127;
  return strcmp (host, "::1") == 0 || g_ascii_strcasecmp (host, "localhost") == 0;
}

/* --- lists --- */

/* Checks each entry with @parse, which returns it as it is stored; blanks around and empty entries
 * go. A refusal names the position only. */
static char *
check_list (const Check *check, const char *text, char *(*parse) (const char *), const char *what)
{
  g_auto (GStrv) entries = g_strsplit (text, ",", -1);
  g_autoptr (GPtrArray) stored = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; entries[i] != NULL; i++)
    {
      char *entry;

      if (*g_strstrip (entries[i]) == '\0')
        continue;
      entry = parse (entries[i]);
      if (entry == NULL)
        return refuse (check, entries[i], "%s; entry number %u is not", what, i + 1);
      if (g_ptr_array_find_with_equal_func (stored, entry, g_str_equal, NULL))
        g_free (entry);
      else
        g_ptr_array_add (stored, entry);
    }
  g_ptr_array_add (stored, NULL);
  return g_strjoinv (",", (char **)stored->pdata);
}

static char *
parse_media_type (const char *text)
{
  g_auto (GStrv) halves = g_strsplit (text, "/", -1);

  if (g_strv_length (halves) != 2)
    return NULL;
  /* RFC 6838, section 4.2. */
  for (char **half = halves; *half != NULL; half++)
    {
      if (!g_ascii_isalnum (**half) || strlen (*half) > 127 || !consists_of (*half, "!#$&-^_.+"))
        return NULL;
    }
  return g_ascii_strdown (text, -1);
}

static char *
check_media_types (const Check *check, const char *text)
{
  g_autofree char *list =
      check_list (check, text, parse_media_type, "a list of media types like “text/plain”");

  /* Commas and blanks alone are as good as nothing. */
  if (list != NULL && *list == '\0')
    return g_strdup (check->row->fallback);
  return g_steal_pointer (&list);
}

static char *
check_hosts (const Check *check, const char *text)
{
  return check_list (check, text, parse_host, "a list of host names or addresses");
}

static char *
parse_name (const char *text)
{
  if (!g_ascii_isalpha (*text) || strlen (text) > POSTBAG_LIMIT_PLUGIN_NAME_BYTES
      || !consists_of (text, "-_"))
    return NULL;
  return g_strdup (text);
}

static char *
check_name (const Check *check, const char *text)
{
  char *name = parse_name (text);

  if (name == NULL)
    return refuse (check, text, "a letter, then letters, digits, “-” and “_”");
  return name;
}

static char *
check_names (const Check *check, const char *text)
{
  g_autofree char *list = check_list (check, text, parse_name, "a list of names");

  if (list != NULL && *list == '\0')
    return refuse (check, text, "a list with at least one name");
  return g_steal_pointer (&list);
}

static char *
parse_anything (const char *text)
{
  return g_strdup (text);
}

static char *
check_tools (const Check *check, const char *text)
{
  return check_list (check, text, parse_anything, "a list of tools");
}

/* --- commands and keys --- */

static char *
check_command (const Check *check, const char *text)
{
  g_auto (GStrv) words = NULL;

  if (!g_utf8_validate (text, -1, NULL) || !g_shell_parse_argv (text, NULL, &words, NULL))
    return refuse (check, text, "a program and its arguments, every quotation mark closed");
  return g_strdup (text);
}

/* `sha256:` and the base64 of 32 bytes. */
static char *
parse_pin (const char *text)
{
  static const char prefix[] = "sha256:";
  const char *digest = text + strlen (prefix);
  g_autofree guchar *bytes = NULL;
  gsize length;

  if (!g_str_has_prefix (text, prefix) || strlen (digest) != 44 || digest[43] != '='
      || strspn (digest, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/") != 43)
    return NULL;
  bytes = g_base64_decode (digest, &length);
  return length == 32 ? g_strdup (text) : NULL;
}

static char *
check_pins (const Check *check, const char *text)
{
  g_autofree char *list =
      check_list (check, text, parse_pin,
                  "a list of “sha256:” and the base64 of a digest (44 characters) each");

  if (list != NULL && *list == '\0')
    return refuse (check, text, "a list with at least one key");
  return g_steal_pointer (&list);
}

/* --- paths --- */

static char *
make_absolute (const char *text)
{
  g_autofree char *expanded = NULL;

  /* Clients start us without a shell, so nobody else expands it. */
  if (g_str_has_prefix (text, "~/"))
    expanded = g_build_filename (g_get_home_dir (), text + 2, NULL);
  return g_canonicalize_filename (expanded != NULL ? expanded : text, NULL);
}

static char *
check_folder (const Check *check, const char *text)
{
  return make_absolute (text);
}

static gboolean
is_of_kind (const char *path, mode_t kind)
{
  struct stat facts;

  return stat (path, &facts) == 0 && (facts.st_mode & S_IFMT) == kind;
}

static char *
check_existing_folder (const Check *check, const char *text)
{
  g_autofree char *path = make_absolute (text);
  char *real = realpath (path, NULL);

  if (real != NULL && is_of_kind (real, S_IFDIR))
    return real;
  free (real);
  return refuse (check, text, "a folder that exists");
}

static char *
check_existing_file (const Check *check, const char *text)
{
  g_autofree char *path = make_absolute (text);

  if (!is_of_kind (path, S_IFREG))
    return refuse (check, text, "a file that exists");
  return g_steal_pointer (&path);
}

/* --- the door --- */

static const struct
{
  char *(*check) (const Check *check, const char *text);
  gboolean exact; /* blanks around count */
} types[POSTBAG_CONFIG_N_TYPES] = {
  [POSTBAG_CONFIG_LINE] = { check_line, FALSE },
  [POSTBAG_CONFIG_PASSWORD] = { check_password, TRUE },
  [POSTBAG_CONFIG_INTEGER] = { check_integer, FALSE },
  [POSTBAG_CONFIG_BOOLEAN] = { check_boolean, FALSE },
  [POSTBAG_CONFIG_LOCK] = { check_lock, TRUE },
  [POSTBAG_CONFIG_RELEASE] = { check_release, TRUE },
  [POSTBAG_CONFIG_WORD] = { check_word, FALSE },
  [POSTBAG_CONFIG_NAME] = { check_name, FALSE },
  [POSTBAG_CONFIG_HOST] = { check_host, FALSE },
  [POSTBAG_CONFIG_HOSTS] = { check_hosts, FALSE },
  [POSTBAG_CONFIG_AUTHSERV_ID] = { check_authserv_id, FALSE },
  [POSTBAG_CONFIG_ADDRESS] = { check_address, FALSE },
  [POSTBAG_CONFIG_MAILBOX] = { check_mailbox, FALSE },
  [POSTBAG_CONFIG_KEYWORD] = { check_keyword, FALSE },
  [POSTBAG_CONFIG_MEDIA_TYPES] = { check_media_types, FALSE },
  [POSTBAG_CONFIG_FOLDER] = { check_folder, FALSE },
  [POSTBAG_CONFIG_EXISTING_FOLDER] = { check_existing_folder, FALSE },
  [POSTBAG_CONFIG_EXISTING_FILE] = { check_existing_file, FALSE },
  [POSTBAG_CONFIG_COMMAND] = { check_command, FALSE },
  [POSTBAG_CONFIG_PINS] = { check_pins, FALSE },
  [POSTBAG_CONFIG_NAMES] = { check_names, FALSE },
  [POSTBAG_CONFIG_TOOLS] = { check_tools, FALSE },
};

char *
postbag_config_check_value (const PostbagConfigRow *row, const char *text, const char *where,
                            GPtrArray *warnings, GError **error)
{
  Check check = { row, where, warnings, error };
  char *copy;
  char *result;

  if (strlen (text) > POSTBAG_LIMIT_SETTING_BYTES)
    return refuse (&check, text, "at most %d bytes long", POSTBAG_LIMIT_SETTING_BYTES);
  copy = g_strdup (text);
  result = types[row->type].check (&check, types[row->type].exact ? copy : g_strstrip (copy));
  postbag_config_free_secret (copy);
  return result;
}
