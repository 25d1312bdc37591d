/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Saving an attachment (contracts/guarded 4.1, hardening F): a new file beneath one configured
 * folder. The folder may be reached however its owner likes; beneath it nothing is followed. The
 * bytes go to a temporary file first, are synced, and get their name by a link that
 * fails where the name is taken, so that nothing is overwritten and nothing half-written is seen.
 */

#include "safety/postbag-attachment-policy.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "base/postbag-text.h"
#include "base/postbag-write.h"
#include "safety/postbag-attachment-policy-private.h"
#include "safety/postbag-clean-private.h"
#include "safety/postbag-clean.h"

#define FILE_MODE 0600

/* --- the name --- */

/* (transfer full): @name cut to @max_bytes at a character, its extension kept */
static char *
cut_name (const char *name, gsize max_bytes)
{
  const char *dot = strrchr (name, '.');
  gsize extension, stem;
  g_autofree char *kept = NULL;

  if (strlen (name) <= max_bytes)
    return g_strdup (name);
  extension = dot != NULL && dot != name ? strlen (dot) : 0;
  if (extension > 20)
    extension = 0;
  stem = max_bytes - extension;
  while (stem > 0 && (name[stem] & 0xc0) == 0x80)
    stem--;
  kept = g_strndup (name, stem);
  return g_strconcat (g_strchomp (kept), extension > 0 ? dot : "", NULL);
}

/* Devices of Windows, whatever their extension: the folder may be one that both systems see. */
static gboolean
is_device_name (const char *name)
{
  static const char *const devices[] = { "con", "prn", "aux", "nul", NULL };
  g_autofree char *stem = g_ascii_strdown (name, (gssize)strcspn (name, ". "));

  if (g_strv_contains (devices, stem))
    return TRUE;
  return strlen (stem) == 4 && (g_str_has_prefix (stem, "com") || g_str_has_prefix (stem, "lpt"))
         && g_ascii_isdigit (stem[3]);
}

/* Names that a command line takes for something else than a file. */
static gboolean
is_awkward (const char *name)
{
  return name[0] == '-' || name[0] == '~' || is_device_name (name);
}

/* Dots and blanks at the end go, in place: Windows does not see them. */
static char *
trim_end (char *name)
{
  gsize length = strlen (name);

  while (length > 1 && (name[length - 1] == '.' || name[length - 1] == ' '))
    name[--length] = '\0';
  return name;
}

char *
postbag_save_make_name (const char *filename)
{
  g_autofree char *shown = postbag_clean_filename_whole (filename);
  g_autofree char *usable = NULL;
  g_autofree char *cut = NULL;

  if (strcmp (shown, "(unnamed)") == 0)
    return g_strdup ("attachment");
  usable = is_awkward (shown) ? g_strconcat ("_", shown, NULL) : g_strdup (shown);
  cut = trim_end (cut_name (trim_end (usable), POSTBAG_LIMIT_FILENAME_BYTES));
  /* the cut must not make a program of what the gate took for none: `….exe.[a long word]` */
  if (postbag_filename_is_executable (cut) && !postbag_filename_is_executable (usable))
    return g_strconcat (cut, "_", NULL);
  return g_steal_pointer (&cut);
}

/* (transfer full): `name (2).ext` for the second try, and so on */
static char *
number_name (const char *name, guint attempt)
{
  const char *dot = strrchr (name, '.');
  gsize stem = dot != NULL && dot != name ? (gsize)(dot - name) : strlen (name);

  if (attempt <= 1)
    return g_strdup (name);
  return g_strdup_printf ("%.*s (%u)%s", (int)stem, name, attempt, name + stem);
}

/* --- the file --- */

/* openat2 where the kernel has it; a name here has no slash, so plain openat with O_NOFOLLOW is as
 * strict. */
static int
open_beneath (int folder, const char *name, int flags)
{
  struct open_how how = { 0 };
  long fd;

  how.flags = (guint64)(guint)flags | O_CLOEXEC | O_NOFOLLOW;
  how.mode = FILE_MODE;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  fd = syscall (SYS_openat2, folder, name, &how, sizeof how);
  if (fd < 0 && (errno == ENOSYS || errno == EPERM))
    fd = openat (folder, name, flags | O_CLOEXEC | O_NOFOLLOW, FILE_MODE);
  return (int)fd;
}

static char *
make_temporary_name (void)
{
  g_autofree char *random = g_uuid_string_random ();

  return g_strconcat (".postbag-", random, ".part", NULL);
}

/* A file on its way: without a name where the file system can do that, so that nothing is left
 * behind whatever happens; else under a name that nobody can guess. */
typedef struct
{
  int folder;
  int fd;
  char *temporary; /* (nullable) */
} Saving;

static gboolean
open_saving (Saving *self, gboolean unnamed)
{
  /* such a file gets its name through /proc */
  gboolean can_link = unnamed && access ("/proc/self/fd", X_OK) == 0;

  self->fd = can_link ? open_beneath (self->folder, ".", O_WRONLY | O_TMPFILE) : -1;
  if (self->fd >= 0)
    return TRUE;
  if (can_link && errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT && errno != EINVAL)
    return FALSE;
  self->temporary = make_temporary_name ();
  self->fd = open_beneath (self->folder, self->temporary, O_WRONLY | O_CREAT | O_EXCL);
  return self->fd >= 0;
}

static void
close_saving (Saving *self)
{
  if (self->temporary != NULL)
    unlinkat (self->folder, self->temporary, 0);
  g_free (self->temporary);
}

/* Whether @name is the file that was written: its temporary name may have been changed meanwhile by
 * somebody who may write in the folder. */
static gboolean
is_same_file (const Saving *self, const char *name)
{
  struct stat written, linked;

  return fstat (self->fd, &written) == 0
         && fstatat (self->folder, name, &linked, AT_SYMLINK_NOFOLLOW) == 0
         && written.st_ino == linked.st_ino && written.st_dev == linked.st_dev
         && S_ISREG (linked.st_mode);
}

static int
link_saving (const Saving *self, const char *name)
{
  g_autofree char *path = NULL;

  if (self->temporary != NULL)
    return linkat (self->folder, self->temporary, self->folder, name, 0);
  path = g_strdup_printf ("/proc/self/fd/%d", self->fd);
  return linkat (AT_FDCWD, path, self->folder, name, AT_SYMLINK_FOLLOW);
}

/* Gives the file its name: (transfer full) (nullable), %NULL with errno. */
static char *
link_under_free_name (const Saving *self, const char *name)
{
  for (guint attempt = 1; attempt <= POSTBAG_LIMIT_SAVE_NAME_TRIES; attempt++)
    {
      g_autofree char *numbered = number_name (name, attempt);

      if (link_saving (self, numbered) == 0)
        {
          if (is_same_file (self, numbered))
            return g_steal_pointer (&numbered);
          errno = EPERM; /* what was linked is not ours to remove */
          return NULL;
        }
      if (errno != EEXIST)
        return NULL;
    }
  errno = EEXIST;
  return NULL;
}

static void
set_save_error (GError **error, int saved_errno, const char *directory)
{
  g_autofree char *shown = postbag_clean_escape (directory, POSTBAG_LIMIT_QUOTE_CHARS);

  switch (saved_errno)
    {
    case ENOENT:
    case ENOTDIR:
      g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_FOUND,
                   "The download folder %s does not exist. Nothing was saved; create it or "
                   "configure another one.",
                   shown);
      break;
    case EACCES:
    case EPERM:
    case EROFS:
      g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_ALLOWED,
                   "Postbag may not write in the download folder %s. Nothing was saved; its owner "
                   "has to allow it.",
                   shown);
      break;
    case ENOSPC:
    case EDQUOT:
      g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_OFFLINE,
                   "There is no space left for the download folder %s. Nothing was saved; free "
                   "some space and call again.",
                   shown);
      break;
    case EEXIST:
      g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_CONFLICT,
                   "The download folder %s already has %d files of that name. Nothing was saved; "
                   "tidy it up first.",
                   shown, POSTBAG_LIMIT_SAVE_NAME_TRIES);
      break;
    default:
      postbag_set_error_from_errno (error, saved_errno, "Cannot save in the download folder %s",
                                    shown);
      break;
    }
}

/* --- the quota --- */

gboolean
postbag_save_take_quota (gint64 now_us, gsize bytes)
{
  static GMutex lock;
  static gint64 start_us = -1;
  static guint64 used;
  static guint files;
  gboolean fits;

  g_mutex_lock (&lock);
  if (start_us < 0 || now_us < start_us || now_us - start_us >= G_TIME_SPAN_DAY)
    {
      start_us = now_us;
      used = 0;
      files = 0;
    }
  fits = files < POSTBAG_LIMIT_SAVED_FILES_A_DAY && bytes <= POSTBAG_LIMIT_SAVED_BYTES_A_DAY - used;
  if (fits)
    {
      used += bytes;
      files++;
    }
  g_mutex_unlock (&lock);
  return fits;
}

/* --- all of it --- */

char *
postbag_save_in_folder (int folder, const char *name, GBytes *data, gboolean unnamed,
                        int *saved_errno)
{
  Saving self = { .folder = folder };
  char *saved = NULL;

  if (!open_saving (&self, unnamed))
    {
      *saved_errno = errno;
      close_saving (&self);
      return NULL;
    }
  if (postbag_write_all (self.fd, g_bytes_get_data (data, NULL), g_bytes_get_size (data))
      && fchmod (self.fd, FILE_MODE) == 0)
    saved = link_under_free_name (&self, name);
  *saved_errno = saved == NULL ? errno : 0;
  if (close (self.fd) != 0 && saved != NULL)
    {
      *saved_errno = errno;
      unlinkat (folder, saved, 0);
      g_clear_pointer (&saved, g_free);
    }
  close_saving (&self);
  return saved;
}

char *
postbag_save_attachment (const char *directory, const char *filename, GBytes *data, GError **error)
{
  g_autofree char *name = postbag_save_make_name (filename);
  g_autofree char *saved = NULL;
  int folder, saved_errno = 0;

  if (!g_path_is_absolute (directory))
    {
      g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_INVALID_ARGUMENT,
                   "The download folder has to be an absolute path.");
      return NULL;
    }
  if (!postbag_save_take_quota (g_get_monotonic_time (), g_bytes_get_size (data)))
    {
      g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_BUSY,
                   "Enough was saved for one day: %d files or %lld GiB. Nothing was saved; call "
                   "again tomorrow, or let the person who runs Postbag start it anew.",
                   POSTBAG_LIMIT_SAVED_FILES_A_DAY, POSTBAG_LIMIT_SAVED_BYTES_A_DAY >> 30);
      return NULL;
    }
  folder = open (directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0)
    {
      set_save_error (error, errno, directory);
      return NULL;
    }
  saved = postbag_save_in_folder (folder, name, data, TRUE, &saved_errno);
  if (saved == NULL)
    set_save_error (error, saved_errno, directory);
  else
    fsync (folder); /* the name, too, survives a crash */
  close (folder);
  return saved != NULL ? g_build_filename (directory, saved, NULL) : NULL;
}
