/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "extract/postbag-letter.h"

#include <string.h>

#include "base/postbag-limits.h"
#include "mail/postbag-mail-types.h"
#include "safety/postbag-clean.h"

/* Characters of one field of the head. */
#define MOST_FIELD_CHARS 4000

static void
write_field (PostbagMarkdown *markdown, const char *name, const char *value)
{
  g_autofree char *clean = postbag_clean (value, POSTBAG_CLEAN_LINE, MOST_FIELD_CHARS, NULL);

  if (*clean == '\0')
    return;
  postbag_markdown_text (markdown, name, -1);
  postbag_markdown_text (markdown, clean, -1);
  postbag_markdown_break (markdown);
}

static void
write_head (const PostbagLetter *self, PostbagMarkdown *markdown)
{
  g_autofree char *date = postbag_date_to_string (self->date);

  write_field (markdown, "Subject: ", self->subject);
  write_field (markdown, "From: ", self->from);
  write_field (markdown, "To: ", self->to);
  write_field (markdown, "Cc: ", self->cc);
  write_field (markdown, "Date: ", date);
  postbag_markdown_end_block (markdown);
}

static gboolean
has_words (const char *text)
{
  return text != NULL && text[strspn (text, " \t\r\n")] != '\0';
}

/* Text that another reader makes. */
static void
write_inside (PostbagExtractOutput *output, GBytes *bytes, const char *type)
{
  gsize length;
  const guint8 *data = g_bytes_get_data (bytes, &length);

  output->append (output, "\n\n", 2);
  if (!output->descend (output, data, length, type, NULL))
    output->note (output, "The text of the letter is in a form that could not be read.");
  output->append (output, "\n\n", 2);
}

void
postbag_letter_write (const PostbagLetter *self, PostbagMembers *attachments,
                      PostbagExtractOutput *output)
{
  g_autoptr (PostbagMarkdown) markdown = postbag_markdown_new (output);

  write_head (self, markdown);
  if (has_words (self->text))
    {
      postbag_markdown_text (markdown, self->text, -1);
      postbag_markdown_end_block (markdown);
    }
  else if (self->html != NULL || self->rtf != NULL)
    {
      if (postbag_markdown_is_full (markdown))
        return;
      g_clear_pointer (&markdown, postbag_markdown_free);
      write_inside (output, self->html != NULL ? self->html : self->rtf,
                    self->html != NULL ? "text/html" : "application/rtf");
      markdown = postbag_markdown_new (output);
    }
  postbag_members_write (attachments, markdown, "Attachments:");
}

void
postbag_letter_append_address (GString *list, const char *name, const char *address)
{
  gboolean named = has_words (name) && g_strcmp0 (name, address) != 0;

  if (!named && !has_words (address))
    return;
  if (list->len > 0)
    g_string_append (list, ", ");
  if (named && has_words (address))
    g_string_append_printf (list, "%s <%s>", name, address);
  else
    g_string_append (list, named ? name : address);
}

gint64
postbag_letter_read_filetime (guint64 time)
{
  gint64 seconds = (gint64)(time / 10000000) - G_GINT64_CONSTANT (11644473600);

  /* Until the year 9999. */
  return time != 0 && seconds > -G_GINT64_CONSTANT (11644473600)
                 && seconds < G_GINT64_CONSTANT (253402300800)
             ? seconds
             : POSTBAG_DATE_UNKNOWN;
}
