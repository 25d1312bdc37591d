# SPDX-License-Identifier: LGPL-2.1-or-later
"""What measuring IMAP needs: a Dovecot of our own, networks that delay and count, and a race between
a bare client and postbag."""

import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
DOVECOT = HERE.parent / "integration/imap/dovecot.py"
KEPT = ("PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS", "G_DEBUG",
        "POSTBAG_PLUGIN_PATH")


class Child:
    """A program that lives until its standard input is closed, and talks in lines."""

    def __init__(self, command, **more):
        self.process = subprocess.Popen([str(word) for word in command], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, encoding="utf-8",
                                        **more)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()

    def write(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def read(self):
        line = self.process.stdout.readline()
        if not line:
            raise EOFError(f"{self.process.args[0]} ended early")
        return line.rstrip("\n")


class Dovecot(Child):
    """facts: what dovecot.py says of the server. Without one, starting fails with FileNotFoundError."""

    def __init__(self, *arguments):
        super().__init__([sys.executable, DOVECOT, *arguments])
        try:
            self.facts = json.loads(self.read())
        except EOFError:
            self.__exit__()
            raise FileNotFoundError("dovecot or openssl") from None

    def environment(self, port, home, tls="none"):
        """How an account on that port is named to postbag; nothing else of our environment."""
        kept = {name: os.environ[name] for name in KEPT if name in os.environ}
        return {**kept, "HOME": str(home), "IMAP_HOST": "localhost", "IMAP_PORT": str(port),
                "IMAP_TLS": tls, "IMAP_USER": self.facts["user"],
                "IMAP_PASSWORD": self.facts["password"], "POSTBAG_CA_FILE": self.facts["ca"]}


class Proxy(Child):
    """port: where it listens. Options as those of proxy.c."""

    def __init__(self, tools, port, *options):
        super().__init__([pathlib.Path(tools) / "proxy", *options, port])
        self.port = int(self.read())

    def count(self):
        """What went through since the last call: connections, trips, up and down (bytes)."""
        self.write("count")
        return json.loads(self.read())


class Race(Child):
    """pid: of postbag."""

    def __init__(self, tools, port, facts, command, environment):
        super().__init__([pathlib.Path(tools) / "race", port, facts["user"], facts["password"],
                          *command], env=environment)
        self.pid = int(self.read())

    def run(self, what, times, *arguments):
        """The times taken in ms: of the bare client, of postbag. See race.c for the words."""
        self.write(" ".join(map(str, (what, times, *arguments))))
        bare, ours = [], []
        while (line := self.read()) != "done":
            first, second = map(int, line.split())
            bare.append(first / 1000)
            ours.append(second / 1000)
        return bare, ours

    def run_bare(self, what, *arguments):
        return self.run(what, 0, *arguments)[0]

    def run_ours(self, what, *arguments):
        return self.run(what, -1, *arguments)[1]
