# SPDX-License-Identifier: LGPL-2.1-or-later
"""Holds the tree against the rules of rules.py, clang-format, po/POTFILES and the README."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import rules  # noqa: E402
import tap  # noqa: E402
import tool_table  # noqa: E402

ROOT = pathlib.Path(os.environ.get("POSTBAG_SOURCE_DIR")
                    or pathlib.Path(__file__).resolve().parents[2])
SKIPPED = re.compile(r"(build.*|prefix.*|\.git|node_modules|__pycache__|\.cache)$")


def list_files():
    """Paths of the tree relative to its root, without build folders."""
    for folder, folders, names in os.walk(ROOT):
        top = pathlib.Path(folder) == ROOT
        folders[:] = sorted(name for name in folders
                            if not SKIPPED.match(name) or (not top and name.startswith("build")))
        for name in sorted(names):
            yield (pathlib.Path(folder) / name).relative_to(ROOT).as_posix()


FILES = list(list_files())


def read(path):
    return (ROOT / path).read_bytes().decode("utf-8", "surrogateescape")


class Rules(unittest.TestCase):
    """One test a rule, made below."""


def make_test(rule, pattern):
    def test(self):
        found = [f"{path}:{line}: {message}" for path in FILES if re.match(pattern, path)
                 for line, message in rule(path, read(path))]
        self.assertFalse(found, "\n" + "\n".join(found))

    return test


for _rule, _pattern in rules.RULES:
    setattr(Rules, f"test_{_rule.__name__}", make_test(_rule, _pattern))


class Tree(unittest.TestCase):
    def test_clang_format(self):
        program = shutil.which("clang-format")
        tap.require(self, program, "clang-format")
        paths = [path for path in FILES if re.match(rules.C_FILES, path)]
        run = subprocess.run([program, "--dry-run", "-Werror", *paths], cwd=ROOT,
                             stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(run.returncode, 0, "run clang-format -i:\n" + run.stderr[:4000])

    def test_translations(self):
        """Every file that marks a text for translation is in po/POTFILES, and the other way."""
        listed = set()
        if (ROOT / "po/POTFILES").exists():
            listed = {line.strip() for line in read("po/POTFILES").split("\n")
                      if line.strip() and not line.startswith("#")}
        marked = {path for path in FILES if re.match(rules.PRODUCT_C, path)
                  and re.search(r"(?<![\w.>])N?C?_ ?\(\"", read(path))}
        self.assertEqual(marked, {path for path in listed if path.endswith((".c", ".h"))})

    def test_debug_areas(self):
        """Each area has debug lines, each debug line an area, and the README names them."""
        areas = set(re.findall(r'"(\w+)"', re.search(r"known_areas\[\][^;]*", read("core/base/postbag-log.c"))[0]))
        found = {"all"}
        for path in FILES:
            if re.match(rules.PRODUCT_C, path) and re.search(r"\bg_(debug|info) \(", read(path)):
                domain = re.search(r'#define G_LOG_DOMAIN "postbag-(\w+)"', read(path))
                self.assertTrue(domain, path)
                found.add(domain[1])
        self.assertEqual(areas, found)
        line = re.search(r"(?m)^\| `POSTBAG_DEBUG`.*", read("README.md"))[0]
        self.assertEqual(set(re.findall(r"`(\w+)`", line)) - {"POSTBAG_DEBUG", "debug"}, areas)

    def test_settings_are_documented(self):
        """Each variable and each option stands in the README, and nothing else does."""
        readme = read("README.md")
        source = "".join(read(path) for path in FILES
                         if re.match(r"core/(config|cli|base)/.*\.c$", path))
        for what, made, told in (
                ("variables", r'"((?:POSTBAG|IMAP)_[A-Z_]+|ELICITATION)"',
                 r"`((?:POSTBAG|IMAP)_[A-Z_]+|ELICITATION)`"),
                ("options", r"""\{ "([a-z-]+)", (?:0|'.'), [A-Z0-9_]+, G_OPTION_ARG""",
                 r"`--([a-z-]+)")):
            with self.subTest(what):
                known = set(re.findall(made, source)) - {"IMAP_ALLOW_WRITE"}
                if len(known) > 6:  # else the table is not there yet
                    self.assertEqual(known, set(re.findall(told, readme)))

    def test_keys_are_documented(self):
        """Each key of the configuration file stands in the README."""
        table = read("core/config/postbag-config-table.c")
        rows = re.findall(r'(?:CORE|ACCOUNT|GUARDED) \("([a-z-]+)"([^;]*?)\.description', table)
        keys = {key for key, rest in rows if "ENVIRONMENT_ONLY" not in rest}
        self.assertIn("maildir", keys)
        told = set(re.findall(r"`([a-z-]+)`", read("README.md")))
        self.assertEqual(keys - told, set())

    def test_packages_are_installed(self):
        """Each library that a meson.build asks for is one that .ci/packages looks for."""
        build = "".join(read(path) for path in FILES if path.endswith("meson.build"))
        asked = set(re.findall(r"\bdependency\('([^']+)'", build))
        looked_for = set(re.findall(r"^have_library (\S+)", read(".ci/packages"), re.MULTILINE))
        # Parts of GLib that come with gio-2.0.
        self.assertEqual(asked - {"gio-unix-2.0", "gmodule-no-export-2.0"}, looked_for)

    def test_sample_configuration(self):
        """The sample's keys are keys of the table."""
        table = "".join(read(path) for path in FILES
                        if path.startswith("core/config/postbag-config-table"))
        if not table:
            self.skipTest("there is no table yet")
        known = set(re.findall(r'(?:CORE|ACCOUNT|GUARDED) \("([a-z-]+)"', table))
        used = re.findall(r"^#?([a-z-]+) = ", read("data/postbag.conf.example"), re.MULTILINE)
        self.assertTrue(used)
        self.assertLessEqual(set(used), known)

    def test_tool_table(self):
        """The README's table of tools is what schemas/ says."""
        for toolset in tool_table.list_toolsets(ROOT):
            with self.subTest(toolset=toolset):
                wanted = tool_table.render(ROOT, toolset)
                found = tool_table.find_block(read("README.md"), toolset)
                self.assertEqual(found, wanted, "paste the output of: "
                                 f"python3 tests/lint/tool_table.py {toolset}")


if __name__ == "__main__":
    tap.main()
