# SPDX-License-Identifier: LGPL-2.1-or-later
"""The guarded tools that change mail, with the real program, on a Maildir and on a real Dovecot.

Clients of each era ask the person, or cannot; the person accepts, declines, cancels, answers twice
or for another target. What happened is read from the mail itself: by the reading tools, and, of
drafts, by Python's own email package.
"""

import email
import email.policy
import fcntl
import imaplib
import json
import mailbox
import os
import pathlib
import re
import shutil
import ssl
import subprocess
import sys
import tempfile
import time
import unittest

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "conformance")]

import tap  # noqa: E402
import server as stdio  # noqa: E402

WRITE_TOOLS = {"set_message_flags", "move_messages", "delete_messages", "manage_mailbox",
               "save_draft"}
ASKS = {"elicitation": {}}
YES = {"action": "accept", "content": {"confirm": True}}
ANSWERS_THAT_REFUSE = [{"action": "decline"}, {"action": "cancel"},
                       {"action": "accept", "content": {"confirm": False}},
                       {"action": "accept", "content": {"confirm": "true"}}, {"action": "accept"}]


def make(number):
    return (f"From: Ada <ada@example.org>\nTo: bob@example.org\nSubject: m{number}\n"
            f"Message-ID: <{number}@example.org>\nDate: Tue, 08 Sep 2026 09:05:00 +0200\n\n"
            f"Text {number}\n").encode()


class Base:
    """What both kinds of mail have in common."""

    arguments = ["--allow-write"]

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="postbag-changes-")
        self.state = os.path.join(self.folder, "state")
        self.prepare()
        self.servers = []

    def tearDown(self):
        for one in self.servers:
            one.__exit__(None)
        self.finish()
        shutil.rmtree(self.folder)

    def open(self, *arguments, capabilities=None, modern=False, **environment):
        one = stdio.Server(self.maildir, [*self.arguments, *arguments],
                           {"POSTBAG_VALIDATE_RESULTS": "true", "POSTBAG_STATE_DIR": self.state,
                            **self.environment, **environment})
        if not modern:
            one.initialize(capabilities=capabilities)
        self.servers.append(one)
        return one

    # --- calls ---

    def list(self, mailbox_name="INBOX"):
        """uid by subject"""
        reader = self.servers[0] if self.servers else self.open()
        result = reader.call("list_messages", {"mailbox": mailbox_name},
                             modern=reader in self.moderns)
        return {one["subject"]: one["uid"] for one in result["structuredContent"]["messages"]}

    moderns = ()

    def good(self, result):
        self.assertNotIn("isError", result, result)
        return result["structuredContent"]

    def bad(self, result, words):
        self.assertTrue(result.get("isError"), result)
        self.assertNotIn("structuredContent", result)
        text = result["content"][0]["text"]
        self.assertIn(words, text)
        return text

    def by_token(self, server, tool, arguments):
        """Calls twice, as a client does that cannot ask."""
        text = self.bad(server.call(tool, arguments), "confirm_token")
        token = re.search(r"“([0-9a-f]{32})”", text).group(1)
        return server.call(tool, {**arguments, "confirm_token": token})

    def ask(self, server, tool, arguments, answers):
        """A legacy call, each question answered with the next of @answers; the result, questions"""
        server.next_id += 1
        identity = server.next_id
        server.send({"jsonrpc": "2.0", "id": identity, "method": "tools/call",
                     "params": {"name": tool, "arguments": arguments}})
        questions = []
        while True:
            message = server.receive()
            if message.get("method") == "elicitation/create":
                questions.append(message["params"]["message"])
                for answer in answers:
                    server.send({"jsonrpc": "2.0", "id": message["id"], "result": answer})
            elif message.get("id") == identity:
                return message["result"], questions

    # --- tests ---

    def test_absent_unless_writing(self):
        self.arguments = []
        server = self.open()
        names = {tool["name"] for tool in server.request("tools/list")["result"]["tools"]}
        self.assertFalse(names & WRITE_TOOLS)
        self.assertIn("list_new_messages", names)
        for tool in WRITE_TOOLS:
            answer = server.request("tools/call", {"name": tool, "arguments": {}})
            self.assertEqual(answer["error"]["code"], -32602)
            for way in ("--allow-write", "IMAP_READ_ONLY=false"):
                self.assertIn(way, answer["error"]["message"])

    def test_new_messages(self):
        """Handed over is what was in an answer, once; \\Seen is never touched."""
        server = self.open()
        first = self.good(server.call("list_new_messages", {"dry_run": True}))
        self.assertEqual((first["total_new"], first["returned"], first["marked"]), (4, 4, 0))
        page = self.good(server.call("list_new_messages", {"limit": 3}))
        self.assertEqual([one["subject"] for one in page["messages"]], ["m4", "m3", "m2"])
        self.assertEqual((page["marked"], page["more_waiting"]), (3, True))
        rest = self.good(server.call("list_new_messages", {}))
        self.assertEqual([one["subject"] for one in rest["messages"]], ["m1"])
        self.assertEqual(self.good(server.call("list_new_messages", {}))["total_new"], 0)
        listed = self.good(server.call("list_messages", {"keyword": "AiSeen"}))
        self.assertEqual(listed["total_matching"], 4)
        self.assertFalse(any(one["seen"] for one in listed["messages"]))

    def test_new_messages_again(self):
        """Taking the keyword away makes a message new again; another process knows, too."""
        self.good(self.open().call("list_new_messages", {}))
        other = self.open()
        self.assertEqual(self.good(other.call("list_new_messages", {}))["total_new"], 0)
        uid = self.list()["m2"]
        self.good(other.call("set_message_flags", {"uids": [uid], "remove": ["AiSeen"]}))
        again = self.good(other.call("list_new_messages", {}))
        self.assertEqual([one["uid"] for one in again["messages"]], [uid])

    # --- new messages whose answer reaches nobody: rather listed twice than never ---

    def start(self):
        """A server that has been greeted, and that this test reads or not."""
        environment = stdio.make_environment(self.folder, POSTBAG_STATE_DIR=self.state,
                                             **self.environment)
        process = subprocess.Popen(
            [stdio.PROGRAM, *self.arguments, *(["--maildir", self.maildir] if self.maildir else [])],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env=environment)
        self.addCleanup(process.stdin.close)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.say(process, 1, "initialize", {"protocolVersion": "2025-11-25", "capabilities": {},
                                            "clientInfo": {"name": "x", "version": "1"}})
        self.assertIn(b'"id":1', process.stdout.readline())
        process.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        return process

    def say(self, process, number, method, params):
        process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method,
                                        "params": params}).encode() + b"\n")
        process.stdin.flush()

    def expect_all_new(self):
        server = self.open()
        page = self.good(server.call("list_new_messages", {}))
        self.assertEqual((page["total_new"], page["returned"], page["marked"]), (4, 4, 4))
        self.assertEqual(self.good(server.call("list_new_messages", {}))["total_new"], 0)

    def test_new_messages_for_a_client_that_left(self):
        process = self.start()
        process.stdout.close()
        self.say(process, 2, "tools/call", {"name": "list_new_messages", "arguments": {}})
        process.wait(stdio.PATIENCE)
        self.expect_all_new()

    def test_new_messages_when_killed_before_the_answer_left(self):
        """The pipe is full and nobody reads it: the marks are there, the answer is not."""
        process = self.start()
        fcntl.fcntl(process.stdout, fcntl.F_SETPIPE_SZ, 4096)
        for number in range(2, 12):
            self.say(process, number, "tools/list", {})
        self.say(process, 12, "tools/call", {"name": "list_new_messages", "arguments": {}})
        reader = self.open()
        deadline = time.monotonic() + stdio.PATIENCE
        while self.good(reader.call("list_messages", {"keyword": "AiSeen"}))["total_matching"] < 4:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)
        process.kill()
        process.wait()
        self.expect_all_new()

    def test_new_messages_of_two_servers_at_once(self):
        """Each is in at least one of the answers, and then in no other."""
        servers = [self.open() for _ in range(3)]
        for one in servers:
            one.next_id += 1
            one.send({"jsonrpc": "2.0", "id": one.next_id, "method": "tools/call",
                      "params": {"name": "list_new_messages", "arguments": {"limit": 3}}})
        shown = set()
        for one in servers:
            result = self.good(one.receive()["result"])
            self.assertEqual(result["marked"], result["returned"])
            shown |= {message["subject"] for message in result["messages"]}
        rest = self.good(servers[0].call("list_new_messages", {}))
        self.assertEqual(shown | {one["subject"] for one in rest["messages"]},
                         {"m1", "m2", "m3", "m4"})
        for one in servers:
            self.assertEqual(self.good(one.call("list_new_messages", {}))["total_new"], 0)

    def test_new_messages_that_one_answer_cannot_hold(self):
        """What was left out stays new: each is shown once, whatever the page was to hold."""
        people = ", ".join(f"Name Surname{number} <n{number}@example.org>" for number in range(120))
        self.deliver([make(number).replace(b"To: bob@example.org", b"To: " + people.encode())
                      for number in range(5, 85)])
        server = self.open()
        shown, calls = [], 0
        while True:
            page = self.good(server.call("list_new_messages", {"limit": 200}))
            self.assertEqual(page["marked"], page["returned"])
            self.assertEqual(page["returned"], len(page["messages"]))
            self.assertEqual(page["more_waiting"], page["total_new"] > page["returned"])
            if not page["messages"]:
                break
            calls += 1
            shown += [one["subject"] for one in page["messages"]]
        self.assertGreater(calls, 1)
        self.assertEqual(sorted(shown), sorted(f"m{number}" for number in range(1, 85)))

    def test_flags(self):
        server = self.open()
        uid = self.list()["m1"]
        result = self.good(server.call("set_message_flags", {
            "uids": [uid, 4000000], "add": ["\\Flagged", "\\seen", "Work"], "remove": ["\\Draft"]}))
        self.assertEqual(result["uids"], [uid])
        listed = self.good(server.call("list_messages", {"flagged": True, "keyword": "Work"}))
        self.assertEqual([one["uid"] for one in listed["messages"]], [uid])
        self.assertTrue(listed["messages"][0]["seen"])

    def test_flag_deleted_is_refused(self):
        """set_message_flags could delete without a question (fault 52)."""
        server = self.open()
        uid = self.list()["m1"]
        for flag in ("\\Deleted", "\\DELETED", "\\deleted"):
            self.bad(server.call("set_message_flags", {"uids": [uid], "add": [flag]}),
                     "delete_messages")
        self.bad(server.call("set_message_flags", {"uids": [uid]}), "at least one")
        self.good(server.call("set_message_flags", {"uids": [uid], "remove": ["\\Deleted"]}))

    def test_move_by_token(self):
        server = self.open()
        uid = self.list()["m1"]
        arguments = {"uids": [uid, uid], "destination": "Archive"}
        self.assertEqual(self.good(self.by_token(server, "move_messages", arguments)),
                         {"action": "moved", "source": "INBOX", "destination": "Archive",
                          "uids": [uid]})
        self.assertEqual((list(self.list("Archive")), "m1" in self.list()), (["m1"], False))
        self.bad(server.call("move_messages", arguments), "Nothing was changed")

    def test_copy_asks_with_a_key_of_its_own(self):
        """A copy discloses, so it asks, and an answer for a move is none for it (fault 53)."""
        server = self.open()
        uid = self.list()["m1"]
        arguments = {"uids": [uid], "destination": "Archive"}
        text = self.bad(server.call("move_messages", arguments), "move_messages")
        token = re.search(r"“([0-9a-f]{32})”", text).group(1)
        self.bad(server.call("move_messages", {**arguments, "mode": "copy",
                                               "confirm_token": token}), "something else")
        copied = self.good(self.by_token(server, "move_messages", {**arguments, "mode": "copy"}))
        self.assertEqual(copied["action"], "copied")
        self.assertEqual(list(self.list("Archive")), ["m1"])
        self.assertIn("m1", self.list())

    def test_into_the_same_mailbox(self):
        """Refused before anybody is asked, however INBOX is spelled."""
        uid, server = self.list()["m1"], self.servers[0]
        for mode in ("move", "copy"):
            self.bad(server.call("move_messages", {"uids": [uid], "destination": "inbox",
                                                   "mode": mode}), "already are in")
        self.assertEqual(self.list()["m1"], uid)

    def test_wrong_token_is_refused(self):
        """With the reason, and without a new token (fault 39); for another target, used twice."""
        server, uids = self.open(), self.list()
        arguments = {"uids": [uids["m1"]], "destination": "Archive", "mode": "copy"}
        text = self.bad(server.call("move_messages", arguments), "confirm_token")
        token = re.search(r"“([0-9a-f]{32})”", text).group(1)
        for other in ({"uids": [uids["m2"]]}, {"uids": [uids["m1"], uids["m2"]]},
                      {"destination": "Trash"}):
            text = self.bad(server.call("move_messages",
                                        {**arguments, **other, "confirm_token": token}),
                            "Nothing was changed")
            self.assertIsNone(re.search(r"“[0-9a-f]{32}”", text))
        self.bad(server.call("move_messages", {**arguments, "confirm_token": "0" * 32}),
                 "Nothing was changed")
        self.good(server.call("move_messages", {**arguments, "confirm_token": token}))
        self.bad(server.call("move_messages", {**arguments, "confirm_token": token}),
                 "used already")

    def test_names_share_no_confirmation(self):
        """`:` in a name let two different moves share a token (fault 19)."""
        server, pairs = self.open(), [("a:b", "c"), ("a", "b:c")]
        for name in ("a:b", "c", "a", "b:c"):
            self.good(server.call("manage_mailbox", {"action": "create", "mailbox": name}))
        tokens = []
        for source, destination in pairs:
            self.good(self.by_token(server, "move_messages", {
                "uids": [self.list()["m1"]], "destination": source, "mode": "copy"}))
            text = self.bad(server.call("move_messages", {
                "uids": [1], "mailbox": source, "destination": destination}), "confirm_token")
            tokens.append(re.search(r"“([0-9a-f]{32})”", text).group(1))
        self.bad(server.call("move_messages", {
            "uids": [1], "mailbox": pairs[1][0], "destination": pairs[1][1],
            "confirm_token": tokens[0]}), "something else")

    def test_unknown_destination(self):
        server = self.open()
        uid = self.list()["m1"]
        text = self.bad(server.call("move_messages", {"uids": [uid], "destination": "Nowhere"}),
                        "Nowhere")
        self.assertNotIn("confirm_token", text)
        self.assertNotIn("create_", text)
        self.assertEqual(len(self.list()), 4)

    def test_delete_goes_to_trash(self):
        server = self.open()
        uid = self.list()["m3"]
        text = self.bad(server.call("delete_messages", {"uids": [uid]}), "Trash")
        self.assertIn(str(uid), text)
        self.assertNotIn("m3", text)
        result = self.good(self.by_token(server, "delete_messages", {"uids": [uid]}))
        self.assertEqual(result["moved_to"], "Trash")
        self.assertEqual(list(self.list("Trash")), ["m3"])
        self.bad(server.call("delete_messages", {"uids": [1], "mailbox": "Trash"}),
                 "already are in “Trash”")

    def test_purge_where_granted(self):
        server = self.open("--allow-purge")
        uid = self.list()["m3"]
        self.bad(server.call("delete_messages", {"uids": [uid]}), "for good")
        result = self.good(self.by_token(server, "delete_messages", {"uids": [uid]}))
        self.assertNotIn("moved_to", result)
        self.assertEqual(self.list("Trash"), {})
        self.assertNotIn("m3", self.list())

    def test_mailboxes(self):
        server = self.open()
        self.good(server.call("manage_mailbox", {"action": "create", "mailbox": "Plans"}))
        self.bad(server.call("manage_mailbox", {"action": "create", "mailbox": "a%b"}), "mailbox")
        self.bad(server.call("manage_mailbox", {"action": "rename", "mailbox": "Plans"}),
                 "new_name")
        renamed = {"action": "rename", "mailbox": "Plans", "new_name": "Ideas"}
        self.assertEqual(self.good(self.by_token(server, "manage_mailbox", renamed)), renamed)
        uid = self.list()["m1"]
        self.good(self.by_token(server, "move_messages", {"uids": [uid], "destination": "Ideas"}))
        self.bad(server.call("manage_mailbox", {"action": "delete", "mailbox": "Ideas"}), "purge")
        self.assertEqual(list(self.list("Ideas")), ["m1"])
        self.good(server.call("manage_mailbox", {"action": "create", "mailbox": "Empty"}))
        self.good(self.by_token(server, "manage_mailbox", {"action": "delete", "mailbox": "Empty"}))
        self.bad(server.call("manage_mailbox", {"action": "delete", "mailbox": "inbox"}), "inbox")

    def test_more_mail_than_somebody_said_yes_to(self):
        server = self.open("--allow-purge")
        uids = self.list()
        delete = {"action": "delete", "mailbox": "Plans"}
        self.good(server.call("manage_mailbox", {"action": "create", "mailbox": "Plans"}))
        copy = {"mode": "copy", "destination": "Plans"}
        self.good(self.by_token(server, "move_messages", {**copy, "uids": [uids["m1"]]}))
        text = self.bad(server.call("manage_mailbox", delete), "1 messages")
        token = re.search(r"“([0-9a-f]{32})”", text).group(1)
        self.good(self.by_token(server, "move_messages", {**copy, "uids": [uids["m2"]]}))
        self.bad(server.call("manage_mailbox", {**delete, "confirm_token": token}), "token")
        self.assertEqual(set(self.list("Plans")), {"m1", "m2"})
        self.good(self.by_token(server, "manage_mailbox", delete))

    def test_wrong_token_of_a_rename_asks_again(self):
        server = self.open()
        self.good(server.call("manage_mailbox", {"action": "create", "mailbox": "Plans"}))
        arguments = {"action": "rename", "mailbox": "Plans", "new_name": "Ideas",
                     "confirm_token": "0" * 32}
        text = self.bad(server.call("manage_mailbox", arguments), "Nothing was changed")
        token = re.search(r"“([0-9a-f]{32})”", text).group(1)
        self.good(server.call("manage_mailbox", {**arguments, "confirm_token": token}))

    def test_draft(self):
        server = self.open()
        uid = self.list()["m1"]
        body = "Grüße,\n\n" + "lang " * 400 + "\n.\nFrom here\n"
        result = self.good(server.call("save_draft", {
            "to": ["ann@example.org"], "cc": ["b@example.net"], "bcc": ["c@bücher.example", "d..e@example.org"],
            "subject": "Größe " * 40, "body": body, "reply_to_uid": uid}))
        self.assertEqual((result["action"], result["mailbox"], result["recipients"]),
                         ("draft_saved", "Drafts",
                          ["ann@example.org", "b@example.net", "c@xn--bcher-kva.example",
                           '"d..e"@example.org']))
        raw = self.read_only_file("Drafts")
        self.assertTrue(all(len(line) <= 998 for line in raw.splitlines()))
        draft = email.message_from_bytes(raw, policy=email.policy.default)
        self.assertEqual(draft["Subject"], ("Größe " * 40).rstrip() + " ")
        self.assertEqual(draft["To"], "ann@example.org")
        self.assertIn(b'"d..e"@example.org', raw)
        self.assertEqual([a.addr_spec for a in draft["Bcc"].addresses],
                         ["c@xn--bcher-kva.example", "d..e@example.org"])
        self.bad(server.call("save_draft", {
            "to": ["=?utf-8?q?x?=@example.org"], "subject": "x", "body": "x"}), "encoded word")
        self.assertEqual(draft["In-Reply-To"], "<1@example.org>")
        self.assertEqual(draft["References"], "<1@example.org>")
        self.assertEqual(draft.get_content().replace("\r\n", "\n"), body)
        self.assertTrue(str(draft["Date"]).endswith("+0000"))
        listed = self.good(server.call("list_messages", {"mailbox": "Drafts"}))
        self.assertLessEqual({"\\Draft", "\\Seen"}, set(listed["messages"][0]["flags"]))

    def save(self, server):
        """The sender of a draft, and what was said of it"""
        result = self.good(server.call("save_draft", {"to": ["ann@example.org"], "subject": "x",
                                                      "body": "y"}))
        draft = email.message_from_bytes(self.read_only_file("Drafts"), policy=email.policy.default)
        return draft["From"], result["note"]

    def test_draft_has_the_configured_sender(self):
        sender, note = self.save(self.open(POSTBAG_ADDRESS="bob@example.net"))
        self.assertEqual(sender, "bob@example.net")
        self.assertNotIn("POSTBAG_ADDRESS", note)

    def test_draft_refused(self):
        """No value can add a header or a recipient."""
        server = self.open()
        good = {"to": ["ann@example.org"], "subject": "x", "body": "y"}
        for wrong in ({"subject": "x\nBcc: d@example.org"}, {"subject": "x\r"},
                      {"to": ["ann@example.org\r\nBcc: d@example.org"]},
                      {"to": ["a@example.org, d@example.org"]}, {"to": ["a,b@example.org"]},
                      {"to": ["Ann <ann@example.org>"]}, {"to": ["ann@localhost"]},
                      {"to": ["a\u0000@example.org"]}, {"cc": ["a;b@example.org"]},
                      {"to": [("a" * 250) + "@example.org"]}, {"to": []},
                      {"reply_to_uid": 4000000}, {"reply_to_uid": 2 ** 40}):
            with self.subTest(wrong):
                answer = server.request("tools/call", {"name": "save_draft",
                                                       "arguments": {**good, **wrong}})
                self.assertTrue("error" in answer or answer["result"].get("isError"), answer)
        self.assertEqual(self.list("Drafts"), {})

    def test_stop(self):
        """Refused at once, reading goes on, and new mail is listed unmarked."""
        server = self.open()
        uid = self.list()["m1"]
        pathlib.Path(self.state, "STOP").touch()
        self.bad(server.call("set_message_flags", {"uids": [uid], "add": ["\\Seen"]}), "stopped")
        self.bad(server.call("move_messages", {"uids": [uid], "destination": "Archive"}), "stopped")
        new = self.good(server.call("list_new_messages", {}))
        self.assertEqual((new["returned"], new["marked"]), (4, 0))
        pathlib.Path(self.state, "STOP").unlink()
        self.good(server.call("set_message_flags", {"uids": [uid], "add": ["\\Seen"]}))

    def test_audit(self):
        """Operation, uids, names; never a subject, a sender or a body."""
        server = self.open()
        self.good(self.by_token(server, "move_messages",
                                {"uids": [self.list()["m1"]], "destination": "Archive"}))
        self.good(server.call("save_draft", {"to": ["ann@example.org"], "subject": "Seekrit",
                                             "body": "Seekrit"}))
        log = server.read_log()
        self.assertRegex(log, r"audit \S+ move account=.*mailbox=\"INBOX\" "
                              r"destination=\"Archive\" uids=\d+ outcome=done")
        self.assertRegex(log, r"audit \S+ append .*mailbox=\"Drafts\"")
        for word in ("Seekrit", "ann@", "ada@", "m1"):
            self.assertNotIn(word, log)

    # --- the person, legacy ---

    def test_person_accepts(self):
        server = self.open(capabilities=ASKS)
        uid = self.list()["m1"]
        result, questions = self.ask(server, "move_messages",
                                     {"uids": [uid], "destination": "Archive"}, [YES])
        self.good(result)
        self.assertEqual(len(questions), 1)
        self.assertIn("caller of the tool wrote them:\nTo: Archive", questions[0])
        self.assertIn("the configuration gave:\nFrom: INBOX", questions[0])
        self.assertNotIn("m1", questions[0])
        self.assertEqual(list(self.list("Archive")), ["m1"])

    def test_person_refuses(self):
        server = self.open(capabilities=ASKS)
        uid = self.list()["m1"]
        for tool, arguments in (("move_messages", {"uids": [uid], "destination": "Archive"}),
                                ("delete_messages", {"uids": [uid]}),
                                ("manage_mailbox", {"action": "delete", "mailbox": "Archive"})):
            for answer in ANSWERS_THAT_REFUSE:
                with self.subTest(f"{tool} {answer}"):
                    result, _ = self.ask(server, tool, arguments, [answer])
                    self.bad(result, "Nothing was changed")
        self.assertEqual(len(self.list()), 4)
        self.assertEqual(self.list("Archive"), {})

    def test_person_answers_twice(self):
        """The first answer counts; the second is for nobody."""
        server = self.open(capabilities=ASKS)
        uid = self.list()["m1"]
        result, _ = self.ask(server, "move_messages", {"uids": [uid], "destination": "Archive"},
                             [{"action": "decline"}, YES])
        self.bad(result, "Nothing was changed")
        self.assertEqual(len(self.list()), 4)

    def test_person_answers_late(self):
        """After the call was cancelled an answer changes nothing."""
        server = self.open(capabilities=ASKS)
        uid = self.list()["m1"]
        server.send({"jsonrpc": "2.0", "id": 77, "method": "tools/call", "params": {
            "name": "move_messages", "arguments": {"uids": [uid], "destination": "Archive"}}})
        question = server.receive()
        server.notify("notifications/cancelled", {"requestId": 77})
        server.send({"jsonrpc": "2.0", "id": question["id"], "result": YES})
        server.expect_alive()
        self.assertEqual(len(self.list()), 4)

    def test_token_is_no_way_around_the_person(self):
        """A client that can ask, does; a token from a client that cannot is not taken."""
        other = self.open()
        uid = self.list()["m1"]
        arguments = {"uids": [uid], "destination": "Archive"}
        text = self.bad(other.call("move_messages", arguments), "confirm_token")
        token = re.search(r"“([0-9a-f]{32})”", text).group(1)
        server = self.open(capabilities=ASKS)
        result, questions = self.ask(server, "move_messages",
                                     {**arguments, "confirm_token": token}, [{"action": "decline"}])
        self.assertEqual(len(questions), 1)
        self.bad(result, "Nothing was changed")

    def test_require_person(self):
        server = self.open("--require-person")
        uid = self.list()["m1"]
        self.bad(server.call("move_messages", {"uids": [uid], "destination": "Archive"}),
                 "without a person")
        self.good(server.call("set_message_flags", {"uids": [uid], "add": ["\\Seen"]}))

    def test_hostile_names_in_the_question(self):
        """On lines of their own, invisible characters out and spelled out beside (faults 33, 54)."""
        server = self.open(capabilities=ASKS)
        name = "Arch\u202eive\u200b ![x](b)"
        self.good(server.call("manage_mailbox", {"action": "create", "mailbox": name}))
        uids = [self.list()["m1"]]
        _, questions = self.ask(server, "move_messages", {"uids": uids, "destination": name},
                                [{"action": "decline"}])
        self.assertNotIn("\u202e", questions[0])
        self.assertNotIn("\u200b", questions[0])
        self.assertNotIn("![x]", questions[0].split("invisible")[0])
        self.assertIn("\\u202E", questions[0])
        self.assertNotIn("Arch", questions[0].split("\n")[0])

    # --- the person, 2026-07-28 ---

    def modern(self, server, arguments, more=None):
        params = {"name": "move_messages", "arguments": arguments, **(more or {})}
        answer = server.modern("tools/call", params, meta=stdio.envelope(capabilities=ASKS))
        return answer.get("result") or {"isError": True, "protocol": answer["error"]}

    def test_modern(self):
        server = self.open(modern=True)
        self.moderns = [server]
        uids = self.list()
        arguments = {"uids": [uids["m1"]], "destination": "Archive"}
        first = self.modern(server, arguments)
        self.assertEqual(first["resultType"], "input_required")
        key, = first["inputRequests"]
        yes = {"requestState": first["requestState"], "inputResponses": {key: YES}}
        # for another target: a fresh question, nothing changed
        self.assert_asks(self.modern(server, {**arguments, "uids": [uids["m2"]]}, yes))
        self.assertEqual(len(self.list()), 4)
        refused = self.modern(server, arguments)
        result = self.modern(server, arguments, {
            "requestState": refused["requestState"],
            "inputResponses": {key: {"action": "decline"}}})
        self.bad(result, "Nothing was changed")
        third = self.modern(server, arguments)
        yes = {"requestState": third["requestState"], "inputResponses": {key: YES}}
        self.good(self.modern(server, arguments, yes))
        self.assertEqual(list(self.list("Archive")), ["m1"])
        # replayed (fault 5): not again
        self.bad(self.modern(server, arguments, yes), "not in the mailbox")

    def assert_asks(self, result):
        self.assertEqual(result.get("resultType"), "input_required", result)

    def test_modern_states_of_others(self):
        """Forged, of another tool, of another server: no answer, so the question comes afresh."""
        server = self.open(modern=True)
        self.moderns = [server]
        uid = self.list()["m1"]
        arguments = {"uids": [uid], "destination": "Archive"}
        deletion = server.modern("tools/call", {"name": "delete_messages",
                                                "arguments": {"uids": [uid]}},
                                 meta=stdio.envelope(capabilities=ASKS))["result"]
        other = self.open(modern=True, POSTBAG_STATE_DIR=os.path.join(self.folder, "other"))
        foreign = self.modern(other, arguments)
        asked = self.modern(server, arguments)
        state = asked["requestState"]
        yes = {key: YES for key in [*asked["inputRequests"], *deletion["inputRequests"]]}
        for one in (deletion["requestState"], foreign["requestState"], "AAAA" * 20, "", "x",
                    state + "-TAMPERED", state[:-4] + "AAAA", state.swapcase()):
            with self.subTest(one):
                self.assert_asks(self.modern(server, arguments, {
                    "requestState": one, "inputResponses": yes}))
        self.assertEqual(len(self.list()), 4)
        self.assertEqual(self.list("Archive"), {})
        self.good(self.modern(server, arguments, {"requestState": state,
                                                  "inputResponses": yes}))
        self.assertEqual(list(self.list("Archive")), ["m1"])


class OnMaildir(Base, unittest.TestCase):
    environment = {}

    def prepare(self):
        self.maildir = os.path.join(self.folder, "Maildir")
        root = mailbox.Maildir(self.maildir, create=True)
        for number in range(1, 5):
            path = pathlib.Path(self.maildir, "new", f"{1788851100 + number}.M1P1.test")
            path.write_bytes(make(number))
        for name in ("Archive", "Trash", "Drafts"):
            root.add_folder(name)

    def finish(self):
        pass

    def deliver(self, messages):
        for number, raw in enumerate(messages):
            pathlib.Path(self.maildir, "new", f"{1788852000 + number}.M1P1.test").write_bytes(raw)

    def read_only_file(self, name):
        path, = pathlib.Path(self.maildir, f".{name}", "cur").iterdir()
        return path.read_bytes()

    def test_draft_without_a_sender(self):
        """A folder has no user: the draft says so, and what would give it a sender."""
        sender, note = self.save(self.open())
        self.assertIsNone(sender)
        self.assertIn("POSTBAG_ADDRESS", note)

    def test_draft_of_each_account_has_its_own_sender(self):
        """The variable is for the only account: it puts no name on the mail of another."""
        path = pathlib.Path(self.folder, "postbag.conf")
        path.write_text(f"[account one]\npath={self.maildir}\naddress=one@example.org\n"
                        "read-only=false\n"
                        f"[account two]\npath={self.folder}/Other\nread-only=false\n")
        mailbox.Maildir(os.path.join(self.folder, "Other"), create=True).add_folder("Drafts")
        maildir, self.maildir = self.maildir, None
        server = self.open("--config", str(path), POSTBAG_ADDRESS="bob@example.net")
        self.maildir = maildir
        sender, _ = self.save(server)
        self.assertEqual(sender, "one@example.org")
        self.good(server.call("save_draft", {"to": ["ann@example.org"], "subject": "x", "body": "y",
                                             "account": "two"}))
        file, = pathlib.Path(self.folder, "Other/.Drafts/cur").iterdir()
        self.assertNotIn(b"From:", file.read_bytes())

    def test_many_keywords(self):
        """Keywords fill the mailbox's table: refused whole, and new mail is remembered all the
        same. Where it cannot be, the answer says so."""
        server = self.open()
        uid = self.list()["m1"]
        for number in range(1, 16):
            self.good(server.call("set_message_flags", {"uids": [uid], "add": [f"k{number}"]}))
        text = self.bad(server.call("set_message_flags",
                                    {"uids": [uid], "add": ["k16", "\\Flagged"]}), "is full")
        self.assertIn("Nothing was changed", text)
        self.assertNotIn("cannot be said", text)
        self.assertEqual(self.good(server.call("list_messages", {"flagged": True}))["returned"], 0)
        page = self.good(server.call("list_new_messages", {}))
        self.assertEqual((page["returned"], page["marked"]), (4, 4))
        self.assertEqual(self.good(server.call("list_new_messages", {}))["total_new"], 0)

        other = self.open(IMAP_SEEN_KEYWORD="Another")
        for _ in range(2):
            result = other.call("list_new_messages", {})
            page = self.good(result)
            self.assertEqual((page["total_new"], page["marked"]), (4, 0))
            for text in (result["content"][0]["text"], result["_meta"]["postbag/warnings"]):
                self.assertIn("4 of these 4 messages could not be remembered", text)
                self.assertIn("keyword table of this mailbox is full", text)
                self.assertIn("remove one that is not needed", text)
        self.good(server.call("set_message_flags", {"uids": [uid], "remove": ["k7"]}))
        result = other.call("list_new_messages", {})
        self.assertEqual(self.good(result)["marked"], 4)
        self.assertNotIn("could not be", result["content"][0]["text"])
        self.assertEqual(self.good(other.call("list_new_messages", {}))["total_new"], 0)

    def test_keywords_without_a_place(self):
        """A message is not moved where its keywords would be lost, and nobody is asked for that."""
        uids, server = self.list(), self.servers[0]
        for number in range(1, 16):
            self.good(server.call("set_message_flags",
                                  {"uids": [uids["m1"]], "add": [f"k{number}"]}))
        arguments = {"uids": [uids["m1"]], "destination": "Archive"}
        self.good(self.by_token(server, "move_messages", arguments))
        self.good(server.call("set_message_flags", {"uids": [uids["m2"]], "add": ["Mine"]}))
        text = self.bad(server.call("move_messages", {**arguments, "uids": [uids["m2"]]}), "“Mine”")
        self.assertNotIn("confirm_token", text)

    def test_renumbered(self):
        """The uids are given anew between listing and change: a conflict, not another message."""
        server = self.open()
        uid = self.list()["m1"]
        for path in pathlib.Path(self.state).rglob("uids.sqlite*"):
            path.unlink()
        self.bad(server.call("set_message_flags", {"uids": [uid], "add": ["\\Seen"]}), "anew")


class OnDovecot(Base, unittest.TestCase):
    maildir = None
    arguments = []

    @classmethod
    def setUpClass(cls):
        cls.dovecot = subprocess.Popen(
            [sys.executable, str(TESTS / "integration/imap/dovecot.py"), "--messages", "0",
             "--large", "0"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        line = cls.dovecot.stdout.readline()
        if not line:
            raise unittest.SkipTest("there is no Dovecot: apt-get install dovecot-imapd")
        cls.facts = json.loads(line)

    @classmethod
    def tearDownClass(cls):
        cls.dovecot.stdin.close()
        cls.dovecot.wait()
        cls.dovecot.stdout.close()

    @property
    def environment(self):
        facts = self.facts
        writes = {} if self.reading else {"IMAP_READ_ONLY": "false"}
        return {"IMAP_HOST": "localhost", "IMAP_PORT": str(facts["imaps"]),
                "IMAP_USER": facts["user"], "IMAP_PASSWORD": facts["password"],
                "POSTBAG_CA_FILE": facts["ca"], **writes}

    reading = False

    def test_absent_unless_writing(self):
        self.reading = True
        super().test_absent_unless_writing()

    def prepare(self):
        context = ssl.create_default_context(cafile=self.facts["ca"])
        self.client = imaplib.IMAP4_SSL("localhost", self.facts["imaps"], ssl_context=context)
        self.login()
        for name in ("Archive", "Plans", "Ideas", "Empty", "a:b", "b:c", "a", "c"):
            self.client.delete(f'"{name}"')
        for name in ("Trash", "Drafts", "Archive"):
            self.client.create(name)
        for name in ("INBOX", "Trash", "Drafts"):
            if int(self.client.select(name)[1][0]) > 0:
                self.client.store("1:*", "+FLAGS", "(\\Deleted)")
                self.client.expunge()
            self.client.close()
        for number in range(1, 5):
            self.client.append("INBOX", None, None, make(number).replace(b"\n", b"\r\n"))

    def test_draft_has_the_user_as_its_sender(self):
        sender, note = self.save(self.open())
        self.assertEqual(sender, self.facts["user"])
        self.assertNotIn("POSTBAG_ADDRESS", note)

    def login(self):
        secret = f"\0{self.facts['user']}\0{self.facts['password']}".encode()
        self.client.authenticate("PLAIN", lambda _: secret)

    def finish(self):
        self.client.logout()

    def deliver(self, messages):
        for raw in messages:
            self.client.append("INBOX", None, None, raw.replace(b"\n", b"\r\n"))

    def read_only_file(self, name):
        self.client.select(name, readonly=True)
        data = self.client.fetch("1", "(BODY.PEEK[])")[1][0][1]
        self.client.close()
        return data


if __name__ == "__main__":
    tap.main()
