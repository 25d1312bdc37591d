/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "base/postbag-clock.h"
#include "mail/postbag-store.h"

G_BEGIN_DECLS

/**
 * postbag_store_new:
 * @account: (transfer none): copied
 * @implementation: (transfer none): lives as long as the process
 * @backend: (transfer full) (nullable): what the implementation's open returned
 * @state_dir: (nullable): the state folder, where the STOP file is looked for
 *
 * Returns: (transfer full): the checked door in front of @backend
 */
POSTBAG_API PostbagStore *postbag_store_new (const PostbagAccount *account,
                                             const PostbagStoreImplementation *implementation,
                                             gpointer backend, const char *state_dir);
/* Closes the backend; calls after it fail, calls still running must be over. */
POSTBAG_API void postbag_store_close (PostbagStore *self);

/* --- shared by the files of the door --- */

struct _PostbagStore
{
  GObject parent_instance;

  PostbagAccount *account;
  const PostbagStoreImplementation *implementation;
  gpointer backend;    /* NULL once closed */
  char *state_dir;     /* (nullable) */
  PostbagClock *clock; /* the machine's; a test puts another in its place */
};

/* An older plugin's table ends earlier. */
#define POSTBAG_STORE_HAS_SLOT(self, slot)                                                         \
  ((self)->implementation->size >= G_STRUCT_OFFSET (PostbagStoreImplementation, slot)              \
                                       + sizeof ((self)->implementation->slot)                     \
   && (self)->implementation->slot != NULL)

gboolean postbag_store_check_readable (PostbagStore *self, gboolean has_slot, const char *what,
                                       GError **error);
gboolean postbag_store_check_mailbox (const char *mailbox, GError **error);
/* Callers see one domain, whatever a plugin lets slip. Takes @inner. */
void postbag_store_pass_error (PostbagStore *self, gboolean failed, GError *inner, GError **error);

G_END_DECLS
