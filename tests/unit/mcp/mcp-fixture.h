/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <json-glib/json-glib.h>

#include "mcp/postbag-server-private.h"
#include "mcp/postbag-session-private.h"

/* A server with a toolset made for tests, and one session whose output is captured. */

#define ENVELOPE                                                                                   \
  "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                         \
  "\"io.modelcontextprotocol/clientCapabilities\":{}}"
#define ENVELOPE_ASKS                                                                              \
  "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                         \
  "\"io.modelcontextprotocol/clientCapabilities\":{\"elicitation\":{}}}"

typedef struct
{
  PostbagClock *clock;
  PostbagSeal *seal;
  PostbagSettings *settings;
  PostbagSurface *surface;
  PostbagServer *server;
  PostbagSession *session;
  char *state_dir;
  GPtrArray *lines; /* GBytes: sent and not taken yet */
  gsize unread;     /* bytes sent since it was last set to 0 */
  gboolean is_lazy; /* a client that reads nothing: what is sent waits in its transport */
} McpFixture;

typedef struct
{
  gboolean require_person;
  gboolean trust_results; /* do not validate them */
  const char *loud;       /* the setting of that name */
  const char *elicitation;
  const char *schema_dir; /* (nullable): the one in the source tree */
  guint max_threads;
} McpFixtureOptions;

McpFixture *mcp_fixture_new (const McpFixtureOptions *options);
void mcp_fixture_free (McpFixture *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (McpFixture, mcp_fixture_free)

/* Closes the session and opens another on the same server. */
void mcp_fixture_reconnect (McpFixture *self);
/* The handshake of 2025-11-25, its answer taken. @capabilities: JSON object */
void mcp_fixture_initialize (McpFixture *self, const char *capabilities);
void mcp_fixture_initialize_as (McpFixture *self, const char *revision, const char *capabilities);
void mcp_fixture_send (McpFixture *self, const char *line);
void mcp_fixture_send_bytes (McpFixture *self, const char *bytes, gsize length);
void mcp_fixture_sendf (McpFixture *self, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* Runs the main loop until nothing is under way any more but what waits for a person or is held
 * up in `slow`; fails after ten seconds. */
void mcp_fixture_settle (McpFixture *self);
/* (transfer full): waits for the next line, ten seconds at most. */
JsonObject *mcp_fixture_take (McpFixture *self);
/* (transfer full): the same as text */
char *mcp_fixture_take_text (McpFixture *self);
/* Settles, then fails if there is a line. */
void mcp_fixture_assert_silent (McpFixture *self);

/* `slow`: how many are inside now; lets all go that are inside and that come. */
guint mcp_fixture_count_slow (void);
void mcp_fixture_wait_slow (guint n);
void mcp_fixture_release_slow (void);
/* `change`: how often its effect happened. */
guint mcp_fixture_count_changes (void);
/* ... and what it is about, besides its arguments: 0 at first. */
void mcp_fixture_set_target (int target);
/* `echo`: how many answers were written, or are known not to be. */
guint mcp_fixture_count_told (gboolean was_told);

/* `box`: how many are watched; tells of a change of the one watched first. */
guint mcp_fixture_count_watches (void);
void mcp_fixture_change_box (void);

/* --- reading answers; each fails the test when it is not there --- */

JsonObject *mcp_get_object (JsonObject *object, const char *name);
const char *mcp_get_string (JsonObject *object, const char *name);
gint64 mcp_get_int (JsonObject *object, const char *name);
/* The result of a response */
JsonObject *mcp_get_result (JsonObject *message);
void mcp_assert_error (JsonObject *message, int code);
/* (transfer none): the text of the first block of a tool result with isError as told */
const char *mcp_get_text (JsonObject *message, gboolean is_error);
