#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""make-maildir.py FOLDER COUNT [SEED]: a Maildir with COUNT varied messages in its inbox.

The same SEED gives the same names, contents, flags and times. Plain text, HTML with an alternative,
attachments, encoded headers, replies; a tenth unread in new/. 100,000 messages take some seconds.
"""

import base64
import os
import pathlib
import random
import sys
import time

WORDS = """meeting invoice report garden holiday project budget train weather music kitchen photo
ticket order delivery question answer summer winter letter account number window river mountain
bicycle dinner morning evening library teacher doctor office market village station harbour bridge
paper colour silver copper forest island engine signal pocket mirror candle basket ladder""".split()
NAMES = [("Alice Archer", "alice@example.org"), ("Bob Baker", "bob@example.com"),
         ("Zoë Müller", "zoe@example.net"), ("Иван Петров", "ivan@example.ru"),
         ("山田 太郎", "taro@example.jp"), ("", "noreply@shop.example"),
         ("News, The Daily", "news@daily.example"), ("Ümit Şahin", "umit@example.com.tr")]
START = 1_600_000_000  # 2020-09-13
STEP = 600


def encode(text):
    if text.isascii():
        return text
    return "=?utf-8?B?%s?=" % base64.b64encode(text.encode()).decode()


def address(person):
    name, where = person
    if not name:
        return where
    if "," in name:
        return '"%s" <%s>' % (name, where)
    return "%s <%s>" % (encode(name), where)


def paragraph(rng, count):
    words = [rng.choice(WORDS) for _ in range(count)]
    return "\n".join(" ".join(words[i:i + 12]) for i in range(0, count, 12)) + "\n"


def plain(rng):
    return ("Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n"
            + paragraph(rng, rng.randint(20, 200)) + "Grüße\n")


def html(rng):
    text = paragraph(rng, rng.randint(20, 150))
    return ('Content-Type: multipart/alternative; boundary="alt"\n\n'
            "--alt\nContent-Type: text/plain; charset=utf-8\n\n" + text
            + "--alt\nContent-Type: text/html; charset=utf-8\n\n<html><body><p>"
            + text.replace("\n", "<br>\n") + "</p></body></html>\n--alt--\n")


def attachment(rng):
    data = base64.encodebytes(rng.randbytes(rng.randint(500, 20_000))).decode()
    return ('Content-Type: multipart/mixed; boundary="mix"\n\n'
            "--mix\nContent-Type: text/plain\n\n" + paragraph(rng, 40)
            + '--mix\nContent-Type: application/pdf; name="report.pdf"\n'
            'Content-Disposition: attachment; filename="report.pdf"\n'
            "Content-Transfer-Encoding: base64\n\n" + data + "--mix--\n")


def make_message(rng, number):
    subject = " ".join(rng.choice(WORDS) for _ in range(rng.randint(2, 7))).capitalize()
    if rng.random() < 0.2:
        subject = "Grüße: " + subject
    lines = ["Return-Path: <bounce-%d@lists.example>" % number,
             "Received: from mx.example by mail.example with ESMTPS id %08x" % rng.getrandbits(32),
             "From: " + address(rng.choice(NAMES)),
             "To: " + ", ".join(address(rng.choice(NAMES)) for _ in range(rng.randint(1, 3))),
             "Subject: " + encode(subject),
             "Date: " + rfc_date(START + number * STEP),
             "Message-ID: <%d.%08x@mail.example>" % (number, rng.getrandbits(32)),
             "MIME-Version: 1.0"]
    if rng.random() < 0.3 and number > 0:
        lines.append("In-Reply-To: <%d.parent@mail.example>" % rng.randrange(number))
    body = rng.choices([plain, html, attachment], [6, 3, 1])[0](rng)
    return "\n".join(lines) + "\n" + body


def rfc_date(seconds):
    days = "Thu Fri Sat Sun Mon Tue Wed".split()
    months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
    parts = time.gmtime(seconds)
    return "%s, %02d %s %d %02d:%02d:%02d +0000" % (
        days[seconds // 86400 % 7], parts.tm_mday, months[parts.tm_mon - 1], parts.tm_year,
        parts.tm_hour, parts.tm_min, parts.tm_sec)


def make_name(rng, number):
    """Where a message goes: the folder and the file's name."""
    base = "%d.M%dP%d_%d.mail.example" % (START + number * STEP, rng.randrange(1_000_000), 4242,
                                          number)
    if rng.random() < 0.1:
        return "new", base
    flags = "".join(flag for flag, share in zip("DFPRST", [.01, .1, .02, .2, .8, .01])
                    if rng.random() < share)
    return "cur", base + ":2," + flags


def main():
    folder = pathlib.Path(sys.argv[1])
    count = int(sys.argv[2])
    rng = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    for part in ("cur", "new", "tmp"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    for number in range(count):
        text = make_message(rng, number).encode()
        part, name = make_name(rng, number)
        path = os.path.join(folder, part, name)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        os.write(descriptor, text)
        os.utime(descriptor, (START + number * STEP, START + number * STEP))
        os.close(descriptor)


if __name__ == "__main__":
    main()
