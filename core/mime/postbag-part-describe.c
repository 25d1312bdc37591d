/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What an entity says of itself in its header fields (RFC 2045, RFC 2183), and where that is
 * ambiguous. A field that may stand once is read at its first place, but a Content-Type with parts
 * wins over one without: what some program shows as parts is never hidden from the list. */

#include "mime/postbag-mime-private.h"

#include <string.h>

#include "base/postbag-limits.h"
#include "safety/postbag-attachment-policy.h"

/* Values of a boundary that are tried. */
#define MAX_BOUNDARIES 8

/* (transfer full) (nullable): the first field of that name. @duplicate: said of a second one. */
static PostbagParameters *
parse_field (GArray *headers, const char *name, PostbagWarning duplicate, PostbagWarnings *warnings)
{
  const PostbagHeader *header = postbag_headers_find (headers, name, 0);

  if (header == NULL)
    return NULL;
  if (postbag_headers_find (headers, name, 1) != NULL)
    postbag_warnings_add (warnings, duplicate);
  return postbag_parameters_parse (header->value);
}

static gboolean
is_media_type (const char *value)
{
  const char *slash = strchr (value, '/');

  return slash != NULL && slash != value && slash[1] != '\0';
}

static gboolean
is_multipart (const PostbagParameters *type)
{
  return g_str_has_prefix (type->value, "multipart/");
}

/* (transfer full) (nullable). @other: (out): the type of another field, where the two differ */
static PostbagParameters *
parse_type (GArray *headers, char **other, PostbagWarnings *warnings)
{
  g_autoptr (PostbagParameters) type =
      parse_field (headers, "Content-Type", POSTBAG_WARNING_DUPLICATE_CONTENT_TYPE, warnings);
  const PostbagHeader *header;

  for (guint i = 1; type != NULL && i < MAX_BOUNDARIES
                    && (header = postbag_headers_find (headers, "Content-Type", i)) != NULL;
       i++)
    {
      g_autoptr (PostbagParameters) next = postbag_parameters_parse (header->value);

      if (is_multipart (next) && !is_multipart (type))
        {
          PostbagParameters *swapped = g_steal_pointer (&type);

          type = g_steal_pointer (&next);
          next = swapped;
        }
      if (*other == NULL && is_media_type (next->value) && strcmp (next->value, type->value) != 0)
        *other = g_strdup (next->value);
    }
  return g_steal_pointer (&type);
}

/* --- file names --- */

static void
judge_name (const char *name, PostbagWarnings *warnings)
{
  for (const char *p = name; *p != '\0'; p++)
    if ((guchar)*p < ' ' || *p == 0x7f)
      postbag_warnings_add (warnings, POSTBAG_WARNING_FILENAME_CONTROL);
  if (strpbrk (name, "/\\") != NULL)
    postbag_warnings_add (warnings, POSTBAG_WARNING_FILENAME_PATH);
  if (postbag_filename_is_executable (name))
    postbag_warnings_add (warnings, POSTBAG_WARNING_EXECUTABLE_EXTENSION);
}

/* Everything a field calls the part, in the order in which it is believed. */
static void
collect_names (const PostbagParameters *field, const char *key, GPtrArray *names,
               PostbagWarnings *warnings)
{
  const char *name, *variant;

  if (field == NULL)
    return;
  name = postbag_parameters_get (field, key);
  variant = postbag_parameters_find (field->variants, key);
  if (name != NULL && *name != '\0')
    g_ptr_array_add (names, (gpointer)name);
  if (variant != NULL && *variant != '\0')
    g_ptr_array_add (names, (gpointer)variant);
  if (postbag_parameters_find (field->duplicates, key) != NULL)
    {
      postbag_warnings_add (warnings, POSTBAG_WARNING_DUPLICATE_FILENAME);
      g_ptr_array_add (names, (gpointer)postbag_parameters_find (field->duplicates, key));
    }
  if (field->refused)
    postbag_warnings_add (warnings, POSTBAG_WARNING_FILENAME_CONTROL);
}

static void
describe_name (PostbagPart *part, const PostbagParameters *disposition,
               const PostbagParameters *type, PostbagWarnings *warnings)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  collect_names (disposition, "filename", names, warnings);
  collect_names (type, "name", names, warnings);
  for (guint i = 0; i < names->len; i++)
    {
      const char *name = g_ptr_array_index (names, i);

      judge_name (name, warnings);
      if (part->filename == NULL)
        part->filename = g_strdup (name);
      else if (part->other_filename == NULL && *name != '\0' && strcmp (name, part->filename) != 0)
        part->other_filename = g_strdup (name);
    }
  if (part->other_filename != NULL)
    postbag_warnings_add (warnings, POSTBAG_WARNING_FILENAME_MISMATCH);
}

/* --- transfer encoding --- */

/* `(comment)base64; extra` means base64. */
static void
describe_encoding (PostbagPart *part, GArray *headers, PostbagWarnings *warnings)
{
  g_autoptr (PostbagParameters) encoding =
      parse_field (headers, "Content-Transfer-Encoding", POSTBAG_WARNING_DUPLICATE_CTE, warnings);
  const PostbagHeader *header = postbag_headers_find (headers, "Content-Transfer-Encoding", 0);

  if (encoding == NULL || encoding->value[0] == '\0')
    return;
  if (!postbag_slice_equals (postbag_slice_trim (header->value), encoding->value))
    postbag_warnings_add (warnings, POSTBAG_WARNING_MALFORMED_CTE);
  if (!postbag_transfer_is_known (encoding->value))
    postbag_warnings_add (warnings, POSTBAG_WARNING_UNKNOWN_CTE);
  g_free (part->encoding);
  part->encoding = g_strdup (encoding->value);
}

/* --- text --- */

static void
describe_text (PostbagDescription *self, const PostbagParameters *type, PostbagWarnings *warnings)
{
  const char *charset = postbag_parameters_get (type, "charset");
  const char *format = postbag_parameters_get (type, "format");
  const char *delete_sp = postbag_parameters_get (type, "delsp");

  if (charset != NULL && *charset != '\0')
    self->part->charset = g_strndup (charset, strcspn (charset, " \t("));
  if (postbag_parameters_find (type->duplicates, "charset") != NULL)
    postbag_warnings_add (warnings, POSTBAG_WARNING_DUPLICATE_CHARSET);
  self->flowed = format != NULL && g_ascii_strcasecmp (format, "flowed") == 0;
  self->delete_sp = delete_sp != NULL && g_ascii_strcasecmp (delete_sp, "yes") == 0;
}

/* --- boundaries --- */

static void
add_boundary (GPtrArray *boundaries, const char *value)
{
  g_autofree char *boundary = g_strdup (value);

  g_strchomp (boundary);
  if (*boundary != '\0' && boundaries->len < MAX_BOUNDARIES
      && !g_ptr_array_find_with_equal_func (boundaries, boundary, g_str_equal, NULL))
    g_ptr_array_add (boundaries, g_steal_pointer (&boundary));
}

/* A boundary as it is written, then, @loosely, as a stricter reader would cut it. */
static void
add_readings (GPtrArray *boundaries, const char *value, gboolean loosely, PostbagWarnings *warnings)
{
  g_autofree char *cut = g_strndup (value, strcspn (value, " \t("));
  gsize length = strlen (value);

  if (length == 0 || length > 70 || strpbrk (value, "\t(") != NULL || value[length - 1] == ' ')
    postbag_warnings_add (warnings, POSTBAG_WARNING_UNUSUAL_BOUNDARY);
  add_boundary (boundaries, value);
  if (loosely)
    add_boundary (boundaries, cut);
}

static void
add_of_name (GPtrArray *boundaries, GPtrArray *list, gboolean loosely, PostbagWarnings *warnings)
{
  for (guint i = 0; i < list->len; i++)
    {
      const PostbagParameter *parameter = g_ptr_array_index (list, i);

      if (strcmp (parameter->name, "boundary") == 0)
        add_readings (boundaries, parameter->value, loosely, warnings);
    }
}

static void
describe_boundaries (PostbagDescription *self, const PostbagParameters *type,
                     PostbagWarnings *warnings)
{
  gboolean loosely =
      (type->warnings & POSTBAG_WARNING_BIT (POSTBAG_WARNING_MALFORMED_PARAMETER)) != 0;

  self->boundaries = g_ptr_array_new_with_free_func (g_free);
  add_of_name (self->boundaries, type->parameters, loosely, warnings);
  add_of_name (self->boundaries, type->variants, loosely, warnings);
  add_of_name (self->boundaries, type->duplicates, loosely, warnings);
  if (postbag_parameters_find (type->duplicates, "boundary") != NULL
      || postbag_parameters_find (type->variants, "boundary") != NULL)
    postbag_warnings_add (warnings, POSTBAG_WARNING_DUPLICATE_BOUNDARY);
  if (type->split)
    postbag_warnings_add (warnings, POSTBAG_WARNING_UNUSUAL_BOUNDARY);
}

static void
describe_type (PostbagDescription *self, const PostbagParameters *type, PostbagWarnings *warnings)
{
  static const struct
  {
    const char *type;
    PostbagWarning warning;
  } named[] = {
    { "message/external-body", POSTBAG_WARNING_EXTERNAL_BODY },
    { "message/partial", POSTBAG_WARNING_PARTIAL_MESSAGE },
    { "multipart/encrypted", POSTBAG_WARNING_ENCRYPTED },
    { "application/ms-tnef", POSTBAG_WARNING_TNEF },
    { "application/vnd.ms-tnef", POSTBAG_WARNING_TNEF },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (named); i++)
    if (strcmp (self->part->type, named[i].type) == 0)
      postbag_warnings_add (warnings, named[i].warning);
  if (is_multipart (type))
    describe_boundaries (self, type, warnings);
  if (strcmp (self->part->type, "multipart/related") == 0)
    self->part->start = g_strdup (postbag_parameters_get (type, "start"));
  describe_text (self, type, warnings);
  postbag_warnings_add_all (warnings, type->warnings);
}

static void
set_type (PostbagPart *part, const char *type)
{
  g_free (part->type);
  part->type = g_strdup (type);
}

void
postbag_part_describe (GArray *headers, PostbagDescription *self, PostbagWarnings *warnings)
{
  g_autoptr (PostbagParameters) type = parse_type (headers, &self->other_type, warnings);
  g_autoptr (PostbagParameters) disposition = parse_field (
      headers, "Content-Disposition", POSTBAG_WARNING_DUPLICATE_CONTENT_DISPOSITION, warnings);
  const PostbagHeader *content_id = postbag_headers_find (headers, "Content-ID", 0);
  gboolean readable = type != NULL && is_media_type (type->value);

  self->typed = type != NULL;
  self->part = postbag_part_new (readable ? type->value : "text/plain");
  describe_name (self->part, disposition, type, warnings);
  if (!readable && self->part->filename != NULL)
    set_type (self->part, "application/octet-stream");
  if (type != NULL && !readable)
    postbag_warnings_add (warnings, POSTBAG_WARNING_MALFORMED_CONTENT_TYPE);
  if (disposition != NULL && disposition->value[0] != '\0')
    self->part->disposition =
        g_strdup (strcmp (disposition->value, "inline") == 0 ? "inline" : "attachment");
  if (content_id != NULL)
    self->part->content_id = postbag_header_unfold (content_id->value, NULL);
  if (type != NULL)
    describe_type (self, type, warnings);
  if (disposition != NULL)
    postbag_warnings_add_all (warnings, disposition->warnings);
  describe_encoding (self->part, headers, warnings);
}

void
postbag_description_clear (PostbagDescription *self)
{
  g_clear_pointer (&self->part, postbag_part_free);
  g_clear_pointer (&self->boundaries, g_ptr_array_unref);
  g_clear_pointer (&self->other_type, g_free);
}
