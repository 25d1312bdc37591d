/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <dirent.h>
#include <gio/gio.h>

#include "mail/postbag-mail-types.h"

G_BEGIN_DECLS

/* Directory to entries: the names in new/ and cur/ of one mailbox, each base name once. Names live
 * in one arena and an entry is 16 bytes, so that 100,000 messages stay near 8 MiB. */

typedef struct
{
  guint32 uid;   /* 0: not known yet */
  guint32 name;  /* where in the arena the file name begins */
  guint32 marks; /* keywords in bits 0 to 25, PostbagFlags above: see the accessors */
  guint8 base_length;
  guint8 in_new;
  guint16 own; /* keywords that our own file keeps: bits */
} PostbagMaildirEntry;

#define POSTBAG_MAILDIR_FLAGS_SHIFT 26

static inline PostbagFlags
postbag_maildir_entry_get_flags (const PostbagMaildirEntry *entry)
{
  return (PostbagFlags)(entry->marks >> POSTBAG_MAILDIR_FLAGS_SHIFT);
}

static inline guint32
postbag_maildir_entry_get_keywords (const PostbagMaildirEntry *entry)
{
  return entry->marks & ((1u << POSTBAG_MAILDIR_FLAGS_SHIFT) - 1);
}

/* --- an open mailbox --- */

typedef struct
{
  guint64 device;
  guint64 inode;
  gint64 mtime_ns; /* of a missing folder: -1 */
  gint64 birth_ns; /* when it was made; 0: the file system does not say. An inode may be used again
                    * for another folder. */
} PostbagMaildirStamp;

/* What has to be unchanged for a listing to be still true. */
typedef struct
{
  PostbagMaildirStamp current;  /* cur */
  PostbagMaildirStamp fresh;    /* new */
  PostbagMaildirStamp keywords; /* dovecot-keywords */
} PostbagMaildirStamps;

typedef struct
{
  int directory;
  int current; /* cur */
  int fresh;   /* new; -1 when there is none */
} PostbagMaildirOpen;

#define POSTBAG_MAILDIR_OPEN_INIT                                                                  \
  {                                                                                                \
    -1, -1, -1                                                                                     \
  }

/* @directory: below @root; "" is the root. @path: for the error. */
gboolean postbag_maildir_open_mailbox (int root, const char *directory, const char *path,
                                       PostbagMaildirOpen *mailbox, GError **error);
void postbag_maildir_open_clear (PostbagMaildirOpen *mailbox);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PostbagMaildirOpen, postbag_maildir_open_clear)

void postbag_maildir_take_stamps (const PostbagMaildirOpen *mailbox, PostbagMaildirStamps *stamps);
/* Whether it is one folder, whatever changed in it. Its birth says more than the device, whose
 * number may be another one after a restart. */
gboolean postbag_maildir_stamp_is_same_folder (const PostbagMaildirStamp *a,
                                               const PostbagMaildirStamp *b);
gboolean postbag_maildir_stamps_equal (const PostbagMaildirStamps *a,
                                       const PostbagMaildirStamps *b);
/* Whether a change after @now_ns must show as another mtime: the last one is older than a file
 * system's clock may be coarse. */
gboolean postbag_maildir_stamps_are_settled (const PostbagMaildirStamps *stamps, gint64 now_ns);
/* The same, as fine as the time stamps of this file system look: good enough to say that a message
 * is gone. */
gboolean postbag_maildir_stamps_are_quiet (const PostbagMaildirStamps *stamps, gint64 now_ns);

/* --- the scan --- */

/* Only regular files are mail; a link, folder, FIFO or socket is not even opened. */
gboolean postbag_maildir_is_message (int folder, const struct dirent *entry);

typedef struct
{
  PostbagMaildirEntry *entries;
  guint n_entries;
  guint n_allocated;
  char *names;
  gsize names_length;
  gsize names_allocated;
  guint32 *slots; /* open addressing: index + 1 of an entry, by base name */
  guint n_slots;  /* a power of two */
  guint32 seed;

  PostbagMaildirStamps stamps; /* from before the scan */
  gint64 started_ns;           /* wall clock */
  gboolean still;              /* nothing moved while it ran */
} PostbagMaildirScan;

PostbagMaildirScan *postbag_maildir_scan_new (void);
void postbag_maildir_scan_free (PostbagMaildirScan *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagMaildirScan, postbag_maildir_scan_free)

/* Reads new/, then cur/: what moves from one to the other meanwhile is seen at least once. */
PostbagMaildirScan *postbag_maildir_scan_run (const PostbagMaildirOpen *mailbox, const char *path,
                                              GCancellable *cancellable, GError **error);

static inline const char *
postbag_maildir_scan_get_name (const PostbagMaildirScan *self, const PostbagMaildirEntry *entry)
{
  return self->names + entry->name;
}

/* Adds a file name; a base name already there is replaced. %FALSE when there are too many. */
gboolean postbag_maildir_scan_add (PostbagMaildirScan *self, const char *name, gboolean in_new);
/* (transfer none) (nullable) */
PostbagMaildirEntry *postbag_maildir_scan_find (PostbagMaildirScan *self, const char *base,
                                                gsize length);
/* Frees what only the scan needs. */
void postbag_maildir_scan_drop_slots (PostbagMaildirScan *self);

G_END_DECLS
