/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "server.h"

#include <json-glib/json-glib.h>

static void
take_description (Server *self, const char *line)
{
  g_autoptr (JsonNode) node = json_from_string (line, NULL);
  JsonObject *object = json_node_get_object (node);

  self->imap = (guint)json_object_get_int_member (object, "imap");
  self->imaps = (guint)json_object_get_int_member (object, "imaps");
  self->ca = g_strdup (json_object_get_string_member (object, "ca"));
  self->other_ca = g_strdup (json_object_get_string_member (object, "other_ca"));
  self->mail = g_strdup (json_object_get_string_member (object, "mail"));
  self->raw = g_strdup (json_object_get_string_member (object, "raw"));
  self->log = g_strdup (json_object_get_string_member (object, "log"));
  self->pin = g_strdup (json_object_get_string_member (object, "pin"));
  self->user = g_strdup (json_object_get_string_member (object, "user"));
  self->password = g_strdup (json_object_get_string_member (object, "password"));
}

Server *
server_start (const char *const *arguments)
{
  Server *self = g_new0 (Server, 1);
  g_autofree char *script =
      g_test_build_filename (G_TEST_DIST, "integration", "imap", "dovecot.py", NULL);
  g_autoptr (GPtrArray) command = g_ptr_array_new ();
  g_autoptr (GDataInputStream) output = NULL;
  g_autofree char *line = NULL;

  g_ptr_array_add (command, (gpointer) "python3");
  g_ptr_array_add (command, script);
  for (; *arguments != NULL; arguments++)
    g_ptr_array_add (command, (gpointer)*arguments);
  g_ptr_array_add (command, NULL);
  self->process =
      g_subprocess_newv ((const char *const *)command->pdata,
                         G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE, NULL);
  g_assert_nonnull (self->process);
  output = g_data_input_stream_new (g_subprocess_get_stdout_pipe (self->process));
  line = g_data_input_stream_read_line (output, NULL, NULL, NULL);
  if (line == NULL)
    {
      g_subprocess_wait (self->process, NULL, NULL);
      g_assert_cmpint (g_subprocess_get_exit_status (self->process), ==, 77);
      server_stop (self);
      return NULL;
    }
  take_description (self, line);
  return self;
}

void
server_stop (Server *self)
{
  g_output_stream_close (g_subprocess_get_stdin_pipe (self->process), NULL, NULL);
  g_subprocess_wait (self->process, NULL, NULL);
  g_clear_object (&self->process);
  g_free (self->ca);
  g_free (self->other_ca);
  g_free (self->mail);
  g_free (self->raw);
  g_free (self->log);
  g_free (self->pin);
  g_free (self->user);
  g_free (self->password);
  g_free (self);
}

PostbagAccount *
server_create_account (const Server *self, PostbagTls tls)
{
  PostbagAccount *account = postbag_account_new ("default", "imap");

  account->host = g_strdup ("localhost");
  account->port = tls == POSTBAG_TLS_IMPLICIT ? self->imaps : self->imap;
  account->tls = tls;
  account->user = g_strdup (self->user);
  account->password = g_strdup (self->password);
  account->ca_file = g_strdup (self->ca);
  return account;
}
