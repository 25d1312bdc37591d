# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs the program with the library that counts and breaks, and picks where it breaks."""

import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import time

from judge import Run, Wrong, expect

LIBRARY = os.environ["POSTBAG_FAULTS_LIBRARY"]
PROGRAM = os.environ["POSTBAG_EFFECT_PROGRAM"]
LONG = bool(os.environ.get("POSTBAG_LONG"))
# Points of an effect that `make check` tries.
SAMPLE = int(os.environ.get("POSTBAG_FAULTS_SAMPLE", "12"))
# How many changes at once, and which (a regular expression over their names).
JOBS = int(os.environ.get("POSTBAG_FAULTS_JOBS", str(os.cpu_count())))
ONLY = os.environ.get("POSTBAG_FAULTS_ONLY", "")
# Of all points a part: "2/5" is the second, seventh, twelfth, ...
PART, PARTS = (int(number) for number in os.environ.get("POSTBAG_FAULTS_PART", "1/1").split("/"))
SECONDS = 120

WRITES = ("write", "pwrite", "send", "copy_file_range")


def find_sanitizer():
    """It has to be loaded before us, where the program has one."""
    output = subprocess.run(["ldd", PROGRAM], capture_output=True, text=True, check=False).stdout
    return [line.split()[2] for line in output.splitlines() if "libasan" in line]


SANITIZER = find_sanitizer()


def run_plain(arguments, environment=None):
    """Without faults: what the program says."""
    process = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True,
                             timeout=SECONDS, check=False,
                             env=dict(os.environ, **(environment or {})))
    expect(process.returncode in (0, 3),
           f"{arguments} ended with {process.returncode}: {process.stderr[-3000:]}")
    return json.loads(process.stdout)


def run_broken(arguments, folder, variables, environment=None, program=PROGRAM,
               read=lambda process: json.loads(process.stdout)):
    """With the library; @variables: its own, without their prefix. @read: what the run says."""
    log = pathlib.Path(folder) / "points"
    log.unlink(missing_ok=True)
    full = dict(os.environ, **(environment or {}), LD_PRELOAD=" ".join([*SANITIZER, LIBRARY]),
                POSTBAG_FAULTS_LOG=str(log))
    full.update({f"POSTBAG_FAULTS_{name}": value for name, value in variables.items()})
    try:
        process = subprocess.run([program, *arguments], capture_output=True, text=True,
                                 timeout=SECONDS, check=False, env=full)
    except subprocess.TimeoutExpired as timeout:
        raise Wrong("it hung") from timeout
    killed = process.returncode == -9 and variables.get("DO", "").startswith("kill")
    expect(killed or process.returncode in (0, 1 if program != PROGRAM else 3),
           f"ended with {process.returncode}: {process.stderr[-3000:]}")
    lines = log.read_text("utf-8", "replace").splitlines() if log.exists() else []
    return Run(killed, read(process) if not killed else None,
               [line.split(" ", 2)[1:] for line in lines], process.stderr)


def list_verdicts(name, place, is_mail):
    """All that can happen at a call: (verdict, whether it stays so)."""
    if "recv" in name or name == "read":
        return [("kill-before", False), ("kill-after", False), ("ECONNRESET", False),
                ("EIO", True), ("EINTR", False)]
    if "send" in name or place.startswith("socket:"):
        return [("kill-before", False), ("kill-after", False), ("kill-half", False),
                ("short", False), ("ECONNRESET", False), ("ECONNRESET", True), ("EIO", False),
                ("after-ECONNRESET", False), ("EINTR", False)]
    verdicts = [("kill-before", False), ("EIO", False), ("ENOSPC", True), ("EINTR", False)]
    if name.startswith(WRITES):
        verdicts += [("kill-half", False), ("short", False)]
    if name.startswith(("open", "creat")):
        verdicts.append(("EMFILE", True))
    if is_mail:
        verdicts += [("kill-after", False), ("ENOSPC", False), ("EIO", True), ("after-EIO", False)]
    return verdicts


def pick(log, is_mail, sample=SAMPLE):
    """(number, name, place, verdict, stays) of what is to be tried; @log: of a run without faults.
    In `make check` those on the mail itself come first, and every verdict has its turn."""
    first, rest = [], []
    for number, (name, *place) in enumerate(log, 1):
        place = place[0] if place else ""
        mail = is_mail(place)
        for verdict, stays in list_verdicts(name, place, mail):
            (first if mail else rest).append((number, name, place, verdict, stays))
    if LONG:
        return (first + rest)[PART - 1::PARTS]
    wanted = max(sample * 3 // 4, sample - len(rest))
    return spread(first, wanted) + spread(rest, sample - wanted)


def spread(items, n):
    n = min(n, len(items))
    return [items[(i * len(items) + len(items) // 2) // n] for i in range(n)]


def try_points(name, log, points, attempt, hidden=""):
    """(points, runs, what went wrong); @attempt: gives each one's run; @hidden: no part of paths"""
    wrong, missed, begin = [], 0, time.monotonic()
    for point in points:
        number, call, place, verdict, stays = point
        try:
            # Threads and a server's pieces make one run a little shorter than another.
            missed += len(attempt(point).log) < number
        except Wrong as error:
            wrong.append(f"{name}, point {number} of {len(log)} "
                         f"({call} {place.replace(hidden, '') if hidden else place}), {verdict}"
                         f"{' from there on' if stays else ''}: {error}")
    if LONG:
        # A run of hours says how far it is.
        print(f"{name}: {len(log)} points, {len(points)} runs, {missed} ended before "
              f"their point, {len(wrong)} wrong, {time.monotonic() - begin:.0f} s", *wrong,
              sep="\n  ", file=sys.stderr, flush=True)
    return len(log), len(points), wrong


def run_all(work, run):
    """name of an effect -> what @run says of it; @work: (effect, what goes with it)"""
    work = [pair for pair in work if re.search(ONLY, pair[0].name)]
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        return {effect.name: result for (effect, _), result in
                zip(work, pool.map(lambda pair: run(*pair), work))}


def check_result(test, results, name):
    if ONLY and name not in results:
        test.skipTest("not asked for")
    points, runs, wrong = results[name]
    print(f"# {name}: {points} points, {runs} runs", flush=True)
    if wrong:
        test.fail("\n" + "\n".join(wrong))
