# RUN: rm -rf %t && mkdir -p %t/in %t/out && cd %t
# RUN: ln -s ../out in/folder && ln -s nowhere.fb in/hanging.fb
# RUN: %python %s
#
# --allow-record: a client may run a command; without it, it may not.

import os
import signal
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from client import Client

client = Client("in")
names = [tool["name"] for tool in client.request("tools/list")["result"]["tools"]]
assert "record" not in names, names
text, is_error = client.call("record", command=["true"], trace="a.fb")
assert is_error and "no tool 'record'" in text, text
assert client.end() == 0

client = Client("--allow-record", "in")
tools = {tool["name"]: tool for tool in client.request("tools/list")["result"]["tools"]}
assert not tools["record"]["annotations"]["readOnlyHint"] and tools["record"]["annotations"]["destructiveHint"]
assert tools["overview"]["annotations"]["readOnlyHint"]

with open("in/fill.py", "w") as program:
    program.write(
        "import os, sys\n"
        "def fill():\n"
        "    return bytearray(30_000_000)\n"
        "kept = fill()\n"
        "print('in', os.path.basename(os.getcwd()), sys.stdin.read())\n"
        "print('to stderr', file=sys.stderr)\n"
        "sys.exit(int(sys.argv[1]))\n"
    )
text, is_error = client.call("record", command=[sys.executable, "fill.py", "7"], trace="a.fb")
assert not is_error and text.startswith("exit status 7\noutput begins:\nin in\nmessages begins:\nto stderr\n"), text
assert "fill.py:3 fill" in text and "28.6 MiB" in text, text
# The trace is there for other questions; a shell does not run.
assert "fill.py:3 fill" in client.call("source", trace="a.fb", match="fill.py:3")[0]
text, is_error = client.call("record", command=["echo", "$HOME", ";", "a b"], trace="b.fb")
assert not is_error and "output begins:\n$HOME ; a b\n" in text, text

# The command has the environment of memmcp, and no more.
text, is_error = client.call("record", command=["sh", "-c", "env | grep -c MEMKIT_CONFIG"], trace="env.fb")
assert not is_error and "output begins:\n0\n" in text, text

# It is ended after a time, also one that does not want to end at once.
begin = time.monotonic()
text, is_error = client.call("record", command=["sleep", "1000"], trace="c.fb", seconds=1)
assert not is_error and text.startswith("ended after 1 s\n"), text
assert time.monotonic() - begin < 60

# A command that does not want to end, and what a command leaves behind.
text, is_error = client.call(
    "record", command=["sh", "-c", "trap '' TERM; echo $$ > stays; while :; do sleep 0.05; done"], trace="s.fb", seconds=1)
assert not is_error and text.startswith("ended after 1 s\n"), text
text, is_error = client.call("record", command=["sh", "-c", "sleep 1000 & echo $! > left"], trace="l.fb", seconds=2)
assert not is_error, text
for name in ("stays", "left"):
    with open("in/" + name) as file:
        pid = int(file.read())
    deadline = time.monotonic() + 60
    while os.path.exists("/proc/%d" % pid) and open("/proc/%d/stat" % pid).read().split()[2] != "Z":
        assert time.monotonic() < deadline, name
        time.sleep(0.05)

# Cancelled: the command ends, there is no answer.
client.send({"jsonrpc": "2.0", "id": "r", "method": "tools/call", "params": {
    "name": "record", "arguments": {"command": ["sh", "-c", "echo $$ > pid; exec sleep 1000"], "trace": "d.fb"}}})
while not os.path.exists("in/pid") or not open("in/pid").read().endswith("\n"):
    time.sleep(0.02)
client.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "r"}})
assert client.request("ping")["result"] == {}
deadline = time.monotonic() + 60
pid = int(open("in/pid").read())
while os.path.exists("/proc/%d" % pid):
    assert time.monotonic() < deadline
    time.sleep(0.02)

# Names: new ones below the folders alone.
for trace, wanted in (
    ("a.fb", "there is a file of this name"), ("hanging.fb", "there is a file of this name"), ("x.txt", "ends in .fb"),
    (".fb", "ends in .fb"), ("../x.fb", "not in the folders"), ("folder/x.fb", "not in the folders"), ("/tmp/x.fb", "not in"),
    ("none/x.fb", "not in the folders"), ("a\0.fb", "text"),
):
    text, is_error = client.call("record", command=["true"], trace=trace)
    assert is_error and wanted in text, (trace, text)
for command in ([], "true", [3], ["true", "a\0b"], ["x"] * 2000):
    text, is_error = client.call("record", command=command, trace="e.fb")
    assert is_error and "command is a list of texts" in text, (command, text)
text, is_error = client.call("record", command=["no-such-program"], trace="e.fb")
assert is_error and "no-such-program" in text, text
text, is_error = client.call("record", command=["true"], trace="e.fb", seconds=10001)
assert is_error and "seconds is a number" in text, text
assert os.listdir("out") == [] and client.end() == 0

# memmcp ends while a command runs: so does the command.
os.remove("in/pid")
client = Client("--allow-record", "in")
client.send({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
    "name": "record", "arguments": {"command": ["sh", "-c", "echo $$ > pid; exec sleep 1000"], "trace": "f.fb"}}})
while not os.path.exists("in/pid") or not open("in/pid").read().endswith("\n"):
    time.sleep(0.02)
client.process.send_signal(signal.SIGKILL)
pid = int(open("in/pid").read())
deadline = time.monotonic() + 60
while os.path.exists("/proc/%d" % pid):
    assert time.monotonic() < deadline
    time.sleep(0.02)
