/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The library orders the text of a page by columns. That is right for an article, and takes tables
 * and lists apart: first all numbers, then all items. Its text is cut into pieces of one line here;
 * pieces at one height become a line where they are cells (short, as their neighbours above and
 * below), or a bullet and its item. */

#include "postbag-pdf-lines.h"

#include <string.h>

#include "base/postbag-text.h"

#define SHORT_WORDS 3     /* of a piece and its neighbours, on average: cells of a table */
#define MARKER_LETTERS 4  /* "12.", "(a)", a bullet */
#define LONGEST_NUMBER 16 /* "EUR 1,250.50" */
/* In heights of letters. */
#define WORD_GAP 0.15
#define CELL_GAP 1.0
#define MARKER_GAP 4.0
#define SAME_LINE 0.4
#define SAME_EDGE 1.5
#define SAME_SIZE 0.15
#define NEXT_LINE 3.0

typedef struct
{
  GString *text;
  double x1, x2, y1, y2;
  guint n_words, n_letters;
  gboolean is_marker, is_number, is_short, is_written;
  guint next; /* the piece to the right on its line; 0: none */
  guint line, place;
} Piece;

static void
clear_piece (gpointer data)
{
  Piece *piece = data;

  g_string_free (piece->text, TRUE);
}

static double
get_height (const PopplerRectangle *letter)
{
  return letter->y2 - letter->y1;
}

/* --- pieces --- */

static void
add_letter (Piece *piece, gunichar letter, const PopplerRectangle *place)
{
  gboolean is_blank = g_unichar_isspace (letter);

  if (!is_blank
      && (piece->text->len == 0 || strchr (" \t", piece->text->str[piece->text->len - 1])))
    piece->n_words++;
  piece->n_letters += !is_blank;
  g_string_append_unichar (piece->text, letter);
  piece->x1 = MIN (piece->x1, place->x1);
  piece->x2 = MAX (piece->x2, place->x2);
  piece->y1 = MIN (piece->y1, place->y1);
  piece->y2 = MAX (piece->y2, place->y2);
}

/* Two letters of a line that is turned: one above the other, no farther than a blank. */
static gboolean
is_turned (const PopplerRectangle *one, const PopplerRectangle *other)
{
  double width = MIN (one->x2 - one->x1, other->x2 - other->x1);
  double shared = MIN (one->x2, other->x2) - MAX (one->x1, other->x1);
  double gap = MAX (other->y1 - one->y2, one->y1 - other->y2);

  return shared > 0.8 * width && gap < width;
}

/* Two letters that the library wrote one behind the other. */
static gboolean
is_apart (const PopplerRectangle *one, const PopplerRectangle *other)
{
  double least = 0.2 * MIN (get_height (one), get_height (other));

  return (other->y1 > one->y2 - least || other->y2 < one->y1 + least) && !is_turned (one, other);
}

static void
add_gap (Piece *piece, const PopplerRectangle *one, const PopplerRectangle *other)
{
  double gap = MAX (other->x1 - one->x2, one->x1 - other->x2);
  double height = MAX (get_height (one), get_height (other));

  if (gap > WORD_GAP * height)
    g_string_append_c (piece->text, gap > CELL_GAP * height ? '\t' : ' ');
}

static void
begin_piece (GArray *pieces, const PopplerRectangle *place)
{
  Piece piece = { .text = g_string_new (NULL),
                  .x1 = place->x1,
                  .x2 = place->x2,
                  .y1 = place->y1,
                  .y2 = place->y2,
                  .place = pieces->len };

  g_array_append_val (pieces, piece);
}

/* (transfer full) */
static GArray *
cut_pieces (const char *text, const PopplerRectangle *letters)
{
  GArray *pieces = g_array_new (FALSE, FALSE, sizeof (Piece));
  const PopplerRectangle *last = NULL;
  gboolean was_blank = FALSE;

  g_array_set_clear_func (pieces, clear_piece);
  for (; *text != '\0'; text = g_utf8_next_char (text), letters++)
    {
      gunichar letter = g_utf8_get_char (text);
      gboolean is_blank = g_unichar_isspace (letter);

      if (letter == '\n' || (last != NULL && !is_blank && is_apart (last, letters)))
        last = NULL;
      if (letter == '\n')
        continue;
      if (last == NULL)
        begin_piece (pieces, letters);
      else if (!is_blank && !was_blank)
        add_gap (&g_array_index (pieces, Piece, pieces->len - 1), last, letters);
      add_letter (&g_array_index (pieces, Piece, pieces->len - 1), letter, letters);
      /* Where a blank stands, the library only guesses. */
      if (last == NULL || !is_blank)
        last = letters;
      was_blank = is_blank;
    }
  return pieces;
}

/* --- what a piece is --- */

static gboolean
looks_like_number (const Piece *piece)
{
  guint digits = 0, letters = 0;

  if (piece->n_letters > LONGEST_NUMBER)
    return FALSE;
  for (const char *at = piece->text->str; *at != '\0'; at = g_utf8_next_char (at))
    {
      digits += g_unichar_isdigit (g_utf8_get_char (at));
      letters += g_unichar_isalpha (g_utf8_get_char (at));
    }
  return digits > 0 && letters <= 3;
}

/* "12.", "(3)", "a)", a bullet: no word */
static gboolean
looks_like_marker (const Piece *piece)
{
  gboolean has_digits = FALSE;
  guint letters = 0;

  for (const char *at = piece->text->str; *at != '\0'; at = g_utf8_next_char (at))
    {
      has_digits |= g_unichar_isdigit (g_utf8_get_char (at));
      letters += g_unichar_isalpha (g_utf8_get_char (at));
    }
  return piece->n_letters > 0 && piece->n_letters <= MARKER_LETTERS
         && (has_digits || letters == 0 || (letters == 1 && piece->n_letters > 1));
}

/* The next line of a column, in letters of one size. */
static gboolean
is_below (const Piece *upper, const Piece *lower)
{
  double one = upper->y2 - upper->y1, other = lower->y2 - lower->y1;
  double step = lower->y2 - upper->y2;

  return step > 0 && step < NEXT_LINE * one && ABS (one - other) < SAME_SIZE * one
         && (ABS (lower->x1 - upper->x1) < SAME_EDGE * one
             || ABS (lower->x2 - upper->x2) < SAME_EDGE * one);
}

/* The last line of a paragraph is short too, but not the one above it. */
static void
judge_pieces (GArray *pieces)
{
  const Piece *last = NULL;

  for (guint i = 0; i < pieces->len; i++)
    {
      Piece *piece = &g_array_index (pieces, Piece, i);
      const Piece *next = i + 1 < pieces->len ? piece + 1 : NULL;
      guint n_words = piece->n_words, count = 1;

      if (last != NULL && is_below (last, piece))
        {
          n_words += last->n_words;
          count++;
        }
      if (next != NULL && is_below (piece, next))
        {
          n_words += next->n_words;
          count++;
        }
      piece->is_short = n_words <= SHORT_WORDS * count;
      piece->is_number = looks_like_number (piece);
      piece->is_marker = looks_like_marker (piece);
      last = piece;
    }
}

/* --- lines --- */

static int
compare_heights (gconstpointer a, gconstpointer b)
{
  const Piece *one = *(const Piece *const *)a, *other = *(const Piece *const *)b;
  double first = one->y1 + one->y2, second = other->y1 + other->y2;

  return first < second ? -1 : first > second ? 1 : 0;
}

static int
compare_places (gconstpointer a, gconstpointer b)
{
  const Piece *one = *(const Piece *const *)a, *other = *(const Piece *const *)b;

  if (one->line != other->line)
    return one->line < other->line ? -1 : 1;
  if (one->x1 != other->x1)
    return one->x1 < other->x1 ? -1 : 1;
  return one->place < other->place ? -1 : 1;
}

static gboolean
belong_together (const Piece *left, const Piece *right)
{
  double height = left->y2 - left->y1;

  if (right->x1 < left->x2 || left->n_letters == 0 || right->n_letters == 0)
    return FALSE;
  return (left->is_short && right->is_short) || right->is_number
         || (left->is_marker && right->x1 - left->x2 < MARKER_GAP * height);
}

/* (transfer full) (element-type Piece): sorted by lines, and from left to right */
static GPtrArray *
sort_lines (GArray *pieces)
{
  GPtrArray *sorted = g_ptr_array_sized_new (pieces->len);
  const Piece *first = NULL;
  guint line = 0;

  for (guint i = 0; i < pieces->len; i++)
    g_ptr_array_add (sorted, &g_array_index (pieces, Piece, i));
  g_ptr_array_sort (sorted, compare_heights);
  for (guint i = 0; i < sorted->len; i++)
    {
      Piece *piece = g_ptr_array_index (sorted, i);

      if (first == NULL
          || (piece->y1 + piece->y2 - first->y1 - first->y2) / 2
                 > SAME_LINE * MIN (piece->y2 - piece->y1, first->y2 - first->y1))
        {
          first = piece;
          line++;
        }
      piece->line = line;
    }
  g_ptr_array_sort (sorted, compare_places);
  return sorted;
}

/* Each piece that goes on another's line is told there. */
static void
join_pieces (GArray *pieces)
{
  g_autoptr (GPtrArray) sorted = sort_lines (pieces);

  for (guint i = 1; i < sorted->len; i++)
    {
      Piece *left = g_ptr_array_index (sorted, i - 1);
      Piece *right = g_ptr_array_index (sorted, i);

      if (left->line != right->line || !belong_together (left, right))
        continue;
      left->next = right->place + 1;
      right->is_written = TRUE;
    }
}

static char *
write_pieces (GArray *pieces)
{
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < pieces->len; i++)
    {
      const Piece *piece = &g_array_index (pieces, Piece, i);

      if (piece->is_written)
        continue;
      if (out->len > 0)
        g_string_append_c (out, '\n');
      g_string_append (out, piece->text->str);
      while (piece->next > 0)
        {
          const Piece *next = &g_array_index (pieces, Piece, piece->next - 1);
          gboolean is_item = piece->is_marker && !next->is_short;

          g_string_append_c (out, is_item ? ' ' : '\t');
          g_string_append (out, next->text->str);
          piece = next;
        }
    }
  return g_string_free (out, FALSE);
}

char *
postbag_pdf_lines_arrange (const char *text, const PopplerRectangle *letters, guint n_letters)
{
  g_autofree char *valid = postbag_text_make_valid (text, -1);
  g_autoptr (GArray) pieces = NULL;

  if (g_utf8_strlen (valid, -1) != (glong)n_letters)
    return g_steal_pointer (&valid);
  pieces = cut_pieces (valid, letters);
  judge_pieces (pieces);
  join_pieces (pieces);
  return write_pieces (pieces);
}
