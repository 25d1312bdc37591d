# SPDX-License-Identifier: LGPL-2.1-or-later
"""What `postbag doctor` says of the readers of documents and of the cage around them, on this machine
and on ones that seem to lack a part of it."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import tap  # noqa: E402

PROGRAM = os.environ["POSTBAG_PROGRAM"]
SECONDS = 120


class Doctor(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.maildir = pathlib.Path(folder.name) / "Maildir"
        for name in ("cur", "new", "tmp"):
            (self.maildir / name).mkdir(parents=True)
        self.environment = dict(os.environ, POSTBAG_STATE_DIR=str(pathlib.Path(folder.name) / "state"))

    def examine(self, program, code, **environment):
        """Step to (whether it is fine, what is said)."""
        done = subprocess.run([program, "--json", "--maildir", str(self.maildir), "doctor"], capture_output=True,
                              timeout=SECONDS, check=False, env={**self.environment, **environment})
        self.assertEqual(done.returncode, code, done.stderr)
        account, documents = json.loads(done.stdout)
        self.assertEqual((account["account"], documents["part"]), ("local", "documents"))
        return [(step["step"], step["fine"], step.get("facts", step.get("fault"))) for step in documents["steps"]]

    def test_here(self):
        steps = self.examine(PROGRAM, 0)
        self.assertEqual([step[:2] for step in steps[:2]], [("readers", True), ("cage", True)])
        self.assertRegex(steps[0][2], r"\btext\b.*; [0-9]+ content types$")
        self.assertIn("system calls (seccomp)", steps[1][2])

    def test_without_seccomp(self):
        steps = self.examine(os.environ["NO_SECCOMP"], 1, WITHOUT_PROGRAM=PROGRAM)
        self.assertEqual([step[:2] for step in steps], [("readers", True), ("cage", False)])
        for words in ("CONFIG_SECCOMP_FILTER", "container"):
            self.assertIn(words, steps[1][2])

    def test_without_landlock(self):
        steps = self.examine(os.environ["NO_LANDLOCK"], 0, WITHOUT_PROGRAM=PROGRAM)
        self.assertEqual([step[:2] for step in steps], [("readers", True), ("cage", True), ("landlock", True)])
        self.assertNotIn("Landlock", steps[1][2])
        self.assertIn("/sys/kernel/security/lsm", steps[2][2])

    def test_broken_reader(self):
        steps = self.examine(PROGRAM, 1, POSTBAG_PLUGIN_PATH=os.environ["HOSTILE_PREPARE"])
        self.assertEqual([step[1] for step in steps[:3]], [True, False, True])
        self.assertIn("hostile-prepare", steps[1][2])


if __name__ == "__main__":
    tap.main()
