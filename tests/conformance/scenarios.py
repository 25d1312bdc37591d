# SPDX-License-Identifier: LGPL-2.1-or-later
"""The scenarios of the official conformance suite, played over stdio: the suite itself speaks HTTP
alone. The fixtures are a toolset of their own, tests/conformance/fixtures, never installed.

Each test is named for its scenario; server.py checks every line against its revision's schema.
"""

import base64
import json
import os
import pathlib
import signal
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import tap  # noqa: E402
from server import LEGACY, MODERN, PREFIX, Server, envelope  # noqa: E402

FIXTURES = os.environ.get("POSTBAG_FIXTURES", "")
CAN = {"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {"listChanged": True}}
SAMPLED = {"role": "assistant", "content": {"type": "text", "text": "Paris"}, "model": "none"}
ROOTS = {"roots": [{"uri": "file:///home/me", "name": "Home"}]}
X = "test_input_required_result"


class Fixtures(Server):
    """The fixtures, in a revision."""

    def __init__(self, revision="2025-11-25", capabilities=None, **environment):
        super().__init__(arguments=["--toolset", "fixtures"],
                         environment={"POSTBAG_PLUGIN_PATH": FIXTURES, **environment},
                         revision=revision)
        self.era = revision
        self.capabilities = capabilities or {}
        self.started = None
        if revision != MODERN:
            self.started = self.initialize(revision, self.capabilities)

    def ask(self, method, params=None, **meta):
        """A request in the era of this client."""
        if self.era == MODERN:
            return self.modern(method, params, envelope(capabilities=self.capabilities, **meta))
        params = dict(params or {})
        if meta:
            params["_meta"] = meta
        return self.request(method, params)

    def tool(self, name, arguments=None, **meta):
        params = {"name": name}
        if arguments is not None:
            params["arguments"] = arguments
        answer = self.ask("tools/call", params, **meta)
        assert "result" in answer, answer
        return answer["result"]

    def begin(self, method, params, identity):
        self.send({"jsonrpc": "2.0", "id": identity, "method": method, "params": params})

    def answer_with(self, *results):
        """Answers the requests that come from the server, in turn; returns them."""
        asked = []
        for result in results:
            message = self.receive()
            assert "method" in message and "id" in message, message
            asked.append(message)
            self.send({"jsonrpc": "2.0", "id": message["id"], "result": result})
        return asked

    def retry(self, method, params, result, responses):
        return self.ask(method, {**params, "inputResponses": responses,
                                 "requestState": result["requestState"]})


def every(revisions):
    """The test is run for each of these revisions."""
    def decorate(test):
        def run(self):
            for revision in revisions:
                with self.subTest(revision):
                    test(self, revision)
        run.__name__, run.__doc__ = test.__name__, test.__doc__
        return run
    return decorate


ALL = [*LEGACY, MODERN]


class Base(unittest.TestCase):
    def setUp(self):
        tap.require(self, os.path.exists(os.path.join(FIXTURES, "fixtures.plugin")),
                    "the fixtures (POSTBAG_FIXTURES)")


class Legacy(Base):
    @every(LEGACY)
    def test_server_initialize(self, revision):
        with Fixtures(revision) as server:
            capabilities = server.started["capabilities"]
            expected = {"tools", "resources", "prompts", "logging"}
            if revision >= "2025-03-26":
                expected.add("completions")
            self.assertEqual(set(capabilities), expected)
            self.assertTrue(capabilities["tools"]["listChanged"])
            self.assertTrue(capabilities["prompts"]["listChanged"])
            self.assertEqual(capabilities["resources"], {"subscribe": True, "listChanged": True})

    @every(LEGACY)
    def test_ping_and_set_level(self, revision):
        with Fixtures(revision) as server:
            self.assertEqual(server.ask("ping")["result"], {})
            for level in ("debug", "info", "notice", "warning", "error", "critical", "alert",
                          "emergency"):
                self.assertEqual(server.ask("logging/setLevel", {"level": level})["result"], {})
            for params in ({"level": "loud"}, {"level": 7}, {}):
                self.assertEqual(server.ask("logging/setLevel", params)["error"]["code"], -32602)

    @every(LEGACY)
    def test_tools_call_with_logging(self, revision):
        with Fixtures(revision) as server:
            server.tool("test_tool_with_logging")
            texts = [message["params"]["data"] for message in server.waiting]
            self.assertEqual(texts, ["Tool execution started", "Tool processing data",
                                     "Tool execution completed"])
            server.waiting.clear()
            server.ask("logging/setLevel", {"level": "warning"})
            server.tool("test_tool_with_logging")
            self.assertEqual(server.waiting, [])

    @every(LEGACY)
    def test_tools_call_sampling(self, revision):
        with Fixtures(revision, CAN) as server:
            server.begin("tools/call", {"name": "test_sampling",
                                        "arguments": {"prompt": "Say \"x\""}}, 1)
            asked, = server.answer_with(SAMPLED)
            self.assertEqual(asked["method"], "sampling/createMessage")
            self.assertEqual(asked["params"]["messages"][0]["content"]["text"], "Say \"x\"")
            text = server.wait_for(1)["result"]["content"][0]["text"]
            self.assertEqual(text, "LLM response: Paris")

    @every(["2025-06-18", "2025-11-25"])
    def test_tools_call_elicitation(self, revision):
        with Fixtures(revision, CAN) as server:
            content = {"username": "ada", "email": "ada@example.com"}
            for number, (result, word) in enumerate((
                    ({"action": "accept", "content": content}, "User response: "),
                    ({"action": "decline"}, "said no"), ({"action": "cancel"}, "said no"),
                    ({"action": "accept", "content": {"username": "ada"}}, "email"),
                    ({"action": "accept"}, "no usable answer"), ({"action": 7}, "no usable"))):
                server.begin("tools/call", {"name": "test_elicitation",
                                            "arguments": {"message": "Who?"}}, number)
                asked, = server.answer_with(result)
                self.assertEqual(asked["method"], "elicitation/create")
                self.assertEqual("mode" in asked["params"], revision == "2025-11-25")
                answer = server.wait_for(number)["result"]
                self.assertIn(word, answer["content"][0]["text"])
                self.assertEqual(answer.get("isError", False), number > 0)

    def test_elicitation_sep1034_and_sep1330(self):
        with Fixtures(capabilities=CAN) as server:
            server.begin("tools/call", {"name": "test_elicitation_sep1034_defaults"}, 1)
            asked, = server.answer_with({"action": "accept", "content": {}})
            properties = asked["params"]["requestedSchema"]["properties"]
            self.assertEqual({name: field["default"] for name, field in properties.items()},
                             {"name": "John Doe", "age": 30, "score": 95.5, "status": "active",
                              "verified": True})
            server.wait_for(1)
            server.begin("tools/call", {"name": "test_elicitation_sep1330_enums"}, 2)
            asked, = server.answer_with({"action": "accept", "content": {
                "untitledSingle": "option1", "titledSingle": "value2", "legacyEnum": "opt3",
                "untitledMulti": ["option1", "option2"], "titledMulti": ["value3"]}})
            properties = asked["params"]["requestedSchema"]["properties"]
            self.assertIn("enum", properties["untitledSingle"])
            self.assertIn("oneOf", properties["titledSingle"])
            self.assertIn("enumNames", properties["legacyEnum"])
            self.assertIn("enum", properties["untitledMulti"]["items"])
            self.assertIn("anyOf", properties["titledMulti"]["items"])
            self.assertFalse(server.wait_for(2)["result"].get("isError"))

    def test_url_elicitation(self):
        with Fixtures(capabilities=CAN) as server:
            server.begin("tools/call", {"name": "test_elicitation_url"}, 1)
            asked, = server.answer_with({"action": "accept"})
            self.assertEqual(asked["params"]["mode"], "url")
            self.assertIn("opened", server.wait_for(1)["result"]["content"][0]["text"])
            told, = server.waiting
            self.assertEqual(told["method"], "notifications/elicitation/complete")
            self.assertEqual(told["params"]["elicitationId"], asked["params"]["elicitationId"])
        for capabilities in ({}, {"elicitation": {}}, {"elicitation": {"form": {}}}):
            with Fixtures(capabilities=capabilities) as server:
                self.assertTrue(server.tool("test_elicitation_url")["isError"])

    @every(LEGACY)
    def test_nothing_is_asked_that_was_not_declared(self, revision):
        with Fixtures(revision) as server:
            for name, arguments in (("test_sampling", {"prompt": "x"}), ("test_list_roots", {}),
                                    ("test_elicitation", {"message": "x"})):
                self.assertTrue(server.tool(name, arguments)["isError"])
            self.assertEqual(server.waiting, [])
        with Fixtures("2025-03-26", CAN) as server:  # has no elicitation
            self.assertTrue(server.tool("test_elicitation", {"message": "x"})["isError"])

    @every(LEGACY)
    def test_roots(self, revision):
        with Fixtures(revision, CAN) as server:
            server.begin("tools/call", {"name": "test_list_roots"}, 1)
            server.answer_with(ROOTS)
            self.assertIn("1 folders", server.wait_for(1)["result"]["content"][0]["text"])
            server.notify("notifications/roots/list_changed")
            server.expect_alive()

    def test_a_client_that_refuses_or_leaves_is_survived(self):
        with Fixtures(capabilities=CAN) as server:
            server.begin("tools/call", {"name": "test_list_roots"}, 1)
            asked = server.receive()
            server.send({"jsonrpc": "2.0", "id": asked["id"],
                         "error": {"code": -32603, "message": "no"}})
            self.assertTrue(server.wait_for(1)["result"]["isError"])
            server.begin("tools/call", {"name": "test_list_roots"}, 2)
            server.receive()  # never answered

    @every(LEGACY)
    def test_resources_subscribe_and_unsubscribe(self, revision):
        uri = {"uri": "test://watched-resource"}
        with Fixtures(revision) as server:
            self.assertEqual(server.ask("resources/subscribe", uri)["result"], {})
            server.tool("test_trigger_resource_change")
            time.sleep(0.1)
            server.expect_alive()
            methods = {message["method"]: message for message in server.waiting}
            self.assertEqual(set(methods), {"notifications/resources/updated",
                                            "notifications/resources/list_changed"})
            self.assertEqual(methods["notifications/resources/updated"]["params"], uri)
            server.waiting.clear()
            self.assertEqual(server.ask("resources/unsubscribe", uri)["result"], {})
            server.tool("test_trigger_resource_change")
            time.sleep(1.2)
            server.expect_alive()
            self.assertNotIn("notifications/resources/updated",
                             [message["method"] for message in server.waiting])

    @every(LEGACY)
    def test_lists_that_change(self, revision):
        with Fixtures(revision) as server:
            for kind in ("tool", "prompt"):
                server.tool(f"test_trigger_{kind}_change")
                time.sleep(0.1)
                server.expect_alive()
                told, = server.waiting
                self.assertEqual(told["method"], f"notifications/{kind}s/list_changed")
                server.waiting.clear()


class Both(Base):
    @every(ALL)
    def test_tools_list(self, revision):
        with Fixtures(revision) as server:
            tools = server.ask("tools/list")["result"]["tools"]
            self.assertGreater(len(tools), 30)
            for tool in tools:
                self.assertRegex(tool["name"], r"^[A-Za-z0-9_./-]{1,64}$")
                self.assertTrue(tool["description"])
            self.assertIn("result", server.ask("tools/call", {"name": tools[0]["name"],
                                                              "arguments": {}}))

    @every(ALL)
    def test_json_schema_2020_12(self, revision):
        with Fixtures(revision) as server:
            schema = next(tool["inputSchema"] for tool in server.ask("tools/list")["result"]["tools"]
                          if tool["name"] == "json_schema_2020_12_tool")
            source = json.loads((pathlib.Path(__file__).parent / "fixtures/schemas"
                                 / "json_schema_2020_12_tool.json").read_text())["inputSchema"]
            self.assertEqual(json.dumps(schema), json.dumps(source))

    @every(ALL)
    def test_tools_call_content(self, revision):
        audio = "audio" if revision >= "2025-03-26" else "text"
        link = "resource_link" if revision >= "2025-06-18" else "text"
        with Fixtures(revision) as server:
            for name, kinds in (("simple_text", ["text"]), ("image_content", ["image"]),
                                ("audio_content", [audio]), ("embedded_resource", ["resource"]),
                                ("resource_link", [link]),
                                ("multiple_content_types", ["text", "image", "resource"])):
                with self.subTest(name):
                    content = server.tool("test_" + name)["content"]
                    self.assertEqual([block["type"] for block in content], kinds)
                    for block in content:
                        if block["type"] in ("image", "audio"):
                            self.assertTrue(base64.b64decode(block["data"], validate=True))
            if link == "text":  # nothing of it is lost
                text = server.tool("test_resource_link")["content"][0]["text"]
                self.assertIn("test://static-text", text)
            text = server.tool("test_simple_text")["content"][0]["text"]
            self.assertEqual(text, "This is a simple text response for testing.")

    @every(ALL)
    def test_tools_call_error(self, revision):
        with Fixtures(revision) as server:
            result = server.tool("test_error_handling")
            self.assertTrue(result["isError"])
            self.assertEqual(result["content"][0]["text"],
                             "This tool intentionally returns an error for testing")

    @every(ALL)
    def test_tools_call_with_progress(self, revision):
        with Fixtures(revision) as server:
            for token in (7, "t"):
                server.tool("test_tool_with_progress", progressToken=token)
                told = [message["params"] for message in server.waiting
                        if message["method"] == "notifications/progress"]
                self.assertEqual([one["progress"] for one in told], [0, 50, 100])
                self.assertTrue(all(one["progressToken"] == token for one in told))
                server.waiting.clear()
            server.tool("test_tool_with_progress")
            self.assertEqual([one for one in server.waiting if "progress" in one["method"]], [])

    @every(ALL)
    def test_resources(self, revision):
        with Fixtures(revision) as server:
            listed = server.ask("resources/list")["result"]["resources"]
            self.assertEqual([one["uri"] for one in listed],
                             ["test://static-text", "test://static-binary",
                              "test://watched-resource"])
            templates = server.ask("resources/templates/list")["result"]["resourceTemplates"]
            self.assertEqual(templates[0]["uriTemplate"], "test://template/{id}/data")
            text = server.ask("resources/read", {"uri": "test://static-text"})["result"]
            self.assertTrue(text["contents"][0]["text"])
            binary = server.ask("resources/read", {"uri": "test://static-binary"})["result"]
            self.assertTrue(base64.b64decode(binary["contents"][0]["blob"], validate=True))
            data = server.ask("resources/read", {"uri": "test://template/12%2F3/data"})["result"]
            self.assertEqual(json.loads(data["contents"][0]["text"])["id"], "12/3")

    @every(ALL)
    def test_sep_2164_resource_not_found(self, revision):
        code = -32602 if revision == MODERN else -32002
        with Fixtures(revision) as server:
            for uri in ("test://nothing", "test://template/../data", "test://template/%2e%2e/data",
                        "test://template/%00/data", "file:///etc/passwd", "test://template//data"):
                error = server.ask("resources/read", {"uri": uri})["error"]
                self.assertEqual((error["code"], error["data"]["uri"]), (code, uri))

    @every(ALL)
    def test_prompts(self, revision):
        with Fixtures(revision) as server:
            prompts = server.ask("prompts/list")["result"]["prompts"]
            self.assertEqual(len(prompts), 5)
            self.assertTrue(all(prompt["description"] for prompt in prompts))
            get = lambda name, arguments=None: server.ask("prompts/get", {  # noqa: E731
                "name": "test_" + name, **({"arguments": arguments} if arguments else {})})
            self.assertTrue(get("simple_prompt")["result"]["messages"])
            text = get("prompt_with_arguments", {"arg1": "a", "arg2": "{arg1}"})["result"]
            self.assertEqual(text["messages"][0]["content"]["text"],
                             "Prompt with arguments: arg1='a', arg2='{arg1}'")
            content = get("prompt_with_embedded_resource",
                          {"resourceUri": "test://x"})["result"]["messages"][0]["content"]
            self.assertEqual(content["resource"]["uri"], "test://x")
            content = get("prompt_with_image")["result"]["messages"][0]["content"]
            self.assertEqual(content["mimeType"], "image/png")
            for bad in (get("prompt_with_arguments", {"arg1": "a"}), get("unheard_of"),
                        get("prompt_with_arguments", {"arg1": 7, "arg2": "b"})):
                self.assertEqual(bad["error"]["code"], -32602)

    @every(ALL)
    def test_completion_complete(self, revision):
        with Fixtures(revision) as server:
            for reference, name in (
                    ({"type": "ref/prompt", "name": "test_prompt_with_arguments"}, "arg1"),
                    ({"type": "ref/resource", "uri": "test://template/{id}/data"}, "id")):
                completion = server.ask("completion/complete", {
                    "ref": reference, "argument": {"name": name, "value": "par"}})["result"]
                self.assertEqual(completion["completion"]["values"], ["paris", "park", "party"])
            bad = server.ask("completion/complete", {
                "ref": {"type": "ref/prompt", "name": "unheard"},
                "argument": {"name": "a", "value": ""}})
            self.assertEqual(bad["error"]["code"], -32602)

    @every(ALL)
    def test_cancelled_calls_end_at_once(self, revision):
        """More of them than there are threads: another is answered only once they have ended."""
        with Fixtures(revision) as server:
            params = {"name": "test_slow", "arguments": {"milliseconds": 30000}}
            if revision == MODERN:
                params["_meta"] = envelope()
            for number in range(100):
                server.begin("tools/call", params, number)
            server.ask("tools/list")
            for number in range(100):
                server.notify("notifications/cancelled", {"requestId": number})
            begin = time.monotonic()
            server.tool("test_simple_text")
            self.assertLess(time.monotonic() - begin, 15)
            self.assertEqual(server.waiting, [], "a cancelled call was answered")


class Modern(Base):
    def test_logging_only_when_asked_for(self):
        with Fixtures(MODERN) as server:
            server.tool("test_logging_tool")
            self.assertEqual(server.waiting, [])
            server.tool("test_logging_tool", **{PREFIX + "logLevel": "error"})
            self.assertEqual(server.waiting, [])
            server.tool("test_logging_tool", **{PREFIX + "logLevel": "info"})
            self.assertEqual([message["method"] for message in server.waiting],
                             ["notifications/message"] * 3)
            bad = server.ask("tools/call", {"name": "test_logging_tool"},
                             **{PREFIX + "logLevel": "loud"})
            self.assertEqual(bad["error"]["code"], -32602)

    def test_missing_capability(self):
        with Fixtures(MODERN) as server:
            error = server.ask("tools/call", {"name": "test_missing_capability"})["error"]
            self.assertEqual((error["code"], error["data"]),
                             (-32021, {"requiredCapabilities": {"sampling": {}}}))

    def play(self, name, responses, method="tools/call"):
        """Asks, answers what is asked, and returns the final result."""
        with Fixtures(MODERN, CAN) as server:
            params = {"name": name}
            answer = server.ask(method, params)
            for wanted in responses:
                result = answer["result"]
                self.assertEqual(result["resultType"], "input_required")
                self.assertEqual(set(result["inputRequests"]), set(wanted))
                answer = server.retry(method, params, result, {**wanted, "extra": {"x": 1}})
            self.assertEqual(answer["result"]["resultType"], "complete", answer)
            return answer["result"]

    @staticmethod
    def accept(**content):
        return {"action": "accept", "content": content}

    def test_input_required_results(self):
        name = {"user_name": self.accept(name="Ada")}
        text = lambda result: result["content"][0]["text"]  # noqa: E731
        self.assertEqual(text(self.play(X + "_elicitation", [name])), "Hello, Ada!")
        self.assertEqual(text(self.play(X + "_sampling", [{"capital_question": SAMPLED}])), "Paris")
        self.play(X + "_list_roots", [{"client_roots": ROOTS}])
        self.assertIn("state-ok", text(self.play(X + "_request_state",
                                                 [{"confirm": self.accept(ok=True)}])))
        self.play(X + "_multiple_inputs", [{**name, "greeting": SAMPLED, "client_roots": ROOTS}])
        self.play(X + "_multi_round", [{"step1": self.accept(name="Ada")},
                                       {"step2": self.accept(color="blue")}])
        self.play(X + "_prompt", [{"user_context": self.accept(context="x")}], "prompts/get")

    def test_missing_and_malformed_answers_ask_again(self):
        params = {"name": X + "_multiple_inputs"}
        with Fixtures(MODERN, CAN) as server:
            result = server.ask("tools/call", params)["result"]
            for responses in ({}, {"other": {}}, {"user_name": 7}, {"user_name": {"action": "x"}},
                              {"greeting": {}}, {"client_roots": {"roots": 7}}):
                again = server.retry("tools/call", params, result, responses)["result"]
                self.assertEqual(again["resultType"], "input_required")
                self.assertEqual(len(again["inputRequests"]), 3)
            part = server.retry("tools/call", params, result,
                                {"client_roots": ROOTS})["result"]
            self.assertEqual(set(part["inputRequests"]), {"user_name", "greeting"})
            for responses in (None, 7, []):
                answer = server.ask("tools/call", {**params, "inputResponses": responses,
                                                   "requestState": result["requestState"]})
                self.assertEqual(answer["error"]["code"], -32602)

    def test_tampered_states_are_refused(self):
        params = {"name": X + "_tampered_state"}
        with Fixtures(MODERN, CAN) as server:
            result = server.ask("tools/call", params)["result"]
            good = {"confirm": self.accept(ok=True)}
            for state in (result["requestState"] + "-TAMPERED", "x", "",
                          result["requestState"][:-4] + "AAAA"):
                answer = server.retry("tools/call", params, {"requestState": state}, good)
                self.assertEqual(answer["error"]["code"], -32602)
            other = server.retry("tools/call", {"name": X + "_request_state"}, result, good)
            self.assertEqual(other["error"]["code"], -32602)

    def test_states_survive_the_process_only_with_its_key(self):
        """The key lies in the state folder of a home that another process has not."""
        params = {"name": X + "_request_state"}
        with Fixtures(MODERN, CAN) as one, Fixtures(MODERN, CAN) as two:
            result = one.ask("tools/call", params)["result"]
            answer = two.retry("tools/call", params, result, {"confirm": self.accept(ok=True)})
            self.assertEqual(answer["error"]["code"], -32602)

    def test_states_are_good_in_any_process_with_the_key(self):
        """Another process goes on where the first one, which is gone, has asked."""
        params = {"name": X + "_request_state"}
        good = {"confirm": self.accept(ok=True)}
        with tempfile.TemporaryDirectory() as state:
            with Fixtures(MODERN, CAN, POSTBAG_STATE_DIR=state) as one:
                result = one.ask("tools/call", params)["result"]
            with Fixtures(MODERN, CAN, POSTBAG_STATE_DIR=state) as two:
                answer = two.retry("tools/call", params, result, good)["result"]
                self.assertIn("state-ok", answer["content"][0]["text"])

    def test_nothing_is_remembered(self):
        """What one request declares is not known to the next."""
        params = {"name": X + "_elicitation"}
        with Fixtures(MODERN) as server:
            for capabilities, asks in ((CAN, True), ({}, False), (CAN, True)):
                answer = server.modern("tools/call", params, envelope(capabilities=capabilities))
                self.assertEqual("result" in answer, asks, answer)
                if not asks:
                    self.assertEqual(answer["error"]["code"], -32021)
            server.tool("test_logging_tool", **{PREFIX + "logLevel": "info"})
            self.assertEqual(len(server.waiting), 3)
            server.waiting.clear()
            server.tool("test_logging_tool")
            self.assertEqual(server.waiting, [])

    def test_capability_check(self):
        for capabilities, keys in (({"sampling": {}}, {"sampled"}),
                                   ({"elicitation": {}}, {"user_name"}),
                                   (CAN, {"sampled", "user_name"})):
            with Fixtures(MODERN, capabilities) as server:
                result = server.ask("tools/call", {"name": X + "_capabilities"})["result"]
                self.assertEqual(set(result["inputRequests"]), keys)
        with Fixtures(MODERN) as server:
            result = server.ask("tools/call", {"name": X + "_capabilities"})["result"]
            self.assertEqual(result["resultType"], "complete")

    def test_unsupported_methods_never_ask(self):
        with Fixtures(MODERN, CAN) as server:
            for method in ("tools/list", "prompts/list", "resources/list",
                           "resources/templates/list", "server/discover"):
                result = server.ask(method)["result"]
                self.assertEqual(result["resultType"], "complete")
                self.assertGreaterEqual(result["ttlMs"], 0)
                self.assertIn(result["cacheScope"], ("public", "private"))

    def listen(self, server, identity, **filters):
        server.begin("subscriptions/listen", {"notifications": filters, "_meta": envelope()},
                     identity)
        first = server.receive()
        self.assertEqual(first["method"], "notifications/subscriptions/acknowledged")
        self.assertEqual(first["params"]["_meta"][PREFIX + "subscriptionId"], identity)
        return first["params"]["notifications"]

    def test_listen(self):
        uri = "test://watched-resource"
        with Fixtures(MODERN) as server:
            agreed = self.listen(server, "a", toolsListChanged=True, promptsListChanged=False,
                                 resourceSubscriptions=[uri, "test://nothing"])
            self.assertEqual(agreed, {"toolsListChanged": True, "resourceSubscriptions": [uri]})
            self.listen(server, 1, promptsListChanged=True)
            for kind in ("tool", "prompt", "resource"):
                server.tool(f"test_trigger_{kind}_change")
            time.sleep(0.2)
            server.tool("test_simple_text")
            told = [(message["method"], message["params"]["_meta"][PREFIX + "subscriptionId"])
                    for message in server.waiting]
            self.assertEqual(sorted(told, key=str), [
                ("notifications/prompts/list_changed", 1),
                ("notifications/resources/updated", "a"),
                ("notifications/tools/list_changed", "a")])
            server.waiting.clear()
            server.notify("notifications/cancelled", {"requestId": "a"})
            time.sleep(1.1)
            server.tool("test_trigger_tool_change")
            time.sleep(0.2)
            server.tool("test_simple_text")
            self.assertEqual(server.waiting, [])

    def test_listen_ends_with_the_server(self):
        for end in ("signal", "input"):
            with self.subTest(end), Fixtures(MODERN) as server:
                self.listen(server, 5, toolsListChanged=True)
                if end == "signal":
                    server.process.send_signal(signal.SIGTERM)
                else:
                    server.close_input()
                told = server.receive()
                self.assertEqual(told["method"], "notifications/cancelled")
                self.assertEqual(told["params"]["requestId"], 5)
                result = server.receive()
                self.assertEqual(result["id"], 5)
                self.assertEqual(result["result"]["_meta"][PREFIX + "subscriptionId"], 5)
                self.assertEqual(server.wait(), 0)


class Load(Base):
    # Bytes: threads that start late have some of their own; 22 bytes kept by every call are more.
    SLACK = 128 * 1024
    # Neither GLib nor the C library keeps freed blocks for their threads, as if they were in use.
    NOTHING_KEPT = {"G_SLICE": "always-malloc", "GLIBC_TUNABLES": "glibc.malloc.tcache_count=0"}

    def measure(self, server):
        """The bytes allocated and the open files of a server at rest."""
        return int(server.tool("test_memory_in_use")["content"][0]["text"]), server.count_files()

    def load(self, server, count, at_once):
        for begin in range(0, count, at_once):
            for number in range(begin, begin + at_once):
                params = {"name": "test_simple_text"}
                if server.era == MODERN:
                    params["_meta"] = envelope()
                server.begin("tools/call", params, number)
            for number in range(begin, begin + at_once):
                self.assertIn("result", server.wait_for(number))

    @every([LEGACY[-1], MODERN])
    def test_a_thousand_calls_a_hundred_at_once(self, revision):
        """No growth of memory or descriptors."""
        with Fixtures(revision, **self.NOTHING_KEPT) as server:
            self.load(server, 1000, 100)
            before = self.measure(server)
            for _ in range(6):
                self.load(server, 1000, 100)
            after = self.measure(server)
            self.assertEqual(after[1], before[1], "descriptors")
            self.assertLess(after[0], before[0] + self.SLACK, f"bytes: {before} {after}")


if __name__ == "__main__":
    tap.main()
