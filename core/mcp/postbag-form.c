/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The form of a yes-or-no question, the same for both eras: one required boolean. */

#include <string.h>

#include "mcp/postbag-call-private.h"

#define FIELD "confirm"

void
postbag_call_write_form (PostbagJsonWriter *writer, const char *message, gboolean with_mode)
{
  static const char schema[] =
      "{\"type\":\"object\",\"properties\":{\"" FIELD "\":{\"type\":\"boolean\","
      "\"title\":\"Go ahead\",\"description\":\"Yes lets Postbag do what is described.\","
      "\"default\":false}},\"required\":[\"" FIELD "\"]}";

  if (with_mode)
    {
      postbag_json_writer_key (writer, "mode");
      postbag_json_writer_string (writer, "form");
    }
  postbag_json_writer_key (writer, "message");
  postbag_json_writer_string (writer, message);
  postbag_json_writer_key (writer, "requestedSchema");
  postbag_json_writer_raw (writer, schema, sizeof schema - 1);
}

PostbagAnswerKind
postbag_call_read_form (PostbagJsonDocument *document, JsonObject *result)
{
  const char *action = NULL;
  JsonObject *content = NULL;
  gboolean confirmed = FALSE;

  if (!postbag_json_get_string (result, "action", &action)
      || postbag_json_document_is_flagged (document, json_object_get_member (result, "action")))
    return POSTBAG_ANSWER_FAILED;
  if (strcmp (action, "decline") == 0 || strcmp (action, "cancel") == 0)
    return POSTBAG_ANSWER_DECLINED;
  if (strcmp (action, "accept") != 0 || !postbag_json_get_object (result, "content", &content)
      || !postbag_json_get_boolean (content, FIELD, &confirmed))
    return POSTBAG_ANSWER_FAILED;
  return confirmed ? POSTBAG_ANSWER_ACCEPTED : POSTBAG_ANSWER_DECLINED;
}
