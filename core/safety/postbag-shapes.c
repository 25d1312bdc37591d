/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The twelve shapes (contracts/guarded 4.4). Most are chains: a word of one kind, then one of
 * another within a few words, never across the end of a sentence. One pass over the words keeps for
 * each chain where its latest links stood, so the time is linear in the text whatever it repeats.
 * The rest (roles, delimiters, brackets) are seen at the character. */

#include "safety/postbag-shapes-private.h"

#include <string.h>

/* Longer than any word of ours. */
#define MAX_WORD 32
#define MAX_LINKS 4

/* A word of one of these kinds, at most so many words behind the link before. */
typedef struct
{
  guint64 words;
  guint gap;
} Link;

typedef struct
{
  PostbagShape shape;
  Link links[MAX_LINKS];
} Chain;

#define W(word) POSTBAG_WORD_##word
/* clang-format off */
static const Chain chains[] = {
  { POSTBAG_SHAPE_INSTRUCTION_OVERRIDE,
    { { W (OVERRIDE), 0 }, { W (PRIOR), 5 }, { W (INSTRUCTION), 5 } } },
  { POSTBAG_SHAPE_INSTRUCTION_OVERRIDE,
    { { W (OVERRIDE), 0 }, { W (INSTRUCTION), 5 }, { W (PRIOR), 5 } } },
  { POSTBAG_SHAPE_TOOL_COERCION, { { W (CALL), 0 }, { W (TOOL), 4 } } },
  { POSTBAG_SHAPE_EXFILTRATION, { { W (SEND), 0 }, { W (TO), 10 }, { W (ADDRESS), 3 } } },
  { POSTBAG_SHAPE_CREDENTIAL_REQUEST, { { W (REVEAL), 0 }, { W (CREDENTIAL), 5 } } },
  { POSTBAG_SHAPE_CREDENTIAL_REQUEST, { { W (REVEAL), 0 }, { W (API), 5 }, { W (KEY), 1 } } },
  { POSTBAG_SHAPE_CREDENTIAL_REQUEST, { { W (CREDENTIAL), 0 }, { W (REVEAL), 5 } } },
  { POSTBAG_SHAPE_CREDENTIAL_REQUEST, { { W (API), 0 }, { W (KEY), 1 }, { W (REVEAL), 5 } } },
  { POSTBAG_SHAPE_URL_COMMAND, { { W (VISIT), 0 }, { W (URL), 5 } } },
  { POSTBAG_SHAPE_URGENCY_PRESSURE, { { W (URGENT), 0 } } },
  { POSTBAG_SHAPE_URGENCY_PRESSURE, { { W (RIGHT), 0 }, { W (NOW), 1 } } },
  { POSTBAG_SHAPE_URGENCY_PRESSURE, { { W (NOT), 0 }, { W (TELL), 1 } } },
  { POSTBAG_SHAPE_URGENCY_PRESSURE, { { W (WITHOUT), 0 }, { W (ASKING), 1 } } },
  { POSTBAG_SHAPE_DELETE_COMMAND, { { W (DELETE), 0 }, { W (DELETABLE), 4 } } },
  { POSTBAG_SHAPE_HIDDEN_NOTE,
    { { W (HIDDEN), 0 }, { W (NOTE), 4 } } },
  { POSTBAG_SHAPE_HIDDEN_NOTE,
    { { W (ONLY), 0 }, { W (AI), 3 }, { W (NOTE), 6 } } },
  { POSTBAG_SHAPE_POLICY_CLAIM, { { W (NEW), 0 }, { W (POLICY), 4 }, { W (MUST), 12 } } },
};
/* clang-format on */

typedef struct
{
  const char *at; /* what is not read yet */
  const char *start;
  guint32 found;
  guint count;                                     /* words so far */
  guint reached[G_N_ELEMENTS (chains)][MAX_LINKS]; /* word (from 1) that was the latest such link */
  guint sentence;                                  /* first word (from 1) of this sentence */
  guint rule;      /* characters of a rule of `-`, `=`, `#` right before */
  gboolean framed; /* behind a rule stood a word that makes it a delimiter */
  guint newlines;
  gboolean after_article;             /* the word before makes a noun of the next */
  guint64 any[G_N_ELEMENTS (chains)]; /* kinds of words of each chain */
} Scan;

static void
follow_chain (Scan *scan, gsize index, guint64 words)
{
  const Chain *chain = &chains[index];
  guint *reached = scan->reached[index];

  for (guint i = MAX_LINKS; i > 0; i--)
    {
      const Link *link = &chain->links[i - 1];

      if ((link->words & words) == 0)
        continue;
      if (i > 1 && (reached[i - 2] < scan->sentence || scan->count - reached[i - 2] > link->gap))
        continue;
      reached[i - 1] = scan->count;
      if (i == MAX_LINKS || chain->links[i].words == 0)
        scan->found |= 1u << chain->shape;
    }
}

static void
take_word (Scan *scan, guint64 words)
{
  scan->count++;
  scan->newlines = 0;
  for (gsize i = 0; words != 0 && i < G_N_ELEMENTS (chains); i++)
    if ((scan->any[i] & words) != 0)
      follow_chain (scan, i, words);
}

/* --- at the character --- */

/* Whether a role's name that starts at @start stands where a speaker's name stands: at the start of
 * a line, or behind punctuation. */
static gboolean
stands_alone (const Scan *scan, const char *start)
{
  const char *p = start;

  while (p > scan->start && (p[-1] == ' ' || p[-1] == '\t'))
    p--;
  if (p == scan->start || p[-1] == '\n')
    return TRUE;
  if (p[-1] == '-' && p == start)
    return p - 1 == scan->start || !g_ascii_isalnum (p[-2]);
  return strchr ("-|>])*#}", p[-1]) != NULL;
}

static void
look_at_role (Scan *scan, const char *start, guint64 words)
{
  const char *p = scan->at + strspn (scan->at, " \t");

  if ((words & W (ROLE)) != 0 && *p == ':' && stands_alone (scan, start))
    scan->found |= 1u << POSTBAG_SHAPE_ROLE_INJECTION;
}

/* `--- BEGIN SYSTEM PROMPT`, but not the armour of a key nor a forwarded message. */
static void
look_at_frame (Scan *scan, guint64 words)
{
  if (scan->framed && (words & W (ARMOR)) == 0)
    scan->found |= 1u << POSTBAG_SHAPE_FAKE_DELIMITER;
  scan->framed = scan->rule >= 3 && (words & W (DELIMITER)) != 0;
  scan->rule = 0;
}

static void
end_frame (Scan *scan)
{
  if (scan->framed)
    scan->found |= 1u << POSTBAG_SHAPE_FAKE_DELIMITER;
  scan->framed = FALSE;
  scan->rule = 0;
}

/* `[INST]`, `[/SYSTEM]`, `<<SYS>>`, `<|im_start|>`: what separates the turns of a model. */
static void
look_at_bracket (Scan *scan)
{
  static const char *const marks[] = {
    "[INST]",       "[SYS]",      "[SYSTEM]",   "[USER]",   "[ASSISTANT]",   "<<SYS>>",
    "[/INST]",      "[/SYS]",     "[/SYSTEM]",  "[/USER]",  "[/ASSISTANT]",  "<</SYS>>",
    "<|im_start|>", "<|im_end|>", "<|system|>", "<|user|>", "<|assistant|>", "<|endoftext|>",
  };
  char next = scan->at[1];

  if (next == '<')
    next = scan->at[2];
  if (next == '\0' || strchr ("ISUA/|", next) == NULL
      || (next == '|' && strchr ("isuae", scan->at[2]) == NULL))
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (marks); i++)
    if (g_str_has_prefix (scan->at, marks[i]))
      scan->found |= 1u << POSTBAG_SHAPE_PROMPT_BOUNDARY;
}

/* --- reading --- */

static gboolean
is_word_byte (char c)
{
  return g_ascii_isalnum (c) || (c & 0x80) != 0;
}

static gboolean
skip_url (Scan *scan)
{
  if ((*scan->at != 'h' && *scan->at != 'H')
      || (g_ascii_strncasecmp (scan->at, "http://", 7) != 0
          && g_ascii_strncasecmp (scan->at, "https://", 8) != 0))
    return FALSE;
  end_frame (scan);
  take_word (scan, W (URL));
  scan->at += strcspn (scan->at, " \t\n<>\"");
  return TRUE;
}

/* The part of an address behind a word: `.byrne@example.org`. */
static gboolean
skip_address (Scan *scan)
{
  if (scan->at[0] != '@' || !g_ascii_isalnum (scan->at[1]))
    return FALSE;
  scan->at++;
  while (is_word_byte (*scan->at)
         || ((*scan->at == '.' || *scan->at == '-') && is_word_byte (scan->at[1])))
    scan->at++;
  return TRUE;
}

static void
read_word (Scan *scan)
{
  char word[MAX_WORD + 1];
  gsize length = 0;
  gboolean too_long = FALSE;
  guint64 words;
  const char *start = scan->at;

  while (is_word_byte (*scan->at) || (*scan->at == '\'' && is_word_byte (scan->at[1])))
    {
      if (*scan->at != '\'' && length < MAX_WORD)
        word[length++] = g_ascii_tolower (*scan->at);
      else if (*scan->at != '\'')
        too_long = TRUE;
      scan->at++;
    }
  word[length] = '\0';
  words = too_long ? 0 : postbag_shape_words_find (word);
  if (scan->after_article && (words & W (NOUN)) != 0)
    words &= ~W (SEND);
  scan->after_article = (words & W (ARTICLE)) != 0;
  if (skip_address (scan))
    words = W (ADDRESS);
  look_at_frame (scan, words);
  look_at_role (scan, start, words);
  take_word (scan, words);
}

static gboolean
ends_sentence (const char *p)
{
  return (*p == '.' || *p == '!' || *p == '?')
         && (p[1] == '\0' || strchr (" \t\n\"')", p[1]) != NULL);
}

static void
read_other (Scan *scan)
{
  char c = *scan->at;

  if (c == '-' || c == '=' || c == '#')
    {
      if (scan->framed)
        end_frame (scan);
      scan->rule++;
    }
  else if (c != ' ' && c != '\t')
    end_frame (scan);
  if (c == '[' || c == '<')
    look_at_bracket (scan);
  if (c == '\n')
    scan->newlines++;
  if (ends_sentence (scan->at) || scan->newlines > 1)
    scan->sentence = scan->count + 1;
  scan->at++;
}

guint32
postbag_shapes_scan (const char *folded)
{
  Scan scan = { .at = folded, .start = folded, .sentence = 1 };

  for (gsize i = 0; i < G_N_ELEMENTS (chains); i++)
    for (guint link = 0; link < MAX_LINKS; link++)
      scan.any[i] |= chains[i].links[link].words;
  while (*scan.at != '\0')
    {
      if (!is_word_byte (*scan.at))
        read_other (&scan);
      else if (!skip_url (&scan))
        read_word (&scan);
    }
  end_frame (&scan);
  return scan.found;
}

const char *
postbag_shape_get_name (PostbagShape shape)
{
  static const char *const names[POSTBAG_N_SHAPES] = {
    [POSTBAG_SHAPE_INSTRUCTION_OVERRIDE] = "instruction-override",
    [POSTBAG_SHAPE_ROLE_INJECTION] = "role-injection",
    [POSTBAG_SHAPE_FAKE_DELIMITER] = "fake-delimiter",
    [POSTBAG_SHAPE_TOOL_COERCION] = "tool-coercion",
    [POSTBAG_SHAPE_EXFILTRATION] = "exfiltration",
    [POSTBAG_SHAPE_CREDENTIAL_REQUEST] = "credential-request",
    [POSTBAG_SHAPE_URL_COMMAND] = "url-command",
    [POSTBAG_SHAPE_URGENCY_PRESSURE] = "urgency-pressure",
    [POSTBAG_SHAPE_DELETE_COMMAND] = "delete-command",
    [POSTBAG_SHAPE_HIDDEN_NOTE] = "hidden-note",
    [POSTBAG_SHAPE_PROMPT_BOUNDARY] = "prompt-boundary",
    [POSTBAG_SHAPE_POLICY_CLAIM] = "policy-claim",
  };

  return names[shape];
}
