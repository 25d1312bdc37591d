/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "mcp/postbag-prompt-text-private.h"

#include <string.h>

#include "base/postbag-limits.h"
#include "json/postbag-json.h"
#include "mcp/postbag-content-private.h"
#include "safety/postbag-clean.h"

/* (transfer full) (nullable): the argument's value as it may be shown */
static char *
dup_value (JsonObject *arguments, const char *name, gsize length)
{
  g_autofree char *key = g_strndup (name, length);
  const char *value = NULL;

  if (!postbag_json_get_string (arguments, key, &value))
    return NULL;
  return postbag_clean (value, POSTBAG_CLEAN_TEXT, POSTBAG_LIMIT_PROMPT_ARGUMENT_CHARS, NULL);
}

static gboolean
is_name (const char *text, gsize length)
{
  return length > 0
         && strspn (text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
                >= length;
}

/* What is put in is not looked at again: a value cannot name another argument. */
static char *
put_in (const char *text, JsonObject *arguments)
{
  g_autoptr (GString) result = g_string_new (NULL);
  const char *at = text;
  const char *open;

  while ((open = strchr (at, '{')) != NULL)
    {
      gsize length = strcspn (open + 1, "}");
      gboolean is_argument = open[1 + length] == '}' && is_name (open + 1, length);
      g_autofree char *value = is_argument ? dup_value (arguments, open + 1, length) : NULL;

      g_string_append_len (result, at, open - at);
      if (is_argument)
        g_string_append (result, value != NULL ? value : "");
      else
        g_string_append_c (result, '{');
      at = is_argument ? open + length + 2 : open + 1;
    }
  g_string_append (result, at);
  return g_string_free (g_steal_pointer (&result), FALSE);
}

/* --- text --- */

static gboolean
is_given (JsonObject *arguments, const char *name)
{
  const char *value = NULL;

  return postbag_json_get_string (arguments, name, &value) && *value != '\0';
}

/* (nullable): the line's text, if it is there with these arguments */
static const char *
choose_line (JsonNode *line, JsonObject *arguments)
{
  const char *condition = NULL, *text = NULL;
  JsonObject *object;

  if (JSON_NODE_HOLDS_VALUE (line))
    return json_node_get_string (line);
  if (!JSON_NODE_HOLDS_OBJECT (line))
    return NULL;
  object = json_node_get_object (line);
  if ((postbag_json_get_string (object, "if", &condition) && !is_given (arguments, condition))
      || (postbag_json_get_string (object, "unless", &condition)
          && is_given (arguments, condition)))
    return NULL;
  return postbag_json_get_string (object, "text", &text) ? text : NULL;
}

static char *
make_text (JsonArray *lines, JsonObject *arguments)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < json_array_get_length (lines); i++)
    {
      const char *line = choose_line (json_array_get_element (lines, i), arguments);
      g_autofree char *filled = line != NULL ? put_in (line, arguments) : NULL;

      if (filled == NULL)
        continue;
      if (text->len > 0)
        g_string_append_c (text, '\n');
      g_string_append (text, filled);
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* --- other content --- */

static void
fill_object (JsonObject *object, JsonObject *arguments)
{
  g_autoptr (GList) names = json_object_get_members (object);

  for (GList *link = names; link != NULL; link = link->next)
    {
      JsonObject *inner = NULL;
      const char *text = NULL;

      if (postbag_json_get_string (object, link->data, &text))
        {
          g_autofree char *filled = put_in (text, arguments);

          json_object_set_string_member (object, link->data, filled);
        }
      else if (postbag_json_get_object (object, link->data, &inner))
        fill_object (inner, arguments);
    }
}

/* A copy that may be written into: content blocks are two objects deep. */
static JsonObject *
copy_object (JsonObject *object)
{
  g_autoptr (PostbagJsonWriter) writer = postbag_json_writer_new ();
  g_autoptr (PostbagJsonDocument) document = NULL;
  g_autoptr (JsonNode) node = json_node_new (JSON_NODE_OBJECT);

  json_node_set_object (node, object);
  postbag_json_writer_node (writer, node);
  document = postbag_json_parse (postbag_json_writer_peek (writer),
                                 postbag_json_writer_get_length (writer),
                                 POSTBAG_LIMIT_SCHEMA_BYTES, POSTBAG_JSON_DEFAULT, NULL);
  return json_node_dup_object (postbag_json_document_get_root (document));
}

static void
write_content (PostbagJsonWriter *writer, JsonObject *message, JsonObject *arguments,
               PostbagRevision revision)
{
  JsonObject *content = NULL;
  JsonArray *lines = NULL;

  if (postbag_json_get_object (message, "content", &content))
    {
      g_autoptr (JsonObject) filled = copy_object (content);

      fill_object (filled, arguments);
      postbag_content_write_object (writer, revision, filled);
    }
  else if (postbag_json_get_array (message, "text", &lines))
    {
      g_autofree char *text = make_text (lines, arguments);

      postbag_content_write_text (writer, text, strlen (text));
    }
  else
    postbag_content_write_text (writer, "", 0);
}

void
postbag_prompt_write_messages (const PostbagPrompt *prompt, JsonObject *arguments,
                               PostbagRevision revision, PostbagJsonWriter *writer)
{
  postbag_json_writer_begin_array (writer);
  for (guint i = 0; i < json_array_get_length (prompt->messages); i++)
    {
      JsonObject *message = json_array_get_object_element (prompt->messages, i);
      const char *role = "user";

      postbag_json_get_string (message, "role", &role);
      postbag_json_writer_begin_object (writer);
      postbag_json_writer_key (writer, "role");
      postbag_json_writer_string (writer, role);
      postbag_json_writer_key (writer, "content");
      write_content (writer, message, arguments, revision);
      postbag_json_writer_end_object (writer);
    }
  postbag_json_writer_end_array (writer);
}
