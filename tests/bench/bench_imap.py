# SPDX-License-Identifier: LGPL-2.1-or-later
"""The IMAP rows of the table: postbag in front of a Dovecot of our own, raced against a bare client,
on loopback and behind a delay, and the memory that a session with TLS takes."""

import contextlib
import pathlib
import statistics
import tempfile
import time

import network

DELAY = 10  # ms each way: 20 ms for a round trip
LARGE = 3
ATTACHMENT = 25 * 1024 * 1024
# Samples on loopback, and behind the delay.
SAMPLES = {"list": (100, 40), "read": (200, 60), "burst": (30, 15)}
AT_ONCE = 32


def percentile(values, share):
    return sorted(values)[min(int(len(values) * share), len(values) - 1)]


def spread(messages, count):
    """UIDs of ordinary messages from all over the mailbox; the large ones are the newest."""
    return [1 + number * messages // count for number in range(count)]


def add_race(table, what, times, factor, more):
    """A row for samples of the bare client and of postbag, which may take @factor of it and @more."""
    bare, ours = map(statistics.median, times)
    aim = f"{factor} × bare" + (f" + {more} ms" if more else "")
    # On a machine that does other things too, the tenth says more than the middle.
    note = ", ".join("p%d %.2f, bare %.2f" % (share * 100, percentile(times[1], share),
                                              percentile(times[0], share))
                     for share in (0.1, 0.95))
    table.add(what, ours, "ms", factor * bare + more, note, bare=bare, aim=aim)


def race_all(table, race, messages, where, is_delayed):
    uids = spread(messages, SAMPLES["read"][is_delayed])
    at_once = spread(messages, AT_ONCE)
    for _ in range(2):
        race.run("list", 3, 50)
        race.run("read", 1, *uids)
        race.run("burst", 2, *at_once)
    extra = (0, 0) if is_delayed else (0.5, 1)
    name = f"IMAP, {messages:,} messages, {where}"
    add_race(table, f"{name}: read a message", race.run("read", 1, *uids), 1.1, extra[0])
    add_race(table, f"{name}: list 50 newest",
             race.run("list", SAMPLES["list"][is_delayed], 50), 1.1, extra[1])
    add_race(table, f"{name}: 32 reads at once",
             race.run("burst", SAMPLES["burst"][is_delayed], *at_once), 1.1, 8)


def measure_speed(table, tools, program, dovecot, messages):
    facts = dovecot.facts
    for where, options in (("loopback", None), ("20 ms away", ["--delay", str(DELAY)])):
        with contextlib.ExitStack() as stack:
            ports = [facts["imap"]] * 2
            home = stack.enter_context(tempfile.TemporaryDirectory())
            if options:
                ports = [stack.enter_context(network.Proxy(tools, port, *options)).port
                         for port in ports]
            race = stack.enter_context(network.Race(
                tools, ports[0], facts, [program], dovecot.environment(ports[1], home)))
            race_all(table, race, messages, where, bool(options))


def read_status(pid, name):
    """A line of /proc/PID/status in MiB."""
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1]) / 1024
    raise KeyError(name)


def measure_memory(table, tools, program, dovecot, messages):
    facts = dovecot.facts
    with contextlib.ExitStack() as stack:
        home = stack.enter_context(tempfile.TemporaryDirectory())
        # The authorities of the system, as most have it: they take more than one file with one.
        environment = dovecot.environment(facts["imaps"], home, "implicit")
        del environment["POSTBAG_CA_FILE"]
        environment["IMAP_INSECURE_TLS"] = "true"
        race = stack.enter_context(network.Race(tools, facts["imap"], facts, [program],
                                                environment))
        table.add("memory before the first TLS", read_status(race.pid, "VmRSS"), "MiB", 8)
        race.run_ours("list", 50)
        time.sleep(2)
        table.add("memory idle after the first TLS", read_status(race.pid, "VmRSS"), "MiB", 20)
        for _ in range(20):
            race.run_ours("list", 50)
            race.run_ours("list", 200)
            race.run_ours("read", *spread(messages, 50))
            race.run_ours("read", *range(messages + 1, messages + LARGE + 1))
            race.run_ours("burst", *spread(messages, AT_ONCE))
        table.add(f"memory, peak after the run at {messages:,} messages",
                  read_status(race.pid, "VmHWM"), "MiB", 32,
                  f"{read_status(race.pid, 'VmRSS'):.1f} MiB at its end")


def measure(table, tools, program, sizes):
    for messages in sizes:
        arguments = ["--messages", 0, "--generate", messages, "--large", LARGE,
                     "--attachment", ATTACHMENT]
        with network.Dovecot(*arguments) as dovecot:
            measure_speed(table, tools, program, dovecot, messages)
            if messages == max(sizes):
                measure_memory(table, tools, program, dovecot, messages)
