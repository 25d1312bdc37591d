# SPDX-License-Identifier: LGPL-2.1-or-later
"""Other people's clients talk to postbag: both official SDK lines and the Inspector.

They live in node_modules here (.ci/clients installs them, with a node of their own).
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import server  # noqa: E402
import tap  # noqa: E402

FIXTURES = os.environ.get("POSTBAG_FIXTURES", "")
HERE = pathlib.Path(__file__).resolve().parent
NODE = HERE / "node_modules/.bin/node"
INSPECTOR = HERE / "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"


class Clients(unittest.TestCase):
    def setUp(self):
        tap.require(self, NODE.exists() and INSPECTOR.exists(),
                    "the clients (run .ci/clients once)")
        self.home = tempfile.mkdtemp(prefix="postbag-clients-")
        self.addCleanup(shutil.rmtree, self.home, ignore_errors=True)

    def run_node(self, *arguments, expected=0, **environment):
        run = subprocess.run([NODE, *map(str, arguments)], cwd=HERE, text=True,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, timeout=120, check=False,
                             env=server.make_environment(self.home, CI="true", **environment))
        self.assertEqual(run.returncode, expected, run.stdout[-3000:] + run.stderr[-6000:])
        return run.stdout

    def inspect(self, era, *arguments, expected=0):
        config = pathlib.Path(self.home) / "servers.json"
        config.write_text(json.dumps({"mcpServers": {"postbag": {
            "command": server.PROGRAM, "args": ["--maildir", str(server.DEMO)],
            "env": server.make_environment(self.home)}}}), encoding="utf-8")
        return self.run_node(INSPECTOR, "--cli", "--config", config, "--server", "postbag",
                             "--protocol-era", era, "--format", "json", *arguments,
                             expected=expected)

    def test_sdk_1(self):
        self.run_node("sdk-1.mjs", server.PROGRAM, server.DEMO)

    def test_sdk_2_legacy(self):
        self.run_node("sdk-2.mjs", server.PROGRAM, server.DEMO, "legacy")

    def test_sdk_2_auto(self):
        self.run_node("sdk-2.mjs", server.PROGRAM, server.DEMO, "auto")

    def test_sdk_2_modern(self):
        self.run_node("sdk-2.mjs", server.PROGRAM, server.DEMO, "modern")

    def test_fixtures(self):
        tap.require(self, os.path.exists(os.path.join(FIXTURES, "fixtures.plugin")),
                    "the fixtures (POSTBAG_FIXTURES)")
        for line in ("1", "legacy", "auto", "modern"):
            with self.subTest(line):
                self.run_node("fixtures.mjs", server.PROGRAM, line, POSTBAG_PLUGIN_PATH=FIXTURES)

    def test_inspector_lists_portable_tools(self):
        for era in ("legacy", "auto", "modern"):
            with self.subTest(era):
                listed = json.loads(self.inspect(era, "--method", "tools/list", "--strict"))
                names = {tool["name"] for tool in listed.get("result", listed)["tools"]}
                self.assertIn("list_messages", names)

    def test_inspector_calls_tools(self):
        for era in ("legacy", "modern"):
            with self.subTest(era):
                result = json.loads(self.inspect(
                    era, "--method", "tools/call", "--tool-name", "list_messages",
                    "--tool-args-json", '{"subject": "Lisbon"}'))
                result = result.get("result", result)
                self.assertEqual(result["structuredContent"]["total_matching"], 3)

    def test_inspector_load(self):
        for era in ("legacy", "modern"):
            with self.subTest(era):
                result = json.loads(self.inspect(
                    era, "--method", "tools/call", "--tool-name", "list_messages",
                    "--tool-args-json", '{"limit": 5}', "--load", "--load-requests", "1000",
                    "--load-concurrency", "100"))["result"]
                self.assertEqual((result["ok"], result["errors"], result["toolErrors"]),
                                 (1000, 0, 0))


if __name__ == "__main__":
    tap.main()
