/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "safety/postbag-attachment-policy.h"

#include <string.h>

static const char *
detect (const char *bytes, gsize length)
{
  /* a copy of exactly that size: reading past it is an error under the sanitizer */
  g_autofree guint8 *copy = g_memdup2 (bytes, length);

  return postbag_magic_detect (copy, length);
}

static void
test_detect (void)
{
  g_assert_cmpstr (detect ("MZ", 2), ==, "application/x-msdownload");
  g_assert_cmpstr (detect ("\x7f"
                           "ELF",
                           4),
                   ==, "application/x-elf");
  g_assert_cmpstr (detect ("\xfe\xed\xfa\xce", 4), ==, "application/x-mach-binary");
  g_assert_cmpstr (detect ("\xfe\xed\xfa\xcf", 4), ==, "application/x-mach-binary");
  g_assert_cmpstr (detect ("\xcf\xfa\xed\xfe", 4), ==, "application/x-mach-binary");
  g_assert_cmpstr (detect ("\xca\xfe\xba\xbe", 4), ==, "application/x-mach-binary");
  g_assert_cmpstr (detect ("#!/bin/sh", 9), ==, "text/x-shellscript");
  g_assert_cmpstr (detect ("%PDF-1.7", 8), ==, "application/pdf");
  g_assert_cmpstr (detect ("\x89PNG\r\n", 6), ==, "image/png");
  g_assert_cmpstr (detect ("\xff\xd8\xff\xe0", 4), ==, "image/jpeg");
  g_assert_cmpstr (detect ("GIF89a", 6), ==, "image/gif");
  g_assert_cmpstr (detect ("RIFF\1\2\3\4WEBP", 12), ==, "image/webp");
  g_assert_cmpstr (detect ("PK\x03\x04", 4), ==, "application/zip");
  g_assert_null (detect ("hello", 5));
  g_assert_null (detect ("RIFF\1\2\3\4WAVE", 12));
}

static void
test_short_buffers (void)
{
  g_assert_null (postbag_magic_detect (NULL, 0));
  for (guint c = 0; c < 256; c++)
    g_assert_null (detect ((const char[]){ (char)c }, 1));
  g_assert_null (detect ("RIFF\1\2\3\4WEB", 11));
  g_assert_null (detect ("%PD", 3));
}

static void
test_executable (void)
{
  g_assert_true (postbag_magic_is_executable ("application/x-msdownload"));
  g_assert_true (postbag_magic_is_executable ("application/x-elf"));
  g_assert_true (postbag_magic_is_executable ("application/x-mach-binary"));
  g_assert_true (postbag_magic_is_executable ("text/x-shellscript"));
  g_assert_false (postbag_magic_is_executable ("application/zip"));
  g_assert_false (postbag_magic_is_executable (NULL));
}

static void
test_contradicts (void)
{
  g_assert_false (postbag_magic_contradicts (NULL, "text/plain"));
  g_assert_false (postbag_magic_contradicts ("application/pdf", "Application/PDF"));
  g_assert_false (postbag_magic_contradicts ("image/jpeg", "image/jpg"));
  g_assert_false (postbag_magic_contradicts ("application/pdf", "application/octet-stream"));
  g_assert_false (postbag_magic_contradicts (
      "application/zip",
      "application/vnd.openxmlformats-officedocument.wordprocessingml.document"));
  g_assert_false (
      postbag_magic_contradicts ("application/zip", "application/vnd.oasis.opendocument.text"));
  g_assert_true (postbag_magic_contradicts ("application/zip", "application/pdf"));
  g_assert_true (postbag_magic_contradicts ("application/x-msdownload", "image/png"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/magic/detect", test_detect);
  g_test_add_func ("/magic/short-buffers", test_short_buffers);
  g_test_add_func ("/magic/executable", test_executable);
  g_test_add_func ("/magic/contradicts", test_contradicts);
  return g_test_run ();
}
