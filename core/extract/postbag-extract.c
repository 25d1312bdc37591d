/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* postbag-extract, the worker: started by the server with a socket as descriptor 3; of no use by
 * hand. Opens the readers of documents and becomes the zygote. */

#define G_LOG_DOMAIN "postbag-extract"

#include <fcntl.h>
#include <linux/close_range.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/postbag-log-private.h"
#include "base/postbag-paths-private.h"
#include "extract/postbag-wire-private.h"
#include "extract/postbag-worker-private.h"
#include "plugin/postbag-registry-private.h"

#define CONTROL_FD 3

static void
tell (PostbagWireKind kind, const char *name)
{
  gsize length = MIN (strlen (name), POSTBAG_WIRE_TEXT_BYTES);

  if (!postbag_wire_say (CONTROL_FD, kind, 0, name, length, NULL, 0))
    _exit (1);
}

static const PostbagExtractorImplementation *
open_reader (PostbagRegistry *registry, const PostbagManifest *manifest)
{
  g_autoptr (GError) error = NULL;
  const PostbagExtractorImplementation *implementation =
      postbag_registry_load (registry, POSTBAG_PLUGIN_EXTRACTOR, manifest->name, &error);

  if (implementation != NULL
      && (implementation->prepare == NULL || implementation->prepare (&error)))
    return implementation;
  g_warning ("Documents: the reader “%s” is left out: %s", manifest->name,
             error != NULL ? error->message : "it could not prepare");
  return NULL;
}

/* The manifest that won its name; a shadowed one is unusable. */
static gboolean
is_wanted (PostbagRegistry *registry, const PostbagManifest *manifest, const char *const *skipped)
{
  return manifest->kind == POSTBAG_PLUGIN_EXTRACTOR
         && postbag_registry_get_state (registry, manifest, NULL) != POSTBAG_PLUGIN_UNUSABLE
         && !g_strv_contains (skipped, manifest->name);
}

/* Each name is told before its code runs: when that ends the process, the server knows whose it
 * was and goes on without it. */
static GPtrArray *
open_readers (PostbagRegistry *registry, const char *const *skipped)
{
  GPtrArray *readers = g_ptr_array_new ();
  g_autoptr (GPtrArray) manifests = postbag_registry_list (registry);

  for (guint i = 0; i < manifests->len; i++)
    {
      const PostbagManifest *manifest = g_ptr_array_index (manifests, i);
      PostbagWorkerReader *reader;

      if (!is_wanted (registry, manifest, skipped))
        continue;
      tell (POSTBAG_WIRE_LOADING, manifest->name);
      reader = g_new0 (PostbagWorkerReader, 1);
      reader->implementation = open_reader (registry, manifest);
      reader->name = g_strdup (manifest->name);
      reader->types = g_strdupv (manifest->types);
      if (reader->implementation != NULL)
        g_ptr_array_add (readers, reader);
      else
        tell (POSTBAG_WIRE_BROKEN, manifest->name);
    }
  return readers;
}

/* What comes with descriptors 0 to 2 goes nowhere; stderr stays with the server's log. */
static void
close_descriptors (void)
{
  int nowhere = open ("/dev/null", O_RDWR | O_CLOEXEC);

  if (nowhere < 0 || dup2 (nowhere, STDIN_FILENO) < 0 || dup2 (nowhere, STDOUT_FILENO) < 0)
    _exit (1);
  syscall (SYS_close_range, CONTROL_FD + 1, ~0U, 0);
  fcntl (CONTROL_FD, F_SETFD, FD_CLOEXEC);
}

static gboolean
is_started_by_server (void)
{
  int type = 0;
  socklen_t size = sizeof type;

  return getsockopt (CONTROL_FD, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_SEQPACKET;
}

int
main (int argc, char **argv)
{
  g_auto (GStrv) directories = NULL;
  g_autoptr (GPtrArray) skipped = g_ptr_array_new ();
  gboolean user_plugins = FALSE;

  if (!is_started_by_server ())
    {
      g_printerr ("postbag-extract: it is started by postbag; try “postbag extract FILE”.\n");
      return 2;
    }
  postbag_log_install ();
  g_free (postbag_log_set_debug (g_getenv ("POSTBAG_DEBUG"))); /* the server has said it */
  prctl (PR_SET_DUMPABLE, 0, 0, 0, 0);
  close_descriptors ();
  for (int i = 1; i < argc; i++)
    {
      if (strcmp (argv[i], "--user-plugins") == 0)
        user_plugins = TRUE;
      else if (g_str_has_prefix (argv[i], "--skip="))
        g_ptr_array_add (skipped, argv[i] + strlen ("--skip="));
    }
  g_ptr_array_add (skipped, NULL);
  directories = postbag_paths_dup_plugin_dirs (user_plugins);
  postbag_zygote_run (CONTROL_FD,
                      open_readers (postbag_registry_new ((const char *const *)directories),
                                    (const char *const *)skipped->pdata));
}
