/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A set of UIDs or sequence numbers as ranges (RFC 9051, sequence-set), in the order in which they
 * came. An announced range is never written out: 1:4294967295 is one range. */

typedef struct
{
  guint32 first; /* 1.. */
  guint32 last;  /* first.. */
} PostbagImapRange;

/* An array of PostbagImapRange. */
GArray *postbag_imap_set_new (void);

/* Adds @first..@last, joined to the last range where they touch in either direction. %FALSE when
 * the set is full (POSTBAG_LIMIT_MAILBOX_MESSAGES ranges). */
gboolean postbag_imap_set_add (GArray *self, guint32 first, guint32 last);

/* Reads `1:3,5`; %FALSE, and what was read so far, at anything else: 0, `*`, beyond 32 bits. */
gboolean postbag_imap_set_parse (GArray *self, const char *text, gsize length);

/* How many numbers there are, when no two ranges overlap. */
guint64 postbag_imap_set_count (const GArray *self);

/* Sorts, and joins what overlaps or touches. */
void postbag_imap_set_normalize (GArray *self);

/* The @limit highest numbers behind the @offset highest, of a normalized set: (transfer full) */
GArray *postbag_imap_set_cut_highest (const GArray *self, gint64 offset, guint limit);

/* `1:3,5`: (transfer full) */
char *postbag_imap_set_to_string (const GArray *self);

G_END_DECLS
