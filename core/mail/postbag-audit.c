/* SPDX-License-Identifier: LGPL-2.1-or-later */

#define G_LOG_DOMAIN "postbag-mail"

#include "mail/postbag-audit-private.h"

#include "base/postbag-clock.h"
#include "base/postbag-error.h"

/* Longer lists of uids are abbreviated: the line stays one that a person reads. */
#define UIDS_SHOWN 20

static gboolean
is_visible (gunichar character)
{
  return g_unichar_isprint (character) && g_unichar_type (character) != G_UNICODE_FORMAT
         && character != '"' && character != '\\';
}

/* Names are chosen by colleagues and servers: what is not visible is spelled out. */
static void
append_quoted (GString *line, const char *key, const char *text)
{
  g_autofree char *valid = NULL;

  if (text == NULL)
    return;
  valid = g_utf8_make_valid (text, -1);
  g_string_append_printf (line, " %s=\"", key);
  for (const char *at = valid; *at != '\0'; at = g_utf8_next_char (at))
    {
      gunichar character = g_utf8_get_char (at);

      if (is_visible (character))
        g_string_append_unichar (line, character);
      else
        g_string_append_printf (line, "\\u%04X", character);
    }
  g_string_append_c (line, '"');
}

static void
append_uids (GString *line, const char *key, const GArray *uids)
{
  if (uids == NULL || uids->len == 0)
    return;
  g_string_append_printf (line, " %s=", key);
  for (guint i = 0; i < uids->len && i < UIDS_SHOWN; i++)
    g_string_append_printf (line, "%s%u", i > 0 ? "," : "", g_array_index (uids, guint32, i));
  if (uids->len > UIDS_SHOWN)
    g_string_append_printf (line, ",+%u", uids->len - UIDS_SHOWN);
}

static void
append_strings (GString *line, const char *key, PostbagFlags flags, char **keywords)
{
  g_auto (GStrv) strings = postbag_flags_to_strings (flags, (const char *const *)keywords);
  g_autofree char *joined = g_strjoinv (" ", strings);

  if (*joined != '\0')
    append_quoted (line, key, joined);
}

/* None of the messages was there: no failure of the store, and nothing done. */
static gboolean
found_none (const PostbagEffect *effect, const PostbagEffectReport *report)
{
  return report != NULL && effect->uids != NULL && effect->uids->len > 0 && report->done->len == 0
         && report->copied->len == 0 && report->unknown->len == 0;
}

static const char *
get_outcome (const PostbagEffect *effect, const PostbagEffectReport *report, const GError *error)
{
  if (error == NULL)
    return found_none (effect, report) ? "nothing" : "done";
  if (error->domain == POSTBAG_ERROR)
    return postbag_error_get_facts (error->code)->nick;
  return "failed";
}

char *
postbag_audit_format (const PostbagAccount *account, const PostbagEffect *effect,
                      const PostbagEffectReport *report, const GError *error)
{
  GString *line = g_string_new (postbag_effect_kind_get_nick (effect->kind));

  append_quoted (line, "account", account->name);
  append_quoted (line, "mailbox", effect->mailbox);
  append_quoted (line, "destination", effect->destination);
  append_uids (line, "uids", effect->uids);
  append_strings (line, "add", effect->add_flags, effect->add_keywords);
  append_strings (line, "remove", effect->remove_flags, effect->remove_keywords);
  if (effect->message != NULL)
    g_string_append_printf (line, " octets=%" G_GSIZE_FORMAT, g_bytes_get_size (effect->message));
  g_string_append_printf (line, " outcome=%s", get_outcome (effect, report, error));
  if (report != NULL)
    {
      append_uids (line, "done", report->done);
      append_uids (line, "copied", report->copied);
      append_uids (line, "unknown", report->unknown);
    }
  return g_string_free (line, FALSE);
}

void
postbag_audit_write (const PostbagAccount *account, const PostbagEffect *effect,
                     const PostbagEffectReport *report, const GError *error)
{
  g_autofree char *line = postbag_audit_format (account, effect, report, error);
  gint64 now = postbag_clock_get_real_us (postbag_clock_get_system ());
  g_autoptr (GDateTime) time = g_date_time_new_from_unix_utc (now / G_USEC_PER_SEC);
  g_autofree char *stamp = g_date_time_format_iso8601 (time);

  g_message ("audit %s %s", stamp, line);
}
