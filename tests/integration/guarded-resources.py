# SPDX-License-Identifier: LGPL-2.1-or-later
"""Resources, subscriptions and completions of the guarded toolset, with the real program, on a
Maildir and on a real Dovecot, with IDLE and without it.

A second program (Python's mailbox, imaplib) delivers while a client of each era waits to hear of
it; what the program tells is compared with what that second program put there.
"""

import base64
import imaplib
import json
import mailbox
import os
import pathlib
import shutil
import ssl
import subprocess
import sys
import tempfile
import time
import unittest

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "conformance")]

import tap  # noqa: E402
import server as stdio  # noqa: E402

UPDATED = "notifications/resources/updated"
LONG = "n" * 120  # a folder's name on disk has room for it, and for its level above
CSV = b"a;b\r\n1;2\r\n"


def make(number):
    return (f"From: Ada <ada@example.org>\r\nTo: bob@example.org\r\nSubject: m{number}\r\n"
            f"Message-ID: <{number}@example.org>\r\nDate: Tue, 08 Sep 2026 09:05:00 +0200\r\n"
            "MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n"
            f"--b\r\nContent-Type: text/plain\r\n\r\nText {number}\r\n"
            "--b\r\nContent-Type: text/csv; name=t.csv\r\n"
            "Content-Disposition: attachment; filename=t.csv\r\n"
            f"Content-Transfer-Encoding: base64\r\n\r\n{base64.b64encode(CSV).decode()}\r\n"
            "--b\r\nContent-Type: application/pdf; name=x.exe\r\n"
            "Content-Disposition: attachment; filename=x.exe\r\n\r\nMZ\r\n--b--\r\n").encode()


class Base:
    """What every kind of mail has in common."""

    patience = 30
    round = 0  # seconds until every mailbox was looked at once more
    environment = {}

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="postbag-resources-")
        self.state = os.path.join(self.folder, "state")
        self.number = 3
        self.servers = []
        self.prepare()

    def tearDown(self):
        for one in self.servers:
            one.__exit__(None)
        self.finish()
        shutil.rmtree(self.folder)

    def open(self, *arguments, modern=False, revision="2025-11-25", maildir=True, **environment):
        one = stdio.Server(self.maildir if maildir else None, arguments,
                           {"POSTBAG_STATE_DIR": self.state, **self.environment, **environment},
                           revision=stdio.MODERN if modern else None)
        self.servers.append(one)
        if not modern:
            one.initialize(revision)
        return one

    def read(self, server, uri, modern=False):
        answer = (server.modern if modern else server.request)("resources/read", {"uri": uri})
        self.assertIn("result", answer, answer)
        contents, = answer["result"]["contents"]
        self.assertEqual(contents["uri"], uri)
        self.assertIn("postbag/untrusted", answer["result"]["_meta"])
        return contents

    def read_mailbox(self, server, uri=None, modern=False):
        contents = self.read(server, uri or self.uri("INBOX"), modern)
        self.assertEqual(contents["mimeType"], "application/json")
        return json.loads(contents["text"])

    def refuse(self, server, uri, code=-32002, method="resources/read"):
        answer = server.request(method, {"uri": uri})
        self.assertIn("error", answer, answer)
        self.assertEqual(answer["error"]["code"], code, answer)
        return answer["error"]["message"]

    def receive(self, server, method, timeout):
        """The next message, which has to be a notification of @method"""
        message = server.waiting.pop(0) if server.waiting else server.receive(timeout)
        self.assertEqual(message.get("method"), method, message)
        return message["params"]

    def complete(self, server, ref, name, value, **context):
        params = {"ref": ref, "argument": {"name": name, "value": value}}
        if context:
            params["context"] = {"arguments": context}
        return server.request("completion/complete", params)["result"]["completion"]["values"]

    account = "default"

    def uri(self, name, account=None):
        return f"imap://{account or self.account}/mailbox/{name}"

    # --- reading ---

    def test_mailbox(self):
        server = self.open()
        before = self.count_unread()
        found = self.read_mailbox(server)
        listed = server.call("list_messages", {"limit": 20})["structuredContent"]
        self.assertEqual(found["messages"], listed["messages"])
        self.assertEqual((found["untrusted"], found["total"], found["unseen"], found["returned"]),
                         (True, 3, 3, 3))
        self.assertEqual([one["subject"] for one in found["messages"]], ["m3", "m2", "m1"])
        self.assertEqual(self.count_unread(), before)

    def test_listed(self):
        server = self.open()
        listed = server.request("resources/list", {})["result"]["resources"]
        self.assertEqual((listed[0]["uri"], listed[0]["name"]), (self.uri("INBOX"), "INBOX"))
        names = {one["uri"]: one["name"] for one in listed}
        self.assertEqual(len(names), len(listed))
        self.assertEqual(names[self.uri("Archive")], "Archive")
        self.assertEqual(names[self.uri("Arch%E2%80%AEive")], "Archive")
        self.assertIn(self.uri("Gr%C3%BCn%20%26-"), names)
        for uri in names:
            self.read_mailbox(server, uri)
        templates = server.request("resources/templates/list", {})["result"]["resourceTemplates"]
        self.assertEqual([one["uriTemplate"] for one in templates],
                         ["imap://message/{uid}/part/{partId}", "imap://{account}/mailbox/{name}"])

    def test_hostile_names(self):
        server = self.open()
        for name, code in (("Nowhere", -32002), ("A%252FB", -32602), ("%2A", -32602),
                           ("Gr%26APw-n", -32002), ("n" * 255, -32002), ("n" * 256, -32602),
                           ("a%0Ab", -32002), ("a%00b", -32002), ("..%2F..", -32002),
                           ("%ff", -32002), ("a%22b", -32002), ("a%0D%0A1%20LOGOUT", -32002)):
            with self.subTest(name):
                for method in ("resources/read", "resources/subscribe"):
                    self.refuse(server, self.uri(name), code, method)
        for uri in ("imap://elsewhere/mailbox/INBOX", "imap://message/mailbox/INBOX"):
            self.refuse(server, uri)
        server.expect_alive()

    def test_attachment(self):
        server = self.open()
        uid = self.read_mailbox(server)["messages"][0]["uid"]
        contents = self.read(server, f"imap://message/{uid}/part/2")
        self.assertEqual((contents["mimeType"], base64.b64decode(contents["blob"])),
                         ("text/csv", CSV))
        self.assertIn("x.exe", json.dumps(server.call("get_attachments", {"uid": uid})))
        self.assertIn("cannot be fetched",
                      self.refuse(server, f"imap://message/{uid}/part/3", -32602))
        self.refuse(server, f"imap://message/{uid}/part/1")
        self.refuse(server, f"imap://message/{uid + 1000}/part/2")
        info = server.call("get_server_info")["structuredContent"]
        self.assertTrue(info["attachment_downloads"]["as_resource"])

    def test_filters(self):
        """What the filter closes is closed as a resource, a subscription and a completion."""
        server = self.open(IMAP_DENY_TOOLS="get_attachments,list_mailboxes")
        self.assertEqual(server.request("resources/list", {})["error"]["code"], -32601)
        self.assertEqual(server.request("resources/subscribe", {"uri": self.uri("INBOX")})["error"]["code"],
                         -32601)
        prompt = {"type": "ref/prompt", "name": "triage_inbox"}
        self.assertEqual(self.complete(server, prompt, "mailbox", ""), [])
        self.assertFalse(server.call("get_server_info")["structuredContent"]
                         ["attachment_downloads"]["as_resource"])
        essential = self.open(IMAP_ALLOW_TOOLS="essential")
        templates = essential.request("resources/templates/list", {})["result"]
        self.assertEqual([one["name"] for one in templates["resourceTemplates"]], ["mailbox"])
        self.refuse(essential, "imap://message/1/part/2")

    def test_completion(self):
        server = self.open()
        template = {"type": "ref/resource", "uri": "imap://{account}/mailbox/{name}"}
        prompt = {"type": "ref/prompt", "name": "triage_inbox"}
        for ref, name in ((template, "name"), (prompt, "mailbox")):
            self.assertEqual(self.complete(server, ref, name, "")[0], "INBOX")
            self.assertEqual(self.complete(server, ref, name, "aRC"), ["Archive"])
            self.assertEqual(self.complete(server, ref, name, "GRÜ"), ["Grün &-"])
            self.assertEqual(self.complete(server, ref, name, "\u202e"), [])
        self.assertEqual(self.complete(server, template, "account", ""), [self.account])
        self.assertEqual(self.complete(server, template, "name", "", account="elsewhere"), [])

    # --- subscriptions ---

    def subscribe(self, server, *uris):
        for uri in uris:
            self.assertEqual(server.request("resources/subscribe", {"uri": uri})["result"], {})

    def expect_told(self, server, *uris, pause=0.3):
        """All of @uris, each once, and nothing else."""
        told = [self.receive(server, UPDATED, self.patience)["uri"] for _ in uris]
        self.assertEqual(sorted(told), sorted(uris))
        server.expect_silence(pause)

    def test_legacy_subscription(self):
        """Who unsubscribed hears nothing of what another spelling of the mailbox still hears."""
        server = self.open()
        uri, other = self.uri("INBOX"), self.uri("%49nbox")
        self.subscribe(server, uri)
        self.read_mailbox(server)
        self.deliver("m4")
        self.expect_told(server, uri)
        self.assertEqual(self.read_mailbox(server)["messages"][0]["subject"], "m4")
        self.assertEqual(self.count_unread(), 4)
        self.subscribe(server, other)
        self.assertEqual(server.request("resources/unsubscribe", {"uri": uri})["result"], {})
        self.read_mailbox(server)
        self.deliver("m5")
        self.expect_told(server, other)

    def listen(self, server, identity, *uris):
        server.send({"jsonrpc": "2.0", "id": identity, "method": "subscriptions/listen", "params": {
            "_meta": stdio.envelope(), "notifications": {"resourceSubscriptions": list(uris)}}})
        return self.receive(server, "notifications/subscriptions/acknowledged", None)["notifications"]

    def expect_heard(self, server, identity, uri):
        """By that listener, once, and by nobody else."""
        told = self.receive(server, UPDATED, self.patience)
        self.assertEqual((told["uri"], told["_meta"][stdio.PREFIX + "subscriptionId"]),
                         (uri, identity))
        time.sleep(0.3)
        self.assertTrue(server.lines.empty() and not server.waiting)

    def test_listen(self):
        """Who stopped listening hears nothing of what another listener still hears."""
        server = self.open(modern=True)
        uri, other = self.uri("INBOX"), self.uri("%49nbox")
        self.assertEqual(self.listen(server, "hear", uri, self.uri("Nowhere"),
                                     "imap://elsewhere/mailbox/INBOX"),
                         {"resourceSubscriptions": [uri]})
        self.read_mailbox(server, modern=True)
        self.deliver("m4")
        self.expect_heard(server, "hear", uri)
        self.listen(server, "other", other)
        server.notify("notifications/cancelled", {"requestId": "hear"})
        self.read_mailbox(server, modern=True)
        self.deliver("m5")
        self.expect_heard(server, "other", other)

    def test_two_spellings_are_one_mailbox(self):
        """Each URI hears under the name that it was asked for."""
        server = self.open()
        other = self.uri("%49nbox")
        self.subscribe(server, self.uri("INBOX"), other)
        self.read_mailbox(server)
        self.deliver("m4")
        self.expect_told(server, self.uri("INBOX"), other)

    def test_too_many(self):
        server = self.open()
        answers = [server.request("resources/subscribe",
                                  {"uri": self.uri("".join(
                                      f"%{ord(one):02x}" if number >> at & 1 else one
                                      for at, one in enumerate("Archive")))})
                   for number in range(65)]
        self.assertEqual([number for number, one in enumerate(answers) if "error" in one], [64])
        server.expect_alive()

    def test_other_mailbox_is_not_told(self):
        server = self.open()
        self.subscribe(server, self.uri("Archive"), self.uri("INBOX"))
        self.read_mailbox(server)
        self.deliver("m4")
        self.expect_told(server, self.uri("INBOX"), pause=0.3 + self.round)


class OnMaildir(Base, unittest.TestCase):
    patience = 10
    account = "local"

    def prepare(self):
        self.maildir = os.path.join(self.folder, "Maildir")
        self.box = mailbox.Maildir(self.maildir, create=True)
        for number in range(1, 4):
            path = pathlib.Path(self.maildir, "new", f"{1788851100 + number}.M1P1.test")
            path.write_bytes(make(number))
        for name in ("Archive", "Arch&IC4-ive", "Gr&APw-n &--", LONG):
            self.box.add_folder(name)

    def finish(self):
        pass

    def deliver(self, subject):
        self.box.add(make(subject[1:]))

    def count_unread(self):
        return sum("S" not in message.get_flags() for message in self.box)

    def test_accounts(self):
        """A client that listens to one account hears nothing of the other's mailbox."""
        other = mailbox.Maildir(os.path.join(self.folder, "Other"), create=True)
        config = os.path.join(self.folder, "postbag.conf")
        pathlib.Path(config).write_text(
            f"[account work]\nbackend=maildir\npath={self.maildir}\n"
            f"[account an other ü]\nbackend=maildir\npath={self.folder}/Other\n", encoding="utf-8")
        server = self.open("--config", config, maildir=False)
        listed = [one["uri"] for one in
                  server.request("resources/list", {})["result"]["resources"]]
        second = "imap://an%20other%20%C3%BC/mailbox/INBOX"
        self.assertIn("imap://work/mailbox/INBOX", listed)
        self.assertIn(second, listed)
        template = {"type": "ref/resource", "uri": "imap://{account}/mailbox/{name}"}
        self.assertEqual(self.complete(server, template, "account", ""), ["work", "an other ü"])
        self.assertEqual(self.complete(server, template, "name", "", account="an other ü"), ["INBOX"])
        self.subscribe(server, second, self.uri("INBOX", "work"))
        self.read_mailbox(server, second)
        self.deliver("m4")
        self.expect_told(server, self.uri("INBOX", "work"))
        other.add(make(7))
        self.expect_told(server, second)
        self.assertEqual(self.read_mailbox(server, second)["messages"][0]["subject"], "m7")


class OnDovecot(Base, unittest.TestCase):
    maildir = None
    extra = []
    polling = {}

    @classmethod
    def setUpClass(cls):
        cls.dovecot = subprocess.Popen(
            [sys.executable, str(TESTS / "integration/imap/dovecot.py"), "--messages", "0",
             "--large", "0", *cls.extra],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        line = cls.dovecot.stdout.readline()
        if not line:
            raise unittest.SkipTest("there is no Dovecot: apt-get install dovecot-imapd")
        cls.facts = json.loads(line)

    @classmethod
    def tearDownClass(cls):
        cls.dovecot.stdin.close()
        cls.dovecot.wait()
        cls.dovecot.stdout.close()

    @property
    def environment(self):
        facts = self.facts
        return {"IMAP_HOST": "localhost", "IMAP_PORT": str(facts["imaps"]),
                "IMAP_USER": facts["user"], "IMAP_PASSWORD": facts["password"],
                "POSTBAG_CA_FILE": facts["ca"], **self.polling}

    def prepare(self):
        context = ssl.create_default_context(cafile=self.facts["ca"])
        self.client = imaplib.IMAP4_SSL("localhost", self.facts["imaps"], ssl_context=context)
        secret = f"\0{self.facts['user']}\0{self.facts['password']}".encode()
        self.client.authenticate("PLAIN", lambda _: secret)
        for name in ("Archive", '"Arch&IC4-ive"', '"Gr&APw-n &--"', LONG):
            self.client.create(name)
        if int(self.client.select("INBOX")[1][0]) > 0:
            self.client.store("1:*", "+FLAGS", "(\\Deleted)")
            self.client.expunge()
        self.client.close()
        for number in range(1, 4):
            self.deliver(f"m{number}")

    def finish(self):
        self.client.logout()

    def deliver(self, subject):
        self.client.append("INBOX", None, None, make(subject[1:]))

    def count_unread(self):
        self.client.select("INBOX", readonly=True)
        found = self.client.search(None, "UNSEEN")[1][0].split()
        self.client.close()
        return len(found)


class WithoutIdle(OnDovecot):
    """STATUS now and then."""

    extra = ["--extra", "imap_capability = IMAP4rev1 LITERAL+ UIDPLUS"]
    polling = {"POSTBAG_POLL_SECONDS": "1"}
    round = 1


if __name__ == "__main__":
    tap.main()
