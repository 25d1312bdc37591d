/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The examination over arbitrary fields, one a line: name, address, answer address, own address,
 * authentication results, subject, plain text, HTML text. What it says is well-formed, bounded and
 * made of our own words but for the mixed ones. */

#include <string.h>

#include "base/postbag-limits.h"
#include "safety/postbag-signals.h"

#include "fuzz.h"

enum
{
  NAME,
  ADDRESS,
  ANSWER,
  OWN,
  RESULTS,
  SUBJECT,
  PLAIN,
  HTML,
  N_FIELDS
};

static void
check_own_words (GPtrArray *words)
{
  for (guint i = 0; i < words->len; i++)
    for (const char *p = g_ptr_array_index (words, i); *p != '\0'; p++)
      g_assert_true (g_ascii_islower (*p) || *p == '-' || *p == '_');
}

static void
check (const PostbagSecurity *security)
{
  check_own_words (security->suspicious);
  check_own_words (security->warnings);
  g_assert_cmpuint (security->script_mix->len, <=, POSTBAG_LIMIT_SCRIPT_MIX);
  for (guint i = 0; i < security->script_mix->len; i++)
    {
      const char *word = g_ptr_array_index (security->script_mix, i);

      g_assert_true (g_utf8_validate (word, -1, NULL));
      g_assert_cmpint (g_utf8_strlen (word, -1), <=, POSTBAG_LIMIT_SCRIPT_MIX_CHARS);
      g_assert_null (strpbrk (word, "\r\n"));
    }
}

static GPtrArray *
make_list (const char *name, const char *address)
{
  GPtrArray *list = g_ptr_array_new_with_free_func ((GDestroyNotify)postbag_address_free);

  g_ptr_array_add (list, postbag_address_new (name, address));
  return list;
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autofree char *input = g_strndup (size > 0 ? (const char *)data : "", size);
  g_auto (GStrv) split = g_strsplit (input, "\n", N_FIELDS);
  const char *fields[N_FIELDS];
  guint count = g_strv_length (split);
  gsize only_plain, only_html;

  for (guint i = 0; i < N_FIELDS; i++)
    fields[i] = i < count ? split[i] : "";
  {
    g_autoptr (GPtrArray) from = make_list (fields[NAME], fields[ADDRESS]);
    g_autoptr (GPtrArray) answers = make_list (NULL, fields[ANSWER]);
    g_autoptr (GPtrArray) contacts = make_list (fields[SUBJECT], fields[OWN]);
    const char *const texts[] = { fields[PLAIN], fields[HTML], NULL };
    const char *const results[] = { fields[RESULTS], fields[SUBJECT], NULL };
    PostbagSecurityInput known = {
      .from = from,
      .reply_to = answers,
      .subject = fields[SUBJECT],
      .texts = texts,
      .strings = texts,
      .authentication_results = results,
      .own_address = fields[OWN],
      .trusted_authserv_id = "mx.example.org",
      .contacts = contacts,
    };
    g_autoptr (PostbagSecurity) security = postbag_security_examine (&known);

    check (security);
  }
  postbag_alternatives_compare (fields[PLAIN], fields[HTML], &only_plain, &only_html);
  g_assert_cmpuint (only_plain + only_html, <=, 20 * size);
  return 0;
}
