"""A client of memmcp: each request a line of JSON."""

import json
import subprocess

STATELESS = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


class Client:
    def __init__(self, *folders):
        self.process = subprocess.Popen(
            ["memmcp", *folders], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        self.number = 0

    def send(self, data):
        self.process.stdin.write(data if isinstance(data, bytes) else json.dumps(data).encode() + b"\n")
        self.process.stdin.flush()

    def receive(self):
        line = self.process.stdout.readline()
        assert line, "memmcp has ended: %r" % self.process.stderr.read()
        return json.loads(line)

    def request(self, method, params=None, meta=None):
        self.number += 1
        params = dict(params or {}, **({"_meta": meta} if meta else {}))
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        answer = self.receive()
        assert answer["jsonrpc"] == "2.0" and answer["id"] == self.number, answer
        return answer

    def call(self, name, meta=STATELESS, **arguments):
        """The text of an answer, and whether it is an error."""
        result = self.request("tools/call", {"name": name, "arguments": arguments}, meta)["result"]
        (content,) = result["content"]
        assert content["type"] == "text" and len(content["text"].encode()) <= 10000, content
        return content["text"], result["isError"]

    def end(self):
        """Ends the input; the exit status."""
        self.process.stdin.close()
        assert self.process.stdout.read() == b""
        return self.process.wait(60)
