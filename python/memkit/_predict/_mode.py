# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sees each storage that a step makes under fake tensors, and each that dies."""

import os
import sys
import weakref
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

import torch
from torch._subclasses.fake_tensor import (
    DataDependentOutputException,
    DynamicOutputShapeException,
    FakeTensor,
    FakeTensorMode,
    UnsupportedOperatorException,
)
from torch.utils._mode_utils import no_dispatch
from torch.utils._python_dispatch import TorchDispatchMode, is_traceable_wrapper_subclass
from torch.utils.flop_counter import flop_registry

from . import PredictionError
from ._arguments import has_values, tensors_in, values_in
from ._device import TRUE
from ._frames import Frames, text_of
from ._gradients import ADD, accumulates, added
from ._masks import Masks
from ._plan import OPTIMIZER, Block, Plan
from ._sparse import sparse_operator
from ._writer import Frame, Scope


_aten = torch.ops.aten
#: They make the steps of a schedule, as of a diffusion, which programs turn into integers.
_SCHEDULES = {_aten.linspace.default, _aten.arange.default, _aten.arange.start, _aten.arange.start_step}
_LIFTS = {_aten.lift_fresh.default, _aten.lift_fresh_copy.default, _aten.lift.default}
_next_number: Any = getattr(torch.autograd, "_get_sequence_nr")  # noqa: B009
_ITEM = _aten._local_scalar_dense.default
_MAX_VALUES = 1 << 20  # bytes
_PLAIN = (FakeTensor, torch.Tensor, torch.nn.Parameter)
#: Finds the shape of a DTensor's result with fake tensors of all ranks.
_SHARDING = "distributed/tensor/_sharding_prop.py"
_DATA = "utils/data/"
_GRAD_SCALER = "amp/grad_scaler.py"
_LBFGS = os.path.join("optim", "lbfgs.py")
#: Conditions of L-BFGS that are true where it goes on well: its history gets an entry; its line search ends.
_LBFGS_GOES_ON = ("ys > ", "<= -c2 * gtd")
#: What there is before the step, as the stack of a block.
_BEFORE = {
    "parameter": "parameters",
    "gradient": "gradients",
    "optimizer-state": "state of the optimizer",
    "input": "tensors made before the step",
}


class _Origin:
    """Where the forward operator of a node of autograd ran."""

    __slots__ = ("layers", "line")

    def __init__(self, layers: Tuple[str, ...], line: Optional[Frame]) -> None:
        self.layers = layers
        self.line = line


class _Waiting:
    """A storage that is made, with what its block will say."""

    __slots__ = ("size", "frames", "scopes", "dtype", "category", "reference")

    def __init__(
        self, size: int, frames: Tuple[Frame, ...], scopes: Tuple[Scope, ...], dtype: str, category: str
    ) -> None:
        self.size = size
        self.frames = frames
        self.scopes = scopes
        self.dtype = dtype
        self.category = category
        self.reference: Any = None


class StorageMode(TorchDispatchMode):  # type: ignore[misc, no-untyped-call, unused-ignore]
    """Reports storages to a plan. Lies above a FakeTensorMode; real tensors become fake twins."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # else a wrapper of torch._dynamo, which takes a second to import, surrounds each operator

    def __init__(self, fakes: FakeTensorMode, plan: Plan, frames: Frames, has_host: bool) -> None:
        super().__init__()  # type: ignore[no-untyped-call, unused-ignore]
        self._fakes = fakes
        self._plan = plan
        self._frames = frames
        #: Live storages by the address of their StorageImpl, with their bytes.
        self._live: Dict[int, Tuple[Any, Block, int]] = {}
        #: Storages that no pass has used yet: data, which the host keeps until then. Not of a plan for the CPU.
        self._on_host: Dict[int, _Waiting] = {}
        self._has_host = has_host
        self._had_host = False
        self._counts = True
        #: Fake twins of the program's tensors, by id.
        self._twins: Dict[int, Tuple[Any, Any]] = {}
        self._origins: Dict[int, _Origin] = {}
        self._names: Dict[Any, str] = {}
        self._mutates: Dict[Any, bool] = {}
        self._node: Any = None
        self._node_scopes: Tuple[Scope, ...] = ()
        self._has_shards = "torch.distributed.tensor" in sys.modules
        #: Modules that run, outermost first.
        self.modules: List[str] = []
        #: Lines whose values were made up.
        self.made_up: Dict[str, int] = {}
        #: Whether a condition on values is false, else it is refused; the lines of such conditions.
        self.takes_false = False
        self.branches: Dict[str, None] = {}
        self.masks = Masks(frames)
        #: Lines that call L-BFGS, with the values that it has read.
        self.histories: Dict[str, int] = {}
        #: Whether entries of sparse tensors were added that have the same place.
        self.has_coalesced = False
        #: Floating point operations of the operators that PyTorch counts.
        self.flops = 0
        #: The optimizer's states of 32 bits are counted as if they had 16.
        self.halves_states = False
        #: Called for each operator.
        self.progress: Optional[Callable[[], None]] = None

    # -- operators

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if any(kind not in _PLAIN for kind in types):
            return NotImplemented  # a DTensor calls operators on its parts
        if self.progress is not None:
            self.progress()
        given = args, kwargs or {}
        args, kwargs = given
        if func not in _LIFTS:
            args, kwargs = self._all_fake(args), self._all_fake(kwargs)
        if self._has_host:
            self._counts = self._is_of_device(args, kwargs)
        node = torch._C._current_autograd_node()
        if node is None:
            if torch.is_grad_enabled():
                self._remember_origin()
        else:
            self._enter_node(node)
            if func is ADD and not self.modules and accumulates(args, sys._getframe(1)):
                return added(args)
        sparse = sparse_operator(func, args)
        if sparse is not None:
            self.has_coalesced = self.has_coalesced or func is _aten._coalesce.default
            with self:
                return sparse(args, sys._getframe(1))
        try:
            out = func(*args, **kwargs)
        except (DataDependentOutputException, DynamicOutputShapeException, UnsupportedOperatorException) as error:
            out = self._without_values(func, given, error)
        work = _work(func)
        if work is not None:
            self.flops += int(work(*args, **kwargs, out_val=out))
        self._see(func, out, node)
        if node is None and self._may_keep(args):
            self._keep_values(func, given if func in _LIFTS else (args, kwargs), out)
        return out

    def _may_keep(self, args: Any) -> bool:
        """Small tensors of integers outside of passes have values: programs choose their data with them. Within a
        forward pass those have that are made of such alone: the lengths of sequences, behind a convolution."""
        return not self._plan.phase and not self.modules or bool(tensors_in(args))

    def _keep_values(self, func: Any, given: Any, out: Any) -> None:
        made = list(out) if isinstance(out, (list, tuple)) else [out]
        if not made or not all(_may_have_values(one, func in _SCHEDULES) for one in made):
            return
        tensors = tensors_in(given[0]) + tensors_in(list(given[1].values()))
        has_all = has_values(tensors)
        if self._is_mutable(func):
            if not has_all:
                made[0].constant = None
            return  # else FakeTensorMode has changed the values, too
        if not has_all:
            return
        with no_dispatch():
            values = func(*values_in(given[0]), **values_in(given[1]))
        for one, value in zip(made, values if isinstance(values, (list, tuple)) else [values]):
            one.constant = value

    def _all_fake(self, value: Any) -> Any:
        """The value, with twins in place of the program's own tensors."""
        if isinstance(value, torch.Tensor):
            return value if isinstance(value, FakeTensor) else self.twin(value)
        if isinstance(value, (list, tuple)):
            for one in value:
                if isinstance(one, (torch.Tensor, list, tuple)) and not isinstance(one, FakeTensor):
                    return type(value)(self._all_fake(one) for one in value)
            return value
        if isinstance(value, dict) and value:
            return {key: self._all_fake(one) for key, one in value.items()}
        return value

    def _without_values(self, func: Any, given: Any, error: Exception) -> Any:
        """The result of an operator that needs values, or PredictionError."""
        args, kwargs = given
        tensors = tensors_in(args) + tensors_in(list(kwargs.values()))
        if tensors and not any(isinstance(t, FakeTensor) for t in tensors):
            with no_dispatch():
                return func(*args, **kwargs)  # all values are there
        if isinstance(error, DynamicOutputShapeException):
            with self:
                out = self.masks.result(func, args, kwargs)
            if out is not None:
                return out
        where = text_of(self._frames.line())
        if func is _ITEM and self._frames.is_called_by(_DATA):
            return 0  # a seed, or the number of a sample
        of_lbfgs = self._frames.source_in(_LBFGS) if func is _ITEM else ""
        if of_lbfgs:
            return self._value_of_lbfgs(of_lbfgs, where, tensors[0].dtype)
        if func is _ITEM and getattr(tensors[0], TRUE, False):
            return True  # all values are finite
        if func is _ITEM and self.takes_false and tensors[0].dtype is torch.bool:
            self.branches.setdefault(where, None)
            return False
        if func is _ITEM and tensors[0].dtype.is_floating_point:
            if self._frames.is_called_by(_GRAD_SCALER):
                return 0.0  # no gradient is infinite
            if not self._frames.is_called_by("optim/optimizer.py"):
                self.made_up[where] = self.made_up.get(where, 0) + 1
            return 1.0
        raise PredictionError(f"{where}: {_sentence(func, error)}") from None

    def _value_of_lbfgs(self, line: str, where: str, dtype: Any) -> Any:
        """A value that L-BFGS reads: the loss falls, and the history grows, as it holds most."""
        number = self.histories[where] = self.histories.get(where, 0) + 1
        return any(part in line for part in _LBFGS_GOES_ON) if dtype is torch.bool else 1.0 / number

    def _see(self, func: Any, out: Any, node: Any) -> None:
        if isinstance(out, torch.Tensor):
            self._see_tensor(func, out, node)
        elif isinstance(out, (list, tuple)):
            for one in out:
                if isinstance(one, torch.Tensor):
                    self._see_tensor(func, one, node)

    def _see_tensor(self, func: Any, tensor: Any, node: Any) -> None:
        try:
            storage = tensor.untyped_storage()
        except NotImplementedError:
            return  # sparse: its parts are tensors of their own
        known = self._live.get(storage._cdata)
        if known is None and storage._cdata in self._on_host:
            if not self._is_mutable(func) or self._on_host[storage._cdata].size == storage.nbytes():
                return
            del self._on_host[storage._cdata]
        if known is None:
            if func in _LIFTS and self._plan.phase == OPTIMIZER:
                return  # counts of steps, which stay on the host
            self._made(func, tensor, storage, node)
        elif self._is_mutable(func) and storage.nbytes() != known[2]:
            self._live.pop(storage._cdata)
            self._made(func, tensor, storage, node)
            self._plan.free(known[1])

    def _is_mutable(self, func: Any) -> bool:
        known = self._mutates.get(func)
        if known is None:
            known = self._mutates[func] = bool(func._schema.is_mutable)
        return known

    def _made(self, func: Any, tensor: Any, storage: Any, node: Any) -> None:
        size = storage.nbytes()
        if not size or self._has_shards and self._frames.is_called_by(_SHARDING):
            return
        if self.halves_states and self._plan.phase == OPTIMIZER and self._frames.is_called_by("optim/", "_init_group"):
            size = _halved(tensor, size)
        self._add(storage, _Waiting(size, self._frames.stack(), self._scopes(func, node), _dtype(tensor), ""))

    def _add(self, storage: Any, made: "_Waiting") -> None:
        """A storage is there: on the device, or yet on the host."""
        if self._counts:
            block = self._plan.alloc(made.size, made.frames, made.scopes, made.dtype)
            block.known = made.category
            self._watch(storage, block)
            return
        key, on_host = storage._cdata, self._on_host
        self._had_host = True

        def gone(reference: Any) -> None:
            if key in on_host and on_host[key].reference is reference:
                del on_host[key]

        made.reference = weakref.ref(storage, gone)
        on_host[key] = made

    # -- host and device

    def _is_of_device(self, args: Any, kwargs: Any) -> bool:
        """Whether the operator works on the device; then all its tensors are there."""
        tensors = tensors_in(args) + (tensors_in(list(kwargs.values())) if kwargs else [])
        if not (self.modules or self._plan.phase or any(self._is_on_device(tensor) for tensor in tensors)):
            return False
        for tensor in tensors if self._on_host else ():
            if isinstance(tensor, FakeTensor):
                self.to_device(tensor)
        return True

    def _is_on_device(self, tensor: Any) -> bool:
        return tensor.requires_grad or tensor.untyped_storage()._cdata in self._live

    def to_device(self, tensor: Any) -> None:
        """The device needs the tensor from now on."""
        if not isinstance(tensor, FakeTensor):
            tensor = self.twin(tensor)
        storage = tensor.untyped_storage()
        made = self._on_host.pop(storage._cdata, None)
        if made is None:
            return
        block = self._plan.alloc(made.size, made.frames, made.scopes, made.dtype)
        block.known = made.category
        self._watch(storage, block)

    def has_device(self) -> bool:
        """Whether any operator worked on the device; else all tensors are data."""
        return not self._had_host or bool(self._plan.allocations)

    def resized(self, storage: Any) -> None:
        """The program has resized a storage itself, as FSDP does."""
        if storage.device.type != "meta":
            return
        known = self._live.get(storage._cdata)
        if known is not None:
            if known[2] == storage.nbytes():
                return
            del self._live[storage._cdata]
            self._plan.free(known[1])
        if storage.nbytes():
            phase = self._plan.phase
            scopes: Tuple[Scope, ...] = (("phase", phase),) if phase else ()
            dtype = known[1].dtype if known is not None else ""
            self._watch(storage, self._plan.alloc(storage.nbytes(), self._frames.stack(), scopes, dtype))

    def _watch(self, storage: Any, block: Block) -> None:
        key = storage._cdata
        live, plan = self._live, self._plan

        def gone(reference: Any) -> None:
            known = live.get(key)
            if known is not None and known[0] is reference:
                del live[key]
                plan.free(block)

        live[key] = weakref.ref(storage, gone), block, storage.nbytes()

    # -- where an operator runs

    def _scopes(self, func: Any, node: Any) -> Tuple[Scope, ...]:
        phase = self._plan.phase
        scopes: Tuple[Scope, ...] = (("phase", phase),) if phase else ()
        if node is not None and not self.modules:
            scopes += self._node_scopes
        else:
            scopes += tuple(("layer", name) for name in self.modules)
        return scopes + (("operator", self._name(func)),)

    def _name(self, func: Any) -> str:
        known = self._names.get(func)
        if known is None:
            known = self._names[func] = str(func._schema.name)
        return known

    def has_made(self, operator: str) -> bool:
        """Whether an operator of this name has made a tensor."""
        return operator in self._names.values()

    def _enter_node(self, node: Any) -> None:
        if node is self._node:
            return
        self._node = node
        origin = self._origins.get(node._sequence_nr())
        scopes: List[Scope] = []
        if origin is not None:
            scopes = [("layer", name) for name in origin.layers]
            if origin.line is not None:
                scopes.append(("line", f"{text_of(origin.line)} {origin.line[0]}"))
        self._node_scopes = (*scopes, ("operator", str(node.name())))
        if not self.modules:
            self._plan.set_layers(origin.layers if origin is not None else ())
            self._plan.set_line(text_of(origin.line) if origin is not None and origin.line is not None else "")

    def _remember_origin(self) -> None:
        """The node of the operator that runs now has the last number given out."""
        number = _next_number() - 1
        if number not in self._origins:
            self._origins[number] = _Origin(self._plan.layers, self._frames.line())

    def forget_origins(self) -> None:
        """The graphs of a step are gone, as a rule."""
        self._origins.clear()
        self._node = None

    # -- the program's own tensors

    def twin(self, tensor: Any, category: str = "", layer: str = "") -> Any:
        """The fake tensor in place of a tensor of the program, the same for each use of it."""
        known = self._twins.get(id(tensor))
        if known is not None and known[0] is tensor:
            return known[1]
        fake = self._fakes.from_tensor(tensor)
        is_number = tensor.numel() == 1 and not tensor.requires_grad
        if tensor.device.type == "cpu" and (is_number or _may_have_values(fake)):
            with no_dispatch():
                fake.constant = tensor.detach().clone()  # a count of steps has its value
        # The program's tensor must stay: another one of its id would have its twin.
        self._twins[id(tensor)] = tensor, fake
        self._adopt(fake, category or _category(tensor), layer)
        return fake

    def _adopt(self, fake: Any, category: str, layer: str) -> None:
        """A tensor that was there before the step."""
        storage = fake.untyped_storage()
        if storage._cdata in self._live or storage._cdata in self._on_host or not storage.nbytes():
            return
        scopes: Tuple[Scope, ...] = (("layer", layer),) if layer else ()
        frames = ((f"[{_BEFORE[category]}]", "", 0),)
        before, self._counts = self._counts, not self._has_host or category != "input" or fake.requires_grad
        size = storage.nbytes()
        if self.halves_states and category == "optimizer-state":
            size = _halved(fake, size)
        self._add(storage, _Waiting(size, frames, scopes, _dtype(fake), category))
        self._counts = before

    def mark(self, tensor: Any, category: str) -> None:
        """A tensor is for this, whatever its life shows."""
        for part in parts(tensor):
            if torch._C._functorch.is_functorch_wrapped_tensor(part):
                continue  # of torch.func, whose inner tensors the operators show
            if not isinstance(part, FakeTensor):
                self.twin(part, category)
                continue
            self.to_device(part)
            known = self._live.get(part.untyped_storage()._cdata)
            if known is not None:
                known[1].known = category

    def end(self) -> None:
        """The plan ends: what lives gets its category."""
        for _, block, _ in self._live.values():
            self._plan.settle(block)
        self._live.clear()
        self._on_host.clear()
        self._twins.clear()


#: What PyTorch counts of a device's attention alone.
_ATTENTION: Dict[Any, Any] = {
    _aten._scaled_dot_product_flash_attention_for_cpu: _aten._scaled_dot_product_flash_attention,
    _aten._scaled_dot_product_flash_attention_for_cpu_backward: _aten._scaled_dot_product_flash_attention_backward,
}


def _work(func: Any) -> Any:
    """What counts the floating point operations of an operator; None: it has none that count."""
    packet: Any = getattr(func, "_overloadpacket", None)
    return flop_registry.get(_ATTENTION.get(packet, packet))


def _halved(state: Any, size: int) -> int:
    return size // 2 if state.dtype is torch.float32 and state.numel() > 1 else size


def _may_have_values(one: Any, is_schedule: bool = False) -> bool:
    """A small tensor of integers or booleans, or of a schedule; without dense memory it is none."""
    if not isinstance(one, FakeTensor) or one.dtype.is_complex or one.dtype.is_floating_point and not is_schedule:
        return False
    return one.layout is torch.strided and one.numel() * one.element_size() <= _MAX_VALUES



def parts(tensor: Any) -> Iterator[Any]:
    """The tensors that a wrapper holds (a DTensor the shard of this rank); else the tensor."""
    if isinstance(tensor, FakeTensor) or not is_traceable_wrapper_subclass(tensor):
        yield tensor
        return
    for name in tensor.__tensor_flatten__()[0]:
        part = getattr(tensor, name)
        if isinstance(part, torch.Tensor):
            yield from parts(part)



def _category(tensor: Any) -> str:
    return "parameter" if isinstance(tensor, torch.nn.Parameter) else "input"


def _dtype(tensor: Any) -> str:
    return str(tensor.dtype).replace("torch.", "")


def _sentence(func: Any, error: Exception) -> str:
    name = func._schema.name
    if func is _ITEM:
        return (
            "the program reads an integer or a boolean of a tensor (.item(), int(), bool(), an if), and a plan has "
            "no values; give the number to the step, or leave the line out of the step"
        )
    if isinstance(error, DynamicOutputShapeException):
        return (
            f"the size of the result of {name} depends on values, and a plan has no values; use a fixed size "
            "(torch.where, a mask that is multiplied), or record a run with memrec"
        )
    if isinstance(error, DataDependentOutputException):
        return f"{name} depends on values, and a plan has no values; leave the line out of the step"
    return (
        f"{name} has no implementation for fake tensors; give it one with torch.library.register_fake, or record a "
        "run with memrec"
    )
