/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A transport's behaviour is checked from outside, by clients (tests/conformance); here its table
 * is. */

#include "contract.h"

static void
check_table (gconstpointer data)
{
  const PostbagTransportImplementation *transport = contract_load (data);

  g_assert_cmpuint (transport->size, >=, sizeof (PostbagTransportImplementation));
  g_assert_nonnull (transport->start);
}

int
main (int argc, char **argv)
{
  static const ContractCheck checks[] = { { "table", check_table } };

  return contract_run (argc, argv, POSTBAG_PLUGIN_TRANSPORT, checks, G_N_ELEMENTS (checks));
}
