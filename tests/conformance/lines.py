# SPDX-License-Identifier: LGPL-2.1-or-later
"""Lines in, lines out: the program as it is, over stdio, in every revision.

Each group names the rows of the protocol checklist it stands for by its subject. What comes out is
checked in server.py, whatever a test looks at.
"""

import base64
import json
import os
import pathlib
import random
import re
import signal
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import server  # noqa: E402
import tap  # noqa: E402
from server import (LEGACY, MODERN, PREFIX, SANITIZED, Server, assert_known,  # noqa: E402
                    envelope, make_maildir)

LONG = 20 if os.environ.get("POSTBAG_LONG") else 1
EXIT_SECONDS = 4.0 if SANITIZED else 1.0  # a leak check at the end takes its time


class Base(unittest.TestCase):
    """JSON-RPC itself."""

    def test_identities_come_back_as_they_were(self):
        with Server() as postbag:
            postbag.initialize()
            for identity in (1, "1", 0, -7, "", "ü\u2028", 9007199254740993, 9223372036854775807):
                with self.subTest(identity=identity):
                    answer = postbag.request("ping", {}, identity)
                    self.assertEqual(answer, {"jsonrpc": "2.0", "id": identity, "result": {}})

    def test_odd_identities_are_whole_or_refused(self):
        with Server() as postbag:
            postbag.initialize()
            for text in ('"a\\u0000b"', "12345678901234567890123", '"\\ud800"', "1.0", "1e3"):
                with self.subTest(identity=text):
                    postbag.write(b'{"jsonrpc":"2.0","id":%s,"method":"ping"}\n' % text.encode())
                    line = postbag.lines.get(timeout=server.PATIENCE)
                    answer = json.loads(line)
                    if "result" in answer:
                        self.assertIn(b'"id":' + text.encode(), line)
                    else:
                        self.assertEqual(answer["error"]["code"], -32600)
                    postbag.expect_alive()

    def test_what_is_no_request_is_refused(self):
        bad = ['{"jsonrpc":"2.0","id":null,"method":"ping"}', '{"id":1,"method":"ping"}',
               '{"jsonrpc":"1.0","id":1,"method":"ping"}', '{"jsonrpc":2.0,"id":1,"method":"ping"}',
               '{"jsonrpc":"2.0","id":1}', '{"jsonrpc":"2.0","id":1,"method":7}',
               '{"jsonrpc":"2.0","id":true,"method":"ping"}',
               '{"jsonrpc":"2.0","id":[],"method":"ping"}', "{}", "[]", "7", '"x"', "null", "true",
               '{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}',
               '{"jsonrpc":"2.0","id":1,"method":"ping","params":7}']
        with Server() as postbag:
            postbag.initialize()
            for line in bad:
                with self.subTest(line=line):
                    postbag.write(line.encode() + b"\n")
                    answer = json.loads(postbag.lines.get(timeout=server.PATIENCE))
                    self.assertIn(answer["error"]["code"], (-32600, -32602))
                    self.assertNotIn(None, [answer.get("id", 0)])
                    postbag.expect_alive()

    def test_what_is_no_json_is_refused(self):
        bad = [b"garbage", b"{", b'{"jsonrpc":"2.0","id":1,"method":"ping"', b"\xff\xfe{}",
               b'{"jsonrpc":"2.0","id":1,"method":"ping"}{"jsonrpc":"2.0","id":2,"method":"ping"}',
               b"[" * 100000, b'[{"":' * 50000, b"{'id':1}", b"/* x */{}", b'{"id":0x12}',
               b'{"id":012}', b'{"a":"\t"}', b'{"a":"\\q"}', b'{"id":1,}', b"NaN",
               b"\xef\xbb\xbf{}", b'{"a":"\xed\xa0\x80"}', b"\0",
               b'{"jsonrpc":"2.0"\0,"id":1,"method":"ping"}']
        with Server() as postbag:
            postbag.initialize()
            for line in bad:
                with self.subTest(line=line[:50]):
                    postbag.write(line + b"\n")
                    answer = json.loads(postbag.lines.get(timeout=server.PATIENCE))
                    self.assertIn(answer["error"]["code"], (-32700, -32600))
                    self.assertNotIn("id", answer)
                    postbag.expect_alive()

    def test_broken_requests_never_break_the_server(self):
        """Good requests with bytes changed, cut and doubled: whatever comes out is a valid
        message, and the server goes on."""
        source = random.Random(20261130)
        good = [json.dumps({"jsonrpc": "2.0", "id": 9, "method": method, "params": params})
                for method, params in (
                    ("initialize", {"protocolVersion": "2025-11-25", "capabilities": {},
                                    "clientInfo": {"name": "x", "version": "1"}}),
                    ("tools/list", {"_meta": envelope()}), ("tools/list", {}), ("ping", {}),
                    ("tools/call", {"name": "list_messages", "arguments": {"limit": 3}}),
                    ("tools/call", {"name": "get_message", "arguments": {"uid": 3},
                                    "_meta": {**envelope(), "progressToken": 1}}),
                    ("server/discover", {"_meta": envelope()}))]
        good += [json.dumps({"jsonrpc": "2.0", "id": 9, "method": method, "params": params})
                 for method, params in (
                     ("prompts/get", {"name": "triage_inbox", "arguments": {"mailbox": "x"}}),
                     ("prompts/list", {"_meta": envelope()}),
                     ("resources/read", {"uri": "imap://message/1/part/2"}))]
        good.append(json.dumps([{"jsonrpc": "2.0", "id": 1, "method": "ping"},
                                {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}]))
        for revision in [*LEGACY, MODERN]:
            with self.subTest(revision), Server(revision=revision) as postbag:
                if revision != MODERN:
                    postbag.initialize(revision)
                self.break_requests(postbag, good, source)

    def break_requests(self, postbag, good, source):
        for _ in range(LONG * 300):
            line = bytearray(source.choice(good).encode())
            for _ in range(source.randint(1, 4)):
                place = source.randrange(len(line))
                change = source.randrange(4)
                if change == 0:
                    line[place] = source.randrange(256)
                elif change == 1:
                    del line[place:place + source.randint(1, 9)]
                elif change == 2:
                    line[place:place] = line[place:place + source.randint(1, 20)]
                else:
                    line[place:place] = source.choice([b"\\u0000", b"null", b"1e9", b"[", b'"'])
                line = line or bytearray(b"x")
            postbag.write(bytes(line).replace(b"\n", b" ") + b"\n")
        postbag.write(b'{"jsonrpc":"2.0","id":"the last","method":"unheard/of"}\n')
        revision = postbag.revision
        while True:
            raw = postbag.lines.get(timeout=server.PATIENCE)
            self.assertIsNotNone(raw, postbag.read_log())
            messages = json.loads(raw)
            if isinstance(messages, list):
                self.assertEqual(revision, "2025-03-26")
            for message in messages if isinstance(messages, list) else [messages]:
                result = message.get("result", {})
                revision = result.get("protocolVersion", revision)
                self.check_broken(message, MODERN if "resultType" in result else revision)
                if message.get("id") == "the last":
                    return

    def check_broken(self, message, revision):
        """What is said of the message itself, whatever it was the answer to."""
        self.assertEqual(message["jsonrpc"], "2.0")
        self.assertEqual(len({"result", "error", "method"} & set(message)), 1, message)
        self.assertIsNotNone(message.get("id", 0))
        if "error" in message:
            if "id" not in message:
                revision = "2025-11-25"
            server.SCHEMAS.check(revision, ["JSONRPCErrorResponse", "JSONRPCError"], message)
            Server.check_code(message["error"]["code"], MODERN if
                              message["error"]["code"] in server.MODERN_CODES else revision)
        else:
            server.SCHEMAS.check(revision, ["JSONRPCResultResponse", "JSONRPCResponse"], message)

    def test_duplicate_members_are_refused(self):
        with Server() as postbag:
            postbag.initialize()
            postbag.write(b'{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}\n')
            answer = json.loads(postbag.lines.get(timeout=server.PATIENCE))
            self.assertIn(answer["error"]["code"], (-32700, -32600))
            postbag.expect_alive()

    def test_unreadable_lines_before_a_revision_are_not_answered(self):
        with Server() as postbag:
            for line in (b"garbage\n", b"[[[\n", b"{}\n"):
                postbag.write(line)
            postbag.expect_silence()

    def test_notifications_are_never_answered(self):
        with Server() as postbag:
            postbag.initialize()
            for method in ("notifications/initialized", "notifications/roots/list_changed",
                           "notifications/unheard_of", "ping", "tools/list", "unheard/of"):
                postbag.notify(method)
            postbag.notify("notifications/cancelled", {"requestId": 4711})
            postbag.notify("notifications/cancelled", {"requestId": {}})
            postbag.notify("notifications/cancelled")
            postbag.notify("notifications/progress", {"progressToken": 1, "progress": 1})
            postbag.expect_silence()

    def test_unasked_responses_are_ignored(self):
        with Server() as postbag:
            postbag.initialize()
            postbag.send({"jsonrpc": "2.0", "id": 77, "result": {}})
            postbag.send({"jsonrpc": "2.0", "id": "x", "error": {"code": 1, "message": "no"}})
            postbag.expect_silence()

    def test_unknown_methods(self):
        with Server() as postbag:
            postbag.initialize()
            for method in ("unheard/of", "", "tools/List", "server\u0000x", "x" * 100000):
                with self.subTest(method=method[:20]):
                    answer = postbag.request(method, {})
                    # A method that cannot be one is no request.
                    self.assertEqual(answer["error"]["code"],
                                     -32600 if "\0" in method else -32601)
                    self.assertLess(len(answer["error"]["message"]), 1000)
            self.assertEqual(postbag.modern("unheard/of")["error"]["code"], -32601)


class Handshake(unittest.TestCase):
    def test_known_versions_are_echoed(self):
        for revision in LEGACY:
            with self.subTest(revision), Server() as postbag:
                self.assertEqual(postbag.initialize(revision)["protocolVersion"], revision)

    def test_unknown_versions_get_the_last_legacy_one(self):
        for revision in ("1999-01-01", "2025-06-19", MODERN, "2027-01-01", "x"):
            with self.subTest(revision), Server() as postbag:
                self.assertEqual(postbag.initialize(revision)["protocolVersion"], "2025-11-25")

    def test_malformed_handshakes_are_refused(self):
        with Server() as postbag:
            for params in ({}, {"protocolVersion": 7, "capabilities": {}},
                           {"protocolVersion": "2025-11-25", "capabilities": []}):
                answer = postbag.request("initialize", params)
                self.assertEqual(answer["error"]["code"], -32602)
            postbag.initialize()
            self.assertTrue(postbag.request("tools/list", {})["result"]["tools"])

    def test_the_server_says_who_it_is(self):
        with Server() as postbag:
            result = postbag.initialize()
            self.assertRegex(result["serverInfo"]["version"], r"^\d+\.\d+")
            self.assertTrue(result["serverInfo"]["name"])
            self.assertIn("tools", result["capabilities"])
            self.check_icon(result["serverInfo"])
            self.assertIn("instruction", result["instructions"].lower())
            self.assertIn("(read only).", result["instructions"])
        with Server(arguments=["--allow-write", "--require-person"]) as postbag:
            text = postbag.initialize()["instructions"]
            self.assertIn("(may be read, organised, drafts saved).", text)
            self.assertIn("before the person has agreed", text)

    def check_icon(self, info):
        icon, = info["icons"]
        kind, _, data = icon["src"].partition(";base64,")
        self.assertEqual(kind, "data:" + icon["mimeType"])
        picture = xml.etree.ElementTree.fromstring(base64.b64decode(data, validate=True))
        self.assertEqual(picture.tag, "{http://www.w3.org/2000/svg}svg")

    def test_the_icon_is_shown_once(self):
        with Server(revision=MODERN) as postbag:
            key = PREFIX + "serverInfo"
            self.check_icon(postbag.modern("server/discover")["result"]["_meta"][key])
            self.assertNotIn("icons", postbag.modern("tools/list")["result"]["_meta"][key])

    def test_capabilities_are_what_answers(self):
        methods = {"tools": ["tools/list"], "resources": ["resources/list",
                                                          "resources/templates/list"],
                   "prompts": ["prompts/list"], "logging": ["logging/setLevel"],
                   "completions": ["completion/complete"]}
        with Server() as postbag:
            capabilities = postbag.initialize()["capabilities"]
            for capability, names in methods.items():
                for name in names:
                    answer = postbag.request(name, {"level": "info"} if "set" in name else {})
                    with self.subTest(name):
                        absent = answer.get("error", {}).get("code") == -32601
                        self.assertEqual(absent, capability not in capabilities)

    def test_ping_works_at_any_time(self):
        with Server() as postbag:
            postbag.expect_alive()
            postbag.initialize()
            postbag.expect_alive()

    def test_requests_before_the_handshake_are_refused(self):
        with Server() as postbag:
            for method in ("tools/list", "tools/call"):
                answer = postbag.request(method, {})
                self.assertEqual(answer["error"]["code"], -32602)
                self.assertIn("initialize", answer["error"]["message"])

    def test_a_second_handshake_settles_anew(self):
        with Server() as postbag:
            for revision in (LEGACY[0], LEGACY[-1]):
                self.assertEqual(postbag.initialize(revision)["protocolVersion"], revision)
            self.assertTrue(postbag.request("tools/list", {})["result"]["tools"])

    def test_fields_belong_to_the_revision(self):
        """Nothing is sent that the negotiated revision does not define."""
        for revision in LEGACY:
            with self.subTest(revision), Server() as postbag:
                started = postbag.initialize(revision)
                assert_known(self, revision, "Implementation", started["serverInfo"])
                assert_known(self, revision, "ServerCapabilities", started["capabilities"])
                for tool in postbag.request("tools/list", {})["result"]["tools"]:
                    assert_known(self, revision, "Tool", tool)
                    self.assertNotIn("x-postbag", tool)
                assert_known(self, revision, "CallToolResult", postbag.call("list_mailboxes"))

    def test_batches_are_refused(self):
        ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        with Server() as postbag:
            postbag.initialize()
            for batch in ([ping], [ping, ping], [{"jsonrpc": "2.0", "method": "x"}], []):
                postbag.write(json.dumps(batch).encode() + b"\n")
                answer = json.loads(postbag.lines.get(timeout=server.PATIENCE))
                self.assertEqual(answer["error"]["code"], -32600)
                postbag.expect_alive()


class Modern(unittest.TestCase):
    """2026-07-28: every request stands alone."""

    def test_discover(self):
        with Server(revision=MODERN) as postbag:
            result = postbag.modern("server/discover")["result"]
            self.assertEqual(result["supportedVersions"], [MODERN])
            self.assertEqual(result["resultType"], "complete")
            self.assertIn("tools", result["capabilities"])
            self.assertIn(PREFIX + "serverInfo", result["_meta"])

    def test_bad_envelopes_are_refused(self):
        good = envelope()
        bad = [{**good, PREFIX + "protocolVersion": 7},
               {key: good[key] for key in good if not key.endswith("clientCapabilities")},
               {key: good[key] for key in good if not key.endswith("protocolVersion")},
               {**good, PREFIX + "clientCapabilities": []},
               {**good, PREFIX + "clientCapabilities": "x"},
               {**good, PREFIX + "protocolVersion": None}]
        with Server(revision=MODERN) as postbag:
            for meta in bad:
                with self.subTest(meta=list(meta.values())):
                    answer = postbag.modern("server/discover", meta=meta)
                    self.assertEqual(answer["error"]["code"], -32602)
            for params in ({}, None):
                answer = postbag.request("server/discover", params)
                self.assertEqual(answer["error"]["code"], -32602)
            self.assertIn("result", postbag.modern("server/discover", meta={
                key: good[key] for key in good if not key.endswith("clientInfo")}))

    def test_unknown_versions_are_refused(self):
        with Server(revision=MODERN) as postbag:
            for version in ("v999.0.0", "2025-11-25", "2027-01-01", ""):
                for method in ("server/discover", "tools/list", "tools/call"):
                    with self.subTest(version=version, method=method):
                        error = postbag.modern(method, meta=envelope(version))["error"]
                        self.assertEqual(error["code"], -32022)
                        self.assertEqual(error["data"]["requested"], version)
                        self.assertEqual(error["data"]["supported"], [MODERN])

    def test_removed_methods_are_gone(self):
        with Server(revision=MODERN) as postbag:
            for method in ("initialize", "ping", "logging/setLevel", "resources/subscribe",
                           "resources/unsubscribe", "tasks/list", "tasks/get"):
                with self.subTest(method):
                    self.assertEqual(postbag.modern(method)["error"]["code"], -32601)

    def test_every_result_is_marked(self):
        with Server(revision=MODERN) as postbag:
            for method, params in (("server/discover", {}), ("tools/list", {}),
                                   ("tools/call", {"name": "list_mailboxes"}),
                                   ("tools/call", {"name": "get_message", "arguments": {}})):
                with self.subTest(method):
                    result = postbag.modern(method, params)["result"]
                    self.assertEqual(result["resultType"], "complete")
                    self.assertIn(PREFIX + "serverInfo", result["_meta"])

    def test_lists_carry_cache_hints(self):
        with Server(revision=MODERN) as postbag:
            for method in ("server/discover", "tools/list"):
                result = postbag.modern(method)["result"]
                self.assertIsInstance(result["ttlMs"], int)
                self.assertGreaterEqual(result["ttlMs"], 0)
                self.assertIn(result["cacheScope"], ("public", "private"))

    def test_processes_answer_alike(self):
        lists = []
        for _ in range(2):
            with Server(revision=MODERN) as postbag:
                postbag.modern("server/discover")
                lists.append(postbag.modern("tools/list", identity=1))
                lists.append(postbag.modern("tools/list", identity=1))
        for other in lists[1:]:
            self.assertEqual(json.dumps(other), json.dumps(lists[0]))

    def test_both_eras_on_one_connection(self):
        with Server() as postbag:
            self.assertIn("result", postbag.modern("server/discover"))
            postbag.initialize()
            modern = postbag.call("list_mailboxes", {}, modern=True)
            legacy = postbag.call("list_mailboxes", {})
            self.assertEqual(modern["structuredContent"], legacy["structuredContent"])
            self.assertIn("resultType", modern)
            self.assertNotIn("resultType", legacy)

    def test_batches_are_refused(self):
        with Server(revision=MODERN) as postbag:
            postbag.modern("server/discover")
            postbag.write(json.dumps([{"jsonrpc": "2.0", "id": 1, "method": "tools/list",
                                       "params": {"_meta": envelope()}}]).encode() + b"\n")
            answer = json.loads(postbag.lines.get(timeout=server.PATIENCE))
            self.assertEqual(answer["error"]["code"], -32600)

    def test_trace_context_is_tolerated(self):
        with Server(revision=MODERN) as postbag:
            meta = envelope(traceparent="00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                            tracestate="a=b", baggage="k=v")
            self.assertIn("result", postbag.modern("tools/list", meta=meta))


class Tools(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.postbag = Server()
        cls.postbag.initialize()
        cls.tools = {tool["name"]: tool
                     for tool in cls.postbag.request("tools/list", {})["result"]["tools"]}

    @classmethod
    def tearDownClass(cls):
        cls.postbag.__exit__(None)

    def test_list_is_complete_and_stable(self):
        lists = [self.postbag.request("tools/list", params, identity=5)
                 for params in ({}, {}, None)]
        self.assertEqual(json.dumps(lists[0]), json.dumps(lists[1]))
        self.assertEqual(json.dumps(lists[0]), json.dumps(lists[2]))
        self.assertNotIn("nextCursor", lists[0]["result"])
        for tool in lists[0]["result"]["tools"]:
            with self.subTest(tool["name"]):
                self.assertRegex(tool["name"], r"^[A-Za-z][A-Za-z0-9_]{0,39}$")
                self.assertGreater(len(tool["description"]), 40)
                self.assertTrue(tool["title"])
                for schema in (tool["inputSchema"], tool["outputSchema"]):
                    self.assertEqual(schema["type"], "object")

    def test_annotations_are_explicit(self):
        for tool in self.tools.values():
            with self.subTest(tool["name"]):
                hints = {key: value for key, value in tool["annotations"].items()
                         if key != "title"}
                self.assertEqual(set(hints), {"readOnlyHint", "destructiveHint", "idempotentHint",
                                              "openWorldHint"})
                self.assertEqual({type(value) for value in hints.values()}, {bool})

    def test_writing_is_absent_unless_granted(self):
        writing = {"set_message_flags", "move_messages", "delete_messages", "manage_mailbox",
                   "save_draft"}
        self.assertFalse(writing & set(self.tools))
        error = self.postbag.request("tools/call", {"name": "delete_messages",
                                                    "arguments": {"uids": [1]}})["error"]
        self.assertEqual(error["code"], -32602)

    def test_bad_cursors_are_refused(self):
        for cursor in ("x", "", "AAAA", "ü" * 5000):
            answer = self.postbag.request("tools/list", {"cursor": cursor})
            self.assertEqual(answer["error"]["code"], -32602)
        self.assertEqual(self.postbag.request("tools/list", {"cursor": 7})["error"]["code"], -32602)

    def test_unknown_tools_are_protocol_errors(self):
        for params in ({"name": "unheard_of"}, {"name": ""}, {"name": 7}, {},
                       {"name": "list_mailboxes", "arguments": []},
                       {"name": "list_mailboxes", "arguments": "x"}):
            with self.subTest(params=params):
                self.assertEqual(self.postbag.request("tools/call", params)["error"]["code"],
                                 -32602)

    def test_bad_arguments_are_results(self):
        for tool, arguments, word in (("get_message", {}, "uid"),
                                      ("get_message", {"uid": 0}, "uid"),
                                      ("get_message", {"uid": "abc"}, "uid"),
                                      ("get_message", {"uid": 1, "mailboxx": "INBOX"}, "mailbox"),
                                      ("list_messages", {"limit": 201}, "limit"),
                                      ("list_messages", {"since": "2026-02-30"}, "since")):
            with self.subTest(tool=tool, arguments=arguments):
                result = self.postbag.call(tool, arguments)
                self.assertTrue(result["isError"])
                self.assertNotIn("structuredContent", result)
                self.assertIn(word, result["content"][0]["text"])

    def test_missing_arguments_are_an_empty_object(self):
        result = self.postbag.call("list_mailboxes")
        self.assertNotIn("isError", {key for key in result if result[key] is True})
        self.assertEqual(len(result["structuredContent"]["mailboxes"]), 6)

    def test_results_conform_to_their_schemas(self):
        import jsonschema

        listed = self.postbag.call("list_messages", {"limit": 200})
        uids = [message["uid"] for message in listed["structuredContent"]["messages"]]
        self.assertEqual(len(uids), 26)
        calls = [("get_server_info", {}), ("list_mailboxes", {}), ("list_messages", {}),
                 ("list_messages", {"mailbox": "Junk"}), ("list_new_messages", {"dry_run": True})]
        calls += [("get_message", {"uid": uid, "include_thread": uid % 2 == 0}) for uid in uids]
        calls += [("get_attachments", {"uid": uid}) for uid in uids]
        for tool, arguments in calls:
            if tool not in self.tools:
                continue
            with self.subTest(tool=tool, arguments=arguments):
                result = self.postbag.call(tool, arguments)
                self.assertFalse(result.get("isError"), result["content"])
                schema = self.tools[tool]["outputSchema"]
                jsonschema.Draft202012Validator(schema).validate(result["structuredContent"])
                self.assertEqual(result["content"][0]["type"], "text")
                self.assertTrue(result["content"][0]["text"])

    def test_schemas_are_schemas(self):
        import jsonschema

        for tool in self.tools.values():
            for schema in (tool["inputSchema"], tool["outputSchema"]):
                jsonschema.Draft202012Validator.check_schema(schema)


class Running(unittest.TestCase):
    """Calls side by side, cancelled, watched."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.maildir = pathlib.Path(cls.folder.name) / "Maildir"
        cls.maildir.mkdir()
        make_maildir(cls.maildir, 2000)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_many_calls_at_once(self):
        with Server() as postbag:
            postbag.initialize()
            for number in range(100):
                postbag.send({"jsonrpc": "2.0", "id": f"c{number}", "method": "tools/call",
                              "params": {"name": "list_messages",
                                         "arguments": {"limit": 1 + number % 5}}})
            for number in reversed(range(100)):
                result = postbag.wait_for(f"c{number}")["result"]
                self.assertEqual(result["structuredContent"]["returned"], 1 + number % 5)

    def test_a_slow_call_holds_up_nobody(self):
        with Server(self.maildir) as postbag:
            postbag.initialize()
            postbag.send({"jsonrpc": "2.0", "id": "slow", "method": "tools/call", "params": {
                "name": "list_messages", "arguments": {"body": "nowhere to be found"}}})
            postbag.expect_alive()
            self.assertEqual(len(postbag.call("list_mailboxes")["structuredContent"]["mailboxes"]),
                             1)
            self.assertEqual(postbag.waiting, [], "the slow call came first")
            result = postbag.wait_for("slow")["result"]
            self.assertEqual(result["structuredContent"]["total_matching"], 0)

    def test_a_cancelled_call_is_not_answered(self):
        with Server(self.maildir) as postbag:
            postbag.initialize()
            for era in ("legacy", "modern"):
                params = {"name": "list_messages", "arguments": {"body": "nowhere to be found"}}
                if era == "modern":
                    params["_meta"] = envelope()
                postbag.send({"jsonrpc": "2.0", "id": era, "method": "tools/call",
                              "params": params})
                postbag.notify("notifications/cancelled", {"requestId": era, "reason": "test"})
                postbag.notify("notifications/cancelled", {"requestId": era})
                postbag.expect_silence(0.5)

    def test_a_late_cancellation_is_harmless(self):
        with Server() as postbag:
            postbag.initialize()
            for number in range(50):
                postbag.send({"jsonrpc": "2.0", "id": number, "method": "tools/call",
                              "params": {"name": "list_mailboxes"}})
                postbag.notify("notifications/cancelled", {"requestId": number})
            postbag.expect_alive()
            self.assertTrue(all("result" in message for message in postbag.waiting))
            self.assertTrue(postbag.call("list_mailboxes")["structuredContent"])

    def test_progress_only_with_a_token(self):
        with Server(self.maildir) as postbag:
            postbag.initialize()
            for token in (7, "token"):
                postbag.request("tools/call", {
                    "name": "list_messages", "arguments": {"body": "nowhere"},
                    "_meta": {"progressToken": token}}, identity=f"p{token}")
                last = -1
                for message in postbag.waiting:
                    self.assertEqual(message["params"]["progressToken"], token)
                    self.assertIs(type(message["params"]["progressToken"]), type(token))
                    self.assertGreater(message["params"]["progress"], last)
                    last = message["params"]["progress"]
                postbag.waiting.clear()
            postbag.call("list_messages", {"body": "nowhere"})
            self.assertEqual(postbag.waiting, [])

    def test_nothing_grows(self):
        with Server() as postbag:
            postbag.initialize()
            for _ in range(20):
                postbag.call("list_messages", {})
            before = postbag.count_files()
            for number in range(200):
                postbag.call("get_message", {"uid": 1 + number % 26})
            self.assertLessEqual(postbag.count_files(), before + 1)

    def test_a_used_identity_is_not_confused(self):
        with Server(self.maildir) as postbag:
            postbag.initialize()
            for _ in range(2):
                postbag.send({"jsonrpc": "2.0", "id": "twice", "method": "tools/call", "params": {
                    "name": "list_messages", "arguments": {"body": "nowhere"}}})
            first, second = postbag.wait_for("twice"), postbag.wait_for("twice")
            self.assertTrue("result" in first or "result" in second)


class Stdio(unittest.TestCase):
    """The pipe itself."""

    def test_line_ends_and_blank_lines(self):
        with Server() as postbag:
            postbag.write(b"\n\r\n   \n\t\r\n")
            postbag.initialize()
            postbag.send({"jsonrpc": "2.0", "id": 1, "method": "ping"}, b"\r\n")
            self.assertEqual(postbag.wait_for(1)["result"], {})
            postbag.write(b'  {"jsonrpc":"2.0","id":2,"method":"ping"}  \n\n\n')
            self.assertIn("result", json.loads(postbag.lines.get(timeout=server.PATIENCE)))

    def test_pieces_and_bundles(self):
        with Server() as postbag:
            postbag.initialize()
            line = b'{"jsonrpc":"2.0","id":"\xc3\xbc","method":"ping"}\n'
            postbag.methods['"\\u00fc"'] = ("ping", None)
            for byte in line:
                postbag.write(bytes([byte]))
            self.assertEqual(postbag.receive()["id"], "ü")
            postbag.write(line * 500)
            for _ in range(500):
                self.assertEqual(postbag.receive()["id"], "ü")

    def test_long_lines(self):
        with Server() as postbag:
            postbag.initialize()
            pad = b" " * (9 * 1024 * 1024)
            postbag.write(b'{"jsonrpc":"2.0","id":1,' + pad + b'"method":"ping"}\n')
            self.assertIn("result", json.loads(postbag.lines.get(timeout=server.PATIENCE)))
            for _ in range(11):
                postbag.write(b"x" * (1024 * 1024))
            postbag.write(b"\n")
            answer = json.loads(postbag.lines.get(timeout=server.PATIENCE))
            self.assertIn(answer["error"]["code"], (-32600, -32700))
            postbag.expect_alive()

    def test_end_of_input_ends_the_program(self):
        for started in (False, True):
            with self.subTest(started=started), Server() as postbag:
                if started:
                    postbag.initialize()
                    postbag.call("list_messages", {})
                begin = time.monotonic()
                postbag.close_input()
                self.assertEqual(postbag.wait(), 0)
                self.assertLess(time.monotonic() - begin, EXIT_SECONDS)

    def test_an_unfinished_last_line(self):
        with Server() as postbag:
            postbag.initialize()
            postbag.write(b'{"jsonrpc":"2.0","id":1,"met')
            postbag.close_input()
            self.assertEqual(postbag.wait(), 0)

    def test_end_of_input_during_a_call(self):
        with Server() as postbag:
            postbag.initialize()
            postbag.send({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                          "params": {"name": "list_mailboxes"}})
            begin = time.monotonic()
            postbag.close_input()
            self.assertEqual(postbag.wait(), 0)
            self.assertLess(time.monotonic() - begin, EXIT_SECONDS + 1)

    def test_end_of_output_ends_the_program(self):
        """The client is gone: no signal, no message, no busy loop."""
        with Server(reader=False) as postbag:
            postbag.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
            self.assertTrue(postbag.process.stdout.readline())
            postbag.process.stdout.close()
            try:
                for number in range(1000):
                    postbag.write(b'{"jsonrpc":"2.0","id":%d,"method":"ping"}\n' % number)
                    time.sleep(0.001)
            except BrokenPipeError:
                pass
            self.assertEqual(postbag.wait(), 0)

    def test_end_of_input_while_nothing_is_read(self):
        """Answers pile up until input is no longer read; its end is seen all the same."""
        line = b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n'
        with Server(reader=False) as postbag:
            postbag.send({"jsonrpc": "2.0", "id": 0, "method": "initialize",
                          "params": {"protocolVersion": "2025-11-25", "capabilities": {},
                                     "clientInfo": {"name": "test", "version": "1"}}})
            pipe = postbag.process.stdin.fileno()
            os.set_blocking(pipe, False)
            full_since = None
            while full_since is None or time.monotonic() - full_since < 2:
                try:
                    os.write(pipe, line * 100)
                    full_since = None
                except BlockingIOError:
                    full_since = full_since or time.monotonic()
                    time.sleep(0.05)
            postbag.close_input()
            self.assertEqual(postbag.process.wait(server.PATIENCE), 0)

    def test_strange_names_are_quoted_clean(self):
        with Server() as postbag:
            postbag.initialize()
            answer = postbag.request("x\u202e\u001b[2J")
            self.assertEqual(answer["error"]["code"], -32601)
            self.assertIn("\u201cx\\u202E\\u001B[2J\u201d", answer["error"]["message"])
            answer = postbag.request("tools/call", {"name": "x\u202e\u001b[2J"})
            self.assertIn("\u201cx\\u202E\\u001B[2J\u201d", answer["error"]["message"])

    def test_a_polite_signal_ends_the_program(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            if signal.getsignal(number) == signal.SIG_IGN:  # under nohup, and inherited
                continue
            with self.subTest(number), Server() as postbag:
                postbag.initialize()
                begin = time.monotonic()
                postbag.process.send_signal(number)
                status = postbag.wait()
                self.assertIn(status, (0, -number, 128 + number))
                self.assertLess(time.monotonic() - begin, EXIT_SECONDS)

    def test_a_slow_reader_loses_nothing(self):
        with Server() as postbag:
            postbag.initialize()
            for number in range(300):
                postbag.send({"jsonrpc": "2.0", "id": f"l{number}", "method": "tools/list"})
            time.sleep(0.2)
            seen = {postbag.receive()["id"] for _ in range(300)}
            self.assertEqual(len(seen), 300)

    def test_nothing_is_written_before_it_is_asked(self):
        with Server() as postbag:
            time.sleep(0.3)
            self.assertTrue(postbag.lines.empty())

    def test_stderr_has_no_mail(self):
        with Server() as postbag:
            postbag.initialize()
            for uid in range(1, 27):
                postbag.call("get_message", {"uid": uid})
            log = postbag.read_log()
            self.assertIsNone(re.search(r"Lisbon|example\.(com|net)|password", log), log)


if __name__ == "__main__":
    tap.main()
