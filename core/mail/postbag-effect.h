/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#include "base/postbag-api.h"
#include "mail/postbag-account.h"
#include "mail/postbag-mail-types.h"

G_BEGIN_DECLS

/* Everything that changes a mailbox is one value, applied in one place. */

typedef enum
{
  POSTBAG_EFFECT_STORE_FLAGS,
  POSTBAG_EFFECT_COPY,
  POSTBAG_EFFECT_MOVE,
  POSTBAG_EFFECT_PURGE, /* mark deleted and expunge these, nothing else */
  POSTBAG_EFFECT_APPEND,
  POSTBAG_EFFECT_CREATE_MAILBOX,
  POSTBAG_EFFECT_RENAME_MAILBOX,
  POSTBAG_EFFECT_DELETE_MAILBOX,
  POSTBAG_EFFECT_SUBSCRIBE,
  POSTBAG_EFFECT_UNSUBSCRIBE,
  POSTBAG_EFFECT_N_KINDS
} PostbagEffectKind;

typedef struct
{
  PostbagEffectKind kind;
  char *mailbox;
  /* The one that the uids belong to; of a mailbox that is renamed or deleted: the one it had when
   * somebody was asked. Another one now is a conflict. */
  guint32 uid_validity;
  GArray *uids; /* (nullable): guint32, sorted, unique */
  PostbagFlags add_flags;
  PostbagFlags remove_flags;
  char **add_keywords;    /* (nullable) */
  char **remove_keywords; /* (nullable) */
  char *destination;      /* (nullable): of copy, move, rename */
  /* Of copy and move: the destination's, when somebody was asked; 0: nobody was, or it is not
   * known. */
  guint32 destination_uid_validity;
  GBytes *message;      /* (nullable): of append, CRLF lines */
  gint64 internal_date; /* of append */
  /* A store-flags that adds one keyword, a toolset's own mark, or takes it back, and nothing else:
   * needs no more than reading. */
  gboolean bookkeeping;
  /* Of delete-mailbox: refuse one that holds mail, also mail that comes meanwhile. */
  gboolean only_empty;
  /* Of delete-mailbox: how many messages somebody was told would go with it; more now are a
   * conflict. 0: nobody was told a number. */
  gint64 messages_told;
  /* ... and the UIDNEXT when that was: a higher one means mail that they were not told of, even
   * where the number is the same. 0: it is not known. */
  guint32 uid_next_told;
  /* A person said yes to exactly this, or the call was made twice with a token where the client
   * cannot ask one. */
  gboolean has_consent;
} PostbagEffect;

POSTBAG_API PostbagEffect *postbag_effect_new (PostbagEffectKind kind, const char *mailbox);
POSTBAG_API void postbag_effect_free (PostbagEffect *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagEffect, postbag_effect_free)

/* "store-flags", ... */
POSTBAG_API const char *postbag_effect_kind_get_nick (PostbagEffectKind kind);
/* Whether @self wants somebody's consent whatever the toolset: what cannot be undone, and moving or
 * copying more than POSTBAG_LIMIT_EFFECT_UNASKED messages at once. */
POSTBAG_API gboolean postbag_effect_needs_consent (const PostbagEffect *self);
/* What @self needs to be allowed to do. */
POSTBAG_API PostbagMay postbag_effect_get_required (const PostbagEffect *self);

/* Whether @self leads anywhere: what is moved, copied or renamed to where it already is, is
 * POSTBAG_ERROR_INVALID_ARGUMENT. */
POSTBAG_API gboolean postbag_effect_check_place (const PostbagEffect *self, GError **error);

/**
 * postbag_effect_check_mailbox:
 * @self: of a mailbox that is renamed or deleted
 * @uid_validity: of the mailbox that has the name now; 0: it does not say
 * @messages: how many it holds now
 * @uid_next: its UIDNEXT now; 0: it does not say
 *
 * Whether the mailbox still is what @self is about. A mailbox is asked for by its name, which
 * another one may have by now, and mail comes at any time: a store asks this right before it
 * renames or deletes one.
 *
 * Errors: POSTBAG_ERROR_CONFLICT, POSTBAG_ERROR_NOT_ALLOWED (it is to be deleted only empty). Both
 * say that nothing was changed.
 */
POSTBAG_API gboolean postbag_effect_check_mailbox (const PostbagEffect *self, guint32 uid_validity,
                                                   gint64 messages, guint32 uid_next,
                                                   GError **error);

/**
 * postbag_effect_check_destination:
 * @self: of a copy or move
 * @uid_validity: of the mailbox that has the destination's name now; 0: it does not say
 *
 * Whether that still is the mailbox that somebody agreed to. A store asks this right before it
 * copies or moves, for any effect with a destination_uid_validity.
 *
 * Errors: POSTBAG_ERROR_CONFLICT, which says that nothing was changed.
 */
POSTBAG_API gboolean postbag_effect_check_destination (const PostbagEffect *self,
                                                       guint32 uid_validity, GError **error);

typedef struct
{
  guint32 from;
  guint32 to;
} PostbagUidPair;

/* Holds a change's entry in the journal until the answer that tells of it has left. */
typedef struct _PostbagReceipt PostbagReceipt;

/* Frees @self, which may be %NULL. @was_told: else the entry stays, and a later call tells. */
POSTBAG_API void postbag_receipt_close (PostbagReceipt *self, gboolean was_told);

/**
 * PostbagEffectReport:
 * @done: (element-type guint32): the uids that are as asked; one that is not there (any more) is in
 *   none of the lists
 * @copied: (element-type guint32): copied to the destination, but still in the source
 * @unknown: (element-type guint32): nobody can say (the connection broke at the wrong moment), or
 *   only a part of what was asked was done; 0 stands for an append or a change of a mailbox
 * @uid_map: (element-type PostbagUidPair): where they are now; of an append from 0
 * @steps: what was done, in order, one clause each
 * @warnings: what was lost on the way, by what was done, whole sentences for whoever asked
 * @receipt: (nullable): stolen by who can say when the answer has left; closed as told with the
 *   report
 *
 * What really happened. An error beside it never means "nothing happened" unless @done, @copied and
 * @unknown are empty.
 */
typedef struct
{
  GArray *done;
  GArray *copied;
  GArray *unknown;
  GArray *uid_map;
  GPtrArray *steps;
  GPtrArray *warnings;
  PostbagReceipt *receipt;
} PostbagEffectReport;

POSTBAG_API PostbagEffectReport *postbag_effect_report_new (void);
POSTBAG_API void postbag_effect_report_free (PostbagEffectReport *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagEffectReport, postbag_effect_report_free)

G_END_DECLS
