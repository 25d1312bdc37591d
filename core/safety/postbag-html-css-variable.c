/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Custom properties and var() (CSS Variables 1). What an element says of them holds for all that is
 * in it, so they lie on a stack with the open elements. A declaration that holds a var() is kept as
 * text and read when the element it is for is known; one whose variable nobody set is as if it were
 * `unset`. What is too long, too deep or too much is not known, and hides nothing. */

#include <string.h>

#include "base/postbag-limits.h"
#include "safety/postbag-html-css-sheet-private.h"

/* Variables in variables, and fallbacks in fallbacks. */
#define MAX_DEPTH 16

typedef enum
{
  RAW, /* what stands there, before variables in it are put in */
  RESOLVING,
  KNOWN,
  INVALID,
  UNKNOWN,
} State;

typedef struct
{
  const char *name;
  char *text; /* owned */
  guint64 priority;
  State state;
  gboolean cyclic; /* it leads back to itself */
} Variable;

struct _PostbagCssVariables
{
  PostbagCssSheet *sheet;
  GArray *stack;         /* Variable */
  guint path[MAX_DEPTH]; /* those that are being resolved, outermost first */
  guint n_path;
};

static void
clear_variable (gpointer data)
{
  Variable *self = data;

  g_free (self->text);
}

PostbagCssVariables *
postbag_css_variables_new (PostbagCssSheet *sheet)
{
  PostbagCssVariables *self = g_new0 (PostbagCssVariables, 1);

  self->sheet = sheet;
  self->stack = g_array_new (FALSE, FALSE, sizeof (Variable));
  g_array_set_clear_func (self->stack, clear_variable);
  return self;
}

void
postbag_css_variables_free (PostbagCssVariables *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->stack);
  g_free (self);
}

void
postbag_css_variables_truncate (PostbagCssVariables *self, guint size)
{
  if (size < self->stack->len)
    g_array_set_size (self->stack, size);
}

static Variable *
get (PostbagCssVariables *self, guint index)
{
  return &g_array_index (self->stack, Variable, index);
}

/* Its index among the first @size, the innermost first; -1: there is none, or no more to spend. */
static gint
find (PostbagCssVariables *self, guint size, const char *name, gsize length)
{
  for (guint i = size; i > 0; i--)
    {
      const char *known = get (self, i - 1)->name;

      self->sheet->work -= self->sheet->work > 0 ? 1 : 0;
      if (strncmp (known, name, length) == 0 && known[length] == '\0')
        return (gint)i - 1;
    }
  return -1;
}

/* --- substitution --- */

static State put_in (PostbagCssVariables *self, const char *text, GString *out, guint depth);

/* Takes its own text through put_in() once. */
static State
resolve (PostbagCssVariables *self, guint index, guint depth)
{
  Variable *variable = get (self, index);
  g_autoptr (GString) out = NULL;
  State state;

  if (variable->state == RESOLVING)
    {
      for (guint i = self->n_path; i > 0; i--)
        {
          get (self, self->path[i - 1])->cyclic = TRUE;
          if (self->path[i - 1] == index)
            break;
        }
      return INVALID;
    }
  if (variable->state != RAW)
    return variable->state;
  if (self->n_path >= MAX_DEPTH)
    return UNKNOWN;
  variable->state = RESOLVING;
  self->path[self->n_path++] = index;
  out = g_string_new (NULL);
  state = put_in (self, variable->text, out, depth + 1);
  self->n_path--;
  variable->state = variable->cyclic ? INVALID : state;
  if (state == KNOWN)
    {
      g_free (variable->text);
      variable->text = g_string_free (g_steal_pointer (&out), FALSE);
    }
  return variable->state;
}

/* The bracket that closes the one before @text, or the end. */
static const char *
find_close (const char *text)
{
  guint depth = 1;

  for (; *text != '\0'; text++)
    {
      depth += *text == '(' ? 1u : *text == ')' ? -1u : 0u;
      if (depth == 0)
        return text;
    }
  return text;
}

static State
append (PostbagCssVariables *self, GString *out, const char *text, gsize length)
{
  if (out->len + length > POSTBAG_LIMIT_CSS_VALUE_BYTES || length > self->sheet->put_in
      || self->sheet->work == 0)
    {
      self->sheet->cut = TRUE;
      return UNKNOWN;
    }
  self->sheet->put_in -= length;
  g_string_append_len (out, text, (gssize)length);
  return KNOWN;
}

/* @text: behind `var(`, up to @close */
static State
put_in_one (PostbagCssVariables *self, const char *text, const char *close, GString *out,
            guint depth)
{
  g_autofree char *fallback = NULL;
  State state = INVALID;
  gsize length;
  gint index;

  text += strspn (text, " ");
  length = postbag_css_measure_custom_name (text);
  if (length == 0)
    return INVALID;
  index = find (self, self->stack->len, text, length);
  if (index >= 0)
    state = resolve (self, (guint)index, depth);
  if (state == KNOWN)
    return append (self, out, get (self, (guint)index)->text,
                   strlen (get (self, (guint)index)->text));
  text += length;
  text += strspn (text, " ");
  if (state != INVALID || *text != ',')
    return state;
  fallback = g_strndup (text + 1, (gsize)(close - text - 1));
  return put_in (self, fallback, out, depth + 1);
}

static State
put_in (PostbagCssVariables *self, const char *text, GString *out, guint depth)
{
  if (depth >= MAX_DEPTH)
    {
      self->sheet->cut = TRUE;
      return UNKNOWN;
    }
  for (;;)
    {
      const char *call = strcasestr (text, "var("), *close;
      State state = append (self, out, text, call != NULL ? (gsize)(call - text) : strlen (text));

      if (call == NULL || state != KNOWN)
        return state;
      close = find_close (call + 4);
      state = put_in_one (self, call + 4, close, out, depth);
      if (state != KNOWN)
        return state;
      text = *close != '\0' ? close + 1 : close;
    }
}

/* --- elements --- */

/* What it costs, in steps, to keep a variable of an element and to work a declaration out. */
#define COST_OF_VARIABLE 15
#define COST_OF_TEXT 60

/* FALSE: no more is worked out in this mail. */
static gboolean
spend (PostbagCssVariables *self, guint64 steps)
{
  self->sheet->work -= MIN (self->sheet->work, steps);
  self->sheet->cut |= self->sheet->work == 0;
  return self->sheet->work > 0;
}

static guint64
weigh (const PostbagCssText *text)
{
  return text->priority | (text->important ? G_GUINT64_CONSTANT (1) << 61 : 0);
}

static gboolean
is_custom (const PostbagCssText *text)
{
  return text->name[0] == '-' && text->name[1] == '-';
}

static State
judge_text (const PostbagCssText *text)
{
  if (text->unknown)
    return UNKNOWN;
  return g_ascii_strcasecmp (text->text, "initial") == 0 ? INVALID : RAW;
}

/* Whether the value is that of the parent. */
static gboolean
is_inherited (const PostbagCssText *text)
{
  static const char *const words[] = { "inherit", "unset", "revert", "revert-layer" };

  for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
    if (g_ascii_strcasecmp (text->text, words[i]) == 0)
      return TRUE;
  return FALSE;
}

/* One that the element says again counts where it weighs no less. @own: (out): those of the
 * element, by their names */
static void
set_variable (PostbagCssVariables *self, const PostbagCssText *text, GHashTable *own)
{
  gpointer found = g_hash_table_lookup (own, text->name);
  Variable *variable = found != NULL ? get (self, GPOINTER_TO_UINT (found) - 1) : NULL;
  Variable fresh = { .name = text->name, .priority = weigh (text), .state = judge_text (text) };
  const char *value = text->text;

  if (variable != NULL && variable->priority > fresh.priority)
    return;
  if (variable == NULL && self->stack->len >= POSTBAG_LIMIT_CSS_VARIABLES)
    {
      self->sheet->cut = TRUE;
      return;
    }
  if (is_inherited (text))
    {
      gint outer =
          find (self, self->stack->len - g_hash_table_size (own), text->name, strlen (text->name));

      fresh.state = outer >= 0 ? get (self, (guint)outer)->state : INVALID;
      value = outer >= 0 ? get (self, (guint)outer)->text : "";
    }
  fresh.text = g_strdup (value);
  if (variable != NULL)
    {
      g_free (variable->text);
      *variable = fresh;
      return;
    }
  g_array_append_val (self->stack, fresh);
  g_hash_table_insert (own, (gpointer)text->name, GUINT_TO_POINTER (self->stack->len));
}

static void
set_variables (PostbagCssVariables *self, const GArray *texts)
{
  g_autoptr (GHashTable) own = g_hash_table_new (g_str_hash, g_str_equal);
  guint before = self->stack->len;

  for (guint i = 0; i < texts->len; i++)
    {
      const PostbagCssText *text = &g_array_index (texts, PostbagCssText, i);

      if (is_custom (text) && spend (self, COST_OF_VARIABLE))
        set_variable (self, text, own);
    }
  for (guint i = before; i < self->stack->len; i++)
    resolve (self, i, 0);
}

char *
postbag_css_variables_put_in (PostbagCssVariables *self, const char *text, gboolean *unknown)
{
  g_autoptr (GString) out = g_string_new (NULL);
  State state = put_in (self, text, out, 0);

  *unknown = state == UNKNOWN;
  return state == KNOWN ? g_string_free (g_steal_pointer (&out), FALSE) : NULL;
}

guint
postbag_css_variables_apply (PostbagCssVariables *self, const GArray *texts,
                             PostbagCssCascade *cascade)
{
  set_variables (self, texts);
  for (guint i = 0; i < texts->len; i++)
    {
      const PostbagCssText *text = &g_array_index (texts, PostbagCssText, i);
      g_autofree char *value = NULL;
      gboolean unknown;

      if (is_custom (text) || strcmp (text->name, "content") == 0 || !spend (self, COST_OF_TEXT))
        continue;
      value = postbag_css_variables_put_in (self, text->text, &unknown);
      if (value == NULL)
        value = g_strdup (unknown ? text->text : "unset");
      postbag_css_read_text (text, value, cascade);
    }
  return self->stack->len;
}
