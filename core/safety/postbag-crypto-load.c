/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "safety/postbag-crypto-private.h"

#include <gmodule.h>

#include "base/postbag-error.h"
#include "base/postbag-paths-private.h"

static const PostbagCrypto *
open_module (char **reason)
{
  g_autofree char *path =
      g_build_filename (postbag_paths_get_library_dir (), POSTBAG_CRYPTO_MODULE, NULL);
  GModule *module = g_module_open (path, G_MODULE_BIND_LOCAL);
  gpointer symbol = NULL;
  const PostbagCrypto *crypto;

  if (module == NULL)
    {
      *reason = g_strdup (g_module_error ());
      return NULL;
    }
  g_module_make_resident (module);
  if (!g_module_symbol (module, POSTBAG_CRYPTO_SYMBOL, &symbol))
    {
      *reason = g_strdup (g_module_error ());
      return NULL;
    }
  crypto = symbol;
  if (crypto->size >= sizeof (PostbagCrypto))
    return crypto;
  *reason = g_strdup ("it belongs to another version");
  return NULL;
}

const PostbagCrypto *
postbag_crypto_load (GError **error)
{
  static GMutex lock;
  static const PostbagCrypto *crypto;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&lock);
  g_autofree char *reason = NULL;

  if (crypto == NULL)
    crypto = open_module (&reason);
  if (crypto == NULL)
    g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_INTERNAL,
                 "The module that seals confirmations cannot be used: %s. Reinstall Postbag.",
                 reason);
  return crypto;
}
