# transforms.py HOW ANSWERS: runs a small model under torch.func, autocast or fully_shard, and
# writes where its largest tensors come from: phase, bytes, line (null: not asked), layer.
import json
import sys

import torch
from torch import nn
from torch.nn import functional as F

torch.set_num_threads(1)
torch.manual_seed(1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(96, 1024), nn.Linear(512, 8)

    def forward(self, x):
        x, gate = self.first(x).chunk(2, -1)
        return self.second(F.relu(x) * gate)


def answers(forward, backward):
    return [["forward", 80 * 1024 * forward, None, "first"],
            ["backward", 96 * 1024 * backward, None, "first"]]


def grad():
    """torch.func.grad of a functional call."""
    net, x = Net(), torch.randn(80, 96)
    parameters = {k: v.detach() for k, v in net.named_parameters()}

    def loss(parameters, x):
        return torch.func.functional_call(net, parameters, (x,)).square().mean()

    for _ in range(4):
        torch.func.grad(loss)(parameters, x)
    return answers(4, 4)


def vmap():
    """Gradients of each sample: 5 samples of 16 rows."""
    net, x = Net(), torch.randn(5, 16, 96)
    parameters = {k: v.detach() for k, v in net.named_parameters()}

    def loss(parameters, x):
        return torch.func.functional_call(net, parameters, (x,)).square().mean()

    for _ in range(4):
        torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0))(parameters, x)
    return answers(4, 5 * 4)


def autocast():
    """The forward pass in bfloat16, gradients of float32."""
    net, x = Net(), torch.randn(80, 96)
    for _ in range(4):
        with torch.autocast("cpu", torch.bfloat16):
            loss = net(x).square().mean()
        loss.backward()
        net.zero_grad()
    return answers(2, 2)


def shard(path):
    """FSDP2 with one rank."""
    import torch.distributed as dist
    from torch.distributed.fsdp import fully_shard

    dist.init_process_group("gloo", init_method="file://" + path + ".store", rank=0, world_size=1)
    net, x = Net(), torch.randn(80, 96)
    fully_shard(net.first)
    fully_shard(net)
    for _ in range(4):
        net(x).square().mean().backward()
        net.zero_grad()
    dist.destroy_process_group()
    return answers(4, 4)


def main(how, path):
    result = shard(path) if how == "shard" else globals()[how]()
    with open(path, "w") as file:
        json.dump(result, file)


if __name__ == "__main__":
    main(*sys.argv[1:])
