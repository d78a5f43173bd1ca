# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A model whose second layer asks for more memory than there is.

    memrec -- python oom.py
    memdump --oom trace.fb
"""

import torch
from torch import nn


class Wide(nn.Module):
    """Widens its input beyond every memory."""

    def forward(self, inputs):
        # The mistake: a petabyte.
        return torch.empty(inputs.shape[0], 2**38) + inputs.sum()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(250, 1000)
        self.wide = Wide()

    def forward(self, inputs):
        return self.wide(self.first(inputs))


def main():
    net = Net()
    try:
        net(torch.ones(1000, 250))
    except RuntimeError as error:
        print(str(error).splitlines()[0][:60])


main()
