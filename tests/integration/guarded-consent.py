# SPDX-License-Identifier: LGPL-2.1-or-later
"""Who may change mail, whole: each write tool, each kind of client, each answer, on a Maildir and on
a real Dovecot.

Clients of every revision that can ask the person, and that cannot; the person accepts, declines,
cancels, answers twice, late, for something else. What became of the mail is read by a second
program (the files themselves, imaplib). That an answer comes too late by the clock is tested where
the clock can be moved: tests/unit/mcp/test-ask.c.
"""

import email
import importlib.util
import itertools
import pathlib
import re
import sys
import unittest

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "conformance")]

import tap  # noqa: E402
import server as stdio  # noqa: E402

SPEC = importlib.util.spec_from_file_location("changes", TESTS / "integration/guarded-changes.py")
changes = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(changes)

ASKING = ["2025-06-18", "2025-11-25", stdio.MODERN]  # revisions in which a client can ask
SILENT = ["2024-11-05", "2025-03-26", "2025-11-25", stdio.MODERN]  # here: of clients that cannot
DECLINE = {"action": "decline"}
TOKEN = re.compile(r"“([0-9a-f]{32})”")


class Matrix:
    def prepare(self):
        super().prepare()
        self.add_mailboxes("Empty", "Plans")

    def start(self, revision, asks, *arguments):
        """A client of @revision; its servers are told in its own way."""
        modern = revision == stdio.MODERN
        self.open()  # reads what these clients cannot say
        uids = self.list()
        server = self.open(*arguments, modern=True)
        server.way = revision if asks else "token"
        server.is_modern = modern
        if not modern:
            server.revision = revision
            server.initialize(revision, changes.ASKS if asks else {})
        self.asked = {
            "move": ("move_messages", {"uids": [uids["m1"]], "destination": "Archive"}),
            "copy": ("move_messages", {"uids": [uids["m2"]], "destination": "Archive",
                                       "mode": "copy"}),
            "delete": ("delete_messages", {"uids": [uids["m3"]]}),
            "delete mailbox": ("manage_mailbox", {"action": "delete", "mailbox": "Empty"}),
        }
        self.rename = ("manage_mailbox", {"action": "rename", "mailbox": "Plans",
                                          "new_name": "Ideas"})
        self.unasked = [
            ("set_message_flags", {"uids": [uids["m4"]], "add": ["\\Flagged"]}),
            ("manage_mailbox", {"action": "create", "mailbox": "a"}),
            ("save_draft", {"to": ["ann@example.org"], "subject": "d", "body": "x"}),
        ]
        return server

    BEFORE = {"INBOX": ["m1", "m2", "m3", "m4"], "Archive": [], "Trash": [], "Drafts": [],
              "Empty": [], "Plans": []}
    AFTER = {"INBOX": ["m2", "m4"], "Archive": ["m1", "m2"], "Trash": ["m3"], "Drafts": [],
             "Plans": []}

    def expect(self, state):
        self.assertEqual(self.look(), state)

    def good(self, result):
        self.assertNotIn("isError", result, result)
        self.assertNotEqual(result.get("resultType"), "input_required", result)

    # --- one call of each kind of client ---

    def request(self, server, tool, arguments, more=None):
        if not server.is_modern:
            return server.call(tool, arguments)
        can = {} if server.way == "token" else changes.ASKS
        return server.modern("tools/call", {"name": tool, "arguments": arguments, **(more or {})},
                             meta=stdio.envelope(capabilities=can))["result"]

    def begin(self, server, tool, arguments):
        """What an answer is to be bound to: a token, or a state and its key"""
        result = self.request(server, tool, arguments)
        if server.way == "token" or tool == "rename":
            return {"confirm_token": TOKEN.search(self.bad(result, "confirm_token")).group(1)}
        self.assertEqual(result["resultType"], "input_required", result)
        key, = result["inputRequests"]
        return {"requestState": result["requestState"], "key": key}

    def end(self, server, tool, arguments, bound, answer):
        if "confirm_token" in bound:
            return self.request(server, tool, {**arguments, **bound})
        return self.request(server, tool, arguments,
                            {"requestState": bound["requestState"],
                             "inputResponses": {bound["key"]: answer}})

    def is_legacy(self, server):
        return server.way != "token" and not server.is_modern

    def change(self, server, tool, arguments, answer):
        if self.is_legacy(server):
            result, questions = self.ask(server, tool, arguments, [answer])
            self.assertEqual(len(questions), 1)
            return result
        return self.end(server, tool, arguments, self.begin(server, tool, arguments), answer)

    def all_ways(self):
        return [(revision, True) for revision in ASKING] + [(one, False) for one in SILENT]

    def each_way(self):
        for revision, asks in self.all_ways():
            with self.subTest(revision=revision, asks=asks):
                yield self.start(revision, asks)
            self.start_over()

    def start_over(self):
        """The mail as it was, and no server."""
        self.tearDown()
        self.setUp()

    # --- what is asked ---

    def test_accepted(self):
        """Happens once, whatever is sent again."""
        for server in self.each_way():
            for tool, arguments in self.asked.values():
                if self.is_legacy(server):
                    result, _ = self.ask(server, tool, arguments, [changes.YES, changes.YES])
                    self.good(result)
                    continue
                bound = self.begin(server, tool, arguments)
                self.good(self.end(server, tool, arguments, bound, changes.YES))
                again = self.end(server, tool, arguments, bound, changes.YES)
                self.assertTrue(again.get("isError") or again["resultType"] == "input_required")
            self.expect(self.AFTER)

    def test_nobody_is_asked_about_what_is_not_there(self):
        """No question, no token; where some are there, the question counts these."""
        for server in self.each_way():
            for name in ("move", "copy", "delete"):
                tool, arguments = self.asked[name]
                missing = {**arguments, "uids": [777, 778]}
                if self.is_legacy(server):
                    result, questions = self.ask(server, tool, missing, [changes.YES])
                    self.assertEqual(questions, [])
                else:
                    result = self.request(server, tool, missing)
                self.assertIsNone(TOKEN.search(self.bad(result, "not in the mailbox")))
            tool, arguments = self.asked["move"]
            some = {**arguments, "uids": [777, *arguments["uids"]]}
            if self.is_legacy(server):
                _, (text,) = self.ask(server, tool, some, [DECLINE])
            else:
                text = str(self.request(server, tool, some))
            self.assertIn("Move 1 message to another mailbox", text)
            self.assertIn("not in the mailbox (any more): 777", text)
            self.expect(self.BEFORE)

    def test_refused(self):
        for server in self.each_way():
            answers = changes.ANSWERS_THAT_REFUSE if server.way != "token" else []
            for (tool, arguments), answer in itertools.product(self.asked.values(), answers):
                result = self.change(server, tool, arguments, answer)
                if answer in answers[:3] or not server.is_modern:
                    self.bad(result, "Nothing was changed")
                else:  # no answer at all is asked for again
                    self.assertEqual(result["resultType"], "input_required")
            for tool, arguments in self.asked.values():
                if not self.is_legacy(server):
                    self.begin(server, tool, arguments)  # and nobody ever answers
            self.expect(self.BEFORE)

    def test_for_something_else(self):
        """An answer to one question is none to another."""
        for server in self.each_way():
            if self.is_legacy(server):
                self.cross_answers(server)
                self.expect({**self.BEFORE, "INBOX": ["m1", "m2", "m4"], "Trash": ["m3"]})
                continue
            for one, other in itertools.permutations(self.asked.values(), 2):
                result = self.end(server, *other, self.begin(server, *one), changes.YES)
                self.assertTrue(result.get("isError") or result["resultType"] == "input_required",
                                result)
            tool, arguments = self.asked["move"]
            bound = self.begin(server, tool, arguments)
            for more in ({"uids": [arguments["uids"][0] + 1]}, {"destination": "Trash"},
                         {"mode": "copy"}, {"uids": [*arguments["uids"], arguments["uids"][0] + 1]}):
                result = self.end(server, tool, {**arguments, **more}, bound, changes.YES)
                self.assertTrue(result.get("isError") or result["resultType"] == "input_required",
                                result)
            self.expect(self.BEFORE)

    def cross_answers(self, server):
        """Two questions at once, each with an answer of its own."""
        ids = {}
        for name in ("move", "delete"):
            tool, arguments = self.asked[name]
            server.send({"jsonrpc": "2.0", "id": name, "method": "tools/call",
                         "params": {"name": tool, "arguments": arguments}})
            ids[name] = server.receive()["id"]
        server.send({"jsonrpc": "2.0", "id": ids["delete"], "result": changes.YES})
        self.good(server.receive()["result"])
        server.send({"jsonrpc": "2.0", "id": ids["move"], "result": DECLINE})
        self.bad(server.receive()["result"], "Nothing was changed")
        for one in ids.values():
            server.send({"jsonrpc": "2.0", "id": one, "result": changes.YES})
        server.expect_alive()

    def test_after_the_call_was_cancelled(self):
        for revision in ASKING[:2]:
            with self.subTest(revision):
                server = self.start(revision, True)
                for tool, arguments in self.asked.values():
                    server.send({"jsonrpc": "2.0", "id": tool, "method": "tools/call",
                                 "params": {"name": tool, "arguments": arguments}})
                    question = server.receive()
                    server.notify("notifications/cancelled", {"requestId": tool})
                    told = server.receive()
                    self.assertEqual(told["method"], "notifications/cancelled")
                    server.send({"jsonrpc": "2.0", "id": question["id"], "result": changes.YES})
                    server.expect_alive()
                self.expect(self.BEFORE)
            self.start_over()

    def test_rename_takes_a_second_call_of_every_client(self):
        for server in self.each_way():
            tool, arguments = self.rename
            text = self.bad(self.request(server, tool, arguments), "confirm_token")
            self.expect(self.BEFORE)
            token = TOKEN.search(text).group(1)
            self.bad(self.request(server, tool, {**arguments, "new_name": "Other",
                                                 "confirm_token": token}), "Nothing was changed")
            self.expect(self.BEFORE)
            self.good(self.request(server, tool, {**arguments, "confirm_token": token}))
            self.bad(self.request(server, tool, {**arguments, "confirm_token": token}), "")
            renamed = {**self.BEFORE, "Ideas": []}
            del renamed["Plans"]
            self.expect(renamed)

    def test_what_nobody_is_asked_about(self):
        """Flags, a new mailbox, a draft: once, in each kind of client, also where a person must be
        asked for the rest."""
        for revision, asks in self.all_ways():
            with self.subTest(revision=revision, asks=asks):
                server = self.start(revision, asks, "--require-person")
                for tool, arguments in self.unasked:
                    self.good(self.request(server, tool, arguments))
                self.expect({**self.BEFORE, "Drafts": ["d"], "a": []})
            self.start_over()

    def test_a_person_is_required(self):
        """Clients that cannot ask change nothing, with no token; those that can, ask, also for a
        rename."""
        for revision, asks in self.all_ways():
            with self.subTest(revision=revision, asks=asks):
                server = self.start(revision, asks, "--require-person")
                for tool, arguments in (*self.asked.values(), self.rename):
                    if asks:
                        self.bad(self.change(server, tool, arguments, DECLINE),
                                 "Nothing was changed")
                        continue
                    text = self.bad(self.request(server, tool, arguments), "without a person")
                    self.assertIsNone(TOKEN.search(text))
                    self.bad(self.request(server, tool, {**arguments, "confirm_token": "0" * 32}),
                             "without a person")
                self.expect(self.BEFORE)
                if asks:
                    tool, arguments = self.asked["move"]
                    self.good(self.change(server, tool, arguments, changes.YES))
            self.start_over()


class OnMaildir(Matrix, changes.OnMaildir):
    def add_mailboxes(self, *names):
        for name in names:
            changes.mailbox.Maildir(self.maildir).add_folder(name)

    def look(self):
        root = pathlib.Path(self.maildir)
        found = {"INBOX": root, **{one.name[1:]: one for one in root.iterdir()
                                   if one.name.startswith(".") and (one / "cur").is_dir()}}
        return {name: sorted(email.message_from_bytes(path.read_bytes())["Subject"]
                             for kind in ("cur", "new") for path in (folder / kind).iterdir())
                for name, folder in found.items()}


class OnDovecot(Matrix, changes.OnDovecot):
    def list_names(self):
        return {line.decode().rsplit(" ", 1)[1].strip('"') for line in self.client.list()[1]
                if isinstance(line, bytes)}

    def add_mailboxes(self, *names):
        for name in names:
            self.client.create(name)
        self.others = self.list_names() - set(self.BEFORE)

    def look(self):
        found = {}
        for name in self.list_names() - self.others:
            count = int(self.client.select(f'"{name}"', readonly=True)[1][0])
            lines = self.client.fetch("1:*", "(BODY.PEEK[])")[1] if count else []
            found[name] = sorted(email.message_from_bytes(line[1])["Subject"]
                                 for line in lines if isinstance(line, tuple))
            self.client.close()
        return found


# The tests of that file are its own.
for kind in (OnMaildir, OnDovecot):
    for test in dir(kind):
        if test.startswith("test") and not hasattr(Matrix, test):
            setattr(kind, test, None)


if __name__ == "__main__":
    tap.main()
