/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "json/postbag-args.h"

#include "json/postbag-json.h"

struct _PostbagArgs
{
  JsonObject *object;
};

PostbagArgs *
postbag_args_new (JsonObject *object)
{
  PostbagArgs *self = g_new0 (PostbagArgs, 1);

  self->object = json_object_ref (object);
  return self;
}

void
postbag_args_free (PostbagArgs *self)
{
  if (self == NULL)
    return;
  json_object_unref (self->object);
  g_free (self);
}

/* A null is as good as absent: that is how many clients leave a parameter out. */
static JsonNode *
find_argument (const PostbagArgs *self, const char *name)
{
  JsonNode *node = json_object_get_member (self->object, name);

  return node != NULL && !JSON_NODE_HOLDS_NULL (node) ? node : NULL;
}

static void
complain (const PostbagArgs *self, const char *name, const char *wanted)
{
  g_critical ("the argument “%s” is %s, not %s: does its schema say so?", name,
              postbag_json_type_name (json_object_get_member (self->object, name)), wanted);
}

gboolean
postbag_args_has (const PostbagArgs *self, const char *name)
{
  return find_argument (self, name) != NULL;
}

const char *
postbag_args_get_string (const PostbagArgs *self, const char *name)
{
  const char *value = NULL;

  if (find_argument (self, name) != NULL && !postbag_json_get_string (self->object, name, &value))
    complain (self, name, "a string");
  return value;
}

gint64
postbag_args_get_int (const PostbagArgs *self, const char *name, gint64 fallback)
{
  gint64 value = fallback;

  if (find_argument (self, name) != NULL && !postbag_json_get_int (self->object, name, &value))
    complain (self, name, "an integer of 64 bits");
  return value;
}

gboolean
postbag_args_get_boolean (const PostbagArgs *self, const char *name, gboolean fallback)
{
  gboolean value = fallback;

  if (find_argument (self, name) != NULL && !postbag_json_get_boolean (self->object, name, &value))
    complain (self, name, "a boolean");
  return value;
}

static JsonArray *
find_array (const PostbagArgs *self, const char *name)
{
  JsonArray *array = NULL;

  if (find_argument (self, name) != NULL && !postbag_json_get_array (self->object, name, &array))
    complain (self, name, "an array");
  return array;
}

const char **
postbag_args_dup_strings (const PostbagArgs *self, const char *name)
{
  JsonArray *array = find_array (self, name);
  const char **strings;
  guint length;

  if (array == NULL)
    return NULL;
  length = json_array_get_length (array);
  strings = g_new0 (const char *, (gsize)length + 1);
  for (guint i = 0; i < length; i++)
    {
      JsonNode *node = json_array_get_element (array, i);

      if (!JSON_NODE_HOLDS_VALUE (node) || json_node_get_value_type (node) != G_TYPE_STRING)
        {
          complain (self, name, "an array of strings");
          g_free (strings);
          return NULL;
        }
      strings[i] = json_node_get_string (node);
    }
  return strings;
}

GArray *
postbag_args_dup_ints (const PostbagArgs *self, const char *name)
{
  JsonArray *array = find_array (self, name);
  g_autoptr (GArray) ints = NULL;

  if (array == NULL)
    return NULL;
  ints = g_array_new (FALSE, FALSE, sizeof (gint64));
  for (guint i = 0; i < json_array_get_length (array); i++)
    {
      gint64 value;

      if (!postbag_json_node_get_int (json_array_get_element (array, i), &value))
        {
          complain (self, name, "an array of integers of 64 bits");
          return NULL;
        }
      g_array_append_val (ints, value);
    }
  return g_steal_pointer (&ints);
}

JsonObject *
postbag_args_get_object (const PostbagArgs *self)
{
  return self->object;
}
