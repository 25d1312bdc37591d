# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs postbag over stdio, as a client does, and reads its lines strictly.

Every line that comes out is checked: one JSON object, UTF-8, a JSON-RPC 2.0 message, and, where the
published schemas are at hand (POSTBAG_SUITES), valid against the schema of the revision in use.
"""

import json
import os
import pathlib
import queue
import shutil
import subprocess
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("POSTBAG_PROGRAM") or str(ROOT / "build/postbag")
DEMO = ROOT / "data/demo/Maildir"
SANITIZED = os.environ.get("POSTBAG_SANITIZED") == "1"
PATIENCE = 60 if SANITIZED else 20  # seconds until a missing answer is a failure

LEGACY = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]  # those with a handshake
MODERN = "2026-07-28"
PREFIX = "io.modelcontextprotocol/"

RESULTS = {
    "initialize": ["InitializeResult"],
    "ping": ["EmptyResult"],
    "tools/list": ["ListToolsResult"],
    "tools/call": ["CallToolResult"],
    "resources/list": ["ListResourcesResult"],
    "resources/templates/list": ["ListResourceTemplatesResult"],
    "resources/read": ["ReadResourceResult"],
    "resources/subscribe": ["EmptyResult"],
    "resources/unsubscribe": ["EmptyResult"],
    "prompts/list": ["ListPromptsResult"],
    "prompts/get": ["GetPromptResult"],
    "completion/complete": ["CompleteResult"],
    "logging/setLevel": ["EmptyResult"],
    "server/discover": ["DiscoverResult"],
    "subscriptions/listen": ["SubscriptionsListenResult"],
}
MESSAGES = {
    "notifications/progress": "ProgressNotification",
    "notifications/message": "LoggingMessageNotification",
    "notifications/cancelled": "CancelledNotification",
    "notifications/tools/list_changed": "ToolListChangedNotification",
    "notifications/prompts/list_changed": "PromptListChangedNotification",
    "notifications/resources/list_changed": "ResourceListChangedNotification",
    "notifications/resources/updated": "ResourceUpdatedNotification",
    "notifications/elicitation/complete": "ElicitationCompleteNotification",
    "notifications/subscriptions/acknowledged": "SubscriptionsAcknowledgedNotification",
    "elicitation/create": "ElicitRequest",
    "sampling/createMessage": "CreateMessageRequest",
    "roots/list": "ListRootsRequest",
}
# MCP reserves these ranges; only the named codes of each era may be sent (mcp 2026-07-28, basic).
STANDARD_CODES = {-32700, -32600, -32601, -32602, -32603}
MODERN_CODES = {-32020, -32021, -32022}


def schema_folder():
    suites = os.environ.get("POSTBAG_SUITES")
    folder = pathlib.Path(suites) / "mcp-schema" if suites else None
    return folder if folder and folder.is_dir() else None


class Schemas:
    """The published schemas of all revisions, loaded when first needed."""

    def __init__(self):
        self.loaded = {}

    def load(self, revision):
        if revision not in self.loaded:
            folder = schema_folder()
            text = (folder / f"{revision}.json").read_text(encoding="utf-8") if folder else "null"
            self.loaded[revision] = json.loads(text)
        return self.loaded[revision]

    def definition(self, revision, name):
        schema = self.load(revision)
        return (schema.get("$defs") or schema["definitions"]).get(name) if schema else None

    def check(self, revision, names, value):
        """Fails unless @value is valid against one of the definitions @names."""
        schema = self.load(revision)
        if not schema:
            return
        import jsonschema  # only where there is something to validate

        draft = (jsonschema.Draft202012Validator if "$defs" in schema
                 else jsonschema.Draft7Validator)
        where = "$defs" if "$defs" in schema else "definitions"
        names = [name for name in names if name in schema[where]]
        assert names, f"{revision} knows none of {names}"
        problems = []
        for name in names:
            errors = list(draft({**schema, "$ref": f"#/{where}/{name}"}).iter_errors(value))
            if not errors:
                return
            problems += [f"{name}: {'/'.join(map(str, error.absolute_path))}: {error.message}"
                         for error in errors[:5]]
        raise AssertionError(f"not valid in {revision}: " + "; ".join(problems))


SCHEMAS = Schemas()


def assert_known(test, revision, name, value):
    """@value has no member that the revision does not define."""
    definition = SCHEMAS.definition(revision, name)
    if definition is None:
        test.skipTest("the published schemas are not at hand")
    known = set(definition["properties"])
    for part in definition.get("allOf", ()):
        known |= set(part.get("properties", ()))
    test.assertLessEqual(set(value), known, f"{name} in {revision}")


def make_maildir(folder, count):
    """A Maildir of @count messages, all copies of one of the demo."""
    data = sorted((DEMO / "cur").iterdir())[0].read_bytes()
    for name in ("cur", "new", "tmp"):
        (folder / name).mkdir()
    for number in range(count):
        (folder / "cur" / f"{1794000000 + number}.M{number}P1.demo:2,S").write_bytes(data)


def refuse_duplicates(pairs):
    members = dict(pairs)
    assert len(members) == len(pairs), "a member stands twice"
    return members


def refuse_constant(name):
    raise AssertionError(f"{name} is not JSON")


def envelope(version=MODERN, capabilities=None, **more):
    """The `_meta` of a modern request."""
    return {PREFIX + "protocolVersion": version,
            PREFIX + "clientCapabilities": capabilities if capabilities is not None else {},
            PREFIX + "clientInfo": {"name": "lines", "version": "1"}, **more}


def make_environment(home, **more):
    """What clients leave a server: next to nothing."""
    kept = ("PATH", "LANG", "LC_ALL", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS", "G_DEBUG",
            "G_SLICE", "LD_LIBRARY_PATH", "POSTBAG_PLUGIN_PATH")
    environment = {name: os.environ[name] for name in kept if name in os.environ}
    environment.setdefault("G_DEBUG", "fatal-criticals")
    return {**environment, "HOME": home, **more}


class Server:
    """One process and its conversation."""

    def __init__(self, maildir=DEMO, arguments=(), environment=None, revision=None,
                 reader=True):
        self.home = tempfile.mkdtemp(prefix="postbag-home-")
        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [PROGRAM, *(["--maildir", str(maildir)] if maildir else []), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=self.log, cwd="/",
            env=make_environment(self.home, **(environment or {})))
        self.lines = queue.Queue()
        self.methods = {}
        self.next_id = 1000
        self.revision = revision or "2025-11-25"
        self.waiting = []
        if reader:
            threading.Thread(target=self.read_lines, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if self.process.poll() is None:
            self.close_input()
            status = self.wait()
            if kind is None:
                assert status == 0, f"exit status {status}\n{self.read_log()}"
        self.process.stdout.close()
        self.log.close()
        shutil.rmtree(self.home, ignore_errors=True)

    def wait(self):
        """The exit status, or "killed" when it does not end with its input."""
        try:
            return self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return "killed"

    def read_lines(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def read_log(self):
        self.log.seek(0)
        return self.log.read().decode("utf-8", "replace")[-6000:]

    def close_input(self):
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass

    def write(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message, end=b"\n"):
        """Sends a message and remembers which method its id asks for."""
        for one in message if isinstance(message, list) else [message]:
            if isinstance(one, dict) and "method" in one and "id" in one:
                self.methods[json.dumps(one["id"])] = (one["method"], self.revision_of(one))
        self.write(json.dumps(message, ensure_ascii=False).encode("utf-8") + end)

    def revision_of(self, message):
        meta = (message.get("params") or {}).get("_meta")
        return MODERN if isinstance(meta, dict) and PREFIX + "protocolVersion" in meta else None

    def receive(self, timeout=None):
        """The next message, checked; None when the output has ended."""
        line = self.lines.get(timeout=timeout or PATIENCE)
        if line is None:
            return None
        return self.check_line(line)

    def check_line(self, line):
        assert line.endswith(b"\n"), f"a cut line: {line[-80:]!r}"
        assert b"\r" not in line and line.count(b"\n") == 1
        message = json.loads(line.decode("utf-8"), object_pairs_hook=refuse_duplicates,
                             parse_constant=refuse_constant)
        for one in message if isinstance(message, list) else [message]:
            self.check_message(one)
        return message

    def check_message(self, message):
        assert isinstance(message, dict) and message.get("jsonrpc") == "2.0", message
        method, revision = self.methods.get(json.dumps(message.get("id")), (None, None))
        revision = revision or self.revision
        if "result" in message:
            assert "error" not in message and method, message
            if method == "initialize":
                revision = message["result"]["protocolVersion"]
            names = RESULTS.get(method, ["Result"])
            if message["result"].get("resultType") == "input_required":
                names = ["InputRequiredResult"]
            self.check_era(message["result"], revision)
            SCHEMAS.check(revision, names, message["result"])
        elif "error" in message:
            SCHEMAS.check(revision, ["JSONRPCErrorResponse", "JSONRPCError"], message)
            self.check_code(message["error"]["code"], revision)
            assert message["error"]["message"].strip(), message
        else:
            SCHEMAS.check(revision, [MESSAGES[message["method"]]], message)
            assert revision != MODERN or "id" not in message, "a modern server sends no requests"

    @staticmethod
    def check_era(result, revision):
        """What every result of 2026-07-28 has, and none before it."""
        if revision != MODERN:
            assert "resultType" not in result and "ttlMs" not in result, result
            return
        assert result["resultType"] in ("complete", "input_required"), result
        assert result["_meta"][PREFIX + "serverInfo"]["version"], result

    @staticmethod
    def check_code(code, revision):
        allowed = STANDARD_CODES | (MODERN_CODES if revision == MODERN else {-32002, -32042})
        assert code in allowed or not -32768 <= code <= -32000, f"code {code} in {revision}"

    def wait_for(self, identity, timeout=None):
        """The answer with that id; others that come first are kept for their own turn."""
        for number, message in enumerate(self.waiting):
            if message.get("id") == identity:
                return self.waiting.pop(number)
        end = time.monotonic() + (timeout or PATIENCE)
        while True:
            message = self.receive(max(end - time.monotonic(), 0.01))
            assert message is not None, f"the output ended\n{self.read_log()}"
            if (isinstance(message, dict) and message.get("id") == identity
                    and type(message["id"]) is type(identity) and "method" not in message):
                return message
            self.waiting.append(message)

    def request(self, method, params=None, identity=None):
        """Sends a request and returns its answer."""
        if identity is None:
            self.next_id += 1
            identity = self.next_id
        message = {"jsonrpc": "2.0", "id": identity, "method": method}
        if params is not None:
            message["params"] = params
        self.send(message)
        return self.wait_for(identity)

    def modern(self, method, params=None, meta=None, identity=None):
        return self.request(method, {**(params or {}), "_meta": meta or envelope()}, identity)

    def notify(self, method, params=None):
        message = {"jsonrpc": "2.0", "method": method}
        if params is not None:
            message["params"] = params
        self.send(message)

    def initialize(self, revision="2025-11-25", capabilities=None):
        answer = self.request("initialize", {
            "protocolVersion": revision, "capabilities": capabilities or {},
            "clientInfo": {"name": "lines", "version": "1"}})
        self.revision = answer["result"]["protocolVersion"]
        self.notify("notifications/initialized")
        return answer["result"]

    def call(self, tool, arguments=None, modern=False):
        """A tool call's result."""
        params = {"name": tool} if arguments is None else {"name": tool, "arguments": arguments}
        answer = self.modern("tools/call", params) if modern else self.request("tools/call", params)
        assert "result" in answer, answer
        return answer["result"]

    def expect_silence(self, seconds=0.3):
        """Nothing comes, and a ping shows that the server is still there."""
        time.sleep(seconds)
        assert self.lines.empty() and not self.waiting, (self.waiting, self.lines.get())
        self.expect_alive()

    def expect_alive(self):
        self.next_id += 1
        assert self.request("ping", {})["result"] == {}

    def count_files(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))
