/* SPDX-License-Identifier: LGPL-2.1-or-later */

#define G_LOG_DOMAIN "postbag-mail"

#include "mail/postbag-journal-private.h"

#include "base/postbag-clock.h"
#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "base/postbag-state.h"
#include "base/postbag-write.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define GROUP "change"
#define SUFFIX ".change"
#define END "end"
/* A header that is looked for: ours stand at the beginning. */
#define HEADER_BYTES (16 * 1024)

/* What is left empty by a process that was killed there is removed when it is that old: a younger
 * one may be about to be written. */
#define EMPTY_SECONDS (24 * 60 * 60)

/* The folder of an account, open. One that was taken to tell from is locked: who tells of old
 * changes tells of all of them, and needs no descriptor for each. */
typedef struct
{
  gatomicrefcount references;
  int fd;
} Folder;

struct _PostbagReceipt
{
  Folder *folder;
  int file; /* locked while the change is under way or its answer on its way; -1: an old one */
  char *name;
};

static void
unref_folder (Folder *self)
{
  if (self == NULL || !g_atomic_ref_count_dec (&self->references))
    return;
  close (self->fd);
  g_free (self);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Folder, unref_folder)

static Folder *
ref_folder (Folder *self)
{
  g_atomic_ref_count_inc (&self->references);
  return self;
}

static Folder *
open_folder (const char *state_dir, const char *area, const PostbagAccount *account, GError **error)
{
  g_autofree char *identity = postbag_account_dup_identity (account);
  g_autofree char *part = g_build_filename (area, identity, NULL);
  g_autofree char *path = postbag_state_open_part (state_dir, part, error);
  Folder *self;
  int fd;

  if (path == NULL)
    return NULL;
  fd = open (path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0)
    {
      postbag_set_error_from_errno (error, errno, "Cannot open “%s”", path);
      return NULL;
    }
  self = g_new0 (Folder, 1);
  g_atomic_ref_count_init (&self->references);
  self->fd = fd;
  return self;
}

/* A code and words of its own, whatever failed: "not found" would be taken for the mailbox's. */
static void
set_journal_error (const char *state_dir, const char *what, const char *reason, GError **error)
{
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_OFFLINE,
               "Nothing was changed, because %s (%s). The person who runs Postbag makes sure that "
               "its state folder “%s” is there, has free space and can be written in, or names "
               "another one with POSTBAG_STATE_DIR.",
               what, reason, state_dir);
}

/* --- writing --- */

/* (transfer full) (nullable): of a message of ours, to find it again by */
static char *
find_message_id (GBytes *message)
{
  static const char field[] = "\r\nMessage-ID: <";
  gsize length;
  const char *data = g_bytes_get_data (message, &length);
  const char *start, *end;

  length = MIN (length, HEADER_BYTES);
  start = length > 0 ? memmem (data, length, field, strlen (field)) : NULL;
  if (start == NULL)
    return NULL;
  start += strlen (field);
  end = memchr (start, '>', length - (gsize)(start - data));
  if (end == NULL || end - start > POSTBAG_LIMIT_MESSAGE_ID_CHARS)
    return NULL;
  return g_strndup (start, (gsize)(end - start));
}

static void
set_uids (GKeyFile *file, const GArray *uids)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; uids != NULL && i < uids->len; i++)
    g_string_append_printf (text, "%s%u", i > 0 ? " " : "", g_array_index (uids, guint32, i));
  g_key_file_set_string (file, GROUP, "uids", text->str);
}

static char *
format (const PostbagEffect *effect, gsize *length)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  gint64 now = postbag_clock_get_real_us (postbag_clock_get_system ());

  g_key_file_set_string (file, GROUP, "kind", postbag_effect_kind_get_nick (effect->kind));
  g_key_file_set_string (file, GROUP, "mailbox", effect->mailbox);
  if (effect->destination != NULL)
    g_key_file_set_string (file, GROUP, "destination", effect->destination);
  g_key_file_set_uint64 (file, GROUP, "uid-validity", effect->uid_validity);
  g_key_file_set_int64 (file, GROUP, "time", now / G_USEC_PER_SEC);
  set_uids (file, effect->uids);
  if (effect->add_keywords != NULL && effect->add_keywords[0] != NULL)
    g_key_file_set_string (file, GROUP, "keyword", effect->add_keywords[0]);
  if (effect->message != NULL)
    {
      g_autofree char *id = find_message_id (effect->message);

      if (id != NULL)
        g_key_file_set_string (file, GROUP, "message-id", id);
    }
  /* The last line: without it, the rest is missing. */
  g_key_file_set_boolean (file, GROUP, END, TRUE);
  return g_key_file_to_data (file, length, NULL);
}

static gboolean
lock_file (int fd)
{
  int result;

  do
    result = flock (fd, LOCK_EX);
  while (result != 0 && errno == EINTR);
  return result == 0;
}

static gboolean
write_entry (PostbagReceipt *self, const PostbagEffect *effect)
{
  gsize length;
  g_autofree char *text = format (effect, &length);

  self->file = openat (self->folder->fd, self->name,
                       O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  /* Whoever else holds the lock has looked, found it empty, and lets go at once. */
  return self->file >= 0 && lock_file (self->file) && postbag_write_all (self->file, text, length)
         && fsync (self->file) == 0 && fsync (self->folder->fd) == 0;
}

PostbagReceipt *
postbag_journal_begin (const char *state_dir, const char *area, const PostbagAccount *account,
                       const PostbagEffect *effect, GError **error)
{
  PostbagReceipt *self = g_new0 (PostbagReceipt, 1);
  g_autoptr (GError) inner = NULL;
  int saved_errno;

  self->file = -1;
  self->name = g_strdup_printf ("%016" G_GINT64_MODIFIER "x%08x" SUFFIX, g_get_real_time (),
                                g_random_int ());
  self->folder = open_folder (state_dir, area, account, &inner);
  if (self->folder != NULL && write_entry (self, effect))
    return self;
  saved_errno = errno;
  set_journal_error (state_dir, "what is about to happen cannot be written down first",
                     inner != NULL ? inner->message : g_strerror (saved_errno), error);
  postbag_receipt_close (self, TRUE);
  return NULL;
}

void
postbag_receipt_close (PostbagReceipt *self, gboolean was_told)
{
  if (self == NULL)
    return;
  if (was_told && self->folder != NULL)
    unlinkat (self->folder->fd, self->name, 0);
  if (self->file >= 0)
    close (self->file);
  unref_folder (self->folder);
  g_free (self->name);
  g_free (self);
}

/* --- reading --- */

void
postbag_journal_record_free (PostbagJournalRecord *self)
{
  if (self == NULL)
    return;
  g_free (self->mailbox);
  g_free (self->destination);
  g_free (self->message_id);
  g_free (self->keyword);
  g_array_unref (self->uids);
  postbag_receipt_close (self->receipt, FALSE);
  g_free (self);
}

static gboolean
read_kind (GKeyFile *file, PostbagEffectKind *kind)
{
  g_autofree char *nick = g_key_file_get_string (file, GROUP, "kind", NULL);

  for (guint i = 0; i < POSTBAG_EFFECT_N_KINDS; i++)
    if (g_strcmp0 (nick, postbag_effect_kind_get_nick ((PostbagEffectKind)i)) == 0)
      {
        *kind = (PostbagEffectKind)i;
        return TRUE;
      }
  return FALSE;
}

static GArray *
read_uids (GKeyFile *file)
{
  g_autofree char *text = g_key_file_get_string (file, GROUP, "uids", NULL);
  GArray *uids = g_array_new (FALSE, FALSE, sizeof (guint32));
  const char *at = text;

  while (at != NULL && *at != '\0' && uids->len < POSTBAG_LIMIT_EFFECT_MESSAGES)
    {
      char *end;
      guint64 value = g_ascii_strtoull (at, &end, 10);
      guint32 uid = (guint32)value;

      if (end == at)
        break;
      if (value > 0 && value <= G_MAXUINT32)
        g_array_append_val (uids, uid);
      at = *end == ' ' ? end + 1 : end;
    }
  return uids;
}

/* (nullable): %NULL for what is no entry of ours */
static PostbagJournalRecord *
parse (const char *text, gsize length)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autofree char *mailbox = NULL;
  PostbagJournalRecord *record;
  PostbagEffectKind kind;

  if (!g_key_file_load_from_data (file, text, length, G_KEY_FILE_NONE, NULL)
      || !g_key_file_get_boolean (file, GROUP, END, NULL) || !read_kind (file, &kind))
    return NULL;
  mailbox = g_key_file_get_string (file, GROUP, "mailbox", NULL);
  if (mailbox == NULL)
    return NULL;
  record = g_new0 (PostbagJournalRecord, 1);
  record->kind = kind;
  record->mailbox = g_steal_pointer (&mailbox);
  record->destination = g_key_file_get_string (file, GROUP, "destination", NULL);
  record->message_id = g_key_file_get_string (file, GROUP, "message-id", NULL);
  record->keyword = g_key_file_get_string (file, GROUP, "keyword", NULL);
  record->uid_validity = (guint32)g_key_file_get_uint64 (file, GROUP, "uid-validity", NULL);
  record->time = g_key_file_get_int64 (file, GROUP, "time", NULL);
  record->uids = read_uids (file);
  return record;
}

/* Text that ends where it was cut off: its change never began. */
static gboolean
is_cut_off (const char *text, gsize length)
{
  static const char last[] = "\n" END "=true\n";
  gsize size = strlen (last);

  return length < size || memcmp (text + length - size, last, size) != 0;
}

static void
put_aside (const Folder *folder, const char *name)
{
  g_autofree char *new_name = g_strconcat (name, ".unreadable", NULL);

  if (renameat (folder->fd, name, folder->fd, new_name) == 0)
    g_warning ("A change of mail was interrupted, and what was written down of it cannot be read: "
               "it is kept as “%s” in the state folder's journal. Look at the mailboxes.",
               new_name);
}

/* -1 with errno: EWOULDBLOCK: somebody holds it; ENOENT: it is none, or none any more. What is
 * being written just now is locked, or still empty. */
static int
open_entry (const Folder *folder, const char *name, int lock)
{
  int fd = openat (folder->fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  struct stat facts;
  int saved_errno;

  if (fd < 0)
    return -1;
  if (fstat (fd, &facts) == 0 && flock (fd, lock | LOCK_NB) == 0)
    {
      if (S_ISREG (facts.st_mode) && facts.st_size > 0)
        return fd;
      errno = ENOENT;
      if (S_ISREG (facts.st_mode) && lock == LOCK_EX
          && facts.st_mtime < g_get_real_time () / G_USEC_PER_SEC - EMPTY_SECONDS)
        unlinkat (folder->fd, name, 0);
    }
  saved_errno = errno;
  close (fd);
  errno = saved_errno;
  return -1;
}

static PostbagJournalRecord *
take_entry (Folder *folder, const char *name)
{
  int fd = open_entry (folder, name, LOCK_EX);
  g_autofree char *text = NULL;
  PostbagJournalRecord *record;
  gssize length;

  if (fd < 0)
    return NULL;
  text = g_malloc (POSTBAG_LIMIT_JOURNAL_BYTES);
  length = read (fd, text, POSTBAG_LIMIT_JOURNAL_BYTES);
  close (fd);
  record = length > 0 ? parse (text, (gsize)length) : NULL;
  if (record != NULL)
    {
      record->receipt = g_new0 (PostbagReceipt, 1);
      record->receipt->folder = ref_folder (folder);
      record->receipt->file = -1;
      record->receipt->name = g_strdup (name);
    }
  else if (length > 0 && length < POSTBAG_LIMIT_JOURNAL_BYTES && is_cut_off (text, (gsize)length))
    unlinkat (folder->fd, name, 0);
  else if (length > 0)
    put_aside (folder, name);
  return record;
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *)a, *(const char *const *)b);
}

/* Names begin with the time. Some may be of changes that are under way. (transfer full) (nullable):
 * %NULL with @reason: they cannot be seen */
static GPtrArray *
list_names (const Folder *folder, GError **reason)
{
  g_autofree char *path = g_strdup_printf ("/proc/self/fd/%d", folder->fd);
  g_autoptr (GDir) directory = g_dir_open (path, 0, reason);
  GPtrArray *names;
  const char *name;

  if (directory == NULL)
    return NULL;
  names = g_ptr_array_new_with_free_func (g_free);
  while (names->len < POSTBAG_LIMIT_JOURNAL_NAMES && (name = g_dir_read_name (directory)) != NULL)
    if (g_str_has_suffix (name, SUFFIX))
      g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, compare_names);
  return names;
}

GPtrArray *
postbag_journal_take (const char *state_dir, const char *area, const PostbagAccount *account)
{
  GPtrArray *records = g_ptr_array_new_with_free_func ((GDestroyNotify)postbag_journal_record_free);
  g_autoptr (Folder) folder = open_folder (state_dir, area, account, NULL);
  g_autoptr (GPtrArray) names = NULL;

  /* Locked: another call or process is telling. */
  if (folder == NULL || flock (folder->fd, LOCK_EX | LOCK_NB) != 0)
    return records;
  names = list_names (folder, NULL);
  for (guint i = 0; names != NULL && i < names->len && records->len < POSTBAG_LIMIT_JOURNAL_ENTRIES;
       i++)
    {
      PostbagJournalRecord *record = take_entry (folder, g_ptr_array_index (names, i));

      if (record != NULL)
        g_ptr_array_add (records, record);
    }
  return records;
}

/* %FALSE with errno: what is in it cannot be seen. Text that is no entry adds nothing: who takes it
 * puts it aside and says so. */
static gboolean
read_entry (Folder *folder, const char *name, GPtrArray *records)
{
  int fd = open_entry (folder, name, LOCK_SH);
  g_autofree char *text = NULL;
  PostbagJournalRecord *record;
  gssize length;
  int saved_errno;

  if (fd < 0)
    return errno == EWOULDBLOCK || errno == ENOENT || errno == ELOOP;
  text = g_malloc (POSTBAG_LIMIT_JOURNAL_BYTES);
  length = read (fd, text, POSTBAG_LIMIT_JOURNAL_BYTES);
  saved_errno = errno;
  close (fd);
  errno = saved_errno;
  record = length > 0 ? parse (text, (gsize)length) : NULL;
  if (record != NULL)
    g_ptr_array_add (records, record);
  return length >= 0;
}

static GPtrArray *
look (const char *state_dir, const char *area, const PostbagAccount *account, GError **reason)
{
  g_autoptr (GPtrArray) records =
      g_ptr_array_new_with_free_func ((GDestroyNotify)postbag_journal_record_free);
  g_autoptr (Folder) folder = open_folder (state_dir, area, account, reason);
  g_autoptr (GPtrArray) names = folder != NULL ? list_names (folder, reason) : NULL;

  if (names == NULL)
    return NULL;
  if (names->len == POSTBAG_LIMIT_JOURNAL_NAMES)
    {
      g_set_error_literal (reason, POSTBAG_ERROR, POSTBAG_ERROR_TOO_LARGE,
                           "there are too many entries in it");
      return NULL;
    }
  for (guint i = 0; i < names->len; i++)
    if (!read_entry (folder, g_ptr_array_index (names, i), records))
      {
        postbag_set_error_from_errno (reason, errno, "Cannot read “%s”",
                                      (const char *)g_ptr_array_index (names, i));
        return NULL;
      }
  return g_steal_pointer (&records);
}

GPtrArray *
postbag_journal_look (const char *state_dir, const char *area, const PostbagAccount *account,
                      GError **error)
{
  g_autoptr (GError) reason = NULL;
  GPtrArray *records = look (state_dir, area, account, &reason);

  if (records == NULL)
    set_journal_error (state_dir,
                       "whether an earlier change like this one was interrupted cannot be seen",
                       reason->message, error);
  return records;
}
