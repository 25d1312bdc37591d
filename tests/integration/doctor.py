#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""`postbag doctor` against servers and settings that are wrong in one way each: which step fails, what it is
called, and that the advice is about that and nothing else."""

import base64
import json
import os
import pathlib
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import tap  # noqa: E402

POSTBAG = os.environ["POSTBAG_PROGRAM"]
SECRET = "Tr0ub4dor-and-3"
TOKEN = "ya29.a0AfH6SM"
SECONDS = 60


def make_certificate(folder, name, host, issuer=None, days="2"):
    """A certificate with its key in one file; signed by itself without @issuer. -1 day: expired yesterday."""
    key, request, plain, both = (folder / f"{name}.{end}" for end in ("key", "csr", "crt", "pem"))
    alternative = folder / f"{name}.ext"
    alternative.write_text(f"subjectAltName=DNS:{host},IP:127.0.0.1\n" if host == "localhost"
                           else f"subjectAltName=DNS:{host}\n")
    run = lambda *words: subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True)  # noqa: E731
    run("req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", f"/CN={host}",
        "-keyout", key, "-out", request)
    signer = (["-signkey", key] if issuer is None
              else ["-CA", folder / f"{issuer}.crt", "-CAkey", folder / f"{issuer}.key", "-CAcreateserial"])
    run("x509", "-req", "-in", request, "-days", days, "-extfile", alternative, "-out", plain, *signer)
    both.write_text(plain.read_text() + key.read_text())


class Server(threading.Thread):
    """Greets, and answers commands by their first word; `None` as greeting says nothing, "" hangs up."""

    def __init__(self, greeting, answers=None, certificate=None, starttls=None):
        super().__init__(daemon=True)
        self.greeting, self.answers, self.certificate, self.starttls = greeting, answers or {}, certificate, starttls
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.start()

    def run(self):
        while True:
            try:
                connection, _ = self.listener.accept()
                with connection:
                    connection.settimeout(SECONDS)
                    self.talk(connection)
            except (OSError, ValueError):
                if self.listener.fileno() < 0:
                    return

    def encrypt(self, connection, certificate):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        return context.wrap_socket(connection, server_side=True)

    def talk(self, connection):
        if self.certificate is not None:
            connection = self.encrypt(connection, self.certificate)
        with connection:
            if self.greeting:
                connection.sendall(self.greeting.encode() + b"\r\n")
            while self.greeting:
                line = b""
                while not line.endswith(b"\n"):
                    byte = connection.recv(1)
                    if not byte:
                        return
                    line += byte
                tag, _, command = line.decode().strip().partition(" ")
                word = command.split(" ")[0].upper()
                if word == "STARTTLS" and self.starttls:
                    connection.sendall(f"{tag} OK go on\r\n".encode())
                    connection = self.encrypt(connection, self.starttls)
                    continue
                answer = self.answers.get(word, "%t BAD what?")
                if answer == "":
                    return
                connection.sendall(answer.replace("%t", tag).encode() + b"\r\n")


def greet(words):
    return f"* OK [CAPABILITY IMAP4rev1 {words}] hello"


class Doctor(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        held = tempfile.TemporaryDirectory()
        cls.addClassCleanup(held.cleanup)
        cls.folder = pathlib.Path(held.name)
        make_certificate(cls.folder, "ca", "an authority")
        make_certificate(cls.folder, "fine", "localhost", "ca")
        make_certificate(cls.folder, "self", "localhost")
        make_certificate(cls.folder, "other", "mail.example.org", "ca")
        make_certificate(cls.folder, "expired", "localhost", "ca", days="-1")

    def examine(self, step, kind, *words, tls="none", absent=(), **settings):
        """What is said of the step that fails; @words stand in it, @absent do not."""
        path = self.folder / "postbag.conf"
        settings = {"host": "localhost", "user": "nora", "tls": tls, "password": SECRET, **settings}
        lines = [f"{key.replace('_', '-')} = {value}" for key, value in settings.items() if value is not None]
        path.write_text("[account work]\n" + "\n".join(lines) + "\n")
        path.chmod(0o600)
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "LC_ALL": "C.UTF-8",
                       "POSTBAG_CONFIG": str(path), "POSTBAG_STATE_DIR": str(self.folder / "state"),
                       "POSTBAG_CA_FILE": str(self.folder / "ca.crt"), "POSTBAG_DEBUG": "all"}
        environment.update({name: value for name, value in os.environ.items() if name.endswith("SAN_OPTIONS")})
        done = subprocess.run([POSTBAG, "--json", "doctor"], capture_output=True, text=True, timeout=SECONDS,
                              check=False, env=environment)
        self.assertEqual("debug" in done.stderr, step != "secret")
        for secret in (SECRET, TOKEN, *(base64.b64encode(text).decode() for text in (
                f"\0nora\0{SECRET}".encode(), f"user=nora\1auth=Bearer {TOKEN}\1\1".encode()))):
            self.assertNotIn(secret, done.stdout + done.stderr)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        steps = json.loads(done.stdout)[0]["steps"]
        fault = steps[-1]
        self.assertEqual((fault["step"], fault["fine"]), (step, False), steps)
        self.assertIn(fault["kind"], kind if isinstance(kind, tuple) else (kind,), fault)
        for word in words:
            self.assertIn(word, fault["fault"])
        for word in absent:
            self.assertNotIn(word, fault["fault"])
        return fault["fault"]

    def talk(self, *arguments, **keywords):
        server = Server(*arguments, **keywords)
        self.addCleanup(server.listener.close)
        return server.port

    # --- before the connection ---

    def test_secret(self):
        port = self.talk(greet(""))
        self.examine("secret", "secret-command", "password-command", "status 3", "Run it in a terminal", port=port,
                     password=None, password_command="sh -c 'exit 3'")
        self.examine("secret", "secret-command", "token-command", "cannot be run", port=port, password=None,
                     token_command="/nonexistent/token")
        self.examine("secret", "secret-file", "password-file", "cannot be read", port=port, password=None,
                     password_file="/nonexistent/secret")

    def test_secret_for_everybody(self):
        """Also where everybody is root: a container's other users read it, too."""
        path = self.folder / "secret"
        path.write_text(SECRET + "\n")
        path.chmod(0o644)
        self.examine("secret", "secret-file", "may be read by others", f"chmod 600 “{path}”",
                     port=self.talk(greet("")), password=None, password_file=path)

    # --- the way ---

    def test_name(self):
        self.examine("name", ("name-unknown", "name-server"), "no-such-host.invalid", host="no-such-host.invalid",
                     port=993, tls="implicit", absent=("port",))

    def test_nothing_listens(self):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
        self.examine("tcp", "connection-refused", f"localhost:{port}", "check the port", port=port)

    # --- TLS ---

    def test_certificates(self):
        for name, kind, words in (
                ("self", "certificate-self-signed", "self-signed"),
                ("other", "certificate-name", "made out for mail.example.org, not for localhost"),
                ("expired", "certificate-expired", "has to renew it")):
            with self.subTest(name):
                port = self.talk(greet(""), certificate=self.folder / f"{name}.pem")
                self.examine("tls", kind, words, port=port, tls="implicit", absent=("password",))
                port = self.talk(greet("STARTTLS"), starttls=self.folder / f"{name}.pem")
                self.examine("tls", kind, words, port=port, tls="starttls", absent=("password",))

    def test_another_key(self):
        port = self.talk(greet(""), certificate=self.folder / "fine.pem")
        self.examine("tls", "pin", "none of those in “pin”", port=port, tls="implicit",
                     pin="sha256:" + "A" * 43 + "=")

    def test_clear_text_where_tls_was_meant(self):
        self.examine("tls", "tls-failed", "“tls” to starttls", port=self.talk(greet("")), tls="implicit")

    def test_no_starttls(self):
        self.examine("starttls", "no-starttls", "refuses STARTTLS", "No password was sent", "993",
                     port=self.talk(greet("")), tls="starttls")

    # --- the server's first words ---

    def test_another_protocol(self):
        self.examine("greeting", "garbled", "is not IMAP",
                     port=self.talk("220 mail.example.org ESMTP"))

    def test_it_hangs_up(self):
        self.examine("greeting", "closed", "too busy", port=self.talk("* BYE too busy"), absent=("host, port",))
        self.examine("greeting", "closed", "before it was ready", port=self.talk(""))
        self.examine("login", "closed", "go away", port=self.talk(greet(""), {"LOGIN": "* BYE go away"}),
                     absent=("host, port",))
        self.examine("login", "closed", "without a word", port=self.talk(greet(""), {"LOGIN": ""}),
                     absent=("host, port",))

    # --- logging in ---

    def test_wrong_password(self):
        refused = {"LOGIN": "%t NO [AUTHENTICATIONFAILED] Invalid credentials"}
        self.examine("login", "login-refused", "Invalid credentials", "app password", port=self.talk(greet(""), refused))
        self.examine("login", "login-refused", "(PLAIN)", "app password",
                     port=self.talk(greet("SASL-IR AUTH=PLAIN"), {"AUTHENTICATE": "%t NO no"}))
        refused = {"LOGIN": "%t NO [EXPIRED] Too old"}
        self.examine("login", "login-refused", "set a new one", port=self.talk(greet(""), refused),
                     absent=("app password",))
        refused = {"LOGIN": "%t NO [UNAVAILABLE] The directory is away"}
        self.examine("login", "login-later", "Call again later", port=self.talk(greet(""), refused),
                     absent=("app password",))

    def test_refused_token(self):
        answers = {"AUTHENTICATE": "%t NO [AUTHENTICATIONFAILED] no"}
        self.examine("login", "token-refused", "get a new one",
                     port=self.talk(greet("SASL-IR AUTH=XOAUTH2"), answers), password=None, token_command=f"echo {TOKEN}")

    def test_no_way_in(self):
        token = {"password": None, "token_command": f"echo {TOKEN}"}
        secure = {"certificate": self.folder / "fine.pem"}
        port = self.talk(greet("AUTH=PLAIN"), **secure)
        self.examine("login", "no-token-login", "takes no OAuth tokens", "app password", port=port, tls="implicit",
                     absent=("“tls”",), **token)
        port = self.talk(greet("AUTH=XOAUTH2 LOGINDISABLED"), **secure)
        self.examine("login", "no-password-login", "takes OAuth tokens only", "token-command", port=port, tls="implicit",
                     absent=("“tls”",))
        port = self.talk(greet("LOGINDISABLED"), **secure)
        self.examine("login", "login-disabled", "no password by IMAP", port=port, tls="implicit", absent=("“tls”",))
        self.examine("login", "login-disabled", "clear text", "“tls” to implicit or starttls",
                     port=self.talk(greet("LOGINDISABLED")))
        self.examine("login", "auth-not-offered", "“auth = scram-sha-256”", "Leave “auth” out",
                     port=self.talk(greet("AUTH=PLAIN"), **secure), tls="implicit", auth="scram-sha-256")

    # --- without a server ---

    def test_no_folder(self):
        done = subprocess.run([POSTBAG, "--maildir", str(self.folder / "absent"), "doctor"], capture_output=True,
                              text=True, timeout=SECONDS, check=False,
                              env={**os.environ, "POSTBAG_STATE_DIR": str(self.folder / "state")})
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"(?m)^  FAIL  folder +folder: .*absent")


if __name__ == "__main__":
    tap.main()
