#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The manual pages say what the program says of itself, no more and no less, and are well formed."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import tap  # noqa: E402

PAGES = pathlib.Path(os.environ["POSTBAG_MAN"])
SOURCE = pathlib.Path(os.environ["POSTBAG_SOURCE_DIR"])


def find_items(page, pattern):
    """What the heads of the lists in @page name."""
    lines = [line for line in (PAGES / page).read_text(encoding="utf-8").split("\n") if line.startswith(".It ")]
    return {match for line in lines for match in re.findall(pattern, line)}


class Manual(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.help = subprocess.run([os.environ["POSTBAG_PROGRAM"], "--help"], capture_output=True, text=True, check=True,
                                  timeout=60).stdout

    def test_options(self):
        options = set(re.findall(r"(?m)^  (?:-\w, )?--([a-z-]+)", self.help))
        self.assertIn("maildir", options)
        self.assertEqual(find_items("postbag.1", r"\bFl -([a-z-]+)"), options)

    def test_commands(self):
        listed = self.help.split("Commands:\n")[1].split("\n\n")[0]
        commands = {(words[0], way) for words in re.findall(r"(?m)^  (\w+)(?: ([a-z|]+) )?", listed)
                    for way in words[1].split("|")}
        self.assertIn(("config", "check"), commands)
        self.assertEqual(find_items("postbag.1", r"^\.It Ic (\w+)(?: Cm (\w+))?"), commands)

    def test_settings(self):
        source = (SOURCE / "core/config/postbag-config-table.c").read_text(encoding="utf-8")
        keys = {key for key, rest in re.findall(r'(?:CORE|ACCOUNT|GUARDED) \("([a-z-]+)"([^;]*?)\.description', source)
                if "ENVIRONMENT_ONLY" not in rest}
        self.assertGreater(len(keys), 30)
        self.assertEqual(keys - find_items("postbag.conf.5", r"\bCm ([a-z-]+)"), set())
        variables = set(re.findall(r'"((?:POSTBAG|IMAP)_[A-Z_]+|ELICITATION)"', source))
        self.assertGreater(len(variables), 20)
        self.assertEqual(variables - find_items("postbag.1", r"\bEv ([A-Z_]+)") - {"IMAP_ALLOW_WRITE"}, set())

    def test_form(self):
        tap.require(self, shutil.which("mandoc"), "mandoc")
        for page in ("postbag.1", "postbag.conf.5"):
            done = subprocess.run(["mandoc", "-Tlint", "-Wwarning", PAGES / page], capture_output=True, text=True,
                                  check=False, timeout=60)
            self.assertEqual((done.returncode, done.stdout), (0, ""))
            self.assertNotIn("@", (PAGES / page).read_text(encoding="utf-8").replace("@example.", ""))


if __name__ == "__main__":
    tap.main()
