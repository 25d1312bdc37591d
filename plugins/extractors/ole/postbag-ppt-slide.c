/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The shapes of a slide, in the order in which they are drawn. Groups nest; shapes do not. A table
 * is a group whose shapes are its cells, told by where they stand. */

#include "postbag-ppt-slide.h"

#include "base/postbag-limits.h"

#include "postbag-ppt-numbers.h"
#include "postbag-ppt-table.h"
#include "postbag-ppt-text.h"

/* Flags and a type of a shape ([MS-ODRAW] 2.2.40, 2.4.24), and properties of one that are looked
 * at. */
#define SHAPE_DELETED 0x08
#define SHAPE_PICTURE 75
#define PROPERTY_BYTES 6
#define PROPERTY_GROUP_FLAGS 0x03bf
#define PROPERTY_TABLE_FLAGS 0x039f
#define GROUP_HIDDEN 0x02
#define GROUP_USES_HIDDEN 0x20000
#define TABLE_IS_ONE 0x01

/* Placeholders ([MS-PPT] 2.13.21). */
enum
{
  PLACE_NONE = 0x00,
  PLACE_NOTES_IMAGE = 0x05,
  PLACE_DATE = 0x07,
  PLACE_HEADER = 0x0a,
  PLACE_IMAGE = 0x0b,
  PLACE_TITLE = 0x0d,
  PLACE_CENTER_TITLE = 0x0f,
  PLACE_SUBTITLE = 0x10,
  PLACE_VERTICAL_TITLE = 0x11,
};

typedef struct
{
  guint place;
  gboolean is_hidden, is_table, is_picture;
  gint32 left, top;
  PostbagOleBytes text; /* records */
  PostbagOleBytes numbering;
} Shape;

typedef struct
{
  gsize end;
  gboolean is_hidden;
} Group;

typedef struct
{
  PostbagPptDeck *deck;
  GArray *outline; /* (element-type PostbagPptText) */
  PostbagMarkdown *title, *body;
  gboolean is_notes;
  PostbagPptTable *table; /* the open one */
  guint table_depth;      /* of its group */
} Reader;

/* --- one shape --- */

static void
take_properties (Shape *shape, const PostbagPptRecord *record)
{
  for (guint i = 0; i < record->instance; i++)
    {
      gsize at = (gsize)i * PROPERTY_BYTES;
      guint id = postbag_ole_u16 (&record->bytes, at);
      guint32 value = postbag_ole_u32 (&record->bytes, at + 2);

      if (id == PROPERTY_GROUP_FLAGS)
        shape->is_hidden |= (value & GROUP_HIDDEN) != 0 && (value & GROUP_USES_HIDDEN) != 0;
      else if (id == PROPERTY_TABLE_FLAGS)
        shape->is_table |= (value & TABLE_IS_ONE) != 0;
    }
}

static void
take_shape_record (Shape *shape, const PostbagPptRecord *record)
{
  PostbagPptRecord place;

  switch (record->type)
    {
    case POSTBAG_PPT_SHAPE_ATOM:
      shape->is_hidden |= (postbag_ole_u32 (&record->bytes, 4) & SHAPE_DELETED) != 0;
      shape->is_picture = record->instance == SHAPE_PICTURE;
      break;
    case POSTBAG_PPT_PROPERTIES:
    case POSTBAG_PPT_MORE_PROPERTIES:
      take_properties (shape, record);
      break;
    case POSTBAG_PPT_CHILD_ANCHOR:
      shape->left = (gint32)postbag_ole_u32 (&record->bytes, 0);
      shape->top = (gint32)postbag_ole_u32 (&record->bytes, 4);
      break;
    case POSTBAG_PPT_CLIENT_DATA:
      if (postbag_ppt_find (&record->bytes, POSTBAG_PPT_PLACEHOLDER, &place))
        shape->place = postbag_ole_u8 (&place.bytes, 4);
      shape->numbering = postbag_ppt_find_tagged (&record->bytes, POSTBAG_PPT_NUMBERING);
      break;
    case POSTBAG_PPT_TEXT_BOX:
      shape->text = record->bytes;
      break;
    default:
      break;
    }
}

/* --- its text --- */

/* Of a slide by its id and kinds of text, which are below 16. */
static gpointer
make_key (guint32 slide, guint kind)
{
  return GSIZE_TO_POINTER ((gsize)slide << 4 | (kind & 0xf));
}

void
postbag_ppt_deck_take_numberings (PostbagPptDeck *self, const PostbagOleBytes *records)
{
  PostbagPptRecord record;
  gpointer key = NULL;
  gsize at = 0;

  while (postbag_ppt_next (records, &at, &record)
         && g_hash_table_size (self->numberings) < POSTBAG_LIMIT_DOCUMENT_ROWS)
    if (record.type == POSTBAG_PPT_NUMBERING_OF_SLIDE)
      key = make_key (postbag_ole_u32 (&record.bytes, 0), postbag_ole_u32 (&record.bytes, 4));
    else if (record.type == POSTBAG_PPT_NUMBERING && key != NULL)
      g_hash_table_insert (self->numberings, key, g_memdup2 (&record.bytes, sizeof record.bytes));
}

/* (transfer full) (element-type PostbagPptText) */
static GArray *
list_outline (const PostbagPptDeck *deck, guint32 slide, const PostbagOleBytes *records)
{
  GArray *texts = g_array_new (FALSE, FALSE, sizeof (PostbagPptText));
  PostbagPptText text;
  gsize at = 0;

  while (texts->len < POSTBAG_LIMIT_DOCUMENT_ROWS && postbag_ppt_text_next (records, &at, &text))
    {
      const PostbagOleBytes *numbering =
          g_hash_table_lookup (deck->numberings, make_key (slide, text.kind));

      if (numbering != NULL)
        text.numbering = *numbering;
      g_array_append_val (texts, text);
    }
  return texts;
}

/* It stands with the shape, or in the list of slides: there each is for one shape. */
static PostbagPptText
take_text (Reader *reader, const Shape *shape)
{
  PostbagPptText text = { .kind = POSTBAG_PPT_OTHER };
  PostbagPptRecord reference;
  gsize at = 0;
  guint index;

  if (!postbag_ppt_find (&shape->text, POSTBAG_PPT_OUTLINE_REFERENCE, &reference))
    {
      postbag_ppt_text_next (&shape->text, &at, &text);
      text.numbering = shape->numbering;
      return text;
    }
  index = postbag_ole_u32 (&reference.bytes, 0);
  if (index < reader->outline->len)
    {
      PostbagPptText *found = &g_array_index (reader->outline, PostbagPptText, index);

      text = *found;
      *found = (PostbagPptText){ .kind = POSTBAG_PPT_OTHER };
    }
  return text;
}

static gboolean
is_title (const Shape *shape, const PostbagPptText *text)
{
  return shape->place == PLACE_TITLE || shape->place == PLACE_CENTER_TITLE
         || shape->place == PLACE_VERTICAL_TITLE
         || (shape->place != PLACE_NONE && shape->place != PLACE_SUBTITLE
             && (text->kind == POSTBAG_PPT_TITLE || text->kind == POSTBAG_PPT_CENTER_TITLE));
}

/* Date, header, footer and number stand on every slide, or are those of its master. */
static gboolean
is_margin (const Shape *shape)
{
  return (shape->place >= PLACE_DATE && shape->place <= PLACE_HEADER)
         || shape->place == PLACE_NOTES_IMAGE || shape->place == PLACE_IMAGE;
}

static PostbagPptLayout
choose_layout (const Reader *reader, const Shape *shape)
{
  if (reader->is_notes || shape->place == PLACE_SUBTITLE)
    return POSTBAG_PPT_AS_PLAIN;
  return shape->place != PLACE_NONE ? POSTBAG_PPT_AS_ITEMS : POSTBAG_PPT_AS_FREE;
}

static void
write_shape (Reader *reader, const Shape *shape)
{
  GHashTable *links = reader->deck->links;
  PostbagPptText text;

  if (shape->text.length == 0 || is_margin (shape))
    return;
  text = take_text (reader, shape);
  if (text.letters.length == 0 && reader->table == NULL)
    return;
  if (shape->is_hidden)
    {
      reader->deck->teller.hidden_runs++;
      reader->deck->teller.was_left_out = TRUE;
    }
  else if (reader->table != NULL)
    postbag_ppt_table_add (reader->table, shape->left, shape->top, &text, links);
  else if (!reader->is_notes && is_title (shape, &text))
    postbag_ppt_text_write (&text, POSTBAG_PPT_AS_TITLE, links, reader->title);
  else
    postbag_ppt_text_write (&text, choose_layout (reader, shape), links, reader->body);
}

/* --- groups --- */

/* The first shape of a group stands for the group itself. */
static void
take_shape (Reader *reader, const PostbagPptRecord *record, GArray *groups, gboolean is_first)
{
  Group *group = &g_array_index (groups, Group, groups->len - 1);
  Shape shape = { .is_hidden = group->is_hidden };
  PostbagPptRecord child;
  gsize at = 0;

  while (postbag_ppt_next (&record->bytes, &at, &child))
    take_shape_record (&shape, &child);
  if (is_first)
    group->is_hidden |= shape.is_hidden;
  if (is_first && shape.is_table && reader->table == NULL)
    {
      reader->table = postbag_ppt_table_new (&reader->deck->teller.budget);
      reader->table_depth = groups->len;
    }
  reader->deck->teller.has_pictures |= shape.is_picture;
  write_shape (reader, &shape);
}

static void
end_group (Reader *reader, GArray *groups)
{
  if (reader->table != NULL && groups->len == reader->table_depth)
    {
      reader->deck->teller.was_cut |= postbag_ppt_table_write (reader->table, reader->body);
      g_clear_pointer (&reader->table, postbag_ppt_table_free);
    }
  g_array_set_size (groups, groups->len - 1);
}

/* Groups are looked into by going on inside them; deeper ones than any program makes are left
 * out. */
static void
read_shapes (Reader *reader, const PostbagOleBytes *bytes)
{
  g_autoptr (GArray) groups = g_array_new (FALSE, FALSE, sizeof (Group));
  Group group = { bytes->length, FALSE };
  gboolean is_first = FALSE;
  gsize at = 0, start = 0;
  PostbagPptRecord record;

  g_array_append_val (groups, group);
  while (postbag_ppt_next (bytes, &at, &record))
    {
      while (groups->len > 1 && start >= g_array_index (groups, Group, groups->len - 1).end)
        end_group (reader, groups);
      group.is_hidden = g_array_index (groups, Group, groups->len - 1).is_hidden;
      group.end = MIN (at, g_array_index (groups, Group, groups->len - 1).end);
      if (record.type == POSTBAG_PPT_GROUP && groups->len < POSTBAG_LIMIT_PPT_GROUPS)
        {
          g_array_append_val (groups, group);
          at -= record.bytes.length;
        }
      else if (record.type == POSTBAG_PPT_SHAPE)
        take_shape (reader, &record, groups, is_first);
      is_first = record.type == POSTBAG_PPT_GROUP;
      start = at;
    }
  while (groups->len > 1)
    end_group (reader, groups);
}

void
postbag_ppt_slide_clear (PostbagPptSlide *self)
{
  g_clear_pointer (&self->title, g_free);
  g_clear_pointer (&self->text, g_free);
}

void
postbag_ppt_slide_read (PostbagPptDeck *deck, guint32 id, const PostbagOleBytes *container,
                        const PostbagOleBytes *outline, PostbagPptSlide *slide)
{
  PostbagStory *title = postbag_story_new (&deck->teller.budget);
  PostbagStory *body = postbag_story_new (&deck->teller.budget);
  g_autoptr (GArray) texts = list_outline (deck, id, outline);
  Reader reader = { .deck = deck, .outline = texts, .is_notes = id == 0 };
  PostbagPptRecord drawing, shapes;

  reader.title = postbag_story_get_markdown (title);
  reader.body = postbag_story_get_markdown (body);
  if (postbag_ppt_find (container, POSTBAG_PPT_DRAWING, &drawing)
      && postbag_ppt_find (&drawing.bytes, POSTBAG_PPT_SHAPES, &shapes))
    read_shapes (&reader, &shapes.bytes);
  slide->title = postbag_story_finish (title, &deck->teller.was_cut);
  slide->text = postbag_story_finish (body, &deck->teller.was_cut);
}
