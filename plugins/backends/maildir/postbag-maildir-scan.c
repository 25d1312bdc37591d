/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-maildir-scan.h"

#include "postbag-maildir-file.h"
#include "postbag-maildir-flags.h"

#include "base/postbag-error.h"
#include "base/postbag-limits.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define NS_PER_SECOND G_GINT64_CONSTANT (1000000000)
/* FAT counts in two seconds, older ext and HFS in one. */
#define COARSE_NS (2 * NS_PER_SECOND)
/* The kernel stamps with the time of its last tick: 10 ms at HZ=100. */
#define TICK_NS (20 * NS_PER_SECOND / 1000)
#define CANCEL_EVERY 1024
#define NAME_BYTES_GUESS 64

/* --- an open mailbox --- */

void
postbag_maildir_open_clear (PostbagMaildirOpen *mailbox)
{
  postbag_maildir_close (mailbox->directory);
  postbag_maildir_close (mailbox->current);
  postbag_maildir_close (mailbox->fresh);
  mailbox->directory = mailbox->current = mailbox->fresh = -1;
}

static void
set_open_error (int saved_errno, const char *path, const char *what, GError **error)
{
  if (saved_errno == ENOENT)
    g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_FOUND,
                 "The mailbox “%s” has no folder “%s” any more. List the mailboxes to see which "
                 "there are.",
                 path, what);
  else if (saved_errno == ENOTDIR || saved_errno == ELOOP)
    g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_BAD_DATA,
                 "“%s” of the mailbox “%s” is not a folder, so this is not a Maildir. Put the "
                 "folder back, or remove the mailbox.",
                 what, path);
  else
    postbag_set_error_from_errno (error, saved_errno, "Cannot open “%s” of the mailbox “%s”", what,
                                  path);
}

gboolean
postbag_maildir_open_mailbox (int root, const char *directory, const char *path,
                              PostbagMaildirOpen *mailbox, GError **error)
{
  const char *what = ".";

  mailbox->directory = *directory == '\0' ? openat (root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
                                          : postbag_maildir_open_folder_below (root, directory);
  if (mailbox->directory >= 0)
    {
      what = "cur";
      mailbox->current = postbag_maildir_open_folder (mailbox->directory, what);
    }
  if (mailbox->current >= 0)
    {
      what = "new";
      mailbox->fresh = postbag_maildir_open_folder (mailbox->directory, what);
      if (mailbox->fresh >= 0 || errno == ENOENT)
        return TRUE;
    }
  set_open_error (errno, path, what, error);
  postbag_maildir_open_clear (mailbox);
  return FALSE;
}

static gint64
get_ns (const struct statx_timestamp *time)
{
  return time->tv_sec * NS_PER_SECOND + time->tv_nsec;
}

/* @name: (nullable): %NULL: of @folder itself */
static void
take_stamp (int folder, const char *name, PostbagMaildirStamp *stamp)
{
  static const PostbagMaildirStamp missing = { .mtime_ns = -1 };
  struct statx facts;

  *stamp = missing;
  if (folder < 0
      || statx (folder, name != NULL ? name : "",
                name != NULL ? AT_SYMLINK_NOFOLLOW : AT_EMPTY_PATH,
                STATX_INO | STATX_MTIME | STATX_BTIME, &facts)
             != 0)
    return;
  stamp->device = makedev (facts.stx_dev_major, facts.stx_dev_minor);
  stamp->inode = facts.stx_ino;
  stamp->mtime_ns = get_ns (&facts.stx_mtime);
  stamp->birth_ns = facts.stx_mask & STATX_BTIME ? get_ns (&facts.stx_btime) : 0;
}

void
postbag_maildir_take_stamps (const PostbagMaildirOpen *mailbox, PostbagMaildirStamps *stamps)
{
  take_stamp (mailbox->current, NULL, &stamps->current);
  take_stamp (mailbox->fresh, NULL, &stamps->fresh);
  take_stamp (mailbox->directory, "dovecot-keywords", &stamps->keywords);
}

gboolean
postbag_maildir_stamp_is_same_folder (const PostbagMaildirStamp *a, const PostbagMaildirStamp *b)
{
  if (a->inode != b->inode)
    return FALSE;
  return a->birth_ns != 0 && b->birth_ns != 0 ? a->birth_ns == b->birth_ns : a->device == b->device;
}

static gboolean
is_same (const PostbagMaildirStamp *a, const PostbagMaildirStamp *b)
{
  return a->device == b->device && a->inode == b->inode && a->mtime_ns == b->mtime_ns
         && a->birth_ns == b->birth_ns;
}

gboolean
postbag_maildir_stamps_equal (const PostbagMaildirStamps *a, const PostbagMaildirStamps *b)
{
  return is_same (&a->current, &b->current) && is_same (&a->fresh, &b->fresh)
         && is_same (&a->keywords, &b->keywords);
}

gboolean
postbag_maildir_stamps_are_settled (const PostbagMaildirStamps *stamps, gint64 now_ns)
{
  return stamps->current.mtime_ns < now_ns - COARSE_NS
         && stamps->fresh.mtime_ns < now_ns - COARSE_NS
         && stamps->keywords.mtime_ns < now_ns - COARSE_NS;
}

static gboolean
is_quiet (const PostbagMaildirStamp *stamp, gint64 now_ns)
{
  gint64 grain = stamp->mtime_ns % NS_PER_SECOND == 0 ? COARSE_NS : TICK_NS;

  return stamp->mtime_ns < now_ns - grain;
}

gboolean
postbag_maildir_stamps_are_quiet (const PostbagMaildirStamps *stamps, gint64 now_ns)
{
  return is_quiet (&stamps->current, now_ns) && is_quiet (&stamps->fresh, now_ns);
}

/* --- the scan --- */

PostbagMaildirScan *
postbag_maildir_scan_new (void)
{
  PostbagMaildirScan *self = g_new0 (PostbagMaildirScan, 1);

  self->n_slots = 64;
  self->slots = g_new0 (guint32, self->n_slots);
  self->seed = g_random_int ();
  return self;
}

void
postbag_maildir_scan_drop_slots (PostbagMaildirScan *self)
{
  g_clear_pointer (&self->slots, g_free);
  self->n_slots = 0;
}

void
postbag_maildir_scan_free (PostbagMaildirScan *self)
{
  if (self == NULL)
    return;
  g_free (self->entries);
  g_free (self->names);
  g_free (self->slots);
  g_free (self);
}

/* FNV-1a; the seed keeps chosen names from choosing their slots. */
static guint32
hash_base (const PostbagMaildirScan *self, const char *base, gsize length)
{
  guint32 hash = 2166136261u ^ self->seed;

  for (gsize i = 0; i < length; i++)
    hash = (hash ^ (guchar)base[i]) * 16777619u;
  return hash ^ (hash >> 15);
}

/* The slot that holds this base name, or the free one where it belongs. */
static guint32 *
find_slot (PostbagMaildirScan *self, const char *base, gsize length)
{
  guint position = hash_base (self, base, length) & (self->n_slots - 1);

  while (self->slots[position] != 0)
    {
      const PostbagMaildirEntry *entry = &self->entries[self->slots[position] - 1];

      if (entry->base_length == length && memcmp (self->names + entry->name, base, length) == 0)
        break;
      position = (position + 1) & (self->n_slots - 1);
    }
  return &self->slots[position];
}

static void
grow_slots (PostbagMaildirScan *self)
{
  g_free (self->slots);
  self->n_slots *= 2;
  self->slots = g_new0 (guint32, self->n_slots);
  for (guint i = 0; i < self->n_entries; i++)
    {
      const PostbagMaildirEntry *entry = &self->entries[i];

      *find_slot (self, self->names + entry->name, entry->base_length) = i + 1;
    }
}

/* By half: doubling would cost a quarter of what a large mailbox may use. */
static gsize
grow (gsize allocated, gsize minimum)
{
  return MAX (allocated + allocated / 2, minimum);
}

static guint32
store_name (PostbagMaildirScan *self, const char *name, gsize length)
{
  gsize at = self->names_length;

  if (at + length + 1 > self->names_allocated)
    {
      self->names_allocated = grow (self->names_allocated, at + length + 1 + NAME_BYTES_GUESS * 16);
      self->names = g_realloc (self->names, self->names_allocated);
    }
  memcpy (self->names + at, name, length + 1);
  self->names_length += length + 1;
  return (guint32)at;
}

static PostbagMaildirEntry *
append_entry (PostbagMaildirScan *self)
{
  if (self->n_entries == self->n_allocated)
    {
      self->n_allocated = (guint)grow (self->n_allocated, self->n_entries + 16u);
      self->entries = g_renew (PostbagMaildirEntry, self->entries, self->n_allocated);
    }
  memset (&self->entries[self->n_entries], 0, sizeof *self->entries);
  return &self->entries[self->n_entries++];
}

gboolean
postbag_maildir_scan_add (PostbagMaildirScan *self, const char *name, gboolean in_new)
{
  PostbagMaildirName parsed = postbag_maildir_parse_name (name);
  gsize length = strlen (name);
  PostbagMaildirEntry *entry;
  guint32 *slot;

  if (parsed.base_length == 0 || length > G_MAXUINT8)
    return TRUE; /* nobody's message */
  if (self->n_entries >= POSTBAG_LIMIT_MAILBOX_MESSAGES
      || self->names_length > G_MAXUINT32 - G_MAXUINT16)
    return FALSE;
  if ((self->n_entries + 1) * 4 > self->n_slots * 3)
    grow_slots (self);
  slot = find_slot (self, name, parsed.base_length);
  entry = *slot != 0 ? &self->entries[*slot - 1] : append_entry (self);
  if (*slot == 0)
    *slot = self->n_entries;
  if (in_new)
    parsed.flags &= ~(guint)POSTBAG_FLAG_SEEN;
  entry->name = store_name (self, name, length);
  entry->base_length = (guint8)parsed.base_length;
  entry->marks = ((guint32)parsed.flags << POSTBAG_MAILDIR_FLAGS_SHIFT) | parsed.keywords;
  entry->in_new = in_new ? 1 : 0;
  return TRUE;
}

PostbagMaildirEntry *
postbag_maildir_scan_find (PostbagMaildirScan *self, const char *base, gsize length)
{
  guint32 *slot = find_slot (self, base, length);

  return *slot != 0 ? &self->entries[*slot - 1] : NULL;
}

gboolean
postbag_maildir_is_message (int folder, const struct dirent *entry)
{
  struct stat facts;

  if (entry->d_name[0] == '.')
    return FALSE;
  if (entry->d_type != DT_UNKNOWN)
    return entry->d_type == DT_REG;
  return fstatat (folder, entry->d_name, &facts, AT_SYMLINK_NOFOLLOW) == 0
         && S_ISREG (facts.st_mode);
}

static gboolean
read_entries (PostbagMaildirScan *self, DIR *directory, gboolean in_new, const char *path,
              GCancellable *cancellable, GError **error)
{
  struct dirent *entry;
  guint n = 0;

  while (errno = 0, (entry = readdir (directory)) != NULL)
    {
      if (++n % CANCEL_EVERY == 0 && g_cancellable_set_error_if_cancelled (cancellable, error))
        return FALSE;
      if (!postbag_maildir_is_message (dirfd (directory), entry)
          || postbag_maildir_scan_add (self, entry->d_name, in_new))
        continue;
      g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_TOO_LARGE,
                   "The mailbox “%s” holds more than %d messages. Move some of them elsewhere.",
                   path, POSTBAG_LIMIT_MAILBOX_MESSAGES);
      return FALSE;
    }
  if (errno == 0)
    return TRUE;
  postbag_set_error_from_errno (error, errno, "Cannot list the mailbox “%s”", path);
  return FALSE;
}

static gboolean
scan_folder (PostbagMaildirScan *self, int folder, gboolean in_new, const char *path,
             GCancellable *cancellable, GError **error)
{
  /* A descriptor of its own: readdir keeps its position in it. */
  int fd = openat (folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *directory = fd >= 0 ? fdopendir (fd) : NULL;
  gboolean done;

  if (directory == NULL)
    {
      postbag_set_error_from_errno (error, errno, "Cannot list the mailbox “%s”", path);
      postbag_maildir_close (fd);
      return FALSE;
    }
  done = read_entries (self, directory, in_new, path, cancellable, error);
  closedir (directory);
  return done;
}

static gint64
get_now_ns (void)
{
  return g_get_real_time () * 1000;
}

PostbagMaildirScan *
postbag_maildir_scan_run (const PostbagMaildirOpen *mailbox, const char *path,
                          GCancellable *cancellable, GError **error)
{
  g_autoptr (PostbagMaildirScan) self = postbag_maildir_scan_new ();
  PostbagMaildirStamps after;

  postbag_maildir_take_stamps (mailbox, &self->stamps);
  self->started_ns = get_now_ns ();
  if (mailbox->fresh >= 0 && !scan_folder (self, mailbox->fresh, TRUE, path, cancellable, error))
    return NULL;
  if (!scan_folder (self, mailbox->current, FALSE, path, cancellable, error))
    return NULL;
  postbag_maildir_take_stamps (mailbox, &after);
  self->still = postbag_maildir_stamps_equal (&self->stamps, &after);
  return g_steal_pointer (&self);
}
