/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Whether the text of an element can be seen, from what the cascade says of it and of all that it
 * stands in. What takes a box away takes its content with it; visibility, size of the letters,
 * their color and their indentation are inherited and can be undone further in, which newsletters
 * do all the time. */

#include <string.h>

#include "safety/postbag-html-css-private.h"
#include "safety/postbag-html-private.h"
#include "safety/postbag-html.h"

/* A pixel, or a point with what rounding adds. */
#define SMALLEST_FONT 1.34f
#define LARGEST_FONT 10000.0f
#define FAINTEST_OPACITY 0.05f
#define LEAST_CONTRAST 1.2
/* Further out of its place nobody looks. */
#define FAR 500.0f
/* How wide the page is taken to be. */
#define WINDOW 1000.0f
/* A box that cuts off and is no higher shows no letter that could be read. */
#define SLIVER 3.0f
/* What cuts off is not known. */
#define BOUNDLESS 1e9f

void
postbag_html_sight_init (PostbagHtmlSight *self)
{
  memset (self, 0, sizeof *self);
  self->opacity = 1;
  self->font_size = 16;
  self->clip_width = self->clip_height = BOUNDLESS;
  self->color = 0x000000ff;
  self->background = 0xffffffff;
}

static gboolean
is_keyword (const PostbagCssCascade *cascade, PostbagCssProperty property, float number)
{
  const PostbagCssDeclaration *value = postbag_css_cascade_get (cascade, property);

  return value != NULL && value->unit == POSTBAG_CSS_KEYWORD && value->number == number;
}

/* A length in pixels; @missing where it is not said or cannot be known. Percentages are of a
 * window. */
static float
get_pixels (const PostbagHtmlSight *self, const PostbagCssCascade *cascade,
            PostbagCssProperty property, float missing)
{
  const PostbagCssDeclaration *value = postbag_css_cascade_get (cascade, property);

  if (value == NULL || value->unit == POSTBAG_CSS_KEYWORD)
    return missing;
  if (value->unit == POSTBAG_CSS_EMS)
    return value->number * MAX (self->font_size, 1);
  if (value->unit == POSTBAG_CSS_MIXED)
    return value->number + value->ems * MAX (self->font_size, 1);
  return value->unit == POSTBAG_CSS_PERCENT ? value->number * 10 : value->number;
}

static gboolean
cuts_off (const PostbagCssCascade *cascade)
{
  return is_keyword (cascade, POSTBAG_CSS_OVERFLOW, 1)
         || is_keyword (cascade, POSTBAG_CSS_OVERFLOW, 2);
}

/* --- the box --- */

static gboolean
is_far_off (const PostbagHtmlSight *self, const PostbagCssCascade *cascade, gboolean in_line)
{
  if (is_keyword (cascade, POSTBAG_CSS_POSITION, 1)
      || is_keyword (cascade, POSTBAG_CSS_POSITION, 2))
    {
      float left = get_pixels (self, cascade, POSTBAG_CSS_LEFT, 0);
      float top = get_pixels (self, cascade, POSTBAG_CSS_TOP, 0);

      if (left <= -FAR || left >= 10 * FAR || top <= -FAR
          || get_pixels (self, cascade, POSTBAG_CSS_RIGHT, 0) <= -FAR
          || get_pixels (self, cascade, POSTBAG_CSS_BOTTOM, 0) <= -FAR
          || get_pixels (self, cascade, POSTBAG_CSS_RIGHT, 0) >= 10 * FAR)
        return TRUE;
    }
  return get_pixels (self, cascade, POSTBAG_CSS_MARGIN_LEFT, 0) <= -FAR
         || (!in_line && get_pixels (self, cascade, POSTBAG_CSS_MARGIN_TOP, 0) <= -FAR)
         || get_pixels (self, cascade, POSTBAG_CSS_MARGIN_LEFT, 0) >= 10 * FAR
         || get_pixels (self, cascade, POSTBAG_CSS_PADDING_LEFT, 0) >= 10 * FAR;
}

/* A transformation that leaves nothing, or moves it out of the page. */
static gboolean
is_transformed (const PostbagCssCascade *cascade, float number)
{
  return is_keyword (cascade, POSTBAG_CSS_TRANSFORM, number)
         || is_keyword (cascade, POSTBAG_CSS_SCALE, number)
         || is_keyword (cascade, POSTBAG_CSS_TRANSLATE, number)
         || is_keyword (cascade, POSTBAG_CSS_ROTATE, number)
         || is_keyword (cascade, POSTBAG_CSS_ZOOM, number);
}

/* Whether the element is a part of its line and no box of its own: then sizes, margins above,
 * indentation and transformations do not apply to it (CSS 2.2, sections 9.7 and 10.2; CSS
 * Transforms 1, section 3). */
static gboolean
is_inline (const PostbagCssCascade *cascade, gboolean item, guint flags)
{
  const PostbagCssDeclaration *display = postbag_css_cascade_get (cascade, POSTBAG_CSS_DISPLAY);
  gboolean in_line = display != NULL ? display->number == 2 : (flags & POSTBAG_HTML_IS_INLINE) != 0;

  return in_line && !item && !is_keyword (cascade, POSTBAG_CSS_FLOAT, 1)
         && !is_keyword (cascade, POSTBAG_CSS_POSITION, 1);
}

/* The smaller of the two sizes that a box has in one direction. */
static float
get_size (const PostbagHtmlSight *self, const PostbagCssCascade *cascade,
          PostbagCssProperty property, PostbagCssProperty most)
{
  float size = get_pixels (self, cascade, property, BOUNDLESS);

  return MIN (size, get_pixels (self, cascade, most, BOUNDLESS));
}

/* What does not fit a box stands out of it (CSS 2.2, section 11.1) unless the box cuts off; then
 * it still shows on the padding. Cells grow with their content whatever they are told: `max-width:
 * 0` is how they are made to share a row. Of tables that are told to have no width, mail programs
 * show nothing. */
static gboolean
has_no_size (const PostbagHtmlSight *self, const PostbagCssCascade *cascade, guint flags)
{
  float height = get_size (self, cascade, POSTBAG_CSS_HEIGHT, POSTBAG_CSS_MAX_HEIGHT);
  float width = get_size (self, cascade, POSTBAG_CSS_WIDTH, POSTBAG_CSS_MAX_WIDTH);

  if ((flags & POSTBAG_HTML_IS_CELL) != 0 || is_keyword (cascade, POSTBAG_CSS_OVERFLOW, 0)
      || ((flags & POSTBAG_HTML_IS_ITEM) != 0 && is_keyword (cascade, POSTBAG_CSS_GROW, 1)))
    return FALSE;
  if (!cuts_off (cascade))
    return (flags & POSTBAG_HTML_IS_TABLE) != 0 && MIN (width, height) < 1;
  height += get_pixels (self, cascade, POSTBAG_CSS_PADDING_TOP, 0)
            + get_pixels (self, cascade, POSTBAG_CSS_PADDING_BOTTOM, 0);
  width += get_pixels (self, cascade, POSTBAG_CSS_PADDING_LEFT, 0)
           + get_pixels (self, cascade, POSTBAG_CSS_PADDING_RIGHT, 0);
  return height < SLIVER || width < SLIVER;
}

/* What pushes the content on, in pixels. A percentage is of a width that is not known here; all of
 * it is as much as anything can be. */
static float
get_push (const PostbagHtmlSight *self, const PostbagCssCascade *cascade,
          PostbagCssProperty property)
{
  const PostbagCssDeclaration *value = postbag_css_cascade_get (cascade, property);

  if (value != NULL && value->unit == POSTBAG_CSS_PERCENT && value->number < 100)
    return 0;
  return get_pixels (self, cascade, property, 0);
}

/* Out of the box around it that cuts off, or further than anybody scrolls. */
static gboolean
is_pushed_out (PostbagHtmlSight *self, const PostbagCssCascade *cascade, gboolean in_line)
{
  self->pushed_right += get_push (self, cascade, POSTBAG_CSS_MARGIN_LEFT)
                        + get_push (self, cascade, POSTBAG_CSS_PADDING_LEFT);
  if (!in_line)
    self->pushed_down += get_push (self, cascade, POSTBAG_CSS_MARGIN_TOP)
                         + get_push (self, cascade, POSTBAG_CSS_PADDING_TOP);
  if (is_keyword (cascade, POSTBAG_CSS_POSITION, 1))
    self->pushed_right = self->pushed_down = 0; /* it may count from further out */
  return self->pushed_right >= MIN (10 * FAR, self->clip_width)
         || self->pushed_down >= self->clip_height;
}

/* The way text for screen readers is written: a box of one pixel that cuts off its content. */
static gboolean
is_spoken (const PostbagHtmlSight *self, const PostbagCssCascade *cascade, guint flags)
{
  return (flags & POSTBAG_HTML_IS_MUTE) == 0 && is_keyword (cascade, POSTBAG_CSS_POSITION, 1)
         && cuts_off (cascade) && get_pixels (self, cascade, POSTBAG_CSS_WIDTH, 0) == 1
         && get_pixels (self, cascade, POSTBAG_CSS_HEIGHT, 0) == 1;
}

static const char *
judge_box (PostbagHtmlSight *self, const PostbagCssCascade *cascade, gboolean in_line, guint flags)
{
  if (is_keyword (cascade, POSTBAG_CSS_DISPLAY, 1))
    return (flags & POSTBAG_HTML_IS_HIDDEN) != 0
                   && cascade->priority[POSTBAG_CSS_DISPLAY] == POSTBAG_CSS_PRIORITY_HINT
               ? POSTBAG_HIDDEN_ATTRIBUTE
               : POSTBAG_HIDDEN_DISPLAY;
  if (is_keyword (cascade, POSTBAG_CSS_CONTENT, 1) && !in_line)
    return cascade->priority[POSTBAG_CSS_CONTENT] == POSTBAG_CSS_PRIORITY_HINT
               ? POSTBAG_HIDDEN_ATTRIBUTE
               : POSTBAG_HIDDEN_DISPLAY;
  self->opacity *= get_pixels (self, cascade, POSTBAG_CSS_OPACITY, 1)
                   * get_pixels (self, cascade, POSTBAG_CSS_FILTER, 1);
  if (self->opacity <= FAINTEST_OPACITY)
    return POSTBAG_HIDDEN_OPACITY;
  if (is_keyword (cascade, POSTBAG_CSS_MSO_HIDE, 1) && (flags & POSTBAG_HTML_IS_LINK) == 0)
    return POSTBAG_HIDDEN_MSO_HIDE;
  self->spoken |= is_spoken (self, cascade, flags);
  if (self->spoken)
    return NULL;
  if ((is_keyword (cascade, POSTBAG_CSS_CLIP, 1) && is_keyword (cascade, POSTBAG_CSS_POSITION, 1))
      || is_keyword (cascade, POSTBAG_CSS_CLIP_PATH, 1)
      || is_keyword (cascade, POSTBAG_CSS_MASK, 1))
    return POSTBAG_HIDDEN_CLIP;
  if (!in_line && is_transformed (cascade, 1))
    return POSTBAG_HIDDEN_TRANSFORM;
  if (is_far_off (self, cascade, in_line) || (!in_line && is_transformed (cascade, 2))
      || (!in_line && self->clips && is_transformed (cascade, 3))
      || is_pushed_out (self, cascade, in_line))
    return POSTBAG_HIDDEN_OFF_SCREEN;
  return !in_line && has_no_size (self, cascade, flags) ? POSTBAG_HIDDEN_SIZE : NULL;
}

/* --- what is inherited --- */

static void
apply_font (PostbagHtmlSight *self, const PostbagCssCascade *cascade)
{
  const PostbagCssDeclaration *size = postbag_css_cascade_get (cascade, POSTBAG_CSS_FONT_SIZE);
  const PostbagCssDeclaration *line = postbag_css_cascade_get (cascade, POSTBAG_CSS_LINE_HEIGHT);

  if (size != NULL)
    {
      float factor = size->unit == POSTBAG_CSS_PERCENT ? 0.01f : 1;

      if (size->unit == POSTBAG_CSS_PERCENT || size->unit == POSTBAG_CSS_EMS)
        factor *= self->font_size;
      if (size->unit == POSTBAG_CSS_MIXED)
        self->font_size = MIN (size->number + size->ems * self->font_size, LARGEST_FONT);
      else
        self->font_size = MIN (size->number * factor, LARGEST_FONT);
    }
  self->spacing = get_pixels (self, cascade, POSTBAG_CSS_SPACING, self->spacing);
  if (line != NULL)
    self->flat = line->unit != POSTBAG_CSS_KEYWORD && line->number <= 0;
}

/* What is inside is pushed out of this from now on. Of a box that scrolls nothing is. */
static void
begin_clip (PostbagHtmlSight *self, const PostbagCssCascade *cascade, guint flags)
{
  self->clips = TRUE;
  self->clip_width = self->clip_height = BOUNDLESS;
  if (is_keyword (cascade, POSTBAG_CSS_OVERFLOW, 2)
      || (flags & (POSTBAG_HTML_IS_CELL | POSTBAG_HTML_IS_TABLE | POSTBAG_HTML_IS_ITEM)) != 0)
    return; /* one can scroll, or it grows */
  self->pushed_right = get_pixels (self, cascade, POSTBAG_CSS_PADDING_LEFT, 0);
  self->pushed_down = get_pixels (self, cascade, POSTBAG_CSS_PADDING_TOP, 0);
  self->clip_width =
      self->pushed_right
      + MIN (get_size (self, cascade, POSTBAG_CSS_WIDTH, POSTBAG_CSS_MAX_WIDTH), WINDOW)
      + get_pixels (self, cascade, POSTBAG_CSS_PADDING_RIGHT, 0);
  self->clip_height = self->pushed_down
                      + get_size (self, cascade, POSTBAG_CSS_HEIGHT, POSTBAG_CSS_MAX_HEIGHT)
                      + get_pixels (self, cascade, POSTBAG_CSS_PADDING_BOTTOM, 0);
}

static void
apply_box (PostbagHtmlSight *self, const PostbagCssCascade *cascade, gboolean in_line, guint flags)
{
  const PostbagCssDeclaration *visible = postbag_css_cascade_get (cascade, POSTBAG_CSS_VISIBILITY);

  if (visible != NULL)
    self->invisible = visible->number > 0;
  if (postbag_css_cascade_get (cascade, POSTBAG_CSS_SECURITY) != NULL)
    self->dotted = is_keyword (cascade, POSTBAG_CSS_SECURITY, 1);
  if (in_line)
    return;
  self->holds_items = is_keyword (cascade, POSTBAG_CSS_DISPLAY, 3);
  if (cuts_off (cascade))
    begin_clip (self, cascade, flags);
  if (cuts_off (cascade))
    self->cut_off = get_pixels (self, cascade, POSTBAG_CSS_HEIGHT, 0) < 2;
  self->text_indent = get_pixels (self, cascade, POSTBAG_CSS_TEXT_INDENT, self->text_indent);
}

static void
apply_background (PostbagHtmlSight *self, const PostbagCssCascade *cascade)
{
  const PostbagCssDeclaration *color = postbag_css_cascade_get (cascade, POSTBAG_CSS_BACKGROUND);
  const PostbagCssDeclaration *image = postbag_css_cascade_get (cascade, POSTBAG_CSS_IMAGE);
  guint32 around = self->background;
  gboolean through = is_keyword (cascade, POSTBAG_CSS_BACKGROUND_CLIP, 1);

  if (color != NULL && color->unknown)
    self->background_unknown = TRUE;
  else if (color != NULL)
    {
      self->background = postbag_css_blend (color->rgba, self->background);
      self->background_unknown &= (color->rgba & 0xff) != 0xff;
    }
  if (image != NULL && image->number == 2 && !image->unknown
      && !is_keyword (cascade, POSTBAG_CSS_IMAGE_SIZE, 1))
    {
      self->background = postbag_css_blend (image->rgba, self->background);
      self->background_unknown &= (image->rgba & 0xff) != 0xff;
    }
  else if (image != NULL && (image->unknown || image->number > 0))
    self->background_unknown = TRUE;
  if (through && postbag_css_contrast (self->background, around) >= LEAST_CONTRAST)
    self->background_unknown = self->color_seen_through = TRUE;
  else if (through && image != NULL && self->background_unknown)
    self->color_seen_through = TRUE;
}

static void
apply_color (PostbagHtmlSight *self, const PostbagCssCascade *cascade)
{
  const PostbagCssDeclaration *color = postbag_css_cascade_get (cascade, POSTBAG_CSS_COLOR);
  const PostbagCssDeclaration *fill = postbag_css_cascade_get (cascade, POSTBAG_CSS_TEXT_FILL);

  if (fill != NULL)
    self->filled = TRUE;
  else if (self->filled)
    return;
  color = fill != NULL ? fill : color;
  if (color == NULL)
    return;
  self->color_unknown = color->unknown;
  self->color = color->rgba;
}

static void
apply_shadow (PostbagHtmlSight *self, const PostbagCssCascade *cascade)
{
  const PostbagCssDeclaration *shadow = postbag_css_cascade_get (cascade, POSTBAG_CSS_SHADOW);

  if (shadow == NULL)
    return;
  self->shadow_unknown = shadow->unit != POSTBAG_CSS_KEYWORD && shadow->unknown;
  self->shadow = shadow->unit != POSTBAG_CSS_KEYWORD ? shadow->rgba : 0;
}

/* Letters in the color of the page are read by a shadow of another one. */
static gboolean
has_shadow (const PostbagHtmlSight *self)
{
  return self->shadow_unknown
         || postbag_css_contrast (postbag_css_blend (self->shadow, self->background),
                                  self->background)
                >= LEAST_CONTRAST;
}

/* Transparent letters are not seen on any background. */
static gboolean
has_same_color (const PostbagHtmlSight *self)
{
  if (self->color_unknown || self->color_seen_through || has_shadow (self))
    return FALSE;
  if ((self->color & 0xff) <= 0xff * FAINTEST_OPACITY)
    return TRUE;
  return !self->background_unknown
         && postbag_css_contrast (postbag_css_blend (self->color, self->background),
                                  self->background)
                < LEAST_CONTRAST;
}

void
postbag_html_sight_apply (PostbagHtmlSight *self, const PostbagCssCascade *cascade, guint flags)
{
  gboolean in_line;

  if (cascade->set == 0)
    {
      self->holds_items = FALSE;
      return;
    }
  in_line = is_inline (cascade, self->holds_items, flags);
  flags |= self->holds_items ? POSTBAG_HTML_IS_ITEM : 0;
  self->holds_items = FALSE;
  apply_font (self, cascade);
  if (self->removed == NULL)
    self->removed = judge_box (self, cascade, in_line, flags);
  apply_box (self, cascade, in_line, flags);
  apply_background (self, cascade);
  apply_color (self, cascade);
  apply_shadow (self, cascade);
  self->same_color = has_same_color (self);
}

const char *
postbag_html_sight_judge_box (const PostbagHtmlSight *self)
{
  if (self->removed != NULL)
    return self->removed;
  return self->invisible ? POSTBAG_HIDDEN_VISIBILITY : NULL;
}

const char *
postbag_html_sight_judge_text (const PostbagHtmlSight *self)
{
  if (self->removed != NULL || self->invisible)
    return postbag_html_sight_judge_box (self);
  if (self->font_size <= SMALLEST_FONT)
    return POSTBAG_HIDDEN_FONT_SIZE;
  if (self->spoken)
    return NULL;
  if (self->flat && self->cut_off)
    return POSTBAG_HIDDEN_LINE_HEIGHT;
  if (self->text_indent <= -FAR || self->text_indent >= 10 * FAR
      || (self->clips && self->text_indent >= MIN (self->clip_width, WINDOW)))
    return POSTBAG_HIDDEN_TEXT_INDENT;
  if (self->dotted)
    return POSTBAG_HIDDEN_INPUT;
  if (self->spacing <= -0.9f * self->font_size)
    return POSTBAG_HIDDEN_SIZE; /* all letters stand on one place */
  return self->same_color ? POSTBAG_HIDDEN_COLOR : NULL;
}
