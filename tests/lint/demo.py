# SPDX-License-Identifier: LGPL-2.1-or-later
"""The demo mailbox is what its script makes, and another program reads it whole."""

import email
import email.policy
import mailbox
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import tap  # noqa: E402

DEMO = pathlib.Path(__file__).resolve().parents[2] / "data/demo"
FOLDERS = {"INBOX": 26, "Archive": 2, "Drafts": 1, "Junk": 2, "Sent": 2, "Trash": 1}


def list_files(root):
    return {path.relative_to(root).as_posix(): path.read_bytes()
            for path in root.rglob("*") if path.is_file()}


class Demo(unittest.TestCase):
    def test_is_reproducible(self):
        with tempfile.TemporaryDirectory() as folder:
            made = pathlib.Path(folder) / "Maildir"
            subprocess.run([sys.executable, DEMO / "make-demo.py", made], check=True,
                           stdout=subprocess.DEVNULL)
            self.assertEqual(list_files(made), list_files(DEMO / "Maildir"))

    def test_other_program_counts_the_same(self):
        box = mailbox.Maildir(DEMO / "Maildir", create=False)
        counts = {"INBOX": len([key for key in box.keys() if not key.startswith(".")])}
        for name in box.list_folders():
            keys = box.get_folder(name).keys()
            counts[name] = len([key for key in keys if not key.startswith(".")])
        self.assertEqual(counts, FOLDERS)

    def test_messages_are_well_formed(self):
        for path in sorted((DEMO / "Maildir").rglob("*.demo*")):
            with self.subTest(path.name):
                message = email.message_from_bytes(path.read_bytes(), policy=email.policy.default)
                for part in message.walk():
                    self.assertEqual(part.defects, [])
                    if part.get_content_maintype() == "text":
                        self.assertNotIn("\ufffd", part.get_content())
                self.assertEqual(message["Message-ID"][:1], "<")
                self.assertIsNotNone(message["Date"].datetime)

    def test_names_are_invented(self):
        """Only the reserved domains of RFC 2606 stand in the messages."""
        for path in sorted((DEMO / "Maildir").rglob("*.demo*")):
            message = email.message_from_bytes(path.read_bytes(), policy=email.policy.default)
            for field in ("From", "To", "Cc"):
                for address in message[field].addresses if message[field] else ():
                    self.assertRegex(address.domain, r"(^|\.)example\.(org|com|net)$")


if __name__ == "__main__":
    tap.main()
