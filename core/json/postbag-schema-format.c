/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The values of `format` that are asserted (2020-12 validation, 7.3). A format that is not in the
 * table at the end is an annotation. */

#include "json/postbag-schema-private.h"

#include <arpa/inet.h>
#include <string.h>

#define DIGITS "0123456789"
#define HEX_DIGITS DIGITS "abcdefABCDEF"
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define UNRESERVED LETTERS DIGITS "-._~"
#define SUB_DELIMITERS "!$&'()*+,;="

/* --- date and time (RFC 3339, 5.6) --- */

/* The two digits at *@at, within the bounds; else -1. */
static gint
read_two_digits (const char **at, gint minimum, gint maximum)
{
  gint value;

  if (!g_ascii_isdigit ((*at)[0]) || !g_ascii_isdigit ((*at)[1]))
    return -1;
  value = g_ascii_digit_value ((*at)[0]) * 10 + g_ascii_digit_value ((*at)[1]);
  if (value < minimum || value > maximum)
    return -1;
  *at += 2;
  return value;
}

static gboolean
skip_character (const char **at, const char *set)
{
  if (**at == '\0' || strchr (set, **at) == NULL)
    return FALSE;
  (*at)++;
  return TRUE;
}

static gboolean
skip_date (const char **at)
{
  gint century = read_two_digits (at, 0, 99);
  gint years = century < 0 ? -1 : read_two_digits (at, 0, 99);
  gint month, day;

  if (years < 0 || !skip_character (at, "-"))
    return FALSE;
  month = read_two_digits (at, 1, 12);
  if (month < 0 || !skip_character (at, "-"))
    return FALSE;
  day = read_two_digits (at, 1, 31);
  if (day < 0)
    return FALSE;
  /* GDate has no year 0; it is a leap year like 400. */
  years += century * 100;
  return day <= g_date_get_days_in_month ((GDateMonth)month, (GDateYear)(years > 0 ? years : 400));
}

/* `Z` or an offset, in minutes. */
static gboolean
skip_offset (const char **at, gint *minutes)
{
  gint sign, hour, minute;

  *minutes = 0;
  if (skip_character (at, "Zz"))
    return TRUE;
  sign = **at == '-' ? -1 : 1;
  if (!skip_character (at, "+-") || (hour = read_two_digits (at, 0, 23)) < 0
      || !skip_character (at, ":") || (minute = read_two_digits (at, 0, 59)) < 0)
    return FALSE;
  *minutes = sign * (hour * 60 + minute);
  return TRUE;
}

static gboolean
skip_time (const char **at)
{
  gint hour, minute, second, offset;

  if ((hour = read_two_digits (at, 0, 23)) < 0 || !skip_character (at, ":")
      || (minute = read_two_digits (at, 0, 59)) < 0 || !skip_character (at, ":")
      || (second = read_two_digits (at, 0, 60)) < 0)
    return FALSE;
  if (skip_character (at, "."))
    {
      gsize digits = strspn (*at, DIGITS);

      if (digits == 0)
        return FALSE;
      *at += digits;
    }
  if (!skip_offset (at, &offset))
    return FALSE;
  /* A leap second is the last of a day in UTC. */
  return second < 60 || (hour * 60 + minute - offset + 1440) % 1440 == 1439;
}

static gboolean
check_date (const char *text)
{
  return skip_date (&text) && *text == '\0';
}

static gboolean
check_time (const char *text)
{
  return skip_time (&text) && *text == '\0';
}

static gboolean
check_date_time (const char *text)
{
  return skip_date (&text) && skip_character (&text, "Tt") && skip_time (&text) && *text == '\0';
}

/* --- addresses --- */

static gboolean
check_ipv4 (const char *text)
{
  struct in_addr address;

  return inet_pton (AF_INET, text, &address) == 1;
}

static gboolean
check_ipv6 (const char *text)
{
  struct in6_addr address;

  return inet_pton (AF_INET6, text, &address) == 1;
}

/* RFC 1123, 2.1: labels of letters, digits and inner hyphens. */
static gboolean
check_domain (const char *text)
{
  if (strlen (text) > 253)
    return FALSE;
  for (;;)
    {
      gsize length = strspn (text, LETTERS DIGITS "-");

      if (length == 0 || length > 63 || text[0] == '-' || text[length - 1] == '-')
        return FALSE;
      if (text[length] == '\0')
        return TRUE;
      if (text[length] != '.')
        return FALSE;
      text += length + 1;
    }
}

/* Local part of RFC 5321, 4.1.2; leaves *@at behind it. */
static gboolean
skip_local_part (const char **at)
{
  if (**at != '"')
    {
      for (;;)
        {
          gsize length = strspn (*at, LETTERS DIGITS "!#$%&'*+-/=?^_`{|}~");

          if (length == 0)
            return FALSE;
          *at += length;
          if (!skip_character (at, "."))
            return TRUE;
        }
    }
  for ((*at)++; **at >= ' ' && **at <= '~'; (*at)++)
    {
      if (**at == '"')
        {
          (*at)++;
          return TRUE;
        }
      if (**at == '\\' && ((*at)[1] < ' ' || (*at)[1] > '~'))
        return FALSE;
      *at += **at == '\\';
    }
  return FALSE;
}

static gboolean
check_email (const char *text)
{
  const char *at = text;
  g_autofree char *literal = NULL;
  gsize length;

  if (!skip_local_part (&at) || at - text > 64 || *at++ != '@')
    return FALSE;
  if (*at != '[')
    return check_domain (at);
  length = strlen (at);
  if (at[length - 1] != ']')
    return FALSE;
  literal = g_strndup (at + 1, length - 2);
  return g_str_has_prefix (literal, "IPv6:") ? check_ipv6 (literal + 5) : check_ipv4 (literal);
}

/* --- URIs (RFC 3986) --- */

/* Whether [@start, @end) has only characters of @set and percent-encoded ones. */
static gboolean
is_encoded (const char *start, const char *end, const char *set)
{
  for (; start < end; start++)
    {
      if (*start != '%')
        {
          if (strchr (set, *start) == NULL)
            return FALSE;
          continue;
        }
      if (end - start < 3 || !g_ascii_isxdigit (start[1]) || !g_ascii_isxdigit (start[2]))
        return FALSE;
      start += 2;
    }
  return TRUE;
}

static gboolean
check_ip_literal (const char *start, const char *end)
{
  g_autofree char *literal = g_strndup (start, (gsize)(end - start));
  gsize digits;

  if (*literal != 'v' && *literal != 'V')
    return check_ipv6 (literal);
  digits = strspn (literal + 1, HEX_DIGITS);
  return digits > 0 && literal[digits + 1] == '.' && literal[digits + 2] != '\0'
         && strspn (literal + digits + 2, UNRESERVED SUB_DELIMITERS ":")
                == strlen (literal + digits + 2);
}

static gboolean
check_authority (const char *start, const char *end)
{
  const char *at = memchr (start, '@', (gsize)(end - start));
  const char *host_end;

  if (at != NULL)
    {
      if (!is_encoded (start, at, UNRESERVED SUB_DELIMITERS ":"))
        return FALSE;
      start = at + 1;
    }
  if (start < end && *start == '[')
    {
      host_end = memchr (start, ']', (gsize)(end - start));
      if (host_end == NULL || !check_ip_literal (start + 1, host_end))
        return FALSE;
      host_end++;
    }
  else
    {
      host_end = memchr (start, ':', (gsize)(end - start));
      host_end = host_end != NULL ? host_end : end;
      if (!is_encoded (start, host_end, UNRESERVED SUB_DELIMITERS))
        return FALSE;
    }
  if (host_end == end)
    return TRUE;
  return *host_end == ':' && strspn (host_end + 1, DIGITS) >= (gsize)(end - host_end - 1);
}

/* From the authority or path on. */
static gboolean
check_hierarchy (const char *text)
{
  const char *end;

  if (g_str_has_prefix (text, "//"))
    {
      end = text + 2 + strcspn (text + 2, "/?#");
      if (!check_authority (text + 2, end))
        return FALSE;
      text = end;
    }
  end = text + strcspn (text, "?#");
  if (!is_encoded (text, end, UNRESERVED SUB_DELIMITERS ":@/"))
    return FALSE;
  if (*end == '?')
    {
      text = end + 1;
      end = strchrnul (text, '#');
      if (!is_encoded (text, end, UNRESERVED SUB_DELIMITERS ":@/?"))
        return FALSE;
    }
  return *end == '\0' || is_encoded (end + 1, end + strlen (end), UNRESERVED SUB_DELIMITERS ":@/?");
}

static gboolean
check_uri (const char *text)
{
  gsize scheme = strspn (text, LETTERS DIGITS "+-.");

  return g_ascii_isalpha (text[0]) && text[scheme] == ':' && check_hierarchy (text + scheme + 1);
}

static gboolean
check_uri_reference (const char *text)
{
  gsize segment = strcspn (text, "/?#");

  /* The first segment of a relative path has no colon: it would be a scheme. */
  return check_uri (text) || (memchr (text, ':', segment) == NULL && check_hierarchy (text));
}

/* --- others --- */

static gboolean
check_uuid (const char *text)
{
  if (strlen (text) != 36)
    return FALSE;
  for (guint i = 0; i < 36; i++)
    {
      gboolean hyphen = i == 8 || i == 13 || i == 18 || i == 23;

      if (hyphen ? text[i] != '-' : !g_ascii_isxdigit (text[i]))
        return FALSE;
    }
  return TRUE;
}

/* RFC 6901, 5. */
static gboolean
check_json_pointer (const char *text)
{
  if (*text != '\0' && *text != '/')
    return FALSE;
  while ((text = strchr (text, '~')) != NULL)
    {
      if (text[1] != '0' && text[1] != '1')
        return FALSE;
      text++;
    }
  return TRUE;
}

static gboolean
check_regex (const char *text)
{
  g_autoptr (GRegex) regex = postbag_schema_pattern_new (text, NULL);

  return regex != NULL;
}

static const PostbagFormat formats[] = {
  { "date", check_date, "a calendar day as YYYY-MM-DD" },
  { "date-time", check_date_time, "a time as YYYY-MM-DDThh:mm:ssZ (RFC 3339)" },
  { "email", check_email, "one mail address like name@example.org" },
  { "ipv4", check_ipv4, "an IPv4 address" },
  { "ipv6", check_ipv6, "an IPv6 address" },
  { "json-pointer", check_json_pointer, "a JSON pointer" },
  { "regex", check_regex, "a regular expression (ECMA-262)" },
  { "time", check_time, "a time as hh:mm:ssZ (RFC 3339)" },
  { "uri", check_uri, "an absolute URI" },
  { "uri-reference", check_uri_reference, "a URI or a relative reference" },
  { "uuid", check_uuid, "a UUID" },
};

const PostbagFormat *
postbag_schema_find_format (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    {
      if (strcmp (formats[i].name, name) == 0)
        return &formats[i];
    }
  return NULL;
}
