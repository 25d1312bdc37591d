# SPDX-License-Identifier: LGPL-2.1-or-later
"""The documents among the public mail cases, through `postbag extract --json`: what their text has
to contain, in which words a refusal comes, how long it may take."""

import email
import email.policy
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import tap  # noqa: E402

PROGRAM = os.environ["POSTBAG_PROGRAM"]
CASES = os.environ.get("POSTBAG_CASES")
SECONDS = 60


def load_cases():
    if not CASES:
        return []
    lines = (pathlib.Path(CASES) / "eml/cases.jsonl").read_text("utf-8").splitlines()
    return [case for case in map(json.loads, lines) if "attachment_text" in case["expect"]]


def get_attachment(case, name):
    path = pathlib.Path(CASES) / "eml" / case["file"]
    message = email.message_from_bytes(path.read_bytes(), policy=email.policy.default)
    for part in message.walk():
        if part.get_filename() == name:
            return part.get_payload(decode=True)
    raise AssertionError(f"{case['id']} has no attachment {name}")


class Documents(unittest.TestCase):
    def extract(self, name, data):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / name
            path.write_bytes(data)
            start = time.monotonic()
            done = subprocess.run([PROGRAM, "--json", "extract", str(path)], capture_output=True,
                                  timeout=SECONDS, check=False)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        self.seconds = time.monotonic() - start
        return json.loads(done.stdout.decode("utf-8")), len(done.stdout)

    def judge(self, expect, answer, size):
        text = answer.get("text", "")
        for piece in expect.get("contains", []):
            self.assertIn(piece, text)
        for piece in expect.get("absent", []):
            self.assertNotIn(piece, text)
        for piece in expect.get("once", []):
            self.assertEqual(text.count(piece), 1, piece)
        for choice in expect.get("contains_any", []):
            self.assertTrue(any(piece in text for piece in choice), (choice, text))
        words = expect.get("notice_contains_any")
        if words:
            self.assertTrue(any(word in answer["error"].lower() for word in words), answer)
        if expect.get("result") == "cut or limit error":
            self.assertTrue(answer.get("was_cut") or answer.get("reason") in (
                "too-large", "too-many-parts", "out-of-memory", "timeout"), answer)
        self.assertLessEqual(self.seconds, expect.get("max_seconds", SECONDS))
        self.assertLessEqual(size, expect.get("max_answer_bytes", 8 << 20))

    def try_case(self, case):
        for name, expect in case["expect"]["attachment_text"].items():
            answer, size = self.extract(name, get_attachment(case, name))
            if "cannot be turned into text here" in answer.get("error", ""):
                self.skipTest(f"there is no reader for {name}")
            self.judge(expect, answer, size)

    def test_cases_are_there(self):
        if not CASES:
            self.skipTest("POSTBAG_CASES is not set")
        self.assertGreater(len(load_cases()), 10)


def make_test(case):
    def test(self):
        self.try_case(case)

    test.__doc__ = case["title"]
    return test


for _case in load_cases():
    if _case["level"] == "must":
        setattr(Documents, "test_" + _case["id"].replace("-", "_"), make_test(_case))


if __name__ == "__main__":
    tap.main()
