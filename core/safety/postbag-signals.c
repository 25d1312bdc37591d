/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "safety/postbag-signals.h"

PostbagSecurity *
postbag_security_new_unknown (void)
{
  PostbagSecurity *self = g_new0 (PostbagSecurity, 1);

  self->spf = g_strdup ("unknown");
  self->dkim = g_strdup ("unknown");
  self->dmarc = g_strdup ("unknown");
  self->forgeable = TRUE;
  self->suspicious = g_ptr_array_new ();
  self->script_mix = g_ptr_array_new_with_free_func (g_free);
  return self;
}

void
postbag_security_free (PostbagSecurity *self)
{
  if (self == NULL)
    return;
  g_free (self->spf);
  g_free (self->dkim);
  g_free (self->dmarc);
  g_free (self->authserv_id);
  g_ptr_array_unref (self->suspicious);
  g_ptr_array_unref (self->script_mix);
  g_free (self);
}

PostbagSecurity *
postbag_security_examine (const PostbagSecurityInput *input)
{
  g_return_val_if_fail (input != NULL, NULL);
  return postbag_security_new_unknown ();
}
