/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One message: its source, its structure, the octets of its parts. */

#include "postbag-maildir-file.h"
#include "postbag-maildir-flags.h"
#include "postbag-maildir-store.h"

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "mime/postbag-message.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* What is handed to a sink at once. */
#define BLOCK_BYTES (64 * 1024)

static GBytes *
read_source (PostbagMaildirAccess *access, guint32 uid, gsize max, struct stat *facts,
             GError **error)
{
  int fd = postbag_maildir_access_open_message (access, uid, facts, error);
  GBytes *source;

  if (fd < 0)
    return NULL;
  source = postbag_maildir_read_start (fd, max, facts->st_size);
  if (source == NULL)
    postbag_set_error_from_errno (error, errno, "Cannot read message %u in the mailbox “%s”", uid,
                                  access->path);
  postbag_maildir_close (fd);
  return source;
}

/* Whether the file is longer than what was read of it. */
static gboolean
is_cut (GBytes *source, const struct stat *facts)
{
  return (gint64)g_bytes_get_size (source) < facts->st_size;
}

/* (transfer full): a program may replace a file under its name, which its UID hangs on. */
static char *
make_version (const struct stat *facts)
{
  return g_strdup_printf ("%" G_GUINT64_FORMAT "-%" G_GINT64_FORMAT "-%" G_GINT64_FORMAT ".%09ld",
                          (guint64)facts->st_ino, (gint64)facts->st_size,
                          (gint64)facts->st_mtim.tv_sec, facts->st_mtim.tv_nsec);
}

static PostbagPart *
read_structure (PostbagMaildirAccess *access, guint32 uid, GError **error)
{
  PostbagPart *structure = NULL;
  struct stat facts;
  g_autoptr (GBytes) source =
      read_source (access, uid, POSTBAG_LIMIT_STRUCTURE_BYTES, &facts, error);
  g_autoptr (PostbagMessage) message = NULL;

  if (source == NULL)
    return NULL;
  message = postbag_message_parse (source);
  structure = postbag_part_copy (postbag_message_get_structure (message));
  structure->cut = postbag_message_get_structure (message)->cut || is_cut (source, &facts);
  structure->uid_validity = access->snapshot->identity.uid_validity;
  structure->version = make_version (&facts);
  return structure;
}

PostbagPart *
postbag_maildir_fetch_structure (gpointer self, const char *mailbox, guint32 uid,
                                 GCancellable *cancellable, GError **error)
{
  g_autoptr (PostbagMaildirAccess) access =
      postbag_maildir_access_new (self, mailbox, cancellable, error);

  return access != NULL ? read_structure (access, uid, error) : NULL;
}

PostbagFetchedMessage *
postbag_maildir_fetch_message (gpointer self, const char *mailbox, guint32 uid, gsize max_source,
                               GCancellable *cancellable, GError **error)
{
  g_autoptr (PostbagMaildirAccess) access =
      postbag_maildir_access_new (self, mailbox, cancellable, error);
  g_autoptr (PostbagFetchedMessage) message = g_new0 (PostbagFetchedMessage, 1);
  const PostbagMaildirEntry *entry;
  struct stat facts;

  if (access == NULL)
    return NULL;
  message->source = read_source (access, uid, max_source, &facts, error);
  if (message->source == NULL)
    return NULL;
  /* The listing that the file was found in has its entry. */
  entry = postbag_maildir_snapshot_find (access->snapshot, uid);
  message->uid = uid;
  message->uid_validity = access->snapshot->identity.uid_validity;
  message->flags = postbag_maildir_entry_get_flags (entry);
  message->keywords = postbag_maildir_snapshot_name_keywords (access->snapshot, entry);
  message->internal_date = facts.st_mtim.tv_sec;
  message->size = facts.st_size;
  message->complete = (gint64)g_bytes_get_size (message->source) >= facts.st_size;
  if (!message->complete)
    {
      message->structure = read_structure (access, uid, error);
      if (message->structure == NULL)
        return NULL;
    }
  return g_steal_pointer (&message);
}

/* --- parts --- */

static gboolean
pour_bytes (GBytes *bytes, PostbagSinkFunc sink, gpointer user_data, GCancellable *cancellable,
            GError **error)
{
  gsize length;
  const guint8 *data = g_bytes_get_data (bytes, &length);

  for (gsize at = 0; at < length; at += BLOCK_BYTES)
    if (g_cancellable_set_error_if_cancelled (cancellable, error)
        || !sink (data + at, MIN (length - at, BLOCK_BYTES), user_data, error))
      return FALSE;
  return TRUE;
}

static gboolean
pour_file (PostbagMaildirAccess *access, guint32 uid, int fd, PostbagSinkFunc sink,
           gpointer user_data, GError **error)
{
  g_autofree guint8 *block = g_malloc (BLOCK_BYTES);
  gssize n;

  while ((n = read (fd, block, BLOCK_BYTES)) != 0)
    {
      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        {
          postbag_set_error_from_errno (error, errno, "Cannot read message %u in the mailbox “%s”",
                                        uid, access->path);
          return FALSE;
        }
      if (g_cancellable_set_error_if_cancelled (access->cancellable, error)
          || !sink (block, (gsize)n, user_data, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
pour_whole (PostbagMaildirAccess *access, guint32 uid, PostbagSinkFunc sink, gpointer user_data,
            GError **error)
{
  struct stat facts;
  int fd = postbag_maildir_access_open_message (access, uid, &facts, error);
  gboolean done = fd >= 0 && pour_file (access, uid, fd, sink, user_data, error);

  postbag_maildir_close (fd);
  return done;
}

/* Whether @octets, a piece of @source, reaches its end. */
static gboolean
ends_with (GBytes *source, GBytes *octets)
{
  gsize source_length, length;
  const guint8 *start = g_bytes_get_data (source, &source_length);
  const guint8 *piece = g_bytes_get_data (octets, &length);

  return piece >= start && piece <= start + source_length
         && (gsize)(piece - start) + length >= source_length;
}

static gboolean
pour_part (PostbagMaildirAccess *access, guint32 uid, const char *number, PostbagSinkFunc sink,
           gpointer user_data, GError **error)
{
  struct stat facts;
  g_autoptr (GBytes) source =
      read_source (access, uid, POSTBAG_LIMIT_STRUCTURE_BYTES, &facts, error);
  g_autoptr (PostbagMessage) message = NULL;
  g_autoptr (GBytes) octets = NULL;

  if (source == NULL)
    return FALSE;
  message = postbag_message_parse (source);
  octets = postbag_message_get_part_octets (message, number);
  if (is_cut (source, &facts) && (octets == NULL || ends_with (source, octets)))
    {
      g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_SUPPORTED,
                   "Part %s of message %u lies past the first %d MiB of the message, which is all "
                   "that is read. Another mail program can fetch it.",
                   number, uid, POSTBAG_LIMIT_STRUCTURE_BYTES >> 20);
      return FALSE;
    }
  if (octets != NULL)
    return pour_bytes (octets, sink, user_data, access->cancellable, error);
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_FOUND,
               "Message %u in the mailbox “%s” has no part %s. List its attachments to see which "
               "parts there are.",
               uid, access->path, number);
  return FALSE;
}

gboolean
postbag_maildir_fetch_part (gpointer self, const char *mailbox, guint32 uid, const char *number,
                            PostbagSinkFunc sink, gpointer user_data, GCancellable *cancellable,
                            GError **error)
{
  g_autoptr (PostbagMaildirAccess) access =
      postbag_maildir_access_new (self, mailbox, cancellable, error);

  if (access == NULL)
    return FALSE;
  return strcmp (number, "0") == 0 ? pour_whole (access, uid, sink, user_data, error)
                                   : pour_part (access, uid, number, sink, user_data, error);
}
