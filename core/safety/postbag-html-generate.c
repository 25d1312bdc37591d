/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Text that a style sheet puts in front of or behind what an element holds (`::before`, `::after`;
 * CSS Generated Content 3): a reader of the page sees it as if it were part of the mail, so it is
 * written, where it is not hidden itself. Counters and quotation marks are not. */

#include <string.h>

#include "safety/postbag-html-reader-private.h"

/* `attr(title)` of @attributes: appended; where it ends. */
static const char *
append_attribute (GString *out, const char *value, const PostbagHtmlAttributes *attributes)
{
  const char *name = value + strspn (value, " ");
  gsize length = strcspn (name, " ,)");
  PostbagHtmlAttribute index =
      length > 0 ? postbag_html_find_attribute (name, length) : POSTBAG_HTML_N_ATTRIBUTES;

  if (index < POSTBAG_HTML_N_ATTRIBUTES && attributes->value[index] != NULL)
    g_string_append (out, attributes->value[index]);
  value += strcspn (value, ")");
  return *value != '\0' ? value + 1 : value;
}

/* (transfer full): strings and attributes in a row; what stands behind a slash is only spoken. */
static char *
read_content (const char *value, const PostbagHtmlAttributes *attributes)
{
  GString *out = g_string_new (NULL);

  while (*value != '\0' && *value != '/')
    {
      if (*value == '"')
        {
          gsize length = strcspn (value + 1, "\"");
          g_autofree char *text = postbag_css_unquote (value + 1, length);

          g_string_append (out, text);
          value += 1 + length + (value[1 + length] != '\0' ? 1 : 0);
        }
      else if (g_ascii_strncasecmp (value, "attr(", 5) == 0)
        value = append_attribute (out, value + 5, attributes);
      else if (*value == ' ')
        value++;
      else
        value += strcspn (value + 1, " \"/") + 1;
    }
  return g_string_free (out, FALSE);
}

/* (transfer full) (nullable): what wins among @texts, with variables put in. */
static char *
find_content (PostbagHtmlReader *self, const PostbagHtmlAttributes *attributes)
{
  const PostbagCssText *won = NULL;
  g_autofree char *value = NULL;
  gboolean unknown;

  for (guint i = 0; i < self->texts->len; i++)
    {
      const PostbagCssText *text = &g_array_index (self->texts, PostbagCssText, i);

      if (strcmp (text->name, "content") == 0
          && (won == NULL || text->important > won->important
              || (text->important == won->important && text->priority >= won->priority)))
        won = text;
    }
  if (won == NULL)
    return NULL;
  value = postbag_css_variables_put_in (self->variables, won->text, &unknown);
  return value != NULL ? read_content (value, attributes) : NULL;
}

/* (transfer full) (nullable): the text, where a person sees it; it is counted where not. */
static char *
generate (PostbagHtmlReader *self, PostbagCssPseudo pseudo, const PostbagHtmlAttributes *attributes)
{
  PostbagHtmlSight sight = postbag_html_reader_get_top (self)->sight;
  guint before = postbag_html_reader_get_top (self)->variables;
  PostbagCssSheet *sheet = self->scan->sheet;
  PostbagCssCascade cascade;
  g_autofree char *text = NULL;
  const char *unseen;
  gsize chars;

  g_array_set_size (self->texts, 0);
  postbag_css_cascade_init (&cascade, self->texts, postbag_css_sheet_get_strings (sheet));
  postbag_css_sheet_match_pseudo (sheet, pseudo, self->nodes, self->depth, &cascade);
  if (self->texts->len == 0)
    return NULL;
  postbag_css_variables_apply (self->variables, self->texts, &cascade);
  text = find_content (self, attributes);
  postbag_css_variables_truncate (self->variables, before);
  chars = text != NULL ? postbag_html_count_chars (text, strlen (text), FALSE) : 0;
  if (chars == 0)
    return NULL;
  postbag_html_sight_apply (&sight, &cascade, POSTBAG_HTML_IS_INLINE);
  unseen = sight.spoken ? POSTBAG_HIDDEN_SPOKEN : postbag_html_sight_judge_text (&sight);
  if (unseen != NULL)
    {
      postbag_html_report_hide (self->report, unseen, chars);
      return NULL;
    }
  if (self->generated + chars > POSTBAG_LIMIT_GENERATED_CHARS)
    {
      self->report->cut = TRUE;
      return NULL;
    }
  self->generated += chars;
  return g_steal_pointer (&text);
}

/* Nothing stands in a line break or an image. */
static gboolean
may_hold_text (const PostbagHtmlElement *element)
{
  return element->gone == NULL && element->sight.removed == NULL && !element->folded
         && element->kind != POSTBAG_HTML_IMAGE && element->kind != POSTBAG_HTML_INPUT
         && element->kind != POSTBAG_HTML_BREAK;
}

void
postbag_html_reader_generate (PostbagHtmlReader *self, const PostbagHtmlAttributes *attributes)
{
  PostbagHtmlElement *top = postbag_html_reader_get_top (self);
  g_autofree char *before = NULL;

  top->after = NULL;
  if (!postbag_css_sheet_generates (self->scan->sheet) || !may_hold_text (top))
    return;
  before = generate (self, POSTBAG_CSS_BEFORE, attributes);
  if (before != NULL)
    postbag_html_reader_write (self, before);
  top->after = generate (self, POSTBAG_CSS_AFTER, attributes);
}

void
postbag_html_reader_end_generated (PostbagHtmlReader *self)
{
  g_autofree char *after = g_steal_pointer (&postbag_html_reader_get_top (self)->after);

  if (after != NULL)
    postbag_html_reader_write (self, after);
}
