/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A message file: read as mail itself is (core/mime), in the cage. Any bytes are a message, so that
 * one without a single field of a letter is another kind of file. */

#include "postbag-mail-readers.h"

#include <string.h>

#include "base/postbag-limits.h"
#include "extract/postbag-letter.h"
#include "mime/postbag-message.h"
#include "safety/postbag-attachment-policy.h"

typedef struct
{
  PostbagMessage *message;
  GPtrArray *numbers; /* of the parts, by the members' keys */
  PostbagMembers *members;
} Reader;

/* (transfer full) (nullable) */
static GBytes *
decode_part (Reader *reader, const char *number)
{
  return postbag_message_decode_part (reader->message, number, POSTBAG_LIMIT_PART_BYTES, NULL);
}

static void
add_member (Reader *reader, const char *number, const char *name, const char *type)
{
  g_autoptr (GBytes) bytes = decode_part (reader, number);
  const PostbagMember member = { .name = (char *)name,
                                 .type = (char *)type,
                                 .size = bytes != NULL ? (gint64)g_bytes_get_size (bytes) : -1,
                                 .key = reader->numbers->len };

  if (postbag_members_add (reader->members, &member))
    g_ptr_array_add (reader->numbers, g_strdup (number));
}

/* Whether a part is inside one of the messages that are members themselves. */
static gboolean
is_forwarded (Reader *reader, const char *number, guint messages)
{
  for (guint i = 0; i < messages; i++)
    {
      const char *outer = g_ptr_array_index (reader->numbers, i);

      if (g_str_has_prefix (number, outer) && strchr (".", number[strlen (outer)]) != NULL)
        return TRUE;
    }
  return FALSE;
}

/* Messages inside, without what is inside them. Returns: (transfer none) their count */
static guint
add_messages (Reader *reader, const PostbagPart *structure)
{
  g_autoptr (GPtrArray) open = g_ptr_array_new ();

  g_ptr_array_add (open, (gpointer)structure);
  while (open->len > 0)
    {
      const PostbagPart *part = g_ptr_array_steal_index (open, open->len - 1);

      if (strcmp (part->type, "message/rfc822") == 0 && part->number != NULL)
        add_member (reader, part->number, part->filename != NULL ? part->filename : "message.eml",
                    part->type);
      else
        for (guint i = part->children != NULL ? part->children->len : 0; i > 0; i--)
          g_ptr_array_add (open, g_ptr_array_index (part->children, i - 1));
    }
  return reader->numbers->len;
}

static void
collect_members (Reader *reader)
{
  static const char *const none[] = { NULL };
  const PostbagAttachmentPolicy policy = { none, G_MAXINT64, "" };
  const PostbagPart *structure = postbag_message_get_structure (reader->message);
  g_autoptr (GPtrArray) attachments = postbag_attachments_walk (structure, &policy);
  guint messages = add_messages (reader, structure);

  for (guint i = 0; i < attachments->len; i++)
    {
      const PostbagAttachment *attachment = g_ptr_array_index (attachments, i);
      g_autofree char *name = postbag_attachment_dup_name (attachment);

      if (!is_forwarded (reader, attachment->part->number, messages))
        add_member (reader, attachment->part->number, name, attachment->content_type);
    }
}

static char *
list_addresses (PostbagMessage *message, const char *field)
{
  GPtrArray *addresses = postbag_message_get_addresses (message, field);
  g_autoptr (GString) list = g_string_new (NULL);

  for (guint i = 0; i < addresses->len; i++)
    {
      const PostbagAddress *address = g_ptr_array_index (addresses, i);

      postbag_letter_append_address (list, address->name, address->address);
    }
  return g_string_free (g_steal_pointer (&list), FALSE);
}

static void
write_letter (Reader *reader, PostbagExtractOutput *output)
{
  PostbagMessage *message = reader->message;
  g_autoptr (PostbagBody) body = postbag_message_choose_body (message);
  g_autofree char *from = list_addresses (message, "From"), *to = list_addresses (message, "To");
  g_autofree char *cc = list_addresses (message, "Cc");
  const PostbagLetter letter = { .subject = postbag_message_get_subject (message),
                                 .from = from,
                                 .to = to,
                                 .cc = cc,
                                 .date = postbag_message_get_date (message),
                                 .text = body->text };

  postbag_letter_write (&letter, reader->members, output);
  if (body->report != NULL && body->report->hidden_chars > 0)
    output->note (output, "Text that a mail program would not show was left out.");
}

static gboolean
read_member (Reader *reader, const char *name, PostbagExtractOutput *output, GError **error)
{
  const PostbagMember *member = postbag_members_find (reader->members, name, error);
  g_autoptr (GBytes) bytes = NULL;
  gsize length;
  const guint8 *data;

  if (member == NULL)
    return FALSE;
  bytes = decode_part (reader, g_ptr_array_index (reader->numbers, member->key));
  if (bytes == NULL)
    {
      g_set_error_literal (error, POSTBAG_EXTRACT_ERROR, POSTBAG_EXTRACT_TOO_LARGE,
                           "The file inside is too large.");
      return FALSE;
    }
  data = g_bytes_get_data (bytes, &length);
  return postbag_member_read (member, output, data, length, error);
}

static gboolean
is_letter (PostbagMessage *message)
{
  static const char *const fields[] = { "From",     "To",         "Subject",      "Date",
                                        "Received", "Message-ID", "MIME-Version", "Content-Type" };

  for (gsize i = 0; i < G_N_ELEMENTS (fields); i++)
    if (postbag_message_get_header (message, fields[i], 0) != NULL)
      return TRUE;
  return FALSE;
}

gboolean
postbag_message_read (const PostbagExtractInput *input, PostbagExtractOutput *output,
                      GError **error)
{
  g_autoptr (GBytes) source = g_bytes_new_static (input->data, input->length);
  g_autoptr (PostbagMessage) message = postbag_message_parse (source);
  g_autoptr (GPtrArray) numbers = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (PostbagMembers) members = postbag_members_new ();
  Reader reader = { message, numbers, members };

  if (!is_letter (message))
    {
      g_set_error_literal (error, POSTBAG_EXTRACT_ERROR, POSTBAG_EXTRACT_NOT_A_DOCUMENT,
                           "It has no field of a letter.");
      return FALSE;
    }
  collect_members (&reader);
  if (input->member != NULL)
    return read_member (&reader, input->member, output, error);
  write_letter (&reader, output);
  return TRUE;
}
