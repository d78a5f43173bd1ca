# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""list-perfetto.py FILE: what Perfetto's own message classes find in it, a line each.

Tracks as `track NAME in PARENT`, then by track its slices as `BEGIN-END NAME [CATEGORY] BYTES`,
outer ones first, and its counter's values as `TIME VALUE`. Fails where a message has a field
that the classes do not know, where a slice ends that did not begin, or one is left open."""

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


def main():
    trace = proto.Trace()
    data = open(sys.argv[1], "rb").read()
    trace.ParseFromString(data)
    assert trace.SerializeToString(deterministic=True) and trace.ByteSize() == len(data)
    tracks, names, categories, events = {}, {}, {}, {}
    for packet in trace.packet:
        check_known(packet)
        assert packet.trusted_packet_sequence_id == 1
        for entry in packet.interned_data.event_names:
            names[entry.iid] = entry.name
        for entry in packet.interned_data.event_categories:
            categories[entry.iid] = entry.name
        if packet.HasField("track_descriptor"):
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
                shown[at] = f"{indent}{begin}-{time} {text}"
            else:
                assert event.type == event.TYPE_INSTANT
                shown.append(f"{time} {names[event.name_iid]} [{categories[event.category_iids[0]]}]")
        assert not stack, "left open"
        for line in shown:
            print("  " + line)


main()
