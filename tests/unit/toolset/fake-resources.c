/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "fake-resources.h"

#include "mcp/postbag-uri-template-private.h"

#include <string.h>

void
fake_contents_clear (PostbagContents *self)
{
  g_free (self->mime_type);
  g_free (self->text);
  g_clear_pointer (&self->blob, g_bytes_unref);
  g_free (self->untrusted);
  g_free (self->notes);
}

void
postbag_contents_add_text (PostbagContents *self, const char *uri, const char *mime_type,
                           const char *text)
{
  self->mime_type = g_strdup (mime_type);
  self->text = g_strdup (text);
}

void
postbag_contents_add_blob (PostbagContents *self, const char *uri, const char *mime_type,
                           GBytes *data)
{
  self->mime_type = g_strdup (mime_type);
  self->blob = g_bytes_ref (data);
}

void
postbag_contents_meta_string (PostbagContents *self, const char *key, const char *value)
{
  char **member = strcmp (key, "untrusted") == 0 ? &self->untrusted : &self->notes;

  g_free (*member);
  *member = g_strdup (value);
}

void
fake_resource_list_init (PostbagResourceList *self)
{
  self->uris = g_ptr_array_new_with_free_func (g_free);
  self->names = g_ptr_array_new_with_free_func (g_free);
}

void
fake_resource_list_clear (PostbagResourceList *self)
{
  g_ptr_array_unref (self->uris);
  g_ptr_array_unref (self->names);
}

gboolean
postbag_resource_list_add (PostbagResourceList *self, const PostbagResourceFacts *facts)
{
  g_ptr_array_add (self->uris, g_strdup (facts->uri));
  g_ptr_array_add (self->names, g_strdup (facts->name));
  return TRUE;
}

void
postbag_completion_list_add (PostbagCompletionList *self, const char *value)
{
  g_string_append_printf (self->joined, "%s\n", value);
}

PostbagSubscription *
postbag_subscription_ref (PostbagSubscription *self)
{
  self->references++;
  return self;
}

void
postbag_subscription_unref (PostbagSubscription *self)
{
  self->references--;
}

void
postbag_subscription_tell (PostbagSubscription *self)
{
  self->told++;
}

PostbagResourceUri *
fake_resource_uri_new (const char *uri, const char *uri_template)
{
  PostbagResourceUri *self;

  g_assert_true (postbag_resource_uri_is_well_formed (uri));
  self = postbag_resource_uri_match (uri, uri_template);
  g_assert_nonnull (self);
  return self;
}

void
fake_resource_uri_free (PostbagResourceUri *self)
{
  postbag_resource_uri_free (self);
}
