/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The one table of warning codes: what a client sees, and what each means. A code never says that a
 * message is bad, only that two programs may read it differently, or what to know of it. */

#include "mime/postbag-mime-warnings-private.h"

#include <string.h>

#include "mime/postbag-message.h"

G_STATIC_ASSERT (POSTBAG_N_WARNINGS <= 64);

typedef struct
{
  const char *code;
  const char *sentence;
} Row;

#define DUPLICATE(field)                                                                           \
  "duplicate " field ": the field stands there more than once; the first one was read."

static const Row rows[POSTBAG_N_WARNINGS] = {
  [POSTBAG_WARNING_DUPLICATE_FROM] = { "duplicate_header:from", DUPLICATE ("From") },
  [POSTBAG_WARNING_DUPLICATE_SENDER] = { "duplicate_header:sender", DUPLICATE ("Sender") },
  [POSTBAG_WARNING_DUPLICATE_REPLY_TO] = { "duplicate_header:reply-to", DUPLICATE ("Reply-To") },
  [POSTBAG_WARNING_DUPLICATE_TO] = { "duplicate_header:to", "duplicate To: all were read." },
  [POSTBAG_WARNING_DUPLICATE_CC] = { "duplicate_header:cc", "duplicate Cc: all were read." },
  [POSTBAG_WARNING_DUPLICATE_SUBJECT] = { "duplicate_header:subject", DUPLICATE ("Subject") },
  [POSTBAG_WARNING_DUPLICATE_DATE] = { "duplicate_header:date", DUPLICATE ("Date") },
  [POSTBAG_WARNING_DUPLICATE_MESSAGE_ID] = { "duplicate_header:message-id",
                                             DUPLICATE ("Message-ID") },
  [POSTBAG_WARNING_DUPLICATE_CONTENT_TYPE] = { "duplicate_header:content-type",
                                               "duplicate Content-Type: one that has parts was "
                                               "taken before one that has none." },
  [POSTBAG_WARNING_DUPLICATE_CTE] = { "duplicate_header:cte",
                                      DUPLICATE ("Content-Transfer-Encoding") },
  [POSTBAG_WARNING_DUPLICATE_CONTENT_DISPOSITION] = { "duplicate_header:content-disposition",
                                                      DUPLICATE ("Content-Disposition") },
  [POSTBAG_WARNING_DUPLICATE_BOUNDARY] = { "duplicate_parameter:boundary",
                                           "A multipart names more than one boundary; the one that "
                                           "occurs was used." },
  [POSTBAG_WARNING_DUPLICATE_CHARSET] = { "duplicate_parameter:charset",
                                          "A text names more than one charset; the first was "
                                          "used." },
  [POSTBAG_WARNING_DUPLICATE_FILENAME] = { "duplicate_parameter:filename",
                                           "A part gives itself more than one file name." },
  [POSTBAG_WARNING_MALFORMED_HEADER] = { "malformed_header",
                                         "A header block holds lines that are no field; they were "
                                         "skipped." },
  [POSTBAG_WARNING_MALFORMED_DATE] = { "malformed_date", "The Date field cannot be read." },
  [POSTBAG_WARNING_MALFORMED_FROM] = { "malformed_from",
                                       "The sender's address is not well-formed; other programs "
                                       "may "
                                       "read another one. Do not answer to it unseen." },
  [POSTBAG_WARNING_MALFORMED_ADDRESS] = { "malformed_address",
                                          "A recipient's address is not well-formed." },
  [POSTBAG_WARNING_MULTIPLE_FROM] = { "multiple_from",
                                      "The From field names more than one sender." },
  [POSTBAG_WARNING_SOURCE_ROUTE] = { "source_route", "An address carries an obsolete route; only "
                                                     "its end was taken." },
  [POSTBAG_WARNING_OTHER_ADDRESS_IN_NAME] = { "display_name_contains_other_address",
                                              "A sender's display name contains an address or a "
                                              "domain that is not the one the mail comes from." },
  [POSTBAG_WARNING_MALFORMED_ENCODED_WORD] = { "malformed_encoded_word",
                                               "An encoded word in the header is broken; it was "
                                               "read "
                                               "as far as it goes." },
  [POSTBAG_WARNING_RAW_HEADER_BYTES] = { "raw_header_bytes",
                                         "The header holds bytes beyond ASCII that are not UTF-8; "
                                         "their charset was guessed." },
  [POSTBAG_WARNING_HEADER_CONTROL] = { "header_control",
                                       "The header holds control characters; they were replaced." },
  [POSTBAG_WARNING_MALFORMED_CONTENT_TYPE] = { "malformed_content_type",
                                               "A Content-Type field is no media type; the part "
                                               "was "
                                               "taken for plain text or for bytes." },
  [POSTBAG_WARNING_MALFORMED_PARAMETER] = { "malformed_parameter", "A parameter is not written as "
                                                                   "it should be; it was read "
                                                                   "leniently." },
  [POSTBAG_WARNING_MALFORMED_CTE] = { "malformed_cte",
                                      "A Content-Transfer-Encoding holds more than its one word; "
                                      "the word was used." },
  [POSTBAG_WARNING_UNKNOWN_CTE] = { "unknown_cte", "A Content-Transfer-Encoding is unknown; the "
                                                   "bytes were taken as "
                                                   "they are." },
  [POSTBAG_WARNING_MALFORMED_BASE64] = { "malformed_base64",
                                         "Base64 data holds foreign bytes, goes on behind its end "
                                         "or "
                                         "is cut; all that can be decoded was." },
  [POSTBAG_WARNING_MALFORMED_QUOTED_PRINTABLE] = { "malformed_quoted_printable",
                                                   "Quoted-printable data holds broken escapes; "
                                                   "they "
                                                   "stay as they are." },
  [POSTBAG_WARNING_MALFORMED_UUENCODE] = { "malformed_uuencode", "Uuencoded data has no end." },
  [POSTBAG_WARNING_CHARSET_MISLABELLED] = { "charset_mislabelled",
                                            "The bytes of a text are not in the charset it names; "
                                            "what fits better was used." },
  [POSTBAG_WARNING_CHARSET_UNKNOWN] = { "charset_unknown", "A text names an unknown charset; UTF-8 "
                                                           "or windows-1252 was "
                                                           "used." },
  [POSTBAG_WARNING_CHARSET_MISSING] = { "charset_missing", "A text holds bytes beyond ASCII and "
                                                           "names no charset; it was "
                                                           "guessed." },
  [POSTBAG_WARNING_UNUSUAL_BOUNDARY] = { "unusual_boundary", "A boundary is written in a way that "
                                                             "other programs may not "
                                                             "recognise." },
  [POSTBAG_WARNING_MISSING_BOUNDARY] = { "missing_boundary",
                                         "A multipart's boundary is missing or occurs nowhere; it "
                                         "was "
                                         "guessed, or the whole taken for text." },
  [POSTBAG_WARNING_UNCLOSED_MULTIPART] = { "unclosed_multipart",
                                           "A multipart has no end; what is there was read." },
  [POSTBAG_WARNING_PARTS_AFTER_END] = { "parts_after_end",
                                        "Parts follow behind the end of a multipart; they were not "
                                        "read." },
  [POSTBAG_WARNING_FILENAME_MISMATCH] = { "filename_mismatch", "A part's file name differs from "
                                                               "one place to the next." },
  [POSTBAG_WARNING_FILENAME_CONTROL] = { "filename_control",
                                         "A file name holds control characters." },
  [POSTBAG_WARNING_FILENAME_PATH] = { "filename_path", "A file name holds a path." },
  [POSTBAG_WARNING_EXECUTABLE_EXTENSION] = { "executable_extension", "A file name has an extension "
                                                                     "that runs as a program." },
  [POSTBAG_WARNING_UUENCODE] = { "uuencode",
                                 "A text holds uuencoded or yEnc files; they are listed as "
                                 "attachments." },
  [POSTBAG_WARNING_ENCODED_MESSAGE] = { "encoded_message", "A forwarded message is "
                                                           "transfer-encoded; a mail server does "
                                                           "not number what it holds." },
  [POSTBAG_WARNING_ENCODED_MULTIPART] = { "encoded_multipart", "A multipart is transfer-encoded as "
                                                               "a whole, which is forbidden; other "
                                                               "programs may not open it, and a "
                                                               "mail server does not number its "
                                                               "parts." },
  [POSTBAG_WARNING_OPAQUE_SIGNED] = { "opaque_signed",
                                      "The text stands inside a signature that was not checked." },
  [POSTBAG_WARNING_ENCRYPTED] = { "encrypted", "The message is encrypted; it cannot be shown." },
  [POSTBAG_WARNING_PGP_INLINE] = { "pgp_inline", "A text holds a PGP message or signature." },
  [POSTBAG_WARNING_TNEF] = { "tnef", "An attachment is a TNEF container (winmail.dat)." },
  [POSTBAG_WARNING_EXTERNAL_BODY] = { "external_body", "A part names content that lies elsewhere; "
                                                       "nothing was fetched." },
  [POSTBAG_WARNING_PARTIAL_MESSAGE] = { "partial_message",
                                        "The message is one piece of a larger one." },
  [POSTBAG_WARNING_TEXT_HTML_DIFFER] = { "text_html_differ",
                                         "The plain text and the HTML say different things." },
  [POSTBAG_WARNING_TEXT_HTML_NOT_COMPARED] = { "text_html_not_compared",
                                               "Only the first part of the message was read: "
                                               "whether its plain "
                                               "text and its HTML say the same is not known." },
  [POSTBAG_WARNING_TEXT_INCOMPLETE] = { "text_incomplete",
                                        "The text goes on where the message was not read." },
  [POSTBAG_WARNING_LIMIT_DEPTH] = { "limit:depth",
                                    "Parts are nested too deeply; the innermost were not opened." },
  [POSTBAG_WARNING_LIMIT_PARTS] = { "limit:parts",
                                    "There are too many parts; the rest was left out." },
  [POSTBAG_WARNING_LIMIT_HEADER] = { "limit:header",
                                     "A header is too large; the rest of it was left out." },
  [POSTBAG_WARNING_LIMIT_ADDRESSES] = { "limit:addresses",
                                        "There are too many addresses; the rest was left out." },
  [POSTBAG_WARNING_LIMIT_PARAMETERS] = { "limit:parameters", "A field has too many parameters; the "
                                                             "rest was left out." },
  [POSTBAG_WARNING_LIMIT_BYTES] = { "limit:bytes",
                                    "The message has too much text, or too large messages "
                                    "inside of messages; not all was read." },
  [POSTBAG_WARNING_LIMIT_HTML] = { "limit:html",
                                   "The HTML is nested too deeply or has too many styles; some "
                                   "text may be here which nobody can see." },
};

char **
postbag_warnings_to_codes (PostbagWarnings self)
{
  g_autoptr (GPtrArray) codes = g_ptr_array_new ();

  for (guint i = 0; i < POSTBAG_N_WARNINGS; i++)
    if ((self & POSTBAG_WARNING_BIT (i)) != 0)
      g_ptr_array_add (codes, g_strdup (rows[i].code));
  g_ptr_array_add (codes, NULL);
  return (char **)g_ptr_array_steal (codes, NULL);
}

const char *
postbag_mime_explain_warning (const char *code)
{
  g_return_val_if_fail (code != NULL, NULL);

  for (guint i = 0; i < POSTBAG_N_WARNINGS; i++)
    if (strcmp (rows[i].code, code) == 0)
      return rows[i].sentence;
  return NULL;
}
