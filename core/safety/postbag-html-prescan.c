/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The linear pass in front of libxml2, whose cost grows with the square of open elements, of
 * attributes and of unclosed markup. It cuts the input into text and tags the way browsers do
 * (WHATWG HTML section 13.2.5) and writes a stream in which there is nothing left to be hostile
 * with. Every byte is looked at once. */

#include "safety/postbag-html-private.h"

#include <libxml/HTMLparser.h>
#include <string.h>

#include "base/postbag-limits.h"

#define MAX_NAME 32
#define MAX_REFERENCE 10

/* The attributes that later stages read. */
static const char *const kept[] = { "href", "style", "hidden", "alt", "start" };

typedef struct
{
  const char *html;
  gsize length;
  gsize at;
  GString *out;
  GString *attributes; /* of the tag at hand */
  GStringChunk *names;
  GPtrArray *open;    /* names of open elements, innermost last */
  GHashTable *counts; /* name to how often it is open */
} Scanner;

typedef struct
{
  char name[MAX_NAME + 1];
  gboolean end;
  gboolean closed; /* `/>` */
  GString *attributes;
  guint seen; /* bit for each of kept[] */
  guint count;
} Tag;

/* --- character references (contracts/guarded 4.5) --- */

/* HTML section 13.2.5.80: numbers 0x80 to 0x9f mean windows-1252. */
static gunichar
map_c1 (gunichar c)
{
  static const gunichar table[32] = {
    0x20ac, 0xfffd, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160,
    0x2039, 0x0152, 0xfffd, 0x017d, 0xfffd, 0xfffd, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
    0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0xfffd, 0x017e, 0x0178,
  };

  return c >= 0x80 && c <= 0x9f ? table[c - 0x80] : c;
}

static gsize
append_number (GString *out, const char *text, gsize length)
{
  gboolean hex = length > 2 && (text[2] == 'x' || text[2] == 'X');
  gsize i = hex ? 3 : 2, start = i;
  gunichar c = 0;

  for (; i < length && (hex ? g_ascii_isxdigit (text[i]) : g_ascii_isdigit (text[i])); i++)
    c = c > 0x10ffff ? c : c * (hex ? 16 : 10) + (gunichar)g_ascii_xdigit_value (text[i]);
  if (i == start)
    return 0;
  c = map_c1 (c);
  g_string_append_unichar (out, c == 0 || c > 0x10ffff || (c >= 0xd800 && c < 0xe000) ? 0xfffd : c);
  return i + (i < length && text[i] == ';' ? 1 : 0);
}

gsize
postbag_html_append_reference (GString *out, const char *text, gsize length, gboolean attribute)
{
  char name[MAX_REFERENCE + 1];
  const htmlEntityDesc *entity;
  gsize i = 0;

  if (length > 1 && text[1] == '#')
    return append_number (out, text, length);
  while (i < MAX_REFERENCE && i + 1 < length && g_ascii_isalnum (text[i + 1]))
    {
      name[i] = text[i + 1];
      i++;
    }
  name[i] = '\0';
  entity = i > 0 ? htmlEntityLookup ((const xmlChar *)name) : NULL;
  if (entity == NULL || (attribute && (i + 1 >= length || text[i + 1] != ';')))
    return 0;
  g_string_append_unichar (out, entity->value);
  return i + 1 + (i + 1 < length && text[i + 1] == ';' ? 1 : 0);
}

/* Text for libxml2, which decodes it once more. */
static void
append_escaped (GString *out, const char *text, gsize length)
{
  for (gsize i = 0; i < length; i++)
    {
      guchar c = (guchar)text[i];

      if (c == '&')
        g_string_append (out, "&amp;");
      else if (c == '<')
        g_string_append (out, "&lt;");
      else if (c == '"')
        g_string_append (out, "&quot;");
      else if (c >= ' ' || c == '\n' || c == '\t')
        g_string_append_c (out, (char)c);
      else if (c == '\f')
        g_string_append_c (out, ' ');
    }
}

static void
append_decoded (GString *out, const char *text, gsize length, gboolean attribute)
{
  g_autoptr (GString) plain = NULL;
  const char *reference = memchr (text, '&', length);

  if (reference == NULL)
    {
      append_escaped (out, text, length);
      return;
    }
  plain = g_string_sized_new (length);
  for (gsize i = 0; i < length;)
    {
      gsize used = 0;

      if (text[i] == '&')
        used = postbag_html_append_reference (plain, text + i, length - i, attribute);

      if (used == 0)
        g_string_append_c (plain, text[i]);
      i += MAX (used, 1);
    }
  append_escaped (out, plain->str, plain->len);
}

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

/* The first attribute of a name counts. */
static void
keep_attribute (Tag *tag, const char *name, gsize name_length, const char *value, gsize length)
{
  if (tag->count++ >= POSTBAG_LIMIT_HTML_ATTRIBUTES || length > POSTBAG_LIMIT_HTML_TAG_BYTES
      || tag->attributes->len > POSTBAG_LIMIT_HTML_TAG_BYTES)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (kept); i++)
    {
      if (strlen (kept[i]) != name_length || g_ascii_strncasecmp (kept[i], name, name_length) != 0
          || (tag->seen & (1u << i)) != 0)
        continue;
      tag->seen |= 1u << i;
      g_string_append_c (tag->attributes, ' ');
      g_string_append (tag->attributes, kept[i]);
      g_string_append (tag->attributes, "=\"");
      append_decoded (tag->attributes, value, length, TRUE);
      g_string_append_c (tag->attributes, '"');
    }
}

static void
read_attribute (Scanner *self, Tag *tag)
{
  gsize name = self->at, name_length, start = 0, end = 0;

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
  keep_attribute (tag, self->html + name, name_length, self->html + start, end - start);
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

/* --- open elements --- */

static gboolean
is_one_of (const char *name, const char *const *names)
{
  for (; *names != NULL; names++)
    if (name[0] == (*names)[0] && strcmp (name, *names) == 0)
      return TRUE;
  return FALSE;
}

static gboolean
is_void (const char *name)
{
  static const char *const names[] = { "area",  "base",   "br",    "col",  "embed",
                                       "hr",    "img",    "input", "link", "meta",
                                       "param", "source", "track", "wbr",  NULL };

  return is_one_of (name, names);
}

static gboolean
is_block (const char *name)
{
  static const char *const names[] = { "p",  "div",        "tr", "li", "table", "ul",
                                       "ol", "blockquote", "h1", "h2", "h3",    NULL };

  return is_one_of (name, names);
}

static gsize
count_open (Scanner *self, const char *name)
{
  return GPOINTER_TO_SIZE (g_hash_table_lookup (self->counts, name));
}

static void
pop_open (Scanner *self)
{
  const char *name = g_ptr_array_steal_index (self->open, self->open->len - 1);

  g_hash_table_insert (self->counts, (gpointer)name,
                       GSIZE_TO_POINTER (count_open (self, name) - 1));
}

/* What a start tag closes without being asked to (section 13.1.2.4), as far as it can stand on top:
 * else a page of unclosed paragraphs would count as nested. */
static const struct
{
  const char *start;
  const char *closes[4];
} implied[] = {
  { "p", { "p", NULL } },
  { "li", { "li", NULL } },
  { "td", { "td", "th", NULL } },
  { "th", { "td", "th", NULL } },
  { "tr", { "td", "th", "tr", NULL } },
  { "dd", { "dd", "dt", NULL } },
  { "dt", { "dd", "dt", NULL } },
  { "option", { "option", NULL } },
};

static void
pop_implied (Scanner *self, const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (implied); i++)
    {
      if (name[0] != implied[i].start[0] || strcmp (name, implied[i].start) != 0)
        continue;
      while (self->open->len > 0
             && is_one_of (g_ptr_array_index (self->open, self->open->len - 1), implied[i].closes))
        pop_open (self);
      return;
    }
}

static void
write_start (Scanner *self, const Tag *tag)
{
  const char *name = tag->name;

  if (!is_void (name))
    {
      pop_implied (self, name);
      if (self->open->len >= POSTBAG_LIMIT_HTML_DEPTH)
        {
          if (is_block (name))
            g_string_append (self->out, "<br>"); /* its text stays apart, that is all */
          return;
        }
      name = g_string_chunk_insert_const (self->names, name);
      g_ptr_array_add (self->open, (gpointer)name);
      g_hash_table_insert (self->counts, (gpointer)name,
                           GSIZE_TO_POINTER (count_open (self, name) + 1));
    }
  g_string_append_c (self->out, '<');
  g_string_append (self->out, name);
  g_string_append_len (self->out, tag->attributes->str, (gssize)tag->attributes->len);
  g_string_append_c (self->out, '>');
}

static void
write_end (Scanner *self, const Tag *tag)
{
  if (count_open (self, tag->name) == 0)
    {
      if (strcmp (tag->name, "p") == 0 || strcmp (tag->name, "br") == 0)
        g_string_append (self->out, "<br>");
      return;
    }
  while (strcmp (g_ptr_array_index (self->open, self->open->len - 1), tag->name) != 0)
    pop_open (self);
  pop_open (self);
  g_string_append (self->out, "</");
  g_string_append (self->out, tag->name);
  g_string_append_c (self->out, '>');
}

/* --- the pass --- */

/* Skips to behind @needle, to the end where there is none. */
static void
skip_past (Scanner *self, const char *needle)
{
  const char *found =
      memmem (self->html + self->at, self->length - self->at, needle, strlen (needle));

  self->at = found != NULL ? (gsize)(found - self->html) + strlen (needle) : self->length;
}

/* Elements whose content is no markup and is not shown: to their end tag. */
static void
skip_raw_text (Scanner *self, const char *name)
{
  gsize size = strlen (name);

  while (self->at < self->length)
    {
      skip_past (self, "</");
      if (self->length - self->at >= size
          && g_ascii_strncasecmp (self->html + self->at, name, size) == 0)
        {
          skip_past (self, ">");
          return;
        }
    }
}

static gboolean
is_raw_text (const char *name)
{
  static const char *const names[] = { "script",  "style", "title",    "textarea", "iframe",
                                       "noembed", "xmp",   "noframes", NULL };

  return is_one_of (name, names);
}

/* The page's own elements: libxml2 reads one body of ours, in which theirs are blocks like others.
 * Text in a head is seen by browsers too; what belongs there is dropped by its own tag. */
static void
map_page_element (Tag *tag)
{
  if (strcmp (tag->name, "html") == 0 || strcmp (tag->name, "body") == 0)
    g_strlcpy (tag->name, "div", sizeof tag->name);
}

static void
handle_tag (Scanner *self)
{
  Tag tag = { 0 };
  gsize start = self->at;

  tag.attributes = g_string_truncate (self->attributes, 0);
  if (!read_tag (self, &tag))
    {
      /* never closed: the rest is text, as it stands */
      append_escaped (self->out, self->html + start - 1, self->length - start + 1);
      self->at = self->length;
      return;
    }
  map_page_element (&tag);
  if (strcmp (tag.name, "head") == 0)
    return;
  if (tag.end)
    write_end (self, &tag);
  else if (is_raw_text (tag.name))
    skip_raw_text (self, tag.name);
  else
    write_start (self, &tag);
}

static void
handle_markup (Scanner *self)
{
  const char *rest = self->html + self->at;
  gsize left = self->length - self->at;

  if (left >= 4 && memcmp (rest, "<!--", 4) == 0)
    {
      self->at += 2; /* `<!-->` is a whole comment */
      skip_past (self, "-->");
    }
  else if (left >= 2
           && (rest[1] == '!' || rest[1] == '?'
               || (rest[1] == '/' && (left == 2 || !g_ascii_isalpha (rest[2])))))
    skip_past (self, ">");
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

char *
postbag_html_prescan (const char *html, gsize length)
{
  Scanner self = { html, length, 0, NULL, NULL, NULL, NULL, NULL };

  self.out = g_string_sized_new (length + 64);
  g_string_append (self.out, "<html><body>");
  self.attributes = g_string_new (NULL);
  self.names = g_string_chunk_new (1024);
  self.open = g_ptr_array_new ();
  self.counts = g_hash_table_new (g_str_hash, g_str_equal);
  while (self.at < length)
    {
      const char *markup = memchr (html + self.at, '<', length - self.at);
      gsize end = markup != NULL ? (gsize)(markup - html) : length;

      append_decoded (self.out, html + self.at, end - self.at, FALSE);
      self.at = end;
      if (markup != NULL)
        handle_markup (&self);
    }
  g_ptr_array_unref (self.open);
  g_hash_table_unref (self.counts);
  g_string_chunk_free (self.names);
  g_string_free (self.attributes, TRUE);
  return g_string_free (self.out, FALSE);
}
