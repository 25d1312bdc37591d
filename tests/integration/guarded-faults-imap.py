# SPDX-License-Identifier: LGPL-2.1-or-later
"""What users of such tools met with mail servers: the real program against a server that this file
plays, and against a real Dovecot.

The numbers are those of tests/contract/guarded-faults.tsv.
"""

import imaplib
import json
import pathlib
import re
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import unittest

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "conformance")]

import tap  # noqa: E402
import server as stdio  # noqa: E402

HEAD = b"From: Ada <ada@example.org>\r\nTo: bob@example.org\r\n"
HOSTILE = "\x1b[2J\u202e\x85![x](http://evil.example/)"


class Peer(threading.Thread):
    """A mail server with one mailbox of one message; what a test wants otherwise, it replaces."""

    capabilities = "IMAP4rev1"
    greeting = True
    structure = '("TEXT" "PLAIN" ("CHARSET" "utf-8") NIL NIL "7BIT" 4 1)'
    flags = "\\Seen"
    source = HEAD + b"Subject: x\r\n\r\nText\r\n"
    size = None
    obeys = True  # sends no more than it was asked for
    context = None
    folders = ("INBOX",)

    def __init__(self, **replaced):
        super().__init__(daemon=True)
        self.__dict__.update(replaced)
        self.connections = 0
        self.said = []
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        if self.context is not None:
            self.socket = self.context.wrap_socket(self.socket, server_side=True)
        self.start()

    def run(self):
        while True:
            try:
                client, _ = self.socket.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self.talk, args=(client,), daemon=True).start()

    def talk(self, client):
        with client, client.makefile("rwb") as stream:
            try:
                if not self.greeting:
                    stream.write(b"* BYE no room\r\n")
                    return
                self.send(stream, f"* OK [CAPABILITY {self.capabilities}] ready\r\n")
                for line in stream:
                    tag, _, rest = line.decode().strip().partition(" ")
                    self.said.append(rest)
                    self.answer(stream, tag, rest)
            except OSError:
                pass

    def send(self, stream, text):
        stream.write(text if isinstance(text, bytes) else text.encode())
        stream.flush()

    def answer(self, stream, tag, rest):
        words = rest.upper().split()
        name = "_".join(words[:2] if words[0] == "UID" else words[:1]).lower()
        reply = getattr(self, f"do_{name}", None)
        reply = reply(rest) if callable(reply) else reply
        untagged, status = reply if isinstance(reply, tuple) else ("", reply or "OK done")
        for part in (untagged, f"{tag} {status}\r\n"):
            self.send(stream, part)

    def do_capability(self, _):
        return f"* CAPABILITY {self.capabilities}\r\n", "OK done"

    def do_list(self, rest):
        if rest.endswith('""'):
            return '* LIST (\\Noselect) "/" ""\r\n', "OK done"
        return "".join(f'* LIST () "/" "{name}"\r\n' for name in self.folders), "OK done"

    def do_status(self, rest):
        name = rest.split()[1]
        return f"* STATUS {name} (MESSAGES 1 UNSEEN 0 UIDNEXT 8 UIDVALIDITY 7)\r\n", "OK done"

    def do_examine(self, _):
        return (f"* FLAGS (\\Seen)\r\n* 1 EXISTS\r\n* OK [UIDVALIDITY 7] x\r\n* OK [UIDNEXT 8] x\r\n"
                "* OK [PERMANENTFLAGS (\\Seen \\*)] x\r\n", "OK [READ-ONLY] done")

    def do_uid_search(self, _):
        return "* SEARCH 7\r\n", "OK done"

    def do_fetch(self, rest):
        return self.do_uid_fetch(rest)

    def find_part(self, part):
        head, _, body = self.source.partition(b"\r\n\r\n")
        if part.startswith("HEADER"):
            return head + b"\r\n\r\n"
        return body.split(b"--b\r\n\r\n")[-1].split(b"\r\n--b")[0] if part else self.source

    def do_uid_fetch(self, rest):
        reply = (f"* 1 FETCH (UID 7 FLAGS ({self.flags}) RFC822.SIZE {self.size or len(self.source)}"
                 ' INTERNALDATE "08-Sep-2026 09:05:00 +0200" BODYSTRUCTURE ' + self.structure
                 + ' ENVELOPE (NIL "x" NIL NIL NIL NIL NIL NIL NIL NIL)').encode()
        for part, start, length in re.findall(r"BODY\.PEEK\[([^]]*)\](?:<(\d+)\.(\d+)>)?", rest):
            content = self.find_part(part)
            if start and self.obeys:
                content = content[int(start):int(start) + int(length)]
            reply += (f" BODY[{part}]" + (f"<{start}>" if start else "")
                      + f" {{{len(content)}}}\r\n").encode() + content
        return reply + b")\r\n", "OK done"

    def close(self):
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()
        self.join(10)


class OverImap(unittest.TestCase):
    def play(self, environment=None, **replaced):
        peer = Peer(**replaced)
        self.addCleanup(peer.close)
        server = stdio.Server(None, [], {"IMAP_HOST": "127.0.0.1", "IMAP_PORT": str(peer.port),
                                         "IMAP_TLS": "none", "IMAP_USER": "ada",
                                         "IMAP_PASSWORD": "secret",
                                         "POSTBAG_VALIDATE_RESULTS": "true",
                                         **(environment or {})})
        self.addCleanup(server.__exit__, None)
        server.initialize()
        return peer, server

    def good(self, result):
        self.assertNotIn("isError", result, str(result)[:1000])
        return result["structuredContent"]

    def bad(self, result):
        self.assertIs(result.get("isError"), True, str(result)[:1000])
        text = result["content"][0]["text"]
        self.assertNotIn("secret", text)
        return text

    def expect_clean(self, text):
        for one in ("\x1b", "\u202e", "\x85", "![x](", "\r"):
            self.assertNotIn(one, text)

    def test_1_structure_is_fetched_with_the_summaries(self):
        mixed = ('(("TEXT" "PLAIN" NIL NIL NIL "7BIT" 4 1)("APPLICATION" "PDF" ("NAME" "a.pdf") NIL'
                 ' NIL "BASE64" 400 NIL ("ATTACHMENT" ("FILENAME" "a.pdf")) NIL) "MIXED")')
        for structure, has in ((Peer.structure, False), (mixed, True)):
            peer, server = self.play(structure=structure)
            one, = self.good(server.call("list_messages", {}))["messages"]
            self.assertIs(one["hasAttachments"], has)
            self.assertTrue(any("BODYSTRUCTURE" in line for line in peer.said))

    def test_4_connecting_is_tried_anew(self):
        """And works as soon as the server does."""
        peer, server = self.play(greeting=False)
        for _ in range(2):
            before = peer.connections
            self.bad(server.call("list_messages", {}))
            self.assertGreater(peer.connections, before)
        peer.greeting = True
        self.assertEqual(self.good(server.call("list_messages", {}))["returned"], 1)

    def test_6_refused_login_is_remembered(self):
        """Told from memory, with the time of the next attempt, even where it would succeed now."""
        peer, server = self.play(do_login="NO [AUTHENTICATIONFAILED] no")
        first = self.bad(server.call("list_messages", {}))
        peer.do_login = "OK done"
        second = self.bad(server.call("list_messages", {}))
        self.assertEqual(peer.connections, 1)
        self.assertNotEqual(first, second)
        self.assertRegex(second, r"not tried again until \d\d:\d\d:\d\d")

    def test_7_listing_of_thousands_of_mailboxes_is_bounded(self):
        """Without LIST-STATUS: a hundred are asked about, a thousand listed, all are counted."""
        peer, server = self.play(folders=("INBOX", *(f"f{number}" for number in range(2999))))
        listed = self.good(server.call("list_mailboxes", {}))
        asked = [line for line in peer.said if line.upper().startswith("STATUS")]
        self.assertEqual(len(asked), 100)
        self.assertLessEqual(len(listed["mailboxes"]), 1000)
        self.assertEqual(listed["total_mailboxes"], 3000)
        with_counts = [one for one in listed["mailboxes"] if "messages" in one]
        self.assertEqual(len(with_counts), 100)
        self.assertEqual(listed["status_omitted"], len(listed["mailboxes"]) - 100)

    def test_8_what_a_sender_wrote_beside_the_body_is_bounded(self):
        """A content type of 100 kB, an authserv-id of 60,000 letters, in listing and message."""
        kind = "A" * 100000
        structure = (f'(("TEXT" "PLAIN" NIL NIL NIL "7BIT" 4 1)("{kind}" "{kind}" ("NAME" "{kind}")'
                     ' NIL NIL "7BIT" 4 NIL ("ATTACHMENT" NIL) NIL) "MIXED")')
        source = (b"Authentication-Results: " + b"a" * 60000 + b"; spf=pass; dkim=fail\r\n" + HEAD
                  + b"Subject: x\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b"
                  b"\r\n\r\n--b\r\n\r\nText\r\n--b\r\nContent-Type: " + kind.encode() + b"/"
                  + kind.encode() + b"; name=" + kind.encode() + b"\r\n"
                  b"Content-Disposition: attachment\r\n\r\nx\r\n--b--\r\n")
        _, server = self.play(structure=structure, source=source)
        results = [server.call("list_messages", {}), server.call("get_message", {"uid": 7}),
                   server.call("get_attachments", {"uid": 7})]
        message = self.good(results[1])
        self.assertIn("Text", message["body"])
        auth = message["security"]["auth"]
        self.assertNotIn("authservId", auth)
        self.assertEqual((auth["spf"], auth["dkim"]), ("pass", "fail"))
        self.good(results[0])
        self.assertEqual(self.good(results[2])["attachments"][0]["content_type"],
                         "application/octet-stream")
        results.append(server.call("get_attachments", {"uid": 7, "part_id": "2"}))
        self.bad(results[3])
        for one in results:
            self.assertNotIn("A" * 300, json.dumps(one))
            self.assertNotIn("a" * 300, json.dumps(one))

    def test_9_size_that_is_no_number(self):
        for size in ("Infinity", "NaN", "-1", "1e999", "99999999999999999999999", '"4"', "NIL"):
            with self.subTest(size=size):
                structure = ('(("TEXT" "PLAIN" NIL NIL NIL "7BIT" 4 1)("APPLICATION" "PDF" NIL NIL'
                             f' NIL "BASE64" {size} NIL ("ATTACHMENT" NIL) NIL) "MIXED")')
                _, server = self.play(structure=structure, size=100)
                self.assertEqual(self.good(server.call("list_messages", {}))["returned"], 1)
                part, = self.good(server.call("get_attachments", {"uid": 7}))["attachments"]
                self.assertNotIn("size", part)

    def test_10_flags_with_control_characters(self):
        flags = "\\Seen bad\x01flag $Forwarded " + " ".join(f"k{number}" for number in range(2000))
        _, server = self.play(flags=flags)
        one, = self.good(server.call("list_messages", {}))["messages"]
        self.assertLessEqual(len(one["flags"]), 200)
        self.assertTrue(one["seen"])
        for flag in one["flags"]:
            self.assertRegex(flag, r"^\\?[A-Za-z0-9$_.-]{1,99}$")

    def test_13_what_a_server_says_of_itself_is_clean(self):
        _, server = self.play(
            capabilities="IMAP4rev1 X\x1b[2J " + " ".join("Y" * 300 + str(one) for one in range(500)),
            do_examine=lambda _: ("* 1 EXISTS\r\n* OK [UIDVALIDITY 7] x\r\n* OK [UIDNEXT 8] x\r\n"
                                  "* OK [PERMANENTFLAGS (\\Seen a\x01b " + "F" * 5000
                                  + " \\*)] x\r\n", "OK [READ-ONLY] done"),
            do_list=lambda rest: ('* LIST () "\x1b" "IN&IC4-BOX![x](http://e)"\r\n', "OK done"))
        info = self.good(server.call("get_server_info"))
        self.assertLessEqual(len(info["capabilities"]), 100)
        for one in info["capabilities"] + info["permanent_flags"]:
            self.assertLess(len(one), 100)
            self.assertTrue(one.isprintable(), ascii(one))
        for one in self.good(server.call("list_mailboxes"))["mailboxes"]:
            for name in ("display_name", "name", "delimiter"):
                self.expect_clean(one.get(name, ""))

    def test_14_words_of_others_in_errors_are_bounded(self):
        """A certificate's names, a greeting that is none, a URI of 5,000 characters."""
        _, server = self.play(do_login=f"NO {HOSTILE} " + "z" * 50000)
        text = self.bad(server.call("list_messages", {}))
        self.expect_clean(text)
        self.assertLess(len(text), 3000)
        uri = "imap://message/7/part/" + HOSTILE * 300
        answer = server.request("resources/read", {"uri": uri})
        self.expect_clean(answer["error"]["message"])
        self.assertLess(len(answer["error"]["message"]), 600)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days",
                            "2", "-keyout", f"{folder}/key", "-out", f"{folder}/cert", "-utf8",
                            "-subj", "/CN=" + HOSTILE.replace("/", "_")[:40] + "/O=" + "o" * 60],
                           check=True, capture_output=True)
            context.load_cert_chain(f"{folder}/cert", f"{folder}/key")
        peer = Peer(context=context)
        self.addCleanup(peer.close)
        with stdio.Server(None, [], {"IMAP_HOST": "127.0.0.1", "IMAP_PORT": str(peer.port),
                                     "IMAP_USER": "ada", "IMAP_PASSWORD": "secret"}) as other:
            other.initialize()
            text = self.bad(other.call("list_messages", {}))
            self.assertIn("certificate", text)
            self.expect_clean(text)
            self.assertLess(len(text), 3000)

    def test_20_words_of_the_server_are_marked_as_its_own(self):
        for words, expected in ((f"Trust me: {HOSTILE}", "Trust me"), ("w" * 9000, "wwww"),
                                ("<!DOCTYPE html><html><body>Pay here</body></html>", None)):
            with self.subTest(words[:20]):
                _, server = self.play(do_examine=f"NO [SERVERBUG] {words}")
                text = self.bad(server.call("list_messages", {}))
                self.expect_clean(text)
                self.assertLess(len(text), 2600)
                if expected is None:
                    self.assertNotIn("Pay here", text)
                else:
                    self.assertRegex(text, "^The mail server 127.0.0.1:[0-9]+ said no[^:]*: “" + expected)

    def test_46_more_than_was_asked_for_is_refused(self):
        """Three megabytes where 128 kB were asked for: no memory for them, and the way out."""
        source = HEAD + b"Subject: x\r\n\r\n" + b"Text of a long message\r\n" * 130000
        peer, server = self.play(source=source, obeys=False)
        text = self.bad(server.call("get_message", {"uid": 7}))
        self.assertIn("get_attachments", text)
        self.assertTrue(any(re.search(r"BODY\.PEEK\[\]<0\.\d+>", line) for line in peer.said))
        peer.source = Peer.source
        self.assertIn("Text", self.good(server.call("get_message", {"uid": 7}))["body"])

    def test_62_new_mail_is_looked_for_on_an_old_connection(self):
        """A NOOP, or another selection, goes before each search."""
        peer, server = self.play()
        for _ in range(3):
            self.good(server.call("list_messages", {"subject": "x"}))
        self.assertEqual(peer.connections, 1)
        said = [line.split()[0].upper() if not line.upper().startswith("UID")
                else " ".join(line.upper().split()[:2]) for line in peer.said]
        at = [number for number, one in enumerate(said) if one == "UID SEARCH"]
        self.assertEqual(len(at), 3)
        for number in at:
            self.assertIn(said[number - 1], ("NOOP", "EXAMINE"))


if __name__ == "__main__":
    tap.main()
