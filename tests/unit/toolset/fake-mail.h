/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "extract/postbag-extraction.h"
#include "json/postbag-json.h"
#include "mail/postbag-accounts.h"
#include "mcp/postbag-toolset.h"

G_BEGIN_DECLS

/* A call without a client and an account whose mail is in memory, for the tests of handlers. What a
 * test sets up stands in plain fields. */

typedef struct
{
  guint32 uid;
  GBytes *source;         /* (nullable): a listing needs none */
  PostbagPart *structure; /* (nullable): made by hand, for a message longer than the prefix */
  gboolean whole;         /* the source is whole for all that; @structure is what a server says */
  GHashTable *parts;      /* number -> GBytes, still encoded */
  char *subject;
  char *from_name;
  char *from_address;
  PostbagFlags flags;
  char **keywords;
  gint64 date;
} FakeMessage;

typedef struct _FakeMail FakeMail;

/* Stands in for the store's: (transfer full) (nullable) */
typedef PostbagEffectReport *(*FakeApplyFunc) (FakeMail *self, const PostbagEffect *effect,
                                               GError **error);

struct _FakeMail
{
  PostbagCall *call;
  const char *principal;
  PostbagAccount *account; /* of the accounts; frozen with the first call */
  PostbagSettings *settings;
  PostbagAccounts *accounts;
  PostbagExtraction *extraction; /* (nullable): nobody reads documents */
  GPtrArray *mailboxes;          /* PostbagMailbox, the listing */
  gint64 total_mailboxes;
  GPtrArray *messages; /* FakeMessage of INBOX, oldest first */
  char **capabilities; /* (nullable): none announced */
  char **permanent_flags;
  char *last_search; /* the criteria of the last search, in words */
  guint n_fetched_parts;
  gsize n_fetched_bytes;   /* of parts */
  const char *closed_tool; /* (nullable): the one that a filter took from the surface */
  gint64 vanished;         /* that many of the newest matches are gone when they are fetched */
  guint32 uid_validity;    /* of INBOX */
  const char *version;     /* (nullable): of its messages */
  guint32 other_validity;  /* of the mailboxes of the listing */
  gboolean agrees;         /* the person who is asked says yes */
  char *question;          /* (nullable): the last one */
  char *target;            /* (nullable): what it was about */
  guint n_asked;
  guint n_uid_searches;         /* for given uids */
  guint n_states;               /* that were asked for */
  PostbagErrorCode state_error; /* 0: none */
  guint n_applied;
  guint32 applied_uid_validity; /* of the last change */
  FakeApplyFunc apply;          /* (nullable): all is done */
};

FakeMail *fake_mail_new (void);
/* @state_dir: (nullable): where changes are written down */
FakeMail *fake_mail_new_with_state (const char *state_dir);
void fake_mail_free (FakeMail *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (FakeMail, fake_mail_free)

FakeMessage *fake_mail_add (FakeMail *self, guint32 uid, const char *source);
PostbagPart *fake_part_new (const char *number, const char *type, const char *filename,
                            gint64 size);
/* (transfer none): a multipart/mixed as the structure of @message */
PostbagPart *fake_message_set_multipart (FakeMessage *message);
/* A part below it, with its bytes. */
PostbagPart *fake_message_add_part (FakeMessage *message, PostbagPart *part, const void *bytes,
                                    gsize length);
PostbagMailbox *fake_mail_add_mailbox (FakeMail *self, const char *path);

/* What a handler answered. */
typedef struct
{
  PostbagJsonDocument *document; /* (nullable): %NULL after a failure */
  JsonObject *root;              /* (transfer none) */
  char *text;                    /* (nullable): laid out */
  guint n_images;
  GError *error;
} FakeAnswer;

void fake_answer_clear (FakeAnswer *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (FakeAnswer, fake_answer_clear)

/* Runs @handler with @arguments (JSON with ' for ") and holds its result against the output schema
 * of @tool in the guarded toolset. */
FakeAnswer fake_mail_run (FakeMail *self, PostbagToolHandler handler, const char *tool,
                          const char *arguments);

/* Members of the answer, which must be there. */
gint64 fake_answer_int (const FakeAnswer *self, const char *name);
const char *fake_answer_string (const FakeAnswer *self, const char *name);
JsonArray *fake_answer_array (const FakeAnswer *self, const char *name);
JsonObject *fake_answer_object (const FakeAnswer *self, const char *name);
/* Item @index of the array @name, an object. */
JsonObject *fake_answer_item (const FakeAnswer *self, const char *name, guint index);

/* The call failed with @code, and its message holds @words. */
void fake_answer_assert_error (const FakeAnswer *self, PostbagErrorCode code, const char *words);

G_END_DECLS
