# REQUIRES: mcp-sdk
# RUN: rm -rf %t && mkdir %t && cd %t
# RUN: memas --summarize %src_root/docs/examples/after.mkt -o after.fb
# RUN: for n in before requests gap; do memas --summarize %src_root/docs/examples/$n.mkt -o $n.fb || exit; done
# RUN: memas --summarize %S/../memview/page/Inputs/training.mas -o training.fb && memas %S/../memdump/oom-limits.mas -o oom.fb
# RUN: cp %S/../memimport/Inputs/memray-1.20.0.bin memray.bin && cp %S/../memimport/Inputs/heaptrack-1.5.0.gz heaptrack.gz
# RUN: printf 'import time\ndef fill():\n    return bytearray(30_000_000)\nkept = fill()\ntime.sleep(0.1)\n' > fill.py
# RUN: memrec -q -o fill.fb -- %python fill.py
# RUN: %python %src_root/utils/genjob/genjob --ranks=16 --stacks=40 --steps=40 --seed=3 -o job
# RUN: %mcp %s
#
# The official SDK's client, with a handshake and without one; it gets the answers of twenty questions.

import os
import sys

import anyio
from mcp import Client, ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from questions import QUESTIONS, judge

SERVER = StdioServerParameters(command="memmcp", args=["."], env=dict(os.environ))


async def ask(client):
    tools = (await client.list_tools()).tools
    assert "leaks" in [tool.name for tool in tools], tools
    answer = await client.call_tool("overview", {"trace": "after.fb"})
    assert not answer.is_error and answer.content[0].text.startswith("server: peak 1.04 MiB"), answer
    answer = await client.call_tool("overview", {"trace": "/etc/shadow"})
    assert answer.is_error and "no file below" in answer.content[0].text, answer


async def main():
    async with stdio_client(SERVER) as (read, write):
        async with ClientSession(read, write) as session:
            assert (await session.initialize()).protocol_version == "2025-11-25"
            await ask(session)
    async with Client(stdio_client(SERVER)) as client:
        assert client.protocol_version == "2026-07-28"
        await ask(client)
        answers = []
        for _, calls, _ in QUESTIONS:
            answers.append([(await client.call_tool(*call)).content[0].text for call in calls])
        assert not judge(answers), judge(answers)


anyio.run(main)
