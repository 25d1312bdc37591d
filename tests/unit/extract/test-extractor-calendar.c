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
                       "- Start (Europe/Berlin: x): 2024-03-05 09:30\n"
                       "- End: 2024-03-05 10:30 UTC\n- Description: long line\nsecond");
}

static void
test_card (void)
{
  g_autoptr (ExtractResult) result =
      run ("text/vcard", "BEGIN:VCARD\nVERSION:4.0\nFN:Nora Field\nitem1.TEL;TYPE=home:+47 1\n"
                         "PHOTO:data:image/png;base64,AAAA\nEND:VCARD\n");

  assert_text (result, "## Card\n\n- Name: Nora Field\n- Phone (home): +47 1");
}

/* vCard 2.1: a name in parts alone, quoted-printable over two lines, in another charset. */
static void
test_old_card (void)
{
  g_autoptr (ExtractResult) result = run (
      "text/vcard", "BEGIN:VCARD\r\nVERSION:2.1\r\n"
                    "N;CHARSET=ISO-8859-1;ENCODING=QUOTED-PRINTABLE:M=FCller;J=\r\n=F6rg;;;\r\n"
                    "NOTE;QUOTED-PRINTABLE;CHARSET=UTF-8:=C3=9Cber=0Aall=\r\n=20=3D\r\n"
                    "ADR;HOME:;;Quay 3;Kiel;;24103;\r\nEND:VCARD\r\n");

  assert_text (result, "## Card\n\n- Note: Über\nall =\n- Address (HOME): Quay 3, Kiel, 24103\n"
                       "- Name: Müller, Jörg");
}

/* The rules of a time zone are left out, a person's answer is not. */
static void
test_invitation (void)
{
  g_autoptr (ExtractResult) result =
      run ("text/calendar",
           "BEGIN:VCALENDAR\nBEGIN:VTIMEZONE\nTZID:Europe/Rome\nBEGIN:STANDARD\n"
           "DTSTART:19701025T030000\nEND:STANDARD\nEND:VTIMEZONE\nBEGIN:VEVENT\n"
           "DTSTART;VALUE=DATE:20261203\n"
           "ATTENDEE;CN=\"Vale; Robin\";ROLE=CHAIR;PARTSTAT=ACCEPTED:mailto:robin@example.org\n"
           "BEGIN:VALARM\nTRIGGER:-PT15M\nEND:VALARM\nEND:VEVENT\nEND:VCALENDAR\n");

  assert_text (result, "## Calendar\n\n## Event\n\n- Start: 2026-12-03\n"
                       "- Attendee (Vale; Robin, ACCEPTED): robin@example.org\n\n## Reminder\n\n"
                       "- When: -PT15M");
}

/* Numbers are dates where dates stand, and where there is such a day. */
static void
test_dates (void)
{
  g_autoptr (ExtractResult) result =
      run ("text/vcard", "BEGIN:VCARD\nTEL:20123456\nTEL:20121231\nBDAY:19960415\n"
                         "BDAY:19961315\nNOTE:20121231T101112\nDTSTART:20121231T251112\n"
                         "X;VALUE=text:1\nDAY;VALUE=date:20121231\nEND:VCARD\n");

  assert_text (result, "## Card\n\n- Phone: 20123456\n- Phone: 20121231\n- Birthday: 1996-04-15\n"
                       "- Birthday: 19961315\n- Note: 20121231T101112\n- Start: 20121231T251112\n"
                       "- X: 1\n- Day: 2012-12-31");
}

/* What stands in it whole, in all three ways; what only leads to a file stays. */
static void
test_files (void)
{
  g_autoptr (ExtractResult) result =
      run ("text/calendar",
           "BEGIN:VEVENT\nATTACH;FMTTYPE=text/plain;ENCODING=BASE64;VALUE=BINARY:AAAA\n AAAA\n"
           "ATTACH;ENCODING=b:BBBB\nATTACH;BASE64:CCCC\nATTACH:data:text/plain;base64,DDDD\n"
           "ATTACH:https://a.example/x\nEND:VEVENT\n");

  assert_text (result, "## Event\n\n- Attach: https://a.example/x");
  g_assert_nonnull (strstr (result->notes, "left out"));
}

/* What somebody says of it counts where it is no UTF-8, and a mark before all. */
static void
test_charset (void)
{
  static const char latin[] = "BEGIN:VCARD\nFN:M\xfcller\nEND:VCARD\n";
  static const char wide[] = "\xff\xfe"
                             "B\0E\0G\0I\0N\0:\0V\0C\0A\0R\0D\0\n\0F\0N\0:\0\xfc\0\n";
  PostbagExtractInput input = { .data = (const guint8 *)latin,
                                .length = strlen (latin),
                                .content_type = "text/vcard",
                                .charset = "iso-8859-2" };
  g_autoptr (ExtractResult) declared = extract_run_input (&postbag_calendar_extractor, &input, 0);
  g_autoptr (ExtractResult) bare = run ("text/vcard", latin);
  g_autoptr (ExtractResult) marked =
      extract_run (&postbag_calendar_extractor, "text/vcard", wide, sizeof wide);

  assert_text (declared, "## Card\n\n- Name: Müller");
  assert_text (bare, "## Card\n\n- Name: Müller");
  assert_text (marked, "## Card\n\n- Name: ü");
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
  g_test_add_func ("/extractor/calendar/old-card", test_old_card);
  g_test_add_func ("/extractor/calendar/invitation", test_invitation);
  g_test_add_func ("/extractor/calendar/dates", test_dates);
  g_test_add_func ("/extractor/calendar/files", test_files);
  g_test_add_func ("/extractor/calendar/charset", test_charset);
  g_test_add_func ("/extractor/calendar/other", test_other);
  return g_test_run ();
}
