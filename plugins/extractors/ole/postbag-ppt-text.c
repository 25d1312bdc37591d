/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The text of a shape: letters in one record; runs of paragraph properties in the next; fields and
 * links by their places. */

#include "postbag-ppt-text.h"

#include "extract/postbag-story.h"

#include "postbag-ppt-numbers.h"

enum
{
  LINE = 0x0b,
  PARAGRAPH = 0x0d,
};

/* Paragraph properties that a mask announces, in the order in which they stand ([MS-PPT] 2.9.20):
 * their bits and bytes. */
static const struct
{
  guint32 mask;
  guint size;
} properties[] = {
  { 0x0000000f, 2 }, { 0x00000080, 2 }, { 0x00000010, 2 }, { 0x00000040, 2 },
  { 0x00000020, 4 }, { 0x00000800, 2 }, { 0x00001000, 2 }, { 0x00002000, 2 },
  { 0x00004000, 2 }, { 0x00000100, 2 }, { 0x00000400, 2 }, { 0x00008000, 2 },
  { 0x00100000, 0 }, { 0x00010000, 2 }, { 0x000e0000, 2 }, { 0x00200000, 2 },
};
#define MASK_HAS_BULLET 1
#define MASK_TABS 0x00100000

typedef struct
{
  gsize at;    /* of the next run */
  gsize until; /* letters of this run */
  guint level;
  gint bullet; /* -1: as the master says */
} Runs;

typedef struct
{
  const PostbagPptText *text;
  PostbagMarkdown *markdown;
  PostbagPptLayout layout;
  GString *words;
  gsize length;  /* in letters */
  GArray *drops; /* (element-type gsize): places of fields, in order */
  GArray *links; /* (element-type Link): by their ends, in order */
  guint dropped, linked;
  Runs runs;
  PostbagPptNumbers numbers;
  gsize start;      /* of the paragraph */
  gboolean is_open; /* the paragraph has words */
} Writer;

typedef struct
{
  gsize end;
  const char *target;
} Link;

/* --- records --- */

static gboolean
is_field (guint type)
{
  return type == POSTBAG_PPT_META_NUMBER || type == POSTBAG_PPT_META_RTF_DATE
         || (type >= POSTBAG_PPT_META_DATE && type <= POSTBAG_PPT_META_FOOTER);
}

static void
take_record (PostbagPptText *text, const PostbagPptRecord *record)
{
  if (record->type == POSTBAG_PPT_TEXT_WIDE || record->type == POSTBAG_PPT_TEXT_NARROW)
    {
      text->letters = record->bytes;
      text->is_wide = record->type == POSTBAG_PPT_TEXT_WIDE;
    }
  else if (record->type == POSTBAG_PPT_TEXT_STYLES)
    text->styles = record->bytes;
}

gboolean
postbag_ppt_text_next (const PostbagOleBytes *records, gsize *at, PostbagPptText *text)
{
  PostbagPptRecord record;
  gboolean is_found = FALSE;
  gsize start;

  while (!is_found && postbag_ppt_next (records, at, &record))
    is_found = record.type == POSTBAG_PPT_TEXT_HEADER;
  if (!is_found)
    return FALSE;
  *text = (PostbagPptText){ .kind = postbag_ole_u32 (&record.bytes, 0) };
  start = *at;
  for (gsize next = *at;
       postbag_ppt_next (records, &next, &record) && record.type != POSTBAG_PPT_TEXT_HEADER
       && record.type != POSTBAG_PPT_SLIDE_PERSIST;
       *at = next)
    take_record (text, &record);
  text->marks.data = records->data + start;
  text->marks.length = *at - start;
  return TRUE;
}

static gint
compare_places (gconstpointer one, gconstpointer other)
{
  const gsize a = *(const gsize *)one, b = *(const gsize *)other;

  return (a > b) - (a < b);
}

/* The place of a link stands in the record behind that of the link. */
static void
take_marks (Writer *writer, GHashTable *links)
{
  PostbagPptRecord record, atom;
  const char *target = NULL;
  gsize at = 0;

  while (postbag_ppt_next (&writer->text->marks, &at, &record))
    {
      gsize place = postbag_ole_u32 (&record.bytes, 0);

      if (is_field (record.type))
        g_array_append_val (writer->drops, place);
      else if (record.type == POSTBAG_PPT_LINK_INFO
               && postbag_ppt_find (&record.bytes, POSTBAG_PPT_LINK_INFO_ATOM, &atom))
        target = g_hash_table_lookup (links, GUINT_TO_POINTER (postbag_ole_u32 (&atom.bytes, 4)));
      else if (record.type == POSTBAG_PPT_LINK_RANGE && target != NULL)
        {
          const Link link = { postbag_ole_u32 (&record.bytes, 4), target };

          g_array_append_val (writer->links, link);
          target = NULL;
        }
    }
  g_array_sort (writer->drops, compare_places);
  g_array_sort (writer->links, compare_places);
}

/* --- paragraphs --- */

static void
next_run (Runs *runs, const PostbagOleBytes *styles)
{
  guint32 mask = postbag_ole_u32 (styles, runs->at + 6);
  gsize at = runs->at + 10;

  runs->until += postbag_ole_u32 (styles, runs->at);
  runs->level = MIN (postbag_ole_u16 (styles, runs->at + 4), POSTBAG_PPT_LEVELS - 1);
  runs->bullet =
      (mask & MASK_HAS_BULLET) != 0 ? (gint)(postbag_ole_u16 (styles, at) & MASK_HAS_BULLET) : -1;
  for (gsize i = 0; i < G_N_ELEMENTS (properties); i++)
    if ((mask & properties[i].mask) != 0)
      at += properties[i].mask == MASK_TABS ? 2 + 4 * postbag_ole_u16 (styles, at)
                                            : properties[i].size;
  runs->at = at;
}

/* Runs of letters stand behind those of paragraphs, which have one letter more than there is. */
static gsize
find_letter_runs (const PostbagOleBytes *styles, gsize length)
{
  Runs runs = { 0 };

  while (runs.until <= length && runs.at < styles->length)
    next_run (&runs, styles);
  return runs.at;
}

static gboolean
is_item (const Writer *writer)
{
  if (writer->layout == POSTBAG_PPT_AS_ITEMS)
    return writer->runs.bullet != 0;
  return writer->layout == POSTBAG_PPT_AS_FREE && writer->runs.bullet == 1;
}

static void
open_paragraph (Writer *writer)
{
  guint level = writer->runs.level;
  gint64 number = postbag_ppt_numbers_count (&writer->numbers, writer->start, level);
  g_autofree char *marker =
      number > 0 ? g_strdup_printf ("%" G_GINT64_FORMAT ".", number) : g_strdup ("-");

  if (is_item (writer))
    postbag_markdown_begin_item (writer->markdown, level, marker);
  writer->is_open = TRUE;
}

/* Words of a paragraph, when there are any. */
static void
write_words (Writer *writer)
{
  if (writer->words->len == 0)
    return;
  if (!writer->is_open)
    open_paragraph (writer);
  postbag_markdown_text (writer->markdown, writer->words->str, (gssize)writer->words->len);
  g_string_truncate (writer->words, 0);
}

static void
end_paragraph (Writer *writer)
{
  write_words (writer);
  writer->is_open = FALSE;
  if (writer->layout == POSTBAG_PPT_AS_TITLE)
    postbag_markdown_text (writer->markdown, " ", 1);
  else
    postbag_markdown_end_block (writer->markdown);
}

static void
write_links (Writer *writer, gsize place)
{
  for (; writer->linked < writer->links->len; writer->linked++)
    {
      const Link *link = &g_array_index (writer->links, Link, writer->linked);

      if (link->end > place)
        return;
      write_words (writer);
      postbag_story_add_link (writer->markdown, link->target);
    }
}

static guint16
get_unit (const Writer *writer, gsize place)
{
  return (guint16)(writer->text->is_wide ? postbag_ole_u16 (&writer->text->letters, 2 * place)
                                         : postbag_ole_u8 (&writer->text->letters, place));
}

static gboolean
is_dropped (Writer *writer, gsize place)
{
  gboolean drop = FALSE;

  for (; writer->dropped < writer->drops->len
         && g_array_index (writer->drops, gsize, writer->dropped) <= place;
       writer->dropped++)
    drop |= g_array_index (writer->drops, gsize, writer->dropped) == place;
  return drop;
}

/* Returns: how many units there were */
static gsize
take_letter (Writer *writer, gsize place)
{
  guint16 units[2] = { get_unit (writer, place), 0 };
  gsize count = 1;

  if ((units[0] & 0xfc00) == 0xd800 && place + 1 < writer->length)
    {
      units[1] = get_unit (writer, place + 1);
      count += (units[1] & 0xfc00) == 0xdc00;
    }
  if (is_dropped (writer, place))
    return count;
  if (units[0] == PARAGRAPH)
    {
      end_paragraph (writer);
      writer->start = place + 1;
    }
  else if (units[0] == LINE)
    g_string_append_c (writer->words, writer->layout == POSTBAG_PPT_AS_TITLE ? ' ' : '\n');
  else if (units[0] == '\t' || units[0] >= ' ')
    postbag_ole_append_units (writer->words, units, count);
  return count;
}

void
postbag_ppt_text_write (const PostbagPptText *self, PostbagPptLayout layout, GHashTable *links,
                        PostbagMarkdown *markdown)
{
  g_autoptr (GString) words = g_string_new (NULL);
  g_autoptr (GArray) drops = g_array_new (FALSE, FALSE, sizeof (gsize));
  g_autoptr (GArray) ends = g_array_new (FALSE, FALSE, sizeof (Link));
  Writer writer = { .text = self,
                    .markdown = markdown,
                    .layout = layout,
                    .words = words,
                    .length = self->letters.length / (self->is_wide ? 2 : 1),
                    .drops = drops,
                    .links = ends,
                    .runs = { .bullet = -1 } };

  take_marks (&writer, links);
  postbag_ppt_numbers_open (&writer.numbers, &self->styles,
                            find_letter_runs (&self->styles, writer.length), &self->numbering);
  for (gsize place = 0; place < writer.length && !postbag_markdown_is_full (markdown);)
    {
      while (place >= writer.runs.until && writer.runs.at < self->styles.length)
        next_run (&writer.runs, &self->styles);
      place += take_letter (&writer, place);
      write_links (&writer, place);
    }
  end_paragraph (&writer);
}
