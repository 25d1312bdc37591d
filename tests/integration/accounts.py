#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Several accounts: each call names its own, uids and mailboxes never mix, and with one account
there is no choice to make."""

import json
import mailbox
import os
import socket
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

    def make_environment(self):
        environment = {name: os.environ[name] for name in KEPT if name in os.environ}
        environment["POSTBAG_STATE_DIR"] = os.path.join(self.folder.name, "state")
        environment["POSTBAG_VALIDATE_RESULTS"] = "true"
        return environment

    def run_postbag(self, *words):
        return subprocess.run(
            [POSTBAG, "--config", self.config, *words], capture_output=True, text=True, encoding="utf-8",
            env=self.make_environment(), timeout=60
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

    def test_a_silent_server_holds_up_no_other_account(self):
        """More calls wait for it than there are threads; those of the other account are answered
        before any of them."""
        silent = self.enterContext(socket.create_server(("127.0.0.1", 0), backlog=100))
        os.chmod(self.config, 0o600)
        with open(self.config, "a") as file:
            file.write("[account silent]\nbackend=imap\nhost=127.0.0.1\nport=%d\ntls=none\nuser=me\n"
                       "password=secret\n" % silent.getsockname()[1])
        lines = [{"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}}}]
        for number in range(1, 61):
            account = "silent" if number <= 50 else "work"
            lines.append({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {
                "name": "list_messages", "arguments": {"account": account}}})
        process = self.enterContext(subprocess.Popen(
            [POSTBAG, "--config", self.config], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            env=self.make_environment(), text=True, encoding="utf-8"))
        self.addCleanup(process.kill)
        process.stdin.write("".join(json.dumps(line) + "\n" for line in lines))
        process.stdin.flush()
        answers = [json.loads(process.stdout.readline()) for _ in range(11)]
        self.assertEqual(sorted(answer["id"] for answer in answers), [0, *range(51, 61)])
        process.kill()

    def test_one_account_is_no_choice(self):
        self.write_config("work")
        self.assertNotIn("accounts", self.call("get_server_info")["structuredContent"])
        for tool in json.loads(self.run_postbag("--json", "tools").stdout)["tools"]:
            self.assertNotIn("account", tool["inputSchema"]["properties"], tool["name"])
        self.assertTrue(self.call("list_messages", account="work")["isError"])

    def talk(self, *requests):
        """The results of requests after the handshake, in their order."""
        lines = [{"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}}]
        lines += [{"jsonrpc": "2.0", "id": number, "method": method, "params": params}
                  for number, (method, params) in enumerate(requests, 1)]
        done = subprocess.run([POSTBAG, "--config", self.config], capture_output=True, text=True, encoding="utf-8",
                              input="".join(json.dumps(line) + "\n" for line in lines), env=self.make_environment(),
                              timeout=60)
        answers = {answer["id"]: answer for answer in map(json.loads, done.stdout.splitlines())}
        return [answers[number] for number in range(1, len(requests) + 1)]

    @staticmethod
    def complete(argument, value, **chosen):
        return ("completion/complete", {"ref": {"type": "ref/prompt", "name": "triage_inbox"},
                                        "argument": {"name": argument, "value": value},
                                        "context": {"arguments": chosen}})

    def test_prompts_name_an_account(self):
        """Where there are several: completed, and its mailboxes are the ones that are suggested."""
        box = mailbox.Maildir(os.path.join(self.folder.name, "home"))
        box.add_folder("Garden")
        listed, got, names, theirs, ours = self.talk(
            ("prompts/list", {}),
            ("prompts/get", {"name": "triage_inbox", "arguments": {"account": "home", "mailbox": "Garden"}}),
            self.complete("account", "HO"), self.complete("mailbox", "g", account="home"),
            self.complete("mailbox", "g", account="work"))
        for prompt in listed["result"]["prompts"]:
            arguments = {argument["name"]: argument for argument in prompt["arguments"]}
            self.assertFalse(arguments["account"]["required"], prompt["name"])
            self.assertEqual(set(arguments["account"]), {"name", "title", "description", "required"})
        self.assertIn("pass this account: home\n", got["result"]["messages"][0]["content"]["text"])
        self.assertEqual(names["result"]["completion"]["values"], ["home"])
        self.assertEqual(theirs["result"]["completion"]["values"], ["Garden"])
        self.assertEqual(ours["result"]["completion"]["values"], [])
        self.write_config("home")
        listed, got = self.talk(("prompts/list", {}),
                                ("prompts/get", {"name": "triage_inbox", "arguments": {"account": "home"}}))
        for prompt in listed["result"]["prompts"]:
            self.assertNotIn("account", [argument["name"] for argument in prompt["arguments"]])
        self.assertEqual(got["error"]["code"], -32602)

    def test_option_picks_one(self):
        done = self.run_postbag("--account", "home", "call", "list_messages")
        self.assertEqual(json.loads(done.stdout)["total_matching"], 2)
        done = self.run_postbag("--account", "nobody", "call", "list_messages")
        self.assertEqual(done.returncode, 1)
        self.assertIn("work", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
