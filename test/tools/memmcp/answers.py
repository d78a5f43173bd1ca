# RUN: rm -rf %t && mkdir %t && cd %t
# RUN: memas --summarize %src_root/docs/examples/before.mkt -o before.fb
# RUN: memas --summarize %src_root/docs/examples/after.mkt -o after.fb
# RUN: memas %S/../memtop/Inputs/service.mas -o service.fb
# RUN: %python %s
#
# Questions and answers, in each revision of the protocol; an answer is what the tool itself says.

import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from client import STATELESS, Client

client = Client(".")

# The handshake of two revisions; a version that is not known gets the newest of them.
for asked, given in (("2025-06-18", "2025-06-18"), ("2025-11-25", "2025-11-25"), ("2024-11-05", "2025-11-25")):
    result = client.request("initialize", {"protocolVersion": asked, "capabilities": {}})["result"]
    assert result["protocolVersion"] == given and result["capabilities"] == {"tools": {}}, result
    assert result["serverInfo"]["name"] == "memkit" and "overview" in result["instructions"], result
client.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
assert client.request("ping")["result"] == {}
plain = client.request("tools/list")["result"]
assert set(plain) == {"tools"}, plain

# Without a handshake.
result = client.request("server/discover", meta=STATELESS)["result"]
assert result["supportedVersions"][0] == "2026-07-28" and result["resultType"] == "complete", result
assert result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "memkit", result
listed = client.request("tools/list", meta=STATELESS)["result"]
assert listed["tools"] == plain["tools"] and listed["cacheScope"] == "private" and listed["ttlMs"] == 0, listed
names = [tool["name"] for tool in listed["tools"]]
assert names[0] == "overview" and {"leaks", "diff", "query", "source"} < set(names), names
assert all(tool["annotations"]["readOnlyHint"] and tool["description"] for tool in listed["tools"])
error = client.request("tools/list", meta=dict(STATELESS, **{"io.modelcontextprotocol/protocolVersion": "2099-01-01"}))
assert error["error"]["code"] == -32022 and "2025-11-25" in error["error"]["data"]["supported"], error
error = client.request("tools/list", meta={"io.modelcontextprotocol/protocolVersion": "2026-07-28"})
assert error["error"]["code"] == -32602 and "clientCapabilities" in error["error"]["message"], error
assert client.request("nothing/here")["error"]["code"] == -32601


def said(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout


for meta in (None, STATELESS):
    assert client.call("leaks", meta, trace="after.fb") == (said("memleak", "-q", "after.fb"), False)
text, is_error = client.call("overview", trace="after.fb")
assert not is_error and text.startswith("server: peak 1.04 MiB") and "answer.cpp:12 answer" in text, text
text, is_error = client.call("diff", before="before.fb", after="after.fb")
assert not is_error and "peak +24 KiB (+2.3 %)" in text and "answer.cpp:12 answer" in text, text
text, is_error = client.call("explain", trace="after.fb")
assert not is_error and text.startswith("### server: peak") and "memrec -- ./server" in text, text
for name in ("flame_top", "timeline"):
    text, is_error = client.call(name, trace="after.fb")
    assert not is_error and len(text) > 50, text

# Rows of tables.
text, is_error = client.call("query", trace="after.fb", table="lines", where="live_bytes>1000")
rows = text.splitlines()
assert not is_error and rows[0].startswith("heap,name,") and len(rows) == 2 and "request.cpp:29" in rows[1], text
text, is_error = client.call("query", trace="after.fb", table="lines", top=1)
assert not is_error and len(text.splitlines()) == 3 and "lines left out" in text, text
text, is_error = client.call("source", trace="after.fb", match="answer.cpp")
assert not is_error and text.splitlines()[1].split(",")[1] == "answer.cpp:12 answer", text
assert "(no row matches)" in client.call("source", trace="after.fb", match="nowhere")[0]
text, is_error = client.call("query", trace="after.fb", table="lines", where="colour=red")
assert is_error and "no column 'colour'; columns: heap,name" in text, text

# What a model asked wrongly is an answer that it can read.
for arguments, wanted in (
    ({}, "overview needs trace"),
    ({"trace": 3}, "trace is a text"),
    ({"trace": "after.fb", "top": 0}, "top is a number from 1 to 10000"),
    ({"trace": "after.fb", "colour": "red"}, "overview takes no 'colour'"),
    ({"trace": "after.fb", "heap": "none*"}, "none*"),
    ({"trace": "missing.fb"}, "no file below the folders"),
):
    text, is_error = client.call("overview", **arguments)
    assert is_error and wanted in text, (arguments, text)
text, is_error = client.call("query", trace="after.fb", table="nothing")
assert is_error and "not one of events, stats, lines" in text, text
for where in ("bad", "=1", "live_bytes>many"):
    assert client.call("query", trace="after.fb", table="lines", where=where)[1], where
assert client.call("colours")[1]
assert client.request("tools/call", {"name": 3})["error"]["code"] == -32602
assert client.request("tools/call", {"name": "overview", "arguments": []})["error"]["code"] == -32602
assert client.end() == 0

# Folders that are not there, and a file.
for folder in ("missing", "after.fb"):
    broken = Client(folder)
    assert broken.process.wait(60) == 1
    assert folder in broken.process.stderr.read().decode()
