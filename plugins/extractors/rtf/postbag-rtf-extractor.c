/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Rich Text Format 1.9.1. A group inherits everything of the one around it; what is changed inside
 * ends with it. A destination says where text goes; a starred one that is not known is skipped.
 *
 * Outlook wraps a whole page of HTML in RTF ([MS-OXRTFEX]): its tags stand in \htmltag, between
 * \htmlrtf and \htmlrtf0 stands what only readers of RTF need. Then the page is put together, and
 * goes to the reader of HTML. */

#include "postbag-rtf-extractor.h"

#include <string.h>

#include "base/postbag-limits.h"
#include "extract/postbag-charset-tables.h"
#include "extract/postbag-link.h"
#include "extract/postbag-story.h"
#include "mime/postbag-message.h"
#include "postbag-rtf-fonts.h"
#include "postbag-rtf-tokens.h"
#include "postbag-rtf-writer.h"

#define MOST_COLORS 4096
#define LONGEST_INSTRUCTION 2048
#define WRAPPED_TOKENS 10 /* among the first, \fromhtml ([MS-OXRTFEX] 2.1.3.1.1) */

typedef enum
{
  TEXT,  /* to the state's place */
  SKIP,  /* nothing below it counts */
  SHAPE, /* a drawing: text boxes in it count */
  FONTS,
  COLORS,
  INSTRUCTION, /* of a field */
  PAIR,        /* \upr: twice the same, the second time in Unicode */
} Destination;

typedef struct
{
  Destination destination;
  PostbagRtfPlace place;
  PostbagRtfParagraph paragraph;
  int code_page;
  int fallback; /* characters that follow a \u for old readers */
  gboolean hidden;
  gboolean white;
  gboolean tiny;
  gboolean deleted;
  gboolean in_result; /* of a field */
  gboolean is_rtf;    /* of a page that is wrapped: no part of it */
} State;

typedef struct
{
  PostbagRtfSource source;
  PostbagRtfWriter *writer;
  GString *html;   /* (nullable): the page that is wrapped */
  GArray *states;  /* State: of the groups around */
  State state;     /* of this one */
  guint too_deep;  /* groups open below the last one that is followed */
  gboolean missed; /* some were */
  gboolean starred;
  int skip; /* characters of a fallback that are still to come */
  gunichar high;
  GString *instruction;
  GByteArray *run; /* bytes in the code page of the state */
  int code_page;   /* the document's */
  int default_font;
  int font;          /* the one being defined */
  GHashTable *fonts; /* number to code page */
  GByteArray *colors;
  int red, green, blue;
  gint64 hidden;
  guint hiding; /* the last words: why nobody sees them; 0: somebody does */
} Reader;

/* --- text --- */

/* Once for words that go on, in however many pieces. */
static void
count_hidden (Reader *reader)
{
  const State *state = &reader->state;
  guint hiding = (state->hidden ? 1U : 0U) | (state->white ? 2U : 0U) | (state->tiny ? 4U : 0U);

  if (state->place > POSTBAG_RTF_ASIDE)
    return;
  reader->hidden += hiding != 0 && hiding != reader->hiding;
  reader->hiding = hiding;
}

/* Whatever a page is told in, letters are letters. */
static void
add_to_page (Reader *reader, const char *text)
{
  if (reader->state.destination == TEXT && !reader->state.is_rtf
      && reader->html->len < POSTBAG_LIMIT_LETTER_RTF_BYTES)
    g_string_append (reader->html, text);
}

static void
emit (Reader *reader, const char *text)
{
  const State *state = &reader->state;

  if (reader->html != NULL)
    {
      add_to_page (reader, text);
      return;
    }
  if (state->destination != TEXT || state->deleted || *text == '\0')
    return;
  count_hidden (reader);
  postbag_rtf_writer_text (reader->writer, state->place, &state->paragraph, text);
}

/* Where the field leads, behind its result. */
static void
end_result (Reader *reader)
{
  g_autofree char *target = postbag_link_dup_field_target (reader->instruction->str);
  g_autofree char *shown = postbag_link_dup_shown (target);

  if (shown != NULL && reader->html == NULL)
    emit (reader, shown);
  g_string_truncate (reader->instruction, 0);
}

static void
flush (Reader *reader)
{
  g_autofree char *charset = NULL;
  g_autofree char *text = NULL;

  if (reader->run->len == 0)
    return;
  charset = postbag_rtf_name_code_page (reader->state.code_page != 0 ? reader->state.code_page
                                                                     : reader->code_page);
  text = postbag_mime_to_utf8 ((const char *)reader->run->data, reader->run->len, charset);
  g_byte_array_set_size (reader->run, 0);
  emit (reader, text);
}

static void
take_bytes (Reader *reader, const guint8 *bytes, gsize length)
{
  gsize skipped = MIN (length, (gsize)MAX (reader->skip, 0));

  reader->skip -= (int)skipped;
  if (reader->state.destination == TEXT && !reader->state.deleted && length > skipped)
    g_byte_array_append (reader->run, bytes + skipped, (guint)(length - skipped));
}

static void
take_unicode (Reader *reader, gint32 number)
{
  gunichar c = (gunichar)(number < 0 ? number + 0x10000 : number);
  char text[7] = { 0 };

  reader->skip = reader->state.fallback;
  if (c >= 0xd800 && c <= 0xdbff)
    {
      reader->high = c;
      return;
    }
  if (c >= 0xdc00 && c <= 0xdfff && reader->high != 0)
    c = 0x10000 + ((reader->high - 0xd800) << 10) + (c - 0xdc00);
  reader->high = 0;
  /* The bullet of the symbol font, which is all that most files use it for. */
  c = c == 0xf0b7 ? 0x2022 : c;
  g_unichar_to_utf8 (g_unichar_validate (c) && c != 0 ? c : 0xfffd, text);
  emit (reader, text);
}

static const char *
find_symbol (const char *name)
{
  static const char *const symbols[][2] = {
    { "tab", "\t" },
    { "emdash", "\342\200\224" },
    { "endash", "\342\200\223" },
    { "bullet", "\342\200\242" },
    { "lquote", "\342\200\230" },
    { "rquote", "\342\200\231" },
    { "ldblquote", "\342\200\234" },
    { "rdblquote", "\342\200\235" },
    { "emspace", " " },
    { "enspace", " " },
    { "qmspace", " " },
    { "zwj", "\342\200\215" },
    { "zwnj", "\342\200\214" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (symbols); i++)
    if (strcmp (symbols[i][0], name) == 0)
      return symbols[i][1];
  return NULL;
}

/* --- destinations --- */

static gboolean
is_skipped_destination (const char *name)
{
  static const char *const names[] = { "aftncn",
                                       "aftnsep",
                                       "aftnsepc",
                                       "comment",
                                       "datafield",
                                       "filetbl",
                                       "formfield",
                                       "ftncn",
                                       "ftnsep",
                                       "ftnsepc",
                                       "info",
                                       "keycode",
                                       "listtable",
                                       "listpicture",
                                       "nonesttables",
                                       "listoverridetable",
                                       "nonshppict",
                                       "objdata",
                                       "pict",
                                       "private",
                                       "private1",
                                       "revtbl",
                                       "rsidtbl",
                                       "rxe",
                                       "shprslt",
                                       "sp",
                                       "stylesheet",
                                       "tc",
                                       "tcn",
                                       "template",
                                       "themedata",
                                       "txe",
                                       "xe",
                                       "xmlnstbl",
                                       NULL };

  return g_strv_contains (names, name);
}

/* Whether the next word says that it is not the note it began as. */
static gboolean
is_endnote (const Reader *reader)
{
  PostbagRtfSource ahead = reader->source;
  PostbagRtfToken token;

  postbag_rtf_next (&ahead, &token);
  return token.kind == POSTBAG_RTF_WORD && strcmp (token.name, "ftnalt") == 0;
}

static void
begin_aside (Reader *reader, const char *what, gboolean reference)
{
  if (!reader->state.deleted)
    postbag_rtf_writer_begin_aside (reader->writer, reader->state.place, &reader->state.paragraph,
                                    what, reference);
  reader->state.place = POSTBAG_RTF_ASIDE;
  reader->state.paragraph = (PostbagRtfParagraph){ 0 };
}

static void
begin_place (Reader *reader, PostbagRtfPlace place)
{
  reader->state.destination = TEXT;
  reader->state.place = place;
  postbag_rtf_writer_begin (reader->writer, place);
}

/* A drawing's texts; in the others nothing of it counts. */
static gboolean
enter_shape (Reader *reader, const char *name)
{
  if (strcmp (name, "shpinst") == 0 || strcmp (name, "do") == 0)
    reader->state.destination = SHAPE;
  else if (strcmp (name, "shptxt") == 0 || strcmp (name, "dptxbxtext") == 0)
    begin_place (reader, POSTBAG_RTF_BOX);
  else
    return FALSE;
  return TRUE;
}

static gboolean
is_margin (const char *name, const char *kind)
{
  gsize length = strlen (kind);

  /* Of all pages, the left ones, the right ones, the first; \headery is where it stands. */
  return strncmp (name, kind, length) == 0
         && (name[length] == '\0'
             || (strchr ("lrf", name[length]) != NULL && name[length + 1] == '\0'));
}

static gboolean
enter_aside (Reader *reader, const char *name)
{
  if (strcmp (name, "footnote") == 0)
    begin_aside (reader, is_endnote (reader) ? "Endnote" : "Footnote", TRUE);
  else if (strcmp (name, "annotation") == 0)
    begin_aside (reader, "Comment", FALSE);
  else if (is_margin (name, "header"))
    begin_aside (reader, "Page header", FALSE);
  else if (is_margin (name, "footer"))
    begin_aside (reader, "Page footer", FALSE);
  else if (strcmp (name, "atnauthor") == 0)
    begin_place (reader, POSTBAG_RTF_AUTHOR);
  else if (strcmp (name, "listtext") == 0 || strcmp (name, "pntext") == 0)
    begin_place (reader, POSTBAG_RTF_MARKER);
  else
    return FALSE;
  return TRUE;
}

/* Of a page that is wrapped: its tags, and the rest, which is for readers of RTF alone. */
static gboolean
enter_tag (Reader *reader, const char *name)
{
  if (strcmp (name, "htmltag") == 0)
    reader->state.destination = TEXT;
  else if (strcmp (name, "listtext") == 0 || strcmp (name, "pntext") == 0)
    reader->state.destination = SKIP;
  else
    return FALSE;
  return TRUE;
}

/* Returns: whether @name is a destination; the state is in it then. */
static gboolean
enter_destination (Reader *reader, const char *name)
{
  State *state = &reader->state;
  gboolean starred = reader->starred;

  reader->starred = FALSE;
  if (state->destination == PAIR && strcmp (name, "ud") == 0)
    state->destination = TEXT;
  else if (state->destination != TEXT && state->destination != SHAPE)
    return starred;
  else if (reader->html != NULL && enter_tag (reader, name))
    return TRUE;
  else if (enter_shape (reader, name))
    return TRUE;
  else if (strcmp (name, "upr") == 0)
    state->destination = PAIR;
  else if (strcmp (name, "fonttbl") == 0)
    state->destination = FONTS;
  else if (strcmp (name, "colortbl") == 0)
    state->destination = COLORS;
  else if (strcmp (name, "fldinst") == 0)
    {
      state->destination = INSTRUCTION;
      g_string_truncate (reader->instruction, 0);
    }
  else if (strcmp (name, "fldrslt") == 0)
    state->in_result = TRUE;
  else if (is_skipped_destination (name))
    state->destination = SKIP;
  else if (reader->html == NULL && state->destination == TEXT && enter_aside (reader, name))
    return TRUE;
  else if (starred && strcmp (name, "ud") != 0)
    state->destination = SKIP;
  else
    return FALSE;
  return TRUE;
}

/* --- tables of fonts and colours --- */

static void
read_font (Reader *reader, const PostbagRtfToken *token)
{
  int code_page = -1;

  if (strcmp (token->name, "f") == 0)
    reader->font = token->number;
  else if (strcmp (token->name, "fcharset") == 0)
    code_page = postbag_rtf_code_page_of_charset (token->number);
  else if (strcmp (token->name, "cpg") == 0)
    code_page = token->number;
  if (code_page >= 0 && g_hash_table_size (reader->fonts) < POSTBAG_LIMIT_RTF_FONTS)
    g_hash_table_insert (reader->fonts, GINT_TO_POINTER (reader->font),
                         GINT_TO_POINTER (code_page));
}

static void
read_color (Reader *reader, const PostbagRtfToken *token)
{
  if (strcmp (token->name, "red") == 0)
    reader->red = token->number;
  else if (strcmp (token->name, "green") == 0)
    reader->green = token->number;
  else if (strcmp (token->name, "blue") == 0)
    reader->blue = token->number;
}

/* Each colour ends in a semicolon. */
static void
end_colors (Reader *reader, const PostbagRtfToken *token)
{
  for (gsize i = 0; i < token->length; i++)
    if (token->text[i] == ';' && reader->colors->len < MOST_COLORS)
      {
        guint8 white = reader->red == 255 && reader->green == 255 && reader->blue == 255;

        g_byte_array_append (reader->colors, &white, 1);
        reader->red = reader->green = reader->blue = -1;
      }
}

static void
set_font (Reader *reader, int font)
{
  reader->state.code_page =
      GPOINTER_TO_INT (g_hash_table_lookup (reader->fonts, GINT_TO_POINTER (font)));
}

/* --- words --- */

/* \v and \v1 are on, \v0 is off. */
static gboolean
is_on (const PostbagRtfToken *token)
{
  return !token->has_number || token->number != 0;
}

static gboolean
set_character (Reader *reader, const PostbagRtfToken *token)
{
  State *state = &reader->state;
  const char *name = token->name;

  if (strcmp (name, "f") == 0)
    set_font (reader, token->number);
  else if (strcmp (name, "v") == 0)
    state->hidden = is_on (token);
  else if (strcmp (name, "deleted") == 0)
    state->deleted = is_on (token);
  else if (strcmp (name, "htmlrtf") == 0)
    state->is_rtf = is_on (token);
  else if (strcmp (name, "fs") == 0)
    state->tiny = token->number <= 2 * POSTBAG_STORY_SMALLEST_LETTER && token->has_number;
  else if (strcmp (name, "cf") == 0)
    state->white = token->number >= 0 && (guint)token->number < reader->colors->len
                   && reader->colors->data[token->number] != 0;
  else if (strcmp (name, "uc") == 0)
    state->fallback = CLAMP (token->number, 0, 16);
  else if (strcmp (name, "plain") == 0)
    {
      state->hidden = state->deleted = state->tiny = state->white = FALSE;
      set_font (reader, reader->default_font);
    }
  else
    return FALSE;
  return TRUE;
}

static gboolean
set_paragraph (Reader *reader, const PostbagRtfToken *token)
{
  PostbagRtfParagraph *paragraph = &reader->state.paragraph;

  if (strcmp (token->name, "pard") == 0)
    *paragraph = (PostbagRtfParagraph){ 0 };
  else if (strcmp (token->name, "intbl") == 0)
    paragraph->in_table = is_on (token);
  else if (strcmp (token->name, "outlinelevel") == 0)
    paragraph->outline = token->number >= 0 && token->number <= 8 ? token->number + 1 : 0;
  else if (strcmp (token->name, "ilvl") == 0)
    paragraph->level = CLAMP (token->number, 0, 8);
  else
    return FALSE;
  return TRUE;
}

/* A paragraph mark that was deleted joins two paragraphs, which nobody misses here. */
static gboolean
structure (Reader *reader, const char *name)
{
  static const char *const ends[] = { "par", "sect", "page", "column", NULL };
  const State *state = &reader->state;

  if (reader->html != NULL)
    {
      gboolean is_end = strcmp (name, "par") == 0 || strcmp (name, "line") == 0;

      emit (reader, is_end ? "\r\n" : "");
      return is_end;
    }
  if (g_strv_contains (ends, name))
    postbag_rtf_writer_end_paragraph (reader->writer, state->place);
  else if (strcmp (name, "line") == 0 || strcmp (name, "lbr") == 0 || strcmp (name, "nestcell") == 0
           || strcmp (name, "nestrow") == 0)
    postbag_rtf_writer_break (reader->writer, state->place);
  else if (strcmp (name, "cell") == 0)
    postbag_rtf_writer_end_cell (reader->writer, state->place, &state->paragraph);
  else if (strcmp (name, "row") == 0)
    postbag_rtf_writer_end_row (reader->writer, state->place);
  else
    return FALSE;
  return TRUE;
}

static void
set_document (Reader *reader, const PostbagRtfToken *token)
{
  if (strcmp (token->name, "ansicpg") == 0 && token->number > 0)
    reader->code_page = token->number;
  else if (strcmp (token->name, "mac") == 0)
    reader->code_page = 10000;
  else if (strcmp (token->name, "pc") == 0)
    reader->code_page = 437;
  else if (strcmp (token->name, "pca") == 0)
    reader->code_page = 850;
  else if (strcmp (token->name, "deff") == 0)
    reader->default_font = token->number;
}

static void
take_word (Reader *reader, const PostbagRtfToken *token)
{
  const char *symbol = find_symbol (token->name);

  if (symbol != NULL && reader->skip > 0)
    {
      reader->skip--;
      return;
    }
  if (strcmp (token->name, "u") == 0)
    {
      take_unicode (reader, token->number);
      return;
    }
  reader->skip = 0;
  if (enter_destination (reader, token->name) || reader->state.destination == SKIP)
    return;
  if (reader->state.destination == FONTS)
    read_font (reader, token);
  else if (reader->state.destination == COLORS)
    read_color (reader, token);
  else if (symbol != NULL)
    emit (reader, symbol);
  else if (!set_character (reader, token) && !set_paragraph (reader, token)
           && (reader->state.destination != TEXT || !structure (reader, token->name)))
    set_document (reader, token);
}

static void
take_symbol (Reader *reader, guchar symbol)
{
  const char text[2] = { (char)symbol, '\0' };

  if (reader->skip > 0)
    reader->skip--;
  else if (symbol == '*')
    reader->starred = TRUE;
  else if (symbol == '~')
    emit (reader, "\302\240");
  else if (symbol == '_')
    emit (reader, "-");
  else if (symbol == '\\' || symbol == '{' || symbol == '}')
    emit (reader, text);
  else if ((symbol == '\r' || symbol == '\n') && reader->state.destination == TEXT)
    structure (reader, "par");
  else if (symbol == '\t')
    emit (reader, "\t");
}

/* --- groups --- */

static void
open_group (Reader *reader)
{
  reader->skip = 0;
  reader->starred = FALSE;
  if (reader->states->len < POSTBAG_LIMIT_RTF_DEPTH)
    g_array_append_val (reader->states, reader->state);
  else
    {
      reader->too_deep++;
      reader->missed = TRUE;
    }
}

static void
close_group (Reader *reader)
{
  reader->skip = 0;
  reader->starred = FALSE;
  if (reader->too_deep > 0)
    reader->too_deep--;
  else if (reader->states->len > 0)
    {
      gboolean was_result = reader->state.in_result;

      reader->state = g_array_index (reader->states, State, reader->states->len - 1);
      g_array_set_size (reader->states, reader->states->len - 1);
      if (was_result && !reader->state.in_result)
        end_result (reader);
    }
}

static void
take_text (Reader *reader, const PostbagRtfToken *token)
{
  if (reader->state.destination == COLORS)
    end_colors (reader, token);
  else if (reader->state.destination == INSTRUCTION)
    {
      if (reader->instruction->len + token->length <= LONGEST_INSTRUCTION)
        g_string_append_len (reader->instruction, (const char *)token->text, (gssize)token->length);
    }
  else
    take_bytes (reader, token->text, token->length);
}

static void
take_token (Reader *reader, const PostbagRtfToken *token)
{
  if (token->kind != POSTBAG_RTF_TEXT && token->kind != POSTBAG_RTF_BYTE)
    flush (reader);
  if (token->kind == POSTBAG_RTF_OPEN)
    open_group (reader);
  else if (token->kind == POSTBAG_RTF_CLOSE)
    close_group (reader);
  else if (reader->too_deep > 0)
    return;
  else if (token->kind == POSTBAG_RTF_WORD)
    take_word (reader, token);
  else if (token->kind == POSTBAG_RTF_SYMBOL)
    take_symbol (reader, token->byte);
  else if (token->kind == POSTBAG_RTF_BYTE)
    take_bytes (reader, &token->byte, 1);
  else if (token->kind == POSTBAG_RTF_TEXT)
    take_text (reader, token);
}

/* What follows the last group is no text: files end in NUL, blanks, or anything. */
static void
read_all (Reader *reader)
{
  PostbagRtfToken token;

  do
    {
      postbag_rtf_next (&reader->source, &token);
      take_token (reader, &token);
    }
  while (token.kind != POSTBAG_RTF_END && reader->states->len > 0
         && !postbag_rtf_writer_is_full (reader->writer));
}

static gboolean
is_wrapped_page (const PostbagExtractInput *input, gsize start)
{
  PostbagRtfSource source = { input->data, input->length, start };
  PostbagRtfToken token = { POSTBAG_RTF_END };

  for (guint i = 0; i < WRAPPED_TOKENS; i++)
    {
      postbag_rtf_next (&source, &token);
      if (token.kind == POSTBAG_RTF_WORD && strcmp (token.name, "fromhtml") == 0)
        return is_on (&token);
    }
  return FALSE;
}

static void
write_page (Reader *reader, PostbagExtractOutput *output)
{
  if (reader->html != NULL
      && !output->descend (output, (const guint8 *)reader->html->str, reader->html->len,
                           "text/html", NULL))
    output->note (output, "The page in it could not be read.");
}

static void
read_document (const PostbagExtractInput *input, gsize start, PostbagExtractOutput *output)
{
  g_autoptr (PostbagRtfWriter) writer = postbag_rtf_writer_new (output);
  Reader reader = { .source = { input->data, input->length, start },
                    .writer = writer,
                    .state = { .fallback = 1 },
                    .code_page = 1252,
                    .red = -1 };

  if (is_wrapped_page (input, start))
    reader.html = g_string_new ("<!DOCTYPE html><meta charset=\"utf-8\">");
  reader.states = g_array_new (FALSE, FALSE, sizeof (State));
  reader.instruction = g_string_new (NULL);
  reader.run = g_byte_array_new ();
  reader.colors = g_byte_array_new ();
  reader.fonts = g_hash_table_new (NULL, NULL);
  read_all (&reader);
  write_page (&reader, output);
  if (reader.states->len > 0 && !postbag_rtf_writer_is_full (writer))
    output->note (output, "The file ends in the middle.");
  if (reader.missed)
    output->note (output, "Parts that are nested too deep were left out.");
  output->count (output, "hidden_runs", reader.hidden);
  g_array_unref (reader.states);
  g_string_free (reader.instruction, TRUE);
  g_byte_array_unref (reader.run);
  g_byte_array_unref (reader.colors);
  g_hash_table_unref (reader.fonts);
  if (reader.html != NULL)
    g_string_free (reader.html, TRUE);
}

static gboolean
extract (const PostbagExtractInput *input, PostbagExtractOutput *output, GError **error)
{
  gsize start = 0;

  while (start < input->length && strchr (" \t\r\n", (char)input->data[start]) != NULL
         && input->data[start] != '\0')
    start++;
  if (input->length - start < 5 || memcmp (input->data + start, "{\\rtf", 5) != 0)
    {
      g_set_error_literal (error, POSTBAG_EXTRACT_ERROR, POSTBAG_EXTRACT_NOT_A_DOCUMENT,
                           "It does not begin as RTF.");
      return FALSE;
    }
  read_document (input, start, output);
  return TRUE;
}

const PostbagExtractorImplementation postbag_rtf_extractor = {
  .size = sizeof (PostbagExtractorImplementation),
  .prepare = postbag_charset_tables_prepare,
  .extract = extract,
};
