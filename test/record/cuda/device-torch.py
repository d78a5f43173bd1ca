# What PyTorch's own statistics say of a GPU, the trace says, too: bytes of tensors and of
# segments at the peak and at the end. Runs on a GPU alone (utils/check --gpu).
#
# REQUIRES: torch-cuda
# RUN: %cuda memrec -o %t.fb -- %python %s > %t.own
# RUN: memdump --check %t.fb
# RUN: memdump --summary --format=json %t.fb > %t.json
# RUN: %python %s %t.own %t.json
# RUN: memdump --map %t.fb | FileCheck %s
# CHECK: at the peak of torch.cuda:0
# CHECK-NEXT: held, {{.*}} segment{{.*}} fragmentation
import json
import sys


def train():
    import torch
    from torch import nn

    net = nn.Sequential(*[nn.Linear(1024, 1024) for _ in range(8)]).cuda()
    optimizer = torch.optim.Adam(net.parameters())
    for _ in range(3):
        optimizer.zero_grad()
        net(torch.randn(256, 1024, device="cuda")).square().mean().backward()
        optimizer.step()
    torch.cuda.synchronize()
    print(json.dumps({"peak": torch.cuda.max_memory_allocated(), "reserved": torch.cuda.max_memory_reserved(),
                      "free": torch.cuda.mem_get_info()[0]}))


def compare(own, summary):
    own = json.load(open(own))
    summary = json.load(open(summary))
    heaps = {heap["name"]: heap for heap in summary["heaps"]}
    assert summary["events"]["lost"] == 0, summary["losses"]
    assert heaps["torch.cuda:0"]["peak_bytes"] == own["peak"], (heaps["torch.cuda:0"], own)
    assert heaps["torch.cuda:0.segments"]["peak_bytes"] == own["reserved"], (heaps["torch.cuda:0.segments"], own)
    # cuBLAS and cuDNN have memory beside it.
    assert heaps["cuda:0.device"]["peak_bytes"] >= own["reserved"], heaps["cuda:0.device"]


if len(sys.argv) > 1:
    compare(*sys.argv[1:])
else:
    train()
