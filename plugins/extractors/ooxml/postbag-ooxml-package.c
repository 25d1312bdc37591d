/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-ooxml-package.h"

#include <string.h>

#include "base/postbag-limits.h"

#define OPEN_XML "http://schemas.openxmlformats.org/"
#define STRICT "http://purl.oclc.org/ooxml/"

const PostbagXmlSpace postbag_ooxml_spaces[] = {
  { OPEN_XML "wordprocessingml/2006/main", 'w' },
  { STRICT "wordprocessingml/main", 'w' },
  { OPEN_XML "spreadsheetml/2006/main", 's' },
  { STRICT "spreadsheetml/main", 's' },
  { OPEN_XML "presentationml/2006/main", 'p' },
  { STRICT "presentationml/main", 'p' },
  { OPEN_XML "drawingml/2006/main", 'a' },
  { STRICT "drawingml/main", 'a' },
  { OPEN_XML "officeDocument/2006/relationships", 'r' },
  { STRICT "officeDocument/relationships", 'r' },
  { OPEN_XML "officeDocument/2006/math", 'm' },
  { STRICT "officeDocument/math", 'm' },
  { OPEN_XML "drawingml/2006/chart", 'c' },
  { STRICT "drawingml/chart", 'c' },
  { OPEN_XML "drawingml/2006/diagram", 'd' },
  { STRICT "drawingml/diagram", 'd' },
  { "urn:schemas-microsoft-com:vml", 'v' },
  { OPEN_XML "markup-compatibility/2006", 'C' },
  { OPEN_XML "package/2006/relationships", 'R' },
  { NULL, '\0' },
};

typedef struct
{
  PostbagRelations *relations;
  const char *part;
} Reader;

static void
free_relation (gpointer data)
{
  PostbagRelation *relation = data;

  g_free (relation->id);
  g_free (relation->kind);
  g_free (relation->target);
  g_free (relation);
}

static const char *
find_last_word (const char *address)
{
  const char *slash = strrchr (address, '/');

  return slash != NULL ? slash + 1 : address;
}

/* (transfer full): the name of a part as seen from another; one that leads out of the package
 * stays inside, where there is no such part. */
static char *
resolve (const char *part, const char *target)
{
  const char *slash = strrchr (part, '/');
  g_autofree char *folder = g_strndup (part, slash != NULL ? (gsize)(slash - part) : 0);
  g_autofree char *whole =
      *target == '/' ? g_strdup (target) : g_strconcat (folder, "/", target, NULL);
  g_auto (GStrv) steps = g_strsplit (whole, "/", -1);
  g_autoptr (GPtrArray) kept = g_ptr_array_new ();

  for (gsize i = 0; steps[i] != NULL; i++)
    {
      if (*steps[i] == '\0' || strcmp (steps[i], ".") == 0)
        continue;
      if (strcmp (steps[i], "..") != 0)
        g_ptr_array_add (kept, steps[i]);
      else if (kept->len > 0)
        g_ptr_array_set_size (kept, (int)kept->len - 1);
    }
  g_ptr_array_add (kept, NULL);
  return g_strjoinv ("/", (char **)kept->pdata);
}

static void
add_relation (PostbagXml *xml, gpointer user_data)
{
  Reader *reader = user_data;
  const char *id = postbag_xml_get (xml, '\0', "Id");
  const char *type = postbag_xml_get (xml, '\0', "Type");
  const char *target = postbag_xml_get (xml, '\0', "Target");
  PostbagRelation *relation;

  if (id == NULL || type == NULL || target == NULL
      || reader->relations->list->len >= POSTBAG_LIMIT_DOCUMENT_ROWS)
    return;
  relation = g_new0 (PostbagRelation, 1);
  relation->id = g_strdup (id);
  relation->kind = g_strdup (find_last_word (type));
  relation->is_external = g_strcmp0 (postbag_xml_get (xml, '\0', "TargetMode"), "External") == 0;
  relation->target = relation->is_external ? g_strdup (target) : resolve (reader->part, target);
  g_ptr_array_add (reader->relations->list, relation);
  g_hash_table_insert (reader->relations->by_id, relation->id, relation);
}

static const PostbagXmlElement elements[] = {
  { 'R', "Relationship", add_relation, NULL },
  { '\0', NULL },
};
static const PostbagXmlHandler handler = { postbag_ooxml_spaces, elements, NULL };

PostbagRelations *
postbag_relations_read (PostbagZip *zip, const char *part)
{
  PostbagRelations *self = g_new0 (PostbagRelations, 1);
  Reader reader = { self, part };
  const char *last = find_last_word (part);
  g_autofree char *name = g_strdup_printf ("%.*s_rels/%s.rels", (int)(last - part), part, last);

  self->list = g_ptr_array_new_with_free_func (free_relation);
  self->by_id = g_hash_table_new (g_str_hash, g_str_equal);
  if (postbag_zip_has (zip, name))
    postbag_xml_read_part (zip, name, &handler, &reader, NULL);
  return self;
}

void
postbag_relations_free (PostbagRelations *self)
{
  g_hash_table_unref (self->by_id);
  g_ptr_array_unref (self->list);
  g_free (self);
}

const PostbagRelation *
postbag_relations_find (PostbagRelations *self, const char *id)
{
  return id != NULL ? g_hash_table_lookup (self->by_id, id) : NULL;
}

const char *
postbag_relations_find_part (PostbagRelations *self, PostbagZip *zip, const char *kind)
{
  for (guint i = 0; i < self->list->len; i++)
    {
      const PostbagRelation *relation = g_ptr_array_index (self->list, i);

      if (!relation->is_external && strcmp (relation->kind, kind) == 0
          && postbag_zip_has (zip, relation->target))
        return relation->target;
    }
  return NULL;
}

char *
postbag_ooxml_dup_main_part (PostbagZip *zip, const char *fallback)
{
  g_autoptr (PostbagRelations) relations = postbag_relations_read (zip, "");
  const char *part = postbag_relations_find_part (relations, zip, "officeDocument");

  return g_strdup (part != NULL ? part : fallback);
}
