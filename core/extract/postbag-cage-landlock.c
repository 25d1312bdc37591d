/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Landlock (Linux 5.13, with network from 6.7 and scopes from 6.12): a second lock behind seccomp.
 * The numbers are the kernel's; headers of a distribution are older than the kernels it meets. */

#include "extract/postbag-cage-private.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

#define CREATE_RULESET_VERSION 1u
#define RULE_PATH_BENEATH 1
#define FS_READ_FILE (1ull << 2)
#define FS_READ_DIR (1ull << 3)
#define NET_BIND_AND_CONNECT 3ull
#define SCOPE_SOCKETS_AND_SIGNALS 3ull

typedef struct
{
  guint64 files;
  guint64 network; /* version 4 */
  guint64 scopes;  /* version 6 */
} Ruleset;

typedef struct
{
  guint64 access;
  gint32 parent;
} __attribute__ ((packed)) PathBeneath;

int
postbag_landlock_get_version (void)
{
  long version = syscall (SYS_landlock_create_ruleset, NULL, 0, CREATE_RULESET_VERSION);

  return version > 0 ? (int)version : 0;
}

/* Every right of the version, so that all are refused where no rule grants them. */
static guint64
get_file_rights (int version)
{
  int count = version >= 5 ? 16 : version >= 3 ? 15 : version >= 2 ? 14 : 13;

  return (1ull << count) - 1;
}

static gsize
get_ruleset_size (int version)
{
  return sizeof (guint64) * (version >= 6 ? 3 : version >= 4 ? 2 : 1);
}

/* A folder that is not there needs no rule. */
static void
grant_folder (int ruleset, const char *folder)
{
  PathBeneath beneath = { FS_READ_FILE | FS_READ_DIR, open (folder, O_PATH | O_CLOEXEC) };

  if (beneath.parent < 0)
    return;
  syscall (SYS_landlock_add_rule, ruleset, RULE_PATH_BENEATH, &beneath, 0);
  close (beneath.parent);
}

PostbagCageLayers
postbag_landlock_close (const char *const *folders)
{
  int version = postbag_landlock_get_version ();
  Ruleset rules = { get_file_rights (version), NET_BIND_AND_CONNECT, SCOPE_SOCKETS_AND_SIGNALS };
  PostbagCageLayers layers = POSTBAG_CAGE_FILES;
  int ruleset;
  gboolean closed;

  if (version == 0)
    return 0;
  ruleset = (int)syscall (SYS_landlock_create_ruleset, &rules, get_ruleset_size (version), 0);
  if (ruleset < 0)
    return 0;
  for (const char *const *folder = folders; *folder != NULL; folder++)
    grant_folder (ruleset, *folder);
  closed = syscall (SYS_landlock_restrict_self, ruleset, 0) == 0;
  close (ruleset);
  if (!closed)
    return 0;
  if (version >= 4)
    layers |= POSTBAG_CAGE_NETWORK;
  if (version >= 6)
    layers |= POSTBAG_CAGE_SCOPE;
  return layers;
}
