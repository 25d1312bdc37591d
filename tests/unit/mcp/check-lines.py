# SPDX-License-Identifier: LGPL-2.1-or-later
"""Everything the unit tests of the protocol make the server say, checked against the published
schemas: each line as a message of its revision, each result as the result of its method.

Arguments: the test programs, each with the folder it reads where it needs one. Each is run with
POSTBAG_RECORD set and records both directions.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent))

import tap  # noqa: E402

try:
    import jsonschema
except ImportError:
    jsonschema = None

SUITES = os.environ.get("POSTBAG_SUITES")
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
RESULTS = {
    "initialize": "InitializeResult",
    "ping": "EmptyResult",
    "server/discover": "DiscoverResult",
    "tools/list": "ListToolsResult",
    "tools/call": "CallToolResult",
    "resources/list": "ListResourcesResult",
    "resources/templates/list": "ListResourceTemplatesResult",
    "resources/read": "ReadResourceResult",
    "resources/subscribe": "EmptyResult",
    "resources/unsubscribe": "EmptyResult",
    "subscriptions/listen": "SubscriptionsListenResult",
    "prompts/list": "ListPromptsResult",
    "prompts/get": "GetPromptResult",
    "completion/complete": "CompleteResult",
    "logging/setLevel": "EmptyResult",
}
OWN = {
    "notifications/progress": "ProgressNotification",
    "notifications/cancelled": "CancelledNotification",
    "notifications/message": "LoggingMessageNotification",
    "notifications/resources/updated": "ResourceUpdatedNotification",
    "notifications/resources/list_changed": "ResourceListChangedNotification",
    "notifications/tools/list_changed": "ToolListChangedNotification",
    "notifications/prompts/list_changed": "PromptListChangedNotification",
    "notifications/subscriptions/acknowledged": "SubscriptionsAcknowledgedNotification",
    "notifications/elicitation/complete": "ElicitationCompleteNotification",
    "elicitation/create": "ElicitRequest",
    "sampling/createMessage": "CreateMessageRequest",
    "roots/list": "ListRootsRequest",
}
CODES = {-32700, -32600, -32601, -32602, -32603}
MODERN = "2026-07-28"
SUBSCRIPTION_KEY = "io.modelcontextprotocol/subscriptionId"
# What JSON-RPC messages are called, the older name last.
ERROR = ["JSONRPCErrorResponse", "JSONRPCError"]
RESPONSE = ["JSONRPCResultResponse", "JSONRPCResponse"]


def read_records(path):
    """Yields (direction, bytes)."""
    data = path.read_bytes()
    while data:
        head, _, data = data.partition(b"\n")
        direction, length = head.split()
        yield direction.decode(), data[:int(length)]
        data = data[int(length) + 1:]


def refuse_constant(name):
    raise ValueError(name)


def refuse_duplicates(pairs):
    names = [name for name, _ in pairs]
    if len(set(names)) != len(names):
        raise ValueError("duplicate member")
    return dict(pairs)


class Validators:
    """One validator for each definition of each revision, made at first use."""

    def __init__(self):
        self.schemas = {}
        self.validators = {}

    def get(self, revision, definition):
        if revision not in self.schemas:
            path = pathlib.Path(SUITES, "mcp-schema", revision + ".json")
            self.schemas[revision] = json.loads(path.read_text())
        key = (revision, definition)
        if key not in self.validators:
            schema = dict(self.schemas[revision])
            where = "$defs" if "$defs" in schema else "definitions"
            schema["$ref"] = f"#/{where}/{definition}"
            assert definition in schema[where], f"{revision} has no {definition}"
            kind = (jsonschema.Draft202012Validator if where == "$defs"
                    else jsonschema.Draft7Validator)
            if kind is jsonschema.Draft7Validator:
                schema = {"$ref": schema["$ref"], where: schema[where]}
            self.validators[key] = kind(schema)
        return self.validators[key]

    def choose(self, revision, names):
        """The first of the names that the revision knows."""
        self.get(revision, "Tool")
        schema = self.schemas[revision]
        known = schema.get("$defs") or schema["definitions"]
        return next(name for name in names if name in known)

    def check(self, revision, definition, value):
        if isinstance(definition, list):
            definition = self.choose(revision, definition)
        error = next(self.get(revision, definition).iter_errors(value), None)
        if error is not None:
            raise AssertionError(f"{definition} of {revision}: {error.message}\n{value!r:.2000}")


class Conversation:
    """What one session said, message by message."""

    def __init__(self, validators):
        self.validators = validators
        self.asked = {}
        self.revision = "2025-11-25"
        self.results = 0

    def hear(self, data):
        try:
            message = json.loads(data)
        except (ValueError, RecursionError):
            return
        for one in message if isinstance(message, list) else [message]:
            self.hear_one(one)

    def hear_one(self, message):
        try:
            identity = json.dumps(message["id"])
            method = message["method"]
            params = message.get("params")
            meta = params.get("_meta") if isinstance(params, dict) else None
        except (ValueError, KeyError, TypeError, RecursionError):
            return
        modern = isinstance(meta, dict) and VERSION_KEY in meta
        self.asked.setdefault(identity, []).append((method, modern))

    def check(self, data):
        assert b"\n" not in data
        message = json.loads(data.decode("utf-8"), parse_constant=refuse_constant,
                             object_pairs_hook=refuse_duplicates)
        if isinstance(message, list):
            self.validators.check("2025-03-26", "JSONRPCBatchResponse", message)
            assert message, "an empty batch"
        for one in message if isinstance(message, list) else [message]:
            self.check_one(one)

    def check_one(self, message):
        assert message.get("id", "") is not None
        if "method" in message:
            self.check_own(message)
        elif "error" in message:
            self.check_error(message)
        else:
            self.check_result(message)

    def check_own(self, message):
        definition = OWN[message["method"]]
        meta = message.get("params", {}).get("_meta", {})
        revision = MODERN if SUBSCRIPTION_KEY in meta else self.revision
        self.validators.check(revision, "JSONRPCMessage", message)
        self.validators.check(revision, definition, message)

    def find_method(self, message, modern):
        """What the answer is to: the oldest request with its id and era that has none yet."""
        candidates = self.asked.get(json.dumps(message.get("id")), [])
        for number, (method, is_modern) in enumerate(candidates):
            if is_modern == modern:
                del candidates[number]
                return method
        return None

    def check_error(self, message):
        code = message["error"]["code"]
        method = self.find_method(message, False) or self.find_method(message, True) or ""
        if "id" not in message:
            assert self.revision >= "2025-11-25", "an error without id"
        self.validators.check(self.revision if "id" in message else "2025-11-25", ERROR, message)
        if code == -32022:
            self.validators.check(MODERN, "UnsupportedProtocolVersionError", message)
        elif code == -32021:
            self.validators.check(MODERN, "MissingRequiredClientCapabilityError", message)
        elif code == -32002:
            assert method.startswith("resources/"), message
        elif code == -32042:
            assert self.revision == "2025-11-25", message
        else:
            assert code in CODES, code

    def check_result(self, message):
        modern = "resultType" in message["result"]
        method = self.find_method(message, modern)
        if method == "initialize":
            self.revision = message["result"]["protocolVersion"]
        revision = MODERN if modern else self.revision
        definition = RESULTS[method]
        if message["result"].get("resultType") == "input_required":
            definition = "InputRequiredResult"
            for request in message["result"]["inputRequests"].values():
                self.validators.check(revision, "InputRequest", request)
        self.validators.check(revision, RESPONSE, message)
        self.validators.check(revision, definition, message["result"])
        if definition == "EmptyResult":
            assert message["result"] == {}
        if modern:
            assert message["result"]["_meta"]["io.modelcontextprotocol/serverInfo"]
        self.results += 1


class Lines(unittest.TestCase):
    def check_program(self, program, *folders):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "record")
            subprocess.run([program, "-q", *folders], env={**os.environ, "POSTBAG_RECORD": str(path)},
                           stdout=subprocess.DEVNULL, check=True, timeout=300)
            validators = Validators()
            conversation = None
            results = 0
            for direction, data in read_records(path):
                if direction == "session":
                    conversation = Conversation(validators)
                elif direction == "in":
                    conversation.hear(data)
                else:
                    conversation.check(data)
                    results += conversation.results
                    conversation.results = 0
            self.assertGreater(results, 5)

    def test_checker_notices(self):
        """The checker itself refuses what is wrong."""
        self.require()
        for line in (b'{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a"}]}}',
                     b'{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":""}}',
                     b'{"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":""}}',
                     b'{"jsonrpc":"2.0","id":1,"result":{"tools":[]},"result":{}}'):
            conversation = Conversation(Validators())
            conversation.hear(b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}')
            with self.subTest(line=line), self.assertRaises((AssertionError, ValueError)):
                conversation.check(line)

    def require(self):
        if SUITES is None:
            self.skipTest("POSTBAG_SUITES is not set")
        tap.require(self, jsonschema is not None, "python3-jsonschema")


def add_test(program, *folders):
    def test(self):
        self.require()
        self.check_program(program, *folders)

    name = re.sub(r"\W", "_", pathlib.Path(program).name)
    setattr(Lines, "test_lines_of_" + name, test)


programs = []
for argument in sys.argv[1:]:
    if os.path.isdir(argument):
        programs[-1].append(argument)
    else:
        programs.append([argument])
for program_and_folders in programs:
    add_test(*program_and_folders)

if __name__ == "__main__":
    tap.main()
