/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "mail/postbag-mail-types.h"

#include <string.h>
#include <time.h>

static const struct
{
  PostbagFlags flag;
  const char *name;
} flag_names[] = {
  { POSTBAG_FLAG_SEEN, "\\Seen" },       { POSTBAG_FLAG_ANSWERED, "\\Answered" },
  { POSTBAG_FLAG_FLAGGED, "\\Flagged" }, { POSTBAG_FLAG_DELETED, "\\Deleted" },
  { POSTBAG_FLAG_DRAFT, "\\Draft" },     { POSTBAG_FLAG_FORWARDED, "$Forwarded" },
};

char **
postbag_flags_to_strings (PostbagFlags flags, const char *const *keywords)
{
  GPtrArray *strings = g_ptr_array_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (flag_names); i++)
    if (flags & flag_names[i].flag)
      g_ptr_array_add (strings, g_strdup (flag_names[i].name));
  for (; keywords != NULL && *keywords != NULL; keywords++)
    {
      /* A store may know it both as a flag and as a keyword: said once. */
      if ((flags & POSTBAG_FLAG_FORWARDED) && g_ascii_strcasecmp (*keywords, "$Forwarded") == 0)
        continue;
      g_ptr_array_add (strings, g_strdup (*keywords));
    }
  g_ptr_array_add (strings, NULL);
  return (char **)g_ptr_array_free (strings, FALSE);
}

char *
postbag_date_to_string (gint64 date)
{
  time_t seconds = (time_t)date;
  struct tm day;

  if (date == POSTBAG_DATE_UNKNOWN || gmtime_r (&seconds, &day) == NULL || day.tm_year < 1 - 1900
      || day.tm_year > 9999 - 1900)
    return NULL;
  return g_strdup_printf ("%04d-%02d-%02dT%02d:%02d:%02dZ", day.tm_year + 1900, day.tm_mon + 1,
                          day.tm_mday, day.tm_hour, day.tm_min, day.tm_sec);
}

PostbagMailbox *
postbag_mailbox_new (const char *path)
{
  PostbagMailbox *self = g_new0 (PostbagMailbox, 1);

  self->path = g_strdup (path);
  self->selectable = TRUE;
  return self;
}

void
postbag_mailbox_free (PostbagMailbox *self)
{
  if (self == NULL)
    return;
  g_free (self->path);
  g_free (self->special_use);
  g_free (self);
}

gboolean
postbag_mailbox_is_same (const char *one, const char *other)
{
  return strcmp (one, other) == 0
         || (g_ascii_strcasecmp (one, "INBOX") == 0 && g_ascii_strcasecmp (other, "INBOX") == 0);
}

void
postbag_mailbox_state_free (PostbagMailboxState *self)
{
  if (self == NULL)
    return;
  g_strfreev (self->permanent_flags);
  g_free (self);
}

PostbagAddress *
postbag_address_new (const char *name, const char *address)
{
  PostbagAddress *self = g_new0 (PostbagAddress, 1);

  self->name = g_strdup (name);
  self->address = g_strdup (address != NULL ? address : "");
  return self;
}

void
postbag_address_free (PostbagAddress *self)
{
  if (self == NULL)
    return;
  g_free (self->name);
  g_free (self->address);
  g_free (self);
}

PostbagSummary *
postbag_summary_new (void)
{
  PostbagSummary *self = g_new0 (PostbagSummary, 1);

  self->from = g_ptr_array_new_with_free_func ((GDestroyNotify)postbag_address_free);
  self->to = g_ptr_array_new_with_free_func ((GDestroyNotify)postbag_address_free);
  self->date = POSTBAG_DATE_UNKNOWN;
  self->internal_date = POSTBAG_DATE_UNKNOWN;
  self->size = -1;
  self->keywords = g_new0 (char *, 1);
  return self;
}

void
postbag_summary_free (PostbagSummary *self)
{
  if (self == NULL)
    return;
  g_free (self->subject);
  g_clear_pointer (&self->from, g_ptr_array_unref);
  g_clear_pointer (&self->to, g_ptr_array_unref);
  g_strfreev (self->keywords);
  g_free (self->message_id);
  g_free (self);
}

void
postbag_fetched_message_free (PostbagFetchedMessage *self)
{
  if (self == NULL)
    return;
  g_strfreev (self->keywords);
  g_clear_pointer (&self->source, g_bytes_unref);
  g_clear_pointer (&self->structure, postbag_part_free);
  g_free (self);
}
