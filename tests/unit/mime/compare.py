#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Messages of public collections, read by ours and by Python's email package.

usage: compare.py PROGRAM REVIEWED

PROGRAM reads many messages (read-many.c); REVIEWED is the list of differences that are right, each
with its reason. The messages lie in $POSTBAG_SUITES/mime. Every field that differs needs a warning
code of ours that concerns this field (EXPLAINS), or a row in that list; a row that no difference
needs is a fault as well. With POSTBAG_COMPARE_VERBOSE set both readings are printed.
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

FIELDS = ("subject", "from", "to", "cc", "date", "message_id", "structure", "leaves", "text")
CUT_CHARS = 49000  # POSTBAG_LIMIT_BODY_CHARS is 50,000
SENDER, RECIPIENTS = {"from"}, {"to", "cc"}
HEADER = {"subject", "from", "to", "cc", "date", "message_id"}
BYTES = {"structure", "leaves", "text"}

# Which fields a code of ours can make differ from another program's reading.
EXPLAINS = {
    "duplicate_header:from": SENDER, "duplicate_header:to": {"to"}, "duplicate_header:cc": {"cc"},
    "duplicate_header:subject": {"subject"}, "duplicate_header:date": {"date"},
    "duplicate_header:message-id": {"message_id"},
    "duplicate_header:content-type": BYTES, "duplicate_header:cte": BYTES,
    "duplicate_header:content-disposition": {"text"},
    "duplicate_parameter:boundary": BYTES, "duplicate_parameter:charset": {"text"},
    "malformed_header": HEADER | BYTES,
    "malformed_date": {"date"}, "malformed_from": SENDER, "malformed_address": RECIPIENTS,
    "source_route": SENDER | RECIPIENTS,
    "malformed_encoded_word": {"subject"}, "raw_header_bytes": {"subject", "from", "to", "cc"},
    "header_control": HEADER,
    "malformed_content_type": BYTES, "malformed_parameter": BYTES,
    "malformed_cte": BYTES, "unknown_cte": BYTES,
    "malformed_base64": BYTES, "malformed_quoted_printable": BYTES,
    "malformed_uuencode": BYTES, "uuencode": BYTES,
    "charset_mislabelled": {"subject", "text"}, "charset_unknown": {"subject", "text"},
    "charset_missing": {"text"},
    "unusual_boundary": BYTES, "missing_boundary": BYTES, "unclosed_multipart": BYTES,
    "parts_after_end": BYTES,
    "encoded_message": BYTES, "encoded_multipart": BYTES, "opaque_signed": BYTES, "external_body": BYTES,
    "limit:depth": BYTES, "limit:parts": BYTES, "limit:bytes": BYTES, "limit:header": HEADER | BYTES,
    "limit:addresses": SENDER | RECIPIENTS, "limit:parameters": BYTES,
}


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
    text, flowed, texts = None, False, 0
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
        texts += kind == "text/plain"
        content = part.get_payload(decode=True) or b""
        leaves.append((kind, len(content), hashlib.sha256(content).hexdigest()))
    try:
        body = message.get_body(preferencelist=("plain",))
        if body is not None and body.get_content_type() == "text/plain":
            text = body.get_content()
            flowed = (body.get_param("format") or "").lower() == "flowed"
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
        "flowed": flowed, "texts": texts,
        "from": addresses(message, "From"), "to": addresses(message, "To"),
        "cc": addresses(message, "Cc"), "message_id": plain(message, "Message-ID"),
    }


def words(text):
    """The words of a text in their order, in one form, without what is invisible."""
    text = unicodedata.normalize("NFKC", text or "")
    text = re.sub(r"([<!\]])\s+", r"\1", text)  # cleaning parts markup by a blank
    return "".join(c if c.isspace() or unicodedata.category(c)[0] not in "CZ" else
                   (" " if unicodedata.category(c)[0] == "Z" else "") for c in text).split()


def text_differs(our, other):
    if other["text"] is None:
        return False
    mine, theirs_ = our["text"], other["text"]
    if len(mine) >= CUT_CHARS:  # as much as there is, without the remark at the end
        mine = mine[:CUT_CHARS - 1000]
        return not squeeze(theirs_).startswith(squeeze(mine))
    if other["flowed"]:  # ours joins its lines, and their quotation marks go
        return squeeze(theirs_).replace(">", "") not in squeeze(mine).replace(">", "")
    if other["texts"] == 1:
        return words(mine) != words(theirs_)
    return squeeze(theirs_) not in squeeze(mine)  # ours goes on with further texts


def without_message(kind, size, digest):
    """What a message inside of a message consists of is told by its own parts."""
    return (kind, None, None) if kind.startswith("message/") else (kind, size, digest)


def differs(field, our, other):
    if field == "leaves":
        mine = [(p["type"], p.get("size"), p.get("sha256")) for p in our["structure"]
                if not p["type"].startswith("multipart/")]
        return [without_message(*leaf) for leaf in mine] != [
            without_message(*leaf) for leaf in other["leaves"]]
    if field == "structure":
        return [p["type"] for p in our["structure"]] != other["structure"]
    if field in ("from", "to", "cc"):
        if other[field] is None:
            return False
        return [a["address"] for a in our[field]] != [a for a in other[field]]
    if field == "text":
        return text_differs(our, other)
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


def find_reviewed(rows, name, field):
    """The row that speaks of this field of this message, or None."""
    return next((row for row in rows if row[1] == field and fnmatch.fnmatch(name, row[0])), None)


def is_explained(field, codes):
    return any(field in EXPLAINS.get(code, ()) for code in codes)


def show(name, field, our, other):
    ours = our["structure"] if field == "leaves" else our[field]
    print("#", name, field, our["warnings"])
    print("#   ours  ", repr(ours)[:900])
    print("#   theirs", repr(other[field])[:900])


class Comparison:
    """Our readings of many messages held against another program's."""

    def __init__(self, program, rows):
        self.rows, self.used, self.open = rows, set(), []
        self.counts = {"messages": 0, "same": 0, "by code": 0, "reviewed": 0, "open": 0}
        self.child = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def read(self, data):
        self.child.stdin.write(b"%d\n" % len(data) + data)
        self.child.stdin.flush()
        return json.loads(self.child.stdout.readline())  # nothing to load after a crash

    def add(self, name, data, other):
        our = self.read(data)
        found = [f for f in FIELDS if f in other and differs(f, our, other)]
        unexplained = [f for f in found if not is_explained(f, our["warnings"])]
        rows = {f: find_reviewed(self.rows, name, f) for f in unexplained}
        self.used.update(row for row in rows.values() if row is not None)
        open_fields = [f for f in unexplained if rows[f] is None]
        self.counts["messages"] += 1
        self.counts["same" if not found else "by code" if not unexplained else
                    "reviewed" if not open_fields else "open"] += 1
        if open_fields:
            self.open.append((name, open_fields))
        if os.environ.get("POSTBAG_COMPARE_VERBOSE"):
            for field in open_fields:
                show(name, field, our, other)

    def report(self, least):
        """TAP lines; `least`: how many messages there have to be."""
        self.child.stdin.close()
        status = self.child.wait()
        idle = [row for row in self.rows if row not in self.used]
        print("# " + ", ".join("%s: %d" % pair for pair in self.counts.items()))
        for name, fields in self.open:
            print("# %s: %s" % (name, ", ".join(fields)))
        for row in idle:
            print("# no difference needs the row: %s %s" % row[:2])
        print("%s 1 - no crash" % ("ok" if status == 0 else "not ok"))
        print("%s 2 - every difference has a code or a reason" % ("ok" if not self.open else "not ok"))
        print("%s 3 - every reason is needed" % ("ok" if not idle else "not ok"))
        print("%s 4 - messages were compared" % ("ok" if self.counts["messages"] >= least else "not ok"))
        print("1..4")


def find_folder():
    """The folder of the suite of messages, or None after a line that says so."""
    folder = os.environ.get("POSTBAG_SUITES")
    if not folder:
        print("1..0 # SKIP POSTBAG_SUITES is not set: it names the folder with the public suites")
        return None
    return pathlib.Path(folder) / "mime"


def main():
    folder = find_folder()
    if folder is not None:
        comparison = Comparison(sys.argv[1], load_reviewed(sys.argv[2]))
        for name, data in messages(folder):
            comparison.add(name, data, theirs(data))
        comparison.report(500)
    return 0


if __name__ == "__main__":
    sys.exit(main())
