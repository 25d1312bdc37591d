# SPDX-License-Identifier: LGPL-2.1-or-later
"""What users of such tools met and no other test guards; and that the table of all has a test each.

The numbers are those of tests/contract/guarded-faults.tsv.
"""

import base64
import email
import email.header
import email.message
import email.policy
import mailbox
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
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
                self.assertRegex((TESTS.parent / file).read_text("utf-8"),
                                 rf"(?m)^(    def )?{test} ?\(")

    def test_each_once_and_in_order(self):
        self.assertEqual([int(row[0]) for row in read_table()], list(range(1, 64)))


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

    def bad(self, tool, arguments):
        result = self.server.call(tool, arguments)
        self.assertIs(result.get("isError"), True, result)
        self.assertNotIn("structuredContent", result)
        return result["content"][0]["text"]

    def attach(self, data, content_type, name="a.bin"):
        """A message with one attachment, part 2"""
        message = email.message.EmailMessage(policy=email.policy.SMTP)
        message["From"] = "Ada <ada@example.org>"
        message["Subject"] = "x"
        message.set_content("Text")
        maintype, subtype = content_type.split("/")
        message.add_attachment(data, maintype=maintype, subtype=subtype, filename=name)
        return message.as_bytes()

    def test_2_questions_name_tools_that_are_there(self):
        """The question of a copy named a tool of its own, which is none."""
        one = self.open(HEAD + b"Subject: x\n\nx\n", "--allow-write")
        tools = {tool["name"] for tool in self.server.request("tools/list")["result"]["tools"]}
        arguments = {"uids": [one["uid"]], "destination": "Drafts"}
        for tool, more in (("move_messages", {**arguments, "mode": "copy"}),
                           ("move_messages", arguments), ("delete_messages", {"uids": [one["uid"]]}),
                           ("manage_mailbox", {"action": "delete", "mailbox": "Drafts"}),
                           ("manage_mailbox", {"action": "rename", "mailbox": "Drafts",
                                               "new_name": "Plans"})):
            text = self.bad(tool, more)
            named = set(re.findall(r"\b[a-z]+(?:_[a-z]+)+\b", text)) - {"confirm_token"}
            if "confirm_token" in text:
                self.assertIn(tool, named)
            self.assertLessEqual(named, tools)

    def test_3_reply_to_a_bad_id(self):
        for identity in (b"<a b@example.org>", b"no id at all", b"<a@example.org", b"<>",
                         b"<" + b"i" * 70000 + b"@example.org>", b"<a\x01@example.org>"):
            with self.subTest(identity[:30]):
                one = self.open(HEAD + b"Message-ID: " + identity + b"\nSubject: x\n\nx\n",
                                "--allow-write")
                self.good("save_draft", {"to": ["ada@example.org"], "subject": "Re: x", "body": "x",
                                         "reply_to_uid": one["uid"]})
                path, = pathlib.Path(self.maildir, ".Drafts/cur").iterdir()
                draft = email.message_from_bytes(path.read_bytes())
                self.assertIsNone(draft["In-Reply-To"])
                self.assertEqual(draft["Subject"], "Re: x")
                path.unlink()
                self.close()

    def close(self):
        self.server.__exit__(None)
        self.server = None

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
                self.close()

    def test_12_a_download_folder_has_to_be_there(self):
        """And is known by its real path; what is no folder stops the start, unsaid."""
        real = os.path.join(os.path.realpath(self.folder), "saved")
        os.mkdir(real)
        os.symlink(real, os.path.join(self.folder, "link"))
        self.open(HEAD + b"Subject: x\n\nx\n", IMAP_DOWNLOAD_DIR=self.folder + "/x/../link")
        info = self.good("get_server_info", {})["attachment_downloads"]
        self.assertEqual((info["to_disk"], info["directory"]), (True, real))
        self.close()
        for path in (self.folder + "/nowhere", "/etc/passwd"):
            done = subprocess.run([stdio.PROGRAM, "--maildir", self.maildir], input=b"",
                                  capture_output=True, check=False, env=stdio.make_environment(
                                      self.folder, IMAP_DOWNLOAD_DIR=path))
            self.assertEqual((done.returncode, done.stdout), (1, b""))
            self.assertIn(b"IMAP_DOWNLOAD_DIR", done.stderr)
            self.assertNotIn(path.encode(), done.stderr)

    def test_16_no_cut_within_a_character(self):
        """Characters that two UTF-16 units make: wherever a text ends, each is whole."""
        letters = "\U0001f600\U00020bb7"
        one = self.open(HEAD + b"Content-Type: multipart/mixed; boundary=b\nSubject: "
                        + email.header.Header(letters * 1500, "utf-8").encode().encode()
                        + b"\nMIME-Version: 1.0\n\n--b\nContent-Type: text/plain; charset=utf-8\n\n"
                        + (letters * 30001).encode()
                        + b"\n--b\nContent-Type: text/plain; charset=utf-8; name=a.txt\n"
                        b"Content-Disposition: attachment; filename=a.txt\n\n"
                        + ("x" + letters * 500).encode() + b"\n--b--\n")
        message = self.good("get_message", {"uid": one["uid"]})
        self.assertLess(message["body_truncated"]["shown"], message["body_truncated"]["total"])
        whole, offset = "", 0
        while offset is not None:
            part = self.good("get_attachments", {"uid": one["uid"], "part_id": "2", "mode": "text",
                                                 "offset": offset, "max_chars": 7})
            self.assertLessEqual(len(part["body"]), 7)
            whole, offset = whole + part["body"], part["next_offset"]
        self.assertEqual(whole, "x" + letters * 500)
        for text in (one["subject"], message["body"].split("\n\n")[1]):
            kept = re.match(f"[{letters}]*", text).group(0)
            self.assertGreater(len(kept), 1000)

    def test_21_each_mode_has_its_own_ceiling(self):
        """Two megabytes: too large for an answer, and saved all the same."""
        saved = os.path.join(self.folder, "saved")
        os.mkdir(saved)
        one = self.open(self.attach(b"%PDF-1.7\n" + b"x" * 2000000, "application/pdf", "a.pdf"),
                        IMAP_DOWNLOAD_DIR=saved)
        entry, = self.good("get_attachments", {"uid": one["uid"]})["attachments"]
        self.assertIs(entry["allowed"], True)
        self.assertIn("IMAP_MAX_ATTACHMENT_BYTES",
                      self.bad("get_attachments", {"uid": one["uid"], "part_id": "2",
                                                   "mode": "inline"}))
        result = self.good("get_attachments", {"uid": one["uid"], "part_id": "2", "mode": "file"})
        self.assertEqual(os.path.getsize(result["path"]), 2000009)

    def test_33_names_of_mailboxes_are_clean(self):
        """Shown without what cannot be seen, with a warning; in the audit spelled out."""
        name = "Arch\u202eive\u200b ![x](http://evil.example/)"
        self.root.add_folder("Arch&IC4-ive&IAs- ![x](evil)")
        self.open(HEAD + b"Subject: x\n\nx\n", "--allow-write")
        listed = self.good("list_mailboxes", {})["mailboxes"]
        odd, = [one for one in listed if "Arch" in one["path"]]
        self.assertIn("\u202e", odd["path"])
        self.assertIn("\\u202E", odd["name_warning"])
        for shown in (odd["display_name"], odd["name"], odd["name_warning"]):
            for one in ("\u202e", "\u200b", "![x]("):
                self.assertNotIn(one, shown)
        self.server.call("manage_mailbox", {"action": "create", "mailbox": name})
        self.assertNotIn("\u202e", self.server.read_log())

    def test_37_refusals_are_errors(self):
        """Questions, refusals of policy, what is not there: never what looks like an answer."""
        one = self.open(self.attach(b"MZ", "application/pdf", "a.pdf"), "--allow-write")
        uid = one["uid"]
        for tool, arguments in (("move_messages", {"uids": [uid], "destination": "Drafts"}),
                                ("move_messages", {"uids": [uid], "destination": "Drafts",
                                                   "mode": "copy"}),
                                ("manage_mailbox", {"action": "delete", "mailbox": "Drafts"}),
                                ("manage_mailbox", {"action": "rename", "mailbox": "Drafts",
                                                    "new_name": "x"}),
                                ("delete_messages", {"uids": [uid]}),
                                ("set_message_flags", {"uids": [uid], "add": ["\\Deleted"]}),
                                ("get_attachments", {"uid": uid, "part_id": "2"}),
                                ("get_attachments", {"uid": uid, "part_id": "7"}),
                                ("get_attachments", {"uid": uid, "part_id": "2", "mode": "file"}),
                                ("get_message", {"uid": 4000}),
                                ("list_messages", {"mailbox": "Nowhere"}),
                                ("save_draft", {"to": ["x"], "subject": "x", "body": "x"})):
            with self.subTest(tool=tool, arguments=arguments):
                self.bad(tool, arguments)

    def test_43_what_the_filter_denies_is_no_resource(self):
        one = self.open(self.attach(b"a;b\n", "text/csv", "a.csv"), IMAP_DENY_TOOLS="get_attachments")
        answer = self.server.request("resources/read",
                                     {"uri": f"imap://message/{one['uid']}/part/2"})
        self.assertIn("error", answer)
        templates = self.server.request("resources/templates/list")["result"]["resourceTemplates"]
        self.assertEqual([entry["name"] for entry in templates], ["mailbox"])
        self.close()
        self.open(self.attach(b"a;b\n", "text/csv", "a.csv"))
        answer = self.server.request("resources/read",
                                     {"uri": f"imap://message/{one['uid']}/part/2"})
        self.assertIn("result", answer)

    def test_44_a_resource_is_bounded(self):
        """By the cap of mode inline, whatever may be saved; and by what one answer holds."""
        for size, most, fits in ((1000000, None, True), (1100000, None, False),
                                 (4500000, "99000000", True), (5000000, "99000000", False)):
            with self.subTest(size=size, most=most):
                extra = {} if most is None else {"IMAP_MAX_ATTACHMENT_BYTES": most}
                one = self.open(self.attach(b"a" * size, "text/csv", "a.csv"),
                                IMAP_DOWNLOAD_DIR=self.folder, **extra)
                answer = self.server.request("resources/read",
                                             {"uri": f"imap://message/{one['uid']}/part/2"})
                self.assertEqual("result" in answer, fits, str(answer)[:300])
                self.close()

    def test_48_lower_verdicts_do_not_count(self):
        one = self.open(b"Authentication-Results: mx.example.org; spf=fail; dkim=none\n"
                        b"Authentication-Results: mx.example.org; spf=pass; dkim=pass; dmarc=pass\n"
                        + HEAD + b"Subject: x\n\nx\n",
                        IMAP_TRUSTED_AUTHSERV_ID="mx.example.org")
        auth = self.good("get_message", {"uid": one["uid"]})["security"]["auth"]
        self.assertEqual((auth["spf"], auth["dkim"], auth["dmarc"]), ("fail", "none", "unknown"))

    def test_50_long_message_id(self):
        for identity in (b"i" * 60000, b"a\x01b", "a\u202eb".encode(), b"![x](http://evil.example/)"):
            one = self.open(HEAD + b"Message-ID: <" + identity + b"@x>\nReferences: <" + identity
                            + b"@y> <good@x>\nSubject: x\n\nx\n")
            message = self.good("get_message", {"uid": one["uid"]})
            shown = message.get("messageId", "")
            self.assertLessEqual(len(shown), 256)
            for text in [shown, *message["references"]]:
                self.assertTrue(text.isprintable(), ascii(text))
                self.assertNotIn("![x](", text)
            self.assertIn("<good@x>", message["references"])
            self.close()

    def test_51_no_carriage_return(self):
        """One alone would let a line hide another."""
        one = self.open(HEAD + b"Subject: a\rb\nMIME-Version: 1.0\nContent-Type: text/plain; "
                        b"charset=utf-8\nContent-Transfer-Encoding: base64\n\n"
                        + base64.b64encode(b"first\rhidden\r\nsecond\r\r\nthird\x85\xc2\x85fourth")
                        + b"\n")
        result = self.server.call("get_message", {"uid": one["uid"]})
        self.assertNotIn("\r", str(result["structuredContent"]) + one["subject"])
        self.assertNotIn("\r", result["content"][0]["text"])
        self.assertNotIn("\\r", repr(result))
        for word in ("first", "hidden", "second", "third", "fourth"):
            self.assertIn(word, result["structuredContent"]["body"])

    def test_55_a_tool_that_saves_is_not_read_only(self):
        for extra, expected in (({}, (True, False)), ({"IMAP_DOWNLOAD_DIR": self.folder},
                                                      (False, True))):
            self.open(HEAD + b"Subject: x\n\nx\n", **extra)
            tools = {tool["name"]: tool["annotations"]
                     for tool in self.server.request("tools/list")["result"]["tools"]}
            hints = tools["get_attachments"]
            self.assertEqual((hints["readOnlyHint"], hints["destructiveHint"]), expected)
            self.assertIs(tools["list_new_messages"]["readOnlyHint"], False)
            self.assertIs(tools["get_message"]["readOnlyHint"], True)
            self.close()

    def test_59_an_image_has_its_declared_type(self):
        """Which is on the list; what the bytes look like is told, and never sent as the type."""
        for data, declared, sent in ((b"\x89PNG\r\n\x1a\n1234", "image/png", "image/png"),
                                     (b"GIF89a12345678", "image/png", "image/png"),
                                     (b"<svg xmlns='x'/>", "image/svg+xml", None)):
            one = self.open(self.attach(data, declared, "a.png"))
            result = self.server.call("get_attachments", {"uid": one["uid"], "part_id": "2"})
            images = [block for block in result["content"] if block["type"] == "image"]
            self.assertEqual([block["mimeType"] for block in images], [sent] if sent else [])
            self.assertEqual(result.get("isError", False), sent is None)
            self.close()

    def test_61_programs_are_known_by_their_bytes(self):
        """In each mode, whatever they are declared as; byte-swapped, and behind a mark of UTF-8."""
        for magic in (b"MZ", b"\x7fELF", b"\xfe\xed\xfa\xce", b"\xfe\xed\xfa\xcf", b"\xca\xfe\xba\xbe",
                      b"\xce\xfa\xed\xfe", b"\xcf\xfa\xed\xfe", b"#!/bin/sh\n",
                      b"\xef\xbb\xbf#!/bin/sh\n"):
            one = self.open(self.attach(magic + b"12345678", "text/plain", "a.txt"),
                            IMAP_DOWNLOAD_DIR=self.folder)
            for mode in ("auto", "inline", "file", "text"):
                with self.subTest(magic=magic, mode=mode):
                    self.bad("get_attachments", {"uid": one["uid"], "part_id": "2", "mode": mode})
            self.close()
        self.assertEqual([name for name in os.listdir(self.folder) if name.startswith("a")], [])

    def test_63_nothing_but_the_protocol_on_standard_output(self):
        """With all that is logged, and with a document read: each line is checked as it comes."""
        one = self.open(self.attach(b"%PDF-1.7\nno document", "application/pdf", "a.pdf"),
                        POSTBAG_DEBUG="all", G_MESSAGES_DEBUG="all")
        self.good("get_message", {"uid": one["uid"]})
        self.bad("get_attachments", {"uid": one["uid"], "part_id": "2", "mode": "text"})
        self.server.expect_alive()
        self.assertIn("debug", self.server.read_log())


if __name__ == "__main__":
    tap.main()
