/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The tree of parts (RFC 2046 section 5.1): one pass over the lines of the source, with a stack of
 * the multiparts that are open; nothing is copied, a part's bytes are a slice.
 *
 * A line `--boundary` ends everything that was begun inside that multipart. It need only start with
 * the boundary (the RFC asks for that); of several that fit, the longest counts, of equals the
 * innermost: so one boundary may begin with another. Where a multipart's boundary occurs nowhere,
 * the scan goes back once, to the first line that looks like one and is followed by a Content-
 * field. What is inside another encoding (a forwarded message in base64, an opaque signature) is
 * decoded and scanned as a source of its own; files inside a text become children of the text.
 *
 * Depth, number of parts and the bytes that are scanned again or decoded are bounded here. */

#include "mime/postbag-structure-private.h"

#include <string.h>

#include "base/postbag-limits.h"

#define NOWHERE G_MAXSIZE

/* An open multipart. */
typedef struct
{
  PostbagPart *part;
  char *prefix;          /* (nullable): what the numbers of its parts start with */
  GPtrArray *boundaries; /* char *: those that may be its own; one, once one was seen */
  char *other_type;      /* (nullable) */
  guint depth;           /* of its parts */
  gsize body;
  gsize candidate; /* start of the first line that looks like a boundary */
  gboolean seen;   /* one of its delimiters was */
  gboolean guessed;
} Level;

/* A body whose end is not known yet: which span, and in how many multiparts it stands. */
typedef struct
{
  guint span;
  guint levels;
} OpenSpan;

static void
free_level (gpointer data)
{
  Level *self = data;

  g_free (self->prefix);
  g_ptr_array_unref (self->boundaries);
  g_free (self->other_type);
  g_free (self);
}

void
postbag_builder_warn (PostbagBuilder *self, PostbagWarning warning)
{
  postbag_warnings_add (&self->structure->warnings, warning);
}

/* --- budget --- */

gboolean
postbag_builder_may_add (PostbagBuilder *self)
{
  if (self->parts < POSTBAG_LIMIT_MIME_PARTS)
    return TRUE;
  postbag_builder_warn (self, POSTBAG_WARNING_LIMIT_PARTS);
  return FALSE;
}

gboolean
postbag_builder_may_nest (PostbagBuilder *self, guint depth)
{
  if (depth < POSTBAG_LIMIT_MIME_DEPTH)
    return TRUE;
  postbag_builder_warn (self, POSTBAG_WARNING_LIMIT_DEPTH);
  return FALSE;
}

/* Messages in messages in messages could cost the square of their size. */
gboolean
postbag_builder_may_spend (PostbagBuilder *self, gsize bytes)
{
  gsize unit = MAX (self->size, POSTBAG_LIMIT_HEADER_BLOCK_BYTES);

  if (bytes <= unit && (self->spent + bytes) / POSTBAG_LIMIT_MIME_REPARSED <= unit)
    {
      self->spent += bytes;
      return TRUE;
    }
  postbag_builder_warn (self, POSTBAG_WARNING_LIMIT_BYTES);
  return FALSE;
}

/* --- lines --- */

/* Where the next line starts. */
static gsize
find_next_line (const PostbagBuilder *self, gsize position)
{
  const char *newline = memchr (self->data + position, '\n', self->length - position);

  return newline != NULL ? (gsize)(newline - self->data) + 1 : self->length;
}

/* The next line from @position (a line's start) on that starts with two hyphens. */
static gsize
find_hyphens (const PostbagBuilder *self, gsize position)
{
  while (position < self->length
         && !(self->length - position >= 2 && self->data[position] == '-'
              && self->data[position + 1] == '-'))
    position = find_next_line (self, position);
  return position;
}

static gsize
measure_text (const PostbagBuilder *self, gsize start, gsize next)
{
  while (next > start && strchr ("\r\n \t", self->data[next - 1]) != NULL
         && self->data[next - 1] != '\0')
    next--;
  return next - start;
}

/* --- delimiters --- */

typedef struct
{
  guint level;  /* index */
  gsize length; /* of the boundary; 0: no delimiter */
  const char *boundary;
  gboolean closes;
} Delimiter;

/* What follows a boundary: `--`, also behind the blank that a boundary was declared to end with. */
static gboolean
is_closing (const char *text, gsize length)
{
  PostbagSlice rest = postbag_slice_trim ((PostbagSlice){ text, length });

  if (length >= 2 && text[0] == '-' && text[1] == '-')
    return TRUE;
  return rest.length == 2 && rest.data[0] == '-' && rest.data[1] == '-';
}

/* Which open multipart the line at @start, which has two hyphens, belongs to. */
static Delimiter
match_delimiter (const PostbagBuilder *self, gsize start, gsize next)
{
  Delimiter found = { 0 };
  const char *text = self->data + start + 2;
  gsize length = next - start - 2;

  for (guint i = self->levels->len; i > 0; i--)
    {
      const Level *level = g_ptr_array_index (self->levels, i - 1);

      for (guint b = 0; b < level->boundaries->len; b++)
        {
          const char *boundary = g_ptr_array_index (level->boundaries, b);
          gsize size = strlen (boundary);

          if (size <= found.length || size > length || memcmp (text, boundary, size) != 0)
            continue;
          found.level = i - 1;
          found.length = size;
          found.boundary = boundary;
        }
    }
  found.closes = found.length > 0 && is_closing (text + found.length, length - found.length);
  return found;
}

/* Something between the boundary and the end of its line: a reader that wants the whole line to
 * fit does not see this one. */
static void
judge_delimiter (PostbagBuilder *self, const Delimiter *delimiter, gsize start, gsize next)
{
  gsize used = 2 + delimiter->length + (delimiter->closes ? 2 : 0);

  if (measure_text (self, start, next) > used)
    postbag_builder_warn (self, POSTBAG_WARNING_UNUSUAL_BOUNDARY);
}

/* `--` and one word with a letter or digit in it, and a Content- field in the next line. */
static gboolean
looks_like_delimiter (const PostbagBuilder *self, gsize start, gsize next)
{
  gsize length = measure_text (self, start, next);
  gboolean has_letter = FALSE;

  if (length < 3 || length > 2 + 100 || self->length - next < 8
      || g_ascii_strncasecmp (self->data + next, "content-", 8) != 0)
    return FALSE;
  for (gsize i = start + 2; i < start + length; i++)
    {
      if ((guchar)self->data[i] <= ' ')
        return FALSE;
      has_letter |= g_ascii_isalnum (self->data[i]);
    }
  return has_letter;
}

static void
note_other_line (PostbagBuilder *self, gsize start, gsize next)
{
  Level *level =
      self->levels->len > 0 ? g_ptr_array_index (self->levels, self->levels->len - 1) : NULL;
  gsize size = self->ended != NULL ? strlen (self->ended) : 0;

  if (level != NULL && !level->seen && level->candidate == NOWHERE
      && looks_like_delimiter (self, start, next))
    level->candidate = start;
  if (size > 0 && next - start >= size + 2
      && memcmp (self->data + start + 2, self->ended, size) == 0)
    postbag_builder_warn (self, POSTBAG_WARNING_PARTS_AFTER_END);
}

/* --- parts --- */

void
postbag_builder_attach (PostbagBuilder *self, PostbagPart *part, PostbagPart *parent)
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

/* The number of child @index (RFC 9051 section 6.4.5); @prefix is nullable. */
char *
postbag_builder_make_number (const char *prefix, guint index)
{
  return prefix != NULL ? g_strdup_printf ("%s.%u", prefix, index + 1)
                        : g_strdup_printf ("%u", index + 1);
}

static void
set_type (PostbagPart *part, const char *type)
{
  g_free (part->type);
  part->type = g_strdup (type);
}

/* A body starts at @offset; its end is found later. */
static void
begin_span (PostbagBuilder *self, PostbagPart *part, gsize offset, guint depth,
            const PostbagDescription *description)
{
  PostbagSpan span = { .part = part, .source = self->source, .offset = offset, .depth = depth };
  OpenSpan open = { self->structure->spans->len, self->levels->len };

  if (description != NULL)
    {
      span.flowed = description->flowed;
      span.delete_sp = description->delete_sp;
    }
  g_array_append_val (self->structure->spans, span);
  g_array_append_val (self->open, open);
}

/* Ends every body that stands in at least @levels multiparts, at @end. */
static void
end_spans (PostbagBuilder *self, guint levels, gsize end, gboolean closed)
{
  while (self->open->len > 0)
    {
      const OpenSpan *open = &g_array_index (self->open, OpenSpan, self->open->len - 1);
      PostbagSpan *span;

      if (open->levels < levels)
        return;
      span = &g_array_index (self->structure->spans, PostbagSpan, open->span);
      span->length = end > span->offset ? end - span->offset : 0;
      span->closed = closed;
      span->part->size = (gint64)span->length;
      g_array_set_size (self->open, self->open->len - 1);
    }
}

/* Where the header block that starts at @start ends: behind its empty line, at a delimiter, or
 * before a body that has no header. */
static gsize
find_header_end (const PostbagBuilder *self, gsize start)
{
  gsize next;

  for (gsize position = start; position < self->length; position = next)
    {
      const char *line = self->data + position;

      next = find_next_line (self, position);
      if (line[0] == '\n' || (line[0] == '\r' && (next - position == 1 || line[1] == '\n')))
        return next;
      if (next - position >= 2 && line[0] == '-' && line[1] == '-'
          && match_delimiter (self, position, next).length > 0)
        return position;
    }
  return self->length;
}

gboolean
postbag_builder_is_message (const PostbagPart *part)
{
  return strcmp (part->type, "message/rfc822") == 0 || strcmp (part->type, "message/global") == 0;
}

static void
push_level (PostbagBuilder *self, PostbagPart *part, const char *prefix, guint depth, gsize body,
            PostbagDescription *description)
{
  Level *level = g_new0 (Level, 1);

  level->part = part;
  level->prefix = g_strdup (prefix);
  level->boundaries = g_steal_pointer (&description->boundaries);
  level->other_type = g_steal_pointer (&description->other_type);
  level->depth = depth;
  level->body = body;
  level->candidate = NOWHERE;
  g_ptr_array_add (self->levels, level);
}

/* Where an entity goes. */
typedef struct
{
  PostbagPart *parent; /* (nullable) */
  const char *prefix;  /* (nullable): of its number */
  gboolean in_multipart;
  guint depth;
} Place;

/* Reads the entity at the position: its header, and what its body is. TRUE when the body is a
 * message whose header comes next, and @place is there now. */
static gboolean
read_entity (PostbagBuilder *self, Place *place)
{
  gsize end = find_header_end (self, self->position), body;
  g_autoptr (GArray) headers = postbag_headers_scan (
      self->data + self->position, end - self->position, &body, &self->structure->warnings);
  g_auto (PostbagDescription) description = { 0 };
  guint siblings =
      place->parent != NULL && place->parent->children != NULL ? place->parent->children->len : 0;
  PostbagPart *part;
  g_autofree char *number =
      postbag_builder_make_number (place->prefix, place->in_multipart ? siblings : 0);

  self->position += body;
  postbag_part_describe (headers, &description, &self->structure->warnings);
  part = g_steal_pointer (&description.part);
  if (place->in_multipart && !description.typed
      && strcmp (place->parent->type, "multipart/digest") == 0)
    set_type (part, "message/rfc822"); /* RFC 2046 section 5.1.5 */
  postbag_builder_attach (self, part, place->parent);
  if (description.boundaries != NULL && postbag_builder_may_nest (self, place->depth))
    {
      const char *prefix = place->in_multipart ? number : place->prefix;

      part->number = place->in_multipart ? g_strdup (number) : NULL;
      push_level (self, part, prefix, place->depth + 1, self->position, &description);
      return FALSE;
    }
  if (description.boundaries != NULL)
    set_type (part, "application/octet-stream"); /* too deep to be opened */
  part->number = g_steal_pointer (&number);
  begin_span (self, part, self->position, place->depth, &description);
  if (!postbag_builder_is_message (part) || !postbag_transfer_is_identity (part->encoding)
      || !postbag_builder_may_nest (self, place->depth) || !postbag_builder_may_add (self))
    return FALSE;
  *place = (Place){ part, part->number, FALSE, place->depth + 1 };
  return TRUE;
}

static void
read_entities (PostbagBuilder *self, Place place)
{
  if (!postbag_builder_may_add (self))
    return;
  while (read_entity (self, &place))
    ;
}

/* --- the end of a multipart --- */

/* Where the body of the innermost multipart ends for who does not take it for one: a delimiter of
 * its own at @end does not end it. */
static gsize
get_region_end (const PostbagBuilder *self, gsize end)
{
  return self->levels->len > 1 ? end : self->length;
}

/* One that turned out to have no parts has them inside a transfer encoding, or is a text. */
static void
make_text (PostbagBuilder *self, Level *level, gsize end, gboolean closed)
{
  PostbagSpan span = { .part = level->part,
                       .source = self->source,
                       .offset = level->body,
                       .depth = level->depth - 1,
                       .closed = closed };

  span.length = end > level->body ? end - level->body : 0;
  if (!level->seen
      && postbag_builder_open_multipart (self, &span, level->boundaries, level->prefix))
    return;
  set_type (level->part, "text/plain");
  if (level->part->number == NULL)
    level->part->number = postbag_builder_make_number (level->prefix, 0);
  level->part->size = (gint64)span.length;
  g_array_append_val (self->structure->spans, span);
  postbag_builder_warn (self, POSTBAG_WARNING_MISSING_BOUNDARY);
}

/* What the body is for who believes the other Content-Type field. */
static void
add_other_reading (PostbagBuilder *self, Level *level, gsize end, gboolean closed)
{
  PostbagPart *part;
  PostbagSpan span = { .source = self->source,
                       .offset = level->body,
                       .length = end > level->body ? end - level->body : 0,
                       .depth = level->depth,
                       .closed = closed };

  if (g_str_has_prefix (level->other_type, "multipart/") || !postbag_builder_may_add (self))
    return;
  part = postbag_part_new (level->other_type);
  part->number = postbag_builder_make_number (level->prefix, level->part->children->len);
  part->disposition = g_strdup ("attachment");
  part->size = (gint64)span.length;
  postbag_builder_attach (self, part, level->part);
  span.part = part;
  g_array_append_val (self->structure->spans, span);
}

/* Goes back to the line that looks like the boundary which was not found. */
static gboolean
try_candidate (PostbagBuilder *self, Level *level, gsize end)
{
  gsize next;

  if (level->seen || level->guessed || level->candidate == NOWHERE
      || !postbag_builder_may_spend (self, end - level->candidate))
    return FALSE;
  next = find_next_line (self, level->candidate);
  level->guessed = TRUE;
  g_ptr_array_set_size (level->boundaries, 0);
  g_ptr_array_add (level->boundaries, g_strndup (self->data + level->candidate + 2,
                                                 measure_text (self, level->candidate, next) - 2));
  self->position = level->candidate;
  postbag_builder_warn (self, POSTBAG_WARNING_MISSING_BOUNDARY);
  return TRUE;
}

/* Ends all multiparts beyond the first @keep, at @end. FALSE: one of them is tried again, the
 * position was moved. */
static gboolean
end_levels (PostbagBuilder *self, guint keep, gsize end, gboolean closed)
{
  while (self->levels->len > keep)
    {
      Level *level = g_ptr_array_index (self->levels, self->levels->len - 1);

      if (try_candidate (self, level, end))
        return FALSE;
      end_spans (self, self->levels->len, end, closed);
      if (level->part->children == NULL)
        make_text (self, level, get_region_end (self, end), closed);
      else if (level->other_type != NULL)
        add_other_reading (self, level, get_region_end (self, end), closed);
      g_ptr_array_set_size (self->levels, (int)self->levels->len - 1);
    }
  return TRUE;
}

/* --- the scan --- */

/* The line end in front of a delimiter belongs to it. */
static gsize
get_body_end (const PostbagBuilder *self, gsize start)
{
  if (start > 0 && self->data[start - 1] == '\n')
    start--;
  return start > 0 && self->data[start - 1] == '\r' ? start - 1 : start;
}

/* Nothing is read behind the last end; whether something stands there is worth saying. */
static void
look_behind_end (PostbagBuilder *self)
{
  gsize next;

  for (gsize start = self->position; (start = find_hyphens (self, start)) < self->length;
       start = next)
    {
      next = find_next_line (self, start);
      note_other_line (self, start, next);
    }
}

static void
take_delimiter (PostbagBuilder *self, const Delimiter *delimiter, gsize start, gsize next)
{
  Level *level = g_ptr_array_index (self->levels, delimiter->level);
  g_autofree char *boundary = g_strdup (delimiter->boundary);
  gsize end = get_body_end (self, start);

  if (self->levels->len > delimiter->level + 1)
    {
      if (!end_levels (self, delimiter->level + 1, end, TRUE))
        return;
      postbag_builder_warn (self, POSTBAG_WARNING_UNCLOSED_MULTIPART);
    }
  judge_delimiter (self, delimiter, start, next);
  end_spans (self, delimiter->level + 1, end, TRUE);
  if (!level->seen)
    {
      level->seen = TRUE;
      g_ptr_array_set_size (level->boundaries, 0);
      g_ptr_array_add (level->boundaries, g_strdup (boundary));
    }
  self->position = next;
  if (!delimiter->closes)
    {
      read_entities (self, (Place){ level->part, level->prefix, TRUE, level->depth });
      return;
    }
  end_levels (self, delimiter->level, end, TRUE);
  g_free (self->ended);
  self->ended = g_steal_pointer (&boundary);
  if (self->levels->len == 0)
    look_behind_end (self);
}

static void
scan_lines (PostbagBuilder *self)
{
  do
    {
      gsize start, next;

      while (self->levels->len > 0 && (start = find_hyphens (self, self->position)) < self->length)
        {
          Delimiter delimiter;

          next = find_next_line (self, start);
          delimiter = match_delimiter (self, start, next);
          if (delimiter.length > 0)
            take_delimiter (self, &delimiter, start, next);
          else
            {
              note_other_line (self, start, next);
              self->position = next;
            }
        }
      if (self->levels->len > 0)
        postbag_builder_warn (self, POSTBAG_WARNING_UNCLOSED_MULTIPART);
    }
  while (!end_levels (self, 0, self->length, self->closed));
  end_spans (self, 0, self->length, self->closed);
}

/* --- jobs --- */

static void
free_job (PostbagJob *self)
{
  g_clear_pointer (&self->boundaries, g_ptr_array_unref);
  g_free (self->prefix);
  g_free (self);
}

PostbagJob *
postbag_builder_push_job (PostbagBuilder *self, GBytes *source, const PostbagSpan *container)
{
  PostbagJob *job = g_new0 (PostbagJob, 1);

  job->source = self->structure->sources->len;
  if (container != NULL)
    {
      job->parent = container->part;
      job->depth = container->depth + 1;
      job->closed = container->closed || container->part == self->structure->root;
    }
  g_ptr_array_add (self->structure->sources, source);
  g_queue_push_tail (&self->jobs, job);
  return job;
}

/* The body of a multipart comes without its header. */
static void
enter_multipart (PostbagBuilder *self, const PostbagJob *job)
{
  g_auto (PostbagDescription) description = { .boundaries = g_ptr_array_ref (job->boundaries) };

  push_level (self, job->parent, job->prefix, job->depth, 0, &description);
}

static void
run_job (PostbagBuilder *self, const PostbagJob *job)
{
  guint first = self->structure->spans->len, last;
  const char *prefix = job->parent != NULL ? job->parent->number : NULL;
  gsize length;

  self->data =
      g_bytes_get_data (g_ptr_array_index (self->structure->sources, job->source), &length);
  self->length = length;
  if (self->data == NULL)
    self->data = "";
  self->source = job->source;
  self->closed = job->closed;
  self->position = 0;
  g_clear_pointer (&self->ended, g_free);
  if (job->boundaries != NULL)
    enter_multipart (self, job);
  else
    read_entities (self, (Place){ job->parent, prefix, FALSE, job->depth });
  scan_lines (self);
  last = self->structure->spans->len;
  for (guint i = first; i < last; i++)
    postbag_builder_open_leaf (self, i);
}

PostbagStructure *
postbag_structure_build (GBytes *source)
{
  PostbagStructure *structure = g_new0 (PostbagStructure, 1);
  PostbagBuilder self = { .structure = structure, .size = g_bytes_get_size (source) };
  PostbagJob *job;

  structure->sources = g_ptr_array_new_with_free_func ((GDestroyNotify)g_bytes_unref);
  structure->spans = g_array_new (FALSE, FALSE, sizeof (PostbagSpan));
  self.levels = g_ptr_array_new_with_free_func (free_level);
  self.open = g_array_new (FALSE, FALSE, sizeof (OpenSpan));
  postbag_builder_push_job (&self, g_bytes_ref (source), NULL);
  while ((job = g_queue_pop_head (&self.jobs)) != NULL)
    {
      run_job (&self, job);
      free_job (job);
    }
  g_ptr_array_unref (self.levels);
  g_array_unref (self.open);
  g_free (self.ended);
  structure->root->cut = (structure->warnings & POSTBAG_WARNINGS_OF_LIMITS) != 0;
  return structure;
}

GBytes *
postbag_structure_get_octets (PostbagStructure *self, const PostbagSpan *span)
{
  return g_bytes_new_from_bytes (g_ptr_array_index (self->sources, span->source), span->offset,
                                 span->length);
}

void
postbag_structure_free (PostbagStructure *self)
{
  if (self == NULL)
    return;
  postbag_part_free (self->root);
  g_ptr_array_unref (self->sources);
  g_array_unref (self->spans);
  g_free (self);
}
