/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where a link leads. Browsers mend addresses (URL Standard, section 4.4): blanks inside vanish,
 * `\` is `/`, slashes may be missing, a user name stands in front of the host, hosts may be written
 * in percent codes. What is shown here is what such an address comes to. Nothing is ever fetched.
 */

#include <string.h>

#include "base/postbag-limits.h"
#include "safety/postbag-html-private.h"

#define MAX_HOST 253
/* More of a link's text is not looked at. */
#define MAX_TEXT 300

/* (transfer full): without blanks and controls, which browsers ignore; bounded */
static char *
tidy (const char *href)
{
  GString *out = g_string_new (NULL);

  for (const char *p = href; *p != '\0' && out->len < POSTBAG_LIMIT_LINK_BYTES; p++)
    if ((guchar)*p > ' ' && *p != 0x7f)
      g_string_append_c (out, *p);
  if (out->len >= POSTBAG_LIMIT_LINK_BYTES)
    {
      const char *end;

      g_utf8_validate (out->str, (gssize)out->len, &end);
      g_string_truncate (out, (gsize)(end - out->str));
      g_string_append (out, "…");
    }
  return g_string_free (out, FALSE);
}

/* The scheme's length where it is one with a host in it. */
static gsize
match_web_scheme (const char *url)
{
  static const char *const schemes[] = { "http:", "https:", "ftp:" };

  for (gsize i = 0; i < G_N_ELEMENTS (schemes); i++)
    if (g_ascii_strncasecmp (url, schemes[i], strlen (schemes[i])) == 0)
      return strlen (schemes[i]);
  return 0;
}

static gboolean
is_slash (char c)
{
  return c == '/' || c == '\\';
}

static gboolean
is_other_scheme (const char *url)
{
  static const char *const schemes[] = { "mailto:", "tel:", "sms:" };

  for (gsize i = 0; i < G_N_ELEMENTS (schemes); i++)
    if (g_ascii_strncasecmp (url, schemes[i], strlen (schemes[i])) == 0)
      return TRUE;
  return FALSE;
}

static void
append_host (GString *out, const char *host, gsize length)
{
  for (gsize i = 0; i < length; i++)
    {
      if (host[i] == '%' && i + 2 < length && g_ascii_isxdigit (host[i + 1])
          && g_ascii_isxdigit (host[i + 2]))
        {
          int c = g_ascii_xdigit_value (host[i + 1]) * 16 + g_ascii_xdigit_value (host[i + 2]);

          if (c > ' ' && c < 0x7f && strchr ("/\\?#@:<>()[]\"", c) == NULL)
            {
              g_string_append_c (out, g_ascii_tolower ((char)c));
              i += 2;
              continue;
            }
        }
      g_string_append_c (out, g_ascii_tolower (host[i]));
    }
}

/* Behind the scheme at @rest: slashes, somebody's name, the host, the rest. */
static char *
rebuild (const char *scheme, gsize scheme_length, const char *rest)
{
  GString *out = g_string_new (NULL);
  const char *at;
  gsize length;

  while (is_slash (*rest))
    rest++;
  length = strcspn (rest, "/\\?#");
  at = length > 0 ? g_strrstr_len (rest, (gssize)length, "@") : NULL;
  if (at != NULL)
    {
      length -= (gsize)(at + 1 - rest);
      rest = at + 1;
    }
  for (gsize i = 0; i < scheme_length; i++)
    g_string_append_c (out, g_ascii_tolower (scheme[i]));
  g_string_append (out, "//");
  append_host (out, rest, length);
  g_string_append (out, rest + length);
  return g_string_free (out, FALSE);
}

char *
postbag_html_link_resolve (const char *href, GUri *base, guint *relatives)
{
  g_autoptr (GUri) target = NULL;
  g_autofree char *url = tidy (href);
  gsize scheme = match_web_scheme (url);
  g_autofree char *resolved = NULL;

  if (scheme > 0)
    return rebuild (url, scheme, url + scheme);
  if (is_other_scheme (url))
    return g_steal_pointer (&url);
  if (is_slash (url[0]) && is_slash (url[1]))
    return rebuild ("https:", 6, url);
  if (base == NULL || *relatives == 0 || url[0] == '#' || url[0] == '\0'
      || strcspn (url, ":") < strcspn (url, "/?#"))
    return NULL;
  (*relatives)--;
  target = g_uri_parse_relative (base, url, G_URI_FLAGS_PARSE_RELAXED | G_URI_FLAGS_ENCODED, NULL);
  resolved = target != NULL ? g_uri_to_string (target) : NULL;
  if (resolved == NULL || match_web_scheme (resolved) == 0)
    return NULL;
  scheme = match_web_scheme (resolved);
  return rebuild (resolved, scheme, resolved + scheme);
}

/* (transfer full) (nullable): the host in @url, or in front of it where there is no scheme */
static char *
dup_host (const char *url)
{
  const char *start = url + match_web_scheme (url);
  const char *at;
  gsize length;
  g_autofree char *host = NULL;

  while (is_slash (*start))
    start++;
  length = strcspn (start, "/\\?#");
  at = length > 0 ? g_strrstr_len (start, (gssize)length, "@") : NULL;
  if (at != NULL)
    {
      length -= (gsize)(at + 1 - start);
      start = at + 1;
    }
  length = MIN (length, strcspn (start, ":"));
  while (length > 0 && start[length - 1] == '.')
    length--;
  if (length == 0 || length > MAX_HOST)
    return NULL;
  host = g_strndup (start, length);
  return g_utf8_strdown (host, -1);
}

static gboolean
is_international (const char *host)
{
  return !g_str_is_ascii (host) || strstr (host, "xn--") != NULL;
}

char *
postbag_html_link_show (const char *url, guint *conversions)
{
  g_autofree char *host = match_web_scheme (url) > 0 ? dup_host (url) : NULL;
  g_autofree char *ascii = NULL;
  g_autofree char *letters = NULL;
  const char *place;

  if (host == NULL || !is_international (host) || *conversions == 0)
    return g_strdup (url);
  (*conversions)--;
  ascii = g_hostname_to_ascii (host);
  letters = ascii != NULL ? g_hostname_to_unicode (ascii) : NULL;
  if (letters == NULL)
    return g_strdup (url);
  place = url + match_web_scheme (url) + 2;
  return g_strdup_printf ("%.*s%s%s, in letters %s", (int)(place - url), url, ascii,
                          place + strcspn (place, "/\\?#:"), letters);
}

/* --- what the text claims --- */

/* File names look like hosts. */
static gboolean
is_file_ending (const char *ending)
{
  static const char *const endings[] = {
    "pdf", "doc", "docx", "xls", "xlsx", "ppt", "pptx", "txt", "zip", "jpg", "jpeg", "png",
    "gif", "csv", "html", "htm", "ics",  "eml", "exe",  "js",  "php", "xml", "mp3",  "mp4"
  };

  for (gsize i = 0; i < G_N_ELEMENTS (endings); i++)
    if (g_ascii_strcasecmp (ending, endings[i]) == 0)
      return TRUE;
  return FALSE;
}

static gboolean
looks_like_host (const char *host, gboolean sure)
{
  const char *dot = strrchr (host, '.');
  gboolean letters = FALSE;

  if (dot == NULL || dot == host || strstr (host, "..") != NULL)
    return FALSE;
  for (const char *p = host; *p != '\0'; p++)
    if (!g_ascii_isalnum (*p) && *p != '-' && *p != '.' && (guchar)*p < 0x80)
      return FALSE;
  if (sure)
    return TRUE;
  for (const char *p = dot + 1; *p != '\0'; p++)
    {
      if (g_ascii_isdigit (*p))
        return FALSE;
      letters = TRUE;
    }
  return letters && strlen (dot + 1) >= 2 && !is_file_ending (dot + 1);
}

/* (transfer full) (nullable): the host that @text names: an address in it, or all of it */
static char *
find_claim (const char *text)
{
  g_auto (GStrv) words = NULL;
  g_autofree char *start = g_strndup (text, strnlen (text, MAX_TEXT));

  words = g_strsplit_set (start, " \t\n<>()[]\"'", -1);
  for (guint i = 0; words[i] != NULL; i++)
    {
      gboolean sure =
          match_web_scheme (words[i]) > 0 || g_ascii_strncasecmp (words[i], "www.", 4) == 0;
      gboolean alone = words[0] != NULL && words[1] == NULL;
      g_autofree char *host = NULL;

      if (!sure && (!alone || strchr (words[i], '@') != NULL))
        continue;
      host = dup_host (words[i]);
      if (host != NULL && looks_like_host (host, sure))
        return g_steal_pointer (&host);
    }
  return NULL;
}

/* (transfer full): in ASCII, without `www.` */
static char *
simplify_host (const char *host)
{
  g_autofree char *ascii = g_str_is_ascii (host) ? NULL : g_hostname_to_ascii (host);
  const char *simple = ascii != NULL ? ascii : host;

  return g_ascii_strdown (g_ascii_strncasecmp (simple, "www.", 4) == 0 ? simple + 4 : simple, -1);
}

/* `shop.example.org` and `example.org` are one house. */
static gboolean
is_within (const char *host, const char *domain)
{
  gsize length = strlen (host), tail = strlen (domain);

  return length >= tail && strcmp (host + length - tail, domain) == 0
         && (length == tail || host[length - tail - 1] == '.');
}

static void
compare_hosts (const char *claim, const char *host, const char *text, PostbagHtmlReport *report)
{
  g_autofree char *claimed = simplify_host (claim);
  g_autofree char *real = simplify_host (host);

  if (!is_within (claimed, real) && !is_within (real, claimed))
    postbag_html_report_add_mismatch (report, text, host);
}

static void
compare_mail (const char *text, const char *address, PostbagHtmlReport *report)
{
  const char *at = strchr (text, '@');
  const char *target = strchr (address, '@');
  g_autofree char *host = NULL;
  gsize length;

  if (at == NULL || target == NULL || strpbrk (text, " \t\n") != NULL)
    return;
  length = strcspn (target + 1, "?&,;");
  if (length > MAX_HOST)
    return;
  host = g_strndup (target + 1, length);
  compare_hosts (at + 1, host, text, report);
}

void
postbag_html_link_compare (const char *text, const char *url, const char *href,
                           PostbagHtmlReport *report)
{
  g_autofree char *host = NULL;
  g_autofree char *claim = NULL;
  const char *at;

  if (report->mismatches->len >= POSTBAG_LIMIT_LINK_MISMATCHES)
    return;
  if (g_ascii_strncasecmp (url, "mailto:", 7) == 0)
    {
      compare_mail (text, url + 7, report);
      return;
    }
  host = match_web_scheme (url) > 0 ? dup_host (url) : NULL;
  if (host == NULL)
    return;
  claim = find_claim (text);
  at = strchr (href, '@');
  if (claim == NULL && at != NULL && strcspn (href, "?#") > (gsize)(at - href))
    {
      /* https://bank.example@evil.example/ */
      g_autofree char *name = g_strndup (href, (gsize)(at - href));

      claim = find_claim (name);
      text = claim != NULL ? href : text;
    }
  if (claim != NULL)
    compare_hosts (claim, host, text, report);
}
