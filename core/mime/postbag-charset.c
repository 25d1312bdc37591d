/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Bytes in some charset as UTF-8. Labels lie: the table maps each to the superset that its senders
 * mean (as the WHATWG Encoding standard does) and lists all that iconv ever gets to see; glibc's
 * rarer converters have a history of loops and overflows. What the table does not know is UTF-8 if
 * it is valid, else windows-1252. UTF-7 is never decoded: it smuggles markup through ASCII. */

#include "mime/postbag-message.h"
#include "mime/postbag-charset.h"
#include "mime/postbag-mime-private.h"

#include <errno.h>
#include <string.h>

#include "base/postbag-text.h"

#define REPLACEMENT "\357\277\275"
#define MAX_LABEL 64

/* How a label is decoded where it is not iconv's name. */
#define UTF8 "*utf-8"
#define ASCII "*ascii"
#define ISO_2022_JP "*iso-2022-jp"

static const char *const labels[][2] = {
  { "ansi_x3.4-1968", ASCII },
  { "ascii", ASCII },
  { "big5", "BIG5-HKSCS" },
  { "big5-hkscs", "BIG5-HKSCS" },
  { "cn-big5", "BIG5-HKSCS" },
  { "cn-gb", "GB18030" },
  { "cp1250", "CP1250" },
  { "cp1251", "CP1251" },
  { "cp1252", "CP1252" },
  { "cp1253", "CP1253" },
  { "cp1254", "CP1254" },
  { "cp1255", "CP1255" },
  { "cp1256", "CP1256" },
  { "cp1257", "CP1257" },
  { "cp1258", "CP1258" },
  { "cp437", "CP437" },
  { "cp50220", ISO_2022_JP },
  { "cp850", "CP850" },
  { "cp852", "CP852" },
  { "cp858", "CP858" },
  { "cp866", "CP866" },
  { "cp874", "CP874" },
  { "cp932", "CP932" },
  { "cp936", "GB18030" },
  { "cp949", "UHC" },
  { "cp950", "BIG5-HKSCS" },
  { "cseuckr", "UHC" },
  { "csiso2022jp", ISO_2022_JP },
  { "csshiftjis", "CP932" },
  { "euc-cn", "GB18030" },
  { "euc-jp", "EUC-JP-MS" },
  { "euc-kr", "UHC" },
  { "euc-tw", "EUC-TW" },
  { "gb18030", "GB18030" },
  { "gb2312", "GB18030" },
  { "gb_2312-80", "GB18030" },
  { "gbk", "GB18030" },
  { "ibm437", "CP437" },
  { "ibm850", "CP850" },
  { "ibm852", "CP852" },
  { "ibm866", "CP866" },
  { "iso-2022-jp", ISO_2022_JP },
  { "iso-2022-jp-ms", ISO_2022_JP },
  { "iso-2022-kr", "ISO-2022-KR" },
  { "iso-8859-1", "CP1252" },
  { "iso-8859-10", "ISO-8859-10" },
  { "iso-8859-11", "CP874" },
  { "iso-8859-13", "ISO-8859-13" },
  { "iso-8859-14", "ISO-8859-14" },
  { "iso-8859-15", "ISO-8859-15" },
  { "iso-8859-16", "ISO-8859-16" },
  { "iso-8859-2", "ISO-8859-2" },
  { "iso-8859-3", "ISO-8859-3" },
  { "iso-8859-4", "ISO-8859-4" },
  { "iso-8859-5", "ISO-8859-5" },
  { "iso-8859-6", "ISO-8859-6" },
  { "iso-8859-6-e", "ISO-8859-6" },
  { "iso-8859-6-i", "ISO-8859-6" },
  { "iso-8859-7", "ISO-8859-7" },
  { "iso-8859-8", "ISO-8859-8" },
  { "iso-8859-8-e", "ISO-8859-8" },
  { "iso-8859-8-i", "ISO-8859-8" },
  { "iso-8859-9", "CP1254" },
  { "iso8859-1", "CP1252" },
  { "iso8859-15", "ISO-8859-15" },
  { "iso8859-2", "ISO-8859-2" },
  { "iso_8859-1", "CP1252" },
  { "koi8-r", "KOI8-R" },
  { "koi8-u", "KOI8-U" },
  { "korean", "UHC" },
  { "ks_c_5601", "UHC" },
  { "ks_c_5601-1987", "UHC" },
  { "ks_c_5601-1989", "UHC" },
  { "ksc5601", "UHC" },
  { "l1", "CP1252" },
  { "latin-1", "CP1252" },
  { "latin1", "CP1252" },
  { "latin2", "ISO-8859-2" },
  { "latin9", "ISO-8859-15" },
  { "macintosh", "MACINTOSH" },
  { "ms932", "CP932" },
  { "ms_kanji", "CP932" },
  { "shift-jis", "CP932" },
  { "shift_jis", "CP932" },
  { "sjis", "CP932" },
  { "tis-620", "CP874" },
  { "uhc", "UHC" },
  { "unicode-1-1-utf-8", UTF8 },
  { "us-ascii", ASCII },
  { "utf-16", "UTF-16" },
  { "utf-16be", "UTF-16BE" },
  { "utf-16le", "UTF-16LE" },
  { "utf-32", "UTF-32" },
  { "utf-8", UTF8 },
  { "utf8", UTF8 },
  { "utf8mb4", UTF8 },
  { "windows-1250", "CP1250" },
  { "windows-1251", "CP1251" },
  { "windows-1252", "CP1252" },
  { "windows-1253", "CP1253" },
  { "windows-1254", "CP1254" },
  { "windows-1255", "CP1255" },
  { "windows-1256", "CP1256" },
  { "windows-1257", "CP1257" },
  { "windows-1258", "CP1258" },
  { "windows-31j", "CP932" },
  { "windows-874", "CP874" },
  { "windows-936", "GB18030" },
  { "windows-949", "UHC" },
  { "x-cp1252", "CP1252" },
  { "x-euc-jp", "EUC-JP-MS" },
  { "x-gbk", "GB18030" },
  { "x-mac-roman", "MACINTOSH" },
  { "x-sjis", "CP932" },
  { "x-windows-949", "UHC" },
  { "x-x-big5", "BIG5-HKSCS" },
};

/* (nullable): the decoder of @charset */
static const char *
find_decoder (const char *charset)
{
  g_autofree char *label = g_strndup (charset != NULL ? charset : "", MAX_LABEL);
  char *start = label + strspn (label, " \t\r\n\"'");

  start[strcspn (start, " \t\r\n\"';,")] = '\0';
  if (g_ascii_strcasecmp (start, "utf-8") == 0) /* almost always */
    return UTF8;
  for (gsize i = 0; i < G_N_ELEMENTS (labels); i++)
    if (g_ascii_strcasecmp (start, labels[i][0]) == 0)
      return labels[i][1];
  return NULL;
}

/* Opens for a name out of the table only. */
static GIConv
open_converter (const char *name)
{
  return g_iconv_open ("UTF-8", name);
}

/* Some decoders hold the last character back, in case a mark follows. */
static void
append_rest (GIConv converter, GString *out)
{
  char buffer[64];
  char *to = buffer;
  gsize room = sizeof buffer;

  g_iconv (converter, NULL, NULL, &to, &room);
  g_string_append_len (out, buffer, to - buffer);
}

/* Every turn consumes input, writes output or grows the buffer once, so it ends. */
static char *
convert (GIConv converter, const char *bytes, gsize length, PostbagWarnings *warnings)
{
  g_autoptr (GString) out = g_string_sized_new (length + length / 2 + 16);
  char *in = (char *)bytes;
  gsize left = length;

  while (left > 0)
    {
      char buffer[4096];
      char *to = buffer;
      gsize room = sizeof buffer;
      gsize before = left;
      gsize result = g_iconv (converter, &in, &left, &to, &room);

      g_string_append_len (out, buffer, to - buffer);
      if (result != (gsize)-1 || (errno == E2BIG && (left < before || to > buffer)))
        continue;
      g_string_append (out, REPLACEMENT);
      postbag_warnings_add (warnings, POSTBAG_WARNING_CHARSET_MISLABELLED);
      in++;
      left--;
    }
  append_rest (converter, out);
  return postbag_text_make_valid (out->str, (gssize)out->len);
}

static char *
convert_named (const char *name, const char *bytes, gsize length, PostbagWarnings *warnings)
{
  GIConv converter = open_converter (name);
  char *text;

  if (converter == (GIConv)-1)
    return NULL; /* a system without its conversion modules */
  text = convert (converter, bytes, length, warnings);
  g_iconv_close (converter);
  return text;
}

static char *
convert_windows_1252 (const char *bytes, gsize length)
{
  char *text = convert_named ("CP1252", bytes, length, NULL);

  return text != NULL ? text : postbag_text_make_valid (bytes, (gssize)length);
}

/* Whether @bytes is UTF-8, NUL allowed. */
static gboolean
is_utf8 (const char *bytes, gsize length)
{
  gsize valid;

  while ((valid = postbag_text_measure_valid (bytes, length)) < length)
    {
      if (bytes[valid] != '\0')
        return FALSE;
      bytes += valid + 1;
      length -= valid + 1;
    }
  return TRUE;
}

/* UTF-8 if it is, else @name (nullable), else windows-1252. */
static char *
convert_unless_utf8 (const char *name, const char *bytes, gsize length, PostbagWarnings *warnings)
{
  char *text;

  if (is_utf8 (bytes, length))
    return postbag_text_make_valid (bytes, (gssize)length);
  text = name != NULL ? convert_named (name, bytes, length, warnings) : NULL;
  return text != NULL ? text : convert_windows_1252 (bytes, length);
}

/* What an escape sequence of ISO 2022 selects (RFC 1468, RFC 2237, JIS X 0201): its length, 0 when
 * it is none of them. @lead: set to the EUC-JP prefix byte, 0 for two-byte JIS X 0208, or -1 for
 * single bytes as they are. */
static gsize
read_escape (const char *bytes, gsize length, int *lead)
{
  static const struct
  {
    const char *sequence;
    int lead;
  } escapes[] = {
    { "\x1b(B", -1 }, { "\x1b(J", -1 },   { "\x1b$@", 0 },     { "\x1b$B", 0 },
    { "\x1b$(B", 0 }, { "\x1b(I", 0x8e }, { "\x1b$(D", 0x8f },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (escapes); i++)
    {
      gsize size = strlen (escapes[i].sequence);

      if (size <= length && memcmp (bytes, escapes[i].sequence, size) == 0)
        {
          *lead = escapes[i].lead;
          return size;
        }
    }
  return 0;
}

/* ISO-2022-JP as the EUC of Windows, which knows the vendor characters of row 13 that a strict
 * converter stops at. */
static char *
convert_iso_2022_jp (const char *bytes, gsize length, PostbagWarnings *warnings)
{
  g_autoptr (GString) euc = g_string_sized_new (length);
  int lead = -1;

  for (gsize i = 0; i < length;)
    {
      gsize escape = bytes[i] == '\x1b' ? read_escape (bytes + i, length - i, &lead) : 0;

      if (bytes[i] == '\n')
        lead = -1; /* each line starts in ASCII */
      if (escape > 0)
        i += escape;
      else if (lead < 0 || (guchar)bytes[i] <= ' ' || (guchar)bytes[i] >= 0x7f)
        g_string_append_c (euc, bytes[i++]);
      else
        {
          gsize take = lead == 0x8e ? 1 : MIN (length - i, 2);

          if (lead > 0)
            g_string_append_c (euc, (char)lead);
          for (gsize j = 0; j < take; j++)
            g_string_append_c (euc, (char)(bytes[i + j] | 0x80));
          i += take;
        }
    }
  return convert_unless_utf8 ("EUC-JP-MS", euc->str, euc->len, warnings);
}

static gboolean
is_plain_ascii (const char *bytes, gsize length)
{
  for (gsize i = 0; i < length; i++)
    if ((guchar)bytes[i] >= 0x80 || bytes[i] == '\0' || bytes[i] == '\x1b' || bytes[i] == '\x0e')
      return FALSE;
  return TRUE;
}

/* C1 controls, which no text holds: what is labelled ISO-8859-1 is windows-1252 then. */
static gboolean
has_c1 (const char *bytes, gsize length)
{
  for (gsize i = 0; i < length; i++)
    if ((guchar)bytes[i] >= 0x80 && (guchar)bytes[i] < 0xa0)
      return TRUE;
  return FALSE;
}

static gboolean
is_latin_1 (const char *charset)
{
  return g_ascii_strncasecmp (charset, "iso", 3) == 0 || g_ascii_strncasecmp (charset, "l", 1) == 0;
}

/* Never decoded, and ASCII to look at. */
static gboolean
is_utf_7 (const char *charset)
{
  gsize length = strlen (charset);

  return length >= 5 && length < MAX_LABEL
         && g_ascii_strcasecmp (charset + length - 5, "utf-7") == 0;
}

static char *
convert_label (const char *charset, const char *bytes, gsize length, PostbagWarnings *warnings)
{
  const char *decoder = find_decoder (charset);
  gboolean wide = decoder != NULL && g_str_has_prefix (decoder, "UTF-"); /* UTF-16, UTF-32 */
  char *text;

  if (charset != NULL && is_utf_7 (charset))
    postbag_warnings_add (warnings, POSTBAG_WARNING_CHARSET_UNKNOWN);
  if (!wide && is_plain_ascii (bytes, length))
    return g_strndup (bytes, length);
  if (decoder == NULL)
    {
      postbag_warnings_add (warnings, charset != NULL ? POSTBAG_WARNING_CHARSET_UNKNOWN
                                                      : POSTBAG_WARNING_CHARSET_MISSING);
      return convert_unless_utf8 (NULL, bytes, length, NULL);
    }
  if (strcmp (decoder, ISO_2022_JP) == 0)
    return convert_iso_2022_jp (bytes, length, warnings);
  if (strcmp (decoder, ASCII) == 0 || (strcmp (decoder, UTF8) == 0 && !is_utf8 (bytes, length))
      || (strcmp (decoder, "CP1252") == 0 && is_latin_1 (charset) && has_c1 (bytes, length)))
    postbag_warnings_add (warnings, POSTBAG_WARNING_CHARSET_MISLABELLED);
  if (strcmp (decoder, ASCII) == 0)
    return convert_unless_utf8 (NULL, bytes, length, NULL);
  if (strcmp (decoder, UTF8) == 0)
    return postbag_text_make_valid (bytes, (gssize)length);
  text = convert_named (decoder, bytes, length, warnings);
  return text != NULL ? text : convert_unless_utf8 (NULL, bytes, length, NULL);
}

char *
postbag_charset_convert (const char *bytes, gsize length, const char *charset,
                         PostbagWarnings *warnings)
{
  g_autofree char *text = NULL;

  if (length == 0)
    return g_strdup ("");
  text = convert_label (charset, bytes, length, warnings);

  if (g_str_has_prefix (text, "\357\273\277")) /* a byte order mark is no text */
    return g_strdup (text + 3);
  return g_steal_pointer (&text);
}

char *
postbag_mime_to_utf8 (const char *bytes, gsize length, const char *charset)
{
  return postbag_charset_convert (bytes, length, charset, NULL);
}

char *
postbag_charset_guess (const char *bytes, gsize length, const char *fallback,
                       PostbagWarnings *warnings)
{
  const char *decoder = fallback != NULL ? find_decoder (fallback) : NULL;

  if (decoder == NULL || decoder[0] == '*')
    decoder = NULL;
  if (!is_utf8 (bytes, length))
    postbag_warnings_add (warnings, POSTBAG_WARNING_RAW_HEADER_BYTES);
  return convert_unless_utf8 (decoder, bytes, length, NULL);
}

const char *
postbag_charset_find_mark (const char *bytes, gsize length)
{
  static const struct
  {
    const char *mark;
    gsize length;
    const char *charset;
  } marks[] = {
    { "\xef\xbb\xbf", 3, "utf-8" },  { "\xff\xfe\0\0", 4, "utf-32" },
    { "\0\0\xfe\xff", 4, "utf-32" }, { "\xff\xfe", 2, "utf-16" },
    { "\xfe\xff", 2, "utf-16" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (marks); i++)
    if (length >= marks[i].length && memcmp (bytes, marks[i].mark, marks[i].length) == 0)
      return marks[i].charset;
  return NULL;
}

char *
postbag_charset_decode_file (const char *bytes, gsize length, const char *declared)
{
  const char *charset = postbag_charset_find_mark (bytes, length);

  if (charset == NULL && g_utf8_validate_len (bytes, length, NULL))
    charset = "utf-8";
  return postbag_charset_convert (bytes, length, charset != NULL ? charset : declared, NULL);
}

char *
postbag_charset_sniff_html (const char *bytes, gsize length)
{
  g_autofree char *head = g_strndup (bytes, MIN (length, 2048));
  g_autofree char *lower = g_ascii_strdown (head, -1);
  const char *meta = strstr (lower, "<meta");
  const char *found = meta != NULL ? strstr (meta, "charset") : NULL;

  if (found == NULL)
    return NULL;
  found += strlen ("charset");
  found += strspn (found, " \t\r\n");
  if (*found != '=')
    return NULL;
  found++;
  found += strspn (found, " \t\r\n\"'");
  return g_strndup (found, strcspn (found, " \t\r\n\"'<>;/"));
}
