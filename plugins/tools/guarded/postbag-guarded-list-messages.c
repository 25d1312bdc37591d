/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* list_messages (contract 1.4): one page of a search, newest first. `returned` and `next_offset`
 * tell what is really in the answer, so that paging by next_offset skips nothing. */

#include "postbag-guarded-handlers.h"

#include <string.h>

#include "base/postbag-limits.h"
#include "postbag-guarded-list.h"
#include "toolset/postbag-mail-call.h"
#include "toolset/postbag-mail-format.h"

static gboolean
refuse (const char *argument, const char *why, GError **error)
{
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_INVALID_ARGUMENT, "%s: %s", argument, why);
  return FALSE;
}

static gboolean
read_text (const PostbagArgs *args, const char *name, char **text, GError **error)
{
  const char *value = postbag_args_has (args, name) ? postbag_args_get_string (args, name) : NULL;

  if (value == NULL)
    return TRUE;
  if (*value == '\0' || strpbrk (value, "\r\n") != NULL)
    return refuse (name, "give 1 to 256 characters on one line, or leave it out.", error);
  *text = g_strdup (value);
  return TRUE;
}

static guint
read_digits (const char *text, guint count)
{
  guint value = 0;

  for (guint i = 0; i < count; i++)
    value = value * 10 + (guint)(text[i] - '0');
  return value;
}

/* "2026-02-28"; a day that the calendar does not have is refused, never rolled over. */
static gboolean
parse_day (const char *text, GDate *date)
{
  guint day, month, year;

  if (strlen (text) != strlen ("YYYY-MM-DD"))
    return FALSE;
  for (guint i = 0; text[i] != '\0'; i++)
    {
      if (i == 4 || i == 7 ? text[i] != '-' : !g_ascii_isdigit (text[i]))
        return FALSE;
    }
  year = read_digits (text, 4);
  month = read_digits (text + 5, 2);
  day = read_digits (text + 8, 2);
  if (!g_date_valid_dmy ((GDateDay)day, (GDateMonth)month, (GDateYear)year))
    return FALSE;
  g_date_set_dmy (date, (GDateDay)day, (GDateMonth)month, (GDateYear)year);
  return TRUE;
}

static gboolean
read_day (const PostbagArgs *args, const char *name, GDate **day, GError **error)
{
  g_autoptr (GDate) date = g_date_new ();

  if (!postbag_args_has (args, name))
    return TRUE;
  if (!parse_day (postbag_args_get_string (args, name), date))
    return refuse (name, "give a day of the calendar as YYYY-MM-DD, e.g. 2026-02-28.", error);
  *day = g_steal_pointer (&date);
  return TRUE;
}

static PostbagTristate
read_tristate (const PostbagArgs *args, const char *name)
{
  if (!postbag_args_has (args, name))
    return POSTBAG_EITHER;
  return postbag_args_get_boolean (args, name, FALSE) ? POSTBAG_YES : POSTBAG_NO;
}

static PostbagSearch *
read_search (const PostbagArgs *args, GError **error)
{
  g_autoptr (PostbagSearch) search = postbag_search_new ();

  if (!read_text (args, "from", &search->from, error) || !read_text (args, "to", &search->to, error)
      || !read_text (args, "subject", &search->subject, error)
      || !read_text (args, "body", &search->body, error)
      || !read_text (args, "keyword", &search->keyword, error)
      || !read_day (args, "since", &search->since, error)
      || !read_day (args, "before", &search->before, error))
    return NULL;
  search->seen = read_tristate (args, "seen");
  search->flagged = read_tristate (args, "flagged");
  return g_steal_pointer (&search);
}

static void
report_progress (double fraction, gpointer user_data)
{
  postbag_call_report_progress (user_data, fraction, 1.0, "Searching");
}

static PostbagPage
read_page (PostbagCall *call, const PostbagArgs *args)
{
  guint page_size = postbag_guarded_get_page_size (postbag_call_get_settings (call));
  gint64 limit = postbag_args_get_int (args, "limit", page_size);

  return (PostbagPage){
    .offset = MAX (postbag_args_get_int (args, "offset", 0), 0),
    .limit = (guint)CLAMP (limit, 1, POSTBAG_LIMIT_LIST_MESSAGES),
    .progress = report_progress,
    .progress_data = call,
  };
}

/* Where the next page begins, or -1 when this was the last. Messages that vanished between search
 * and fetch are not in the next search either, so what was returned counts; only a page of which
 * nothing is left is stepped over, else a caller would ask for it for ever. */
static gint64
find_next_offset (const PostbagPage *page, const PostbagSearchPage *found, gint64 returned)
{
  gint64 next = page->offset + returned;

  if (page->offset >= found->total)
    return -1;
  if (returned == 0)
    next = page->offset + page->limit;
  return next < found->total ? next : -1;
}

static void
write_position (PostbagResult *result, const PostbagPage *page, const PostbagSearchPage *found,
                gint64 returned)
{
  gint64 next_offset = find_next_offset (page, found, returned);
  gint64 omitted = found->summaries->len - returned;

  postbag_result_int (result, "returned", returned);
  if (next_offset >= 0)
    postbag_result_int (result, "next_offset", next_offset);
  if (omitted > 0)
    postbag_mail_write_truncated (result, "The page was too large for one answer.", returned,
                                  omitted,
                                  "Call list_messages again with offset set to next_offset.");
}

gboolean
postbag_guarded_list_messages (PostbagCall *call, const PostbagArgs *args, PostbagResult *result,
                               GError **error)
{
  g_autoptr (PostbagMailCall) mail = postbag_mail_call_new (call, args, error);
  g_autoptr (PostbagSearch) search = mail != NULL ? read_search (args, error) : NULL;
  g_autoptr (PostbagSearchPage) found = NULL;
  PostbagPage page = read_page (call, args);
  gint64 returned = 0;

  if (search == NULL)
    return FALSE;
  found = postbag_store_search (mail->store, mail->mailbox, search, &page,
                                postbag_mail_call_get_cancellable (mail), error);
  if (found == NULL)
    return postbag_mail_call_explain (mail, 0, error);

  postbag_mail_call_remember (mail, found->uid_validity, TRUE);
  postbag_guarded_write_origin (result);
  postbag_result_string (result, "mailbox", mail->mailbox);
  postbag_result_int (result, "total_matching", found->total);
  postbag_result_int (result, "offset", page.offset);
  returned = postbag_guarded_write_messages (result, found);
  write_position (result, &page, found, returned);
  if (found->warnings != NULL && found->warnings[0] != NULL)
    {
      g_autofree char *warnings = g_strjoinv ("\n", found->warnings);

      postbag_result_meta_string (result, "warnings", warnings);
    }
  return TRUE;
}
