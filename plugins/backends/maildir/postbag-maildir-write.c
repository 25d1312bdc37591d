/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-maildir-write.h"

#include "postbag-maildir-file.h"

#include "base/postbag-write.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifndef RENAME_NOREPLACE
#define RENAME_NOREPLACE (1 << 0)
#endif

#define HOST_BYTES 64
#define BLOCK_BYTES (64 * 1024)

/* --- names --- */

static char *
make_host (void)
{
  GString *host = g_string_new (NULL);

  for (const char *at = g_get_host_name (); *at != '\0' && host->len < HOST_BYTES; at++)
    if (g_ascii_isalnum (*at) || *at == '-' || *at == '.')
      g_string_append_c (host, *at);
  if (host->len == 0 || host->str[0] == '.')
    g_string_prepend (host, "localhost");
  return g_string_free (host, FALSE);
}

/* Messages of one call arrive in its order: UIDs are given by this time. */
static gint64
get_next_time (void)
{
  static GMutex lock;
  static gint64 last;
  gint64 now;

  g_mutex_lock (&lock);
  now = MAX (g_get_real_time (), last + 1);
  last = now;
  g_mutex_unlock (&lock);
  return now;
}

char *
postbag_maildir_make_base (void)
{
  static int counter;
  gint64 now = get_next_time ();
  g_autofree char *host = make_host ();

  return g_strdup_printf ("%" G_GINT64_FORMAT ".M%06dP%dQ%dR%08x.%s", now / G_USEC_PER_SEC,
                          (int)(now % G_USEC_PER_SEC), (int)getpid (),
                          g_atomic_int_add (&counter, 1), g_random_int (), host);
}

/* Letters as a set: bit n is the character n. */
typedef struct
{
  gboolean has[128];
} Letters;

static void
set_flags (Letters *letters, PostbagFlags flags, gboolean value)
{
  static const struct
  {
    PostbagFlags flag;
    char letter;
  } known[] = {
    { POSTBAG_FLAG_SEEN, 'S' },    { POSTBAG_FLAG_ANSWERED, 'R' }, { POSTBAG_FLAG_FLAGGED, 'F' },
    { POSTBAG_FLAG_DELETED, 'T' }, { POSTBAG_FLAG_DRAFT, 'D' },    { POSTBAG_FLAG_FORWARDED, 'P' },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (known); i++)
    if (flags & known[i].flag)
      letters->has[(guchar)known[i].letter] = value;
}

static void
set_keywords (Letters *letters, guint32 keywords, gboolean value)
{
  for (guint i = 0; i < POSTBAG_MAILDIR_N_KEYWORDS; i++)
    if (keywords & (1u << i))
      letters->has['a' + i] = value;
}

/* Returns what follows the letters. */
static const char *
read_letters (const char *info, Letters *letters)
{
  for (; *info != '\0' && *info != ','; info++)
    if ((guchar)*info > ' ' && (guchar)*info < 127)
      letters->has[(guchar)*info] = TRUE;
  return info;
}

char *
postbag_maildir_change_name (const char *name, gboolean in_new, PostbagFlags add,
                             PostbagFlags remove, guint32 add_letters, guint32 remove_letters)
{
  PostbagMaildirName parsed = postbag_maildir_parse_name (name);
  const char *info = name + parsed.base_length;
  const char *rest = "";
  Letters letters = { { FALSE } };
  GString *result = g_string_new_len (name, (gssize)parsed.base_length);

  g_string_append_c (result, *info != '\0' ? *info : ':');
  g_string_append (result, "2,");
  if (*info != '\0' && info[1] == '2' && info[2] == ',')
    rest = read_letters (info + 3, &letters);
  if (in_new)
    set_flags (&letters, POSTBAG_FLAG_SEEN, FALSE);
  set_flags (&letters, add, TRUE);
  set_keywords (&letters, add_letters, TRUE);
  set_flags (&letters, remove, FALSE);
  set_keywords (&letters, remove_letters, FALSE);
  for (guint i = 0; i < G_N_ELEMENTS (letters.has); i++)
    if (letters.has[i])
      g_string_append_c (result, (char)i);
  g_string_append (result, rest);
  return g_string_free (result, FALSE);
}

/* --- files --- */

/* A network file system may have done what it says failed: the answer was lost, and the same
 * request, sent again, found it done. So after a failure we look. */

/* -1: nobody can say; errno stays */
static int
look_for (int folder, const char *name, struct stat *facts)
{
  int saved_errno = errno;
  int result = fstatat (folder, name, facts, AT_SYMLINK_NOFOLLOW) == 0 ? 1 : 0;

  if (result == 0 && errno != ENOENT)
    result = -1;
  errno = saved_errno;
  return result;
}

gboolean
postbag_maildir_link (int folder, const char *name, int new_folder, const char *new_name)
{
  struct stat old_facts, new_facts;

  if (linkat (folder, name, new_folder, new_name, 0) == 0)
    return TRUE;
  return look_for (new_folder, new_name, &new_facts) == 1
         && look_for (folder, name, &old_facts) == 1 && old_facts.st_dev == new_facts.st_dev
         && old_facts.st_ino == new_facts.st_ino;
}

/* File systems without that flag: a look, then the rename, which is one step. A second name that
 * takes the place of the first would be two, and a message that is there twice between them. The
 * new name holds the message's own base name, so nobody else gives it meanwhile. */
static gboolean
look_and_rename (int folder, const char *name, int new_folder, const char *new_name)
{
  struct stat facts;

  if (fstatat (new_folder, new_name, &facts, AT_SYMLINK_NOFOLLOW) == 0)
    {
      errno = EEXIST;
      return FALSE;
    }
  return errno == ENOENT && renameat (folder, name, new_folder, new_name) == 0;
}

gboolean
postbag_maildir_rename (int folder, const char *name, int new_folder, const char *new_name)
{
  struct stat facts;

  if (renameat2 (folder, name, new_folder, new_name, RENAME_NOREPLACE) == 0)
    return TRUE;
  if ((errno == EINVAL || errno == ENOSYS) && look_and_rename (folder, name, new_folder, new_name))
    return TRUE;
  return look_for (new_folder, new_name, &facts) == 1 && look_for (folder, name, &facts) == 0;
}

gboolean
postbag_maildir_remove (int folder, const char *name, int flags)
{
  struct stat facts;

  if (unlinkat (folder, name, flags) == 0)
    return TRUE;
  return errno != ENOENT && look_for (folder, name, &facts) == 0;
}

static gboolean
pour (int fd, PostbagMaildirReadFunc read, gpointer source)
{
  g_autofree guint8 *buffer = g_malloc (BLOCK_BYTES);
  gssize n;

  while ((n = read (source, buffer, BLOCK_BYTES)) > 0)
    if (!postbag_write_all (fd, buffer, (gsize)n))
      return FALSE;
  return n == 0;
}

static gboolean
fill_file (int fd, PostbagMaildirReadFunc read, gpointer source, const struct timespec *modified)
{
  struct timespec times[2] = { { 0, UTIME_NOW }, { 0, UTIME_NOW } };

  if (modified != NULL)
    times[1] = *modified;
  return pour (fd, read, source) && futimens (fd, times) == 0 && fsync (fd) == 0;
}

static int
open_temporary (int mailbox)
{
  int fd = postbag_maildir_open_folder (mailbox, "tmp");

  if (fd >= 0 || errno != ENOENT || (mkdirat (mailbox, "tmp", 0700) != 0 && errno != EEXIST))
    return fd;
  return postbag_maildir_open_folder (mailbox, "tmp");
}

static gboolean
deliver (int temporary, int current, const char *name, PostbagMaildirReadFunc read, gpointer source,
         const struct timespec *modified)
{
  g_autofree char *base = postbag_maildir_make_base ();
  int fd = openat (temporary, base, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  gboolean done;
  int saved_errno;

  if (fd < 0)
    {
      saved_errno = errno;
      if (errno != EEXIST)
        unlinkat (temporary, base, 0);
      errno = saved_errno;
      return FALSE;
    }
  done = fill_file (fd, read, source, modified);
  saved_errno = errno;
  /* A network file system may say only now that the disk is full. */
  if (close (fd) != 0 && done)
    {
      saved_errno = errno;
      done = FALSE;
    }
  errno = saved_errno;
  done = done && postbag_maildir_rename (temporary, base, current, name);
  saved_errno = errno;
  if (!done)
    unlinkat (temporary, base, 0);
  errno = saved_errno;
  return done;
}

gboolean
postbag_maildir_deliver (int mailbox, int current, const char *name, PostbagMaildirReadFunc read,
                         gpointer source, const struct timespec *modified)
{
  int temporary = open_temporary (mailbox);
  gboolean done;

  if (temporary < 0)
    return FALSE;
  done = deliver (temporary, current, name, read, source, modified);
  postbag_maildir_close (temporary);
  return done;
}

gboolean
postbag_maildir_sync (int folder)
{
  /* Some file systems cannot sync a folder, and say so. */
  return folder < 0 || fsync (folder) == 0 || errno == EINVAL || errno == EBADF;
}
