/* SPDX-License-Identifier: LGPL-2.1-or-later */

#define G_LOG_DOMAIN "postbag-imap"

#include "postbag-imap-pool.h"

#include <string.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"

/* Attempts after others have left, and how much longer the pause in front of each is. */
#define YIELD_TRIES 3
#define YIELD_PAUSE_US 100000

typedef struct
{
  PostbagImapConnection *connection;
  char *mailbox; /* (nullable): of the last request */
} Slot;

/* Somebody who may give connections back. */
typedef struct
{
  PostbagImapYieldFunc yield;
  gpointer user_data;
} Yield;

struct _PostbagImapPool
{
  PostbagImapDialer dialer;
  GCancellable *closing;
  char *place;
  GArray *yields; /* Yield */

  GMutex lock; /* for all below */
  GCond changed;
  GPtrArray *slots;
  guint leaving; /* connections that are closed to make room */
  guint dialing;
  guint maximum;
  guint failures;     /* attempts to connect that failed so far */
  GError *failure;    /* (nullable): the last */
  gint64 quiet_until; /* no further attempt before, when the login was refused */
  gint64 alone_until; /* no further connection in the background before */
  gint64 last_call;   /* what goes on in the background apart */
  PostbagImapFeatures *features;
};

static void
free_slot (gpointer data)
{
  Slot *slot = data;

  postbag_imap_connection_unref (slot->connection);
  g_free (slot->mailbox);
  g_free (slot);
}

PostbagImapPool *
postbag_imap_pool_new (const PostbagAccount *account, const PostbagImapTimes *times)
{
  PostbagImapPool *self = g_new0 (PostbagImapPool, 1);

  self->dialer.account = account;
  self->dialer.times = times != NULL ? *times : postbag_imap_times;
  self->closing = g_cancellable_new ();
  self->place = g_strdup_printf ("%s:%u", account->host, account->port);
  self->yields = g_array_new (FALSE, FALSE, sizeof (Yield));
  self->slots = g_ptr_array_new_with_free_func (free_slot);
  self->maximum = POSTBAG_LIMIT_IMAP_CONNECTIONS;
  self->last_call = g_get_monotonic_time ();
  g_mutex_init (&self->lock);
  g_cond_init (&self->changed);
  return self;
}

void
postbag_imap_pool_free (PostbagImapPool *self)
{
  if (self == NULL)
    return;
  g_cancellable_cancel (self->closing);
  g_mutex_lock (&self->lock);
  for (guint i = 0; i < self->slots->len; i++)
    postbag_imap_connection_close (((Slot *)g_ptr_array_index (self->slots, i))->connection);
  while (self->slots->len > 0 || self->leaving > 0 || self->dialing > 0)
    g_cond_wait (&self->changed, &self->lock);
  g_mutex_unlock (&self->lock);
  g_ptr_array_unref (self->slots);
  g_array_unref (self->yields);
  g_clear_error (&self->failure);
  postbag_imap_features_free (self->features);
  g_clear_object (&self->closing);
  g_free (self->place);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->changed);
  g_free (self);
}

gboolean
postbag_imap_pool_diagnose (PostbagImapPool *self, PostbagStepFunc told, gpointer user_data,
                            GCancellable *cancellable, GError **error)
{
  PostbagImapDialer dialer = self->dialer;
  g_autoptr (PostbagImapWire) wire = NULL;

  dialer.told = told;
  dialer.told_data = user_data;
  wire = postbag_imap_dial (&dialer, cancellable, error);
  return wire != NULL;
}

PostbagImapWire *
postbag_imap_pool_dial (PostbagImapPool *self, GCancellable *cancellable, GError **error)
{
  return postbag_imap_dial (&self->dialer, cancellable, error);
}

const char *
postbag_imap_pool_get_place (PostbagImapPool *self)
{
  return self->place;
}

void
postbag_imap_pool_add_yield (PostbagImapPool *self, PostbagImapYieldFunc yield, gpointer user_data)
{
  Yield one = { yield, user_data };

  g_array_append_val (self->yields, one);
}

guint
postbag_imap_pool_count (PostbagImapPool *self)
{
  guint count;

  g_mutex_lock (&self->lock);
  count = self->slots->len;
  g_mutex_unlock (&self->lock);
  return count;
}

/* --- connecting --- */

static void
forget_connection (PostbagImapConnection *connection, gpointer user_data)
{
  PostbagImapPool *self = user_data;

  g_mutex_lock (&self->lock);
  for (guint i = 0; i < self->slots->len; i++)
    if (((Slot *)g_ptr_array_index (self->slots, i))->connection == connection)
      {
        g_ptr_array_remove_index_fast (self->slots, i);
        g_cond_broadcast (&self->changed);
        g_mutex_unlock (&self->lock);
        return;
      }
  self->leaving--;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
}

/* Makes a connection of a logged-in wire. The lock is held, so that a connection which breaks at
 * once is known before it is forgotten. */
static void
add_connection (PostbagImapPool *self, PostbagImapWire *wire)
{
  Slot *slot = g_new0 (Slot, 1);
  g_autoptr (PostbagImapFeatures) features =
      postbag_imap_features_new ((const char *const *)wire->capabilities);
  g_autoptr (GBytes) rest =
      wire->input->len > 0 ? g_bytes_new (wire->input->data, wire->input->len) : NULL;
  PostbagImapFramer *framer = postbag_imap_framer_new (0);

  features->utf8 = wire->utf8;
  slot->connection =
      postbag_imap_connection_new (wire->stream, framer, rest, features, &self->dialer.times,
                                   wire->place, forget_connection, self);
  g_ptr_array_add (self->slots, slot);
  postbag_imap_features_free (self->features);
  self->features = g_steal_pointer (&features);
}

/* @failure: (transfer full) */
static void
remember_failure (PostbagImapPool *self, GError *failure, gboolean in_background)
{
  gint64 now = g_get_monotonic_time ();

  /* Somebody else's change of mind is nobody's failure. */
  if (g_error_matches (failure, POSTBAG_ERROR, POSTBAG_ERROR_CANCELLED))
    {
      g_error_free (failure);
      return;
    }
  if (g_error_matches (failure, POSTBAG_ERROR, POSTBAG_ERROR_LOGIN_REFUSED))
    self->quiet_until = now + (gint64)POSTBAG_LIMIT_IMAP_REFUSED_MS * 1000;
  if (in_background)
    self->alone_until = now + (gint64)POSTBAG_LIMIT_IMAP_REFUSED_MS * 1000;
  if (g_error_matches (failure, POSTBAG_ERROR, POSTBAG_ERROR_BUSY) && self->slots->len > 0)
    self->maximum = self->slots->len;
  self->failures++;
  g_clear_error (&self->failure);
  self->failure = failure;
}

/* What a server says that has no place for one more connection. */
static gboolean
is_about_room (const GError *failure)
{
  return g_error_matches (failure, POSTBAG_ERROR, POSTBAG_ERROR_BUSY)
         || g_error_matches (failure, POSTBAG_ERROR, POSTBAG_ERROR_OFFLINE)
         || g_error_matches (failure, POSTBAG_ERROR, POSTBAG_ERROR_LOGIN_REFUSED);
}

static gboolean
was_used (PostbagImapPool *self, guint milliseconds)
{
  if (g_get_monotonic_time () - self->last_call < (gint64)milliseconds * 1000 || self->dialing > 0)
    return TRUE;
  for (guint i = 0; i < self->slots->len; i++)
    if (postbag_imap_connection_get_load (((Slot *)self->slots->pdata[i])->connection) > 0)
      return TRUE;
  return FALSE;
}

/* Closes all that rest and waits for it: how many; -1 when one is in use. */
static int
close_slots (PostbagImapPool *self, guint milliseconds)
{
  g_autoptr (GPtrArray) slots = g_ptr_array_new_with_free_func (free_slot);
  gboolean used;

  g_mutex_lock (&self->lock);
  used = was_used (self, milliseconds);
  if (!used)
    g_ptr_array_extend_and_steal (slots, g_steal_pointer (&self->slots));
  if (self->slots == NULL)
    self->slots = g_ptr_array_new_with_free_func (free_slot);
  self->leaving += slots->len;
  for (guint i = 0; i < slots->len; i++)
    postbag_imap_connection_close (((Slot *)g_ptr_array_index (slots, i))->connection);
  while (!used && self->leaving > 0)
    g_cond_wait (&self->changed, &self->lock);
  g_mutex_unlock (&self->lock);
  return used ? -1 : (int)slots->len;
}

/* @except: (nullable): who asks */
static gboolean
ask_for_room (PostbagImapPool *self, gpointer except)
{
  gboolean any = FALSE;

  for (guint i = 0; i < self->yields->len; i++)
    {
      const Yield *one = &g_array_index (self->yields, Yield, i);

      if (one->user_data != except && one->yield (one->user_data))
        any = TRUE;
    }
  return any;
}

/* Connects; for a call that gets no connection, those who only wait give theirs back. Servers take
 * a moment to notice that. */
static PostbagImapWire *
connect_wire (PostbagImapPool *self, GCancellable *cancellable, gboolean in_background,
              GError **failure)
{
  PostbagImapWire *wire = postbag_imap_dial (&self->dialer, cancellable, failure);

  if (wire != NULL || in_background || !is_about_room (*failure) || !ask_for_room (self, NULL))
    return wire;
  for (guint i = 1; wire == NULL && i <= YIELD_TRIES && is_about_room (*failure); i++)
    {
      g_clear_error (failure);
      g_usleep (i * YIELD_PAUSE_US);
      wire = postbag_imap_dial (&self->dialer, cancellable, failure);
    }
  return wire;
}

PostbagImapWire *
postbag_imap_pool_dial_with_room (PostbagImapPool *self, gpointer user_data, gboolean *alone,
                                  GCancellable *cancellable, GError **error)
{
  g_autoptr (GError) failure = NULL;
  PostbagImapWire *wire = postbag_imap_dial (&self->dialer, cancellable, &failure);
  gboolean has_room = *alone;

  for (guint i = 1; wire == NULL && i <= YIELD_TRIES && is_about_room (failure); i++)
    {
      has_room = ask_for_room (self, user_data) || has_room;
      has_room = close_slots (self, 0) > 0 || has_room;
      *alone = has_room;
      g_usleep (i * YIELD_PAUSE_US);
      if (!has_room)
        continue;
      g_clear_error (&failure);
      wire = postbag_imap_dial (&self->dialer, cancellable, &failure);
      /* A wrong password sent again and again locks accounts. */
      if (g_error_matches (failure, POSTBAG_ERROR, POSTBAG_ERROR_LOGIN_REFUSED))
        break;
    }
  if (wire == NULL)
    g_propagate_error (error, g_steal_pointer (&failure));
  return wire;
}

/* Connects; the lock is not held, @dialing was counted. */
static gboolean
dial (PostbagImapPool *self, GCancellable *cancellable, gboolean in_background)
{
  GError *failure = NULL;
  g_autoptr (PostbagImapWire) wire = connect_wire (self, cancellable, in_background, &failure);

  g_mutex_lock (&self->lock);
  self->dialing--;
  if (wire != NULL && !g_cancellable_is_cancelled (self->closing))
    add_connection (self, wire);
  else if (failure != NULL)
    remember_failure (self, failure, in_background);
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
  return wire != NULL;
}

static gpointer
run_dial (gpointer data)
{
  PostbagImapPool *self = data;

  dial (self, self->closing, TRUE);
  return NULL;
}

/* --- choosing --- */

/* The least to do; of equals the one that has the mailbox. */
static Slot *
choose_slot (PostbagImapPool *self, const char *mailbox)
{
  Slot *best = NULL;
  guint best_cost = G_MAXUINT;

  for (guint i = 0; i < self->slots->len; i++)
    {
      Slot *slot = g_ptr_array_index (self->slots, i);
      guint cost = postbag_imap_connection_get_load (slot->connection) * 2
                   + (mailbox != NULL && g_strcmp0 (slot->mailbox, mailbox) != 0);

      if (cost < best_cost)
        {
          best = slot;
          best_cost = cost;
        }
    }
  return best;
}

static void
consider_another (PostbagImapPool *self, const Slot *chosen)
{
  if (postbag_imap_connection_get_load (chosen->connection) == 0
      || self->slots->len + self->dialing >= self->maximum
      || g_get_monotonic_time () < self->alone_until)
    return;
  self->dialing++;
  g_thread_unref (g_thread_new ("postbag-imap-dial", run_dial, self));
}

static PostbagImapConnection *
take_slot (PostbagImapPool *self, Slot *slot, const char *mailbox)
{
  consider_another (self, slot);
  if (mailbox != NULL)
    {
      g_free (slot->mailbox);
      slot->mailbox = g_strdup (mailbox);
    }
  return postbag_imap_connection_ref (slot->connection);
}

/* Waits until something changed, or a moment, to see whether the caller has cancelled. */
static void
wait_for_change (PostbagImapPool *self)
{
  g_cond_wait_until (&self->changed, &self->lock, g_get_monotonic_time () + 100000);
}

/* With the lock held: what the last attempt met. @is_new: it was made for this caller, too; else
 * the login is not tried again yet, and the caller is told when. */
static void
report_failure (PostbagImapPool *self, gboolean is_new, GError **error)
{
  gint64 wait = self->quiet_until - g_get_monotonic_time ();
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();
  g_autoptr (GDateTime) next = g_date_time_add (now, MAX (wait, 0) + G_USEC_PER_SEC - 1);
  g_autofree char *time = g_date_time_format (next, "%H:%M:%S");

  if (is_new)
    g_propagate_error (error, g_error_copy (self->failure));
  else
    g_set_error (error, self->failure->domain, self->failure->code,
                 "%s This is what it said before: the login is not tried again until %s.",
                 self->failure->message, time);
}

/* With the lock held; released while connecting. (transfer full) (nullable) */
static PostbagImapConnection *
acquire_locked (PostbagImapPool *self, const char *mailbox, GCancellable *cancellable,
                GError **error)
{
  guint failures = self->failures;

  for (;;)
    {
      Slot *slot = choose_slot (self, mailbox);

      if (slot != NULL)
        return take_slot (self, slot, mailbox);
      if (self->failure != NULL
          && (self->failures != failures || g_get_monotonic_time () < self->quiet_until))
        {
          report_failure (self, self->failures != failures, error);
          return NULL;
        }
      if (cancellable != NULL && g_cancellable_is_cancelled (cancellable))
        {
          g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_CANCELLED,
                       "The call was cancelled while connecting to %s.", self->place);
          return NULL;
        }
      if (self->dialing > 0)
        {
          wait_for_change (self);
          continue;
        }
      self->dialing++;
      g_mutex_unlock (&self->lock);
      dial (self, cancellable, FALSE);
      g_mutex_lock (&self->lock);
    }
}

static PostbagImapConnection *
acquire (PostbagImapPool *self, const PostbagImapRequest *request, GCancellable *cancellable,
         GError **error)
{
  PostbagImapConnection *connection;

  g_mutex_lock (&self->lock);
  if (!request->in_background)
    self->last_call = g_get_monotonic_time ();
  connection = acquire_locked (self, request->mailbox, cancellable, error);
  g_mutex_unlock (&self->lock);
  return connection;
}

PostbagImapFeatures *
postbag_imap_pool_get_features (PostbagImapPool *self, GCancellable *cancellable, GError **error)
{
  PostbagImapFeatures *features = NULL;

  g_mutex_lock (&self->lock);
  if (self->features == NULL)
    {
      PostbagImapConnection *connection = acquire_locked (self, NULL, cancellable, error);

      postbag_imap_connection_unref (connection);
    }
  if (self->features != NULL)
    features = postbag_imap_features_copy (self->features);
  g_mutex_unlock (&self->lock);
  return features;
}

gboolean
postbag_imap_pool_make_room (PostbagImapPool *self, guint milliseconds)
{
  return close_slots (self, milliseconds) >= 0;
}

gboolean
postbag_imap_pool_start (PostbagImapPool *self, PostbagImapRequest *request,
                         GCancellable *cancellable, GError **error)
{
  g_autoptr (PostbagImapConnection) connection = acquire (self, request, cancellable, error);

  if (connection == NULL)
    return FALSE;
  postbag_imap_connection_submit (connection, request);
  return TRUE;
}

gboolean
postbag_imap_pool_finish (PostbagImapPool *self, PostbagImapRequest *request,
                          GCancellable *cancellable, GError **error)
{
  g_autoptr (GError) local_error = NULL;

  if (postbag_imap_request_wait (request, cancellable, &local_error))
    return TRUE;
  if (!g_error_matches (local_error, POSTBAG_ERROR, POSTBAG_ERROR_OFFLINE) || !request->is_broken)
    {
      g_propagate_error (error, g_steal_pointer (&local_error));
      return FALSE;
    }
  g_debug ("%s: asked again on another connection: %s", self->place, local_error->message);
  postbag_imap_request_reset (request);
  return postbag_imap_pool_start (self, request, cancellable, error)
         && postbag_imap_request_wait (request, cancellable, error);
}

gboolean
postbag_imap_pool_run (PostbagImapPool *self, PostbagImapRequest *request,
                       GCancellable *cancellable, GError **error)
{
  return postbag_imap_pool_start (self, request, cancellable, error)
         && postbag_imap_pool_finish (self, request, cancellable, error);
}
