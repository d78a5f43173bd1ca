# Connections of who does not have the address do not keep the owner out, however many they are and
# however slowly they send.
#
# RUN: memas --summarize %S/Inputs/two-lines.mas -o %t.fb
# RUN: %python %s %t.fb
import os
import socket
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from served import Served

trace = sys.argv[1]

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
