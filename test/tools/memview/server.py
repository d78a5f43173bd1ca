# The server answers its own page only: the token, the host and the origin are checked.
#
# RUN: memas --summarize %S/Inputs/two-lines.mas -o %t.fb
# RUN: %python %s %t.fb | FileCheck %s
import os
import re
import signal
import socket
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from served import Served

with Served(sys.argv[1]) as S:
    # CHECK: address: http://127.0.0.1:PORT/TOKEN/
    print("address:", re.sub("[0-9a-f]{32}", "TOKEN", S.address.replace(str(S.port), "PORT")))
    # CHECK-NEXT: page: 200 text/html; charset=utf-8
    status, headers, text = S.request(S.path)
    print("page:", status, headers["Content-Type"])
    # CHECK-NEXT: only its own script and style: True
    policy = headers["Content-Security-Policy"]
    print("only its own script and style:", "default-src 'none'" in policy and
          "unsafe" not in policy and policy.count("'sha256-") == 2)
    # CHECK-NEXT: not stored, not framed, not shared: True
    print("not stored, not framed, not shared:",
          headers["Cache-Control"] == "no-store" and headers["X-Frame-Options"] == "DENY" and
          headers["Cross-Origin-Resource-Policy"] == "same-origin")
    # CHECK-NEXT: no foreign address in the page: True
    print("no foreign address in the page:",
          not re.search(rb"https?://(?!www\.w3\.org/)", text))

    # CHECK-NEXT: without token: 404
    print("without token:", S.request("/api/start")[0])
    # CHECK-NEXT: wrong token: 404
    print("wrong token:", S.request("/" + "0" * 32 + "/api/start")[0])
    # CHECK-NEXT: foreign host: 403
    print("foreign host:", S.request(S.path, headers={"Host": "evil.example"})[0])
    # CHECK-NEXT: foreign host with the port: 403
    print("foreign host with the port:",
          S.request(S.path, headers={"Host": "evil.example:%d" % S.port})[0])
    # CHECK-NEXT: through a tunnel: 200
    print("through a tunnel:", S.request(S.path, headers={"Host": "localhost:8080"})[0])
    # CHECK-NEXT: foreign origin: 403
    print("foreign origin:",
          S.request(S.path + "api/start", headers={"Origin": "http://evil.example"})[0])
    # CHECK-NEXT: own origin: 200
    print("own origin:", S.request(S.path + "api/start",
                                   headers={"Origin": "http://127.0.0.1:%d" % S.port})[0])
    # CHECK-NEXT: POST: 405
    print("POST:", S.request(S.path + "api/start", method="POST")[0])
    # CHECK-NEXT: a body: 400
    print("a body:", S.request(S.path + "api/start", body=b"x")[0])
    # CHECK-NEXT: HEAD: 200 0
    status, headers, text = S.request(S.path + "api/start", method="HEAD")
    print("HEAD:", status, len(text))
    # CHECK-NEXT: a long header: 431
    print("a long header:", S.request(S.path, headers={"X": "x" * 20000})[0])
    # CHECK-NEXT: unknown question: {"error":"there is no question ../etc/passwd"}
    print("unknown question:", S.request(S.path + "api/../etc/passwd")[2].decode())

    # A connection that sends half a request delays nobody.
    half = socket.create_connection((S.host, S.port))
    half.send(b"GET / HT")
    # CHECK-NEXT: tabs at once: 20 of 20
    good = []
    def tab():
        good.append(S.request(S.path + "api/start")[0] == 200)
    tabs = [threading.Thread(target=tab) for _ in range(20)]
    [t.start() for t in tabs]
    [t.join() for t in tabs]
    print("tabs at once:", sum(good), "of", len(tabs))

    # CHECK-NEXT: listens on 127.0.0.1 only: True
    lines = open("/proc/net/tcp").read().splitlines()[1:]
    mine = [l.split()[1] for l in lines if l.split()[3] == "0A" and
            int(l.split()[1].split(":")[1], 16) == S.port]
    print("listens on 127.0.0.1 only:", mine == ["0100007F:%04X" % S.port])

    # CHECK-NEXT: port taken: memview: error: port PORT: Address already in use
    with Served("--port=%d" % S.port, sys.argv[1]) as Other:
        print("port taken:", Other.process.stderr.read().replace(str(S.port), "PORT").strip())

    # CHECK-NEXT: Ctrl-C: 0
    S.process.send_signal(signal.SIGINT)
    print("Ctrl-C:", S.process.wait(10))
