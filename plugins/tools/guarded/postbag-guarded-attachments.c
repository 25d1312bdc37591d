/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-guarded-attachments.h"

#include "base/postbag-limits.h"
#include "postbag-guarded-document.h"

static PostbagGuardedCeiling
load_ceiling (PostbagSettings *settings, const char *setting, const char *variable)
{
  gint64 bytes = postbag_settings_get_int (settings, setting);

  return (PostbagGuardedCeiling){ CLAMP (bytes, 0, POSTBAG_LIMIT_PART_BYTES), variable };
}

void
postbag_guarded_limits_load (PostbagGuardedLimits *limits, PostbagCall *call)
{
  PostbagSettings *settings = postbag_call_get_settings (call);
  PostbagGuardedCeiling *ceilings = limits->ceilings;

  limits->extraction = postbag_call_get_service (call, POSTBAG_TYPE_EXTRACTION);
  limits->directory = postbag_settings_get_string (settings, "download-dir");
  limits->types = postbag_settings_get_list (settings, "attachment-types");
  ceilings[POSTBAG_GUARDED_AUTO] = (PostbagGuardedCeiling){ 0, NULL };
  ceilings[POSTBAG_GUARDED_INLINE] =
      load_ceiling (settings, "max-attachment-bytes", "IMAP_MAX_ATTACHMENT_BYTES");
  ceilings[POSTBAG_GUARDED_FILE] =
      load_ceiling (settings, "max-download-bytes", "IMAP_MAX_DOWNLOAD_BYTES");
  ceilings[POSTBAG_GUARDED_TEXT] =
      load_ceiling (settings, "max-extract-bytes", "IMAP_MAX_EXTRACT_BYTES");
}

gboolean
postbag_guarded_is_extractable (const PostbagGuardedLimits *limits,
                                const PostbagAttachment *attachment)
{
  return g_str_has_prefix (attachment->content_type, "text/")
         || postbag_guarded_document_get_type (limits, attachment) != NULL;
}

static PostbagGuardedCeiling
get_wider (PostbagGuardedCeiling one, PostbagGuardedCeiling other)
{
  return other.bytes > one.bytes ? other : one;
}

static PostbagGuardedCeiling
choose_ceiling (const PostbagGuardedLimits *limits, PostbagGuardedMode mode, gboolean extractable)
{
  PostbagGuardedCeiling widest = limits->ceilings[POSTBAG_GUARDED_INLINE];

  if (mode != POSTBAG_GUARDED_AUTO)
    return limits->ceilings[mode];
  if (limits->directory != NULL)
    widest = get_wider (widest, limits->ceilings[POSTBAG_GUARDED_FILE]);
  if (extractable)
    widest = get_wider (widest, limits->ceilings[POSTBAG_GUARDED_TEXT]);
  return widest;
}

static GPtrArray *
walk_under (const PostbagPart *structure, const PostbagGuardedLimits *limits,
            PostbagGuardedCeiling ceiling)
{
  PostbagAttachmentPolicy policy = { limits->types, ceiling.bytes, ceiling.variable };

  return postbag_attachments_walk (structure, &policy);
}

/* The ceiling depends on the part's type, the walk takes one: so it is walked under each of the two
 * and every entry taken from the right one. */
GPtrArray *
postbag_guarded_walk (const PostbagPart *structure, const PostbagGuardedLimits *limits,
                      PostbagGuardedMode mode)
{
  PostbagGuardedCeiling ceiling = choose_ceiling (limits, mode, FALSE);
  PostbagGuardedCeiling text_ceiling = choose_ceiling (limits, mode, TRUE);
  g_autoptr (GPtrArray) list = walk_under (structure, limits, ceiling);
  g_autoptr (GPtrArray) texts = NULL;

  if (text_ceiling.bytes == ceiling.bytes)
    return g_steal_pointer (&list);

  texts = walk_under (structure, limits, text_ceiling);
  for (guint i = 0; i < list->len && i < texts->len; i++)
    {
      PostbagAttachment *attachment = list->pdata[i];

      if (!postbag_guarded_is_extractable (limits, attachment))
        continue;
      list->pdata[i] = texts->pdata[i];
      texts->pdata[i] = attachment;
    }
  return g_steal_pointer (&list);
}

void
postbag_guarded_write_notes (PostbagResult *result, GPtrArray *notes)
{
  postbag_result_begin_array (result, "notes");
  for (guint i = 0; notes != NULL && i < notes->len; i++)
    postbag_result_string (result, NULL, g_ptr_array_index (notes, i));
  postbag_result_end_array (result);
}

gboolean
postbag_guarded_write_attachment (PostbagResult *result, const PostbagGuardedLimits *limits,
                                  const PostbagAttachment *attachment)
{
  postbag_result_begin_item (result);
  postbag_result_string (result, "part_id", attachment->part->number);
  postbag_result_string (result, "filename", attachment->filename);
  postbag_result_string (result, "content_type", attachment->content_type);
  if (attachment->size >= 0)
    postbag_result_int (result, "size", attachment->size);
  postbag_result_boolean (result, "allowed", attachment->allowed);
  postbag_result_boolean (result, "extractable",
                          postbag_guarded_is_extractable (limits, attachment));
  postbag_guarded_write_notes (result, attachment->notes);
  return postbag_result_end_item (result);
}
