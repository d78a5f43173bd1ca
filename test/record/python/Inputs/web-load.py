# web-load.py FOLDER REQUESTS: asks web-server.py by several clients at once, alone and
# under memrec with every object recorded: the answers must be the same, and the trace
# hold together. Flask and aiohttp are installed into an environment in FOLDER, and
# passed over where they cannot be had.
import hashlib
import http.client
import os
import subprocess
import sys
import threading
import venv

folder, requests = sys.argv[1], int(sys.argv[2])
environment = os.path.join(folder, "environment")
python = os.path.join(environment, "bin", "python")
server = os.path.join(os.path.dirname(__file__), "web-server.py")
trace = os.path.join(folder, "web.fb")
CLIENTS = 8


def ask(port, first, answers):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    for number in range(first, requests, CLIENTS):
        connection.request("GET", "/numbers/%d" % number)
        answers[number] = connection.getresponse().read()
    connection.close()


def serve(prefix, kind):
    """What the server said, its status, and a digest of all answers."""
    process = subprocess.Popen(prefix + [python, server, kind], stdout=subprocess.PIPE, text=True)
    port, answers = int(process.stdout.readline()), [b""] * requests
    clients = [threading.Thread(target=ask, args=(port, i, answers)) for i in range(CLIENTS)]
    for c in clients:
        c.start()
    for c in clients:
        c.join()
    end = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    end.request("GET", "/end")
    try:
        end.getresponse().read()
    except (http.client.HTTPException, ConnectionError):
        pass  # It has ended before it answered.
    end.close()
    said = process.communicate(timeout=300)[0]
    is_whole = all(a.startswith(b'{"path": "/numbers/%d"' % i) for i, a in enumerate(answers))
    return said, process.returncode, is_whole, hashlib.sha256(b"".join(answers)).hexdigest()


def install():
    if python == sys.executable:
        return
    for kind in "flask", "aiohttp":
        if subprocess.run([python, "-c", "import " + kind], stderr=subprocess.DEVNULL).returncode:
            subprocess.run([python, "-m", "pip", "install", "-q", kind],
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if not subprocess.run([python, "-c", "import " + kind],
                              stderr=subprocess.DEVNULL).returncode:
            yield kind


os.makedirs(folder, exist_ok=True)
try:
    if not os.path.exists(python):
        venv.create(environment, with_pip=True)
except (ImportError, subprocess.SubprocessError):
    python = sys.executable  # without what makes environments
for kind in ["asyncio"] + list(install()):
    alone = serve([], kind)
    ours = serve(["memrec", "-q", "--force", "--python-objects", "-o", trace, "--"], kind)
    subprocess.run(["memdump", "--check", trace], check=True, stdout=subprocess.DEVNULL)
    is_good = ours == alone and alone[:3] == ("ended\n", 0, True)
    print("%s: %d requests, %s" % (kind, requests, "the same" if is_good else
                                   "DIFFERENT %s %s" % (alone, ours)))
