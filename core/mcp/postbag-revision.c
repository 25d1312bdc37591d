/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "mcp/postbag-revision-private.h"

#include <string.h>

#define LATEST_LEGACY POSTBAG_REVISION_2025_11_25

#define SERVER_INFO_KEY "io.modelcontextprotocol/serverInfo"
/* The tools of a process never change while it runs; five minutes let a client notice an upgrade.
 * Private: which tools there are depends on the configuration of this user. */
#define CACHE_TTL_MS (5 * 60 * 1000)
#define CACHE_SCOPE "private"

/* An envelope, the only picture that needs no file and no network:
 * <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24">
 * <rect x="2" y="5" width="20" height="14" rx="2" fill="#2563eb"/>
 * <path d="M3 7l9 6 9-6" fill="none" stroke="#fff" stroke-width="2"/></svg> */
static const char icon[] =
    "data:image/svg+xml;base64,"
    "PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciIHZpZXdCb3g9IjAgMCAyNCAyNCI+PHJlY3QgeD"
    "0iMiIgeT0iNSIgd2lkdGg9IjIwIiBoZWlnaHQ9IjE0IiByeD0iMiIgZmlsbD0iIzI1NjNlYiIvPjxwYXRoIGQ9Ik0z"
    "IDdsOSA2IDktNiIgZmlsbD0ibm9uZSIgc3Ryb2tlPSIjZmZmIiBzdHJva2Utd2lkdGg9IjIiLz48L3N2Zz4=";

static const PostbagRevisionFacts revisions[POSTBAG_REVISION_N] = {
  [POSTBAG_REVISION_NONE] = { .date = "" },
  [POSTBAG_REVISION_2024_11_05] = { .date = "2024-11-05" },
  [POSTBAG_REVISION_2025_03_26] = { .date = "2025-03-26", .batches = TRUE },
  [POSTBAG_REVISION_2025_06_18] = { .date = "2025-06-18", .structured_content = TRUE },
  [POSTBAG_REVISION_2025_11_25] = { .date = "2025-11-25",
                                    .structured_content = TRUE,
                                    .answers_without_id = TRUE },
  [POSTBAG_REVISION_2026_07_28] = { .date = "2026-07-28",
                                    .modern = TRUE,
                                    .structured_content = TRUE,
                                    .answers_without_id = TRUE },
};

#define ALWAYS POSTBAG_REVISION_2024_11_05, POSTBAG_REVISION_2026_07_28
#define SINCE(revision_) POSTBAG_REVISION_##revision_, POSTBAG_REVISION_2026_07_28

static const struct
{
  PostbagRevisionObject object;
  const char *member;
  PostbagRevision first, last;
} members[] = {
  { POSTBAG_OBJECT_TOOL, "name", ALWAYS },
  { POSTBAG_OBJECT_TOOL, "title", SINCE (2025_06_18) },
  { POSTBAG_OBJECT_TOOL, "description", ALWAYS },
  { POSTBAG_OBJECT_TOOL, "inputSchema", ALWAYS },
  { POSTBAG_OBJECT_TOOL, "outputSchema", SINCE (2025_06_18) },
  { POSTBAG_OBJECT_TOOL, "annotations", SINCE (2025_03_26) },
  { POSTBAG_OBJECT_TOOL, "icons", SINCE (2025_11_25) },
  { POSTBAG_OBJECT_TOOL, "execution", POSTBAG_REVISION_2025_11_25, POSTBAG_REVISION_2025_11_25 },
  { POSTBAG_OBJECT_TOOL, "_meta", SINCE (2025_06_18) },
  { POSTBAG_OBJECT_RESOURCE, "uri", ALWAYS },
  { POSTBAG_OBJECT_RESOURCE, "uriTemplate", ALWAYS },
  { POSTBAG_OBJECT_RESOURCE, "name", ALWAYS },
  { POSTBAG_OBJECT_RESOURCE, "title", SINCE (2025_06_18) },
  { POSTBAG_OBJECT_RESOURCE, "description", ALWAYS },
  { POSTBAG_OBJECT_RESOURCE, "mimeType", ALWAYS },
  { POSTBAG_OBJECT_RESOURCE, "size", ALWAYS },
  { POSTBAG_OBJECT_RESOURCE, "annotations", ALWAYS },
  { POSTBAG_OBJECT_RESOURCE, "icons", SINCE (2025_11_25) },
  { POSTBAG_OBJECT_RESOURCE, "_meta", SINCE (2025_06_18) },
  { POSTBAG_OBJECT_PROMPT, "name", ALWAYS },
  { POSTBAG_OBJECT_PROMPT, "title", SINCE (2025_06_18) },
  { POSTBAG_OBJECT_PROMPT, "description", ALWAYS },
  { POSTBAG_OBJECT_PROMPT, "arguments", ALWAYS },
  { POSTBAG_OBJECT_PROMPT, "icons", SINCE (2025_11_25) },
  { POSTBAG_OBJECT_PROMPT, "_meta", SINCE (2025_06_18) },
  { POSTBAG_OBJECT_PROMPT_ARGUMENT, "name", ALWAYS },
  { POSTBAG_OBJECT_PROMPT_ARGUMENT, "title", SINCE (2025_06_18) },
  { POSTBAG_OBJECT_PROMPT_ARGUMENT, "description", ALWAYS },
  { POSTBAG_OBJECT_PROMPT_ARGUMENT, "required", ALWAYS },
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

  if (revision == POSTBAG_REVISION_NONE || revisions[revision].modern)
    return LATEST_LEGACY;
  return revision;
}

gboolean
postbag_revision_has_member (PostbagRevision revision, PostbagRevisionObject object,
                             const char *member)
{
  for (gsize i = 0; i < G_N_ELEMENTS (members); i++)
    {
      if (members[i].object == object && strcmp (members[i].member, member) == 0)
        return revision >= members[i].first && revision <= members[i].last;
    }
  return FALSE;
}

static void
write_icons (PostbagJsonWriter *writer)
{
  postbag_json_writer_key (writer, "icons");
  postbag_json_writer_begin_array (writer);
  postbag_json_writer_begin_object (writer);
  postbag_json_writer_key (writer, "src");
  postbag_json_writer_string (writer, icon);
  postbag_json_writer_key (writer, "mimeType");
  postbag_json_writer_string (writer, "image/svg+xml");
  postbag_json_writer_key (writer, "sizes");
  postbag_json_writer_begin_array (writer);
  postbag_json_writer_string (writer, "any");
  postbag_json_writer_end_array (writer);
  postbag_json_writer_end_object (writer);
  postbag_json_writer_end_array (writer);
}

static void
write_implementation (PostbagRevision revision, PostbagJsonWriter *writer, gboolean with_icons)
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
      if (with_icons)
        write_icons (writer);
    }
  postbag_json_writer_end_object (writer);
}

void
postbag_revision_write_server_info (PostbagRevision revision, PostbagJsonWriter *writer)
{
  write_implementation (revision, writer, TRUE);
}

void
postbag_revision_write_meta_members (PostbagRevision revision, PostbagJsonWriter *writer)
{
  if (!revisions[revision].modern)
    return;
  postbag_json_writer_key (writer, SERVER_INFO_KEY);
  write_implementation (revision, writer, FALSE);
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
postbag_revision_write_discover_tail (PostbagRevision revision, PostbagJsonWriter *writer)
{
  postbag_revision_write_result_type (revision, writer, "complete");
  postbag_json_writer_key (writer, "_meta");
  postbag_json_writer_begin_object (writer);
  postbag_json_writer_key (writer, SERVER_INFO_KEY);
  postbag_revision_write_server_info (revision, writer);
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
      if (revisions[i].modern)
        postbag_json_writer_string (writer, revisions[i].date);
    }
  postbag_json_writer_end_array (writer);
}
