# REQUIRES: mcp-sdk
# RUN: rm -rf %t && mkdir %t && cd %t
# RUN: memas --summarize %src_root/docs/examples/after.mkt -o after.fb
# RUN: %mcp %s
#
# The official SDK's client, with a handshake and without one.

import os

import anyio
from mcp import Client, ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

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


anyio.run(main)
