/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* TNEF ([MS-OXTNEF]) through libytnef. A stream is a signature, a key, and attributes: level, id,
 * length, data, checksum. They are measured here first: the library believes what they say. */

#include "postbag-mail-readers.h"

#include <stdio.h>
#include <string.h>
#include <ytnef.h>

#include "base/postbag-limits.h"
#include "base/postbag-text.h"
#include "extract/postbag-letter-properties.h"
#include "extract/postbag-letter.h"
#include "mail/postbag-mail-types.h"
#include "mime/postbag-message.h"

#define SIGNATURE 0x223e9f78
#define START_BYTES 6
#define FRAME_BYTES 11 /* of an attribute, without its data */

typedef TNEFStruct Stream;
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Stream, TNEFFree)

static guint32
read_number (const guint8 *data)
{
  return (guint32)data[0] | (guint32)data[1] << 8 | (guint32)data[2] << 16 | (guint32)data[3] << 24;
}

/* The bytes that are whole attributes; 0 where it is no TNEF or has too many. */
static gsize
measure (const guint8 *data, gsize length)
{
  gsize at = START_BYTES;

  if (length < START_BYTES || read_number (data) != SIGNATURE)
    return 0;
  for (guint i = 0; length - at >= FRAME_BYTES; i++)
    {
      guint32 size = read_number (data + at + 5);

      if ((data[at] != LVL_MESSAGE && data[at] != LVL_ATTACHMENT)
          || size > length - at - FRAME_BYTES)
        break;
      if (i >= POSTBAG_LIMIT_TNEF_ATTRIBUTES)
        return 0;
      at += FRAME_BYTES + size;
    }
  return at;
}

/* --- properties --- */

/* (nullable): the first value */
static const variableLength *
find_property (const MAPIProps *properties, guint id, guint *type)
{
  for (guint i = 0; i < properties->count; i++)
    {
      const MAPIProperty *property = &properties->properties[i];

      if (property->id >> 16 != id || property->count == 0 || property->data == NULL
          || property->data->data == NULL || property->data->size <= 0)
        continue;
      *type = property->id & 0xffff;
      return property->data;
    }
  return NULL;
}

static char *
decode (const variableLength *value, guint type, guint code_page)
{
  const char *text = (const char *)value->data;
  gsize length = strnlen (text, (gsize)value->size);
  g_autofree char *charset = g_strdup_printf ("cp%u", code_page);

  if (type == POSTBAG_MAPI_TYPE_UNICODE || code_page == 65001)
    return postbag_text_make_valid (text, (gssize)length);
  return postbag_mime_to_utf8 (text, length, charset);
}

/* (transfer full) (nullable) */
static char *
dup_string (const MAPIProps *properties, guint id, guint code_page)
{
  guint type = 0;
  const variableLength *value = find_property (properties, id, &type);

  return value != NULL && (type == POSTBAG_MAPI_TYPE_STRING || type == POSTBAG_MAPI_TYPE_UNICODE)
             ? decode (value, type, code_page)
             : NULL;
}

static guint
get_code_page (const Stream *stream)
{
  guint type = 0;
  const variableLength *value =
      find_property (&stream->MapiProperties, POSTBAG_MAPI_BODY_CODE_PAGE, &type);

  if (value != NULL && type == POSTBAG_MAPI_TYPE_INTEGER && value->size >= 4)
    return read_number (value->data);
  return stream->CodePage.data != NULL && stream->CodePage.size >= 4
             ? read_number (stream->CodePage.data)
             : 1252;
}

static gint64
get_date (const Stream *stream)
{
  static const guint ids[] = { POSTBAG_MAPI_SUBMIT_TIME, POSTBAG_MAPI_DELIVERY_TIME };
  const dtr *sent = &stream->dateSent;
  g_autoptr (GDateTime) date = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (ids); i++)
    {
      guint type = 0;
      const variableLength *value = find_property (&stream->MapiProperties, ids[i], &type);

      if (value != NULL && type == POSTBAG_MAPI_TYPE_TIME && value->size >= 8)
        return postbag_letter_read_filetime (read_number (value->data)
                                             | (guint64)read_number (value->data + 4) << 32);
    }
  date = g_date_time_new_utc (sent->wYear, sent->wMonth, sent->wDay, sent->wHour, sent->wMinute,
                              sent->wSecond);
  return date != NULL ? g_date_time_to_unix (date) : POSTBAG_DATE_UNKNOWN;
}

/* --- the letter --- */

/* (transfer full) (nullable): a property, else what older programs wrote beside them */
static char *
dup_either (const Stream *stream, guint id, const variableLength *older, guint code_page)
{
  char *text = dup_string (&stream->MapiProperties, id, code_page);

  if (text == NULL && older->data != NULL && older->size > 0)
    text = decode (older, POSTBAG_MAPI_TYPE_STRING, code_page);
  return text;
}

static char *
dup_sender (const Stream *stream, guint code_page)
{
  const MAPIProps *properties = &stream->MapiProperties;
  g_autofree char *name = dup_either (stream, POSTBAG_MAPI_SENDER_NAME, &stream->from, code_page);
  g_autofree char *address = dup_string (properties, POSTBAG_MAPI_SENDER_ADDRESS, code_page);
  g_autofree char *sent_name = dup_string (properties, POSTBAG_MAPI_SENT_NAME, code_page);
  g_autofree char *sent_address = dup_string (properties, POSTBAG_MAPI_SENT_ADDRESS, code_page);
  g_autoptr (GString) list = g_string_new (NULL);

  postbag_letter_append_address (list, name != NULL ? name : sent_name,
                                 address != NULL ? address : sent_address);
  return g_string_free (g_steal_pointer (&list), FALSE);
}

/* (transfer full) (nullable) */
static GBytes *
dup_html (const Stream *stream, guint code_page)
{
  guint type = 0;
  const variableLength *value = find_property (&stream->MapiProperties, POSTBAG_MAPI_HTML, &type);
  char *html = value != NULL ? decode (value, type, code_page) : NULL;

  return html != NULL ? g_bytes_new_take (html, strlen (html)) : NULL;
}

static GBytes *
dup_rtf (const Stream *stream)
{
  guint type = 0;
  const variableLength *value =
      find_property (&stream->MapiProperties, POSTBAG_MAPI_RTF_COMPRESSED, &type);

  return value != NULL ? postbag_letter_inflate_rtf (value->data, (gsize)value->size) : NULL;
}

static void
write_letter (const Stream *stream, PostbagMembers *members, PostbagExtractOutput *output)
{
  guint page = get_code_page (stream);
  const MAPIProps *properties = &stream->MapiProperties;
  g_autofree char *subject = dup_either (stream, POSTBAG_MAPI_SUBJECT, &stream->subject, page);
  g_autofree char *text = dup_either (stream, POSTBAG_MAPI_BODY, &stream->body, page);
  g_autofree char *from = dup_sender (stream, page);
  g_autofree char *to = dup_string (properties, POSTBAG_MAPI_DISPLAY_TO, page);
  g_autofree char *cc = dup_string (properties, POSTBAG_MAPI_DISPLAY_CC, page);
  g_autoptr (GBytes) html = dup_html (stream, page), rtf = dup_rtf (stream);
  const PostbagLetter letter = { .subject = subject,
                                 .from = from,
                                 .to = to,
                                 .cc = cc,
                                 .date = get_date (stream),
                                 .text = text,
                                 .html = html,
                                 .rtf = rtf };

  postbag_letter_write (&letter, members, output);
}

/* --- attachments --- */

static gboolean
is_tnef (const guint8 *data, gsize length)
{
  return length >= START_BYTES && read_number (data) == SIGNATURE;
}

/* What is in an object stands behind the identifier of its interface. */
static const guint8 *
get_data (const Attachment *attachment, gsize *length)
{
  guint type = 0;
  const variableLength *value = find_property (&attachment->MAPI, POSTBAG_MAPI_ATTACH_DATA, &type);

  if (value == NULL)
    value = &attachment->FileData;
  *length = value->data != NULL && value->size > 0 ? (gsize)value->size : 0;
  if (*length > 16 && is_tnef (value->data + 16, *length - 16))
    {
      *length -= 16;
      return value->data + 16;
    }
  return *length > 0 ? value->data : (const guint8 *)"";
}

static void
add_attachment (const Attachment *attachment, PostbagMembers *members, guint key, guint code_page)
{
  g_autofree char *name = dup_string (&attachment->MAPI, POSTBAG_MAPI_ATTACH_NAME, code_page);
  g_autofree char *type = dup_string (&attachment->MAPI, POSTBAG_MAPI_ATTACH_TYPE, code_page);
  PostbagMember member = { .key = key };
  gsize length;
  const guint8 *data = get_data (attachment, &length);

  if (name == NULL && attachment->Title.data != NULL && attachment->Title.size > 0)
    name = decode (&attachment->Title, POSTBAG_MAPI_TYPE_STRING, code_page);
  if (name == NULL)
    name = dup_string (&attachment->MAPI, POSTBAG_MAPI_ATTACH_SHORT_NAME, code_page);
  member.name = name;
  member.type = is_tnef (data, length) ? "application/ms-tnef" : type;
  member.size = (gint64)length;
  postbag_members_add (members, &member);
}

/* (transfer full) (element-type Attachment): those that hold something */
static GPtrArray *
list_attachments (const Stream *stream)
{
  GPtrArray *attachments = g_ptr_array_new ();

  for (Attachment *at = stream->starting_attach.next;
       at != NULL && attachments->len < POSTBAG_LIMIT_MEMBERS; at = at->next)
    if (at->Title.size > 0 || at->FileData.size > 0 || at->MAPI.count > 0)
      g_ptr_array_add (attachments, at);
  return attachments;
}

static gboolean
read_stream (const Stream *stream, const char *name, PostbagExtractOutput *output, GError **error)
{
  g_autoptr (PostbagMembers) members = postbag_members_new ();
  g_autoptr (GPtrArray) attachments = list_attachments (stream);
  const PostbagMember *member;
  const guint8 *data;
  gsize length;

  for (guint i = 0; i < attachments->len; i++)
    add_attachment (g_ptr_array_index (attachments, i), members, i, get_code_page (stream));
  if (name == NULL)
    {
      write_letter (stream, members, output);
      return TRUE;
    }
  member = postbag_members_find (members, name, error);
  if (member == NULL)
    return FALSE;
  data = get_data (g_ptr_array_index (attachments, member->key), &length);
  return postbag_member_read (member, output, data, length, error);
}

gboolean
postbag_tnef_read (const PostbagExtractInput *input, PostbagExtractOutput *output, GError **error)
{
  gsize length = measure (input->data, input->length);
  g_autofree guint8 *copy = NULL;
  g_auto (Stream) stream = { .Debug = 0 };

  TNEFInitialize (&stream);
  if (length == 0)
    {
      g_set_error_literal (error, POSTBAG_EXTRACT_ERROR, POSTBAG_EXTRACT_NOT_A_DOCUMENT,
                           "It is no TNEF.");
      return FALSE;
    }
  copy = g_memdup2 (input->data, length); /* the library writes to it */
  /* Damage further on leaves what stood before it. */
  if (TNEFParseMemory (copy, (long)length, &stream) != 0)
    output->note (output, "The file is damaged; what stands behind the damage is missing.");
  return read_stream (&stream, input->member, output, error);
}
