/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The linear pass in front of libxml2, whose cost grows with the square of open elements, of
 * attributes and of unclosed markup. It cuts the input into text and tags the way browsers do
 * (WHATWG HTML section 13.2.5) and writes a stream in which there is nothing left to be hostile
 * with. Every byte is looked at once. */

#include "safety/postbag-html-private.h"

#include <string.h>

#include "base/postbag-limits.h"

#define MAX_NAME 32

/* In the order of PostbagHtmlAttribute. */
static const char *const attribute_names[] = {
  "href",        "style",  "hidden",     "alt",   "start",   "id",    "class", "src",
  "width",       "height", "bgcolor",    "color", "size",    "title", "type",  "value",
  "aria-hidden", "open",   "background", "text",  "popover", "media", "rel",
};
G_STATIC_ASSERT (G_N_ELEMENTS (attribute_names) == POSTBAG_HTML_N_ATTRIBUTES);

typedef struct
{
  const char *html;
  gsize length;
  gsize at;
  GString *out;
  PostbagHtmlOpen *open;
  gboolean doctype;
  gboolean again; /* the sheet is known, and asks for all elements */
  guint64 others; /* bits of attributes that are not kept */
  PostbagHtmlScan *scan;
  PostbagHtmlReport *report;
} Scanner;

/* An attribute that only a selector asks for. */
typedef struct
{
  char name[MAX_NAME + 1];
  gsize value;
  gsize length;
} Extra;

#define MAX_EXTRAS 8

typedef struct
{
  char name[MAX_NAME + 1];
  gboolean end;
  gboolean closed; /* `/>` */
  guint32 seen;    /* bit for each PostbagHtmlAttribute */
  gsize value[POSTBAG_HTML_N_ATTRIBUTES];
  gsize length[POSTBAG_HTML_N_ATTRIBUTES];
  guint n_extras;
  Extra extras[MAX_EXTRAS];
} Tag;

/* --- tags --- */

static gboolean
is_space (char c)
{
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

static void
read_tag_name (Scanner *self, Tag *tag)
{
  gsize i = 0;

  while (self->at < self->length && !is_space (self->html[self->at]) && self->html[self->at] != '/'
         && self->html[self->at] != '>')
    {
      char c = g_ascii_tolower (self->html[self->at++]);

      if (i < MAX_NAME && (g_ascii_isalnum (c) || c == '-'))
        tag->name[i++] = c;
      else if (i < MAX_NAME)
        tag->name[i++] = 'x'; /* `o:p` and worse: some unknown element */
    }
}

/* An attribute's value: where it stands. */
static void
read_value (Scanner *self, gsize *start, gsize *end)
{
  char quote = self->at < self->length ? self->html[self->at] : '\0';
  const char *close;

  if (quote == '"' || quote == '\'')
    {
      *start = self->at + 1;
      close = memchr (self->html + *start, quote, self->length - *start);
      *end = close != NULL ? (gsize)(close - self->html) : self->length;
      self->at = MIN (*end + 1, self->length);
      return;
    }
  *start = self->at;
  while (self->at < self->length && !is_space (self->html[self->at]) && self->html[self->at] != '>')
    self->at++;
  *end = self->at;
}

PostbagHtmlAttribute
postbag_html_find_attribute (const char *name, gsize length)
{
  char first = g_ascii_tolower (name[0]);
  guint i = 0;

  for (; i < POSTBAG_HTML_N_ATTRIBUTES; i++)
    if (first == attribute_names[i][0] && strlen (attribute_names[i]) == length
        && g_ascii_strncasecmp (attribute_names[i], name, length) == 0)
      break;
  return (PostbagHtmlAttribute)i;
}

const char *
postbag_html_get_attribute_name (PostbagHtmlAttribute attribute)
{
  return attribute_names[attribute];
}

static void
keep_extra (Scanner *self, Tag *tag, gsize name, gsize name_length, gsize value, gsize length)
{
  Extra *extra = &tag->extras[tag->n_extras];

  if (tag->n_extras >= MAX_EXTRAS || name_length > MAX_NAME)
    return;
  for (gsize i = 0; i < name_length; i++)
    extra->name[i] = g_ascii_tolower (self->html[name + i]);
  extra->name[name_length] = '\0';
  if (!g_ascii_isalpha (extra->name[0])
      || !postbag_css_sheet_wants_attribute (self->scan->sheet, extra->name))
    return;
  for (guint i = 0; i < tag->n_extras; i++)
    if (strcmp (tag->extras[i].name, extra->name) == 0)
      return;
  extra->value = value;
  extra->length = length;
  tag->n_extras++;
}

static void
read_attribute (Scanner *self, Tag *tag)
{
  gsize name = self->at, name_length, start = 0, end = 0;
  PostbagHtmlAttribute index;

  do
    self->at++;
  while (self->at < self->length && !is_space (self->html[self->at])
         && strchr ("/>=", self->html[self->at]) == NULL);
  name_length = self->at - name;
  while (self->at < self->length && is_space (self->html[self->at]))
    self->at++;
  if (self->at < self->length && self->html[self->at] == '=')
    {
      self->at++;
      while (self->at < self->length && is_space (self->html[self->at]))
        self->at++;
      read_value (self, &start, &end);
    }
  index = postbag_html_find_attribute (self->html + name, name_length);
  if (self->again && (index == POSTBAG_HTML_N_ATTRIBUTES || index >= POSTBAG_HTML_MEDIA))
    keep_extra (self, tag, name, name_length, start, end - start);
  else if (index >= POSTBAG_HTML_MEDIA)
    self->others |= postbag_css_hash_attribute (self->html + name, name_length);
  if (index == POSTBAG_HTML_N_ATTRIBUTES || (tag->seen & (1u << index)) != 0)
    return; /* the first of a name counts */
  tag->seen |= 1u << index;
  tag->value[index] = start;
  tag->length[index] = end - start;
}

static gboolean
has_attribute (const Tag *tag, PostbagHtmlAttribute attribute)
{
  return (tag->seen & (1u << attribute)) != 0;
}

/* (transfer full): its value, %NULL where there is none */
static char *
decode_attribute (Scanner *self, const Tag *tag, PostbagHtmlAttribute attribute)
{
  GString *plain;

  if (!has_attribute (tag, attribute) || tag->length[attribute] > POSTBAG_LIMIT_HTML_TAG_BYTES)
    return NULL;
  plain = g_string_new (NULL);
  postbag_html_decode (plain, self->html + tag->value[attribute], tag->length[attribute], TRUE);
  return g_string_free (plain, FALSE);
}

/* The attributes that later stages read, as far as they fit. */
static void
append_attributes (Scanner *self, const Tag *tag)
{
  gsize start = self->out->len;

  for (guint i = 0; tag->seen >> i != 0 && i < POSTBAG_HTML_MEDIA; i++)
    {
      if (!has_attribute (tag, i))
        continue;
      if (self->out->len - start + tag->length[i] > POSTBAG_LIMIT_HTML_TAG_BYTES)
        {
          self->report->cut |=
              i == POSTBAG_HTML_STYLE || i == POSTBAG_HTML_CLASS || i == POSTBAG_HTML_ID;
          continue;
        }
      g_string_append_c (self->out, ' ');
      g_string_append (self->out, attribute_names[i]);
      g_string_append (self->out, "=\"");
      postbag_html_append_decoded (self->out, self->html + tag->value[i], tag->length[i], TRUE);
      g_string_append_c (self->out, '"');
    }
}

static void
append_extras (Scanner *self, const Tag *tag)
{
  for (guint i = 0; i < tag->n_extras; i++)
    {
      const Extra *extra = &tag->extras[i];

      if (extra->length > POSTBAG_LIMIT_HTML_TAG_BYTES / MAX_EXTRAS)
        continue;
      g_string_append_printf (self->out, " %s=\"", extra->name);
      postbag_html_append_decoded (self->out, self->html + extra->value, extra->length, TRUE);
      g_string_append_c (self->out, '"');
    }
}

/* Reads from behind the `<` to behind the `>`. FALSE: the input ended first. */
static gboolean
read_tag (Scanner *self, Tag *tag)
{
  if (self->html[self->at] == '/')
    {
      tag->end = TRUE;
      self->at++;
    }
  read_tag_name (self, tag);
  while (self->at < self->length)
    {
      char c = self->html[self->at];

      if (c == '>')
        {
          self->at++;
          return TRUE;
        }
      tag->closed = c == '/';
      if (c == '/' || is_space (c))
        self->at++;
      else
        read_attribute (self, tag);
    }
  return FALSE;
}

/* --- what is written of a tag --- */

static gboolean
is_void (const char *name)
{
  static const char *const names[] = { "area",  "base",   "br",    "col",  "embed",
                                       "hr",    "img",    "input", "link", "meta",
                                       "param", "source", "track", "wbr",  NULL };

  return postbag_html_is_one_of (name, names);
}

static gboolean
is_block (const char *name)
{
  static const char *const names[] = { "p",  "div",        "tr", "li", "table", "ul",
                                       "ol", "blockquote", "h1", "h2", "h3",    NULL };

  return postbag_html_is_one_of (name, names);
}

/* An element that browsers have though nobody wrote it. */
static void
write_implied (Scanner *self, const char *name)
{
  if (postbag_html_open_start (self->open, name))
    g_string_append_printf (self->out, "<%s>", name);
}

/* Of one that is left out only its place is left. */
static void
write_place (Scanner *self, const char *name)
{
  if (self->again)
    g_string_append_printf (self->out, "<%s_></%s_>", name, name);
}

/* Where the page's own elements are not open yet when something comes that stands in them. */
static void
begin_body (Scanner *self)
{
  if (self->scan->has_body)
    return;
  if (!self->scan->has_html)
    write_implied (self, POSTBAG_HTML_OWN_HTML);
  self->scan->has_html = TRUE;
  write_place (self, "head");
  write_implied (self, POSTBAG_HTML_OWN_BODY);
  self->scan->has_body = TRUE;
}

/* HTML section 13.2.6.4.9: a row stands in a body of its table, a cell in a row. */
static void
begin_table_body (Scanner *self, const char *name)
{
  gboolean cell = strcmp (name, "td") == 0 || strcmp (name, "th") == 0;
  const char *top = postbag_html_open_get_top (self->open);

  if (top == NULL || (!cell && strcmp (name, "tr") != 0))
    return;
  if (strcmp (top, "table") == 0)
    {
      write_implied (self, "tbody");
      top = "tbody";
    }
  if (cell && top[0] == 't'
      && (strcmp (top, "tbody") == 0 || strcmp (top, "thead") == 0 || strcmp (top, "tfoot") == 0))
    write_implied (self, "tr");
}

static gboolean
belongs_in_head (const char *name)
{
  static const char *const names[] = { "base",  "link",     "meta",  "noscript", "script",
                                       "style", "template", "title", NULL };

  return postbag_html_is_one_of (name, names);
}

/* FALSE: it stands in the head, where nothing counts it. */
static gboolean
prepare_place (Scanner *self, const char *name)
{
  if (!self->again || postbag_html_open_contains (self->open, POSTBAG_HTML_OWN_BODY))
    {
      if (self->again)
        begin_table_body (self, name);
      return TRUE;
    }
  if (belongs_in_head (name))
    return FALSE;
  if (strcmp (name, POSTBAG_HTML_OWN_HTML) != 0 && strcmp (name, POSTBAG_HTML_OWN_BODY) != 0)
    begin_body (self);
  return TRUE;
}

static void
write_start (Scanner *self, const Tag *tag)
{
  if (!prepare_place (self, tag->name) && is_void (tag->name))
    return;
  if (!is_void (tag->name) && !postbag_html_open_start (self->open, tag->name))
    {
      self->report->cut = TRUE;
      if (is_block (tag->name))
        g_string_append (self->out, "<br>"); /* its text stays apart, that is all */
      return;
    }
  g_string_append_c (self->out, '<');
  g_string_append (self->out, tag->name);
  append_attributes (self, tag);
  append_extras (self, tag);
  g_string_append_c (self->out, '>');
}

static void
write_end (Scanner *self, const Tag *tag)
{
  if (!postbag_html_open_end (self->open, tag->name))
    {
      if (strcmp (tag->name, "p") == 0 || strcmp (tag->name, "br") == 0)
        g_string_append (self->out, "<br>");
      return;
    }
  g_string_append (self->out, "</");
  g_string_append (self->out, tag->name);
  g_string_append_c (self->out, '>');
}

/* --- the pass --- */

gsize
postbag_html_count_chars (const char *text, gsize length, gboolean outside_tags)
{
  gboolean tag = FALSE;
  gsize count = 0;

  for (gsize i = 0; i < length; i++)
    {
      char c = text[i];

      if (outside_tags && (c == '<' || (tag && c == '>')))
        tag = c == '<';
      else if (!tag && !is_space (c) && (c & 0xc0) != 0x80)
        count++;
    }
  return count;
}

static void
hide (Scanner *self, const char *reason, gsize start, gsize end, gboolean outside_tags)
{
  postbag_html_report_hide (
      self->report, reason,
      postbag_html_count_chars (self->html + start, end - start, outside_tags));
}

/* Skips to behind @needle, to the end where there is none. */
static void
skip_past (Scanner *self, const char *needle)
{
  const char *found =
      memmem (self->html + self->at, self->length - self->at, needle, strlen (needle));

  self->at = found != NULL ? (gsize)(found - self->html) + strlen (needle) : self->length;
}

/* Elements whose content is no markup: where it ends; the end tag is skipped. */
static gsize
skip_raw_text (Scanner *self, const char *name)
{
  gsize size = strlen (name);

  while (self->at < self->length)
    {
      gsize end;

      skip_past (self, "</");
      end = self->at;
      if (self->length - self->at >= size
          && g_ascii_strncasecmp (self->html + self->at, name, size) == 0
          && (self->length - self->at == size
              || strchr (" \t\n\r\f/>", self->html[self->at + size]) != NULL))
        {
          skip_past (self, ">");
          return end - 2;
        }
    }
  return self->length;
}

/* Why the text in them is not shown; "" where it is code, %NULL where it is shown. */
static const struct
{
  const char *name;
  const char *reason;
} raw_texts[] = {
  { "script", "" },
  { "style", "" },
  { "title", POSTBAG_HIDDEN_TITLE },
  { "textarea", POSTBAG_HIDDEN_TEXTAREA },
  { "iframe", POSTBAG_HIDDEN_FALLBACK },
  { "noembed", POSTBAG_HIDDEN_FALLBACK },
  { "noframes", POSTBAG_HIDDEN_FALLBACK },
  { "xmp", NULL },
};

static gssize
find_raw_text (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (raw_texts); i++)
    if (name[0] == raw_texts[i].name[0] && strcmp (name, raw_texts[i].name) == 0)
      return (gssize)i;
  return -1;
}

/* A style sheet says nothing before all of the mail has been seen: it may stand at its end. */
static void
add_style (Scanner *self, const Tag *tag, gsize start, gsize end)
{
  g_autofree char *type = decode_attribute (self, tag, POSTBAG_HTML_TYPE);
  g_autofree char *media = decode_attribute (self, tag, POSTBAG_HTML_MEDIA);

  if (type != NULL && *type != '\0' && g_ascii_strcasecmp (g_strstrip (type), "text/css") != 0)
    return;
  if (self->again)
    return;
  if (self->scan->sheet == NULL)
    self->scan->sheet = postbag_css_sheet_new (!self->doctype);
  postbag_css_sheet_add (self->scan->sheet, self->html + start, end - start, media);
}

static void
handle_raw_text (Scanner *self, const Tag *tag, gsize index)
{
  gsize start = self->at;
  gsize end = skip_raw_text (self, tag->name);
  const char *reason = raw_texts[index].reason;

  if (prepare_place (self, tag->name) && reason != NULL)
    write_place (self, tag->name);
  if (strcmp (tag->name, "style") == 0)
    add_style (self, tag, start, end);
  else if (reason == NULL)
    {
      g_string_append (self->out, "<pre>");
      postbag_html_append_escaped (self->out, self->html + start, end - start);
      g_string_append (self->out, "</pre>");
    }
  else if (*reason != '\0')
    hide (self, reason, start, end, FALSE);
}

/* `link` and `base` are not written: a style sheet is counted, an address kept. */
static gboolean
handle_resource (Scanner *self, const Tag *tag)
{
  g_autofree char *href = NULL;
  g_autofree char *rel = NULL;

  if (tag->end || (strcmp (tag->name, "base") != 0 && strcmp (tag->name, "link") != 0))
    return FALSE;
  if (prepare_place (self, tag->name))
    write_place (self, tag->name);
  href = decode_attribute (self, tag, POSTBAG_HTML_HREF);
  if (href == NULL)
    return TRUE;
  if (tag->name[0] == 'b')
    {
      if (self->scan->base == NULL)
        self->scan->base =
            g_uri_parse (g_strstrip (href), G_URI_FLAGS_PARSE_RELAXED | G_URI_FLAGS_ENCODED, NULL);
      return TRUE;
    }
  rel = decode_attribute (self, tag, POSTBAG_HTML_REL);
  if (rel != NULL && g_strrstr (g_strstrip (rel), "tylesheet") != NULL)
    self->report->remote_styles++;
  return TRUE;
}

/* The page's own elements. They stay open to the end, whatever the mail says, as in browsers;
 * the second of a kind is a break. Text in a head is seen by browsers too; what belongs there is
 * dropped by its own tag. TRUE: nothing is left to do. */
static gboolean
handle_page_element (Scanner *self, Tag *tag)
{
  gboolean body = strcmp (tag->name, "body") == 0;
  const char *own = body ? POSTBAG_HTML_OWN_BODY : POSTBAG_HTML_OWN_HTML;

  if (strcmp (tag->name, "head") == 0)
    return TRUE;
  if (!body && strcmp (tag->name, "html") != 0)
    return FALSE;
  if (tag->end)
    return TRUE;
  if (postbag_html_open_contains (self->open, own) || (body && self->scan->has_body))
    {
      g_string_append (self->out, "<br>");
      return TRUE;
    }
  if (body && self->again)
    {
      if (!self->scan->has_html)
        write_implied (self, POSTBAG_HTML_OWN_HTML);
      self->scan->has_html = TRUE;
      write_place (self, "head");
    }
  self->scan->has_body |= body;
  self->scan->has_html |= !body;
  g_strlcpy (tag->name, own, sizeof tag->name);
  return FALSE;
}

static void
handle_tag (Scanner *self)
{
  Tag tag;
  gsize start = self->at;
  gssize raw;

  tag.end = tag.closed = FALSE;
  tag.seen = 0;
  tag.n_extras = 0;
  memset (tag.name, 0, sizeof tag.name);
  if (!read_tag (self, &tag))
    {
      /* never closed: the rest is text, as it stands */
      postbag_html_append_escaped (self->out, self->html + start - 1, self->length - start + 1);
      self->at = self->length;
      return;
    }
  if (handle_page_element (self, &tag) || handle_resource (self, &tag))
    return;
  raw = find_raw_text (tag.name);
  if (tag.end)
    write_end (self, &tag);
  else if (raw >= 0)
    handle_raw_text (self, &tag, (gsize)raw);
  else
    write_start (self, &tag);
}

/* `<!-- ... -->`, which `--!>` ends too; `<!-->` is a whole one */
static void
handle_comment (Scanner *self)
{
  gsize start = self->at + 4, end;
  const char *text = self->html + start;
  gboolean conditional;

  self->at += 2;
  for (;;)
    {
      const char *rest;

      skip_past (self, "--");
      end = self->at < self->length ? self->at - 2 : self->length;
      rest = self->html + self->at;
      if (self->at >= self->length || *rest == '>')
        break;
      if (*rest == '!' && self->at + 1 < self->length && rest[1] == '>')
        {
          self->at++;
          break;
        }
      self->at--; /* `--->` */
    }
  self->at = MIN (self->at + 1, self->length);
  if (end <= start)
    return;
  conditional = text[0] == '[';
  if (conditional)
    {
      const char *close = memmem (text, end - start, "]>", 2);

      start = close != NULL ? (gsize)(close - self->html) + 2 : end;
    }
  else if (text[0] == '<' && text[1] == '!')
    return; /* `<!--<![endif]-->` */
  hide (self, conditional ? POSTBAG_HIDDEN_CONDITIONAL : POSTBAG_HIDDEN_COMMENT, start, end,
        conditional);
}

/* `<!...>`, `<?...>`, `</...>`: comments to browsers, where they are no doctype */
static void
handle_declaration (Scanner *self)
{
  const char *rest = self->html + self->at;
  gsize left = self->length - self->at, start = self->at + 2;
  gboolean named = (left > 9 && g_ascii_strncasecmp (rest, "<!doctype", 9) == 0);

  self->doctype |= named;
  skip_past (self, ">");
  if (!named && !(left > 6 && g_ascii_strncasecmp (rest, "<![if ", 6) == 0)
      && !(left > 6 && g_ascii_strncasecmp (rest, "<![end", 6) == 0)
      && !(left > 5 && g_ascii_strncasecmp (rest, "<?xml", 5) == 0) && self->at > start)
    hide (self, POSTBAG_HIDDEN_COMMENT, start, self->at - 1, FALSE);
}

static void
handle_markup (Scanner *self)
{
  const char *rest = self->html + self->at;
  gsize left = self->length - self->at;

  if (left >= 4 && memcmp (rest, "<!--", 4) == 0)
    handle_comment (self);
  else if (left >= 2
           && (rest[1] == '!' || rest[1] == '?'
               || (rest[1] == '/' && (left == 2 || !g_ascii_isalpha (rest[2])))))
    handle_declaration (self);
  else if (left >= 2 && (g_ascii_isalpha (rest[1]) || rest[1] == '/'))
    {
      self->at++;
      handle_tag (self);
    }
  else
    {
      g_string_append (self->out, "&lt;");
      self->at++;
    }
}

void
postbag_html_scan_free (PostbagHtmlScan *self)
{
  if (self == NULL)
    return;
  g_free (self->stream);
  postbag_css_sheet_free (self->sheet);
  g_clear_pointer (&self->base, g_uri_unref);
  g_free (self);
}

static gboolean
is_blank_text (const char *text, gsize length)
{
  gsize i = 0;

  while (i < length && is_space (text[i]))
    i++;
  return i == length;
}

static void
scan_all (Scanner *self)
{
  self->out = g_string_sized_new (self->length + 64);
  g_string_append (self->out, "<html><body>");
  self->open = postbag_html_open_new ();
  while (self->at < self->length)
    {
      const char *markup = memchr (self->html + self->at, '<', self->length - self->at);
      gsize end = markup != NULL ? (gsize)(markup - self->html) : self->length;

      if (self->again && !is_blank_text (self->html + self->at, end - self->at))
        begin_body (self);
      postbag_html_append_decoded (self->out, self->html + self->at, end - self->at, FALSE);
      self->at = end;
      if (markup != NULL)
        handle_markup (self);
    }
  postbag_html_open_free (self->open);
  self->scan->stream = g_string_free (self->out, FALSE);
}

/* Where a selector asks for other attributes, or counts elements: the stream once more, with all
 * that is left out otherwise. */
static void
scan_again (Scanner *first)
{
  PostbagCssSheet *sheet = first->scan->sheet;
  guint needs = postbag_css_sheet_get_needs (sheet);
  g_autoptr (PostbagHtmlReport) unwanted = NULL;
  Scanner self = { .html = first->html,
                   .length = first->length,
                   .again = TRUE,
                   .doctype = first->doctype,
                   .scan = first->scan };

  if (!postbag_css_sheet_wants_any (sheet, first->others))
    {
      needs &= ~(guint)POSTBAG_CSS_NEEDS_ATTRIBUTES;
      postbag_css_sheet_give (sheet, POSTBAG_CSS_NEEDS_ATTRIBUTES);
    }
  if ((needs & (POSTBAG_CSS_NEEDS_TREE | POSTBAG_CSS_NEEDS_ATTRIBUTES)) == 0
      || first->length > POSTBAG_LIMIT_HTML_AGAIN_BYTES)
    return;
  postbag_css_sheet_give (sheet, POSTBAG_CSS_NEEDS_TREE | POSTBAG_CSS_NEEDS_ATTRIBUTES);
  self.report = unwanted = postbag_html_report_new ();
  g_free (self.scan->stream);
  self.scan->has_html = self.scan->has_body = FALSE;
  scan_all (&self);
}

PostbagHtmlScan *
postbag_html_prescan (const char *html, gsize length, PostbagHtmlReport *report)
{
  Scanner self = { .html = html, .length = length, .report = report };

  self.scan = g_new0 (PostbagHtmlScan, 1);
  scan_all (&self);
  if (self.scan->sheet == NULL)
    self.scan->sheet = postbag_css_sheet_new (!self.doctype);
  scan_again (&self);
  report->remote_styles += postbag_css_sheet_count_imports (self.scan->sheet);
  return self.scan;
}
