/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-guarded-list.h"

#include "base/postbag-limits.h"
#include "toolset/postbag-mail-format.h"

guint
postbag_guarded_get_page_size (PostbagSettings *settings)
{
  gint64 configured = postbag_settings_get_int (settings, "max-messages");

  return (guint)CLAMP (configured, 1, POSTBAG_LIMIT_LIST_MESSAGES);
}

void
postbag_guarded_write_origin (PostbagResult *result)
{
  postbag_result_boolean (result, "untrusted", TRUE);
  postbag_result_string (result, "source", "imap");
}

gint64
postbag_guarded_write_messages (PostbagResult *result, const PostbagSearchPage *found)
{
  gint64 returned = 0;

  postbag_result_begin_array (result, "messages");
  while (returned < found->summaries->len
         && postbag_mail_write_summary (result, g_ptr_array_index (found->summaries, returned)))
    returned++;
  postbag_result_end_array (result);
  return returned;
}

gboolean
postbag_guarded_knows_storable (char **permanent_flags)
{
  return permanent_flags != NULL && *permanent_flags != NULL;
}

gboolean
postbag_guarded_is_storable (char **permanent_flags, const char *keyword)
{
  for (; permanent_flags != NULL && *permanent_flags != NULL; permanent_flags++)
    if (g_strcmp0 (*permanent_flags, "\\*") == 0
        || (keyword != NULL && g_ascii_strcasecmp (*permanent_flags, keyword) == 0))
      return TRUE;
  return FALSE;
}
