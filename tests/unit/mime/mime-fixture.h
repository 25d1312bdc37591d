/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <string.h>

#include "mime/postbag-mime-private.h"

/* What several programs ask of a message. */

static inline PostbagMessage *
fixture_parse (const char *text)
{
  g_autoptr (GBytes) source = g_bytes_new (text, strlen (text));

  return postbag_message_parse (source);
}

/* (transfer full): the codes of the message and of its text, comma-separated */
static inline char *
fixture_list_codes (PostbagMessage *message)
{
  g_autoptr (PostbagBody) body = postbag_message_choose_body (message);
  g_autoptr (GPtrArray) all = g_ptr_array_new ();
  const char *const *lists[] = { postbag_message_get_warnings (message),
                                 (const char *const *)body->warnings };

  for (gsize i = 0; i < G_N_ELEMENTS (lists); i++)
    for (const char *const *code = lists[i]; code != NULL && *code != NULL; code++)
      if (!g_ptr_array_find_with_equal_func (all, *code, g_str_equal, NULL))
        g_ptr_array_add (all, (gpointer)*code);
  g_ptr_array_add (all, NULL);
  return g_strjoinv (",", (char **)all->pdata);
}

/* (transfer full): "number:type" or "number:type=filename" of every part, in order, "-" for no
 * number */
static inline char *
fixture_list_parts (PostbagMessage *message)
{
  g_autoptr (GPtrArray) stack = g_ptr_array_new ();
  GString *out = g_string_new (NULL);

  g_ptr_array_add (stack, (gpointer)postbag_message_get_structure (message));
  while (stack->len > 0)
    {
      const PostbagPart *part = g_ptr_array_steal_index (stack, stack->len - 1);

      g_string_append_printf (out, "%s%s:%s", out->len > 0 ? " " : "",
                              part->number != NULL ? part->number : "-", part->type);
      if (part->filename != NULL)
        g_string_append_printf (out, "=%s", part->filename);
      for (guint i = part->children != NULL ? part->children->len : 0; i > 0; i--)
        g_ptr_array_add (stack, g_ptr_array_index (part->children, i - 1));
    }
  return g_string_free (out, FALSE);
}

static inline GString *
fixture_repeat (const char *start, const char *again, guint count)
{
  GString *text = g_string_new (start);

  for (guint i = 0; i < count; i++)
    g_string_append (text, again);
  return text;
}
