# SPDX-License-Identifier: LGPL-2.1-or-later
"""The rules of the house that a machine can check: one small function each.

A rule takes a path (relative to the source folder) and the file's text, and yields
`(line number, message)`. RULES at the end says which files each one reads. Every rule has a test
with a bad snippet in test-rules.py.
"""

import json
import re

MAX_FUNCTION_LINES = 60
MAX_FILE_LINES = 800

# Which folders of core a folder may include, besides itself. Dependencies point one way:
# base <- json, mail <- safety <- mime, mcp <- extract, plugin, config, toolset <- cli.
LAYERS = [
    {"base"},
    {"json", "mail"},
    {"safety"},
    {"mime", "mcp"},
    {"extract", "plugin", "config", "toolset"},
    {"cli"},
]
ALLOWED = {
    folder: set().union(*LAYERS[:height])
    for height, layer in enumerate(LAYERS)
    for folder in layer
}
# main() of the worker that reads documents: it puts the layers together, as core/cli does.
PROGRAMS = {"core/extract/postbag-extract.c": "cli"}
ALLOWED["plugin"].add("extract")  # the descriptor header names every kind's interface

# A library that only one place may know: header prefix -> who may include it.
OWNED_LIBRARIES = {
    "gmime/": ("core/mime/",),
    "libxml/": ("core/safety/postbag-html", "core/extract/postbag-xml"),
    "sqlite3.h": ("plugins/backends/maildir/",),
    "gnutls/": ("core/safety/postbag-seal", "core/safety/postbag-crypto",
                "plugins/backends/imap/postbag-imap-pin"),
    "ytnef.h": ("plugins/extractors/mail/postbag-tnef-reader",),
    "gsasl.h": ("plugins/backends/imap/postbag-imap-sasl",),
}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^">]+)[">]', re.MULTILINE)
SPDX = "SPDX-License-Identifier: "
BANNED = {
    "strcpy": "g_strlcpy or GString",
    "strcat": "GString",
    "sprintf": "g_strdup_printf",
    "vsprintf": "g_strdup_vprintf",
    "gets": "a bounded read",
    "atoi": "g_ascii_string_to_unsigned",
    "atol": "g_ascii_string_to_signed",
    "atoll": "g_ascii_string_to_signed",
    "atof": "g_ascii_strtod with its end pointer",
    "strtol": "g_ascii_string_to_signed",
    "strtoul": "g_ascii_string_to_unsigned",
    "strtok": "g_strsplit or a scan",
    "alloca": "g_autofree",
    "g_alloca": "g_autofree",
    "g_newa": "g_autofree",
    "system": "GSubprocess",
    "popen": "GSubprocess",
    "mktemp": "g_mkstemp",
    "tmpnam": "g_mkstemp",
    "setlocale": "nothing: only core/cli sets the locale",
}
BANNED_CALL = re.compile(r"(?<![\w.>])(" + "|".join(BANNED) + r")\s*\(")
PRINT_CALL = re.compile(
    r"(?<![\w.>])(g_print|printf|vprintf|puts|putchar"
    r"|f(?:printf|puts|putc|write)\s*\([^;]*\bstdout)\b")
FUNCTION_NAME = re.compile(r"^[A-Za-z_]\w* *\(")


def strip_comments_and_strings(text):
    """Blanks comments and literals, keeping every line where it is."""
    pattern = re.compile(
        r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)

    def blank(match):
        return re.sub(r"[^\n]", " ", match.group())

    return pattern.sub(blank, text)


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def has_spdx(path, text):
    if SPDX not in "\n".join(text.split("\n")[:5]):
        yield 1, "the SPDX line is missing (first lines of the file)"


def is_tidy(path, text):
    for number, line in enumerate(text.split("\n"), 1):
        if line.endswith((" ", "\t", "\r")):
            yield number, "blanks at the end of the line"
    if text and not text.endswith("\n"):
        yield text.count("\n") + 1, "no line end at the end of the file"


def has_no_open_ends(path, text):
    for match in re.finditer(r"\b(TODO|FIXME|XXX|HACK)\b(?![ :(]*#\d+)", text):
        yield line_of(text, match.start()), f"{match.group(1)} without an issue number (#N)"


def has_short_file(path, text):
    lines = text.count("\n")
    if lines > MAX_FILE_LINES:
        yield 1, f"{lines} lines; past {MAX_FILE_LINES} a second thing hides in a file"


def has_short_functions(path, text):
    lines = strip_comments_and_strings(text).split("\n")
    start = name = None
    for number, line in enumerate(lines, 1):
        if FUNCTION_NAME.match(line) and not line.rstrip().endswith(";"):
            start, name = number, line.split("(")[0].strip()
        elif line.startswith("}") and start:
            if number - start + 1 > MAX_FUNCTION_LINES:
                yield start, f"{name} has {number - start + 1} lines, at most {MAX_FUNCTION_LINES}"
            start = None


def calls_nothing_banned(path, text):
    for match in BANNED_CALL.finditer(strip_comments_and_strings(text)):
        name = match.group(1)
        if name == "setlocale" and path.startswith("core/cli/"):
            continue
        yield line_of(text, match.start()), f"{name}() is not used here; use {BANNED[name]}"


def prints_nothing(path, text):
    if path.startswith("core/cli/"):
        return
    for match in PRINT_CALL.finditer(strip_comments_and_strings(text)):
        yield line_of(text, match.start()), "only core/cli prints: stdout carries protocol"


def includes_one_way(path, text):
    """core: base <- json, mail <- safety <- ...; public headers include only public ones."""
    folder = PROGRAMS.get(path, path.split("/")[1])
    public = path.endswith(".h") and not path.endswith("-private.h")
    for match in INCLUDE.finditer(text):
        kind, header = match.groups()
        number = line_of(text, match.start())
        target, _, name = header.partition("/")
        if kind != '"' or target not in ALLOWED:
            continue
        if target != folder and target not in ALLOWED[folder]:
            yield number, f"core/{folder} may not include core/{target}"
        if public and name.endswith("-private.h"):
            yield number, f"a public header includes the private {header}"


def plugins_stay_outside(path, text):
    """A plugin includes public core headers and its own folder, nothing else of ours."""
    for match in INCLUDE.finditer(text):
        kind, header = match.groups()
        number = line_of(text, match.start())
        if kind != '"':
            continue
        if ".." in header or header.startswith("plugins/"):
            yield number, f"a plugin does not reach into another folder ({header})"
        elif "/" in header and header.endswith("-private.h"):
            yield number, f"a plugin does not include the private {header}"


def core_includes_no_plugin(path, text):
    for match in INCLUDE.finditer(text):
        if match.group(2).startswith("plugins/") or "../" in match.group(2):
            yield line_of(text, match.start()), f"core does not include {match.group(2)}"


def keeps_libraries_in_their_place(path, text):
    for match in INCLUDE.finditer(text):
        header = match.group(2)
        for prefix, owners in OWNED_LIBRARIES.items():
            if header.startswith(prefix) and not path.startswith(owners):
                yield (line_of(text, match.start()),
                       f"{header} belongs to {' or '.join(owners)} alone")


def is_json(path, text):
    def refuse_duplicates(pairs):
        names = [name for name, _ in pairs]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"the member {name} stands twice")
        return dict(pairs)

    try:
        json.loads(text, object_pairs_hook=refuse_duplicates)
    except ValueError as error:
        yield getattr(error, "lineno", 1), f"not valid JSON: {error}"


C_FILES = r"(core|plugins|tests)/.*\.[ch]$"
PRODUCT_C = r"(core|plugins)/.*\.[ch]$"
SOURCES = r".*(\.[ch]|\.py|\.mjs|\.sh)$|Makefile$|\.ci/[a-z-]+$"
TEXTS = r"(?!tests/fuzz/seeds/).*(\.[ch]|\.py|\.mjs|\.sh|\.json|\.build|\.txt|\.md|\.in)$|Makefile$|\.ci/[a-z-]+$"

RULES = [
    (has_spdx, SOURCES),
    (is_tidy, TEXTS),
    (has_no_open_ends, r"(?!tests/lint/).*(\.[ch]|\.py|\.mjs|\.build)$"),
    (has_short_file, SOURCES),
    (has_short_functions, C_FILES),
    (calls_nothing_banned, C_FILES),
    (prints_nothing, PRODUCT_C),
    (includes_one_way, r"core/[a-z]+/.*\.[ch]$"),
    (plugins_stay_outside, r"plugins/.*\.[ch]$"),
    (core_includes_no_plugin, r"core/.*\.[ch]$"),
    (keeps_libraries_in_their_place, PRODUCT_C),
    (is_json, r"schemas/.*\.json$"),
]
