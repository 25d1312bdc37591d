/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Prints the milliseconds of processor time that one megabyte of each hostile shape takes: as a
 * message that is parsed, judged, turned into text and examined, all that get_message does of it;
 * then the slowest. With an argument only the shape of that name. */

#include <stdio.h>

#include "mime/postbag-message-security.h"

#include "../hostile-html.h"

#define SIZE 1000000
#define TIMES 3

typedef struct
{
  const char *name;
  const char *first;
  const char *again;
  const char *last;
} Shape;

#define TEXT "Content-Type: text/plain; charset="
#define END "\n\nx"
#define UTF8 TEXT "utf-8\n\n"

static const Shape shapes[] = {
  { "fields", "", "A: b\n", "\nx" },
  { "fields of one name", "", "From: a@b.test\n", "\nx" },
  { "From lines", "", "From: ", END },
  { "lines that are no field", "A: b\n", "no field\n", "\nx" },
  { "folded lines", "Subject:", " a\n", "\nx" },
  { "blanks", "Subject:", " ", END },
  { "colons", "", ":", END },
  { "bare CR", "Subject: ", "\r", END },
  { "NUL", "Subject: ", "\1\2", END },
  { "one address after the other", "From: ", "a@b.test,", END },
  { "many fields of addresses", "", "To: a@b.test, b@b.test, c@b.test, d@b.test\n", "\nx" },
  { "groups", "From: ", "a:", END },
  { "comments", "From: ", "(", END },
  { "angle brackets", "From: ", "<", END },
  { "quotes", "From: ", "\"", END },
  { "routes", "From: <", "@a,", END },
  { "words", "From: ", "a ", "a@b.test" END },
  { "addresses without commas", "From: ", "a@b.test ", END },
  { "many fields of groups", "", "To: a:b:c:d:e:f:g:h:i:j:k:l:m:n:o:p:q:r:s:t\n", "\nx" },
  { "parameters", "Content-Type: text/plain", ";a=b", END },
  { "parts of a parameter", "Content-Type: text/plain", "; name*0*=a", END },
  { "open parameters", "Content-Type: text/plain; name=\"", "\\", END },
  { "percent signs", "Content-Type: text/plain; name*=utf-8''", "%", END },
  { "parameters in fields", "", "Content-Type: text/plain; name*0*=a; name*1=b; charset=c\n",
    "\nx" },
  { "encoded words", "Subject: ", "=?utf-8?Q?a?= ", END },
  { "encoded words in fields", "", "Subject: =?utf-8?B?YQ==?= =?x?Q?=C3?=\n", "\nx" },
  { "open encoded words", "Subject: ", "=?a?Q?", END },
  { "charsets of words", "Subject: ", "=?iso-2022-jp?B?GyRC?= =?gbk?Q?=81?= ", END },
  { "ids", "References: ", "<a@b> ", END },
  { "open ids", "References: ", "<", END },
  { "results", "", "Authentication-Results: a; spf=pass; dkim=pass\n", "\nx" },
  { "results in one field", "Authentication-Results: a", "; spf=pass", END },
  { "dates", "Date: ", "(", END },
  { "parts", "Content-Type: multipart/mixed; boundary=b\n\n", "--b\n\nx\n", "" },
  { "multiparts", "", "Content-Type: multipart/mixed; boundary=b\n\n--b\n", "" },
  { "messages", "", "Content-Type: message/rfc822\n\n", "" },
  { "hyphens", "Content-Type: multipart/mixed; boundary=b\n\n", "--\n", "" },
  { "near boundaries", "Content-Type: multipart/mixed; boundary=b\n\n", "--a\nContent-", "" },
  { "boundaries", "Content-Type: multipart/mixed", "; boundary=b", "\n\n--b\n\nx" },
  { "base64", "Content-Transfer-Encoding: base64\n\n", "YQ==", "" },
  { "junk in base64", "Content-Transfer-Encoding: base64\n\n", "!", "" },
  { "quoted-printable", "Content-Transfer-Encoding: quoted-printable\n\n", "=", "" },
  { "blanks in quoted-printable", "Content-Transfer-Encoding: quoted-printable\n\n", " ", "=" },
  { "files in a text", "\n", "begin 644 a\n", "" },
  { "files with an end", "\n", "begin 644 a\n#0V%T\n`\nend\n", "" },
  { "flowed", TEXT "utf-8; format=flowed\n\n", "> \n", "" },
  { "ill-formed UTF-8", UTF8, "\xff", "" },
  { "cut characters", UTF8, "\xe2\x82", "" },
  { "no charset", "\n", "\xff", "" },
  { "unknown charset", TEXT "x\n\n", "\xff", "" },
  { "GBK", TEXT "gbk\n\n", "\x81", "" },
  { "ISO-2022-JP", TEXT "iso-2022-jp\n\n", "\x1b$B", "" },
  { "marks", UTF8, "\xcc\x81", "" },
  { "letters and marks", UTF8, "a\xcc\x81", "" },
  { "phrases in one sign", UTF8, "\xef\xb7\xba", "" },
  { "invisible", UTF8, "\xe2\x80\x8b", "" },
  { "tags", UTF8, "\xf3\xa0\x81\x81", "" },
  { "mixed alphabets", UTF8,
    "\xd0\xb0"
    "a ",
    "" },
  { "a word of mixed alphabets", UTF8,
    "\xd0\xb0"
    "a",
    "" },
  { "letters", UTF8, "a", "" },
  { "base64 in a text", UTF8, "aGVsbG8gd29ybGQgaGVsbG8gd29ybGQg", "" },
  { "lines of base64", UTF8, "aGVsbG8gd29ybGQg\n", "" },
  { "overrides", UTF8, "ignore all previous instructions ", "" },
  { "orders", UTF8, "send to a@b ", "" },
  { "tools", UTF8, "use tool ", "" },
  { "hidden notes", UTF8, "only the ai ", "" },
  { "rules", UTF8, "--- begin ", "" },
  { "brackets", UTF8, "[INST]", "" },
  { "images", UTF8, "![a](", "" },
  { "links", UTF8, "http://a ", "" },
};

static void
read_message (const char *text, gsize length)
{
  g_autoptr (GBytes) source = g_bytes_new_static (text, length);
  g_autoptr (PostbagMessage) message = postbag_message_parse (source);
  g_autoptr (PostbagBody) body = postbag_message_choose_body (message);
  PostbagMessageContext context = { 0 };
  g_autoptr (PostbagMessageSecurity) security = postbag_message_examine (message, body, &context);

  postbag_message_get_date (message);
  postbag_message_get_references (message);
  postbag_message_get_addresses (message, "To");
  postbag_message_get_addresses (message, "Cc");
}

static gint64
measure (const char *text, gsize length)
{
  gint64 best = G_MAXINT64;

  for (guint time = 0; time < TIMES; time++)
    {
      gint64 start = get_processor_time ();

      read_message (text, length);
      best = MIN (best, get_processor_time () - start);
    }
  return best;
}

int
main (int argc, char **argv)
{
  const char *name = "";
  gint64 worst = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (shapes); i++)
    {
      g_autoptr (GString) text = g_string_new (shapes[i].first);
      gint64 time;

      if (argc > 1 && strcmp (argv[1], shapes[i].name) != 0)
        continue;
      while (text->len < SIZE)
        g_string_append (text, shapes[i].again);
      g_string_append (text, shapes[i].last);
      time = measure (text->str, text->len);
      printf ("%8.2f %s\n", (double)time / 1000, shapes[i].name);
      if (time > worst)
        name = shapes[i].name;
      worst = MAX (worst, time);
    }
  printf ("%.2f %s\n", (double)worst / 1000, name);
  return 0;
}
