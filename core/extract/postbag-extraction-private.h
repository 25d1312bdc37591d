/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "extract/postbag-extraction.h"
#include "extract/postbag-wire-private.h"

G_BEGIN_DECLS

typedef struct
{
  guint64 address_bytes;
  guint64 heap_bytes; /* of these: what it allocates */
  guint64 cpu_seconds;
  gint64 wall_ms;
  gsize chars; /* of the text */
} PostbagExtractLimitSet;

POSTBAG_API const PostbagExtractLimitSet *postbag_extract_limits_get (PostbagExtractLimits limits);

/* What ended a child, as it is seen from outside. */
typedef enum
{
  POSTBAG_FATE_FINISHED,
  POSTBAG_FATE_CRASHED,
  POSTBAG_FATE_STALLED,
  POSTBAG_FATE_MEMORY,
  POSTBAG_FATE_EXEC,
  POSTBAG_FATE_FORK,
  POSTBAG_FATE_FORBIDDEN, /* another call that the cage answers with the end */
  POSTBAG_FATE_LIED,      /* its messages are not what was agreed */
  POSTBAG_FATE_FLOODED,   /* more output than it was told to give */
  POSTBAG_FATE_CANCELLED,
  POSTBAG_FATE_NO_CAGE,
  POSTBAG_FATE_GONE,  /* it went without a word: try another one */
  POSTBAG_FATE_LOST,  /* the worker went, or it before it got the document: try another one */
  POSTBAG_FATE_SHORT, /* the server has no descriptor, memory or process left for it */
} PostbagExtractFate;

typedef struct
{
  const char *program;      /* postbag-extract */
  const char *const *types; /* what the manifests promise */
  const char *version;      /* of program and readers: part of a result's identity */
  gboolean user_plugins;
} PostbagExtractionOptions;

/* Everything is copied. Starts nothing. */
POSTBAG_API PostbagExtraction *postbag_extraction_new (const PostbagExtractionOptions *options);

/* The same run without a log line, for a program whose user reads the error; the fate is for tests.
 * @fate: (out) (optional) */
POSTBAG_API PostbagExtractedText *
postbag_extraction_run_full (PostbagExtraction *self, const PostbagExtractRequest *request,
                             GCancellable *cancellable, PostbagExtractReason *reason,
                             PostbagExtractFate *fate, GError **error);

/* Which layers are closed around a child on this machine: starts one. 0 with @error where the cage
 * cannot be closed. */
POSTBAG_API PostbagCageLayers postbag_extraction_probe (PostbagExtraction *self, GError **error);
/* (transfer full) (array zero-terminated=1): readers that did not open when the worker started */
POSTBAG_API char **postbag_extraction_dup_broken (PostbagExtraction *self);
/* (transfer full): names of layers, for `doctor`: "seccomp, Landlock (files, network)" */
POSTBAG_API char *postbag_cage_layers_to_string (PostbagCageLayers layers);
/* How long a document may take, for tests of the clock; 0: as the limit set says. */
POSTBAG_API void postbag_extraction_set_wall (PostbagExtraction *self, gint64 milliseconds);
/* The worker's process id, 0 when there is none: for tests. */
POSTBAG_API gint64 postbag_extraction_get_worker (PostbagExtraction *self);
/* Documents that are read or wait for their turn. */
POSTBAG_API guint postbag_extraction_count_in_flight (PostbagExtraction *self);
/* Documents that were read anew, and not found among the results. */
POSTBAG_API guint64 postbag_extraction_count_runs (PostbagExtraction *self);
/* Results in memory. */
POSTBAG_API guint postbag_extraction_count_cached (PostbagExtraction *self);

G_END_DECLS
