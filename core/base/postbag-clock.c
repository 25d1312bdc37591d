/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/postbag-clock.h"

struct _PostbagClock
{
  GObject parent_instance;

  gboolean manual;
  GMutex lock;
  gint64 real_us;      /* with lock; manual only */
  gint64 monotonic_us; /* with lock; manual only */
};

G_DEFINE_FINAL_TYPE (PostbagClock, postbag_clock, G_TYPE_OBJECT)

static void
postbag_clock_finalize (GObject *object)
{
  PostbagClock *self = POSTBAG_CLOCK (object);

  g_mutex_clear (&self->lock);
  G_OBJECT_CLASS (postbag_clock_parent_class)->finalize (object);
}

static void
postbag_clock_class_init (PostbagClockClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = postbag_clock_finalize;
}

static void
postbag_clock_init (PostbagClock *self)
{
  g_mutex_init (&self->lock);
}

PostbagClock *
postbag_clock_get_system (void)
{
  static PostbagClock *system_clock;

  if (g_once_init_enter (&system_clock))
    g_once_init_leave (&system_clock, g_object_new (POSTBAG_TYPE_CLOCK, NULL));
  return system_clock;
}

PostbagClock *
postbag_clock_new_manual (gint64 real_us)
{
  PostbagClock *self = g_object_new (POSTBAG_TYPE_CLOCK, NULL);

  self->manual = TRUE;
  self->real_us = real_us;
  return self;
}

gint64
postbag_clock_get_real_us (PostbagClock *self)
{
  gint64 value;

  if (!self->manual)
    return g_get_real_time ();
  g_mutex_lock (&self->lock);
  value = self->real_us;
  g_mutex_unlock (&self->lock);
  return value;
}

gint64
postbag_clock_get_monotonic_us (PostbagClock *self)
{
  gint64 value;

  if (!self->manual)
    return g_get_monotonic_time ();
  g_mutex_lock (&self->lock);
  value = self->monotonic_us;
  g_mutex_unlock (&self->lock);
  return value;
}

void
postbag_clock_advance (PostbagClock *self, gint64 us)
{
  g_return_if_fail (self->manual && us >= 0);

  g_mutex_lock (&self->lock);
  self->real_us += us;
  self->monotonic_us += us;
  g_mutex_unlock (&self->lock);
}
