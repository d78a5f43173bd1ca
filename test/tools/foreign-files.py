# REQUIRES: root
# UNSUPPORTED: asan
# RUN: %python %s
#
# Outputs in folders that several users write to: nothing goes into another user's file, a trace is
# its owner's alone from its first byte, no output gets more rights than the umask gives or the own
# file had, links and pipes that another user planted are refused, and nothing is left behind. As
# three users: root, and two others.

import os
import shutil
import stat
import subprocess
import tempfile

ALICE, BOB = 54321, 54322
build = os.path.dirname(os.path.dirname(os.path.realpath(shutil.which("memrec"))))
temp = tempfile.mkdtemp(prefix="memkit-foreign-", dir="/tmp")
os.chmod(temp, 0o755)


def as_user(user, *command, umask=0o022):
    return subprocess.run(["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--", "sh", "-c",
                           f"umask {umask:o}; exec \"$@\"", "sh", *command],
                          cwd=temp, capture_output=True, text=True, env={**os.environ, "TMPDIR": "/tmp", "HOME": temp})


def tool(name):
    return os.path.join(temp, "build", "bin", name)


def mode(path):
    return stat.S_IMODE(os.lstat(path).st_mode)


def make(path, user, bits, text=""):
    with open(path, "w") as file:
        file.write(text)
    os.chown(path, user, user)
    os.chmod(path, bits)


def folder(bits):
    path = tempfile.mkdtemp(dir=temp)
    os.chmod(path, bits)
    return path


def check_memrec(user, where):
    """A file that Bob made for Alice or root to write into."""
    for bits in 0o666, 0o622:
        path = os.path.join(where, f"planted-{bits:o}-{user}.fb")
        make(path, BOB, bits)
        run = as_user(user, tool("memrec"), "-q", "-o", path, "true")
        if os.stat(path).st_uid == BOB:  # refused, as the folder is sticky
            assert run.returncode and os.path.getsize(path) == 0, (run, os.stat(path))
        else:
            assert not run.returncode and mode(path) == 0o600, (run, oct(mode(path)))
            os.remove(path)


try:
    # Other users reach the tools.
    for part in "bin", "lib/memkit", "share":
        if os.path.isdir(os.path.join(build, part)):
            shutil.copytree(os.path.join(build, part), os.path.join(temp, "build", part),
                            ignore=shutil.ignore_patterns("*.o", "CMakeFiles"))
    subprocess.run(["chmod", "-R", "a+rX", temp], check=True)
    sticky, open_one = folder(0o1777), folder(0o777)
    for where in sticky, open_one:
        for user in 0, ALICE:
            check_memrec(user, where)
    # An own file that was there before, readable by all, is no longer.
    for size, options in (0, []), (10, ["--force"]):
        own = os.path.join(sticky, f"own{size}.fb")
        make(own, ALICE, 0o644, "x" * size)
        run = as_user(ALICE, tool("memrec"), "-q", *options, "-o", own, "true")
        assert not run.returncode and mode(own) == 0o600, (run, oct(mode(own)))
    # A second name of the own file keeps its contents.
    secret, second = os.path.join(folder(0o755), "secret"), os.path.join(open_one, "second.fb")
    make(secret, ALICE, 0o600, "secret")
    os.link(secret, second)
    as_user(ALICE, tool("memrec"), "-q", "--force", "-o", second, "true")
    assert open(secret).read() == "secret"

    trace = os.path.join(temp, "trace.fb")
    subprocess.run([tool("memrec"), "-q", "-o", trace, "true"], check=True)
    os.chmod(trace, 0o644)
    for user in 0, ALICE:
        for name, command in ("page.svg", ["memflame", "--format=svg"]), ("copy.fb", ["memdump", "--redact"]):
            is_trace = name.endswith(".fb")
            # Bob's file, with everything set: replaced, or refused and left as it is.
            for where in sticky, open_one:
                path = os.path.join(where, f"{user}-{name}")
                make(path, BOB, 0o4777, "old")
                before = set(os.listdir(where))
                run = as_user(user, tool(command[0]), *command[1:], "-o", path, trace)
                assert set(os.listdir(where)) == before, (set(os.listdir(where)) - before, run)
                if os.stat(path).st_uid == BOB:
                    assert run.returncode and user and open(path).read() == "old", run
                else:
                    assert not run.returncode and mode(path) == (0o600 if is_trace else 0o644), (run, oct(mode(path)))
                os.remove(path)
            # The own one keeps its rights, at most.
            own = os.path.join(sticky, f"own-{user}-{name}")
            make(own, user, 0o2750, "old")
            run = as_user(user, tool(command[0]), *command[1:], "-o", own, trace)
            assert not run.returncode and mode(own) == (0o600 if is_trace else 0o750), (run, oct(mode(own)))
            # Links and pipes.
            for where in sticky, open_one:
                victim = os.path.join(folder(0o755), "victim")
                make(victim, user, 0o644, "precious")
                os.chown(os.path.dirname(victim), user, user)
                link = os.path.join(where, f"link-{user}-{name}")
                os.symlink(victim, link)
                os.lchown(link, BOB, BOB)
                for writer in (command[0], *command[1:]), ("memrec", "-q", "--force"):
                    rest = ["-o", link, "true"] if writer[0] == "memrec" else ["-o", link, trace]
                    run = as_user(user, tool(writer[0]), *writer[1:], *rest)
                    assert run.returncode and "of another user in a folder that others may write to" in run.stderr, run
                    assert open(victim).read() == "precious"
                os.lchown(link, user, user)
                run = as_user(user, tool(command[0]), *command[1:], "-o", link, trace)
                assert not run.returncode and os.path.islink(link) and open(victim, "rb").read(8) != b"precious", run
                pipe = os.path.join(where, f"pipe-{user}-{name}")
                os.mkfifo(pipe)
                os.chown(pipe, BOB, BOB)
                os.chmod(pipe, 0o666)
                run = as_user(user, tool(command[0]), *command[1:], "-o", pipe, trace)
                assert run.returncode and "a pipe of another user" in run.stderr, run
    # What is the user's own goes on as ever.
    for path in "/dev/stdout", "/proc/self/fd/1", "/dev/fd/1":
        run = as_user(0, tool("memflame"), "--format=svg", "-o", path, trace)
        assert not run.returncode and "<svg" in run.stdout, (path, run.returncode, run.stderr)
    assert not as_user(ALICE, tool("memflame"), "--format=svg", "-o", "/dev/null", trace).returncode
finally:
    shutil.rmtree(temp)
