"""A server of short sessions, of which it keeps the last 50 answers; or, leaking, all."""
import asyncio
import collections
import sys

LAST = collections.deque(maxlen=50)
ALL = []


def remember(text):
    ALL.append(text * 200)


async def serve(reader, writer):
    text = (await reader.readline()).decode()
    LAST.append(text * 40)
    if sys.argv[1] == "leak":
        remember(text)
    await asyncio.sleep(0.02)
    writer.write(text.encode())
    await writer.drain()
    writer.close()


async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", int(sys.argv[2]))
    async with server:
        await server.serve_forever()


asyncio.run(main())
