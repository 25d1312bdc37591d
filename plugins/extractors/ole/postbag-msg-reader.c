/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Letters that Outlook saved: a storage of properties, one more for each recipient and attachment.
 * A letter that is attached is a storage, too. */

#include "postbag-msg-reader.h"

#include <string.h>

#include "base/postbag-limits.h"
#include "extract/postbag-letter.h"
#include "mail/postbag-mail-types.h"
#include "postbag-msg-properties.h"
#include "postbag-ole-file.h"

#define HEAD_LETTER 32
#define HEAD_INSIDE 24
#define HEAD_OTHER 8

#define TYPE_LETTER "application/vnd.ms-outlook"
#define KIND_TO 1
#define KIND_CC 2

typedef struct
{
  PostbagMsgProperties properties;
  GPtrArray *attachments; /* (element-type PostbagOleStorage): by the keys of members */
  PostbagMembers *members;
} Letter;

static void
close_letter (Letter *letter)
{
  postbag_msg_properties_close (&letter->properties);
  g_clear_pointer (&letter->attachments, g_ptr_array_unref);
  g_clear_pointer (&letter->members, postbag_members_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Letter, close_letter)

/* --- people --- */

/* Exchange's own addresses say nothing outside. */
static char *
dup_address (const PostbagMsgProperties *properties, guint smtp, guint any)
{
  char *address = postbag_msg_dup_string (properties, smtp);

  if (address == NULL)
    address = postbag_msg_dup_string (properties, any);
  if (address != NULL && strchr (address, '@') == NULL)
    g_clear_pointer (&address, g_free);
  return address;
}

static char *
dup_sender (const PostbagMsgProperties *properties)
{
  g_autofree char *name = postbag_msg_dup_string (properties, POSTBAG_MAPI_SENT_NAME);
  g_autofree char *address =
      dup_address (properties, POSTBAG_MAPI_SENT_SMTP_ADDRESS, POSTBAG_MAPI_SENT_ADDRESS);
  g_autoptr (GString) list = g_string_new (NULL);

  if (name == NULL)
    name = postbag_msg_dup_string (properties, POSTBAG_MAPI_SENDER_NAME);
  if (address == NULL)
    address =
        dup_address (properties, POSTBAG_MAPI_SENDER_SMTP_ADDRESS, POSTBAG_MAPI_SENDER_ADDRESS);
  postbag_letter_append_address (list, name, address);
  return g_string_free (g_steal_pointer (&list), FALSE);
}

static void
take_recipient (GsfInfile *storage, guint code_page, GString **lists)
{
  g_auto (PostbagMsgProperties) properties = { NULL };
  g_autofree char *name = NULL, *address = NULL;
  guint64 kind = 0;

  postbag_msg_properties_open (&properties, storage, HEAD_OTHER, code_page);
  if (!postbag_msg_get_number (&properties, POSTBAG_MAPI_RECIPIENT_KIND, POSTBAG_MAPI_TYPE_INTEGER,
                               &kind)
      || (kind != KIND_TO && kind != KIND_CC))
    return;
  name = postbag_msg_dup_string (&properties, POSTBAG_MAPI_DISPLAY_NAME);
  address = dup_address (&properties, POSTBAG_MAPI_SMTP_ADDRESS, POSTBAG_MAPI_EMAIL_ADDRESS);
  postbag_letter_append_address (lists[kind - 1], name, address);
}

/* @to, @cc: (out) (transfer full). Where no recipient is there, what was shown of them is. */
static void
list_recipients (const PostbagMsgProperties *properties, char **to, char **cc)
{
  GString *lists[] = { g_string_new (NULL), g_string_new (NULL) };

  for (guint i = 0; i < POSTBAG_LIMIT_MSG_RECIPIENTS; i++)
    {
      g_autofree char *name = g_strdup_printf ("__recip_version1.0_#%08X", i);
      g_autoptr (PostbagOleStorage) storage = postbag_ole_open_storage (properties->storage, name);

      if (storage == NULL)
        break;
      take_recipient (storage, properties->code_page, lists);
    }
  *to = g_string_free (lists[0], FALSE);
  *cc = g_string_free (lists[1], FALSE);
  if (**to != '\0' || **cc != '\0')
    return;
  g_free (*to);
  g_free (*cc);
  *to = postbag_msg_dup_string (properties, POSTBAG_MAPI_DISPLAY_TO);
  *cc = postbag_msg_dup_string (properties, POSTBAG_MAPI_DISPLAY_CC);
}

/* --- the letter --- */

static gint64
get_date (const PostbagMsgProperties *properties)
{
  guint64 time;

  if (postbag_msg_get_number (properties, POSTBAG_MAPI_SUBMIT_TIME, POSTBAG_MAPI_TYPE_TIME, &time)
      || postbag_msg_get_number (properties, POSTBAG_MAPI_DELIVERY_TIME, POSTBAG_MAPI_TYPE_TIME,
                                 &time))
    return postbag_letter_read_filetime (time);
  return POSTBAG_DATE_UNKNOWN;
}

/* (transfer full) (nullable): in UTF-8, where a code page is told; else it declares its own */
static GBytes *
dup_html (const PostbagMsgProperties *properties)
{
  g_autoptr (GBytes) bytes =
      postbag_msg_read_bytes (properties, POSTBAG_MAPI_HTML, POSTBAG_MAPI_TYPE_BINARY);
  char *html;
  guint64 page;

  if (bytes == NULL)
    bytes = postbag_msg_read_bytes (properties, POSTBAG_MAPI_HTML, POSTBAG_MAPI_TYPE_STRING);
  if (bytes != NULL
      && !postbag_msg_get_number (properties, POSTBAG_MAPI_BODY_CODE_PAGE,
                                  POSTBAG_MAPI_TYPE_INTEGER, &page))
    return g_steal_pointer (&bytes);
  html = bytes != NULL ? postbag_msg_decode (bytes, (guint)page)
                       : postbag_msg_dup_string (properties, POSTBAG_MAPI_HTML);
  return html != NULL ? g_bytes_new_take (html, strlen (html)) : NULL;
}

static GBytes *
dup_rtf (const PostbagMsgProperties *properties)
{
  g_autoptr (GBytes) packed =
      postbag_msg_read_bytes (properties, POSTBAG_MAPI_RTF_COMPRESSED, POSTBAG_MAPI_TYPE_BINARY);
  gsize length = 0;
  const guint8 *data = packed != NULL ? g_bytes_get_data (packed, &length) : NULL;

  return length > 0 ? postbag_letter_inflate_rtf (data, length) : NULL;
}

static void
write_letter (const Letter *self, PostbagExtractOutput *output)
{
  const PostbagMsgProperties *properties = &self->properties;
  g_autofree char *subject = postbag_msg_dup_string (properties, POSTBAG_MAPI_SUBJECT);
  g_autofree char *text = postbag_msg_dup_string (properties, POSTBAG_MAPI_BODY);
  g_autofree char *from = dup_sender (properties), *to = NULL, *cc = NULL;
  g_autoptr (GBytes) html = dup_html (properties), rtf = dup_rtf (properties);
  PostbagLetter letter = { .subject = subject,
                           .from = from,
                           .date = get_date (properties),
                           .text = text,
                           .html = html,
                           .rtf = rtf };

  list_recipients (properties, &to, &cc);
  letter.to = to;
  letter.cc = cc;
  postbag_letter_write (&letter, self->members, output);
}

/* --- attachments --- */

static void
add_attachment (Letter *self, GsfInfile *storage)
{
  g_auto (PostbagMsgProperties) properties = { NULL };
  g_autoptr (PostbagOleStorage) inside = NULL;
  g_autofree char *name = NULL, *type = NULL;
  PostbagMember member = { .key = self->attachments->len };

  postbag_msg_properties_open (&properties, storage, HEAD_OTHER, self->properties.code_page);
  inside = postbag_msg_open_object (&properties, POSTBAG_MAPI_ATTACH_DATA);
  name = postbag_msg_dup_string (&properties, POSTBAG_MAPI_ATTACH_NAME);
  if (name == NULL)
    name = postbag_msg_dup_string (&properties, POSTBAG_MAPI_ATTACH_SHORT_NAME);
  if (name == NULL)
    name = postbag_msg_dup_string (&properties, POSTBAG_MAPI_DISPLAY_NAME);
  type = postbag_msg_dup_string (&properties, POSTBAG_MAPI_ATTACH_TYPE);
  member.name = name;
  member.type = inside != NULL ? TYPE_LETTER : type;
  member.size = postbag_msg_get_size (&properties, POSTBAG_MAPI_ATTACH_DATA);
  if (postbag_members_add (self->members, &member))
    g_ptr_array_add (self->attachments, g_object_ref (storage));
}

static guint
get_code_page (const PostbagMsgProperties *properties, guint fallback)
{
  guint64 page;

  return postbag_msg_get_number (properties, POSTBAG_MAPI_LETTER_CODE_PAGE,
                                 POSTBAG_MAPI_TYPE_INTEGER, &page)
                 || postbag_msg_get_number (properties, POSTBAG_MAPI_BODY_CODE_PAGE,
                                            POSTBAG_MAPI_TYPE_INTEGER, &page)
             ? (guint)page
             : fallback;
}

static void
open_letter (Letter *self, GsfInfile *storage, gsize head)
{
  postbag_msg_properties_open (&self->properties, storage, head, 1252);
  self->properties.code_page = get_code_page (&self->properties, 1252);
  self->attachments = g_ptr_array_new_with_free_func (g_object_unref);
  self->members = postbag_members_new ();
  for (guint i = 0; i < POSTBAG_LIMIT_MEMBERS; i++)
    {
      g_autofree char *name = g_strdup_printf ("__attach_version1.0_#%08X", i);
      g_autoptr (PostbagOleStorage) attachment = postbag_ole_open_storage (storage, name);

      if (attachment == NULL)
        return;
      add_attachment (self, attachment);
    }
}

static gboolean
read_member (const Letter *self, const char *name, PostbagExtractOutput *output, GError **error)
{
  const PostbagMember *member = postbag_members_find (self->members, name, error);
  g_auto (PostbagMsgProperties) properties = { NULL };
  g_autoptr (PostbagOleStorage) inside = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_auto (Letter) letter = { { NULL } };
  gsize length = 0;
  const guint8 *data;

  if (member == NULL)
    return FALSE;
  postbag_msg_properties_open (&properties, g_ptr_array_index (self->attachments, member->key),
                               HEAD_OTHER, self->properties.code_page);
  inside = postbag_msg_open_object (&properties, POSTBAG_MAPI_ATTACH_DATA);
  if (inside != NULL)
    {
      open_letter (&letter, inside, HEAD_INSIDE);
      write_letter (&letter, output);
      return TRUE;
    }
  bytes = postbag_msg_read_bytes (&properties, POSTBAG_MAPI_ATTACH_DATA, POSTBAG_MAPI_TYPE_BINARY);
  data = bytes != NULL ? g_bytes_get_data (bytes, &length) : NULL;
  return postbag_member_read (member, output, length > 0 ? data : (const guint8 *)"", length,
                              error);
}

gboolean
postbag_msg_read (GsfInfile *file, const char *member, PostbagExtractOutput *output, GError **error)
{
  g_auto (Letter) letter = { { NULL } };

  open_letter (&letter, file, HEAD_LETTER);
  if (member != NULL)
    return read_member (&letter, member, output, error);
  write_letter (&letter, output);
  return TRUE;
}
