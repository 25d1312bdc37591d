# SPDX-License-Identifier: LGPL-2.1-or-later
"""The README's table of a toolset, made from schemas/<toolset>/*.json.

`python3 tests/lint/tool_table.py TOOLSET` prints it; lint.py compares it with the block between
`<!-- tools TOOLSET -->` and `<!-- end tools -->`.
"""

import json
import pathlib
import re
import sys


def list_toolsets(root):
    return sorted({path.parent.name for path in (root / "schemas").glob("*/*.json")
                   if "inputSchema" in json.loads(path.read_text(encoding="utf-8"))})


def list_tools(root, toolset):
    """The toolset's tools in the order of its manifest, else by name."""
    tools = {path.stem: json.loads(path.read_text(encoding="utf-8"))
             for path in sorted((root / "schemas" / toolset).glob("*.json"))}
    tools = {name: tool for name, tool in tools.items() if "inputSchema" in tool}
    order = []
    for manifest in (root / "plugins/tools" / toolset).glob("*.plugin*"):
        match = re.search(r"^Tools=(.*)$", manifest.read_text(encoding="utf-8"), re.MULTILINE)
        order = [name for name in match.group(1).split(";") if name] if match else []
    return sorted(tools.items(), key=lambda item: (order.index(item[0])
                                                   if item[0] in order else len(order), item[0]))


def describe_effect(tool):
    hints = tool.get("annotations", {})
    effect = tool.get("x-postbag", {}).get("effect")
    if hints.get("readOnlyHint") and not effect:
        return "reads"
    if hints.get("destructiveHint"):
        return "changes or removes"
    return "changes"


def render(root, toolset):
    lines = ["| tool | title | arguments | effect |", "| --- | --- | --- | --- |"]
    for name, tool in list_tools(root, toolset):
        schema = tool["inputSchema"]
        required = schema.get("required", [])
        arguments = ", ".join(f"**{argument}**" if argument in required else argument
                              for argument in schema.get("properties", {}))
        lines.append(f"| `{name}` | {tool.get('title', '')} | {arguments or '–'} "
                     f"| {describe_effect(tool)} |")
    return "\n".join(lines)


def find_block(readme, toolset):
    match = re.search(rf"<!-- tools {toolset} -->\n(.*?)\n<!-- end tools -->", readme, re.DOTALL)
    return match.group(1).strip() if match else None


if __name__ == "__main__":
    print(render(pathlib.Path(__file__).resolve().parents[2], sys.argv[1]))
