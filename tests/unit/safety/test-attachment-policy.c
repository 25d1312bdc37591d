/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "safety/postbag-attachment-policy.h"

#include <string.h>

#include "safety/postbag-attachment-policy-private.h"

/* The list of contracts/guarded 4.1, copied from there. */
static const char *const refused[] = {
  "ade",  "adp",  "app",    "appimage", "application", "appref-ms", "asp", "aspx",     "bas",
  "bat",  "cer",  "chm",    "cmd",      "com",         "cpl",       "crt", "csh",      "deb",
  "dll",  "dmg",  "exe",    "fxp",      "gadget",      "hlp",       "hta", "inf",      "ins",
  "iso",  "isp",  "its",    "jar",      "js",          "jse",       "ksh", "lnk",      "mad",
  "maf",  "mag",  "mam",    "maq",      "mar",         "mas",       "mat", "mau",      "mav",
  "maw",  "mda",  "mdb",    "mde",      "mdt",         "mdw",       "mdz", "msc",      "msh",
  "msh1", "msh2", "mshxml", "msi",      "msp",         "mst",       "ops", "pcd",      "pif",
  "pkg",  "pl",   "plg",    "prf",      "prg",         "ps1",       "ps2", "psc1",     "psc2",
  "py",   "pyc",  "pyo",    "rb",       "reg",         "rpm",       "scf", "scr",      "sct",
  "sh",   "shb",  "shs",    "url",      "vb",          "vbe",       "vbs", "vsmacros", "vsw",
  "ws",   "wsc",  "wsf",    "wsh",      "xll",
};

static void
test_every_refused_extension (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (refused); i++)
    {
      g_autofree char *plain = g_strconcat ("file.", refused[i], NULL);
      g_autofree char *upper = g_ascii_strup (plain, -1);
      g_autofree char *document = g_strconcat ("invoice.pdf.", refused[i], NULL);
      g_autofree char *trailing = g_strconcat (plain, ". .", NULL);
      g_autofree char *stream = g_strconcat (plain, "::$DATA", NULL);
      g_autofree char *broken = g_strconcat ("file.\u200b", refused[i], "\u202e", NULL);

      g_assert_true (postbag_filename_is_executable (plain));
      g_assert_true (postbag_filename_is_executable (upper));
      g_assert_true (postbag_filename_is_executable (document));
      g_assert_true (postbag_filename_is_executable (trailing));
      g_assert_true (postbag_filename_is_executable (stream));
      g_assert_true (postbag_filename_is_executable (broken));
    }
  g_assert_cmpuint (G_N_ELEMENTS (refused), ==, 95);
}

static void
test_other_names (void)
{
  static const char *const allowed[] = { "a.pdf", "exe",     "a.exe.pdf",   "a.",
                                         "",      "a.exe x", "report.docx", "a.js on" };

  for (gsize i = 0; i < G_N_ELEMENTS (allowed); i++)
    g_assert_false (postbag_filename_is_executable (allowed[i]));
  g_assert_true (postbag_filename_is_executable ("protokoll\u202efdp.exe"));
  g_assert_true (postbag_filename_is_executable ("invoice．exe"));
  g_assert_true (postbag_filename_is_executable ("invoice․ｅｘｅ"));
  g_assert_true (postbag_filename_is_executable ("invoice.exe：stream"));
  g_assert_true (postbag_filename_has_double_extension ("invoice.pdf.scr"));
  g_assert_true (postbag_filename_has_double_extension ("a.DOCX.txt"));
  g_assert_false (postbag_filename_has_double_extension ("a.tar.gz"));
  g_assert_false (postbag_filename_has_double_extension ("a.pdf"));
  g_assert_false (postbag_filename_has_double_extension ("a.pdf.toolong"));
}

static PostbagPart *
make_part (const char *number, const char *type, const char *filename, const char *disposition)
{
  PostbagPart *part = postbag_part_new (type);

  part->number = g_strdup (number);
  part->filename = g_strdup (filename);
  part->disposition = g_strdup (disposition);
  part->size = 1000;
  return part;
}

static PostbagPart *
add (PostbagPart *parent, PostbagPart *child)
{
  if (parent->children == NULL)
    parent->children = g_ptr_array_new ();
  g_ptr_array_add (parent->children, child);
  return child;
}

static void
test_walk (void)
{
  static const char *const types[] = { "application/pdf", "image/png", NULL };
  const PostbagAttachmentPolicy policy = { types, 900, "IMAP_MAX_ATTACHMENT_BYTES" };
  g_autoptr (PostbagPart) root = make_part (NULL, "multipart/mixed", NULL, NULL);
  PostbagPart *forward;
  PostbagPart *inner;
  g_autoptr (GPtrArray) found = NULL;
  g_autofree char *name = NULL;
  const PostbagAttachment *one;

  add (root, make_part ("1", "text/plain", NULL, "inline"));
  add (root, make_part ("2", "text/html", NULL, "attachment"));
  add (root, make_part ("3", "text/plain", "a.txt", NULL));
  forward = add (root, make_part ("4", "message/rfc822", NULL, NULL));
  inner = add (forward, make_part (NULL, "multipart/mixed", NULL, NULL));
  add (inner, make_part ("4.1", "text/plain", NULL, NULL));
  add (inner, make_part ("4.2", "application/pdf", "../x.pdf.exe", NULL));
  add (root, make_part (NULL, "image/png", "no number", NULL));
  add (root, make_part ("6", "bad type\n/x", NULL, NULL));
  found = postbag_attachments_walk (root, &policy);

  g_assert_cmpuint (found->len, ==, 5);
  one = g_ptr_array_index (found, 0);
  g_assert_cmpstr (one->part->number, ==, "2");
  g_assert_cmpstr (one->filename, ==, "(unnamed)");
  name = postbag_attachment_dup_name (one);
  g_assert_cmpstr (name, ==, "part-2.html");
  g_assert_false (one->allowed);
  one = g_ptr_array_index (found, 3);
  g_assert_cmpstr (one->part->number, ==, "4.2");
  g_assert_cmpstr (one->filename, ==, "_x.pdf.exe");
  g_assert_false (one->allowed);
  g_assert_cmpuint (one->notes->len, ==, 3); /* extension, double extension, size */
  g_assert_nonnull (strstr (g_ptr_array_index (one->notes, 2), "IMAP_MAX_ATTACHMENT_BYTES"));
  one = g_ptr_array_index (found, 4);
  g_assert_cmpstr (one->content_type, ==, "application/octet-stream");
  g_assert_null (strstr (g_ptr_array_index (one->notes, 0), "bad type"));
  g_assert_true (postbag_attachments_any (root));
}

static void
test_allowed (void)
{
  static const char *const types[] = { "application/pdf", NULL };
  const PostbagAttachmentPolicy policy = { types, 1000, "X" };
  g_autoptr (PostbagPart) pdf = make_part ("1", "application/pdf", "a.pdf", NULL);
  g_autoptr (PostbagPart) text = make_part ("1", "text/plain", NULL, NULL);
  g_autoptr (GPtrArray) found = postbag_attachments_walk (pdf, &policy);
  const PostbagAttachment *one = g_ptr_array_index (found, 0);

  g_autofree char *name = postbag_attachment_dup_name (one);

  g_assert_cmpstr (name, ==, "a.pdf");
  g_assert_true (one->allowed);
  g_assert_cmpuint (one->notes->len, ==, 0);
  g_assert_cmpint (one->size, ==, 1000);
  g_assert_false (postbag_attachments_any (text));
  g_assert_false (postbag_attachments_any (NULL));
}

static void
test_bounds (void)
{
  g_autoptr (PostbagPart) root = make_part (NULL, "multipart/mixed", NULL, NULL);
  g_autoptr (PostbagPart) deep = make_part (NULL, "multipart/mixed", NULL, NULL);
  PostbagPart *level = deep;
  g_autoptr (GPtrArray) found = NULL;
  g_autoptr (GPtrArray) found_deep = NULL;

  for (guint i = 0; i < 60; i++)
    add (root, make_part ("1", "image/png", NULL, NULL));
  found = postbag_attachments_walk (root, NULL);
  g_assert_cmpuint (found->len, ==, 50);
  for (guint i = 0; i < 10; i++) /* one picture on each level from 1 on */
    {
      add (level, make_part ("1", "image/png", NULL, NULL));
      level = add (level, make_part (NULL, "multipart/mixed", NULL, NULL));
    }
  found_deep = postbag_attachments_walk (deep, NULL);
  g_assert_cmpuint (found_deep->len, ==, 5);
}

/* A list says that it is not all there is: too many, too deep, or a tree that was cut. */
static void
test_cut (void)
{
  g_autoptr (PostbagPart) many = make_part (NULL, "multipart/mixed", NULL, NULL);
  g_autoptr (PostbagPart) deep = make_part (NULL, "multipart/mixed", NULL, NULL);
  g_autoptr (PostbagPart) single = make_part ("1", "image/png", NULL, NULL);
  PostbagPart *at = deep;

  g_assert_false (postbag_attachments_are_cut (NULL));
  g_assert_false (postbag_attachments_are_cut (single));
  for (guint i = 0; i < 50; i++)
    add (many, make_part ("1", "image/png", NULL, NULL));
  g_assert_false (postbag_attachments_are_cut (many));
  add (many, make_part ("1", "image/png", NULL, NULL));
  g_assert_true (postbag_attachments_are_cut (many));
  for (guint i = 0; i < 5; i++)
    at = add (at, make_part ("1", "multipart/mixed", NULL, NULL));
  g_assert_false (postbag_attachments_are_cut (deep));
  add (at, make_part ("1", "image/png", NULL, NULL));
  g_assert_true (postbag_attachments_are_cut (deep));
  single->cut = TRUE;
  g_assert_true (postbag_attachments_are_cut (single));
}

/* A text beside the root of a multipart/related is no body; it is listed instead. */
static void
test_beside_the_root (void)
{
  g_autoptr (PostbagPart) root = postbag_part_new ("multipart/related");
  g_autoptr (GPtrArray) found = NULL;

  root->start = g_strdup ("<2@x>");
  root->children = g_ptr_array_new ();
  for (guint i = 1; i <= 3; i++)
    {
      PostbagPart *part = postbag_part_new (i == 3 ? "text/plain" : "text/html");

      part->number = g_strdup_printf ("%u", i);
      part->content_id = g_strdup_printf ("%u@x", i);
      g_ptr_array_add (root->children, part);
    }
  found = postbag_attachments_walk (root, NULL);
  g_assert_cmpuint (found->len, ==, 2);
  g_assert_cmpstr (((PostbagAttachment *)g_ptr_array_index (found, 0))->part->number, ==, "1");
  g_assert_cmpstr (((PostbagAttachment *)g_ptr_array_index (found, 1))->part->number, ==, "3");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/attachment-policy/every-refused-extension", test_every_refused_extension);
  g_test_add_func ("/attachment-policy/other-names", test_other_names);
  g_test_add_func ("/attachment-policy/walk", test_walk);
  g_test_add_func ("/attachment-policy/allowed", test_allowed);
  g_test_add_func ("/attachment-policy/bounds", test_bounds);
  g_test_add_func ("/attachment-policy/cut", test_cut);
  g_test_add_func ("/attachment-policy/beside-the-root", test_beside_the_root);
  return g_test_run ();
}
