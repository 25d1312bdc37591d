/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* BODYSTRUCTURE and BODY (RFC 9051 section 7.5.2). Servers leave out fields, put lists where
 * strings belong and the other way round: types, sizes and nesting are read by position, the
 * disposition is recognised by its shape wherever it stands, and everything else is skipped. */

#include "postbag-imap-parser-private.h"

#include <string.h>

#include "base/postbag-limits.h"
#include "base/postbag-text.h"
#include "postbag-imap-parameters.h"

/* What is the same for all parts of one structure. */
typedef struct
{
  PostbagImapCursor *cursor;
  guint parts;
} Reader;

static PostbagPart *read_part (Reader *reader, const char *number, guint depth);

/* A string; a list in its place is skipped. Never NULL on success. */
static gboolean
read_string (PostbagImapCursor *cursor, char **text)
{
  postbag_imap_cursor_skip_blanks (cursor);
  *text = NULL;
  if (postbag_imap_cursor_peek (cursor) == ')')
    return TRUE;
  if (postbag_imap_cursor_peek (cursor) == '(')
    return postbag_imap_cursor_skip_value (cursor);
  return postbag_imap_cursor_read_nstring (cursor, text);
}

static char *
make_lower (const char *text)
{
  g_autofree char *valid = postbag_text_make_valid (text, -1);

  return g_ascii_strdown (g_strstrip (valid), -1);
}

static void
set_name (PostbagPart *part, const GPtrArray *parameters, const char *name)
{
  g_autofree char *value = postbag_imap_parameters_find (parameters, name);

  if (value == NULL || value[0] == '\0')
    return;
  g_free (part->filename);
  part->filename = g_steal_pointer (&value);
}

/* `("attachment" ("filename" "x"))` or `("inline" NIL)`; @part is left alone when it is not. The
 * list is read to its end either way. */
static gboolean
read_disposition (PostbagImapCursor *cursor, PostbagPart *part)
{
  g_autofree char *word = NULL;
  g_autoptr (GPtrArray) parameters = NULL;
  gboolean fits;

  if (!postbag_imap_cursor_accept (cursor, '('))
    return postbag_imap_cursor_skip_value (cursor);
  if (!read_string (cursor, &word))
    return FALSE;
  postbag_imap_cursor_skip_blanks (cursor);
  fits = word != NULL && part->disposition == NULL
         && (postbag_imap_cursor_peek (cursor) == '('
             || postbag_imap_cursor_accept_word (cursor, "NIL"));
  if (fits)
    {
      part->disposition = make_lower (word);
      if (postbag_imap_cursor_peek (cursor) == '(')
        {
          parameters = postbag_imap_parse_parameters (cursor);
          set_name (part, parameters, "filename");
        }
    }
  return postbag_imap_cursor_skip_list_rest (cursor);
}

/* Everything up to the bracket that closes the part. */
static gboolean
read_extensions (PostbagImapCursor *cursor, PostbagPart *part)
{
  while (!postbag_imap_cursor_accept (cursor, ')'))
    {
      postbag_imap_cursor_skip_blanks (cursor);
      if (postbag_imap_cursor_peek (cursor) == '(')
        {
          if (!read_disposition (cursor, part))
            return FALSE;
        }
      else if (!postbag_imap_cursor_skip_value (cursor))
        return FALSE;
    }
  return TRUE;
}

static void
set_type (PostbagPart *part, const char *type, const char *subtype)
{
  g_autofree char *whole = NULL;

  if (type == NULL || subtype == NULL || type[0] == '\0' || subtype[0] == '\0')
    return;
  whole = g_strconcat (type, "/", subtype, NULL);
  g_free (part->type);
  part->type = make_lower (whole);
}

static void
set_content (PostbagPart *part, const GPtrArray *parameters, const char *id, const char *encoding)
{
  g_autofree char *charset = postbag_imap_parameters_find (parameters, "charset");

  if (charset != NULL && charset[0] != '\0')
    part->charset = postbag_text_make_valid (charset, -1);
  if (id != NULL && id[0] != '\0')
    part->content_id = postbag_text_make_valid (id, -1);
  if (encoding != NULL && encoding[0] != '\0')
    {
      g_free (part->encoding);
      part->encoding = make_lower (encoding);
    }
  set_name (part, parameters, "name");
}

static GPtrArray *
create_children (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify)postbag_part_free);
}

/* The body of a message/rfc822 part: a multipart has the number of the part itself, and so none
 * of its own; anything else is the first part inside. */
static PostbagPart *
read_inner (Reader *reader, const char *number, guint depth)
{
  PostbagImapCursor ahead = *reader->cursor;
  g_autofree char *inner_number = NULL;

  postbag_imap_cursor_accept (&ahead, '(');
  postbag_imap_cursor_skip_blanks (&ahead);
  if (postbag_imap_cursor_peek (&ahead) == '(')
    {
      PostbagPart *part = read_part (reader, number, depth);

      if (part != NULL)
        g_clear_pointer (&part->number, g_free);
      return part;
    }
  inner_number = g_strconcat (number, ".1", NULL);
  return read_part (reader, inner_number, depth);
}

/* Envelope, body and lines of message/rfc822, where they are there at all. */
static gboolean
read_message (Reader *reader, PostbagPart *part, guint depth)
{
  PostbagImapCursor *cursor = reader->cursor, start = *cursor;
  g_autoptr (PostbagImapEnvelope) envelope = NULL;
  PostbagPart *inner;
  guint64 lines;

  postbag_imap_cursor_skip_blanks (cursor);
  if (postbag_imap_cursor_peek (cursor) != '(')
    return TRUE;
  envelope = postbag_imap_parse_envelope (cursor);
  postbag_imap_cursor_skip_blanks (cursor);
  if (envelope == NULL || postbag_imap_cursor_peek (cursor) != '(')
    {
      *cursor = start;
      return TRUE;
    }
  inner = read_inner (reader, part->number, depth + 1);
  if (inner == NULL)
    return FALSE;
  part->children = create_children ();
  g_ptr_array_add (part->children, inner);
  postbag_imap_cursor_read_number (cursor, G_MAXINT64, &lines);
  return TRUE;
}

/* Behind `(`, where a string comes next. */
static gboolean
read_single (Reader *reader, PostbagPart *part, guint depth)
{
  PostbagImapCursor *cursor = reader->cursor;
  g_autofree char *type = NULL, *subtype = NULL, *id = NULL, *description = NULL, *encoding = NULL;
  g_autoptr (GPtrArray) parameters = NULL;
  guint64 octets, lines;

  if (!read_string (cursor, &type) || !read_string (cursor, &subtype))
    return FALSE;
  set_type (part, type, subtype);
  postbag_imap_cursor_skip_blanks (cursor);
  if (postbag_imap_cursor_peek (cursor) == ')')
    return read_extensions (cursor, part);
  parameters = postbag_imap_parse_parameters (cursor);
  if (!read_string (cursor, &id) || !read_string (cursor, &description)
      || !read_string (cursor, &encoding))
    return FALSE;
  set_content (part, parameters, id, encoding);
  if (postbag_imap_cursor_read_number (cursor, G_MAXINT64, &octets))
    part->size = (gint64)octets;
  else if (postbag_imap_cursor_peek (cursor) != ')')
    postbag_imap_cursor_skip_value (cursor);
  if (g_str_has_prefix (part->type, "text/"))
    postbag_imap_cursor_read_number (cursor, G_MAXINT64, &lines);
  else if (strcmp (part->type, "message/rfc822") == 0 || strcmp (part->type, "message/global") == 0)
    {
      if (!read_message (reader, part, depth))
        return FALSE;
    }
  return read_extensions (cursor, part);
}

/* Behind `(`, where another `(` comes next. @prefix: (nullable): numbers of the children begin with
 * it. */
static gboolean
read_multipart (Reader *reader, PostbagPart *part, const char *prefix, guint depth)
{
  PostbagImapCursor *cursor = reader->cursor;
  g_autofree char *subtype = NULL;
  g_autoptr (GPtrArray) parameters = NULL;

  part->children = create_children ();
  set_type (part, "multipart", "mixed");
  for (guint i = 1;
       postbag_imap_cursor_skip_blanks (cursor), postbag_imap_cursor_peek (cursor) == '('; i++)
    {
      g_autofree char *number =
          prefix != NULL ? g_strdup_printf ("%s.%u", prefix, i) : g_strdup_printf ("%u", i);
      PostbagPart *child = read_part (reader, number, depth + 1);

      if (child == NULL)
        return FALSE;
      g_ptr_array_add (part->children, child);
    }
  if (!read_string (cursor, &subtype))
    return FALSE;
  set_type (part, "multipart", subtype);
  postbag_imap_cursor_skip_blanks (cursor);
  if (postbag_imap_cursor_peek (cursor) != ')')
    parameters = postbag_imap_parse_parameters (cursor);
  if (parameters != NULL && strcmp (part->type, "multipart/related") == 0)
    part->start = postbag_imap_parameters_find (parameters, "start");
  return read_extensions (cursor, part);
}

/* One part with its number; the root multipart has none (@number %NULL). Too deep or too many:
 * skipped, an opaque part stands for it. */
static PostbagPart *
read_part (Reader *reader, const char *number, guint depth)
{
  g_autoptr (PostbagPart) part = postbag_part_new ("application/octet-stream");
  gboolean is_read;

  part->number = g_strdup (number);
  if (!postbag_imap_cursor_accept (reader->cursor, '('))
    return NULL;
  if (depth >= POSTBAG_LIMIT_IMAP_NESTING || ++reader->parts > POSTBAG_LIMIT_MIME_PARTS)
    return postbag_imap_cursor_skip_list_rest (reader->cursor) ? g_steal_pointer (&part) : NULL;
  postbag_imap_cursor_skip_blanks (reader->cursor);
  if (postbag_imap_cursor_peek (reader->cursor) == '(')
    is_read = read_multipart (reader, part, number, depth);
  else
    {
      if (number == NULL)
        part->number = g_strdup ("1");
      is_read = read_single (reader, part, depth);
    }
  return is_read ? g_steal_pointer (&part) : NULL;
}

PostbagPart *
postbag_imap_parse_body (PostbagImapCursor *cursor)
{
  Reader reader = { .cursor = cursor };

  return read_part (&reader, NULL, 0);
}
