/* SPDX-License-Identifier: LGPL-2.1-or-later */

#define G_LOG_DOMAIN "postbag-toolset"

#include "toolset/postbag-mail-format.h"

#include <string.h>

#include "base/postbag-limits.h"
#include "safety/postbag-clean.h"

/* Bytes of raw addresses that are joined before cleaning cuts them: enough to fill the bound even
 * with four-byte characters and much that cleaning removes. */
#define JOIN_BYTES (16 * POSTBAG_LIMIT_ADDRESS_LIST_CHARS)

/* Quoted where it could pass for another address, or for two people in a list. */
static void
append_name (GString *text, const char *name)
{
  if (strpbrk (name, "<>@\",;") == NULL)
    {
      g_string_append (text, name);
      return;
    }
  g_string_append_c (text, '"');
  for (const char *p = name; *p != '\0'; p++)
    {
      if (*p == '"' || *p == '\\')
        g_string_append_c (text, '\\');
      g_string_append_c (text, *p);
    }
  g_string_append_c (text, '"');
}

static void
append_address (GString *text, const PostbagAddress *address)
{
  gboolean has_name = address->name != NULL && *address->name != '\0'
                      && g_ascii_strcasecmp (address->name, address->address) != 0;
  gboolean has_address = *address->address != '\0';

  if (!has_name && !has_address)
    return;
  if (text->len > 0)
    g_string_append (text, ", ");
  if (has_name)
    append_name (text, address->name);
  if (has_name && has_address)
    g_string_append_printf (text, " <%s>", address->address);
  else if (has_address)
    g_string_append (text, address->address);
}

char *
postbag_mail_format_addresses (GPtrArray *addresses, const char *placeholder)
{
  g_autoptr (GString) joined = g_string_new (NULL);
  g_autofree char *cleaned = NULL;

  for (guint i = 0; addresses != NULL && i < addresses->len && joined->len < JOIN_BYTES; i++)
    append_address (joined, g_ptr_array_index (addresses, i));
  cleaned = postbag_clean (joined->str, POSTBAG_CLEAN_LINE, POSTBAG_LIMIT_ADDRESS_LIST_CHARS, NULL);
  return *cleaned != '\0' ? g_steal_pointer (&cleaned) : g_strdup (placeholder);
}

char *
postbag_mail_format_subject (const char *subject)
{
  g_autofree char *cleaned =
      postbag_clean (subject, POSTBAG_CLEAN_LINE, POSTBAG_LIMIT_SUBJECT_CHARS, NULL);

  return *cleaned != '\0' ? g_steal_pointer (&cleaned) : g_strdup ("(no subject)");
}

char **
postbag_mail_format_words (const char *const *words, gsize max_words)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  gsize count = 0;

  for (gsize i = 0; words != NULL && words[i] != NULL && count < max_words; i++)
    {
      g_autofree char *word =
          postbag_clean (words[i], POSTBAG_CLEAN_LINE, POSTBAG_LIMIT_FLAG_CHARS, NULL);

      if (*word == '\0')
        continue;
      g_strv_builder_add (builder, word);
      count++;
    }
  return g_strv_builder_end (builder);
}

char **
postbag_mail_format_flags (PostbagFlags flags, const char *const *keywords)
{
  g_auto (GStrv) raw = postbag_flags_to_strings (flags, keywords);

  return postbag_mail_format_words ((const char *const *)raw, POSTBAG_LIMIT_FLAGS_SHOWN);
}

static void
write_summary_dates (PostbagResult *result, const PostbagSummary *summary)
{
  g_autofree char *date = postbag_date_to_string (summary->date);

  if (date == NULL)
    date = postbag_date_to_string (summary->internal_date);
  if (date != NULL)
    postbag_result_string (result, "date", date);
  if (summary->size >= 0)
    postbag_result_int (result, "size", summary->size);
}

static void
write_summary_flags (PostbagResult *result, const PostbagSummary *summary)
{
  g_auto (GStrv) flags =
      postbag_mail_format_flags (summary->flags, (const char *const *)summary->keywords);

  postbag_result_strings (result, "flags", (const char *const *)flags);
  postbag_result_boolean (result, "seen", (summary->flags & POSTBAG_FLAG_SEEN) != 0);
  postbag_result_boolean (result, "flagged", (summary->flags & POSTBAG_FLAG_FLAGGED) != 0);
  postbag_result_boolean (result, "answered", (summary->flags & POSTBAG_FLAG_ANSWERED) != 0);
}

gboolean
postbag_mail_write_summary (PostbagResult *result, const PostbagSummary *summary)
{
  g_autofree char *subject = postbag_mail_format_subject (summary->subject);
  g_autofree char *from = postbag_mail_format_addresses (summary->from, "(no sender)");
  g_autofree char *to = postbag_mail_format_addresses (summary->to, "(no recipient)");

  postbag_result_begin_item (result);
  postbag_result_int (result, "uid", summary->uid);
  postbag_result_string (result, "subject", subject);
  postbag_result_string (result, "from", from);
  postbag_result_string (result, "to", to);
  write_summary_dates (result, summary);
  write_summary_flags (result, summary);
  postbag_result_boolean (result, "hasAttachments", summary->has_attachments);
  return postbag_result_end_item (result);
}

void
postbag_mail_write_truncated (PostbagResult *result, const char *reason, gint64 returned,
                              gint64 omitted, const char *follow_up)
{
  postbag_result_begin_object (result, "truncated");
  postbag_result_string (result, "reason", reason);
  postbag_result_int (result, "returned_items", returned);
  postbag_result_int (result, "omitted_items", omitted);
  postbag_result_string (result, "follow_up", follow_up);
  postbag_result_end_object (result);
}
