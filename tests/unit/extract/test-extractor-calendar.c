/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-calendar-extractor.h"

#include <string.h>

#include "extract-fixture.h"

static ExtractResult *
run (const char *type, const char *text)
{
  return extract_run (&postbag_calendar_extractor, type, text, strlen (text));
}

static void
test_calendar (void)
{
  g_autoptr (ExtractResult) result =
      run ("text/calendar",
           "BEGIN:VCALENDAR\r\nPRODID:x\r\nBEGIN:VEVENT\r\nUID:1\r\nSUMMARY:Team\\, all\r\n"
           "DTSTART;TZID=\"Europe/Berlin: x\":20240305T093000\r\nDTEND:20240305T103000Z\r\n"
           "DESCRIPTION:long\r\n  line\\nsecond\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n");

  assert_text (result, "## Calendar\n\n## Event\n\n- Summary: Team, all\n"
                       "- Dtstart (TZID=\"Europe/Berlin: x\"): 2024-03-05 09:30\n"
                       "- Dtend: 2024-03-05 10:30 UTC\n- Description: long line\nsecond");
}

static void
test_card (void)
{
  g_autoptr (ExtractResult) result =
      run ("text/vcard", "BEGIN:VCARD\nVERSION:4.0\nFN:Nora Field\nitem1.TEL;TYPE=home:+47 1\n"
                         "PHOTO:data:image/png;base64,AAAA\nEND:VCARD\n");

  assert_text (result, "## Card\n\n- Fn: Nora Field\n- Tel (TYPE=home): +47 1");
}

static void
test_other (void)
{
  g_autoptr (ExtractResult) result = run ("text/calendar", "hello");

  assert_reason (result, NOT_A_DOCUMENT);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/extractor/calendar/calendar", test_calendar);
  g_test_add_func ("/extractor/calendar/card", test_card);
  g_test_add_func ("/extractor/calendar/other", test_other);
  return g_test_run ();
}
