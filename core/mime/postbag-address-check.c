/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is wrong with an address. */

#include "mime/postbag-mime-private.h"

#include <string.h>

/* RFC 5321 section 4.5.3.1: 64 octets of local part, a path of 256 with its brackets. */
#define MAX_ADDRESS 254
#define MAX_LOCAL_PART 64
#define MAX_LABEL 63

static gboolean
is_atom_char (char c)
{
  return g_ascii_isalnum (c) || (guchar)c >= 0x80
         || (c != '\0' && strchr ("!#$%&'*+-/=?^_`{|}~", c));
}

/* Octets of a dot-atom at @text, 0 when there is none. */
static gsize
measure_dot_atom (const char *text)
{
  gsize at = 0;

  while (is_atom_char (text[at]) || (text[at] == '.' && at > 0 && text[at - 1] != '.'))
    at++;
  return at > 0 && text[at - 1] == '.' ? 0 : at;
}

/* Octets of a quoted string with its marks, 0 when there is none. */
static gsize
measure_quoted (const char *text)
{
  for (gsize at = 1; text[at] != '\0'; at++)
    {
      if (text[at] == '"')
        return at + 1;
      if (text[at] == '\\' && text[at + 1] != '\0')
        at++;
      if ((guchar)text[at] < ' ' || text[at] == 0x7f)
        return 0;
    }
  return 0;
}

static gboolean
is_literal (const char *domain)
{
  gsize length = strlen (domain);

  if (length < 3 || domain[length - 1] != ']')
    return FALSE;
  for (gsize i = 1; i + 1 < length; i++)
    if ((guchar)domain[i] <= ' ' || (guchar)domain[i] >= 0x7f || strchr ("[]\\", domain[i]) != NULL)
      return FALSE;
  return TRUE;
}

static gboolean
is_label (const char *label, gsize length)
{
  if (length == 0 || length > MAX_LABEL || label[0] == '-' || label[length - 1] == '-')
    return FALSE;
  for (gsize i = 0; i < length; i++)
    if (!g_ascii_isalnum (label[i]) && label[i] != '-' && label[i] != '_'
        && (guchar)label[i] < 0x80)
      return FALSE;
  return TRUE;
}

static gboolean
is_domain (const char *domain)
{
  if (domain[0] == '[')
    return is_literal (domain);
  for (const char *label = domain;;)
    {
      gsize length = strcspn (label, ".");

      if (!is_label (label, length))
        return FALSE;
      if (label[length] == '\0')
        return TRUE;
      label += length + 1;
    }
}

gboolean
postbag_address_is_valid (const char *address)
{
  const char *word = strstr (address, "=?");
  gsize local = address[0] == '"' ? measure_quoted (address) : measure_dot_atom (address);

  if (word != NULL && strstr (word, "?=") != NULL)
    return FALSE; /* an encoded word stands in no address (RFC 2047 section 5) */
  return strlen (address) <= MAX_ADDRESS && local > 0 && local <= MAX_LOCAL_PART
         && address[local] == '@' && is_domain (address + local + 1);
}
