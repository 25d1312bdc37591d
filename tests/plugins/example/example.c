/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A whole extractor, as somebody else would write it. The format (text/x-example): lines `key:
 * value`, a line of dashes, then text. It becomes a list and paragraphs. */

#include <plugin/postbag-plugin.h>

#include <string.h>

/* Bytes in one piece of output: a long line leaves in several. */
#define PIECE 4096

static gboolean
append_valid (PostbagExtractOutput *output, const char *bytes, gsize length)
{
  g_autofree char *text = g_utf8_make_valid (bytes, (gssize)length);

  return output->append (output, text, strlen (text));
}

/* Cuts between characters, so that each piece is well-formed. */
static gsize
choose_piece (const char *bytes, gsize length)
{
  gsize cut = PIECE;

  if (length <= PIECE)
    return length;
  while (cut > PIECE - 4 && ((guchar)bytes[cut] & 0xc0) == 0x80)
    cut--;
  return cut;
}

static gboolean
append_line (PostbagExtractOutput *output, const char *prefix, const char *line, gsize length)
{
  if (!output->append (output, prefix, strlen (prefix)))
    return FALSE;
  while (length > 0)
    {
      gsize piece = choose_piece (line, length);

      if (!append_valid (output, line, piece))
        return FALSE;
      line += piece;
      length -= piece;
    }
  return output->append (output, "\n", 1);
}

static gboolean
extract (const PostbagExtractInput *input, PostbagExtractOutput *output, GError **error)
{
  const char *at = (const char *)input->data;
  const char *end = at + input->length;
  gboolean in_text = FALSE;
  gint64 keys = 0;

  while (at < end)
    {
      const char *stop = memchr (at, '\n', (gsize)(end - at));
      gsize length = (gsize)((stop != NULL ? stop : end) - at);

      if (!in_text && length >= 3 && strncmp (at, "---", 3) == 0)
        in_text = TRUE;
      else if (!append_line (output, in_text ? "" : "- ", at, length))
        return TRUE; /* enough: what there is stays */
      else
        keys += !in_text;
      at += length + (stop != NULL);
    }
  output->count (output, "key_count", keys);
  if (!in_text)
    output->note (output, "The document has no text below its keys.");
  return TRUE;
}

static const PostbagExtractorImplementation extractor = {
  .size = sizeof (PostbagExtractorImplementation),
  .extract = extract,
};

POSTBAG_PLUGIN_EXPORT (EXTRACTOR, "example", &extractor)
