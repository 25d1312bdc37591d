/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* FETCH (RFC 9051 section 7.5.2 and the extensions that add items). Items come in any order and
 * maybe twice; the first one counts, but for flags, where the last does. */

#include "postbag-imap-parser-private.h"

#include <string.h>

#include "base/postbag-limits.h"
#include "base/postbag-text.h"

/* The literal or string of a section. */
static gboolean
read_content (PostbagImapCursor *cursor, PostbagImapSection *section)
{
  section->free_spool = cursor->frame->free_spool;
  return postbag_imap_cursor_read_nstring_bytes (cursor, &section->bytes, &section->spool);
}

static PostbagImapSection *
add_section (PostbagImapFetch *fetch, char *name, gboolean is_binary)
{
  PostbagImapSection *section = g_new0 (PostbagImapSection, 1);

  section->name = name;
  section->origin = -1;
  section->is_binary = is_binary;
  g_ptr_array_add (fetch->sections, section);
  return section;
}

/* `[HEADER.FIELDS (FROM "TO")]`: (transfer full) (nullable): what is inside, in upper case; names
 * of fields lose their quotes. */
static char *
read_section_name (PostbagImapCursor *cursor)
{
  GString *name;
  g_autofree char *valid = NULL;

  if (!postbag_imap_cursor_accept (cursor, '['))
    return NULL;
  name = g_string_new (NULL);
  while (!postbag_imap_cursor_is_at_end (cursor) && postbag_imap_cursor_peek (cursor) != ']')
    {
      char next = cursor->text[cursor->position++];

      if (next != '"')
        g_string_append_c (name, g_ascii_toupper (next));
    }
  valid = postbag_text_make_valid (name->str, (gssize)name->len);
  g_string_free (name, TRUE);
  return postbag_imap_cursor_accept (cursor, ']') ? g_steal_pointer (&valid) : NULL;
}

/* `<0>` directly behind the section. */
static gboolean
read_origin (PostbagImapCursor *cursor, gint64 *origin)
{
  guint64 number;

  if (postbag_imap_cursor_peek (cursor) != '<')
    return TRUE;
  cursor->position++;
  if (!postbag_imap_cursor_read_number (cursor, G_MAXINT64, &number)
      || !postbag_imap_cursor_accept (cursor, '>'))
    return FALSE;
  *origin = (gint64)number;
  return TRUE;
}

static gboolean
read_section (PostbagImapCursor *cursor, PostbagImapFetch *fetch, gboolean is_binary)
{
  char *name = read_section_name (cursor);
  PostbagImapSection *section;

  if (name == NULL)
    return FALSE;
  section = add_section (fetch, name, is_binary);
  return read_origin (cursor, &section->origin) && read_content (cursor, section);
}

/* BODY is a structure without extensions, BODY[...] a section. */
static gboolean
read_structure (PostbagImapCursor *cursor, PostbagImapFetch *fetch)
{
  PostbagPart *structure;

  if (postbag_imap_cursor_peek (cursor) == '[')
    return read_section (cursor, fetch, FALSE);
  structure = postbag_imap_parse_body (cursor);
  if (structure == NULL)
    return FALSE;
  if (fetch->structure == NULL)
    fetch->structure = structure;
  else
    postbag_part_free (structure);
  return TRUE;
}

static gboolean
read_binary (PostbagImapCursor *cursor, PostbagImapFetch *fetch)
{
  return read_section (cursor, fetch, TRUE);
}

static gboolean
read_rfc822 (PostbagImapCursor *cursor, PostbagImapFetch *fetch)
{
  return read_content (cursor, add_section (fetch, g_strdup (""), FALSE));
}

static gboolean
read_rfc822_header (PostbagImapCursor *cursor, PostbagImapFetch *fetch)
{
  return read_content (cursor, add_section (fetch, g_strdup ("HEADER"), FALSE));
}

static gboolean
read_rfc822_text (PostbagImapCursor *cursor, PostbagImapFetch *fetch)
{
  return read_content (cursor, add_section (fetch, g_strdup ("TEXT"), FALSE));
}

/* With two of them it is nobody's, and the rest is not read. */
static gboolean
read_uid (PostbagImapCursor *cursor, PostbagImapFetch *fetch)
{
  gboolean is_known = fetch->uid != 0;
  guint64 uid;

  if (!postbag_imap_cursor_read_number (cursor, G_MAXUINT32, &uid)
      || (is_known && fetch->uid != uid))
    {
      fetch->uid = 0;
      return FALSE;
    }
  fetch->uid = (guint32)uid;
  return TRUE;
}

static gboolean
read_flags (PostbagImapCursor *cursor, PostbagImapFetch *fetch)
{
  g_strfreev (fetch->flags);
  fetch->flags = postbag_imap_parse_word_list (cursor, FALSE);
  fetch->has_flags = TRUE;
  return TRUE;
}

static gboolean
read_labels (PostbagImapCursor *cursor, PostbagImapFetch *fetch)
{
  g_strfreev (fetch->labels);
  fetch->labels = postbag_imap_parse_word_list (cursor, TRUE);
  return TRUE;
}

static gboolean
read_size (PostbagImapCursor *cursor, PostbagImapFetch *fetch)
{
  guint64 size;

  if (!postbag_imap_cursor_read_number (cursor, G_MAXINT64, &size))
    return FALSE;
  if (fetch->size < 0)
    fetch->size = (gint64)size;
  return TRUE;
}

static gboolean
read_internal_date (PostbagImapCursor *cursor, PostbagImapFetch *fetch)
{
  g_autofree char *text = NULL;

  if (!postbag_imap_cursor_read_nstring (cursor, &text))
    return FALSE;
  if (text != NULL)
    fetch->internal_date = postbag_imap_parse_date_time (text);
  return TRUE;
}

static gboolean
read_envelope (PostbagImapCursor *cursor, PostbagImapFetch *fetch)
{
  PostbagImapEnvelope *envelope = postbag_imap_parse_envelope (cursor);

  if (envelope == NULL)
    return FALSE;
  if (fetch->envelope == NULL)
    fetch->envelope = envelope;
  else
    postbag_imap_envelope_free (envelope);
  return TRUE;
}

/* `(917162500)` */
static gboolean
read_modseq (PostbagImapCursor *cursor, PostbagImapFetch *fetch)
{
  return postbag_imap_cursor_accept (cursor, '(')
         && postbag_imap_cursor_read_number (cursor, G_MAXINT64, &fetch->modseq)
         && postbag_imap_cursor_accept (cursor, ')');
}

static const struct
{
  const char *name;
  gboolean (*read) (PostbagImapCursor *cursor, PostbagImapFetch *fetch);
} items[] = {
  { "UID", read_uid },
  { "FLAGS", read_flags },
  { "BODY", read_structure },
  { "BODYSTRUCTURE", read_structure },
  { "RFC822.SIZE", read_size },
  { "INTERNALDATE", read_internal_date },
  { "ENVELOPE", read_envelope },
  { "MODSEQ", read_modseq },
  { "BINARY", read_binary },
  { "RFC822", read_rfc822 },
  { "RFC822.HEADER", read_rfc822_header },
  { "RFC822.TEXT", read_rfc822_text },
  { "X-GM-LABELS", read_labels },
};

static gboolean
read_item (PostbagImapCursor *cursor, PostbagImapFetch *fetch, const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (items); i++)
    if (g_ascii_strcasecmp (name, items[i].name) == 0)
      return items[i].read (cursor, fetch);
  if (postbag_imap_cursor_peek (cursor) == '[')
    g_free (read_section_name (cursor));
  return postbag_imap_cursor_skip_value (cursor);
}

/* Reads items up to the closing bracket. When one cannot be read the rest is lost, since nobody
 * knows where it ends. */
static gboolean
read_items (PostbagImapCursor *cursor, PostbagImapFetch *fetch)
{
  guint count = 0;

  if (!postbag_imap_cursor_accept (cursor, '('))
    return FALSE;
  while (!postbag_imap_cursor_accept (cursor, ')'))
    {
      g_autofree char *name = postbag_imap_cursor_read_atom (cursor, "[");

      if (name == NULL || ++count > POSTBAG_LIMIT_IMAP_WORDS || !read_item (cursor, fetch, name))
        return FALSE;
    }
  return TRUE;
}

void
postbag_imap_parse_fetch (PostbagImapCursor *cursor, PostbagImapReply *reply)
{
  PostbagImapFetch *fetch = g_new0 (PostbagImapFetch, 1);

  fetch->number = reply->number;
  fetch->size = -1;
  fetch->internal_date = POSTBAG_DATE_UNKNOWN;
  fetch->sections = g_ptr_array_new_with_free_func ((GDestroyNotify)postbag_imap_section_free);
  reply->kind = POSTBAG_IMAP_REPLY_FETCH;
  reply->fetch = fetch;
  fetch->is_damaged = !read_items (cursor, fetch) || cursor->frame->truncated;
}
