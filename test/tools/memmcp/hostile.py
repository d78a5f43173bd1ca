# RUN: rm -rf %t && mkdir -p %t/in/deep %t/in-side %t/out && cd %t
# RUN: memas --summarize %src_root/docs/examples/before.mkt -o out/secret.fb
# RUN: cp out/secret.fb in/a.fb && cp out/secret.fb in-side/b.fb
# RUN: ln -s ../out/secret.fb in/link.fb && ln -s ../out in/folder && ln -s a.fb in/own.fb && mkfifo in/pipe
# RUN: %python -c "import sys; whole = open('in/a.fb', 'rb').read(); open('in/end.fb', 'wb').write(whole[:-400])"
# RUN: head -c 300 in/a.fb > in/cut.fb && head -c 100000 /dev/urandom > in/noise.fb
# RUN: %python %s
#
# Clients that want what they may not have, and that send what is no request.

import errno
import json
import os
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from client import Client

client = Client("in")
here = os.getcwd()

# Paths: below the folder alone, links followed.
for path in (
    "/etc/shadow", "../out/secret.fb", "link.fb", "folder/secret.fb", "deep/../../out/secret.fb", "../in-side/b.fb",
    here + "/out/secret.fb", here + "/in/../out/secret.fb", "", ".." + "/.." * 1000, "a\0b", "live:1;ls", "live:../x",
    "-v", "--help", "a.fb/", "x" * 5000,
):
    text, is_error = client.call("overview", trace=path)
    assert is_error and "server" not in text, (path, text)
    assert ("no file below" in text) or "is a text" in text or "empty" in text, (path, text)
for path in ("a.fb", "own.fb", here + "/in/a.fb", "deep/../a.fb"):
    assert not client.call("overview", trace=path)[1], path
# Text that looks like options stays text.
assert client.call("overview", trace="a.fb", heap="x --fail-on=peak>0")[1]
assert client.call("query", trace="a.fb", table="lines\n--help")[1]
# The end of a trace is missing: the answer says so. A last line without an end is a request.
text, is_error = client.call("leaks", trace="end.fb")
assert not is_error and "warning: " in text and "end.fb" in text, text
ping = subprocess.run(["memmcp"], input=b'{"jsonrpc":"2.0","id":1,"method":"ping"}', stdout=subprocess.PIPE, check=True)
assert json.loads(ping.stdout)["id"] == 1, ping
# Broken traces: an error of their reader.
for path in ("cut.fb", "noise.fb"):
    text, is_error = client.call("overview", trace=path)
    assert path in text or "not complete" in text, text
assert client.call("leaks", trace="noise.fb")[1]

# What is no request.
for line, code in (
    (b"{\n", -32700), (b"\xff\xfe\n", -32700), (b"[" * 100000 + b"\n", -32700), (b'{"a":' * 5000 + b"\n", -32700),
    (b"[]\n", -32600), (b"3\n", -32600), (b"{}\n", -32600), (b'{"jsonrpc":"2.0","id":1}\n', -32600),
    (b'{"jsonrpc":"1.0","id":1,"method":"ping"}\n', -32600), (b'"' + b"x" * (3 << 20) + b'"\n', -32600),
):
    client.send(line)
    answer = client.receive()
    assert answer["error"]["code"] == code and answer["id"] is None, (line[:60], answer)
for line in (b"\n", b"  \n", b'{"jsonrpc":"2.0","method":"unknown"}\n', b'{"jsonrpc":"2.0","id":7,"result":{}}\n'):
    client.send(line)  # no answer
assert client.request("ping")["result"] == {}
# 100 MB in one line: left out, and not kept.
piece = b"x" * (1 << 20)
for _ in range(100):
    client.process.stdin.write(piece)
client.send(b"\n")
assert client.receive()["error"]["code"] == -32600
with open("/proc/%d/status" % client.process.pid) as status:
    highest = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
assert highest < 200_000 or "asan" in os.environ.get("PATH", ""), highest

# 10,000 requests at once, from a client that reads later: all are answered, in order.
if os.fork() == 0:
    client.process.stdin.write(
        b"".join(b'{"jsonrpc":"2.0","id":%d,"method":"ping"}\n' % (1000 + i) for i in range(10000))
    )
    client.process.stdin.flush()
    os._exit(0)
time.sleep(0.2)
for i in range(10000):
    assert client.receive()["id"] == 1000 + i
assert os.wait()[1] == 0

# Cancellation: of a question whose reader waits for a pipe, and of one behind it. Neither has an answer.
asked = {"name": "overview", "arguments": {"trace": "pipe"}, "_meta": {"progressToken": "p"}}
client.send({"jsonrpc": "2.0", "id": "slow", "method": "tools/call", "params": asked})
client.send({"jsonrpc": "2.0", "id": "next", "method": "ping"})
client.send({"jsonrpc": "2.0", "id": "last", "method": "ping"})
progress = client.receive()
assert progress["method"] == "notifications/progress" and progress["params"]["progressToken"] == "p", progress
for number in ("next", "slow", "other"):
    client.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}})
answer = client.receive()
while answer.get("method"):
    answer = client.receive()
assert answer["id"] == "last", answer
assert client.end() == 0

# The input ends while a question is open: it is answered. The output is closed: memmcp ends.
client = Client("in")
client.send({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
             "params": {"name": "leaks", "arguments": {"trace": "a.fb"}}})
client.process.stdin.close()
assert json.loads(client.process.stdout.readline())["id"] == 1
assert client.process.wait(60) == 0
client = Client("in")
client.process.stdout.close()
client.send({"jsonrpc": "2.0", "id": 1, "method": "ping"})
assert client.process.wait(60) == 0
# Killed while a tool runs: no tool is left.
client = Client("in")
client.send({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": asked})
client.receive()
client.process.send_signal(signal.SIGTERM)
assert client.process.wait(60) == -signal.SIGTERM
deadline = time.monotonic() + 60
while True:
    try:
        os.close(os.open("in/pipe", os.O_WRONLY | os.O_NONBLOCK))
    except OSError as problem:
        assert problem.errno == errno.ENXIO  # nobody reads
        break
    assert time.monotonic() < deadline
    time.sleep(0.05)
