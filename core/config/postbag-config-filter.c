/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A tool that is filtered out is not registered: a client neither sees nor reaches it. An entry
 * that matches nothing stops the start, because a misspelt denial would offer what was meant to be
 * withheld. */

#include "config/postbag-config-filter-private.h"

#include "base/postbag-error.h"
#include "base/postbag-limits.h"

#include <string.h>

#define TRACKING_TOOL "list_new_messages"

static const char *const write_tools[] = {
  "set_message_flags", "move_messages", "delete_messages", "manage_mailbox", "save_draft", NULL,
};
static const char *const essential_tools[] = {
  "list_mailboxes",
  "list_new_messages",
  "list_messages",
  "get_message",
  "set_message_flags",
  "move_messages",
  NULL,
};

typedef struct
{
  const PostbagToolFilter *filter;
  const char *list_name;
  gboolean allow;
  GPtrArray *warnings;
} Judge;

static gboolean
is_write (const char *tool)
{
  return g_strv_contains (write_tools, tool);
}

/* An entry as it may be shown: whatever does not look like a tool's name could be a password. */
static char *
describe_entry (const char *entry)
{
  gsize length = strspn (entry, "abcdefghijklmnopqrstuvwxyz_*");

  if (entry[length] == '\0' && length <= POSTBAG_LIMIT_TOOL_NAME_BYTES)
    return g_strdup_printf ("“%s”", entry);
  return g_strdup_printf ("an entry of %zu bytes", strlen (entry));
}

static gboolean
refuse_unknown (const Judge *judge, const char *entry, const char *problem, GError **error)
{
  g_autofree char *shown = describe_entry (entry);
  g_autofree char *names = g_strjoinv (", ", (char **)judge->filter->catalogue);

  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_INVALID_ARGUMENT,
               "%s has %s, which %s. Valid are: %s; a prefix with one “*” at its end%s.",
               judge->list_name, shown, problem, names, judge->allow ? "; “essential”" : "");
  return FALSE;
}

/* Whether @entry, in lower case, means @tool. */
static gboolean
matches (const char *entry, const char *tool)
{
  gsize length = strlen (entry);

  if (length > 0 && entry[length - 1] == '*')
    return strncmp (entry, tool, length - 1) == 0;
  return strcmp (entry, tool) == 0;
}

static gboolean
is_suppressed (const PostbagToolFilter *filter, const char *tool)
{
  return (filter->read_only && is_write (tool))
         || (filter->no_tracking && strcmp (tool, TRACKING_TOOL) == 0);
}

/* What an entry of the allow list that names only suppressed tools means. */
static gboolean
judge_suppressed (const Judge *judge, const char *entry, gboolean writes, GError **error)
{
  g_autofree char *shown = describe_entry (entry);

  if (!writes)
    {
      g_ptr_array_add (judge->warnings,
                       g_strdup_printf ("%s has %s, which is off: IMAP_SEEN_KEYWORD is empty.",
                                        judge->list_name, shown));
      return TRUE;
    }
  if (strchr (entry, '*') != NULL)
    {
      g_ptr_array_add (judge->warnings,
                       g_strdup_printf ("%s has %s, which matches only tools that change mail: "
                                        "they are off while IMAP_READ_ONLY is not “false”.",
                                        judge->list_name, shown));
      return TRUE;
    }
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_INVALID_ARGUMENT,
               "%s has %s, which changes mail: it is off while IMAP_READ_ONLY is not “false”. Say "
               "IMAP_READ_ONLY=false, or take it off the list.",
               judge->list_name, shown);
  return FALSE;
}

static void
add_essential (const Judge *judge, GHashTable *chosen)
{
  for (gsize i = 0; essential_tools[i] != NULL; i++)
    {
      if (!is_suppressed (judge->filter, essential_tools[i]))
        g_hash_table_add (chosen, g_strdup (essential_tools[i]));
    }
}

static gboolean
add_entry (const Judge *judge, const char *entry, GHashTable *chosen, GError **error)
{
  const char *star = strchr (entry, '*');
  guint found = 0, usable = 0;
  gboolean writes = FALSE;

  if (judge->allow && strcmp (entry, "essential") == 0)
    {
      add_essential (judge, chosen);
      return TRUE;
    }
  if (star != NULL && star[1] != '\0')
    return refuse_unknown (judge, entry, "has “*” in another place than at its end", error);
  for (const char *const *tool = judge->filter->catalogue; *tool != NULL; tool++)
    {
      if (!matches (entry, *tool))
        continue;
      found++;
      writes = writes || is_write (*tool);
      if (is_suppressed (judge->filter, *tool))
        continue;
      usable++;
      g_hash_table_add (chosen, g_strdup (*tool));
    }
  if (found == 0)
    return refuse_unknown (judge, entry, "matches no tool", error);
  if (usable == 0 && judge->allow)
    return judge_suppressed (judge, entry, writes, error);
  return TRUE;
}

/* (transfer full) (nullable): the tools that @list names */
static GHashTable *
read_list (const Judge *judge, const char *list, GError **error)
{
  g_autoptr (GHashTable) chosen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_auto (GStrv) entries = g_strsplit (list, ",", -1);

  for (char **entry = entries; *entry != NULL; entry++)
    {
      g_autofree char *lower = g_ascii_strdown (g_strstrip (*entry), -1);

      if (*lower != '\0' && !add_entry (judge, lower, chosen, error))
        return NULL;
    }
  return g_steal_pointer (&chosen);
}

/* A list of commas and blanks alone is none. */
static gboolean
is_blank (const char *list)
{
  return list == NULL || list[strspn (list, ", \t")] == '\0';
}

static char **
collect (const PostbagToolFilter *self, GHashTable *allowed, GHashTable *denied, GError **error)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_auto (GStrv) tools = NULL;

  for (const char *const *tool = self->catalogue; *tool != NULL; tool++)
    {
      if (!is_suppressed (self, *tool)
          && (allowed == NULL || g_hash_table_contains (allowed, *tool))
          && (denied == NULL || !g_hash_table_contains (denied, *tool)))
        g_strv_builder_add (builder, *tool);
    }
  tools = g_strv_builder_end (builder);
  if (*tools != NULL)
    return g_steal_pointer (&tools);
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_INVALID_ARGUMENT,
               "%s and %s leave no tool. Allow at least one.", self->allow_name, self->deny_name);
  return NULL;
}

char **
postbag_tool_filter_apply (const PostbagToolFilter *self, GPtrArray *warnings, GError **error)
{
  Judge allow = { self, self->allow_name, TRUE, warnings };
  Judge deny = { self, self->deny_name, FALSE, warnings };
  g_autoptr (GHashTable) allowed = NULL;
  g_autoptr (GHashTable) denied = NULL;

  if (!is_blank (self->allow))
    {
      allowed = read_list (&allow, self->allow, error);
      if (allowed == NULL)
        return NULL;
    }
  if (!is_blank (self->deny))
    {
      denied = read_list (&deny, self->deny, error);
      if (denied == NULL)
        return NULL;
    }
  return collect (self, allowed, denied, error);
}

char *
postbag_tool_filter_explain (const PostbagToolFilter *self, const char *tool)
{
  if (self->read_only && is_write (tool))
    return g_strdup ("It changes mail, and writing is off. To switch it on, start Postbag with "
                     "--allow-write or set IMAP_READ_ONLY=false.");
  if (self->no_tracking && strcmp (tool, TRACKING_TOOL) == 0)
    return g_strdup ("IMAP_SEEN_KEYWORD is empty, so that nothing remembers what was listed. Set a "
                     "keyword, or call list_messages with seen=false.");
  return g_strdup_printf ("%s and %s leave it out.", self->allow_name, self->deny_name);
}
