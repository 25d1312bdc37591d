#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes the header with the digest of the shipped definitions, computed as core/mcp does:
for each *.json of the folder, of prompts/ and of shared/ in byte order: folder/file NUL size NUL content."""

import hashlib
import os
import sys

header, folder = sys.argv[1], sys.argv[2]
digest = hashlib.sha256()
names = [name for name in os.listdir(folder) if name.endswith(".json")]
for inside in ("prompts", "shared"):
    path = os.path.join(folder, inside)
    if os.path.isdir(path):
        names += [inside + "/" + name for name in os.listdir(path) if name.endswith(".json")]
for name in sorted(name.encode() for name in names):
    with open(os.path.join(folder.encode(), name), "rb") as file:
        content = file.read()
    label = os.path.basename(folder).encode() + b"/" + name
    digest.update(label + b"\0" + str(len(content)).encode() + b"\0" + content)
text = '#pragma once\n\n#define POSTBAG_SCHEMA_DIGEST "%s"\n' % digest.hexdigest()
if not os.path.exists(header) or open(header, encoding="utf-8").read() != text:
    with open(header, "w", encoding="utf-8") as file:
        file.write(text)
