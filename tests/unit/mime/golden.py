#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Messages of two parsers' own test suites, held against what these suites expect of them.

usage: golden.py PROGRAM REVIEWED mime4j|mail-parser

mime4j lays down the tree of a message in XML, with each decoded part in a file; mail-parser lays
down header fields, the tree and the decoded parts in JSON. PROGRAM and REVIEWED: see compare.py.
"""

import datetime
import hashlib
import html
import json
import re
import sys

sys.dont_write_bytecode = True
import compare  # noqa: E402

TOKENS = re.compile(rb'<field>(.*?)</field>|<(/?)(message|body-part|header)>|'
                    rb'<(?:text|binary)-body name="([^"]*)"/>', re.S)


def leaf(kind, content):
    return (kind, len(content), hashlib.sha256(content).hexdigest())


# --- mime4j ---

def read_type(field):
    """The media type that a field Content-Type names, or None of any other field."""
    text = html.unescape(field.decode("latin-1")).strip()
    found = re.match(r"(?i)content-type[ \t]*:\s*([!-.0-~]+/[!-.0-:<-~]+)", text)
    return found.group(1).lower() if found else None


def read_tree(path):
    """Types of all parts in order, and the decoded leaves."""
    structure, leaves, open_parts = [], [], []
    kind = None
    for field, closing, name, content in TOKENS.findall(path.read_bytes()):
        if field:
            kind = kind or read_type(field)
        elif content:
            leaves.append(leaf(structure[-1], (path.parent / content.decode()).read_bytes()))
        elif name == b"header" and not closing:
            kind = None
        elif name == b"header":
            digest = len(open_parts) > 1 and open_parts[-2] == "multipart/digest"
            open_parts[-1] = kind or ("message/rfc822" if digest else "text/plain")
            structure.append(open_parts[-1])
            if open_parts[-1].startswith("message/"):
                leaves.append((open_parts[-1], None, None))
        elif closing:
            open_parts.pop()
        else:
            open_parts.append(None)
    return structure, leaves


def read_mime4j(folder):
    for path in sorted(folder.glob("mime4j/**/*_decoded.xml")):
        message = path.with_name(path.name.replace("_decoded.xml", ".msg"))
        structure, leaves = read_tree(path)
        yield str(message.relative_to(folder)), message.read_bytes(), {
            "structure": structure, "leaves": leaves}


# --- mail-parser ---

def find_header(part, name):
    """The first field of that name, without its kind, or None."""
    for header in part["headers"]:
        if header["name"] == name:
            value = header["value"]
            return next(iter(value.values())) if isinstance(value, dict) else None
    return None


def list_addresses(value):
    if isinstance(value, dict) and "Address" in value:  # one entry alone
        value = value["Address"]
    entries = []
    for entry in value if isinstance(value, list) else [value]:
        entries += entry["addresses"] if "addresses" in entry else [entry]
    return [entry["address"] for entry in entries if entry.get("address")]


def read_addresses(part, name):
    value = find_header(part, name)
    kind = next(iter(value)) if value else None
    return list_addresses(value[kind]) if kind in ("List", "Group", "GroupList", "Address") else []


def read_date(part):
    value = find_header(part, "date")
    if value is None:
        return None
    zone = datetime.timedelta(hours=value["tz_hour"], minutes=value["tz_minute"])
    try:
        moment = datetime.datetime(*(value[k] for k in ("year", "month", "day", "hour", "minute", "second")),
                                   tzinfo=datetime.timezone(-zone if value["tz_before_gmt"] else zone))
        return moment.astimezone(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError):
        return None


def read_parts(golden, index=0):
    """Types of the part and of all below it, in order."""
    part = golden["parts"][index]
    body = part["body"]
    value = find_header(part, "content_type") or (
        {"c_type": "message", "c_subtype": "rfc822"} if "Message" in body else {})
    structure = ["%s/%s" % (value.get("c_type") or "text", value.get("c_subtype") or "plain")]
    if "Multipart" in body:
        for child in body["Multipart"]:
            structure += read_parts(golden, child)
    elif "Message" in body:
        structure += read_parts(body["Message"])
    return [kind.lower() for kind in structure]


def read_golden(golden):
    root = golden["parts"][0]
    texts = [golden["parts"][i] for i in golden["text_body"]]
    only = len(texts) == 1 and list(texts[0]["body"]) == ["Text"]
    kind = find_header(texts[0], "content_type") or {} if only else {}
    attributes = {a["name"]: a["value"] for a in kind.get("attributes") or ()}
    return {
        "structure": read_parts(golden), "date": read_date(root),
        "from": read_addresses(root, "from"), "to": read_addresses(root, "to"),
        "cc": read_addresses(root, "cc"), "subject": find_header(root, "subject"),
        "message_id": "<%s>" % find_header(root, "message_id"),
        "text": texts[0]["body"]["Text"] if only else None,
        "texts": len(texts), "flowed": attributes.get("format") == "flowed",
    }


def read_mail_parser(folder):
    for path in sorted(folder.glob("mail-parser/**/eml/**/*.json")):
        crlf = path.name.endswith(".crlf.json")
        message = path.with_name(path.name.split(".")[0] + ".eml")
        data = message.read_bytes()
        yield str(path.relative_to(folder)), data.replace(b"\n", b"\r\n") if crlf else data, read_golden(
            json.loads(path.read_text(encoding="utf-8")))


READERS = {"mime4j": (read_mime4j, 50), "mail-parser": (read_mail_parser, 200)}


def main():
    folder = compare.find_folder()
    if folder is not None:
        reader, least = READERS[sys.argv[3]]
        comparison = compare.Comparison(sys.argv[1], compare.load_reviewed(sys.argv[2]))
        for name, data, other in reader(folder):
            comparison.add(name, data, other)
        comparison.report(least)
    return 0


if __name__ == "__main__":
    sys.exit(main())
