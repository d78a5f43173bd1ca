# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Serves the page of memview with answers for a made-up trace, for development and tests.

    fixture.py [--port=N] [--hostile] [--nodes=N] [--heaps=N] [--slow=SECONDS] [--quiet-trace]
    fixture.py -o PAGE.html       writes a page with embedded answers

The answers follow the contract of the page, and are the same in each run. The figures are those of
docs/examples/train_leak.py, with a device added.
"""

import argparse
import base64
import hashlib
import http.server
import json
import pathlib
import re
import sys
import time
import urllib.parse
import zlib

import made_trace

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE.parents[4] / "lib" / "View" / "page"
sys.path.insert(0, str(PAGE))
import bundle  # noqa: E402

TOKEN = "fixture"


def policy(page):
    """The Content-Security-Policy of the page: scripts and styles by their hash."""
    def hashes(tag):
        found = re.findall(rf"<{tag}(?: type=\"module\")?>(.*?)</{tag}>", page, re.S)
        return " ".join(f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'" for text in found)
    return (f"default-src 'none'; script-src {hashes('script')}; style-src {hashes('style')}; connect-src 'self'; "
            "img-src data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")


def embed(page, answers):
    pack = lambda value: base64.b64encode(zlib.compress(json.dumps(value).encode())).decode()
    parts = [[[request], pack([answer])] for request, answer in answers.items()]
    text = json.dumps({"encoding": "deflate", "names": [], "parts": parts})
    return page.replace('id="answers">{}<', f'id="answers">{text}<')


def file_page(trace):
    """The page with the answers of 24 moments, as memview -o writes it."""
    start = dict(trace.start())
    moments = sorted({start["end_ns"] * at // 24 for at in range(1, 25)} | {space["peak_ns"] for space in start["spaces"]})
    start["moments"] = moments
    answers = {"start": start, "growth": trace.growth(), "compare": trace.compare()}
    for by in start["curves"]:
        answers[f"curves?by={by}"] = trace.curves({"by": by})
    answers["curves"] = trace.curves({})
    answers["profile"], answers["table"] = trace.profile({}), trace.table({})
    for at in moments:
        answers[f"profile?at={at}"] = trace.profile({"at": at, "nodes": 2000})
        answers[f"table?at={at}"] = trace.table({"at": at})
        answers[f"map?device=1&at={at}"] = trace.map({"device": 1, "at": at})
    answers["layers"] = trace.layers({})
    return embed(bundle.bundle(PAGE), answers)


class Handler(http.server.BaseHTTPRequestHandler):
    trace = None
    slow = 0.0
    waiting = {}

    def log_message(self, *_):
        pass

    def reply(self, status, kind, body, headers=()):
        body = body.encode()
        self.send_response(status)
        for name, value in (("Content-Type", kind), ("Content-Length", str(len(body))), ("Cache-Control", "no-store"), *headers):
            self.send_header(name, value)
        self.end_headers()
        try:
            self.wfile.write(body)
        except BrokenPipeError:
            pass  # The page asked for something newer.

    def answer(self, name, query):
        """Status and answer of one question."""
        if name not in ("start", "curves", "profile", "table", "growth", "map", "layers", "compare", "source"):
            return 404, {"error": f"memview does not know the question '{name}'."}
        if self.slow:
            began = self.waiting.setdefault(self.path, time.monotonic())
            passed = time.monotonic() - began
            if passed < self.slow:
                return 202, {"progress": passed / self.slow, "what": "replaying the events"}
            del self.waiting[self.path]
        try:
            parameters = {key: int(value) if re.fullmatch(r"\d+", value) else value for key, value in urllib.parse.parse_qsl(query)}
            method = getattr(self.trace, name)
            return 200, method() if name in ("start", "growth", "compare") else method(parameters)
        except made_trace.Refused as error:
            return 400, {"error": str(error)}

    def do_GET(self):
        path, _, query = self.path.partition("?")
        if path == f"/{TOKEN}/":
            page = bundle.bundle(PAGE)
            self.reply(200, "text/html; charset=utf-8", page, [("Content-Security-Policy", policy(page))])
        elif path.startswith(f"/{TOKEN}/api/"):
            status, answer = self.answer(path.rsplit("/", 1)[1], query)
            self.reply(status, "application/json", json.dumps(answer))
        else:
            self.reply(404, "text/plain", "not found\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--port", type=int, default=8123)
    parser.add_argument("--hostile", action="store_true", help="names with markup, control characters, 10,000 characters")
    parser.add_argument("--nodes", type=int, default=0, help="nodes of the flame graph")
    parser.add_argument("--heaps", type=int, default=3, help="heaps of the host")
    parser.add_argument("--slow", type=float, default=0, help="seconds of progress before each answer")
    parser.add_argument("--quiet-trace", action="store_true", help="a trace in which nothing happened")
    parser.add_argument("-o", metavar="PAGE", help="write a page with embedded answers, then exit")
    options = parser.parse_args()
    trace = made_trace.Trace(hostile=options.hostile, nodes=options.nodes, quiet=options.quiet_trace, heaps=options.heaps)
    if options.o:
        pathlib.Path(options.o).write_text(file_page(trace), encoding="utf-8")
        return
    Handler.trace, Handler.slow = trace, options.slow
    server = http.server.ThreadingHTTPServer(("127.0.0.1", options.port), Handler)
    print(f"http://127.0.0.1:{server.server_port}/{TOKEN}/", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
