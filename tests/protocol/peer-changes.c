/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "peer-changes.h"

#include <string.h>

#include "base/postbag-error.h"

static GArray *
make_uids (const char *text)
{
  g_auto (GStrv) words = g_strsplit (text, " ", -1);
  GArray *uids = g_array_new (FALSE, FALSE, sizeof (guint32));

  for (char **word = words; *word != NULL; word++)
    {
      guint32 uid = (guint32)g_ascii_strtoull (*word, NULL, 10);

      g_array_append_val (uids, uid);
    }
  return uids;
}

PostbagEffect *
make_effect (PostbagEffectKind kind, const char *uids, const char *destination)
{
  PostbagEffect *effect = postbag_effect_new (kind, "INBOX");

  effect->uid_validity = 7;
  effect->uids = uids != NULL ? make_uids (uids) : NULL;
  effect->destination = g_strdup (destination);
  return effect;
}

/* "5 7" */
void
assert_uids (const GArray *uids, const char *expected)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < uids->len; i++)
    g_string_append_printf (text, "%s%u", i > 0 ? " " : "", g_array_index (uids, guint32, i));
  g_assert_cmpstr (text->str, ==, expected);
}

void
clear_result (Result *self)
{
  postbag_effect_report_free (self->report);
  g_clear_error (&self->error);
  g_free (self->log);
}
/* Takes @effect. */
Result
apply (const char *const *const *scripts, PostbagEffect *effect)
{
  Fixture *fixture = begin (scripts);
  Result result = { 0 };

  result.report = postbag_imap_store.apply (fixture->store, effect, NULL, &result.error);
  g_assert_nonnull (result.report);
  result.log = end (fixture);
  postbag_effect_free (effect);
  return result;
}

void
assert_never_sent (const Result *result, const char *words)
{
  if (strstr (result->log, words) != NULL)
    g_test_message ("“%s” was sent: %s", words, result->log);
  g_assert_null (strstr (result->log, words));
}

void
assert_nothing_happened (const Result *result, int code, const char *words)
{
  g_assert_error (result->error, POSTBAG_ERROR, code);
  if (strstr (result->error->message, words) == NULL)
    g_test_message ("“%s” is not in “%s”", words, result->error->message);
  g_assert_nonnull (strstr (result->error->message, words));
  assert_uids (result->report->done, "");
  assert_uids (result->report->copied, "");
  assert_uids (result->report->unknown, "");
}
