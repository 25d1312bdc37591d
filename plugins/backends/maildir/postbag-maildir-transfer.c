/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* From one mailbox to another, and into one. Within a file system a move is one rename and a copy
 * one link, so there is no moment at which a message is nowhere or, moved, in two places. Across
 * file systems the copy is on the disk before it gets its name, and has its name before the
 * original goes. */

#include "postbag-maildir-apply.h"

#include "postbag-maildir-file.h"
#include "postbag-maildir-write.h"

#include "base/postbag-error.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* A message that arrived in the destination. */
typedef struct
{
  guint32 from;    /* uid in the source, 0: appended */
  char *base;      /* base name in the destination */
  char **keywords; /* (nullable): those without a letter there */
  gboolean lost;   /* they could not be written down there */
} Arrival;

typedef struct
{
  PostbagMaildirAccess *source;
  PostbagMaildirAccess *destination;
  gboolean keep;       /* the original stays: a copy */
  gboolean left;       /* the last one could be copied, but not removed */
  GPtrArray *arrivals; /* Arrival */
} Transfer;

static void
free_arrival (gpointer data)
{
  Arrival *arrival = data;

  g_free (arrival->base);
  g_strfreev (arrival->keywords);
  g_free (arrival);
}

/* @own: null-terminated */
static void
add_arrival (GPtrArray *arrivals, guint32 from, const char *base, GPtrArray *own)
{
  Arrival *arrival = g_new0 (Arrival, 1);

  arrival->from = from;
  arrival->base = g_strdup (base);
  if (own->len > 0)
    arrival->keywords = g_strdupv ((char **)own->pdata);
  g_ptr_array_add (arrivals, arrival);
}

/* --- one message --- */

static gssize
read_file (gpointer source, guint8 *buffer, gsize size)
{
  gssize n;

  do
    n = read (*(int *)source, buffer, size);
  while (n < 0 && errno == EINTR);
  return n;
}

static gboolean
copy_bytes (Transfer *self, int folder, const char *name, const char *new_name)
{
  struct stat facts;
  int fd = postbag_maildir_open_file (folder, name, &facts);
  gboolean done;

  if (fd < 0)
    return FALSE;
  done = postbag_maildir_deliver (self->destination->folder.directory,
                                  self->destination->folder.current, new_name, read_file, &fd,
                                  &facts.st_mtim);
  postbag_maildir_close (fd);
  return done;
}

static gboolean
copy_message (Transfer *self, int folder, const char *name, const char *new_name)
{
  int current = self->destination->folder.current;

  return postbag_maildir_link (folder, name, current, new_name)
         || ((errno == EXDEV || errno == EPERM || errno == EMLINK || errno == EOPNOTSUPP)
             && copy_bytes (self, folder, name, new_name));
}

static gboolean
move_message (Transfer *self, int folder, const char *name, const char *new_name)
{
  int current = self->destination->folder.current;

  if (postbag_maildir_rename (folder, name, current, new_name))
    return TRUE;
  if (errno != EXDEV || !copy_bytes (self, folder, name, new_name))
    return FALSE;
  /* Only what is on the disk there may go here. */
  self->left = !postbag_maildir_sync (current) || !postbag_maildir_remove (folder, name, 0);
  return TRUE;
}

static int
transfer_message (const PostbagMaildirEntry *entry, int folder, const char *name,
                  gpointer user_data)
{
  Transfer *self = user_data;
  g_auto (GStrv) keywords = postbag_maildir_snapshot_name_keywords (self->source->snapshot, entry);
  g_autoptr (GPtrArray) own = g_ptr_array_new_null_terminated (0, NULL, TRUE);
  guint32 letters = postbag_maildir_apply_find_letters (self->destination, keywords, own);
  g_autofree char *base = postbag_maildir_make_base ();
  g_autofree char *new_name = postbag_maildir_change_name (
      base, FALSE, postbag_maildir_entry_get_flags (entry), 0, letters, 0);

  if (!(self->keep ? copy_message : move_message) (self, folder, name, new_name))
    return errno;
  add_arrival (self->arrivals, entry->uid, base, own);
  return 0;
}

/* --- the uids they have there --- */

static guint32
find_uid (const PostbagMaildirSnapshot *snapshot, const char *base)
{
  gsize length = strlen (base);

  /* What just arrived stands at the end. */
  for (guint i = snapshot->scan->n_entries; i > 0; i--)
    {
      const PostbagMaildirEntry *entry = &snapshot->scan->entries[i - 1];

      if (entry->base_length == length
          && memcmp (postbag_maildir_scan_get_name (snapshot->scan, entry), base, length) == 0)
        return entry->uid;
    }
  return 0;
}

static gboolean
keep_keywords (PostbagMaildirAccess *destination, guint32 uid, char **keywords, GError **error)
{
  g_autoptr (GArray) uids = g_array_new (FALSE, FALSE, sizeof (guint32));

  g_array_append_val (uids, uid);
  return postbag_maildir_keywords_change (destination->store->keywords,
                                          destination->snapshot->identity.uid_validity, uids,
                                          keywords, NULL, error);
}

/* @why: (nullable) */
static void
warn_of_loss (PostbagMaildirAccess *destination, Arrival *arrival, const char *why,
              PostbagEffectReport *report)
{
  g_autofree char *keywords = g_strjoinv ("”, “", arrival->keywords);
  g_autofree char *message =
      arrival->from != 0 ? g_strdup_printf ("The message that had the uid %u", arrival->from)
                         : g_strdup ("The message");

  arrival->lost = TRUE;
  g_ptr_array_add (report->warnings,
                   g_strdup_printf ("%s lost its keywords “%s” on the way to “%s”: %s", message,
                                    keywords, destination->path,
                                    why != NULL ? why : "it was gone there at once."));
}

static void
map_arrival (PostbagMaildirAccess *destination, Arrival *arrival, PostbagEffectReport *report)
{
  PostbagUidPair pair = { arrival->from, find_uid (destination->snapshot, arrival->base) };
  g_autoptr (GError) error = NULL;

  if (pair.to != 0)
    g_array_append_val (report->uid_map, pair);
  if (arrival->keywords == NULL)
    return;
  if (pair.to == 0 || !keep_keywords (destination, pair.to, arrival->keywords, &error))
    warn_of_loss (destination, arrival, error != NULL ? error->message : NULL, report);
}

/* The messages are where they should be, whatever fails here: a call that is cancelled now still
 * writes down what it did. */
static void
map_arrivals (PostbagMaildirAccess *destination, GPtrArray *arrivals, PostbagEffectReport *report)
{
  g_autoptr (GError) error = NULL;
  gboolean is_fresh;

  destination->cancellable = NULL;
  is_fresh = arrivals->len > 0 && postbag_maildir_access_refresh (destination, &error);
  for (guint i = 0; i < arrivals->len; i++)
    {
      Arrival *arrival = g_ptr_array_index (arrivals, i);

      if (is_fresh)
        map_arrival (destination, arrival, report);
      else if (arrival->keywords != NULL)
        warn_of_loss (destination, arrival, error->message, report);
    }
}

/* --- keywords that go along --- */

static gboolean
is_same_word (gconstpointer a, gconstpointer b)
{
  return g_ascii_strcasecmp (a, b) == 0;
}

/* Keywords of the messages that have no letter in the destination. The one in the place that the
 * source keeps for a mark goes to @marks. */
static void
collect_own (PostbagMaildirAccess *source, PostbagMaildirAccess *destination, const GArray *uids,
             GPtrArray *own, GPtrArray *marks)
{
  const char *mark = source->snapshot->own_keywords[POSTBAG_MAILDIR_N_OWN_KEYWORDS - 1];

  for (guint i = 0; uids != NULL && i < uids->len; i++)
    {
      const PostbagMaildirEntry *entry =
          postbag_maildir_snapshot_find (source->snapshot, g_array_index (uids, guint32, i));
      g_auto (GStrv) keywords = NULL;
      g_autoptr (GPtrArray) without = g_ptr_array_new ();

      if (entry == NULL)
        continue;
      keywords = postbag_maildir_snapshot_name_keywords (source->snapshot, entry);
      postbag_maildir_apply_find_letters (destination, keywords, without);
      for (guint j = 0; j < without->len; j++)
        {
          const char *name = g_ptr_array_index (without, j);
          GPtrArray *to = mark != NULL && is_same_word (mark, name) ? marks : own;

          if (!g_ptr_array_find_with_equal_func (to, name, is_same_word, NULL))
            g_ptr_array_add (to, g_strdup (name));
        }
    }
}

/* Whether they all can be kept in the destination: what cannot is no reason to lose them. */
static gboolean
reserve_keywords (PostbagMaildirAccess *source, PostbagMaildirAccess *destination,
                  const PostbagEffect *effect, gboolean only_look, GError **error)
{
  g_autoptr (GPtrArray) own = g_ptr_array_new_null_terminated (0, g_free, TRUE);
  g_autoptr (GPtrArray) marks = g_ptr_array_new_null_terminated (0, g_free, TRUE);
  g_autoptr (GError) failure = NULL;

  collect_own (source, destination, effect->uids, own, marks);
  if (postbag_maildir_apply_reserve (destination, (char **)own->pdata, (char **)marks->pdata,
                                     only_look, &failure))
    return TRUE;
  if (g_error_matches (failure, POSTBAG_ERROR, POSTBAG_ERROR_TOO_LARGE))
    g_prefix_error (&failure,
                    "The messages carry keywords that “%s” has no place for. They would be lost; "
                    "remove some from the messages first, or make room there. ",
                    destination->path);
  g_propagate_error (error, g_steal_pointer (&failure));
  return FALSE;
}

gboolean
postbag_maildir_check (gpointer self, const PostbagEffect *effect, GCancellable *cancellable,
                       GError **error)
{
  g_autoptr (PostbagMaildirAccess) source = NULL;
  g_autoptr (PostbagMaildirAccess) destination = NULL;

  if (effect->kind != POSTBAG_EFFECT_COPY && effect->kind != POSTBAG_EFFECT_MOVE)
    return TRUE;
  /* What cannot be entered is told of by who does it. */
  source = postbag_maildir_access_new (self, effect->mailbox, cancellable, NULL);
  destination = source != NULL
                    ? postbag_maildir_access_new (self, effect->destination, cancellable, NULL)
                    : NULL;
  return destination == NULL || reserve_keywords (source, destination, effect, TRUE, error);
}

/* --- copy and move --- */

static gboolean
report_message (Transfer *self, guint32 uid, int code, PostbagEffectReport *report, GError **error)
{
  if (code == ENOENT)
    return TRUE;
  if (code != 0)
    {
      postbag_set_error_from_errno (error, code, "Cannot %s message %u from “%s” to “%s”",
                                    self->keep ? "copy" : "move", uid, self->source->path,
                                    self->destination->path);
      return FALSE;
    }
  g_array_append_val (self->left ? report->copied : report->done, uid);
  if (!self->left)
    return TRUE;
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_OFFLINE,
               "Message %u was copied to “%s”, but could not be removed from “%s”. Delete it there "
               "when the disk works again.",
               uid, self->destination->path, self->source->path);
  return FALSE;
}

static gboolean
transfer_all (Transfer *self, const PostbagEffect *effect, PostbagEffectReport *report,
              GError **error)
{
  for (guint i = 0; effect->uids != NULL && i < effect->uids->len; i++)
    {
      guint32 uid = g_array_index (effect->uids, guint32, i);
      int code;

      if (g_cancellable_set_error_if_cancelled (self->source->cancellable, error))
        return FALSE;
      code = postbag_maildir_apply_to (self->source, uid, transfer_message, self, error);
      if (code < 0 || !report_message (self, uid, code, report, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
sync_both (Transfer *self, GError **error)
{
  const PostbagMaildirOpen *source = &self->source->folder;

  if (postbag_maildir_sync (self->destination->folder.current)
      && (self->keep
          || (postbag_maildir_sync (source->current) && postbag_maildir_sync (source->fresh))))
    return TRUE;
  postbag_set_error_from_errno (error, errno,
                                "The messages are in “%s”, but whether the disk has that cannot "
                                "be said",
                                self->destination->path);
  return FALSE;
}

/* What the destination does not know of a message stays written down here. */
static void
forget_moved (const Transfer *self)
{
  g_autoptr (GArray) uids = g_array_new (FALSE, FALSE, sizeof (guint32));
  guint n_moved = self->arrivals->len - (self->left ? 1 : 0);

  for (guint i = 0; i < n_moved; i++)
    {
      const Arrival *arrival = g_ptr_array_index (self->arrivals, i);

      if (!arrival->lost)
        g_array_append_val (uids, arrival->from);
    }
  postbag_maildir_keywords_forget (self->source->store->keywords,
                                   self->source->snapshot->identity.uid_validity, uids);
}

gboolean
postbag_maildir_apply_transfer (PostbagMaildirStore *store, const PostbagEffect *effect,
                                PostbagEffectReport *report, GCancellable *cancellable,
                                GError **error)
{
  g_autoptr (PostbagMaildirAccess) source =
      postbag_maildir_apply_enter (store, effect, cancellable, error);
  g_autoptr (PostbagMaildirAccess) destination = NULL;
  g_autoptr (GPtrArray) arrivals = g_ptr_array_new_with_free_func (free_arrival);
  Transfer self = { .source = source, .arrivals = arrivals };
  gboolean done;

  if (source == NULL)
    return FALSE;
  destination = postbag_maildir_access_new (store, effect->destination, cancellable, error);
  if (destination == NULL
      || !postbag_effect_check_destination (effect, destination->snapshot->identity.uid_validity,
                                            error))
    return FALSE;
  if (!reserve_keywords (source, destination, effect, FALSE, error))
    return FALSE;
  self.destination = destination;
  self.keep = effect->kind == POSTBAG_EFFECT_COPY;
  done = transfer_all (&self, effect, report, error);
  if (arrivals->len > 0 && !sync_both (&self, done ? error : NULL))
    done = FALSE;
  map_arrivals (destination, arrivals, report);
  if (!self.keep)
    forget_moved (&self);
  return done;
}

/* --- append --- */

typedef struct
{
  const guint8 *at;
  const guint8 *end;
} Lines;

/* Files of a Maildir have the lines of the machine: CRLF becomes LF. */
static gssize
read_lines (gpointer source, guint8 *buffer, gsize size)
{
  Lines *self = source;
  gsize n = 0;

  for (; self->at < self->end && n < size; self->at++)
    if (*self->at != '\r' || self->at + 1 == self->end || self->at[1] != '\n')
      buffer[n++] = *self->at;
  return (gssize)n;
}

static gboolean
append_file (PostbagMaildirAccess *access, const PostbagEffect *effect, const char *name)
{
  gsize length;
  const guint8 *data = g_bytes_get_data (effect->message, &length);
  Lines lines = { data, data + length };
  struct timespec modified = { effect->internal_date, 0 };

  return postbag_maildir_deliver (access->folder.directory, access->folder.current, name,
                                  read_lines, &lines, effect->internal_date > 0 ? &modified : NULL);
}

gboolean
postbag_maildir_apply_append (PostbagMaildirStore *store, const PostbagEffect *effect,
                              PostbagEffectReport *report, GCancellable *cancellable,
                              GError **error)
{
  g_autoptr (PostbagMaildirAccess) access =
      postbag_maildir_apply_enter (store, effect, cancellable, error);
  g_autoptr (GPtrArray) arrivals = g_ptr_array_new_with_free_func (free_arrival);
  g_autoptr (GPtrArray) own = g_ptr_array_new_null_terminated (0, NULL, TRUE);
  g_autofree char *base = postbag_maildir_make_base ();
  g_autofree char *name = NULL;
  PostbagFlags flags;
  guint32 letters;

  if (access == NULL)
    return FALSE;
  flags = effect->add_flags | postbag_maildir_apply_find_flags (effect->add_keywords);
  letters = postbag_maildir_apply_find_letters (access, effect->add_keywords, own);
  if (!postbag_maildir_apply_reserve (access, (char **)own->pdata, NULL, FALSE, error))
    return FALSE;
  name = postbag_maildir_change_name (base, FALSE, flags, 0, letters, 0);
  if (!append_file (access, effect, name))
    {
      postbag_set_error_from_errno (error, errno, "Cannot save a message in the mailbox “%s”",
                                    access->path);
      return FALSE;
    }
  add_arrival (arrivals, 0, base, own);
  map_arrivals (access, arrivals, report);
  if (postbag_maildir_sync (access->folder.current))
    return TRUE;
  postbag_maildir_report_unknown (report);
  postbag_set_error_from_errno (error, errno,
                                "The message is in “%s”, but whether the disk has it cannot be "
                                "said",
                                access->path);
  return FALSE;
}
