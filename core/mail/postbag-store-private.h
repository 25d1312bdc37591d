/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

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

G_END_DECLS
