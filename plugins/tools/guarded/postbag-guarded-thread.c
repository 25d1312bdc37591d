/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-guarded-thread.h"

#include "base/postbag-limits.h"
#include "safety/postbag-clean.h"

gboolean
postbag_guarded_is_clean_id (const char *id)
{
  g_autofree char *cleaned =
      postbag_clean (id, POSTBAG_CLEAN_LINE, POSTBAG_LIMIT_MESSAGE_ID_CHARS + 1, NULL);

  return g_str_equal (cleaned, id);
}

static void
add_id (GPtrArray *ids, const char *id)
{
  if (id != NULL && ids->len < POSTBAG_LIMIT_THREAD_IDS && postbag_guarded_is_clean_id (id)
      && !g_ptr_array_find_with_equal_func (ids, id, g_str_equal, NULL))
    g_ptr_array_add (ids, (gpointer)id);
}

/* The message's own id finds the answers to it, its nearest ancestors the branch it belongs to; the
 * oldest ones come last, since they may belong to a whole mailing list. */
static GPtrArray *
choose_ids (PostbagMessage *message)
{
  GPtrArray *ids = g_ptr_array_new ();
  const char *const *references = postbag_message_get_references (message);
  guint count = references != NULL ? g_strv_length ((char **)references) : 0;

  add_id (ids, postbag_message_get_message_id (message));
  for (guint i = count; i > 0; i--)
    add_id (ids, references[i - 1]);
  return ids;
}

static PostbagSearch *
make_search (GPtrArray *ids)
{
  static const char *const fields[] = { "Message-ID", "References", "In-Reply-To" };
  PostbagSearch *search = postbag_search_new ();

  for (guint i = 0; i < ids->len; i++)
    {
      for (guint j = 0; j < G_N_ELEMENTS (fields); j++)
        postbag_search_add_any_header (search, fields[j], g_ptr_array_index (ids, i));
    }
  return search;
}

static void
drop_self (PostbagSearchPage *thread, guint32 uid)
{
  for (guint i = 0; i < thread->summaries->len; i++)
    {
      const PostbagSummary *summary = g_ptr_array_index (thread->summaries, i);

      if (summary->uid != uid)
        continue;
      g_ptr_array_remove_index (thread->summaries, i);
      thread->total--;
      return;
    }
}

PostbagSearchPage *
postbag_guarded_find_thread (PostbagMailCall *mail, guint32 uid, PostbagMessage *message,
                             GError **error)
{
  g_autoptr (GPtrArray) ids = choose_ids (message);
  g_autoptr (PostbagSearch) search = make_search (ids);
  PostbagPage page = { .offset = 0, .limit = POSTBAG_LIMIT_THREAD_MESSAGES + 1 };
  PostbagSearchPage *thread = NULL;

  if (ids->len == 0)
    return postbag_search_page_new ();
  thread = postbag_store_search (mail->store, mail->mailbox, search, &page,
                                 postbag_mail_call_get_cancellable (mail), error);
  if (thread == NULL)
    return NULL;
  drop_self (thread, uid);
  if (thread->summaries->len > POSTBAG_LIMIT_THREAD_MESSAGES)
    g_ptr_array_set_size (thread->summaries, POSTBAG_LIMIT_THREAD_MESSAGES);
  return thread;
}
