#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What reading costs on the wire: round trips and bytes of postbag in front of a real server, beside
those of a bare client that sends the commands one would write by hand. None of it depends on the
machine's speed."""

import email.message
import email.policy
import imaplib
import json
import os
import pathlib
import re
import ssl
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(os.environ["POSTBAG_SOURCE_DIR"])
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/bench")]

import network  # noqa: E402
import tap  # noqa: E402

TOOLS = pathlib.Path(os.environ["POSTBAG_BENCH_TOOLS"])
PROGRAM = os.environ["POSTBAG_PROGRAM"]
MESSAGES = 120
ATTACHMENT = 25 * 1024 * 1024
LARGE = MESSAGES + 1
PREFIX = 128 * 1024  # what is read of a message before its structure is known


def make_mail(text):
    """A message whose second part is @text."""
    message = email.message.EmailMessage(policy=email.policy.SMTP)
    message["Subject"] = "A file"
    message.set_content("See the file.")
    message.add_attachment(text, filename="a.txt")
    return message.as_bytes()


class Client(network.Child):
    """A client that shows what came, where the race only counts."""

    def __init__(self, environment, *arguments):
        super().__init__([PROGRAM, *arguments], env=environment)
        self.number = 0
        self.request("initialize", protocolVersion="2025-11-25", capabilities={},
                     clientInfo={"name": "costs", "version": "1"})

    def request(self, method, **parameters):
        self.number += 1
        self.write(json.dumps({"jsonrpc": "2.0", "id": self.number, "method": method,
                               "params": parameters}))
        return json.loads(self.read())["result"]

    def call(self, tool, **arguments):
        return self.request("tools/call", name=tool, arguments=arguments)["structuredContent"]


class Costs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        try:
            cls.dovecot = cls.enterClassContext(network.Dovecot(
                "--messages", str(MESSAGES), "--attachment", str(ATTACHMENT)))
        except FileNotFoundError:
            cls.dovecot = None

    def setUp(self):
        tap.require(self, self.dovecot, "Dovecot")
        self.home = home = self.enterContext(tempfile.TemporaryDirectory())
        port = self.dovecot.facts["imap"]
        self.bare = self.enterContext(network.Proxy(TOOLS, port))
        self.ours = self.enterContext(network.Proxy(TOOLS, port))
        self.race = self.enterContext(network.Race(
            TOOLS, self.bare.port, self.dovecot.facts, [PROGRAM],
            self.dovecot.environment(self.ours.port, home)))

    def measure(self, what, *arguments):
        """What the same work costs the bare client and postbag."""
        self.bare.count()
        self.ours.count()
        self.race.run_bare(what, *arguments)
        bare = self.bare.count()
        self.race.run_ours(what, *arguments)
        ours = self.ours.count()
        print(f"# {what} {arguments}: bare {bare}, postbag {ours}", flush=True)
        return bare, ours

    def check_equal(self, bare, ours):
        self.assertEqual(ours["connections"], 0)
        self.assertEqual((bare["trips"], ours["trips"]), (1, 1))
        self.assertAlmostEqual(ours["down"], bare["down"], delta=bare["down"] * 0.02)
        # Commands are short, and a tag has as many digits as commands came before it.
        self.assertAlmostEqual(ours["up"], bare["up"], delta=8 + bare["up"] * 0.02)

    def warm(self):
        self.race.run("list", 2, 50)

    def test_an_ordinary_message_is_one_round_trip(self):
        self.warm()
        self.race.run("read", 1, 55)
        self.check_equal(*self.measure("read", 56))

    def test_connecting_looks_for_no_proxy_and_leaves_nothing_at_home(self):
        """Only the configured host is connected to, whatever the desktop says of proxies."""
        environment = dict(self.dovecot.environment(self.dovecot.facts["imap"], self.home),
                           all_proxy="socks5://127.0.0.1:9", no_proxy="")
        with Client(environment) as client:
            self.assertEqual(client.call("list_messages", limit=1)["returned"], 1)
        left = {str(path.relative_to(self.home)) for path in pathlib.Path(self.home).rglob("*")}
        self.assertEqual({path for path in left if "dconf" in path or "glib" in path}, set())

    def test_the_newest_50_are_one_round_trip(self):
        self.warm()
        self.check_equal(*self.measure("list", 50))

    def test_looking_before_somebody_is_asked_is_one_round_trip(self):
        """Two more where some are not there: which, is in the question."""
        environment = dict(self.dovecot.environment(self.ours.port, self.home),
                           POSTBAG_STATE_DIR=self.home)
        with Client(environment, "--allow-write", "--allow-purge") as client:
            uid = client.call("list_messages", limit=1)["messages"][0]["uid"]
            for uids, words, trips in (([uid], "confirm_token", 1),
                                       ([uid + 777], "not in the mailbox", 1),
                                       ([uid, uid + 777], "confirm_token", 3)):
                self.ours.count()
                answer = client.request("tools/call", name="delete_messages",
                                        arguments={"uids": uids})
                self.assertIn(words, answer["content"][0]["text"])
                self.assertEqual(self.ours.count()["trips"], trips)

    def test_a_large_attachment_costs_nothing_beyond_the_prefix(self):
        """Where nothing is known of the message."""
        self.race.run("read", 1, 55)
        bare, ours = self.measure("read", LARGE)
        self.check_equal(bare, ours)
        self.assertLess(ours["down"], PREFIX + 1024)

    def test_a_large_attachment_costs_nothing_behind_a_list(self):
        self.warm()
        _, ordinary = self.measure("read", 56)
        _, ours = self.measure("read", LARGE)
        self.assertEqual(ours["trips"], 1)
        self.assertLess(ours["down"], ordinary["down"] + 512)

    def test_the_text_is_the_same_either_way(self):
        with Client(self.dovecot.environment(self.dovecot.facts["imap"], self.home)) as client:
            cold = client.call("get_message", uid=LARGE)
            client.call("list_messages", limit=50)
            warm = client.call("get_message", uid=LARGE)
        self.assertIn("See the file.", cold["body"])
        for name in set(cold) - {"body"}:
            self.assertEqual(warm[name], cold[name], name)
        mark = re.compile("[0-9a-f]{16,}")  # of the fence, another one each time
        self.assertEqual(mark.sub("", warm["body"]), mark.sub("", cold["body"]))

    def test_reads_at_once_cost_what_they_cost_one_by_one(self):
        """Over two connections at most, of which the second may still have to open the mailbox."""
        self.warm()
        uids = range(1, 33)
        self.race.run_ours("burst", *uids)
        self.race.run_ours("burst", *uids)
        bare, ours = self.measure("burst", *uids)
        self.assertEqual(ours["connections"], 0)
        self.assertEqual(bare["trips"], 1)
        self.assertAlmostEqual(ours["down"], bare["down"], delta=512 + bare["down"] * 0.02)
        self.assertAlmostEqual(ours["up"], bare["up"], delta=32 * 2 + bare["up"] * 0.02)


class Attachments(unittest.TestCase):
    SIZE = 57 * 20000  # decoded; 78 / 57 of it in base64

    def start(self, *options):
        try:
            return self.enterContext(network.Dovecot("--messages", "1", "--attachment",
                                                     str(self.SIZE), *options))
        except FileNotFoundError:
            tap.require(self, None, "Dovecot")

    def fetch(self, *options):
        """The bytes that come for an attachment, and the file that was made of them."""
        dovecot = self.start(*options)
        home = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        downloads = home / "downloads"
        downloads.mkdir(mode=0o700)
        proxy = self.enterContext(network.Proxy(TOOLS, dovecot.facts["imap"]))
        environment = {**dovecot.environment(proxy.port, home),
                       "IMAP_DOWNLOAD_DIR": str(downloads),
                       "IMAP_ATTACHMENT_TYPES": "application/octet-stream"}
        with Client(environment) as client:
            client.call("list_messages", limit=50)
            proxy.count()
            client.call("get_attachments", uid=2, part_id="2", mode="file")
            down = proxy.count()["down"]
        saved, = (path for path in downloads.rglob("*") if path.is_file())
        return down, saved.read_bytes()

    def test_costs_its_bytes(self):
        """Where the server decodes (RFC 3516), as Dovecot does."""
        down, content = self.fetch()
        self.assertEqual(content, b"ABC" * (self.SIZE // 3))
        self.assertLess(down, self.SIZE * 1.02 + 4096)

    def test_costs_its_octets_where_the_server_does_not_decode(self):
        down, content = self.fetch("--extra", "imap_capability = IMAP4rev1 LITERAL+")
        self.assertEqual(content, b"ABC" * (self.SIZE // 3))
        self.assertGreater(down, self.SIZE * 78 // 57 - 4096)


    def test_reading_on_costs_no_download(self):
        """Only that the message is still there is asked: one round trip, without its parts."""
        dovecot = self.start("--attachment-type", "text/plain")
        home = self.enterContext(tempfile.TemporaryDirectory())
        proxy = self.enterContext(network.Proxy(TOOLS, dovecot.facts["imap"]))
        with Client(dovecot.environment(proxy.port, home)) as client:
            client.call("list_messages", limit=50)
            offset, costs = 0, []
            for _ in range(4):
                proxy.count()
                answer = client.call("get_attachments", uid=2, part_id="2", mode="text",
                                     offset=offset, max_chars=20000)
                costs.append(proxy.count())
                self.assertEqual(answer["offset"], offset)
                self.assertEqual(len(answer["body"]), 20000)
                offset = answer["next_offset"]
        self.assertGreater(costs[0]["down"], self.SIZE)
        for cost in costs[1:]:
            self.assertEqual((cost["connections"], cost["trips"]), (0, 1))
            self.assertLess(cost["down"], 2048)

    def test_what_has_gone_is_not_recalled(self):
        """Another client removes the message, then the mailbox, and makes it anew with equal uids."""
        dovecot = self.start("--attachment-type", "text/plain")
        home = self.enterContext(tempfile.TemporaryDirectory())
        context = ssl.create_default_context(cafile=dovecot.facts["ca"])
        other = self.enterContext(imaplib.IMAP4_SSL("localhost", dovecot.facts["imaps"],
                                                    ssl_context=context))
        secret = "\0{user}\0{password}".format_map(dovecot.facts).encode()
        other.authenticate("PLAIN", lambda _: secret)
        other.create("Box")
        other.append("Box", None, None, make_mail("the old text"))
        read = {"mailbox": "Box", "uid": 1, "part_id": "2", "mode": "text"}
        with Client(dovecot.environment(dovecot.facts["imap"], home)) as client:
            for _ in range(2):
                self.assertIn("the old text", client.call("get_attachments", **read)["body"])
            other.delete("Box")
            other.create("Box")
            other.append("Box", None, None, make_mail("the new text"))
            self.assertIn("the new text", client.call("get_attachments", **read)["body"])
            self.assertEqual(other.select("Box")[0], "OK")
            other.store("1", "+FLAGS", "\\Deleted")
            other.expunge()
            answer = client.request("tools/call", name="get_attachments", arguments=read)
        self.assertTrue(answer["isError"], answer)


class Networks(unittest.TestCase):
    """The network is what it says it is: what is measured behind it depends on that."""

    def setUp(self):
        try:
            self.dovecot = self.enterContext(network.Dovecot())
        except FileNotFoundError:
            tap.require(self, None, "Dovecot")

    def start(self, *options):
        home = self.enterContext(tempfile.TemporaryDirectory())
        facts = self.dovecot.facts
        proxy = self.enterContext(network.Proxy(TOOLS, facts["imap"], *options))
        race = self.enterContext(network.Race(TOOLS, facts["imap"], facts, [PROGRAM],
                                              self.dovecot.environment(proxy.port, home)))
        return proxy, race

    def test_a_delay_delays_each_way(self):
        _, race = self.start("--delay", "50")
        race.run_ours("list", 50)
        taken, = race.run_ours("read", 55)
        self.assertGreaterEqual(taken, 100)

    def test_a_rate_holds_back(self):
        _, race = self.start("--rate", "262144")
        race.run_ours("read", 55)
        taken, = race.run_ours("read", 121)  # the prefix of a message of 3 MB
        self.assertGreaterEqual(taken, 450)

    def test_a_broken_connection_is_opened_again_unseen(self):
        for fault in ("cut", "reset"):
            with self.subTest(fault):
                proxy, race = self.start("--fault", fault, "--after", "24000", "--direction", "down")
                started = time.monotonic()
                race.run_ours("list", 50)
                race.run_ours("list", 20)
                race.run_ours("read", 55)
                self.assertGreaterEqual(proxy.count()["connections"], 2)
                self.assertLess(time.monotonic() - started, 30)


if __name__ == "__main__":
    tap.main()
