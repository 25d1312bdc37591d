#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes postbag-confusables.c: which letters look like an ASCII letter or digit.

The data is Unicode's (UTS 39, confusables.txt of Unicode 15.0), read through the skeletons that
ICU 72 makes of it (Debian: libicu72), without what compatibility decomposition already folds. Run
by hand when Unicode moves on; the build only compiles the result.
"""

import ctypes
import sys
import unicodedata

ICU = ctypes.CDLL("libicui18n.so.72")
HEAD = """/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Written by make-confusables.py: letters that look like an ASCII letter or digit. From Unicode
 * 15.0's confusables.txt (UTS 39; copyright Unicode, Inc., Unicode Data Files License), read
 * through ICU 72; what compatibility decomposition folds is left out. Sorted. */

#include "safety/postbag-fold-private.h"

const PostbagConfusable postbag_confusables[] = {
"""
TAIL = """};

const gsize postbag_n_confusables = G_N_ELEMENTS (postbag_confusables);
"""


def open_checker():
    status = ctypes.c_int(0)
    ICU.uspoof_open_72.restype = ctypes.c_void_p
    checker = ICU.uspoof_open_72(ctypes.byref(status))
    assert status.value <= 0, status.value
    return ctypes.c_void_p(checker)


def find_skeleton(checker, text):
    raw = text.encode("utf-8")
    out = ctypes.create_string_buffer(256)
    status = ctypes.c_int(0)
    length = ICU.uspoof_getSkeletonUTF8_72(checker, 0, raw, len(raw), out, 256,
                                           ctypes.byref(status))
    return out.raw[:length].decode("utf-8") if status.value <= 0 else text


def list_rows(checker):
    for point in range(0x80, 0x20000):
        letter = chr(point)
        if not unicodedata.category(letter)[0] in "LN" or letter != letter.lower():
            continue
        if unicodedata.normalize("NFKD", letter) != letter:
            continue
        skeleton = find_skeleton(checker, letter).lower()
        if len(skeleton) == 1 and skeleton.isascii() and skeleton.isalnum():
            yield point, skeleton


def main():
    cells = [f"{{ 0x{point:04x}, '{letter}' }}," for point, letter in list_rows(open_checker())]
    lines = [" ".join(cells[at:at + 5]) for at in range(0, len(cells), 5)]
    sys.stdout.write(HEAD + "".join(f"  {line}\n" for line in lines) + TAIL)


if __name__ == "__main__":
    main()
