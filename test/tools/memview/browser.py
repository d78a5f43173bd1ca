# The browser is started without the token of the page: every user can read the arguments of a program. The
# browser gets a page in a file of the user's own, which leads to the address, and which ends with memview. The
# same of memtop's key.
#
# RUN: memas --summarize %S/../memtop/Inputs/service.mas -o %t.fb
# RUN: rm -rf %t && mkdir %t
# RUN: env PYTHONPATH=%src_root/test/Inputs LC_ALL=C.UTF-8 %python %s %t.fb %t

import atexit
import html
import http.client
import os
import pathlib
import re
import signal
import stat
import subprocess
import sys
import time
import urllib.parse

from screen import Screen

trace, folder = sys.argv[1:]
os.mkdir(folder + "/bin")
opener = pathlib.Path(folder + "/bin/xdg-open")
opener.write_text(f'#!/bin/sh\nprintf "%s\\n" "$#" "$@" > {folder}/new && mv {folder}/new {folder}/arguments\n')
opener.chmod(0o755)
os.environ["PATH"] = folder + "/bin:" + os.environ["PATH"]


views = []


def start(**options):
    """A memview, which ends with the test at the latest."""
    views.append(subprocess.Popen(["memview", trace], stdout=subprocess.PIPE, text=True, **options))
    return views[-1]


@atexit.register
def end_all():
    for each in views:
        each.kill()


def arguments():
    """What the browser was started with."""
    path = pathlib.Path(folder + "/arguments")
    for _ in range(200):
        if path.exists():
            lines = path.read_text().splitlines()
            path.unlink()
            return lines
        time.sleep(0.05)
    raise AssertionError("no browser was started")


def check_page(token):
    """Checks the page that the browser gets; the page's path and the address in it."""
    count, page = arguments()
    assert count == "1" and token not in page and not re.search("[0-9a-f]{32}", page), page
    info, above = os.lstat(page), os.lstat(os.path.dirname(page))
    assert stat.S_ISREG(info.st_mode) and stat.S_IMODE(info.st_mode) == 0o600, oct(info.st_mode)
    assert stat.S_IMODE(above.st_mode) == 0o700, oct(above.st_mode)
    assert info.st_uid == above.st_uid == os.geteuid()
    text = pathlib.Path(page).read_text()
    target = re.search('http-equiv="refresh" content="0; url=([^"]*)"', text)
    assert f'<a href="{target[1]}">' in text, text
    return page, html.unescape(target[1])


def status(address):
    parts = urllib.parse.urlsplit(address)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=60)
    connection.request("GET", parts.path)
    return connection.getresponse().status


def others_cannot_read(page):
    if os.geteuid() != 0:
        return
    done = subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "cat", page],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert done.returncode != 0 and done.stdout == b"", done


os.umask(0)
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # what nohup starts ignores it
for runtime in (os.environ["XDG_RUNTIME_DIR"], "", folder + "/none"):
    for end in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        view = start(env={**os.environ, "XDG_RUNTIME_DIR": runtime, "TMPDIR": folder})
        printed = view.stdout.readline().strip()
        token = printed.split("/")[3]
        assert len(token) == 32, printed
        page, address = check_page(token)
        assert address == printed and status(address) == 200, (address, printed)
        assert page.startswith(runtime if os.path.isdir(runtime) else folder), page
        others_cannot_read(page)
        # No process of this user shows the token, but ps would show it to everybody.
        for line in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            try:
                assert token.encode() not in line.read_bytes(), line
            except (FileNotFoundError, ProcessLookupError):
                pass
        view.send_signal(end)
        assert view.wait(20) == 0, view.returncode
        assert not os.path.exists(os.path.dirname(page)), page

# A browser that cannot be started, and a folder that cannot be written to, leave the address.
for variables in ({"PATH": os.path.dirname(subprocess.check_output(["which", "memview"], text=True))},
                  {"XDG_RUNTIME_DIR": "", "TMPDIR": folder + "/none"}):
    view = start(env={**os.environ, **variables}, stderr=subprocess.PIPE)
    assert status(view.stdout.readline().strip()) == 200
    view.send_signal(signal.SIGINT)
    assert view.wait(20) == 0
    assert ("TMPDIR" in variables) == ("cannot open a browser" in view.stderr.read())
assert not os.path.exists(folder + "/arguments")

# memtop's key: the page of the moment.
s = Screen(["memtop", trace])
s.until("q quit")
s.press("end", *["left"] * 7)
s.until("by line, at 3m 36s")
s.press("o")
shown = re.search(r"memview: (http://\S+)", s.until("memview: http"))[1]
page, address = check_page(shown.split("/")[3])
assert address.startswith(shown[:60]) and re.search(r"#view=flame&at=21[0-9]\.\d{9}s$", address), (shown, address)
assert status(address) == 200
s.press("escape", "q")
for _ in range(200):
    if not os.path.exists(os.path.dirname(page)):
        break
    time.sleep(0.05)
assert not os.path.exists(os.path.dirname(page)), page
