/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-imap-command.h"

#include <string.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "mail/postbag-mailbox-utf7.h"
#include "postbag-imap-set.h"

/* Servers bound quoted strings like lines; longer ones go as literals. */
#define QUOTED_BYTES 512
/* RFC 7888 section 5 */
#define SMALL_LITERAL_BYTES 4096

/* A stretch of text, then a literal but for the last piece. @shown is the text for the log. */
typedef struct
{
  GString *text;
  GBytes *literal;
} Piece;

struct _PostbagImapCommand
{
  GPtrArray *pieces;
  GString *shown;
  gboolean glue; /* no blank before the next argument */
  char *refused; /* why the command can't be sent */
};

static void
free_piece (gpointer data)
{
  Piece *piece = data;

  /* It may hold a password. */
  memset (piece->text->str, 0, piece->text->len);
  g_string_free (piece->text, TRUE);
  g_clear_pointer (&piece->literal, g_bytes_unref);
  g_free (piece);
}

static void
add_piece (PostbagImapCommand *self)
{
  Piece *piece = g_new0 (Piece, 1);

  piece->text = g_string_new (NULL);
  g_ptr_array_add (self->pieces, piece);
}

PostbagImapCommand *
postbag_imap_command_new (const char *name)
{
  PostbagImapCommand *self = g_new0 (PostbagImapCommand, 1);

  self->pieces = g_ptr_array_new_with_free_func (free_piece);
  self->shown = g_string_new (NULL);
  self->glue = TRUE;
  add_piece (self);
  postbag_imap_command_add_words (self, name);
  return self;
}

void
postbag_imap_command_free (PostbagImapCommand *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->pieces);
  g_string_free (self->shown, TRUE);
  g_free (self->refused);
  g_free (self);
}

static GString *
get_text (PostbagImapCommand *self)
{
  Piece *piece = g_ptr_array_index (self->pieces, self->pieces->len - 1);

  return piece->text;
}

/* Appends an argument; @shown: how the log shows it. */
static void
append (PostbagImapCommand *self, const char *text, const char *shown)
{
  if (!self->glue)
    {
      g_string_append_c (get_text (self), ' ');
      g_string_append_c (self->shown, ' ');
    }
  g_string_append (get_text (self), text);
  g_string_append (self->shown, shown);
  self->glue = FALSE;
}

static void
refuse (PostbagImapCommand *self, const char *why)
{
  if (self->refused == NULL)
    self->refused = g_strdup (why);
}

void
postbag_imap_command_add_words (PostbagImapCommand *self, const char *words)
{
  for (const char *next = words; *next != '\0'; next++)
    g_return_if_fail (*next >= ' ' && *next <= '~' && strchr ("\"\\{", *next) == NULL);
  append (self, words, words);
}

void
postbag_imap_command_add_open (PostbagImapCommand *self)
{
  append (self, "(", "(");
  self->glue = TRUE;
}

void
postbag_imap_command_add_close (PostbagImapCommand *self)
{
  self->glue = TRUE;
  append (self, ")", ")");
}

void
postbag_imap_command_add_number (PostbagImapCommand *self, guint64 number)
{
  g_autofree char *text = g_strdup_printf ("%" G_GUINT64_FORMAT, number);

  append (self, text, text);
}

void
postbag_imap_command_add_set (PostbagImapCommand *self, const GArray *set)
{
  g_autofree char *text = postbag_imap_set_to_string (set);

  g_return_if_fail (set->len > 0);
  append (self, text, text);
}

void
postbag_imap_command_add_date (PostbagImapCommand *self, const GDate *date)
{
  static const char *const months[] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };
  g_autofree char *text = NULL;

  g_return_if_fail (g_date_valid (date));
  text = g_strdup_printf ("%u-%s-%04u", g_date_get_day (date), months[g_date_get_month (date) - 1],
                          g_date_get_year (date));
  append (self, text, text);
}

void
postbag_imap_command_add_literal (PostbagImapCommand *self, GBytes *bytes)
{
  Piece *piece;
  g_autofree char *shown = g_strdup_printf ("{%" G_GSIZE_FORMAT "}", g_bytes_get_size (bytes));

  append (self, "", shown);
  piece = g_ptr_array_index (self->pieces, self->pieces->len - 1);
  piece->literal = g_bytes_ref (bytes);
  add_piece (self);
}

void
postbag_imap_command_add_literal8 (PostbagImapCommand *self, GBytes *bytes)
{
  append (self, "~", "~");
  self->glue = TRUE;
  postbag_imap_command_add_literal (self, bytes);
}

/* Whether @text can stand between quotes: RFC 9051, quoted. UTF-8 only where that was enabled. */
static gboolean
can_be_quoted (const char *text, gboolean utf8)
{
  gsize length = strlen (text);

  if (length > QUOTED_BYTES || (utf8 && !g_utf8_validate_len (text, length, NULL)))
    return FALSE;
  for (gsize i = 0; i < length; i++)
    if ((guchar)text[i] < ' ' || text[i] == 0x7f || (!utf8 && (guchar)text[i] >= 0x80))
      return FALSE;
  return TRUE;
}

static void
add_text (PostbagImapCommand *self, const char *text, gboolean utf8)
{
  g_autoptr (GString) quoted = NULL;
  g_autoptr (GBytes) bytes = NULL;

  if (!can_be_quoted (text, utf8))
    {
      bytes = g_bytes_new (text, strlen (text));
      postbag_imap_command_add_literal (self, bytes);
      return;
    }
  quoted = g_string_sized_new (strlen (text) * 2 + 2);
  g_string_append_c (quoted, '"');
  for (; *text != '\0'; text++)
    {
      if (*text == '"' || *text == '\\')
        g_string_append_c (quoted, '\\');
      g_string_append_c (quoted, *text);
    }
  g_string_append_c (quoted, '"');
  append (self, quoted->str, "\"…\"");
  memset (quoted->str, 0, quoted->len);
}

void
postbag_imap_command_add_string (PostbagImapCommand *self, const char *text)
{
  add_text (self, text, FALSE);
}

void
postbag_imap_command_add_secret (PostbagImapCommand *self, const char *text)
{
  add_text (self, text, FALSE);
}

void
postbag_imap_command_add_raw_mailbox (PostbagImapCommand *self, const char *raw)
{
  add_text (self, raw, FALSE);
}

void
postbag_imap_command_add_mailbox (PostbagImapCommand *self, const char *name, gboolean utf8_names)
{
  g_autofree char *raw = NULL;

  if (!g_utf8_validate (name, -1, NULL))
    {
      refuse (self, "A mailbox name is not UTF-8");
      return;
    }
  if (utf8_names)
    {
      add_text (self, name, TRUE);
      return;
    }
  raw = postbag_mailbox_utf7_encode (name);
  add_text (self, raw, FALSE);
}

void
postbag_imap_command_add_flag (PostbagImapCommand *self, const char *flag)
{
  const char *name = flag[0] == '\\' ? flag + 1 : flag;
  gboolean fits = name[0] != '\0' && strlen (name) <= POSTBAG_LIMIT_FLAG_CHARS;

  for (const char *next = name; fits && *next != '\0'; next++)
    fits = *next > ' ' && *next < 0x7f && strchr ("(){%*\"\\]", *next) == NULL;
  if (!fits)
    {
      refuse (self, "A flag or keyword may hold only printable ASCII without blanks, quotes, "
                    "brackets, %, * and backslash");
      return;
    }
  append (self, flag, flag);
}

void
postbag_imap_command_add_field (PostbagImapCommand *self, const char *field)
{
  gboolean fits = field[0] != '\0' && strlen (field) <= POSTBAG_LIMIT_FLAG_CHARS;

  for (const char *next = field; fits && *next != '\0'; next++)
    fits = *next > ' ' && *next < 0x7f && *next != ':';
  if (!fits)
    {
      refuse (self,
              "A header field's name may hold only printable ASCII without blanks and colons");
      return;
    }
  add_text (self, field, FALSE);
}

/* `1`, `2.1`: numbers without leading zero, dots between them. */
static gboolean
is_part_number (const char *number)
{
  const char *next = number;

  if (strlen (number) > POSTBAG_LIMIT_MESSAGE_ID_CHARS)
    return FALSE;
  for (;;)
    {
      if (*next < '1' || *next > '9')
        return FALSE;
      while (g_ascii_isdigit (*next))
        next++;
      if (*next == '\0')
        return TRUE;
      if (*next++ != '.')
        return FALSE;
    }
}

static void
add_section (PostbagImapCommand *self, const char *item, const char *number, const char *suffix,
             guint64 offset, guint64 length)
{
  g_autoptr (GString) text = g_string_new (item);

  if (number != NULL && !is_part_number (number))
    {
      refuse (self, "A part number is digits with dots between them, e.g. 2.1");
      return;
    }
  if (number != NULL)
    g_string_append (text, number);
  if (suffix != NULL)
    g_string_append_printf (text, "%s%s", number != NULL ? "." : "", suffix);
  g_string_append_c (text, ']');
  if (length > 0)
    g_string_append_printf (text, "<%" G_GUINT64_FORMAT ".%" G_GUINT64_FORMAT ">", offset, length);
  append (self, text->str, text->str);
}

void
postbag_imap_command_add_section (PostbagImapCommand *self, const char *number, const char *suffix,
                                  guint64 offset, guint64 length)
{
  add_section (self, "BODY.PEEK[", number, suffix, offset, length);
}

void
postbag_imap_command_add_binary (PostbagImapCommand *self, const char *number, guint64 offset,
                                 guint64 length)
{
  add_section (self, "BINARY.PEEK[", number, NULL, offset, length);
}

static void
free_segment (gpointer data)
{
  PostbagImapSegment *segment = data;

  g_bytes_unref (segment->bytes);
  g_free (segment);
}

/* Ends the segment that @text has become. */
static void
add_segment (GPtrArray *segments, GString *text, gboolean wait)
{
  PostbagImapSegment *segment = g_new0 (PostbagImapSegment, 1);

  segment->bytes = g_bytes_new (text->str, text->len);
  segment->wait = wait;
  g_ptr_array_add (segments, segment);
  memset (text->str, 0, text->len);
  g_string_truncate (text, 0);
}

static gboolean
must_wait (PostbagImapLiterals literals, gsize length)
{
  if (literals == POSTBAG_IMAP_LITERALS_ALL)
    return FALSE;
  return literals == POSTBAG_IMAP_LITERALS_WAIT || length > SMALL_LITERAL_BYTES;
}

GPtrArray *
postbag_imap_command_serialize (PostbagImapCommand *self, const char *tag,
                                PostbagImapLiterals literals, GError **error)
{
  g_autoptr (GPtrArray) segments = g_ptr_array_new_with_free_func (free_segment);
  g_autoptr (GString) text = g_string_new (tag);

  if (self->refused != NULL)
    {
      g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_INVALID_ARGUMENT,
                   "%s. Nothing was sent; call again with another value.", self->refused);
      return NULL;
    }
  g_string_append_c (text, ' ');
  for (guint i = 0; i < self->pieces->len; i++)
    {
      const Piece *piece = g_ptr_array_index (self->pieces, i);
      gsize length;
      gconstpointer data;
      gboolean wait;

      g_string_append_len (text, piece->text->str, (gssize)piece->text->len);
      if (piece->literal == NULL)
        break;
      data = g_bytes_get_data (piece->literal, &length);
      wait = must_wait (literals, length);
      g_string_append_printf (text, "{%" G_GSIZE_FORMAT "%s}\r\n", length, wait ? "" : "+");
      if (wait)
        add_segment (segments, text, TRUE);
      g_string_append_len (text, data, (gssize)length);
    }
  g_string_append (text, "\r\n");
  add_segment (segments, text, FALSE);
  return g_steal_pointer (&segments);
}

char *
postbag_imap_command_describe (PostbagImapCommand *self)
{
  return g_strdup (self->shown->str);
}
