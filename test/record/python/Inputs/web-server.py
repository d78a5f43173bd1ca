# web-server.py asyncio|flask|aiohttp: a server on a port of its own, which it prints.
# Answers follow from the request alone; /end ends it.
import asyncio
import hashlib
import json
import os
import socket
import sys
import threading


def answer(path):
    number = int(path.rpartition("/")[2])
    records = [{"id": i, "name": "name-%d" % (i * number)} for i in range(number % 50 + 1)]
    text = json.dumps({"path": path, "records": records}, sort_keys=True)
    return text + hashlib.sha256(text.encode()).hexdigest()


def listen():
    s = socket.socket()
    s.bind(("127.0.0.1", 0))
    s.listen(128)
    print(s.getsockname()[1], flush=True)
    return s


async def serve_plainly():
    ended = asyncio.Event()

    async def client(reader, writer):
        while True:
            request = await reader.readline()
            if not request:
                break
            while (await reader.readline()).strip():
                pass
            path = request.split()[1].decode()
            if path == "/end":
                ended.set()
            body = b"" if path == "/end" else answer(path).encode()
            await asyncio.sleep(0)
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
            await writer.drain()
        writer.close()

    server = await asyncio.start_server(client, sock=listen())
    await ended.wait()
    await asyncio.sleep(0.1)
    server.close()


async def serve_aiohttp():
    from aiohttp import web
    ended = asyncio.Event()

    async def handle(request):
        if request.path == "/end":
            ended.set()
            return web.Response(text="")
        return web.Response(text=answer(request.path))

    app = web.Application()
    app.router.add_get("/{tail:.*}", handle)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.SockSite(runner, listen()).start()
    await ended.wait()
    await asyncio.sleep(0.1)
    await runner.cleanup()


def serve_flask():
    import logging

    import flask
    from werkzeug.serving import make_server
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    app = flask.Flask("served")
    with listen() as s:
        server = make_server("127.0.0.1", s.getsockname()[1], app, threaded=True, fd=s.fileno())

        @app.route("/<path:path>")
        def handle(path):
            if path == "end":
                threading.Thread(target=server.shutdown).start()
                return ""
            return answer("/" + path)

        server.serve_forever()


if sys.argv[1] == "flask":
    serve_flask()
else:
    asyncio.run(serve_aiohttp() if sys.argv[1] == "aiohttp" else serve_plainly())
print("ended", flush=True)
