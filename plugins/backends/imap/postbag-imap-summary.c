/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-imap-summary.h"

#include <string.h>

#include "mime/postbag-message.h"
#include "postbag-imap-set.h"
#include "safety/postbag-attachment-policy.h"

#define FIELDS "HEADER.FIELDS (FROM TO SUBJECT DATE MESSAGE-ID)"

static const struct
{
  const char *name;
  PostbagFlags bit;
} known_flags[] = {
  { "\\Seen", POSTBAG_FLAG_SEEN },       { "\\Answered", POSTBAG_FLAG_ANSWERED },
  { "\\Flagged", POSTBAG_FLAG_FLAGGED }, { "\\Deleted", POSTBAG_FLAG_DELETED },
  { "\\Draft", POSTBAG_FLAG_DRAFT },     { "$Forwarded", POSTBAG_FLAG_FORWARDED },
};

static PostbagFlags
find_bit (const char *flag)
{
  for (gsize i = 0; i < G_N_ELEMENTS (known_flags); i++)
    if (g_ascii_strcasecmp (flag, known_flags[i].name) == 0)
      return known_flags[i].bit;
  return 0;
}

char **
postbag_imap_flags_split (char *const *flags, PostbagFlags *bits)
{
  GPtrArray *keywords = g_ptr_array_new ();

  *bits = 0;
  for (; flags != NULL && *flags != NULL; flags++)
    {
      PostbagFlags bit = find_bit (*flags);

      *bits |= bit;
      if (bit == 0 && (*flags)[0] != '\\')
        g_ptr_array_add (keywords, g_strdup (*flags));
    }
  g_ptr_array_add (keywords, NULL);
  return (char **)g_ptr_array_free (keywords, FALSE);
}

void
postbag_imap_summary_add_items (PostbagImapCommand *command, gboolean with_structure)
{
  postbag_imap_command_add_open (command);
  postbag_imap_command_add_words (command, "UID FLAGS INTERNALDATE RFC822.SIZE");
  if (with_structure)
    postbag_imap_command_add_words (command, "BODYSTRUCTURE");
  postbag_imap_command_add_words (command, "BODY.PEEK[" FIELDS "]");
  postbag_imap_command_add_close (command);
}

/* What was said of one message, maybe in several replies. */
typedef struct
{
  const PostbagImapFetch *flags;
  const PostbagImapFetch *facts;
  const PostbagImapFetch *structure;
  const PostbagImapSection *header;
} Pieces;

static void
take_pieces (Pieces *pieces, const PostbagImapFetch *fetch)
{
  const PostbagImapSection *header = postbag_imap_fetch_find_section (fetch, FIELDS, 0, FALSE);

  if (fetch->has_flags)
    pieces->flags = fetch;
  if (fetch->size >= 0 && pieces->facts == NULL)
    pieces->facts = fetch;
  if (fetch->structure != NULL && pieces->structure == NULL)
    pieces->structure = fetch;
  if (header != NULL && header->bytes != NULL && pieces->header == NULL)
    pieces->header = header;
}

static PostbagSummary *
create_summary (guint32 uid, const Pieces *pieces)
{
  PostbagSummary *summary = postbag_mime_summarize (pieces->header->bytes);

  summary->uid = uid;
  summary->has_attachments =
      pieces->structure != NULL && postbag_attachments_any (pieces->structure->structure);
  summary->size = pieces->facts != NULL ? pieces->facts->size : -1;
  summary->internal_date =
      pieces->facts != NULL ? pieces->facts->internal_date : POSTBAG_DATE_UNKNOWN;
  g_strfreev (summary->keywords);
  summary->keywords = postbag_imap_flags_split (pieces->flags != NULL ? pieces->flags->flags : NULL,
                                                &summary->flags);
  return summary;
}

static gboolean
holds_uid (const GArray *uids, guint32 uid)
{
  for (guint i = 0; uids != NULL && i < uids->len; i++)
    {
      const PostbagImapRange *range = &g_array_index (uids, PostbagImapRange, i);

      if (uid >= range->first && uid <= range->last)
        return TRUE;
    }
  return uids == NULL;
}

static int
compare_summaries (gconstpointer a, gconstpointer b)
{
  const PostbagSummary *left = *(PostbagSummary *const *)a, *right = *(PostbagSummary *const *)b;

  return (left->uid < right->uid) - (left->uid > right->uid);
}

GPtrArray *
postbag_imap_summary_collect (const GPtrArray *replies, const GArray *uids)
{
  GPtrArray *summaries = g_ptr_array_new_with_free_func ((GDestroyNotify)postbag_summary_free);
  g_autoptr (GHashTable) by_uid = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  GHashTableIter iter;
  gpointer key, value;

  for (guint i = 0; i < replies->len; i++)
    {
      const PostbagImapReply *reply = g_ptr_array_index (replies, i);
      Pieces *pieces;

      if (reply->kind != POSTBAG_IMAP_REPLY_FETCH || reply->fetch->uid == 0
          || !holds_uid (uids, reply->fetch->uid))
        continue;
      pieces = g_hash_table_lookup (by_uid, GUINT_TO_POINTER (reply->fetch->uid));
      if (pieces == NULL)
        {
          pieces = g_new0 (Pieces, 1);
          g_hash_table_insert (by_uid, GUINT_TO_POINTER (reply->fetch->uid), pieces);
        }
      take_pieces (pieces, reply->fetch);
    }
  g_hash_table_iter_init (&iter, by_uid);
  while (g_hash_table_iter_next (&iter, &key, &value))
    if (((Pieces *)value)->header != NULL)
      g_ptr_array_add (summaries, create_summary (GPOINTER_TO_UINT (key), value));
  g_ptr_array_sort (summaries, compare_summaries);
  return summaries;
}

/* The tree is no deeper than the parser reads it. */
void
postbag_imap_structure_decode (PostbagPart *part)
{
  if (part->filename != NULL)
    {
      char *decoded = postbag_message_decode_header (part->filename);

      g_free (part->filename);
      part->filename = decoded;
    }
  for (guint i = 0; part->children != NULL && i < part->children->len; i++)
    postbag_imap_structure_decode (g_ptr_array_index (part->children, i));
}
