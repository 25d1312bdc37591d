/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "mail/postbag-account.h"

#include <string.h>

PostbagAccount *
postbag_account_new (const char *name, const char *backend)
{
  PostbagAccount *self = g_new0 (PostbagAccount, 1);

  self->size = sizeof (PostbagAccount);
  self->name = g_strdup (name);
  self->backend = g_strdup (backend);
  self->mailbox = g_strdup ("INBOX");
  self->may = POSTBAG_MAY_READ;
  return self;
}

PostbagAccount *
postbag_account_copy (const PostbagAccount *self)
{
  PostbagAccount *copy = g_new0 (PostbagAccount, 1);

  *copy = *self;
  copy->name = g_strdup (self->name);
  copy->backend = g_strdup (self->backend);
  copy->path = g_strdup (self->path);
  copy->host = g_strdup (self->host);
  copy->user = g_strdup (self->user);
  copy->password = g_strdup (self->password);
  copy->mailbox = g_strdup (self->mailbox);
  copy->drafts_mailbox = g_strdup (self->drafts_mailbox);
  copy->trash_mailbox = g_strdup (self->trash_mailbox);
  copy->cleartext_hosts = g_strdup (self->cleartext_hosts);
  copy->ca_file = g_strdup (self->ca_file);
  copy->auth = g_strdup (self->auth);
  copy->password_command = g_strdup (self->password_command);
  copy->password_file = g_strdup (self->password_file);
  copy->token_command = g_strdup (self->token_command);
  copy->token_file = g_strdup (self->token_file);
  copy->pins = g_strdup (self->pins);
  copy->client_certificate = g_strdup (self->client_certificate);
  copy->address = g_strdup (self->address);
  return copy;
}

void
postbag_account_free (PostbagAccount *self)
{
  if (self == NULL)
    return;
  if (self->password != NULL)
    explicit_bzero (self->password, strlen (self->password));
  g_free (self->password);
  g_free (self->name);
  g_free (self->backend);
  g_free (self->path);
  g_free (self->host);
  g_free (self->user);
  g_free (self->mailbox);
  g_free (self->drafts_mailbox);
  g_free (self->trash_mailbox);
  g_free (self->address);
  g_free (self->cleartext_hosts);
  g_free (self->ca_file);
  g_free (self->auth);
  g_free (self->password_command);
  g_free (self->password_file);
  g_free (self->token_command);
  g_free (self->token_file);
  g_free (self->pins);
  g_free (self->client_certificate);
  g_free (self);
}

char *
postbag_account_dup_identity (const PostbagAccount *self)
{
  g_autofree char *host = self->host != NULL ? g_ascii_strdown (self->host, -1) : NULL;
  g_autofree char *path = self->path != NULL ? g_canonicalize_filename (self->path, NULL) : NULL;
  g_autofree char *port = g_strdup_printf ("%u", self->port);
  const char *const fields[] = { self->backend, host, port, self->user, path };
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);

  for (gsize i = 0; i < G_N_ELEMENTS (fields); i++)
    {
      const char *field = fields[i] != NULL ? fields[i] : "";

      /* with the byte that ends it, so that no two accounts give the same bytes */
      g_checksum_update (sum, (const guchar *)field, (gssize)strlen (field) + 1);
    }
  return g_strdup (g_checksum_get_string (sum));
}
