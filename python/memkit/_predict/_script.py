# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""``memkit predict --device=80GiB -- python train.py``: plans the first steps of a whole script."""

import argparse
import os
import re
import runpy
import shutil
import subprocess
import sys
import tempfile
import weakref
from typing import Any, Callable, List, NoReturn, Optional, Sequence, Tuple

from . import PredictionError, check_torch
from ._answer import Prediction
from .._library import Error, RequestError

_DESCRIPTION = """\
Plans the first training steps of a script of PyTorch without the memory of its tensors, and says whether they fit.

The script runs until its optimizer has made STEPS steps, or to its end. It reads its files and prints as always; what
it writes goes into a temporary folder, and a DataLoader has no workers. Exit status: 0 it fits, 1 for an error, 2 for
wrong usage, 3 it does not fit, or may not.
"""
_EXAMPLE = """\
example:
  memkit predict --device=24GiB -o plan.fb -- python train.py --batch-size=8
"""


#: A script without an optimizer of PyTorch is planned for so many backward passes, or until so many have not raised
#: the peak.
_MAX_BACKWARDS = 64
_LEVEL_BACKWARDS = 16


class _Enough(BaseException):
    """The optimizer has made its steps; ends the script."""


def main(arguments: List[str]) -> NoReturn:
    """Ends the process with the exit status."""
    parser = argparse.ArgumentParser(
        prog="memkit predict",
        usage="memkit predict [options] -- python script.py [arguments]",
        description=_DESCRIPTION,
        epilog=_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--device",
        default="80GiB",
        metavar="SIZE",
        help="what the device has: 80GiB, 24GB, cuda:0, cpu (default: 80GiB)",
    )
    parser.add_argument(
        "--beside", metavar="SIZE", help="what of the device is not PyTorch's: CUDA's context, other programs"
    )
    parser.add_argument("--steps", type=int, default=3, metavar="N", help="steps of the optimizer (default: 3)")
    parser.add_argument("-o", dest="path", metavar="FILE", help="write the trace to this file (default: predict.fb)")
    parser.add_argument(
        "--vary",
        metavar="TEXT",
        help="start the script with each of some values, find the largest that fits: --vary='--batch-size={1..64}' "
        "takes the place of {} in the command; {8,16,32} are single values",
    )
    parser.add_argument(
        "--variants",
        action="store_true",
        help="start the script again in other ways, and tell those that take less: repeated layers under "
        "torch.utils.checkpoint, an allocator with expandable segments, states of the optimizer in 16 bits",
    )
    parser.add_argument(
        "--masks",
        metavar="PART",
        help="the part of a mask that is true, where a size depends on it, as in x[mask]: 15%%, or model.py:40=15%%,50%% for "
        "the masks of a line and of all others (default: all of it)",
    )
    parser.add_argument("--answer", help=argparse.SUPPRESS)
    parser.add_argument("--checkpoint", help=argparse.SUPPRESS)
    parser.add_argument("--halve-states", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("command", nargs="+", metavar="-- python script.py", help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    command = _without_interpreter(given.command, arguments)
    if not command:
        parser.error("no script: python -m memkit predict --device=80GiB -- python script.py")
    if given.steps < 1:
        parser.error(f"--steps={given.steps}: not from 1 on")
    if given.vary and given.variants:
        parser.error("--vary and --variants are two questions: ask one of them")
    given.command = command
    given.path = given.path or "predict.fb"
    status = _told(given)
    sys.stdout.flush()
    sys.stderr.flush()
    # What the script has left for the end (atexit, threads) would write its files.
    os._exit(status)


def _told(given: argparse.Namespace) -> int:
    try:
        check_torch()
        result = _varied(given) if given.vary else _planned(given)
        if given.variants:
            _add_variants(result, given)
    except RequestError as error:
        print(f"memkit predict: error: {error}", file=sys.stderr)
        return 2
    except Error as error:
        print(f"memkit predict: error: {error}", file=sys.stderr)
        return 1
    if given.answer:
        with open(given.answer, "w", encoding="utf-8") as file:
            file.write(result.to_json())
    else:
        print(result)
    is_of_host = isinstance(result, Prediction) and result.reserved_bytes is None
    return 0 if result.fits or is_of_host else 3


def _planned(given: argparse.Namespace) -> Any:
    from ._device import planned_device
    from ._layers import Change
    from ._masks import parts_of
    from ._run import Asked

    where, asked = planned_device(given.device, given.beside), Asked(given.steps, parts_of(given.masks))
    return plan_script(given.command, where, asked, given.path, Change(given.checkpoint, given.halve_states))


def _add_variants(result: Any, given: argparse.Namespace) -> None:
    """Each plan is a process of its own, because the script has changed this one."""
    from ._variants import variants_of

    def planned(change: Any, path: str) -> Any:
        options = [] if change.checkpoint is None else [f"--checkpoint={change.checkpoint}"]
        options += ["--halve-states"] if change.halves_states else []
        with tempfile.TemporaryDirectory(prefix="memkit-predict-") as folder:
            return _in_process(given.command, given, path, os.path.join(folder, "answer"), options)

    result.variants = variants_of(result, planned, lambda: f"{given.path}.variant")


def _varied(given: argparse.Namespace) -> Any:
    """The largest value with which the script fits: each plan is a process of its own."""
    from ._device import planned_device
    from ._vary import search

    before, values, after = values_of(given.vary)
    if "{}" not in given.command:
        raise PredictionError("--vary: the command has no {} where the varied argument goes")
    if not planned_device(given.device, given.beside).bytes:
        raise RequestError("--vary needs a device of a known size")

    def planned(value: Any) -> Prediction:
        command = [f"{before}{value}{after}" if one == "{}" else one for one in given.command]
        with tempfile.TemporaryDirectory(prefix="memkit-predict-") as folder:
            result: Prediction = _in_process(command, given, f"{given.path}.{value}", os.path.join(folder, "answer"))
        return result

    result = search(f"{before}N{after}", values, planned, True)
    if result.best is not None:
        os.replace(result.best.path, given.path)
        result.best.path = given.path
    return result


def _in_process(
    command: List[str], given: argparse.Namespace, path: str, answer: str, others: Sequence[str] = ()
) -> Any:
    options = [f"--device={given.device}", f"--steps={given.steps}", f"--answer={answer}", "-o", path, *others]
    if given.beside is not None:
        options.append(f"--beside={given.beside}")
    if given.masks is not None:
        options.append(f"--masks={given.masks}")
    run = [sys.executable, "-m", "memkit", "predict", *options, "--", *command]
    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    paths = [one for one in (os.environ.get("PYTHONPATH"), package) if one]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    # Another way than the program's may fail without a word.
    errors = subprocess.DEVNULL if others else None
    done = subprocess.run(run, stdout=subprocess.DEVNULL, stderr=errors, env=environment)
    if not os.path.exists(answer):
        raise PredictionError(f"{' '.join(command)} cannot be planned: exit status {done.returncode}")
    with open(answer, encoding="utf-8") as file:
        result: Prediction = Prediction.from_json(file.read())
    return result


def values_of(text: str) -> Tuple[str, List[Any], str]:
    """``--batch={1..64}`` or ``{8,16}``: the text before, the values, the text after."""
    match = re.fullmatch(r"(.*)\{(?:(\d+)\.\.(\d+)|([^{}]+))\}(.*)", text)
    if match is None:
        raise PredictionError(f"--vary={text}: no {{1..64}} or {{8,16,32}} in it")
    before, first, last, single, after = match.groups()
    values: List[Any] = single.split(",") if single else list(range(int(first), int(last) + 1))
    if not values:
        raise PredictionError(f"--vary={text}: no values from {first} to {last}")
    return before, values, after


# Not -m, which would look for Python's own modules in the current folder first.
_START = """
import sys
if sys.path[:1] == [""]: del sys.path[0]
from memkit._predict._script import main
main(sys.argv[1:])
"""


def _without_interpreter(command: List[str], arguments: List[str]) -> List[str]:
    """The script and its arguments; another interpreter takes over."""
    if not os.path.basename(command[0]).startswith("python"):
        return command
    path = shutil.which(command[0])
    if path is None:
        return command
    here = os.environ.get("_MEMKIT_PREDICT")
    if os.path.realpath(path) != os.path.realpath(sys.executable) and here is None:
        package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        paths = [one for one in (os.environ.get("PYTHONPATH"), package) if one]
        environment = {**os.environ, "_MEMKIT_PREDICT": "1", "PYTHONPATH": os.pathsep.join(paths)}
        os.execve(path, [path, "-c", _START, *arguments], environment)
    return command[1:]


def plan_script(command: List[str], where: Any, asked: Any, path: str, change: Any) -> Any:
    """The prediction of a script, or of ``-m module``, on a PlannedDevice."""
    from ._run import finished
    from ._writer import TraceWriter

    if command[0] == "-m" and len(command) > 1:
        name, arguments = command[1], command[2:]
    elif command[0].startswith("-") or not os.path.isfile(command[0]):
        raise PredictionError(f"no script: {command[0]}; a script is a file of Python, or -m and a module")
    else:
        name, arguments = command[0], command[1:]
    sys.argv = [name, *arguments]
    writer = TraceWriter(path, where.bytes, where.heap, asked.texts(where.text))
    run = _script_run(_runner(name, command[0] == "-m"), where, writer, asked, change)
    return finished(run, path, run.call_script)


def _runner(name: str, is_module: bool) -> Callable[[], Any]:
    """Runs the program as Python does, with the folder first where it looks for modules."""

    def run() -> None:
        sys.path.insert(0, os.getcwd() if is_module else os.path.dirname(os.path.realpath(name)))
        if is_module:
            runpy.run_module(name, run_name="__main__", alter_sys=True)
        else:
            runpy.run_path(name, run_name="__main__")

    return run


def _script_run(script: Callable[[], Any], device: Any, writer: Any, asked: Any, change: Any) -> Any:
    from ._gradients import free_counts
    from ._optimizers import MAX_MORE
    from ._progress import progress_of
    from ._run import Run

    steps = asked.steps

    class ScriptRun(Run):
        """A plan whose steps are those of the first optimizer, and when the script has dropped it, of the next. It
        waits for the others' states."""

        _first: Optional[Any] = None  # a weak reference
        _backwards = 0
        _peak = _rose = 0  # the plan's, and the backward pass of it

        def call_script(self) -> None:
            free_counts()
            self.mode.takes_false = True
            self.mode.progress = progress_of(self.plan)
            try:
                with self.as_planned("script"), self.mode:
                    self.plan.begin_step(1)
                    self._call()
            except _Enough:
                self.left_after = self.plan.step
                self.lacks += self.optimizers.lacks(self.plan.step)
            except SystemExit as end:
                if end.code not in (None, 0):
                    raise PredictionError(f"the script ended with {end.code!r} before {steps} steps") from None
            except KeyboardInterrupt:
                self.notes.append(f"the script was interrupted in step {self.plan.step}")
                self.lacks += self.optimizers.lacks(self.plan.step)
            if not self.mode.has_device():
                raise PredictionError("the script runs no model of PyTorch and computes no gradient")
            if self._first is None:
                passes = f"the plan has {self._backwards} backward passes"
                self.notes.append(f"no optimizer of PyTorch made a step: {passes}")
            self.mode.end()

        def _optimizer_ends(self, optimizer: Any, args: Any, kwargs: Any) -> None:
            super()._optimizer_ends(optimizer, args, kwargs)
            first = None if self._first is None else self._first()
            if first is None:
                first, self._first = optimizer, weakref.ref(optimizer)
            if self.optimizers.steps_of(first) >= steps:
                is_last = self.optimizers.steps >= steps * MAX_MORE
                if is_last or not self.optimizers.wait(min(steps, 2)):
                    raise _Enough
            if optimizer is first:
                self.mode.forget_origins()
                self.plan.begin_step(self.plan.step + 1)

        def _backward_ends(self) -> None:
            self._backwards += 1
            if self.plan.peak > self._peak:
                self._peak, self._rose = self.plan.peak, self._backwards
            is_level = self._backwards - self._rose >= _LEVEL_BACKWARDS
            if self._first is None and (is_level or self._backwards == _MAX_BACKWARDS) and sys.exc_info()[0] is None:
                raise _Enough

    return ScriptRun(script, device, asked, writer, device.is_cuda, change)
