#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every change over IMAP on a real Dovecot, ended or failing at each call that sends or receives.

Each run is a user of its own with a fresh copy of the mail. Afterwards, when Dovecot has ended the
session, Python's imaplib says what is there, and the files in Dovecot's own folder whether it is
there once. The calls that break are those of our process; Dovecot is left in peace.
"""

import imaplib
import itertools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]
import tap
from judge import (Effect, Message, Wrong, expect, find_id, judge, judge_subscription,
                   judge_uids)
from maildir import FOLDERS, PLACES, TEXTS, THREE
from points import LONG, check_result, pick, run_all, run_broken, run_plain, try_points

PASSWORD = "secret"
# Nothing of this machine's desktop, whose settings GIO would look into for a proxy.
ENVIRONMENT = {"POSTBAG_TEST_PASSWORD": PASSWORD, "GSETTINGS_BACKEND": "memory"}
# Everybody may log in; who still is can be seen in the list of processes.
EXTRA = """
passdb {
  driver = static
  args = password=secret
}
mail_location = maildir:~/%u
verbose_proctitle = yes
"""
WITHOUT_MOVE = EXTRA + "imap_capability = IMAP4rev1 UIDPLUS LITERAL-\n"

EFFECTS = (
    Effect("flags", "store-flags", "INBOX", THREE, add=frozenset({"\\Seen", "\\Flagged"})),
    Effect("keywords", "store-flags", "INBOX", THREE,
           add=frozenset({"\\Flagged", "work", "urgent"})),
    Effect("copy", "copy", "INBOX", THREE, "Archive"),
    Effect("move", "move", "INBOX", THREE, "Archive"),
    Effect("purge", "purge", "INBOX", THREE),
    Effect("append", "append", "Archive", ("draft@faults.example",),
           text=TEXTS["draft@faults.example"]),
    Effect("create", "create-mailbox", "Projects/Postbag", to="Projects/Postbag"),
    Effect("rename", "rename-mailbox", "Archive", to="Old"),
    Effect("subscribe", "subscribe", "Archive"),
    Effect("unsubscribe", "unsubscribe", "Empty"),
    Effect("delete an empty one", "delete-mailbox", "Empty", arguments=("only-empty=1",)),
    # One that has others below it is refused over IMAP.
    Effect("delete one with mail", "delete-mailbox", "Archive/2024"),
)
IN_STEPS = (
    Effect("move in steps", "move", "INBOX", THREE, "Archive"),
    Effect("append with a literal that waits", "append", "Archive", ("draft@faults.example",),
           text=TEXTS["draft@faults.example"]),
)


class Dovecot:
    def __init__(self, extra):
        self.process = subprocess.Popen(
            [sys.executable, HERE.parent / "integration/imap/dovecot.py", "--messages", "0",
             "--large", "0", "--extra", extra], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        line = self.process.stdout.readline()
        self.is_there = bool(line)
        if not self.is_there:
            return
        facts = self.facts = json.loads(line)
        self.port = facts["imap"]
        self.home = pathlib.Path(facts["mail"]).parent / "home"
        self.numbers = itertools.count(1)
        self.template = self.home / "template@faults.example"
        for folder in FOLDERS:
            for part in ("cur", "new", "tmp"):
                (self.template / folder / part).mkdir(parents=True)
        for name, place in PLACES.items():
            (self.template / place.replace("Fa", "F")).write_bytes(TEXTS[f"{name}@faults.example"])
        (self.template / "subscriptions").write_text("Empty\n")
        self.give_away(self.template)
        self.before = self.look(self.template.name)

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()

    def give_away(self, folder):
        if os.getuid() != 0:
            return
        owner = self.home.stat()
        for path in [folder, *folder.rglob("*")]:
            os.chown(path, owner.st_uid, owner.st_gid, follow_symlinks=False)

    def add_user(self):
        """A new one, with a fresh copy."""
        user = f"u{next(self.numbers)}@faults.example"
        shutil.copytree(self.template, self.home / user)
        self.give_away(self.home / user)
        return user

    def remove_user(self, user):
        shutil.rmtree(self.home / user, ignore_errors=True)

    def settle(self, user):
        """Until no session of theirs is left."""
        end = time.monotonic() + 60
        while any(user in title for title in list_titles()):
            expect(time.monotonic() < end, "the session did not end")
            time.sleep(0.01)

    def list_subscribed(self, user):
        client = imaplib.IMAP4("127.0.0.1", self.port)
        client.login(user, PASSWORD)
        found = {line.decode().rpartition(" ")[2].strip('"') for line in client.lsub()[1] if line}
        client.logout()
        return found

    def look(self, user):
        """(world, numbers): by another client, and that Dovecot's files say the same"""
        self.settle(user)
        client = imaplib.IMAP4("127.0.0.1", self.port)
        client.login(user, PASSWORD)
        world, numbers = {}, {}
        for line in client.list()[1]:
            name = re.fullmatch(r'\([^)]*\) "/" "?([^"]*)"?', line.decode()).group(1)
            # Dovecot also lists what has mailboxes below and is none itself.
            if client.select(f'"{name}"', readonly=True)[0] == "OK":
                world[name], numbers[name] = read_mailbox(client)
        client.logout()
        self.settle(user)
        check_files(world, self.home / user)
        return world, numbers


def list_titles():
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            yield path.read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
        except OSError:
            continue


def read_mailbox(client):
    """(messages, (UIDVALIDITY, {UID: Message-ID})) of the one that is open"""
    validity = int(client.response("UIDVALIDITY")[1][0])
    messages, uids = [], {}
    # Dovecot drops \Recent with the first look; it is no flag of a message.
    _, lines = client.uid("FETCH", "1:*", "(UID FLAGS BODY.PEEK[])")
    for item in lines:
        if not isinstance(item, tuple):
            continue
        head, body = item[0].decode(), item[1].replace(b"\r\n", b"\n")
        flags = frozenset(re.search(r"FLAGS \(([^)]*)\)", head).group(1).split()) - {"\\Recent"}
        messages.append(Message(find_id(body), flags, body))
        uids[int(re.search(r"UID (\d+)", head).group(1))] = find_id(body)
    return messages, (validity, uids)


def check_files(world, folder):
    found = sorted(find_id(path.read_bytes()) for part in ("cur", "new")
                   for path in folder.rglob(f"{part}/*") if path.is_file())
    listed = sorted(message.id for messages in world.values() for message in messages)
    expect(found == listed, f"the server lists {listed}, there are {found}")


class Account:
    """One run's."""

    def __init__(self, dovecot, effect, folder):
        self.dovecot, self.effect, self.folder = dovecot, effect, folder
        self.user = dovecot.add_user()
        self.before, self.numbers = dovecot.before
        self.validity, known = self.numbers["INBOX"]
        self.uids = {name: uid for uid, name in known.items()}

    def run(self, variables):
        effect = self.effect
        arguments = ["imap", str(self.dovecot.port), self.user, "apply", effect.kind,
                     effect.mailbox, *effect.arguments]
        if effect.text is not None:
            draft = pathlib.Path(self.folder) / "draft"
            draft.write_bytes(effect.text.replace(b"\n", b"\r\n"))
            arguments.append(f"message={draft}")
        elif effect.targets:
            uids = sorted(self.uids[name] for name in effect.targets)
            arguments += ["uids=" + ",".join(map(str, uids)), f"validity={self.validity}"]
        if effect.add:
            arguments.append("add=" + ",".join(sorted(effect.add)))
        if effect.to is not None and effect.kind != "create-mailbox":
            arguments.append(f"to={effect.to}")
        return run_broken(arguments, self.folder, {"RECEIVE": "1", **variables},
                          ENVIRONMENT)

    def check(self, run):
        after, numbers = self.dovecot.look(self.user)
        judge(self.effect, self.before, after, run, self.uids, TEXTS)
        judge_uids(self.numbers, numbers)
        if self.effect.kind in ("subscribe", "unsubscribe"):
            judge_subscription(self.effect, self.dovecot.list_subscribed(self.user), run)
        if not run.killed:
            self.check_map(run, numbers)
        listed = run_plain(["imap", str(self.dovecot.port), self.user, "list"],
                           ENVIRONMENT)
        expect(listed["error"] is None, f"the store does not list: {listed}")
        for mailbox, messages in after.items():
            found = sorted(message["id"] for message in listed["mailboxes"][mailbox]["messages"])
            expect(found == sorted(message.id for message in messages), f"{mailbox}: {found}")

    def check_map(self, run, numbers):
        by_uid = numbers.get(self.effect.to or self.effect.mailbox, (0, {}))[1]
        for _, uid in run.report.get("map", ()):
            expect(by_uid.get(uid) in self.effect.targets, f"UID {uid} is {by_uid.get(uid)}")


def is_connection(place):
    return place.startswith("socket:")


def try_point(dovecot, effect, folder, point):
    number, _, _, verdict, stays = point
    account = Account(dovecot, effect, folder)
    variables = {"AT": str(number), "DO": verdict, **({"STAY": "1"} if stays else {})}
    run = account.run(variables)
    account.check(run)
    dovecot.remove_user(account.user)
    return run


def run_effect(effect, dovecot):
    """(points, runs, what went wrong)"""
    with tempfile.TemporaryDirectory(prefix="postbag-faults-") as folder:
        whole = Account(dovecot, effect, folder)
        run = whole.run({})
        expect(run.report["error"] is None, f"{effect.name} fails without a fault: {run.report}")
        try:
            whole.check(run)
        except Wrong as error:
            return len(run.log), 1, [f"{effect.name}, without a fault: {error}"]
        # How many pieces an answer comes in differs from run to run.
        log = max([run.log, *(Account(dovecot, effect, folder).run({}).log
                              for _ in range(4 if LONG else 0))], key=len)
        return try_points(effect.name, log, pick(log, is_connection),
                          lambda point: try_point(dovecot, effect, folder, point))


class Faults(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.servers = [Dovecot(EXTRA), Dovecot(WITHOUT_MOVE)]
        cls.results = {}
        if not all(server.is_there for server in cls.servers):
            return
        work = [(effect, cls.servers[0]) for effect in EFFECTS]
        work += [(effect, cls.servers[1]) for effect in IN_STEPS]
        cls.results = run_all(work, run_effect)

    @classmethod
    def tearDownClass(cls):
        for server in cls.servers:
            server.close()

    def check(self, name):
        tap.require(self, all(server.is_there for server in self.servers), "Dovecot")
        check_result(self, self.results, name)


def add_tests():
    for effect in EFFECTS + IN_STEPS:
        name = "test_" + effect.name.replace(" ", "_")
        setattr(Faults, name, lambda self, name=effect.name: self.check(name))


add_tests()
if __name__ == "__main__":
    tap.main()
