/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "extract/postbag-members.h"

#include <string.h>

#include "base/postbag-limits.h"
#include "extract/postbag-document-type.h"
#include "safety/postbag-clean.h"

#define MOST_STEPS 16

struct _PostbagMembers
{
  GPtrArray *members;
  GHashTable *names; /* to PostbagMember */
};

static void
free_member (gpointer data)
{
  PostbagMember *member = data;

  g_free (member->name);
  g_free (member->type);
  g_free (member);
}

PostbagMembers *
postbag_members_new (void)
{
  PostbagMembers *self = g_new0 (PostbagMembers, 1);

  self->members = g_ptr_array_new_with_free_func (free_member);
  self->names = g_hash_table_new (g_str_hash, g_str_equal);
  return self;
}

void
postbag_members_free (PostbagMembers *self)
{
  g_hash_table_unref (self->names);
  g_ptr_array_unref (self->members);
  g_free (self);
}

guint
postbag_members_count (PostbagMembers *self)
{
  return self->members->len;
}

static gboolean
is_step (const char *step)
{
  gboolean drive = g_ascii_isalpha (step[0]) && step[1] == ':' && step[2] == '\0';

  return !drive && *step != '\0' && strcmp (step, ".") != 0 && strcmp (step, "..") != 0;
}

static char *
clean_path (const char *name)
{
  g_autofree char *slashes = g_strdelimit (g_strdup (name != NULL ? name : ""), "\\", '/');
  g_auto (GStrv) steps = g_strsplit (slashes, "/", MOST_STEPS);
  g_autoptr (GString) path = g_string_new (NULL);

  for (char **step = steps; *step != NULL; step++)
    {
      g_autofree char *clean = is_step (*step) ? postbag_clean_filename (*step) : NULL;

      if (clean != NULL)
        g_string_append_printf (path, "%s%s", path->len > 0 ? "/" : "", clean);
    }
  return path->len > 0 ? g_strdup (path->str) : postbag_clean_filename ("");
}

/* (transfer full): with a number in front of its extension where the name is taken. @path:
 * (transfer full) */
static char *
make_unique (PostbagMembers *self, char *path)
{
  g_autofree char *own = path;
  const char *slash = strrchr (path, '/');
  const char *dot = strrchr (slash != NULL ? slash : path, '.');
  int length = (int)(dot != NULL ? (gsize)(dot - path) : strlen (path));

  if (!g_hash_table_contains (self->names, path))
    return g_steal_pointer (&own);
  for (guint i = 2;; i++)
    {
      g_autofree char *other =
          g_strdup_printf ("%.*s (%u)%s", length, path, i, dot != NULL ? dot : "");

      if (!g_hash_table_contains (self->names, other))
        return g_steal_pointer (&other);
    }
}

gboolean
postbag_members_add (PostbagMembers *self, const PostbagMember *member)
{
  PostbagMember *copy;

  if (self->members->len >= POSTBAG_LIMIT_MEMBERS)
    return FALSE;
  copy = g_new0 (PostbagMember, 1);
  *copy = *member;
  copy->name = make_unique (self, clean_path (member->name));
  copy->type = g_strdup (member->type);
  g_ptr_array_add (self->members, copy);
  g_hash_table_insert (self->names, copy->name, copy);
  return TRUE;
}

const PostbagMember *
postbag_members_find (PostbagMembers *self, const char *name, GError **error)
{
  const PostbagMember *member = g_hash_table_lookup (self->names, name);

  if (member == NULL)
    g_set_error_literal (error, POSTBAG_EXTRACT_ERROR, POSTBAG_EXTRACT_NO_SUCH_MEMBER,
                         "There is no file of that name inside.");
  else if (member->encrypted)
    {
      g_set_error_literal (error, POSTBAG_EXTRACT_ERROR, POSTBAG_EXTRACT_ENCRYPTED,
                           "The file inside needs a password.");
      return NULL;
    }
  return member;
}

void
postbag_members_write (PostbagMembers *self, PostbagMarkdown *markdown, const char *title)
{
  if (self->members->len == 0)
    return;
  postbag_markdown_end_block (markdown);
  postbag_markdown_text (markdown, title, -1);
  for (guint i = 0; i < self->members->len && !postbag_markdown_is_full (markdown); i++)
    {
      const PostbagMember *member = g_ptr_array_index (self->members, i);
      g_autofree char *type = postbag_clean (member->type, POSTBAG_CLEAN_LINE, 128, NULL);
      g_autoptr (GString) facts = g_string_new (type);

      if (member->size >= 0)
        g_string_append_printf (facts, "%s%" G_GINT64_FORMAT " bytes", facts->len > 0 ? ", " : "",
                                member->size);
      if (member->encrypted)
        g_string_append_printf (facts, "%sencrypted", facts->len > 0 ? ", " : "");
      postbag_markdown_begin_item (markdown, 0, "-");
      postbag_markdown_text (markdown, member->name, -1);
      if (facts->len > 0)
        {
          g_string_prepend (facts, " (");
          g_string_append_c (facts, ')');
          postbag_markdown_text (markdown, facts->str, (gssize)facts->len);
        }
    }
  postbag_markdown_end_block (markdown);
}

gboolean
postbag_member_read (const PostbagMember *self, PostbagExtractOutput *output, const guint8 *data,
                     gsize length, GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (data, length);
  const char *type = postbag_document_settle_type (bytes, self->type, self->name);

  if (type != NULL)
    return output->descend (output, data, length, type, error);
  g_set_error_literal (error, POSTBAG_EXTRACT_ERROR, POSTBAG_EXTRACT_UNREADABLE_MEMBER,
                       "No reader for the file inside.");
  return FALSE;
}
