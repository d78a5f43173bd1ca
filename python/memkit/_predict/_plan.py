# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a step would do with memory: blocks, passes, layers. No code of PyTorch here."""

from typing import Dict, Iterator, List, NamedTuple, Tuple

from ._writer import Frame, Scope, TraceWriter, quoted

#: PyTorch's caching allocator rounds requests up to a multiple of it.
ROUNDING = 512

FORWARD, BACKWARD, OPTIMIZER = "forward", "backward", "optimizer"


class Where(NamedTuple):
    """The place of a time point."""

    time: int  # ns
    step: int
    phase: str
    #: Outside of layers the line whose nodes run backward.
    layer: str


class _Layer:
    """The sums of a layer's calls in one direction; bytes."""

    __slots__ = ("calls", "allocations", "frees", "allocated", "freed", "peak", "span")

    def __init__(self) -> None:
        self.span = -1  # the pass that counted a call
        self.calls = self.allocations = self.frees = self.allocated = self.freed = self.peak = 0


class Block:
    """A live storage."""

    __slots__ = ("number", "size", "requested", "phase", "span", "has_run", "known", "dtype")

    def __init__(
        self, number: int, size: int, requested: int, phase: str, span: int, has_run: bool, dtype: str
    ) -> None:
        self.number = number
        self.size = size
        self.requested = requested
        #: The phase that made the block, and the number of its pass.
        self.phase = phase
        self.span = span
        #: Made after a forward pass whose backward pass has not begun.
        self.has_run = has_run
        self.known = ""
        self.dtype = dtype


class Plan:
    """Counts live bytes, and passes all on to the trace."""

    def __init__(self, writer: TraceWriter, rounding: int, space: int) -> None:
        self._writer = writer
        self._space = space  # of the heap; 0: the host
        self._rounding = rounding
        self.live = 0
        self.peak = 0
        #: The sum of requested sizes, and its peak: what the dispatcher sees.
        self.requested = 0
        self.requested_peak = 0
        self.allocations = 0
        self.step = 0
        self.phase = ""
        self._outer: List[str] = []
        self._span = 0
        self._has_run = False
        #: Layers that run, outermost first.
        self.layers: Tuple[str, ...] = ()
        self._line = ""
        self._rows: Dict[Tuple[str, bool], _Layer] = {}
        self._running: List[_Layer] = []
        #: Where the plan was, at each change.
        self.places: List[Where] = []

    # -- passes

    def begin(self, phase: str) -> None:
        """A pass begins; a pass within another one (a recomputation) belongs to the outer pass's phase."""
        self._outer.append(self.phase)
        if phase == FORWARD and self.phase == BACKWARD:
            return
        self.phase = phase
        self._span += 1
        if phase == BACKWARD:
            self._has_run = False
        elif phase == FORWARD:
            self._has_run = True
        self._moved()

    def end(self) -> None:
        """The innermost pass ends."""
        outer = self._outer.pop()
        if outer != self.phase:
            self.phase = outer
            self._line = ""
            self._span += 1
            self.set_layers(())
            self._moved()

    def begin_step(self, number: int) -> None:
        self.step = number
        self._outer.clear()
        self.phase = self._line = ""
        self._span += 1
        self.set_layers(())
        self._writer.step(number)
        self._moved()

    def _moved(self) -> None:
        layer = self.layers[-1] if self.layers else self._line
        self.places.append(Where(self._writer.now, self.step, self.phase, layer))

    def where(self, time: int) -> Where:
        """The place at a time, in ns."""
        low, high = 0, len(self.places)
        while low < high:
            middle = (low + high) // 2
            # An event at a time comes after the change that the time before had.
            if self.places[middle].time < time:
                low = middle + 1
            else:
                high = middle
        return self.places[low - 1] if low else Where(time, 0, "", "")

    # -- layers

    def set_layers(self, layers: Tuple[str, ...]) -> None:
        """These layers run now. A layer that did not run at its depth before is a call; in backward, where the nodes
        of layers take turns, each layer has one call in a pass."""
        if layers == self.layers:
            return
        before, self.layers = self.layers, layers
        backward = self.phase == BACKWARD
        self._running = [self._row(layer, backward) for layer in layers]
        for depth, row in enumerate(self._running):
            is_new = depth >= len(before) or before[depth] != layers[depth]
            if is_new and not (backward and row.span == self._span):
                row.calls += 1
                row.span = self._span
            row.peak = max(row.peak, self.live)
        self._moved()

    def set_line(self, line: str) -> None:
        """Outside of layers this line of the program runs, or the nodes that it has made."""
        if line != self._line:
            self._line = line
            self._moved()

    def _row(self, layer: str, backward: bool) -> _Layer:
        row = self._rows.get((layer, backward))
        if row is None:
            row = self._rows[layer, backward] = _Layer()
        return row

    def layer_rows(self) -> Iterator[str]:
        """The layers in the text form."""
        for (name, backward), row in self._rows.items():
            sums = (
                f"allocations={row.allocations} frees={row.frees} allocated-bytes={row.allocated} "
                f"peak-bytes={row.peak}"
            )
            direction = "backward=true " if backward else ""
            yield f"layer name={quoted(name)} process=1 {direction}calls={row.calls} {sums}"
            yield f"  share {self._space} {sums} freed-bytes={row.freed}"

    # -- blocks

    def alloc(self, requested: int, frames: Tuple[Frame, ...], scopes: Tuple[Scope, ...], dtype: str) -> Block:
        """A storage is made, of so many bytes."""
        size = -(-requested // self._rounding) * self._rounding
        number = self._writer.alloc(size, requested, self._writer.stack(frames), self._writer.scope_path(scopes))
        self.allocations += 1
        for row in self._running:
            row.allocations += 1
            row.allocated += size
        self._add(size, requested)
        return Block(number, size, requested, self.phase, self._span, self._has_run, dtype)

    def _add(self, size: int, requested: int) -> None:
        self.live += size
        self.requested += requested
        self.requested_peak = max(self.requested_peak, self.requested)
        if self.live > self.peak:
            self.peak = self.live
        for row in self._running:
            if self.live > row.peak:
                row.peak = self.live

    def free(self, block: Block) -> None:
        """A storage is gone."""
        self._writer.free(block.number)
        self.live -= block.size
        self.requested -= block.requested
        for row in self._running:
            row.frees += 1
            row.freed += block.size
        self.settle(block)

    def settle(self, block: Block) -> None:
        """The block's purpose is known: it is freed, or the plan ends."""
        self._writer.category(block.number, self._category(block), block.dtype)

    def _category(self, block: Block) -> str:
        if block.known:
            return block.known
        if block.span == self._span:
            return "temporary"
        if block.phase == OPTIMIZER:
            return "optimizer-state"
        if block.phase == BACKWARD:
            return "gradient"
        if block.phase == FORWARD or block.has_run:
            return "activation"
        return "input"

    def close(self) -> None:
        """Ends the trace."""
        self._writer.close(self.layer_rows())
