#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Several accounts: each call names its own, uids and mailboxes never mix, and with one account
there is no choice to make."""

import json
import mailbox
import os
import subprocess
import sys
import tempfile
import unittest
from email.message import EmailMessage

POSTBAG = os.environ["POSTBAG_PROGRAM"]
KEPT = ("PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS", "G_DEBUG")


def fill(path, subjects):
    box = mailbox.Maildir(path, create=True)
    for subject in subjects:
        message = EmailMessage()
        message["From"] = "ada@example.org"
        message["Subject"] = subject
        message.set_content("Text of %s\n" % subject)
        box.add(message)


class Accounts(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.config = os.path.join(self.folder.name, "postbag.conf")
        fill(os.path.join(self.folder.name, "work"), ["Report"])
        fill(os.path.join(self.folder.name, "home"), ["Garden", "Recipe"])
        self.write_config("work", "home")

    def write_config(self, *names):
        with open(self.config, "w") as file:
            for name in names:
                file.write("[account %s]\nbackend=maildir\npath=%s\n" % (name, os.path.join(self.folder.name, name)))

    def run_postbag(self, *words):
        environment = {name: os.environ[name] for name in KEPT if name in os.environ}
        environment["POSTBAG_STATE_DIR"] = os.path.join(self.folder.name, "state")
        environment["POSTBAG_VALIDATE_RESULTS"] = "true"
        return subprocess.run(
            [POSTBAG, "--config", self.config, *words], capture_output=True, text=True, encoding="utf-8", env=environment, timeout=60
        )

    def call(self, tool, **arguments):
        done = self.run_postbag("--json", "call", tool, json.dumps(arguments))
        return json.loads(done.stdout)

    def subjects(self, **arguments):
        result = self.call("list_messages", **arguments)
        self.assertNotIn("isError", result)
        return {message["subject"] for message in result["structuredContent"]["messages"]}

    def test_each_call_names_its_account(self):
        self.assertEqual(self.subjects(), {"Report"})
        self.assertEqual(self.subjects(account="work"), {"Report"})
        self.assertEqual(self.subjects(account="home"), {"Garden", "Recipe"})
        text = self.call("get_message", account="home", uid=1)["structuredContent"]["body"]
        self.assertNotIn("Report", text)
        self.assertTrue(self.call("get_message", account="work", uid=2)["isError"])

    def test_unknown_account_is_told_which_there_are(self):
        result = self.call("list_messages", account="hom")
        self.assertTrue(result["isError"])
        self.assertIn("work", result["content"][0]["text"])
        self.assertIn("home", result["content"][0]["text"])

    def test_accounts_are_listed(self):
        self.assertEqual(self.call("get_server_info")["structuredContent"]["accounts"], ["work", "home"])
        tools = json.loads(self.run_postbag("--json", "tools").stdout)["tools"]
        for tool in tools:
            self.assertIn("account", tool["inputSchema"]["properties"], tool["name"])

    def test_one_account_is_no_choice(self):
        self.write_config("work")
        self.assertNotIn("accounts", self.call("get_server_info")["structuredContent"])
        for tool in json.loads(self.run_postbag("--json", "tools").stdout)["tools"]:
            self.assertNotIn("account", tool["inputSchema"]["properties"], tool["name"])
        self.assertTrue(self.call("list_messages", account="work")["isError"])

    def test_option_picks_one(self):
        done = self.run_postbag("--account", "home", "call", "list_messages")
        self.assertEqual(json.loads(done.stdout)["total_matching"], 2)
        done = self.run_postbag("--account", "nobody", "call", "list_messages")
        self.assertEqual(done.returncode, 1)
        self.assertIn("work", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
