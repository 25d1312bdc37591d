#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every change of a Maildir, ended or failing at each call that changes something.

Each run has a fresh copy; its files are then read here, without Postbag, and held against what was
there and what was said. A file that a killed process leaves in tmp is what a Maildir's readers
remove after 36 hours; nothing else may stay.
"""

import os
import pathlib
import shutil
import sys
import tempfile
import unittest

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1])]
import tap
from judge import Effect, Message, Wrong, expect, find_id, judge, judge_uids
from points import check_result, pick, run_all, run_broken, run_plain, try_points

FLAGS = {"S": "\\Seen", "F": "\\Flagged", "R": "\\Answered", "T": "\\Deleted", "D": "\\Draft"}
KEYWORDS = {"a": "work"}
# Without a letter: only our own map can hold them.
OWN_KEYWORDS = ("urgent", "private", "postbag-faults")
COMPANIONS = ("dovecot-keywords", "maildirfolder")
FOLDERS = ("", ".Archive", ".Archive.2024", ".Empty", ".Trash")


def make_text(name):
    return (f"From: Sender <{name}@example.org>\nTo: nora@example.org\nSubject: about {name}\n"
            f"Message-ID: <{name}@faults.example>\nDate: Tue, 14 Nov 2023 22:13:20 +0000\n\n"
            + f"The text of {name}.\n" * 2000).encode()


TEXTS = {f"{name}@faults.example": make_text(name)
         for name in ("m1", "m2", "m3", "m4", "m5", "a1", "a2", "y1", "draft")}
PLACES = {"m1": "cur/1700000001.M1P1.host:2,", "m2": "cur/1700000002.M2P1.host:2,S",
          "m3": "cur/1700000003.M3P1.host:2,Fa", "m4": "cur/1700000004.M4P1.host:2,RS",
          "m5": "new/1700000005.M5P1.host", "a1": ".Archive/cur/1700000006.M6P1.host:2,S",
          "a2": ".Archive/new/1700000007.M7P1.host",
          "y1": ".Archive.2024/cur/1700000008.M8P1.host:2,S"}
THREE = tuple(f"m{i}@faults.example" for i in (1, 3, 5))

EFFECTS = (
    Effect("flags", "store-flags", "INBOX", THREE, add=frozenset({"\\Seen", "\\Flagged"})),
    Effect("keywords", "store-flags", "INBOX", THREE,
           add=frozenset({"\\Flagged", "work", "urgent"})),
    Effect("copy", "copy", "INBOX", THREE, "Archive"),
    Effect("copy between file systems", "copy", "INBOX", THREE, "Archive", options=("DISKS",)),
    Effect("move", "move", "INBOX", THREE, "Archive"),
    Effect("move between file systems", "move", "INBOX", THREE, "Archive", options=("DISKS",)),
    Effect("move on an old file system", "move", "INBOX", THREE, "Archive", options=("OLD",)),
    Effect("purge", "purge", "INBOX", THREE),
    Effect("append", "append", "Archive", ("draft@faults.example",),
           text=TEXTS["draft@faults.example"]),
    Effect("create", "create-mailbox", "Projects/Postbag", to="Projects/Postbag"),
    Effect("rename", "rename-mailbox", "Archive", to="Old"),
    Effect("delete an empty one", "delete-mailbox", "Empty", arguments=("only-empty=1",)),
    Effect("delete one with mail", "delete-mailbox", "Archive"),
)


class Place:
    """A Maildir and its state, always in the same folder: UIDs belong to its path."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.mail, self.state = self.root / "mail", self.root / "state"
        self.draft = self.root / "draft"
        for folder in FOLDERS:
            for part in ("cur", "new", "tmp"):
                (self.mail / folder / part).mkdir(parents=True)
            if folder:
                (self.mail / folder / "maildirfolder").touch()
        for name, place in PLACES.items():
            (self.mail / place).write_bytes(TEXTS[f"{name}@faults.example"])
        (self.mail / "dovecot-keywords").write_text("0 work\n")
        self.prepare()
        self.draft.write_bytes(TEXTS["draft@faults.example"].replace(b"\n", b"\r\n"))
        self.list()
        # A keyword that only our own map can hold goes along with its message.
        self.uids_of("INBOX")
        run_plain([*self.arguments(), "apply", "store-flags", "INBOX",
                   f"uids={self.uids['m3@faults.example']}", "add=private"])
        self.listed = self.list()
        for name in ("mail", "state"):
            shutil.copytree(self.root / name, self.root / f"{name}.first")
        self.before, _ = self.look()

    def prepare(self):
        self.state.mkdir(mode=0o700)

    def arguments(self):
        return ["maildir", str(self.mail), str(self.state)]

    def reset(self):
        for name in ("mail", "state"):
            shutil.rmtree(self.root / name)
            shutil.copytree(self.root / f"{name}.first", self.root / name)

    def list(self):
        report = run_plain([*self.arguments(), "list"])
        expect(report["error"] is None, f"the store does not list: {report}")
        return report["mailboxes"]

    def uids_of(self, mailbox):
        box = self.list()[mailbox]
        self.validity = box["validity"]
        self.uids = {message["id"]: message["uid"] for message in box["messages"]}

    def look(self):
        """What is there, by its files alone; and the files that are no mail."""
        world, strays = {}, []
        for folder, _, names in os.walk(self.mail):
            path = pathlib.Path(folder)
            for name in names:
                if path.name not in ("cur", "new"):
                    strays.append(path / name)
        for folder in [self.mail, *self.mail.iterdir()]:
            if (folder / "cur").is_dir() and folder.name not in ("cur", "new", "tmp"):
                world[name_mailbox(folder, self.mail)] = list(read_mailbox(folder))
        strays = [path for path in strays if path.name not in COMPANIONS]
        return world, strays


def name_mailbox(folder, root):
    return "INBOX" if folder == root else folder.name[1:].replace(".", "/")


def read_mailbox(folder):
    for part in ("cur", "new"):
        for path in (folder / part).iterdir() if (folder / part).is_dir() else ():
            text = path.read_bytes()
            letters = path.name.partition(":2,")[2]
            flags = {FLAGS.get(letter) or KEYWORDS[letter] for letter in letters}
            yield Message(find_id(text), frozenset(flags), text)


def add_keywords(world, listed):
    """Our own map's keywords are seen through the store alone."""
    result = {}
    for mailbox, messages in world.items():
        own = {message["id"]: {flag for flag in message["flags"] if flag in OWN_KEYWORDS}
               for message in listed[mailbox]["messages"]}
        result[mailbox] = [Message(message.id, message.flags | frozenset(own.get(message.id, ())),
                                   message.text) for message in messages]
    return result


def make_arguments(place, effect):
    arguments = [*place.arguments(), "apply", effect.kind, effect.mailbox, *effect.arguments]
    if effect.text is not None:
        return [*arguments, f"message={place.draft}"]
    if effect.targets:
        uids = sorted(place.uids[name] for name in effect.targets)
        arguments += ["uids=" + ",".join(map(str, uids)), f"validity={place.validity}"]
    if effect.add:
        arguments.append("add=" + ",".join(sorted(effect.add)))
    if effect.to is not None and effect.kind != "create-mailbox":
        arguments.append(f"to={effect.to}")
    return arguments


def number(listed):
    return {mailbox: (box["validity"], {message["uid"]: message["id"]
                                        for message in box["messages"]})
            for mailbox, box in listed.items()}


def check_strays(strays, run, stays):
    for path in strays:
        expect(path.parent.name == "tmp" and (run.killed or stays), f"{path} was left behind")


def check_synced(effect, run, point):
    """What is not on the disk is not done."""
    _, name, place, verdict, _ = point
    if name in ("fsync", "fdatasync") and verdict in ("EIO", "ENOSPC") and "/mail" in place:
        expect(run.report["error"] is not None, f"{name} of {place} failed, and nobody was told")


def try_point(place, effect, point):
    number_of, name, where, verdict, stays = point
    place.reset()
    variables = dict.fromkeys(effect.options, "1")
    variables.update({"AT": str(number_of), "DO": verdict})
    if stays:
        variables["STAY"] = "1"
    run = run_broken(make_arguments(place, effect), place.root, variables)
    after, strays = place.look()
    listed = place.list()
    seen = {mailbox: sorted(message["id"] for message in box["messages"])
            for mailbox, box in listed.items()}
    there = {mailbox: sorted(message.id for message in messages)
             for mailbox, messages in after.items()}
    expect(seen == there, f"the store lists {seen}, there are {there}")
    before = add_keywords(place.before, place.listed)
    judge(effect, before, add_keywords(after, listed), run, place.uids, TEXTS)
    judge_uids(number(place.listed), number(listed))
    check_strays(strays, run, stays)
    if not run.killed:
        check_synced(effect, run, point)
        check_map(effect, run, listed)
    return run


def check_map(effect, run, listed):
    """What it says of where the messages are now."""
    by_uid = number(listed).get(effect.to or effect.mailbox, (0, {}))[1]
    for _, uid in run.report.get("map", ()):
        expect(by_uid.get(uid) in effect.targets, f"UID {uid} is {by_uid.get(uid)}")


def check_whole(place, effect):
    """Without a fault it does all of it, and says how many points it has."""
    place.reset()
    run = run_broken(make_arguments(place, effect), place.root, dict.fromkeys(effect.options, "1"))
    expect(run.report["error"] is None, f"fails without a fault: {run.report}")
    after, strays = place.look()
    expect(not strays, f"{strays} were left behind")
    judge(effect, add_keywords(place.before, place.listed),
          add_keywords(after, place.list()), run, place.uids, TEXTS)
    return run.log


def run_effect(effect, _):
    """(points, runs, what went wrong)"""
    with tempfile.TemporaryDirectory(prefix="postbag-faults-") as root:
        place = Place(root)
        log = check_whole(place, effect)
        points = pick(log, lambda path: path.startswith(str(place.mail)))
        return try_points(effect.name, log, points,
                          lambda point: try_point(place, effect, point), root)


class Faults(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.results = run_all([(effect, None) for effect in EFFECTS], run_effect)

    def check(self, name):
        check_result(self, self.results, name)


class Synced(unittest.TestCase):
    """In a tree of plain folders a name stands in the folder above, not in the root."""

    CHANGES = (
        (["create-mailbox", "Work/Plans/2026"], ["Work", "Work/Plans", "Work/Plans/2026"]),
        (["rename-mailbox", "Work/Old", "to=Home/Old"], ["Work", "Home"]),
        (["delete-mailbox", "Work/Old", "only-empty=1"], ["Work"]),
        (["delete-mailbox", "Work"], ["", "Work"]),
    )

    def test_folders_above(self):
        for arguments, folders in self.CHANGES:
            with self.subTest(arguments), tempfile.TemporaryDirectory(prefix="postbag-") as root:
                mail, state = pathlib.Path(root, "mail"), pathlib.Path(root, "state")
                state.mkdir(mode=0o700)
                for folder in ("Work", "Work/Old", "Home"):
                    for part in ("cur", "new", "tmp"):
                        (mail / folder / part).mkdir(parents=True)
                run = run_broken(["maildir", str(mail), str(state), "apply", *arguments], root, {})
                self.assertIsNone(run.report["error"], run.report)
                synced = {place[0].removesuffix(" (deleted)") for name, *place in run.log
                          if name == "fsync"}
                for folder in folders:
                    self.assertIn(str(mail / folder), synced)


def add_tests():
    for effect in EFFECTS:
        name = "test_" + effect.name.replace(" ", "_")
        setattr(Faults, name, lambda self, name=effect.name: self.check(name))


add_tests()
if __name__ == "__main__":
    tap.main()
