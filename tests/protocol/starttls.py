#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plays the IMAP servers of the no-starttls suite ($POSTBAG_SUITES) to the client.

Each description says how a server (or somebody in between) tampers with the upgrade to TLS. Whatever
it is: before the handshake not a byte of a login is sent, and after it nothing holds that was said
before.
"""

import os
import pathlib
import re
import socket
import ssl
import subprocess
import sys
import tempfile
import threading

NAMES = {"Imap4Rev1": "IMAP4rev1", "StartTls": "STARTTLS", "LoginDisabled": "LOGINDISABLED",
         "MailboxReferrals": "MAILBOX-REFERRALS", "LoginReferrals": "LOGIN-REFERRALS",
         "Utf8(Only)": "UTF8=ONLY"}
SECRETS = (b"nora", b"secret", b"AUTHENTICATE", b"LOGIN", b"bm9yY", b"AG5vcm")


def find_list(text, key):
    match = re.search(r"\b" + key + r":\s*\[(.*?)\]\s*,", text, re.DOTALL)
    words = []
    for word in re.findall(r'Other\(CapabilityOther\(inner: Atom\("([^"]*)"\)\)\)|'
                           r"(Auth\(\w+\)|\w+(?:\(\w+\))?)", match.group(1) if match else ""):
        name = word[0] or word[1]
        words.append(NAMES.get(name, re.sub(r"Auth\((\w+)\)", r"AUTH=\1", name)))
    return " ".join(words).upper() or "IMAP4REV1"


def find_string(text, key):
    match = re.search(r"\b" + key + r':\s*(?:Some\()?"((?:[^"\\]|\\.)*)"', text)
    return match.group(1).encode().decode("unicode_escape").encode("latin-1") if match else None


def find_names(text, key):
    match = re.search(r"\b" + key + r":\s*\[(.*?)\]", text, re.DOTALL)
    return re.findall(r'"(\w+)"', match.group(1)) if match else []


class Server:
    """One server after one description, for one connection."""

    def __init__(self, path, certificate):
        self.text = re.sub(r"(?m)^\s*//.*$", "", path.read_text(encoding="utf-8"))
        self.certificate = certificate
        self.in_clear = b""
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def greeting(self):
        kind = re.search(r"greeting:\s*\(\s*kind:\s*(\w+)", self.text)
        text = re.search(r'\btext:\s*(?:Text\()?"([^"]*)"', self.text)
        code = re.search(r"code:\s*Some\((\w+)(.*)", self.text)
        brackets = ""
        if code and code.group(1) == "Capability":
            brackets = f"[CAPABILITY {find_list('x: [' + code.group(2) + '],', 'x')}] "
        elif code:
            brackets = f"[{code.group(1).upper()}] "
        return f"* {kind.group(1).upper() if kind else 'OK'} {brackets}" \
               f"{text.group(1) if text else 'hello'}\r\n".encode()

    def run(self):
        self.listener.settimeout(5)
        try:
            connection, _ = self.listener.accept()
            connection.settimeout(5)
            with connection:
                self.talk(connection)
        except (OSError, ValueError):
            pass

    def talk(self, connection):
        connection.sendall(self.greeting() + (find_string(self.text, "response_after_greeting")
                                              or b""))
        hidden = find_names(self.text, "hide_commands") + find_names(self.text, "ignore_commands")
        override = find_string(self.text, "override_response")
        for line in iter(lambda: self.read_line(connection), b""):
            tag, _, command = line.strip().partition(b" ")
            name = command.split(b" ")[0].lower().decode("latin-1")
            if name in hidden:
                connection.sendall(tag + b" BAD unknown command\r\n")
            elif override is not None:
                connection.sendall(override.replace(b"<tag>", tag))
            elif name == "starttls":
                answer = find_string(self.text, "starttls_response") or b"<tag> OK begin\r\n"
                connection.sendall(answer.replace(b"<tag>", tag))
                if not re.search(r"starttls_transition:\s*false", self.text):
                    self.talk_tls(connection)
                    return
            elif name == "capability":
                connection.sendall(f"* CAPABILITY {find_list(self.text, 'caps')}\r\n".encode()
                                   + tag + b" OK done\r\n")
            else:
                connection.sendall(tag + b" OK done\r\n")

    def read_line(self, connection):
        line = b""
        while not line.endswith(b"\n"):
            byte = connection.recv(1)
            if not byte:
                break
            line += byte
        self.in_clear += line
        return line

    def talk_tls(self, connection):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate)
        with context.wrap_socket(connection, server_side=True) as encrypted:
            lines = encrypted.makefile("rwb")
            for line in lines:
                tag, _, command = line.strip().partition(b" ")
                key = "caps_tls"
                if command.upper().startswith(b"AUTHENTICATE") and command.count(b" ") == 1:
                    lines.write(b"+ \r\n")
                    lines.flush()
                    lines.readline()
                elif command.upper() == b"CAPABILITY":
                    lines.write(f"* CAPABILITY {find_list(self.text, key)} AFTERTLS\r\n".encode())
                lines.write(tag + b" OK done\r\n")
                lines.flush()


def make_certificate(folder):
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
         "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
         "subjectAltName=DNS:localhost", "-keyout", folder / "key.pem", "-out",
         folder / "ca.pem"], check=True, capture_output=True)
    (folder / "both.pem").write_text((folder / "ca.pem").read_text()
                                     + (folder / "key.pem").read_text())


def judge(server, answer):
    """What is wrong, or an empty string."""
    sent = [secret for secret in SECRETS if secret in server.in_clear.upper()
            or secret in server.in_clear]
    if sent:
        return f"sent in clear text: {server.in_clear!r}"
    if answer.startswith("ok") and "AFTERTLS" not in answer:
        return f"believed what was said before TLS: {answer}"
    if not answer.startswith(("ok", "error")):
        return "the client died"
    return ""


def main():
    suites = os.environ.get("POSTBAG_SUITES")
    if not suites:
        print("1..0 # SKIP POSTBAG_SUITES is not set")
        return 0
    paths = sorted((pathlib.Path(suites) / "no-starttls/testcases/imap").rglob("*.ron"))
    paths = [path for path in paths if "greeting:" in path.read_text(encoding="utf-8")]
    failed = good = 0
    print(f"1..{len(paths) + 1}")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        make_certificate(folder)
        client = subprocess.Popen([sys.argv[1], folder / "ca.pem"], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, text=True)
        for number, path in enumerate(paths, 1):
            server = Server(path, folder / "both.pem")
            client.stdin.write(f"{server.port}\n")
            client.stdin.flush()
            answer = client.stdout.readline().strip()
            server.thread.join(10)
            fault = judge(server, answer)
            good += answer.startswith("ok")
            failed += bool(fault)
            print(f"{'not ok' if fault else 'ok'} {number} - {path.parent.name}/{path.stem}")
            print(f"# {fault or answer}", flush=True)
        client.stdin.close()
        client.wait(10)
    # A client that refuses everything would pass, too.
    print(f"{'ok' if good else 'not ok'} {len(paths) + 1} - some logins went well ({good})")
    return 1 if failed or not good else 0


if __name__ == "__main__":
    sys.exit(main())
