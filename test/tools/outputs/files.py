# RUN: env PYTHONPATH=%S/Inputs %python %s %S/..
#
# The modes of outputs: traces are private from their first byte, whatever was there before; other files
# have what the umask gives, or the mode of the file that they replace. Links, descriptors and pipes of the
# user are written to. Nothing is left of an output that fails.

import os
import resource
import shutil
import subprocess
import sys
import threading

from outputs import COMMANDS, TEXTS, TRACES, folder, make_inputs, mode_of, put, read, write

make_inputs(sys.argv[1])


def fresh():
    path = folder + "/here"
    shutil.rmtree(path, True)
    os.mkdir(path)
    return path


def expect_ok(name, path, cwd=None):
    done = write(name, path, cwd=cwd)
    assert done.returncode == 0, (name, done)
    return done


for name in COMMANDS:
    os.umask(0o027)
    here = fresh()
    out = here + "/out"
    expect_ok(name, out)
    assert mode_of(out) == (0o600 if name in TRACES else 0o640), (name, oct(mode_of(out)))
    assert os.listdir(here) == ["out"], (name, os.listdir(here))

    # Over an own file that everybody can read, empty, a trace, or anything else. A reader who has opened
    # the old file sees nothing of the new one. Only a trace replaces a trace.
    for content in ("", "secret plans\n", None):
        put(out, content or "")
        if content is None:
            shutil.copy(folder + "/in.fb", out)
        before = read(out)
        if content is None and (name in TEXTS or name == "memstat --bundle"):
            done = write(name, out)
            assert done.returncode == 1 and "out: is a trace, which the output would replace" in done.stderr, (name, done)
            assert read(out) == before and os.listdir(here) == ["out"], name
            os.remove(out)
            continue
        with open(out, "rb") as reader:
            expect_ok(name, out)
            assert reader.read() == before, name
        assert mode_of(out) == (0o600 if name in TRACES else 0o644), (name, content, oct(mode_of(out)))
        assert read(out) not in (b"", b"secret plans\n"), name

    # Rights to become another user do not come from an old file.
    for mode in (0o4755, 0o2755, 0o6777, 0o1644):
        put(out, mode=mode)
        expect_ok(name, out)
        assert mode_of(out) == (0o600 if name in TRACES else mode & 0o777), (name, oct(mode_of(out)))

    # Links of the user, to a file, and to one that does not exist yet; from a folder below.
    os.mkdir(here + "/sub")
    os.symlink("sub/target", here + "/link")
    os.symlink("..", here + "/sub/up")
    for path in (here + "/link", "sub/up/link", "link"):
        expect_ok(name, path, cwd=here)
        assert os.path.islink(here + "/link") and os.path.getsize(here + "/sub/target") > 0, name
    os.symlink("loop", here + "/loop")
    done = write(name, here + "/loop")
    assert done.returncode and "Too many levels of symbolic links" in done.stderr, (name, done)

    # Standard output by its names; what stands there stays.
    for path in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"):
        done = write(name, path)
        assert done.returncode == 0, (name, path, done.stderr)
        with open(here + "/all", "w+b") as to:
            to.write(b"before\n")
            to.flush()
            command = COMMANDS[name]
            command = [*command[:3], "-o", path, "true"] if name == "memrec" else [*command, path]
            subprocess.run(command, stdout=to, check=True)
        content = read(here + "/all")
        assert content.startswith(b"before\n") and len(content) > 10, (name, path, content)
    expect_ok(name, "/dev/null")
    os.symlink("/dev/stdout", here + "/link-out")
    expect_ok(name, here + "/link-out")

    # A pipe with a name.
    os.mkfifo(here + "/pipe")
    got = []
    thread = threading.Thread(target=lambda: got.append(read(here + "/pipe")))
    thread.start()
    expect_ok(name, here + "/pipe")
    thread.join()
    assert got[0], name

    # Nothing is left if the output cannot be written, or not be given its name.
    here = fresh()
    os.mkdir(here + "/folder")
    for path in (here + "/folder", here + "/folder/", here + "/no/out", here + "/" + "x" * 300):
        done = write(name, path)
        assert done.returncode and "error: " in done.stderr, (name, path, done)
    assert os.listdir(here) == ["folder"] and not os.listdir(here + "/folder"), (name, os.listdir(here))

# A file that fills is removed.
here = fresh()
for name in TEXTS:
    limited = subprocess.run(
        [*COMMANDS[name], here + "/out"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1, 1)))
    assert limited.returncode, (name, limited)
    assert os.listdir(here) == [], (name, os.listdir(here))

shutil.rmtree(folder)
