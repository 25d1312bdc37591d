/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Shapes of HTML that have cost a parser more than their size: a beginning, then one of two pieces
 * over and over, each with its own number where it holds `@`. For the test that reading them is
 * linear and the bench that says how long it takes. */

#include <glib.h>

#include <string.h>
#include <time.h>

typedef struct
{
  const char *name;
  const char *first;  /* (nullable): for the first half of the size */
  const char *middle; /* (nullable): once, between them */
  const char *second; /* for the rest */
} HostileShape;

#define SIXTEEN_LETTERS "aaaaaaaaaaaaaaaa"
#define LETTERS SIXTEEN_LETTERS SIXTEEN_LETTERS SIXTEEN_LETTERS SIXTEEN_LETTERS
#define LONG_WORD LETTERS LETTERS LETTERS LETTERS LETTERS LETTERS LETTERS LETTERS

static const HostileShape hostile_shapes[] = {
  { "nested inline", NULL, NULL, "<b>" },
  { "nested blocks", NULL, NULL, "<div>" },
  { "nested tables", NULL, NULL, "<table><tr><td>" },
  { "nested lists", NULL, NULL, "<ul><li>" },
  { "nested quotations", NULL, NULL, "<blockquote><br>a" },
  { "ends without a start", NULL, NULL, "</b>" },
  { "crossed ends", NULL, NULL, "<b><i></b>" },
  { "paragraphs", NULL, NULL, "<p>" },
  { "paragraphs in inline", NULL, NULL, "<b><p>" },
  { "items", NULL, NULL, "<li>" },
  { "line ends", NULL, NULL, "<br>a" },
  { "open brackets", NULL, NULL, "<" },
  { "open tags", NULL, NULL, "<a " },
  { "open values", NULL, NULL, "<a b='" },
  { "open comments", NULL, NULL, "<!--" },
  { "comments", NULL, NULL, "<!-- -->" },
  { "dashes in a comment", "<!--", NULL, "--- " },
  { "open scripts", NULL, NULL, "<script>" },
  { "open styles", NULL, NULL, "<style>" },
  { "ampersands", NULL, NULL, "&" },
  { "open references", NULL, NULL, "&#" },
  { "references", NULL, NULL, "&amp;" },
  { "attributes", NULL, "<p", " a@=b" },
  { "known attributes", NULL, NULL, "<p id=@ class=@ title=x width=1 height=1>" },
  { "links", NULL, NULL, "<a href='https://a.test/'>www.b@.test" },
  { "international links", NULL, NULL, "<a href='https://\xc3\xa4@.test/'>x" },
  { "relative links", NULL, "<base href='https://a.test/'>", "<a href=../@>x</a>" },
  { "images", NULL, NULL, "<img src=https://a.test/@ width=1 alt=x>" },
  { "inline styles", NULL, NULL, "<p style='display:none'>" },
  { "inline colors", NULL, NULL, "<i style='color:#@;background:hsl(@,1%,2%)'>x</i>" },
  { "inline nonsense", NULL, "<p style='", "color:red;" },
  { "rules and elements", "<style>.a{color:red}", "</style>", "<b class=a>x</b>" },
  { "different rules", "<style>.a@{color:red}", "</style>", "<b class=a@>x</b>" },
  { "rules for one class", "<style>.b@ .a{color:red}", "</style>", "<b class=a>x</b>" },
  { "rules for everything", "<style>.b@ *{color:red}", "</style>", "<b>x</b>" },
  { "deep selectors", "<style>a@ b b b b b b b .x{color:red}", "</style>", "<b>" },
  { "long selectors", NULL, "<style>", "a b > c " },
  { "selector lists", "<style>.a@,", "{color:red;display:block}</style>", "<b class=a@>x" },
  { "long blocks", "<style>.a{", "}</style>", "color:#@;" },
  { "open groups", NULL, "<style>", "@media screen{" },
  { "open rules", NULL, "<style>", "a,b{" },
  { "rules in rules", NULL, "<style>.a,.b{", "& & .c@{color:red}" },
  { "declarations between rules", NULL, "<style>.a,.b{", "color:red;c{}" },
  { "variables", "<style>.a@{--a@:red}", "</style>", "<b class=a@>x</b>" },
  { "variables in variables", "<style>b{--a@:var(--a@) var(--b)}", "</style>", "<b>x</b>" },
  { "variables of everything", NULL, "<style>b{color:var(--a,var(--b,red))}</style>", "<b>x</b>" },
  { "inline variables", NULL, NULL, "<b style='--a@:red;--b:x;color:var(--a@)'>" },
  { "open variables", NULL, "<style>b{color:var(--a,", "var(--a," },
  { "generated text", NULL, "<style>b::before{content:'x'}</style>", "<b>x</b>" },
  { "siblings", "<style>.a@ + b,.a ~ b{color:red}", "</style>", "<b class=a>x</b>" },
  { "places", "<style>b:nth-child(@n+1){color:red}", "</style>", "<b>x</b>" },
  { "has", "<style>b:has(.a@){color:red}", "</style>", "<b>x<i class=a1></i></b>" },
  { "has siblings", NULL, "<style>b:has(~ i){color:red}</style>", "<b></b><i></i>" },
  { "attributes in selectors", "<style>[a@=x]{color:red}", "</style>", "<b a1=x>x</b>" },
  { "parts of attributes", "<style>[title*=a@]{color:red}", "</style>",
    "<b title=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa>x</b>" },
  { "parts of attributes in any case", "<style>[title*='" LONG_WORD "b@' i]{color:red}", "</style>",
    "<b title=" LONG_WORD LONG_WORD LONG_WORD ">x</b>" },
  { "selectors of siblings", NULL, "<style>a", "+a" },
  { "all elements", NULL, "<style>tbody{color:red}</style>", "<b><i></b>" },
  { "rows without a body", NULL, "<style>tbody{color:red}</style>", "<table><td>" },
  { "different types", NULL, "<style>b:last-of-type{color:red}</style>", "<x@></x@>" },
  { "media lists", NULL, "<style>@media ", "screen and (max-width:9px)," },
  { "open comments in styles", NULL, "<style>", "/*" },
  { "open strings in styles", NULL, "<style>", "\"\n" },
  { "escapes in styles", NULL, "<style>", "\\61 " },
  { "open addresses in styles", NULL, "<style>", "url(" },
  { "brackets in selectors", NULL, "<style>.a", ":not(" },
  { "attribute selectors", NULL, "<style>", "[a" },
  { "many styles", NULL, NULL, "<style>a{color:red}</style>" },
  { "many classes", "<style>.a{color:red}", "</style><b class='", "a " },
  { "labels", NULL, NULL,
    "<i style='position:absolute;overflow:hidden;width:1px;height:1px'>x</i>" },
  { "details", NULL, NULL, "<details><summary>" },
  { "drawings", NULL, NULL, "<svg><desc>" },
};

static inline void
append_piece (GString *html, const char *piece, guint number)
{
  for (; *piece != '\0'; piece++)
    {
      if (*piece == '@' && g_ascii_strncasecmp (piece, "@media", 6) != 0)
        g_string_append_printf (html, "%u", number);
      else
        g_string_append_c (html, *piece);
    }
}

/* (transfer full) */
static inline char *
make_hostile_html (const HostileShape *shape, gsize size)
{
  GString *html = g_string_sized_new (size + 256);
  guint number = 0;

  if (shape->first != NULL && strncmp (shape->first, "<style>", 7) == 0)
    g_string_append (html, "<style>");
  while (shape->first != NULL && html->len < size / 2)
    append_piece (html, shape->first + (strncmp (shape->first, "<style>", 7) == 0 ? 7 : 0),
                  number++);
  if (shape->middle != NULL)
    append_piece (html, shape->middle, 0);
  number = 0;
  while (html->len < size)
    append_piece (html, shape->second, number++);
  return g_string_free (html, FALSE);
}

/* Of this thread alone: other programs on the machine do not count. */
static inline gint64
get_processor_time (void)
{
  struct timespec now;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &now);
  return (gint64)now.tv_sec * G_USEC_PER_SEC + now.tv_nsec / 1000;
}
