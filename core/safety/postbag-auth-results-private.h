/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#include "base/postbag-api.h"

G_BEGIN_DECLS

/* One Authentication-Results field (RFC 8601 section 2.2). Verdicts are constants: words of the
 * RFC's registry, %NULL for a method that is not there or a word that is none of them. */
typedef struct
{
  char *authserv_id; /* (nullable): shaped like a host name */
  const char *spf;
  const char *dkim;
  const char *dmarc;
} PostbagAuthResults;

/* (transfer full): any text, unfolded; never fails, bounded, linear. Of several results of one
 * method a pass counts, else the first. */
POSTBAG_API PostbagAuthResults *postbag_auth_results_parse (const char *value);
POSTBAG_API void postbag_auth_results_free (PostbagAuthResults *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagAuthResults, postbag_auth_results_free)

G_END_DECLS
