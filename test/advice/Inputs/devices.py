# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes recordings of GPUs that an advice helps, each beside one that it does not help.

    devices.py NAME FILE

A recording of PyTorch's allocator is a memory snapshot, as torch.cuda.memory._dump_snapshot() writes them; one of
pinned memory is a text for memas. The allocator here reuses holes best fit, by stream and pool, and makes a segment
for each request without a hole, as PyTorch's does for requests of 10 MiB or more."""

import pickle
import sys

MIB = 1 << 20
GIB = 1 << 30
FRAMES = [{"filename": "train.py", "line": 21, "name": "forward"}, {"filename": "train.py", "line": 30, "name": "<module>"}]


class Segment:
    def __init__(self, address, size, stream, pool):
        self.address, self.size, self.stream, self.pool = address, size, stream, pool
        self.blocks = {}  # offset: size

    def holes(self):
        at = 0
        for offset, size in sorted(self.blocks.items()) + [(self.size, 0)]:
            if offset > at:
                yield at, offset - at
            at = offset + size


class Allocator:
    def __init__(self):
        self.segments, self.events, self.address, self.time = [], [], 0x7F0000000000, 1700000000000000

    def note(self, action, address, size, stream=0, pool=0, **more):
        self.time += 1000
        self.events.append({"action": action, "addr": address, "size": size, "stream": stream, "time_us": self.time, "frames": FRAMES,
                            "segment_pool_id": (0, pool), "compile_context": "N/A", "user_metadata": "", **more})

    def alloc(self, size, stream=0, pool=0):
        fits = [(length, offset, s) for s in self.segments if (s.stream, s.pool) == (stream, pool)
                for offset, length in s.holes() if length >= size]
        if fits:
            _, offset, segment = min(fits, key=lambda fit: fit[:2])
        else:
            offset, segment = 0, Segment(self.address, size, stream, pool)
            self.address += size + GIB
            self.segments.append(segment)
            self.note("segment_alloc", segment.address, size, stream, pool)
        segment.blocks[offset] = size
        self.note("alloc", segment.address + offset, size, stream, pool)
        return segment, offset

    def free(self, block):
        segment, offset = block
        size = segment.blocks.pop(offset)
        for action in ("free_requested", "free_completed"):
            self.note(action, segment.address + offset, size, segment.stream, segment.pool)

    def fail(self, size, free):
        self.note("oom", free, size, device_free=free)

    def snapshot(self):
        return {"segments": [self.saved(s) for s in self.segments], "device_traces": [self.events], "external_annotations": [],
                "allocator_settings": {"PYTORCH_CUDA_ALLOC_CONF": "", "expandable_segments": False}}

    @staticmethod
    def saved(segment):
        live = sum(segment.blocks.values())
        blocks = [(at, size, "active_allocated") for at, size in segment.blocks.items()]
        blocks += [(at, size, "inactive") for at, size in segment.holes()]
        return {"device": 0, "address": segment.address, "total_size": segment.size, "allocated_size": live, "active_size": live,
                "requested_size": live, "stream": segment.stream, "segment_type": "large", "segment_pool_id": (0, segment.pool),
                "is_expandable": False, "frames": FRAMES,
                "blocks": [{"address": segment.address + at, "size": size, "requested_size": size, "state": state, "frames": FRAMES}
                           for at, size, state in sorted(blocks)]}


def lengths(a):
    """Sequences that become longer, beside states that stay: no old segment has room for the next length."""
    for step in range(8):
        sequence = a.alloc((1500 + 130 * step) * MIB)
        a.alloc(230 * MIB)
        a.free(sequence)


def streams(a):
    """One stream after another: memory of one serves no request of the other."""
    for stream in (0, 7):
        for block in [a.alloc(512 * MIB, stream) for _ in range(8)]:
            a.free(block)


def pieces(a):
    """2700 MiB are free between live tensors of the stream that asks for 1536 MiB."""
    held = []
    for _ in range(3):
        a.free(a.alloc(1900 * MIB))
        a.alloc(500 * MIB)
        held.append(a.alloc(900 * MIB))
        a.alloc(500 * MIB)
    for block in held:
        a.free(block)
    a.fail(1536 * MIB, 300 * MIB)


def too_large(a):
    """The same for a request of more than all that is free."""
    pieces(a)
    a.events.pop()
    a.fail(4096 * MIB, 300 * MIB)


def whole_segments(a):
    """During the capture of a graph PyTorch keeps the free segments of other streams."""
    held = [a.alloc(2048 * MIB, 7) for _ in range(2)]
    a.alloc(1024 * MIB)
    for block in held:
        a.free(block)
    a.fail(1536 * MIB, 900 * MIB)


def beside_tensor(a):
    """The other stream's free memory lies beside a live tensor."""
    a.free(a.alloc(4000 * MIB, 7))
    a.alloc(400 * MIB, 7)
    a.alloc(1024 * MIB)
    a.fail(1536 * MIB, 900 * MIB)


def fraction(a):
    """The device has room."""
    a.alloc(8 * GIB)
    a.fail(12 * GIB, 60 * GIB)


def full(a):
    """The device has none."""
    for _ in range(7):
        a.alloc(GIB)
    a.fail(GIB, 200 * MIB)


SNAPSHOTS = {f.__name__.replace("_", "-"): f
             for f in (lengths, streams, pieces, too_large, whole_segments, beside_tensor, fraction, full)}


def pinned(heap):
    """Memory that is pinned and freed for each batch."""
    lines = ['header command=["python" "train.py"]', "dictionary", '  process 1 pid=11 role="train.py"',
             "  thread 1 process=1 tid=11", f'  heap 1 name="{heap}"', '  stack 1 "<module>@train.py:40" > cuMemHostAlloc',
             "events process=1"]
    for batch in range(40):
        now = 1000 * batch
        lines += [f"  {now} th1 alloc #{batch} heap=1 stack=1 size={8 * MIB}", f"  {now + 500} th1 free #{batch}"]
    return "\n".join(lines + ["complete", ""])


def main(name, path):
    if name in SNAPSHOTS:
        allocator = Allocator()
        SNAPSHOTS[name](allocator)
        with open(path, "wb") as file:
            pickle.dump(allocator.snapshot(), file, 4)
    else:
        with open(path, "w") as file:
            file.write(pinned({"driver": "cuda.pinned", "pytorch": "torch.pinned"}[name]))


main(*sys.argv[1:])
