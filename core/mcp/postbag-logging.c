/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* logging/setLevel: from which level on a legacy client wants the messages that calls log. */

#include "mcp/postbag-catalog-private.h"
#include "mcp/postbag-session-private.h"

static void
handle_set_level (PostbagSession *self, const PostbagRequest *request)
{
  const char *word = NULL;
  int level = -1;

  if (request->params != NULL && postbag_json_get_string (request->params, "level", &word))
    level = postbag_log_level_from_word (word);
  if (level < 0)
    {
      postbag_session_send_error (self, request->id, POSTBAG_JSONRPC_INVALID_PARAMS, NULL,
                                  "“logging/setLevel” needs a level: debug, info, notice, warning, "
                                  "error, critical, alert or emergency.");
      return;
    }
  self->log_level = level;
  postbag_session_end_result (self, request, postbag_session_begin_result (self, request));
}

static gboolean
has_logging (PostbagSession *self)
{
  return postbag_surface_get_catalog (self->engine->surface)->logs;
}

static void
write_capability (PostbagSession *self, PostbagRevision revision, PostbagJsonWriter *writer)
{
  postbag_json_writer_key (writer, "logging");
  postbag_json_writer_begin_object (writer);
  postbag_json_writer_end_object (writer);
}

static const PostbagMethod methods[] = {
  { "logging/setLevel", POSTBAG_ERA_LEGACY, handle_set_level },
};

const PostbagFeature postbag_feature_logging = {
  .is_there = has_logging,
  .methods = methods,
  .n_methods = G_N_ELEMENTS (methods),
  .write_capability = write_capability,
};
