/* SPDX-License-Identifier: LGPL-2.1-or-later */

#define G_LOG_DOMAIN "postbag-imap"

#include "postbag-imap-dial.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "mail/postbag-secret.h"
#include "postbag-imap-io.h"
#include "postbag-imap-login.h"
#include "postbag-imap-tls.h"
#include "safety/postbag-clean.h"

/* --- few at once --- */

static GMutex gate_lock;
static GCond gate_changed;
static guint gate_inside;

static void
wake_gate (GCancellable *cancellable, gpointer data)
{
  g_mutex_lock (&gate_lock);
  g_cond_broadcast (&gate_changed);
  g_mutex_unlock (&gate_lock);
}

/* %FALSE: cancelled while waiting. */
static gboolean
enter_gate (GCancellable *cancellable)
{
  gulong handler = cancellable != NULL
                       ? g_cancellable_connect (cancellable, G_CALLBACK (wake_gate), NULL, NULL)
                       : 0;
  gboolean may_enter;

  g_mutex_lock (&gate_lock);
  while (gate_inside >= POSTBAG_LIMIT_IMAP_CONNECTING && !g_cancellable_is_cancelled (cancellable))
    g_cond_wait (&gate_changed, &gate_lock);
  may_enter = !g_cancellable_is_cancelled (cancellable);
  gate_inside += may_enter ? 1 : 0;
  g_mutex_unlock (&gate_lock);
  g_cancellable_disconnect (cancellable, handler);
  return may_enter;
}

static void
leave_gate (void)
{
  g_mutex_lock (&gate_lock);
  gate_inside--;
  g_cond_broadcast (&gate_changed);
  g_mutex_unlock (&gate_lock);
}

/* --- the deadline: a cancellable that time cancels too --- */

/* Counted, since its timer may run on the I/O thread while whoever waited goes away. */
typedef struct
{
  GCancellable *cancellable;
  gint has_passed; /* atomic */
} Deadline;

static void
clear_deadline (gpointer data)
{
  Deadline *deadline = data;

  g_clear_object (&deadline->cancellable);
}

static void
release_deadline (gpointer data)
{
  g_atomic_rc_box_release_full (data, clear_deadline);
}

static gboolean
pass_deadline (gpointer data)
{
  Deadline *deadline = data;

  g_atomic_int_set (&deadline->has_passed, 1);
  g_cancellable_cancel (deadline->cancellable);
  return G_SOURCE_REMOVE;
}

static Deadline *
start_deadline (guint milliseconds, GSource **timer)
{
  Deadline *deadline = g_atomic_rc_box_new0 (Deadline);

  deadline->cancellable = g_cancellable_new ();
  *timer = g_timeout_source_new (milliseconds);
  g_source_set_callback (*timer, pass_deadline, g_atomic_rc_box_acquire (deadline),
                         release_deadline);
  g_source_attach (*timer, postbag_imap_io_get_context ());
  return deadline;
}

/* --- connecting --- */

/* One attempt. */
typedef struct
{
  const PostbagImapDialer *dialer;
  const PostbagAccount *account;
  const char *place;
  GCancellable *cancellable;
  const char *step; /* the one that is on its way */
} Dialing;

static char *
describe_place (const PostbagAccount *account)
{
  return g_strdup_printf (strchr (account->host, ':') != NULL ? "[%s]:%u" : "%s:%u", account->host,
                          account->port);
}

static void
tell (const Dialing *self, const char *step, char *facts)
{
  const PostbagImapDialer *dialer = self->dialer;

  if (dialer->told != NULL)
    {
      g_autofree char *clean = postbag_clean_escape (facts, POSTBAG_LIMIT_SERVER_TEXT_CHARS);

      dialer->told (step, clean, dialer->told_data);
    }
  g_free (facts);
}

/* GIO tells "resolved" even where it was not, but "connecting" only with an address in hand; that
 * comes once for each address. */
static void
tell_socket_event (GSocketClient *client, GSocketClientEvent event, GSocketConnectable *connectable,
                   GIOStream *connection, Dialing *self)
{
  g_autoptr (GSocketAddress) address = NULL;

  if (event == G_SOCKET_CLIENT_CONNECTING && strcmp (self->step, "name") == 0)
    {
      tell (self, "name", g_strdup (self->account->host));
      self->step = "tcp";
    }
  if (event != G_SOCKET_CLIENT_CONNECTED)
    return;
  address = g_socket_connection_get_remote_address (G_SOCKET_CONNECTION (connection), NULL);
  tell (self, "tcp",
        address != NULL ? g_socket_connectable_to_string (G_SOCKET_CONNECTABLE (address))
                        : g_strdup ("connected"));
}

static void
fail_name (const Dialing *self, const GError *cause, GError **error)
{
  if (g_error_matches (cause, G_RESOLVER_ERROR, G_RESOLVER_ERROR_NOT_FOUND))
    postbag_set_fault (error, POSTBAG_ERROR_OFFLINE, POSTBAG_FAULT_NAME_UNKNOWN,
                       "There is no mail server by the name “%s”: %s. Check how “host” is spelled.",
                       self->account->host, cause->message);
  else
    postbag_set_fault (error, POSTBAG_ERROR_OFFLINE, POSTBAG_FAULT_NAME_SERVER,
                       "The name “%s” of the mail server cannot be looked up: %s. Check this "
                       "machine's network and name servers, then call again.",
                       self->account->host, cause->message);
}

/* Why no connection came about. */
static void
fail_connect (const Dialing *self, const GError *cause, GError **error)
{
  if (cause->domain == G_RESOLVER_ERROR)
    fail_name (self, cause, error);
  else if (g_error_matches (cause, G_IO_ERROR, G_IO_ERROR_CONNECTION_REFUSED))
    postbag_set_fault (error, POSTBAG_ERROR_OFFLINE, POSTBAG_FAULT_CONNECTION_REFUSED,
                       "The mail server %s cannot be reached: %s. Nothing takes connections there: "
                       "check the port (993 for implicit TLS, 143 for starttls), and whether the "
                       "server runs.",
                       self->place, cause->message);
  else if (g_error_matches (cause, G_IO_ERROR, G_IO_ERROR_TIMED_OUT))
    postbag_set_fault (error, POSTBAG_ERROR_OFFLINE, POSTBAG_FAULT_TIMED_OUT,
                       "The mail server %s cannot be reached: %s. Check host and port; a firewall "
                       "may be in between.",
                       self->place, cause->message);
  else
    postbag_set_fault (error, POSTBAG_ERROR_OFFLINE, POSTBAG_FAULT_UNREACHABLE,
                       "The mail server %s cannot be reached: %s. Check host and port, and the "
                       "network.",
                       self->place, cause->message);
}

static GSocketConnection *
connect_socket (Dialing *self, GError **error)
{
  g_autoptr (GSocketClient) client = g_socket_client_new ();
  g_autoptr (GError) local_error = NULL;
  GSocketConnection *connection;

  /* Only to the host that is configured: asking the desktop for its proxy would open the session
   * bus and write its settings cache into the home folder. */
  g_socket_client_set_enable_proxy (client, FALSE);
  self->step = "name";
  g_signal_connect (client, "event", G_CALLBACK (tell_socket_event), self);
  connection = g_socket_client_connect_to_host (
      client, self->account->host, (guint16)self->account->port, self->cancellable, &local_error);
  if (connection == NULL && g_cancellable_is_cancelled (self->cancellable))
    g_propagate_error (error, g_steal_pointer (&local_error));
  else if (connection == NULL)
    fail_connect (self, local_error, error);
  else
    g_socket_set_option (g_socket_connection_get_socket (connection), IPPROTO_TCP, TCP_NODELAY, 1,
                         NULL);
  return connection;
}

static gboolean
is_loopback (GSocketConnection *connection)
{
  g_autoptr (GSocketAddress) address = g_socket_connection_get_remote_address (connection, NULL);

  return G_IS_INET_SOCKET_ADDRESS (address)
         && g_inet_address_get_is_loopback (
             g_inet_socket_address_get_address (G_INET_SOCKET_ADDRESS (address)));
}

/* Clear text only to this machine, or where somebody wrote the host down. */
static gboolean
check_cleartext (const Dialing *self, GSocketConnection *connection, GError **error)
{
  const PostbagAccount *account = self->account;
  g_auto (GStrv) hosts = NULL;

  if (is_loopback (connection))
    return TRUE;
  hosts = g_strsplit (account->cleartext_hosts != NULL ? account->cleartext_hosts : "", ",", -1);
  for (char **host = hosts; *host != NULL; host++)
    if (g_ascii_strcasecmp (g_strstrip (*host), account->host) == 0)
      return TRUE;
  postbag_set_fault (
      error, POSTBAG_ERROR_NOT_ALLOWED, POSTBAG_FAULT_CLEARTEXT,
      "Without TLS the password would go to %s in clear text. Use TLS (implicit or "
      "starttls); if the way there is safe, name the host in POSTBAG_ALLOW_CLEARTEXT.",
      account->host);
  return FALSE;
}

static GIOStream *
encrypt (Dialing *self, GIOStream *base, GError **error)
{
  GIOStream *stream;

  self->step = "tls";
  stream = postbag_imap_tls_start (base, self->account, self->cancellable, error);
  if (stream != NULL && self->dialer->told != NULL)
    tell (self, "tls", postbag_imap_tls_describe (G_TLS_CONNECTION (stream)));
  return stream;
}

static gboolean
fail_starttls (PostbagImapWire *wire, const PostbagImapStatus *status, GError **error)
{
  g_autofree char *text = postbag_clean_quote_server (status->text);

  postbag_set_fault (
      error, POSTBAG_ERROR_OFFLINE, POSTBAG_FAULT_NO_STARTTLS,
      "The mail server %s, or somebody in between, refuses STARTTLS: %s. No password "
      "was sent; try implicit TLS (port 993).",
      wire->place, text);
  return FALSE;
}

/* STARTTLS: from greeting to handshake nothing is believed, and no is no. */
static gboolean
upgrade (Dialing *self, PostbagImapWire *wire, GError **error)
{
  g_autoptr (PostbagImapCommand) command = postbag_imap_command_new ("STARTTLS");
  g_autoptr (PostbagImapStatus) status = NULL;
  g_autoptr (GIOStream) base = g_object_ref (wire->stream);
  g_autoptr (GIOStream) encrypted = NULL;

  self->step = "starttls";
  status = postbag_imap_wire_run (wire, command, error);
  if (status == NULL)
    return FALSE;
  if (status->condition != POSTBAG_IMAP_OK)
    return fail_starttls (wire, status, error);
  if (!postbag_imap_wire_switch (wire, base, error))
    return FALSE;
  encrypted = encrypt (self, base, error);
  return encrypted != NULL && postbag_imap_wire_switch (wire, encrypted, error);
}

/* Opens the stream in the account's TLS mode; @is_known: the server took us for somebody. */
static PostbagImapWire *
open_wire (Dialing *self, gboolean *is_known, GError **error)
{
  PostbagTls tls = self->account->tls;
  g_autoptr (GSocketConnection) connection = connect_socket (self, error);
  g_autoptr (GIOStream) stream = NULL;
  g_autoptr (PostbagImapWire) wire = NULL;
  g_autoptr (PostbagImapStatus) greeting = NULL;

  if (connection == NULL)
    return NULL;
  if (tls == POSTBAG_TLS_NONE && !check_cleartext (self, connection, error))
    return NULL;
  if (tls == POSTBAG_TLS_IMPLICIT)
    stream = encrypt (self, G_IO_STREAM (connection), error);
  else
    stream = g_object_ref (G_IO_STREAM (connection));
  if (stream == NULL)
    return NULL;
  self->step = "greeting";
  wire = postbag_imap_wire_new (stream, self->place, self->cancellable);
  greeting = postbag_imap_wire_read_greeting (wire, error);
  if (greeting == NULL)
    return NULL;
  *is_known = greeting->condition == POSTBAG_IMAP_PREAUTH;
  if (tls != POSTBAG_TLS_STARTTLS)
    return g_steal_pointer (&wire);
  if (*is_known)
    {
      postbag_set_fault (
          error, POSTBAG_ERROR_OFFLINE, POSTBAG_FAULT_TAMPERED,
          "The mail server %s, or somebody in between, greets with PREAUTH, which would "
          "keep the session in clear text. It was closed; use implicit TLS (port 993).",
          self->place);
      return NULL;
    }
  return upgrade (self, wire, error) ? g_steal_pointer (&wire) : NULL;
}

/* Providers that answer "Unsafe Login" unless they are told who asks (RFC 2971). */
static gboolean
wants_id (const char *host)
{
  static const char *const suffixes[] = { ".163.com", ".126.com", ".yeah.net", ".188.com" };

  for (gsize i = 0; i < G_N_ELEMENTS (suffixes); i++)
    if (g_str_has_suffix (host, suffixes[i]))
      return TRUE;
  return FALSE;
}

static gboolean
introduce (PostbagImapWire *wire, GError **error)
{
  g_autoptr (PostbagImapCommand) command = postbag_imap_command_new ("ID");
  g_autoptr (PostbagImapStatus) status = NULL;

  postbag_imap_command_add_open (command);
  postbag_imap_command_add_string (command, "name");
  postbag_imap_command_add_string (command, "postbag");
  postbag_imap_command_add_string (command, "version");
  postbag_imap_command_add_string (command, POSTBAG_VERSION);
  postbag_imap_command_add_close (command);
  status = postbag_imap_wire_run (wire, command, error);
  return status != NULL;
}

/* After login: what there is now, and UTF-8 names where the server can. */
static gboolean
settle (Dialing *self, PostbagImapWire *wire, GError **error)
{
  g_autoptr (PostbagImapFeatures) features = NULL;
  g_autoptr (PostbagImapCommand) command = NULL;
  g_autoptr (PostbagImapStatus) status = NULL;

  self->step = "capabilities";
  features = postbag_imap_wire_get_features (wire, error);
  if (features == NULL)
    return FALSE;
  tell (self, "capabilities", g_strjoinv (" ", features->words));
  if ((features->has & POSTBAG_IMAP_HAS_ID) && wants_id (self->account->host)
      && !introduce (wire, error))
    return FALSE;
  if ((features->has & POSTBAG_IMAP_HAS_ENABLE) == 0
      || (features->has & POSTBAG_IMAP_HAS_UTF8_ACCEPT) == 0)
    return TRUE;
  command = postbag_imap_command_new ("ENABLE UTF8=ACCEPT");
  status = postbag_imap_wire_run (wire, command, error);
  return status != NULL;
}

static PostbagImapWire *
run_all (Dialing *self, const char *secret, GError **error)
{
  gboolean is_known = FALSE;
  g_autoptr (PostbagImapWire) wire = open_wire (self, &is_known, error);

  if (wire == NULL)
    return NULL;
  self->step = "login";
  if (!is_known && !postbag_imap_login (wire, self->account, secret, error))
    return NULL;
  tell (self, "login", g_strdup (is_known ? "taken for granted by the server" : "accepted"));
  return settle (self, wire, error) ? g_steal_pointer (&wire) : NULL;
}

/* What a step that takes too long means, and what to do. */
static const char *
explain_delay (const Dialing *self)
{
  static const struct
  {
    const char *step;
    const char *words;
  } delays[] = {
    { "name", "its name could not be looked up. Check this machine's network and name servers" },
    { "tcp", "no connection came about. Check host and port; a firewall may be in between" },
    { "tls", "it took the connection, and did not answer to TLS. If it first talks in clear text "
             "there, as on port 143, set “tls” to starttls; else check the port" },
    { "login", "it did not answer the login. It may hold up who has tried wrong passwords; call "
               "again later" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (delays); i++)
    if (strcmp (delays[i].step, self->step) == 0)
      return delays[i].words;
  if (strcmp (self->step, "greeting") == 0 && self->account->tls != POSTBAG_TLS_IMPLICIT)
    return "it took the connection, and did not greet. If it waits for TLS there, as on port 993, "
           "set “tls” to implicit; else check the port";
  return "it fell silent. Call again later";
}

/* GIO's own errors, and cancelling by time or by the caller, in our words. */
static void
translate (const Dialing *self, gboolean has_passed, GError *cause, GError **error)
{
  if (cause->domain == POSTBAG_ERROR)
    {
      postbag_error_place (&cause, self->step,
                           cause->code == POSTBAG_ERROR_BAD_DATA ? POSTBAG_FAULT_GARBLED
                                                                 : POSTBAG_FAULT_NONE);
      g_propagate_error (error, cause);
      return;
    }
  if (has_passed)
    postbag_set_fault (error, POSTBAG_ERROR_TIMED_OUT, POSTBAG_FAULT_TIMED_OUT,
                       "The mail server %s did not get ready in time: %s.", self->place,
                       explain_delay (self));
  else if (g_error_matches (cause, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_CANCELLED,
                 "The call was cancelled while connecting to %s.", self->place);
  else
    postbag_set_fault (error, POSTBAG_ERROR_OFFLINE, POSTBAG_FAULT_BROKEN,
                       "The connection to the mail server %s broke: %s. Call again.", self->place,
                       cause->message);
  postbag_error_place (error, self->step, POSTBAG_FAULT_NONE);
  g_error_free (cause);
}

static void
forward_cancel (GCancellable *cancellable, gpointer data)
{
  g_cancellable_cancel (data);
}

/* Within the deadline, and with few others at once. */
static PostbagImapWire *
dial (const PostbagImapDialer *dialer, const char *secret, GCancellable *cancellable,
      GError **error)
{
  g_autofree char *place = describe_place (dialer->account);
  Dialing self = { .dialer = dialer, .account = dialer->account, .place = place, .step = "name" };
  g_autoptr (GSource) timer = NULL;
  GError *cause = NULL;
  PostbagImapWire *wire;
  Deadline *deadline;
  gulong handler = 0;

  if (!enter_gate (cancellable))
    {
      translate (&self, FALSE, g_error_new_literal (G_IO_ERROR, G_IO_ERROR_CANCELLED, ""), error);
      return NULL;
    }
  deadline = start_deadline (dialer->times.connect, &timer);
  self.cancellable = deadline->cancellable;
  if (cancellable != NULL)
    handler = g_cancellable_connect (cancellable, G_CALLBACK (forward_cancel),
                                     g_object_ref (deadline->cancellable), g_object_unref);
  wire = run_all (&self, secret, &cause);
  g_cancellable_disconnect (cancellable, handler);
  g_source_destroy (timer);
  leave_gate ();
  g_debug ("%s: %s %s", place, wire != NULL ? "ready behind" : "failed at", self.step);
  if (wire == NULL)
    translate (&self, g_atomic_int_get (&deadline->has_passed) != 0, cause, error);
  release_deadline (deadline);
  return wire;
}

PostbagImapWire *
postbag_imap_dial (const PostbagImapDialer *dialer, GCancellable *cancellable, GError **error)
{
  const PostbagAccount *account = dialer->account;
  PostbagImapWire *wire;
  char *secret = NULL;

  /* Before there is a connection: a command that asks a person must not have the server wait. */
  if (g_strcmp0 (account->auth, "external") != 0
      || postbag_secret_get_kind (account) != POSTBAG_SECRET_NONE)
    {
      secret = postbag_secret_fetch (account, cancellable, error);
      if (secret == NULL)
        return NULL;
    }
  wire = dial (dialer, secret, cancellable, error);
  postbag_secret_free (secret);
  return wire;
}
