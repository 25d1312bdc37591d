# SPDX-License-Identifier: LGPL-2.1-or-later
"""Everything the unit tests of the protocol make the server say, checked against the published
schemas: each line as a message of its revision, each result as the result of its method.

Arguments: the test programs. Each is run with POSTBAG_RECORD set and records both directions.
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
}
CODES = {-32700, -32600, -32601, -32602, -32603}


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
            schema["$ref"] = "#/$defs/" + definition
            assert definition in schema["$defs"], definition
            self.validators[key] = jsonschema.Draft202012Validator(schema)
        return self.validators[key]

    def check(self, revision, definition, value):
        error = next(self.get(revision, definition).iter_errors(value), None)
        if error is not None:
            raise AssertionError(f"{definition} of {revision}: {error.message}\n{value!r:.2000}")


class Conversation:
    """What one session said, message by message."""

    def __init__(self, validators):
        self.validators = validators
        self.asked = {}
        self.revision = "2025-11-25"
        self.modern = False
        self.results = 0

    def hear(self, data):
        try:
            message = json.loads(data)
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
        assert message.get("id", "") is not None
        if "method" in message:
            self.check_own(message)
        elif "error" in message:
            self.check_error(message)
        else:
            self.check_result(message)

    def check_own(self, message):
        definition = {"notifications/progress": "ProgressNotification",
                      "notifications/cancelled": "CancelledNotification",
                      "elicitation/create": "ElicitRequest"}[message["method"]]
        self.validators.check("2025-11-25", "JSONRPCMessage", message)
        self.validators.check("2025-11-25", definition, message)

    def check_error(self, message):
        code = message["error"]["code"]
        for revision in ("2025-11-25", "2026-07-28"):
            self.validators.check(revision, "JSONRPCErrorResponse", message)
        if code == -32022:
            self.validators.check("2026-07-28", "UnsupportedProtocolVersionError", message)
        else:
            assert code in CODES, code

    def check_result(self, message):
        candidates = self.asked[json.dumps(message["id"])]
        modern = "resultType" in message["result"]
        method = next(method for method, is_modern in candidates if is_modern == modern)
        revision = "2026-07-28" if modern else "2025-11-25"
        definition = RESULTS[method]
        if message["result"].get("resultType") == "input_required":
            definition = "InputRequiredResult"
            for request in message["result"]["inputRequests"].values():
                self.validators.check(revision, "InputRequest", request)
        self.validators.check(revision, "JSONRPCResultResponse", message)
        self.validators.check(revision, definition, message["result"])
        if method == "ping":
            assert message["result"] == {}
        if modern:
            assert message["result"]["_meta"]["io.modelcontextprotocol/serverInfo"]
        self.results += 1


class Lines(unittest.TestCase):
    def check_program(self, program):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "record")
            subprocess.run([program, "-q"], env={**os.environ, "POSTBAG_RECORD": str(path)},
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


def add_test(program):
    def test(self):
        self.require()
        self.check_program(program)

    name = re.sub(r"\W", "_", pathlib.Path(program).name)
    setattr(Lines, "test_lines_of_" + name, test)


for argument in sys.argv[1:]:
    add_test(argument)

if __name__ == "__main__":
    tap.main()
