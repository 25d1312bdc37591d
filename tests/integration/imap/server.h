/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

#include "mail/postbag-account.h"

G_BEGIN_DECLS

/* A Dovecot of our own, see dovecot.py. */
typedef struct
{
  GSubprocess *process;
  guint imap;
  guint imaps;
  char *ca;
  char *other_ca;
  char *mail;
  char *raw;
  char *log; /* of the server */
  char *pin; /* of its key */
  char *user;
  char *password;
} Server;

/* (nullable): %NULL, and the test is skipped, when there is no Dovecot. @arguments: for dovecot.py
 */
Server *server_start (const char *const *arguments);
void server_stop (Server *self);

/* (transfer full): an account of its user */
PostbagAccount *server_create_account (const Server *self, PostbagTls tls);

G_END_DECLS
