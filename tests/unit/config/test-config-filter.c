/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* contracts/guarded, section 4.9. */

#include "config-fixture.h"

#include "base/postbag-error.h"

#include <string.h>

static const char *const catalogue[] = {
  "get_server_info", "list_mailboxes",  "list_messages",     "list_new_messages",
  "get_message",     "get_attachments", "set_message_flags", "move_messages",
  "delete_messages", "manage_mailbox",  "save_draft",        NULL,
};

#define READ_TOOLS                                                                                 \
  "get_server_info,list_mailboxes,list_messages,list_new_messages,get_message,get_attachments"
#define ALL_TOOLS                                                                                  \
  READ_TOOLS ",set_message_flags,move_messages,delete_messages,manage_mailbox,save_draft"
#define WRITE "IMAP_READ_ONLY=false\n"

static char *
filter (ConfigFixture *fixture, const char *variables, GError **error)
{
  g_autoptr (GPtrArray) warnings = g_ptr_array_new_with_free_func (g_free);
  g_auto (GStrv) tools = NULL;

  config_fixture_accept (fixture, variables);
  tools = postbag_config_filter_tools (fixture->config, "guarded", catalogue, warnings, error);
  g_ptr_array_unref (fixture->warnings);
  fixture->warnings = g_steal_pointer (&warnings);
  return tools != NULL ? g_strjoinv (",", tools) : NULL;
}

static void
test_accepted (ConfigFixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *variables;
    const char *tools;
  } cases[] = {
    { "", READ_TOOLS },
    { WRITE, ALL_TOOLS },
    { WRITE "IMAP_ALLOW_TOOLS= \nIMAP_DENY_TOOLS=,", ALL_TOOLS },
    { "IMAP_ALLOW_TOOLS=get_message,list_messages", "list_messages,get_message" },
    { "IMAP_ALLOW_TOOLS= GET_Message ,, list_messages ", "list_messages,get_message" },
    { "IMAP_ALLOW_TOOLS=list_*", "list_mailboxes,list_messages,list_new_messages" },
    { "IMAP_ALLOW_TOOLS=*", READ_TOOLS },
    { "IMAP_ALLOW_TOOLS=essential", "list_mailboxes,list_messages,list_new_messages,get_message" },
    { WRITE "IMAP_ALLOW_TOOLS=Essential", "list_mailboxes,list_messages,list_new_messages,"
                                          "get_message,set_message_flags,move_messages" },
    { "IMAP_ALLOW_TOOLS=essential,get_server_info",
      "get_server_info,list_mailboxes,list_messages,list_new_messages,get_message" },
    { "IMAP_DENY_TOOLS=list_*", "get_server_info,get_message,get_attachments" },
    { "IMAP_DENY_TOOLS=delete_messages", READ_TOOLS }, /* only has to be in the catalogue */
    { WRITE "IMAP_DENY_TOOLS=delete_messages,m*", READ_TOOLS ",set_message_flags,save_draft" },
    { "IMAP_ALLOW_TOOLS=get_*\nIMAP_DENY_TOOLS=get_attachments", "get_server_info,get_message" },
    { "IMAP_SEEN_KEYWORD=",
      "get_server_info,list_mailboxes,list_messages,get_message,get_attachments" },
    { "IMAP_SEEN_KEYWORD=\nIMAP_ALLOW_TOOLS=essential",
      "list_mailboxes,list_messages,get_message" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autofree char *tools = filter (fixture, cases[i].variables, &error);

      g_assert_no_error (error);
      g_assert_cmpstr (tools, ==, cases[i].tools);
      g_assert_cmpuint (fixture->warnings->len, ==, 0);
    }
}

static void
test_warned (ConfigFixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *tools = filter (fixture, "IMAP_ALLOW_TOOLS=get_message,delete_*", &error);
  g_autofree char *untracked = NULL;

  g_assert_no_error (error);
  g_assert_cmpstr (tools, ==, "get_message");
  g_assert_true (config_fixture_has_warning (fixture, "IMAP_ALLOW_TOOLS has “delete_*”"));
  g_assert_true (config_fixture_has_warning (fixture, "IMAP_READ_ONLY"));
  untracked = filter (fixture, "IMAP_SEEN_KEYWORD=\nIMAP_ALLOW_TOOLS=get_message,list_new_messages",
                      &error);
  g_assert_cmpstr (untracked, ==, "get_message");
  g_assert_true (config_fixture_has_warning (fixture, "IMAP_SEEN_KEYWORD"));
}

static void
test_refused (ConfigFixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *variables;
    const char *part;
  } cases[] = {
    { "IMAP_ALLOW_TOOLS=get_mesage", "IMAP_ALLOW_TOOLS has “get_mesage”, which matches no tool" },
    { "IMAP_ALLOW_TOOLS=get_mesage", "manage_mailbox, save_draft" }, /* the valid names */
    { "IMAP_DENY_TOOLS=send_*", "IMAP_DENY_TOOLS has “send_*”, which matches no tool" },
    { "IMAP_DENY_TOOLS=essential", "“essential”, which matches no tool" },
    { "IMAP_ALLOW_TOOLS=*_messages", "“*_messages”, which has “*” in another place" },
    { "IMAP_ALLOW_TOOLS=get*message", "has “*” in another place" },
    { "IMAP_DENY_TOOLS=list_**", "has “*” in another place" },
    { "IMAP_ALLOW_TOOLS=move_messages", "Say IMAP_READ_ONLY=false" },
    { "IMAP_ALLOW_TOOLS=get_message\nIMAP_DENY_TOOLS=get_message", "leave no tool" },
    { "IMAP_ALLOW_TOOLS=move_*", "leave no tool" },
    { "IMAP_DENY_TOOLS=*", "leave no tool" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (filter (fixture, cases[i].variables, &error));
      g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_INVALID_ARGUMENT);
      g_assert_nonnull (strstr (error->message, cases[i].part));
    }
}

/* An entry without the shape of a name may be a password. */
static void
test_redacted (ConfigFixture *fixture, gconstpointer data)
{
  static const char *const entries[] = { "Hunter2", "hunter 2", "hunter-two!", "h\xc3\xbcnter" };

  for (gsize i = 0; i < G_N_ELEMENTS (entries); i++)
    {
      g_autofree char *variable = g_strdup_printf ("IMAP_ALLOW_TOOLS=get_message,%s", entries[i]);
      g_autoptr (GError) error = NULL;

      g_assert_null (filter (fixture, variable, &error));
      g_assert_null (strstr (error->message, "unter"));
      g_assert_nonnull (strstr (error->message, "an entry of"));
    }
}

static void
test_in_file (ConfigFixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *tools = NULL;

  config_fixture_write (fixture, "[toolset guarded]\nallow-tools=get_message,x\n");
  tools = filter (fixture, NULL, &error);
  g_assert_nonnull (strstr (error->message, "allow-tools has “x”"));
}

/* Nothing is known of others' tools, so nothing is taken from them. */
static void
test_other_toolset (ConfigFixture *fixture, gconstpointer data)
{
  const char *const tools[] = { "move_messages", "x", NULL };
  g_auto (GStrv) filtered = NULL;

  config_fixture_accept (fixture, "IMAP_ALLOW_TOOLS=get_message");
  filtered = postbag_config_filter_tools (fixture->config, "words", tools, fixture->warnings, NULL);
  g_assert_true (g_strv_equal ((const char *const *)filtered, tools));
}

#define ADD(path, function)                                                                        \
  g_test_add (path, ConfigFixture, NULL, config_fixture_set_up, function, config_fixture_tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("/config/filter/accepted", test_accepted);
  ADD ("/config/filter/warned", test_warned);
  ADD ("/config/filter/refused", test_refused);
  ADD ("/config/filter/redacted", test_redacted);
  ADD ("/config/filter/in-file", test_in_file);
  ADD ("/config/filter/other-toolset", test_other_toolset);
  return g_test_run ();
}
