# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes memory snapshots as PyTorch writes them, by an allocator that works like PyTorch's.

    make-torch.py OUT.pickle [name=value...]   prints what the allocator knows, as JSON

    seed=1 events=400      random allocations and frees
    ring=0                 only so many events are kept (0: all)
    expandable=0           segments that expand
    devices=1 streams=1    allocations go to devices and streams in turn
    generation=d           a, b, c, d: the keys of 2022, 2023, 2024, 2025
    skip=                  an action that is not recorded: free_requested
    writer=4               protocol 2 to 5 of Python, or `jit` for torch::jit::Pickler
    order=segments         which comes first: segments or traces
    limit=0                MiB of a device; more is an out-of-memory event
    annotations=0          ranges of an optimizer
    context=all            frees have the stack of their own call; alloc: of the allocation
"""

import json
import pickle
import random
import struct
import sys

MIB = 1 << 20
SMALL, MIN = MIB, 512
BASE = 0x7F0000000000


class OutOfMemory(Exception):
    pass


class Block:
    def __init__(self, segment, address, size):
        self.segment, self.address, self.size = segment, address, size
        self.requested, self.state, self.frames = 0, "inactive", []


class Segment:
    def __init__(self, address, size, stream, small, pool, expandable, frames):
        self.address, self.size, self.stream, self.small, self.pool = address, size, stream, small, pool
        self.expandable, self.frames = expandable, frames
        self.blocks = [Block(self, address, size)] if size else []


class Allocator:
    """The allocator of one device."""

    def __init__(self, device, options):
        self.device, self.options = device, options
        self.segments, self.events, self.pending = [], [], []
        self.next_address = BASE + (device << 40)
        self.allocated = self.reserved = self.active = 0
        self.history = []  # after each event: allocated, reserved, active
        self.before = (0, 0, 0)

    def event(self, action, address, size, stream, frames, **more):
        if action == self.options["skip"]:
            return
        clock[0] += random.choice((0, 1, 7, 250))
        names = {"addr": address, "size": size, "stream": stream}
        if action == "oom":
            names = {"size": size, "stream": stream, "device_free": address}
        event = {"action": action, **names}
        if self.options["generation"] >= "c":
            event["time_us"] = clock[0]
        if self.options["generation"] >= "d":
            event.update({"compile_context": "N/A", "user_metadata": ""})
        event.update(more)
        event["frames"] = frames
        self.events.append(event)
        self.history.append(None)

    def note(self):
        """The state after an operation belongs to its last event."""
        for k, value in enumerate(self.history):
            if value is None:
                self.history[k] = (self.allocated, self.reserved, self.active)

    @staticmethod
    def rounded(size):
        return max(MIN, (size + MIN - 1) // MIN * MIN)

    def find(self, size, stream, pool):
        small = size <= SMALL
        fits = [
            (b.size, b.address, b)
            for s in self.segments
            for b in s.blocks
            if (s.stream, s.pool, s.small, b.state) == (stream, pool, small, "inactive") and b.size >= size
        ]
        return min(fits)[2] if fits else None

    def grow(self, size, stream, pool, frames):
        small = size <= SMALL
        if self.options["expandable"]:
            return self.map(size, stream, pool, small, frames)
        total = 2 * MIB if small else 20 * MIB if size < 10 * MIB else (size + 2 * MIB - 1) // (2 * MIB) * 2 * MIB
        if self.limit(total) and not (self.release() and not self.limit(total)):
            free = self.options["limit"] * MIB - self.reserved
            self.event("oom", free, size, stream, frames)
            self.note()
            raise OutOfMemory()
        segment = Segment(self.next_address, total, stream, small, pool, False, frames)
        self.next_address += total + random.choice((0, 2 * MIB))
        self.segments.append(segment)
        self.reserved += total
        self.event("segment_alloc", segment.address, total, stream, frames)
        return segment.blocks[0]

    def map(self, size, stream, pool, small, frames):
        page = 2 * MIB if small else 20 * MIB
        for segment in self.segments:
            if (segment.stream, segment.pool, segment.small) == (stream, pool, small):
                break
        else:
            segment = Segment(self.next_address, 0, stream, small, pool, True, frames)
            self.next_address += 1 << 34
            self.segments.append(segment)
        tail = segment.blocks[-1] if segment.blocks and segment.blocks[-1].state == "inactive" else None
        missing = size - (tail.size if tail else 0)
        mapped = (missing + page - 1) // page * page
        at = segment.address + segment.size
        # PyTorch maps one handle a time.
        for k in range(0, mapped, page):
            self.event("segment_map", at + k, page, stream, frames)
        segment.size += mapped
        self.reserved += mapped
        if tail:
            tail.size += mapped
        else:
            tail = Block(segment, at, mapped)
            segment.blocks.append(tail)
        return tail

    def limit(self, more):
        return self.options["limit"] and self.reserved + more > self.options["limit"] * MIB

    def release(self):
        """Gives back the segments without blocks, and the free tails of those that expand."""
        any_ = False
        for segment in list(self.segments):
            tail = segment.blocks[-1]
            if tail.state != "inactive":
                continue
            if segment.expandable:
                page = 2 * MIB if segment.small else 20 * MIB
                keep = (tail.address - segment.address + page - 1) // page * page
                cut = segment.size - keep
                if not cut:
                    continue
                self.event("segment_unmap", segment.address + keep, cut, segment.stream, [])
                segment.size -= cut
                self.reserved -= cut
                tail.size -= cut
                if not tail.size:
                    segment.blocks.pop()
                if not segment.blocks:
                    self.segments.remove(segment)
            elif len(segment.blocks) == 1:
                self.event("segment_free", segment.address, segment.size, segment.stream, [])
                self.segments.remove(segment)
                self.reserved -= segment.size
            else:
                continue
            any_ = True
        self.note()
        return any_

    def allocate(self, requested, stream, pool, frames):
        size = self.rounded(requested)
        block = self.find(size, stream, pool) or self.grow(size, stream, pool, frames)
        left = block.size - size
        segment = block.segment
        if left >= MIN if segment.small or segment.expandable else left > SMALL:
            rest = Block(segment, block.address + size, left)
            segment.blocks.insert(segment.blocks.index(block) + 1, rest)
            block.size = size
        block.requested, block.state, block.frames = requested, "active_allocated", frames
        self.allocated += block.size
        self.active += block.size
        self.event("alloc", block.address, requested, stream, frames)
        self.note()
        return block

    def free(self, block, is_pending, frames):
        if self.options["context"] == "alloc":
            frames = block.frames
        self.allocated -= block.size
        self.event("free_requested", block.address, block.requested, block.segment.stream, frames)
        block.state = "active_pending_free"
        if is_pending:
            self.pending.append((block, frames))
        else:
            self.complete(block, frames)
        self.note()

    def complete(self, block, frames):
        self.event("free_completed", block.address, block.requested, block.segment.stream, frames)
        self.active -= block.size
        block.state, block.frames = "inactive", []
        blocks = block.segment.blocks
        at = blocks.index(block)
        for other in (at + 1, at):
            if 0 < other < len(blocks) and blocks[other].state == blocks[other - 1].state == "inactive":
                blocks[other - 1].size += blocks[other].size
                del blocks[other]
        self.note()

    def describe(self):
        """The segments, as the snapshot has them."""
        old = self.options["generation"] == "a"
        out = []
        for s in sorted(self.segments, key=lambda s: s.address):
            blocks = []
            for b in s.blocks:
                entry = {"address": b.address, "size": b.size, "requested_size": b.requested, "state": b.state}
                if old:
                    del entry["address"]
                    if b.state != "inactive":
                        entry["history"] = [{"addr": b.address, "real_size": b.requested, "frames": b.frames}]
                else:
                    entry["frames"] = b.frames
                blocks.append(entry)
            active = sum(b.size for b in s.blocks if b.state != "inactive")
            allocated = sum(b.size for b in s.blocks if b.state == "active_allocated")
            entry = {"device": self.device, "address": s.address, "total_size": s.size, "allocated_size": allocated,
                     "active_size": active, "stream": s.stream, "segment_type": "small" if s.small else "large"}
            if not old:
                entry.update({"segment_pool_id": s.pool, "is_expandable": s.expandable, "frames": s.frames})
            entry["blocks"] = blocks
            out.append(entry)
        return out


class JitPickler:
    """Writes as torch::jit::Pickler does: protocol 2, one batch a container, which is numbered after its content."""

    def __init__(self, out):
        self.out, self.numbers, self.uses, self.alive = out, {}, {}, []

    def count(self, value):
        if isinstance(value, (list, dict, tuple)):
            self.uses[id(value)] = self.uses.get(id(value), 0) + 1
            if self.uses[id(value)] == 1:
                for item in value.items() if isinstance(value, dict) else value:
                    for part in item if isinstance(value, dict) else (item,):
                        self.count(part)

    def dump(self, value):
        self.count(value)
        self.out.write(b"\x80\x02")
        self.push(value)
        self.out.write(b".")

    def number(self, key):
        at = self.numbers[key] = len(self.numbers)
        self.out.write(b"q" + bytes([at]) if at < 256 else b"r" + struct.pack("<I", at))

    def get(self, key):
        at = self.numbers[key]
        self.out.write(b"h" + bytes([at]) if at < 256 else b"j" + struct.pack("<I", at))

    def push(self, value):
        w = self.out.write
        key = ("text", value) if isinstance(value, str) else id(value)
        if key in self.numbers and isinstance(value, (str, list, dict, tuple)):
            return self.get(key)
        if value is None:
            w(b"N")
        elif isinstance(value, bool):
            w(b"\x88" if value else b"\x89")
        elif isinstance(value, int):
            if 0 <= value < 256:
                w(b"K" + bytes([value]))
            elif 0 <= value < 65536:
                w(b"M" + struct.pack("<H", value))
            elif -(1 << 31) <= value < 1 << 31:
                w(b"J" + struct.pack("<i", value))
            else:
                w(b"\x8a\x08" + struct.pack("<q", value))
        elif isinstance(value, float):
            w(b"G" + struct.pack(">d", value))
        elif isinstance(value, str):
            text = value.encode()
            w(b"X" + struct.pack("<I", len(text)) + text)
            self.number(key)
        elif isinstance(value, tuple):
            w(b"(")
            for item in value:
                self.push(item)
            w(b"t")
        elif isinstance(value, list):
            w(b"](")
            for item in value:
                self.push(item)
            w(b"e")
        else:
            w(b"}(")
            for name, item in value.items():
                self.push(name)
                self.push(item)
            w(b"u")
        if isinstance(value, (list, dict, tuple)) and self.uses.get(id(value), 0) > 1:
            self.number(key)
        return None


def write(snapshot, path, writer):
    with open(path, "wb") as out:
        if writer == "jit":
            JitPickler(out).dump(snapshot)
        else:
            pickle.dump(snapshot, out, protocol=int(writer))


class Stacks:
    """Lists of frames, which share their frames."""

    def __init__(self):
        self.frames = [
            {"filename": "/home/me/model.py", "name": "layer%d" % k, "line": 10 + k} for k in range(12)
        ]
        self.torch = {"filename": "/venv/lib/python3.12/site-packages/torch/nn/modules/module.py", "name": "_call_impl",
                      "line": 1790}
        self.main = {"filename": "/home/me/train.py", "name": "<module>", "line": 98}
        self.lists = {}

    def get(self):
        key = random.randrange(12)
        if key not in self.lists or random.random() < 0.3:
            self.lists[key] = [self.frames[key], self.torch, self.main]
        return self.lists[key]


clock = [1776479641000000]


def work(devices, options, stacks):
    """Random work; returns the annotations."""
    live, annotations, step = [], [], 0
    optimizer = "Optimizer.step#AdamW.step"
    for turn in range(options["events"]):
        device = devices[turn % len(devices)]
        if options["annotations"] and turn % 100 == 90:
            annotations.append({"stage": "START", "name": optimizer, "device": device.device, "time_us": clock[0]})
        if options["annotations"] and turn % 100 == 99:
            clock[0] += 1
            annotations.append({"stage": "END", "name": optimizer, "device": device.device, "time_us": clock[0]})
            step += 1
        mine = [x for x in live if x[0] is device]
        if random.random() < (0.6 if len(mine) < 40 else 0.4) or not mine:
            size = random.choice((36, 500, 4096, 70000, 900000, 1 << 20, (1 << 20) + 1, 1500000, 5 << 20, 11900000, 30 << 20))
            size = max(1, size + random.randrange(-30, 30))
            stream = random.choice([0, 0, 0x5600_0000_1000][: options["streams"] + 1]) if options["streams"] > 1 else 0
            pool = (0, 1) if options["streams"] > 1 and random.random() < 0.2 else (0, 0)
            try:
                live.append((device, device.allocate(size, stream, pool, stacks.get())))
            except OutOfMemory:
                for _ in range(5):
                    if mine:
                        entry = mine.pop()
                        live.remove(entry)
                        device.free(entry[1], False, stacks.get())
        else:
            entry = random.choice(mine)
            live.remove(entry)
            device.free(entry[1], random.random() < 0.2, stacks.get())
        if device.pending and random.random() < 0.3:
            device.complete(*device.pending.pop(0))
        if turn % 150 == 149:
            device.release()
    return annotations


def window(device, ring):
    """Keeps the last events; the sums that a reader can know."""
    first = max(0, len(device.events) - ring) if ring else 0
    states = device.history[first:]
    before = device.history[first - 1] if first else (0, 0, 0)
    events = device.events[first:]
    names = ("allocated", "reserved", "active")
    sums = {"events": len(events), "allocations": sum(e["action"] == "alloc" for e in events)}
    for k, name in enumerate(names):
        sums[name + "_peak"] = max([before[k]] + [s[k] for s in states])
        sums[name + "_end"] = (device.allocated, device.reserved, device.active)[k]
    device.events = events
    return sums


def main():
    options = {"seed": 1, "events": 400, "ring": 0, "expandable": 0, "devices": 1, "streams": 1, "generation": "d",
               "skip": "", "writer": "4", "order": "segments", "limit": 0, "annotations": 0, "context": "all"}
    for argument in sys.argv[2:]:
        name, value = argument.split("=")
        options[name] = type(options[name])(value)
    random.seed(options["seed"])
    stacks = Stacks()
    devices = [Allocator(k, options) for k in range(options["devices"])]
    annotations = work(devices, options, stacks)
    known = {"cuda:%d" % d.device: window(d, options["ring"]) for d in devices}
    segments = [s for d in devices for s in d.describe()]
    traces = [d.events for d in devices]
    snapshot = {"segments": segments, "device_traces": traces}
    if options["order"] == "traces":
        snapshot = {"device_traces": traces, "segments": segments}
    if options["generation"] >= "c":
        snapshot["allocator_settings"] = {
            "PYTORCH_CUDA_ALLOC_CONF": "", "max_split_size": -1, "garbage_collection_threshold": 0.0,
            "expandable_segments": bool(options["expandable"]),
            "roundup_power2_divisions": {str(1 << k): 0 for k in range(16)}}
        snapshot["external_annotations"] = annotations
    write(snapshot, sys.argv[1], options["writer"])
    print(json.dumps(known))


if __name__ == "__main__":
    main()
