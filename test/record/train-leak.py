# REQUIRES: torch
# The example that the docs and utils/quickstart rely on: its leak is found in real
# PyTorch, the mended run does not have it, and every sum of the traces holds.
#
# RUN: memrec --force -o %t.leak.fb -- %python %src_root/docs/examples/train_leak.py --steps=20 | FileCheck %s --check-prefix=PROGRAM
# PROGRAM: step 20: loss {{[0-9.]+}}, validation {{[0-9.]+}}
# RUN: memrec --force -o %t.fixed.fb -- %python %src_root/docs/examples/train_leak.py --steps=20 --fixed
# RUN: memleak --format=json --stack=torch::autograd::VariableType %t.leak.fb -o %t.leak.json
# RUN: memleak --format=json --stack=torch::autograd::VariableType %t.fixed.fb -o %t.fixed.json
# RUN: %python %s %t.leak.json %t.fixed.json
# RUN: memdump --check %t.leak.fb
# RUN: memdump --check %t.fixed.fb

import json
import sys

leak, fixed = (json.load(open(path, encoding="utf-8")) for path in sys.argv[1:3])
assert leak["lost"] == 0 and fixed["lost"] == 0, (leak["lost"], fixed["lost"])
# Over a megabyte of activations a step, for each of 20 steps.
assert leak["bytes"] - fixed["bytes"] > 20 << 20, (leak["bytes"], fixed["bytes"])
# The largest finding is one of the operators of the forward pass, twice a step: once
# for each block of the model.
largest = leak["findings"][0]
names = [frame["function"] for frame in largest["stack"]]
assert largest["blocks"] == 40, largest["blocks"]
assert any(name.startswith("at::native::linear") for name in names), names
# Neither PyTorch's dispatcher nor the calls of modules are shown.
assert not any(name.startswith(("at::_ops::", "c10::Dispatcher", "Module._call_impl")) for name in names), names
assert largest["heap"] == "torch.cpu", largest["heap"]
# Its caller is the line of the program that keeps the loss, and outermost is where
# the script begins.
assert "loss_of" in names and names[-1] == "<module>", names
assert largest["stack"][-1]["file"].endswith("train_leak.py"), largest["stack"][-1]
assert all(f["binary"] is None and f["line"] for f in largest["stack"] if f["function"] == "loss_of")
