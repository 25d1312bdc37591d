/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* get_attachments (contract 1.7): a listing, or one attachment through the rules in their order:
 * structure, walk, declaration gate, mode, destination, bytes, byte gate. */

#include "postbag-guarded-handlers.h"

#include "base/postbag-limits.h"
#include "postbag-guarded-attachments.h"
#include "postbag-guarded-content.h"
#include "postbag-guarded-find.h"
#include "postbag-guarded-list.h"
#include "toolset/postbag-mail-call.h"

#define DEFAULT_CHARS 20000
#define MOST_CHARS 25000

static PostbagGuardedMode
read_mode (const PostbagArgs *args)
{
  static const char *const names[] = {
    [POSTBAG_GUARDED_AUTO] = "auto",
    [POSTBAG_GUARDED_INLINE] = "inline",
    [POSTBAG_GUARDED_FILE] = "file",
    [POSTBAG_GUARDED_TEXT] = "text",
  };
  const char *mode =
      postbag_args_has (args, "mode") ? postbag_args_get_string (args, "mode") : NULL;

  for (guint i = 0; mode != NULL && i < G_N_ELEMENTS (names); i++)
    {
      if (g_str_equal (mode, names[i]))
        return (PostbagGuardedMode)i;
    }
  return POSTBAG_GUARDED_AUTO;
}

static char *
make_listing_note (const GPtrArray *attachments, gboolean cut)
{
  const char *note = attachments->len == 0
                         ? "This message has no attachments that could be listed."
                         : "Call again with one part_id to get that attachment. An entry that is "
                           "not allowed says why in its notes.";

  if (!cut)
    return g_strdup (attachments->len == 0 ? "This message has no attachments." : note);
  return g_strdup_printf ("%s The list is not complete: at most %d attachments are listed, %d "
                          "levels deep, of the first %d parts and %d MiB of a message.",
                          note, POSTBAG_LIMIT_ATTACHMENTS, POSTBAG_LIMIT_ATTACHMENT_DEPTH,
                          POSTBAG_LIMIT_MIME_PARTS, POSTBAG_LIMIT_STRUCTURE_BYTES >> 20);
}

static gboolean
write_listing (const PostbagGuardedRequest *request, const PostbagGuardedFinding *finding,
               PostbagResult *result)
{
  GPtrArray *attachments = finding->attachments;
  g_autofree char *note =
      make_listing_note (attachments, postbag_attachments_are_cut (finding->structure));

  postbag_guarded_write_origin (result);
  postbag_result_string (result, "action", "listed");
  postbag_result_int (result, "uid", request->uid);
  postbag_result_string (result, "mailbox", request->mail->mailbox);
  postbag_result_string (result, "note", note);
  postbag_result_string (result, "download_directory", request->limits->directory);
  postbag_result_begin_array (result, "attachments");
  for (guint i = 0; i < attachments->len; i++)
    {
      if (!postbag_guarded_write_attachment (result, request->limits,
                                             g_ptr_array_index (attachments, i)))
        break;
    }
  postbag_result_end_array (result);
  return TRUE;
}

/* Mode "text" on what is no text: said before anything is downloaded. */
static gboolean
check_extractable (const PostbagGuardedRequest *request, GError **error)
{
  const char *type = request->attachment->content_type;
  gboolean has_directory = request->limits->directory != NULL;

  if (request->mode != POSTBAG_GUARDED_TEXT
      || postbag_guarded_is_extractable (request->limits, request->attachment))
    return TRUE;
  if (g_str_has_prefix (type, "image/"))
    g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_SUPPORTED,
                 "Part %s is an image (%s); mode \"text\" reads text and documents. Use mode "
                 "\"inline\" to look at it.",
                 request->attachment->part->number, type);
  else
    g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_SUPPORTED,
                 "Part %s is %s, which cannot be turned into text here; get_server_info lists "
                 "what can. Use mode \"inline\" to get a small file as base64%s.",
                 request->attachment->part->number, type,
                 has_directory ? ", or mode \"file\" to save it" : "");
  return FALSE;
}

gboolean
postbag_guarded_get_attachments (PostbagCall *call, const PostbagArgs *args, PostbagResult *result,
                                 GError **error)
{
  g_autoptr (PostbagMailCall) mail = postbag_mail_call_new (call, args, error);
  g_auto (PostbagGuardedFinding) finding = { NULL };
  PostbagGuardedRequest request = { .mail = mail };
  PostbagGuardedLimits limits;

  if (mail == NULL || !postbag_mail_call_get_uid (mail, args, &request.uid, error))
    return FALSE;
  postbag_guarded_limits_load (&limits, call);
  request.limits = &limits;
  request.mode = read_mode (args);
  request.member =
      postbag_args_has (args, "member") ? postbag_args_get_string (args, "member") : NULL;
  request.offset = postbag_args_get_int (args, "offset", 0);
  request.max_chars =
      CLAMP (postbag_args_get_int (args, "max_chars", DEFAULT_CHARS), 1, MOST_CHARS);
  if (!postbag_args_has (args, "part_id"))
    return postbag_guarded_find_all (&finding, &request, error)
           && write_listing (&request, &finding, result);
  return postbag_guarded_find_one (&finding, &request, postbag_args_get_string (args, "part_id"),
                                   error)
         && check_extractable (&request, error)
         && postbag_guarded_return_attachment (&request, result, error);
}
