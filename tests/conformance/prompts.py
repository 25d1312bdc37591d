# SPDX-License-Identifier: LGPL-2.1-or-later
"""The shipped toolset's prompts and what is suggested for their arguments."""

import datetime
import pathlib
import re
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import tap  # noqa: E402
from server import LEGACY, Server, assert_known, make_maildir  # noqa: E402


class Prompts(unittest.TestCase):
    def test_prompts_name_tools_that_are_there(self):
        expected = {"triage_inbox", "summarise_thread", "draft_reply", "find_owed_answers"}
        for revision in LEGACY:
            with self.subTest(revision), Server() as postbag:
                postbag.initialize(revision)
                tools = {tool["name"] for tool in postbag.request("tools/list")["result"]["tools"]}
                prompts = {prompt["name"]: prompt
                           for prompt in postbag.request("prompts/list")["result"]["prompts"]}
                if "save_draft" not in tools:
                    expected.discard("draft_reply")
                self.assertEqual(set(prompts), expected)
                for prompt in prompts.values():
                    assert_known(self, revision, "Prompt", prompt)
                    arguments = {argument["name"]: "7" for argument in prompt["arguments"]
                                 if argument["name"] != "since"}
                    result = postbag.request("prompts/get", {"name": prompt["name"],
                                                             "arguments": arguments})["result"]
                    text = result["messages"][0]["content"]["text"]
                    self.assertIn("data", text)
                    self.assertNotIn("{", text)
                    self.assertLess(len(text), 3000)
                    named = set(re.findall(r"\b[a-z]+(?:_[a-z]+)+\b", text))
                    self.assertLessEqual(named - {"next_offset", "include_thread"}, tools)

    def test_arguments_are_looked_at(self):
        """A day and a number are what they are called; a day that is left out is put in."""
        with Server() as postbag:
            postbag.initialize()
            for name, arguments, expected in (
                    ("triage_inbox", {"since": "whenever"}, "YYYY-MM-DD"),
                    ("find_owed_answers", {"since": "2026-02-30"}, "YYYY-MM-DD"),
                    ("summarise_thread", {"uid": "abc"}, "uid"),
                    ("summarise_thread", {"uid": ""}, "uid"),
                    ("summarise_thread", {"uid": "0"}, "[1-9][0-9]{0,9}")):
                error = postbag.request("prompts/get", {"name": name,
                                                        "arguments": arguments})["error"]
                self.assertEqual(error["code"], -32602)
                self.assertIn(expected, error["message"])
            for name, days in (("triage_inbox", 3), ("find_owed_answers", 14)):
                texts = []
                before = datetime.datetime.now(datetime.timezone.utc)
                for arguments in ({}, {"since": ""}, {"since": "2026-02-28"}):
                    result = postbag.request("prompts/get", {"name": name, "arguments": arguments})
                    texts.append(result["result"]["messages"][0]["content"]["text"])
                after = datetime.datetime.now(datetime.timezone.utc)
                for text in texts[:2]:
                    self.assertIn(re.search("since (\\S+)\\.", text).group(1), [
                        str((one - datetime.timedelta(days)).date()) for one in (before, after)])
                self.assertIn("since 2026-02-28.", texts[2])

    def test_prompts_go_with_each_of_their_tools(self):
        for denied, left in (("save_draft", {"triage_inbox", "summarise_thread",
                                             "find_owed_answers"}),
                             ("list_mailboxes", {"triage_inbox", "summarise_thread",
                                                 "draft_reply"}),
                             ("list_messages", {"summarise_thread", "draft_reply"}),
                             ("get_message", set())):
            with self.subTest(denied), Server(arguments=["--allow-write"], environment={
                    "IMAP_DENY_TOOLS": denied}) as postbag:
                capabilities = postbag.initialize()["capabilities"]
                self.assertEqual("prompts" in capabilities, bool(left))
                listed = (postbag.request("prompts/list")["result"]["prompts"] if left else [])
                self.assertEqual({prompt["name"] for prompt in listed}, left)

    def test_mailboxes_are_suggested(self):
        with Server(arguments=["--allow-write"]) as postbag:
            postbag.initialize()
            paths = [mailbox["path"] for mailbox
                     in postbag.call("list_mailboxes")["structuredContent"]["mailboxes"]]
            self.assertEqual(len(paths), 6)
            for prompt in ("triage_inbox", "summarise_thread", "draft_reply", "find_owed_answers"):
                self.assertEqual(self.complete(postbag, prompt, "mailbox", ""), paths)
            self.assertEqual(self.complete(postbag, "triage_inbox", "mailbox", "jUn"), ["Junk"])
            self.assertEqual(self.complete(postbag, "triage_inbox", "mailbox", "nowhere"), [])
            self.assertEqual(self.complete(postbag, "triage_inbox", "since", "2026"), [])

    def test_mailboxes_are_suggested_by_their_last_level(self):
        with tempfile.TemporaryDirectory() as folder:
            maildir = pathlib.Path(folder)
            make_maildir(maildir, 1)
            for name in ("Alpha", "Work.Alphabet", "Work.Beta"):
                (maildir / f".{name}").mkdir()
                make_maildir(maildir / f".{name}", 0)
            with Server(maildir) as postbag:
                postbag.initialize()
                values = self.complete(postbag, "triage_inbox", "mailbox", "alpha")
                self.assertEqual([re.sub(r"\W", ".", value) for value in values],
                                 ["Alpha", "Work.Alphabet"])

    def test_suggestions_tell_no_more_than_the_tools(self):
        with Server(environment={"IMAP_DENY_TOOLS": "list_mailboxes"}) as postbag:
            postbag.initialize()
            self.assertEqual(self.complete(postbag, "triage_inbox", "mailbox", ""), [])

    @staticmethod
    def complete(postbag, prompt, argument, value):
        completion = postbag.request("completion/complete", {
            "ref": {"type": "ref/prompt", "name": prompt},
            "argument": {"name": argument, "value": value}})["result"]["completion"]
        assert completion["total"] == len(completion["values"]) and not completion["hasMore"]
        return completion["values"]

    def test_prompts_without_their_tools_are_not_listed(self):
        with Server(environment={"IMAP_ALLOW_TOOLS": "list_mailboxes,list_messages"}) as postbag:
            capabilities = postbag.initialize()["capabilities"]
            self.assertEqual(len(postbag.request("tools/list")["result"]["tools"]), 2)
            self.assertNotIn("prompts", capabilities)
            self.assertEqual(postbag.request("prompts/list")["error"]["code"], -32601)


if __name__ == "__main__":
    tap.main()
