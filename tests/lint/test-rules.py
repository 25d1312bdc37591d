# SPDX-License-Identifier: LGPL-2.1-or-later
"""Each rule of rules.py catches a bad snippet and leaves a good one alone."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import rules  # noqa: E402
import tap  # noqa: E402


class Rules(unittest.TestCase):
    def check(self, rule, path, bad, good):
        """@bad maps a snippet to the line that is at fault."""
        for text, line in bad.items():
            with self.subTest(bad=text[:60]):
                self.assertEqual([found for found, _ in rule(path, text)], [line])
        for text in good:
            with self.subTest(good=text[:60]):
                self.assertEqual(list(rule(path, text)), [])

    def test_has_spdx(self):
        self.check(rules.has_spdx, "core/base/x.c", {"int x;\n": 1},
                   ["/* SPDX-License-Identifier: LGPL-2.1-or-later */\n"])

    def test_is_tidy(self):
        self.check(rules.is_tidy, "x.c", {"a\nb \n": 2, "a\t\n": 1, "a\r\n": 1, "a": 1},
                   ["a\n", ""])

    def test_has_no_open_ends(self):
        self.check(rules.has_no_open_ends, "x.c",
                   {"a\n/* TODO: later */\n": 2, "/* FIXME */": 1},
                   ["/* TODO #12: later */", "/* TODOS */"])

    def test_has_short_file(self):
        self.check(rules.has_short_file, "x.c", {"a\n" * 801: 1}, ["a\n" * 800])

    def test_has_short_functions(self):
        head = "/* (\n*/\nstatic int\nadd (int a,\n     int b)\n{\n"
        self.check(rules.has_short_functions, "x.c", {head + "  a ();\n" * 57 + "}\n": 4},
                   [head + "  a ();\n" * 56 + "}\n",
                    "static int table[] = {\n" + "  1,\n" * 90 + "};\n",
                    "int add (int a);\n" + "int x;\n" * 90 + "struct a\n{\n};\n"])

    def test_calls_nothing_banned(self):
        self.check(rules.calls_nothing_banned, "core/base/x.c",
                   {"\n  strcpy (a, b);\n": 2, "x = atoi(s);": 1, "system (c);": 1,
                    "p = alloca (n);": 1, "popen (c, m);": 1, "setlocale (0, s);": 1},
                   ["my_system (c);", "/* strcpy (a, b) */", '"system (x)"', "self->gets (x);",
                    "g_ascii_strtoll (s);"])
        self.assertEqual(
            list(rules.calls_nothing_banned("core/cli/main.c", "setlocale (0, s);")), [])

    def test_prints_nothing(self):
        self.check(rules.prints_nothing, "core/mail/x.c",
                   {"g_print (x);": 1, "\nprintf (x);": 2, 'fprintf (stdout, "x");': 1,
                    "puts (x);": 1, "fwrite (a, 1, 2, stdout);": 1},
                   ["snprintf (a, b);", 'g_string_append_printf (s, "x");', "/* printf (x) */",
                    "g_output_stream_printf (s);", "fwrite (a, 1, 2, file);"])
        self.assertEqual(list(rules.prints_nothing("core/cli/main.c", "g_print (x);")), [])

    def test_includes_one_way(self):
        self.check(rules.includes_one_way, "core/mail/postbag-store.h",
                   {'#include <glib.h>\n#include "mcp/postbag-call.h"\n': 2,
                    '#include "json/postbag-json.h"\n': 1,
                    '#include "mail/postbag-a-private.h"\n': 1},
                   ['#include "base/postbag-api.h"\n', '#include "mail/postbag-effect.h"\n'])
        self.check(rules.includes_one_way, "core/mcp/postbag-server.c",
                   {'#include "mime/postbag-message.h"\n': 1, '#include "cli/x.h"\n': 1,
                    '#include "config/postbag-config-private.h"\n': 1},
                   ['#include "mcp/postbag-server-private.h"\n',
                    '#include "safety/postbag-seal.h"\n', '#include "json/postbag-json.h"\n'])
        self.check(rules.includes_one_way, "core/toolset/x.c", {'# include "cli/x.h"\n': 1},
                   ['#include "mime/postbag-message.h"\n', '#include "mcp/postbag-call.h"\n'])

    def test_plugins_stay_outside(self):
        self.check(rules.plugins_stay_outside, "plugins/tools/guarded/x.c",
                   {'#include "mcp/postbag-server-private.h"\n': 1, '#include "../other/x.h"\n': 1,
                    '#include "plugins/backends/maildir/x.h"\n': 1},
                   ['#include "x-private.h"\n', '#include "mcp/postbag-toolset.h"\n'])

    def test_core_includes_no_plugin(self):
        self.check(rules.core_includes_no_plugin, "core/base/x.c",
                   {'#include "plugins/a.h"\n': 1, '#include "../../plugins/a.h"\n': 1},
                   ['#include "plugin/postbag-plugin.h"\n'])

    def test_keeps_libraries_in_their_place(self):
        self.check(rules.keeps_libraries_in_their_place, "core/safety/postbag-clean.c",
                   {"#include <gmime/gmime.h>\n": 1, "\n#include <libxml/HTMLparser.h>\n": 2,
                    "#include <sqlite3.h>\n": 1, "#include <gnutls/crypto.h>\n": 1},
                   ["#include <glib.h>\n"])
        for path, header in (("core/mime/a.c", "gmime/gmime.h"),
                             ("core/safety/postbag-html.c", "libxml/HTMLparser.h"),
                             ("plugins/backends/maildir/map.c", "sqlite3.h")):
            found = rules.keeps_libraries_in_their_place(path, f"#include <{header}>\n")
            self.assertEqual(list(found), [])

    def test_is_json(self):
        self.check(rules.is_json, "schemas/a.json", {'{"a": 1,\n}': 2, '{"a": 1, "a": 2}': 1},
                   ['{"a": 1}'])


if __name__ == "__main__":
    tap.main()
