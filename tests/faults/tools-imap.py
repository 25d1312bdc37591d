#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The tools that change mail, on a real Dovecot over TLS, ended or failing at each call.

What sends and receives counts as well as what is written into the state folder. Each run is a user
of its own with a fresh copy of the mail and of the state; the journal is held to what `tools.py` asks
of it.
"""

import pathlib
import shutil
import sys
import tempfile
import unittest

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1])]
import tap
from imap import EXTRA, PASSWORD, Dovecot
from judge import expect, judge, judge_uids
from maildir import TEXTS
from points import LONG, SAMPLE, check_result, pick, run_all, try_points
from tools import EFFECTS, Question, check_told, find_repetition, is_journal, name_draft, run_tool
from tools import run_it as run_tool_broken

ON_DOVECOT = tuple(pair for pair in EFFECTS if not pair[0].options)


class ImapPlace:
    """A user and the program's state."""

    def __init__(self, dovecot, root):
        self.dovecot, self.root = dovecot, pathlib.Path(root)
        self.state, self.user = self.root / "state", None
        self.before, self.numbers = dovecot.before
        self.uids = {name: uid for uid, name in self.numbers["INBOX"][1].items()}
        self.state.mkdir(mode=0o700)
        self.user = dovecot.add_user()
        # A question that nobody answers: the key for tokens is made.
        run_tool(self, "delete_messages", {"uids": [1]})
        shutil.copytree(self.state, self.root / "state.first")

    def reset(self):
        self.dovecot.remove_user(self.user)
        self.user = self.dovecot.add_user()
        shutil.rmtree(self.state)
        shutil.copytree(self.root / "state.first", self.state)

    def options(self):
        return []

    def environment(self):
        facts = self.dovecot.facts
        return {"IMAP_HOST": "localhost", "IMAP_PORT": str(facts["imaps"]),
                "IMAP_USER": self.user, "IMAP_PASSWORD": PASSWORD, "IMAP_READ_ONLY": "false",
                "POSTBAG_CA_FILE": facts["ca"]}

    def look(self):
        """Our draft has an id and a boundary of its own each time."""
        world, self.after = self.dovecot.look(self.user)
        return {mailbox: [name_draft(message) for message in messages]
                for mailbox, messages in world.items()}, []

    def mailboxes(self):
        return self.look()[0]


def is_wanted(place):
    return place.startswith("socket:") or is_journal(place)


def run_it(place, question, arguments, variables):
    return run_tool_broken(place, question, arguments, {"RECEIVE": "1", **variables})


def try_point(place, effect, question, point):
    number, _, _, verdict, stays = point
    place.reset()
    arguments = question.get()
    run = run_it(place, question, arguments,
                 {"AT": str(number), "DO": verdict, **({"STAY": "1"} if stays else {})})
    after, _ = place.look()
    judge(effect, place.before, after, run, place.uids, TEXTS)
    judge_uids(place.numbers, {name: (validity, {uid: one for uid, one in known.items()
                                                 if one in TEXTS})
                               for name, (validity, known) in place.after.items()})
    check_told(place, effect, run, place.before, after,
               find_repetition(effect, question, number, run, place.before != after))
    return run


def run_effect(pair, arguments):
    effect, dovecot = pair.effect, pair.dovecot
    with tempfile.TemporaryDirectory(prefix="postbag-faults-") as root:
        place = ImapPlace(dovecot, root)
        question = Question(place, effect, arguments)
        logs = []
        # How many pieces an answer comes in differs from run to run. At least twice: what is refused
        # after a reset would try nothing, and find nothing wrong.
        for _ in range(4 if LONG else 2):
            place.reset()
            run = run_it(place, question, question.get(), {})
            expect(run.report["error"] is None, f"{effect.name} fails: {run.report}")
            logs.append(run.log)
        log = max(logs, key=len)
        points = pick(log, is_wanted, max(SAMPLE // 2, 1))
        result = try_points(effect.name, log, points,
                            lambda point: try_point(place, effect, question, point), root)
        dovecot.remove_user(place.user)
        return result


class Pair:
    def __init__(self, effect, dovecot):
        self.effect, self.dovecot, self.name = effect, dovecot, effect.name


class Faults(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.dovecot, cls.results = Dovecot(EXTRA), {}
        if cls.dovecot.is_there:
            cls.results = run_all([(Pair(effect, cls.dovecot), arguments)
                                   for effect, arguments in ON_DOVECOT], run_effect)

    @classmethod
    def tearDownClass(cls):
        cls.dovecot.close()

    def check(self, name):
        tap.require(self, self.dovecot.is_there, "Dovecot")
        check_result(self, self.results, name)


def add_tests():
    for effect, _ in ON_DOVECOT:
        name = "test_" + effect.name.replace(", ", "_").replace(" ", "_")
        setattr(Faults, name, lambda self, name=effect.name: self.check(name))


add_tests()
if __name__ == "__main__":
    tap.main()
