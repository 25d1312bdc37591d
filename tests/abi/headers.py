# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a plugin's author includes has to stand alone: each installed header is compiled by itself
in C17 and as C++, and may include only installed headers of ours."""

import argparse
import os
import re
import shlex
import subprocess
import sys
import tempfile

WARNINGS = ["-Wall", "-Wextra", "-Wno-unused-parameter", "-Werror"]


def parse_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--include", required=True)
    parser.add_argument("--cc", required=True)
    parser.add_argument("--cxx", default="")
    parser.add_argument("--packages", required=True)
    parser.add_argument("headers", nargs="+")
    return parser.parse_args()


def get_cflags(packages):
    output = subprocess.run(["pkg-config", "--cflags", *packages.split()], check=True,
                            capture_output=True, text=True).stdout
    return shlex.split(output)


def find_foreign_includes(path, public):
    """Includes of ours that are not installed."""
    with open(path, encoding="utf-8") as file:
        included = re.findall(r'^\s*#\s*include\s+"([^"]+)"', file.read(), re.MULTILINE)
    return [name for name in included if name not in public]


def copy_public(root, headers, folder):
    """The headers as they are installed: nothing private lies beside them."""
    for header in headers:
        target = os.path.join(folder, os.path.relpath(header, root))
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(header, "rb") as source, open(target, "wb") as copy:
            copy.write(source.read())


def compile_alone(command, name):
    source = f'#include "{name}"\nint postbag_headers_test;\n'
    done = subprocess.run([*command, "-"], input=source, capture_output=True, text=True)
    return done.returncode == 0, done.stderr


class Report:
    def __init__(self):
        self.number = 0
        self.failed = False

    def say(self, fine, what, details=""):
        self.number += 1
        self.failed = self.failed or not fine
        print(f"{'ok' if fine else 'not ok'} {self.number} - {what}")
        for line in details.splitlines() if not fine else []:
            print(f"# {line}")


def main():
    arguments = parse_arguments()
    headers = [os.path.abspath(header) for header in arguments.headers]
    names = sorted(os.path.relpath(header, arguments.include) for header in headers)
    cflags = get_cflags(arguments.packages)
    report = Report()
    languages = [("C17", [arguments.cc, "-std=c17", "-x", "c"])]
    if arguments.cxx:
        languages.append(("C++", [arguments.cxx, "-std=c++17", "-x", "c++"]))
    else:
        print("# no C++ compiler: the headers are not tried as C++")
    with tempfile.TemporaryDirectory() as folder:
        copy_public(arguments.include, headers, folder)
        for name in names:
            foreign = find_foreign_includes(os.path.join(folder, name), names)
            report.say(not foreign and "-private" not in name, f"{name} is public",
                       f"includes {foreign}")
            for language, command in languages:
                whole = [*command, "-fsyntax-only", *WARNINGS, "-I", folder, *cflags]
                report.say(*compile_report(whole, name, language))
    print(f"1..{report.number}")
    return 1 if report.failed else 0


def compile_report(command, name, language):
    fine, errors = compile_alone(command, name)
    return fine, f"{name} compiles as {language}", errors


if __name__ == "__main__":
    sys.exit(main())
