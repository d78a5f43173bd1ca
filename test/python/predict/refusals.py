# What cannot be planned is said in a sentence, with the line.
#
# REQUIRES: python, torch
# RUN: env PYTHONPATH=%obj_root/share/memkit/python %python %s | FileCheck %s
# RUN: env PYTHONPATH=%obj_root/share/memkit/python %python -c "import memkit, sys; assert memkit.predict and 'torch' not in sys.modules"
import sys
import types

import torch

import memkit

model = torch.nn.Linear(8, 8)
x = torch.randn(4, 8)
library = torch.library.Library("memkit_test", "DEF")
library.define("twice(Tensor x) -> Tensor")
library.impl("twice", lambda x: 2 * x, "CPU")


def tell(step, **options):
    try:
        memkit.predict(step, **options)
    except memkit.Error as error:
        print(type(error).__name__ + ": " + str(error))
        sys.stdout.flush()
    else:
        raise AssertionError(step)


def branch():
    if (model(x) > 0).any():
        model(x)


def wrong():
    return model(torch.randn(4, 9))


tell(branch)
# CHECK: PredictionError: refusals.py:[[#]]: the program reads an integer or a boolean of a tensor
tell(lambda: torch.repeat_interleave((model(x) > 0).sum(1)))
# CHECK: PredictionError: refusals.py:[[#]]: the size of the result of aten::repeat_interleave depends on values
tell(lambda: torch.bincount((model(x) > 0).sum(1)))
# CHECK: PredictionError: refusals.py:[[#]]: the size of the result of aten::bincount depends on values
tell(lambda: torch.zeros((model(x) > 0).sum().item()))
# CHECK: PredictionError: refusals.py:[[#]]: the program uses a number that it reads of a tensor as a size or a slice's end
tell(lambda: x[: (model(x) > 0).sum().item()])
# CHECK: PredictionError: refusals.py:[[#]]: the program uses a number that it reads of a tensor as a size or a slice's end
tell(lambda: torch.zeros(int((model(x) > 0).sum())))
# CHECK: PredictionError: refusals.py:[[#]]: the program reads an integer or a boolean of a tensor
tell(lambda: model(x).sum().to(torch.bfloat16).detach().numpy())
# CHECK: PredictionError: refusals.py:[[#]]: the step raised TypeError: NumPy has no bfloat16
tell(lambda: torch.ops.memkit_test.twice(model(x)))
# CHECK: PredictionError: refusals.py:[[#]]: memkit_test::twice has no implementation for fake tensors
tell(wrong)
# CHECK: PredictionError: refusals.py:[[#]]: the step raised RuntimeError:
tell(lambda: {}["key"])
# CHECK: PredictionError: refusals.py:[[#]]: the step raised KeyError: 'key'
tell(lambda: None)
# CHECK: PredictionError: the step makes no tensors of PyTorch
tell(5)
# CHECK: RequestError: step is a function that runs one training step, not int
tell(wrong, steps=0)
# CHECK: RequestError: steps is a number of calls from 1 on, not 0
for device in ("80", "nonsense", "-3GiB", 0, True, None):
    tell(wrong, device=device)
# CHECK-COUNT-6: RequestError: no device: {{.*}}; a device is a size ('80GiB', '24GB', bytes)
tell(wrong, device="cuda:99")
# CHECK: RequestError: no device: 'cuda:99'; {{.*}}; a size plans for a device that is not here
for beside in ("80GiB", "much", -1):
    tell(wrong, beside=beside)
# CHECK-COUNT-3: RequestError: beside={{.*}}: no size ('1GiB', bytes) below that of the device, 80 GiB
for masks in ("much", "150%", -0.1, True, "nan", "a.py:3=", "", {"a.py:3": 2}):
    tell(wrong, masks=masks)
# CHECK-COUNT-8: RequestError: masks={{.*}}: no part from 0 to 1 ('15%', 0.15), and no line with a part
tell(wrong, vary={})
# CHECK: RequestError: vary has one name with its values
tell(wrong, vary={"batch": []})
# CHECK: RequestError: vary has no values of 'batch'
tell(wrong, vary={"batch": [1]}, device="cpu")
# CHECK: RequestError: vary needs a device of a known size
tell(lambda: model(x), path="/nonexistent/plan.fb")
# CHECK: Error: memas cannot write /nonexistent/plan.fb: {{.*}}No such file or directory

# After all of it the model works.
assert type(model(x)) is torch.Tensor and model.weight.grad is None

real = sys.modules["torch"]
sys.modules["torch"] = types.SimpleNamespace(__version__="2.3.1+cpu")
tell(wrong)
# CHECK: LibraryError: memkit.predict needs PyTorch 2.4 or newer, and this is 2.3.1+cpu
sys.modules["torch"] = None
tell(wrong)
# CHECK: LibraryError: memkit.predict plans steps of PyTorch, and PyTorch is not installed
sys.modules["torch"] = real
