#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Messages of public collections, read by ours and by Python's email package.

usage: compare.py PROGRAM REVIEWED [FOLDER]

PROGRAM reads many messages (read-many.c); REVIEWED is the list of differences that are right, each
with its reason. Without FOLDER it is $POSTBAG_SUITES/mime. Every difference has to carry a warning
code of ours or stand in that list; the number of both is printed.
"""

import datetime
import email
import email.policy
import email.utils
import fnmatch
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import unicodedata

FIELDS = ("subject", "from", "to", "cc", "date", "message_id", "leaves", "text")


def messages(folder):
    """name, bytes of every message; mailbox files are split."""
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or "tnef" in path.parts or path.suffix in (
                ".json", ".html", ".xml", ".out", ".list", ".tokens", ".cfg", ".md"):
            continue
        data = path.read_bytes()
        name = str(path.relative_to(folder))
        head = data[:4000]
        if not re.match(rb"(From |>From |[!-9;-~]+[ \t]*:)", head) or b"\n" not in head:
            continue
        pieces = re.split(rb"(?m)^(?=From \S+.* \d\d:\d\d)", data) if head.startswith(b"From ") else [data]
        pieces = [piece for piece in pieces if piece]
        for number, piece in enumerate(pieces):
            yield (name if len(pieces) == 1 else "%s#%d" % (name, number)), piece


def squeeze(text):
    """What a text says, whatever its blanks, controls and compatibility forms."""
    text = unicodedata.normalize("NFKC", text or "")
    return "".join(c for c in text if not unicodedata.category(c).startswith(("Z", "C")))


def plain(message, name):
    try:
        return str(message[name]) if message[name] is not None else None
    except Exception:  # its header parser gives up on some
        return None


def addresses(message, name):
    try:
        field = message[name]
        return [a.addr_spec for a in field.addresses] if field is not None else []
    except Exception:
        return None


def theirs(data):
    message = email.message_from_bytes(data, policy=email.policy.default)
    leaves = []
    stack = [message]
    text = None
    while stack:
        part = stack.pop(0)
        kind = part.get_content_type()
        if part.is_multipart() and kind.startswith("multipart/"):
            stack[:0] = list(part.iter_parts()) if not isinstance(part.get_payload(), str) else []
            continue
        if kind.startswith("message/") and part.is_multipart():
            leaves.append((kind, None, None))
            if kind == "message/rfc822":
                stack[:0] = part.get_payload()
            continue
        content = part.get_payload(decode=True) or b""
        leaves.append((kind, len(content), hashlib.sha256(content).hexdigest()))
    try:
        body = message.get_body(preferencelist=("plain",))
        if body is not None and body.get_content_type() == "text/plain":
            text = body.get_content()
    except Exception:
        text = None
    date = None
    try:
        field = message["Date"]
        if field is not None and field.datetime is not None:
            moment = field.datetime
            if moment.tzinfo is None:  # "-0000": the time is UTC
                moment = moment.replace(tzinfo=datetime.timezone.utc)
            date = moment.astimezone(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    except Exception:
        date = None
    return {
        "subject": plain(message, "Subject"), "date": date, "text": text, "leaves": leaves,
        "from": addresses(message, "From"), "to": addresses(message, "To"),
        "cc": addresses(message, "Cc"), "message_id": plain(message, "Message-ID"),
    }


def differs(field, our, other):
    if field == "leaves":
        mine = [(p["type"], p.get("size"), p.get("sha256")) for p in our["structure"]
                if not p["type"].startswith("multipart/")]
        mine = [(k, None, None) if k.startswith("message/") else (k, s, h) for k, s, h in mine]
        return mine != [(k, None, None) if k.startswith("message/") else (k, s, h)
                        for k, s, h in other["leaves"]]
    if field in ("from", "to", "cc"):
        if other[field] is None:
            return False
        return [a["address"] for a in our[field]] != [a for a in other[field]]
    if field == "text":
        if other["text"] is None:
            return False
        # ours goes on with further texts, and is cut at some length
        return squeeze(other["text"])[:2000] not in squeeze(our["text"])
    if field == "date":
        return other["date"] is not None and our["date"] != other["date"]
    if field == "message_id":
        # ours gives well-shaped ids only
        return our["message_id"] is not None and our["message_id"] not in (other["message_id"] or "")
    return squeeze(our[field]) != squeeze(other[field])


def load_reviewed(path):
    """Lines `pattern<TAB>field<TAB>reason`."""
    rows = []
    for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            pattern, field, reason = line.split("\t")
            rows.append((pattern, field, reason))
    return rows


def is_reviewed(rows, name, field):
    return any(fnmatch.fnmatch(name, p) and f in (field, "*") for p, f, _ in rows)


def main():
    program, reviewed = sys.argv[1], load_reviewed(sys.argv[2])
    folder = sys.argv[3] if len(sys.argv) > 3 else os.environ.get("POSTBAG_SUITES")
    if not folder:
        print("1..0 # SKIP POSTBAG_SUITES is not set: it names the folder with the public suites")
        return 0
    folder = pathlib.Path(folder) / ("mime" if len(sys.argv) < 4 else "")
    counts = {"messages": 0, "same": 0, "by code": 0, "reviewed": 0}
    open_ones = []
    with subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        for name, data in messages(folder):
            child.stdin.write(b"%d\n" % len(data) + data)
            child.stdin.flush()
            line = child.stdout.readline()
            if not line:
                print("not ok 1 - no crash (%s)" % name)
                return 1
            our, other = json.loads(line), theirs(data)
            counts["messages"] += 1
            found = [f for f in FIELDS if differs(f, our, other)]
            if not found:
                counts["same"] += 1
            elif our["warnings"]:
                counts["by code"] += 1
            elif all(is_reviewed(reviewed, name, f) for f in found):
                counts["reviewed"] += 1
            else:
                open_ones.append((name, [f for f in found if not is_reviewed(reviewed, name, f)]))
                if os.environ.get("POSTBAG_COMPARE_VERBOSE"):
                    for f in found:
                        print("#", name, f, "\n#   ours  ", str(our["structure"] if f == "leaves" else our[f])[:600],
                              "\n#   theirs", str(other[f])[:600])
        child.stdin.close()
        status = child.wait()
    print("# " + ", ".join("%s: %d" % pair for pair in counts.items()))
    for name, fields in open_ones:
        print("# %s: %s" % (name, ", ".join(fields)))
    print("%s 1 - no crash" % ("ok" if status == 0 else "not ok"))
    print("%s 2 - every difference has a code or a reason" % ("ok" if not open_ones else "not ok"))
    print("%s 3 - messages were compared" % ("ok" if counts["messages"] > 500 else "not ok"))
    print("1..3")
    return 0


if __name__ == "__main__":
    sys.exit(main())
