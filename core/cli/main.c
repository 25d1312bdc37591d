/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The program: reads the command line and hands over to one file a subcommand. */

#include "cli/postbag-cli-private.h"

#include <locale.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/postbag-log-private.h"
#include "base/postbag-text.h"

typedef struct
{
  const char *name;
  PostbagCommandFunc run;
} Command;

static const Command commands[] = {
  { "call", postbag_cli_call },       { "tools", postbag_cli_tools },
  { "plugins", postbag_cli_plugins }, { "config", postbag_cli_config },
  { "read", postbag_cli_read },       { "demo", postbag_cli_demo },
  { "doctor", postbag_cli_doctor },   { "extract", postbag_cli_extract },
};

static const char description[] =
    "Commands:\n"
    "  (none)                 serve an MCP client on standard input and output;\n"
    "                         on a terminal: a short guide\n"
    "  call TOOL [JSON]       run one tool and print its result; JSON “-” reads stdin\n"
    "  tools                  list the tools a client sees (--json, --digest)\n"
    "  plugins                list the plugins, their state and why\n"
    "  config show|check      the effective configuration and its sources\n"
    "  doctor                 try every account step by step; say what ails it (--json)\n"
    "  read FILE.eml          show a message file as cleaned text (--json)\n"
    "  extract [FILE]         show the text of a document (--json, --member); without FILE:\n"
    "                         what can be read and how readers are locked in\n"
    "  demo                   play a client's conversation on a sample Maildir\n"
    "\n"
    "Exit status: 0 success; 1 the configuration is wrong or what was asked for failed;\n"
    "2 the command line is wrong.\n";

static const Command *
find_command (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (commands); i++)
    {
      if (strcmp (commands[i].name, name) == 0)
        return &commands[i];
    }
  return NULL;
}

static int
refuse_command (const char *name)
{
  const char *names[G_N_ELEMENTS (commands) + 1] = { NULL };
  const char *nearest;

  for (gsize i = 0; i < G_N_ELEMENTS (commands); i++)
    names[i] = commands[i].name;
  nearest = postbag_text_nearest (name, names);
  if (nearest != NULL)
    return postbag_cli_usage_error ("There is no command “%s”; did you mean “%s”?", name, nearest);
  return postbag_cli_usage_error ("There is no command “%s”. “postbag --help” lists them.", name);
}

static int
run_command (PostbagCli *cli, char **words)
{
  const Command *command;

  if (words == NULL || words[0] == NULL)
    {
      cli->arguments = (const char *const *)(words != NULL ? words : (char *[]){ NULL });
      return isatty (STDIN_FILENO) ? postbag_cli_guide (cli) : postbag_cli_serve (cli);
    }
  command = find_command (words[0]);
  if (command == NULL)
    return refuse_command (words[0]);
  cli->arguments = (const char *const *)words + 1;
  return command->run (cli);
}

/* TLS 1.2 and 1.3 with authenticated ciphers. GLib's backend reads this once, at first use;
 * stricter words of the user's own stand. */
static void
restrict_tls (void)
{
  g_setenv ("G_TLS_GNUTLS_PRIORITY",
            "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-CIPHER-ALL:+AES-256-GCM:"
            "+CHACHA20-POLY1305:+AES-128-GCM",
            FALSE);
}

/* By default each of the 32 threads that serve calls may get a heap of its own, which keeps what
 * one large message once took; and one block of megabytes raises the size from which blocks go back
 * to the system, for good. Two heaps are enough for as many processors as such a server keeps busy.
 */
static void
bound_memory (void)
{
#ifdef __GLIBC__
  mallopt (M_ARENA_MAX, 2);
  mallopt (M_MMAP_THRESHOLD, 256 * 1024);
  mallopt (M_TRIM_THRESHOLD, 1024 * 1024);
#endif
}

static void
set_up_process (void)
{
  restrict_tls ();
  /* A limit on the size of files (RLIMIT_FSIZE) is an error like a full disk, not the end. */
  signal (SIGXFSZ, SIG_IGN);
  postbag_log_install ();
  postbag_cli_set_debug (g_getenv ("POSTBAG_DEBUG")); /* until the configuration is read */
  setlocale (LC_ALL, "");
}

static int
print_help (GOptionContext *context)
{
  g_autofree char *text = g_option_context_get_help (context, TRUE, NULL);

  postbag_cli_print (text);
  return POSTBAG_EXIT_SUCCESS;
}

int
main (int argc, char **argv)
{
  PostbagCli cli = { 0 };
  g_autofree char *config_file = NULL, *maildir = NULL, *account = NULL, *toolset = NULL;
  g_autofree char *member = NULL;
  g_auto (GStrv) words = NULL;
  gboolean help = FALSE, version = FALSE;
  g_autoptr (GError) error = NULL;
  g_autoptr (GOptionContext) context = g_option_context_new ("[COMMAND [ARGUMENTS]]");
  const GOptionEntry entries[] = {
    { "maildir", 0, 0, G_OPTION_ARG_FILENAME, &maildir, "A local Maildir as the only account",
      "FOLDER" },
    { "account", 0, 0, G_OPTION_ARG_STRING, &account, "Use only this account", "NAME" },
    { "toolset", 0, 0, G_OPTION_ARG_STRING, &toolset, "Toolsets to offer (guarded)",
      "NAME[,NAME]" },
    { "config", 0, 0, G_OPTION_ARG_FILENAME, &config_file, "Configuration file", "FILE" },
    { "allow-write", 0, 0, G_OPTION_ARG_NONE, &cli.options.allow_write,
      "Let tools organise mail and save drafts", NULL },
    { "allow-purge", 0, 0, G_OPTION_ARG_NONE, &cli.options.allow_purge, "Let tools delete for good",
      NULL },
    { "require-person", 0, 0, G_OPTION_ARG_NONE, &cli.options.require_person,
      "Refuse changes when the client cannot ask a person", NULL },
    { "user-plugins", 0, 0, G_OPTION_ARG_NONE, &cli.user_plugins,
      "Use plugins of the user's data folder too", NULL },
    { "member", 0, 0, G_OPTION_ARG_STRING, &member, "With “extract”: the file inside an archive",
      "NAME" },
    { "json", 0, 0, G_OPTION_ARG_NONE, &cli.json, "Answer in JSON", NULL },
    { "digest", 0, 0, G_OPTION_ARG_NONE, &cli.digest,
      "With “tools”: SHA-256 of the tool definitions", NULL },
    { "help", 'h', 0, G_OPTION_ARG_NONE, &help, "Print this", NULL },
    { "version", 0, 0, G_OPTION_ARG_NONE, &version, "Print the version", NULL },
    /* As they are: a file's name is bytes, and JSON is UTF-8 whatever the locale says. */
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &words, NULL, NULL },
    { NULL, 0, 0, 0, NULL, NULL, NULL },
  };

  bound_memory ();
  set_up_process ();
  g_option_context_set_summary (context,
                                "Postbag gives AI assistants and programs a mail account.");
  g_option_context_set_description (context, description);
  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_set_help_enabled (context, FALSE); /* it would recode: “[OPTION?]” */
  if (!g_option_context_parse (context, &argc, &argv, &error))
    return postbag_cli_usage_error ("%s. “postbag --help” lists the options.", error->message);
  if (help || (words != NULL && g_strcmp0 (words[0], "help") == 0))
    return print_help (context);
  if (version)
    {
      return postbag_cli_print ("postbag " POSTBAG_VERSION "\n");
    }
  cli.options.config_file = config_file;
  cli.options.maildir = maildir;
  cli.options.account = account;
  cli.options.toolset = toolset;
  cli.member = member;
  return run_command (&cli, words);
}
