# cpython-tests.py MEMREC MEMDUMP TEST...: CPython's own tests under memrec, with every
# interpreter whose package has them: each test must end as it does without, and the
# trace must hold together. Tests that end otherwise get a second chance of both ways:
# some depend on time.
import os
import signal
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as tree

from pythons import interpreters

# Tests that interrupt themselves wait for ever where a shell's job ignores that.
signal.signal(signal.SIGINT, signal.default_int_handler)
memrec, memdump, tests = sys.argv[1], sys.argv[2], sys.argv[3:]


def outcomes(prefix, python, tests, folder):
    """What became of each case: "ok", "skipped", "failure", "error"."""
    report = os.path.join(folder, "report.xml")
    if os.path.exists(report):
        os.unlink(report)
    run = subprocess.run(
        prefix + [python, "-m", "test", "--junit-xml", report] + tests, cwd=folder,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
        timeout=3000)
    if not os.path.exists(report):
        print(run.stdout[-4000:])
        return {}
    found = {}
    for case in tree.parse(report).iter("testcase"):
        name = "%s %s" % (case.get("classname"), case.get("name"))
        kinds = [child.tag for child in case if child.tag in ("failure", "error", "skipped")]
        found[name] = kinds[0] if kinds else "ok"
    return found


def differences(python, tests, folder):
    """Names of cases that end otherwise under memrec, and how many there were."""
    trace = os.path.join(folder, "trace.fb")
    alone = outcomes([], python, tests, folder)
    with_us = outcomes([memrec, "-q", "--force", "-o", trace, "--"], python, tests, folder)
    check = subprocess.run([memdump, "--check", trace], stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, text=True)
    names = {n for n in set(alone) | set(with_us) if alone.get(n) != with_us.get(n)}
    for name in sorted(names):
        print("%s: %s alone, %s under memrec" % (name, alone.get(name), with_us.get(name)))
    if check.returncode:
        print(check.stdout)
        names.add("memdump --check")
    return names, len(alone)


bad = 0
for python, version in interpreters().items():
    for test in tests:
        code = "import importlib.util as u, sys; sys.exit(not u.find_spec('test.%s'))" % test
        if subprocess.run([python, "-c", code], stderr=subprocess.DEVNULL).returncode:
            print("%s %s: not in its package" % (version, test))
            continue
        with tempfile.TemporaryDirectory() as folder:
            names, count = differences(python, [test], folder)
            if names:
                again, count = differences(python, [test], folder)
                names &= again
        print("%s %s: %d cases, %d different" % (version, test, count, len(names)))
        sys.stdout.flush()
        bad += len(names) or not count
print("different in all: %d" % bad)
