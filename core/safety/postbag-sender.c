/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Who a message says it is from, held against itself: a display name that carries another address
 * or is somebody else's, a domain that looks like another one, answers that go elsewhere. Codes,
 * not verdicts: mailing lists and shops do some of these honestly. */

#include "safety/postbag-signals-private.h"

#include <string.h>

#include "base/postbag-limits.h"
#include "base/postbag-text.h"
#include "safety/postbag-fold-private.h"

/* A shorter first label is one letter away from too many honest ones. */
#define LEAST_LABEL 6
/* No address is longer (RFC 5321 section 4.5.3.1). */
#define MAX_ADDRESS 320
/* What of a display name is looked at: more than anybody is shown. */
#define MAX_NAME 1000

/* (nullable): what stands behind the `@` */
static const char *
find_domain (const char *address)
{
  const char *at = strrchr (address, '@');

  return at != NULL && at[1] != '\0' && strlen (address) <= MAX_ADDRESS ? at + 1 : NULL;
}

/* Whether one is the other or lies below it: mail.example.org and example.org. */
static gboolean
is_related (const char *one, const char *other)
{
  const char *longer = strlen (one) >= strlen (other) ? one : other;
  const char *shorter = longer == one ? other : one;
  gsize difference = strlen (longer) - strlen (shorter);

  if (g_ascii_strcasecmp (longer + difference, shorter) != 0)
    return FALSE;
  return difference == 0 || (longer[difference - 1] == '.' && strchr (shorter, '.') != NULL);
}

static const char *
get_name (const PostbagAddress *address)
{
  return address->name != NULL ? address->name : "";
}

/* --- what a display name carries --- */

/* Last labels by which a word in a name is taken for a domain; "St.Pauli" is none. */
static gboolean
is_domain (const char *word)
{
  static const char *const ends[] = {
    "com", "net", "org", "edu", "gov", "mil", "info", "biz", "io", "co", "de", "uk",
    "fr",  "nl",  "it",  "es",  "eu",  "ru",  "cn",   "jp",  "us", "ca", "au", NULL,
  };
  const char *dot = strrchr (word, '.');

  return dot != NULL && dot > word && g_strv_contains (ends, dot + 1);
}

/* One word of a display name: lower case, folded. */
static gboolean
is_other_address (const char *word, const PostbagAddress *address)
{
  const char *domain = find_domain (address->address);
  const char *at = strrchr (word, '@');

  if (at == word) /* `@corp.example` */
    return strchr (word, '.') != NULL && (domain == NULL || !is_related (word + 1, domain));
  if (at != NULL)
    return strchr (at, '.') != NULL && g_ascii_strcasecmp (word, address->address) != 0;
  return is_domain (word) && (domain == NULL || !is_related (word, domain));
}

/* (transfer full): names that read the same are the same */
static char *
fold_name (const char *name)
{
  g_autofree char *folded = postbag_fold (name);
  g_autofree char *cut = postbag_text_cut (folded, MAX_NAME, NULL);
  g_autofree char *lower = g_utf8_strdown (cut, -1);

  return g_strdup (g_strstrip (lower));
}

/* `"boss@corp.example"@evil.example`: some programs send it to the first domain, people read it. */
static gboolean
has_address_inside (const char *address)
{
  return address[0] == '"' && strchr (address, '@') != strrchr (address, '@');
}

gboolean
postbag_sender_name_misleads (const PostbagAddress *address)
{
  g_autofree char *lower = fold_name (get_name (address));
  g_auto (GStrv) words = g_strsplit_set (lower, " \t\n<>()[]{}\"',;:|/", -1);

  if (has_address_inside (address->address))
    return TRUE;
  for (gsize i = 0; words[i] != NULL; i++)
    if (is_other_address (words[i], address))
      return TRUE;
  return FALSE;
}

static gboolean
is_known_contact (const PostbagAddress *address, GPtrArray *contacts)
{
  g_autofree char *name = fold_name (get_name (address));
  gboolean found = FALSE;

  for (guint i = 0; *name != '\0' && contacts != NULL && i < contacts->len; i++)
    {
      const PostbagAddress *contact = g_ptr_array_index (contacts, i);
      g_autofree char *other = fold_name (get_name (contact));

      if (g_ascii_strcasecmp (contact->address, address->address) == 0)
        return FALSE; /* it is them */
      found = found || g_str_equal (name, other);
    }
  return found;
}

/* --- what a domain looks like --- */

/* Written with letters that pose as ASCII ones, and all of it read as ASCII. Accents do not pose.
 */
static gboolean
poses_as_ascii (const char *domain)
{
  g_autofree char *unicode = postbag_fold_decode_domain (domain);
  g_autofree char *skeleton = NULL;
  gboolean posing = FALSE;

  for (const char *p = unicode; *p != '\0'; p = g_utf8_next_char (p))
    posing = posing || postbag_fold_find_lookalike (g_unichar_tolower (g_utf8_get_char (p))) != 0;
  if (!posing)
    return FALSE;
  skeleton = postbag_fold_domain (domain);
  return g_str_is_ascii (skeleton);
}

/* Whether @one becomes @other by one letter put in, left out, changed or swapped with the next. */
static gboolean
is_one_edit_away (const char *one, const char *other)
{
  const char *longer = strlen (one) >= strlen (other) ? one : other;
  const char *shorter = longer == one ? other : one;

  if (strlen (longer) - strlen (shorter) > 1)
    return FALSE;
  while (*shorter != '\0' && *shorter == *longer)
    {
      shorter++;
      longer++;
    }
  if (strlen (longer) > strlen (shorter))
    return strcmp (longer + 1, shorter) == 0;
  if (*longer == '\0')
    return FALSE; /* they are equal */
  if (strcmp (longer + 1, shorter + 1) == 0)
    return TRUE;
  return longer[0] == shorter[1] && longer[1] == shorter[0] && longer[1] != '\0'
         && strcmp (longer + 2, shorter + 2) == 0;
}

static gboolean
looks_like (const char *domain, const char *known)
{
  g_autofree char *one = NULL, *other = NULL;

  if (is_related (domain, known))
    return FALSE;
  one = postbag_fold_domain (domain);
  other = postbag_fold_domain (known);
  if (g_str_equal (one, other))
    return TRUE;
  return strcspn (other, ".") >= LEAST_LABEL && is_one_edit_away (one, other);
}

static gboolean
looks_like_known (const char *domain, const PostbagSecurityInput *input)
{
  const char *own = input->own_address != NULL ? find_domain (input->own_address) : NULL;

  if (own != NULL && looks_like (domain, own))
    return TRUE;
  for (guint i = 0; input->contacts != NULL && i < input->contacts->len; i++)
    {
      const PostbagAddress *contact = g_ptr_array_index (input->contacts, i);
      const char *known = find_domain (contact->address);

      if (known != NULL && looks_like (domain, known))
        return TRUE;
    }
  return FALSE;
}

static void
examine_domain (const PostbagSecurityInput *input, const char *domain, PostbagSecurity *security)
{
  if (domain == NULL)
    return;
  if (poses_as_ascii (domain))
    postbag_security_warn (security, "confusable_sender_domain");
  if (looks_like_known (domain, input))
    postbag_security_warn (security, "lookalike_sender_domain");
}

/* --- all of it --- */

/* Whether an answer goes to a domain that the sender's has nothing to do with. */
static gboolean
answers_elsewhere (const PostbagSecurityInput *input)
{
  const PostbagAddress *from = g_ptr_array_index (input->from, 0);
  const char *domain = find_domain (from->address);

  for (guint i = 0; domain != NULL && input->reply_to != NULL && i < input->reply_to->len
                    && i < POSTBAG_LIMIT_SENDERS_EXAMINED;
       i++)
    {
      const PostbagAddress *answer = g_ptr_array_index (input->reply_to, i);
      const char *other = find_domain (answer->address);

      if (other != NULL && !is_related (other, domain))
        return TRUE;
    }
  return FALSE;
}

void
postbag_sender_examine (const PostbagSecurityInput *input, PostbagSecurity *security)
{
  guint count = input->from != NULL ? MIN (input->from->len, POSTBAG_LIMIT_SENDERS_EXAMINED) : 0;

  for (guint i = 0; i < count; i++)
    {
      const PostbagAddress *address = g_ptr_array_index (input->from, i);

      if (postbag_sender_name_misleads (address))
        postbag_security_warn (security, "display_name_contains_other_address");
      if (is_known_contact (address, input->contacts))
        postbag_security_warn (security, "display_name_of_known_contact");
      examine_domain (input, find_domain (address->address), security);
    }
  if (count > 0 && answers_elsewhere (input))
    postbag_security_warn (security, "reply_to_other_domain");
  if (input->first_time_sender == POSTBAG_YES)
    postbag_security_warn (security, "first_time_sender");
}
