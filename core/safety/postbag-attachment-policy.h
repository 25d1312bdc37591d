/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

#include "base/postbag-api.h"
#include "mail/postbag-mail-types.h"

G_BEGIN_DECLS

/* Which parts of a message are attachments, which of them may be fetched, and what their bytes
 * really are (contracts/guarded 4.1). */

typedef struct
{
  const PostbagPart *part; /* (transfer none): lives as long as the structure */
  char *filename;          /* cleaned for showing, "(unnamed)" when there is none */
  char *content_type; /* well-shaped; "application/octet-stream" when the declared one is not */
  gint64 size;        /* decoded bytes, estimated; -1 when unknown */
  gboolean allowed;   /* the declaration passes */
  GPtrArray *notes;   /* char *: why not, double extension, ... */
} PostbagAttachment;

/* The gate's settings. */
typedef struct
{
  const char *const *allowed_types; /* lower case, exact match */
  gint64 max_bytes;                 /* ceiling of the mode */
  const char *max_bytes_name;       /* the variable to name in a refusal */
} PostbagAttachmentPolicy;

/* (transfer full) (element-type PostbagAttachment): the walk, depth and count bounded */
POSTBAG_API GPtrArray *postbag_attachments_walk (const PostbagPart *structure,
                                                 const PostbagAttachmentPolicy *policy);
/* Whether the message may have attachments that the walk does not list: more of them, or deeper
 * ones, than it goes, or a tree that is cut. */
POSTBAG_API gboolean postbag_attachments_are_cut (const PostbagPart *structure);
/* (transfer full): the name to save under: the sender's as it came, else one made of number and
 * type, "part-2.pdf" */
POSTBAG_API char *postbag_attachment_dup_name (const PostbagAttachment *attachment);
/* Whether the walk would find any. */
POSTBAG_API gboolean postbag_attachments_any (const PostbagPart *structure);

/* Gate 2: (transfer none) (nullable): what the bytes are ("application/pdf", "image/png", ...),
 * %NULL when unknown */
POSTBAG_API const char *postbag_magic_detect (const guint8 *data, gsize length);
/* Whether a detected type is executable: refused in every mode. */
POSTBAG_API gboolean postbag_magic_is_executable (const char *detected);
/* Whether @detected contradicts @declared (a zip for OOXML and OpenDocument does not). */
POSTBAG_API gboolean postbag_magic_contradicts (const char *detected, const char *declared);
/* Whether @filename has an extension that is refused whatever the type says. */
POSTBAG_API gboolean postbag_filename_is_executable (const char *filename);

/**
 * postbag_save_attachment:
 * @directory: the configured folder, absolute
 * @filename: as the sender wrote it; made safe here
 *
 * Creates a new file beneath @directory (openat2 RESOLVE_BENEATH, no symlinks, O_EXCL, 0600,
 * written to a temporary name, fsync, then linked under its name); never overwrites: " (2)", " (3)"
 * ... on collision.
 *
 * Returns: (transfer full) (nullable): the path
 */
POSTBAG_API char *postbag_save_attachment (const char *directory, const char *filename,
                                           GBytes *data, GError **error);

G_END_DECLS
