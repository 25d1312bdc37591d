/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The operators of ISO 32000-1, annex A that place, colour and clip, gone through once. Only what
 * is certain counts: where a colour, an area or what a name stands for is not known, the text is
 * seen. What has been painted is kept as boxes, the last one on top. */

#include "postbag-pdf-drawn.h"

#include <string.h>

#include "base/postbag-limits.h"

#include "postbag-pdf-alpha.h"
#include "postbag-pdf-dictionary.h"
#include "postbag-pdf-geometry.h"

#define MOST_SAVED 32
#define MOST_BOXES 512
#define MOST_PARTS 16  /* of one path */
#define MOST_STATES 16 /* that are told apart */
#define MARGIN 1.0
#define SAME_COLOR 0.03
#define SMALLEST_PICTURE 4.0 /* points: what is smaller under its matrix is a form */
#define EVERYWHERE 1e9
#define HEAD_BYTES 64

typedef struct
{
  gboolean is_known;
  double red, green, blue;
} Color;

typedef struct
{
  PostbagPdfBox box;
  Color color;
} Painted;

typedef struct
{
  PostbagPdfMatrix matrix;
  Color fill;
  PostbagPdfBox clip;
  gboolean clip_is_box;
  gboolean is_gray;  /* the space of colours with one component */
  gboolean is_mixed; /* something was set that may make paint transparent */
  double size, leading;
  int mode;
  guint state; /* the last one set that has a name: of states, from 1; 0: none */
} Graphics;

/* A graphics state, and how much text that is seen otherwise is drawn in it. */
typedef struct
{
  char name[POSTBAG_PDF_WORD_BYTES];
  gint64 runs;
} State;

struct _PostbagPdfDrawn
{
  double farthest;
  gboolean is_outside;
  gint64 hidden, inkless;
  gboolean was_hidden, was_inkless; /* the last text that was shown */
  gboolean has_pictures;            /* in a content */
  State states[MOST_STATES];
  guint n_states, last_state; /* of the last text */

  Graphics graphics, saved[MOST_SAVED];
  guint n_saved; /* may be more than there is room for */
  PostbagPdfMatrix text, line;
  Painted painted[MOST_BOXES];
  guint n_painted;

  PostbagPdfBox parts[MOST_PARTS], path; /* of the path */
  guint n_parts, n_points;
  gboolean is_rough; /* it is more than boxes */
  gboolean clips;

  double numbers[6]; /* the last ones */
  guint n_numbers;
  gboolean has_name, has_letters;
  char name[POSTBAG_PDF_WORD_BYTES];
  double scale; /* of all matrices of a stream together */
};

static const Color white = { TRUE, 1, 1, 1 }, black = { TRUE, 0, 0, 0 }, unknown;
static const PostbagPdfMatrix identity = { 1, 0, 0, 1, 0, 0 };
static const PostbagPdfBox everywhere = { -EVERYWHERE, -EVERYWHERE, EVERYWHERE, EVERYWHERE };

static void
begin_graphics (PostbagPdfDrawn *self)
{
  self->graphics = (Graphics){
    .matrix = identity, .fill = black, .clip = everywhere, .clip_is_box = TRUE, .is_gray = TRUE
  };
  self->n_saved = 0;
}

PostbagPdfDrawn *
postbag_pdf_drawn_new (double farthest)
{
  PostbagPdfDrawn *self = g_new0 (PostbagPdfDrawn, 1);

  self->farthest = farthest;
  begin_graphics (self);
  return self;
}

void
postbag_pdf_drawn_free (PostbagPdfDrawn *self)
{
  g_free (self);
}

gboolean
postbag_pdf_drawn_is_outside (const PostbagPdfDrawn *self)
{
  return self->is_outside;
}

gint64
postbag_pdf_drawn_count_hidden (const PostbagPdfDrawn *self, gboolean has_pictures)
{
  return self->hidden + (has_pictures || self->has_pictures ? 0 : self->inkless);
}

gint64
postbag_pdf_drawn_count_transparent (const PostbagPdfDrawn *self, const guint8 *document,
                                     gsize length)
{
  gint64 count = 0;

  for (guint i = 0; i < self->n_states; i++)
    if (self->states[i].runs > 0
        && postbag_pdf_alpha_is_nought (document, length, self->states[i].name))
      count += self->states[i].runs;
  return count;
}

/* --- operands --- */

static double
get_operand (const PostbagPdfDrawn *self, guint from_end)
{
  return self->n_numbers >= from_end ? self->numbers[6 - from_end] : 0;
}

static void
add_operand (PostbagPdfDrawn *self, double number)
{
  memmove (self->numbers, self->numbers + 1, 5 * sizeof (double));
  self->numbers[5] = number;
  self->n_numbers = MIN (self->n_numbers + 1, 6);
}

static PostbagPdfMatrix
get_matrix (const PostbagPdfDrawn *self)
{
  return (PostbagPdfMatrix){ get_operand (self, 6), get_operand (self, 5), get_operand (self, 4),
                             get_operand (self, 3), get_operand (self, 2), get_operand (self, 1) };
}

/* Integers and decimals: there are no others. */
static gboolean
read_number (const char *text, double *number)
{
  gboolean is_negative = *text == '-';
  double value = 0, place = 0;
  gboolean has_digits = FALSE;

  for (text += *text == '-' || *text == '+'; *text != '\0'; text++)
    {
      if (*text == '.' && place == 0)
        place = 1;
      else if (!g_ascii_isdigit (*text))
        return FALSE;
      else
        {
          has_digits = TRUE;
          value = value * 10 + (*text - '0');
          place *= 10;
        }
    }
  value = place > 1 ? value / place : value;
  *number = is_negative ? -value : value;
  return has_digits;
}

/* --- paint --- */

static void
paint (PostbagPdfDrawn *self, const PostbagPdfBox *box, Color color)
{
  Painted *place;

  /* Too many to remember: the first ones are what most of a page lies on. */
  if (self->n_painted == MOST_BOXES)
    {
      self->painted[MOST_BOXES - 1] = (Painted){ everywhere, unknown };
      return;
    }
  place = &self->painted[self->n_painted++];
  place->box = postbag_pdf_box_intersect (box, &self->graphics.clip);
  place->color = self->graphics.clip_is_box ? color : unknown;
}

static void
add_point (PostbagPdfDrawn *self, double x, double y)
{
  PostbagPdfBox *path = &self->path;

  postbag_pdf_matrix_map (&self->graphics.matrix, &x, &y);
  if (self->n_points++ == 0)
    *path = (PostbagPdfBox){ x, y, x, y };
  *path =
      (PostbagPdfBox){ MIN (path->x1, x), MIN (path->y1, y), MAX (path->x2, x), MAX (path->y2, y) };
}

static void
add_box (PostbagPdfDrawn *self)
{
  double x = get_operand (self, 4), y = get_operand (self, 3);
  double width = get_operand (self, 2), height = get_operand (self, 1);

  add_point (self, x, y);
  add_point (self, x + width, y + height);
  add_point (self, x + width, y);
  add_point (self, x, y + height);
  if (self->n_parts == MOST_PARTS || !postbag_pdf_matrix_is_straight (&self->graphics.matrix))
    self->is_rough = TRUE;
  else
    self->parts[self->n_parts++] =
        postbag_pdf_matrix_map_box (&self->graphics.matrix, x, y, width, height);
}

static void
add_line (PostbagPdfDrawn *self, guint n_points)
{
  for (guint i = n_points; i > 0; i--)
    add_point (self, get_operand (self, 2 * i), get_operand (self, 2 * i - 1));
  self->is_rough = TRUE;
}

/* A box in a box may be the inside of a frame. */
static gboolean
is_framed (const PostbagPdfDrawn *self)
{
  for (guint i = 0; i < self->n_parts; i++)
    for (guint j = 0; j < self->n_parts; j++)
      if (i != j && postbag_pdf_box_contains (&self->parts[i], self->parts[j].x1, self->parts[j].y1)
          && postbag_pdf_box_contains (&self->parts[i], self->parts[j].x2, self->parts[j].y2))
        return TRUE;
  return FALSE;
}

static void
fill_path (PostbagPdfDrawn *self)
{
  const Graphics *graphics = &self->graphics;
  gboolean is_light = graphics->fill.is_known && graphics->fill.red > 1 - SAME_COLOR;
  Color color = graphics->is_mixed && is_light ? unknown : graphics->fill;

  if (self->n_points == 0)
    return;
  if (self->is_rough || is_framed (self))
    {
      paint (self, &self->path, unknown);
      return;
    }
  for (guint i = 0; i < self->n_parts; i++)
    paint (self, &self->parts[i], color);
}

static void
end_path (PostbagPdfDrawn *self)
{
  if (self->clips && self->n_points > 0)
    {
      self->graphics.clip = postbag_pdf_box_intersect (&self->graphics.clip, &self->path);
      self->graphics.clip_is_box &= !self->is_rough && self->n_parts == 1;
    }
  self->n_points = self->n_parts = 0;
  self->is_rough = self->clips = FALSE;
}

/* A picture fills the unit square; a form may paint anywhere. */
static void
paint_object (PostbagPdfDrawn *self)
{
  PostbagPdfBox box = postbag_pdf_matrix_map_box (&self->graphics.matrix, 0, 0, 1, 1);
  gboolean is_large = MAX (box.x2 - box.x1, box.y2 - box.y1) > SMALLEST_PICTURE;

  paint (self, is_large ? &box : &everywhere, unknown);
}

/* --- colours --- */

static Color
mix (double cyan, double magenta, double yellow, double key)
{
  return (Color){ TRUE, 1 - MIN (cyan + key, 1), 1 - MIN (magenta + key, 1),
                  1 - MIN (yellow + key, 1) };
}

static Color
read_color (const PostbagPdfDrawn *self, guint components)
{
  double one = get_operand (self, 1), two = get_operand (self, 2), three = get_operand (self, 3);

  if (self->n_numbers != components)
    return unknown;
  if (components == 1)
    return (Color){ TRUE, one, one, one };
  return components == 3 ? (Color){ TRUE, three, two, one }
                         : mix (get_operand (self, 4), three, two, one);
}

/* Three components are red, green and blue and four are inks, but one may be anything. */
static void
set_any_color (PostbagPdfDrawn *self)
{
  guint components = self->n_numbers;

  self->graphics.fill =
      !self->has_name
              && (components == 3 || components == 4 || (components == 1 && self->graphics.is_gray))
          ? read_color (self, components)
          : unknown;
}

static void
set_space (PostbagPdfDrawn *self)
{
  self->graphics.is_gray = strcmp (self->name, "DeviceGray") == 0;
  self->graphics.fill = g_str_has_prefix (self->name, "Device") ? black : unknown;
}

/* --- text --- */

static Color
get_behind (const PostbagPdfDrawn *self, double x, double y)
{
  for (guint i = self->n_painted; i > 0; i--)
    if (postbag_pdf_box_contains (&self->painted[i - 1].box, x, y))
      return self->painted[i - 1].color;
  return white;
}

static gboolean
is_same_color (const Color *one, const Color *other)
{
  return one->is_known && other->is_known && ABS (one->red - other->red) < SAME_COLOR
         && ABS (one->green - other->green) < SAME_COLOR
         && ABS (one->blue - other->blue) < SAME_COLOR;
}

/* A text may begin outside and come in. */
static gboolean
is_clipped (const PostbagPdfBox *clip, double x, double y, double height)
{
  return y < clip->y1 - height || y > clip->y2 + height || x > clip->x2 + height;
}

static gboolean
is_hidden (const PostbagPdfDrawn *self)
{
  const Graphics *graphics = &self->graphics;
  PostbagPdfMatrix place = postbag_pdf_matrix_multiply (&self->text, &graphics->matrix);
  double x = 0.1 * graphics->size, y = 0.3 * graphics->size;
  double height = ABS (graphics->size) * (ABS (place.b) + ABS (place.d));
  Color behind;

  postbag_pdf_matrix_map (&place, &x, &y);
  if (is_clipped (&graphics->clip, x, y, height))
    return TRUE;
  behind = get_behind (self, x, y);
  return (graphics->mode == 0 || graphics->mode == 4) && is_same_color (&graphics->fill, &behind);
}

static void
count_in_state (PostbagPdfDrawn *self, guint state)
{
  if (state > 0 && state != self->last_state)
    self->states[state - 1].runs++;
  self->last_state = state;
}

static void
show_text (PostbagPdfDrawn *self)
{
  gboolean inkless = self->graphics.mode == 3 || self->graphics.mode == 7;
  gboolean hidden;

  if (!self->has_letters)
    return;
  hidden = !inkless && is_hidden (self);
  self->hidden += hidden && !self->was_hidden;
  self->inkless += inkless && !self->was_inkless;
  self->was_hidden = hidden;
  self->was_inkless = inkless;
  count_in_state (self, hidden || inkless ? 0 : self->graphics.state);
}

static void
move_line (PostbagPdfDrawn *self, double x, double y)
{
  PostbagPdfMatrix move = { 1, 0, 0, 1, x, y };

  self->text = self->line = postbag_pdf_matrix_multiply (&move, &self->line);
}

/* --- what may be beyond all boxes --- */

static gboolean
is_far (const PostbagPdfDrawn *self)
{
  double x = get_operand (self, 2) * self->scale;
  double y = get_operand (self, 1) * self->scale;

  return MAX (ABS (x), ABS (y)) > self->farthest;
}

static void
look_far (PostbagPdfDrawn *self, gboolean is_text_matrix)
{
  if (self->farthest > 0 && !self->is_outside)
    self->is_outside =
        is_far (self)
        || (is_text_matrix && MIN (get_operand (self, 1), get_operand (self, 2)) < -MARGIN);
}

/* --- operators --- */

static void
save (PostbagPdfDrawn *self)
{
  if (self->n_saved < MOST_SAVED)
    self->saved[self->n_saved] = self->graphics;
  self->n_saved++;
}

static void
restore (PostbagPdfDrawn *self)
{
  if (self->n_saved == 0)
    return;
  self->n_saved--;
  if (self->n_saved < MOST_SAVED)
    self->graphics = self->saved[self->n_saved];
}

static void
change_matrix (PostbagPdfDrawn *self)
{
  PostbagPdfMatrix matrix = get_matrix (self);
  double scale = MAX (ABS (matrix.a), ABS (matrix.b));

  look_far (self, FALSE);
  if (scale > 0 && scale < self->scale)
    self->scale = scale;
  self->graphics.matrix = postbag_pdf_matrix_multiply (&matrix, &self->graphics.matrix);
}

static void
set_text_matrix (PostbagPdfDrawn *self)
{
  look_far (self, TRUE);
  self->text = self->line = get_matrix (self);
}

static void
set_state (PostbagPdfDrawn *self)
{
  guint i = 0;

  self->graphics.is_mixed = TRUE;
  while (i < self->n_states && strcmp (self->states[i].name, self->name) != 0)
    i++;
  if (i == self->n_states && i < MOST_STATES)
    {
      memcpy (self->states[i].name, self->name, sizeof self->name);
      self->n_states++;
    }
  self->graphics.state = i < self->n_states ? i + 1 : 0;
}

static void
start_line (PostbagPdfDrawn *self)
{
  look_far (self, FALSE);
  move_line (self, get_operand (self, 2), get_operand (self, 1));
}

static void
start_line_with_leading (PostbagPdfDrawn *self)
{
  self->graphics.leading = -get_operand (self, 1);
  start_line (self);
}

#define KEY(a, b, c) ((guint)(a) | (guint)(b) << 8 | (guint)(c) << 16)

/* Returns: whether it was one of these */
static gboolean
take_path_operator (PostbagPdfDrawn *self, guint key)
{
  switch (key)
    {
    case KEY ('r', 'e', 0):
      add_box (self);
      return TRUE;
    case KEY ('m', 0, 0):
    case KEY ('l', 0, 0):
      add_line (self, 1);
      return TRUE;
    case KEY ('c', 0, 0):
      add_line (self, 3);
      return TRUE;
    case KEY ('v', 0, 0):
    case KEY ('y', 0, 0):
      add_line (self, 2);
      return TRUE;
    case KEY ('W', 0, 0):
    case KEY ('W', '*', 0):
      self->clips = TRUE;
      return TRUE;
    case KEY ('f', 0, 0):
    case KEY ('F', 0, 0):
    case KEY ('f', '*', 0):
    case KEY ('B', 0, 0):
    case KEY ('B', '*', 0):
    case KEY ('b', 0, 0):
    case KEY ('b', '*', 0):
      fill_path (self);
      end_path (self);
      return TRUE;
    case KEY ('S', 0, 0):
    case KEY ('s', 0, 0):
    case KEY ('n', 0, 0):
      end_path (self);
      return TRUE;
    default:
      return FALSE;
    }
}

static gboolean
take_text_operator (PostbagPdfDrawn *self, guint key)
{
  switch (key)
    {
    case KEY ('B', 'T', 0):
      self->text = self->line = identity;
      return TRUE;
    case KEY ('T', 'f', 0):
      self->graphics.size = get_operand (self, 1);
      return TRUE;
    case KEY ('T', 'L', 0):
      self->graphics.leading = get_operand (self, 1);
      return TRUE;
    case KEY ('T', 'r', 0):
      self->graphics.mode = (int)CLAMP (get_operand (self, 1), 0, 7);
      return TRUE;
    case KEY ('T', 'd', 0):
      start_line (self);
      return TRUE;
    case KEY ('T', 'D', 0):
      start_line_with_leading (self);
      return TRUE;
    case KEY ('T', 'm', 0):
      set_text_matrix (self);
      return TRUE;
    case KEY ('T', '*', 0):
      move_line (self, 0, -self->graphics.leading);
      return TRUE;
    case KEY ('\'', 0, 0):
    case KEY ('"', 0, 0):
      move_line (self, 0, -self->graphics.leading);
      show_text (self);
      return TRUE;
    case KEY ('T', 'j', 0):
    case KEY ('T', 'J', 0):
      show_text (self);
      return TRUE;
    default:
      return FALSE;
    }
}

static void
take_state_operator (PostbagPdfDrawn *self, guint key)
{
  switch (key)
    {
    case KEY ('q', 0, 0):
      save (self);
      break;
    case KEY ('Q', 0, 0):
      restore (self);
      break;
    case KEY ('c', 'm', 0):
      change_matrix (self);
      break;
    case KEY ('g', 0, 0):
      self->graphics.fill = read_color (self, 1);
      break;
    case KEY ('r', 'g', 0):
      self->graphics.fill = read_color (self, 3);
      break;
    case KEY ('k', 0, 0):
      self->graphics.fill = read_color (self, 4);
      break;
    case KEY ('c', 's', 0):
      set_space (self);
      break;
    case KEY ('s', 'c', 0):
    case KEY ('s', 'c', 'n'):
      set_any_color (self);
      break;
    case KEY ('g', 's', 0):
      set_state (self);
      break;
    case KEY ('D', 'o', 0):
      paint_object (self);
      break;
    case KEY ('s', 'h', 0):
      paint (self, &everywhere, unknown);
      break;
    default:
      break;
    }
}

/* --- words --- */

/* Behind "ID": the bytes of a picture, up to "EI". */
static void
skip_picture (PostbagPdfDrawn *self, PostbagPdfWords *words)
{
  const guint8 *at = words->at;

  self->has_pictures = TRUE;
  paint_object (self);
  while (
      at < words->end && (at = memmem (at, (gsize)(words->end - at), "EI", 2)) != NULL
      && !(postbag_pdf_is_blank (at[-1]) && (words->end - at == 2 || postbag_pdf_is_blank (at[2]))))
    at++;
  words->at = at != NULL ? at : words->end;
}

static void
take_operator (PostbagPdfDrawn *self, PostbagPdfWords *words)
{
  const char *text = words->text;
  guint key = KEY ((guchar)text[0], (guchar)text[1], text[1] != '\0' ? (guchar)text[2] : 0);

  if (text[1] != '\0' && text[2] != '\0' && text[3] != '\0')
    key = 0;
  if (key == KEY ('I', 'D', 0))
    skip_picture (self, words);
  else if (key != 0 && !take_path_operator (self, key) && !take_text_operator (self, key))
    take_state_operator (self, key);
  self->n_numbers = 0;
  self->has_name = self->has_letters = FALSE;
}

/* A string, from its bracket on; blanks are no letters, as a byte and as two. */
static gboolean
is_blank_string (const guint8 *start, const guint8 *end)
{
  for (; start < end; start++)
    if (*start != '(' && *start != ')' && !postbag_pdf_is_blank (*start))
      return FALSE;
  return TRUE;
}

static gboolean
is_blank_hex (const char *text)
{
  return strspn (text, "02") == strlen (text);
}

static void
take_word (PostbagPdfDrawn *self, PostbagPdfWords *words, const guint8 *start, gboolean is_hex)
{
  double number;

  if (words->kind == POSTBAG_PDF_WORD_NAME)
    {
      self->has_name = TRUE;
      memcpy (self->name, words->text, sizeof self->name);
    }
  else if (*words->text == '\0')
    self->has_letters |= !is_blank_string (start, words->at);
  else if (is_hex)
    self->has_letters |= !is_blank_hex (words->text);
  else if (strchr ("<>[]{})", *words->text) != NULL)
    return;
  else if (read_number (words->text, &number))
    add_operand (self, number);
  else
    take_operator (self, words);
}

static void
read_words (PostbagPdfDrawn *self, const guint8 *data, gsize length)
{
  PostbagPdfWords words = { .at = data, .end = data + length };
  gboolean is_hex = FALSE;

  for (;;)
    {
      const guint8 *start = words.at;
      gboolean opens;

      if (!postbag_pdf_words_next (&words))
        return;
      opens = words.kind == POSTBAG_PDF_WORD_OTHER && words.text[0] == '<' && words.text[1] == '\0';
      take_word (self, &words, start, is_hex && words.text[0] != '>');
      is_hex = opens;
    }
}

/* Words, not a font or a table of characters. */
static gboolean
may_draw (const guint8 *data, gsize length)
{
  gsize head = MIN (length, HEAD_BYTES);

  for (gsize i = 0; i < head; i++)
    if (data[i] >= 0x7f || (data[i] < 0x20 && !postbag_pdf_is_blank (data[i])))
      return FALSE;
  return head > 0 && memmem (data, head, "/CIDInit", MIN (head, 8)) == NULL;
}

/* What one stream of a page leaves the next goes on with. Where nobody knows which one was before,
 * neither the colour nor what lies behind is known but what the stream itself sets and paints. */
static void
begin_stream (PostbagPdfDrawn *self, PostbagPdfDrawnPlace place)
{
  self->scale = 1;
  if (place == POSTBAG_PDF_DRAWN_GOES_ON)
    return;
  begin_graphics (self);
  self->n_painted = 0;
  if (place == POSTBAG_PDF_DRAWN_ANYWHERE)
    {
      paint (self, &everywhere, unknown);
      self->graphics.fill = unknown;
    }
  self->n_points = self->n_parts = self->n_numbers = 0;
  self->has_name = self->has_letters = self->is_rough = self->clips = FALSE;
  self->was_hidden = self->was_inkless = FALSE;
  self->last_state = 0;
  self->text = self->line = identity;
}

gboolean
postbag_pdf_drawn_look (PostbagPdfDrawn *self, PostbagPdfDrawnPlace place, const guint8 *data,
                        gsize length)
{
  gboolean has_text = length > 0 && memmem (data, length, "BT", 2) != NULL;

  if (!has_text && !may_draw (data, length))
    return FALSE;
  begin_stream (self, place);
  read_words (self, data, length);
  return TRUE;
}
