/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The structure of a compound file ([MS-CFB]), checked before the library sees it: libgsf 1.14.50
 * believes the header about the tables of sectors and the entries about the length of their chains
 * and names, follows the tree of entries by recursion, and keeps the children of a storage in a
 * list. What is checked: counts fit the file; each sector belongs to one chain at most, so that
 * none is a loop and all together are no longer than the file; a chain is as long as its stream;
 * names end; the tree reaches each entry once. */

#include "postbag-ole-structure.h"

#include "base/postbag-limits.h"

#define HEADER_BYTES 512
#define HEADER_SECTOR_SHIFT 0x1e
#define HEADER_MINI_SHIFT 0x20
#define HEADER_TABLES 0x2c
#define HEADER_FOLDER 0x30
#define HEADER_MINI_CUTOFF 0x38
#define HEADER_MINI_TABLE 0x3c
#define HEADER_MINI_TABLES 0x40
#define HEADER_LIST 0x44
#define HEADER_LISTS 0x48
#define HEADER_FIRST_LIST 0x4c
#define FIRST_LIST_ENTRIES 109
#define MINI_SHIFT 6

#define MINI_CUTOFF 4096

#define ENTRY_BYTES 128
#define ENTRY_NAME_BYTES 64 /* the first ones are the name */
#define ENTRY_TYPE 66
#define ENTRY_LEFT 68
#define ENTRY_RIGHT 72
#define ENTRY_CHILD 76
#define ENTRY_START 116
#define ENTRY_SIZE 120
#define NO_ENTRY 0xffffffff
#define FIRST_MARK 0xfffffffc
#define END_OF_CHAIN 0xfffffffe

enum
{
  STORAGE = 1,
  STREAM = 2,
  ROOT = 5,
};

/* Which sector follows which. */
typedef struct
{
  GArray *next;   /* (element-type guint32) */
  guint8 *in_use; /* a byte a sector: it belongs to a chain already */
  gsize sectors;  /* that are there, whatever the table says */
} Chains;

typedef struct
{
  const PostbagOleBytes *file;
  guint shift; /* of the size of a sector */
  Chains large, mini;
  GArray *folder; /* (element-type guint32): sectors of the entries */
  gsize entries;
} Structure;

static gsize
get_place (const Structure *self, guint32 sector)
{
  return MAX (HEADER_BYTES, (gsize)1 << self->shift) + ((gsize)sector << self->shift);
}

/* --- tables --- */

static void
clear_chains (Chains *chains)
{
  g_clear_pointer (&chains->next, g_array_unref);
  g_clear_pointer (&chains->in_use, g_free);
}

/* Returns: %FALSE where the sector lies beyond the file */
static gboolean
add_table (Structure *self, Chains *chains, guint32 sector)
{
  gsize at = get_place (self, sector);

  if (sector >= self->large.sectors)
    return FALSE;
  for (gsize i = 0; i < (gsize)1 << self->shift; i += 4)
    {
      guint32 next =
          at + i + 4 <= self->file->length ? postbag_ole_u32 (self->file, at + i) : NO_ENTRY;

      g_array_append_val (chains->next, next);
    }
  return TRUE;
}

/* Returns: %FALSE where something else than a sector or a mark stands in it */
static gboolean
check_table (const Chains *chains)
{
  for (guint i = 0; i < chains->next->len; i++)
    {
      guint32 next = g_array_index (chains->next, guint32, i);

      if (next >= chains->next->len && next < FIRST_MARK)
        return FALSE;
    }
  return TRUE;
}

/* The header lists the first tables; lists in sectors of their own, each of which ends with the
 * place of the next one, the others. */
static gboolean
read_tables (Structure *self)
{
  gsize count = postbag_ole_u32 (self->file, HEADER_TABLES);
  gsize lists = postbag_ole_u32 (self->file, HEADER_LISTS);
  gsize each = ((gsize)1 << self->shift) / 4 - 1;
  gsize behind = count > FIRST_LIST_ENTRIES ? count - FIRST_LIST_ENTRIES : 0;
  guint32 list = postbag_ole_u32 (self->file, HEADER_LIST);

  if (count == 0 || count > self->large.sectors || lists != (behind + each - 1) / each)
    return FALSE;
  for (gsize i = 0; i < count - behind; i++)
    if (!add_table (self, &self->large, postbag_ole_u32 (self->file, HEADER_FIRST_LIST + 4 * i)))
      return FALSE;
  for (gsize i = 0; i < behind; i++)
    {
      gsize at = get_place (self, list) + 4 * (i % each);

      if (list >= self->large.sectors
          || !add_table (self, &self->large, postbag_ole_u32 (self->file, at)))
        return FALSE;
      if (i % each == each - 1)
        list = postbag_ole_u32 (self->file, at + 4);
    }
  return check_table (&self->large);
}

/* Returns: %FALSE where a sector of the chain is not there, belongs to another one or to this one
 * already, or where there are less than @least or more than @most. @sectors: (nullable)
 * (element-type guint32): those of the chain */
static gboolean
take_chain (Chains *chains, guint32 start, gsize least, gsize most, GArray *sectors)
{
  gsize count = 0;
  guint32 at = start;

  for (; at < chains->next->len; at = g_array_index (chains->next, guint32, at))
    {
      if (at >= chains->sectors || chains->in_use[at] || ++count > most)
        return FALSE;
      chains->in_use[at] = TRUE;
      if (sectors != NULL)
        g_array_append_val (sectors, at);
    }
  return at == END_OF_CHAIN && count >= least;
}

static gboolean
read_mini_tables (Structure *self)
{
  g_autoptr (GArray) sectors = g_array_new (FALSE, FALSE, sizeof (guint32));

  if (postbag_ole_u32 (self->file, HEADER_MINI_TABLES) > 0
      && !take_chain (&self->large, postbag_ole_u32 (self->file, HEADER_MINI_TABLE), 1, G_MAXSIZE,
                      sectors))
    return FALSE;
  for (guint i = 0; i < sectors->len; i++)
    if (!add_table (self, &self->mini, g_array_index (sectors, guint32, i)))
      return FALSE;
  self->mini.in_use = g_new0 (guint8, self->mini.next->len + 1);
  return check_table (&self->mini);
}

/* --- entries --- */

static gsize
find_entry (const Structure *self, guint32 entry)
{
  gsize at = (gsize)entry * ENTRY_BYTES;
  guint32 sector = g_array_index (self->folder, guint32, at >> self->shift);

  return get_place (self, sector) + (at & (((gsize)1 << self->shift) - 1));
}

/* The library looks for the end of a name, and an entry of the last sector ends with the file. */
static gboolean
check_name (const Structure *self, gsize at)
{
  guint length = postbag_ole_u16 (self->file, at + ENTRY_NAME_BYTES);

  return at + ENTRY_BYTES <= self->file->length
         && (length == 0
             || (length % 2 == 0 && length <= ENTRY_NAME_BYTES
                 && postbag_ole_u16 (self->file, at + length - 2) == 0));
}

/* The first entry has the stream in whose small sectors short streams lie. */
static gboolean
check_root (Structure *self, gsize at)
{
  guint32 size = postbag_ole_u32 (self->file, at + ENTRY_SIZE);
  gsize least = ((gsize)size + ((gsize)1 << self->shift) - 1) >> self->shift;

  self->mini.sectors = size >> MINI_SHIFT;
  return postbag_ole_u8 (self->file, at + ENTRY_TYPE) == ROOT && size <= self->file->length
         && (size == 0
             || take_chain (&self->large, postbag_ole_u32 (self->file, at + ENTRY_START), least,
                            G_MAXSIZE, NULL));
}

static gboolean
check_entry (Structure *self, gsize at)
{
  guint type = postbag_ole_u8 (self->file, at + ENTRY_TYPE);
  guint32 start = postbag_ole_u32 (self->file, at + ENTRY_START);
  gsize size = postbag_ole_u32 (self->file, at + ENTRY_SIZE);
  gsize sector = (gsize)1 << self->shift;

  if (type == STREAM && postbag_ole_u32 (self->file, at + ENTRY_CHILD) != NO_ENTRY)
    return FALSE;
  if (type != STREAM || size == 0)
    return type == STORAGE || type == STREAM;
  if (size < MINI_CUTOFF)
    return take_chain (&self->mini, start, (size + (1 << MINI_SHIFT) - 1) >> MINI_SHIFT,
                       MINI_CUTOFF >> MINI_SHIFT, NULL);
  return size <= self->file->length
         && take_chain (&self->large, start, (size + sector - 1) >> self->shift, G_MAXSIZE, NULL);
}

typedef struct
{
  guint32 entry;
  guint depth;
} Step;

static void
push (GArray *steps, guint32 entry, guint depth)
{
  const Step step = { entry, depth };

  if (entry != NO_ENTRY)
    g_array_append_val (steps, step);
}

static gboolean
check_tree (Structure *self)
{
  g_autoptr (GArray) steps = g_array_new (FALSE, FALSE, sizeof (Step));
  g_autofree guint8 *seen = g_new0 (guint8, self->entries);

  push (steps, 0, 0);
  while (steps->len > 0)
    {
      Step here = g_array_index (steps, Step, steps->len - 1);
      gsize at;

      g_array_set_size (steps, steps->len - 1);
      if (here.entry >= self->entries || seen[here.entry] || here.depth > POSTBAG_LIMIT_OLE_DEPTH)
        return FALSE;
      seen[here.entry] = TRUE;
      at = find_entry (self, here.entry);
      if (!check_name (self, at)
          || !(here.entry == 0 ? check_root (self, at) : check_entry (self, at)))
        return FALSE;
      push (steps, postbag_ole_u32 (self->file, at + ENTRY_LEFT), here.depth + 1);
      push (steps, postbag_ole_u32 (self->file, at + ENTRY_RIGHT), here.depth + 1);
      push (steps, postbag_ole_u32 (self->file, at + ENTRY_CHILD), here.depth + 1);
    }
  return TRUE;
}

static gboolean
check (Structure *self, gboolean *is_too_large)
{
  self->shift = postbag_ole_u16 (self->file, HEADER_SECTOR_SHIFT);
  if ((self->shift != 9 && self->shift != 12) || self->file->length <= HEADER_BYTES
      || postbag_ole_u16 (self->file, HEADER_MINI_SHIFT) != MINI_SHIFT
      || postbag_ole_u32 (self->file, HEADER_MINI_CUTOFF) != MINI_CUTOFF)
    return FALSE;
  self->large.sectors =
      (self->file->length - HEADER_BYTES + ((gsize)1 << self->shift) - 1) >> self->shift;
  if (!read_tables (self))
    return FALSE;
  self->large.in_use = g_new0 (guint8, self->large.next->len + 1);
  if (!take_chain (&self->large, postbag_ole_u32 (self->file, HEADER_FOLDER), 1, G_MAXSIZE,
                   self->folder)
      || !read_mini_tables (self))
    return FALSE;
  self->entries = ((gsize)self->folder->len << self->shift) / ENTRY_BYTES;
  *is_too_large = self->entries > POSTBAG_LIMIT_OLE_ENTRIES;
  return self->entries > 0 && !*is_too_large && check_tree (self);
}

gboolean
postbag_ole_check_structure (const PostbagOleBytes *file, GError **error)
{
  Structure self = { .file = file };
  gboolean is_too_large = FALSE, fine;

  self.large.next = g_array_new (FALSE, FALSE, sizeof (guint32));
  self.mini.next = g_array_new (FALSE, FALSE, sizeof (guint32));
  self.folder = g_array_new (FALSE, FALSE, sizeof (guint32));
  fine = check (&self, &is_too_large);
  clear_chains (&self.large);
  clear_chains (&self.mini);
  g_array_unref (self.folder);
  if (!fine)
    g_set_error_literal (error, POSTBAG_EXTRACT_ERROR,
                         is_too_large ? POSTBAG_EXTRACT_TOO_MANY_PARTS : POSTBAG_EXTRACT_CORRUPT,
                         "The compound file is damaged or has too many streams.");
  return fine;
}
