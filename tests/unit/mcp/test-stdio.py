# SPDX-License-Identifier: LGPL-2.1-or-later
"""The stdio transport as a process: pipes, sockets, files, signals and the ends of all of them."""

import fcntl
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent))

import tap  # noqa: E402

SERVER = sys.argv[1:4]
SANITIZED = os.environ.get("POSTBAG_SANITIZED") == "1"
# A leak check at the end of a process takes its time.
SOON = 10 if SANITIZED else 2
LINE_LIMIT = 10 * 1024 * 1024

INITIALIZE = json.dumps({"jsonrpc": "2.0", "id": "i", "method": "initialize", "params": {
    "protocolVersion": "2025-11-25", "capabilities": {}}}).encode() + b"\n"


def ping(identity):
    return b'{"jsonrpc":"2.0","id":%d,"method":"ping"}\n' % identity


def call(identity, name, **arguments):
    return json.dumps({"jsonrpc": "2.0", "id": identity, "method": "tools/call", "params": {
        "name": name, "arguments": arguments}}).encode() + b"\n"


def pong(identity):
    return b'{"jsonrpc":"2.0","id":%d,"result":{}}' % identity


def start(**options):
    options.setdefault("stdin", subprocess.PIPE)
    options.setdefault("stdout", subprocess.PIPE)
    options.setdefault("stderr", subprocess.PIPE)
    return subprocess.Popen(SERVER, **options)


class Input(unittest.TestCase):
    def run_with(self, data):
        process = start()
        output, errors = process.communicate(data, timeout=60)
        self.assertEqual(process.returncode, 0, errors)
        self.assertIn(b"stray", errors)
        self.assertTrue(output == b"" or output.endswith(b"\n"))
        return output.split(b"\n")[:-1]

    def test_nothing(self):
        self.assertEqual(self.run_with(b""), [])

    def test_all_answers_before_the_end(self):
        lines = self.run_with(INITIALIZE + b"".join(call(n, "echo", text="x") for n in range(50)))
        self.assertEqual(len(lines), 51)
        self.assertEqual({json.loads(line)["id"] for line in lines}, {"i", *range(50)})

    def test_line_ends(self):
        self.assertEqual(self.run_with(b"\n\r\n  \n" + ping(1)[:-1] + b"\r\n\n" + ping(2)[:-1]),
                         [pong(1), pong(2)])

    def test_too_long(self):
        long = b'{"jsonrpc":"2.0","id":7,"method":"' + b"x" * LINE_LIMIT + b'"}\n'
        lines = self.run_with(INITIALIZE + long + ping(1))
        self.assertEqual(len(lines), 3)
        error = json.loads(lines[1])
        self.assertNotIn("id", error)
        self.assertEqual(error["error"]["code"], -32600)
        self.assertEqual(lines[2], pong(1))

    def test_longest(self):
        frame = b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"%s"}}'
        lines = self.run_with(frame % (b"x" * (LINE_LIMIT - len(frame) + 2)) + b"\n")
        self.assertEqual(lines, [pong(1)])

    def test_byte_by_byte(self):
        process = start(bufsize=0)
        for byte in ping(1) + ping(2):
            process.stdin.write(bytes([byte]))
        output, _ = process.communicate(timeout=60)
        self.assertEqual(output.split(b"\n")[:-1], [pong(1), pong(2)])


class Descriptors(unittest.TestCase):
    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder, "in")
            target = pathlib.Path(folder, "out")
            source.write_bytes(ping(1) + ping(2))
            with source.open("rb") as stdin, target.open("wb", buffering=0) as stdout:
                stdout.write(b"before\n")
                process = start(stdin=stdin, stdout=stdout)
                process.communicate(timeout=60)
                stdout.write(b"after\n")
            self.assertEqual(process.returncode, 0)
            self.assertEqual(target.read_bytes().split(b"\n"),
                             [b"before", pong(1), pong(2), b"after", b""])

    def test_sockets(self):
        ours, theirs = socket.socketpair()
        with ours:
            with theirs:
                process = start(stdin=theirs, stdout=theirs)
            ours.settimeout(60)
            ours.sendall(INITIALIZE + call(1, "big", bytes=2000000))
            ours.shutdown(socket.SHUT_WR)
            # The client is slow: everything arrives all the same.
            time.sleep(0.2)
            output = b"".join(iter(lambda: ours.recv(65536), b""))
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0)
        lines = output.split(b"\n")
        self.assertEqual(len(lines), 3)
        self.assertGreater(len(lines[1]), 4000000)
        json.loads(lines[1])

    def test_flags_of_shared_descriptions(self):
        read_end, write_end = os.pipe()
        source, sink = os.pipe()
        process = start(stdin=source, stdout=write_end)
        os.write(sink, ping(1))
        self.assertEqual(os.read(read_end, 1000), pong(1) + b"\n")
        for descriptor in (source, write_end):
            self.assertEqual(fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_NONBLOCK, 0)
        os.close(sink)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0)
        for descriptor in (source, read_end, write_end):
            os.close(descriptor)

    def test_no_standard_error(self):
        process = start(stderr=None, preexec_fn=lambda: os.close(2))
        output, _ = process.communicate(ping(1), timeout=60)
        self.assertEqual(output, pong(1) + b"\n")
        self.assertEqual(process.returncode, 0)

    def test_slow_reader(self):
        """More than the queue holds waits in the client's pipe and in calls not started."""
        process = start()
        count = 40
        data = INITIALIZE + b"".join(call(n, "big", bytes=1000000) for n in range(count))
        writer = threading.Thread(target=lambda: (process.stdin.write(data), process.stdin.flush()))
        writer.start()
        time.sleep(1)
        self.assertIsNone(process.poll())
        identities = [json.loads(process.stdout.readline())["id"] for _ in range(count + 1)]
        self.assertEqual(sorted(map(str, identities)), sorted(map(str, ["i", *range(count)])))
        writer.join()
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0)


class Ends(unittest.TestCase):
    def start_ready(self):
        process = start()
        process.stdin.write(INITIALIZE)
        process.stdin.flush()
        process.stdout.readline()
        return process

    def expect_end(self, process, within=SOON):
        begin = time.monotonic()
        process.wait(timeout=60)
        self.assertLess(time.monotonic() - begin, within)
        self.assertEqual(process.returncode, 0)
        process.communicate()

    def test_signals(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(number=number):
                process = self.start_ready()
                process.stdin.write(call(1, "slow"))
                process.stdin.flush()
                process.send_signal(number)
                self.expect_end(process)

    def test_reader_leaves(self):
        process = self.start_ready()
        process.stdout.close()
        begin = time.monotonic()
        process.wait(timeout=60)
        self.assertLess(time.monotonic() - begin, SOON)
        self.assertEqual(process.returncode, 0)
        process.stdin.close()
        process.stderr.close()

    def test_reader_leaves_under_load(self):
        process = self.start_ready()
        process.stdin.write(call(1, "big", bytes=3000000))
        process.stdin.flush()
        process.stdout.read(1000)
        process.stdout.close()
        process.wait(timeout=60)
        self.assertEqual(process.returncode, 0)
        process.stdin.close()
        process.stderr.close()

    def test_calls_that_do_not_end(self):
        process = self.start_ready()
        process.stdin.write(call(1, "slow") + call(2, "echo", text="x"))
        process.stdin.close()
        self.assertEqual(json.loads(process.stdout.readline())["id"], 2)
        begin = time.monotonic()
        self.assertEqual(process.stdout.read(), b"")
        process.wait(timeout=60)
        self.assertGreater(time.monotonic() - begin, 3)
        self.assertLess(time.monotonic() - begin, 7 + SOON)
        self.assertEqual(process.returncode, 0)
        process.stdout.close()
        process.stderr.close()


if __name__ == "__main__":
    tap.main()
