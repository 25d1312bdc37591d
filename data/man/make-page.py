#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""make-page.py README TEMPLATE PAGE: a manual page from its template and the README's tables.

What an option, a variable or a key means is said once, in the README. A template has a line
`@options@`, `@variables@` or `@keys@` where the rows belong."""

import pathlib
import re
import sys


def find_rows(readme, head):
    """The cells of each row of the table whose first column is called @head."""
    lines = readme.split("\n")
    start = next(i for i, line in enumerate(lines) if line.startswith(f"| {head} |"))
    for line in lines[start + 2:]:
        if not line.startswith("|"):
            return
        yield [cell.strip() for cell in line[1:-1].split("|")]


def escape(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text[:1] in (".", "'") else text


def format_text(markdown):
    """Plain text, with what stood between backticks in bold."""
    markdown = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", markdown)
    words = re.split(r"`([^`]*)`", markdown)
    text = "".join(f"\\fB{escape(word)}\\fP" if i % 2 else word.replace("\\", "\\e") for i, word in enumerate(words))
    return "\\&" + text if text[:1] in (".", "'") else text


def find_names(cell):
    return re.findall(r"`([^`]*)`", cell)


def format_option(name):
    word, _, value = name.partition(" ")
    return f"Fl {word[1:]}" + (f" Ar {value}" if value else "")


def format_item(names, macro):
    return ".It " + " , ".join(macro(name) for name in names)


def make_options(readme):
    for cells in find_rows(readme, "option"):
        yield format_item(find_names(cells[0]), format_option)
        yield format_text(cells[1])


def make_variables(readme):
    for variables, _, meaning in find_rows(readme, "variable"):
        if variables:
            yield format_item(find_names(variables), lambda name: f"Ev {name}")
            yield format_text(meaning)


def make_keys(readme):
    for _, keys, meaning in find_rows(readme, "variable"):
        if keys:
            yield format_item(find_names(keys), lambda name: f"Cm {name}")
            yield format_text(meaning)


TABLES = {"@options@": make_options, "@variables@": make_variables, "@keys@": make_keys}


def main():
    readme, template, page = (pathlib.Path(path) for path in sys.argv[1:])
    text = readme.read_text(encoding="utf-8")
    lines = []
    for line in template.read_text(encoding="utf-8").rstrip("\n").split("\n"):
        if line in TABLES:
            lines += TABLES[line](text)
        else:
            lines.append(line)
    page.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
