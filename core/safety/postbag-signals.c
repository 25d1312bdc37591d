/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Everything that is said about a message's trustworthiness, put together. */

#include "safety/postbag-signals.h"

#include <string.h>

#include "base/postbag-text.h"
#include "safety/postbag-auth-results-private.h"
#include "safety/postbag-fold-private.h"
#include "safety/postbag-shapes-private.h"
#include "safety/postbag-signals-private.h"

static PostbagSecurity *
security_new (void)
{
  PostbagSecurity *self = g_new0 (PostbagSecurity, 1);

  self->forgeable = TRUE;
  self->suspicious = g_ptr_array_new ();
  self->script_mix = g_ptr_array_new_with_free_func (g_free);
  self->warnings = g_ptr_array_new_with_free_func (g_free);
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
  g_ptr_array_unref (self->warnings);
  g_free (self);
}

void
postbag_security_warn (PostbagSecurity *self, const char *code)
{
  if (!g_ptr_array_find_with_equal_func (self->warnings, code, g_str_equal, NULL))
    g_ptr_array_add (self->warnings, g_strdup (code));
}

/* --- shapes --- */

/* @text: well-formed. @encoded: (inout): whether a text in an encoding was met */
static guint32
scan_text (const char *text, gboolean *encoded)
{
  g_autofree char *folded = postbag_fold_valid (text);
  guint32 shapes = postbag_shapes_scan (folded);

  if (postbag_encoded_text_scan (folded, &shapes))
    *encoded = TRUE;
  return shapes;
}

static void
add_names (guint32 shapes, GPtrArray *names)
{
  for (guint i = 0; i < POSTBAG_N_SHAPES; i++)
    {
      const char *name = postbag_shape_get_name ((PostbagShape)i);

      if ((shapes & (1u << i)) != 0
          && !g_ptr_array_find_with_equal_func (names, name, g_str_equal, NULL))
        g_ptr_array_add (names, (gpointer)name);
    }
}

void
postbag_shapes_find (const char *text, GPtrArray *shapes)
{
  gboolean encoded = FALSE;
  g_autofree char *valid = postbag_text_make_valid (text != NULL ? text : "", -1);

  add_names (scan_text (valid, &encoded), shapes);
}

static void
look_at_text (PostbagSecurity *self, const char *text, guint32 *shapes)
{
  gboolean encoded = FALSE;
  g_autofree char *valid = NULL;

  if (text == NULL)
    return;
  valid = postbag_text_make_valid (text, -1);
  *shapes |= scan_text (valid, &encoded);
  if (encoded)
    postbag_security_warn (self, "encoded_text");
  postbag_script_mix_scan (valid, self->script_mix);
}

static void
look_at_texts (PostbagSecurity *self, const PostbagSecurityInput *input)
{
  guint32 shapes = 0;

  look_at_text (self, input->subject, &shapes);
  for (guint i = 0; input->from != NULL && i < input->from->len; i++)
    {
      const PostbagAddress *address = g_ptr_array_index (input->from, i);

      look_at_text (self, address->name, &shapes);
      look_at_text (self, address->address, &shapes);
    }
  for (gsize i = 0; input->strings != NULL && input->strings[i] != NULL; i++)
    look_at_text (self, input->strings[i], &shapes);
  for (gsize i = 0; input->texts != NULL && input->texts[i] != NULL; i++)
    look_at_text (self, input->texts[i], &shapes);
  add_names (shapes, self->suspicious);
}

/* --- authentication --- */

static char *
dup_verdict (const char *verdict)
{
  return g_strdup (verdict != NULL ? verdict : "unknown");
}

static gboolean
is_trusted (const char *authserv_id, const PostbagSecurityInput *input)
{
  return authserv_id != NULL && input->trusted_authserv_id != NULL
         && g_ascii_strcasecmp (authserv_id, input->trusted_authserv_id) == 0;
}

/* The trusted server takes fields with its name out of what comes in (RFC 8601 section 5): where it
 * did, there is one. */
static void
look_for_forged_results (PostbagSecurity *self, const PostbagSecurityInput *input)
{
  for (gsize i = 1; input->authentication_results[i] != NULL; i++)
    {
      g_autoptr (PostbagAuthResults) results =
          postbag_auth_results_parse (input->authentication_results[i]);

      if (is_trusted (results->authserv_id, input))
        postbag_security_warn (self, "repeated_authentication_results");
    }
}

static void
look_at_results (PostbagSecurity *self, const PostbagSecurityInput *input)
{
  const char *const *fields = input->authentication_results;
  g_autoptr (PostbagAuthResults) results =
      postbag_auth_results_parse (fields != NULL && fields[0] != NULL ? fields[0] : "");

  self->spf = dup_verdict (results->spf);
  self->dkim = dup_verdict (results->dkim);
  self->dmarc = dup_verdict (results->dmarc);
  self->authserv_id = g_steal_pointer (&results->authserv_id);
  self->forgeable = !is_trusted (self->authserv_id, input);
  if (fields == NULL || fields[0] == NULL)
    return;
  if (self->forgeable && input->trusted_authserv_id != NULL)
    postbag_security_warn (self, "untrusted_authentication_results");
  if (!self->forgeable)
    look_for_forged_results (self, input);
}

PostbagSecurity *
postbag_security_examine (const PostbagSecurityInput *input)
{
  PostbagSecurity *self = NULL;

  g_return_val_if_fail (input != NULL, NULL);
  self = security_new ();
  look_at_texts (self, input);
  look_at_results (self, input);
  postbag_sender_examine (input, self);
  return self;
}
