/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "json/postbag-schema-private.h"

PostbagSubschema *
postbag_subschema_new (void)
{
  PostbagSubschema *self = g_new0 (PostbagSubschema, 1);

  self->always = -1;
  self->min_length = self->max_length = -1;
  self->min_items = self->max_items = -1;
  self->min_contains = self->max_contains = -1;
  self->min_properties = self->max_properties = -1;
  return self;
}

void
postbag_subschema_free (PostbagSubschema *self)
{
  g_free (self->pointer);
  g_free (self->dynamic_name);
  g_clear_pointer (&self->pattern, g_regex_unref);
  g_clear_pointer (&self->properties, g_hash_table_unref);
  g_clear_pointer (&self->pattern_properties, g_array_unref);
  g_clear_pointer (&self->dependent_schemas, g_hash_table_unref);
  g_clear_pointer (&self->prefix_items, g_ptr_array_unref);
  g_clear_pointer (&self->all_of, g_ptr_array_unref);
  g_clear_pointer (&self->any_of, g_ptr_array_unref);
  g_clear_pointer (&self->one_of, g_ptr_array_unref);
  g_free (self);
}

PostbagSchema *
postbag_schema_ref (PostbagSchema *self)
{
  g_atomic_ref_count_inc (&self->references);
  return self;
}

void
postbag_schema_unref (PostbagSchema *self)
{
  if (!g_atomic_ref_count_dec (&self->references))
    return;
  g_ptr_array_unref (self->subschemas);
  g_ptr_array_unref (self->resources);
  g_ptr_array_unref (self->documents);
  json_node_unref (self->root);
  g_free (self);
}
