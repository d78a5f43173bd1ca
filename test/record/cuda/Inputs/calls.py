"""Compares the tables of docs/Recorded.md with CUPTI's header and with what is wanted.

    calls.py RECORDED.MD HEADER... < what the fake CUPTI says
"""

import fnmatch
import re
import sys

MEMORY = re.compile(
    r"cu(64.*|Mem(Alloc|Free|HostAlloc|HostRegister|HostUnregister|Pool(?!Get)|Create|Release|Map|Unmap|Address"
    r"|Import|Export|Retain|SetMemPool|Advise|Prefetch|Discard).*"
    r"|(Array|Array3D|MipmappedArray)(Create|Destroy)|.*ExternalMemory.*|Ipc(Open|Close|Get)Mem.*"
    r"|Graph(AddMem(Alloc|Free)Node|AddNode|Launch|Upload|Instantiate.*|ExecDestroy|Destroy)"
    r"|DeviceGraphMemTrim|DeviceSetMemPool|Multicast(?!Get).*|Ctx(Create|Destroy|Detach|FromGreenCtx|EnablePeerAccess|SetLimit)"
    r"|DevicePrimaryCtx(Retain|Release|Reset)|GreenCtx(Create|Destroy)|Stream(Begin|End|CreateFor).*apture.*"
    r"|Checkpoint.*|Graphics.*(Map|Register|Resource).*|GL.*|D3D.*|EGL.*|VDPAU.*)"
)


def base(name):
    return re.sub(r"(_v\d+)?(_pt[sd][sz])?$", "", name)


text = open(sys.argv[1]).read().split("### Which calls")[1].split("\n## ")[0]
followed, ignored = (
    [name for line in part.splitlines() if line.startswith("|") for name in re.findall(r"`(cu[0-9A-Z]\S*?)`", line.split("|")[1])]
    for part in text.split("Not followed")
)
names = {}
for header in sys.argv[2:]:
    names |= {int(n): name for name, n in re.findall(r"TRACE_CBID_(cu\w+)\s*=\s*(\d+)", open(header).read())}
wanted = {int(n) for n in re.findall(r"wants (\d+)$", sys.stdin.read(), re.M)}
bases = {base(names[n]) for n in wanted if n in names and not re.match(r"cuda\d", names[n])}

print("wanted:", len(wanted) > 40)
often = re.compile("cu(Launch|GraphLaunch|Memcpy|Memset|EventRecord|EventQuery|StreamQuery|StreamWait)")
print("wanted of launches, copies, events:", sorted(names[n] for n in wanted if n in names and often.match(names[n])))
print("wanted, in no table:", sorted(b for b in bases if b not in followed))
contexts = ("cuCtxDestroy", "cuDevicePrimaryCtx")
print(
    "followed, not wanted:",
    sorted(f for f in followed if f not in bases and f in map(base, names.values()) and not f.startswith(contexts)),
)
memory = {base(n) for n in names.values() if MEMORY.fullmatch(base(n))}
print("in the header alone:", sorted(m for m in memory if not any(fnmatch.fnmatch(m, t) for t in followed + ignored)))
# Every form of what is followed, but those of 32 bits.
first = {"cuMemAlloc", "cuMemAllocPitch", "cuMemFree", "cuArrayCreate", "cuArray3DCreate"}
print(
    "forms that are not wanted:",
    sorted(
        name
        for n, name in names.items()
        if n not in wanted and base(name) in bases and name not in first and not base(name).startswith(contexts)
    ),
)
