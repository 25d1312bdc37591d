# SPDX-License-Identifier: LGPL-2.1-or-later
"""What may be after a change that was interrupted, and what may not.

A world is what a second program sees of the mail: for each mailbox its messages, by Message-ID,
with their flags. `judge()` holds the world after a run against the one before it and against what
the run said of itself.
"""

import collections
import dataclasses
import re

# postbag_error_get_facts(): what an error may be called.
ERRORS = {
    "invalid-argument", "not-found", "not-allowed", "needs-login", "login-refused", "offline",
    "timed-out", "cancelled", "busy", "too-large", "not-supported", "conflict", "remote-refused",
    "bad-data", "internal"}


@dataclasses.dataclass(frozen=True)
class Message:
    id: str
    flags: frozenset
    text: bytes  # with LF


@dataclasses.dataclass
class Effect:
    """One change. @targets: Message-IDs; @options: of the library that is preloaded."""
    name: str
    kind: str
    mailbox: str
    targets: tuple = ()
    to: str = None
    add: frozenset = frozenset()
    text: bytes = None
    arguments: tuple = ()
    options: tuple = ()


@dataclasses.dataclass
class Run:
    killed: bool
    report: dict
    log: list
    stderr: str


class Wrong(Exception):
    """A promise that was broken."""


def expect(condition, text):
    if not condition:
        raise Wrong(text)


def find_id(text):
    match = re.search(rb"^Message-ID: <([^>\r\n]+)>", text, re.M | re.I)
    return match.group(1).decode() if match else ""


def count(world, mailbox, message_id):
    return sum(message.id == message_id for message in world.get(mailbox, ()))


def flags_of(world, mailbox, message_id):
    return [set(message.flags) for message in world[mailbox] if message.id == message_id]


def flatten(world):
    return collections.Counter((mailbox, message.id, message.flags)
                               for mailbox, messages in world.items() for message in messages)


def check_run(run):
    """It ended as it should, whatever it did to the mail."""
    for word in ("AddressSanitizer", "LeakSanitizer", "runtime error", "CRITICAL", "ERROR **"):
        expect(word not in run.stderr, f"{word}: {run.stderr[-3000:]}")
    if run.killed:
        return
    error = run.report["error"]
    expect(error is None or error in ERRORS, f"an error without a type: {run.report}")
    expect(error is None or len(run.report["message"]) > 20, f"an error without words: {run.report}")


def find_told(effect, run, uids):
    """For each target what was said of it: done, copied, unknown, nothing or, killed, anything."""
    if run.killed:
        return {name: "killed" for name in effect.targets}
    told = {}
    for name in effect.targets:
        said = [word for word in ("done", "copied", "unknown")
                if uids[name] in run.report.get(word, ())]
        expect(len(said) < 2, f"{name} is in two lists: {run.report}")
        told[name] = said[0] if said else "nothing"
        expect(run.report["error"] is not None or told[name] == "done",
               f"no error, but {name} is not done: {run.report}")
    return told


# What was said -> how often it may be in (the source, the destination).
MOVED = {"done": {(0, 1)}, "copied": {(1, 1)}, "nothing": {(1, 0)},
         "unknown": {(1, 0), (0, 1), (1, 1)}, "killed": {(1, 0), (0, 1), (1, 1)}}
COPIED = {"done": {(1, 1)}, "copied": {(1, 1)}, "nothing": {(1, 0)},
          "unknown": {(1, 0), (1, 1)}, "killed": {(1, 0), (1, 1)}}
PURGED = {"done": {(0, 0)}, "nothing": {(1, 0)}, "unknown": {(0, 0), (1, 0)},
          "killed": {(0, 0), (1, 0)}}


def judge_places(effect, before, after, told):
    """Also: what was not touched has no mark for deletion left behind."""
    table = {"move": MOVED, "copy": COPIED, "purge": PURGED}[effect.kind]
    for name in effect.targets:
        found = (count(after, effect.mailbox, name), count(after, effect.to, name))
        expect(found in table[told[name]],
               f"{name}: {found[0]} in the source, {found[1]} in the destination, told "
               f"“{told[name]}”")
        if found[0] and told[name] in ("done", "nothing"):
            expect(flags_of(after, effect.mailbox, name) == flags_of(before, effect.mailbox, name),
                   f"{name} has {flags_of(after, effect.mailbox, name)}, told “{told[name]}”")


def judge_flags(effect, before, after, told):
    for name in effect.targets:
        old, = [message for message in before[effect.mailbox] if message.id == name]
        new = [message for message in after.get(effect.mailbox, ()) if message.id == name]
        expect(len(new) == 1, f"{name} is there {len(new)} times")
        wanted = old.flags | effect.add
        allowed = {"done": {wanted}, "nothing": {old.flags}}.get(told[name], {old.flags, wanted})
        if told[name] == "unknown" or told[name] == "killed":
            # Letters in the name and keywords in our map are two steps.
            allowed = {new[0].flags} if old.flags <= new[0].flags <= wanted else allowed
        expect(new[0].flags in allowed,
               f"{name} has {set(new[0].flags)}, told “{told[name]}”, before {set(old.flags)}")


def judge_append(effect, after, run):
    found = count(after, effect.mailbox, effect.targets[0])
    expect(found <= 1, f"appended {found} times")
    if run.killed or run.report["unknown"]:
        return
    expect(run.report["error"] is not None or found == 1, "not appended, and no error")
    expect(found == 0 or run.report["error"] is None,
           f"appended, and not told: {run.report}")


def judge_mailbox(effect, before, after, run):
    """Changes of a mailbox: as it was, or as it should be; between only where that was told."""
    wanted = dict(before)
    if effect.kind == "create-mailbox":
        wanted[effect.to] = []
    elif effect.kind == "delete-mailbox":
        del wanted[effect.mailbox]
    else:
        for mailbox in before:
            if mailbox == effect.mailbox or mailbox.startswith(effect.mailbox + "/"):
                wanted[effect.to + mailbox.removeprefix(effect.mailbox)] = wanted.pop(mailbox)
    same = lambda world: (set(after) == set(world) and flatten(after) == flatten(world))
    if run.killed or run.report["unknown"]:
        judge_mailbox_between(effect, before, after, wanted)
    elif run.report["error"] is None:
        expect(same(wanted), f"no error, but the mailboxes are {sorted(after)}")
    else:
        expect(same(before), f"“nothing happened”, but the mailboxes are {sorted(after)}")


def judge_mailbox_between(effect, before, after, wanted):
    expect(set(after) <= set(before) | set(wanted), f"a mailbox of its own: {sorted(after)}")
    if effect.kind == "delete-mailbox":
        expect(flatten(after) <= flatten(before), "mail that was not there")
        gone = {place for place, _, _ in flatten(before) - flatten(after)}
        expect(gone <= {effect.mailbox}, f"mail of {gone} is gone")
        return
    texts = lambda world: collections.Counter(
        (message.id, message.flags) for messages in world.values() for message in messages)
    expect(texts(after) == texts(before), "mail is lost or doubled")


def judge_others(effect, before, after):
    """Mail that nobody spoke of is where it was, as it was."""
    touched = set(effect.targets)
    keep = lambda world: collections.Counter(
        {key: n for key, n in flatten(world).items() if key[1] not in touched})
    expect(keep(after) == keep(before), f"other mail changed: {keep(before)} {keep(after)}")


def judge_texts(after, texts):
    for mailbox, messages in after.items():
        for message in messages:
            expect(message.id in texts, f"{mailbox} holds what nobody wrote: {message.text[:80]}")
            expect(message.text == texts[message.id],
                   f"{message.id} in {mailbox} has {len(message.text)} bytes of "
                   f"{len(texts[message.id])}")


def judge(effect, before, after, run, uids, texts):
    """@uids: Message-ID -> UID in the source; @texts: Message-ID -> bytes. Raises Wrong."""
    check_run(run)
    judge_texts(after, texts)
    if effect.kind.endswith("-mailbox"):
        judge_mailbox(effect, before, after, run)
        return
    expect(set(after) == set(before), f"the mailboxes are {sorted(after)}")
    judge_others(effect, before, after)
    if effect.kind in ("subscribe", "unsubscribe"):
        return
    if effect.kind == "append":
        judge_append(effect, after, run)
        return
    told = find_told(effect, run, uids)
    if effect.kind == "store-flags":
        judge_flags(effect, before, after, told)
    else:
        judge_places(effect, before, after, told)


def judge_subscription(effect, subscribed, run):
    """@subscribed: the mailboxes that are, afterwards."""
    is_done = (effect.mailbox in subscribed) == (effect.kind == "subscribe")
    if run.killed or run.report["unknown"]:
        return
    expect(is_done == (run.report["error"] is None), f"{sorted(subscribed)}, told: {run.report}")


def judge_uids(before, after):
    """@before, @after: mailbox -> (UIDVALIDITY, {UID: Message-ID}), as the store lists them."""
    for mailbox, (validity, known) in after.items():
        if mailbox not in before or before[mailbox][0] != validity:
            continue
        for uid, name in known.items():
            old = before[mailbox][1].get(uid, name)
            expect(old == name, f"UID {uid} of {mailbox} was {old} and is {name}")
