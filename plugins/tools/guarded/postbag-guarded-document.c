/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-guarded-document.h"

#include <string.h>

#include "base/postbag-error.h"
#include "extract/postbag-document-type.h"
#include "postbag-guarded-resources.h"
#include "toolset/postbag-mail-call.h"

/* Text that a mail could hold as well: its own reader has means for it, if lesser ones. */
static gboolean
is_mail_text (const char *type)
{
  static const char *const types[] = { "text/plain", "text/html", "text/markdown",
                                       "text/xml",   "text/csv",  "text/tab-separated-values",
                                       NULL };

  return g_strv_contains (types, type);
}

const char *
postbag_guarded_document_get_type (const PostbagGuardedLimits *limits,
                                   const PostbagAttachment *attachment)
{
  const char *type;

  if (limits->extraction == NULL)
    return NULL;
  type = postbag_document_settle_type (NULL, attachment->content_type, attachment->part->filename);
  if (type == NULL || !postbag_extraction_can_read (limits->extraction, type))
    return NULL;
  return type;
}

static void
refuse_mislabelled (const PostbagGuardedRequest *request, const char *detected, GError **error)
{
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_BAD_DATA,
               "The document gave no text (%s). It is declared as %s, but its bytes are %s.",
               postbag_extract_reason_get_word (POSTBAG_EXTRACT_NOT_A_DOCUMENT),
               request->attachment->content_type, detected);
}

char *
postbag_guarded_make_attachment_uri (const PostbagGuardedRequest *request)
{
  g_autofree const char **accounts = postbag_accounts_list (request->mail->accounts);
  g_autofree char *uid = g_strdup_printf ("%u", request->uid);
  const char *const values[] = { "uid", uid, "partId", request->attachment->part->number, NULL };

  if (g_strcmp0 (request->mail->account->name, accounts[0]) != 0
      || g_strcmp0 (request->mail->mailbox, request->mail->account->mailbox) != 0)
    return NULL;
  return postbag_resource_uri_expand (POSTBAG_GUARDED_ATTACHMENT_URI, values);
}

static char *
list_ways_out (const PostbagGuardedRequest *request)
{
  g_autofree char *uri = postbag_guarded_make_attachment_uri (request);
  const char *modes =
      request->limits->directory != NULL
          ? "mode \"file\" saves them, mode \"inline\" gives a small file as base64."
          : "mode \"inline\" gives a small file as base64; with a download directory "
            "(IMAP_DOWNLOAD_DIR) mode \"file\" could save them.";

  if (uri == NULL)
    return g_strdup (modes);
  return g_strdup_printf ("%s A client that reads resources gets them as %s.", modes, uri);
}

/* What else can be done with the bytes; not where the same call will do. */
static void
add_ways_out (const PostbagGuardedRequest *request, GError *error)
{
  g_autofree char *message = g_steal_pointer (&error->message);
  g_autofree char *ways = NULL;

  if (error->code != POSTBAG_ERROR_BUSY && error->code != POSTBAG_ERROR_CANCELLED)
    ways = list_ways_out (request);
  error->message =
      g_strdup_printf ("Part %s: %s%s%s", request->attachment->part->number, message,
                       ways != NULL ? " The bytes themselves: " : "", ways != NULL ? ways : "");
}

static PostbagExtractOrigin
make_origin (const PostbagGuardedRequest *request, const char *account)
{
  return (PostbagExtractOrigin){ .principal = postbag_call_get_principal (request->mail->call),
                                 .account = account,
                                 .mailbox = request->mail->mailbox,
                                 .uid_validity = request->uid_validity,
                                 .uid = request->uid,
                                 .version = request->version,
                                 .part = request->attachment->part };
}

/* Without the bytes. */
static PostbagExtractRequest
make_extract_request (const PostbagGuardedRequest *request, const char *type,
                      const PostbagExtractOrigin *origin)
{
  return (PostbagExtractRequest){ .content_type = type,
                                  .charset = request->attachment->part->charset,
                                  .member = request->member,
                                  .origin = origin->uid_validity != 0 ? origin : NULL };
}

/* What passed the gate of its bytes: it can be recalled. */
static PostbagExtractedText *
run (const PostbagGuardedRequest *request, GBytes *bytes, const char *type, GError **error)
{
  g_autofree char *account = postbag_account_dup_identity (request->mail->account);
  PostbagExtractOrigin origin = make_origin (request, account);
  PostbagExtractRequest extract = make_extract_request (request, type, &origin);

  extract.bytes = bytes;
  return postbag_extraction_run (request->limits->extraction, &extract,
                                 postbag_mail_call_get_cancellable (request->mail), NULL, error);
}

PostbagExtractedText *
postbag_guarded_document_recall (const PostbagGuardedRequest *request, gsize *length,
                                 const char **detected)
{
  const char *type = postbag_guarded_document_get_type (request->limits, request->attachment);
  g_autofree char *account = postbag_account_dup_identity (request->mail->account);
  PostbagExtractOrigin origin = make_origin (request, account);
  PostbagExtractRequest extract = make_extract_request (request, type, &origin);

  if (type == NULL || extract.origin == NULL)
    return NULL;
  return postbag_extraction_recall (request->limits->extraction, &extract, length, detected);
}

/* Whether it has files inside that `member` can name: said with the part's number. */
static gboolean
check_member (const PostbagGuardedRequest *request, const char *type, GError **error)
{
  const char *word = postbag_document_get_word (type);

  if (request->member == NULL || word == NULL || postbag_document_holds_files (type))
    return TRUE;
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_INVALID_ARGUMENT,
               "Part %s (%s) has no files inside. Leave out member to read the part itself.",
               request->attachment->part->number, word);
  return FALSE;
}

gboolean
postbag_guarded_document_read (const PostbagGuardedRequest *request, GBytes *bytes,
                               const char *detected, PostbagExtractedText **text, GError **error)
{
  const char *type = postbag_guarded_document_get_type (request->limits, request->attachment);
  g_autoptr (GError) failure = NULL;

  *text = NULL;
  if (!check_member (request, type, error))
    return FALSE;
  if (detected != NULL && postbag_magic_contradicts (detected, type))
    refuse_mislabelled (request, detected, &failure);
  else
    *text = run (request, bytes, type, &failure);
  if (*text != NULL)
    return TRUE;
  if (is_mail_text (type) && failure->code == POSTBAG_ERROR_SANDBOX)
    return TRUE;
  add_ways_out (request, failure);
  g_propagate_error (error, g_steal_pointer (&failure));
  return FALSE;
}

/* Bytes that can be told to be text in UTF-8: no escape of a charset that switches, no zeros of
 * wide characters. */
static gboolean
is_plainly_utf8 (GBytes *bytes)
{
  gsize length = 0;
  const char *data = g_bytes_get_data (bytes, &length);

  return length == 0
         || (g_utf8_validate_len (data, (gssize)length, NULL)
             && memchr (data, 0x1b, length) == NULL);
}

PostbagExtractedText *
postbag_guarded_document_decode (const PostbagGuardedRequest *request, GBytes *bytes)
{
  const char *type = request->attachment->content_type;
  PostbagExtractRequest extract = { .bytes = bytes,
                                    .content_type = "text/plain",
                                    .charset = request->attachment->part->charset };

  if (request->limits->extraction == NULL || strcmp (type, "text/html") == 0
      || is_plainly_utf8 (bytes)
      || !postbag_extraction_can_read (request->limits->extraction, "text/plain"))
    return NULL;
  return postbag_extraction_run (request->limits->extraction, &extract,
                                 postbag_mail_call_get_cancellable (request->mail), NULL, NULL);
}

void
postbag_guarded_document_write_facts (PostbagResult *result, const char *type,
                                      const PostbagExtractedText *text)
{
  static const char *const names[] = { "page_count", "slide_count", "sheet_count" };
  const char *word = postbag_document_get_word (type);

  if (word != NULL && !g_str_has_prefix (type, "text/"))
    postbag_result_string (result, "extracted_from", word);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      gint64 count = postbag_extracted_text_get_count (text, names[i]);

      if (count < 0)
        continue;
      postbag_result_int (result, names[i], count);
      return;
    }
}
