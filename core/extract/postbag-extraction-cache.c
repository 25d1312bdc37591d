/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "extract/postbag-extraction-cache-private.h"

#include <string.h>

#include "base/postbag-limits.h"
#include "safety/postbag-attachment-policy.h"

typedef struct
{
  char *key;
  gsize length;         /* of the document */
  const char *detected; /* (nullable): what its bytes are */
  gsize bytes;          /* of its text */
  PostbagExtractedText *text;
} Entry;

/* Where a document was read, and what came of it. */
typedef struct
{
  char *place;
  char *key; /* of an entry that may be gone */
} Place;

struct _PostbagExtractionCache
{
  char *version;
  GMutex lock;
  GQueue entries; /* Entry, the last used first */
  gsize bytes;
  GQueue places; /* Place, the last one first */
};

PostbagExtractionCache *
postbag_extraction_cache_new (const char *version)
{
  PostbagExtractionCache *self = g_new0 (PostbagExtractionCache, 1);

  self->version = g_strdup (version);
  g_mutex_init (&self->lock);
  g_queue_init (&self->entries);
  g_queue_init (&self->places);
  return self;
}

static void
free_entry (gpointer data)
{
  Entry *entry = data;

  g_free (entry->key);
  postbag_extracted_text_unref (entry->text);
  g_free (entry);
}

static void
free_place (gpointer data)
{
  Place *place = data;

  g_free (place->place);
  g_free (place->key);
  g_free (place);
}

void
postbag_extraction_cache_free (PostbagExtractionCache *self)
{
  g_queue_clear_full (&self->entries, free_entry);
  g_queue_clear_full (&self->places, free_place);
  g_mutex_clear (&self->lock);
  g_free (self->version);
  g_free (self);
}

/* With its length in front, so that two fields cannot be taken for another two. */
static void
add_field (GChecksum *sum, const char *value)
{
  gsize length = value != NULL ? strlen (value) : 0;
  guint64 prefix = value != NULL ? length + 1 : 0;

  g_checksum_update (sum, (const guchar *)&prefix, sizeof prefix);
  g_checksum_update (sum, (const guchar *)value, (gssize)length);
}

/* What a result depends on beside the document. */
static GChecksum *
begin_key (PostbagExtractionCache *self, const PostbagExtractRequest *request)
{
  GChecksum *sum = g_checksum_new (G_CHECKSUM_SHA256);
  guint32 limits = request->limits;

  add_field (sum, self->version);
  add_field (sum, request->content_type);
  add_field (sum, request->charset);
  add_field (sum, request->member);
  g_checksum_update (sum, (const guchar *)&limits, sizeof limits);
  return sum;
}

char *
postbag_extraction_cache_make_key (PostbagExtractionCache *self,
                                   const PostbagExtractRequest *request)
{
  g_autoptr (GChecksum) sum = begin_key (self, request);
  gsize length = 0;
  const guchar *data = g_bytes_get_data (request->bytes, &length);

  g_checksum_update (sum, data, (gssize)length);
  return g_strdup (g_checksum_get_string (sum));
}

/* (transfer full) */
static char *
make_place (PostbagExtractionCache *self, const PostbagExtractRequest *request)
{
  const PostbagExtractOrigin *origin = request->origin;
  const PostbagPart *part = origin->part;
  const gint64 numbers[] = { origin->uid_validity, origin->uid, part->size };
  g_autoptr (GChecksum) sum = begin_key (self, request);

  add_field (sum, origin->principal);
  add_field (sum, origin->account);
  add_field (sum, origin->mailbox);
  add_field (sum, origin->version);
  add_field (sum, part->number);
  add_field (sum, part->type);
  add_field (sum, part->encoding);
  add_field (sum, part->filename);
  g_checksum_update (sum, (const guchar *)numbers, sizeof numbers);
  return g_strdup (g_checksum_get_string (sum));
}

static GList *
find_link (PostbagExtractionCache *self, const char *key)
{
  for (GList *link = self->entries.head; link != NULL; link = link->next)
    if (strcmp (((Entry *)link->data)->key, key) == 0)
      return link;
  return NULL;
}

gboolean
postbag_extraction_cache_may_have (PostbagExtractionCache *self, gsize length)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  for (GList *link = self->entries.head; link != NULL; link = link->next)
    if (((Entry *)link->data)->length == length)
      return TRUE;
  return FALSE;
}

/* (nullable): with the lock; the last one used from now on */
static Entry *
use_entry (PostbagExtractionCache *self, const char *key)
{
  GList *link = find_link (self, key);

  if (link == NULL)
    return NULL;
  g_queue_unlink (&self->entries, link);
  g_queue_push_head_link (&self->entries, link);
  return link->data;
}

PostbagExtractedText *
postbag_extraction_cache_find (PostbagExtractionCache *self, const char *key)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  Entry *entry = use_entry (self, key);

  return entry != NULL ? postbag_extracted_text_ref (entry->text) : NULL;
}

static GList *
find_place (PostbagExtractionCache *self, const char *place)
{
  for (GList *link = self->places.head; link != NULL; link = link->next)
    if (strcmp (((Place *)link->data)->place, place) == 0)
      return link;
  return NULL;
}

PostbagExtractedText *
postbag_extraction_cache_recall (PostbagExtractionCache *self, const PostbagExtractRequest *request,
                                 gsize *length, const char **detected)
{
  g_autofree char *place = make_place (self, request);
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  GList *link = find_place (self, place);
  Entry *entry = link != NULL ? use_entry (self, ((Place *)link->data)->key) : NULL;

  if (entry == NULL)
    return NULL;
  *length = entry->length;
  *detected = entry->detected;
  return postbag_extracted_text_ref (entry->text);
}

static void
drop_oldest (PostbagExtractionCache *self)
{
  Entry *entry = g_queue_pop_tail (&self->entries);

  self->bytes -= entry->bytes;
  free_entry (entry);
}

static void
add_entry (PostbagExtractionCache *self, const char *key, const PostbagExtractRequest *request,
           PostbagExtractedText *text)
{
  Entry *entry = g_new0 (Entry, 1);
  const guint8 *data = g_bytes_get_data (request->bytes, &entry->length);

  entry->key = g_strdup (key);
  entry->detected = postbag_magic_detect (data, entry->length);
  entry->bytes = strlen (text->text);
  entry->text = postbag_extracted_text_ref (text);
  self->bytes += entry->bytes;
  g_queue_push_head (&self->entries, entry);
  while (self->bytes > POSTBAG_LIMIT_EXTRACT_CACHE_BYTES
         || self->entries.length > POSTBAG_LIMIT_EXTRACT_CACHE_ENTRIES)
    drop_oldest (self);
}

static void
add_place (PostbagExtractionCache *self, const char *key, const PostbagExtractRequest *request)
{
  g_autofree char *name = make_place (self, request);
  GList *known = find_place (self, name);
  Place *place;

  if (known != NULL)
    {
      free_place (known->data);
      g_queue_delete_link (&self->places, known);
    }
  place = g_new0 (Place, 1);
  place->place = g_steal_pointer (&name);
  place->key = g_strdup (key);
  g_queue_push_head (&self->places, place);
  if (self->places.length > POSTBAG_LIMIT_EXTRACT_CACHE_ENTRIES)
    free_place (g_queue_pop_tail (&self->places));
}

void
postbag_extraction_cache_keep (PostbagExtractionCache *self, const char *key,
                               const PostbagExtractRequest *request, PostbagExtractedText *text)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  if (find_link (self, key) == NULL)
    add_entry (self, key, request, text);
  if (request->origin != NULL)
    add_place (self, key, request);
}

guint
postbag_extraction_cache_count (PostbagExtractionCache *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  return self->entries.length;
}
