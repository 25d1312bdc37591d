/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#include "mail/postbag-mail-types.h"

G_BEGIN_DECLS

/* What a server says, as values: one PostbagImapReply for each framed reply. Strings are as the
 * server sent them (header values not decoded, bytes possibly not UTF-8) unless said otherwise. */

typedef enum
{
  POSTBAG_IMAP_REPLY_UNKNOWN, /* nothing we know; to be passed over */
  POSTBAG_IMAP_REPLY_CONTINUATION,
  POSTBAG_IMAP_REPLY_STATUS, /* tagged or untagged */
  POSTBAG_IMAP_REPLY_CAPABILITY,
  POSTBAG_IMAP_REPLY_ENABLED,
  POSTBAG_IMAP_REPLY_FLAGS,
  POSTBAG_IMAP_REPLY_LIST, /* also LSUB */
  POSTBAG_IMAP_REPLY_MAILBOX_STATUS,
  POSTBAG_IMAP_REPLY_SEARCH,
  POSTBAG_IMAP_REPLY_ESEARCH,
  POSTBAG_IMAP_REPLY_VANISHED,
  POSTBAG_IMAP_REPLY_EXISTS,
  POSTBAG_IMAP_REPLY_RECENT,
  POSTBAG_IMAP_REPLY_EXPUNGE,
  POSTBAG_IMAP_REPLY_FETCH,
  POSTBAG_IMAP_REPLY_NAMESPACE,
  POSTBAG_IMAP_REPLY_QUOTA,
  POSTBAG_IMAP_REPLY_QUOTA_ROOT,
} PostbagImapReplyKind;

typedef enum
{
  POSTBAG_IMAP_OK,
  POSTBAG_IMAP_NO,
  POSTBAG_IMAP_BAD,
  POSTBAG_IMAP_BYE,
  POSTBAG_IMAP_PREAUTH,
} PostbagImapCondition;

/* A status reply, or the text of a continuation (RFC 9051 section 7.1). */
typedef struct
{
  PostbagImapCondition condition;
  char *code;      /* (nullable): upper case, "UIDVALIDITY" */
  char *arguments; /* (nullable): what follows it inside the brackets, well-formed UTF-8 */
  guint64 number;  /* its first argument where that is a number, else 0 */
  char **words;    /* (nullable): of CAPABILITY, PERMANENTFLAGS, BADCHARSET */
  char *text;      /* for a person, well-formed UTF-8, bounded; "" when there is none */
} PostbagImapStatus;

typedef struct
{
  char *name;        /* UTF-8 */
  char *raw;         /* as on the wire, without quotes */
  char delimiter;    /* 0 for NIL */
  char **attributes; /* "\Noselect", ... */
  char **child_info; /* (nullable): of the extended form (RFC 5258), upper case */
  gboolean is_lsub;
} PostbagImapListEntry;

typedef struct
{
  char *name; /* UTF-8 */
  char *raw;
  gint64 messages; /* all: -1 when not said */
  gint64 unseen;
  gint64 recent;
  gint64 uid_next;
  gint64 uid_validity;
  gint64 size;
  gint64 deleted;
  gint64 modseq;
  gint64 append_limit; /* RFC 7889 */
} PostbagImapMailboxStatus;

/* Results of a search. A long list comes in several replies, whose numbers belong together. */
typedef struct
{
  char *tag; /* (nullable): of the command, ESEARCH only */
  gboolean is_uid;
  GArray *numbers; /* PostbagImapRange */
  gint64 count;    /* -1 when not said */
  guint32 minimum; /* 0 when not said */
  guint32 maximum;
  guint64 modseq;
} PostbagImapSearchResult;

typedef struct
{
  gboolean earlier;
  GArray *uids; /* PostbagImapRange */
} PostbagImapVanished;

/* RFC 9051 section 7.5.2. Each string nullable, encoded words left alone. */
typedef struct
{
  char *date;
  char *subject;
  GPtrArray *from; /* PostbagAddress, groups flattened */
  GPtrArray *sender;
  GPtrArray *reply_to;
  GPtrArray *to;
  GPtrArray *cc;
  GPtrArray *bcc;
  char *in_reply_to;
  char *message_id;
} PostbagImapEnvelope;

typedef struct
{
  char *name;    /* upper case as far as the keyword goes: "", "HEADER", "1.2.MIME" */
  gint64 origin; /* of a partial fetch, -1 when whole */
  gboolean is_binary;
  GBytes *bytes; /* (nullable): NIL, or in the spool */
  gpointer spool;
  GDestroyNotify free_spool;
} PostbagImapSection;

typedef struct
{
  guint32 number; /* sequence number: only to be matched with EXPUNGE, never a name */
  guint32 uid;    /* 0 when not said */
  gboolean has_flags;
  char **flags;         /* (nullable) */
  char **labels;        /* (nullable): X-GM-LABELS */
  guint64 modseq;       /* 0 when not said */
  gint64 size;          /* RFC822.SIZE, -1 when not said */
  gint64 internal_date; /* seconds since 1970, POSTBAG_DATE_UNKNOWN */
  PostbagImapEnvelope *envelope;
  PostbagPart *structure; /* (nullable): file names in encoded words, see postbag-imap-body.h */
  GPtrArray *sections;    /* PostbagImapSection */
  gboolean is_damaged;    /* something could not be read; what is set is right */
} PostbagImapFetch;

typedef struct
{
  char *prefix; /* UTF-8 */
  char delimiter;
} PostbagImapNamespaceEntry;

typedef struct
{
  GPtrArray *personal; /* PostbagImapNamespaceEntry */
  GPtrArray *other;
  GPtrArray *shared;
} PostbagImapNamespace;

typedef struct
{
  char *name; /* upper case: "STORAGE" (units of 1024 octets), "MESSAGE" */
  guint64 used;
  guint64 limit;
} PostbagImapQuotaResource;

typedef struct
{
  char *name;           /* of the root, or of the mailbox */
  GPtrArray *resources; /* PostbagImapQuotaResource; of QUOTA */
  char **roots;         /* (nullable): of QUOTAROOT */
} PostbagImapQuota;

typedef struct
{
  gatomicrefcount references;
  PostbagImapReplyKind kind;
  char *tag;      /* (nullable): untagged */
  guint32 number; /* of EXISTS, RECENT, EXPUNGE */
  union
  {
    PostbagImapStatus *status; /* STATUS, CONTINUATION */
    char **words;              /* CAPABILITY, ENABLED, FLAGS */
    PostbagImapListEntry *list;
    PostbagImapMailboxStatus *mailbox_status;
    PostbagImapSearchResult *search; /* SEARCH, ESEARCH */
    PostbagImapVanished *vanished;
    PostbagImapFetch *fetch;
    PostbagImapNamespace *namespaces;
    PostbagImapQuota *quota; /* QUOTA, QUOTA_ROOT */
  };
} PostbagImapReply;

/* Immutable once parsed: several calls may hold one reply. */
PostbagImapReply *postbag_imap_reply_new (void);
PostbagImapReply *postbag_imap_reply_ref (PostbagImapReply *self);
void postbag_imap_reply_unref (PostbagImapReply *self);
/* Frees the value and makes it UNKNOWN. */
void postbag_imap_reply_clear (PostbagImapReply *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagImapReply, postbag_imap_reply_unref)

PostbagImapEnvelope *postbag_imap_envelope_new (void);
void postbag_imap_envelope_free (PostbagImapEnvelope *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagImapEnvelope, postbag_imap_envelope_free)

void postbag_imap_section_free (PostbagImapSection *self);
void postbag_imap_fetch_free (PostbagImapFetch *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagImapFetch, postbag_imap_fetch_free)
void postbag_imap_search_result_free (PostbagImapSearchResult *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagImapSearchResult, postbag_imap_search_result_free)
void postbag_imap_status_free (PostbagImapStatus *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagImapStatus, postbag_imap_status_free)

/**
 * postbag_imap_fetch_find_section:
 * @origin: the first octet that was asked for; 0 where everything was
 * @is_binary: of BINARY (RFC 3516), whose bytes are others than those of BODY
 *
 * What answers the question for the section @name from @origin on. Another section or origin does
 * not, whatever comes with the right uid; but the first octets may come without an origin.
 *
 * Returns: (transfer none) (nullable)
 */
const PostbagImapSection *postbag_imap_fetch_find_section (const PostbagImapFetch *self,
                                                           const char *name, gint64 origin,
                                                           gboolean is_binary);

/* Whether a status code means "later again" (RFC 5530): UNAVAILABLE, INUSE, THROTTLED, ... */
gboolean postbag_imap_status_is_temporary (const PostbagImapStatus *self);

G_END_DECLS
