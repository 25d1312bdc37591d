/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#include "base/postbag-api.h"

G_BEGIN_DECLS

/* The values the mail layer speaks in: plain structs, immutable once handed over, freed by whoever
 * holds them. Strings are well-formed UTF-8 but as a sender or server chose them: not cleaned. */

/* --- flags (RFC 9051 section 2.3.2) --- */

typedef enum
{
  POSTBAG_FLAG_SEEN = 1 << 0,
  POSTBAG_FLAG_ANSWERED = 1 << 1,
  POSTBAG_FLAG_FLAGGED = 1 << 2,
  POSTBAG_FLAG_DELETED = 1 << 3,
  POSTBAG_FLAG_DRAFT = 1 << 4,
  POSTBAG_FLAG_FORWARDED = 1 << 5, /* $Forwarded; Maildir's P */
} PostbagFlags;

/* (transfer full) (array zero-terminated=1): "\Seen", ..., then @keywords (nullable) as they are */
POSTBAG_API char **postbag_flags_to_strings (PostbagFlags flags, const char *const *keywords);

/* --- mailboxes --- */

typedef struct
{
  char *path;        /* UTF-8, with @delimiter between levels, e.g. "INBOX" or "Archive/2024" */
  char delimiter;    /* 0 when the hierarchy is flat */
  char *special_use; /* (nullable): "\\Drafts", "\\Sent", ... (RFC 6154) */
  gboolean selectable;
  gboolean subscribed;
  gboolean has_status; /* the counts below are known */
  gint64 messages;
  gint64 unseen;
  guint32 uid_next;
  guint32 uid_validity;
  gboolean special_use_is_guessed; /* by its name; nobody is told */
} PostbagMailbox;

POSTBAG_API PostbagMailbox *postbag_mailbox_new (const char *path);
POSTBAG_API void postbag_mailbox_free (PostbagMailbox *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagMailbox, postbag_mailbox_free)

/* Whether two names are one mailbox: INBOX is it in any case (RFC 9051 section 5.1). */
POSTBAG_API gboolean postbag_mailbox_is_same (const char *one, const char *other);

/* What a selected mailbox says of itself. */
typedef struct
{
  guint32 uid_validity;
  guint32 uid_next;
  gint64 messages;
  char **permanent_flags; /* what may be stored, "\\*" when any keyword may (RFC 9051, 7.1) */
} PostbagMailboxState;

POSTBAG_API void postbag_mailbox_state_free (PostbagMailboxState *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagMailboxState, postbag_mailbox_state_free)

/* --- addresses and envelope --- */

typedef struct
{
  char *name;    /* (nullable): display name, decoded */
  char *address; /* addr-spec as far as it could be read; "" when there is none */
} PostbagAddress;

POSTBAG_API PostbagAddress *postbag_address_new (const char *name, const char *address);
POSTBAG_API void postbag_address_free (PostbagAddress *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagAddress, postbag_address_free)

/* One line of a listing. */
typedef struct
{
  guint32 uid;
  char *subject;        /* (nullable): decoded */
  GPtrArray *from;      /* PostbagAddress */
  GPtrArray *to;        /* PostbagAddress */
  gint64 date;          /* Date header, seconds since 1970 UTC, or INT64_MIN when unusable */
  gint64 internal_date; /* when it was received, likewise */
  gint64 size;          /* octets, or -1 when unknown */
  PostbagFlags flags;
  char **keywords;
  char *message_id; /* (nullable) */
  gboolean has_attachments;
} PostbagSummary;

#define POSTBAG_DATE_UNKNOWN G_MININT64

/* @date, seconds since 1970, as ISO 8601 in UTC, "2026-09-08T07:05:00Z": (transfer full)
 * (nullable), %NULL for POSTBAG_DATE_UNKNOWN and years outside 1 to 9999. */
POSTBAG_API char *postbag_date_to_string (gint64 date);

POSTBAG_API PostbagSummary *postbag_summary_new (void);
POSTBAG_API void postbag_summary_free (PostbagSummary *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagSummary, postbag_summary_free)

/* --- parts (RFC 9051 section 7.5.2, BODYSTRUCTURE) --- */

typedef struct
{
  char *name;
  char *value;
} PostbagParameter;

typedef struct _PostbagPart PostbagPart;
struct _PostbagPart
{
  char *number;      /* "1", "2.1"; (nullable): the root multipart and the multipart right inside a
                      * message/rfc822 have none. A message that is one part has number "1". */
  char *type;        /* lower case "text/plain"; "application/octet-stream" when it is missing */
  char *encoding;    /* lower case Content-Transfer-Encoding, "7bit" when missing */
  char *charset;     /* (nullable) */
  char *disposition; /* (nullable): lower case "attachment" or "inline" */
  char *filename;    /* (nullable): decoded; disposition's filename, else the type's name */
  char *other_filename; /* (nullable): a second name that the part gives itself */
  char *content_id;     /* (nullable) */
  char *start;          /* (nullable): of a multipart/related: Content-ID of the part shown first */
  gint64 size;          /* octets as encoded, -1 when unknown */
  GPtrArray *children;  /* (nullable): PostbagPart, of a multipart, of message/rfc822 and of an
                         * opaque signature (one child: the body of the inner message), of a text
                         * that holds files (uuencode) */
  gboolean cut;         /* of the root: the message may have parts that are not in the tree */
  guint32 uid_validity; /* of the root that a store gave: of the mailbox where it found the message;
                         * 0: it does not say */
  char *version;        /* (nullable): of the root that a store gave: it changes with the message,
                         * where that may be another one under the same UID */
};

POSTBAG_API PostbagPart *postbag_part_new (const char *type);
POSTBAG_API void postbag_part_free (PostbagPart *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagPart, postbag_part_free)

/* (transfer none) (nullable): the part with that number below @self */
POSTBAG_API const PostbagPart *postbag_part_find (const PostbagPart *self, const char *number);

/* (transfer full): @self without its children */
POSTBAG_API PostbagPart *postbag_part_copy_alone (const PostbagPart *self);
/* (transfer full): the whole tree */
POSTBAG_API PostbagPart *postbag_part_copy (const PostbagPart *self);

/* The child of a multipart/related that the others belong to (RFC 2387 section 3.2): what `start`
 * names, else the first; index in @self's children, which it has. */
POSTBAG_API guint postbag_part_find_related_root (const PostbagPart *self);

/* Bytes after decoding, estimated from the encoded size (base64: 3/4 of what is not line ends), or
 * -1 when unknown. */
POSTBAG_API gint64 postbag_part_estimate_decoded_size (const PostbagPart *self);

/* --- search --- */

typedef enum
{
  POSTBAG_EITHER,
  POSTBAG_YES,
  POSTBAG_NO
} PostbagTristate;

typedef struct
{
  char *field; /* header field name */
  char *value; /* substring; "" means: has this header */
} PostbagHeaderMatch;

/**
 * PostbagSearch:
 *
 * Criteria, all of which must hold (RFC 9051 section 6.4.4). Text is a substring, compared without
 * regard to case in the decoded value. Unset members (NULL, EITHER, 0) do not restrict.
 */
typedef struct
{
  char *from;
  char *to;
  char *cc;
  char *subject;
  char *body;    /* text of the text parts, decoded */
  char *text;    /* headers or body */
  GDate *since;  /* received on or after that day */
  GDate *before; /* received before that day */
  PostbagTristate seen;
  PostbagTristate flagged;
  PostbagTristate answered;
  PostbagTristate draft;
  PostbagTristate deleted;
  char *keyword;
  char *unkeyword;
  gint64 larger;         /* more octets than, 0 = no bound */
  gint64 smaller;        /* fewer octets than, 0 = no bound */
  guint32 uid_from;      /* 0 = no bound */
  guint32 uid_to;        /* 0 = no bound */
  GPtrArray *any_header; /* (nullable): PostbagHeaderMatch; at least one must match */
  GArray *uids;          /* (nullable) (element-type guint32): sorted; only these */
} PostbagSearch;

POSTBAG_API PostbagSearch *postbag_search_new (void);
POSTBAG_API void postbag_search_free (PostbagSearch *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagSearch, postbag_search_free)
POSTBAG_API void postbag_search_add_any_header (PostbagSearch *self, const char *field,
                                                const char *value);
/* Whether no criterion is set: everything matches. */
POSTBAG_API gboolean postbag_search_is_all (const PostbagSearch *self);

/* One page of a search, newest (highest UID) first. */
typedef struct
{
  guint32 uid_validity;
  gint64 total;         /* messages that match */
  GPtrArray *summaries; /* PostbagSummary */
  char **warnings;      /* (nullable): our words, e.g. that part of the search ran locally */
} PostbagSearchPage;

POSTBAG_API PostbagSearchPage *postbag_search_page_new (void);
POSTBAG_API void postbag_search_page_free (PostbagSearchPage *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagSearchPage, postbag_search_page_free)

/* --- one message --- */

typedef struct
{
  guint32 uid;
  guint32 uid_validity;
  PostbagFlags flags;
  char **keywords;
  gint64 internal_date;
  gint64 size;            /* octets of the whole message */
  GBytes *source;         /* its first bytes */
  gboolean complete;      /* @source is the whole message */
  PostbagPart *structure; /* (nullable): only where @source is not complete */
} PostbagFetchedMessage;

POSTBAG_API void postbag_fetched_message_free (PostbagFetchedMessage *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagFetchedMessage, postbag_fetched_message_free)

G_END_DECLS
