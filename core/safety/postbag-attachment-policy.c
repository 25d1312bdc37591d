/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which parts are attachments, and gate 1: what a part's declaration allows (contracts/guarded
 * 4.1). A forwarded message is listed itself, and so is what is attached inside it. */

#include "safety/postbag-attachment-policy.h"

#include <string.h>

#include "base/postbag-limits.h"
#include "safety/postbag-attachment-policy-private.h"
#include "safety/postbag-clean.h"
#include "safety/postbag-signals.h"

#define MAX_TYPE 255

typedef struct
{
  const PostbagPart *part;
  guint depth;
  gboolean beside; /* it belongs to the root of a multipart/related, and is no body */
} Step;

static gboolean
is_attachment (const Step *step)
{
  const PostbagPart *part = step->part;

  if (part->number == NULL || g_str_has_prefix (part->type, "multipart/"))
    return FALSE;
  if (strcmp (part->type, "text/plain") != 0 && strcmp (part->type, "text/html") != 0)
    return TRUE;
  return step->beside || part->filename != NULL || g_strcmp0 (part->disposition, "attachment") == 0;
}

/* A text beside the root is shown by no program as the message: it is listed, so that it is not
 * lost. */
static gboolean
stands_beside (const PostbagPart *parent, guint index)
{
  return strcmp (parent->type, "multipart/related") == 0
         && postbag_part_find_related_root (parent) != index;
}

/* (transfer full) (element-type PostbagPart): in the order of the message, at most @max. @deeper:
 * (out) (optional): whether there are parts that are too deep */
static GPtrArray *
find_parts (const PostbagPart *structure, guint max, gboolean *deeper)
{
  g_autoptr (GArray) stack = g_array_new (FALSE, FALSE, sizeof (Step));
  GPtrArray *found = g_ptr_array_new ();
  Step step = { structure, 0, FALSE };

  if (structure != NULL)
    g_array_append_val (stack, step);
  while (stack->len > 0 && found->len < max)
    {
      step = g_array_index (stack, Step, stack->len - 1);
      g_array_set_size (stack, stack->len - 1);
      if (is_attachment (&step))
        g_ptr_array_add (found, (gpointer)step.part);
      if (step.part->children == NULL)
        continue;
      if (step.depth >= POSTBAG_LIMIT_ATTACHMENT_DEPTH)
        {
          if (deeper != NULL)
            *deeper = TRUE;
          continue;
        }
      for (guint i = step.part->children->len; i > 0; i--)
        {
          Step child = { g_ptr_array_index (step.part->children, i - 1), step.depth + 1,
                         stands_beside (step.part, i - 1) };

          g_array_append_val (stack, child);
        }
    }
  return found;
}

static void
free_attachment (gpointer data)
{
  PostbagAttachment *self = data;

  g_free (self->filename);
  g_free (self->content_type);
  g_ptr_array_unref (self->notes);
  g_free (self);
}

static gboolean
is_token (const char *text, gsize length)
{
  for (gsize i = 0; i < length; i++)
    if (!g_ascii_isalnum (text[i]) && strchr ("!#$&-^_.+", text[i]) == NULL)
      return FALSE;
  return length > 0 && length < 128;
}

/* `type/subtype` of RFC 6838 section 4.2 and nothing else. */
static gboolean
is_well_shaped (const char *type)
{
  const char *slash = strchr (type, '/');

  return slash != NULL && is_token (type, (gsize)(slash - type))
         && is_token (slash + 1, strlen (slash + 1));
}

static void
note (PostbagAttachment *self, const char *text)
{
  g_ptr_array_add (self->notes, g_strdup (text));
}

/* Signals never filter. */
static void
note_shapes (PostbagAttachment *self, const char *name)
{
  g_autoptr (GPtrArray) shapes = g_ptr_array_new ();

  postbag_shapes_find (name, shapes);
  if (shapes->len > 0)
    note (self, "The file name has wording that tries to steer whoever reads it.");
}

static void
refuse (PostbagAttachment *self, char *text)
{
  self->allowed = FALSE;
  g_ptr_array_add (self->notes, text);
}

static void
judge_size (PostbagAttachment *self, const PostbagAttachmentPolicy *policy)
{
  if (self->size <= policy->max_bytes)
    return;
  refuse (self,
          g_strdup_printf ("Refused: about %" G_GINT64_FORMAT
                           " bytes, more than the %" G_GINT64_FORMAT " that %s allows.",
                           self->size, policy->max_bytes,
                           policy->max_bytes_name != NULL ? policy->max_bytes_name : "the limit"));
}

static void
judge (PostbagAttachment *self, const PostbagAttachmentPolicy *policy)
{
  const char *name = self->part->filename;
  const char *other = self->part->other_filename;

  self->allowed = TRUE;
  if (other != NULL)
    note (self, "The part gives itself another file name too; the first is shown.");
  if ((name != NULL && postbag_filename_is_executable (name))
      || (other != NULL && postbag_filename_is_executable (other)))
    refuse (self, g_strdup ("Refused: the file name has an extension that runs as a program."));
  if (name != NULL)
    note_shapes (self, name);
  if (name != NULL && postbag_filename_has_double_extension (name))
    note (self, "The file name has two extensions; only the last one counts.");
  if (policy == NULL)
    return;
  if (policy->allowed_types != NULL && !g_strv_contains (policy->allowed_types, self->content_type))
    refuse (self, g_strdup_printf ("Refused: the type %s is not on the list of allowed types "
                                   "(IMAP_ATTACHMENT_TYPES).",
                                   self->content_type));
  judge_size (self, policy);
}

static PostbagAttachment *
describe (const PostbagPart *part)
{
  PostbagAttachment *self = g_new0 (PostbagAttachment, 1);

  self->part = part;
  self->notes = g_ptr_array_new_with_free_func (g_free);
  self->filename = postbag_clean_filename (part->filename);
  self->size = postbag_part_estimate_decoded_size (part);
  if (strlen (part->type) <= MAX_TYPE && is_well_shaped (part->type))
    self->content_type = g_ascii_strdown (part->type, -1);
  else
    {
      self->content_type = g_strdup ("application/octet-stream");
      note (self, "The declared type is not a media type; treated as application/octet-stream.");
    }
  return self;
}

GPtrArray *
postbag_attachments_walk (const PostbagPart *structure, const PostbagAttachmentPolicy *policy)
{
  g_autoptr (GPtrArray) parts = find_parts (structure, POSTBAG_LIMIT_ATTACHMENTS, NULL);
  GPtrArray *attachments = g_ptr_array_new_with_free_func (free_attachment);

  for (guint i = 0; i < parts->len; i++)
    {
      PostbagAttachment *attachment = describe (g_ptr_array_index (parts, i));

      judge (attachment, policy);
      g_ptr_array_add (attachments, attachment);
    }
  return attachments;
}

gboolean
postbag_attachments_any (const PostbagPart *structure)
{
  g_autoptr (GPtrArray) parts = find_parts (structure, 1, NULL);

  return parts->len > 0;
}

gboolean
postbag_attachments_are_cut (const PostbagPart *structure)
{
  gboolean deeper = FALSE;
  g_autoptr (GPtrArray) parts = find_parts (structure, POSTBAG_LIMIT_ATTACHMENTS + 1, &deeper);

  return deeper || parts->len > POSTBAG_LIMIT_ATTACHMENTS || (structure != NULL && structure->cut);
}

char *
postbag_attachment_dup_name (const PostbagAttachment *attachment)
{
  static const char *const extensions[][2] = {
    { "application/pdf", ".pdf" }, { "image/png", ".png" },     { "image/jpeg", ".jpg" },
    { "image/gif", ".gif" },       { "image/webp", ".webp" },   { "text/plain", ".txt" },
    { "text/html", ".html" },      { "text/csv", ".csv" },      { "message/rfc822", ".eml" },
    { "application/zip", ".zip" }, { "text/calendar", ".ics" },
  };

  if (attachment->part->filename != NULL)
    return g_strdup (attachment->part->filename);
  for (gsize i = 0; i < G_N_ELEMENTS (extensions); i++)
    if (strcmp (attachment->content_type, extensions[i][0]) == 0)
      return g_strdup_printf ("part-%s%s", attachment->part->number, extensions[i][1]);
  return g_strdup_printf ("part-%s", attachment->part->number);
}
