/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "mcp/postbag-revision-private.h"

#include <string.h>

#define LATEST_LEGACY POSTBAG_REVISION_2025_11_25

#define SERVER_INFO_KEY "io.modelcontextprotocol/serverInfo"
/* The tools of a process never change while it runs; five minutes let a client notice an upgrade.
 * Private: which tools there are depends on the configuration of this user. */
#define CACHE_TTL_MS (5 * 60 * 1000)
#define CACHE_SCOPE "private"

static const PostbagRevisionFacts revisions[POSTBAG_REVISION_N] = {
  [POSTBAG_REVISION_NONE] = { .date = "" },
  [POSTBAG_REVISION_2024_11_05] = { .date = "2024-11-05" },
  [POSTBAG_REVISION_2025_03_26] = { .date = "2025-03-26" },
  [POSTBAG_REVISION_2025_06_18] = { .date = "2025-06-18", .structured_content = TRUE },
  [POSTBAG_REVISION_2025_11_25] = { .date = "2025-11-25",
                                    .served = TRUE,
                                    .structured_content = TRUE,
                                    .answers_without_id = TRUE },
  [POSTBAG_REVISION_2026_07_28] = { .date = "2026-07-28",
                                    .served = TRUE,
                                    .modern = TRUE,
                                    .structured_content = TRUE,
                                    .answers_without_id = TRUE },
};

static const struct
{
  const char *member;
  PostbagRevision first, last;
} tool_members[] = {
  { "name", POSTBAG_REVISION_2024_11_05, POSTBAG_REVISION_2026_07_28 },
  { "title", POSTBAG_REVISION_2025_06_18, POSTBAG_REVISION_2026_07_28 },
  { "description", POSTBAG_REVISION_2024_11_05, POSTBAG_REVISION_2026_07_28 },
  { "inputSchema", POSTBAG_REVISION_2024_11_05, POSTBAG_REVISION_2026_07_28 },
  { "outputSchema", POSTBAG_REVISION_2025_06_18, POSTBAG_REVISION_2026_07_28 },
  { "annotations", POSTBAG_REVISION_2025_03_26, POSTBAG_REVISION_2026_07_28 },
  { "icons", POSTBAG_REVISION_2025_11_25, POSTBAG_REVISION_2026_07_28 },
  { "execution", POSTBAG_REVISION_2025_11_25, POSTBAG_REVISION_2025_11_25 },
  { "_meta", POSTBAG_REVISION_2025_06_18, POSTBAG_REVISION_2026_07_28 },
};

const PostbagRevisionFacts *
postbag_revision_get_facts (PostbagRevision revision)
{
  return &revisions[revision];
}

PostbagRevision
postbag_revision_from_date (const char *date)
{
  for (int i = POSTBAG_REVISION_NONE + 1; i < POSTBAG_REVISION_N; i++)
    {
      if (strcmp (revisions[i].date, date) == 0)
        return (PostbagRevision)i;
    }
  return POSTBAG_REVISION_NONE;
}

PostbagRevision
postbag_revision_negotiate (const char *date)
{
  PostbagRevision revision = postbag_revision_from_date (date);

  if (!revisions[revision].served || revisions[revision].modern)
    return LATEST_LEGACY;
  return revision;
}

gboolean
postbag_revision_has_tool_member (PostbagRevision revision, const char *member)
{
  for (gsize i = 0; i < G_N_ELEMENTS (tool_members); i++)
    {
      if (strcmp (tool_members[i].member, member) == 0)
        return revision >= tool_members[i].first && revision <= tool_members[i].last;
    }
  return FALSE;
}

void
postbag_revision_write_server_info (PostbagRevision revision, PostbagJsonWriter *writer)
{
  postbag_json_writer_begin_object (writer);
  postbag_json_writer_key (writer, "name");
  postbag_json_writer_string (writer, "postbag");
  if (revision >= POSTBAG_REVISION_2025_06_18)
    {
      postbag_json_writer_key (writer, "title");
      postbag_json_writer_string (writer, "Postbag");
    }
  postbag_json_writer_key (writer, "version");
  postbag_json_writer_string (writer, POSTBAG_VERSION);
  if (revision >= POSTBAG_REVISION_2025_11_25)
    {
      postbag_json_writer_key (writer, "description");
      postbag_json_writer_string (writer, "Reads and files mail of one person's accounts.");
    }
  postbag_json_writer_end_object (writer);
}

void
postbag_revision_write_meta_members (PostbagRevision revision, PostbagJsonWriter *writer)
{
  if (!revisions[revision].modern)
    return;
  postbag_json_writer_key (writer, SERVER_INFO_KEY);
  postbag_revision_write_server_info (revision, writer);
}

void
postbag_revision_write_result_type (PostbagRevision revision, PostbagJsonWriter *writer,
                                    const char *result_type)
{
  if (!revisions[revision].modern)
    return;
  postbag_json_writer_key (writer, "resultType");
  postbag_json_writer_string (writer, result_type);
}

void
postbag_revision_write_result_tail (PostbagRevision revision, PostbagJsonWriter *writer,
                                    const char *result_type)
{
  if (!revisions[revision].modern)
    return;
  postbag_revision_write_result_type (revision, writer, result_type);
  postbag_json_writer_key (writer, "_meta");
  postbag_json_writer_begin_object (writer);
  postbag_revision_write_meta_members (revision, writer);
  postbag_json_writer_end_object (writer);
}

void
postbag_revision_write_cache_hints (PostbagRevision revision, PostbagJsonWriter *writer)
{
  if (!revisions[revision].modern)
    return;
  postbag_json_writer_key (writer, "ttlMs");
  postbag_json_writer_int (writer, CACHE_TTL_MS);
  postbag_json_writer_key (writer, "cacheScope");
  postbag_json_writer_string (writer, CACHE_SCOPE);
}

void
postbag_revision_write_supported (PostbagJsonWriter *writer)
{
  postbag_json_writer_begin_array (writer);
  for (int i = POSTBAG_REVISION_NONE + 1; i < POSTBAG_REVISION_N; i++)
    {
      if (revisions[i].served && revisions[i].modern)
        postbag_json_writer_string (writer, revisions[i].date);
    }
  postbag_json_writer_end_array (writer);
}
