# SPDX-License-Identifier: LGPL-2.1-or-later
"""The tool definitions of the guarded toolset: shape, size, and what they must contain.

Where POSTBAG_DOCUMENTS names a folder with the published output schemas, each must be contained in
ours: the same members, types and required lists, enums at least theirs.
"""

import json
import os
import pathlib
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))

import tap  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[3]
FOLDER = ROOT / "schemas/guarded"
MANIFEST = ROOT / "plugins/tools/guarded/guarded.plugin.in"
DIALECT = "https://json-schema.org/draft/2020-12/schema"
LARGEST = 9007199254740991
# tools/list of what is offered without writing: six tools; a token is about four bytes.
MOST_BYTES = 18000

READS = {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True,
         "openWorldHint": False}
# Written down by hand from the contract: what a caller may rely on.
REQUIRED = {
    "get_server_info": ["host", "port", "tls", "mailbox", "capabilities", "permanent_flags",
                        "new_mail_tracking", "write_tools_enabled", "can_send_mail",
                        "attachment_downloads", "attachment_text_extraction", "limits"],
    "list_mailboxes": ["untrusted", "source", "default_mailbox", "note", "mailboxes",
                       "total_mailboxes"],
    "list_messages": ["untrusted", "source", "mailbox", "total_matching", "offset", "returned",
                      "messages"],
    "get_message": ["untrusted", "source", "uid", "references", "security", "attachments",
                    "body"],
    "get_attachments": ["untrusted", "source", "action", "uid"],
    "list_new_messages": ["untrusted", "source", "mailbox", "total_new", "returned", "marked",
                          "dry_run", "more_waiting", "messages"],
    "set_message_flags": ["mailbox", "uids", "added", "removed"],
    "move_messages": ["action", "source", "destination", "uids"],
    "delete_messages": ["action", "mailbox", "uids"],
    "manage_mailbox": ["action", "mailbox"],
    "save_draft": ["action", "mailbox", "recipients", "note"],
}
# readOnlyHint, destructiveHint, idempotentHint
HINTS = {
    "list_new_messages": (False, False, False), "set_message_flags": (False, False, True),
    "move_messages": (False, True, False), "delete_messages": (False, True, True),
    "manage_mailbox": (False, True, True), "save_draft": (False, False, False),
}
WRITES = [tool for tool in HINTS if tool != "list_new_messages"]
ARGUMENTS = {
    "get_server_info": [],
    "list_mailboxes": [],
    "list_messages": ["mailbox", "limit", "offset", "from", "to", "subject", "body", "since",
                      "before", "seen", "flagged", "keyword"],
    "get_message": ["uid", "mailbox", "include_thread"],
    "get_attachments": ["uid", "mailbox", "part_id", "mode", "offset", "max_chars",
                        "member"],
    "list_new_messages": ["limit", "dry_run"],
    "set_message_flags": ["uids", "mailbox", "add", "remove"],
    "move_messages": ["uids", "destination", "mailbox", "mode", "confirm_token"],
    "delete_messages": ["uids", "mailbox", "confirm_token"],
    "manage_mailbox": ["action", "mailbox", "new_name", "confirm_token"],
    "save_draft": ["to", "cc", "bcc", "subject", "body", "reply_to_uid", "mailbox"],
}
SUMMARY = ["uid", "subject", "from", "to", "flags", "seen", "flagged", "answered",
           "hasAttachments"]
DOCUMENTS = {"get_attachments": "000_*.txt", "list_messages": "001_*.txt"}


def load(tool):
    return json.loads((FOLDER / f"{tool}.json").read_text(encoding="utf-8"))


def walk(schema, path=""):
    """Every schema inside @schema with its place."""
    yield path, schema
    for name, inner in schema.get("properties", {}).items():
        yield from walk(inner, f"{path}/{name}")
    if isinstance(schema.get("items"), dict):
        yield from walk(schema["items"], f"{path}/items")
    for index, inner in enumerate(schema.get("anyOf", [])):
        yield from walk(inner, f"{path}/anyOf/{index}")


def read_document(path):
    """The output schema that a published page shows as an added block."""
    text = path.read_text(encoding="utf-8")
    text = text[text.index("Output schema / (root)"):]
    text = text[text.index("New value: +") + len("New value: +"):]
    text = "\n".join(line.removeprefix("+") for line in text.split("\n"))
    return json.JSONDecoder().raw_decode(text)[0]


def find_gaps(theirs, ours, path=""):
    """Where @theirs is not contained in @ours."""
    if not isinstance(theirs, dict):
        return [] if theirs == ours else [f"{path}: {theirs!r} is {ours!r}"]
    gaps = []
    for key, value in theirs.items():
        place = f"{path}/{key}"
        if key == "description":
            continue
        if not isinstance(ours, dict) or key not in ours:
            gaps.append(f"{place} is missing")
        elif key == "enum":
            gaps += [] if set(value) <= set(ours[key]) else [f"{place} lacks values"]
        elif key == "required":
            gaps += [] if set(value) == set(ours[key]) else [f"{place} differs"]
        elif key == "anyOf":
            for index, (one, other) in enumerate(zip(value, ours[key], strict=True)):
                gaps += find_gaps(one, other, f"{place}/{index}")
        else:
            gaps += find_gaps(value, ours[key], place)
    return gaps


class Definitions(unittest.TestCase):
    tools = {tool: load(tool) for tool in REQUIRED}

    def test_manifest_lists_them(self):
        listed = re.search(r"^Tools=(.*)$", MANIFEST.read_text(), re.MULTILINE).group(1)
        self.assertEqual(listed.split(";"), list(REQUIRED))
        defined = {path.stem for path in FOLDER.glob("*.json")
                   if "inputSchema" in json.loads(path.read_text(encoding="utf-8"))}
        self.assertEqual(defined, set(REQUIRED))

    def test_size(self):
        """With a download directory and without, as a client gets them."""
        for overlay in (False, True):
            listed = []
            for name, tool in self.tools.items():
                if name in WRITES:
                    continue
                tool = dict(tool)
                own = tool.pop("x-postbag", {})
                for when in own.get("when", []) if overlay else []:
                    tool["description"] = when.get("description", tool["description"])
                listed.append(tool)
            size = len(json.dumps({"tools": listed}, separators=(",", ":"),
                                  ensure_ascii=False).encode())
            self.assertLess(size, MOST_BYTES)

    def test_members(self):
        for name, tool in self.tools.items():
            with self.subTest(name):
                self.assertEqual(tool["name"], name)
                self.assertTrue(tool["title"] and tool["description"])
                self.assertEqual(sorted(tool["outputSchema"]["required"]), sorted(REQUIRED[name]))
                self.assertEqual(list(tool["inputSchema"]["properties"]), ARGUMENTS[name])
                hints = {**READS, **dict(zip(READS, HINTS.get(name, ())))}
                self.assertEqual(tool["annotations"], hints)

    def test_saving_is_no_reading(self):
        when, = [one for one in self.tools["get_attachments"]["x-postbag"]["when"] if one["setting"] == "download-dir"]
        self.assertEqual((when["setting"], when["is"]), ("download-dir", "set"))
        self.assertEqual(when["annotations"], {"readOnlyHint": False, "destructiveHint": True})

    def test_summaries(self):
        lists = [self.tools["list_messages"]["outputSchema"]["properties"]["messages"],
                 self.tools["get_message"]["outputSchema"]["properties"]["thread"],
                 self.tools["list_new_messages"]["outputSchema"]["properties"]["messages"]]
        for entry in lists:
            self.assertEqual(sorted(entry["items"]["required"]), sorted(SUMMARY))
        self.assertLessEqual({"date", "size"}, set(lists[0]["items"]["properties"]))

    def test_spelling(self):
        """What some clients drop or refuse: type lists, top-level choices, open integers."""
        for name, tool in self.tools.items():
            for side in ("inputSchema", "outputSchema"):
                root = tool[side]
                self.assertEqual(root["$schema"], DIALECT)
                self.assertEqual(root["type"], "object")
                self.assertIs(root["additionalProperties"], False)
                self.assertFalse({"anyOf", "oneOf", "allOf", "$ref"} & set(root))
                for path, schema in walk(root):
                    with self.subTest(f"{name} {side} {path}"):
                        self.assertNotIsInstance(schema.get("type"), list)
                        if schema.get("type") == "integer":
                            self.assertIn("minimum", schema)
                            self.assertLessEqual(schema["maximum"], LARGEST)
                        if schema.get("type") == "object":
                            self.assertIsInstance(schema["additionalProperties"], bool)

    def test_arguments_are_described(self):
        for name, tool in self.tools.items():
            for argument, schema in tool["inputSchema"]["properties"].items():
                with self.subTest(f"{name} {argument}"):
                    self.assertTrue(schema["description"])

    def test_bounds(self):
        arguments = self.tools["list_messages"]["inputSchema"]["properties"]
        self.assertEqual((arguments["limit"]["minimum"], arguments["limit"]["maximum"]), (1, 200))
        self.assertEqual((arguments["subject"]["minLength"], arguments["subject"]["maxLength"]),
                         (1, 256))
        pattern = re.compile(arguments["mailbox"]["pattern"])
        for good in ("INBOX", "a\tb", "Entwürfe/2024", "zero\u200bwidth"):
            self.assertTrue(pattern.search(good), good)
        for bad in ("a\rb", "a\nb", "a\x1bb", "a\x7fb", "a\x9fb", "a%", "*"):
            self.assertFalse(pattern.search(bad), ascii(bad))
        arguments = self.tools["get_attachments"]["inputSchema"]["properties"]
        self.assertEqual(arguments["mode"]["enum"], ["auto", "inline", "file", "text"])
        self.assertEqual((arguments["max_chars"]["maximum"], arguments["max_chars"]["default"]),
                         (25000, 20000))

    def test_bounds_of_changes(self):
        for tool in ("set_message_flags", "move_messages", "delete_messages"):
            uids = self.tools[tool]["inputSchema"]["properties"]["uids"]
            self.assertEqual((uids["minItems"], uids["maxItems"]), (1, 200))
        draft = self.tools["save_draft"]["inputSchema"]["properties"]
        self.assertEqual((draft["subject"]["maxLength"], draft["body"]["maxLength"]), (500, 100000))
        self.assertEqual(draft["to"]["maxItems"], 50)
        pattern = re.compile(draft["subject"]["pattern"])
        self.assertFalse(pattern.search("a\nBcc: x@example.org"))
        flag = self.tools["set_message_flags"]["inputSchema"]["properties"]["add"]["items"]
        for good in ("\\Seen", "$Label1", "Work"):
            self.assertTrue(re.search(flag["pattern"], good), good)
        for bad in ("a b", "x)", "\\", "a\\b", "\r\n"):
            self.assertFalse(re.search(flag["pattern"], bad), ascii(bad))

    def test_published_schemas_are_contained(self):
        folder = os.environ.get("POSTBAG_DOCUMENTS")
        if not folder:
            self.skipTest("POSTBAG_DOCUMENTS is not set")
        for tool, pattern in DOCUMENTS.items():
            path, = pathlib.Path(folder).glob(pattern)
            with self.subTest(tool):
                self.assertEqual(find_gaps(read_document(path), load(tool)["outputSchema"]), [])

    def test_containment_bites(self):
        theirs = {"properties": {"a": {"enum": ["x", "y"]}}, "required": ["a"]}
        self.assertEqual(find_gaps(theirs, theirs), [])
        for ours in ({"properties": {"a": {"enum": ["x"]}}, "required": ["a"]},
                     {"properties": {}, "required": ["a"]},
                     {"properties": {"a": {"enum": ["x", "y", "z"]}}, "required": []}):
            self.assertTrue(find_gaps(theirs, ours))


if __name__ == "__main__":
    tap.main()
