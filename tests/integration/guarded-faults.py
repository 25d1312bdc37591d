# SPDX-License-Identifier: LGPL-2.1-or-later
"""What users of such tools met and no other test guards; and that the table of all has a test each.

The numbers are those of tests/contract/guarded-faults.tsv.
"""

import email
import mailbox
import os
import pathlib
import shutil
import socket
import sys
import tempfile
import threading
import unittest

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "conformance")]

import tap  # noqa: E402
import server as stdio  # noqa: E402

TABLE = TESTS / "contract/guarded-faults.tsv"
HEAD = b"From: Ada <ada@example.org>\nTo: bob@example.org\n"


def read_table():
    """(number, behaviour, file, test)"""
    lines = TABLE.read_text("utf-8").splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


class Table(unittest.TestCase):
    def test_every_fault_has_a_test(self):
        """In the file that the table names, a test of that name."""
        for number, behaviour, file, test in read_table():
            with self.subTest(number=number, behaviour=behaviour):
                self.assertIn(test, (TESTS.parent / file).read_text("utf-8"))

    def test_each_once_and_in_order(self):
        numbers = [int(row[0]) for row in read_table()]
        self.assertEqual(numbers, sorted(set(numbers)))


class OnMaildir(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="postbag-faults-")
        self.maildir = os.path.join(self.folder, "Maildir")
        self.root = mailbox.Maildir(self.maildir, create=True)
        self.root.add_folder("Drafts")
        self.server = None

    def tearDown(self):
        if self.server is not None:
            self.server.__exit__(None)
        shutil.rmtree(self.folder)

    def open(self, raw, *arguments, **environment):
        path = pathlib.Path(self.maildir, "new", "1788851100.M1P1.test")
        path.write_bytes(raw)
        self.server = stdio.Server(self.maildir, arguments,
                                   {"POSTBAG_VALIDATE_RESULTS": "true",
                                    "POSTBAG_STATE_DIR": os.path.join(self.folder, "state"),
                                    **environment})
        self.server.initialize()
        result = self.good("list_messages", {})
        return result["messages"][0]

    def good(self, tool, arguments):
        result = self.server.call(tool, arguments)
        self.assertNotIn("isError", result, result)
        return result["structuredContent"]

    def test_3_reply_to_a_bad_id(self):
        one = self.open(HEAD + b"Message-ID: <a b@example.org>\nSubject: x\n\nx\n", "--allow-write")
        self.good("save_draft", {"to": ["ada@example.org"], "subject": "Re: x", "body": "x",
                                 "reply_to_uid": one["uid"]})
        path, = pathlib.Path(self.maildir, ".Drafts/cur").iterdir()
        draft = email.message_from_bytes(path.read_bytes())
        self.assertIsNone(draft["In-Reply-To"])
        self.assertEqual(draft["Subject"], "Re: x")

    def test_9_size_that_is_no_number(self):
        for size in (b"Infinity", b"NaN", b"-1", b"1e999", b"99999999999999999999999"):
            with self.subTest(size=size):
                one = self.open(HEAD + b"Subject: x\nMIME-Version: 1.0\n"
                                b"Content-Type: multipart/mixed; boundary=b\n\n--b\n\nx\n"
                                b"--b\nContent-Type: application/pdf; name=a.pdf\n"
                                b"Content-Disposition: attachment; size=" + size
                                + b"\n\n%PDF-1.7\n--b--\n")
                self.assertTrue(one["hasAttachments"])
                self.good("get_message", {"uid": one["uid"]})
                self.good("get_attachments", {"uid": one["uid"]})
                self.server.__exit__(None)
                self.server = None

    def test_37_refusals_are_errors(self):
        one = self.open(HEAD + b"Subject: x\n\nx\n", "--allow-write")
        for tool, arguments in (("move_messages", {"uids": [one["uid"]], "destination": "Drafts"}),
                                ("manage_mailbox", {"action": "delete", "mailbox": "Drafts"}),
                                ("delete_messages", {"uids": [one["uid"]]})):
            with self.subTest(tool=tool):
                result = self.server.call(tool, arguments)
                self.assertIs(result.get("isError"), True)
                self.assertNotIn("structuredContent", result)

    def test_48_lower_verdicts_do_not_count(self):
        one = self.open(b"Authentication-Results: mx.example.org; spf=fail; dkim=none\n"
                        b"Authentication-Results: mx.example.org; spf=pass; dkim=pass; dmarc=pass\n"
                        + HEAD + b"Subject: x\n\nx\n",
                        IMAP_TRUSTED_AUTHSERV_ID="mx.example.org")
        auth = self.good("get_message", {"uid": one["uid"]})["security"]["auth"]
        self.assertEqual((auth["spf"], auth["dkim"], auth["dmarc"]), ("fail", "none", "unknown"))

    def test_50_long_message_id(self):
        one = self.open(HEAD + b"Message-ID: <" + b"i" * 60000 + b"@x>\nSubject: x\n\nx\n")
        message = self.good("get_message", {"uid": one["uid"]})
        self.assertLessEqual(len(message.get("messageId", "")), 256)


if __name__ == "__main__":
    tap.main()
