/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/postbag-log-private.h"

#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/postbag-limits.h"
#include "base/postbag-text.h"

static char **debug_areas; /* set before any thread */

static gboolean
is_debug_wanted (const char *domain)
{
  if (debug_areas == NULL)
    return FALSE;
  if (g_strv_contains ((const char *const *)debug_areas, "all"))
    return TRUE;
  if (domain != NULL && g_str_has_prefix (domain, "postbag-"))
    domain += strlen ("postbag-");
  return domain != NULL && g_strv_contains ((const char *const *)debug_areas, domain);
}

static const char *
get_level_word (GLogLevelFlags level)
{
  if (level & (G_LOG_LEVEL_ERROR | G_LOG_LEVEL_CRITICAL))
    return "error: ";
  if (level & G_LOG_LEVEL_WARNING)
    return "warning: ";
  if (level & (G_LOG_LEVEL_DEBUG | G_LOG_LEVEL_INFO))
    return "debug: ";
  return "";
}

char *
postbag_log_format (GLogLevelFlags level, const char *domain, const char *message)
{
  g_autofree char *valid = NULL;
  GString *line = g_string_new ("postbag: ");
  gsize start;

  g_string_append (line, get_level_word (level));
  if (domain != NULL && !g_str_has_prefix (domain, "postbag"))
    g_string_append_printf (line, "%s: ", domain);
  valid = postbag_text_make_valid (
      message != NULL ? message : "",
      message != NULL ? (gssize)strnlen (message, POSTBAG_LIMIT_LOG_LINE_BYTES) : 0);
  start = line->len;
  for (const char *next = valid; *next != '\0' && line->len - start < POSTBAG_LIMIT_LOG_LINE_BYTES;
       next = g_utf8_next_char (next))
    {
      gunichar character = g_utf8_get_char (next);

      if (g_unichar_iscntrl (character) || g_unichar_type (character) == G_UNICODE_FORMAT
          || character == 0x2028 || character == 0x2029)
        g_string_append_printf (line, "\\u%04X", character);
      else
        g_string_append_unichar (line, character);
    }
  g_string_append_c (line, '\n');
  return g_string_free (line, FALSE);
}

static const char *
find_field (const GLogField *fields, gsize n_fields, const char *key)
{
  for (gsize i = 0; i < n_fields; i++)
    {
      if (strcmp (fields[i].key, key) == 0 && fields[i].length < 0)
        return fields[i].value;
    }
  return NULL;
}

/* A client that does not read our standard error must not hold up the protocol: while its pipe is
 * full, lines are dropped. */
static gboolean
can_write_log (void)
{
  struct pollfd target = { .fd = STDERR_FILENO, .events = POLLOUT };

  return poll (&target, 1, 0) == 1 && (target.revents & POLLOUT) != 0;
}

static GLogWriterOutput
write_log (GLogLevelFlags level, const GLogField *fields, gsize n_fields, gpointer user_data)
{
  const char *domain = find_field (fields, n_fields, "GLIB_DOMAIN");
  g_autofree char *line = NULL;

  if ((level & (G_LOG_LEVEL_DEBUG | G_LOG_LEVEL_INFO)) && !is_debug_wanted (domain))
    return G_LOG_WRITER_HANDLED;
  line = postbag_log_format (level, domain, find_field (fields, n_fields, "MESSAGE"));
  if (!can_write_log () || write (STDERR_FILENO, line, strlen (line)) < 0)
    return G_LOG_WRITER_UNHANDLED; /* nobody is left to tell */
  return G_LOG_WRITER_HANDLED;
}

void
postbag_log_install (void)
{
  g_log_set_writer_func (write_log, NULL, NULL);
}

/* Who has debug lines: the log domains behind `postbag-`. */
static const char *const known_areas[] = {
  "extract", "imap", "mail", "maildir", "mcp", "all", NULL
};

char *
postbag_log_set_debug (const char *areas)
{
  const char *unknown = NULL;
  g_autofree char *known = NULL;

  g_clear_pointer (&debug_areas, g_strfreev);
  if (areas == NULL)
    return NULL;
  debug_areas = g_strsplit (areas, ",", -1);
  for (char **area = debug_areas; *area != NULL; area++)
    if (*g_strstrip (*area) != '\0' && !g_strv_contains (known_areas, *area) && unknown == NULL)
      unknown = *area;
  if (unknown == NULL)
    return NULL;
  known = g_strjoinv (", ", (char **)known_areas);
  return g_strdup_printf ("No debug lines come from “%s” (POSTBAG_DEBUG, or “debug” in the "
                          "configuration): it is none of %s.",
                          unknown, known);
}
