# The address of the page has a secret, which is in no argument of the browser: the browser gets a
# file of the user alone that leads to the page, and that goes with memview. Connections of who does
# not have the secret do not keep the owner out, however many they are and however slowly they send.
#
# RUN: memas --summarize %S/Inputs/two-lines.mas -o %t.fb
# RUN: %python %s %t.fb %t.bin
import os
import re
import signal
import socket
import stat
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from served import Served

trace, binaries = sys.argv[1:]
os.makedirs(binaries, exist_ok=True)
said = os.path.join(binaries, "said")
with open(os.path.join(binaries, "xdg-open"), "w") as script:
    script.write(f"#!/bin/sh\necho \"$*\" > {said}.new; mv {said}.new {said}\n")
os.chmod(os.path.join(binaries, "xdg-open"), 0o755)
if os.path.exists(said):
    os.remove(said)

view = subprocess.Popen(["memview", trace], stdout=subprocess.PIPE, text=True,
                        env={**os.environ, "PATH": binaries + ":" + os.environ["PATH"]})
address = view.stdout.readline().strip()
token = re.search("[0-9a-f]{32}", address).group()
for _ in range(300):
    if os.path.exists(said):
        break
    time.sleep(0.05)
file = open(said).read().strip()
assert token not in file and not file.startswith("http"), file
assert stat.S_IMODE(os.stat(file).st_mode) == 0o600, file
assert stat.S_IMODE(os.stat(os.path.dirname(file)).st_mode) == 0o700, file
assert address in open(file).read(), open(file).read()
view.send_signal(signal.SIGINT)
view.wait(60)
assert not os.path.exists(os.path.dirname(file)), file

with Served(trace) as S:
    def stranger():
        return socket.create_connection((S.host, S.port))

    # More than the server has room for, with a byte each now and then.
    strangers = [stranger() for _ in range(70)]
    for s in strangers:
        s.send(b"G")
    began = time.monotonic()
    for _ in range(20):
        assert S.request(S.path + "api/start")[0] == 200
        strangers += [stranger() for _ in range(10)]
        for s in strangers:
            try:
                s.send(b"E")
            except OSError:
                pass
    assert time.monotonic() - began < 30, time.monotonic() - began
    # A connection with the token stays, as strangers make room for strangers.
    owner = socket.create_connection((S.host, S.port))
    ask = f"GET {S.path}api/start HTTP/1.1\r\nHost: 127.0.0.1:{S.port}\r\n\r\n".encode()
    for _ in range(3):
        owner.send(ask)
        answer = owner.recv(1 << 20)
        assert answer.startswith(b"HTTP/1.1 200"), answer
        strangers += [stranger() for _ in range(100)]
