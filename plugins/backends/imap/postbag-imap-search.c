/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-imap-search.h"

#include <string.h>

#include "base/postbag-limits.h"
#include "postbag-imap-set.h"

static gboolean
is_foreign (const char *text)
{
  return text != NULL && !g_str_is_ascii (text);
}

static gboolean
has_foreign_header (const PostbagSearch *search)
{
  for (guint i = 0; search->any_header != NULL && i < search->any_header->len; i++)
    {
      const PostbagHeaderMatch *match = g_ptr_array_index (search->any_header, i);

      if (is_foreign (match->value))
        return TRUE;
    }
  return FALSE;
}

gboolean
postbag_imap_search_needs_charset (const PostbagSearch *search)
{
  return is_foreign (search->from) || is_foreign (search->to) || is_foreign (search->cc)
         || is_foreign (search->subject) || is_foreign (search->body) || is_foreign (search->text)
         || has_foreign_header (search);
}

static void
add_text (PostbagImapCommand *command, const char *key, const char *text)
{
  if (text == NULL)
    return;
  postbag_imap_command_add_words (command, key);
  postbag_imap_command_add_string (command, text);
}

static void
add_tristate (PostbagImapCommand *command, PostbagTristate state, const char *yes, const char *no)
{
  if (state != POSTBAG_EITHER)
    postbag_imap_command_add_words (command, state == POSTBAG_YES ? yes : no);
}

static void
add_keyword (PostbagImapCommand *command, const char *key, const char *keyword)
{
  if (keyword == NULL)
    return;
  postbag_imap_command_add_words (command, key);
  postbag_imap_command_add_flag (command, keyword);
}

static void
add_date (PostbagImapCommand *command, const char *key, const GDate *date)
{
  if (date == NULL)
    return;
  postbag_imap_command_add_words (command, key);
  postbag_imap_command_add_date (command, date);
}

static void
add_size (PostbagImapCommand *command, const char *key, gint64 size)
{
  if (size <= 0)
    return;
  postbag_imap_command_add_words (command, key);
  postbag_imap_command_add_number (command, (guint64)MIN (size, (gint64)G_MAXUINT32));
}

/* `*` would stand for the highest UID even where that is below @search's lowest. */
static void
add_uids (PostbagImapCommand *command, const PostbagSearch *search)
{
  g_autoptr (GArray) set = NULL;

  if (search->uid_from == 0 && search->uid_to == 0)
    return;
  set = postbag_imap_set_new ();
  postbag_imap_set_add (set, MAX (search->uid_from, 1),
                        search->uid_to != 0 ? search->uid_to : G_MAXUINT32);
  postbag_imap_command_add_words (command, "UID");
  postbag_imap_command_add_set (command, set);
}

static void
add_these_uids (PostbagImapCommand *command, const GArray *uids)
{
  g_autoptr (GArray) set = postbag_imap_set_new ();

  if (uids == NULL)
    return;
  for (guint i = 0; i < uids->len; i++)
    {
      guint32 uid = g_array_index (uids, guint32, i);

      postbag_imap_set_add (set, uid, uid);
    }
  postbag_imap_command_add_words (command, "UID");
  postbag_imap_command_add_set (command, set);
}

/* `OR a OR b c` */
static void
add_any_header (PostbagImapCommand *command, const GPtrArray *matches)
{
  for (guint i = 0; matches != NULL && i < matches->len; i++)
    {
      const PostbagHeaderMatch *match = g_ptr_array_index (matches, i);

      if (i + 1 < matches->len)
        postbag_imap_command_add_words (command, "OR");
      postbag_imap_command_add_words (command, "HEADER");
      postbag_imap_command_add_field (command, match->field);
      postbag_imap_command_add_string (command, match->value != NULL ? match->value : "");
    }
}

static void
add_criteria (PostbagImapCommand *command, const PostbagSearch *search)
{
  if (postbag_search_is_all (search))
    postbag_imap_command_add_words (command, "ALL");
  add_text (command, "FROM", search->from);
  add_text (command, "TO", search->to);
  add_text (command, "CC", search->cc);
  add_text (command, "SUBJECT", search->subject);
  add_text (command, "BODY", search->body);
  add_text (command, "TEXT", search->text);
  add_date (command, "SINCE", search->since);
  add_date (command, "BEFORE", search->before);
  add_tristate (command, search->seen, "SEEN", "UNSEEN");
  add_tristate (command, search->flagged, "FLAGGED", "UNFLAGGED");
  add_tristate (command, search->answered, "ANSWERED", "UNANSWERED");
  add_tristate (command, search->draft, "DRAFT", "UNDRAFT");
  add_tristate (command, search->deleted, "DELETED", "UNDELETED");
  add_keyword (command, "KEYWORD", search->keyword);
  add_keyword (command, "UNKEYWORD", search->unkeyword);
  add_size (command, "LARGER", search->larger);
  add_size (command, "SMALLER", search->smaller);
  add_uids (command, search);
  add_these_uids (command, search->uids);
  add_any_header (command, search->any_header);
}

void
postbag_imap_search_add_keys (PostbagImapCommand *command, const PostbagSearch *search,
                              gboolean utf8)
{
  if (!utf8 && postbag_imap_search_needs_charset (search))
    postbag_imap_command_add_words (command, "CHARSET UTF-8");
  add_criteria (command, search);
}

/* A text as it is to be in a copy; %NULL: left out. */
typedef char *(*MapFunc) (const char *text, gpointer data);

static char *
map_text (const char *text, MapFunc map, gpointer data)
{
  return text != NULL ? map (text, data) : NULL;
}

static PostbagSearch *
copy_search (const PostbagSearch *search, MapFunc map, gpointer data)
{
  PostbagSearch *copy = postbag_search_new ();

  copy->from = map_text (search->from, map, data);
  copy->to = map_text (search->to, map, data);
  copy->cc = map_text (search->cc, map, data);
  copy->subject = map_text (search->subject, map, data);
  copy->body = map_text (search->body, map, data);
  copy->text = map_text (search->text, map, data);
  copy->since = search->since != NULL ? g_date_copy (search->since) : NULL;
  copy->before = search->before != NULL ? g_date_copy (search->before) : NULL;
  copy->seen = search->seen;
  copy->flagged = search->flagged;
  copy->answered = search->answered;
  copy->draft = search->draft;
  copy->deleted = search->deleted;
  copy->keyword = g_strdup (search->keyword);
  copy->unkeyword = g_strdup (search->unkeyword);
  copy->larger = search->larger;
  copy->smaller = search->smaller;
  copy->uid_from = search->uid_from;
  copy->uid_to = search->uid_to;
  copy->uids = search->uids != NULL ? g_array_ref (search->uids) : NULL;
  for (guint i = 0; search->any_header != NULL && i < search->any_header->len; i++)
    {
      const PostbagHeaderMatch *match = g_ptr_array_index (search->any_header, i);
      g_autofree char *value = map_text (match->value, map, data);

      postbag_search_add_any_header (copy, match->field, value != NULL ? value : "");
    }
  return copy;
}

static char *
copy_ascii (const char *text, gpointer data)
{
  return is_foreign (text) ? NULL : g_strdup (text);
}

PostbagSearch *
postbag_imap_search_widen (const PostbagSearch *search)
{
  PostbagSearch *wide = copy_search (search, copy_ascii, NULL);

  /* One of them must match, maybe the one that is left out. */
  if (has_foreign_header (search))
    g_clear_pointer (&wide->any_header, g_ptr_array_unref);
  return wide;
}

static char *
copy_foreign (const char *text)
{
  return is_foreign (text) ? g_strdup (text) : NULL;
}

PostbagSearch *
postbag_imap_search_get_foreign (const PostbagSearch *search)
{
  PostbagSearch *foreign = postbag_search_new ();

  foreign->from = copy_foreign (search->from);
  foreign->to = copy_foreign (search->to);
  foreign->cc = copy_foreign (search->cc);
  foreign->subject = copy_foreign (search->subject);
  foreign->body = copy_foreign (search->body);
  foreign->text = copy_foreign (search->text);
  for (guint i = 0; has_foreign_header (search) && i < search->any_header->len; i++)
    {
      const PostbagHeaderMatch *match = g_ptr_array_index (search->any_header, i);

      postbag_search_add_any_header (foreign, match->field, match->value);
    }
  return foreign;
}

/* --- another charset --- */

typedef struct
{
  const char *charset;
  gboolean has_failed;
} Conversion;

static char *
convert_text (const char *text, gpointer data)
{
  Conversion *conversion = data;
  gsize written = 0;
  char *converted = g_convert (text, -1, conversion->charset, "UTF-8", NULL, &written, NULL);

  /* A NUL (UTF-16) cannot be sent. */
  if (converted == NULL || strlen (converted) != written)
    conversion->has_failed = TRUE;
  return converted;
}

/* Names from the server; iconv knows suffixes that change the text (`//TRANSLIT`). */
static gboolean
is_usable_charset (const char *name)
{
  return name[0] != '\0' && strlen (name) <= POSTBAG_LIMIT_CHARSET_BYTES
         && name[strspn (name, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "-_.:")] == '\0'
         && g_ascii_strcasecmp (name, "UTF-8") != 0;
}

PostbagSearch *
postbag_imap_search_convert (const PostbagSearch *search, const char *charset)
{
  Conversion conversion = { charset, FALSE };
  g_autoptr (PostbagSearch) converted = NULL;

  if (!is_usable_charset (charset))
    return NULL;
  converted = copy_search (search, convert_text, &conversion);
  return conversion.has_failed ? NULL : g_steal_pointer (&converted);
}

void
postbag_imap_search_add_converted (PostbagImapCommand *command, const PostbagSearch *converted,
                                   const char *charset)
{
  postbag_imap_command_add_words (command, "CHARSET");
  postbag_imap_command_add_string (command, charset);
  add_criteria (command, converted);
}
