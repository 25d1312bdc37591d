# SPDX-License-Identifier: LGPL-2.1-or-later
"""`make uninstall`: what it removes, what it leaves, and that it says little."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import tap  # noqa: E402

ROOT = pathlib.Path(os.environ["POSTBAG_SOURCE_DIR"])


class Uninstall(unittest.TestCase):
    """With a project of one file, since what meson notes down is the same."""

    def setUp(self):
        for program in ("meson", "ninja", "make"):
            tap.require(self, shutil.which(program), program)
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        self.folder = pathlib.Path(held.name)
        source = self.folder / "source"
        source.mkdir()
        (source / "meson.build").write_text("project('small', version: '1')\n"
                                            "install_data('a.txt', install_dir: 'share/small')\n")
        (source / "a.txt").write_text("a\n")
        self.build, self.prefix = self.folder / "build", self.folder / "prefix"
        self.run_quietly("meson", "setup", self.build, source, f"--prefix={self.prefix}")

    def run_quietly(self, *words):
        subprocess.run([str(word) for word in words], check=True, capture_output=True, timeout=60)

    def install(self):
        self.run_quietly("meson", "install", "-C", self.build)
        self.assertTrue((self.prefix / "share/small/a.txt").exists())

    def uninstall(self):
        return subprocess.run(["make", "--no-print-directory", "-C", ROOT, "uninstall", f"BUILD={self.build}"],
                              capture_output=True, text=True, timeout=60, check=False)

    def test_twice(self):
        done = self.uninstall()
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, f"Nothing is installed from {self.build}.\n", ""))
        self.install()
        done = self.uninstall()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"^Removed [0-9]+ files and folders\.\n$")
        self.assertFalse(self.prefix.exists() and any(path.is_file() for path in self.prefix.rglob("*")))
        done = self.uninstall()
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, f"Nothing is installed from {self.build}.\n", ""))
        plain = subprocess.run(["ninja", "-C", self.build, "--quiet", "uninstall"], capture_output=True, text=True,
                               timeout=60, check=True)
        self.assertNotIn("Could not", plain.stdout)

    def test_what_is_gone_or_not_ours(self):
        self.install()
        (self.prefix / "share/small/a.txt").unlink()
        (self.prefix / "share/small/theirs.txt").write_text("b\n")
        done = self.uninstall()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue((self.prefix / "share/small/theirs.txt").exists())

    def test_what_cannot_be_removed(self):
        log = self.build / "meson-logs/install-log.txt"
        log.write_text("/proc/self/status\n")
        done = self.uninstall()
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("Could not remove /proc/self/status", done.stderr)
        self.assertTrue(log.exists())


if __name__ == "__main__":
    tap.main()
