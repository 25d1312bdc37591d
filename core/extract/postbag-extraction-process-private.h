/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "extract/postbag-extraction-private.h"

G_BEGIN_DECLS

/* The worker process and its warm children, as the server holds them. */

typedef struct _PostbagWorker PostbagWorker;

/* One child that has closed its cage and waits. */
typedef struct
{
  int job;
  int leash;
  PostbagCageLayers layers;
} PostbagChild;

/* Lets go of the leash: the worker kills it. */
void postbag_child_release (PostbagChild *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagChild, postbag_child_release)

/* What the child's end was, once its socket has ended: waits shortly. */
PostbagExtractFate postbag_child_get_fate (PostbagChild *self);

PostbagWorker *postbag_worker_new (const char *program, gboolean user_plugins);
void postbag_worker_free (PostbagWorker *self);

/* (transfer full) (nullable): warm, or started now; starts the worker where there is none. */
PostbagChild *postbag_worker_take_child (PostbagWorker *self, GError **error);
/* Fills the stock, after a child was taken and has its work. */
void postbag_worker_refill (PostbagWorker *self);
/* (transfer full) (array zero-terminated=1): readers that could not be opened so far */
char **postbag_worker_dup_broken (PostbagWorker *self);
gint64 postbag_worker_get_process (PostbagWorker *self);

G_END_DECLS
