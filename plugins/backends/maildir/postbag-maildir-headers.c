/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-maildir-headers.h"

#include "base/postbag-limits.h"
#include "mime/postbag-message.h"
#include "safety/postbag-attachment-policy.h"

#include <string.h>

#define NAME_END '\x1f'
#define ENTRY_END '\x1e'

PostbagMaildirHeaders *
postbag_maildir_headers_new (const char *const *fields)
{
  gsize lengths[POSTBAG_MAILDIR_N_FIELDS] = { 0 };
  gsize total = sizeof (PostbagMaildirHeaders);
  PostbagMaildirHeaders *self;
  char *at;

  for (guint i = 0; i < POSTBAG_MAILDIR_N_FIELDS; i++)
    if (fields[i] != NULL)
      {
        lengths[i] = strlen (fields[i]) + 1;
        total += lengths[i];
      }
  self = g_malloc0 (total);
  at = (char *)(self + 1);
  for (guint i = 0; i < POSTBAG_MAILDIR_N_FIELDS; i++)
    if (fields[i] != NULL)
      {
        memcpy (at, fields[i], lengths[i]);
        self->fields[i] = at;
        at += lengths[i];
      }
  self->size = -1;
  self->internal_date = POSTBAG_DATE_UNKNOWN;
  self->date = POSTBAG_DATE_UNKNOWN;
  self->has_attachments = -1;
  return self;
}

gboolean
postbag_maildir_headers_can_be_cached (const PostbagMaildirHeaders *self)
{
  for (guint i = 0; i < POSTBAG_MAILDIR_N_FIELDS; i++)
    if (self->fields[i] != NULL && strlen (self->fields[i]) > POSTBAG_LIMIT_CACHED_FIELD_BYTES)
      return FALSE;
  return TRUE;
}

/* --- address lists --- */

static void
append_without_marks (GString *packed, const char *text)
{
  for (; text != NULL && *text != '\0'; text++)
    g_string_append_c (packed, *text == NAME_END || *text == ENTRY_END ? ' ' : *text);
}

char *
postbag_maildir_pack_addresses (GPtrArray *addresses)
{
  GString *packed;

  if (addresses == NULL || addresses->len == 0)
    return NULL;
  packed = g_string_new (NULL);
  for (guint i = 0; i < addresses->len; i++)
    {
      const PostbagAddress *address = g_ptr_array_index (addresses, i);

      append_without_marks (packed, address->name);
      g_string_append_c (packed, NAME_END);
      append_without_marks (packed, address->address);
      g_string_append_c (packed, ENTRY_END);
    }
  return g_string_free (packed, FALSE);
}

void
postbag_maildir_unpack_addresses (const char *packed, GPtrArray *addresses)
{
  const char *at = packed;

  while (at != NULL && *at != '\0')
    {
      const char *name_end = strchr (at, NAME_END);
      const char *end = name_end != NULL ? strchr (name_end, ENTRY_END) : NULL;
      g_autofree char *name = NULL, *address = NULL;

      if (end == NULL)
        return;
      name = name_end > at ? g_strndup (at, (gsize)(name_end - at)) : NULL;
      address = g_strndup (name_end + 1, (gsize)(end - name_end - 1));
      g_ptr_array_add (addresses, postbag_address_new (name, address));
      at = end + 1;
    }
}

char *
postbag_maildir_show_addresses (const char *packed)
{
  GString *shown = g_string_new (NULL);
  gboolean named = FALSE;

  for (const char *start = packed, *at = packed; *at != '\0'; at++)
    if (*at == NAME_END)
      {
        named = at > start;
        if (named)
          g_string_append (shown, " <");
      }
    else if (*at == ENTRY_END)
      {
        g_string_append (shown, named ? ">, " : ", ");
        start = at + 1;
      }
    else
      g_string_append_c (shown, *at);
  return g_string_free (shown, FALSE);
}

/* --- parsing --- */

/* Whether the rest of the message may hold parts that its first bytes do not show. */
static gboolean
may_have_more_parts (PostbagMessage *message)
{
  const char *type;

  for (guint i = 0; (type = postbag_message_get_header (message, "Content-Type", i)) != NULL; i++)
    {
      g_autofree char *lower = g_ascii_strdown (type, -1);

      if (strstr (lower, "multipart") != NULL || strstr (lower, "message") != NULL)
        return TRUE;
    }
  return FALSE;
}

PostbagMaildirHeaders *
postbag_maildir_headers_parse (GBytes *source, gboolean complete)
{
  g_autoptr (PostbagMessage) message = postbag_message_parse (source);
  g_autofree char *from =
      postbag_maildir_pack_addresses (postbag_message_get_addresses (message, "From"));
  g_autofree char *to =
      postbag_maildir_pack_addresses (postbag_message_get_addresses (message, "To"));
  g_autofree char *cc =
      postbag_maildir_pack_addresses (postbag_message_get_addresses (message, "Cc"));
  const char *const fields[POSTBAG_MAILDIR_N_FIELDS] = {
    [POSTBAG_MAILDIR_SUBJECT] = postbag_message_get_subject (message),
    [POSTBAG_MAILDIR_MESSAGE_ID] = postbag_message_get_message_id (message),
    [POSTBAG_MAILDIR_FROM] = from,
    [POSTBAG_MAILDIR_TO] = to,
    [POSTBAG_MAILDIR_CC] = cc,
    [POSTBAG_MAILDIR_REFERENCES] = postbag_message_get_header (message, "References", 0),
    [POSTBAG_MAILDIR_IN_REPLY_TO] = postbag_message_get_header (message, "In-Reply-To", 0),
  };
  PostbagMaildirHeaders *self = postbag_maildir_headers_new (fields);

  self->date = postbag_message_get_date (message);
  if (postbag_attachments_any (postbag_message_get_structure (message)))
    self->has_attachments = TRUE;
  else
    self->has_attachments = complete || !may_have_more_parts (message) ? FALSE : -1;
  return self;
}

PostbagSummary *
postbag_maildir_headers_to_summary (const PostbagMaildirHeaders *self)
{
  PostbagSummary *summary = postbag_summary_new ();

  summary->subject = g_strdup (self->fields[POSTBAG_MAILDIR_SUBJECT]);
  summary->message_id = g_strdup (self->fields[POSTBAG_MAILDIR_MESSAGE_ID]);
  postbag_maildir_unpack_addresses (self->fields[POSTBAG_MAILDIR_FROM], summary->from);
  postbag_maildir_unpack_addresses (self->fields[POSTBAG_MAILDIR_TO], summary->to);
  summary->date = self->date;
  summary->internal_date = self->internal_date;
  summary->size = self->size;
  summary->has_attachments = self->has_attachments > 0;
  return summary;
}
