#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Which TLS the program agrees to: servers of OpenSSL's that offer one version each."""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
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
            environment = {name: os.environ[name] for name in KEPT if name in os.environ}
            environment.update(IMAP_HOST="localhost", IMAP_PORT=str(port), IMAP_USER="ada", IMAP_PASSWORD="secret",
                               POSTBAG_CA_FILE=self.certificate, POSTBAG_STATE_DIR=os.path.join(self.folder.name, "state"))
            done = subprocess.run([POSTBAG, "--json", "doctor"], capture_output=True, text=True, env=environment, timeout=60)
            account, = json.loads(done.stdout)
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


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
