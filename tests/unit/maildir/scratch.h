/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A Maildir in a temporary folder, made and removed by a test. */

#include <glib.h>
#include <glib/gstdio.h>

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "folder.h"

typedef struct
{
  char *root; /* holds mail/ and state/ */
  char *mail;
  char *state;
} Scratch;

static inline void
make_folder (const char *parent, const char *name)
{
  static const char *const parts[] = { "cur", "new", "tmp" };

  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      g_autofree char *path = g_build_filename (parent, name, parts[i], NULL);

      g_assert_cmpint (g_mkdir_with_parents (path, 0700), ==, 0);
    }
}

static inline Scratch *
scratch_new (void)
{
  Scratch *self = g_new0 (Scratch, 1);

  self->root = g_dir_make_tmp ("postbag-maildir-XXXXXX", NULL);
  self->mail = g_build_filename (self->root, "mail", NULL);
  self->state = g_build_filename (self->root, "state", NULL);
  make_folder (self->mail, ".");
  g_assert_cmpint (g_mkdir (self->state, 0700), ==, 0);
  return self;
}

static inline void
scratch_free (Scratch *self)
{
  remove_tree (self->root);
  g_free (self->root);
  g_free (self->mail);
  g_free (self->state);
  g_free (self);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Scratch, scratch_free)

/* @place: e.g. "cur" or ".Sent/new" */
static inline void
put (Scratch *self, const char *place, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename (self->mail, place, name, NULL);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

/* Lets the folder look as if nothing had happened in it for an hour. */
static inline void
settle (Scratch *self, const char *place)
{
  g_autofree char *path = g_build_filename (self->mail, place, NULL);
  struct timespec times[2];

  clock_gettime (CLOCK_REALTIME, &times[0]);
  times[0].tv_sec -= 3600;
  times[1] = times[0];
  g_assert_cmpint (utimensat (AT_FDCWD, path, times, 0), ==, 0);
}

static inline void
rename_message (Scratch *self, const char *from, const char *to)
{
  g_autofree char *old_path = g_build_filename (self->mail, from, NULL);
  g_autofree char *new_path = g_build_filename (self->mail, to, NULL);

  g_assert_cmpint (g_rename (old_path, new_path), ==, 0);
}

static inline void
remove_message (Scratch *self, const char *name)
{
  g_autofree char *path = g_build_filename (self->mail, name, NULL);

  g_assert_cmpint (g_unlink (path), ==, 0);
}
