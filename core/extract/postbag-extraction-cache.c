/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "extract/postbag-extraction-cache-private.h"

#include <string.h>

#include "base/postbag-limits.h"

typedef struct
{
  char *key;
  gsize length; /* of the document */
  gsize bytes;  /* of its text */
  PostbagExtractedText *text;
} Entry;

struct _PostbagExtractionCache
{
  char *version;
  GMutex lock;
  GQueue entries; /* Entry, the last used first */
  gsize bytes;
};

PostbagExtractionCache *
postbag_extraction_cache_new (const char *version)
{
  PostbagExtractionCache *self = g_new0 (PostbagExtractionCache, 1);

  self->version = g_strdup (version);
  g_mutex_init (&self->lock);
  g_queue_init (&self->entries);
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

void
postbag_extraction_cache_free (PostbagExtractionCache *self)
{
  g_queue_clear_full (&self->entries, free_entry);
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

char *
postbag_extraction_cache_make_key (PostbagExtractionCache *self,
                                   const PostbagExtractRequest *request)
{
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);
  guint32 limits = request->limits;
  gsize length = 0;
  const guchar *data = g_bytes_get_data (request->bytes, &length);

  add_field (sum, self->version);
  add_field (sum, request->content_type);
  add_field (sum, request->charset);
  add_field (sum, request->member);
  g_checksum_update (sum, (const guchar *)&limits, sizeof limits);
  g_checksum_update (sum, data, (gssize)length);
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

PostbagExtractedText *
postbag_extraction_cache_find (PostbagExtractionCache *self, const char *key)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  GList *link = find_link (self, key);

  if (link == NULL)
    return NULL;
  g_queue_unlink (&self->entries, link);
  g_queue_push_head_link (&self->entries, link);
  return postbag_extracted_text_ref (((Entry *)link->data)->text);
}

static void
drop_oldest (PostbagExtractionCache *self)
{
  Entry *entry = g_queue_pop_tail (&self->entries);

  self->bytes -= entry->bytes;
  free_entry (entry);
}

void
postbag_extraction_cache_keep (PostbagExtractionCache *self, const char *key, gsize length,
                               PostbagExtractedText *text)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  Entry *entry;

  if (find_link (self, key) != NULL)
    return;
  entry = g_new0 (Entry, 1);
  entry->key = g_strdup (key);
  entry->length = length;
  entry->bytes = strlen (text->text);
  entry->text = postbag_extracted_text_ref (text);
  self->bytes += entry->bytes;
  g_queue_push_head (&self->entries, entry);
  while (self->bytes > POSTBAG_LIMIT_EXTRACT_CACHE_BYTES
         || self->entries.length > POSTBAG_LIMIT_EXTRACT_CACHE_ENTRIES)
    drop_oldest (self);
}

guint
postbag_extraction_cache_count (PostbagExtractionCache *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  return self->entries.length;
}
