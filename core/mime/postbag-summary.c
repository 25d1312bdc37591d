/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a listing says of a message, and the single fields behind it. A field that may stand once
 * (RFC 5322 section 3.6) is read at its first place, as most checkers do. */

#include "mime/postbag-mime-private.h"

#include <string.h>

#include "base/postbag-limits.h"
#include "safety/postbag-attachment-policy.h"

char *
postbag_summary_decode_field (GArray *headers, const char *name, const char *fallback,
                              PostbagWarnings *warnings)
{
  const PostbagHeader *header = postbag_headers_find (headers, name, 0);
  g_autofree char *raw = NULL;
  char *text;
  gsize length;

  if (header == NULL)
    return NULL;
  raw = postbag_header_unfold (header->value, &length);
  text = postbag_rfc2047_decode (raw, length, fallback, warnings);
  return g_strstrip (text);
}

static void
free_address (gpointer data)
{
  postbag_address_free (data);
}

/* Fields that name one mailbox or mean it: a second one is ignored, not merged. */
static gboolean
is_originator (const char *name)
{
  return g_ascii_strcasecmp (name, "From") == 0 || g_ascii_strcasecmp (name, "Sender") == 0
         || g_ascii_strcasecmp (name, "Reply-To") == 0;
}

GPtrArray *
postbag_summary_find_addresses (GArray *headers, const char *name, const char *fallback,
                                PostbagWarnings *warnings)
{
  GPtrArray *addresses = g_ptr_array_new_with_free_func (free_address);
  const PostbagHeader *header;

  for (guint i = 0; (header = postbag_headers_find (headers, name, i)) != NULL; i++)
    {
      postbag_address_parse (header->value, fallback, addresses, warnings);
      if (is_originator (name))
        break;
    }
  return addresses;
}

gint64
postbag_summary_find_date (GArray *headers)
{
  const PostbagHeader *header = postbag_headers_find (headers, "Date", 0);
  g_autofree char *text = NULL;

  if (header == NULL)
    return POSTBAG_DATE_UNKNOWN;
  text = postbag_header_unfold (header->value, NULL);
  return postbag_date_parse (text);
}

/* Reads the next well-shaped `<...>` of @text: (transfer full) (nullable). */
static char *
read_id (const char **text)
{
  const char *p = *text;

  while ((p = strchr (p, '<')) != NULL)
    {
      gsize length = 0;
      const char *inner = p + 1;

      while ((guchar)inner[length] > ' ' && inner[length] != 0x7f && inner[length] != '<'
             && inner[length] != '>')
        length++;
      if (inner[length] == '>' && length > 0 && g_utf8_validate (inner, (gssize)length, NULL)
          && g_utf8_strlen (inner, (gssize)length) <= 255)
        {
          *text = inner + length + 1;
          return g_strndup (p, length + 2);
        }
      p = inner + length;
    }
  *text = *text + strlen (*text);
  return NULL;
}

char *
postbag_summary_find_message_id (GArray *headers)
{
  const PostbagHeader *header = postbag_headers_find (headers, "Message-ID", 0);
  g_autofree char *text = NULL;
  const char *p;

  if (header == NULL)
    return NULL;
  text = postbag_header_unfold (header->value, NULL);
  p = text;
  return read_id (&p);
}

static void
collect_ids (GArray *headers, const char *name, GPtrArray *ids)
{
  const PostbagHeader *header = postbag_headers_find (headers, name, 0);
  g_autofree char *text = header != NULL ? postbag_header_unfold (header->value, NULL) : NULL;
  const char *p = text;
  char *id;

  while (p != NULL && (id = read_id (&p)) != NULL)
    {
      if (g_ptr_array_find_with_equal_func (ids, id, g_str_equal, NULL))
        g_free (id);
      else
        g_ptr_array_add (ids, id);
      /* the newest say most about the thread */
      if (ids->len > POSTBAG_LIMIT_REFERENCES)
        g_ptr_array_remove_index (ids, 0);
    }
}

char **
postbag_summary_find_references (GArray *headers)
{
  g_autoptr (GPtrArray) ids = g_ptr_array_new_with_free_func (g_free);
  gpointer *list;

  collect_ids (headers, "References", ids);
  collect_ids (headers, "In-Reply-To", ids);
  g_ptr_array_add (ids, NULL);
  list = g_ptr_array_steal (ids, NULL);
  return (char **)list;
}

static gboolean
holds (const char *bytes, gsize length, const char *word)
{
  return bytes != NULL && memmem (bytes, length, word, strlen (word)) != NULL;
}

/* The tree is only built where there can be one. @root: what the message's own fields say. */
static gboolean
find_attachments (GBytes *source, PostbagPart *root)
{
  g_autoptr (PostbagStructure) structure = NULL;
  gsize length;
  const char *bytes = g_bytes_get_data (source, &length);

  if (g_str_has_prefix (root->type, "multipart/") || g_str_has_prefix (root->type, "message/")
      || g_str_has_suffix (root->type, "pkcs7-mime") || holds (bytes, length, "\nbegin ")
      || holds (bytes, length, "\n=ybegin "))
    {
      structure = postbag_structure_build (source);
      return postbag_attachments_any (structure->root);
    }
  root->number = g_strdup ("1");
  return postbag_attachments_any (root);
}

PostbagSummary *
postbag_mime_summarize (GBytes *source)
{
  PostbagSummary *self = postbag_summary_new ();
  gsize length, body;
  const char *bytes = g_bytes_get_data (source, &length);
  g_autoptr (GArray) headers = postbag_headers_scan (bytes, length, &body, NULL);
  g_auto (PostbagDescription) description = { 0 };
  const char *charset;

  postbag_part_describe (headers, &description, NULL);
  charset = description.part->charset;
  self->subject = postbag_summary_decode_field (headers, "Subject", charset, NULL);
  g_clear_pointer (&self->from, g_ptr_array_unref);
  g_clear_pointer (&self->to, g_ptr_array_unref);
  self->from = postbag_summary_find_addresses (headers, "From", charset, NULL);
  self->to = postbag_summary_find_addresses (headers, "To", charset, NULL);
  self->date = postbag_summary_find_date (headers);
  self->message_id = postbag_summary_find_message_id (headers);
  self->has_attachments = find_attachments (source, description.part);
  return self;
}
