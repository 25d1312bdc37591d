/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Any reply is read, refused or passed over; what is read keeps its promises. */

#include <string.h>

#include "base/postbag-limits.h"
#include "mail/postbag-mailbox-utf7.h"
#include "postbag-imap-parser.h"
#include "postbag-imap-set.h"

#include "fuzz.h"

static void
check_part (const PostbagPart *part, guint depth)
{
  g_assert_cmpuint (depth, <=, POSTBAG_LIMIT_IMAP_NESTING);
  g_assert_true (g_utf8_validate (part->type, -1, NULL));
  for (guint i = 0; part->children != NULL && i < part->children->len; i++)
    check_part (g_ptr_array_index (part->children, i), depth + 1);
}

static void
check_reply (const PostbagImapReply *reply)
{
  if (reply->kind == POSTBAG_IMAP_REPLY_STATUS)
    g_assert_true (g_utf8_validate (reply->status->text, -1, NULL));
  if (reply->kind == POSTBAG_IMAP_REPLY_LIST)
    {
      g_autofree char *raw = postbag_mailbox_utf7_encode (reply->list->name);
      g_autofree char *name = postbag_mailbox_utf7_decode (raw, -1);

      g_assert_cmpstr (name, ==, reply->list->name);
    }
  if (reply->kind == POSTBAG_IMAP_REPLY_FETCH && reply->fetch->structure != NULL)
    check_part (reply->fetch->structure, 0);
  if (reply->kind == POSTBAG_IMAP_REPLY_SEARCH || reply->kind == POSTBAG_IMAP_REPLY_ESEARCH)
    postbag_imap_set_normalize (reply->search->numbers);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autoptr (PostbagImapFramer) framer = postbag_imap_framer_new (0);
  const guint8 *next = data;
  gsize left = size;

  while (left > 0)
    {
      g_autoptr (PostbagImapFrame) frame = postbag_imap_framer_read (framer, &next, &left, NULL);
      g_autoptr (PostbagImapReply) reply = NULL;

      if (frame == NULL)
        return 0;
      reply = postbag_imap_parse (frame, (size & 1) != 0, NULL);
      if (reply != NULL)
        check_reply (reply);
    }
  return 0;
}
