# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The device that a plan is for: its size, and what PyTorch does differently there.

Without a device of CUDA the plan has fake tensors of the CPU, so that any build of PyTorch can run it. Where CUDA
would take another way, a change for the time of the plan takes this way.
"""

import contextlib
import copy
import subprocess
import sys
from types import FrameType
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Union

import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch.overrides import TorchFunctionMode
from torch.utils.data import DataLoader

from .._library import RequestError
from ._arguments import tensors_in
from ._cuda import cuda_answers, replaced
from ._packed import padded
from ._sizes import NO_DEVICE, beside_of, size_of, size_text, spaced
from ._values import UnknownNumber


class PlannedDevice(NamedTuple):
    """Where the step is to run."""

    #: What PyTorch may take of the device; 0: not known (the CPU).
    bytes: int
    is_cuda: bool
    #: As the caller wrote it.
    text: str
    #: What the device has besides, for CUDA and others; None: the caller does not know.
    beside: Optional[int] = None

    @property
    def heap(self) -> str:
        """The name of its heap of tensors."""
        return "torch.cuda:0" if self.is_cuda else "torch.cpu"


def planned_device(device: Union[str, int, Any], beside: Union[str, int, None] = None) -> PlannedDevice:
    """The device, of which ``beside`` is not PyTorch's."""
    found = _device(device)
    size = beside_of(beside, found.bytes, found.text)
    if size is None:
        return found
    text = f"{found.text} less {size_text(size)}" if size else found.text
    return found._replace(bytes=found.bytes - size, text=text, beside=size)


def _device(device: Union[str, int, Any]) -> PlannedDevice:
    """``"80GiB"``, ``"24GB"``, bytes: a device of CUDA of this size; ``"cuda:0"``: one of this machine; ``"cpu"``."""
    text = str(device).strip()
    if text == "cpu":
        return PlannedDevice(0, False, text)
    if text.partition(":")[0] == "cuda":
        return _present(text)
    size = size_of(device if isinstance(device, int) else text)
    if size is None:
        raise RequestError(NO_DEVICE.format(device) + ", 'cuda:0' where this machine has it, or 'cpu'")
    if isinstance(device, int):
        return PlannedDevice(size, True, size_text(size))
    return PlannedDevice(size, True, spaced(text))


_ASKS_SIZE = "import sys, torch; print(torch.cuda.get_device_properties(sys.argv[1]).total_memory)"


def _present(text: str) -> PlannedDevice:
    from .._measure import known_device

    try:
        name = known_device(text)
    except ValueError as error:
        raise RequestError(f"{error}; a size plans for a device that is not here: device='80GiB'") from None
    # Another process asks CUDA: after this one has, a plan could not be made in a fork of it.
    asked = subprocess.run([sys.executable, "-c", _ASKS_SIZE, str(name)], stdout=subprocess.PIPE, check=True)
    size = int(asked.stdout)
    return PlannedDevice(size, True, size_text(size))


#: What CUDA's autocast computes in float32 (ATen/autocast_mode.h) and the CPU's does not.
_IN_FLOAT32 = frozenset(
    "acos asin cosh erfinv exp expm1 log log10 log2 log1p reciprocal rsqrt sinh tan pow softplus layer_norm rms_norm "
    "group_norm cosine_similarity poisson_nll_loss cosine_embedding_loss nll_loss hinge_embedding_loss kl_div l1_loss "
    "smooth_l1_loss huber_loss mse_loss margin_ranking_loss multilabel_margin_loss soft_margin_loss "
    "triplet_margin_loss multi_margin_loss binary_cross_entropy_with_logits dist pdist cdist renorm logsumexp "
    "interpolate prod softmax log_softmax cross_entropy cumprod cumsum norm".split()
)
_HALVES = (torch.float16, torch.bfloat16)
#: The name of a mark at a tensor: as a condition it is true, whatever other conditions are.
TRUE = "_memkit_is_true"
_TOGETHER = (torch.all, torch.Tensor.all, torch.logical_and, torch.Tensor.logical_and, torch.Tensor.__and__)
_ELEMENTS = (torch.Tensor.__getitem__, torch.Tensor.__setitem__)
_FINITE = (torch.isfinite, torch.Tensor.isfinite)
_sdpa = torch.nn.functional.scaled_dot_product_attention


def _is_cuda(value: Any) -> bool:
    if isinstance(value, torch.device):
        return value.type == "cuda"
    if isinstance(value, int):
        return not isinstance(value, bool)  # the number of a device
    return isinstance(value, str) and value.partition(":")[0] == "cuda"


class AnyValues(TorchFunctionMode):  # type: ignore[misc, unused-ignore]
    """Marks the results of questions whether values are finite: all are. An index that depends on values is 0."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if func in _ELEMENTS:
            args = (args[0], _index(args[1]), *args[2:])
        result = func(*args, **kwargs)
        if func in _FINITE or func in _TOGETHER and _are_true(tensors_in([*args, *kwargs.values()])):
            setattr(result, TRUE, True)
        return result


def _index(of: Any) -> Any:
    if isinstance(of, tuple):
        return tuple(_index(one) for one in of)
    return 0 if isinstance(of, UnknownNumber) else of


def _are_true(tensors: List[Any]) -> bool:
    return bool(tensors) and all(getattr(one, TRUE, False) for one in tensors)


class CudaAsPlanned(AnyValues):
    """Takes the words of CUDA for the planned device. to_device() hears of tensors that the program moves there."""

    def __init__(self, to_device: Callable[[Any], None]) -> None:
        super().__init__()
        self._to_device = to_device

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if func is _sdpa:
            return _attention(args, kwargs)
        if func is torch.Tensor.pin_memory:
            return args[0]
        if func is torch.Tensor.cuda:
            return self._on_device(args[0])
        if _is_cuda(kwargs.get("device")):
            return self._on_device(func(*args, **{**kwargs, "device": "cpu"}))
        if func is torch.Tensor.to and len(args) > 1 and _is_cuda(args[1]):
            return self._on_device(func(args[0], "cpu", *args[2:], **kwargs))
        if getattr(func, "__name__", "") in _IN_FLOAT32 and torch.is_autocast_enabled("cpu"):
            args = tuple(_float32(one) for one in args)
            kwargs = {name: _float32(one) for name, one in kwargs.items()}
        return super().__torch_function__(func, types, args, kwargs)

    def _on_device(self, result: Any) -> Any:
        if isinstance(result, torch.Tensor):
            self._to_device(result)
        return result


def _float32(value: Any) -> Any:
    return value.float() if isinstance(value, torch.Tensor) and value.dtype in _HALVES else value


def _attention(args: Any, kwargs: Dict[str, Any]) -> Any:
    """CUDA's fused kernels keep the seed of a dropout; the CPU has none, and would keep the whole matrix."""
    if len(args) > 4:
        args = (*args[:4], 0.0, *args[5:])
    elif kwargs.get("dropout_p"):
        kwargs = {**kwargs, "dropout_p": 0.0}
    return _sdpa(*args, **kwargs)


@contextlib.contextmanager
def as_on(
    device: PlannedDevice,
    to_device: Callable[[Any], None],
    asked: Callable[[FrameType], None],
    compiled: Callable[[], None],
) -> Iterator[None]:
    """PyTorch as on the device, for the time of a plan. asked() hears who asks whether there is a device, compiled()
    that something is compiled, or was compiled before and is called."""
    with contextlib.ExitStack() as stack:
        functions = AnyValues()
        # In a forked process CUDA does not work if the program has asked for it before.
        if not torch.cuda._is_in_bad_fork() and torch.cuda.is_available():
            # Fake tensors of CUDA work here as they are; threads of the backward pass have no frames of the program.
            stack.enter_context(torch.autograd.set_multithreading_enabled(False))
        elif device.is_cuda:
            stack.enter_context(_grouped_optimizers())
            stack.enter_context(_autocast_of_cuda())
            stack.enter_context(_without_onednn())
            stack.enter_context(cuda_answers(device.bytes, asked))
            functions = CudaAsPlanned(to_device)
        stack.enter_context(functions)
        stack.enter_context(replaced(torch.nn.Module, "_apply", _apply))
        stack.enter_context(replaced(FakeTensor, "__format__", _format))
        stack.enter_context(replaced(torch._VF, "_pad_packed_sequence", padded))
        stack.enter_context(replaced(DataLoader, "_get_iterator", _in_this_process))
        # Checks of arguments are conditions on values.
        stack.enter_context(replaced(torch.distributions.Distribution, "_validate_args", False))
        stack.enter_context(_eager(compiled))
        yield


def _format(tensor: Any, form: str) -> str:
    """``f"{loss:.4f}"``, which PyTorch has for real tensors alone."""
    return format(tensor.item(), form) if tensor.dim() == 0 else object.__format__(tensor, form)


_iterator_of: Any = DataLoader._get_iterator


def _in_this_process(loader: Any) -> Any:
    """The batches of a DataLoader without its workers: a fake tensor does not pass to another process."""
    if loader.num_workers:
        loader = copy.copy(loader)
        loader.__dict__.update(num_workers=0, timeout=0, prefetch_factor=None)
    return _iterator_of(loader)


_apply_to_real: Any = torch.nn.Module._apply


def _apply(module: Any, function: Any, recurse: bool = True) -> Any:
    """As Module._apply(), which swaps the insides of fake parameters and fails where anything refers to one weakly."""
    if not any(isinstance(one, FakeTensor) for one in module._parameters.values()):
        return _apply_to_real(module, function, recurse)
    for child in module.children() if recurse else ():
        child._apply(function)
    with torch.no_grad():
        for name, one in module._parameters.items():
            if one is not None:
                module._parameters[name] = _moved(one, function)
        for name, one in module._buffers.items():
            if one is not None:
                module._buffers[name] = function(one)
    return module


def _moved(parameter: Any, function: Any) -> Any:
    applied = function(parameter)
    if applied is parameter:
        return parameter
    result = torch.nn.Parameter(applied, parameter.requires_grad)
    if parameter.grad is not None:
        result.grad = function(parameter.grad)
    return result


@contextlib.contextmanager
def _grouped_optimizers() -> Iterator[None]:
    """Optimizers take all parameters at once (foreach) by default on CUDA."""
    from torch.optim import optimizer

    before = getattr(optimizer, "_get_foreach_kernels_supported_devices", list)
    capturable = getattr(optimizer, "_get_capturable_supported_devices", list)
    types = getattr(optimizer, "_foreach_supported_types", [])
    types.append(FakeTensor)

    def with_capturable(*arguments: Any, **options: Any) -> List[str]:
        return [*capturable(*arguments, **options), "cpu"]

    try:
        with contextlib.ExitStack() as stack:
            stack.enter_context(
                replaced(optimizer, "_get_foreach_kernels_supported_devices", lambda: [*before(), "cpu"])
            )
            for module in _optimizers():
                stack.enter_context(replaced(module, "_get_capturable_supported_devices", with_capturable))
            yield
    finally:
        types.remove(FakeTensor)


def _optimizers() -> List[Any]:
    """The modules of PyTorch's optimizers, of which each has names of its own."""
    return [module for name, module in list(sys.modules.items()) if name.startswith("torch.optim.")]


@contextlib.contextmanager
def _autocast_of_cuda() -> Iterator[None]:
    """``torch.autocast("cuda")`` is the CPU's: a build without CUDA would switch it off."""
    kind = torch.amp.autocast_mode.autocast
    init = kind.__init__

    def planned(
        self: Any, device_type: str, dtype: Any = None, enabled: bool = True, cache_enabled: Any = None
    ) -> None:
        if device_type == "cuda":
            device_type, dtype = "cpu", dtype or torch.float16
        init(self, device_type, dtype, enabled, cache_enabled)

    with replaced(kind, "__init__", planned):
        yield


@contextlib.contextmanager
def _without_onednn() -> Iterator[None]:
    """oneDNN keeps what backward needs of a recurrent layer where a fake tensor has no size."""
    before = torch._C._get_mkldnn_enabled()
    torch._C._set_mkldnn_enabled(False)
    try:
        yield
    finally:
        torch._C._set_mkldnn_enabled(before)


@contextlib.contextmanager
def _eager(compiled: Callable[[], None]) -> Iterator[None]:
    """Compiled models run as eager ones: the code of inductor is not run."""

    def not_compiled(model: Any = None, **options: Any) -> Any:
        compiled()
        return not_compiled if model is None else model

    stance: Any = getattr(torch.compiler, "set_stance", None)
    with contextlib.ExitStack() as stack:
        stack.enter_context(replaced(torch, "compile", not_compiled))
        if stance is not None and "torch._dynamo" in sys.modules:
            stack.enter_context(_compiled_before(compiled))
            stack.enter_context(stance("force_eager"))
        yield


@contextlib.contextmanager
def _compiled_before(called: Callable[[], None]) -> Iterator[None]:
    """called() hears of calls of functions that were compiled before. (Silent in a PyTorch that looks its stance up
    in another way.)"""
    frames: Any = sys.modules.get("torch._dynamo.eval_frame")
    look_up: Any = getattr(frames, "_callback_from_stance", None)

    def looked_up(callback: Any) -> Any:
        if callback not in (None, False):  # what runs without a compiler
            called()
        return look_up(callback)

    if look_up is None:
        yield
        return
    with replaced(frames, "_callback_from_stance", looked_up):
        yield
