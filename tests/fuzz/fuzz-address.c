/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Address lists and dates: bounded, well-formed, and no control character in an address. */

#include "base/postbag-limits.h"
#include "mime/postbag-mime-private.h"

#include "fuzz.h"

static void
check_address (const PostbagAddress *address)
{
  g_assert_true (g_utf8_validate (address->address, -1, NULL));
  g_assert_true (address->name == NULL || g_utf8_validate (address->name, -1, NULL));
  g_assert_true (address->name != NULL || *address->address != '\0');
  for (const char *p = address->address; *p != '\0'; p++)
    g_assert_true ((guchar)*p >= ' ' && *p != 0x7f);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autoptr (GPtrArray) addresses =
      g_ptr_array_new_with_free_func ((GDestroyNotify)postbag_address_free);
  PostbagWarnings warnings = 0;
  g_autofree char *date = g_strndup (size > 0 ? (const char *)data : "", size);

  postbag_address_parse ((PostbagSlice){ (const char *)data, size }, NULL, addresses, &warnings);
  g_assert_cmpuint (addresses->len, <=, POSTBAG_LIMIT_ADDRESSES);
  for (guint i = 0; i < addresses->len; i++)
    check_address (g_ptr_array_index (addresses, i));
  postbag_date_parse (date);
  return 0;
}
