/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-maildir-criteria.h"

#include "mime/postbag-match.h"

/* g_date_get_julian() of 1970-01-01 */
#define JULIAN_EPOCH 719163
#define SECONDS_PER_DAY 86400

/* The header fields of the cache, by name; -1 is none of them. */
static int
find_field (const char *name)
{
  static const struct
  {
    const char *name;
    PostbagMaildirField field;
  } fields[] = {
    { "Subject", POSTBAG_MAILDIR_SUBJECT },
    { "Message-ID", POSTBAG_MAILDIR_MESSAGE_ID },
    { "From", POSTBAG_MAILDIR_FROM },
    { "To", POSTBAG_MAILDIR_TO },
    { "Cc", POSTBAG_MAILDIR_CC },
    { "References", POSTBAG_MAILDIR_REFERENCES },
    { "In-Reply-To", POSTBAG_MAILDIR_IN_REPLY_TO },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (fields); i++)
    if (g_ascii_strcasecmp (name, fields[i].name) == 0)
      return (int)fields[i].field;
  return -1;
}

static gint64
get_day_start (const GDate *day)
{
  return ((gint64)g_date_get_julian (day) - JULIAN_EPOCH) * SECONDS_PER_DAY;
}

PostbagMaildirCriteria *
postbag_maildir_criteria_new (const PostbagSearch *search)
{
  PostbagMaildirCriteria *self = g_new0 (PostbagMaildirCriteria, 1);

  self->search = search;
  self->from = postbag_needle_new (search->from);
  self->to = postbag_needle_new (search->to);
  self->cc = postbag_needle_new (search->cc);
  self->subject = postbag_needle_new (search->subject);
  self->body = postbag_needle_new (search->body);
  self->text = postbag_needle_new (search->text);
  self->since = G_MININT64;
  self->before = G_MAXINT64;
  if (search->since != NULL && g_date_valid (search->since))
    self->since = get_day_start (search->since);
  if (search->before != NULL && g_date_valid (search->before))
    self->before = get_day_start (search->before);
  self->header_values = g_ptr_array_new_with_free_func ((GDestroyNotify)postbag_needle_free);
  for (guint i = 0; search->any_header != NULL && i < search->any_header->len; i++)
    {
      const PostbagHeaderMatch *match = g_ptr_array_index (search->any_header, i);

      g_ptr_array_add (self->header_values, postbag_needle_new (match->value));
    }
  return self;
}

void
postbag_maildir_criteria_free (PostbagMaildirCriteria *self)
{
  if (self == NULL)
    return;
  postbag_needle_free (self->from);
  postbag_needle_free (self->to);
  postbag_needle_free (self->cc);
  postbag_needle_free (self->subject);
  postbag_needle_free (self->body);
  postbag_needle_free (self->text);
  g_ptr_array_unref (self->header_values);
  g_free (self);
}

/* --- what is needed --- */

gboolean
postbag_maildir_criteria_need_facts (const PostbagMaildirCriteria *self)
{
  return self->since != G_MININT64 || self->before != G_MAXINT64 || self->search->larger > 0
         || self->search->smaller > 0;
}

/* At least one of the fields asked for is not in the cache. */
static gboolean
has_foreign_field (const PostbagMaildirCriteria *self)
{
  for (guint i = 0; i < self->header_values->len; i++)
    {
      const PostbagHeaderMatch *match = g_ptr_array_index (self->search->any_header, i);

      if (find_field (match->field) < 0)
        return TRUE;
    }
  return FALSE;
}

gboolean
postbag_maildir_criteria_need_headers (const PostbagMaildirCriteria *self)
{
  return self->from != NULL || self->to != NULL || self->cc != NULL || self->subject != NULL
         || (self->header_values->len > 0 && !has_foreign_field (self));
}

gboolean
postbag_maildir_criteria_need_source (const PostbagMaildirCriteria *self)
{
  return self->body != NULL || self->text != NULL || has_foreign_field (self);
}

/* --- what the listing knows --- */

static gboolean
is_as_asked (PostbagTristate asked, PostbagFlags flags, PostbagFlags flag)
{
  return asked == POSTBAG_EITHER || ((flags & flag) != 0) == (asked == POSTBAG_YES);
}

static int
compare_uids (gconstpointer a, gconstpointer b)
{
  guint32 one = *(const guint32 *)a, other = *(const guint32 *)b;

  return one < other ? -1 : one > other;
}

static gboolean
is_one_of (guint32 uid, const GArray *uids)
{
  return uids == NULL || g_array_binary_search ((GArray *)uids, &uid, compare_uids, NULL);
}

gboolean
postbag_maildir_criteria_match_entry (const PostbagMaildirCriteria *self,
                                      const PostbagMaildirSnapshot *snapshot,
                                      const PostbagMaildirEntry *entry)
{
  const PostbagSearch *search = self->search;
  PostbagFlags flags = postbag_maildir_entry_get_flags (entry);

  return (search->uid_from == 0 || entry->uid >= search->uid_from)
         && (search->uid_to == 0 || entry->uid <= search->uid_to)
         && is_one_of (entry->uid, search->uids)
         && is_as_asked (search->seen, flags, POSTBAG_FLAG_SEEN)
         && is_as_asked (search->flagged, flags, POSTBAG_FLAG_FLAGGED)
         && is_as_asked (search->answered, flags, POSTBAG_FLAG_ANSWERED)
         && is_as_asked (search->draft, flags, POSTBAG_FLAG_DRAFT)
         && is_as_asked (search->deleted, flags, POSTBAG_FLAG_DELETED)
         && (search->keyword == NULL
             || postbag_maildir_snapshot_has_keyword (snapshot, entry, search->keyword))
         && (search->unkeyword == NULL
             || !postbag_maildir_snapshot_has_keyword (snapshot, entry, search->unkeyword));
}

gboolean
postbag_maildir_criteria_match_facts (const PostbagMaildirCriteria *self, gint64 size,
                                      gint64 internal_date)
{
  return internal_date >= self->since && internal_date < self->before
         && (self->search->larger <= 0 || size > self->search->larger)
         && (self->search->smaller <= 0 || size < self->search->smaller);
}

/* --- what the cache knows --- */

static gboolean
is_address_field (int field)
{
  return field == POSTBAG_MAILDIR_FROM || field == POSTBAG_MAILDIR_TO
         || field == POSTBAG_MAILDIR_CC;
}

static gboolean
is_in_packed (PostbagNeedle *needle, const char *packed)
{
  g_autofree char *shown = NULL;

  if (packed == NULL || postbag_needle_is_in (needle, packed))
    return packed != NULL;
  if (!postbag_needle_spans_addresses (needle))
    return FALSE;
  shown = postbag_maildir_show_addresses (packed);
  return postbag_needle_is_in (needle, shown);
}

static gboolean
match_any_header (const PostbagMaildirCriteria *self, const PostbagMaildirHeaders *headers)
{
  for (guint i = 0; i < self->header_values->len; i++)
    {
      const PostbagHeaderMatch *match = g_ptr_array_index (self->search->any_header, i);
      PostbagNeedle *value = g_ptr_array_index (self->header_values, i);
      int field = find_field (match->field);

      if (is_address_field (field) ? is_in_packed (value, headers->fields[field])
                                   : postbag_needle_is_in (value, headers->fields[field]))
        return TRUE;
    }
  return FALSE;
}

static gboolean
match_addresses (PostbagNeedle *needle, const PostbagMaildirHeaders *headers,
                 PostbagMaildirField field)
{
  return needle == NULL || is_in_packed (needle, headers->fields[field]);
}

gboolean
postbag_maildir_criteria_match_headers (const PostbagMaildirCriteria *self,
                                        const PostbagMaildirHeaders *headers)
{
  return (self->subject == NULL
          || postbag_needle_is_in (self->subject, headers->fields[POSTBAG_MAILDIR_SUBJECT]))
         && match_addresses (self->from, headers, POSTBAG_MAILDIR_FROM)
         && match_addresses (self->to, headers, POSTBAG_MAILDIR_TO)
         && match_addresses (self->cc, headers, POSTBAG_MAILDIR_CC)
         && (self->header_values->len == 0 || has_foreign_field (self)
             || match_any_header (self, headers));
}

/* --- what only the message knows --- */

static gboolean
match_foreign_fields (const PostbagMaildirCriteria *self, PostbagMessage *message)
{
  if (!has_foreign_field (self))
    return TRUE;
  for (guint i = 0; i < self->header_values->len; i++)
    {
      const PostbagHeaderMatch *match = g_ptr_array_index (self->search->any_header, i);

      if (postbag_message_matches_field (message, match->field,
                                         g_ptr_array_index (self->header_values, i)))
        return TRUE;
    }
  return FALSE;
}

gboolean
postbag_maildir_criteria_match_source (const PostbagMaildirCriteria *self, GBytes *source)
{
  g_autoptr (PostbagMessage) message = postbag_message_parse (source);

  return match_foreign_fields (self, message)
         && (self->body == NULL || postbag_message_matches_body (message, self->body))
         && (self->text == NULL || postbag_mime_header_matches (source, self->text)
             || postbag_message_matches_body (message, self->text));
}
