# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a step under fake tensors, and asks the tools what the plan takes."""

import contextlib
import json
import logging
import os
import subprocess
import sys
import traceback
import warnings
from types import FrameType, TracebackType
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple

import torch
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.nn.modules import module as torch_module
from torch.optim import optimizer as torch_optimizer

from . import PredictionError
from .._library import Error
from ._answer import PlannedLine, Prediction
from ._child import in_child
from ._cuda import replaced
from ._device import PlannedDevice, as_on
from ._distributed import Buckets, of_one_rank
from ._files import Files
from ._frames import Frames, is_installed, text_of
from ._gradients import free_counts
from ._layers import Change, OfModules, groups_of, keep_inputs_alone
from ._masks import MaskParts
from ._mode import StorageMode, parts
from ._objects import Reached
from ._optimizers import MAX_MORE, Optimizers
from ._plan import BACKWARD, FORWARD, OPTIMIZER, ROUNDING, Plan, Where
from ._saved import without_values
from ._values import NO_SIZE, Values
from ._writer import TraceWriter, temporary_path, tool
from ._xla import INSTEAD, call_without_jax, has_jax


class Asked(NamedTuple):
    """What the caller asks of a plan."""

    steps: int
    masks: MaskParts = MaskParts()

    def texts(self, device: str) -> List[str]:
        """As the attributes of the trace."""
        masks = [f"masks={self.masks.text()}"] if self.masks.lines else []
        return [f"device={device}", f"steps={self.steps}", *masks]


def plan(
    step: Callable[..., Any], where: PlannedDevice, asked: Asked, path: Optional[str], change: Change = Change()
) -> Prediction:
    """The prediction of a step, which is called in a process of its own."""
    to = path or temporary_path()

    def planned(has_host: bool) -> Prediction:
        writer = TraceWriter(to, where.bytes, where.heap, asked.texts(where.text))
        run = Run(step, where, asked, writer, has_host, change)
        return finished(run, to, run.call)

    def planned_here() -> Prediction:
        try:
            return planned(where.is_cuda)
        except _OnlyData:
            return planned(False)

    return in_child(planned_here)


class _OnlyData(Exception):
    """No model and no gradient: what the device works on is not known."""


def finished(run: "Run", path: str, call: Callable[[], None]) -> Prediction:
    """The prediction of a plan that call() makes; without a plan there is no file."""
    try:
        call()
        if not run.plan.allocations:
            instead = f"; {INSTEAD}" if has_jax() else ""
            raise PredictionError("the step makes no tensors of PyTorch, and reaches none" + instead)
        run.plan.close()
    except PredictionError as error:
        run.writer.abort()
        notes = [f"\n  note      {note}" for note in run.told()]
        raise PredictionError(str(error) + "".join(notes)) from error
    except BaseException:
        run.writer.abort()
        raise
    return _answered(run, path)


class Run:
    """One plan, while it is made."""

    def __init__(
        self,
        step: Callable[..., Any],
        device: PlannedDevice,
        asked: Asked,
        writer: TraceWriter,
        has_host: bool,
        change: Change = Change(),
    ) -> None:
        self.device = device
        self.asked = asked
        self._change = change
        #: The step after which a script was left; 0: it was not.
        self.left_after = 0
        #: The repeated layers: name and number.
        self.groups: List[Tuple[str, int]] = []
        self._in_groups: OfModules[bool] = OfModules()
        self.writer = writer
        self.plan = Plan(writer, ROUNDING if device.is_cuda else 1, int(device.is_cuda))
        self._step = step
        self.frames = Frames(os.path.dirname(os.path.abspath(torch.__file__)))
        self.fakes = FakeTensorMode(allow_non_fake_inputs=True)
        self.mode = StorageMode(self.fakes, self.plan, self.frames, has_host)
        self.mode.halves_states = change.halves_states
        self.mode.masks.parts = asked.masks
        self._paths: OfModules[str] = OfModules()
        self._marked: OfModules[bool] = OfModules()
        #: What the plan did in place of the program, a sentence each.
        self.notes: List[str] = []
        self.values = Values(self.frames)
        self.whose = "step"  #: or "script"
        self._asks = ""  # the first line that asked whether there is CUDA
        self.has_recurrent = False
        self.has_compiled = False
        #: What the plan lacks, a sentence each: then it does not say that the step fits.
        self.lacks: List[str] = []
        self.optimizers = Optimizers()
        self._buckets = Buckets()

    def call(self) -> None:
        """Calls the step so often as asked."""
        steps = self.asked.steps
        free_counts()
        reached = Reached(self._step)
        with self.as_planned("step"):
            for tensor, category, layer in reached.tensors():
                for part in parts(tensor):
                    self.mode.twin(part, category, layer)
            for root in reached.roots:
                self._name_modules(root)
                self._take_groups(root, "")
            for optimizer in reached.optimizers:
                self.optimizers.add(optimizer, f"the {type(optimizer).__name__} that the step reaches")
            with self.mode:
                while self.plan.step < steps or self.optimizers.wait(0) and self.plan.step < steps * MAX_MORE:
                    self.plan.begin_step(self.plan.step + 1)
                    self._call()
                    self.mode.forget_origins()
                    self.mode.modules.clear()
            self.lacks += self.optimizers.lacks(self.plan.step)
        if not self.mode.has_device():
            raise _OnlyData
        self.mode.end()

    @contextlib.contextmanager
    def as_planned(self, whose: str) -> Iterator[None]:
        """PyTorch and files as the program is to see them. whose files: the step's, the script's."""
        files, self.whose = Files(), whose
        try:
            as_there = as_on(self.device, self.mode.to_device, self._asked_for_cuda, self._compiled)
            with self.fakes, as_there, self.hooks():
                with quiet(), of_one_rank(), self._optimizers_seen(), without_values(), files.active(), self.values.active():
                    yield
        finally:
            self.notes += files.note(whose)

    def _asked_for_cuda(self, frame: FrameType) -> None:
        """The program's own code asks whether there is a device, and goes on without one."""
        file = frame.f_code.co_filename
        if not self._asks and not self.frames.is_torch(file) and not is_installed(file):
            self._asks = f"{os.path.basename(file)}:{frame.f_lineno}"

    def _compiled(self) -> None:
        self.has_compiled = True

    def _call(self) -> None:
        self.frames.base = sys._getframe()
        try:
            if has_jax():
                call_without_jax(self._step)
            else:
                self._step()
        except Error:
            raise
        except Exception as error:
            raise PredictionError(_sentence(error, self.frames, self.whose)) from error

    @contextlib.contextmanager
    def _optimizers_seen(self) -> Iterator[None]:
        init: Any = torch.optim.Optimizer.__init__

        def made(optimizer: Any, *args: Any, **options: Any) -> None:
            init(optimizer, *args, **options)
            self.optimizers.add(optimizer, f"the {type(optimizer).__name__} made at {text_of(self.frames.line())}")

        with replaced(torch.optim.Optimizer, "__init__", made):
            yield

    def told(self) -> List[str]:
        """What the plan did in place of the program, with the values that it made up."""
        made_up = [f"the value that {line} reads was taken as 1.0" for line in self.mode.made_up]
        histories = [f"the history of the L-BFGS at {line} was taken to grow" for line in self.mode.histories]
        branches = [f"the condition of {line} was taken as false" for line in self.mode.branches]
        notes = self.lacks + self.notes + self.mode.masks.notes("--masks=" if self.whose == "script" else "masks=")
        if self._asks:
            asked = f"torch.cuda.is_available() at {self._asks} was false: what the program does then is planned"
            notes = [*notes, asked]
        return notes + made_up + self.values.notes() + histories + branches

    # -- what runs now

    @contextlib.contextmanager
    def hooks(self) -> Iterator[None]:
        engine: Any = torch.autograd
        backward = engine._engine_run_backward
        handles = [
            torch_module.register_module_forward_pre_hook(self._module_begins),
            torch_module.register_module_forward_hook(self._module_ends, always_call=True),
            torch_optimizer.register_optimizer_step_pre_hook(self._optimizer_begins),
            torch_optimizer.register_optimizer_step_post_hook(self._optimizer_ends),
        ]

        def run_backward(*args: Any, **kwargs: Any) -> Any:
            self.plan.begin(BACKWARD)
            try:
                return backward(*args, **kwargs)
            finally:
                self.plan.end()
                self._backward_ends()

        storage: Any = torch.UntypedStorage
        resize = storage.resize_

        def resized(one: Any, size: int) -> Any:
            result = resize(one, size)
            self.mode.resized(one)
            return result

        engine._engine_run_backward, storage.resize_ = run_backward, resized
        try:
            yield
        finally:
            storage.resize_ = resize
            engine._engine_run_backward = backward
            for handle in handles:
                handle.remove()

    def _backward_ends(self) -> None:
        """A backward pass has ended, by a return or an exception."""

    def _name_modules(self, root: Any) -> None:
        for path, module in root.named_modules():
            self._paths.setdefault(module, path or type(root).__name__)

    def _name(self, module: Any) -> str:
        known = self._paths.get(module)
        if known is None:
            if not self.mode.modules:
                self._name_modules(module)
            known = self._paths.setdefault(module, type(module).__name__)
        return known

    def _module_begins(self, module: Any, inputs: Any) -> None:
        name = self._name(module)
        if not self.mode.modules:
            self.plan.begin(FORWARD)
            if not self._marked.get(module):
                self._take_groups(module, name if name != type(module).__name__ else "")
            self._mark_parameters(module)
        if isinstance(module, torch.nn.parallel.DistributedDataParallel):
            is_planned = all(isinstance(p, FakeTensor) for p in module.parameters())
            self._buckets.begin(module, is_planned)
        self.has_recurrent = self.has_recurrent or isinstance(module, torch.nn.RNNBase)
        self.mode.modules.append(name)
        self.plan.set_layers(tuple(self.mode.modules))

    def _module_ends(self, module: Any, inputs: Any, output: Any) -> None:
        if not self.mode.modules:
            return
        self.mode.modules.pop()
        self.plan.set_layers(tuple(self.mode.modules))
        if not self.mode.modules:
            self.plan.end()

    def _take_groups(self, root: Any, name: str) -> None:
        if self._in_groups.get(root):
            return
        for group in groups_of(root, name):
            if not any(map(self._in_groups.get, group.layers)):
                self.groups.append((group.name, len(group.layers)))
                for layer in group.layers:
                    self._in_groups.setdefault(layer, True)
                if self._change.checkpoint in ("", group.name):
                    keep_inputs_alone(group.layers)

    def _mark_parameters(self, root: Any) -> None:
        """Of a model that the step has made itself."""
        if self._marked.get(root):
            return
        self._marked.setdefault(root, True)
        for tensor in [*root.parameters(), *root.buffers()]:
            self.mode.mark(tensor, "parameter")

    def _optimizer_begins(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        self.plan.begin(OPTIMIZER)

    def _optimizer_ends(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        self.plan.end()
        self.optimizers.stepped(optimizer)


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """PyTorch logs a wrong shape with a stack of its own, before it raises, and warns of copies of fake tensors and of
    the hooks that name modules."""
    log = logging.getLogger("torch._subclasses.fake_tensor")
    before = log.disabled
    log.disabled = True
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Accessing the data pointer of FakeTensor")
            warnings.filterwarnings("ignore", message="Using `torch.compile\\(module\\)` when there are global hooks")
            yield
    finally:
        log.disabled = before


def _sentence(error: Exception, frames: Frames, whose: str) -> str:
    """What the step or script raised, and where."""
    where = _raised_at(error.__traceback__, frames) or f"the {whose}"
    text = " ".join(str(error).split())
    if len(text) > 300:
        text = text[:300] + "..."
    for part, sentence in _CANNOT.items():
        if part in text:
            return f"{where}: {sentence}"
    return f"{where}: the {whose} raised {type(error).__name__}: {text}"


#: Bytes of a device that is never full; the most that memsim takes.
_NO_LIMIT = 1 << 47
_NO_VALUES = "and a plan has no values; leave the line out of the step"
_NO_ADDRESS = (
    "the program takes a tensor's address, as extensions of C++ and Triton do, and a plan has no memory; call them as "
    "an operator with torch.library.register_fake, or record a run with memrec"
)
#: Parts of PyTorch's messages where a program asks a fake tensor for what it has not.
_CANNOT = {
    "UnknownNumber": NO_SIZE,
    ".tolist() is not supported": "the program takes a tensor's values (.tolist()), " + _NO_VALUES,
    "doesn't have storage": _NO_ADDRESS,
    "data pointer": _NO_ADDRESS,
    "data is not allocated yet": _NO_ADDRESS,
    "autograd's threading": "the program has run a backward pass on a machine with a GPU, and a plan is made in a "
    "forked process, where autograd then does not work: call memkit.predict before the first backward pass",
}


def _raised_at(trace: Optional[TracebackType], frames: Frames) -> str:
    """The innermost line of the program's own code, else of a package that it uses; empty: none is there."""
    own = other = ""
    for frame, line in traceback.walk_tb(trace):
        file = frame.f_code.co_filename
        place = f"{os.path.basename(file)}:{line}"
        if is_installed(file):
            other = other if frames.is_torch(file) else place
        elif not frames.is_torch(file):
            own = place
    return own or other


def _answered(run: Run, path: str) -> Prediction:
    table = _asked("memdump", "--format=json", "--table=lines", path)["lines"]
    peak_ns = _asked("memstat", "--format=json", path)["heaps"][0]["peak_time_ns"]
    result = Prediction(
        path, run.device.text, run.device.bytes, run.plan.peak, place_text(run.plan.where(peak_ns)),
        run.plan.requested_peak, _notes(run),
    )
    rows = [PlannedLine(r["name"], r["at_peak_bytes"], r["at_peak_bytes"] / max(run.plan.peak, 1)) for r in table]
    result.largest = sorted((row for row in rows if row.bytes), key=lambda row: -row.bytes)
    result.flops = run.mode.flops
    result.left_after = run.left_after
    result.groups = run.groups
    if run.device.is_cuda:
        _judge(result, run)
        result.is_most = not result.fits and run.mode.masks.is_most
        if result.is_most or result.fits and run.lacks:
            result.fits = None
    return result


def place_text(where: Where) -> str:
    """``step 2 (backward of blocks.31)``; empty: before the first step."""
    if not where.step:
        return ""
    inside = {"": "", "optimizer": "the optimizer"}.get(where.phase, where.phase)
    if where.layer:
        inside = f"{inside or 'layer'} of {where.layer}"
    return f"step {where.step}" + (f" ({inside})" if inside else "")


#: Peaks of models that inductor has compiled, against those of the same models in eager mode (docs/Predictions.md).
_COMPILED = "62 to 100.2 %"


def _notes(run: Run) -> List[str]:
    notes = run.told()
    if run.mode.has_coalesced:
        notes.append("sparse gradients: as many different rows were taken as there can be")
    if run.has_compiled:
        notes.append(f"torch.compile: planned as eager; compiled models took {_COMPILED} of that, on the CPU")
    if not run.device.is_cuda:
        return notes
    if run.mode.has_made("aten::convolution"):
        notes.append("convolutions: the workspaces that cuDNN takes are not known")
    if run.has_recurrent:
        notes.append("recurrent layers: what cuDNN keeps for backward was taken to be what PyTorch's own cells keep")
    return notes


def _judge(result: Prediction, run: Run) -> None:
    """Asks the model of PyTorch's allocator."""
    free = _simulated(result.path, _NO_LIMIT)
    result.reserved_bytes = free["reserved_peak_bytes"]
    result.reserved_place = place_text(run.plan.where(free["peak_ns"]))
    result.beside_bytes = run.device.beside
    if result.reserved_bytes < result.device_bytes:
        result.fits, result.left_bytes = True, result.device_bytes - result.reserved_bytes
        return
    # The allocator gives back what it does not use before a request fails.
    failure = _simulated(result.path, result.device_bytes)["out_of_memory"]
    if failure is None:
        result.left_bytes = result.device_bytes - _least_bytes(result, result.peak_bytes, result.device_bytes)
        result.fits = result.left_bytes > 0 or result.beside_bytes is not None
    else:
        result.fits = False
        result.fails_at = _line_of(failure, run)
        least = _least_bytes(result, result.device_bytes, result.reserved_bytes)
        result.short_bytes = least - result.device_bytes


def _least_bytes(result: Prediction, low: int, high: int) -> int:
    """The smallest device between two sizes that serves all requests, to a hundredth."""
    while high - low > high // 100:
        middle = (low + high) // 2
        if _simulated(result.path, middle)["out_of_memory"] is None:
            high = middle
        else:
            low = middle
    return high


def reserved_with(result: Prediction, setting: str) -> Tuple[int, bool]:
    """What the allocator would hold with one more setting, and whether the device serves all requests."""
    free = _simulated(result.path, _NO_LIMIT, setting)
    on_device = _simulated(result.path, result.device_bytes, setting) if result.device_bytes else free
    return int(free["reserved_peak_bytes"]), on_device["out_of_memory"] is None


def _simulated(path: str, device_bytes: int, setting: str = "") -> Dict[str, Any]:
    given = os.environ.get("PYTORCH_ALLOC_CONF") or os.environ.get("PYTORCH_CUDA_ALLOC_CONF")
    settings = ",".join(filter(None, (given, setting)))
    allocator = f"torch:{settings}" if settings else "torch"
    answer = _asked("memsim", "--format=json", f"--with={allocator}", f"--device-bytes={device_bytes}B", path)
    found: Dict[str, Any] = answer["targets"][0]["allocators"][0]
    return found


def _line_of(failure: Dict[str, Any], run: Run) -> str:
    """The program's innermost line that asked."""
    for frame in failure["stack"]:
        if frame["file"] and not run.frames.is_torch(frame["file"]):
            return f"{os.path.basename(frame['file'])}:{frame['line']}"
    return next((frame["function"] for frame in failure["stack"]), "")


def _asked(name: str, *arguments: str) -> Dict[str, Any]:
    done = subprocess.run([tool(name), "-q", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode != 0:
        message = done.stderr.decode("utf-8", "replace").strip()
        raise Error(f"{name} cannot answer: {message or done.returncode}")
    answer: Dict[str, Any] = json.loads(done.stdout)
    return answer


