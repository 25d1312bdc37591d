/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* [MS-PPT]: the list of slides stands in the document's record, with the texts of outlines; the
 * slides and their notes are objects of their own, known by ids. */

#include "base/postbag-limits.h"
#include "extract/postbag-story.h"

#include "postbag-ppt-numbers.h"
#include "postbag-ppt-slide.h"

/* Instances of lists of slides. */
#define LIST_OF_SLIDES 0
#define LIST_OF_NOTES 2
#define SHOW_HIDDEN 0x0004

typedef struct
{
  PostbagPptFile file;
  PostbagPptDeck deck;
  GHashTable *notes; /* objects + 1, by ids of notes */
  GArray *slides;    /* (element-type Slide) */
  guint declared, read;
  gsize left; /* bytes of objects that are still looked at */
} Reader;

typedef struct
{
  guint32 object;
  guint32 id;
  PostbagOleBytes outline; /* records behind that of the slide */
} Slide;

static gboolean
fail (GError **error, PostbagExtractReason reason, const char *what)
{
  g_set_error_literal (error, POSTBAG_EXTRACT_ERROR, (int)reason, what);
  return FALSE;
}

/* --- the document --- */

/* Texts follow the slide that they belong to. */
static void
take_slides (Reader *self, const PostbagOleBytes *list)
{
  PostbagPptRecord record;
  Slide *slide = NULL;
  gsize at = 0, start = 0;

  while (postbag_ppt_next (list, &at, &record))
    {
      if (record.type == POSTBAG_PPT_SLIDE_PERSIST)
        {
          const Slide next = { postbag_ole_u32 (&record.bytes, 0),
                               postbag_ole_u32 (&record.bytes, 12),
                               { list->data + at, 0 } };

          slide = NULL;
          start = at;
          if (self->declared++ >= POSTBAG_LIMIT_DOCUMENT_SLIDES)
            continue;
          g_array_append_val (self->slides, next);
          slide = &g_array_index (self->slides, Slide, self->slides->len - 1);
        }
      else if (slide != NULL)
        slide->outline.length = at - start;
    }
}

static void
take_notes (Reader *self, const PostbagOleBytes *list)
{
  PostbagPptRecord record;
  gsize at = 0;

  while (postbag_ppt_next (list, &at, &record)
         && g_hash_table_size (self->notes) < POSTBAG_LIMIT_DOCUMENT_PARTS)
    if (record.type == POSTBAG_PPT_SLIDE_PERSIST)
      g_hash_table_insert (self->notes, GUINT_TO_POINTER (postbag_ole_u32 (&record.bytes, 12)),
                           GSIZE_TO_POINTER ((gsize)postbag_ole_u32 (&record.bytes, 0) + 1));
}

/* (transfer full) (nullable): where a link leads */
static char *
dup_target (const PostbagOleBytes *link)
{
  PostbagPptRecord record;
  gsize at = 0;

  while (postbag_ppt_next (link, &at, &record))
    if (record.type == POSTBAG_PPT_STRING && record.instance == 1)
      return postbag_ole_dup_units (&record.bytes, 0, record.bytes.length / 2);
  return NULL;
}

static void
take_links (Reader *self, const PostbagOleBytes *list)
{
  PostbagPptRecord record, atom;
  gsize at = 0;

  while (postbag_ppt_next (list, &at, &record)
         && g_hash_table_size (self->deck.links) < POSTBAG_LIMIT_DOCUMENT_ROWS)
    if (record.type == POSTBAG_PPT_LINK
        && postbag_ppt_find (&record.bytes, POSTBAG_PPT_LINK_ATOM, &atom))
      g_hash_table_insert (self->deck.links, GUINT_TO_POINTER (postbag_ole_u32 (&atom.bytes, 0)),
                           dup_target (&record.bytes));
}

static gboolean
read_document (Reader *self, GError **error)
{
  PostbagPptRecord document, record;
  gsize at = 0;

  if (self->file.encrypted)
    return fail (error, POSTBAG_EXTRACT_ENCRYPTED, "The presentation needs a password.");
  if (!postbag_ppt_file_get (&self->file, self->file.document, POSTBAG_PPT_DOCUMENT, &document))
    return fail (error, POSTBAG_EXTRACT_CORRUPT, "The presentation has no list of its slides.");
  while (postbag_ppt_next (&document.bytes, &at, &record))
    {
      if (record.type == POSTBAG_PPT_LINKS)
        take_links (self, &record.bytes);
      else if (record.type == POSTBAG_PPT_DOCUMENT_INFO)
        {
          const PostbagOleBytes numberings =
              postbag_ppt_find_tagged (&record.bytes, POSTBAG_PPT_NUMBERINGS_OF_SLIDES);

          postbag_ppt_deck_take_numberings (&self->deck, &numberings);
        }
      else if (record.type == POSTBAG_PPT_SLIDE_LIST && record.instance == LIST_OF_SLIDES)
        take_slides (self, &record.bytes);
      else if (record.type == POSTBAG_PPT_SLIDE_LIST && record.instance == LIST_OF_NOTES)
        take_notes (self, &record.bytes);
    }
  if (self->declared > POSTBAG_LIMIT_DOCUMENT_PARTS)
    return fail (error, POSTBAG_EXTRACT_TOO_MANY_PARTS, "It has too many slides.");
  return TRUE;
}

/* --- slides --- */

/* Objects may lie one in another: all of them together are looked at as far as an honest file is
 * long. */
static gboolean
get_object (Reader *self, guint32 id, guint type, PostbagPptRecord *record)
{
  if (!postbag_ppt_file_get (&self->file, id, type, record) || record->bytes.length > self->left)
    {
      self->deck.teller.was_damaged = TRUE;
      return FALSE;
    }
  self->left -= record->bytes.length;
  return TRUE;
}

static gboolean
is_hidden (const PostbagPptRecord *slide)
{
  PostbagPptRecord info;

  return postbag_ppt_find (&slide->bytes, POSTBAG_PPT_SHOW_INFO, &info)
         && (postbag_ole_u16 (&info.bytes, 10) & SHOW_HIDDEN) != 0;
}

static void
tell_notes (Reader *self, const PostbagPptRecord *slide)
{
  const PostbagOleBytes none = { (const guint8 *)"", 0 };
  g_auto (PostbagPptSlide) notes = { NULL };
  PostbagPptRecord atom, record;
  gsize object;
  guint32 id;

  if (!postbag_ppt_find (&slide->bytes, POSTBAG_PPT_SLIDE_ATOM, &atom))
    return;
  id = postbag_ole_u32 (&atom.bytes, 16);
  object = GPOINTER_TO_SIZE (g_hash_table_lookup (self->notes, GUINT_TO_POINTER (id)));
  if (id == 0 || object == 0
      || !get_object (self, (guint32)(object - 1), POSTBAG_PPT_NOTES, &record))
    return;
  postbag_ppt_slide_read (&self->deck, 0, &record.bytes, &none, &notes);
  postbag_story_tell (self->deck.teller.main, "[Notes]", notes.text);
}

static void
read_slide (Reader *self, guint index)
{
  const Slide *slide = &g_array_index (self->slides, Slide, index);
  g_auto (PostbagPptSlide) told = { NULL };
  PostbagPptRecord record;

  if (!get_object (self, slide->object, POSTBAG_PPT_SLIDE, &record))
    return;
  postbag_ppt_slide_read (&self->deck, MAX (slide->id, 1), &record.bytes, &slide->outline, &told);
  postbag_teller_tell_slide (&self->deck.teller, index + 1, told.title, is_hidden (&record),
                             told.text);
  tell_notes (self, &record);
  self->read++;
}

static gboolean
read_slides (Reader *self, GError **error)
{
  if (!read_document (self, error))
    return FALSE;
  for (guint i = 0; i < self->slides->len && !postbag_markdown_is_full (self->deck.teller.main);
       i++)
    read_slide (self, i);
  if (self->read == 0 && self->slides->len > 0)
    return fail (error, POSTBAG_EXTRACT_CORRUPT, "None of its slides is there.");
  postbag_teller_count_slides (&self->deck.teller, self->declared, self->slides->len);
  postbag_teller_tell_facts (&self->deck.teller);
  return TRUE;
}

gboolean
postbag_ppt_read (const PostbagOleBytes *document, const PostbagOleBytes *user,
                  PostbagExtractOutput *output, GError **error)
{
  g_autoptr (GHashTable) links = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  g_autoptr (GHashTable) numberings = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  g_autoptr (GHashTable) notes = g_hash_table_new (NULL, NULL);
  g_autoptr (GArray) slides = g_array_new (FALSE, FALSE, sizeof (Slide));
  Reader self = { .notes = notes,
                  .slides = slides,
                  .left = 2 * document->length,
                  .deck = { .links = links, .numberings = numberings } };
  gboolean fine;

  postbag_teller_init (&self.deck.teller, output);
  postbag_ppt_file_open (&self.file, document, user);
  fine = read_slides (&self, error);
  postbag_ppt_file_close (&self.file);
  postbag_teller_clear (&self.deck.teller);
  return fine;
}
