/* SPDX-License-Identifier: LGPL-2.1-or-later */

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

static char *
describe_place (const PostbagAccount *account)
{
  return g_strdup_printf (strchr (account->host, ':') != NULL ? "[%s]:%u" : "%s:%u", account->host,
                          account->port);
}

static void
tell (const PostbagImapDialer *dialer, const char *step, char *facts)
{
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
                   GIOStream *connection, const PostbagImapDialer *dialer)
{
  static const char told_name[] = "postbag-told-name";
  g_autoptr (GSocketAddress) address = NULL;

  if (event == G_SOCKET_CLIENT_CONNECTING
      && g_object_get_data (G_OBJECT (client), told_name) == NULL)
    {
      g_object_set_data (G_OBJECT (client), told_name, client);
      tell (dialer, "name", g_strdup (dialer->account->host));
    }
  if (event != G_SOCKET_CLIENT_CONNECTED)
    return;
  address = g_socket_connection_get_remote_address (G_SOCKET_CONNECTION (connection), NULL);
  tell (dialer, "tcp",
        address != NULL ? g_socket_connectable_to_string (G_SOCKET_CONNECTABLE (address))
                        : g_strdup ("connected"));
}

static GSocketConnection *
connect_socket (const PostbagImapDialer *dialer, const char *place, GCancellable *cancellable,
                GError **error)
{
  g_autoptr (GSocketClient) client = g_socket_client_new ();
  g_autoptr (GError) local_error = NULL;
  GSocketConnection *connection;

  /* Only to the host that is configured: asking the desktop for its proxy would open the session
   * bus and write its settings cache into the home folder. */
  g_socket_client_set_enable_proxy (client, FALSE);
  if (dialer->told != NULL)
    g_signal_connect (client, "event", G_CALLBACK (tell_socket_event), (gpointer)dialer);
  connection = g_socket_client_connect_to_host (
      client, dialer->account->host, (guint16)dialer->account->port, cancellable, &local_error);
  if (connection == NULL && g_cancellable_is_cancelled (cancellable))
    g_propagate_error (error, g_steal_pointer (&local_error));
  else if (connection == NULL)
    g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_OFFLINE,
                 "The mail server %s cannot be reached: %s. Check host and port, and the network.",
                 place, local_error->message);
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
check_cleartext (const PostbagImapDialer *dialer, GSocketConnection *connection, GError **error)
{
  g_auto (GStrv) hosts = NULL;

  if (is_loopback (connection))
    return TRUE;
  hosts = g_strsplit (
      dialer->account->cleartext_hosts != NULL ? dialer->account->cleartext_hosts : "", ",", -1);
  for (char **host = hosts; *host != NULL; host++)
    if (g_ascii_strcasecmp (g_strstrip (*host), dialer->account->host) == 0)
      return TRUE;
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_ALLOWED,
               "Without TLS the password would go to %s in clear text. Use TLS (implicit or "
               "starttls); if the way there is safe, name the host in POSTBAG_ALLOW_CLEARTEXT.",
               dialer->account->host);
  return FALSE;
}

static GIOStream *
encrypt (const PostbagImapDialer *dialer, GIOStream *base, GCancellable *cancellable,
         GError **error)
{
  GIOStream *stream = postbag_imap_tls_start (base, dialer->account, cancellable, error);

  if (stream != NULL && dialer->told != NULL)
    tell (dialer, "tls", postbag_imap_tls_describe (G_TLS_CONNECTION (stream)));
  return stream;
}

/* STARTTLS: from greeting to handshake nothing is believed, and no is no. */
static gboolean
upgrade (const PostbagImapDialer *dialer, PostbagImapWire *wire, GError **error)
{
  g_autoptr (PostbagImapCommand) command = postbag_imap_command_new ("STARTTLS");
  g_autoptr (PostbagImapStatus) status = postbag_imap_wire_run (wire, command, error);
  g_autoptr (GIOStream) base = g_object_ref (wire->stream);
  g_autoptr (GIOStream) encrypted = NULL;

  if (status == NULL)
    return FALSE;
  if (status->condition != POSTBAG_IMAP_OK)
    {
      g_autofree char *text = postbag_clean_quote_server (status->text);

      g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_OFFLINE,
                   "The mail server %s, or somebody in between, refuses STARTTLS: %s. No password "
                   "was sent; try implicit TLS (port 993).",
                   wire->place, text);
      return FALSE;
    }
  if (!postbag_imap_wire_switch (wire, base, error))
    return FALSE;
  encrypted = encrypt (dialer, base, wire->cancellable, error);
  return encrypted != NULL && postbag_imap_wire_switch (wire, encrypted, error);
}

/* Opens the stream in the account's TLS mode; @is_known: the server took us for somebody. */
static PostbagImapWire *
open_wire (const PostbagImapDialer *dialer, const char *place, GCancellable *cancellable,
           gboolean *is_known, GError **error)
{
  g_autoptr (GSocketConnection) connection = connect_socket (dialer, place, cancellable, error);
  g_autoptr (GIOStream) stream = NULL;
  g_autoptr (PostbagImapWire) wire = NULL;
  g_autoptr (PostbagImapStatus) greeting = NULL;

  if (connection == NULL)
    return NULL;
  if (dialer->account->tls == POSTBAG_TLS_NONE && !check_cleartext (dialer, connection, error))
    return NULL;
  if (dialer->account->tls == POSTBAG_TLS_IMPLICIT)
    stream = encrypt (dialer, G_IO_STREAM (connection), cancellable, error);
  else
    stream = g_object_ref (G_IO_STREAM (connection));
  if (stream == NULL)
    return NULL;
  wire = postbag_imap_wire_new (stream, place, cancellable);
  greeting = postbag_imap_wire_read_greeting (wire, error);
  if (greeting == NULL)
    return NULL;
  *is_known = greeting->condition == POSTBAG_IMAP_PREAUTH;
  if (dialer->account->tls != POSTBAG_TLS_STARTTLS)
    return g_steal_pointer (&wire);
  if (*is_known)
    {
      g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_OFFLINE,
                   "The mail server %s, or somebody in between, greets with PREAUTH, which would "
                   "keep the session in clear text. It was closed; use implicit TLS (port 993).",
                   place);
      return NULL;
    }
  return upgrade (dialer, wire, error) ? g_steal_pointer (&wire) : NULL;
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
settle (const PostbagImapDialer *dialer, PostbagImapWire *wire, GError **error)
{
  g_autoptr (PostbagImapFeatures) features = postbag_imap_wire_get_features (wire, error);
  g_autoptr (PostbagImapCommand) command = NULL;
  g_autoptr (PostbagImapStatus) status = NULL;

  if (features == NULL)
    return FALSE;
  tell (dialer, "capabilities", g_strjoinv (" ", features->words));
  if ((features->has & POSTBAG_IMAP_HAS_ID) && wants_id (dialer->account->host)
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
run_all (const PostbagImapDialer *dialer, const char *place, const char *secret,
         GCancellable *cancellable, GError **error)
{
  gboolean is_known = FALSE;
  g_autoptr (PostbagImapWire) wire = open_wire (dialer, place, cancellable, &is_known, error);

  if (wire == NULL)
    return NULL;
  if (!is_known && !postbag_imap_login (wire, dialer->account, secret, error))
    return NULL;
  tell (dialer, "login", g_strdup (is_known ? "taken for granted by the server" : "accepted"));
  return settle (dialer, wire, error) ? g_steal_pointer (&wire) : NULL;
}

/* GIO's own errors, and cancelling by time or by the caller, in our words. */
static void
translate (const char *place, gboolean has_passed, GError *cause, GError **error)
{
  if (cause->domain == POSTBAG_ERROR)
    {
      g_propagate_error (error, cause);
      return;
    }
  if (has_passed)
    g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_TIMED_OUT,
                 "The mail server %s did not get ready in time. Call again later; if it goes on, "
                 "check host, port and TLS mode.",
                 place);
  else if (g_error_matches (cause, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_CANCELLED,
                 "The call was cancelled while connecting to %s.", place);
  else
    g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_OFFLINE,
                 "The connection to the mail server %s broke: %s. Call again.", place,
                 cause->message);
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
  g_autoptr (GSource) timer = NULL;
  GError *cause = NULL;
  PostbagImapWire *wire;
  Deadline *deadline;
  gulong handler = 0;

  if (!enter_gate (cancellable))
    {
      translate (place, FALSE, g_error_new_literal (G_IO_ERROR, G_IO_ERROR_CANCELLED, ""), error);
      return NULL;
    }
  deadline = start_deadline (dialer->times.connect, &timer);
  if (cancellable != NULL)
    handler = g_cancellable_connect (cancellable, G_CALLBACK (forward_cancel),
                                     g_object_ref (deadline->cancellable), g_object_unref);
  wire = run_all (dialer, place, secret, deadline->cancellable, &cause);
  g_cancellable_disconnect (cancellable, handler);
  g_source_destroy (timer);
  leave_gate ();
  if (wire == NULL)
    translate (place, g_atomic_int_get (&deadline->has_passed) != 0, cause, error);
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
