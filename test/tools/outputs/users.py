# REQUIRES: other-users
# RUN: env PYTHONPATH=%S/Inputs %python %s %S/..
#
# No tool writes into a file, a pipe or behind a link of another user, whoever runs the tool: root, or one
# of two users. What cannot be replaced is refused, and nothing is left behind.

import os
import shutil
import stat
import sys

from outputs import COMMANDS, TRACES, folder, make_inputs, put, read, write

ALICE, MALLORY, ROOT = 65534, 65533, 0
make_inputs(sys.argv[1])
os.umask(0o022)


def fresh(mode, owner=ROOT):
    """An empty folder with this mode."""
    path = folder + "/here"
    shutil.rmtree(path, True)
    os.mkdir(path)
    os.chown(path, owner, owner)
    os.chmod(path, mode)
    return path


def expect_replaced(name, path, user, held):
    """The file is a new one of the user, with no right of the old one."""
    info = os.lstat(path)
    assert stat.S_ISREG(info.st_mode) and info.st_uid == user, (name, info)
    allowed = 0o600 if name in TRACES else 0o644
    assert stat.S_IMODE(info.st_mode) == allowed, (name, oct(info.st_mode))
    assert info.st_size > 0, name
    assert os.fstat(held).st_size == len("secret plans\n"), name


def expect_refused(name, done, here, names, *words):
    assert done.returncode not in (0, -6, -11), (name, done)
    assert "error: " in done.stderr and all(w in done.stderr for w in words), (name, done.stderr)
    assert sorted(os.listdir(here)) == sorted(names), (name, os.listdir(here))


for name in COMMANDS:
    # Root over a file of Mallory, who would own the output, and have a set-user-id file of root.
    here = fresh(0o1777)
    put(here + "/out", mode=0o4777, user=MALLORY)
    held = os.open(here + "/out", os.O_RDONLY)
    done = write(name, here + "/out")
    assert done.returncode == 0, (name, done)
    expect_replaced(name, here + "/out", ROOT, held)
    assert [n for n in os.listdir(here) if n != "out"] in ([], ["out.old"]), (name, os.listdir(here))
    os.close(held)

    # Alice may write to the file, but not replace it: a sticky folder.
    for content in ("secret plans\n", ""):
        here = fresh(0o1777)
        put(here + "/out", content, 0o666, user=MALLORY)
        expect_refused(name, write(name, here + "/out", ALICE), here, ["out"], "another user")
        assert read(here + "/out") == content.encode(), name

    # A folder where everybody may do everything: the file is replaced.
    here = fresh(0o777)
    put(here + "/out", mode=0o666, user=MALLORY)
    held = os.open(here + "/out", os.O_RDONLY)
    done = write(name, here + "/out", ALICE)
    assert done.returncode == 0, (name, done)
    expect_replaced(name, here + "/out", ALICE, held)
    os.close(held)

    # Mallory's links to a file of the victim, to one that does not exist yet, and to a folder.
    for victim in (ROOT, ALICE):
        for mode in (0o1777, 0o777):
            here = fresh(mode)
            target = folder + "/target"
            shutil.rmtree(target, True)
            os.mkdir(target)
            put(target + "/precious", user=victim)
            os.chown(target, victim, victim)
            os.symlink(target + "/precious", here + "/file")
            os.symlink(target + "/new", here + "/new")
            os.symlink(target, here + "/folder")
            for link in ("file", "new", "folder"):
                os.lchown(here + "/" + link, MALLORY, MALLORY)
            for path in ("/file", "/new", "/folder/precious", "/folder/new"):
                done = write(name, here + path, victim)
                expect_refused(name, done, here, ["file", "folder", "new"], "another user")
                assert os.listdir(target) == ["precious"], (name, path)
                assert read(target + "/precious") == b"secret plans\n", (name, path)

    # Mallory's pipe: its reader would get the output.
    here = fresh(0o1777)
    os.mkfifo(here + "/out")
    os.chown(here + "/out", MALLORY, MALLORY)
    os.chmod(here + "/out", 0o666)
    reader = os.open(here + "/out", os.O_RDONLY | os.O_NONBLOCK)
    for victim in (ROOT, ALICE):
        expect_refused(name, write(name, here + "/out", victim), here, ["out"], "another user")
        assert os.read(reader, 100) == b"", name
    os.close(reader)

    # The user's own links work in such folders, too, and root's.
    for owner in (ALICE, ROOT):
        here = fresh(0o1777)
        shutil.rmtree(folder + "/target")
        os.mkdir(folder + "/target")
        os.chown(folder + "/target", ALICE, ALICE)
        os.symlink(folder + "/target/new", here + "/link")
        os.lchown(here + "/link", owner, owner)
        done = write(name, here + "/link", ALICE)
        assert done.returncode == 0, (name, done)
        assert os.lstat(folder + "/target/new").st_uid == ALICE and os.path.islink(here + "/link"), name

shutil.rmtree(folder)
