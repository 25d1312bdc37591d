# SPDX-License-Identifier: LGPL-2.1-or-later
"""The release build, as users get it: its hardening, what it links, its size in memory, its end.

POSTBAG_RELEASE names its build folder (.ci/check sets it).
"""

import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "conformance"))

import server  # noqa: E402
import tap  # noqa: E402

RELEASE = os.environ.get("POSTBAG_RELEASE")
MEMORY_MIB = 8  # after tools/list, before the first TLS connection
# What every process pays for at its start. Anything else is loaded with the plugin that needs it.
CORE_LIBRARIES = r"lib(postbag-core|gio-2\.0|gobject-2\.0|glib-2\.0|gmodule-2\.0|json-glib-1\.0|c)\.so"


def list_binaries():
    """Programs and libraries of the build, without its tests."""
    for path in sorted(pathlib.Path(RELEASE).rglob("*")):
        ours = not {"tests", "meson-private"} & set(path.relative_to(RELEASE).parts)
        if ours and path.is_file() and not path.is_symlink():
            with path.open("rb") as file:
                head = file.read(18)
            if head[:4] == b"\x7fELF" and head[16:18] in (b"\x02\0", b"\x03\0"):
                yield path


def read_elf(path, *options):
    return subprocess.run(["readelf", "-W", *options, path], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True, check=True).stdout


class Hardening(unittest.TestCase):
    def setUp(self):
        tap.require(self, RELEASE, "the release build (POSTBAG_RELEASE)")
        self.binaries = list(list_binaries())
        self.assertIn("postbag", [path.name for path in self.binaries])

    def test_position_independent(self):
        for path in self.binaries:
            self.assertRegex(read_elf(path, "-h"), r"Type:\s+DYN", path.name)

    def test_relocations_are_read_only_and_bound_at_once(self):
        for path in self.binaries:
            self.assertIn("GNU_RELRO", read_elf(path, "-l"), path.name)
            self.assertRegex(read_elf(path, "-d"), r"BIND_NOW|Flags:.*\bNOW\b", path.name)

    def test_no_memory_is_writable_and_executable(self):
        for path in self.binaries:
            for line in read_elf(path, "-l").splitlines():
                if re.match(r"\s+(LOAD|GNU_STACK)\s", line):
                    self.assertNotRegex(line, r"\bRWE\b", path.name)

    def test_stack_protector(self):
        """Not every module has a function that needs it; all are compiled so, and the core has."""
        commands = pathlib.Path(RELEASE) / "compile_commands.json"
        for command in json.loads(commands.read_text(encoding="utf-8")):
            self.assertIn(" -fstack-protector-strong ", command["command"], command["file"])
        for path in self.binaries:
            if path.name in ("postbag", "postbag-extract") or path.name.startswith("libpostbag-"):
                self.assertIn("__stack_chk_fail", read_elf(path, "--dyn-syms"), path.name)

    def test_fortified(self):
        """Not every module calls a function that has a checked form; the core does."""
        for path in self.binaries:
            if path.name.startswith("libpostbag-core.so"):
                self.assertRegex(read_elf(path, "--dyn-syms"), r"__\w+_chk\b", path.name)

    def test_control_flow_is_protected(self):
        """Jump targets are marked (endbr64). The note that says so is the linker's to add, and
        Debian 12's start files keep it from doing so."""
        if os.uname().machine != "x86_64":
            self.skipTest("only on x86-64")
        for path in self.binaries:
            self.assertGreater(path.read_bytes().count(b"\xf3\x0f\x1e\xfa"), 0, path.name)

    def test_only_our_names_are_exported(self):
        """And the allocator that the worker puts in front of the C library's."""
        allocator = "|^(malloc|calloc|realloc|memalign|posix_memalign|aligned_alloc)$"
        for path in self.binaries:
            more = allocator if path.name == "postbag-extract" else ""
            for line in read_elf(path, "--dyn-syms").splitlines():
                fields = line.split()
                if len(fields) == 8 and fields[4] in ("GLOBAL", "WEAK") and fields[6] != "UND":
                    self.assertRegex(fields[7], r"^(postbag_|_init|_fini|__bss_start|_end|_edata"
                                     r"|_IO_stdin_used|main$|data_start|__data_start|_start)" + more)

    def test_start_needs_few_libraries(self):
        for path in self.binaries:
            if path.name == "postbag" or path.name.startswith("libpostbag-core.so"):
                for name in re.findall(r"NEEDED.*\[(.*?)\]", read_elf(path, "-d")):
                    self.assertRegex(name, CORE_LIBRARIES, path.name)


class Running(unittest.TestCase):
    def setUp(self):
        tap.require(self, RELEASE, "the release build (POSTBAG_RELEASE)")
        server.PROGRAM = str(pathlib.Path(RELEASE) / "postbag")

    def test_memory(self):
        with server.Server() as postbag:
            postbag.initialize()
            postbag.request("tools/list", {})
            status = pathlib.Path(f"/proc/{postbag.process.pid}/status").read_text()
            resident = int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]) / 1024
            print(f"# VmRSS after tools/list: {resident:.2f} MiB", flush=True)
            self.assertLess(resident, MEMORY_MIB)

    def test_it_ends_soon_after_its_input(self):
        times = []
        for _ in range(5):
            with server.Server() as postbag:
                postbag.initialize()
                postbag.call("list_messages", {})
                start = time.monotonic()
                postbag.close_input()
                self.assertEqual(postbag.process.wait(10), 0)
                times.append(time.monotonic() - start)
        self.assertLess(statistics.median(times), 1)

    def test_sample_configuration_is_fine(self):
        """As it stands, and with every example in force but those that name files."""
        sample = (server.ROOT / "data/postbag.conf.example").read_text(encoding="utf-8")
        full = re.sub(r"^#(?=\[|[a-z-]+ = [^/\n]*$)", "", sample, flags=re.MULTILINE)
        for text in (sample, full):
            with self.subTest(full=text is full), tempfile.TemporaryDirectory() as home:
                path = pathlib.Path(home) / "postbag.conf"
                path.write_text(text, encoding="utf-8")
                path.chmod(0o600)
                run = subprocess.run([server.PROGRAM, "--config", path, "config", "check"],
                                     stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                     stderr=subprocess.PIPE, text=True, check=False,
                                     env=server.make_environment(home))
                self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    def test_demo_is_a_conversation(self):
        run = subprocess.run([server.PROGRAM, "demo"], stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60,
                             check=False)
        self.assertEqual(run.returncode, 0, run.stderr)
        for word in ("list_mailboxes", "list_messages", "get_message", "get_attachments",
                     "parcel", "END UNTRUSTED", "invoice.pdf.exe"):
            self.assertIn(word, run.stdout)


if __name__ == "__main__":
    tap.main()
