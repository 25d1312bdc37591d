/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is ambiguous in the header fields of a message: those that may stand once (RFC 5322 section
 * 3.6) and stand more often, and what the single fields say. */

#include "mime/postbag-mime-private.h"

#include <string.h>

#include "safety/postbag-signals-private.h"

#define HAS(warnings, warning) (((warnings)&POSTBAG_WARNING_BIT (warning)) != 0)

static void
judge_counts (GArray *headers, PostbagWarnings *warnings)
{
  static const struct
  {
    const char *name;
    PostbagWarning warning;
  } once[] = {
    { "From", POSTBAG_WARNING_DUPLICATE_FROM },
    { "Sender", POSTBAG_WARNING_DUPLICATE_SENDER },
    { "Reply-To", POSTBAG_WARNING_DUPLICATE_REPLY_TO },
    { "To", POSTBAG_WARNING_DUPLICATE_TO },
    { "Cc", POSTBAG_WARNING_DUPLICATE_CC },
    { "Subject", POSTBAG_WARNING_DUPLICATE_SUBJECT },
    { "Date", POSTBAG_WARNING_DUPLICATE_DATE },
    { "Message-ID", POSTBAG_WARNING_DUPLICATE_MESSAGE_ID },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (once); i++)
    if (postbag_headers_find (headers, once[i].name, 1) != NULL)
      postbag_warnings_add (warnings, once[i].warning);
}

/* Fields that name who the mail comes from, or where an answer goes. */
static void
judge_originator (GArray *headers, const char *name, const char *fallback,
                  PostbagWarnings *warnings)
{
  PostbagWarnings met = 0;
  g_autoptr (GPtrArray) addresses = postbag_summary_find_addresses (headers, name, fallback, &met);
  gboolean malformed = HAS (met, POSTBAG_WARNING_MALFORMED_ADDRESS);

  if (postbag_headers_find (headers, name, 0) == NULL)
    return;
  for (guint i = 0; i < addresses->len; i++)
    {
      const PostbagAddress *address = g_ptr_array_index (addresses, i);

      malformed |= *address->address == '\0';
      if (postbag_sender_name_misleads (address))
        postbag_warnings_add (warnings, POSTBAG_WARNING_OTHER_ADDRESS_IN_NAME);
    }
  if (malformed || addresses->len == 0)
    postbag_warnings_add (warnings, POSTBAG_WARNING_MALFORMED_FROM);
  if (addresses->len > 1 && strcmp (name, "From") == 0)
    postbag_warnings_add (warnings, POSTBAG_WARNING_MULTIPLE_FROM);
  postbag_warnings_add_all (warnings,
                            met & ~POSTBAG_WARNING_BIT (POSTBAG_WARNING_MALFORMED_ADDRESS));
}

static void
judge_recipients (GArray *headers, const char *name, const char *fallback,
                  PostbagWarnings *warnings)
{
  g_autoptr (GPtrArray) addresses =
      postbag_summary_find_addresses (headers, name, fallback, warnings);

  for (guint i = 0; i < addresses->len; i++)
    {
      const PostbagAddress *address = g_ptr_array_index (addresses, i);

      if (*address->address == '\0')
        postbag_warnings_add (warnings, POSTBAG_WARNING_MALFORMED_ADDRESS);
    }
}

PostbagWarnings
postbag_headers_judge (GArray *headers, const char *fallback)
{
  static const char *const originators[] = { "From", "Sender", "Reply-To" };
  static const char *const recipients[] = { "To", "Cc", "Bcc" };
  PostbagWarnings warnings = 0;
  g_autofree char *subject = NULL;

  judge_counts (headers, &warnings);
  for (gsize i = 0; i < G_N_ELEMENTS (originators); i++)
    judge_originator (headers, originators[i], fallback, &warnings);
  for (gsize i = 0; i < G_N_ELEMENTS (recipients); i++)
    judge_recipients (headers, recipients[i], fallback, &warnings);
  subject = postbag_summary_decode_field (headers, "Subject", fallback, &warnings);
  if (postbag_headers_find (headers, "Date", 0) != NULL
      && postbag_summary_find_date (headers) == POSTBAG_DATE_UNKNOWN)
    postbag_warnings_add (&warnings, POSTBAG_WARNING_MALFORMED_DATE);
  return warnings;
}
