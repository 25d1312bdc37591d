/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* `instructions`, what a server tells a model before its first call: the words of each loaded
 * toolset (instructions.json beside its tools, optional), then what this configuration makes of
 * them: which accounts there are and what may be done to each. Short, and in a fixed order. */

#include "cli/postbag-program-private.h"

#include "base/postbag-limits.h"
#include "json/postbag-json.h"
#include "safety/postbag-clean.h"

char *
postbag_instructions_read (const char *schema_dir)
{
  g_autofree char *path = g_build_filename (schema_dir, "instructions.json", NULL);
  g_autofree char *text = NULL;
  g_autoptr (PostbagJsonDocument) document = NULL;
  g_autoptr (GError) error = NULL;
  const char *instructions = NULL;
  JsonNode *root;
  gsize length;

  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    return NULL;
  if (g_file_get_contents (path, &text, &length, &error))
    document = postbag_json_parse (text, length, POSTBAG_LIMIT_INSTRUCTIONS_BYTES,
                                   POSTBAG_JSON_DEFAULT, &error);
  root = document != NULL ? postbag_json_document_get_root (document) : NULL;
  if (root != NULL && JSON_NODE_HOLDS_OBJECT (root)
      && postbag_json_get_string (json_node_get_object (root), "instructions", &instructions))
    return g_strdup (instructions);
  g_warning ("The model does without the instructions in “%s”: %s. Reinstall Postbag.", path,
             error != NULL ? error->message : "they are no text");
  return NULL;
}

static void
append_policy (GString *text, PostbagMay may)
{
  static const struct
  {
    PostbagMay may;
    const char *word;
  } words[] = {
    { POSTBAG_MAY_ORGANISE, "organised" },
    { POSTBAG_MAY_DRAFT, "drafts saved" },
    { POSTBAG_MAY_PURGE, "deleted for good" },
  };

  if ((may & (POSTBAG_MAY_ORGANISE | POSTBAG_MAY_DRAFT | POSTBAG_MAY_PURGE)) == 0)
    {
      g_string_append (text, "read only");
      return;
    }
  g_string_append (text, "may be read");
  for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
    {
      if ((may & words[i].may) != 0)
        g_string_append_printf (text, ", %s", words[i].word);
    }
}

static void
append_account (GString *text, const PostbagAccount *account)
{
  g_autofree char *name = postbag_clean_quote (account->name);

  g_string_append_printf (text, "%s (", name);
  append_policy (text, account->may);
  g_string_append_c (text, ')');
}

static void
append_accounts (GString *text, GPtrArray *accounts)
{
  guint shown = MIN (accounts->len, POSTBAG_LIMIT_ACCOUNTS_TOLD);

  if (accounts->len == 0)
    {
      g_string_append (text, "No mail account is set up yet; each call says how to do that.");
      return;
    }
  g_string_append (text,
                   accounts->len == 1 ? "The account: " : "Accounts, the default one first: ");
  for (guint i = 0; i < shown; i++)
    {
      if (i > 0)
        g_string_append (text, ", ");
      append_account (text, accounts->pdata[i]);
    }
  if (accounts->len > shown)
    g_string_append_printf (text, " and %u more", accounts->len - shown);
  g_string_append_c (text, '.');
}

void
postbag_instructions_add_policy (GString *text, PostbagConfig *config)
{
  if (text->len > 0)
    g_string_append (text, "\n\n");
  append_accounts (text, postbag_config_get_accounts (config));
  if (postbag_settings_get_boolean (postbag_config_get_core_settings (config), "require-person"))
    g_string_append (text, " Nothing is changed before the person has agreed in their client.");
}
