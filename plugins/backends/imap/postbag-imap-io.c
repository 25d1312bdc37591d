/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-imap-io.h"

static gpointer
run_loop (gpointer data)
{
  GMainContext *context = data;
  g_autoptr (GMainLoop) loop = g_main_loop_new (context, FALSE);

  g_main_context_push_thread_default (context);
  g_main_loop_run (loop);
  return NULL;
}

GMainContext *
postbag_imap_io_get_context (void)
{
  static gsize context;

  if (g_once_init_enter (&context))
    {
      GMainContext *created = g_main_context_new ();

      g_thread_unref (g_thread_new ("postbag-imap", run_loop, created));
      g_once_init_leave (&context, (gsize)created);
    }
  return (GMainContext *)context;
}

void
postbag_imap_io_invoke (GSourceFunc func, gpointer data, GDestroyNotify destroy)
{
  g_autoptr (GSource) source = g_idle_source_new ();

  g_source_set_priority (source, G_PRIORITY_DEFAULT);
  g_source_set_callback (source, func, data, destroy);
  g_source_attach (source, postbag_imap_io_get_context ());
}
