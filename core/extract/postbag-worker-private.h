/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sys/types.h>

#include "extract/postbag-extractor.h"

G_BEGIN_DECLS

/* One extractor that the zygote has opened. */
typedef struct
{
  char *name;
  char **types;
  const PostbagExtractorImplementation *implementation;
} PostbagWorkerReader;

/* The zygote's part, in postbag-zygote.c: serves requests on @control until its end. @readers:
 * (element-type PostbagWorkerReader). Never returns. */
G_NORETURN void postbag_zygote_run (int control, GPtrArray *readers);

/* A child's life: closes the cage, waits for one job on @job, reads it, dies. Never returns. */
G_NORETURN void postbag_worker_run (int job, pid_t zygote, GPtrArray *readers);

/* From now on an allocation that fails ends the process with POSTBAG_CHILD_MEMORY. */
void postbag_allocation_end_when_exhausted (void);

G_END_DECLS
