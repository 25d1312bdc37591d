/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What elements look like as text: blocks, lists, quotations, links with the host they lead to,
 * images by their descriptions. */

#include <string.h>

#include "base/postbag-text.h"
#include "safety/postbag-html-reader-private.h"

static void
write_text (PostbagHtmlReader *self, const char *text)
{
  postbag_html_writer_text (self->writer, text, strlen (text));
}

void
postbag_html_reader_write (PostbagHtmlReader *self, const char *text)
{
  self->link_seen = TRUE;
  write_text (self, text);
}

static void
hide (PostbagHtmlReader *self, const char *reason, const char *text)
{
  if (text != NULL)
    postbag_html_report_hide (self->report, reason,
                              postbag_html_count_chars (text, strlen (text), FALSE));
}

/* --- text for screen readers --- */

/* Kept, but nobody shall think that it is on the page. */
static void
write_spoken (PostbagHtmlReader *self, const char *text, gsize length)
{
  gsize chars = postbag_html_count_chars (text, length, FALSE);

  if (chars > POSTBAG_LIMIT_ALT_CHARS || self->spoken_chars + chars > POSTBAG_LIMIT_SPOKEN_CHARS)
    {
      postbag_html_report_hide (self->report, POSTBAG_HIDDEN_SPOKEN, chars);
      return;
    }
  if (chars > 0 && !self->labelled)
    {
      write_text (self, "[screen reader: ");
      self->labelled = TRUE;
    }
  self->spoken_chars += chars;
  postbag_html_writer_text (self->writer, text, length);
}

static void
end_spoken (PostbagHtmlReader *self)
{
  if (self->spoken_depth != self->depth || self->depth == 0)
    return;
  if (self->labelled)
    write_text (self, "]");
  self->spoken_depth = 0;
  self->labelled = FALSE;
}

void
postbag_html_reader_text (PostbagHtmlReader *self, const char *text, gsize length)
{
  const PostbagHtmlElement *top = postbag_html_reader_get_top (self);

  if (top->unseen != NULL)
    {
      postbag_html_report_hide (self->report, top->unseen,
                                postbag_html_count_chars (text, length, FALSE));
      return;
    }
  self->link_seen = TRUE;
  if (top->sight.spoken)
    write_spoken (self, text, length);
  else
    postbag_html_writer_text (self->writer, text, length);
}

/* --- links --- */

static void
begin_link (PostbagHtmlReader *self, const char *href)
{
  g_clear_pointer (&self->href, g_free);
  g_clear_pointer (&self->url, g_free);
  if (href == NULL)
    return;
  self->url = postbag_html_link_resolve (href, self->scan->base, &self->relatives);
  if (self->url == NULL)
    return;
  self->href = g_strndup (href, MIN (strlen (href), POSTBAG_LIMIT_LINK_BYTES));
  self->link_mark = postbag_html_writer_mark (self->writer);
  self->link_seen = FALSE;
}

/* Whether @text is @url already, as far as a reader cares. */
static gboolean
says_the_same (const char *text, const char *url)
{
  gsize length = strlen (text);

  if (g_str_has_prefix (url, "mailto:") || g_str_has_prefix (url, "tel:"))
    return strcmp (text, url) == 0 || strcmp (text, strchr (url, ':') + 1) == 0;
  return strncmp (text, url, length) == 0 && length > 0
         && (url[length] == '\0' || strcmp (url + length, "/") == 0);
}

void
postbag_html_reader_end_link (PostbagHtmlReader *self)
{
  g_autofree char *href = g_steal_pointer (&self->href);
  g_autofree char *url = g_steal_pointer (&self->url);
  g_autofree char *text = NULL;
  g_autofree char *shown = NULL;
  g_autofree char *bracketed = NULL;

  if (url == NULL || !self->link_seen)
    return;
  text = g_strstrip (g_strdup (postbag_html_writer_since (self->writer, self->link_mark)));
  postbag_html_link_compare (text, url, href, self->report);
  shown = postbag_html_link_show (url, &self->conversions);
  if (says_the_same (text, shown))
    return;
  bracketed = g_strdup_printf (text[0] != '\0' ? " (%s)" : "(%s)", shown);
  write_text (self, bracketed);
}

/* --- images --- */

static gboolean
is_remote (const char *source)
{
  return source != NULL
         && (g_ascii_strncasecmp (source, "http:", 5) == 0
             || g_ascii_strncasecmp (source, "https:", 6) == 0 || g_str_has_prefix (source, "//"));
}

/* (transfer full): @alt on one line, as long as a description may be; the rest is counted. */
static char *
shorten (PostbagHtmlReader *self, const char *alt)
{
  g_autofree char *kept = NULL;
  gboolean was_cut;

  kept = postbag_text_cut (alt, POSTBAG_LIMIT_ALT_CHARS, &was_cut);
  if (!was_cut)
    return g_strstrip (g_steal_pointer (&kept));
  hide (self, POSTBAG_HIDDEN_ALT, alt + strlen (kept));
  return g_strconcat (g_strstrip (kept), "…", NULL);
}

static void
write_image (PostbagHtmlReader *self, const PostbagHtmlAttributes *attributes)
{
  const char *alt = attributes->value[POSTBAG_HTML_ALT];
  const char *source = attributes->value[POSTBAG_HTML_SRC];
  const char *unseen = postbag_html_reader_judge_box (self);
  g_autofree char *name = NULL;
  g_autofree char *label = NULL;

  if (unseen == NULL && postbag_html_reader_get_top (self)->tiny)
    unseen = POSTBAG_HIDDEN_SIZE;
  if (unseen != NULL)
    {
      self->report->tracking_images += is_remote (source);
      hide (self, unseen, alt);
      return;
    }
  self->link_seen = TRUE;
  name = shorten (self, alt != NULL ? alt : "");
  if (source != NULL && g_ascii_strncasecmp (source, "cid:", 4) == 0)
    {
      g_autofree char *id = postbag_text_cut (source, POSTBAG_LIMIT_ALT_CHARS, NULL);

      label = g_strconcat ("[image: ", name, *name != '\0' ? ", " : "", id, "]", NULL);
    }
  else if (*name != '\0')
    label = g_strconcat ("[image: ", name, "]", NULL);
  if (label != NULL)
    write_text (self, label);
}

/* A place in an image that leads somewhere. */
static void
write_area (PostbagHtmlReader *self, const PostbagHtmlAttributes *attributes)
{
  const char *alt = attributes->value[POSTBAG_HTML_ALT];
  g_autofree char *name = NULL;

  if (postbag_html_reader_judge_box (self) != NULL)
    {
      hide (self, postbag_html_reader_judge_box (self), alt);
      return;
    }
  begin_link (self, attributes->value[POSTBAG_HTML_HREF]);
  name = shorten (self, alt != NULL ? alt : "");
  self->link_seen = TRUE;
  write_text (self, " ");
  write_text (self, name);
  postbag_html_reader_end_link (self);
  write_text (self, " ");
}

static void
write_input (PostbagHtmlReader *self, const PostbagHtmlAttributes *attributes)
{
  static const char *const shown[] = { "text",  "submit", "button", "reset", "search",
                                       "email", "url",    "tel",    "date",  "number" };
  const char *type = attributes->value[POSTBAG_HTML_TYPE];
  const char *value = attributes->value[POSTBAG_HTML_VALUE];
  const char *unseen = postbag_html_reader_get_top (self)->unseen;
  gboolean known = type == NULL || *type == '\0';

  for (gsize i = 0; !known && i < G_N_ELEMENTS (shown); i++)
    known = g_ascii_strcasecmp (type, shown[i]) == 0;
  if (value == NULL)
    return;
  if (unseen == NULL && known)
    postbag_html_reader_text (self, value, strlen (value));
  else
    hide (self, unseen != NULL ? unseen : POSTBAG_HIDDEN_INPUT, value);
}

/* --- elements --- */

static int
read_start (const char *text)
{
  return text != NULL ? (int)CLAMP (g_ascii_strtoll (text, NULL, 10), 0, 99999) : 1;
}

static void
write_rule (PostbagHtmlReader *self)
{
  postbag_html_writer_block (self->writer, 2);
  write_text (self, "* * *");
  postbag_html_writer_block (self->writer, 2);
}

static void
begin_kind (PostbagHtmlReader *self, const PostbagHtmlAttributes *attributes)
{
  switch (postbag_html_reader_get_top (self)->kind)
    {
    case POSTBAG_HTML_BLOCK:
    case POSTBAG_HTML_TABLE:
    case POSTBAG_HTML_ROW:
    case POSTBAG_HTML_BODY:
    case POSTBAG_HTML_DETAILS:
    case POSTBAG_HTML_SUMMARY:
    case POSTBAG_HTML_DIALOG:
      postbag_html_writer_block (self->writer, 1);
      break;
    case POSTBAG_HTML_PARAGRAPH:
      postbag_html_writer_block (self->writer, 2);
      break;
    case POSTBAG_HTML_RULE:
      write_rule (self);
      break;
    case POSTBAG_HTML_BREAK:
      postbag_html_writer_break (self->writer);
      break;
    case POSTBAG_HTML_CELL:
      postbag_html_writer_cell (self->writer);
      break;
    case POSTBAG_HTML_ITEM:
      postbag_html_writer_item (self->writer);
      break;
    case POSTBAG_HTML_LIST:
      postbag_html_writer_begin_list (self->writer, -1);
      break;
    case POSTBAG_HTML_ORDERED:
      postbag_html_writer_begin_list (self->writer,
                                      read_start (attributes->value[POSTBAG_HTML_START]));
      break;
    case POSTBAG_HTML_QUOTE:
      postbag_html_writer_quote (self->writer, 1);
      break;
    case POSTBAG_HTML_PRE:
      postbag_html_writer_pre (self->writer, 1);
      break;
    default:
      break;
    }
}

static void
end_kind (PostbagHtmlReader *self)
{
  switch (postbag_html_reader_get_top (self)->kind)
    {
    case POSTBAG_HTML_BLOCK:
    case POSTBAG_HTML_TABLE:
    case POSTBAG_HTML_ROW:
    case POSTBAG_HTML_BODY:
    case POSTBAG_HTML_DETAILS:
    case POSTBAG_HTML_SUMMARY:
    case POSTBAG_HTML_DIALOG:
    case POSTBAG_HTML_ITEM:
      postbag_html_writer_block (self->writer, 1);
      break;
    case POSTBAG_HTML_PARAGRAPH:
      postbag_html_writer_block (self->writer, 2);
      break;
    case POSTBAG_HTML_LIST:
    case POSTBAG_HTML_ORDERED:
      postbag_html_writer_end_list (self->writer);
      break;
    case POSTBAG_HTML_QUOTE:
      postbag_html_writer_quote (self->writer, -1);
      break;
    case POSTBAG_HTML_PRE:
      postbag_html_writer_pre (self->writer, -1);
      break;
    default:
      break;
    }
}

/* Attributes whose text is on no page. */
static void
count_attributes (PostbagHtmlReader *self, const PostbagHtmlAttributes *attributes,
                  PostbagHtmlKind kind)
{
  hide (self, POSTBAG_HIDDEN_TITLE, attributes->value[POSTBAG_HTML_TITLE]);
  if (kind != POSTBAG_HTML_IMAGE && kind != POSTBAG_HTML_AREA)
    hide (self, POSTBAG_HIDDEN_ALT, attributes->value[POSTBAG_HTML_ALT]);
}

void
postbag_html_reader_begin (PostbagHtmlReader *self, const PostbagHtmlAttributes *attributes)
{
  const PostbagHtmlElement *top = postbag_html_reader_get_top (self);

  count_attributes (self, attributes, top->kind);
  if (postbag_html_reader_judge_box (self) == NULL)
    begin_kind (self, attributes);
  if (top->sight.spoken && self->spoken_depth == 0)
    self->spoken_depth = self->depth;
  switch (top->kind)
    {
    case POSTBAG_HTML_LINK:
      if (postbag_html_reader_judge_box (self) == NULL)
        begin_link (self, attributes->value[POSTBAG_HTML_HREF]);
      break;
    case POSTBAG_HTML_IMAGE:
      write_image (self, attributes);
      break;
    case POSTBAG_HTML_AREA:
      write_area (self, attributes);
      break;
    case POSTBAG_HTML_INPUT:
      write_input (self, attributes);
      break;
    default:
      break;
    }
}

void
postbag_html_reader_end (PostbagHtmlReader *self)
{
  const PostbagHtmlElement *top = postbag_html_reader_get_top (self);

  postbag_html_reader_end_generated (self);
  end_spoken (self);
  if (top->kind == POSTBAG_HTML_LINK)
    postbag_html_reader_end_link (self);
  if (postbag_html_reader_judge_box (self) == NULL)
    end_kind (self);
}
