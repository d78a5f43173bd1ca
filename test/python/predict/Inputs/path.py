# What a script sees of sys.path, but for PYTHONPATH.
import json
import os
import queue
import sys

import torch

import own

print(own.where, json.__file__, queue.__file__)
print([path for path in sys.path if not os.path.exists(os.path.join(path, "memkit"))], sys.argv[0])
model = torch.nn.Linear(8, 8)
model(torch.ones(2, 8)).sum().backward()
