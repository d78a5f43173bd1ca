# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""list-firefox.py FILE [SUMMARY]: a file for the Firefox Profiler, checked, a line for each row.

Fails where a table has columns of unequal length or a number that names no row, where times
fall, where a free has no allocation of its address and size before, or an address has two blocks
at a time. With SUMMARY, the output of `memdump --summary --format=json`, also fails unless the
weights of each heap sum to its live bytes there."""

import collections
import functools
import json
import sys

SHARED = {  # the columns of version 61, and what their numbers name
    "stackTable": {"frame": "frameTable", "prefix": "before"},
    "frameTable": {"address": None, "inlineDepth": None, "category": "categories", "subcategory": None,
                   "func": "funcTable", "nativeSymbol": None, "innerWindowID": None, "line": None,
                   "column": None},
    "funcTable": {"name": "stringArray", "isJS": None, "relevantForJS": None,
                  "resource": "resourceTable", "source": "sources", "lineNumber": None,
                  "columnNumber": None},
    "resourceTable": {"lib": None, "name": "stringArray", "host": None, "type": None},
    "nativeSymbols": {"libIndex": None, "address": None, "name": "stringArray", "functionSize": None},
    "sources": {"id": None, "filename": "stringArray", "startLine": None, "startColumn": None,
                "sourceMapURL": None},
}
MARKERS = {"data": None, "name": "stringArray", "startTime": None, "endTime": None, "phase": None,
           "category": "categories"}
BLOCKS = {"time": None, "weight": None, "stack": "stackTable", "memoryAddress": None, "threadId": None}


def check_table(name, table, columns, sizes, others=()):
    assert set(table) == set(columns) | {"length", *others}, f"{name} has {sorted(table)}"
    for column, of in columns.items():
        values = table[column]
        assert len(values) == table["length"], f"{name}.{column} has {len(values)} rows"
        for row, value in enumerate(values):
            limit = row if of == "before" else sizes.get(of)
            if of and value is not None and not (of == "resourceTable" and value == -1):
                assert 0 <= value < limit, f"{name}.{column}[{row}] is {value}"


def nanoseconds(milliseconds):
    return round(milliseconds * 1e6)


class Lister:
    def __init__(self, profile):
        self.profile = profile
        self.shared = profile["shared"]
        self.sizes = {name: table["length"] for name, table in self.shared.items() if name != "stringArray"}
        self.sizes["stringArray"] = len(self.shared["stringArray"])
        self.sizes["categories"] = len(profile["meta"]["categories"])
        self.live = collections.Counter()

    def check_head(self):
        meta = self.profile["meta"]
        assert meta["preprocessedProfileVersion"] == 61 and meta["interval"] > 0
        assert "grey" in [category["color"] for category in meta["categories"]]
        assert set(self.profile) == {"meta", "libs", "threads", "counters", "shared"}
        assert set(self.shared) == set(SHARED) | {"stringArray"}
        for name, columns in SHARED.items():
            check_table(name, self.shared[name], columns, self.sizes)
        strings = self.shared["stringArray"]
        assert len(strings) == len(set(strings)), "a string twice"
        self.schemas = {schema["name"]: schema for schema in meta["markerSchema"]}
        assert len(self.schemas) == len(meta["markerSchema"])
        threads = range(len(self.profile["threads"]))
        assert all(index in threads for index in meta["initialVisibleThreads"])
        assert all(index in threads for index in meta["initialSelectedThreads"])

    def function(self, frame):
        functions, frames = self.shared["funcTable"], self.shared["frameTable"]
        function = frames["func"][frame]
        strings = self.shared["stringArray"]
        text = strings[functions["name"][function]]
        resource, source = functions["resource"][function], functions["source"][function]
        if resource != -1:
            text = strings[self.shared["resourceTable"]["name"][resource]] + "!" + text
        if source is not None:
            text += "@" + strings[self.shared["sources"]["filename"][source]]
            text += f":{frames['line'][frame]}"
        category = self.profile["meta"]["categories"][frames["category"][frame]]["name"]
        return text + {"Your code": "*", "Libraries": "", "Imports": "^", "Other": "~"}[category]

    @functools.lru_cache(maxsize=None)
    def path(self, stack):
        names = []
        while stack is not None:
            names.append(self.function(self.shared["stackTable"]["frame"][stack]))
            stack = self.shared["stackTable"]["prefix"][stack]
        return ";".join(reversed(names))

    def list_blocks(self, heap, table):
        assert table["length"] and table["weightType"] == "bytes"
        check_table("nativeAllocations", table, BLOCKS, self.sizes, {"weightType"})
        assert table["time"] == sorted(table["time"]), "times fall"
        held = {}
        for row in range(table["length"]):
            weight, address = table["weight"][row], table["memoryAddress"][row]
            assert weight, "a row of 0 bytes"
            if weight > 0:
                assert address not in held, f"address {address} has two blocks"
                held[address] = weight
            else:
                assert held.pop(address, 0) == -weight, f"no block of {-weight} B at {address}"
            print(f"  {nanoseconds(table['time'][row])} #{address} {weight:+} th{table['threadId'][row]}"
                  f" {self.path(table['stack'][row])}")
        self.live[heap] += sum(table["weight"])
        print(f"  live {sum(table['weight'])}")

    def list_markers(self, table):
        check_table("markers", table, MARKERS, self.sizes)
        for row in range(table["length"]):
            data = dict(table["data"][row])
            schema = self.schemas[data.pop("type")]
            assert set(data) <= {field["key"] for field in schema["fields"]}
            begin, end = table["startTime"][row], table["endTime"][row]
            assert table["phase"][row] in (0, 1) and (end is None) == (table["phase"][row] == 0)
            when = f"{nanoseconds(begin)}" + ("" if end is None else f"-{nanoseconds(end)}")
            name = self.shared["stringArray"][table["name"][row]]
            print(f"  {when} {name} [{schema['name']}]" + "".join(f" {k}={v}" for k, v in data.items()))
            assert end is None or begin <= end

    def list_threads(self):
        seen, first = set(), set()
        for thread in self.profile["threads"]:
            pid, tid = thread["pid"], thread["tid"]
            assert isinstance(pid, str) and (pid, tid) not in seen, f"thread {pid}, {tid} twice"
            seen.add((pid, tid))
            assert thread["isMainThread"] == (pid not in first), "the first thread is the main one"
            first.add(pid)
            samples = thread["samples"]
            assert samples["length"] == len(samples["stack"]) == len(samples["time"]) == 0
            print(f"thread {thread['name']} of {thread['processName']} {pid}")
            if "nativeAllocations" in thread:
                self.list_blocks(thread["name"].split(": ")[-1], thread["nativeAllocations"])
            self.list_markers(thread["markers"])

    def list_counters(self):
        for counter in self.profile["counters"]:
            assert self.profile["threads"][counter["mainThreadIndex"]]["pid"] == counter["pid"]
            assert counter["category"] == "Memory" and counter["display"]["label"] == counter["name"]
            samples, value, shown = counter["samples"], 0, []
            assert samples["count"][0] == 0, "the profiler ignores the first value"
            check_table("samples", samples, {"time": None, "count": None}, self.sizes)
            assert samples["time"] == sorted(samples["time"]), "times fall"
            for time, count in list(zip(samples["time"], samples["count"]))[1:]:
                value += count
                shown.append(f"{nanoseconds(time)}:{value}")
            print(f"counter {counter['name']} of {counter['pid']}", *shown)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        lister = Lister(json.load(file))
    lister.check_head()
    lister.list_threads()
    lister.list_counters()
    if len(sys.argv) > 2:
        with open(sys.argv[2], encoding="utf-8") as file:
            heaps = {heap["name"]: heap["live_at_exits_bytes"] for heap in json.load(file)["heaps"]}
        for name, live in lister.live.items():
            assert heaps[name] == live, f"{name}: {live}, {heaps[name]} in the summary"
        print("as in the summary:", ", ".join(sorted(lister.live)))


main()
