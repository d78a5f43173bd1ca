# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""list-perfetto.py FILE: what Perfetto's own message classes find in it, a line each.

Tracks as `track NAME in PARENT`, then by track its slices as `BEGIN-END NAME [CATEGORY] BYTES`,
outer ones first, and its counter's values as `TIME VALUE`. Then heap profiles, as
`profile HEAP of PID START-END`, with `STACK ALLOCATED-FREED (ALLOCATIONS-FREES)` of the stacks that
changed, and the bytes that are live in the heap. Fails where a message has a field that the classes
do not know, where a slice ends that did not begin, or one is left open; where a heap profile would
be wrong in Perfetto, which keeps sums by process and stack; and with `--live HEAP=BYTES...` unless
the last profiles have these bytes, or with `--summary FILE` those of `memdump --summary --format=json`."""

import json
import sys

from google.protobuf.unknown_fields import UnknownFieldSet
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as proto


def check_known(message):
    """Fails where a message has a field that its class does not know."""
    assert not len(UnknownFieldSet(message)), f"unknown fields in {message}"
    for field, value in message.ListFields():
        if field.type == field.TYPE_MESSAGE:
            for inner in value if hasattr(value, "append") else [value]:
                check_known(inner)


def name_of(descriptor):
    if descriptor.HasField("process"):
        return f"{descriptor.process.process_name} {descriptor.process.pid}"
    if descriptor.HasField("thread"):
        return f"{descriptor.thread.thread_name} {descriptor.thread.tid}"
    return descriptor.name


class HeapProfiles:
    """The heap profiles as Perfetto's trace processor adds them up."""

    def __init__(self):
        self.interned, self.sums, self.heap_of, self.live, self.index = {}, {}, {}, {}, 0
        self.pending, self.lines = [], []

    def intern(self, data):
        for field, entries in data.ListFields():
            for entry in entries:
                assert (field.name, entry.iid) not in self.interned, f"{field.name} {entry.iid} twice"
                self.interned[field.name, entry.iid] = entry

    def text(self, field, iid):
        return self.interned[field, iid].str.decode() if iid else ""

    def callsite(self, iid):
        """What identifies a stack for the trace processor, and its text."""
        site, names = [], []
        for frame_iid in self.interned["callstacks", iid].frame_ids:
            frame = self.interned["frames", frame_iid]
            mapping = self.interned["mappings", frame.mapping_id]
            path = "".join("/" + self.text("mapping_paths", part) for part in mapping.path_string_ids)
            function = self.text("function_names", frame.function_name_id)
            site.append((path, frame.rel_pc, function))
            source = self.text("source_paths", frame.source_path_iid)
            names.append(function + (f"@{source}:{frame.line_number}" if source else "") +
                         ("" if path == "/[no binary]" else f" [{path}]"))
        assert site, "a stack without frames"
        return tuple(site), ";".join(names)

    def take(self, packet):
        profile = packet.profile_packet
        assert profile.index == self.index, f"index {profile.index} after {self.index - 1}"
        self.index += 1
        (dump,) = profile.process_dumps
        assert dump.timestamp == packet.timestamp and dump.start_timestamp <= dump.timestamp
        assert ":" not in dump.heap_name and dump.from_startup
        self.pending.append(dump)
        if profile.continued:
            return
        head = self.pending[0]
        sampled = f" sampled {head.sampling_interval_bytes}" if head.sampling_interval_bytes else ""
        self.lines.append(f"profile {head.heap_name} of {head.pid} {head.start_timestamp}-{head.timestamp}{sampled}")
        seen = set()
        for part in self.pending:
            assert (part.pid, part.heap_name, part.timestamp) == (head.pid, head.heap_name, head.timestamp)
            for sample in part.samples:
                assert sample.callstack_id not in seen, "a stack twice in a profile"
                seen.add(sample.callstack_id)
                self.add(head, sample)
        self.pending = []
        self.lines.append(f"  live {self.live[head.pid, head.heap_name]}")

    def add(self, dump, sample):
        site, text = self.callsite(sample.callstack_id)
        assert self.heap_of.setdefault((dump.pid, site), dump.heap_name) == dump.heap_name, "a stack of two heaps"
        now = (sample.self_allocated, sample.self_freed, sample.alloc_count, sample.free_count)
        before = self.sums.get((dump.pid, site), (0, 0, 0, 0))
        assert all(a >= b for a, b in zip(now, before)), f"{text} falls from {before} to {now}"
        assert now != before and now[0] >= now[1] and now[2] >= now[3], f"{text} {now}"
        self.sums[dump.pid, site] = now
        key = dump.pid, dump.heap_name
        self.live[key] = self.live.get(key, 0) + now[0] - now[1] - before[0] + before[1]
        self.lines.append(f"  {text} {now[0]}-{now[1]} ({now[2]}-{now[3]})")


def check_clocks(packet):
    clocks = {clock.clock_id: clock.timestamp for clock in packet.clock_snapshot.clocks}
    assert clocks[proto.BUILTIN_CLOCK_BOOTTIME] == clocks[proto.BUILTIN_CLOCK_MONOTONIC_COARSE] == 0
    assert packet.clock_snapshot.primary_trace_clock == proto.BUILTIN_CLOCK_BOOTTIME


def live_bytes(option, *values):
    """The live bytes that the last profiles of each heap must have."""
    if option == "--live":
        return {heap: int(live) for heap, live in (text.split("=") for text in values)}
    assert option == "--summary"
    with open(values[0], encoding="utf-8") as file:
        heaps = json.load(file)["heaps"]
    return {heap["name"].replace(":", "_"): heap["live_at_exits_bytes"] for heap in heaps
            if heap["in_totals"] and heap["allocations"]}


def main():
    trace = proto.Trace()
    data = open(sys.argv[1], "rb").read()
    trace.ParseFromString(data)
    assert trace.SerializeToString(deterministic=True) and trace.ByteSize() == len(data)
    tracks, names, categories, events = {}, {}, {}, {}
    profiles = HeapProfiles()
    check_clocks(trace.packet[0])
    for packet in trace.packet:
        check_known(packet)
        assert packet.trusted_packet_sequence_id == 1
        for entry in packet.interned_data.event_names:
            names[entry.iid] = entry.name
        for entry in packet.interned_data.event_categories:
            categories[entry.iid] = entry.name
        if packet.HasField("profile_packet"):
            profiles.intern(packet.interned_data)
            profiles.take(packet)
        elif packet.HasField("track_descriptor"):
            descriptor = packet.track_descriptor
            assert descriptor.uuid not in tracks
            tracks[descriptor.uuid] = descriptor
        elif packet.HasField("track_event"):
            event = packet.track_event
            events.setdefault(event.track_uuid, []).append((packet.timestamp, event))
    for uuid, descriptor in tracks.items():
        parent = descriptor.parent_uuid
        kind = "counter" if descriptor.HasField("counter") else "track"
        print(kind, name_of(descriptor), "in " + name_of(tracks[parent]) if parent else "")
        stack, shown = [], []
        for time, event in sorted(events.get(uuid, []), key=lambda e: e[0]):
            if event.type == event.TYPE_COUNTER:
                assert descriptor.counter.unit == descriptor.counter.UNIT_SIZE_BYTES
                shown.append(f"{time} {event.counter_value}")
            elif event.type == event.TYPE_SLICE_BEGIN:
                text = f"{names[event.name_iid]} [{categories[event.category_iids[0]]}]"
                for note in event.debug_annotations:
                    text += f" {note.name}={note.uint_value}"
                stack.append(len(shown))
                shown.append([time, text, "  " * len(stack)])
            elif event.type == event.TYPE_SLICE_END:
                at = stack.pop()
                begin, text, indent = shown[at]
                for note in event.debug_annotations:
                    text += f" {note.name}={note.uint_value}"
                shown[at] = f"{indent}{begin}-{time} {text}"
            else:
                assert event.type == event.TYPE_INSTANT
                shown.append(f"{time} {names[event.name_iid]} [{categories[event.category_iids[0]]}]")
        assert not stack, "left open"
        for line in shown:
            print("  " + line)
    assert not profiles.pending, "a profile goes on behind the last packet"
    print("\n".join(profiles.lines))
    if len(sys.argv) > 2:
        found = {}
        for (_, heap), live in profiles.live.items():
            found[heap] = found.get(heap, 0) + live
        assert found == live_bytes(*sys.argv[2:]), f"live: {found}"


main()
