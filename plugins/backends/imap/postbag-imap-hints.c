/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* RFC822.SIZE less the octets of all parts is what headers and boundaries take together. That, and
 * the parts up to the last text, is where the text ends at the latest. */

#include "postbag-imap-hints.h"

#include "base/postbag-limits.h"
#include "postbag-imap-reply.h"

struct _PostbagImapHints
{
  GMutex lock;
  GHashTable *bytes; /* "uid mailbox" -> guint */
};

PostbagImapHints *
postbag_imap_hints_new (void)
{
  PostbagImapHints *self = g_new0 (PostbagImapHints, 1);

  g_mutex_init (&self->lock);
  self->bytes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  return self;
}

void
postbag_imap_hints_free (PostbagImapHints *self)
{
  if (self == NULL)
    return;
  g_hash_table_unref (self->bytes);
  g_mutex_clear (&self->lock);
  g_free (self);
}

/* Parts in the order of the message. */
typedef struct
{
  gint64 octets;   /* of all parts so far */
  gint64 text_end; /* the same, up to the last text; 0: there is none yet */
  gint64 room;     /* no text behind so many octets counts */
} Measure;

/* A message inside is one part here. %FALSE when a size is not known. No deeper than the parser
 * reads it. */
static gboolean
measure_part (Measure *measure, const PostbagPart *part)
{
  gboolean is_text =
      g_str_has_prefix (part->type, "text/") && g_strcmp0 (part->disposition, "attachment") != 0;

  if (part->children != NULL && g_str_has_prefix (part->type, "multipart/"))
    {
      for (guint i = 0; i < part->children->len; i++)
        if (!measure_part (measure, g_ptr_array_index (part->children, i)))
          return FALSE;
      return TRUE;
    }
  if (part->size < 0 || part->size > G_MAXINT64 - measure->octets)
    return FALSE;
  measure->octets += part->size;
  if (is_text && measure->octets <= measure->room)
    measure->text_end = measure->octets;
  return TRUE;
}

/* Where the text ends at the latest, 0 when that is not known or nothing is saved by it. */
static gsize
measure_text (const PostbagImapFetch *fetch)
{
  Measure measure = { .room = POSTBAG_LIMIT_PREFIX_BYTES };
  gint64 overhead;

  if (fetch->structure == NULL || fetch->size <= POSTBAG_LIMIT_PREFIX_BYTES
      || !measure_part (&measure, fetch->structure) || measure.text_end == 0)
    return 0;
  overhead = fetch->size - measure.octets;
  if (overhead <= 0 || overhead + measure.text_end >= POSTBAG_LIMIT_PREFIX_BYTES)
    return 0;
  return (gsize)(overhead + measure.text_end);
}

static char *
make_key (const char *mailbox, guint32 uid)
{
  return g_strdup_printf ("%u %s", uid, mailbox);
}

static void
remember (PostbagImapHints *self, char *key, gsize bytes)
{
  g_mutex_lock (&self->lock);
  if (g_hash_table_size (self->bytes) >= POSTBAG_LIMIT_IMAP_HINTS)
    g_hash_table_remove_all (self->bytes);
  g_hash_table_insert (self->bytes, key, GUINT_TO_POINTER ((guint)bytes));
  g_mutex_unlock (&self->lock);
}

void
postbag_imap_hints_learn (PostbagImapHints *self, const char *mailbox, const GPtrArray *replies)
{
  for (guint i = 0; i < replies->len; i++)
    {
      const PostbagImapReply *reply = g_ptr_array_index (replies, i);
      gsize bytes = 0;

      if (reply->kind == POSTBAG_IMAP_REPLY_FETCH && reply->fetch->uid != 0)
        bytes = measure_text (reply->fetch);
      if (bytes > 0)
        remember (self, make_key (mailbox, reply->fetch->uid), bytes);
    }
}

gsize
postbag_imap_hints_apply (PostbagImapHints *self, const char *mailbox, guint32 uid, gsize wanted)
{
  g_autofree char *key = make_key (mailbox, uid);
  gsize bytes;

  /* Who wants more than a prefix wants the message, not its text. */
  if (wanted > POSTBAG_LIMIT_PREFIX_BYTES)
    return wanted;
  g_mutex_lock (&self->lock);
  bytes = GPOINTER_TO_UINT (g_hash_table_lookup (self->bytes, key));
  g_mutex_unlock (&self->lock);
  return bytes > 0 ? MIN (bytes, wanted) : wanted;
}
