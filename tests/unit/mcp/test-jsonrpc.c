/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <string.h>

#include "mcp/postbag-jsonrpc-private.h"

static PostbagIncoming *
read_message (const char *text)
{
  return postbag_incoming_read (text, strlen (text));
}

/* The id leaves as the JSON text that came. */
static void
test_ids_kept (void)
{
  static const char *const ids[] = {
    "0",   "1",     "-7",   "9007199254740993", "12345678901234567890", "1.0",
    "1e3", "\"1\"", "\"\"", "\"a b\"",          "\"a\\u0000b\"",        "\"\\ud800\"",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (ids); i++)
    {
      g_autofree char *text =
          g_strdup_printf ("{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"ping\"}", ids[i]);
      g_autoptr (PostbagIncoming) incoming = read_message (text);

      g_assert_cmpint (incoming->kind, ==, POSTBAG_MESSAGE_REQUEST);
      g_assert_cmpstr (incoming->id, ==, ids[i]);
      g_assert_cmpstr (incoming->method, ==, "ping");
    }
}

static void
test_ids_refused (void)
{
  static const char *const ids[] = { "null", "1.5", "1e400", "1e300", "true", "[1]", "{}" };

  for (gsize i = 0; i < G_N_ELEMENTS (ids); i++)
    {
      g_autofree char *text =
          g_strdup_printf ("{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"ping\"}", ids[i]);
      g_autoptr (PostbagIncoming) incoming = read_message (text);

      g_assert_cmpint (incoming->kind, ==, POSTBAG_MESSAGE_INVALID);
      g_assert_cmpint (incoming->code, ==, -32600);
      g_assert_null (incoming->id);
    }
}

static void
test_long_id (void)
{
  g_autofree char *digits = g_strnfill (2000, '9');
  g_autofree char *number =
      g_strdup_printf ("{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"ping\"}", digits);
  g_autofree char *string =
      g_strdup_printf ("{\"jsonrpc\":\"2.0\",\"id\":\"%s\",\"method\":\"ping\"}", digits);
  g_autoptr (PostbagIncoming) first = read_message (number);
  g_autoptr (PostbagIncoming) second = read_message (string);

  g_assert_cmpint (first->kind, ==, POSTBAG_MESSAGE_INVALID);
  g_assert_cmpint (second->kind, ==, POSTBAG_MESSAGE_INVALID);
}

static void
test_kinds (void)
{
  static const struct
  {
    const char *text;
    PostbagMessageKind kind;
    int code;
    const char *id;
  } cases[] = {
    { "{\"jsonrpc\":\"2.0\",\"method\":\"x\"}", POSTBAG_MESSAGE_NOTIFICATION, 0, NULL },
    { "{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"params\":[]}", POSTBAG_MESSAGE_NOTIFICATION, 0,
      NULL },
    { "{\"jsonrpc\":\"1.0\",\"method\":\"x\"}", POSTBAG_MESSAGE_NOTIFICATION, 0, NULL },
    { "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}", POSTBAG_MESSAGE_RESPONSE, 0, "1" },
    { "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":1,\"message\":\"\"}}",
      POSTBAG_MESSAGE_RESPONSE, 0, NULL },
    { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\",\"params\":[]}", POSTBAG_MESSAGE_INVALID,
      -32602, "1" },
    { "{\"id\":1,\"method\":\"x\"}", POSTBAG_MESSAGE_INVALID, -32600, "1" },
    { "{\"jsonrpc\":2.0,\"id\":1,\"method\":\"x\"}", POSTBAG_MESSAGE_INVALID, -32600, "1" },
    { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7}", POSTBAG_MESSAGE_INVALID, -32600, "1" },
    { "{\"jsonrpc\":\"2.0\",\"id\":1}", POSTBAG_MESSAGE_INVALID, -32600, "1" },
    { "[]", POSTBAG_MESSAGE_BATCH, 0, NULL },
    { "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", POSTBAG_MESSAGE_BATCH, 0, NULL },
    { "7", POSTBAG_MESSAGE_INVALID, -32600, NULL },
    { "null", POSTBAG_MESSAGE_INVALID, -32600, NULL },
    { "", POSTBAG_MESSAGE_INVALID, -32700, NULL },
    { "{", POSTBAG_MESSAGE_INVALID, -32700, NULL },
    { "{}{}", POSTBAG_MESSAGE_INVALID, -32700, NULL },
    { "\xff", POSTBAG_MESSAGE_INVALID, -32700, NULL },
    { "{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"x\"}", POSTBAG_MESSAGE_INVALID, -32700,
      NULL },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (PostbagIncoming) incoming = read_message (cases[i].text);

      g_test_message ("case %" G_GSIZE_FORMAT, i);
      g_assert_cmpint (incoming->kind, ==, cases[i].kind);
      g_assert_cmpint (incoming->code, ==, cases[i].code);
      g_assert_cmpstr (incoming->id, ==, cases[i].id);
    }
}

static void
test_depth (void)
{
  g_autofree char *brackets = g_strnfill (100000, '[');
  g_autoptr (PostbagIncoming) incoming = read_message (brackets);

  g_assert_cmpint (incoming->kind, ==, POSTBAG_MESSAGE_INVALID);
  g_assert_cmpint (incoming->code, ==, -32700);
}

static void
test_frames (void)
{
  g_autoptr (GBytes) error = postbag_jsonrpc_make_error (NULL, -32700, "no", NULL);
  g_autoptr (GBytes) with_data = postbag_jsonrpc_make_error ("\"a\"", -1, "no", "{\"b\":1}");
  g_autoptr (GBytes) result = postbag_jsonrpc_end (postbag_jsonrpc_begin_result ("1.0"));
  g_autoptr (GBytes) note = postbag_jsonrpc_end (postbag_jsonrpc_begin_message (NULL, "n"));
  static const char *const expected[] = {
    "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,\"message\":\"no\"}}",
    "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"error\":{\"code\":-1,\"message\":\"no\","
    "\"data\":{\"b\":1}}}",
    "{\"jsonrpc\":\"2.0\",\"id\":1.0,\"result\":{}}",
    "{\"jsonrpc\":\"2.0\",\"method\":\"n\",\"params\":{}}",
  };
  GBytes *const messages[] = { error, with_data, result, note };

  for (gsize i = 0; i < G_N_ELEMENTS (messages); i++)
    {
      g_autofree char *text =
          g_strndup (g_bytes_get_data (messages[i], NULL), g_bytes_get_size (messages[i]));

      g_assert_cmpstr (text, ==, expected[i]);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/jsonrpc/ids/kept", test_ids_kept);
  g_test_add_func ("/jsonrpc/ids/refused", test_ids_refused);
  g_test_add_func ("/jsonrpc/ids/long", test_long_id);
  g_test_add_func ("/jsonrpc/kinds", test_kinds);
  g_test_add_func ("/jsonrpc/depth", test_depth);
  g_test_add_func ("/jsonrpc/frames", test_frames);
  return g_test_run ();
}
