/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#include "base/postbag-api.h"

G_BEGIN_DECLS

/**
 * PostbagSecurity:
 *
 * What could be said about a message's trustworthiness. Verdicts are lower-case words of RFC 8601
 * or "unknown". Signals never filter.
 */
typedef struct
{
  char *spf;
  char *dkim;
  char *dmarc;
  char *authserv_id; /* (nullable) */
  gboolean forgeable;
  gboolean examined;     /* %FALSE: signals were not looked for */
  GPtrArray *suspicious; /* const char *: names of shapes */
  GPtrArray *script_mix; /* char *: words */
} PostbagSecurity;

POSTBAG_API void postbag_security_free (PostbagSecurity *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagSecurity, postbag_security_free)

/* (transfer full): everything "unknown", forgeable, not examined */
POSTBAG_API PostbagSecurity *postbag_security_new_unknown (void);

G_END_DECLS
