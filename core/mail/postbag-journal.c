/* SPDX-License-Identifier: LGPL-2.1-or-later */

#define G_LOG_DOMAIN "postbag-mail"

#include "mail/postbag-journal-private.h"

#include "base/postbag-clock.h"
#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "base/postbag-state.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define GROUP "change"
#define SUFFIX ".change"
/* A header that is looked for: ours stand at the beginning. */
#define HEADER_BYTES (16 * 1024)

struct _PostbagReceipt
{
  int folder;
  int file;
  char *name;
};

static int
open_folder (const char *state_dir, const PostbagAccount *account, GError **error)
{
  g_autofree char *escaped = g_uri_escape_string (account->name, NULL, FALSE);
  g_autofree char *part = g_strconcat ("journal/", escaped, NULL);
  g_autofree char *path = postbag_state_open_part (state_dir, part, error);
  int fd;

  if (path == NULL)
    return -1;
  fd = open (path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0)
    postbag_set_error_from_errno (error, errno, "Cannot open “%s”", path);
  return fd;
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
  if (effect->message != NULL)
    {
      g_autofree char *id = find_message_id (effect->message);

      if (id != NULL)
        g_key_file_set_string (file, GROUP, "message-id", id);
    }
  return g_key_file_to_data (file, length, NULL);
}

static gboolean
write_all (int fd, const char *data, gsize length)
{
  while (length > 0)
    {
      gssize n = write (fd, data, length);

      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        return FALSE;
      data += n;
      length -= (gsize)n;
    }
  return TRUE;
}

static gboolean
write_entry (PostbagReceipt *self, const PostbagEffect *effect)
{
  gsize length;
  g_autofree char *text = format (effect, &length);

  self->file =
      openat (self->folder, self->name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  return self->file >= 0 && flock (self->file, LOCK_EX | LOCK_NB) == 0
         && write_all (self->file, text, length) && fsync (self->file) == 0
         && fsync (self->folder) == 0;
}

PostbagReceipt *
postbag_journal_begin (const char *state_dir, const PostbagAccount *account,
                       const PostbagEffect *effect, GError **error)
{
  PostbagReceipt *self = g_new0 (PostbagReceipt, 1);

  self->file = -1;
  self->name = g_strdup_printf ("%016" G_GINT64_MODIFIER "x%08x" SUFFIX, g_get_real_time (),
                                g_random_int ());
  self->folder = open_folder (state_dir, account, error);
  if (self->folder >= 0 && write_entry (self, effect))
    return self;
  if (self->folder >= 0)
    postbag_set_error_from_errno (error, errno, "Cannot write in the state folder “%s”", state_dir);
  g_prefix_error (error, "Nothing was changed, because what is about to happen cannot be written "
                         "down first. ");
  postbag_receipt_close (self, TRUE);
  return NULL;
}

void
postbag_receipt_close (PostbagReceipt *self, gboolean was_told)
{
  if (self == NULL)
    return;
  if (was_told && self->folder >= 0)
    unlinkat (self->folder, self->name, 0);
  if (self->file >= 0)
    close (self->file);
  if (self->folder >= 0)
    close (self->folder);
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
      || !read_kind (file, &kind))
    return NULL;
  mailbox = g_key_file_get_string (file, GROUP, "mailbox", NULL);
  if (mailbox == NULL)
    return NULL;
  record = g_new0 (PostbagJournalRecord, 1);
  record->kind = kind;
  record->mailbox = g_steal_pointer (&mailbox);
  record->destination = g_key_file_get_string (file, GROUP, "destination", NULL);
  record->message_id = g_key_file_get_string (file, GROUP, "message-id", NULL);
  record->uid_validity = (guint32)g_key_file_get_uint64 (file, GROUP, "uid-validity", NULL);
  record->time = g_key_file_get_int64 (file, GROUP, "time", NULL);
  record->uids = read_uids (file);
  return record;
}

/* (transfer full) (nullable): one that nobody holds. What is being written just now is locked, or
 * still empty; what another taker has told meanwhile has no name any more. */
static PostbagReceipt *
take_file (int folder, const char *name)
{
  PostbagReceipt *self = g_new0 (PostbagReceipt, 1);
  struct stat facts;

  self->name = g_strdup (name);
  self->folder = fcntl (folder, F_DUPFD_CLOEXEC, 0);
  self->file = openat (folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (self->folder >= 0 && self->file >= 0 && flock (self->file, LOCK_EX | LOCK_NB) == 0
      && fstat (self->file, &facts) == 0 && S_ISREG (facts.st_mode) && facts.st_size > 0
      && facts.st_nlink > 0)
    return self;
  postbag_receipt_close (self, FALSE);
  return NULL;
}

static PostbagJournalRecord *
take_entry (int folder, const char *name)
{
  PostbagReceipt *receipt = take_file (folder, name);
  g_autofree char *text = NULL;
  PostbagJournalRecord *record;
  gssize length;

  if (receipt == NULL)
    return NULL;
  text = g_malloc (POSTBAG_LIMIT_JOURNAL_BYTES);
  length = read (receipt->file, text, POSTBAG_LIMIT_JOURNAL_BYTES);
  record = length > 0 ? parse (text, (gsize)length) : NULL;
  if (record != NULL)
    record->receipt = receipt;
  else
    postbag_receipt_close (receipt, length > 0); /* cut off: its change never began */
  return record;
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *)a, *(const char *const *)b);
}

/* Names begin with the time. */
static GPtrArray *
list_names (const char *path)
{
  g_autoptr (GDir) directory = g_dir_open (path, 0, NULL);
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  const char *name;

  while (directory != NULL && names->len < POSTBAG_LIMIT_JOURNAL_ENTRIES
         && (name = g_dir_read_name (directory)) != NULL)
    if (g_str_has_suffix (name, SUFFIX))
      g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, compare_names);
  return names;
}

GPtrArray *
postbag_journal_take (const char *state_dir, const PostbagAccount *account)
{
  GPtrArray *records = g_ptr_array_new_with_free_func ((GDestroyNotify)postbag_journal_record_free);
  int folder = open_folder (state_dir, account, NULL);
  g_autofree char *path = NULL;
  g_autoptr (GPtrArray) names = NULL;

  if (folder < 0)
    return records;
  path = g_strdup_printf ("/proc/self/fd/%d", folder);
  names = list_names (path);
  for (guint i = 0; i < names->len; i++)
    {
      PostbagJournalRecord *record = take_entry (folder, g_ptr_array_index (names, i));

      if (record != NULL)
        g_ptr_array_add (records, record);
    }
  close (folder);
  return records;
}
