# SPDX-License-Identifier: LGPL-2.1-or-later
"""The closing line of `make check` counts what there is to count."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import tap  # noqa: E402

SUMMARY = pathlib.Path(__file__).resolve().parents[2] / ".ci/summary"


def summarize(*entries):
    """The last line and the exit status for programs given as (result, output)."""
    with tempfile.TemporaryDirectory() as folder:
        lines = [json.dumps({"name": f"program {number}", "result": result, "stdout": output})
                 for number, (result, output) in enumerate(entries)]
        (pathlib.Path(folder) / "testlog.json").write_text("\n".join(lines), encoding="utf-8")
        run = subprocess.run([sys.executable, SUMMARY, folder], stdout=subprocess.PIPE, text=True,
                             check=False)
    return run.stdout.strip().split("\n")[-1], run.returncode


class Summary(unittest.TestCase):
    def test_single_cases_are_counted(self):
        tap_text = ("TAP version 13\n# a remark: not ok\n1..4\nok 1 /a\nok 2 - b\n"
                    "not ok 3 c\nok 4 d # SKIP no tool\n")
        self.assertEqual(summarize(("FAIL", tap_text)), ("2 passed, 1 failed, 1 skipped", 1))

    def test_other_programs_count_once(self):
        self.assertEqual(summarize(("OK", ""), ("OK", "hello\n"), ("SKIP", "")),
                         ("2 passed, 0 failed, 1 skipped", 0))

    def test_a_bad_end_counts(self):
        for result in ("ERROR", "TIMEOUT", "FAIL", "INTERRUPT"):
            with self.subTest(result):
                self.assertEqual(summarize((result, "1..2\nok 1 a\nok 2 b\n")),
                                 ("2 passed, 1 failed, 0 skipped", 1))

    def test_a_whole_program_skipped(self):
        self.assertEqual(summarize(("OK", ""), ("SKIP", "1..0 # SKIP nothing here\n")),
                         ("1 passed, 0 failed, 1 skipped", 0))

    def test_nothing_passed_is_a_failure(self):
        self.assertEqual(summarize(("SKIP", "")), ("0 passed, 0 failed, 1 skipped", 1))

    def test_expected_failures_pass(self):
        self.assertEqual(summarize(("OK", "1..1\nnot ok 1 a # TODO later\n")),
                         ("1 passed, 0 failed, 0 skipped", 0))


if __name__ == "__main__":
    tap.main()
