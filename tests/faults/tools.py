#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The tools that change mail, as `postbag call` runs them, ended or failing at each call.

Here the journal counts: after a run that was killed with something changed, or that could not say
what happened, the next change of the account says so, once, and what it says is true.
"""

import base64
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import unittest

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1])]
import tap
from judge import (ERRORS, Effect, Message, Wrong, count, expect, flatten, judge, judge_uids)
from maildir import TEXTS, THREE, Place, add_keywords, check_strays, number
from points import SAMPLE, SECONDS, check_result, pick, run_all, run_broken, try_points

PROGRAM = os.environ["POSTBAG_PROGRAM"]
DRAFT = "draft@faults.example"
ALL = tuple(f"m{i}@faults.example" for i in range(1, 6))
KEYWORD = "postbag-faults"
# A token of consent lives for five minutes.
TOKEN_SECONDS = 200

EFFECTS = (
    (Effect("set_message_flags", "store-flags", "INBOX", THREE,
            add=frozenset({"\\Flagged", "urgent"})),
     {"add": ["\\Flagged", "urgent"]}),
    (Effect("move_messages", "move", "INBOX", THREE, "Archive"), {"destination": "Archive"}),
    (Effect("move_messages, a copy", "copy", "INBOX", THREE, "Archive"),
     {"destination": "Archive", "mode": "copy"}),
    (Effect("move_messages, between file systems", "move", "INBOX", THREE, "Archive",
            options=("DISKS",)), {"destination": "Archive"}),
    (Effect("delete_messages", "move", "INBOX", THREE, "Trash"), {}),
    (Effect("save_draft", "append", "Drafts", (DRAFT,)),
     {"to": ["ada@example.org"], "subject": "about the draft", "body": "The text of the draft."}),
    (Effect("manage_mailbox, create", "create-mailbox", "Projects", to="Projects"),
     {"action": "create", "mailbox": "Projects"}),
    (Effect("manage_mailbox, rename", "rename-mailbox", "Archive", to="Old"),
     {"action": "rename", "mailbox": "Archive", "new_name": "Old"}),
    (Effect("manage_mailbox, delete", "delete-mailbox", "Empty"),
     {"action": "delete", "mailbox": "Empty"}),
    (Effect("list_new_messages", "store-flags", "INBOX", ALL, add=frozenset({KEYWORD})), {}),
)


def call(place, tool, arguments):
    return [PROGRAM, *place.options(), "--allow-write", "call", tool, json.dumps(arguments)]


def make_environment(place):
    return {"POSTBAG_STATE_DIR": str(place.state), "HOME": str(place.root),
            "GSETTINGS_BACKEND": "memory", "IMAP_SEEN_KEYWORD": KEYWORD, **place.environment()}


def run_tool(place, tool, arguments):
    process = subprocess.run(call(place, tool, arguments), capture_output=True, text=True,
                             timeout=SECONDS, check=False, stdin=subprocess.DEVNULL,
                             env=dict(os.environ, **make_environment(place)))
    expect(process.returncode in (0, 1), f"{tool}: {process.returncode}, {process.stderr[-2000:]}")
    return process


class ToolPlace(Place):
    """With the state that the program itself makes."""

    def prepare(self):
        for part in ("cur", "new", "tmp"):
            (self.mail / ".Drafts" / part).mkdir(parents=True)
        (self.mail / ".Drafts/maildirfolder").touch()
        self.state.mkdir(mode=0o700)
        # A question that nobody answers: the key for tokens is made.
        run_tool(self, "delete_messages", {"uids": [1]})
        run_tool(self, "list_messages", {})

    def options(self):
        return ["--maildir", str(self.mail)]

    def environment(self):
        return {}

    def mailboxes(self):
        return self.look()[0]

    def arguments(self):
        store, = self.state.rglob("uids.sqlite")
        return ["maildir", str(self.mail), str(store.parent)]

    def look(self):
        """Our draft has an id and a boundary of its own each time."""
        world, strays = super().look()
        for mailbox, messages in world.items():
            world[mailbox] = [name_draft(message) for message in messages]
        return world, strays


def name_draft(message):
    body = b"\n\n" + base64.b64encode(b"The text of the draft.") + b"\n"
    if message.id in TEXTS or b"\nSubject: about the draft\n" not in message.text:
        return message
    return Message(DRAFT, message.flags, TEXTS[DRAFT]) if message.text.endswith(body) else message


class Question:
    """The arguments of a call, with the token that a person's consent needs."""

    def __init__(self, place, effect, arguments):
        self.place = place
        self.tool = effect.name.partition(",")[0]
        self.arguments = dict(arguments)
        if effect.targets and effect.kind != "append" and self.tool != "list_new_messages":
            self.arguments["mailbox"] = effect.mailbox
            self.arguments["uids"] = sorted(place.uids[name] for name in effect.targets)
        self.needs_token = self.tool in ("move_messages", "delete_messages") or (
            self.arguments.get("action") in ("rename", "delete"))
        self.asked = self.user = None

    def get(self):
        """On a fresh copy, which it does not change. A token is one user's."""
        if not self.needs_token:
            return self.arguments
        user = getattr(self.place, "user", None)
        if self.asked is None or user != self.user or time.monotonic() > self.asked + TOKEN_SECONDS:
            self.user = user
            process = run_tool(self.place, self.tool, self.arguments)
            self.token = re.search(r"confirm_token “([0-9a-f]{32})”",
                                   process.stdout + process.stderr).group(1)
            self.asked = time.monotonic()
        return {**self.arguments, "confirm_token": self.token}


def find_numbers(pattern, text):
    match = re.search(pattern + r"((?:\d+(?:, )?)+)", text)
    return [int(word) for word in match.group(1).split(", ")] if match else []


def read_result(process):
    """What the program said, as a report."""
    if process.returncode == 0:
        said = json.loads(process.stdout.partition("\n\nNote by Postbag")[0])
        return {"error": None, "message": "", "done": said.get("uids", []), "copied": [],
                "unknown": []}
    text = process.stdout + "\n".join(line for line in process.stderr.splitlines()
                                      if not line.startswith("postbag: audit"))
    unknown = find_numbers("cannot be said, uids: ", text)
    if not unknown and "Whether it happened cannot be said." in text:
        unknown = [0]
    # The type of an error is not printed: its words are what counts here.
    return {"error": sorted(ERRORS)[0], "message": text, "unknown": unknown,
            "done": find_numbers("Done, uids: ", text),
            "copied": find_numbers("still where they were, uids: ", text)}


def find_note(process):
    match = re.search(r"Note by Postbag: (.*)", process.stdout + process.stderr, re.S)
    return match.group(1) if match else None


def take_told(place):
    """What the next change says of an earlier one: (nullable) its words"""
    # Of a message that no effect speaks of.
    mailbox = "Archive/2024" if "Archive/2024" in place.mailboxes() else "Old/2024"
    process = run_tool(place, "set_message_flags", {"mailbox": mailbox, "uids": [1],
                                                    "add": ["\\Flagged"]})
    expect(process.returncode == 0, f"the next call fails: {process.stdout}{process.stderr}")
    return find_note(process)


def read_new(process):
    """Of list_new_messages: all that is in the answer is handed over. What could not be marked is
    said to be; it comes again, which is safe."""
    report = read_result(process)
    if process.returncode != 0:
        return report
    uids = [int(uid) for uid in re.findall(r'"uid": ?(\d+)', process.stdout)]
    marked = int(re.search(r'"marked": ?(\d+)', process.stdout).group(1))
    if marked == len(uids):
        return {**report, "done": uids}
    expect(marked == 0, f"{marked} of {len(uids)} are marked")
    return {**report, "unknown": uids, "error": sorted(ERRORS)[0], "message": process.stdout}


def check_handed_over(place, run):
    """Mail whose answer never left is new again."""
    if not run.killed or is_closed(run):
        return
    uids = read_new(run_tool(place, "list_new_messages", {}))["done"]
    expect(sorted(uids) == sorted(place.uids[name] for name in ALL), f"new again: {uids}")


def take_told_by_repeating(place, question, after):
    """The same call again: it changes nothing before it has told."""
    process = run_tool(place, question.tool, question.get())
    told = find_note(process)
    if told is not None:
        expect(process.returncode == 1, f"repeated at once: {process.stdout}")
        expect(flatten(place.look()[0]) == flatten(after), f"changed while it told: {told}")
    return told


def is_journal(path):
    return "/state/journal/" in path or "/state/marks/" in path


def is_closed(run):
    """The answer had left: only then is the entry in the journal taken out."""
    return any(name == "unlinkat" and is_journal(place[0]) for name, *place in run.log)


def check_told(place, effect, run, before, after, repeat):
    """@repeat: (nullable): the question, whose call is made again"""
    if effect.name == "list_new_messages":
        check_handed_over(place, run)
        return
    changed = flatten(before) != flatten(after) or set(before) != set(after)
    told = take_told_by_repeating(place, repeat, place.look()[0]) if repeat else take_told(place)
    if run.killed and changed and not is_closed(run) or not run.killed and run.report["unknown"]:
        expect(told is not None, f"changed ({changed}), and the next call does not say so")
    if told is None:
        return
    still = find_numbers("Still there, uids: ", told)
    gone = find_numbers("Not there any more, uids: ", told)
    for name in effect.targets if effect.kind in ("move", "purge") else ():
        there = count(after, effect.mailbox, name)
        uid = place.uids[name]
        expect((uid in still) == (there > 0) and (uid in gone) == (there == 0),
               f"{name} is there {there} times, told: {told}")
    if effect.kind == "append":
        found = count(after, effect.mailbox, DRAFT)
        expect(found == 0 or "is not there" not in told, f"found {found}, told: {told}")
        expect(found == 1 or "It did happen" not in told, f"found {found}, told: {told}")
    if effect.kind == "rename-mailbox" and changed and set(after) != set(before):
        expect("It did not happen" not in told, f"changed, told: {told}")
    if "It did happen" in told:
        expect(changed, f"nothing changed, told: {told}")
    if "It did not happen" in told:
        expect(not changed, f"changed, told: {told}")
    expect(take_told(place) is None, "it is told twice")


def try_point(place, effect, question, point):
    number_of, _, _, verdict, stays = point
    place.reset()
    arguments = question.get()
    variables = dict.fromkeys(effect.options, "1")
    variables.update({"AT": str(number_of), "DO": verdict, **({"STAY": "1"} if stays else {})})
    run = run_it(place, question, arguments, variables)
    after, strays = place.look()
    listed = place.list()
    before = add_keywords(place.before, place.listed)
    after = add_keywords(after, listed)
    judge(effect, before, after, run, place.uids, TEXTS)
    judge_uids(number(place.listed), number(listed))
    check_strays(strays, run, stays)
    check_told(place, effect, run, before, after,
               find_repetition(effect, question, number_of, run, before != after))
    return run


def find_repetition(effect, question, number_of, run, is_changed):
    """What would be there twice is told before it is done again; tried wherever that can be."""
    can_be_double = effect.kind in ("append", "copy", "move") and number_of % 2
    said = run.killed and not is_closed(run) or not run.killed and run.report["unknown"]
    return question if can_be_double and said and is_changed else None


def run_it(place, question, arguments, variables):
    return run_broken(call(place, question.tool, arguments)[1:], place.root, variables,
                      make_environment(place), PROGRAM,
                      read_new if question.tool == "list_new_messages" else read_result)


def run_effect(effect, arguments):
    """(points, runs, what went wrong)"""
    with tempfile.TemporaryDirectory(prefix="postbag-faults-") as root:
        place = ToolPlace(root)
        question = Question(place, effect, arguments)
        place.reset()
        run = run_it(place, question, question.get(), dict.fromkeys(effect.options, "1"))
        expect(run.report["error"] is None, f"{effect.name} fails without a fault: {run.report}")
        # The stores have tests of their own.
        points = pick(run.log, lambda path: path.startswith(str(place.mail))
                      or is_journal(path), max(SAMPLE // 2, 1))
        return try_points(effect.name, run.log, points,
                          lambda point: try_point(place, effect, question, point), root)


class Faults(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.results = run_all(EFFECTS, run_effect)

    def check(self, name):
        check_result(self, self.results, name)


def add_tests():
    for effect, _ in EFFECTS:
        name = "test_" + effect.name.replace(", ", "_").replace(" ", "_")
        setattr(Faults, name, lambda self, name=effect.name: self.check(name))


add_tests()
if __name__ == "__main__":
    tap.main()
