#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Two stores read a Maildir while Python's mailbox module and renames, as mail programs do them,
change it: nothing is lost or doubled, both stores say the same, and only Python changed the folder.
"""

import mailbox
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, os.path.join(os.environ["POSTBAG_SOURCE_DIR"], "tests"))

import tap  # noqa: E402

DRIVER = os.environ["POSTBAG_MAILDIR_DRIVER"]
CHANGES = 2500
LISTINGS = 25  # by each store while the changes go on
PATIENCE_S = 20  # for one more listing
FLAGS = {"S": "\\Seen", "R": "\\Answered", "F": "\\Flagged", "T": "\\Deleted", "D": "\\Draft",
         "P": "$Forwarded"}


class Store:
    """A store in a process of its own."""

    def __init__(self, mail, state):
        self.process = subprocess.Popen([DRIVER, mail, state], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def list(self):
        """{uid: (message id, flags)}, the total, the UIDVALIDITY; uids as they came."""
        self.ask("list")
        found, uids = {}, []
        while True:
            words = self.process.stdout.readline().split()
            if words[0] == "total":
                return found, uids, int(words[1]), int(words[2])
            assert words[0] != "error", words
            uids.append(int(words[0]))
            found[int(words[0])] = (words[1], frozenset(words[2:]))

    def get(self, uid):
        self.ask(f"get {uid}")
        return self.process.stdout.readline().split()

    def close(self):
        self.process.stdin.close()
        return self.process.wait(30)


class Message:
    def __init__(self, key, added):
        self.key = key
        self.added = added  # when it was surely there
        self.removing = None  # when its removal began


class Changer(threading.Thread):
    """Adds, moves from new to cur, changes flags, removes: CHANGES times, in so many bursts that each
    store lists LISTINGS times meanwhile, however slow the machine is."""

    def __init__(self, folder, seed):
        super().__init__()
        self.folder = pathlib.Path(folder)
        self.random = random.Random(seed)
        self.box = mailbox.Maildir(folder, create=True)
        self.lock = threading.Lock()
        self.messages = {}  # message id: Message; with lock
        self.flags = {}  # message id: set of letters
        self.count = 0
        self.failure = None

    def add(self):
        self.count += 1
        name = f"<{self.count}@concurrent.example>"
        text = f"From: a@example.org\nSubject: number {self.count}\nMessage-ID: {name}\n\nText\n"
        key = self.box.add(mailbox.MaildirMessage(text))
        with self.lock:
            self.messages[name] = Message(key, time.monotonic())
        self.flags[name] = set()

    def pick(self):
        with self.lock:
            alive = [name for name, message in self.messages.items() if message.removing is None]
        return self.random.choice(alive) if alive else None

    def find(self, key):
        for part in ("new", "cur"):
            for path in (self.folder / part).glob(key + "*"):
                return path
        raise KeyError(key)

    def rename(self, name):
        """What mutt, mbsync and Dovecot do: one rename, into cur, with other flags."""
        letters = {letter for letter in FLAGS if self.random.random() < 0.3}
        key = self.messages[name].key
        os.rename(self.find(key), self.folder / "cur" / f"{key}:2,{''.join(sorted(letters))}")
        self.flags[name] = letters

    def remove(self, name):
        with self.lock:
            self.messages[name].removing = time.monotonic()
        self.find(self.messages[name].key).unlink()

    def change(self):
        name = self.pick()
        action = self.random.random()
        if name is None or action < 0.35:
            self.add()
        elif action < 0.8:
            self.rename(name)
        else:
            self.remove(name)

    def wait_for_listings(self, count):
        deadline = time.monotonic() + PATIENCE_S
        while self.count_listings() < count and time.monotonic() < deadline:
            time.sleep(0.002)

    def run(self):
        try:
            for burst in range(LISTINGS):
                for _ in range(CHANGES // LISTINGS):
                    self.change()
                self.wait_for_listings(burst + 1)
        except Exception as error:  # told by the test's own thread
            self.failure = error


class Concurrent(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.mail = os.path.join(self.folder.name, "mail")
        self.state = os.path.join(self.folder.name, "state")
        os.mkdir(self.state, 0o700)
        self.changer = Changer(self.mail, 1)
        for _ in range(200):
            self.changer.add()
        self.stores = [Store(self.mail, self.state) for _ in range(2)]
        self.names = {}  # uid: message id, over both stores
        self.validities = set()
        self.lock = threading.Lock()

    def tearDown(self):
        codes = [store.close() for store in self.stores]
        self.folder.cleanup()
        self.assertEqual(codes, [0, 0])

    def check_names(self, found):
        """A UID means one message for ever, in both stores; a message has one UID."""
        with self.lock:
            for uid, (name, _) in found.items():
                self.assertEqual(self.names.setdefault(uid, name), name)
            self.assertEqual(len(set(self.names.values())), len(self.names))

    def check_list(self, store):
        start = time.monotonic()
        found, uids, _, validity = store.list()
        end = time.monotonic()
        self.validities.add(validity)
        self.assertEqual(uids, sorted(set(uids), reverse=True))
        listed = [name for name, _ in found.values()]
        self.assertEqual(len(listed), len(set(listed)))
        with self.changer.lock:
            there = {name for name, message in self.changer.messages.items()
                     if message.added < start
                     and (message.removing is None or message.removing > end)}
        self.assertEqual(there - set(listed), set())
        self.check_names(found)
        return found

    def check_get(self, store, found, chance):
        if not found:
            return
        uid = chance.choice(list(found))
        name = found[uid][0]
        answer = store.get(uid)
        with self.changer.lock:
            removing = self.changer.messages[name].removing
        if answer[0] == "ok":
            self.assertEqual(answer[1], name)
        else:
            self.assertEqual(answer, ["error", "not-found"])
            self.assertIsNotNone(removing, f"{name} was there")

    def read(self, store, seed, failures):
        chance = random.Random(seed)
        try:
            while self.changer.is_alive():
                found = self.check_list(store)
                self.check_get(store, found, chance)
                self.rounds[seed] += 1
        except Exception as error:
            failures.append(error)
            self.rounds[seed] = LISTINGS  # nothing more to wait for

    def check_end(self):
        """Python's view is ours, and what Python did is all that was done."""
        box = mailbox.Maildir(self.mail, create=False)
        theirs = {message["Message-ID"]: set(message.get_flags()) for message in box}
        expected = {name: self.changer.flags[name]
                    for name, message in self.changer.messages.items() if message.removing is None}
        self.assertEqual(theirs, expected)
        self.assertEqual(sum(len(files) for _, _, files in os.walk(self.mail)), len(expected))
        listings = [store.list() for store in self.stores]
        for found, _, total, _ in listings:
            self.assertEqual(total, len(expected))
            self.check_names(found)
            self.assertEqual({name: flags for name, flags in found.values()},
                             {name: frozenset(FLAGS[letter] for letter in letters)
                              for name, letters in expected.items()})
        self.assertEqual(listings[0][0], listings[1][0])

    def test_nothing_lost_or_doubled(self):
        failures, self.rounds = [], [0, 0]
        self.changer.count_listings = lambda: min(self.rounds)
        readers = [threading.Thread(target=self.read, args=(store, seed, failures))
                   for seed, store in enumerate(self.stores)]
        for thread in [self.changer, *readers]:
            thread.start()
        for thread in [self.changer, *readers]:
            thread.join()
        if failures:
            raise failures[0]
        self.assertIsNone(self.changer.failure)
        self.check_end()
        self.assertEqual(len(self.validities), 1)
        self.assertGreaterEqual(min(self.rounds), LISTINGS)
        print(f"# {self.rounds} listings", flush=True)


if __name__ == "__main__":
    tap.main()
