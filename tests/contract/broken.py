# SPDX-License-Identifier: LGPL-2.1-or-later
"""The contract programs have to fail: each broken plugin is put into a folder of its own, the
program of its kind is run over it, and its report has to say what is wrong."""

import os
import shutil
import subprocess
import sys
import tempfile

# kind, plugin, words of the report; none: it passes
CASES = [
    ("toolset", "wrong-abi", "plugin ABI 99"),
    ("toolset", "missing-handler", "no handler"),
    ("toolset", "no-module", "postbag-no-module.so"),
    ("toolset", "failed-start", "cannot start: the moon is down"),
    ("toolset", "sound", "first.json"),
    ("extractor", "crashing", "failed or died"),
    ("extractor", "deaf", "went on after append() had answered FALSE"),
    ("extractor", "raw-bytes", "not well-formed UTF-8"),
    ("extractor", "silent", "do not fit"),
    ("extractor", "endless", "failed or died"),
    ("store", "memory", ""),
    ("store", "unstoppable", "instead of “cancelled”"),
    ("store", "wrong-code", "instead of “not-found”"),
    ("store", "meddling", "reading changed something"),
    ("store", "oldest-first", "newest first"),
    ("store", "wrong-total", "an empty page has messages or another total"),
    ("store", "too-long", "more than asked for"),
]

# What makes a definition unusable, and what the report says of it.
DEFINITION = """{
  "name": "first", "title": "First", "description": "The first tool, long enough for a model.",
  "inputSchema": {"type": "object"},
  "annotations": {"readOnlyHint": true, "destructiveHint": false, "idempotentHint": true,
                  "openWorldHint": false}%s}"""
DEFINITIONS = [
    (DEFINITION % "", ""),
    (DEFINITION.replace('"first"', '"fist"') % "", "“name” is not the file's"),
    (DEFINITION.replace('The first tool, long enough for a model.', 'Short.') % "", "says too little"),
    (DEFINITION.replace('"openWorldHint": false', '"openWorldHint": "no"') % "", "“openWorldHint”"),
    (DEFINITION.replace('"destructiveHint": false', '"destructiveHint": true') % "",
     "only reads cannot be destructive"),
    (DEFINITION.replace('{"type": "object"}', '{"type": "array"}') % "", "“inputSchema”"),
    (DEFINITION.replace('{"type": "object"}', '{"type": "object", "minimun": 1}') % "", "minimun"),
    (DEFINITION % ', "outputSchema": {"type": "object", "required": 5}', "outputSchema"),
    (DEFINITION % ', "output": {}', "no member “output”"),
    (DEFINITION % ', "x-postbag": {"wen": []}', "no member “wen”"),
    (DEFINITION % ', "x-postbag": {"effect": "destroy"}', "“effect” is not"),
    (DEFINITION % ', "x-postbag": {"when": [{"setting": "a"}]}', "needs “setting” and “is”"),
    (DEFINITION % ', "x-postbag": {"when": [{"setting": "a", "is": "b", "name": "c"}]}',
     "cannot change “name”"),
    ("[1]", "no object"),
    ('{"name": "first", "name": "first"}', "first.json"),
]

MANIFEST = """[Plugin]
Name=sound
Kind=toolset
ABI=0
Module=postbag-sound
Tools=first;second
SchemaDir=schemas
"""


def run(program, folder):
    environment = dict(os.environ, POSTBAG_PLUGIN_PATH=folder, POSTBAG_CONTRACT_CPU_SECONDS="1",
                       POSTBAG_CONFIG=os.path.join(folder, "postbag.conf"))
    environment.pop("POSTBAG_MAILDIR", None)
    done = subprocess.run([program], env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=300)
    return done.returncode, done.stdout.decode("utf-8", "replace")


def holds(log, words):
    """Without a locale GLib writes “?” for what is not ASCII."""
    return words.encode("ascii", "replace").decode() in log or words in log


class Report:
    def __init__(self):
        self.number = 0
        self.failed = False

    def say(self, fine, what, log):
        self.number += 1
        self.failed = self.failed or not fine
        print(f"{'ok' if fine else 'not ok'} {self.number} - {what}", flush=True)
        for line in log.splitlines() if not fine else []:
            print(f"# {line}")


def write_configuration(folder, backend):
    """An account that only the store of that name serves; its folder is there to be left alone."""
    os.mkdir(os.path.join(folder, "mail"))
    with open(os.path.join(folder, "postbag.conf"), "w", encoding="utf-8") as file:
        if backend:
            file.write(f"[account a]\nbackend={backend}\npath={folder}/mail\n")


def check_plugin(report, programs, broken, kind, name, words):
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(os.path.join(broken, f"{name}.plugin"), folder)
        write_configuration(folder, name if kind == "store" else None)
        module = os.path.join(broken, f"postbag-{name}.so")
        if os.path.exists(module):
            shutil.copy(module, folder)
        status, log = run(os.path.join(programs, f"contract-{kind}"), folder)
    if words:
        report.say(status != 0 and holds(log, words), f"{kind} {name} fails", log)
    else:
        report.say(status == 0, f"{kind} {name} passes", log)


def check_definition(report, programs, broken, definition, words):
    with tempfile.TemporaryDirectory() as folder:
        write_configuration(folder, None)
        schemas = os.path.join(folder, "schemas")
        os.mkdir(schemas)
        shutil.copy(os.path.join(broken, "postbag-sound.so"), folder)
        second = DEFINITION.replace('"first"', '"second"') % ""
        for name, text in (("sound.plugin", MANIFEST), ("schemas/first.json", definition),
                           ("schemas/second.json", second)):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        status, log = run(os.path.join(programs, "contract-toolset"), folder)
    if words:
        report.say(status != 0 and holds(log, words), f"a definition fails: {words}", log)
    else:
        report.say(status == 0, "a sound definition passes", log)


def main():
    programs, broken = sys.argv[1:3]
    report = Report()
    # A group of its own may write with some umasks; the registry refuses such files.
    os.umask(0o022)
    for definition, words in DEFINITIONS:
        check_definition(report, programs, broken, definition, words)
    for kind, name, words in CASES:
        check_plugin(report, programs, broken, kind, name, words)
    print(f"1..{report.number}")
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
