# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs unittest cases as a TAP program, so that meson counts each of them.

A test file ends with `tap.main()`. Under continuous integration a test may not be skipped for a
tool that should have been installed: `tap.require(self, found, what)` fails there and skips
elsewhere.
"""

import os
import sys
import traceback
import unittest


def require(case, found, what):
    """Goes on if @found; else skips, or fails where everything should be installed."""
    if found:
        return
    if os.environ.get("CI") == "true":
        case.fail(f"{what} is missing, and continuous integration must not skip")
    case.skipTest(f"{what} is missing")


class TapResult(unittest.TestResult):
    """Prints one TAP line a case; explanations go to stderr."""

    def __init__(self):
        super().__init__()
        self.number = 0
        self.broken_subtests = set()

    def report(self, ok, test, remark=""):
        self.number += 1
        name = test.id().removeprefix("__main__.").replace("#", "")
        print(f"{'ok' if ok else 'not ok'} {self.number} - {name}{remark}", flush=True)

    def explain(self, test, error):
        print(f"--- {test.id()}", file=sys.stderr)
        traceback.print_exception(*error, file=sys.stderr)

    def addSuccess(self, test):
        self.report(True, test)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.explain(test, err)
        if test.id() not in self.broken_subtests:
            self.report(False, test)

    addError = addFailure

    def addSkip(self, test, reason):
        self.report(True, test, f" # SKIP {reason}")

    def addSubTest(self, test, subtest, err):
        if err is not None:
            super().addSubTest(test, subtest, err)
            self.explain(subtest, err)
            if test.id() not in self.broken_subtests:
                self.broken_subtests.add(test.id())
                self.report(False, test)


def main():
    suite = unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"])
    result = TapResult()
    suite.run(result)
    print(f"1..{result.number}", flush=True)
    sys.exit(0 if result.wasSuccessful() else 1)
