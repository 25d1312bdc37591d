#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Which TLS the program agrees to: servers of OpenSSL's that offer one version each, that bring a
status of their certificate, or that want to negotiate again."""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

POSTBAG = os.environ["POSTBAG_PROGRAM"]
KEPT = ("PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS", "G_DEBUG")


def find_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@unittest.skipUnless(shutil.which("openssl"), "openssl is not installed")
class Versions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.key = os.path.join(cls.folder.name, "key.pem")
        cls.certificate = os.path.join(cls.folder.name, "certificate.pem")
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
             "-addext", "subjectAltName=DNS:localhost", "-keyout", cls.key, "-out", cls.certificate],
            check=True, stderr=subprocess.DEVNULL)

    def run_doctor(self, port):
        environment = {name: os.environ[name] for name in KEPT if name in os.environ}
        environment.update(IMAP_HOST="localhost", IMAP_PORT=str(port), IMAP_USER="ada", IMAP_PASSWORD="secret",
                           POSTBAG_CA_FILE=self.certificate, POSTBAG_STATE_DIR=os.path.join(self.folder.name, "state"))
        done = subprocess.run([POSTBAG, "--json", "doctor"], capture_output=True, text=True, env=environment, timeout=120)
        account = json.loads(done.stdout)[0]
        return account

    def find_steps(self, *options):
        """The steps that worked against a server with these options, and the fault that ended it."""
        port = find_port()
        server = subprocess.Popen(
            ["openssl", "s_server", "-quiet", "-accept", "127.0.0.1:%d" % port, "-key", self.key, "-cert", self.certificate,
             "-cipher", "DEFAULT:@SECLEVEL=0", *options],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            self.wait_for(port)
            # Something that is no greeting ends it right after the handshake.
            server.stdin.write(b"HTTP/1.1 400 Bad Request\r\n" * 4)
            server.stdin.flush()
            account = self.run_doctor(port)
            fine = [step["step"] for step in account["steps"] if step["fine"]]
            return fine, account["steps"][-1].get("fault", "")
        finally:
            server.kill()
            server.wait()
            server.stdin.close()

    def wait_for(self, port):
        for _ in range(200):
            with open("/proc/net/tcp", encoding="ascii") as table:
                if any(line.split()[1:4:2] == ["0100007F:%04X" % port, "0A"] for line in table):
                    return
            time.sleep(0.05)
        self.fail("the server does not listen")

    def test_new_versions_are_spoken(self):
        for option in ("-tls1_2", "-tls1_3"):
            with self.subTest(option):
                fine, _ = self.find_steps(option)
                self.assertEqual(fine, ["name", "tcp", "tls"])

    def test_old_versions_are_not(self):
        for option in ("-tls1", "-tls1_1"):
            with self.subTest(option):
                fine, fault = self.find_steps(option)
                self.assertEqual(fine, ["name", "tcp"])
                self.assertIn("TLS", fault)

    def test_ciphers_without_authentication_are_not(self):
        fine, fault = self.find_steps("-tls1_2", "-cipher", "AES128-SHA:ECDHE-RSA-AES128-SHA:@SECLEVEL=0")
        self.assertEqual(fine, ["name", "tcp"])
        self.assertIn("TLS", fault)

    def run_openssl(self, *arguments):
        subprocess.run(["openssl", *arguments], check=True, cwd=self.folder.name, stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def make_status(self, word):
        """The options of a server that brings what an authority says of its certificate: V or R."""
        folder = self.folder.name
        revoked = "200101000000Z" if word == "R" else ""
        with open(os.path.join(folder, "index"), "w", encoding="ascii") as index:
            index.write(f"{word}\t301231235959Z\t{revoked}\t1001\tunknown\t/CN=localhost\n")
        with open(os.path.join(folder, "names"), "w", encoding="ascii") as names:
            names.write("subjectAltName=DNS:localhost\n")
        self.run_openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-keyout", "own.key", "-out", "own.req")
        self.run_openssl("x509", "-req", "-in", "own.req", "-CA", self.certificate, "-CAkey", self.key, "-set_serial", "0x1001",
                         "-days", "2", "-extfile", "names", "-out", "own.pem")
        self.run_openssl("ocsp", "-index", "index", "-CA", self.certificate, "-rsigner", self.certificate, "-rkey", self.key,
                         "-issuer", self.certificate, "-cert", "own.pem", "-respout", "status", "-ndays", "1")
        return ["-key", os.path.join(folder, "own.key"), "-cert", os.path.join(folder, "own.pem"), "-CAfile", self.certificate,
                "-status_file", os.path.join(folder, "status")]

    def test_a_good_status_is_fine(self):
        fine, _ = self.find_steps(*self.make_status("V"))
        self.assertEqual(fine, ["name", "tcp", "tls"])

    def test_a_revoked_certificate_is_refused(self):
        fine, fault = self.find_steps(*self.make_status("R"))
        self.assertEqual(fine, ["name", "tcp"])
        self.assertIn("it was revoked", fault)

    def test_negotiating_again_ends_the_session(self):
        """In the middle of a session, which is TLS 1.2 only: nothing hangs, nothing is answered in another's name."""
        port = find_port()
        server = subprocess.Popen(
            ["openssl", "s_server", "-tls1_2", "-accept", "127.0.0.1:%d" % port, "-key", self.key, "-cert", self.certificate],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        asked = threading.Event()

        def say(line):
            server.stdin.write(line)
            server.stdin.flush()

        def serve():
            say(b"* OK [CAPABILITY IMAP4rev1] hello\r\n")
            for line in server.stdout:
                if b" LOGIN " in line and not asked.is_set():
                    asked.set()
                    say(b"r\n")  # a command of s_server's: negotiate again

        try:
            self.wait_for(port)
            threading.Thread(target=serve, daemon=True).start()
            started = time.monotonic()
            account = self.run_doctor(port)
            self.assertTrue(asked.wait(0))
            self.assertFalse(account["steps"][-1]["fine"])
            self.assertLess(time.monotonic() - started, 60)
        finally:
            server.kill()
            server.communicate()


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
