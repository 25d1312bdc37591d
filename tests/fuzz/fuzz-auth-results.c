/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Authentication-Results: whatever stands there, only words of the registry and something shaped
 * like a host name come out. */

#include <string.h>

#include "safety/postbag-auth-results-private.h"

#include "fuzz.h"

static void
check_verdict (const char *verdict)
{
  static const char *const verdicts[] = { "none",     "pass",          "fail",      "softfail",
                                          "neutral",  "temperror",     "permerror", "policy",
                                          "hardfail", "bestguesspass", NULL };

  g_assert_true (verdict == NULL || g_strv_contains (verdicts, verdict));
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autofree char *value = g_strndup (size > 0 ? (const char *)data : "", size);
  g_autoptr (PostbagAuthResults) results = postbag_auth_results_parse (value);

  check_verdict (results->spf);
  check_verdict (results->dkim);
  check_verdict (results->dmarc);
  if (results->authserv_id != NULL)
    {
      g_assert_cmpuint (strlen (results->authserv_id), <=, 253);
      g_assert_cmpuint (
          strspn (results->authserv_id,
                  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_"),
          ==, strlen (results->authserv_id));
    }
  return 0;
}
