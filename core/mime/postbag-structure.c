/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The tree of parts. GMime finds the boundaries; what the parts say of themselves is read from the
 * source by our own parsers, and their bytes are slices of it.
 *
 * GMime gets a copy (postbag-gmime-copy.c) in which the words "message" and "digest" are spoilt: so
 * it takes an inner message for a plain leaf, whose exact bytes we then know and hand to it in a
 * next turn. It would otherwise parse the inner message's addresses, with recursion (hardening:
 * nested groups), and not tell where that message starts and ends. Depth, count and the bytes that
 * are parsed again inside of messages are bounded here. */

#include "mime/postbag-mime-private.h"

#include <string.h>

#include "base/postbag-limits.h"
#include "mime/postbag-gmime-private.h"

/* One entity to be given to GMime: the whole source, or the inside of a message/rfc822. */
typedef struct
{
  gsize offset;
  gsize length;
  PostbagPart *parent; /* (nullable): the message/rfc822 */
  guint depth;
} Job;

/* One object of GMime's tree on its way to a part. */
typedef struct
{
  GMimeObject *object; /* (transfer none): the tree is held while the job runs */
  PostbagPart *parent; /* (nullable) */
  char *number;        /* (nullable) */
  guint depth;
  gboolean in_digest;
} Frame;

typedef struct
{
  const char *source;
  gsize length;
  PostbagStructure *structure;
  GQueue jobs;   /* Job */
  GQueue frames; /* Frame: a stack */
  guint parts;
  gsize parsed; /* bytes handed to GMime */
} Builder;

static void
start_gmime (void)
{
  static gsize started = 0;

  if (g_once_init_enter (&started))
    {
      g_mime_init ();
      g_once_init_leave (&started, 1);
    }
}

/* (transfer full) (nullable): GMime's tree over @bytes, whose streams carry offsets into them */
static GMimeObject *
parse_tree (const char *bytes, gsize length, gboolean *complete)
{
  g_autoptr (GByteArray) copy = postbag_gmime_copy_new (bytes, length, complete);
  g_autoptr (GMimeStream) stream = NULL;
  g_autoptr (GMimeParser) parser = NULL;

  stream = g_mime_stream_mem_new_with_byte_array (g_steal_pointer (&copy));
  g_mime_stream_mem_set_owner (GMIME_STREAM_MEM (stream), TRUE);
  parser = g_mime_parser_new_with_stream (stream);
  g_mime_parser_set_persist_stream (parser, TRUE);
  return g_mime_parser_construct_part (parser, NULL);
}

/* --- what a part says of itself --- */

static PostbagParameters *
parse_field (GArray *headers, const char *name)
{
  const PostbagHeader *header = postbag_headers_find_last (headers, name);

  return header != NULL ? postbag_parameters_parse (header->value) : NULL;
}

static gboolean
is_media_type (const char *value)
{
  const char *slash = strchr (value, '/');

  return slash != NULL && slash != value && slash[1] != '\0';
}

static char *
choose_filename (const PostbagParameters *disposition, const PostbagParameters *type)
{
  const char *name = disposition != NULL ? postbag_parameters_get (disposition, "filename") : NULL;

  if ((name == NULL || *name == '\0') && type != NULL)
    name = postbag_parameters_get (type, "name");
  return name != NULL && *name != '\0' ? g_strdup (name) : NULL;
}

/* `(comment)base64; extra` means base64. */
static void
describe_encoding (PostbagPart *part, GArray *headers)
{
  g_autoptr (PostbagParameters) encoding = parse_field (headers, "Content-Transfer-Encoding");

  if (encoding == NULL || encoding->value[0] == '\0')
    return;
  g_free (part->encoding);
  part->encoding = g_strdup (encoding->value);
}

static void
describe_text (PostbagPart *part, PostbagSpan *span, const PostbagParameters *type)
{
  const char *charset = postbag_parameters_get (type, "charset");
  const char *format = postbag_parameters_get (type, "format");
  const char *delete_sp = postbag_parameters_get (type, "delsp");

  if (charset != NULL && *charset != '\0')
    part->charset = g_strndup (charset, strcspn (charset, " \t("));
  span->flowed = format != NULL && g_ascii_strcasecmp (format, "flowed") == 0;
  span->delete_sp = delete_sp != NULL && g_ascii_strcasecmp (delete_sp, "yes") == 0;
}

PostbagPart *
postbag_structure_describe (GArray *headers, PostbagSpan *span)
{
  g_autoptr (PostbagParameters) type = parse_field (headers, "Content-Type");
  g_autoptr (PostbagParameters) disposition = parse_field (headers, "Content-Disposition");
  const PostbagHeader *content_id = postbag_headers_find (headers, "Content-ID", 0);
  gboolean typed = type != NULL && is_media_type (type->value);
  PostbagPart *part = postbag_part_new (typed ? type->value : "text/plain");

  part->filename = choose_filename (disposition, type);
  if (!typed && part->filename != NULL)
    {
      g_free (part->type);
      part->type = g_strdup ("application/octet-stream");
    }
  if (disposition != NULL && disposition->value[0] != '\0')
    part->disposition =
        g_strdup (strcmp (disposition->value, "inline") == 0 ? "inline" : "attachment");
  if (content_id != NULL)
    part->content_id = postbag_header_unfold (content_id->value, NULL);
  if (type != NULL)
    describe_text (part, span, type);
  describe_encoding (part, headers);
  return part;
}

/* --- from GMime's tree to parts --- */

static void
push_frame (Builder *self, GMimeObject *object, PostbagPart *parent, char *number, guint depth,
            gboolean in_digest)
{
  Frame *frame = g_new0 (Frame, 1);

  frame->object = object;
  frame->parent = parent;
  frame->number = number;
  frame->depth = depth;
  frame->in_digest = in_digest;
  g_queue_push_head (&self->frames, frame);
}

static void
attach (Builder *self, PostbagPart *part, PostbagPart *parent)
{
  self->parts++;
  if (parent == NULL)
    {
      self->structure->root = part;
      return;
    }
  if (parent->children == NULL)
    parent->children = g_ptr_array_new ();
  g_ptr_array_add (parent->children, part);
}

/* The number of child @index (RFC 9051 section 6.4.5); @number is nullable. */
static char *
make_child_number (const char *number, guint index)
{
  return number != NULL ? g_strdup_printf ("%s.%u", number, index + 1)
                        : g_strdup_printf ("%u", index + 1);
}

/* Where the content of a leaf lies in the source. */
static void
locate_content (GMimeObject *object, const Job *job, PostbagSpan *span)
{
  GMimeDataWrapper *content = g_mime_part_get_content (GMIME_PART (object));
  GMimeStream *stream = content != NULL ? g_mime_data_wrapper_get_stream (content) : NULL;
  gint64 end;

  if (stream == NULL || stream->bound_start < 0 || (gsize)stream->bound_start > job->length)
    return;
  end = stream->bound_end < 0 ? (gint64)job->length : stream->bound_end;
  end = CLAMP (end, stream->bound_start, (gint64)job->length);
  span->offset = job->offset + (gsize)stream->bound_start;
  span->length = (gsize)(end - stream->bound_start);
}

/* (transfer full): the object's header fields, slices of the source. @span: of a leaf; its header
 * ends at its content at the latest. */
static GArray *
scan_object_headers (Builder *self, GMimeObject *object, const Job *job, const PostbagSpan *span)
{
  GMimeHeaderList *list = g_mime_object_get_header_list (object);
  gsize end = GMIME_IS_PART (object) ? span->offset : job->offset + job->length;
  gint64 offset = -1;
  gsize body;

  if (g_mime_header_list_get_count (list) > 0)
    offset = g_mime_header_get_offset (g_mime_header_list_get_header_at (list, 0));
  if (offset < 0 || job->offset + (gsize)offset >= end)
    return postbag_headers_scan ("", 0, &body);
  return postbag_headers_scan (self->source + job->offset + offset,
                               end - job->offset - (gsize)offset, &body);
}

static gboolean
is_identity (const char *encoding)
{
  return strcmp (encoding, "7bit") == 0 || strcmp (encoding, "8bit") == 0
         || strcmp (encoding, "binary") == 0;
}

static void
add_leaf (Builder *self, PostbagPart *part, const Frame *frame, PostbagSpan *span)
{
  span->closed = span->offset + span->length < self->length;
  span->part = part;
  part->size = (gint64)span->length;
  g_array_append_val (self->structure->spans, *span);
  if (strcmp (part->type, "message/rfc822") == 0 && is_identity (part->encoding))
    {
      Job *job = g_new0 (Job, 1);

      job->offset = span->offset;
      job->length = span->length;
      job->parent = part;
      job->depth = frame->depth + 1;
      g_queue_push_tail (&self->jobs, job);
    }
}

static void
push_children (Builder *self, GMimeMultipart *multipart, PostbagPart *part, const Frame *frame)
{
  int count = g_mime_multipart_get_count (multipart);
  const char *prefix = frame->number;
  gboolean is_digest = strcmp (part->type, "multipart/digest") == 0;

  if (count > POSTBAG_LIMIT_MIME_PARTS)
    {
      count = POSTBAG_LIMIT_MIME_PARTS;
      self->structure->complete = FALSE;
    }
  if (prefix == NULL && frame->parent != NULL)
    prefix = frame->parent->number; /* right inside a message/rfc822 */
  for (int i = count - 1; i >= 0; i--)
    push_frame (self, g_mime_multipart_get_part (multipart, i), part,
                make_child_number (prefix, (guint)i), frame->depth + 1, is_digest);
}

static void
add_object (Builder *self, const Frame *frame, const Job *job)
{
  g_autoptr (GArray) headers = NULL;
  PostbagSpan span = { 0 };
  PostbagPart *part;

  if (GMIME_IS_PART (frame->object))
    locate_content (frame->object, job, &span);
  headers = scan_object_headers (self, frame->object, job, &span);
  part = postbag_structure_describe (headers, &span);
  if (frame->in_digest && postbag_headers_find (headers, "Content-Type", 0) == NULL)
    {
      g_free (part->type);
      part->type = g_strdup ("message/rfc822"); /* RFC 2046 section 5.1.5 */
    }
  attach (self, part, frame->parent);
  if (GMIME_IS_MULTIPART (frame->object))
    {
      part->number = g_strdup (frame->number);
      push_children (self, GMIME_MULTIPART (frame->object), part, frame);
      return;
    }
  /* a body that is one part has a number of its own */
  if (frame->number == NULL)
    part->number = make_child_number (frame->parent != NULL ? frame->parent->number : NULL, 0);
  else
    part->number = g_strdup (frame->number);
  add_leaf (self, part, frame, &span);
}

/* Where GMime sees nothing (no header field, a multipart without a part) the body is one text. */
static void
add_plain_body (Builder *self, const Job *job)
{
  gsize body;
  g_autoptr (GArray) headers =
      postbag_headers_scan (self->source + job->offset, job->length, &body);
  PostbagSpan span = { 0 };
  PostbagPart *part = postbag_structure_describe (headers, &span);
  Frame frame = { NULL, job->parent, NULL, job->depth, FALSE };

  if (g_str_has_prefix (part->type, "multipart/"))
    {
      g_free (part->type);
      part->type = g_strdup ("text/plain");
    }
  part->number = make_child_number (job->parent != NULL ? job->parent->number : NULL, 0);
  attach (self, part, job->parent);
  span.offset = job->offset + body;
  span.length = job->length - body;
  add_leaf (self, part, &frame, &span);
}

static gboolean
may_add (Builder *self, guint depth)
{
  if (self->parts < POSTBAG_LIMIT_MIME_PARTS && depth <= POSTBAG_LIMIT_MIME_DEPTH)
    return TRUE;
  self->structure->complete = FALSE;
  return FALSE;
}

/* A message in a message in a message is parsed as often as it is deep. */
static gboolean
may_parse (Builder *self, const Job *job)
{
  gsize unit = MAX (self->length, POSTBAG_LIMIT_HEADER_BLOCK_BYTES);

  self->parsed += job->length;
  if (self->parsed / POSTBAG_LIMIT_MIME_REPARSED <= unit)
    return TRUE;
  self->structure->complete = FALSE;
  return FALSE;
}

static void
run_job (Builder *self, const Job *job)
{
  g_autoptr (GMimeObject) tree = NULL;
  gboolean complete = TRUE;
  Frame *frame;

  if (!may_parse (self, job) || !may_add (self, job->depth))
    return;
  tree = parse_tree (self->source + job->offset, job->length, &complete);
  self->structure->complete &= complete;
  if (tree == NULL
      || (GMIME_IS_MULTIPART (tree) && g_mime_multipart_get_count (GMIME_MULTIPART (tree)) == 0))
    {
      add_plain_body (self, job);
      return;
    }
  push_frame (self, tree, job->parent, NULL, job->depth, FALSE);
  while ((frame = g_queue_pop_head (&self->frames)) != NULL)
    {
      if (may_add (self, frame->depth))
        add_object (self, frame, job);
      g_free (frame->number);
      g_free (frame);
    }
}

/* A message cut out of a mailbox file starts with a line `From sender date`. */
static gsize
measure_mailbox_separator (const char *source, gsize length)
{
  const char *end;

  if (length < 5 || memcmp (source, "From ", 5) != 0)
    return 0;
  end = memchr (source, '\n', length);
  return end != NULL ? (gsize)(end - source) + 1 : length;
}

PostbagStructure *
postbag_structure_build (GBytes *source)
{
  PostbagStructure *structure = g_new0 (PostbagStructure, 1);
  Builder self = { 0 };
  Job *job = g_new0 (Job, 1);

  start_gmime ();
  self.source = g_bytes_get_data (source, &self.length);
  if (self.length == 0)
    self.source = "";
  self.length = MIN (self.length, G_MAXINT32); /* GMime counts in 32 bits */
  self.structure = structure;
  structure->spans = g_array_new (FALSE, FALSE, sizeof (PostbagSpan));
  structure->complete = TRUE;
  job->offset = measure_mailbox_separator (self.source, self.length);
  job->length = self.length - job->offset;
  g_queue_push_tail (&self.jobs, job);
  while ((job = g_queue_pop_head (&self.jobs)) != NULL)
    {
      run_job (&self, job);
      g_free (job);
    }
  return structure;
}

void
postbag_structure_free (PostbagStructure *self)
{
  if (self == NULL)
    return;
  postbag_part_free (self->root);
  g_array_unref (self->spans);
  g_free (self);
}
