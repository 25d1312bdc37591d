/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "extract/postbag-package.h"

#include <gsf/gsf-infile-zip.h>
#include <gsf/gsf-infile.h>
#include <gsf/gsf-input-memory.h>
#include <gsf/gsf-utils.h>
#include <string.h>

#include "base/postbag-limits.h"

/* Under names of ours: the library has no cleanups. */
typedef GsfInput Input;
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Input, g_object_unref)

#define PIECE_BYTES (64 * 1024)

struct _PostbagPackage
{
  GsfInfile *archive;
  gsize left; /* bytes that may still be inflated */
};

static gboolean
fail (GError **error, PostbagExtractReason reason, const char *what)
{
  g_set_error_literal (error, POSTBAG_EXTRACT_ERROR, (int)reason, what);
  return FALSE;
}

PostbagPackage *
postbag_package_open (const guint8 *data, gsize length, GError **error)
{
  g_autoptr (Input) source = NULL;
  GsfInfile *archive;
  PostbagPackage *self;

  if (length >= 8 && memcmp (data, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 8) == 0)
    {
      fail (error, POSTBAG_EXTRACT_ENCRYPTED, "It is an encrypted package.");
      return NULL;
    }
  source = gsf_input_memory_new (data, (gsf_off_t)length, FALSE);
  archive = source != NULL ? gsf_infile_zip_new (source, NULL) : NULL;
  if (archive == NULL)
    {
      fail (error, POSTBAG_EXTRACT_CORRUPT, "It is no zip archive.");
      return NULL;
    }
  self = g_new0 (PostbagPackage, 1);
  self->archive = archive;
  self->left = POSTBAG_LIMIT_PACKAGE_BYTES;
  return self;
}

void
postbag_package_free (PostbagPackage *self)
{
  g_object_unref (self->archive);
  g_free (self);
}

/* (transfer full) (nullable) */
static GsfInput *
find_part (PostbagPackage *self, const char *name)
{
  g_auto (GStrv) steps = g_strsplit (name, "/", 16);

  return gsf_infile_child_by_aname (self->archive, (const char **)steps);
}

gboolean
postbag_package_has (PostbagPackage *self, const char *name)
{
  g_autoptr (Input) part = find_part (self, name);

  return part != NULL;
}

/* The declared size bounds what is inflated, and is not allocated before it comes. */
static GBytes *
inflate (PostbagPackage *self, GsfInput *part)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  gsf_off_t left = gsf_input_remaining (part);

  while (left > 0)
    {
      gsize piece = (gsize)MIN (left, PIECE_BYTES);
      const guint8 *data = gsf_input_read (part, piece, NULL);

      if (data == NULL)
        break;
      g_byte_array_append (bytes, data, (guint)piece);
      left -= (gsf_off_t)piece;
    }
  self->left -= MIN (self->left, bytes->len);
  return g_byte_array_free_to_bytes (g_steal_pointer (&bytes));
}

GBytes *
postbag_package_read (PostbagPackage *self, const char *name, GError **error)
{
  g_autoptr (Input) part = find_part (self, name);
  gsf_off_t size;

  if (part == NULL)
    {
      fail (error, POSTBAG_EXTRACT_NOT_A_DOCUMENT, "A file of the package is missing.");
      return NULL;
    }
  size = gsf_input_size (part);
  if (size >= 0 && size <= POSTBAG_LIMIT_PACKAGE_PART_BYTES && (gsize)size <= self->left)
    return inflate (self, part);
  fail (error, POSTBAG_EXTRACT_TOO_LARGE, "A file of the package is too large.");
  return NULL;
}
