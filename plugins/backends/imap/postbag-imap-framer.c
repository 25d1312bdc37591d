/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-imap-framer.h"

#include <string.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "postbag-imap-pieces.h"

/* `~{18446744073709551615+}` and the CR fit. */
#define TAIL_BYTES 32

struct _PostbagImapFramer
{
  guint64 max_literal;
  const PostbagImapSpool *spool;
  gpointer spool_data;

  PostbagImapFrame *frame;
  gboolean started;
  gsize line_limit;  /* where the text is looked at next */
  gsize line_start;  /* where in the text the line behind the last literal begins */
  GString *tail;     /* the end of the line being skipped */
  gsize skipped;     /* bytes of this reply that were skipped */
  gsize kept;        /* bytes of this reply's literals in memory */
  gboolean inside;   /* inside a literal */
  guint64 left;      /* bytes of it to come */
  GByteArray *bytes; /* (nullable): its bytes so far */
  gboolean failed;
};

static void
clear_literal (gpointer data)
{
  PostbagImapLiteral *literal = data;

  g_clear_pointer (&literal->bytes, g_bytes_unref);
}

static PostbagImapFrame *
create_frame (PostbagImapFramer *self)
{
  PostbagImapFrame *frame = g_new0 (PostbagImapFrame, 1);

  frame->text = g_string_new (NULL);
  frame->literals = g_array_new (FALSE, TRUE, sizeof (PostbagImapLiteral));
  g_array_set_clear_func (frame->literals, clear_literal);
  frame->free_spool = self->spool != NULL ? self->spool->free : NULL;
  return frame;
}

void
postbag_imap_frame_free (PostbagImapFrame *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < self->literals->len; i++)
    {
      PostbagImapLiteral *literal = &g_array_index (self->literals, PostbagImapLiteral, i);

      if (literal->spool != NULL && self->free_spool != NULL)
        self->free_spool (literal->spool);
    }
  g_array_unref (self->literals);
  g_string_free (self->text, TRUE);
  g_free (self);
}

PostbagImapFramer *
postbag_imap_framer_new (guint64 max_literal)
{
  PostbagImapFramer *self = g_new0 (PostbagImapFramer, 1);

  self->max_literal = max_literal != 0 ? max_literal : POSTBAG_LIMIT_IMAP_LITERAL_BYTES;
  self->tail = g_string_new (NULL);
  self->frame = create_frame (self);
  self->line_limit = POSTBAG_LIMIT_IMAP_LIST_PIECE_BYTES;
  return self;
}

void
postbag_imap_framer_free (PostbagImapFramer *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->bytes, g_byte_array_unref);
  g_string_free (self->tail, TRUE);
  postbag_imap_frame_free (self->frame);
  g_free (self);
}

void
postbag_imap_framer_set_spool (PostbagImapFramer *self, const PostbagImapSpool *spool,
                               gpointer user_data)
{
  self->spool = spool;
  self->spool_data = user_data;
  self->frame->free_spool = spool->free;
}

gboolean
postbag_imap_framer_is_inside (PostbagImapFramer *self)
{
  return self->started;
}

static gboolean
fail_too_large (PostbagImapFramer *self, GError **error, const char *what, guint64 limit)
{
  self->failed = TRUE;
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_TOO_LARGE,
               "The mail server sent %s of more than %" G_GUINT64_FORMAT
               " bytes. The connection was closed; ask for less at a time.",
               what, limit);
  return FALSE;
}

/* Hands over the finished reply and starts the next one. */
static PostbagImapFrame *
finish_frame (PostbagImapFramer *self)
{
  PostbagImapFrame *frame = g_steal_pointer (&self->frame);

  self->frame = create_frame (self);
  self->started = FALSE;
  self->line_limit = POSTBAG_LIMIT_IMAP_LIST_PIECE_BYTES;
  self->line_start = 0;
  self->skipped = 0;
  self->kept = 0;
  g_string_truncate (self->tail, 0);
  return frame;
}

static gboolean
append_skipped (PostbagImapFramer *self, const guint8 *data, gsize length, GError **error)
{
  gsize wanted = MIN (length, TAIL_BYTES);

  self->skipped += length;
  if (self->skipped > POSTBAG_LIMIT_IMAP_SKIPPED_BYTES)
    return fail_too_large (self, error, "one reply", POSTBAG_LIMIT_IMAP_SKIPPED_BYTES);
  g_string_append_len (self->tail, (const char *)data + length - wanted, (gssize)wanted);
  if (self->tail->len > TAIL_BYTES)
    g_string_erase (self->tail, 0, (gssize)(self->tail->len - TAIL_BYTES));
  return TRUE;
}

/* Where the announcement of a literal begins at the end of @line (behind @begin), or -1; @size:
 * what it says, G_MAXUINT64 when that is beyond counting. RFC 9051 section 4.3; `+` is for clients,
 * but harmless.
 */
static gssize
find_announcement (const GString *line, gsize begin, guint64 *size)
{
  gsize end = line->len, start;

  if (end < begin + 3 || line->str[end - 1] != '}')
    return -1;
  end--;
  if (line->str[end - 1] == '+')
    end--;
  start = end;
  while (start > begin && g_ascii_isdigit (line->str[start - 1]))
    start--;
  if (start == end || start == begin || line->str[start - 1] != '{')
    return -1;
  *size = 0;
  for (gsize i = start; i < end; i++)
    {
      if (*size > (G_MAXUINT64 - 9) / 10)
        {
          *size = G_MAXUINT64;
          break;
        }
      *size = *size * 10 + (guint64)(line->str[i] - '0');
    }
  start--;
  return (gssize)(start > begin && line->str[start - 1] == '~' ? start - 1 : start);
}

static gboolean
begin_literal (PostbagImapFramer *self, gsize offset, guint64 size, GError **error)
{
  PostbagImapLiteral literal = { .offset = offset };

  if (size > self->max_literal)
    return fail_too_large (self, error, "a literal", self->max_literal);
  self->inside = TRUE;
  self->left = size;
  if (self->frame->truncated)
    return TRUE;

  if (self->spool != NULL && self->spool->begin != NULL)
    literal.spool = self->spool->begin (self->frame->text, size, self->spool_data);
  if (literal.spool == NULL)
    {
      if (size > POSTBAG_LIMIT_IMAP_KEPT_BYTES - self->kept)
        return fail_too_large (self, error, "more in one reply than was asked for, literals",
                               POSTBAG_LIMIT_IMAP_KEPT_BYTES);
      self->bytes = g_byte_array_new ();
    }
  g_array_append_val (self->frame->literals, literal);
  return TRUE;
}

static void
end_literal (PostbagImapFramer *self)
{
  self->inside = FALSE;
  if (self->bytes != NULL)
    {
      PostbagImapLiteral *literal = &g_array_index (self->frame->literals, PostbagImapLiteral,
                                                    self->frame->literals->len - 1);

      self->kept += self->bytes->len;
      literal->bytes = g_byte_array_free_to_bytes (g_steal_pointer (&self->bytes));
    }
}

static gboolean
take_literal (PostbagImapFramer *self, const guint8 **data, gsize *length, GError **error)
{
  gsize count = (gsize)MIN (self->left, *length);

  if (self->frame->truncated)
    {
      if (!append_skipped (self, *data, count, error))
        return FALSE;
      g_string_truncate (self->tail, 0);
    }
  else if (self->bytes != NULL)
    g_byte_array_append (self->bytes, *data, (guint)count);
  else
    {
      PostbagImapLiteral *literal = &g_array_index (self->frame->literals, PostbagImapLiteral,
                                                    self->frame->literals->len - 1);

      if (!self->spool->write (literal->spool, *data, count, error))
        {
          self->failed = TRUE;
          return FALSE;
        }
    }
  *data += count;
  *length -= count;
  self->left -= count;
  if (self->left == 0)
    end_literal (self);
  return TRUE;
}

/* A line has ended. @done: whether the reply has. */
static gboolean
end_line (PostbagImapFramer *self, gboolean *done, GError **error)
{
  GString *line = self->frame->truncated ? self->tail : self->frame->text;
  guint64 size = 0;
  gsize begin = self->frame->truncated ? 0 : self->line_start;
  gssize offset = -1;

  if (line->len > begin && line->str[line->len - 1] == '\r')
    g_string_truncate (line, line->len - 1);
  if (postbag_imap_text_may_hold_literals (self->frame->text))
    offset = find_announcement (line, begin, &size);
  *done = offset < 0;
  if (*done)
    return TRUE;
  if (!begin_literal (self, (gsize)offset, size, error))
    return FALSE;
  self->line_start = self->frame->text->len;
  g_string_truncate (self->tail, 0);
  if (size == 0)
    end_literal (self);
  return TRUE;
}

/* The text has reached a limit within a line. Returns a piece of a number list, if it is one. */
static PostbagImapFrame *
handle_full_line (PostbagImapFramer *self)
{
  GString *text = self->frame->text;
  g_autoptr (GString) rest = NULL;

  if (self->frame->literals->len == 0)
    rest = postbag_imap_text_cut_list (text);
  if (rest != NULL)
    {
      PostbagImapFrame *piece = finish_frame (self);

      g_string_append_len (self->frame->text, rest->str, (gssize)rest->len);
      self->started = TRUE;
      return piece;
    }
  if (text->len < POSTBAG_LIMIT_IMAP_LINE_BYTES)
    self->line_limit = POSTBAG_LIMIT_IMAP_LINE_BYTES;
  else
    {
      self->frame->truncated = TRUE;
      g_string_append_len (self->tail, text->str + text->len - TAIL_BYTES, TAIL_BYTES);
    }
  return NULL;
}

/* Takes bytes of a line. @ended: whether its end was among them. */
static gboolean
take_line (PostbagImapFramer *self, const guint8 **data, gsize *length, gboolean *ended,
           GError **error)
{
  gsize room = self->frame->truncated ? *length : self->line_limit - self->frame->text->len;
  gsize count = MIN (*length, room);
  const guint8 *end = memchr (*data, '\n', count);
  gsize taken = end != NULL ? (gsize)(end - *data) : count;

  if (self->frame->truncated)
    {
      if (!append_skipped (self, *data, taken, error))
        return FALSE;
    }
  else
    g_string_append_len (self->frame->text, (const char *)*data, (gssize)taken);
  *ended = end != NULL;
  if (*ended)
    taken++;
  *data += taken;
  *length -= taken;
  return TRUE;
}

PostbagImapFrame *
postbag_imap_framer_read (PostbagImapFramer *self, const guint8 **data, gsize *length,
                          GError **error)
{
  g_return_val_if_fail (!self->failed, NULL);

  while (*length > 0)
    {
      gboolean ended = FALSE, done = FALSE;

      self->started = TRUE;
      if (self->inside)
        {
          if (!take_literal (self, data, length, error))
            return NULL;
          continue;
        }
      if (!take_line (self, data, length, &ended, error))
        return NULL;
      if (ended)
        {
          if (!end_line (self, &done, error))
            return NULL;
          if (done)
            return finish_frame (self);
        }
      if (!self->frame->truncated && self->frame->text->len >= self->line_limit)
        {
          PostbagImapFrame *piece = handle_full_line (self);

          if (piece != NULL)
            return piece;
        }
    }
  return NULL;
}
