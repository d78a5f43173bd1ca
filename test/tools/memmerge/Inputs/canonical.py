"""Prints a trace without its ids: each row with the names for which its ids stand, sorted."""

import json
import subprocess
import sys

DICTIONARY = ("string device binary function frame stack scope scope-path process thread heap symbols source-line "
              "dictionary header complete summary load").split()
SETS = {"stacks": "stack", "scope-paths": "scope-path"}


class Names:
    """The texts of ids, by kind."""

    def __init__(self):
        self.of = {}

    def text(self, kind, number):
        return self.of.get((kind, number), "") if number else ""

    def define(self, row):
        kind, number, string = row["record"], row.get("id"), lambda name: self.text("string", row.get(name, 0))
        if kind == "string":
            text = row["text"]
        elif kind == "device":
            text = row["space"] + " " + row["uuid"]
        elif kind == "binary":
            text = string("path") + row["build_id"]
        elif kind == "function":
            text = f"{string('name')} {string('file')}:{row['line']}"
        elif kind == "frame":
            text = " ".join([self.text("binary", row.get("binary")) or self.text("function", row.get("function")),
                             str(row.get("line", row.get("address", "")))])
        elif kind == "stack":
            parent = self.nodes[row["node"]]
            for frame in row["frames"]:
                parent += ";" + self.text("frame", frame)
                self.nodes.append(parent)
            text = parent
        elif kind == "scope":
            text = row["kind"] + string("name")
        elif kind == "scope-path":
            text = f"{self.text('scope-path', row['parent'])}/{self.text('scope', row['scope'])}{row['depth']}"
        elif kind == "process":
            text = f"{string('host')} pid {row['pid']} rank {row.get('rank')}"
        elif kind == "heap":
            text = f"{string('name')} in {self.text('device', row['space'])}"
        elif kind == "thread":
            text = f"{self.text('process', row['process'])} {row['tid']}"
        else:
            return
        self.of[kind, number] = text

    nodes = [""]


def canonical(path):
    names, rows, owner, parent = Names(), [], "", ""
    ooms = {}
    dump = subprocess.run(["memdump", "--format=json", path], capture_output=True, text=True, check=True).stdout
    for row in map(json.loads, dump.splitlines()):
        kind = row["record"]
        # Rows of the summary for a process, heap or thread have no id.
        if kind in DICTIONARY and (kind not in ("process", "heap", "thread") or "id" in row):
            names.define(row)
            continue
        if kind in SETS:
            owner = names.text("process", row["process"])
            continue
        if kind == "oom":
            ooms[row["oom"]] = names.text("process", row["process"]) + str(row["time"])
        fields = []
        for name, value in row.items():
            if name == "space" or kind == "mark" and name == "id":
                value = names.text("device", value)
            elif name == "oom":
                value = ooms.get(value, value)
            elif name in ("name", "layer", "role"):
                value = names.text("string", value)
            elif name in ("stack", "scope_path", "process", "heap", "thread", "scope-path"):
                value = names.text(name.replace("_", "-"), value)
            fields.append(f"{name}={value}")
        line = " ".join(fields)
        if kind == "share":
            line = parent + " " + line
        else:
            parent = line
        rows.append(owner + " " + line if kind == "row" else line)
    return sorted(rows)


print("\n".join(canonical(sys.argv[1])))
