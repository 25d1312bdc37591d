#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""bench.py PROGRAM TOOLS [SUBJECT...]: measures and prints the README's table.

PROGRAM is a release build of postbag, TOOLS a folder with what .ci/bench builds; the same figures
are written there to bench.json. SUBJECT: start, html, documents, maildir, imap; all without. A missed target is
printed, never an error: figures of one machine are no verdict on a change.
"""

import datetime
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "conformance"))

import bench_documents  # noqa: E402
import bench_imap  # noqa: E402
import server  # noqa: E402

SPAWNS = 200
LISTS = 100
MAILDIR_MESSAGES = 100_000
IMAP_MESSAGES = [10_000, 100_000]

percentile = bench_imap.percentile


def measure_spawns(tools, commands):
    """Median and 95th percentile in ms for each command, taken in turns so that all see the same
    weather."""
    times = [[] for _ in commands]
    for _ in range(SPAWNS // 10):
        for taken, command in zip(times, commands):
            run = subprocess.run([tools / "spawn", "10", *map(str, command)], check=True,
                                 stdout=subprocess.PIPE, text=True)
            taken += [float(line.split()[0]) / 1000 for line in run.stdout.splitlines()]
    return [(statistics.median(taken), percentile(taken, 0.95)) for taken in times]


def read_memory(pid):
    """VmRSS and PSS in MiB."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    rollup = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text()

    def find(text, name):
        return next(int(line.split()[1]) for line in text.splitlines()
                    if line.startswith(name)) / 1024

    return find(status, "VmRSS:"), find(rollup, "Pss:")


def time_list(postbag):
    start = time.perf_counter()
    result = postbag.call("list_messages", {"limit": 50})
    took = (time.perf_counter() - start) * 1000
    assert result["structuredContent"]["returned"] == 50, result
    return took


def format_value(value, unit):
    if value is None:
        return ""
    return f"{value:.0f} {unit}" if value >= 1000 or unit in ("bytes", "tokens") else f"{value:.2f} {unit}"


class Table:
    """One line a measure: ours, the bare program's where there is one, and the target."""

    def __init__(self):
        self.rows = []
        self.figures = []

    def add(self, what, value, unit, target=None, note="", bare=None, aim=None):
        """@aim: how the target came about, where it depends on the bare program."""
        verdict = "" if target is None else ("met" if value <= target else "MISSED")
        shown = "" if target is None else f"≤ {target:.4g} {unit}" + (f" ({aim})" if aim else "")
        self.rows.append((what, format_value(value, unit), format_value(bare, unit), shown, verdict,
                          note))
        self.figures.append({"measure": what, "unit": unit, "ours": value, "bare": bare,
                             "target": target, "met": None if target is None else value <= target,
                             "note": note})

    def show(self):
        rows = [("measure", "ours", "bare", "target", "", "note"), *self.rows]
        widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
        rows.insert(1, tuple("-" * max(width, 3) for width in widths))
        for row in rows:
            print("| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |")

    def write(self, path):
        facts = {"machine": platform.platform(), "processors": os.cpu_count(),
                 "date": datetime.datetime.now(datetime.timezone.utc).isoformat("T", "seconds"),
                 "load": os.getloadavg(), "figures": self.figures}
        path.write_text(json.dumps(facts, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def measure_start(table, program, tools):
    with tempfile.TemporaryDirectory() as folder:
        for name in ("cur", "new", "tmp"):
            (pathlib.Path(folder) / name).mkdir()
        ours, floor = measure_spawns(tools, [[program, "--maildir", folder], [tools / "bare"]])
    table.add("start until initialize is answered", ours[0], "ms", 6,
              "p95 %.2f, bare (a GLib program) %.2f" % (ours[1], floor[1]), bare=floor[0])


def measure_size(table):
    with server.Server() as postbag:
        postbag.initialize()
        answer = postbag.request("tools/list", {})
        resident, share = read_memory(postbag.process.pid)
        table.add("memory after tools/list", resident, "MiB", 8, f"PSS {share:.2f} MiB")
        size = len(server.json.dumps(answer["result"], ensure_ascii=False,
                                     separators=(",", ":")).encode("utf-8"))
        table.add("tools/list", size, "bytes")
        table.add("tools/list, bytes / 4", size / 4, "tokens", 4500,
                  f"{len(answer['result']['tools'])} tools")
        postbag.call("list_messages", {})
        resident, share = read_memory(postbag.process.pid)
        table.add("memory after a list of messages", resident, "MiB", None, f"PSS {share:.2f} MiB")


def measure_lists(table, messages):
    with tempfile.TemporaryDirectory(prefix="postbag-bench-") as folder:
        maildir = pathlib.Path(folder) / "Maildir"
        state = {"XDG_STATE_HOME": str(pathlib.Path(folder) / "state")}
        subprocess.run([sys.executable, HERE / "make-maildir.py", str(maildir), str(messages)],
                       check=True, stdout=subprocess.DEVNULL)
        for what, target in (("the very first list", 3000), ("first list after a start", 300)):
            with server.Server(maildir, environment=state) as postbag:
                postbag.initialize()
                table.add(f"{messages:,} messages, {what}", time_list(postbag), "ms", target)
        with server.Server(maildir, environment=state) as postbag:
            postbag.initialize()
            time_list(postbag)
            times = [time_list(postbag) for _ in range(LISTS)]
            resident, share = read_memory(postbag.process.pid)
        table.add(f"{messages:,} messages, 50 newest, warm, p50", statistics.median(times), "ms", 5,
                  f"p95 {percentile(times, 0.95):.2f} ms")
        table.add(f"{messages:,} messages, memory afterwards", resident, "MiB", 32,
                  f"PSS {share:.2f} MiB")


def measure_html(table, tools):
    bench = pathlib.Path(tools) / "bench-html"
    run = subprocess.run([bench], check=True, stdout=subprocess.PIPE, text=True)
    took, shape = run.stdout.strip().split(" ", 1)
    table.add("1 MB of hostile HTML to text", float(took), "ms", 100, f"the slowest: {shape}")


def main():
    program, tools = sys.argv[1], pathlib.Path(sys.argv[2])
    subjects = sys.argv[3:] or ["start", "html", "documents", "maildir", "imap"]
    server.PROGRAM = program
    table = Table()
    if "start" in subjects:
        measure_start(table, program, tools)
        measure_size(table)
    if "html" in subjects:
        measure_html(table, tools)
    if "documents" in subjects:
        bench_documents.measure(table, program, tools, read_memory)
    if "maildir" in subjects:
        measure_lists(table, MAILDIR_MESSAGES)
    if "imap" in subjects:
        try:
            bench_imap.measure(table, tools, program, IMAP_MESSAGES)
        except FileNotFoundError as missing:
            print(f"IMAP was not measured: there is no {missing}", file=sys.stderr)
    table.show()
    table.write(tools / "bench.json")


if __name__ == "__main__":
    main()
